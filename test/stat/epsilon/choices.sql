-- choices.sql
--	What is drawn or decided: truth values, modes, quantiles, extremes and their
--	intervals, by the exponential mechanism, by trees of noisy counts and by a
--	noisy count: see frame.psql.
\set schema dps_epsilon_choices
\ir frame.psql
\ir tables.psql

-- The exponential mechanism: what is rare comes to be likelier while the rest becomes rarer.
CALL add('none', 'dp_mode(m)', 'array_position(ARRAY[''m1'', ''m2'', ''m3''], r)', 2, NULL);
CALL add('turn', 'dp_mode(m)', 'array_position(ARRAY[''m1'', ''m2'', ''m3''], r)', 3, NULL);
CALL add('few', 'dp_median(b)', 'r', 2, NULL);
CALL add('swap', 'dp_median(b)', 'r', 2, NULL);
CALL add('few', 'dp_median_ci(b)', '((r).lower < 20)::int + ((r).estimate < 20)::int + ((r).upper < 20)::int', 8, NULL);
CALL add('few', 'dp_quantile(b, ARRAY[0.4, 0.6])', '(r[1] < 20)::int + (r[2] < 20)::int', 6, NULL);
CALL add('few', 'dp_quantile(a, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])', 'r[1], r[3], r[5], r[8]', 3, NULL);
-- at another epsilon the rank is another one, too
CALL add('rank', 'dp_min(b)', 'r', 1, NULL);
CALL add('none', 'dp_bool_or(NOT f)', 'r::int', 2, 4);
CALL add('swap', 'dp_bool_and(f)', 'r::int', 2, 4);
CALL those_in_check();

-- Trees of noisy counts, of either kind.
CALL add('few', 'dp_quantile(a, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])', 'r[1], r[3], r[5], r[8]', NULL, 16);
CALL add('swap', 'dp_quantile(a, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])', 'r[1], r[3], r[5], r[8]', 4, 16);

-- A noisy count decides.
CALL add('none', 'dp_bool_and(f)', 'r::int', 2, 4);
CALL add('swap', 'dp_bool_or(NOT f)', 'r::int', 2, 4);
CALL add('none', 'dp_bool_or_ci(NOT f)', '(r).estimate::int, (r).lower::int, (r).upper::int', 2, 4);
CALL add('few', 'dp_bool_and(f)', 'r::int', 2, 4);
CALL add('many', 'dp_bool_and(f)', 'r::int', 2, 4);
CALL add('part', 'dp_bool_or(x > 7)', 'r::int', 2, 4);
CALL add('swap', 'dp_bool_and_ci(f)', '(r).estimate::int, (r).lower::int, (r).upper::int', 2, 4);

CALL add('few', 'dp_mode(s)', 'array_position(ARRAY[''u'', ''v'', ''w''], r)', 4, NULL);
CALL add('swap', 'dp_mode(s)', 'array_position(ARRAY[''u'', ''v'', ''w''], r)', 4, NULL);

CALL add('few', 'dp_median(a)', 'r', 4, NULL);
CALL add('few', 'dp_median(x)', 'r', 4, NULL);
CALL add('swap', 'dp_median(a)', 'r', 4, NULL);
CALL add('bit', 'dp_median(b)', 'r', 2, NULL);
CALL add('part', 'dp_median(x)', 'r', 4, NULL);
CALL add('few', 'dp_quantile(b, 0.9)', 'r', 6, NULL);
CALL add('none', 'dp_quantile(3 - a, 0.25)', 'r', 6, NULL);
CALL add('swap', 'dp_quantile(b, 0.75)', 'r', 6, NULL);
CALL add('many', 'dp_quantile(b, 0.4)', 'r', 6, NULL);
CALL add('turn', 'dp_quantile(b, 0.4)', 'r', 8, NULL);
CALL add('swap', 'dp_quantile(b, ARRAY[0.4, 0.6])', '(r[1] < 20)::int + (r[2] < 20)::int', 4, NULL);
CALL add('none', 'dp_min(a)', 'r', 6, NULL);
CALL add('none', 'dp_max(a)', 'r', 6, NULL);
CALL add('swap', 'dp_min(a)', 'r', 4, NULL);
CALL add('swap', 'dp_max(a)', 'r', 4, NULL);
CALL add('rank', 'dp_max(99 - b)', 'r', 1, NULL);
CALL add('bit', 'dp_max(a + b)', 'r', 6, NULL);
CALL add('swap', 'dp_median_ci(b)', '((r).lower < 20)::int + ((r).estimate < 20)::int + ((r).upper < 20)::int', 8, NULL);
CALL add('few', 'dp_quantile_ci(b, 0.4)', '((r).lower < 20)::int + ((r).estimate < 20)::int + ((r).upper < 20)::int', 12, NULL);
CALL add('few', 'dp_quantile_ci(b, ARRAY[0.4, 0.6])', '((r).estimate[1] < 20)::int + ((r).estimate[2] < 20)::int + ((r).lower[1] < 20)::int + ((r).upper[2] < 20)::int', 16, NULL);
CALL add('rank', 'dp_min_ci(b)', '((r).estimate = 0)::int + ((r).upper = 0)::int, (r).estimate', 1, NULL);
CALL add('rank', 'dp_max_ci(99 - b)', '((r).lower = 99)::int + ((r).estimate = 99)::int, (r).estimate', 1, NULL);
CALL add('none', 'dp_min_ci(a)', '(r).estimate + (r).upper', 12, NULL);
CALL add('none', 'dp_max_ci(a)', '(r).estimate + (r).lower', 12, NULL);
CALL ask('few', 'a mode, a median and a count', 'SELECT k, ARRAY[array_position(ARRAY[''m1'', ''m2'', ''m3''], dp_mode(m)), dp_median(b), dp_count(*)] AS v FROM %I GROUP BY k', 4, 8);

\ir verdict.psql
