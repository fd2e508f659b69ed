-- What is said to whom, and that it speaks of what was asked.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dpsens_messages CASCADE;
CREATE SCHEMA dpsens_messages;
SET search_path = dpsens_messages, public;
CREATE ROLE dpsens_messages_reader;
CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, v int NOT NULL, city text NOT NULL, ward int);
INSERT INTO people SELECT i, 20 + i % 50, i % 100, 'c' || i, i % 3 FROM generate_series(1, 1000) i;
CREATE TABLE open (x int);
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL, x float8);
GRANT USAGE ON SCHEMA dpsens_messages TO dpsens_messages_reader;
DO $$ BEGIN PERFORM dpsens.protect('people', unit => 'id'), dpsens.set_range('people', 'age', 0, 100), dpsens.set_range('people', 'v', 0, 100), dpsens.protect('visits', unit => 'person'); END $$;
GRANT SELECT ON people, open, visits TO dpsens_messages_reader;

-- A setting that is unset says so.
SHOW dpsens.epsilon;
SHOW dpsens.selection_epsilon;
SET dpsens.epsilon = 0.5;
SHOW dpsens.epsilon;
RESET dpsens.epsilon;
SHOW dpsens.epsilon;
SELECT name, setting FROM pg_settings WHERE name = 'dpsens.epsilon';
SET dpsens.epsilon = 1;

-- Hints that only an owner can follow are for owners.
CREATE TABLE asked (n int, query text);
INSERT INTO asked VALUES (1, 'SELECT dp_sum(id) FROM people'), (2, 'SELECT dp_mode(city) FROM people'), (3, 'SELECT dp_count(DISTINCT city) FROM people'),
    (4, 'SELECT dp_count(*) FROM open'), (5, 'SELECT dp_count(*) FROM visits'), (6, 'SELECT dp_count(*) FROM open o JOIN open p ON o.x = p.x');
CREATE FUNCTION told(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    hint text;
BEGIN
    EXECUTE query;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN message || '. ' || hint;
END $$;
GRANT SELECT ON asked TO dpsens_messages_reader;
SELECT n, told(query) FROM asked ORDER BY n;
SET ROLE dpsens_messages_reader;
SELECT n, told(query) FROM asked ORDER BY n;
RESET ROLE;

-- Constants alone.
SET dpsens.noise = off;
SELECT dp_sum(ARRAY[1, 1]), dp_sum(ARRAY[1.5, 1]) FROM people;
SELECT dp_avg(ARRAY[1, 2]) FROM people;
SELECT dp_regr_count(1.0, 2.0) FROM people;
RESET dpsens.noise;

-- An answer in a condition on rows.
SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age) FROM people);
SELECT dp_sum(v) FROM people WHERE v < (SELECT dp_count(*) FROM people);

-- Too many values, and no integers.
DO $$ BEGIN PERFORM dpsens.set_values('people', 'city', VARIADIC ARRAY(SELECT 'c' || i FROM generate_series(1, 100001) i)); END $$;
SELECT dp_count(DISTINCT city) FROM people;
SELECT dp_count(DISTINCT v * 1000) FROM people;

-- What the declarations leave no choice of is exact and free.
SELECT aggregate, sensitivity, noise_scale, cost_epsilon, note FROM dpsens.explain('SELECT dp_sum(v * 0), dp_sum(v) FROM people WHERE v < 0');

SET client_min_messages = error;
DROP SCHEMA dpsens_messages CASCADE;
DROP OWNED BY dpsens_messages_reader;
DROP ROLE dpsens_messages_reader;
