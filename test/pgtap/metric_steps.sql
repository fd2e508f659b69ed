-- metric adjacency, where integers and truth values move by whole steps: an expression that jumps
-- between two of them has an answer, and no two rows are further apart than is said. The answers
-- are without noise.
--
-- Files: bound/quantity/lattice.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
\pset format unaligned
\pset tuples_only on
SELECT plan(21);

DROP SCHEMA IF EXISTS metric_steps_tap CASCADE;
CREATE SCHEMA metric_steps_tap;
SET search_path = metric_steps_tap, public;
CREATE TABLE t (scr float8 NOT NULL, age int NOT NULL, female int NOT NULL, black boolean NOT NULL, visits smallint);
INSERT INTO t VALUES (1, 40, 1, true, 3);
DO $$ BEGIN PERFORM dpsens.protect('t', adjacency => 'metric'),
    dpsens.set_range('t', 'scr', 0.5, 10, 3), dpsens.set_range('t', 'age', 18, 90, 0.5), dpsens.set_range('t', 'female', 0, 1, 10),
    dpsens.set_range('t', 'visits', 0, 9); END $$;
SET dpsens.noise = off;
SET dpsens.epsilon = 1;

-- The rows that are compared: neighbours, and the corners.
CREATE TABLE rows AS SELECT row_number() OVER () AS id, scr, age, female, black, visits
FROM unnest(ARRAY[0.5, 0.6, 10]) scr, unnest(ARRAY[18, 19, 40, 41]) age, generate_series(0, 1) female,
    unnest(ARRAY[true, false]) black, unnest(ARRAY[0, 1, 4, 5, NULL]) visits;

CREATE TABLE answers (id bigint, value float8);

-- The furthest pair by its distance, as a part of what is said.
CREATE FUNCTION steepest(expression text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    one record;
    answer float8;
    said float8;
    found float8;
BEGIN
    TRUNCATE answers;
    FOR one IN SELECT * FROM rows LOOP
        UPDATE t SET (scr, age, female, black, visits) = (one.scr, one.age, one.female, one.black, one.visits);
        EXECUTE format('SELECT dp_sum(%s) FROM t', expression) INTO answer;
        INSERT INTO answers VALUES (one.id, answer);
    END LOOP;
    SELECT sensitivity INTO said FROM dpsens.explain(format('SELECT dp_sum(%s) FROM t', expression));
    SELECT max(abs(u.value - v.value) / sqrt((3 * (a.scr - b.scr)) ^ 2 + (0.5 * (a.age - b.age)) ^ 2 +
        (10 * (a.female - b.female)) ^ 2 + (a.black::int - b.black::int) ^ 2 + COALESCE(a.visits - b.visits, 0) ^ 2))
    INTO found
    FROM rows a JOIN answers u USING (id), rows b JOIN answers v USING (id)
    WHERE b.id < a.id AND (a.visits IS NULL) = (b.visits IS NULL);
    RETURN found / said;
END $$;

CREATE TABLE expressions (name text, expression text, at_least float8);
INSERT INTO expressions VALUES
    ('the renal function by MDRD', '175 * scr ^ -1.154 * age ^ -0.203 * CASE WHEN female = 1 THEN 0.742 ELSE 1 END * CASE WHEN black THEN 1.212 ELSE 1 END', 0.5),
    ('a tariff by age', 'CASE WHEN age < 19 THEN 540 WHEN age < 41 THEN 300 ELSE 390 END', 0.999999),
    ('a truth value', 'CASE WHEN black THEN scr ELSE 0 END', 0.9),
    ('whole visits', 'visits / 5 + age / 41', 0.7),
    ('a root at 0', 'sqrt(visits) + female', 0.2);
SELECT ok(steepest(expression) BETWEEN at_least AND 1 + 1e-9, name || ': ' || expression) FROM expressions;

SELECT is(sensitivity, 10::float8, 'a step over its weight') FROM dpsens.explain('SELECT dp_sum(CASE WHEN female = 1 THEN 100 ELSE 0 END) FROM t');
SELECT lives_ok('SELECT dp_sum(ARRAY[scr, CASE WHEN female = 1 THEN 3 ELSE 1 END]) FROM t', 'a vector, one entry of which jumps');
SELECT lives_ok('SELECT dp_variance(CASE WHEN female = 1 THEN 3 ELSE 1 END) FROM t', 'moments of what jumps');

SELECT throws_ok('SELECT dp_sum(CASE WHEN visits = 4 THEN NULL ELSE visits END) FROM t', '22003', NULL, 'a value that can be missing');
SELECT throws_ok('SELECT dp_sum(CASE WHEN scr > 4.5 THEN 3 ELSE 1 END) FROM t', '22003', NULL, 'a jump as a real moves');
SELECT throws_ok('SELECT dp_sum(CASE WHEN scr > visits THEN 3 ELSE 1 END) FROM t', '22003', NULL, 'or it and an integer together');
SELECT throws_ok('SELECT dp_sum(CASE WHEN age * 0.1 > 4.5 THEN 3 ELSE 1 END) FROM t', NULL, NULL, 'a condition that rounding could decide');

-- the same from expressions alone, with proofs that others can check
SELECT is((SELECT count(*) FROM dpsens.sensitivity('CASE WHEN b THEN 3 * x ELSE x END', '{"x": [0, 10], "b": {"type": "boolean"}}') WHERE quantity ~ '^metric' AND upper < 23.5), 3::bigint, 'sensitivity has all three norms');
CREATE TABLE certificates AS
SELECT number, dpsens.certificate(expression, ranges, '{metric, metric_l1, metric_linf}') AS certificate
FROM (VALUES (1, 'CASE WHEN b THEN 3 * x ELSE x END', '{"x": [0, 10], "b": {"type": "boolean", "weight": 2}}'::jsonb),
    (2, 'x + CASE WHEN n < 19 THEN 540 WHEN n < 41 THEN 300 ELSE 390 END', '{"x": [0, 10], "n": {"range": [0, 90], "type": "integer", "nullable": true}}'),
    (3, 'sqrt(n) + x / 3', '{"x": [0, 10], "n": {"range": [0, 9], "type": "smallint"}}')) AS e (number, expression, ranges);
SELECT is((SELECT string_agg(format('%s %s %s %s', number, quantity, valid, round(upper::numeric, 4)), ', ' ORDER BY number, quantity) FROM certificates, dpsens.verify_certificate(certificate)),
    '1 metric t 10.4403, 1 metric_l1 t 13.0000, 1 metric_linf t 10.0000, 2 metric t 240.0021, 2 metric_l1 t 241.0000, 2 metric_linf t 240.0000, 3 metric t 1.0541, 3 metric_l1 t 1.3333, 3 metric_linf t 1.0000',
    'certificates of the three norms');
SELECT throws_ok(format('SELECT dpsens.verify_certificate(%L)', jsonb_set(certificate, '{steps}', '["x"]')), '22023', 'malformed certificate', 'a column of reals does not move by steps') FROM certificates WHERE number = 1;
SELECT is((SELECT bool_or(valid) FROM dpsens.verify_certificate(certificate - 'steps')), false, 'without steps there is a jump') FROM certificates WHERE number < 3 ORDER BY number;
SELECT is((SELECT note FROM dpsens.sensitivity('CASE WHEN n > x THEN 1 ELSE 0 END', '{"x": [0, 9], "n": {"range": [0, 9], "type": "integer"}}') WHERE quantity = 'metric') ~ 'jump', true, 'a refusal names the jump');

-- what is said of a constant
SELECT is((SELECT string_agg(DISTINCT note, '|') FROM dpsens.sensitivity('CASE WHEN n < 19 THEN x ELSE 2 * x END', '{"x": [0, 10], "n": {"range": [0, 90], "type": "integer"}}') WHERE quantity ~ '^metric'),
    'by whole steps of n; lower is that of the greatest part alone', 'columns that step are named');
SELECT matches((SELECT note FROM dpsens.sensitivity('CASE WHEN x <= 0.3 THEN x * 0.1 ELSE 0.03 END', '{"x": [0, 1]}') WHERE quantity = 'metric'),
    '^branches that meet but for rounded constants are up to [0-9.]+e-1[5-9] apart; the noise covers that$', 'a jump of some ulps is said');
SELECT ok((SELECT (c #>> '{parts,continuity,jump}')::float8 BETWEEN 1e-19 AND 1e-15 FROM dpsens.certificate('CASE WHEN x <= 0.3 THEN x * 0.1 ELSE 0.03 END', '{"x": [0, 1]}', '{metric}') c), 'also in the certificate');

SELECT * FROM finish();
DROP SCHEMA metric_steps_tap CASCADE;
