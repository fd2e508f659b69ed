-- narrowed_rows.sql
--	What bounds are applied to: random values and conditions over special cells (NaN,
--	infinities, zeros of both signs, the smallest numbers, numbers beyond the range), under
--	all adjacencies.  What a row adds is read with the noise off, each row being a group of
--	its own, and compared
--
--	- with the other rows: no two neighbours are further apart than the sensitivity;
--	- with the server: it is the value of the clamped cells, where the condition holds
--	  of the raw ones.
-- Files: guard/release/narrow_by_where.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA narrowed_rows;
SET search_path = narrowed_rows, public;
SET dpsens.noise = off;
SET dpsens.max_boxes = 2000;
SELECT plan(9);

-- a and b are private and NOT NULL, c is private and may be NULL, p is public
CREATE TABLE cells (id int, a float8 NOT NULL, b float8 NOT NULL, c float8, p float8 NOT NULL);
CREATE TABLE special (x float8);
INSERT INTO special VALUES ('NaN'), ('Infinity'), ('-Infinity'), (0), ('-0'), (5e-324), (-5e-324), (1e-310), (5), (5.5), (-4),
    (100), (250), (-1e20), (1e20), (-1e308), (1e308);
INSERT INTO cells (a, b, c, p)
SELECT x.x, 6, 2, 7 FROM special AS x
UNION ALL SELECT 5.5, x.x, 2, 7 FROM special AS x
UNION ALL SELECT 5.5, 6, x.x, 7 FROM special AS x
UNION ALL SELECT 5.5, 6, NULL, 7
UNION ALL SELECT x.x, y.x, 2, 7 FROM special AS x, special AS y WHERE x.x IN ('NaN', 'Infinity', 5, 250, -4) AND y.x IN ('NaN', '-Infinity', 5, -250, 0)
UNION ALL SELECT x.x, 6, 2, y.x FROM special AS x, special AS y WHERE x.x IN ('NaN', 5, 5.5, -1e20);
UPDATE cells SET id = n FROM (SELECT ctid AS at, row_number() OVER (ORDER BY a, b, c, p) AS n FROM cells) AS numbered
WHERE at = cells.ctid;

CREATE FUNCTION make_relation(adjacency text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text = 'rows_' || adjacency;
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE cells INCLUDING ALL)', name);
    EXECUTE format('INSERT INTO %I SELECT * FROM cells', name);
    PERFORM dpsens.protect(name::regclass, adjacency => adjacency);
    PERFORM dpsens.set_range(name::regclass, c, -10, 100) FROM unnest('{a,b,c,p}'::text[]) AS c;
    PERFORM dpsens.set_public(name::regclass, 'p');
    PERFORM dpsens.set_range(name::regclass, 'id', 0, 1000);
    PERFORM dpsens.set_public(name::regclass, 'id');
    EXECUTE format('SELECT dpsens.set_values(%L, ''id'', VARIADIC (SELECT array_agg(id::text ORDER BY id) FROM cells))', name);
END $$;
SELECT make_relation(adjacency) FROM unnest('{add_remove,replace,attribute,metric}'::text[]) AS adjacency \g /dev/null

-- A number in [0, n) that is the same in every run.
CREATE FUNCTION draw(seed int, step int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT (hashint8extended(seed * 1000::bigint + step, 42) & 1073741823)::int % n
$$;

CREATE FUNCTION one_of(seed int, step int, choices text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT choices[1 + draw(seed, step, cardinality(choices))]
$$;

-- A comparison; X and Y stand for columns.
CREATE FUNCTION random_comparison(seed int, step int, columns text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT replace(replace(one_of(seed, step, ARRAY['(X + 1e20) - 1e20 <= 0', '(X + 1e20) - 1e20 >= 16000', 'X - 2 * X >= 9', '-X >= 9', '-X > 4',
            '9 - X >= 0', 'X <= 50', 'X > 5', 'X = 5', 'X < 5.5', 'X * 0 <= 1', 'X * X <= 100', 'X ^ 2 <= 40', 'abs(X) < 10', 'X <= Y',
            'X < Y * 0', 'X - Y >= 2', 'X - Y = 0', '(X + 1e20) - 1e20 <= Y', 'X * 1e-300 <= 0', '(X * 1e-300) * 1e-300 >= 0', 'X / 4 <= 1',
            'X * Y >= 40', '-X >= Y', 'X <> 5', 'X BETWEEN 3 AND 6', 'X IN (5, 6, 100)', 'X - X <= 0', 'X - X >= 1']),
        'X', one_of(seed, step + 1, columns)), 'Y', one_of(seed, step + 2, columns))
$$;

CREATE FUNCTION random_condition(seed int, columns text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE draw(seed, 1, 6)
               WHEN 0 THEN format('%s AND %s', x, y)
               WHEN 1 THEN format('(%s OR %s)', x, y)
               WHEN 2 THEN format('NOT (%s)', x)
               WHEN 3 THEN format('NOT (%s OR %s)', x, y)
               ELSE x
           END
    FROM (SELECT random_comparison(seed, 10, columns) AS x, random_comparison(seed, 20, columns) AS y) AS parts
$$;

CREATE FUNCTION random_value(seed int, smooth bool) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT one_of(seed, 30, CASE WHEN smooth THEN ARRAY['a', 'a * b', 'a - b + p', 'a * p', '2 * a + b', 'p + a']
        ELSE ARRAY['a', 'b', 'a * b', 'a - b', 'abs(a) + p', 'a * p', 'CASE WHEN a > 5 THEN b ELSE a END', 'nullif(a, 5) + b',
            'coalesce(c, 7) + a', 'greatest(a, c)', 'a + CASE WHEN a > 5 AND a < 6 THEN NULL ELSE a END', 'nullif(trunc(a), 5) + a',
            'CASE WHEN c > 3 THEN a END', 'a + c', 'p'] END)
$$;

CREATE TABLE added (id int, value float8);
CREATE TABLE outcomes (adjacency text, seed int, query text, answered bool, comparable bool, apart float8, sensitivity float8,
                       wrong float8, pairs bigint);

CREATE TABLE moderate AS
SELECT * FROM cells WHERE abs(a) < 1e100 AND abs(b) < 1e100 AND abs(c) < 1e100;

CREATE FUNCTION distance(x moderate, y moderate) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT sqrt(greatest(abs(x.a - y.a), 1e-100) ^ 2 + greatest(abs(x.b - y.b), 1e-100) ^ 2 + greatest(abs(x.c - y.c), 1e-100) ^ 2)
$$;

-- Pairs of neighbours; the distance that what they add is divided by.
CREATE TABLE pairs AS
SELECT 'add_remove' AS adjacency, id AS x, NULL::int AS y, 1::float8 AS distance FROM cells
UNION ALL
SELECT adjacency, x.id, y.id, 1
FROM cells AS x, cells AS y, unnest('{replace,attribute}'::text[]) AS adjacency
WHERE x.id < y.id AND x.p = y.p AND
    (adjacency = 'replace' OR
     (x.a IS DISTINCT FROM y.a)::int + (x.b IS DISTINCT FROM y.b)::int + (x.c IS DISTINCT FROM y.c)::int = 1)
UNION ALL
-- the pattern of NULLs is public; finite cells, whose distance does not overflow
SELECT 'metric', x.id, y.id, distance(x, y) FROM moderate AS x, moderate AS y WHERE x.id < y.id AND x.p = y.p AND distance(x, y) > 1e-3;

-- The greatest distance of neighbours.
CREATE FUNCTION greatest_distance(adjacency text, OUT apart float8, OUT pairs bigint) LANGUAGE sql AS $$
    SELECT max(abs(v.value[pairs.x] - coalesce(v.value[pairs.y], 0)) / pairs.distance), count(*)
    FROM pairs, (SELECT array_agg(value ORDER BY id) AS value FROM added) AS v
    WHERE pairs.adjacency = greatest_distance.adjacency
$$;

-- The greatest error against the server: of rows within their ranges, or of all where
-- the condition compares a column with constants.  NULL: it raises an error.
CREATE FUNCTION greatest_error(value text, condition text, every_row bool) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    error float8;
BEGIN
    EXECUTE format('SELECT max(abs(added.value - coalesce(expected.value, 0))) FROM added LEFT JOIN
        (SELECT id, (%s)::float8 AS value FROM
            (SELECT id, greatest(-10, least(100, a)) AS a, greatest(-10, least(100, b)) AS b,
                    CASE WHEN c <> ''NaN'' THEN greatest(-10, least(100, c)) END AS c, greatest(-10, least(100, p)) AS p
             FROM cells WHERE %s) AS clamped) AS expected USING (id) JOIN cells USING (id)
        WHERE %L OR (a BETWEEN -10 AND 100 AND b BETWEEN -10 AND 100 AND p BETWEEN -10 AND 100 AND coalesce(c, 0) BETWEEN -10 AND 100)',
        value, condition, every_row) INTO error;
    RETURN error;
EXCEPTION WHEN numeric_value_out_of_range OR division_by_zero OR invalid_argument_for_power_function THEN
    RETURN NULL;
END $$;

CREATE FUNCTION try(adjacency text, seed int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    columns text[] = CASE WHEN adjacency = 'metric' THEN '{p}' WHEN draw(seed, 2, 3) = 0 THEN '{p}' ELSE '{a,b,p}' END;
    value text = random_value(seed, adjacency = 'metric');
    condition text = random_condition(seed, columns);
    query text = format('SELECT dp_sum(%s, 1) FROM rows_%s WHERE %s', value, adjacency, condition);
    sensitivity float8;
    distance record;
    one_column bool = (SELECT count(*) FROM unnest(columns) AS c WHERE condition ~ ('\m' || c || '\M')) <= 1;
BEGIN
    DELETE FROM added;
    BEGIN
        sensitivity = (SELECT e.sensitivity FROM dpsens.explain(query) AS e LIMIT 1);
        EXECUTE format('INSERT INTO added SELECT id, coalesce(s, 0) FROM (SELECT id, dp_sum(%s, 1) AS s FROM rows_%s WHERE %s GROUP BY id) AS q',
                       value, adjacency, condition);
    EXCEPTION WHEN feature_not_supported OR numeric_value_out_of_range THEN
        INSERT INTO outcomes (adjacency, seed, query, answered) VALUES (adjacency, seed, query || ': ' || SQLERRM, false);
        RETURN;
    END;
    distance = greatest_distance(adjacency);
    INSERT INTO outcomes
    SELECT adjacency, seed, query, true, one_column, distance.apart, sensitivity,
           greatest_error(value, condition, one_column), distance.pairs;
END $$;

\set cases 60
SET dpsens.epsilon = 1;
SET client_min_messages = error;
SET log_min_messages = error;
SELECT try(adjacency, seed) FROM unnest('{add_remove,replace,attribute,metric}'::text[]) AS adjacency, generate_series(1, :cases) AS seed
ORDER BY adjacency, seed \g /dev/null
RESET client_min_messages;

SELECT diag(format('%s %s: %s apart, sensitivity %s, off by %s: %s', adjacency, seed, apart, sensitivity, wrong, query))
FROM outcomes WHERE answered AND (apart > sensitivity * (1 + 1e-9) OR wrong > 1e-9 * greatest(sensitivity, 100)) ORDER BY 1 LIMIT 40;
SELECT is(count(seed), 0::bigint, format('neighbours are no further apart than the sensitivity, %s', adjacencies.adjacency))
FROM unnest('{add_remove,replace,attribute,metric}'::text[]) AS adjacencies (adjacency)
LEFT JOIN outcomes ON outcomes.adjacency = adjacencies.adjacency AND answered AND NOT apart <= sensitivity * (1 + 1e-9)
GROUP BY adjacencies.adjacency ORDER BY 1;
SELECT is(count(*), 0::bigint, 'what a row adds is what the server makes of its clamped cells')
FROM outcomes WHERE answered AND wrong > 1e-9 * greatest(sensitivity, 100);
SELECT diag(format('%s: %s of %s answered, %s compared with the server, %s pairs', adjacency, count(*) FILTER (WHERE answered), count(*),
                   count(wrong), sum(pairs))) FROM outcomes GROUP BY adjacency ORDER BY 1;
SELECT ok(bool_and(n > :cases / 2), 'most cases are answered, under every adjacency')
FROM (SELECT adjacency, count(*) FILTER (WHERE answered) AS n FROM outcomes GROUP BY adjacency) AS counted;

-- a cell that is stored as large parts which cancel moves no further than it does, but for
-- what a metric answer may be off by
CREATE TABLE moments (id int PRIMARY KEY, span interval NOT NULL, seen timestamp NOT NULL);
INSERT INTO moments SELECT i, interval '-106000000 days' + interval '2544000000 hours 5 seconds' + i * interval '1 microsecond', timestamp '1970-01-01' + i * interval '1 microsecond'
FROM unnest(ARRAY[0, 1, 499, 500, 977, 1000, 1953, 2000]) AS i;
SELECT dpsens.protect('moments', adjacency => 'metric'), dpsens.set_range('moments', 'span', 0, 10), dpsens.set_range('moments', 'seen', '1970-01-01', '1970-01-02'),
    dpsens.set_range('moments', 'id', 0, 2000), dpsens.set_public('moments', 'id') \g /dev/null
SELECT dpsens.set_values('moments', 'id', VARIADIC (SELECT array_agg(id::text ORDER BY id) FROM moments)) \g /dev/null
CREATE FUNCTION off_by(value text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE worst float8;
BEGIN
    EXECUTE format('WITH answers AS (SELECT id, dp_sum(%s) AS answer FROM moments GROUP BY id)
        SELECT max(abs((x.answer - y.answer) - (x.id - y.id) / 1e6)) FROM answers AS x, answers AS y', value) INTO worst;
    RETURN worst;
END $$;
SET client_min_messages = error;
SELECT cmp_ok(off_by(format('extract(epoch FROM %s)', cell)), '<=', 2::float8 ^ -20, 'cells whose parts cancel: ' || cell) FROM unnest('{span,seen}'::text[]) AS cell;
SELECT ok(EXISTS (SELECT FROM dpsens.explain('SELECT dp_sum(extract(epoch FROM seen)) FROM moments')), 'and are answered');
RESET client_min_messages;

SELECT * FROM finish();
SET client_min_messages = warning;
DROP SCHEMA narrowed_rows CASCADE;
