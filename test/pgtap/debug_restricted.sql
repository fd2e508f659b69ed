-- dpsens.debug_restricted: who may read is answered in the way of who may not, and who may
-- not gets nothing by it.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(15);

CREATE ROLE restricted_tap_ana;
CREATE ROLE restricted_tap_reader;
CREATE SCHEMA restricted_tap;
GRANT USAGE ON SCHEMA restricted_tap TO restricted_tap_ana, restricted_tap_reader;
SET search_path = restricted_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO t SELECT i, i FROM generate_series(1, 100) i;
CREATE TABLE wards (id int PRIMARY KEY);
INSERT INTO wards SELECT generate_series(1, 10);
SELECT dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 100);
GRANT SELECT ON t, wards TO restricted_tap_reader;
GRANT SELECT ON wards TO restricted_tap_ana;
SET dpsens.epsilon = 1;

-- a superuser, and whoever has SELECT
SET dpsens.noise = off;
SELECT lives_ok('EXPLAIN SELECT dp_sum(x) FROM t', 'who may read sees the plan');
SELECT is((SELECT dp_count(*) FROM t WHERE CASE WHEN repeat('x', id) IS NOT NULL THEN true END), 100::bigint, 'and uses any function');
SET dpsens.debug_restricted = on;
SELECT throws_like('EXPLAIN SELECT dp_sum(x) FROM t', 'EXPLAIN of a private answer needs the privilege%', 'with the setting there is no plan');
SELECT throws_like('SELECT dp_count(*) FROM t WHERE CASE WHEN repeat(''x'', id) IS NOT NULL THEN true END', '%in a condition is not supported for a role without%', 'nor any function');
SELECT is(dp_sum(x), 5050::float8, 'without noise, since no budget is needed') FROM t;
SELECT is(dp_count(*), 10::bigint, 'nor a label of what stands beside') FROM t JOIN wards USING (id);
SELECT is(dp_count(*), 100::bigint, 'of a plan of one relation in a subquery') FROM (SELECT id, count(*) AS n FROM t GROUP BY id) s;
RESET dpsens.noise;
SET ROLE restricted_tap_reader;
SELECT throws_like('EXPLAIN SELECT dp_sum(x) FROM t', 'EXPLAIN of a private answer needs the privilege%', 'the same with SELECT');
SELECT lives_ok('SELECT dp_sum(x) FROM t', 'which needs no budget, either');
SELECT throws_ok('SET dpsens.debug_restricted = off', '42501', NULL, 'and cannot turn it off');
RESET ROLE;

-- whoever needs a budget needs it still, and what goes with it
SET ROLE restricted_tap_ana;
SELECT throws_like('SELECT dp_sum(x) FROM t', 'permission denied for table t', 'no budget');
SELECT throws_like('SELECT dp_count(*) FROM t JOIN wards USING (id)', 'permission denied for table t', 'nor for a join');
RESET ROLE;
SELECT dpsens.grant_budget('t', 'restricted_tap_ana', 2);
SET ROLE restricted_tap_ana;
SELECT throws_like('SELECT dp_count(*) FROM t JOIN wards USING (id)', '%cannot be used beside%', 'nor a label');
SELECT lives_ok('SELECT dp_sum(x), dp_count(*) FROM t', 'a budget pays');
SELECT throws_ok('SELECT dp_sum(x) FROM t', '53400', NULL, 'and ends');
RESET ROLE;

SELECT * FROM finish();
DROP SCHEMA restricted_tap CASCADE;
DROP ROLE restricted_tap_ana, restricted_tap_reader;
