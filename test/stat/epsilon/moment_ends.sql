-- moment_ends.sql
--	The ends of intervals of what is computed from a release of moments, which one statement
--	shares: see moments.sql and frame.psql.
--
-- They are computed from the outputs that the estimate is computed from, and from public
-- numbers, by looking at thousands of points: a hundred times as long as a draw.  So each is
-- asked a hundred thousand times at most.
\set schema dps_epsilon_moment_ends
\ir frame.psql
\ir tables.psql

CALL add('few', 'dp_var_pop_ci(x)', '(r).estimate, (r).upper - (r).lower', 6, 12);
CALL those_in_check();

-- Each by itself.
CALL add('many', 'dp_stddev_pop_ci(x)', '(r).estimate, (r).upper - (r).lower', 6, 6, 4);
CALL add('many', 'dp_regr_slope_ci(y, x)', '(r).estimate, (r).upper - (r).lower', 6, 8, 4);
CALL add('many', 'dp_linregr_ci(y, ARRAY[x])', '(r).estimate[1], (r).estimate[2], (r).upper[2]', 6, 8, 4);

-- Of one stage, which several share.
CALL together('many', '(dp_variance_ci(x)).upper, (dp_var_samp_ci(x)).lower, (dp_stddev_ci(x)).upper, (dp_stddev_samp_ci(x)).estimate', 6, 8, 4);
CALL together('many', '(dp_corr_ci(y, x)).upper, (dp_covar_pop_ci(y, x)).estimate, (dp_covar_samp_ci(y, x)).lower, (dp_regr_r2_ci(y, x)).upper', 8, 12, 4);
CALL together('many', '(dp_regr_avgx_ci(y, x)).estimate, (dp_regr_avgy_ci(y, x)).lower, (dp_regr_count_ci(y, x)).upper, (dp_regr_intercept_ci(y, x)).lower', 6, 8, 4);
CALL together('many', '(dp_regr_sxx_ci(y, x)).estimate, (dp_regr_sxy_ci(y, x)).upper, (dp_regr_syy_ci(y, x)).lower', 6, 8, 4);

-- A row that is replaced.
CALL add('turn', 'dp_linregr_ci(y, ARRAY[x])', '(r).estimate[1], (r).estimate[2], (r).upper[2]', 8, 12, 4);
CALL together('turn', '(dp_variance_ci(x)).upper, (dp_var_samp_ci(x)).lower, (dp_stddev_ci(x)).upper, (dp_stddev_samp_ci(x)).estimate', 6, 8, 4);
CALL together('turn', '(dp_var_pop_ci(x)).estimate, (dp_stddev_pop_ci(x)).upper', 6, 8, 4);
CALL together('turn', '(dp_covar_pop_ci(y, x)).estimate, (dp_covar_samp_ci(y, x)).lower', 8, 12, 4);
CALL together('turn', '(dp_corr_ci(y, x)).upper, (dp_regr_slope_ci(y, x)).estimate, (dp_regr_r2_ci(y, x)).lower, (dp_regr_intercept_ci(y, x)).lower', 8, 12, 4);
CALL together('turn', '(dp_regr_avgx_ci(y, x)).estimate, (dp_regr_avgy_ci(y, x)).lower, (dp_regr_count_ci(y, x)).upper', 6, 16, 4);
CALL together('turn', '(dp_regr_sxx_ci(y, x)).estimate, (dp_regr_sxy_ci(y, x)).upper, (dp_regr_syy_ci(y, x)).lower', 6, 8, 4);

UPDATE experiment SET most = 100000;

\ir verdict.psql
