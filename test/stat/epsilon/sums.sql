-- sums.sql
--	Counts, sums and what is computed from sums, with discrete Laplace and discrete
--	Gaussian noise, under every adjacency: see frame.psql.
\set schema dps_epsilon_sums
\ir frame.psql

\ir tables.psql

-- Each of them and each adjacency once.
CALL add('few', 'dp_count(*)', 'r', 2, 2);
CALL add('few', 'dp_sum(x)', 'r', 2, 2);
CALL add('few', 'dp_sum(a)', 'r', 2, 2);
CALL add('none', 'dp_sum(ARRAY[x, x * y, 10 - y])', 'r[1], r[2], r[3]', 2, 3);
CALL add('few', 'dp_histogram(x, 2)', 'r[1], r[2]', 2, 2);
CALL add('few', 'dp_count(DISTINCT s)', 'r', 2, 2);
CALL add('few', 'dp_avg(x)', 'r', 4, 4);
CALL add('few', 'dp_avg(ARRAY[x, y])', 'r[1], r[2]', 6, 6);
CALL add('swap', 'dp_sum(x)', 'r', 2, 2);
CALL add('swap', 'dp_sum(a)', 'r', 2, 2);
CALL add('swap', 'dp_avg(x)', 'r', 2, 2);
CALL add('swap', 'dp_histogram(x, 2)', 'r[1], r[2]', 2, 3);
CALL add('part', 'dp_sum(x)', 'r', 2, 2);
CALL add('move', 'dp_sum(0.6 * x + 0.8 * y)', 'r', 2, 2);
CALL ask('few', 'a count, a sum and a sum of squares', 'SELECT k, ARRAY[dp_count(*), dp_sum(x), dp_sum(x ^ 2)] AS v FROM %I GROUP BY k', 3, 4);
CALL those_in_check();

-- Counts and sums.
CALL add('none', 'dp_count(x)', 'r', 2, 2);
CALL add('many', 'dp_count(z)', 'r', 2, 2);
CALL add('few', 'dp_count_ci(*)', '(r).estimate, (r).lower, (r).upper', 2, 2);
CALL add('few', 'dp_count(*) FILTER (WHERE x > 7)', 'r', 2, 2);
CALL add('none', 'dp_count_ci(DISTINCT s)', '(r).estimate, (r).upper', 2, 2);
CALL add('none', 'dp_sum(x - 5)', 'r', 3, 3);
CALL add('many', 'dp_sum(z)', 'r', 2, 2);
CALL add('few', 'dp_sum_ci(x)', '(r).estimate, (r).lower', 2, 2);
CALL add('few', 'dp_sum(CASE WHEN f THEN x ELSE -y END)', 'r', 2, 2);
CALL add('few', 'dp_histogram(x, ARRAY[0, 1, 7, 10])', 'r[1], r[2], r[3]', 2, 2);
CALL add('few', 'dp_histogram_ci(x, 2)', '(r).estimate[2], (r).upper[2]', 2, 2);
CALL add('few', 'dp_histogram_ci(x, ARRAY[0, 1, 7, 10])', '(r).estimate[1], (r).upper[2], (r).lower[3]', 2, 2);
CALL add('few', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 3);
CALL add('few', 'dp_sum_ci(ARRAY[x, y])', '(r).estimate[1], (r).upper[2]', 2, 3);

-- Means.
CALL add('none', 'dp_avg(x)', 'r', 4, 4);
CALL add('many', 'dp_avg(x)', 'r', 4, 4, 4);
CALL add('few', 'dp_avg_ci(x)', '(r).estimate, (r).upper - (r).lower', 4, 4);
CALL add('none', 'dp_avg_ci(ARRAY[x, y])', '(r).estimate[1], (r).upper[1]', 8, 12);

-- Releases that are charged one by one.
CALL ask('few', 'the same sum twice is one release', 'SELECT k, ARRAY[dp_sum(x), dp_sum(x) + 1] AS v FROM %I GROUP BY k', 3, 4);
CALL ask('few', 'sums at epsilons of their own', 'SELECT k, ARRAY[dp_sum(x, 0.4 * EPSILON), dp_sum(y, 0.6 * EPSILON)] AS v FROM %I GROUP BY k', 3, 4);

-- A row that is replaced.
CALL add('swap', 'dp_count(*) FILTER (WHERE x > 7)', 'r', 2, 2);
CALL add('swap', 'dp_count(z)', 'r', 2, 2);
CALL add('swap', 'dp_sum(z - 5)', 'r', 4, 6);
CALL add('swap', 'dp_avg_ci(x)', '(r).estimate, (r).upper', 2, 2);
CALL add('swap', 'dp_avg(z)', 'r', 6, 6);
CALL add('swap', 'dp_avg(x) FILTER (WHERE a <> 1)', 'r', 4, 6);
CALL add('swap', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 3);
CALL add('swap', 'dp_avg(ARRAY[x, y])', 'r[1], r[2]', 2, 3);
CALL add('swap', 'dp_count(DISTINCT s)', 'r', 2, 2);
CALL add('swap', 'dp_count_ci(*) FILTER (WHERE x > 7)', '(r).estimate, (r).lower, (r).upper', 2, 2);
CALL add('swap', 'dp_count_ci(DISTINCT s)', '(r).estimate, (r).upper', 2, 2);
CALL add('swap', 'dp_sum_ci(x)', '(r).estimate, (r).lower', 2, 2);
CALL add('swap', 'dp_sum_ci(ARRAY[x, y])', '(r).estimate[1], (r).upper[2]', 2, 3);
CALL add('swap', 'dp_avg_ci(ARRAY[x, y])', '(r).estimate[1], (r).upper[2]', 2, 3);
CALL add('swap', 'dp_histogram_ci(x, 2)', '(r).estimate[1], (r).upper[2]', 2, 3);
CALL add('swap', 'dp_histogram(x, ARRAY[0, 1, 7, 10])', 'r[1], r[2], r[3]', 2, 3);
CALL add('swap', 'dp_histogram_ci(x, ARRAY[0, 1, 7, 10])', '(r).estimate[1], (r).upper[2], (r).lower[3]', 2, 3);

-- One attribute of it.
CALL add('part', 'dp_sum(x * y / 10)', 'r', 2, 2);
CALL add('part', 'dp_avg(x)', 'r', 2, 2);
CALL add('part', 'dp_count(*) FILTER (WHERE x > 7)', 'r', 2, 2);
CALL add('part', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 3);
-- Gaussian noise of an eighth of the scale, and of a 64th, for the second entry, which y alone moves.
CALL add('part', 'dp_sum(ARRAY[x, y / 8])', 'r[1], r[2] * 8', 2, 3);
CALL add('side', 'dp_sum(ARRAY[x, y / 8])', 'r[1], r[2] * 8', NULL, 3);
CALL add('side', 'dp_avg(ARRAY[x + y / 64, y / 64])', 'r[1], r[2] * 64', NULL, 3);
CALL add('part', 'dp_histogram(x, 2)', 'r[1], r[2]', 2, 3);

-- A move by a distance of 1, and by 3.
CALL add('move', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 3);
CALL add('move', 'dp_avg(0.6 * x + 0.8 * y)', 'r', 2, 2);
CALL add('leap', 'dp_sum(0.6 * x + 0.8 * y)', 'r', 2, NULL, 1, 3);

\ir verdict.psql
