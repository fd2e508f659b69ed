-- dpsens.suggest_limits: what it says of limits, what it costs whom, and whom it refuses.
-- Files: glue/setup/limit_ladder.c, glue/setup/sql_suggest_limits.c
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(28);

CREATE ROLE limits_tap_ana;
CREATE ROLE limits_tap_poor;
CREATE SCHEMA "limits tap";
GRANT USAGE ON SCHEMA "limits tap" TO PUBLIC;
SET search_path = "limits tap", public;
-- 100 persons of each number of rows from 1 to 10, and 100 with 40
CREATE TABLE "a visit" (id int PRIMARY KEY, "per son" int NOT NULL);
INSERT INTO "a visit" SELECT row_number() OVER (), p FROM generate_series(0, 1099) p, LATERAL generate_series(1, CASE WHEN p / 100 < 10 THEN p / 100 + 1 ELSE 40 END);
-- one treatment a visit, two of every tenth
CREATE TABLE treatments (visit int NOT NULL REFERENCES "a visit", cost float8 NOT NULL);
INSERT INTO treatments SELECT id, 1 FROM "a visit" UNION ALL SELECT id, 2 FROM "a visit" WHERE id % 10 = 0;
CREATE TABLE single (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE nobody (person int NOT NULL);
CREATE TABLE nullable (person int);
CREATE TABLE plain (person int NOT NULL);
DO $$ BEGIN
    PERFORM dpsens.protect('"a visit"', unit => 'per son'), dpsens.protect('treatments', unit => '"a visit"."per son"'), dpsens.protect('single', unit => 'id'),
        dpsens.protect('nobody', unit => 'person'), dpsens.protect('nullable', unit => 'person');
    PERFORM dpsens.grant_budget('"a visit"', 'limits_tap_ana', epsilon => 1.5), dpsens.grant_budget('"a visit"', 'limits_tap_poor', epsilon => 0.25);
END $$;

SET dpsens.noise = off;
SET dpsens.mechanism = 'gaussian';
CREATE TEMP TABLE said AS SELECT * FROM dpsens.suggest_limits('"a visit"', 1, 0.5);
SELECT results_eq('SELECT max_rows FROM said', 'SELECT unnest(ARRAY[1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000])', 'a ladder of limits');
-- Rungs of one number are exact; 7 and 8, 9 and 10 are 7.48 and 9.48 on average, and 31 to 40 are 35.26.
CREATE FUNCTION rows_of(lo float8, hi float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT CASE WHEN lo = hi THEN lo ELSE (hi - lo + 1) / ln((hi + 0.5) / (lo - 0.5)) END';
CREATE TEMP TABLE expected AS
WITH rung AS (SELECT max_rows AS m, lag(max_rows, 1, 0) OVER (ORDER BY max_rows) + 1 AS lo FROM said),
    counted AS (SELECT m, rows_of(lo, m) AS mean, (SELECT count(*) FROM (SELECT count(*) AS n FROM "a visit" GROUP BY "per son") s WHERE n BETWEEN lo AND m) AS c FROM rung)
SELECT r.m, (SELECT sum(c) FROM counted WHERE m <= r.m) / (SELECT sum(c) FROM counted) AS persons,
    coalesce((SELECT sum(c * (mean - r.m)) FROM counted WHERE m > r.m), 0) AS left_out, (SELECT sum(c * mean) FROM counted) AS all_rows
FROM rung r;
SELECT is_empty('SELECT * FROM said JOIN expected ON m = max_rows WHERE abs(said.persons - expected.persons) > 1e-12 OR abs(rows_left_out - left_out) > 1e-9 * all_rows OR abs("rows" - (1 - left_out / all_rows)) > 1e-12',
    'shares and rows as the numbers of rows say');
SELECT is((SELECT count(*) FROM said WHERE rows_left_out > 0), 11::bigint, 'rows are left out below 40');
SELECT is_empty('SELECT * FROM said WHERE abs(noise / sqrt(2 * exp(-0.5 / max_rows)) * (1 - exp(-0.5 / max_rows)) - 1) > 1e-9 OR abs(error / sqrt(rows_left_out ^ 2 + noise ^ 2) - 1) > 1e-12', 'noise and error');
SELECT results_eq('SELECT max_rows FROM said WHERE best', 'SELECT max_rows FROM said ORDER BY error LIMIT 1', 'the best has the least error');
SELECT results_eq('SELECT round(noise::numeric, 6) FROM said WHERE max_rows = 10', $$SELECT round(sqrt(2 * exp(-0.05)) / (1 - exp(-0.05)), 6)::numeric$$, 'noise of geometric draws');
SELECT results_eq('SELECT mechanism, epsilon FROM dpsens.releases WHERE relation = $$"limits tap"."a visit"$$', $$VALUES ('none', 1::float8)$$, 'one release');
SELECT is(current_setting('dpsens.mechanism') || current_setting('search_path'), 'gaussian"limits tap", public', 'settings are as before');
SET dpsens.mechanism = 'laplace';
SELECT dpsens.protect('"a visit"', max_rows => 7) \g /dev/null
SELECT results_eq($$SELECT max_rows, round(persons::numeric, 9), rows_left_out FROM dpsens.suggest_limits('"a visit"', 1) WHERE max_rows > 5$$,
    $$VALUES (6, round(600 / 1100.0, 9), 500::float8), (7, 1.0::numeric, 0::float8)$$, 'up to the limit that is declared, as whose persons with more count');
SELECT is((SELECT rows_left_out FROM dpsens.suggest_limits('"a visit"', 1) WHERE max_rows = 5), 1100::float8, 'and with so many rows');
SELECT dpsens.protect('"a visit"', max_rows => 0, max_rows_per_group => 2, max_groups => 3) \g /dev/null
SELECT results_eq($$SELECT max_rows, persons, rows_left_out FROM dpsens.suggest_limits('"a visit"', 1, 0.5)$$, 'SELECT max_rows, persons, rows_left_out FROM said', 'limits of groups do not matter');
CREATE TEMP TABLE exact AS SELECT (SELECT count(*) FROM (SELECT v."per son", count(*) AS n FROM treatments t JOIN "a visit" v ON v.id = t.visit GROUP BY 1) s WHERE n <= m) / 1100.0 AS persons, m FROM unnest('{1, 2, 4, 6, 10}'::int[]) m;
SELECT is_empty($$SELECT * FROM exact e JOIN dpsens.suggest_limits('treatments', 1) s ON s.max_rows = e.m WHERE abs(e.persons - s.persons) > 1e-9$$, 'a unit by reference is that of the row referred to');
SELECT results_eq($$SELECT count(*), count(persons), count("rows"), count(rows_left_out), count(noise), count(error), count(*) FILTER (WHERE best) FROM dpsens.suggest_limits('nobody', 1)$$,
    $$VALUES (32::bigint, 0::bigint, 0::bigint, 0::bigint, 32::bigint, 0::bigint, 0::bigint)$$, 'of an empty table nothing is said but the noise');
INSERT INTO nobody SELECT i % 6 FROM generate_series(1, 60) i;
SELECT is((SELECT count(persons) FROM dpsens.suggest_limits('nobody', 1)), 0::bigint, 'of six persons neither: noise could have made them');
INSERT INTO nobody SELECT i % 7 FROM generate_series(1, 70) i;
SELECT dpsens.protect('nobody', max_rows => 20) \g /dev/null
SELECT is((SELECT max_rows FROM dpsens.suggest_limits('nobody', 4, 10) WHERE best), 20, 'of seven more at a larger epsilon');
SET dpsens.noise = on;
SET dpsens.mechanism = 'gaussian';

SET ROLE limits_tap_ana;
SELECT is((SELECT count(*) FROM dpsens.suggest_limits('"a visit"', 1)), 32::bigint, 'an analyst without SELECT asks');
SELECT is((SELECT left_epsilon FROM dpsens.my_budget), 0.5::float8, 'and pays epsilon once');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_limits('"a visit"', 1)$$, '53400', NULL, 'as long as there is budget');
SELECT is((SELECT left_epsilon FROM dpsens.my_budget), 0.5::float8, 'what is refused costs nothing');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_limits('nobody', 1)$$, '42501', NULL, 'about relations with a budget');
SELECT dpsens.suggest_limits('"a visit"', 0.125) \g /dev/null
RESET ROLE;
SELECT results_eq('SELECT mechanism, charge_epsilon, charge_delta FROM dpsens.releases ORDER BY release DESC LIMIT 1', $$VALUES ('geometric', 0.125::float8, 0::float8)$$, 'with noise of pure epsilon, whatever mechanism is set');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_limits('single', 1)$$, '55000', 'each person has one row of relation "single"', 'relations with a row to a person need no limit');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_limits('plain', 1)$$, '55000', 'relation "plain" is not protected', 'what is not protected has no units');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_limits('"a visit"', 1, 'NaN')$$, '22023', 'answer_epsilon must be at least 2^-20, and at most 64', 'no answers at NaN');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_limits('"a visit"', 'Infinity')$$, '22023', 'epsilon must be at least 2^-20, and at most 64', 'none is bought at any price');
CREATE TABLE n (n int NOT NULL, u int);
SELECT dpsens.protect('n', unit => 'n', max_rows => 3) \g /dev/null
SET extra_float_digits = -15;
SELECT is((SELECT count(*) FROM dpsens.suggest_limits('n', 1.53125)), 3::bigint, 'a unit may be called as anything');
RESET extra_float_digits;
SELECT is((SELECT epsilon FROM dpsens.releases ORDER BY release DESC LIMIT 1), 1.53125::float8, 'and what is spent is said by no setting');
SELECT dpsens.unprotect('n') \g /dev/null
SELECT throws_ok($$SELECT * FROM dpsens.suggest_limits('nullable', 1)$$, '0A000', NULL, 'a unit that may be null is refused as in any statement');

SELECT * FROM finish();
DO $$ BEGIN PERFORM dpsens.unprotect(r) FROM unnest('{"\"a visit\"",treatments,single,nobody,nullable}'::regclass[]) r; END $$;
DROP SCHEMA "limits tap" CASCADE;
DROP ROLE limits_tap_ana, limits_tap_poor;
