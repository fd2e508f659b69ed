-- Which range drives the noise.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
SET extra_float_digits = -5;
\set SHOW_CONTEXT never

-- Short people make a body mass index noisy: the height's low end counts most.
SELECT quantity, column_name, side, tightened_range, upper, tightened, shrink
FROM dpsens.advise('a*w/h^2', '{"a": [18, 100], "w": [30, 250], "h": [1.2, 2.2]}')
WHERE shrink > 0.001 ORDER BY quantity, shrink DESC, column_name, side;
-- Every column, side and quantity is there once.
SELECT count(*), count(DISTINCT (column_name, side, quantity)) FROM dpsens.advise('a*w/h^2', '{"a": [18, 100], "w": [30, 250], "h": [1.2, 2.2]}');

-- Whole numbers stay whole; no less than a tenth is cut.
SELECT DISTINCT column_name, side, tightened_range, note FROM dpsens.advise('j + k + b::int', '{"k": {"range": [0, 7], "type": "integer"}, "j": {"range": [0, 1], "type": "integer"}, "b": {"type": "boolean"}}') ORDER BY 1, 2;
SELECT column_name, side, tightened, shrink FROM dpsens.advise('k * (7 - k)', '{"k": {"range": [0, 7], "type": "integer"}}') WHERE quantity = 'replace';

-- Single values and unused columns change nothing.
SELECT DISTINCT column_name, side, tightened_range, shrink, note FROM dpsens.advise('x + y', '{"x": [0, 1], "y": [3, 3], "z": [0, 9]}') WHERE column_name <> 'x' ORDER BY 1, 2;

-- Public columns have ranges, too; an attribute is the private one that counts.
SELECT column_name, side, quantity, upper, tightened, shrink FROM dpsens.advise('p * a + b', '{"p": {"range": [1, 3], "public": true}, "a": [0, 10], "b": [0, 40]}')
WHERE quantity IN ('attribute', 'metric') AND side = 'high' ORDER BY 3, 1;

-- A bound that only a narrower range has; one that none of them has.
SELECT column_name, side, quantity, upper, tightened, shrink, note FROM dpsens.advise('1/x', '{"x": [0, 100]}') WHERE quantity IN ('add_remove', 'metric');

-- The longest range, and a short one far from 0.
SELECT side, tightened_range, tightened, shrink FROM dpsens.advise('x / 1e300', '{"x": [-1.7e308, 1.7e308]}') WHERE quantity = 'add_remove';
SELECT side, tightened_range, shrink FROM dpsens.advise('x', '{"x": [1000000000000000, 1000000000000001]}') WHERE quantity = 'replace';

-- Vectors.
SELECT column_name, quantity, upper, tightened, shrink FROM dpsens.advise('ARRAY[a, a * b]', '{"a": [0, 10], "b": [0, 2]}') WHERE side = 'high' ORDER BY 2, 1;

-- Registered expressions, by what is declared.
CREATE SCHEMA dpsens_advise;
SET search_path = dpsens_advise, public;
CREATE TABLE people (id int PRIMARY KEY, age int NOT NULL, born date, seen timestamptz NOT NULL);
\o /dev/null
SELECT dpsens.set_range('people', 'age', 18, 100), dpsens.set_range('people', 'born', '1920-01-01', '2020-12-31'),
    dpsens.set_range('people', 'seen', '2020-01-01 00:00:00+00', '2020-12-31 00:00:00+00');
SELECT dpsens.register('span', 'people', '(extract(epoch from seen) - extract(epoch from born)) / 86400 + age');
\o
SELECT column_name, side, tightened_range, quantity, upper, tightened, shrink FROM dpsens.advise('span(people)') WHERE quantity IN ('add_remove', 'replace') ORDER BY 4, 1, 2;

-- What is refused.
SELECT * FROM dpsens.advise('abs(float8)');
SELECT * FROM dpsens.advise('x > 0', '{"x": [0, 1]}');
SELECT * FROM dpsens.advise('x', '{"x": 1}');
SELECT count(*) FROM dpsens.advise(NULL, '{}');
SELECT has_function_privilege('public', f, 'execute') FROM unnest(ARRAY['dpsens.advise(text, jsonb)', 'dpsens.advise(regprocedure)']) AS f;
\o /dev/null
SELECT dpsens.clear('people', 'age');
\o
SELECT * FROM dpsens.advise('span(people)');
DROP SCHEMA dpsens_advise CASCADE;
