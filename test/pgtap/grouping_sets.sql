-- GROUPING SETS, ROLLUP and CUBE: a release for each set.
-- Files: guard/query/made_nodes.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA sets_tap;
SET search_path = sets_tap, public;
SELECT plan(35);

CREATE TABLE t (id int PRIMARY KEY, sex text, ward text, day date NOT NULL, x float8 NOT NULL);
INSERT INTO t SELECT i, (ARRAY['F', 'M'])[1 + i % 2], (ARRAY['a', 'b', 'c'])[1 + i % 3], date '2024-01-01' + i % 60, i % 10 FROM generate_series(1, 1200) i;
INSERT INTO t SELECT i, NULL, 'other', '2024-01-01', 1 FROM generate_series(1201, 1210) i;
DO $$ BEGIN
    PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 10), dpsens.set_values('t', 'sex', 'F', 'M'), dpsens.set_values('t', 'ward', 'a', 'b', 'c', 'd');
END $$;
-- the same without noise, which no plan may change
SET dpsens.epsilon = 1;
SET dpsens.noise = off;
CREATE FUNCTION plain(query text) RETURNS text LANGUAGE sql AS $$ SELECT replace(query, 'dp_', '') $$;
CREATE FUNCTION same(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEXT bag_eq(query, plain(query), query);
END $$;
SET client_min_messages = error;
SELECT same(query) FROM unnest(ARRAY[
    'SELECT sex, ward, grouping(sex, ward), dp_count(*) FROM t WHERE sex IS NOT NULL AND ward <> ''d'' GROUP BY CUBE (sex, ward) HAVING dp_count(*) > 0',
    'SELECT sex, ward, dp_sum(x) FROM t WHERE sex IS NOT NULL GROUP BY ROLLUP (sex, ward) HAVING dp_sum(x) <> 0',
    'SELECT ward, sex, grouping(ward) AS g, grouping(sex), dp_avg(x) FROM t WHERE sex IS NOT NULL GROUP BY GROUPING SETS (ward, sex, (), ()) HAVING ward IS DISTINCT FROM ''d''',
    'SELECT sex, dp_count(*) + 1 AS n, dp_sum(x) / dp_count(*) FROM t WHERE sex IS NOT NULL GROUP BY ROLLUP (sex)',
    'SELECT sex, dp_count(*), rank() OVER (PARTITION BY grouping(sex) ORDER BY dp_count(*)) FROM t WHERE sex IS NOT NULL GROUP BY CUBE (sex)',
    'SELECT COALESCE(sex, ''all''), dp_count(*) FILTER (WHERE x > 4) FROM t WHERE sex IS NOT NULL GROUP BY ROLLUP (sex)',
    'SELECT DISTINCT grouping(sex), CASE grouping(sex) WHEN 1 THEN ''all'' ELSE sex END FROM (SELECT * FROM t WHERE sex IS NOT NULL) s GROUP BY ROLLUP (sex) HAVING dp_count(*) > 0',
    'SELECT sex, ward, dp_count(*) FROM t WHERE sex IS NOT NULL GROUP BY DISTINCT ROLLUP (sex, ward), ROLLUP (sex) HAVING dp_count(*) > 0',
    'SELECT sex, dp_count(*) FROM t WHERE sex IS NOT NULL GROUP BY ward, ROLLUP (sex) HAVING dp_count(*) > 0',
    'WITH w AS (SELECT sex, x + 1 AS y FROM t WHERE sex IS NOT NULL) SELECT sex, dp_sum(y * 2) FROM w GROUP BY ROLLUP (sex)',
    'SELECT date_trunc(''month'', day) AS m, ward, grouping(ward, date_trunc(''month'', day)), dp_sum(x) FROM t GROUP BY ROLLUP (date_trunc(''month'', day), ward)',
    'SELECT day, dp_count(*) FROM t GROUP BY GROUPING SETS ((day), ())',
    'SELECT upper(sex) AS s, upper(ward), dp_count(*) FROM t GROUP BY CUBE (upper(sex), upper(ward))',
    'SELECT sex, grouping(sex), dp_count(*) FROM t WHERE sex IS NOT NULL GROUP BY sex',
    'SELECT dp_count(*) FROM t GROUP BY ()', 'SELECT dp_count(*) FROM t GROUP BY GROUPING SETS ((), (), ())']) query;
RESET dpsens.noise;
SET client_min_messages = warning;
PREPARE by_limit AS SELECT sex, dp_count(*) FROM t WHERE x < $1 GROUP BY ROLLUP (sex) LIMIT 3;
SELECT lives_ok('EXECUTE by_limit(5)', 'prepared');
CREATE VIEW v AS SELECT ward, dp_count(*) AS n FROM t GROUP BY ROLLUP (ward);
SELECT is((SELECT count(*) FROM v), 5::bigint, 'in a view, with empty groups');
SELECT is((SELECT string_agg(COALESCE(ward, '-'), '') FROM v), '-abcd', 'the smallest set first');
SELECT is((SELECT count(DISTINCT n) FROM (SELECT v.n FROM v, generate_series(1, 3)) s) <= 5, true, 'drawn once');

-- each set is charged, has noise of its own, and says so
CREATE TEMP TABLE before AS SELECT max(release) AS release FROM dpsens.releases;
DO $$ BEGIN PERFORM sex, ward, dp_count(*), dp_avg(x, 0.5) FROM t GROUP BY CUBE (sex, ward); END $$;
SELECT is((SELECT count(*) FROM dpsens.releases, before b WHERE releases.release > b.release), 8::bigint, 'four sets, two releases each');
SELECT is((SELECT count(DISTINCT statement) FROM dpsens.releases, before b WHERE releases.release > b.release), 1::bigint, 'in one statement');
SELECT is((SELECT cost[1] / 2::float8 ^ 40 FROM dpsens_internal.statement_cost('SELECT sex, ward, dp_count(*), dp_avg(x, 0.5) FROM t GROUP BY CUBE (sex, ward)')), 6::float8, 'their sum');
SELECT is((SELECT sum(cost_epsilon) FROM dpsens.explain('SELECT sex, dp_count(*), dp_avg(x), dp_avg_ci(x) FROM t GROUP BY ROLLUP (sex)')), 4::float8, 'explain');
SELECT is((SELECT string_agg(note, '|') FROM dpsens.explain('SELECT dp_count(*) FROM t GROUP BY ROLLUP (sex, ward)')), 'of grouping set ()|of grouping set (sex)|of grouping set (sex, ward)', 'which set');
SELECT is((SELECT array_agg(mechanism::text ORDER BY mechanism) FROM dpsens.explain('SELECT upper(sex), dp_count(*) FROM t GROUP BY CUBE (upper(sex), ward)')), '{geometric,geometric,geometric,geometric,partition,partition}', 'a selection where it is needed');
SET dpsens.epsilon = 8;
CREATE TABLE answered AS SELECT ward, day, grouping(ward, day) AS g, dp_suppressed() AS rest, dp_count(*) AS n FROM t GROUP BY GROUPING SETS ((day), (ward), ());
SELECT results_eq('SELECT g, rest, count(*) FROM answered GROUP BY 1, 2 ORDER BY 1, 2', $$VALUES (1, false, 4::bigint), (2, false, 60), (2, true, 1), (3, false, 1)$$, 'the rest of the set that has one') ;

-- refused
SELECT throws_ok('SELECT sex, dp_count(*) FROM t GROUP BY CUBE (sex, ward, id, x, day, id + 1, id + 2, id + 3)', '0A000', NULL, 'too many sets');
SELECT throws_ok('SELECT sex, dp_count(*), max(x) FROM t GROUP BY ROLLUP (sex)', '0A000', NULL, 'an exact aggregate');
SELECT throws_ok('SELECT sex, dp_count(*), (SELECT count(*) FROM generate_series(1, t.id)) FROM t GROUP BY ROLLUP (sex, id)', '0A000', NULL, 'a subquery that sees a row');
SELECT throws_ok('WITH a AS (SELECT 1 AS one) SELECT sex, dp_count(*) FROM t WHERE x > (SELECT one FROM a) GROUP BY ROLLUP (sex)', '0A000', NULL, 'WITH in a subquery');
SELECT throws_ok('SELECT sex, dp_count(*) FROM t GROUP BY ROLLUP (sex, random())', '0A000', NULL, 'a key that is none');

CREATE ROLE sets_tap_ana;
GRANT USAGE ON SCHEMA sets_tap TO sets_tap_ana;
DO $$ BEGIN PERFORM dpsens.grant_budget('t', 'sets_tap_ana', epsilon => 100, delta => 1e-4); END $$;
SET ROLE sets_tap_ana;
SET dpsens.epsilon = 1;
SELECT is((SELECT count(*) FROM (SELECT sex, day > '2024-01-20', dp_count(*) FROM t WHERE x > 2 GROUP BY CUBE (sex, day > '2024-01-20')) s), 9::bigint, 'an analyst is answered');
SELECT throws_ok('SELECT id, count(*) FROM t GROUP BY ROLLUP (id)', '42501', NULL, 'and nothing else');
RESET ROLE;
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges are recomputed');
SELECT * FROM finish();
DROP SCHEMA sets_tap CASCADE;
DROP OWNED BY sets_tap_ana;
DROP ROLE sets_tap_ana;
