-- dpsens.suggest_range: what it says of ranges, what it costs whom, and whom it refuses.
-- Files: glue/setup/range_ladder.c, glue/setup/sql_suggest_range.c, glue/setup/private_question.c
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(41);

CREATE ROLE range_tap_ana;
CREATE ROLE range_tap_poor;
CREATE SCHEMA "range tap";
GRANT USAGE ON SCHEMA "range tap" TO PUBLIC;
SET search_path = "range tap", public;
-- 1,000 rows of each of 1 to 10, 100 of 100, fewer far out than noise could make, NULL and NaN
CREATE TABLE "a list" (id int PRIMARY KEY, "the value" float8, n int, d numeric, small int2, big int8, real float4, word text, day date);
INSERT INTO "a list" SELECT i, v, v, v, v, v, v, 'w', '2020-01-01' FROM (SELECT i, CASE WHEN i <= 10000 THEN 1 + i % 10 ELSE 100 END AS v FROM generate_series(1, 10100) i) s;
INSERT INTO "a list" (id, "the value") VALUES (20001, NULL), (20002, 'NaN'), (20003, 5000), (20004, 6000), (20005, 5000);
CREATE DOMAIN amount AS numeric CHECK (VALUE > -1000);
CREATE TABLE signs (id int PRIMARY KEY, x float8 NOT NULL, n int8 NOT NULL, a amount NOT NULL);
INSERT INTO signs SELECT i, CASE WHEN i % 2 = 0 THEN -20 ELSE 0 END, CASE WHEN i % 2 = 0 THEN -20 ELSE 0 END, CASE WHEN i % 2 = 0 THEN -20 ELSE 0 END FROM generate_series(1, 2000) i;
CREATE TABLE extremes (id int PRIMARY KEY, x float8 NOT NULL, n int8 NOT NULL);
INSERT INTO extremes SELECT i, CASE i % 2 WHEN 0 THEN 'Infinity'::float8 ELSE '-Infinity' END, CASE i % 2 WHEN 0 THEN 9223372036854775807 ELSE -9223372036854775808 END FROM generate_series(1, 2000) i;
CREATE TABLE visits (patient int NOT NULL, cost float8 NOT NULL);
INSERT INTO visits SELECT i % 500, i % 50 FROM generate_series(1, 5000) i;
CREATE TABLE nobody (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE plain (x float8 NOT NULL);
CREATE TABLE moved (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE other (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO other SELECT i, i % 10 FROM generate_series(1, 1000) i;
DO $$ BEGIN
    PERFORM dpsens.protect('"a list"'), dpsens.protect('signs'), dpsens.protect('extremes'), dpsens.protect('visits', unit => 'patient', max_rows => 4),
        dpsens.protect('nobody'), dpsens.protect('moved', adjacency => 'metric'), dpsens.protect('other', adjacency => 'replace');
    PERFORM dpsens.grant_budget('"a list"', 'range_tap_ana', epsilon => 1.5), dpsens.grant_budget('"a list"', 'range_tap_poor', epsilon => 0.25);
END $$;

SET dpsens.noise = off;
SET dpsens.mechanism = 'gaussian';
CREATE TEMP TABLE said AS SELECT * FROM dpsens.suggest_range('"a list"', 'the value', 1, 0.1);
SELECT results_eq('SELECT DISTINCT hi FROM said WHERE lo = 0 ORDER BY 1', $$VALUES (0.5::float8), (1), (2), (5), (10), (20), (50), (100)$$, 'ends between which values lie');
SELECT results_eq('SELECT hi FROM said WHERE lo = 0 ORDER BY hi', $$VALUES (0.5::float8), (1), (2), (5), (10), (20), (50), (100)$$, 'each once');
SELECT is((SELECT count(*) FROM said), 36::bigint, 'every pair of ends');
SELECT is((SELECT count(*) FROM said WHERE lo >= hi), 0::bigint, 'in their order');
SELECT results_eq('SELECT hi, round(share_clamped::numeric, 9) FROM said WHERE lo = 0 AND hi >= 1 ORDER BY hi',
    $$VALUES (1::float8, round(9100 / 10100.0, 9)), (2, round(8100 / 10100.0, 9)), (5, round(5100 / 10100.0, 9)), (10, round(100 / 10100.0, 9)), (20, round(100 / 10100.0, 9)), (50, round(100 / 10100.0, 9)), (100, 0.000000000)$$,
    'shares are exact, ends included, and NULL and NaN are no values');
SELECT results_eq('SELECT round(noise::numeric, 6) FROM said WHERE lo = 0 AND hi = 10', $$SELECT round((sqrt(2) * 10 / 0.1)::numeric, 6)$$, 'noise of a sum');
SELECT is_empty('SELECT * FROM said WHERE abs(error - sqrt(clamped ^ 2 + noise ^ 2)) > 1e-9 * error', 'error is of both');
-- 100 lies in (50, 100], at 72.1 on average
SELECT is((SELECT round(clamped::numeric, 3) FROM said WHERE lo = 0 AND hi = 10), round((100 * (50 / ln(2) - 10))::numeric, 3), 'what is clamped');
SELECT is((SELECT round(clamped::numeric, 3) FROM said WHERE lo = 20 AND hi = 100), round((1000 * (20 - 1 / ln(2)) + 1000 * (20 - 0.5 / ln(2)) + 3000 * (20 - 3 / ln(2.5)) + 5000 * (20 - 5 / ln(2)))::numeric, 3), 'below, too');
SELECT results_eq('SELECT lo, hi FROM said WHERE best', 'SELECT lo, hi FROM said ORDER BY error LIMIT 1', 'the best has the least error');
SELECT results_eq('SELECT lo, hi FROM said WHERE best', $$VALUES (0::float8, 100::float8)$$, 'with little noise all values');
SELECT results_eq($$SELECT lo, hi FROM dpsens.suggest_range('"a list"', 'the value', 1, 0.001) WHERE best$$, $$VALUES (0::float8, 10::float8)$$, 'with more the few large ones are clamped');
SELECT results_eq('SELECT mechanism, epsilon FROM dpsens.releases WHERE relation = $$"range tap"."a list"$$ ORDER BY release LIMIT 1', $$VALUES ('none', 1::float8)$$, 'one release');
SELECT is(current_setting('dpsens.mechanism') || current_setting('search_path'), 'gaussian"range tap", public', 'settings are as before');
SELECT results_eq(format($$SELECT lo, hi, round(share_clamped::numeric, 6) FROM dpsens.suggest_range('"a list"', %L, 1, 0.1) WHERE lo = 0 AND hi >= 1 ORDER BY hi$$, c),
    'SELECT lo, hi, round(share_clamped::numeric, 6) FROM said WHERE lo = 0 AND hi >= 1 ORDER BY hi', 'type of ' || c) FROM unnest('{n,d,small,big,real}'::text[]) c;
SELECT results_eq(format($$SELECT lo, hi, share_clamped, clamped FROM dpsens.suggest_range('signs', %L, 1, 1) ORDER BY lo, hi LIMIT 1$$, c), $$VALUES (-20::float8, -10::float8, 0.5::float8, 10000::float8)$$, 'ends below 0 include what is at them, of ' || c) FROM unnest('{x,n,a}'::text[]) c;
SELECT results_eq(format($$SELECT lo, hi FROM dpsens.suggest_range('signs', %L, 1, 1) WHERE best$$, c), $$VALUES (-20::float8, 0::float8)$$, 'and so does 0, of ' || c) FROM unnest('{x,n,a}'::text[]) c;
SELECT results_eq(format($$SELECT min(lo), max(hi), min(share_clamped) FROM dpsens.suggest_range('extremes', %L, 1)$$, c), $$VALUES (-1e9::float8, 1e9::float8, 1::float8)$$, 'what lies beyond all ends is clamped, of ' || c) FROM unnest('{x,n}'::text[]) c;
SELECT is((SELECT round(noise::numeric, 6) FROM dpsens.suggest_range('visits', 'cost', 1) WHERE lo = 0 AND hi = 50), round((sqrt(2) * 50 * 4)::numeric, 6), 'noise is for all rows of a person that count');
SELECT is((SELECT round(noise::numeric, 6) FROM dpsens.suggest_range('other', 'x', 1) WHERE lo = 5 AND hi = 10), round((sqrt(2) * 5)::numeric, 6), 'under replace it is of the length');
SELECT is_empty($$SELECT * FROM dpsens.suggest_range('nobody', 'x', 1)$$, 'of an empty table nothing is said');
SELECT dpsens.set_range('"a list"', 'the value', 0, 3) \g /dev/null
SELECT results_eq($$SELECT * FROM dpsens.suggest_range('"a list"', 'the value', 1, 0.1)$$, 'SELECT * FROM said', 'a range that is declared hides nothing');
RESET dpsens.mechanism;

-- ---- costs and rights ----

RESET dpsens.noise;
SET ROLE range_tap_ana;
SELECT lives_ok($$SELECT * FROM dpsens.suggest_range('"range tap"."a list"', 'n', 1)$$, 'a role with a budget is told');
SELECT throws_like($$SELECT * FROM dpsens.suggest_range('"range tap"."a list"', 'n', 1)$$, '%budget%', 'while it lasts');
SET ROLE range_tap_poor;
SELECT throws_like($$SELECT * FROM dpsens.suggest_range('"range tap"."a list"', 'n', 0.5)$$, '%budget%', 'and nobody beyond his own');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_range('"range tap".signs', 'x', 0.1)$$, '42501', NULL, 'or about another table');
RESET ROLE;

-- ---- refused ----

SELECT throws_ok($$SELECT * FROM dpsens.suggest_range('signs', 'none', 1)$$, '42703', 'column "none" of relation "signs" does not exist', 'no such column');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_range('"a list"', 'word', 1)$$, '42804', NULL, 'text');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_range('"a list"', 'day', 1)$$, '42804', NULL, 'dates');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_range('moved', 'x', 1)$$, '0A000', NULL, 'metric');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_range('plain', 'x', 1)$$, NULL, NULL, 'a relation that is not protected');
SELECT throws_ok($$SELECT * FROM dpsens.suggest_range('signs', 'x', 0)$$, '22023', NULL, 'an epsilon of 0');

SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA "range tap" CASCADE;
DROP OWNED BY range_tap_ana, range_tap_poor;
DROP ROLE range_tap_ana, range_tap_poor;
