-- One draw for each released value, however the plan reads it; another draw
-- for each execution.
--
-- Two independent draws for a sum are equal with probability below 2^-40.  Three
-- must all differ; of more, some, so that nothing here fails by chance.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(63);

CREATE SCHEMA release_tap;
SET search_path = release_tap, public;
CREATE TABLE t (id int PRIMARY KEY, sex text, x float8);
INSERT INTO t SELECT i, (ARRAY['F', 'M', 'X'])[1 + i % 3], i % 50 FROM generate_series(1, 3000) i;
CREATE TABLE many (i int);
INSERT INTO many SELECT generate_series(1, 2000);
DO $$
BEGIN
    PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 50), dpsens.set_values('t', 'sex', 'F', 'M', 'Z');
END $$;
SET dpsens.epsilon = 1;

-- settings that hold for one call
CREATE FUNCTION draws(query text, VARIADIC settings text[] DEFAULT '{}') RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    item text;
    n bigint;
BEGIN
    FOREACH item IN ARRAY settings LOOP
        PERFORM set_config(name, split_part(item, '=', 2), true) FROM pg_settings WHERE name = split_part(item, '=', 1);
    END LOOP;
    EXECUTE 'SELECT count(DISTINCT v) FROM (' || query || ') AS q (v)' INTO n;
    FOREACH item IN ARRAY settings LOOP
        PERFORM set_config(name, reset_val, true) FROM pg_settings WHERE name = split_part(item, '=', 1);
    END LOOP;
    RETURN n;
END $$;

-- one statement reads a value more than once
SELECT is(draws('SELECT s FROM many, (SELECT dp_sum(x) FROM t) a (s)'), 1::bigint, 'joined to many rows');
SELECT is(draws('SELECT s FROM many, (SELECT dp_sum(x) FROM t) a (s)', 'enable_material=off'), 1::bigint,
    'rescanned without a Material node');
SELECT is(draws('SELECT s FROM many LEFT JOIN (SELECT dp_sum(x) FROM t) a (s) ON i > s - 1e9', 'enable_material=off',
    'enable_hashjoin=off', 'enable_mergejoin=off'), 1::bigint, 'inner side of a nested loop');
SELECT is(draws('SELECT s FROM many, (SELECT dp_sum(x) FROM t) a (s)', 'force_parallel_mode=on', 'debug_parallel_query=on',
    'parallel_setup_cost=0', 'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0', 'max_parallel_workers_per_gather=4'),
    1::bigint, 'joined under parallel workers');
SELECT is(draws('SELECT s FROM many JOIN (SELECT dp_sum(x) FROM t) a (s) ON i::float8 < s', 'parallel_setup_cost=0',
    'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0', 'max_parallel_workers_per_gather=4',
    'parallel_leader_participation=off', 'enable_material=off'), 1::bigint, 'joined in workers alone');
SELECT is(draws('SELECT s FROM many, (SELECT sex, dp_sum(x) FROM t GROUP BY sex) a (k, s)', 'parallel_setup_cost=0',
    'parallel_tuple_cost=0', 'min_parallel_table_scan_size=0', 'enable_material=off'), 3::bigint, 'three groups are three draws');
SELECT is(draws('WITH a AS NOT MATERIALIZED (SELECT dp_sum(x) AS s FROM t) SELECT s FROM a UNION ALL SELECT b.s FROM a AS b'),
    1::bigint, 'NOT MATERIALIZED and read twice');
SELECT is(draws('WITH a AS NOT MATERIALIZED (SELECT dp_sum(x) AS s FROM t), b AS NOT MATERIALIZED (SELECT s FROM a) '
    'SELECT unnest(ARRAY[a.s, b.s, c.s, (SELECT s FROM b)]) FROM a, b, a AS c'), 1::bigint, 'NOT MATERIALIZED twice over');
SELECT is(draws('SELECT unnest(ARRAY[dp_sum(x), dp_sum(x), dp_sum(x) + 0, (SELECT min(s) FROM (VALUES (1e9)) v (s)) * 0 + dp_sum(x)]) FROM t'),
    1::bigint, 'written four times');
SELECT is(draws('SELECT unnest(ARRAY[a, s]) FROM (SELECT dp_sum(x) AS a, dp_sum(x) AS s FROM t GROUP BY sex '
    'HAVING dp_sum(x) < 1e9 ORDER BY dp_sum(x)) q'), 3::bigint, 'SELECT, HAVING and ORDER BY of one aggregate');
CREATE TEMP TABLE sorted AS SELECT row_number() OVER () AS i, s FROM (
    SELECT dp_sum(x) AS s FROM t GROUP BY sex HAVING dp_sum(x) > -1e9 ORDER BY dp_sum(x) DESC) q;
SELECT is((SELECT array_agg(s ORDER BY i) FROM sorted), (SELECT array_agg(s ORDER BY s DESC) FROM sorted),
    'sorted by the values shown');
SELECT is((SELECT count(*) FROM (
        SELECT dp_count(*) AS n FROM t WHERE x < 1 GROUP BY sex HAVING dp_count(*) >= 20) q WHERE n < 20), 0::bigint,
    'HAVING judges the value shown');
SELECT is(draws('SELECT (SELECT s + 0 * i FROM (SELECT dp_sum(x) FROM t) a (s)) FROM many'), 1::bigint,
    'within a correlated subquery');
SELECT is(draws('SELECT l.s FROM many, LATERAL (SELECT s + 0 * many.i FROM (SELECT dp_sum(x) FROM t) a (s) OFFSET 0) l (s)'), 1::bigint,
    'within LATERAL');
SELECT is(draws('SELECT s FROM (SELECT dp_sum(x), generate_series(1, 5) FROM t) a (s, i)'), 1::bigint, 'beside a set-returning function');
SELECT is(draws('SELECT dp_sum(x) FROM t UNION ALL SELECT dp_sum(x) FROM t'), 2::bigint, 'two queries of a UNION are two draws');
SELECT is(draws('SELECT unnest(ARRAY[dp_sum(x, 1), dp_sum(x, 2), dp_sum(x) FILTER (WHERE true), dp_sum(x + 0)]) FROM t') > 1, true,
    'different aggregates are different draws');
CREATE VIEW answers AS SELECT sex, dp_sum(x) AS s FROM t GROUP BY sex;
SELECT is(draws('SELECT unnest(ARRAY[a.s, b.s]) FROM answers a JOIN answers b USING (sex)') > 3, true, 'a view that is read twice is two queries');
SELECT is(draws('SELECT CASE WHEN s > 0 THEN s ELSE s END FROM answers WHERE s < 1e9 AND s > -1e9 AND sex = ''F'''), 1::bigint,
    'conditions on a view');

-- nor are the rows read more than once
SET client_min_messages = error;
SET dpsens.noise = off;
CREATE FUNCTION rescans(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    line text;
    loops bigint := 0;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF) ' || query LOOP
        IF line ~ 'Aggregate|Custom Scan' THEN
            loops := loops + substring(line FROM 'loops=(\d+)')::bigint;
        END IF;
    END LOOP;
    RETURN loops;
END $$;
SELECT is(rescans('SELECT s FROM many, (SELECT dp_sum(x) FROM t) a (s)'), 1::bigint, 'the rows are read once');
RESET dpsens.noise;
SET client_min_messages = warning;

-- another execution is another draw
CREATE FUNCTION repeated(statement text, n int DEFAULT 10) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v float8;
    seen float8[] := '{}';
BEGIN
    FOR i IN 1..n LOOP
        EXECUTE statement INTO v;
        seen := seen || v;
    END LOOP;
    RETURN (SELECT count(DISTINCT u) FROM unnest(seen) u);
END $$;
PREPARE fixed AS SELECT dp_sum(x) FROM t;
PREPARE given(float8) AS SELECT dp_sum(x, $1) FROM t;
CREATE FUNCTION volatile_sum() RETURNS float8 LANGUAGE sql AS 'SELECT dp_sum(x) FROM t';
CREATE FUNCTION stable_sum() RETURNS float8 LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT dp_sum(x) FROM t); END';
SELECT cmp_ok(repeated('SELECT dp_sum(x) FROM t'), '>', 1::bigint, 'a query');
SELECT cmp_ok(repeated('EXECUTE fixed'), '>', 1::bigint, 'a prepared statement');
SELECT cmp_ok(repeated('EXECUTE given(2)'), '>', 1::bigint, 'a prepared statement with epsilon');
SET plan_cache_mode = force_generic_plan;
SELECT cmp_ok(repeated('EXECUTE fixed'), '>', 1::bigint, 'a generic plan');
SELECT cmp_ok(repeated('EXECUTE given(2)'), '>', 1::bigint, 'a generic plan with epsilon');
SET plan_cache_mode = force_custom_plan;
SELECT cmp_ok(repeated('EXECUTE given(2)'), '>', 1::bigint, 'a custom plan with epsilon');
RESET plan_cache_mode;
SELECT cmp_ok(repeated('SELECT s FROM answers WHERE sex = ''F'''), '>', 1::bigint, 'a view');
SELECT cmp_ok(repeated('SELECT volatile_sum()'), '>', 1::bigint, 'an SQL function');
SELECT cmp_ok(draws('SELECT volatile_sum() FROM generate_series(1, 10)'), '>', 1::bigint, 'an SQL function, called for each row');
SELECT cmp_ok(draws('SELECT stable_sum() FROM generate_series(1, 10)'), '>', 1::bigint, 'a PL/pgSQL function, called for each row');
SET dpsens.mechanism = gaussian;
SELECT cmp_ok(repeated('EXECUTE fixed'), '>', 1::bigint, 'with Gaussian noise');
RESET dpsens.mechanism;

-- a cursor reads what it has read before
CREATE FUNCTION cursor_draws() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    c SCROLL CURSOR FOR SELECT sex, dp_sum(x) AS s FROM t GROUP BY sex ORDER BY sex;
    item record;
    again record;
BEGIN
    OPEN c;
    FETCH c INTO item;
    MOVE FORWARD 2 FROM c;
    FETCH PRIOR FROM c INTO again;
    RETURN NEXT isnt(again.s, item.s, 'another row is another draw');
    FETCH PRIOR FROM c INTO again;
    RETURN NEXT is(again, item, 'backward');
    MOVE LAST FROM c;
    FETCH FIRST FROM c INTO again;
    RETURN NEXT is(again, item, 'from the beginning');
    FETCH ABSOLUTE -3 FROM c INTO again;
    RETURN NEXT is(again, item, 'from the end');
    BEGIN
        MOVE LAST FROM c;
        RAISE EXCEPTION 'undone';
    EXCEPTION WHEN raise_exception THEN
        NULL;
    END;
    CLOSE c;
END $$;
SELECT cursor_draws();

-- settings are read when a statement runs: noise has the scale of the epsilon
-- that holds then.  Of 60 draws at scale 1/64 none reaches 2, and at scale 1000
-- one passes 400, but for a probability below 1e-12.
SET plan_cache_mode = force_generic_plan;
PREPARE later AS SELECT dp_sum(x / 50) - (SELECT sum(x / 50) FROM t) FROM t;
SET dpsens.epsilon = 64;
SELECT cmp_ok(repeated('EXECUTE later'), '>', 1::bigint, 'the plan is made');
CREATE FUNCTION largest(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    v float8;
    m float8 := 0;
BEGIN
    FOR i IN 1..60 LOOP
        EXECUTE statement INTO v;
        m := greatest(m, abs(v));
    END LOOP;
    RETURN m;
END $$;
SELECT cmp_ok(largest('EXECUTE later'), '<', 2::float8, 'SET dpsens.epsilon = 64');
SET dpsens.epsilon = 0.001;
SELECT cmp_ok(largest('EXECUTE later'), '>', 400::float8, 'SET dpsens.epsilon = 0.001 between two EXECUTEs');
SET dpsens.epsilon = 64;
SELECT cmp_ok(largest('EXECUTE later'), '<', 2::float8, 'and back');
PREPARE parameter(float8) AS SELECT dp_sum(x / 50, $1) - (SELECT sum(x / 50) FROM t) FROM t;
SELECT cmp_ok(largest('EXECUTE parameter(64)'), '<', 2::float8, 'epsilon 64 as a parameter');
SELECT cmp_ok(largest('EXECUTE parameter(0.001)'), '>', 400::float8, 'epsilon 0.001 as a parameter');
SELECT cmp_ok(largest('EXECUTE parameter(64)'), '<', 2::float8, 'and back');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-300;
-- sigma is 0.59 here, which Laplace noise would reach with probability 1e-12
SELECT cmp_ok(largest('EXECUTE later'), '>', 0.5::float8, 'SET dpsens.mechanism between two EXECUTEs');
RESET dpsens.delta;
RESET dpsens.mechanism;
CREATE FUNCTION with_epsilon() RETURNS float8 LANGUAGE sql SET dpsens.epsilon = 0.001
AS 'SELECT dp_sum(x / 50) - (SELECT sum(x / 50) FROM t) FROM t';
SELECT cmp_ok(largest('SELECT with_epsilon()'), '>', 400::float8, 'the setting of a function');

-- plans follow the declarations
SET client_min_messages = error;
SET dpsens.noise = off;
DELETE FROM t WHERE id > 100;
INSERT INTO t VALUES (0, NULL, NULL);
CREATE FUNCTION answer(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v text;
BEGIN
    EXECUTE statement INTO v;
    RETURN v;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
PREPARE sums AS SELECT dp_sum(x) FROM t;
SELECT is(answer('EXECUTE sums'), (SELECT sum(x)::text FROM t), 'a prepared sum');
DO $$ BEGIN PERFORM dpsens.set_range('t', 'x', 0, 10); END $$;
SELECT is(answer('EXECUTE sums'), (SELECT sum(least(x, 10)) FILTER (WHERE x > 0)::text FROM t), 'set_range replans');
SECURITY LABEL FOR dpsens ON COLUMN t.x IS 'RANGE [0, 5]';
SELECT is(answer('EXECUTE sums'), (SELECT sum(least(x, 5)) FILTER (WHERE x > 0)::text FROM t), 'SECURITY LABEL replans');
SECURITY LABEL FOR dpsens ON COLUMN t.x IS NULL;
SELECT is(answer('EXECUTE sums'), '55000', 'a range that is gone');
SECURITY LABEL FOR dpsens ON COLUMN t.x IS 'RANGE [0, 50]';
SELECT is(answer('EXECUTE sums'), (SELECT sum(x)::text FROM t), 'and back');
ALTER TABLE t RENAME x TO z;
SELECT is(answer('EXECUTE sums'), '42703', 'a renamed column');
ALTER TABLE t RENAME z TO x;
SELECT is(answer('EXECUTE sums'), (SELECT sum(x)::text FROM t), 'and back');

PREPARE groups AS SELECT string_agg(sex || n, ' ' ORDER BY sex) FROM (SELECT sex, dp_count(*) AS n FROM t GROUP BY sex) q;
SELECT is(answer('EXECUTE groups'), 'F33 M34 Z0', 'prepared groups');
DO $$ BEGIN PERFORM dpsens.set_values('t', 'sex', 'M', 'A'); END $$;
SELECT is(answer('EXECUTE groups'), 'A0 M34', 'set_values replans');

PREPARE selected AS SELECT dp_sum(x) FROM t WHERE x > 48;
SELECT is(answer('EXECUTE selected'), '98', 'a prepared selection');
DO $$ BEGIN PERFORM dpsens.protect('t', adjacency => 'metric'); END $$;
SELECT is(answer('EXECUTE selected'), '0A000', 'a new adjacency replans');

-- under replace the number of values is public if none can be missing
DELETE FROM t WHERE x IS NULL;
ALTER TABLE t ALTER x SET NOT NULL;
DO $$ BEGIN PERFORM dpsens.protect('t', adjacency => 'replace'); END $$;
PREPARE present AS SELECT dp_count(x, 0.001) - 100 FROM t;
SET dpsens.noise = on;
SELECT is(largest('EXECUTE present'), 0::float8, 'a public number of values');
ALTER TABLE t ALTER x DROP NOT NULL;
SELECT isnt(largest('EXECUTE present'), 0::float8, 'DROP NOT NULL replans');
SET dpsens.noise = off;
DO $$ BEGIN PERFORM dpsens.protect('t', adjacency => 'add_remove'); END $$;

DO $$ BEGIN PERFORM dpsens.register('thing', 't', 'x * 2'); END $$;
PREPARE registered AS SELECT dp_sum(thing(t)), dp_sum(t.thing) FROM t;
SELECT is(answer('EXECUTE registered'), (SELECT (2 * sum(x))::text FROM t), 'a registered expression');
CREATE OR REPLACE FUNCTION thing(r t) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN (r).x * 3;
SELECT is(answer('EXECUTE registered'), (SELECT (3 * sum(x))::text FROM t), 'a replaced one replans');
DO $$ BEGIN PERFORM dpsens.unregister('thing', 't'); END $$;
SELECT isnt(answer('EXECUTE registered'), (SELECT (3 * sum(x))::text FROM t), 'a dropped one is gone');
SELECT ok(answer('EXECUTE registered') IN ('42883', '42703'), 'with an error that says so');
DO $$ BEGIN PERFORM dpsens.register('thing', 't', 'x * 4'); END $$;
SELECT is(answer('EXECUTE registered'), (SELECT (4 * sum(x))::text FROM t), 'another of that name is found');
SECURITY LABEL FOR dpsens ON FUNCTION thing(t) IS NULL;
SELECT is(answer('EXECUTE registered'), '0A000', 'a function that lost its label is a stranger');
SET client_min_messages = warning;
RESET dpsens.noise;

SELECT * FROM finish();
DROP SCHEMA release_tap CASCADE;
