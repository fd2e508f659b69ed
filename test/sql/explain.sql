-- What is known before anything is drawn: EXPLAIN and dpsens.explain.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_explain;
SET search_path = dpsens_explain, public;

CREATE TABLE t (id int PRIMARY KEY, sex text, x float8, y float8 NOT NULL);
INSERT INTO t SELECT i, (ARRAY['F', 'M'])[1 + i % 2], i % 50, i % 10 FROM generate_series(1, 100) i;
\o /dev/null
SELECT dpsens.protect('t', unit => 'id');
SELECT dpsens.set_range('t', 'x', 0, 50), dpsens.set_range('t', 'y', 1, 10);
SELECT dpsens.set_values('t', 'sex', 'F', 'M', 'X');
SELECT dpsens.register('ratio', 't', 'x / y');
\o
RESET client_min_messages;

-- EXPLAIN draws nothing: without noise a draw would warn.
SET dpsens.epsilon = 1;
SET dpsens.noise = off;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_sum(x) FROM t;
DO $$
DECLARE
    query text;
    options text;
    line text;
    text text;
BEGIN
    PREPARE e(float8) AS SELECT sex, dp_count(*), dp_sum(x, $1) FROM t GROUP BY sex;
    FOREACH query IN ARRAY ARRAY[
        'SELECT dp_count(*) FROM t',
        'SELECT sex, dp_count(*), dp_sum(x, 0.5) FROM t GROUP BY sex HAVING dp_count(*) > 5 ORDER BY dp_avg(x)',
        'SELECT dp_avg(t.ratio) FILTER (WHERE y > 2) FROM t WHERE x > 5',
        'SELECT * FROM t, (SELECT dp_count(*) AS n FROM t) s WHERE x < n',
        'WITH a AS (SELECT dp_sum(x) FROM t) SELECT * FROM a, a b',
        'INSERT INTO t SELECT -1, NULL, dp_sum(x), 1 FROM t',
        'CREATE TABLE made AS SELECT dp_sum(x) FROM t',
        'DECLARE c CURSOR FOR SELECT dp_sum(x) FROM t',
        'EXECUTE e(1)'] LOOP
        FOREACH options IN ARRAY ARRAY['', 'VERBOSE', 'VERBOSE, FORMAT json', 'VERBOSE, FORMAT xml', 'VERBOSE, FORMAT yaml',
                                       'SETTINGS, BUFFERS, SUMMARY OFF'] LOOP
            text := '';
            FOR line IN EXECUTE concat('EXPLAIN ', '(' || nullif(options, '') || ') ', query) LOOP
                text := text || line;
            END LOOP;
            IF text ~ '\\x[0-9a-f]{8}' THEN
                RAISE INFO 'shows the bytes of a plan: EXPLAIN (%) %', options, query;
            END IF;
        END LOOP;
    END LOOP;
END $$;
SET plan_cache_mode = force_generic_plan;
DO $$ BEGIN EXECUTE 'EXPLAIN EXECUTE e(1)'; EXECUTE 'EXPLAIN VERBOSE EXECUTE e(1)'; END $$;
RESET plan_cache_mode;
DEALLOCATE e;
-- EXPLAIN ANALYZE runs the query, and would spend budget for nothing
DO $$ BEGIN EXECUTE 'EXPLAIN ANALYZE SELECT dp_count(*) FROM t'; END $$;
SET dpsens.noise = on;
EXPLAIN ANALYZE SELECT dp_count(*) FROM t;
SELECT count(*) FROM dpsens.release WHERE relation = 't'::regclass AND mechanism <> 'none';
SET dpsens.noise = off;
-- ... but the dry run of a statement that cannot run is an error
EXPLAIN SELECT dp_sum(x, 0) FROM t;
RESET dpsens.noise;
SELECT count(*) AS rows FROM t;

-- dpsens.explain needs no data, and reads none
CREATE TABLE empty (LIKE t INCLUDING ALL);
\o /dev/null
SELECT dpsens.protect('empty', unit => 'id');
SELECT dpsens.set_range('empty', 'x', 0, 50), dpsens.set_range('empty', 'y', 1, 10);
\o
\x on
SELECT aggregate, expression, gradient, gradient_norm, lower + 0 AS lower, upper, witness, adjacency, sensitivity, mechanism,
       epsilon, delta, round(noise_scale::numeric, 6) AS noise_scale, round(error_95::numeric, 3) AS error_95,
       round(error_95_times_rows::numeric, 3) AS error_95_times_rows, cost_epsilon,
       round(cost_rho::numeric, 6) AS cost_rho, cost_delta, note
FROM dpsens.explain('SELECT dp_count(*), dp_sum(x * x, 0.5), dp_avg(x / y, 2.0) FILTER (WHERE y > 2) FROM empty', 100);
\x off
SELECT count(*) AS different FROM (
    SELECT * FROM dpsens.explain('SELECT dp_sum(x / y), dp_count(x) FROM t')
    EXCEPT SELECT * FROM dpsens.explain('SELECT dp_sum(x / y), dp_count(x) FROM empty')) d;
-- each distinct aggregate once, wherever it stands
SELECT aggregate, epsilon FROM dpsens.explain($$
    WITH a AS (SELECT dp_sum(x, 0.25) AS s FROM t)
    SELECT sex, dp_sum(x), dp_sum(x) + 1, dp_count(*) FROM (SELECT x, sex FROM t WHERE y > 1) q
    WHERE x > (SELECT s FROM a) GROUP BY sex HAVING dp_count(*) > 5 ORDER BY dp_avg(x, 2), dp_sum(x) $$);
SELECT aggregate, expression, upper FROM dpsens.explain('SELECT dp_sum(ratio(t)), dp_sum(2 + t.ratio), dp_sum(x / y) FROM t');
-- the mechanism is that of the session
SET dpsens.mechanism = gaussian;
SELECT aggregate, mechanism, delta, cost_delta <= delta AS cost, noise_scale > 0 AS noised FROM dpsens.explain('SELECT dp_sum(x), dp_avg(x) FROM t');
SET dpsens.delta = 1e-9;
SELECT aggregate, mechanism, delta, cost_delta <= delta AS cost, noise_scale > 0 AS noised FROM dpsens.explain('SELECT dp_sum(x), dp_avg(x) FROM t');
RESET dpsens.delta;
RESET dpsens.mechanism;
-- a smaller epsilon has more noise, and costs less
SELECT epsilon, noise_scale * epsilon BETWEEN 50 AND 50.0001 AS scale, cost_epsilon <= epsilon AS cost, error_95 > 2.9 * noise_scale AS error
FROM unnest(ARRAY[0.001, 0.125, 1, 64]) e, dpsens.explain(format('SELECT dp_sum(x, %s) FROM t', e)) ORDER BY epsilon;

-- what cannot be explained
SELECT * FROM dpsens.explain('SELECT dp_count(*) FROM t; SELECT 1');
SELECT * FROM dpsens.explain('');
SELECT * FROM dpsens.explain(NULL);
SELECT * FROM dpsens.explain('SELECT 1');
SELECT * FROM dpsens.explain('SELECT dp_count(* FROM t');
SELECT * FROM dpsens.explain('VACUUM t');
SELECT * FROM dpsens.explain('EXPLAIN SELECT dp_count(*) FROM t');
SELECT * FROM dpsens.explain('UPDATE t SET x = (SELECT dp_count(*) FROM t)');
SELECT * FROM dpsens.explain('SELECT dp_sum(x, $1) FROM t');
SELECT * FROM dpsens.explain('SELECT dp_sum(x, y) FROM t');
SELECT * FROM dpsens.explain('SELECT dp_sum(id) FROM t');
SELECT * FROM dpsens.explain('SELECT dpsens_internal.release_count(NULL, NULL)');
SELECT * FROM dpsens.explain('SELECT dp_count(*) FROM nowhere');
SELECT * FROM dpsens.explain('SELECT dp_count(*) FROM t', 0);
SELECT * FROM dpsens.explain('SELECT dp_count(*) FROM t', 'NaN');
RESET dpsens.epsilon;
SELECT * FROM dpsens.explain('SELECT dp_count(*) FROM t');
SELECT epsilon, noise_scale FROM dpsens.explain('SELECT dp_count(true, 0.5) FROM t');

SET client_min_messages = warning;
DROP SCHEMA dpsens_explain CASCADE;
