-- Variances, regression, vectors and intervals: what users see.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_moments;
SET search_path = dpsens_moments, public;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, y float8 NOT NULL, w float8, sex text);
INSERT INTO t SELECT i, i % 11, (i % 11) / 5.0 + (i % 3) / 2.0, nullif(i % 4, 0), (ARRAY['F', 'M'])[1 + i % 2] FROM generate_series(1, 1320) i;
SELECT dpsens.protect('t', unit => 'id');
SELECT dpsens.set_range('t', 'x', 0, 10);
SELECT dpsens.set_range('t', 'y', 0, 3);
SELECT dpsens.set_range('t', 'w', 0, 4);
SELECT dpsens.set_values('t', 'sex', 'F', 'M', 'X');
\pset null '(null)'
SET extra_float_digits = -6;

-- What is charged, and which aggregates share it.
SELECT aggregate, expression, sensitivity, cost_epsilon, note
  FROM dpsens.explain('SELECT dp_variance(x, 1), dp_stddev(x, 1), dp_corr(y, x, 1), dp_regr_slope(y, x, 1), dp_variance(w, 1) FROM t', 1320);
SELECT aggregate, noise_scale, error_95, error_95_times_rows
  FROM dpsens.explain('SELECT dp_var_pop(x, 1), dp_covar_pop(y, w, 1), dp_linregr(y, ARRAY[x, w], 1) FROM t', 1320);
SELECT aggregate, expression, sensitivity, note FROM dpsens.explain('SELECT dp_sum(ARRAY[x, 10 - x], 1), dp_avg(ARRAY[x, y], 1), dp_sum_ci(ARRAY[x, 10 - x], 1) FROM t');

-- Without noise, PostgreSQL's own figures.
SET dpsens.noise = off;
SET client_min_messages = error;
SELECT dp_var_samp(x, 1) AS var_samp, dp_stddev_pop(x, 1) AS stddev_pop, dp_covar_pop(y, x, 1) AS covar_pop, dp_corr(y, x, 1) AS corr FROM t;
SELECT var_samp(x), stddev_pop(x), covar_pop(y, x), corr(y, x) FROM t;
SELECT sex, dp_regr_slope(y, x, 1) AS slope, dp_regr_intercept(y, x, 1) AS intercept, dp_regr_r2(y, x, 1) AS r2, dp_regr_count(y, x, 1) AS count FROM t GROUP BY sex;
SELECT sex, regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_count(y, x) FROM t GROUP BY sex ORDER BY sex;
SELECT dp_linregr(2 + 3 * x - y, ARRAY[x, y], 1) FROM t;
SELECT dp_sum(ARRAY[x, w], 1), dp_avg(ARRAY[x, w], 1) FROM t;
SELECT sum(x), sum(w), avg(x), avg(w) FROM t WHERE w IS NOT NULL;
SELECT dp_variance(x, 1), dp_variance_ci(x, 1), dp_corr(y, x, 1), dp_linregr(y, ARRAY[x], 1), dp_sum(ARRAY[x, y], 1), dp_avg(ARRAY[x, y], 1) FROM t WHERE x < 0;
SELECT (dp_sum_ci(x, 1)).*, dp_count_ci(x, 1, 0.5) FROM t;
SET client_min_messages = warning;
RESET dpsens.noise;

-- The plan: one release for both.
EXPLAIN (VERBOSE, COSTS OFF) SELECT dp_variance(x, 1), dp_stddev_ci(x, 1) FROM t;

-- Wrong inputs.
SELECT dp_sum_ci(x, 1, 0) FROM t;
SELECT dp_sum_ci(x, 1, NULL) FROM t;
SELECT dp_sum_ci(x, 1, y) FROM t;
SELECT dp_linregr(y, '{1,2}'::float8[], 1) FROM t;
SELECT dp_sum(ARRAY[ARRAY[x], ARRAY[y]], 1) FROM t;
SELECT dp_variance(1 / (x - 5), 1) FROM t;
SELECT dp_avg(ARRAY[x, ln(y)], 1) FROM t;
SELECT dp_corr(y, 1) FROM t;
SELECT dp_variance(x) FROM t;
SELECT dpsens_internal.finish_interval(NULL, NULL, NULL, 0.5) FROM t;
SELECT ''::dpsens_internal.answer;

DROP SCHEMA dpsens_moments CASCADE;
