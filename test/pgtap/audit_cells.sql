-- Functions of a row, of which the planner makes functions of its cells: the
-- answers are the same, wherever the row comes from.
-- Files: audit/sql_cells.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(28);
CREATE SCHEMA cells_tap;
SET LOCAL search_path = cells_tap, public;

CREATE DOMAIN share AS float8 CHECK (VALUE >= 0);
CREATE TABLE things (id int PRIMARY KEY, gone int, n numeric, part share, born date, flag boolean NOT NULL, p float8 NOT NULL);
ALTER TABLE things DROP COLUMN gone;
INSERT INTO things SELECT i, CASE WHEN i % 5 > 0 THEN i % 13 END, i % 17, CASE WHEN i % 7 > 0 THEN date '1980-01-01' + i END, i % 3 = 0, i % 4
FROM generate_series(1, 200) AS i;
INSERT INTO things VALUES (1000, 'NaN', 'NaN', 'infinity', true, '-Infinity');
SELECT dpsens.protect('things', 'id'), dpsens.set_range('things', 'n', 0, 12), dpsens.set_range('things', 'part', 0, 10),
    dpsens.set_range('things', 'born', '1970-01-01', '2020-01-01'), dpsens.set_range('things', 'p', 0, 3), dpsens.set_public('things', 'p');
SELECT dpsens.register('f', 'things', 'n * part ^ 2 * p + extract(epoch FROM born) / 1e9 * CASE WHEN flag THEN 2 ELSE 1 END');
SELECT dpsens.register('c', 'things', 'coalesce(n, 3) + part');
SELECT dpsens.register('k', 'things', '42');
SET LOCAL dpsens.epsilon = 1;
SET LOCAL dpsens.mechanism = gaussian;

-- A row that comes out of a subquery is one.
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    lines text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        lines := lines || line || E'\n';
    END LOOP;
    RETURN lines;
END$$;
CREATE TABLE calls AS
SELECT format('dpsens.%s(%L, %%s%s)', name, expression || '(things)', parameter) AS call, expression, place
FROM unnest('{value_of,slope_of,gradient_of,gradient_norm_of,contribution_of,contribution_of,partial_sensitivity_of,partial_sensitivity_of,plis_of,plis_of,individual_loss,individual_epsilon,first_order_loss}'::text[],
            ARRAY['', ', 2', '', '', '', ', 2', '', ', 1', ', 2', ', 2, 1', ', 3', ', 1e-7', ', 3']) WITH ORDINALITY AS f (name, parameter, place),
    unnest('{f,c,k}'::text[]) AS expression;
SELECT results_eq(format('SELECT %s FROM things AS t ORDER BY id', string_agg(format(call, 't'), ', ' ORDER BY place)),
    format('SELECT %s FROM (SELECT t AS r FROM things AS t OFFSET 0) AS s ORDER BY (s.r).id', string_agg(format(call, 's.r'), ', ' ORDER BY place)),
    'all functions of ' || expression) FROM calls GROUP BY expression ORDER BY expression;
SELECT is((SELECT count(*) FROM calls WHERE plan_of(format('SELECT %s FROM things AS t', format(call, 't'))) !~ ('cells_' || CASE WHEN call ~ 'gradient_of|(contribution|partial).*%s[)]|plis_of.*, 2[)]' THEN 'array' ELSE 'number' END)), 13::bigint,
    'of cells, where there are any');
SELECT unalike(plan_of($$SELECT dpsens.value_of('f(things)', s.r) FROM (SELECT t AS r FROM things AS t OFFSET 0) AS s$$), '%cells_number%', 'not of a row that is one');
SELECT unalike(plan_of($$SELECT dpsens.value_of(f, t) FROM things AS t, unnest('{f(things),c(things)}'::regprocedure[]) AS f$$),
    '%cells_number%', 'nor of an expression that is not known before');
SELECT is((SELECT dpsens.value_of('c(things)', t) FROM (VALUES (0)) AS v (i) LEFT JOIN things AS t ON t.id = v.i), NULL,
    'a row that an outer join misses has no value');
SELECT is((SELECT dpsens.value_of('c(things)', t) FROM things AS t WHERE id = 5), 8::float8, 'one with a NULL may have');
SELECT results_eq($$SELECT a.id, dpsens.value_of('f(things)', a), dpsens.value_of('f(things)', b) FROM things AS a JOIN things AS b ON b.id = a.id + 1 ORDER BY 1$$,
    $$SELECT id, v, w FROM (SELECT id, dpsens.value_of('f(things)', t) AS v, lead(dpsens.value_of('f(things)', t)) OVER (ORDER BY id) AS w,
        lead(id) OVER (ORDER BY id) AS next FROM things AS t) AS s WHERE next = id + 1 ORDER BY 1$$, 'two rows of one table in one row of a join');
SELECT results_eq($$SELECT flag, min(dpsens.gradient_norm_of('f(things)', t)) FROM things AS t GROUP BY flag HAVING max(dpsens.value_of('f(things)', t)) > 0 ORDER BY 1$$,
    $$SELECT (s.r).flag, min(dpsens.gradient_norm_of('f(things)', s.r)) FROM (SELECT t AS r FROM things AS t OFFSET 0) AS s GROUP BY 1 ORDER BY 1$$, 'inside aggregates');
SELECT results_eq($$SELECT id, (SELECT dpsens.value_of('f(things)', t)) FROM things AS t ORDER BY 1$$, $$SELECT id, dpsens.value_of('f(things)', t) FROM things AS t ORDER BY 1$$,
    'a row of the query outside');
CREATE TEMP TABLE changed AS SELECT 0::float8 AS v WITH NO DATA;
WITH u AS (UPDATE things AS t SET p = p + 1 WHERE id = 12 RETURNING dpsens.value_of('f(things)', t) AS v) INSERT INTO changed SELECT v FROM u;
SELECT is((SELECT v FROM changed), (SELECT dpsens.value_of('f(things)', t) FROM things AS t WHERE id = 12), 'what an update returns');

SELECT is_empty($$SELECT * FROM things AS t, generate_series(0, 4) AS place WHERE dpsens.slope_of('f(things)', t, place) IS DISTINCT FROM (dpsens.gradient_of('f(things)', t))[place]$$,
    'a slope is an entry of the gradient, whichever is asked for');
SELECT is_empty(format($$SELECT * FROM things AS t, generate_series(-1, 4) AS place, LATERAL (SELECT %1$s('f(things)', t%2$s, place), (%1$s('f(things)', t%2$s))[place]) AS e (entry, of_array)
    WHERE entry IS DISTINCT FROM of_array$$, name, parameter), name || ': entries are those of the array')
FROM (VALUES ('dpsens.contribution_of', ''), ('dpsens.partial_sensitivity_of', ''), ('dpsens.plis_of', ', 3')) AS f (name, parameter);
SELECT dpsens.protect('things', 'id', 'metric');
SELECT is_empty($$SELECT * FROM things AS t, generate_series(-1, 4) AS place WHERE dpsens.plis_of('c(things)', t, 3, place) IS DISTINCT FROM (dpsens.plis_of('c(things)', t, 3))[place]$$,
    'under metric, too');
SELECT dpsens.protect('things', 'id', 'add_remove');
SELECT is((SELECT count(dpsens.slope_of('f(things)', t, -2147483648)) + count(dpsens.slope_of('f(things)', t, 65)) FROM things AS t), 0::bigint, 'or there is none');

-- Tables whose parts have their columns in another order.
CREATE TABLE parts (x float8 NOT NULL, y int NOT NULL) PARTITION BY RANGE (y);
CREATE TABLE low (y int NOT NULL, hole text, x float8 NOT NULL);
ALTER TABLE low DROP COLUMN hole;
ALTER TABLE parts ATTACH PARTITION low FOR VALUES FROM (0) TO (10);
CREATE TABLE high PARTITION OF parts FOR VALUES FROM (10) TO (20);
INSERT INTO parts SELECT i / 2.0, i FROM generate_series(0, 19) AS i;
SELECT dpsens.set_range('parts', 'x', 0, 100), dpsens.set_range('parts', 'y', 0, 20);
SELECT dpsens.register('g', 'parts', 'x ^ 2 * y');
SELECT results_eq($$SELECT dpsens.value_of('g(parts)', t), dpsens.gradient_of('g(parts)', t) FROM parts AS t ORDER BY y$$,
    'SELECT x ^ 2 * y, ARRAY[2 * x * y, x ^ 2] FROM parts ORDER BY y', 'partitions');
SELECT throws_ok($$SELECT dpsens.value_of('g(parts)', t) FROM high AS t$$, '42804', NULL, 'a row of a partition is another row');

-- Plans follow the expression.
PREPARE value AS SELECT dpsens.value_of('g(parts)', t) FROM parts AS t WHERE y = 4;
SELECT results_eq('EXECUTE value', 'VALUES (16::float8)', 'a prepared query');
CREATE OR REPLACE FUNCTION g(r parts) RETURNS float8 IMMUTABLE PARALLEL SAFE RETURN r.y;
SELECT results_eq('EXECUTE value', 'VALUES (4::float8)', 'with another body');
SELECT dpsens.set_range('parts', 'y', 0, 3);
SELECT results_eq('EXECUTE value', 'VALUES (3::float8)', 'and another range');

-- Written by hand.
SELECT throws_ok($$SELECT dpsens_internal.cells_number(0, 'g(parts)', 0, 0, '{1}', 1.0::float8)$$, '55000', NULL, 'the cells of another column');
SELECT throws_ok($$SELECT dpsens_internal.cells_number(0, 'g(parts)', 0, 0, '{2}', 'text'::text)$$, '55000', NULL, 'of another type');
SELECT throws_ok($$SELECT dpsens_internal.cells_number(2, 'g(parts)', 0, 0, '{2}', 4)$$, '22023', NULL, 'an array as a number');
SELECT throws_ok($$SELECT dpsens_internal.cells_array(99, 'g(parts)', 0, 0, '{2}', 4)$$, '22023', NULL, 'no question');
SELECT is(dpsens_internal.cells_number(0, NULL, 0, 0, '{2}', 4), NULL, 'no expression');
SELECT * FROM finish();
ROLLBACK;
