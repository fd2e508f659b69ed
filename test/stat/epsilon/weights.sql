-- weights.sql
--	Columns of weights of their own, under adjacency attribute: an answer at epsilon tells of a change of a column
--	at most its weight times epsilon, and about that where this column is what noise is for: see frame.psql.
--	What is held against the runs is that product in place of what the answer costs, which is the loss
--	of any column.
-- Files: agg/weights.c guard/rewrite/column_weights.c
\set schema dps_epsilon_weights
\ir frame.psql

\ir tables.psql

-- Of the pair heavy x changes, whose weight is 1; of the pair light y, of weight 1/2; of the pair tag s, of
-- weight 1/2.
CALL make_table('heavy_0', 'attribute', 'VALUES (5, 5, 5, 1, 20, ''u'', ''m1'', true), (0, 10, 5, 0, 0, ''u'', ''m1'', true)');
CALL make_table('heavy_1', 'attribute', 'VALUES (5, 5, 5, 1, 20, ''u'', ''m1'', true), (10, 10, 5, 0, 0, ''u'', ''m1'', true)');
CALL make_table('light_0', 'attribute', 'VALUES (5, 5, 5, 1, 20, ''u'', ''m1'', true), (10, 0, 5, 0, 0, ''u'', ''m1'', true)');
CALL make_table('light_1', 'attribute', 'VALUES (5, 5, 5, 1, 20, ''u'', ''m1'', true), (10, 10, 5, 0, 0, ''u'', ''m1'', true)');
CALL make_table('tag_0', 'attribute', 'SELECT 10, 0, 5, 1, 20, ''u'', ''m1'', true');
CALL make_table('tag_1', 'attribute', 'SELECT 10, 0, 5, 1, 20, ''v'', ''m1'', true');

CREATE PROCEDURE weigh(name text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.set_range(name::regclass, 'y', 0, 10, 0.5);
    EXECUTE format('SECURITY LABEL FOR dpsens ON COLUMN %I.s IS %L', name, 'WEIGHT 0.5 VALUES (''u'', ''v'', ''w'')');
END $$;
CALL weigh('heavy_0');
CALL weigh('heavy_1');
CALL weigh('light_0');
CALL weigh('light_1');
CALL weigh('tag_0');
CALL weigh('tag_1');

-- All at epsilon 2, of which y and s may tell 1.
CALL add('light', 'dp_sum(y)', 'r', 2, 2, 2);
CALL add('light', 'dp_sum(x + y / 2)', 'r', 2, 2, 2);
CALL add('light', 'dp_count(*) FILTER (WHERE y > 7)', 'r', 2, 2, 2);
CALL add('light', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 3, 2);
CALL add('tag', 'dp_sum(x) FILTER (WHERE s = ''v'')', 'r', 2, 2, 2);
CALL add('heavy', 'dp_sum(x)', 'r', 2, 2, 2);
CALL add('heavy', 'dp_sum(x + y / 2)', 'r', 2, 2, 2);
CALL those_in_check();

CALL add('light', 'dp_avg(y)', 'r', 2, 2, 2);
CALL add('light', 'dp_sum(x) FILTER (WHERE y > 7)', 'r', 2, 2, 2);
CALL add('light', 'dp_avg(x) FILTER (WHERE y > 7)', 'r', 4, 4, 2);
CALL add('light', 'dp_avg(ARRAY[x, y])', 'r[1], r[2]', 2, 3, 2);
CALL add('light', 'dp_histogram(y, 2)', 'r[1], r[2]', 2, 3, 2);
CALL add('light', 'dp_bool_or(y > 7)', 'r::int', 2, 3, 2);
CALL ask('tag', 'counts by a key of weight 1/2', 'SELECT k, ARRAY[dp_count(*) FILTER (WHERE s = ''u''), dp_count(*) FILTER (WHERE s = ''v'')] AS v FROM %I GROUP BY k', 3, 4, 2);
CALL add('tag', 'dp_mode(s)', 'array_position(ARRAY[''u'', ''v'', ''w''], r)', 4, NULL, 2);
CALL add('heavy', 'dp_sum(ARRAY[x, y / 2])', 'r[1], r[2]', 2, 3, 2);

-- the last case asks twice of a column, at 2 in all
UPDATE experiment SET epsilon = base * CASE WHEN pair = 'heavy' THEN 1 ELSE 0.5 END * CASE WHEN title LIKE 'counts by%' THEN 2 ELSE 1 END,
    delta = CASE WHEN mechanism = 'gaussian' THEN 0.05 * CASE WHEN title LIKE 'counts by%' THEN 2 ELSE 1 END ELSE 0 END;

\ir verdict.psql
