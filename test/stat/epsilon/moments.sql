-- moments.sql
--	What is computed from a release of moments, which one statement shares: variances,
--	covariances, correlations and regressions, with discrete Laplace and discrete
--	Gaussian noise: see frame.psql.  Their intervals are in moment_ends.sql.
\set schema dps_epsilon_moments
\ir frame.psql
\ir tables.psql

CALL add('few', 'dp_variance(x)', 'r', 6, 12);
CALL add('few', 'dp_covar_pop(x, y)', 'r', 8, 12);
CALL ask('many', 'one release for slope, r2, stddev and covariance',
    'SELECT k, ARRAY[dp_regr_slope(y, x), dp_regr_r2(y, x), dp_stddev(x), dp_covar_pop(y, x)] AS v FROM %I GROUP BY k', 6, 8, 4);
CALL those_in_check();

-- Each by itself, and several from one release.
CALL add('few', 'dp_var_samp(x)', 'r', 6, 12);
CALL add('few', 'dp_var_pop(x)', 'r', 6, 12);
CALL add('many', 'dp_var_pop(x)', 'r', 4, 4, 4);
CALL add('few', 'dp_stddev(x)', 'r', 6, 12);
CALL add('few', 'dp_stddev_samp(x)', 'r', 6, 12);
CALL add('few', 'dp_stddev_pop(x)', 'r', 6, 12);
CALL add('few', 'dp_covar_samp(x, y)', 'r', 8, 12);
CALL add('many', 'dp_covar_pop(y, x)', 'r', 8, 12, 4);
CALL add('many', 'dp_corr(y, x)', 'r', 8, 12, 4);
CALL add('many', 'dp_regr_slope(y, x)', 'r', 6, 8, 4);
CALL add('many', 'dp_regr_intercept(y, x)', 'r', 6, 8, 4);
CALL add('many', 'dp_regr_r2(y, x)', 'r', 8, 12, 4);
CALL add('few', 'dp_regr_count(y, x)', 'r', 6, 8);
CALL add('few', 'dp_regr_avgx(y, x)', 'r', 6, 6);
CALL add('few', 'dp_regr_avgy(y, x)', 'r', 6, 6);
CALL add('few', 'dp_regr_sxx(y, x)', 'r', 6, 8);
CALL add('few', 'dp_regr_syy(y, x)', 'r', 6, 8);
CALL add('few', 'dp_regr_sxy(y, x)', 'r', 6, 8);
CALL add('many', 'dp_linregr(y, ARRAY[x, a])', 'r[1], r[2], r[3]', 6, 8, 4);
CALL ask('few', 'one release for count, means and sums of squares',
    'SELECT k, ARRAY[dp_regr_count(y, x), dp_regr_avgx(y, x), dp_regr_avgy(y, x), dp_regr_sxx(y, x)] AS v FROM %I GROUP BY k', 6, 8);

-- A row that is replaced, where all are of one stage.
CALL together('turn', 'dp_variance(x), dp_var_samp(x), dp_stddev(x), dp_stddev_samp(x)', 6, 8, 4);
CALL together('turn', 'dp_stddev_pop(x), dp_covar_samp(y, x), dp_regr_slope(y, x), dp_regr_r2(y, x)', 8, 12, 4);
CALL together('turn', 'dp_regr_intercept(y, x), dp_regr_count(y, x), dp_regr_avgx(y, x), dp_regr_avgy(y, x)', 6, 8, 4);
CALL together('turn', 'dp_regr_sxx(y, x), dp_regr_syy(y, x), dp_regr_sxy(y, x)', 6, 8, 4);
CALL add('turn', 'dp_linregr(y, ARRAY[x])', 'r[1], r[2]', 8, 12, 4);

-- A row that is replaced, or one attribute of it.
CALL add('turn', 'dp_var_pop(x)', 'r', 6, 6, 4);
CALL add('turn', 'dp_corr(x, y)', 'r', 8, 12, 4);
CALL add('turn', 'dp_covar_pop(x, y)', 'r', 8, 12, 4);
CALL add('side', 'dp_var_pop(y)', 'r', 8, 16, 4);
CALL add('side', 'dp_covar_pop(x, y)', 'r', 8, 12, 4);

\ir verdict.psql
