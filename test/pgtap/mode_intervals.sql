-- Modes with intervals: what they are without noise, what always holds of them with noise, in
-- the order of which type, what is shared and charged, refusals.  How often they hold the mode is
-- in test/stat/intervals.sql.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(38);

CREATE SCHEMA modes_tap;
SET search_path = modes_tap, public;
-- not in alphabetical order
CREATE TYPE feeling AS ENUM ('sad', 'calm', 'bright');
CREATE DOMAIN word AS text;
CREATE TABLE t (id int PRIMARY KEY, s text NOT NULL, e feeling NOT NULL, f boolean NOT NULL, n numeric, d date NOT NULL, w word, p int NOT NULL);
-- s: b 200, a 100, c 100; e: calm and sad as often; n: 10 the most
INSERT INTO t SELECT i, (ARRAY['b', 'a', 'c', 'b'])[1 + i % 4], (ARRAY['calm', 'sad'])[1 + i % 2]::feeling, i % 5 > 0, CASE WHEN i % 4 = 0 THEN 9 WHEN i % 4 < 3 THEN 10 END,
    date '2020-01-01' + i % 3, 'x', i % 2 FROM generate_series(1, 400) AS i;
CREATE TABLE swapped (LIKE t INCLUDING ALL);
INSERT INTO swapped SELECT * FROM t;
CREATE TABLE nobody (LIKE t INCLUDING ALL);
CREATE TABLE moved (LIKE t INCLUDING ALL);
CREATE TABLE visits (person int NOT NULL, s text NOT NULL);
INSERT INTO visits SELECT i % 100, (ARRAY['b', 'a', 'b'])[1 + i % 3] FROM generate_series(1, 300) AS i;
CREATE FUNCTION annotate(one regclass, adjacency text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(one, unit => 'id', adjacency => adjacency);
    PERFORM dpsens.set_values(one, 's', 'c', 'a', 'b'), dpsens.set_values(one, 'n', '10', '9', '100'), dpsens.set_values(one, 'd', '2020-01-03', '2020-01-01', '2020-01-02'),
            dpsens.set_values(one, 'w', 'x'), dpsens.set_values(one, 'p', '0', '1'), dpsens.set_public(one, 'p');
END $$;
SELECT annotate('t', 'add_remove'), annotate('nobody', 'add_remove'), annotate('swapped', 'replace'), annotate('moved', 'metric') \g /dev/null
SELECT dpsens.protect('visits', unit => 'person', max_rows => 3), dpsens.set_values('visits', 's', 'a', 'b') \g /dev/null
SET dpsens.epsilon = 1;

-- ---- without noise ----

SET client_min_messages = error;
SET dpsens.noise = off;
SELECT is((SELECT dp_mode_ci(s) FROM t), '{b,b,b}', 'a mode without noise is a point');
SELECT is((SELECT dp_mode_ci(e) FROM t), '{sad,sad,calm}'::feeling[], 'of two as frequent the first in the order of the enum, and both');
SELECT is((SELECT dp_mode_ci(f, 1.0, 0.5) FROM t), '{t,t,t}'::boolean[], 'of a boolean');
SELECT is((SELECT dp_mode_ci(n) FROM t), '{10,10,10}'::numeric[], 'of numbers');
SELECT is((SELECT dp_mode_ci(n) FROM t WHERE id IN (1, 4)), '{9,9,10}'::numeric[], 'in their order, not in that of text');
SELECT is((SELECT dp_mode_ci(d) FROM t WHERE id % 3 < 2), '{2020-01-02,2020-01-02,2020-01-02}'::date[], 'of dates');
SELECT is((SELECT dp_mode_ci(w) FROM t), '{x,x,x}'::word[], 'of a domain');
SELECT is((SELECT dp_mode_ci(s) FROM nobody), NULL, 'of no rows');
SELECT results_eq('SELECT p, dp_mode_ci(s) FROM t GROUP BY p ORDER BY p', $$VALUES (0, '{b,b,c}'::text[]), (1, '{a,a,b}')$$, 'groups');
SELECT is((SELECT (dp_mode_ci(c))[3] FROM (SELECT s AS c FROM t WHERE id > 10) AS q), 'b', 'over a subquery');
RESET dpsens.noise;
RESET client_min_messages;

-- ---- with noise ----

SELECT is((SELECT count(*) FROM (SELECT dp_mode_ci(s, 0.01) AS r FROM nobody UNION ALL SELECT dp_mode_ci(s, 0.01) FROM t) AS q WHERE NOT (r[1] BETWEEN r[2] AND r[3]) OR r IS NULL OR cardinality(r) <> 3), 0::bigint, 'an estimate is within its interval');
SELECT is((SELECT dp_mode_ci(s, 8) FROM t), '{b,b,b}', 'what is far ahead is not doubted');
-- otherwise less than once in 10^11 times
SELECT is((SELECT r[2:3] FROM (SELECT dp_mode_ci(e, 0.0001, 0.999999999999) AS r FROM t) AS q), '{sad,bright}'::feeling[], 'with much noise all are possible');
SELECT is((SELECT dp_mode_ci(w) FROM nobody), '{x,x,x}'::word[], 'a single value is the answer, rows or none');
PREPARE asked (float8, float8) AS SELECT dp_mode_ci(s, $1, $2) FROM t;
SET plan_cache_mode = force_generic_plan;
CREATE TEMP TABLE answers AS EXECUTE asked(8, 0.5);
SELECT is((SELECT dp_mode_ci FROM answers), '{b,b,b}', 'epsilon and level can be parameters');
SELECT throws_ok('EXECUTE asked(8, 1)', '22023', NULL, 'a level that is none');
RESET plan_cache_mode;

-- ---- what is charged ----

CREATE FUNCTION costs(query text) RETURNS text LANGUAGE sql
RETURN (SELECT string_agg(mechanism || ' ' || sensitivity || ' ' || round(cost_epsilon::numeric, 6) || ' ' || round(cost_rho::numeric, 6), ', ') FROM dpsens.explain(query));
SELECT is(costs(format('SELECT %s', asked)), want, asked) FROM (VALUES
    ('dp_mode_ci(s) FROM t', 'geometric 1 1.000000 0.462117'), ('dp_mode_ci(s, 0.5) FROM swapped', 'geometric 2 0.500000 0.110600'),
    ('dp_mode_ci(s, 1), dp_mode_ci(s, 1, 0.5) FROM t', 'geometric 1 1.000000 0.462117, geometric 1 0.000000 0.000000'),
    ('dp_mode_ci(s), dp_mode(s) FROM t', 'geometric 1 1.000000 0.462117, permute_flip 1 1.000000 0.462117'),
    ('dp_mode_ci(s) FROM t GROUP BY e', 'geometric 1 1.000000 0.462117'), ('dp_mode_ci(s) FROM swapped GROUP BY e', 'geometric 2 1.000000 0.393469'),
    ('dp_mode_ci(p) FROM swapped', 'laplace 0 0.000000 0.000000'), ('dp_mode_ci(w) FROM t', 'laplace 0 0.000000 0.000000'), ('dp_mode_ci(s) FROM visits', 'geometric 3 1.000000 0.379435')) AS v (asked, want);
SET dpsens.mechanism = gaussian;
SELECT matches(costs('SELECT dp_mode_ci(s) FROM t'), '^gaussian 1 ', 'it follows the setting of the mechanism');
RESET dpsens.mechanism;
CREATE TABLE halves (LIKE t INCLUDING ALL);
INSERT INTO halves SELECT * FROM t;
SELECT annotate('halves', 'add_remove'), dpsens.set_budget('halves', epsilon => 1) \g /dev/null
SELECT lives_ok('SELECT dp_mode_ci(s, 0.5), dp_mode_ci(s, 0.5, 0.8), dp_mode_ci(e, 0.5) FROM halves', 'two releases fit a budget');
SELECT throws_ok('SELECT dp_mode_ci(s, 0.01) FROM halves', NULL, NULL, 'and use it up');
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges can be computed again');

-- ---- refusals ----

SELECT throws_ok('SELECT dp_mode_ci(id) FROM t', '55000', 'dp_mode_ci needs a column whose values are declared', 'values that are not declared');
SELECT throws_ok('SELECT dp_mode_ci(s || ''x'') FROM t', '55000', NULL, 'an expression');
SELECT throws_ok('SELECT dp_mode_ci(DISTINCT s) FROM t', '0A000', NULL, 'DISTINCT');
SELECT throws_ok('SELECT dp_mode_ci(s, 1, 0) FROM t', '22023', NULL, 'a level of 0');
SELECT throws_ok('SELECT dp_mode_ci(s, id / 400.0) FROM t', '22023', NULL, 'an epsilon from the data');
SELECT throws_ok('SELECT dp_mode_ci(s) FROM moved', '0A000', NULL, 'under metric');
SELECT throws_ok('SELECT dp_mode_ci(s) OVER () FROM t', '0A000', NULL, 'over a window');

-- ---- who may not look ----

CREATE ROLE modes_tap_analyst;
GRANT USAGE ON SCHEMA modes_tap TO modes_tap_analyst;
SELECT dpsens.grant_budget('t', 'modes_tap_analyst', epsilon => 10) \g /dev/null
SET ROLE modes_tap_analyst;
SELECT is((SELECT dp_mode_ci(s, 8) FROM t WHERE s > 'a'), '{b,b,b}', 'an analyst without privileges may ask');
SELECT throws_ok($$SELECT dpsens_internal.finish_mode(NULL, NULL, NULL, 0.5, '{a,b}'::text[]), dp_mode_ci(s) FROM t$$, NULL, NULL, 'but not write what dpsens writes');
RESET ROLE;
SELECT * FROM finish();

SET client_min_messages = warning;
DROP SCHEMA modes_tap CASCADE;
DROP OWNED BY modes_tap_analyst;
DROP ROLE modes_tap_analyst;
