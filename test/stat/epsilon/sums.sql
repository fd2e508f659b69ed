-- sums.sql
--	Counts, sums and what is computed from sums, with discrete Laplace and discrete
--	Gaussian noise, under every adjacency: see frame.psql.
\set schema dps_epsilon_sums
\ir frame.psql

-- One row and another one beside it; nothing and one row; many and one more; a row that
-- becomes another, or one that does not count; an attribute that changes; a row that moves by 1.
CALL make_table('few_0', 'add_remove', 'SELECT 5, 5, 5, 1, ''u'', true');
CALL make_table('few_1', 'add_remove', 'VALUES (5, 5, 5, 1, ''u'', true), (10, 10, 10, 3, ''v'', false)');
CALL make_table('none_0', 'add_remove', 'SELECT 0, 0, 0, 0, ''u'', true WHERE false');
CALL make_table('none_1', 'add_remove', 'SELECT 10, 10, 10, 3, ''v'', false');
CALL make_table('many_0', 'add_remove', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, NULL::float8, 1 + i % 2, ''u'', true FROM generate_series(1, 20) AS i');
CALL make_table('many_1', 'add_remove', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, NULL::float8, 1 + i % 2, ''u'', true FROM generate_series(1, 20) AS i UNION ALL SELECT 10, 0, 10, 3, ''v'', false');
CALL make_table('swap_0', 'replace', 'VALUES (5, 5, 5, 1, ''u'', true), (0, 0, NULL, 0, ''u'', true)');
CALL make_table('swap_1', 'replace', 'VALUES (5, 5, 5, 1, ''u'', true), (10, 10, 10, 3, ''v'', false)');
CALL make_table('turn_0', 'replace', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, NULL::float8, 1 + i % 2, ''u'', true FROM generate_series(1, 20) AS i UNION ALL SELECT 5, 5, 5, 1, ''u'', true');
CALL make_table('turn_1', 'replace', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, NULL::float8, 1 + i % 2, ''u'', true FROM generate_series(1, 20) AS i UNION ALL SELECT 10, 0, 5, 3, ''v'', false');
CALL make_table('part_0', 'attribute', 'VALUES (5, 5, 5, 1, ''u'', true), (0, 10, 5, 0, ''u'', true)');
CALL make_table('part_1', 'attribute', 'VALUES (5, 5, 5, 1, ''u'', true), (10, 10, 5, 0, ''u'', true)');
CALL make_table('side_0', 'attribute', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, NULL::float8, 1 + i % 2, ''u'', true FROM generate_series(1, 20) AS i UNION ALL SELECT 10, 10, 5, 1, ''u'', true');
CALL make_table('side_1', 'attribute', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, NULL::float8, 1 + i % 2, ''u'', true FROM generate_series(1, 20) AS i UNION ALL SELECT 10, 0, 5, 1, ''u'', true');
CALL make_table('move_0', 'metric', 'VALUES (5, 5, 5, 1, ''u'', true), (4, 4, 5, 0, ''u'', true)');
CALL make_table('move_1', 'metric', 'VALUES (5, 5, 5, 1, ''u'', true), (4.6, 4.8, 5, 0, ''u'', true)');
CALL make_table('leap_0', 'metric', 'VALUES (5, 5, 5, 1, ''u'', true), (4, 4, 5, 0, ''u'', true)');
CALL make_table('leap_1', 'metric', 'VALUES (5, 5, 5, 1, ''u'', true), (5.8, 6.4, 5, 0, ''u'', true)');

-- Counts and sums.
CALL add('few', 'dp_count(*)', 'r', 2, 2);
CALL add('none', 'dp_count(x)', 'r', 2, 2);
CALL add('many', 'dp_count(z)', 'r', 2, 2);
CALL add('few', 'dp_count_ci(*)', '(r).estimate, (r).lower, (r).upper', 2, 2);
CALL add('few', 'dp_count(*) FILTER (WHERE x > 7)', 'r', 2, 2);
CALL add('few', 'dp_count(DISTINCT s)', 'r', 2, 2);
CALL add('none', 'dp_count_ci(DISTINCT s)', '(r).estimate, (r).upper', 2, 2);
CALL add('few', 'dp_sum(x)', 'r', 2, 2);
CALL add('none', 'dp_sum(x - 5)', 'r', 3, 3);
CALL add('many', 'dp_sum(z)', 'r', 2, 2);
CALL add('few', 'dp_sum_ci(x)', '(r).estimate, (r).lower', 2, 2);
CALL add('few', 'dp_sum(CASE WHEN f THEN x ELSE -y END)', 'r', 2, 2);
CALL add('few', 'dp_histogram(x, 2)', 'r[1], r[2]', 2, 2);
CALL add('few', 'dp_histogram(x, ARRAY[0, 1, 7, 10])', 'r[1], r[2], r[3]', 2, 2);
CALL add('few', 'dp_histogram_ci(x, 2)', '(r).estimate[2], (r).upper[2]', 2, 2);
CALL add('few', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 2);
CALL add('none', 'dp_sum(ARRAY[x, x * y, 10 - y])', 'r[1], r[2], r[3]', 2, 2);
CALL add('few', 'dp_sum_ci(ARRAY[x, y])', '(r).estimate[1], (r).upper[2]', 2, 2);

-- Means.
CALL add('few', 'dp_avg(x)', 'r', 4, 4);
CALL add('none', 'dp_avg(x)', 'r', 4, 4);
CALL add('many', 'dp_avg(x)', 'r', 4, 4, 4);
CALL add('few', 'dp_avg_ci(x)', '(r).estimate, (r).upper - (r).lower', 4, 4);
CALL add('few', 'dp_avg(ARRAY[x, y])', 'r[1], r[2]', 6, 6);
CALL add('none', 'dp_avg_ci(ARRAY[x, y])', '(r).estimate[1], (r).upper[1]', 6, 6);

-- What is computed from moments: each by itself, and several from one release.
CALL add('few', 'dp_variance(x)', 'r', 6, 12);
CALL add('few', 'dp_var_samp(x)', 'r', 6, 12);
CALL add('few', 'dp_var_pop(x)', 'r', 6, 12);
CALL add('few', 'dp_var_pop_ci(x)', '(r).estimate, (r).upper - (r).lower', 6, 12);
CALL add('many', 'dp_var_pop(x)', 'r', 4, 4, 4);
CALL add('few', 'dp_stddev(x)', 'r', 6, 12);
CALL add('few', 'dp_stddev_samp(x)', 'r', 6, 12);
CALL add('few', 'dp_stddev_pop(x)', 'r', 6, 12);
CALL add('many', 'dp_stddev_pop_ci(x)', '(r).estimate, (r).upper - (r).lower', 6, 6, 4);
CALL add('few', 'dp_covar_samp(x, y)', 'r', 8, 12);
CALL add('few', 'dp_covar_pop(x, y)', 'r', 8, 12);
CALL add('many', 'dp_covar_pop(y, x)', 'r', 8, 12, 4);
CALL add('many', 'dp_corr(y, x)', 'r', 8, 12, 4);
CALL add('many', 'dp_regr_slope(y, x)', 'r', 6, 8, 4);
CALL add('many', 'dp_regr_slope_ci(y, x)', '(r).estimate, (r).upper - (r).lower', 6, 8, 4);
CALL add('many', 'dp_regr_intercept(y, x)', 'r', 6, 8, 4);
CALL add('many', 'dp_regr_r2(y, x)', 'r', 6, 8, 4);
CALL add('few', 'dp_regr_count(y, x)', 'r', 6, 8);
CALL add('few', 'dp_regr_avgx(y, x)', 'r', 6, 6);
CALL add('few', 'dp_regr_avgy(y, x)', 'r', 6, 6);
CALL add('few', 'dp_regr_sxx(y, x)', 'r', 6, 8);
CALL add('few', 'dp_regr_syy(y, x)', 'r', 6, 8);
CALL add('few', 'dp_regr_sxy(y, x)', 'r', 6, 8);
CALL add('many', 'dp_linregr(y, ARRAY[x, a])', 'r[1], r[2], r[3]', 6, 8, 4);
CALL add('many', 'dp_linregr_ci(y, ARRAY[x])', '(r).estimate[1], (r).estimate[2], (r).upper[2]', 6, 8, 4);
CALL ask('many', 'one release for slope, r2, stddev and covariance',
    'SELECT k, ARRAY[dp_regr_slope(y, x), dp_regr_r2(y, x), dp_stddev(x), dp_covar_pop(y, x)] AS v FROM %I GROUP BY k', 6, 8, 4);
CALL ask('few', 'one release for count, means and sums of squares',
    'SELECT k, ARRAY[dp_regr_count(y, x), dp_regr_avgx(y, x), dp_regr_avgy(y, x), dp_regr_sxx(y, x)] AS v FROM %I GROUP BY k', 6, 8);

-- Releases that are charged one by one.
CALL ask('few', 'a count, a sum and a sum of squares', 'SELECT k, ARRAY[dp_count(*), dp_sum(x), dp_sum(x ^ 2)] AS v FROM %I GROUP BY k', 2, 2);
CALL ask('few', 'the same sum twice is one release', 'SELECT k, ARRAY[dp_sum(x), dp_sum(x) + 1] AS v FROM %I GROUP BY k', 2, 2);
CALL ask('few', 'sums at epsilons of their own', 'SELECT k, ARRAY[dp_sum(x, 0.4 * EPSILON), dp_sum(y, 0.6 * EPSILON)] AS v FROM %I GROUP BY k', 2, 2);

-- A row that is replaced.
CALL add('swap', 'dp_count(*) FILTER (WHERE x > 7)', 'r', 2, 2);
CALL add('swap', 'dp_count(z)', 'r', 2, 2);
CALL add('swap', 'dp_sum(x)', 'r', 2, 2);
CALL add('swap', 'dp_sum(z - 5)', 'r', 3, 3);
CALL add('swap', 'dp_avg(x)', 'r', 2, 2);
CALL add('swap', 'dp_avg_ci(x)', '(r).estimate, (r).upper', 2, 2);
CALL add('swap', 'dp_avg(z)', 'r', 4, 4);
CALL add('swap', 'dp_avg(x) FILTER (WHERE a <> 1)', 'r', 4, 6);
CALL add('turn', 'dp_var_pop(x)', 'r', 6, 6, 4);
CALL add('turn', 'dp_corr(x, y)', 'r', 8, 12, 4);
CALL add('turn', 'dp_covar_pop(x, y)', 'r', 8, 12, 4);
CALL add('swap', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 2);
CALL add('swap', 'dp_avg(ARRAY[x, y])', 'r[1], r[2]', 2, 2);
CALL add('swap', 'dp_histogram(x, 2)', 'r[1], r[2]', 2, 2);
CALL add('swap', 'dp_count(DISTINCT s)', 'r', 2, 2);

-- One attribute of it.
CALL add('part', 'dp_sum(x)', 'r', 2, 2);
CALL add('part', 'dp_sum(x * y / 10)', 'r', 2, 2);
CALL add('part', 'dp_avg(x)', 'r', 2, 2);
CALL add('part', 'dp_count(*) FILTER (WHERE x > 7)', 'r', 2, 2);
CALL add('part', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 2);
CALL add('side', 'dp_var_pop(y)', 'r', 6, 6, 4);
CALL add('side', 'dp_covar_pop(x, y)', 'r', 8, 12, 4);
CALL add('part', 'dp_histogram(x, 2)', 'r[1], r[2]', 2, 2);

-- A move by a distance of 1, and by 3.
CALL add('move', 'dp_sum(0.6 * x + 0.8 * y)', 'r', 2, 2);
CALL add('move', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 2);
CALL add('move', 'dp_avg(0.6 * x + 0.8 * y)', 'r', 2, 2);
CALL add('leap', 'dp_sum(0.6 * x + 0.8 * y)', 'r', 2, NULL, 1, 3);

\ir verdict.psql
