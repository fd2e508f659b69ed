-- choices.sql
--	What is drawn or decided: truth values, modes, quantiles, extremes and their
--	intervals, by the exponential mechanism, by trees of noisy counts and by a
--	noisy count: see frame.psql.
\set schema dps_epsilon_choices
\ir frame.psql
\ir tables.psql

-- The draws of an interval at level 0.01 and epsilon 1 turn on ranks that are 16 values apart, or
-- of extremes on the 19th value: there is a step at each of them, and the row that is added
-- makes what is before it rarer, what is behind it likelier; or the other way round.
CREATE VIEW steps AS SELECT x, y, z, a, CASE WHEN i = 0 THEN 5 WHEN i < 16 THEN 30 WHEN i = 16 THEN 36 WHEN i < 32 THEN 61 ELSE 67 END AS b, s, m, f
    FROM generate_series(0, 32) AS i, LATERAL (SELECT * FROM crowd LIMIT 1) AS c;
CALL make_table('steps_0', 'add_remove', 'SELECT * FROM steps');
CALL make_table('steps_1', 'add_remove', 'SELECT * FROM steps UNION ALL SELECT 10, 10, 10, 3, 99, ''v'', ''m2'', false');
CALL make_table('far_0', 'add_remove', 'SELECT * FROM (SELECT x, y, z, a, CASE WHEN i <= 17 THEN 0 ELSE 20 END, s, m, f FROM generate_series(1, 19) AS i, LATERAL (SELECT * FROM crowd LIMIT 1) AS c) AS r');
CALL make_table('far_1', 'add_remove', 'SELECT * FROM (SELECT x, y, z, a, CASE WHEN i <= 18 THEN 0 ELSE 20 END, s, m, f FROM generate_series(1, 20) AS i, LATERAL (SELECT * FROM crowd LIMIT 1) AS c) AS r');

-- The exponential mechanism: what is rare comes to be likelier while the rest becomes rarer.
CALL add('none', 'dp_mode(m)', 'array_position(ARRAY[''m1'', ''m2'', ''m3''], r)', 2, NULL);
CALL add('turn', 'dp_mode(m)', 'array_position(ARRAY[''m1'', ''m2'', ''m3''], r)', 3, NULL);
CALL add('few', 'dp_median(b)', 'r', 2, NULL);
CALL add('swap', 'dp_median(b)', 'r', 2, NULL);
CALL add('steps', 'dp_median_ci(b, EPSILON, 0.01)', '((r).lower < 5)::int + ((r).estimate < 36)::int + ((r).upper < 67)::int', 1, NULL);
CALL add('few', 'dp_quantile(b, ARRAY[0.49, 0.51])', '(r[1] < 20)::int + (r[2] < 20)::int', 4, NULL);
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
CALL add('none', 'dp_bool_and_ci(f)', '(r).estimate::int, (r).lower::int, (r).upper::int', 2, 4);
CALL add('swap', 'dp_bool_or_ci(NOT f)', '(r).estimate::int, (r).lower::int, (r).upper::int', 2, 4);
CALL add('few', 'dp_bool_and(f)', 'r::int', 2, 4);
CALL add('many', 'dp_bool_and(f)', 'r::int', 2, 4);
CALL add('part', 'dp_bool_or(x > 7)', 'r::int', 2, 4);
CALL add('swap', 'dp_bool_and_ci(f)', '(r).estimate::int, (r).lower::int, (r).upper::int', 2, 4);

CALL add('few', 'dp_mode(s)', 'array_position(ARRAY[''u'', ''v'', ''w''], r)', 4, NULL);
CALL add('few', 'dp_top(s, 2)', 'ascii(r[1]), ascii(r[2])', 4, 8);
CALL add('swap', 'dp_top(s, 2)', 'ascii(r[1]), ascii(r[2])', 4, 8);
CALL add('swap', 'dp_mode(s)', 'array_position(ARRAY[''u'', ''v'', ''w''], r)', 4, 8);
CALL add('none', 'dp_mode_ci(s)', 'ascii(r[1]), ascii(r[2]), ascii(r[3])', 3, 6);
CALL add('swap', 'dp_mode_ci(s)', 'ascii(r[1]), ascii(r[2]), ascii(r[3])', 3, 6);

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
CALL add('swap', 'dp_quantile(b, ARRAY[0.49, 0.51])', '(r[1] < 20)::int + (r[2] < 20)::int', 4, NULL);
CALL add('none', 'dp_min(a)', 'r', 6, NULL);
CALL add('none', 'dp_max(a)', 'r', 6, NULL);
CALL add('swap', 'dp_min(a)', 'r', 4, NULL);
CALL add('swap', 'dp_max(a)', 'r', 4, NULL);
CALL add('rank', 'dp_max(99 - b)', 'r', 1, NULL);
CALL add('bit', 'dp_max(a + b)', 'r', 6, NULL);
CALL add('swap', 'dp_median_ci(b)', '((r).lower < 20)::int + ((r).estimate < 20)::int + ((r).upper < 20)::int', 8, NULL);
CALL add('few', 'dp_quantile_ci(b, 0.4)', '((r).lower < 20)::int + ((r).estimate < 20)::int + ((r).upper < 20)::int', 12, NULL);
CALL add('few', 'dp_quantile_ci(b, ARRAY[0.4, 0.6])', '((r).estimate[1] < 20)::int + ((r).estimate[2] < 20)::int + ((r).lower[1] < 20)::int + ((r).upper[2] < 20)::int', 16, NULL);
CALL add('few', 'dp_median_ci(b)', '((r).lower < 20)::int + ((r).estimate < 20)::int + ((r).upper < 20)::int', 8, NULL);
CALL add('swap', 'dp_quantile_ci(b, 0.4)', '((r).lower < 20)::int + ((r).estimate < 20)::int + ((r).upper < 20)::int', 12, NULL);
CALL add('swap', 'dp_quantile_ci(b, ARRAY[0.4, 0.6])', '((r).estimate[1] < 20)::int + ((r).estimate[2] < 20)::int + ((r).lower[1] < 20)::int + ((r).upper[2] < 20)::int', 16, NULL);
CALL add('far', 'dp_min_ci(b, EPSILON, 0.01)', '((r).estimate BETWEEN 1 AND 19)::int + ((r).upper BETWEEN 1 AND 19)::int', 1, NULL);
CALL add('far', 'dp_max_ci(99 - b, EPSILON, 0.01)', '((r).estimate BETWEEN 80 AND 98)::int + ((r).lower BETWEEN 80 AND 98)::int', 1, NULL);
CALL add('none', 'dp_min_ci(a)', '(r).estimate + (r).upper', 12, NULL);
CALL add('none', 'dp_max_ci(a)', '(r).estimate + (r).lower', 12, NULL);
CALL add('swap', 'dp_min_ci(a)', '(r).estimate + (r).upper', 8, NULL);
CALL add('swap', 'dp_max_ci(a)', '(r).estimate + (r).lower', 8, NULL);
CALL ask('few', 'a mode, a median and a count', 'SELECT k, ARRAY[array_position(ARRAY[''m1'', ''m2'', ''m3''], dp_mode(m)), dp_median(b), dp_count(*)] AS v FROM %I GROUP BY k', 4, 8);

\ir verdict.psql
