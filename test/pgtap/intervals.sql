-- Intervals of quantiles, extremes, histograms, truth values and distinct counts: what
-- they are without noise, what always holds of them with noise, what is shared and
-- charged, levels as parameters, refusals.  How often they hold the truth is in
-- test/stat/intervals.sql.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(330);

CREATE SCHEMA intervals_tap;
SET search_path = intervals_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x float8, a int NOT NULL, s text NOT NULL, f boolean NOT NULL, p int NOT NULL);
INSERT INTO t SELECT i, CASE WHEN i % 9 > 0 THEN i % 257 / 2.0 END, i % 90, (ARRAY['u', 'v'])[1 + i % 2], i % 7 > 0, i % 3 FROM generate_series(1, 2000) AS i;
CREATE TABLE swapped (LIKE t INCLUDING ALL);
INSERT INTO swapped SELECT * FROM t;
CREATE TABLE nobody (LIKE t INCLUDING ALL);
CREATE TABLE moved (LIKE t INCLUDING ALL);
INSERT INTO moved SELECT * FROM t;
CREATE FUNCTION annotate(one regclass, adjacency text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(one, unit => 'id', adjacency => adjacency);
    PERFORM dpsens.set_range(one, 'x', 0, 128), dpsens.set_range(one, 'a', 0, 120), dpsens.set_values(one, 's', 'u', 'v', 'w'), dpsens.set_range(one, 'p', 0, 2),
            dpsens.set_values(one, 'p', '0', '1', '2', '3'), dpsens.set_public(one, 'p');
END $$;
SELECT annotate('t', 'add_remove'), annotate('nobody', 'add_remove'), annotate('swapped', 'replace'), annotate('moved', 'metric') \g /dev/null
SET dpsens.epsilon = 1;

CREATE TABLE companion (ci text, plain text, kind text);
INSERT INTO companion VALUES
    ('dp_median_ci(x%s)', 'dp_median(x)', 'number'), ('dp_median_ci(a * 2%s)', 'dp_median(a * 2)', 'number'), ('dp_quantile_ci(a, 0.3%s)', 'dp_quantile(a, 0.3)', 'number'),
    ('dp_quantile_ci(x, 0%s)', 'dp_min(x)', 'number'), ('dp_min_ci(a%s)', 'dp_min(a)', 'number'), ('dp_max_ci(x%s)', 'dp_max(x)', 'number'),
    ('dp_quantile_ci(x, ARRAY[0.9, 0, 0.2, 1]%s)', 'dp_quantile(x, ARRAY[0.9, 0, 0.2, 1])', 'numbers'), ('dp_histogram_ci(x, 8%s)', 'dp_histogram(x, 8)', 'numbers'),
    ('dp_histogram_ci(a, ARRAY[0.0, 10, 40]%s)', 'dp_histogram(a, ARRAY[0.0, 10, 40])', 'numbers'), ('dp_bool_and_ci(f%s)', 'dp_bool_and(f)', 'truth'),
    ('dp_bool_or_ci(a > 200%s)', 'dp_bool_or(a > 200)', 'truth'), ('dp_count_ci(DISTINCT s%s)', 'dp_count(DISTINCT s)', 'number');
CREATE FUNCTION texts(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    EXECUTE 'SELECT array_agg(q::text) FROM (' || query || ') AS q' INTO result;
    RETURN result;
END $$;

-- ---- without noise ----

SET client_min_messages = error;
SET dpsens.noise = off;
CREATE TABLE source (text text);
INSERT INTO source VALUES ('t'), ('t GROUP BY p ORDER BY p'), ('t WHERE a > 40'), ('swapped'), ('(SELECT x, a, s, f, p FROM t WHERE f) AS v'), ('nobody');
SELECT is(texts(format('SELECT (r).estimate::%s FROM (SELECT %s AS r FROM %s) AS q', CASE kind WHEN 'number' THEN 'float8' WHEN 'numbers' THEN 'float8[]' ELSE 'boolean' END, format(ci, level), source.text)),
    texts(format('SELECT r::%s FROM (SELECT %s AS r FROM %s) AS q', CASE kind WHEN 'number' THEN 'float8' WHEN 'numbers' THEN 'float8[]' ELSE 'boolean' END, plain, source.text)),
    format('%s from %s without noise', format(ci, level), source.text))
FROM companion, source, unnest(ARRAY['', ', 1.0, 0.5']) AS level;
SELECT is(texts(format('SELECT 1 FROM (SELECT %s AS r FROM %s) AS q WHERE (r).lower IS DISTINCT FROM (r).estimate OR (r).upper IS DISTINCT FROM (r).estimate', format(ci, ''), source.text)), NULL,
    format('%s from %s without noise is a point', ci, source.text))
FROM companion, source;
RESET dpsens.noise;
RESET client_min_messages;

-- ---- with noise ----

SELECT is(texts(format('SELECT r FROM (SELECT %s AS r FROM %s) AS q WHERE NOT ((r).estimate BETWEEN (r).lower AND (r).upper) OR r IS NULL', format(ci, ''), source.text)), NULL, format('%s from %s holds its estimate', ci, source.text))
FROM companion, source WHERE kind <> 'numbers';
SELECT is(texts(format('SELECT r FROM (SELECT %s AS r FROM %s) AS q, unnest((r).estimate, (r).lower, (r).upper) AS v (e, l, u) WHERE NOT (e BETWEEN l AND u)', format(ci, ''), source.text)), NULL,
    format('%s from %s holds its estimates', ci, source.text))
FROM companion, source WHERE kind = 'numbers';
SELECT is(texts('SELECT r FROM (SELECT dp_quantile_ci(x, ARRAY[0.1, 0.2, 0.3, 0.4]) AS r FROM t GROUP BY p) AS q, generate_series(2, 4) AS i WHERE (r).estimate[i] < (r).estimate[i - 1] OR (r).lower[i] < (r).lower[i - 1] OR (r).upper[i] < (r).upper[i - 1]'),
    NULL, 'quantiles and their intervals are in order');
SELECT is((SELECT (r).lower FROM (SELECT dp_min_ci(x) AS r FROM t) AS q), 0::float8, 'a minimum has no lower bound but the range');
SELECT is((SELECT (r).upper FROM (SELECT dp_max_ci(x) AS r FROM t) AS q), 128::float8, 'a maximum no upper one');
-- at this level either is otherwise once in 10^12 times
SELECT is((SELECT ((r).lower, (r).upper) FROM (SELECT dp_median_ci(x, 1, 0.999999999999) AS r FROM nobody) AS q), (0::float8, 128::float8), 'over no rows the interval of a median is the range');
SELECT is((SELECT r FROM (SELECT dp_bool_and_ci(f, 8) AS r FROM t) AS q)::text, '(f,f,f)', 'what is far from doubt is not doubted');
SELECT is((SELECT r FROM (SELECT dp_bool_or_ci(a > 200, 0.001, 0.999999999999) AS r FROM nobody) AS q)::text ~ '^\([tf],f,t\)$', true, 'with much noise there is doubt');

-- ---- what is charged ----

CREATE FUNCTION costs(query text) RETURNS text LANGUAGE sql
RETURN (SELECT string_agg(mechanism || ' ' || round(cost_epsilon::numeric, 6) || ' ' || round(cost_rho::numeric, 6), ', ') FROM dpsens.explain(query));
SELECT is(costs(format('SELECT %s FROM t', asked)), want, asked) FROM (VALUES
    ('dp_median_ci(x)', 'exponential 1.000000 0.041667'), ('dp_min_ci(x)', 'exponential 1.000000 0.062500'),
    ('dp_quantile_ci(x, ARRAY[0.5, 0, 0.2], 2)', 'exponential 2.000000 0.062500'),
    ('dp_median_ci(x), dp_median_ci(x)', 'exponential 1.000000 0.041667'),
    ('dp_median_ci(x, 1), dp_median_ci(x, 1, 0.95), dp_median_ci(x, 1, 0.9)', 'exponential 1.000000 0.041667, exponential 1.000000 0.041667, exponential 1.000000 0.041667'),
    ('dp_quantile_ci(x, 0.2), dp_quantile_ci(x, 0.3)', 'exponential 1.000000 0.041667, exponential 1.000000 0.041667'),
    ('dp_histogram_ci(x, 8), dp_histogram_ci(x, 9)', 'geometric 1.000000 0.462117, geometric 1.000000 0.462117'),
    ('dp_histogram_ci(x, 8, 1, 0.9), dp_histogram_ci(x, 8, 1, 0.5)', 'geometric 1.000000 0.462117, geometric 0.000000 0.000000'),
    ('dp_bool_or_ci(f), dp_bool_and_ci(f)', 'geometric 1.000000 0.462117, geometric 1.000000 0.462117'),
    ('dp_count_ci(DISTINCT s)', 'geometric 1.000000 0.462117'),
    ('dp_count_ci(s), dp_count_ci(DISTINCT s)', 'geometric 1.000000 0.462117, geometric 1.000000 0.462117')) AS v (asked, want);
CREATE TABLE thirds (LIKE t INCLUDING ALL);
INSERT INTO thirds SELECT * FROM t;
SELECT annotate('thirds', 'add_remove'), dpsens.set_budget('thirds', epsilon => 1) \g /dev/null
SELECT lives_ok('SELECT dp_median_ci(x, 0.25), dp_min_ci(x, 0.25), dp_quantile_ci(x, ARRAY[0.1, 0.9], 0.25), dp_histogram_ci(x, 3, 0.25) FROM thirds', 'four quarters fit a budget');
SELECT throws_ok('SELECT dp_median_ci(x, 0.25) FROM thirds', NULL, NULL, 'and use it up');
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges can be computed again');

-- ---- levels ----

-- With more epsilon the noise is less than the steps of 0.5 between values.  Of these widths one is
-- 19 in the mean and the other 42, with a deviation of 2 each (400 draws): each is made of two draws
-- whose tails fall by e within 1, so that the order is another one less than once in 10^8 times.
PREPARE median (float8) AS SELECT dp_median_ci(x, 0.25, $1) AS r FROM t;
SET plan_cache_mode = force_generic_plan;
SELECT throws_ok('EXECUTE median(0.5)', '0A000', NULL, 'a level that is not known when it is planned');
RESET plan_cache_mode;
CREATE TEMP TABLE few AS EXECUTE median(0.000001);
CREATE TEMP TABLE most AS EXECUTE median(0.999999);
SELECT ok((SELECT (a.r).upper - (a.r).lower < (b.r).upper - (b.r).lower FROM few a, most b), 'the level of a drawn interval can be a parameter');
SELECT throws_ok('EXECUTE median(1)', '22023', NULL, 'a level that is none');
SELECT throws_ok('EXECUTE median(NULL)', '22004', NULL, 'no level');
SELECT throws_ok('SELECT dp_median_ci(x, 1, 1.5) FROM t', '22023', NULL, 'a level above 1');
SELECT throws_ok('SELECT dp_median_ci(x, 1, a / 200.0) FROM t', '22023', NULL, 'a level from the data');
SELECT throws_ok('SELECT dp_histogram_ci(x, 3, 1, 0) FROM t', '22023', NULL, 'a level of 0');

-- ---- refusals ----

SELECT throws_ok(format('SELECT %s FROM moved', format(ci, '')), '0A000', NULL, ci || ' under metric') FROM companion;
SELECT throws_ok('SELECT dp_median_ci(DISTINCT x) FROM t', '0A000', NULL, 'nor a median of distinct values');
SELECT throws_ok('SELECT dp_histogram_ci(x, 0) FROM t', '22023', NULL, 'no buckets');
SELECT throws_ok('SELECT dp_quantile_ci(x, 2) FROM t', '22023', NULL, 'a quantile that is none');
SELECT * FROM finish();

SET client_min_messages = warning;
DROP SCHEMA intervals_tap CASCADE;
