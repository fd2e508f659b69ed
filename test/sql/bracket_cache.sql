-- Certified bounds that are remembered, and those that are stored.
-- Files: glue/analysis/question.c.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP ROLE IF EXISTS regress_dpsens_curator, regress_dpsens_other;
CREATE ROLE regress_dpsens_curator;
CREATE ROLE regress_dpsens_other;
GRANT pg_write_all_data TO regress_dpsens_other;
CREATE SCHEMA brackets AUTHORIZATION regress_dpsens_curator;
GRANT USAGE ON SCHEMA brackets TO regress_dpsens_other;
SET search_path = brackets, public;
\set VERBOSITY terse

-- What a statement needed, and where it had it from.
CREATE FUNCTION needs(statement text, who name DEFAULT current_user,
    OUT hits bigint, OUT reads bigint, OUT searches bigint)
LANGUAGE plpgsql AS $$
DECLARE
    before record;
    after record;
BEGIN
    SELECT * INTO before FROM dpsens.bracket_cache();
    PERFORM set_config('role', who, true);
    EXECUTE statement;
    RESET ROLE;
    SELECT * INTO after FROM dpsens.bracket_cache();
    hits := after.hits - before.hits;
    reads := after.reads - before.reads;
    searches := after.searches - before.searches;
END $$;

SET ROLE regress_dpsens_curator;
CREATE TABLE people (age float8 NOT NULL, weight float8 NOT NULL, height float8 NOT NULL, income float8);
INSERT INTO people VALUES (40, 70, 1.7, 1000);
SELECT dpsens.protect('people');
SELECT dpsens.set_range('people', 'age', 18, 100);
SELECT dpsens.set_range('people', 'weight', 30, 250);
SELECT dpsens.set_range('people', 'height', 1.2, 2.2);
SELECT dpsens.set_range('people', 'income', 0, 5000);
RESET ROLE;

-- A session remembers what it has found: the same bits, witnesses and notes, of
-- what has bounds and of what has none.
CREATE TABLE answers (step text, expression text, quantity text, answer text);
CREATE FUNCTION expressions() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT unnest(ARRAY[
        'a * b / c ^ 2', 'exp(-(a - 5) ^ 2 / 2) * b + sin(a * c)', '1 / (c - 1)', 'ln(a - 1)',
        'CASE WHEN a > 2 THEN b ELSE c END', 'floor(a) + b', 'coalesce(d, 0) * a', 'sqrt(a ^ 2 + b ^ 2) - abs(c)', 'sqrt(a)',
        'n * (n - k) / (1 + k ^ 2)', 'abs(a - b) * round(c)', 'exp(exp(a)) / exp(b)', 'b - 0', 'NULL::float8', '7']) $$;
CREATE PROCEDURE take_down(step text) LANGUAGE sql AS $$
    INSERT INTO answers
    SELECT step, e, s.quantity, s::text
    FROM expressions() AS e,
        dpsens.sensitivity(e, '{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5],
            "d": {"range": [-1, 1], "nullable": true, "weight": 3}, "n": {"range": [0, 9], "type": "integer"},
            "k": {"range": [0, 9], "type": "integer", "public": true}}') AS s $$;
SET extra_float_digits = 3;
SELECT hits < searches AS searched, reads FROM needs('CALL take_down(''first'')');
SELECT hits > 0 AS remembered, reads, searches FROM needs('CALL take_down(''again'')');
SELECT count(*) > 100 AS many, count(*) FILTER (WHERE answer LIKE '%jump in%') > 0 AS jumps,
    count(*) FILTER (WHERE answer LIKE '%division by zero%') > 0 AS divisions,
    count(*) FILTER (WHERE answer LIKE '%gradient%') > 0 AS gradients
FROM answers;
SELECT first.*, again.answer
FROM answers AS first LEFT JOIN answers AS again USING (expression, quantity)
WHERE first.step = 'first' AND again.step = 'again' AND first.answer IS DISTINCT FROM again.answer;

-- All that an answer follows from is part of the question.
CREATE FUNCTION changed(ranges jsonb, expression text DEFAULT 'a * b / c ^ 2') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (needs(format('SELECT count(*) FROM dpsens.sensitivity(%L, %L)', expression, ranges))).searches;
END $$;
SELECT changed('{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS new;
SELECT changed('{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5]}') AS same;
SELECT changed('{"x": [0, 10], "y": [-3, 4], "z": [0.5, 2.5]}', 'x * y / z ^ 2') AS "same by other names";
SELECT changed('{"a": [0, 11], "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS "range, upper end";
SELECT changed('{"a": [1, 10], "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS "range, lower end";
SELECT changed('{"a": {"range": [0, 10], "weight": 2}, "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS weight;
SELECT changed('{"a": {"range": [0, 10], "public": true}, "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS "public";
SELECT changed('{"a": {"range": [0, 10], "nullable": true}, "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS nullable;
SELECT changed('{"a": {"range": [0, 10], "type": "integer"}, "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS type;
SELECT changed('{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5]}', 'a * b / c ^ 3') > 0 AS expression;
SELECT changed('{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5]}', 'a * b / c ^ 2 + 1e-300') > 0 AS "a constant";
SET dpsens.tolerance = 1e-7;
SELECT changed('{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS tolerance;
RESET dpsens.tolerance;
SET dpsens.max_boxes = 100000;
SELECT changed('{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5]}') > 0 AS boxes;
RESET dpsens.max_boxes;
SELECT changed('{"a": [0, 10], "b": [-3, 4], "c": [0.5, 2.5]}') AS same;

-- So are annotations, whenever they change.
CREATE FUNCTION upper_end(query text) RETURNS numeric LANGUAGE sql AS $$ SELECT round(upper::numeric, 3) FROM dpsens.explain(query) $$;
SELECT upper_end('SELECT dp_sum(age, 1.0) FROM people');
SELECT dpsens.set_range('people', 'age', 18, 90);
SELECT upper_end('SELECT dp_sum(age, 1.0) FROM people');
SECURITY LABEL FOR dpsens ON COLUMN people.age IS 'RANGE [18, 80]';
SELECT upper_end('SELECT dp_sum(age, 1.0) FROM people');
SELECT dpsens.set_range('people', 'age', 18, 100);
SELECT upper_end('SELECT dp_sum(age, 1.0) FROM people');
SELECT round(sensitivity::numeric, 3) AS sensitivity FROM dpsens.explain('SELECT dp_sum(age * weight, 1.0) FROM people');
SELECT dpsens.protect('people', adjacency => 'metric');
SELECT round(sensitivity::numeric, 3) AS sensitivity FROM dpsens.explain('SELECT dp_sum(age * weight, 1.0) FROM people');
SELECT dpsens.set_range('people', 'age', 18, 100, weight => 10);
SELECT round(sensitivity::numeric, 3) AS sensitivity FROM dpsens.explain('SELECT dp_sum(age * weight, 1.0) FROM people');
SELECT dpsens.protect('people', adjacency => 'attribute');
SELECT round(sensitivity::numeric, 3) AS sensitivity FROM dpsens.explain('SELECT dp_sum(age * weight, 1.0) FROM people');
SELECT dpsens.protect('people', adjacency => 'add_remove');
SELECT dpsens.set_range('people', 'age', 18, 100);

-- A column of the same name and another type.
SELECT upper_end('SELECT dp_sum(1 / (income + 2), 1.0) FROM people');
ALTER TABLE people DROP COLUMN income;
ALTER TABLE people ADD COLUMN income int NOT NULL DEFAULT 7;
SELECT dpsens.set_range('people', 'income', 0, 5000);
SELECT upper_end('SELECT dp_sum(1 / (income + 2), 1.0) FROM people');
SELECT dpsens.set_range('people', 'income', 0, 5000);

-- A kept plan is made again.
SET client_min_messages = error;
SET dpsens.noise = off;
PREPARE kept AS SELECT dp_sum(age, 1.0) FROM people;
EXECUTE kept;
SELECT dpsens.set_range('people', 'age', 18, 30);
EXECUTE kept;
SELECT dpsens.set_range('people', 'age', 18, 100);
EXECUTE kept;
RESET dpsens.noise;
SET client_min_messages = warning;

-- What a registered expression needs is stored, and read by other sessions.
SET ROLE regress_dpsens_curator;
SELECT dpsens.register('bmi_age', 'people', 'age * weight / height ^ 2');
SELECT dpsens.register('bump', 'people', 'exp(-(age - 50) ^ 2 / 200) * weight + sin(height * age)');
RESET ROLE;
SELECT function::regprocedure, count(*) FROM dpsens.brackets GROUP BY function
    ORDER BY function::regprocedure::text COLLATE "C";
CREATE TABLE explained AS
SELECT e::text FROM dpsens.explain('SELECT dp_sum(bmi_age(people), 1.0), dp_sum(people.bump, 1.0) FROM people') AS e;
GRANT SELECT ON explained TO PUBLIC;
\c -
SET search_path = brackets, public;
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE FUNCTION explained_again() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (
        SELECT e::text FROM dpsens.explain('SELECT dp_sum(bmi_age(people), 1.0), dp_sum(people.bump, 1.0) FROM people') AS e
        EXCEPT ALL SELECT * FROM explained) AS different $$;
GRANT SELECT ON people TO regress_dpsens_other;
SELECT * FROM needs('SELECT explained_again()', 'regress_dpsens_other');
SELECT * FROM needs('SELECT explained_again()', 'regress_dpsens_other');
SELECT explained_again();

-- The owner's look at the view stores what it shows; another's writes nothing,
-- nor does a transaction that is read only.
SELECT searches > 0 AS searched FROM needs('SELECT count(*) FROM dpsens.expressions', 'regress_dpsens_other');
SELECT count(*) FROM dpsens.brackets;
BEGIN READ ONLY;
SELECT searches FROM needs('SELECT count(*) FROM dpsens.expressions', 'regress_dpsens_curator');
COMMIT;
SELECT count(*) FROM dpsens.brackets;
SELECT searches FROM needs('SELECT count(*) FROM dpsens.expressions', 'regress_dpsens_curator');
SELECT function::regprocedure, count(*) FROM dpsens.brackets GROUP BY function
    ORDER BY function::regprocedure::text COLLATE "C";
CREATE TABLE shown AS SELECT e::text FROM dpsens.expressions AS e;
CREATE TABLE stored AS SELECT ctid AS place, xmin::text AS writer FROM dpsens.brackets;
SELECT count(*) FROM dpsens.expressions;
SELECT count(*) AS written_again FROM (
    SELECT ctid, xmin::text FROM dpsens.brackets EXCEPT SELECT place, writer FROM stored) AS new;
\c -
SET search_path = brackets, public;
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT hits > 0 AS hits, reads > 0 AS reads, searches FROM needs('SELECT count(*) FROM dpsens.expressions', 'regress_dpsens_other');
SELECT e::text FROM dpsens.expressions AS e EXCEPT ALL SELECT * FROM shown;

-- What is stored is replaced when a range changes, by the owner's next look.
SELECT dpsens.set_range('people', 'height', 1.3, 2.2);
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.bmi_age, 1.0) FROM people'')', 'regress_dpsens_other');
SELECT searches > 0 AS searched FROM needs('SELECT count(*) FROM dpsens.expressions', 'regress_dpsens_curator');
SELECT function::regprocedure, count(*) FROM dpsens.brackets GROUP BY function
    ORDER BY function::regprocedure::text COLLATE "C";
\c -
SET search_path = brackets, public;
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.bmi_age, 1.0) FROM people'')', 'regress_dpsens_other');
SELECT upper_end('SELECT dp_sum(people.bmi_age, 1.0) FROM people');

-- Under metric and attribute, too, nothing is left to search for.
SELECT dpsens.protect('people', adjacency => 'metric');
SET ROLE regress_dpsens_curator;
SELECT dpsens.register('for_metric', 'people', 'age * sin(weight) / height');
RESET ROLE;
SELECT dpsens.protect('people', adjacency => 'attribute');
SET ROLE regress_dpsens_curator;
SELECT dpsens.register('for_attribute', 'people', 'age * cos(weight) / height');
RESET ROLE;
\c -
SET search_path = brackets, public;
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.for_attribute, 1.0) FROM people'')');
SELECT dpsens.protect('people', adjacency => 'metric');
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.for_metric, 1.0) FROM people'')');
SELECT dpsens.protect('people', adjacency => 'add_remove');

-- Rows go with their expression, at the latest when the next is registered; a
-- registration that is rolled back leaves none.
SET ROLE regress_dpsens_curator;
SELECT dpsens.unregister('for_metric', 'people');
DROP FUNCTION for_attribute(people), bump(people);
BEGIN;
SELECT dpsens.register('undone', 'people', 'age + weight');
ROLLBACK;
SELECT dpsens.register('sum_of_two', 'people', 'age + weight');
RESET ROLE;
SELECT function::regprocedure, count(*) > 1 AS stored FROM dpsens.brackets GROUP BY function
    ORDER BY function::regprocedure::text COLLATE "C";

-- Nobody else writes, whatever they were granted; a table that belongs to
-- somebody who might is not read.
SET ROLE regress_dpsens_other;
SELECT count(*) FROM dpsens.brackets;
SELECT * FROM dpsens.bracket_cache();
INSERT INTO dpsens.brackets VALUES (0, 0, '', '');
UPDATE dpsens.brackets SET answer = '';
RESET ROLE;
INSERT INTO dpsens.brackets VALUES (0, 0, '', '');
SET session_replication_role = replica;
INSERT INTO dpsens.brackets VALUES (0, 0, '', '');
RESET session_replication_role;
SELECT count(*) FROM dpsens.brackets WHERE function = 0;
SELECT dpsens_internal.refuse_write();
BEGIN;
SET LOCAL dpsens.bracket_cache_size = 0;
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.sum_of_two, 1.0) FROM people'')');
ALTER TABLE dpsens.brackets OWNER TO regress_dpsens_other;
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.sum_of_two, 1.0) FROM people'')');
ROLLBACK;

-- Damaged rows are not answers.
BEGIN;
SET LOCAL dpsens.bracket_cache_size = 0;
ALTER TABLE dpsens.brackets DISABLE TRIGGER refuse_write;
UPDATE dpsens.brackets SET answer = substr(answer, 1, 30);
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.sum_of_two, 1.0) FROM people'')');
UPDATE dpsens.brackets SET question = question || '\x00';
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(people.sum_of_two, 1.0) FROM people'')');
ROLLBACK;

-- A search that is cut short leaves nothing behind.
CREATE FUNCTION long_search() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.sensitivity('sin(a * b + c) * cos(b * d - e) * sin(c * e + f) + cos(a * d * f)',
        '{"a": [0, 9000], "b": [0, 9000], "c": [0, 9000], "d": [0, 9000], "e": [0, 9000], "f": [0, 9000]}');
    RETURN 'found';
EXCEPTION WHEN query_canceled THEN
    RETURN 'cancelled';
END $$;
SET dpsens.max_boxes = 2000000000;
SET dpsens.tolerance = 1e-12;
CREATE TEMP TABLE before AS SELECT * FROM dpsens.bracket_cache();
SET statement_timeout = '1s'; -- clock: nothing else can end it
SELECT long_search();
RESET statement_timeout;
SELECT after.searches - before.searches - (after.entries - before.entries) AS "searches without an entry"
FROM before, dpsens.bracket_cache() AS after;
RESET dpsens.max_boxes;
RESET dpsens.tolerance;

-- Memory stays within what it was given, however much is asked.
SET dpsens.bracket_cache_size = '256kB';
SELECT searches FROM needs($$
    SELECT count(upper_end(format('SELECT dp_sum(age + %s, 1.0) FROM people', i))) FROM generate_series(1, 10000) AS i $$);
SELECT entries > 100 AS many, bytes <= 2 * 256 * 1024 AS bounded FROM dpsens.bracket_cache();
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(age + 10000, 1.0) FROM people'')');
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(age + 1, 1.0) FROM people'')');
SET dpsens.bracket_cache_size = 0;
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(age + 10000, 1.0) FROM people'')');
SELECT * FROM needs('SELECT upper_end(''SELECT dp_sum(age + 10000, 1.0) FROM people'')');
SELECT entries, bytes FROM dpsens.bracket_cache();
RESET dpsens.bracket_cache_size;

DROP SCHEMA brackets CASCADE;
REVOKE pg_write_all_data FROM regress_dpsens_other;
DROP ROLE regress_dpsens_curator, regress_dpsens_other;
