-- Variances, covariances, correlation, regression, vectors and intervals, in every
-- form of SQL that they may be written in.
--
-- What is compared with an exact figure is released with dpsens.noise off; the
-- grid is 2^-32 of a range.  What is noised is held against bounds that noise
-- passes with probability below 1e-9 each.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(393);

DROP SCHEMA IF EXISTS moments_tap CASCADE;
CREATE SCHEMA moments_tap;
SET search_path = moments_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, y float8 NOT NULL, w float8, sex text, site text NOT NULL);
INSERT INTO t SELECT i, i % 11, (i * 7919 % 1000) / 500.0 + (i % 11) / 10.0, CASE WHEN i % 5 = 0 THEN NULL WHEN i % 7 = 0 THEN 'NaN'::float8 ELSE i % 13 END,
    (ARRAY['F', 'M', 'X'])[1 + i % 3], (ARRAY['north', 'south'])[1 + i % 2] FROM generate_series(1, 6000) i;
CREATE TABLE nothing (LIKE t INCLUDING ALL);
CREATE TABLE one (LIKE t INCLUDING ALL);
INSERT INTO one VALUES (1, 4, 2, 3, 'F', 'north');
CREATE TABLE same (LIKE t INCLUDING ALL);
INSERT INTO same SELECT i, 4, 2, NULL, 'F', 'north' FROM generate_series(1, 1000) i;

CREATE PROCEDURE declare_ranges(adjacency text) LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['t', 'nothing', 'one', 'same'] LOOP
        PERFORM dpsens.protect(name::regclass, unit => 'id', adjacency => adjacency), dpsens.set_range(name::regclass, 'x', 0, 10),
            dpsens.set_range(name::regclass, 'y', 0, 3), dpsens.set_range(name::regclass, 'w', 0, 12),
            dpsens.set_values(name::regclass, 'sex', 'F', 'M', 'Z'), dpsens.set_values(name::regclass, 'site', 'north', 'south');
    END LOOP;
END $$;
CALL declare_ranges('add_remove');
SET dpsens.epsilon = 1;

-- relative to the larger of both and of what rounding to the grid may do
CREATE FUNCTION close_to(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN a IS NOT DISTINCT FROM b OR abs(a - b) <= 1e-7 * (1 + abs(a) + abs(b));

CREATE FUNCTION close_to(a float8[], b float8[]) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN cardinality(a) = cardinality(b) AND (SELECT bool_and(close_to(p, q)) FROM unnest(a, b) AS u (p, q));

-- without noise, the aggregate and PostgreSQL's own agree
CREATE FUNCTION agree(private text, plain text, source text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    a float8;
    b float8;
BEGIN
    EXECUTE format('SELECT %s FROM %s', private, source) INTO a;
    EXECUTE format('SELECT %s FROM %s', plain, source) INTO b;
    RETURN close_to(a, b);
END $$;

-- ---- against PostgreSQL's own ----

SET dpsens.noise = off;
CREATE TABLE forms (private text, plain text);
INSERT INTO forms VALUES
    ('dp_variance(x)', 'variance(x)'), ('dp_var_samp(x)', 'var_samp(x)'), ('dp_var_pop(x)', 'var_pop(x)'),
    ('dp_stddev(x)', 'stddev(x)'), ('dp_stddev_samp(x, 0.5)', 'stddev_samp(x)'), ('dp_stddev_pop(x)', 'stddev_pop(x)'),
    ('dp_covar_samp(y, x)', 'covar_samp(y, x)'), ('dp_covar_pop(y, x, 0.5)', 'covar_pop(y, x)'), ('dp_corr(y, x)', 'corr(y, x)'),
    ('dp_regr_slope(y, x)', 'regr_slope(y, x)'), ('dp_regr_intercept(y, x)', 'regr_intercept(y, x)'), ('dp_regr_r2(y, x)', 'regr_r2(y, x)'),
    ('dp_regr_count(y, x)', 'regr_count(y, x)'), ('dp_regr_avgx(y, x)', 'regr_avgx(y, x)'), ('dp_regr_avgy(y, x)', 'regr_avgy(y, x)'),
    ('dp_regr_sxx(y, x)', 'regr_sxx(y, x)'), ('dp_regr_syy(y, x)', 'regr_syy(y, x)'), ('dp_regr_sxy(y, x)', 'regr_sxy(y, x)'),
    -- of one value twice
    ('dp_covar_pop(x, x)', 'covar_pop(x, x)'), ('dp_covar_samp(y, y)', 'covar_samp(y, y)'), ('dp_regr_sxy(x, x)', 'regr_sxy(x, x)'), ('dp_corr(x, x)', 'corr(x, x)'),
    ('dp_regr_slope(y, y)', 'regr_slope(y, y)'), ('dp_regr_r2(x, x)', 'regr_r2(x, x)'), ('dp_covar_pop(x * y, x * y)', 'covar_pop(x * y, x * y)'),
    ('dp_variance(x * y - 2)', 'variance(x * y - 2)'), ('dp_corr(y ^ 2, exp(x / 10))', 'corr(y ^ 2, exp(x / 10))'),
    ('dp_variance(x) FILTER (WHERE site = ''north'')', 'variance(x) FILTER (WHERE site = ''north'')'),
    ('dp_regr_slope(x, y) FILTER (WHERE site = ''south'')', 'regr_slope(x, y) FILTER (WHERE site = ''south'')'),
    ('(dp_sum(ARRAY[x, y]))[2]', 'sum(y)'), ('(dp_avg(ARRAY[x, y, x - y]))[3]', 'avg(x - y)'),
    ('(dp_linregr(y, ARRAY[x]))[1]', 'regr_intercept(y, x)'), ('(dp_linregr(y, ARRAY[x], 0.5))[2]', 'regr_slope(y, x)');

CREATE FUNCTION forms_agree(source text) RETURNS SETOF text LANGUAGE sql AS
    $$ SELECT ok(agree(private, plain, source), source || ': ' || private) FROM forms $$;
SELECT forms_agree('t');
SELECT forms_agree('t WHERE x > 3');
SET dpsens.mechanism = gaussian;
SELECT forms_agree('t');
RESET dpsens.mechanism;
CALL declare_ranges('replace');
SELECT forms_agree('t');
CALL declare_ranges('attribute');
SELECT forms_agree('t');
SET dpsens.mechanism = gaussian;
SELECT forms_agree('t');
RESET dpsens.mechanism;

-- one value twice, beside others that it could share a release with
SELECT ok(close_to(a, b) AND close_to(c, d) AND close_to(e, f), 'shared') FROM (SELECT dp_covar_pop(y, x) AS a, dp_covar_pop(x, x) AS c, dp_regr_sxy(y, y) AS e FROM t) p, (SELECT covar_pop(y, x) AS b, covar_pop(x, x) AS d, regr_sxy(y, y) AS f FROM t) q;

-- rows where a value is NULL or NaN do not count, in any of them
SELECT ok(agree(private, plain, source), source || ': ' || private) FROM (VALUES
    ('dp_variance(w)', 'variance(w)'), ('dp_regr_count(y, w)', 'count(w)'), ('dp_corr(y, w)', 'corr(y, w)'),
    ('dp_regr_slope(w, y)', 'regr_slope(w, y)'), ('(dp_sum(ARRAY[y, w]))[1]', 'sum(y)'), ('(dp_avg(ARRAY[y, w]))[2]', 'avg(w)'))
    AS f (private, plain), (VALUES ('t WHERE w IS NOT NULL AND w <> ''NaN''')) AS s (source);
SELECT is((SELECT dp_variance(w) FROM t), (SELECT dp_variance(w) FROM t WHERE w IS NOT NULL AND w <> 'NaN'), 'NULL and NaN are left out');
CALL declare_ranges('metric');
SELECT ok(agree(private, plain, 't'), 'metric: ' || private) FROM forms WHERE private !~ 'FILTER';
CALL declare_ranges('add_remove');

-- values that are the same for every row read no column
SELECT ok(agree(private, plain, source), format('constants, %s: %s', source, private)) FROM (VALUES
    ('(dp_sum(ARRAY[1, 1]))[2]', 'count(*)'), ('(dp_sum(ARRAY[1.5, 1]))[1]', 'sum(1.5)'), ('(dp_avg(ARRAY[2, 1]))[1]', 'avg(2)'), ('dp_variance(1.5)', 'variance(1.5)'),
    ('dp_regr_count(1, 2)', 'regr_count(1, 2)'), ('dp_corr(1, 2)', 'corr(1, 2)'), ('dp_stddev_pop(3) FILTER (WHERE x > 2)', 'stddev_pop(3)')) f (private, plain),
    unnest(ARRAY['t', 't WHERE site = ''north''', 'same']) s (source);

-- as many values as there may be
SELECT is((SELECT dp_linregr(y, ARRAY[x, x ^ 2, x ^ 3, x ^ 4, x ^ 5, x ^ 6, x ^ 7, x ^ 8, sin(x), cos(x), exp(x / 10), y ^ 2, y ^ 3, y ^ 4, y ^ 5]) IS NULL FROM t WHERE x < 0),
    true, 'sixteen values, no rows');
SELECT ok(close_to((SELECT (dp_sum(ARRAY[x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, y]))[16] FROM t), (SELECT sum(y) FROM t)), 'sixteen entries');

-- a plane through the points
SELECT ok(close_to((SELECT dp_linregr(1 + 2 * x - 0.5 * y, ARRAY[x, y]) FROM t), '{1, 2, -0.5}'), 'linregr finds a plane');

-- ---- tables of few rows, or none ----

SELECT is((SELECT dp_var_pop(x) FROM nothing), NULL, 'variance of no rows');
SELECT is((SELECT dp_corr(y, x) FROM nothing), NULL, 'correlation of no rows');
SELECT is((SELECT dp_linregr(y, ARRAY[x]) FROM nothing), NULL, 'regression of no rows');
SELECT is((SELECT (dp_variance_ci(x)).lower FROM nothing), NULL, 'interval of no rows');
SELECT is((SELECT dp_regr_count(y, x) FROM nothing), 0::bigint, 'count of no rows');
SELECT is((SELECT dp_sum(ARRAY[x, y]) FROM nothing), '{0,0}', 'vector sum of no rows');
SELECT is((SELECT dp_avg(ARRAY[x, y]) FROM nothing), '{5,1.5}', 'vector mean of no rows: the middle, as for dp_avg');
SELECT ok((SELECT dp_var_pop(x) FROM one) BETWEEN 0 AND 1e-9, 'population variance of one row');
SELECT is((SELECT dp_var_samp(x) FROM one), NULL, 'sample variance of one row');
SELECT is((SELECT dp_regr_slope(y, x) FROM one), NULL, 'slope of one row');
SELECT ok(close_to((SELECT dp_avg(ARRAY[x, y]) FROM one), '{4,2}'), 'vector mean of one row');
SELECT ok((SELECT dp_variance(x) FROM same) < 1e-6, 'variance of equal rows');
SELECT ok((SELECT dp_variance(w) FROM same) IS NULL, 'variance of NULLs');
RESET dpsens.noise;

-- with noise, whatever it does: no error, values in range
SELECT lives_ok('SELECT dp_variance(x), dp_stddev(x, 0.01), dp_corr(y, x, 0.01), dp_regr_slope(y, x), dp_linregr(y, ARRAY[x, w], 0.01), '
    'dp_sum(ARRAY[x, y]), dp_avg(ARRAY[x, w]), dp_corr_ci(y, x), dp_linregr_ci(y, ARRAY[x, w]) FROM ' || source, 'noise over ' || source)
FROM unnest(ARRAY['nothing', 'one', 'same', 't WHERE false', 'one WHERE w IS NULL']) source, generate_series(1, 5);
CREATE FUNCTION out_of_range() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    bad int := 0;
    answer record;
BEGIN
    FOR i IN 1..40 LOOP
        SELECT dp_variance(x, 0.001) v, dp_var_pop(x, 0.001) p, dp_corr(y, x, 0.001) r, dp_regr_r2(y, x, 0.001) r2, dp_regr_avgy(y, x, 0.001) a INTO answer FROM one;
        IF NOT coalesce(answer.v BETWEEN 0 AND 50.0001 AND answer.p BETWEEN 0 AND 25.0001 AND answer.r BETWEEN -1 AND 1 AND answer.r2 BETWEEN 0 AND 1
            AND answer.a BETWEEN 0 AND 3, true) THEN
            bad := bad + 1;
        END IF;
    END LOOP;
    RETURN bad;
END $$;
SELECT is(out_of_range(), 0, 'noised statistics are clamped');

-- noise is small where there are many rows: 60 times the 95 % error
SELECT ok(abs(v - 10) < 60 * 310.0 / 6000, 'a noised variance') FROM (SELECT dp_var_pop(x) v FROM t) q;
SELECT ok(abs(r - e) < 0.5, 'a noised correlation') FROM (SELECT dp_corr(y, x, 10) r FROM t) q, (SELECT corr(y, x) e FROM t) p;

-- ---- groups ----

SET dpsens.noise = off;
SELECT results_eq('SELECT sex, round(dp_variance(x)::numeric, 6), dp_regr_count(y, x) FROM t GROUP BY sex',
    $$ SELECT k, CASE WHEN k <> 'Z' THEN (SELECT round(variance(x)::numeric, 6) FROM t WHERE sex = k) END,
        (SELECT count(*) FROM t WHERE sex = k) FROM unnest(ARRAY['F', 'M', 'Z']) WITH ORDINALITY u (k, o) ORDER BY o $$,
    'every declared key is there; a group of no rows has no variance');
SELECT results_eq('SELECT sex, site, round(dp_corr(y, x)::numeric, 6) FROM t WHERE y < 2 GROUP BY sex, site HAVING dp_regr_count(y, x) > 10 ORDER BY 3',
    'SELECT sex, site, round(corr(y, x)::numeric, 6) FROM t WHERE y < 2 AND sex <> ''X'' GROUP BY sex, site ORDER BY 3',
    'two keys, WHERE, HAVING, ORDER BY');
SELECT results_eq('SELECT site, round((dp_sum(ARRAY[x, 10 - x]))[2]::numeric, 4) FROM t GROUP BY site',
    'SELECT site, sum(10 - x)::numeric FROM t GROUP BY site ORDER BY site', 'vectors in groups');
RESET dpsens.noise;

-- ---- plans ----

-- A parallel plan and a serial one have the same exact state: equal to the last bit
-- without noise.
CREATE FUNCTION digits(query text) RETURNS text LANGUAGE plpgsql SET dpsens.noise = off AS $$
DECLARE
    result text;
BEGIN
    EXECUTE query INTO result;
    RETURN result;
END $$;
CREATE TABLE queries (query text);
INSERT INTO queries VALUES ('SELECT dp_variance(x * 1.1 + y) FROM t'), ('SELECT dp_corr(y, x / 3) FROM t'),
    ('SELECT dp_linregr(y / 7, ARRAY[x, w, x * w])::text FROM t'), ('SELECT dp_sum(ARRAY[x / 3, y / 7, w])::text FROM t'),
    ('SELECT string_agg(v::text, '' '') FROM (SELECT dp_stddev(x / 3) v FROM t GROUP BY sex) q');
CREATE TABLE serial AS SELECT query, digits(query) FROM queries;
SET dpsens.enable_table_sums = off;
SELECT is(digits(query), digits, 'without table sums: ' || query) FROM serial;
SET dpsens.enable_row_sums = off;
SELECT is(digits(query), digits, 'nor sums of rows: ' || query) FROM serial;
RESET dpsens.enable_row_sums;
RESET dpsens.enable_table_sums;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
SET parallel_leader_participation = off;
SELECT is(digits(query), digits, 'in parallel: ' || query) FROM serial;
RESET parallel_leader_participation;
SET enable_hashagg = off;
SELECT is(digits(query), digits, 'sorted: ' || query) FROM serial;
RESET enable_hashagg;
SET work_mem = '64kB';
SELECT is(digits(query), digits, 'little memory: ' || query) FROM serial;
RESET ALL;
SET client_min_messages = error;
SET search_path = moments_tap, public;
SET dpsens.epsilon = 1;

-- ---- prepared statements ----

PREPARE by_parameter (float8, float8) AS SELECT dp_variance(x, $1), (dp_sum_ci(x, $1, $2)).lower, dp_linregr(y, ARRAY[x], $1) FROM t;
SELECT lives_ok('EXECUTE by_parameter(0.5, 0.9)', 'epsilon and level are parameters, time ' || i) FROM generate_series(1, 7) i;
SELECT throws_ok('EXECUTE by_parameter(NULL, 0.9)', '22004', NULL, 'NULL is no epsilon');
SELECT throws_ok('EXECUTE by_parameter(1e-9, 0.9)', '22023', NULL, 'epsilon is checked');
SELECT throws_ok('EXECUTE by_parameter(1, 2)', '22023', NULL, 'the level is checked');
SELECT throws_ok('SELECT dp_sum_ci(x, 1, 1) FROM t', '22023', 'level 1 is outside the valid range', 'before anything is charged');
SELECT throws_ok('SELECT dp_sum_ci(x, 1, y) FROM t', NULL, NULL, 'a level is no column');

-- ---- sharing ----

CREATE FUNCTION charged(query text) RETURNS TABLE (expression text, epsilon float8) LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    SELECT coalesce(max(r.release), 0) INTO last FROM dpsens.releases r;
    EXECUTE query;
    RETURN QUERY SELECT r.expression, r.epsilon FROM dpsens.releases r WHERE r.release > last ORDER BY r.release;
END $$;
SELECT results_eq($$ SELECT * FROM charged('SELECT dp_variance(x), dp_stddev(x), dp_var_pop(x), dp_stddev_ci(x) FROM t') $$,
    $$ VALUES ('dp_variance(x), dp_stddev(x), dp_var_pop(x), dp_stddev_ci(x)', 1::float8) $$, 'one value: one release');
SELECT results_eq($$ SELECT * FROM charged('SELECT dp_variance(x, 0.5), dp_stddev(y, 0.5), dp_covar_pop(x, y, 0.5), dp_corr(y, x, 0.5), dp_regr_slope(y, x, 0.5), '
    'dp_regr_slope(x, y, 0.5), dp_regr_intercept(y, x, 0.5), dp_regr_r2(y, x, 0.5) FROM t') $$,
    $$ VALUES ('dp_variance(x), dp_stddev(y), dp_covar_pop(x, y), dp_corr(y, x), dp_regr_slope(y, x), dp_regr_slope(x, y), dp_regr_intercept(y, x), dp_regr_r2(y, x)', 0.5::float8) $$,
    'two values in any order: one release');
SELECT results_eq($$ SELECT * FROM charged('SELECT dp_linregr(y, ARRAY[x, x ^ 2]), dp_corr(y, x), dp_variance(y) FROM t GROUP BY sex HAVING dp_variance(x ^ 2) > 0') $$,
    $$ VALUES ('dp_linregr(y, ARRAY[x, x ^ 2]), dp_corr(y, x), dp_variance(y), dp_variance(x ^ 2)', 1::float8) $$, 'a regression serves all of its values');
SELECT results_eq($$ SELECT * FROM charged('SELECT dp_variance(x), dp_variance(x, 0.5), dp_variance(x) FILTER (WHERE site = ''north''), dp_variance(y) FROM t') $$,
    $$ VALUES ('dp_variance(x)', 1::float8), ('dp_variance(x)', 0.5), ('dp_variance(x) FILTER (...)', 1), ('dp_variance(y)', 1) $$,
    'another epsilon, FILTER or value is another release');
SELECT results_eq($$ SELECT * FROM charged('SELECT dp_corr(y, w), dp_variance(y), dp_variance(w) FROM t') $$,
    $$ VALUES ('dp_corr(y, w), dp_variance(w)', 1::float8), ('dp_variance(y)', 1) $$, 'not where the other value may be NULL');
SELECT results_eq($$ SELECT * FROM charged('SELECT dp_sum(x), (dp_sum_ci(x)).*, dp_sum(ARRAY[x, y]), dp_sum_ci(ARRAY[x, y]), dp_count_ci(*), dp_count(*) FROM t') $$,
    $$ VALUES ('dp_sum(x), dp_sum_ci(x)', 1::float8), ('dp_sum(ARRAY[x, y]), dp_sum_ci(ARRAY[x, y])', 1), ('dp_count_ci(*), dp_count(*)', 1) $$,
    'an interval shares with its aggregate');
SELECT ok(v = (c).estimate AND abs(sqrt(v) - s) < 1e-9 * (1 + s), 'what shares a release agrees')
FROM (SELECT dp_variance(x) v, dp_stddev(x) s, dp_variance_ci(x) c FROM t) q;
SELECT results_eq($$ SELECT aggregate, cost_epsilon, note LIKE 'computed from the release of dp_variance(x);%' FROM dpsens.explain('SELECT dp_variance(x), dp_corr(y, x), dp_avg(x) FROM t') $$,
    $$ VALUES ('dp_variance(x)', 1::float8, false), ('dp_corr(y, x)', 0, true), ('dp_avg(x)', 1, false) $$, 'explain says which release serves which aggregate');
SELECT is((SELECT sum(cost_epsilon) FROM dpsens.explain('SELECT dp_variance(x), dp_corr(y, x), dp_avg(x) FROM t')), 2::float8, 'and what all of it costs');
SELECT ok(bool_and(error_95 > 0), 'explain states an error') FROM forms, LATERAL dpsens.explain(format('SELECT %s FROM t', private), 6000);

-- ---- intervals ----

-- Each holds the exact figure with probability 1 - 1e-9 at least.
SELECT ok(exact BETWEEN (i).lower AND (i).upper AND (i).estimate BETWEEN (i).lower AND (i).upper, what || ' holds the exact figure')
FROM (SELECT unnest(ARRAY[dp_variance_ci(x, 1, 1 - 1e-9), dp_stddev_pop_ci(x, 1, 1 - 1e-9), dp_corr_ci(y, x, 1, 1 - 1e-9), dp_regr_slope_ci(y, x, 1, 1 - 1e-9),
        dp_regr_intercept_ci(y, x, 1, 1 - 1e-9), dp_covar_samp_ci(y, x, 1, 1 - 1e-9), dp_sum_ci(x, 1, 1 - 1e-9), dp_avg_ci(x, 1, 1 - 1e-9), dp_count_ci(x, 1, 1 - 1e-9)]) i,
        unnest(ARRAY['variance', 'deviation', 'correlation', 'slope', 'intercept', 'covariance', 'sum', 'mean', 'count']) what FROM t) p
    JOIN (SELECT unnest(ARRAY[variance(x), stddev_pop(x), corr(y, x), regr_slope(y, x), regr_intercept(y, x), covar_samp(y, x), sum(x), avg(x), count(x)]) exact,
        unnest(ARRAY['variance', 'deviation', 'correlation', 'slope', 'intercept', 'covariance', 'sum', 'mean', 'count']) what FROM t) e USING (what);
SELECT ok((i).upper - (i).lower < (j).upper - (j).lower, 'a higher level is a wider interval')
FROM (SELECT dp_sum_ci(x, 1, 0.5) i, dp_sum_ci(x, 1, 0.99) j FROM t) q;
SELECT ok(sx BETWEEN l[1] AND u[1] AND sy BETWEEN l[2] AND u[2] AND cardinality(l) = 2, 'a vector has an interval for each entry')
FROM (SELECT (dp_sum_ci(ARRAY[x, y], 1, 1 - 1e-9)).lower l, (dp_sum_ci(ARRAY[x, y], 1, 1 - 1e-9)).upper u FROM t) q, (SELECT sum(x) sx, sum(y) sy FROM t) e;

-- arrays of other numbers
CREATE TABLE whole (id int PRIMARY KEY, a int NOT NULL, b smallint NOT NULL, c numeric NOT NULL, d real NOT NULL);
INSERT INTO whole SELECT i, i % 11, i % 3, (i % 7) / 2.0, i % 5 FROM generate_series(1, 1000) i;
SELECT dpsens.protect('whole', unit => 'id'), dpsens.set_range('whole', 'a', 0, 10), dpsens.set_range('whole', 'b', 0, 2), dpsens.set_range('whole', 'c', 0, 3), dpsens.set_range('whole', 'd', 0, 4) \g /dev/null
SET dpsens.noise = off;
SELECT is(digits('SELECT ' || private || ' FROM whole'), digits('SELECT ' || plain || ' FROM whole'), private) FROM (VALUES
    ('dp_sum(ARRAY[a, b])', 'ARRAY[sum(a), sum(b)]'), ('dp_sum(ARRAY[a, b]::float8[])', 'ARRAY[sum(a), sum(b)]'), ('dp_sum(ARRAY[a, c])', 'ARRAY[sum(a), sum(c)::float8]'),
    ('dp_sum(ARRAY[d, 2 * d])', 'ARRAY[sum(d), 2 * sum(d)]'), ('dp_sum(ARRAY[b, b], 0.5)', 'ARRAY[sum(b), sum(b)]')) v (private, plain);
SELECT ok(agree('(dp_linregr(d, ARRAY[a]))[2]', 'regr_slope(d, a)', 'whole'), 'a regression on integers');
RESET dpsens.noise;
SELECT ok(bool_and(sensitivity > 0 AND error_95 > 0), 'and explain knows them') FROM dpsens.explain('SELECT dp_sum(ARRAY[a, b]) FROM whole');

-- ---- refusals ----

SELECT throws_ok('SELECT dp_linregr(y, (SELECT ARRAY[1.0])) FROM t', '0A000', NULL, 'an array that is not written out');
SELECT throws_ok('SELECT dp_sum(''{1,2}'') FROM t', NULL, NULL, 'nor is a constant');
SELECT throws_ok('SELECT dp_sum(ARRAY[ARRAY[1, 2]]) FROM t', '0A000', NULL, 'nor are rows of it');
SELECT throws_ok('SELECT dp_sum(ARRAY[]::float8[]) FROM t', '0A000', NULL, 'an empty vector');
SELECT throws_ok('SELECT dp_variance(DISTINCT x) FROM t', '0A000', NULL, 'DISTINCT');
SELECT throws_ok('SELECT dp_variance(x) OVER () FROM t', '0A000', NULL, 'a window');
SELECT throws_ok('SELECT dp_variance(1 / x) FROM t', '22003', NULL, 'a value without bounds');
SELECT throws_ok('SELECT dp_sum(ARRAY[x, 1 / x]) FROM t', '22003', NULL, 'a vector without bounds');
SELECT throws_ok('SELECT dpsens_internal.finish_value(NULL, NULL, NULL) FROM t', '42501', NULL, 'a statistic by hand');
SELECT throws_ok('SELECT dpsens_internal.release_answer(NULL, NULL)', '42501', NULL, 'a release by hand');
SELECT throws_ok('SELECT dpsens_internal.exact_vector(NULL::dpsens_internal.plan, x) FROM t', '42501', NULL, 'a state by hand');
SELECT throws_ok(format('SELECT dp_sum(ARRAY[%s]) FROM t', string_agg('x + ' || i, ',')), '54000', NULL, 'more than 16 entries') FROM generate_series(1, 17) i;
CALL declare_ranges('metric');
SELECT throws_ok('SELECT dp_variance(floor(x)) FROM t', NULL, NULL, 'metric: a step has no Lipschitz constant');
SELECT throws_ok('SELECT dp_corr(y, x) FROM t WHERE x > 3', '0A000', NULL, 'metric: a condition on a private column');
CALL declare_ranges('add_remove');

-- ---- several rows of a unit ----

CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL, x float8 NOT NULL, y float8 NOT NULL);
INSERT INTO visits SELECT i, i / 3, i % 11, i % 3 FROM generate_series(1, 3000) i;
DO $$
BEGIN
    PERFORM dpsens.protect('visits', unit => 'person', max_rows => 3), dpsens.set_range('visits', 'x', 0, 10), dpsens.set_range('visits', 'y', 0, 3);
END $$;
SELECT ok(close_to(several.sensitivity, 3 * one.sensitivity), 'three rows move ' || one.aggregate || ' three times as far')
FROM dpsens.explain('SELECT dp_variance(x), dp_corr(y, x, 2), dp_sum(ARRAY[x, y]), dp_avg(ARRAY[x, y]) FROM t') one
    JOIN dpsens.explain('SELECT dp_variance(x), dp_corr(y, x, 2), dp_sum(ARRAY[x, y]), dp_avg(ARRAY[x, y]) FROM visits') several USING (aggregate);
SELECT lives_ok('SELECT dp_variance(x), dp_linregr(y, ARRAY[x]), dp_sum_ci(ARRAY[x, y]) FROM visits', 'and are answered');

-- ---- a role without privileges on the table ----

DO $$ BEGIN DROP ROLE IF EXISTS moments_ana; END $$;
CREATE ROLE moments_ana;
GRANT USAGE ON SCHEMA moments_tap TO moments_ana;
SELECT dpsens.grant_budget('t', 'moments_ana', epsilon => 5);
SET ROLE moments_ana;
SET dpsens.epsilon = 1;
SELECT lives_ok('SELECT dp_variance(x), dp_corr(y, x), dp_stddev_ci(x), dp_linregr(y, ARRAY[x]) FROM t WHERE y > 1', 'answers without SELECT');
SELECT throws_ok('SELECT var_samp(x) FROM t', '42501', NULL, 'and nothing else');
SELECT lives_ok('SELECT dp_sum(ARRAY[x, y], 4) FROM t', 'spends the rest');
SELECT throws_ok('SELECT dp_variance(x) FROM t', NULL, NULL, 'nothing is left');
RESET ROLE;
SELECT dpsens.revoke_budget('t', 'moments_ana');
REVOKE USAGE ON SCHEMA moments_tap FROM moments_ana;
DROP ROLE moments_ana;

SELECT * FROM finish();
DROP SCHEMA moments_tap CASCADE;
