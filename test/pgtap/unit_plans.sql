-- Where limits bind, the same rows of a unit count in whatever way they are chosen: by the
-- aggregate that reads them, by a node of the plan, by window functions, in parallel, in
-- files and in clean rooms.
-- Files: guard/query/exact_states.c, agg/state/limited_rows.c, agg/unit/row_order.h.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA unit_plans_tap;
SET search_path = unit_plans_tap, public;

CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE mood AS ENUM ('low', 'high');
-- Rows of a unit have different bits, so that a sum says which of them count.  Some are equal in
-- all but how they are written, some in all; some keys are not declared, some units NULL.
CREATE TABLE visits AS
SELECT CASE WHEN i % 83 = 0 THEN NULL WHEN i % 7 = 0 THEN 7 ELSE (hashint4(i) & 2147483647) % 150 END AS unit, (i * 7) % 6 AS kind,
    2.0::float8 ^ ((hashint4(i + 1) & 65535) % 18) AS bits, CASE WHEN i % 3 > 0 THEN (i % 20)::float8 END AS b,
    CASE i % 13 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-0' WHEN 3 THEN '0' ELSE ((hashint4(i + 2) & 65535) % 30)::text END::float8 AS wild,
    (CASE WHEN i % 2 = 0 THEN '' ELSE '00' END || (hashint4(i + 3) & 65535) % 40 || CASE WHEN i % 3 = 0 THEN '.5' ELSE '.500' END)::numeric AS amount,
    date '2020-01-01' + (hashint4(i + 4) & 65535) % 60 AS day, ((hashint4(i + 5) & 65535) % 50) * interval '30 minutes' AS span,
    (hashint4(i + 6) & 1) = 0 AS flag, ((hashint4(i + 7) & 65535) % 9)::real AS r, ((ARRAY['low', 'high', NULL])[1 + i % 3])::mood AS feels,
    (CASE WHEN i % 2 = 0 THEN '1.0' ELSE '1.000' END::numeric + i % 4) AS price, (ARRAY['red', 'RED', 'Blue', 'blue', 'grey'])[1 + i % 5] COLLATE caseless AS colour,
    CASE WHEN i % 5 > 0 THEN CASE WHEN i % 4 = 0 THEN repeat(md5((i % 3)::text), 200) ELSE 'note ' || i % 3 END END AS note, (hashint4(i + 8) & 65535) % 2000 AS many
FROM generate_series(1, 2000) i;
INSERT INTO visits SELECT * FROM visits WHERE unit % 10 = 3;
ALTER TABLE visits ALTER kind SET NOT NULL, ALTER bits SET NOT NULL, ALTER amount SET NOT NULL, ALTER note SET STORAGE EXTERNAL;
CREATE TABLE stays (LIKE visits INCLUDING ALL);
INSERT INTO stays SELECT * FROM visits ORDER BY hashfloat8(bits), hash_numeric(amount);
CREATE TABLE kinds (kind int PRIMARY KEY, w float8 NOT NULL);
INSERT INTO kinds SELECT k, k FROM generate_series(0, 5) k;
CREATE TABLE people (unit int PRIMARY KEY, age float8 NOT NULL);
INSERT INTO people SELECT u, u FROM generate_series(0, 149) u;
VACUUM ANALYZE visits, stays, kinds, people;

SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-6;
SET client_min_messages = error;
-- without noise every answer is warned of
SET log_min_messages = fatal;
SET dpsens.noise = off;
SET hash_mem_multiplier = 1;
SET jit = off;
CREATE FUNCTION declare(m int, mg int, g int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(name, 'unit', 'add_remove', coalesce(m, 0), coalesce(mg, 0), coalesce(g, 0)), dpsens.set_range(name, 'bits', 0, 131072), dpsens.set_range(name, 'b', 0, 20), dpsens.set_range(name, 'wild', 0, 20),
        dpsens.set_range(name, 'amount', 0, 30), dpsens.set_range(name, 'day', '2020-01-01', '2020-02-15'), dpsens.set_range(name, 'span', 0, 72000), dpsens.set_range(name, 'r', 0, 8),
        dpsens.set_values(name, 'kind', '0', '1', '2', '3', '4'), dpsens.set_values(name, 'price', '1', '2.00', '3'), dpsens.set_values(name, 'colour', 'red', 'BLUE'),
        dpsens.set_values(name, 'many', VARIADIC ARRAY(SELECT k::text FROM generate_series(0, 1899) k))
    FROM unnest(ARRAY['visits', 'stays']::regclass[]) name;
    PERFORM dpsens.protect('people', 'unit'), dpsens.set_range('people', 'age', 0, 150);
END $$;
DO $$ BEGIN PERFORM declare(3, NULL, NULL), dpsens.set_range('kinds', 'w', 0, 4); END $$;

-- path: what chooses where there is memory; otherwise a node, or window functions
CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, path text, query text);
INSERT INTO queries (path, query) VALUES
    ('aggregate', 'SELECT dp_sum(bits), dp_count(*) FROM visits'),
    ('aggregate', 'SELECT dp_sum(bits) FROM visits WHERE flag AND wild > 3'),
    ('aggregate', 'SELECT dp_sum(bits), dp_count(b), dp_avg(b), dp_variance(bits), dp_sum(bits * b) FILTER (WHERE kind < 3), dp_sum(bits + 1) FILTER (WHERE flag), dp_count(*) FILTER (WHERE wild > 5) FROM visits'),
    ('aggregate', 'SELECT dp_sum(wild), dp_count(wild), dp_sum(bits) FROM visits'),
    ('aggregate', 'SELECT dp_sum(amount), dp_sum(bits), dp_sum(extract(epoch FROM day) / 86400), dp_sum(extract(epoch FROM span)), dp_sum(r) FROM visits'),
    ('aggregate', 'SELECT dp_sum(CASE WHEN flag THEN bits ELSE amount END), dp_sum(ARRAY[bits, b]) FROM visits'),
    ('aggregate', 'SELECT kind, dp_sum(bits), dp_count(*) FROM visits GROUP BY kind'),
    ('aggregate', 'SELECT kind, flag, dp_sum(bits), dp_avg(b) FILTER (WHERE price > 1) FROM visits GROUP BY kind, flag'),
    ('aggregate', 'SELECT many, dp_sum(bits), dp_sum(b) FROM visits GROUP BY many'),
    ('aggregate', 'SELECT price, dp_sum(bits), dp_count(*) FROM visits GROUP BY price'),
    ('aggregate', 'SELECT colour, price, dp_sum(bits) FROM visits GROUP BY colour, price'),
    ('aggregate', 'SELECT kind, grouping(kind), dp_sum(bits) FROM visits GROUP BY GROUPING SETS ((kind), (flag), ())'),
    ('aggregate', 'SELECT v.kind, dp_sum(bits * w), dp_count(*) FILTER (WHERE w > 1) FROM visits v JOIN kinds k ON k.kind = v.kind GROUP BY v.kind'),
    ('aggregate', 'SELECT dp_sum(bits), dp_count(*) FROM visits WHERE kind IN (SELECT kind FROM kinds WHERE w < 4)'),
    ('aggregate', 'SELECT l.n, dp_sum(bits) FROM visits v JOIN (VALUES (0, 1), (1, 2), (2, 2), (5, 3)) l (kind, n) ON l.kind = v.kind GROUP BY l.n'),
    ('aggregate', 'SELECT dp_sum(bits + age), dp_sum(age) FROM visits v JOIN people p ON p.unit = v.unit'),
    ('node', 'SELECT kind, dp_median(bits), dp_sum(bits) FROM visits GROUP BY kind'),
    ('node', 'SELECT price, dp_quantile(wild, 0.3), dp_sum(bits) FILTER (WHERE flag), dp_count(DISTINCT kind) FROM visits GROUP BY price'),
    ('node', 'SELECT dp_histogram(b, ARRAY[0, 5, 20]::float8[]), dp_sum(bits) FROM visits'),
    ('node', 'SELECT dp_mode(feels), dp_mode(kind), dp_sum(bits) FROM visits'),
    ('node', 'SELECT note, dp_sum(bits), dp_count(*) FROM visits GROUP BY note'),
    ('node', 'SELECT note, kind, dp_sum(amount), dp_sum(bits) FILTER (WHERE wild > 5) FROM visits GROUP BY note, kind'),
    ('node', 'SELECT upper(note), dp_median(b), dp_sum(wild + bits) FROM visits WHERE day < ''2020-02-20'' GROUP BY upper(note)'),
    ('node', 'SELECT amount, dp_sum(bits), dp_count(*) FROM visits GROUP BY amount'),
    ('node', 'SELECT price + 0.50, dp_median(b), dp_sum(bits) FROM visits GROUP BY price + 0.50'),
    ('node', 'SELECT extract(month FROM day), note, dp_sum(bits), dp_count(*) FROM visits GROUP BY 1, note'),
    ('node', 'SELECT note, dp_sum(bits) FROM visits v JOIN people p ON p.unit = v.unit GROUP BY note');
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(q::text, ''|'' ORDER BY q::text) FROM (%s) q', query) INTO result;
    RETURN result;
END $$;
\ir plan_of.psql

-- of one bound only: what takes long, as workers do to start
CREATE TABLE ways (n int GENERATED ALWAYS AS IDENTITY, way text, settings text[]);
INSERT INTO ways (way, settings) VALUES
    ('by rows', '{dpsens.enable_table_sums=off}'),
    ('by the server''s aggregation', '{dpsens.enable_table_sums=off,dpsens.enable_row_sums=off}'),
    ('in parallel', '{max_parallel_workers_per_gather=2,dpsens.enable_table_sums=off}'),
    ('in little memory', '{work_mem=64kB}'),
    ('by window functions', '{dpsens.enable_group_states=off}'),
    ('by window functions, in parallel, sorted', '{dpsens.enable_group_states=off,max_parallel_workers_per_gather=2,enable_hashagg=off,enable_seqscan=off}'),
    ('for who may not look', '{dpsens.debug_restricted=on}'),
    ('for who may not look, by window functions', '{dpsens.debug_restricted=on,dpsens.enable_group_states=off}');
CREATE FUNCTION set_way(way_settings text[]) RETURNS void LANGUAGE sql AS $$
    SELECT set_config(split_part(s, '=', 1), split_part(s, '=', 2), true)
    FROM unnest('{work_mem=64MB,max_parallel_workers_per_gather=0,enable_hashagg=on,enable_seqscan=on,dpsens.enable_table_sums=on,dpsens.enable_row_sums=on,dpsens.enable_group_states=on,dpsens.debug_restricted=off,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}'::text[]
        || way_settings) s
$$;
CREATE FUNCTION by_way(query text, way_settings text[] DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_way(way_settings);
    RETURN answer(query);
END $$;
-- which of the three chooses
CREATE FUNCTION path(query text, way_settings text[] DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan text;
BEGIN
    PERFORM set_way(way_settings);
    plan := plan_of(query);
    RETURN CASE WHEN plan ~ 'dpsens rows that count' THEN 'node' WHEN plan ~ 'WindowAgg' THEN 'windows' ELSE 'aggregate' END;
END $$;

CREATE TABLE bounds (n int GENERATED ALWAYS AS IDENTITY, m int, mg int, g int);
INSERT INTO bounds (m, mg, g) VALUES (3, NULL, NULL), (6, 2, NULL), (5, 3, 2), (NULL, 4, 1), (2000, 2, NULL);
CREATE VIEW asked AS SELECT b.n, w.way, w.settings FROM bounds b, ways w WHERE m = 5 OR w.way !~ 'parallel|aggregation';
SELECT plan((SELECT count(*)::int FROM asked) + (SELECT count(*)::int FROM bounds) + 10);

CREATE TABLE alone (bound int, question int, answer text);
CREATE FUNCTION same(b bounds, changed text, way_settings text[], relation text DEFAULT 'visits') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEXT is((SELECT string_agg(q.query, E'\n') FROM queries q JOIN alone a ON a.question = q.n WHERE a.bound = b.n AND by_way(replace(q.query, 'visits', relation), way_settings) IS DISTINCT FROM a.answer),
        NULL, format('of %s, %s, %s: %s', b.m, b.mg, b.g, changed));
END $$;
-- a room waits for no transaction that declares
SELECT format('DO $d$ BEGIN PERFORM declare(%L, %L, %L); END $d$', m, mg, g), format('INSERT INTO alone SELECT %s, n, by_way(query) FROM queries', n),
    format('SELECT same(b, way, settings) FROM bounds b JOIN asked USING (n) WHERE n = %s', n), format('SELECT same(b, ''the same rows elsewhere'', ''{}'', ''stays'') FROM bounds b WHERE b.n = %s', n)
FROM bounds ORDER BY n \gexec

-- ---- the test sees what it is about ----

SELECT is((SELECT count(*) FROM (SELECT question FROM alone GROUP BY question HAVING count(DISTINCT answer) < 3) q), 0::bigint, 'limits bind');
SELECT is((SELECT string_agg(query, E'\n') FROM alone JOIN queries q ON q.n = question WHERE answer IS NULL), NULL, 'there are answers');
DO $$ BEGIN PERFORM declare(5, 3, 2); END $$;
SELECT is((SELECT string_agg(query || ': ' || path(query), E'\n') FROM queries WHERE path(query) <> path), NULL, 'by the aggregate or a node');
SELECT is((SELECT string_agg(query, E'\n') FROM queries WHERE path(query, '{dpsens.enable_group_states=off}') <> 'windows'), NULL, 'by window functions');
SELECT is(path(query, '{work_mem=64kB}'), 'node', 'and by a node where there is no memory for the groups') FROM queries WHERE query LIKE 'SELECT many%';
SELECT matches(plan_of(query), 'Gather.*Parallel', 'with workers') FROM (SELECT set_way('{max_parallel_workers_per_gather=2}')) s, queries WHERE n = 7;
SELECT throws_ok('SELECT by_way(''EXPLAIN SELECT dp_count(*) FROM visits'', ''{dpsens.debug_restricted=on}'')', NULL, NULL, 'for who may not look there is no plan');
-- a room reads another table's rows, which this transaction has not locked
BEGIN;
LOCK TABLE visits IN SHARE UPDATE EXCLUSIVE MODE;
SELECT CASE WHEN current_setting('dpsens.clean_rooms')::int = 0 THEN skip('there are no rooms', 1)
    ELSE throws_ok('SELECT by_way(''SELECT dp_count(*) FROM visits'', ''{dpsens.debug_restricted=on}'')', '55000', NULL, 'a room answers') END;
ROLLBACK;
-- rows whose key is not declared take no room
DO $$ BEGIN PERFORM declare(1, NULL, NULL); END $$;
SELECT is(by_way('SELECT sum(n) FROM (SELECT kind, dp_count(*) AS n FROM visits WHERE unit IS NOT NULL GROUP BY kind) q', settings),
    (SELECT format('(%s)', count(DISTINCT unit)) FROM visits WHERE kind < 5), format('of each unit one row of a declared group: %s', settings)) FROM (VALUES ('{}'::text[]), ('{dpsens.enable_group_states=off}')) s (settings);

SELECT * FROM finish();
DROP SCHEMA unit_plans_tap CASCADE;
