-- Scans that sum a whole table: chosen where they should be, and the same bits
-- as the aggregate over any other plan.
-- Files: agg/scan/table_sums_plan.c, agg/scan/table_parts.c, agg/scan/table_rows.c,
-- agg/scan/heap_rows.c, agg/scan/added_sums.c, agg/scan/custom_scan.c, agg/state/block_share.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA sums_tap;
SET search_path = sums_tap, public;
SELECT plan(274);

CREATE DOMAIN percentage AS float8;
CREATE TABLE t (id int NOT NULL, gone text, i2 smallint, i4 int NOT NULL, i8 bigint, f4 float4, f8 float8 NOT NULL, n numeric,
    b boolean NOT NULL, d date, ts timestamp, tz timestamptz NOT NULL, note text, late float8, p percentage);
INSERT INTO t SELECT i, 'x' || i, i % 50, i % 90, CASE WHEN i % 5 <> 0 THEN i END, i / 3.0::float4,
    CASE i % 100 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE i / 7.0 END,
    CASE i % 60 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL WHEN 2 THEN 1e100 ELSE i / 11.0 END,
    i % 3 = 0, date '2000-01-01' + i, CASE i % 40 WHEN 0 THEN 'infinity' ELSE timestamp '2000-01-01' + i * interval '1 hour' END,
    timestamptz '2000-01-01 UTC' + i * interval '1 minute', CASE WHEN i % 2 = 0 THEN repeat('y', i % 3000) END, i, i % 101
FROM generate_series(1, 5000) i;
ALTER TABLE t DROP COLUMN gone;
-- rows before and after it differ in length
ALTER TABLE t ADD COLUMN added float8 NOT NULL DEFAULT 3.5;
INSERT INTO t SELECT (t).* FROM (SELECT t FROM t WHERE id <= 300) s;
CREATE TABLE narrow (a float8 NOT NULL, b float8 NOT NULL, k int);
INSERT INTO narrow SELECT i, i / 3.0, i % 4 FROM generate_series(1, 3000) i;
CREATE TABLE nothing (LIKE narrow);
-- rows with and without NULLs, before, among and behind what is read; dead, deleted and moved ones beside them
CREATE TABLE mixed (c1 float8, c2 int, c3 int8, c4 float4, c5 smallint, c6 date, c7 float8, c8 float8, c9 float8, c10 text, c11 float8);
INSERT INTO mixed SELECT i, CASE WHEN i % 3 <> 0 THEN i END, i, i, CASE WHEN i % 50 <> 49 THEN i % 100 END, date '2000-01-01' + i % 100,
    CASE WHEN i / 256 <> 3 THEN i END, CASE WHEN i / 300 <> 1 AND i % 257 <> 1 THEN i END, CASE WHEN i % 11 <> 0 THEN i END,
    CASE WHEN i % 2 = 0 THEN 'text' END, i FROM generate_series(1, 4000) i;
DELETE FROM mixed WHERE c3 % 7 = 0;
UPDATE mixed SET c1 = c1 + 1 WHERE c3 % 5 = 0;
DO $$ BEGIN
    INSERT INTO mixed SELECT * FROM mixed;
    RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN NULL; END $$;
CREATE TABLE parts (k int, a float8 NOT NULL) PARTITION BY LIST (k);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1);
INSERT INTO parts SELECT 1, i FROM generate_series(1, 100) i;
-- parts of parts, with other columns in another order, one without rows, and one that is read by its index
CREATE TABLE nested (k int NOT NULL, a float8 NOT NULL, b float8, g int) PARTITION BY LIST (k);
CREATE TABLE nested_1 (gone text, b float8, g int, a float8 NOT NULL, k int NOT NULL);
ALTER TABLE nested_1 DROP COLUMN gone;
ALTER TABLE nested ATTACH PARTITION nested_1 FOR VALUES IN (1);
CREATE TABLE nested_2 PARTITION OF nested FOR VALUES IN (2, 3) PARTITION BY RANGE (a);
CREATE TABLE nested_2_low PARTITION OF nested_2 FOR VALUES FROM (0) TO (500);
CREATE TABLE nested_2_high PARTITION OF nested_2 FOR VALUES FROM (500) TO (5000);
CREATE TABLE nested_none PARTITION OF nested FOR VALUES IN (4);
INSERT INTO nested SELECT 1 + i % 3, i, CASE WHEN i % 10 <> 0 THEN i / 3.0 END, i % 5 FROM generate_series(1, 3000) i;
CREATE TABLE parent (a float8 NOT NULL, k int);
CREATE TABLE child (more text) INHERITS (parent);
INSERT INTO parent SELECT i, i % 3 FROM generate_series(1, 500) i;
INSERT INTO child SELECT i, i % 4, 'more' FROM generate_series(1, 700) i;
CREATE TABLE guarded (a float8 NOT NULL, owner name NOT NULL);
INSERT INTO guarded SELECT i, 'somebody' FROM generate_series(1, 100) i;
ANALYZE t;
ANALYZE narrow;
ANALYZE mixed;
ANALYZE nested;
ANALYZE parent;
DO $$
DECLARE c text;
BEGIN
    PERFORM dpsens.protect(r::regclass) FROM unnest(ARRAY['t', 'narrow', 'nothing', 'parts', 'guarded', 'mixed', 'nested', 'parent']) r;
    PERFORM dpsens.set_range('mixed', 'c' || i, 0, 5000) FROM unnest(ARRAY[1, 2, 3, 4, 5, 7, 8, 9, 11]) i;
    PERFORM dpsens.set_values('mixed', 'c5', VARIADIC ARRAY(SELECT i::text FROM generate_series(0, 90) i));
    PERFORM dpsens.set_range('mixed', 'c6', '2000-01-01'::text, '2001-01-01'::text);
    FOREACH c IN ARRAY ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n', 'late', 'p', 'added'] LOOP
        PERFORM dpsens.set_range('t', c, 0, 400);
    END LOOP;
    PERFORM dpsens.set_range('t', stamp, '2000-01-01'::text, '2001-01-01'::text) FROM unnest(ARRAY['d', 'ts', 'tz']) stamp;
    PERFORM dpsens.set_range(r::regclass, 'a', 0, 1000) FROM unnest(ARRAY['narrow', 'nothing', 'parts', 'guarded', 'nested', 'parent']) r;
    PERFORM dpsens.set_range(r::regclass, 'b', 0, 1000) FROM unnest(ARRAY['narrow', 'nothing', 'nested']) r;
    PERFORM dpsens.set_values('nested', 'g', '0', '1', '2', '3');
END $$;

SET dpsens.noise = off;
SET client_min_messages = error;
SET dpsens.epsilon = 1;

CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE 'SELECT string_agg(a::text, ''|'') FROM (' || query || ') a' INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END $$;
CREATE FUNCTION is_used(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
DECLARE used boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        used := used OR line LIKE '%Custom Scan (dpsens exact sums)%';
    END LOOP;
    RETURN used;
END $$;
CREATE FUNCTION with_and_without(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE results text[];
BEGIN
    results := ARRAY[answer(query)];
    PERFORM set_config('dpsens.enable_table_sums', 'off', true);
    results := results || answer(query);
    PERFORM set_config('dpsens.enable_row_sums', 'off', true);
    results := results || answer(query);
    PERFORM set_config('dpsens.enable_row_sums', 'on', true);
    PERFORM set_config('dpsens.enable_table_sums', 'on', true);
    RETURN results;
END $$;

CREATE TEMP TABLE queries (n serial, used boolean, query text);
INSERT INTO queries (used, query) VALUES
    (true, 'SELECT dp_count(*) FROM t'),
    (true, 'SELECT dp_count(i8), dp_sum(i2), dp_sum(i4), dp_sum(i8), dp_sum(f4), dp_sum(f8), dp_sum(n), dp_sum(late), dp_sum(p) FROM t'),
    (true, 'SELECT dp_avg(i2), dp_avg(i4 * f8), dp_sum(added), dp_avg(n + i8) FROM t'),
    (true, 'SELECT dp_sum(added) FROM t'),
    (true, 'SELECT dp_sum(extract(epoch FROM tz)), dp_sum(extract(epoch FROM ts)), dp_avg(extract(epoch FROM d)) FROM t'),
    (true, 'SELECT dp_sum(CASE WHEN b THEN f8 ELSE i4 END) FROM t'),
    (true, 'SELECT dp_sum(i4), dp_count(*) FROM t WHERE f8 > 100'),
    (true, 'SELECT dp_sum(f8 + i4) FROM t WHERE note LIKE ''y%'' AND n > 5 AND b'),
    (true, 'SELECT dp_sum(f8) FROM t WHERE note IS NULL OR id % 7 = 3'),
    (true, 'SELECT dp_sum(i4) FROM t WHERE false IS NOT DISTINCT FROM (i4 < 0) AND f8 < -5'),
    (true, 'SELECT dp_sum(i4) FROM t WHERE i4 / (i4 - 50) > 1'),
    (true, 'SELECT dp_sum(a * b / (1 + b ^ 2)), dp_avg(a), dp_count(*) FROM narrow'),
    (true, 'SELECT dp_sum(a), dp_count(*) FROM narrow WHERE b BETWEEN 100 AND 200'),
    (true, 'SELECT dp_sum(x) FROM (SELECT a * 2 AS x, b FROM narrow WHERE k > 1) s WHERE b > 10'),
    (true, 'SELECT dp_sum(a), dp_count(*), dp_avg(b) FROM nothing'),
    (true, 'SELECT dp_sum(a), dp_count(*) FROM narrow WHERE a < -1'),
    (true, 'SELECT (SELECT dp_sum(a) FROM narrow) + n FROM generate_series(1, 3) n'),
    (true, 'SELECT dp_sum(a) FROM narrow UNION ALL SELECT dp_sum(b) FROM narrow'),
    (true, 'SELECT dp_sum(a) FILTER (WHERE k = 1), dp_count(*) FILTER (WHERE k > 7), dp_count(*), dp_avg(b) FILTER (WHERE a > 3) FROM narrow'),
    (true, 'SELECT dp_count(*) FROM mixed'),
    (true, 'SELECT dp_sum(c1) FROM mixed'),
    (true, 'SELECT dp_sum(c1), dp_sum(c3), dp_sum(c2), dp_count(c2) FROM mixed'),
    (true, 'SELECT dp_sum(c4 * c1) FROM mixed'),
    (true, 'SELECT c5, dp_sum(c1), dp_count(*) FROM mixed GROUP BY c5'),
    (true, 'SELECT dp_sum(c7), dp_avg(extract(epoch FROM c6)) FROM mixed'),
    (true, 'SELECT c5, dp_sum(c8), dp_sum(c7) FROM mixed GROUP BY c5'),
    (true, 'SELECT dp_sum(c8) FROM mixed'),
    (true, 'SELECT dp_sum(c9 - c1) FROM mixed'),
    (true, 'SELECT dp_sum(c11), dp_sum(c9) FROM mixed'),
    (true, 'SELECT dp_sum(c8) FROM mixed WHERE c2 > 100'),
    (true, 'SELECT dp_sum(a) FROM parts'),
    (true, 'SELECT dp_sum(a * b / (1 + b ^ 2)), dp_sum(a), dp_count(b), dp_count(*) FROM nested'),
    (true, 'SELECT dp_sum(a), dp_count(*) FROM nested WHERE k IN (2, 3) AND b > 100'),
    (true, 'SELECT dp_sum(a), dp_count(*) FROM nested WHERE k = 2 AND a < 400'),
    (true, 'SELECT g, dp_sum(a), dp_avg(b), dp_count(*) FILTER (WHERE k > 1) FROM nested GROUP BY g'),
    (true, 'SELECT dp_sum(a), dp_count(*) FROM nested WHERE k = 4'),
    (false, 'SELECT dp_sum(a), dp_count(*) FROM nested WHERE k = 9'),
    (true, 'SELECT dp_sum(a), dp_count(*) FROM parent'),
    (true, 'SELECT dp_sum(a), dp_count(*) FROM ONLY parent'),
    (true, 'SELECT (SELECT dp_sum(a) FROM nested) + n FROM generate_series(1, 3) n'),
    (true, 'SELECT dp_sum(x), dp_count(*) FROM (SELECT a AS x FROM narrow UNION ALL SELECT b FROM nested) u'),
    (true, 'SELECT dp_sum(x), dp_count(*) FROM (SELECT a AS x, b AS y FROM narrow UNION ALL SELECT a, a FROM nested) u WHERE y > 100'),
    (false, 'SELECT dp_sum(x), dp_count(*) FROM (SELECT a AS x, 1 AS q FROM narrow UNION ALL SELECT a, 2 FROM nested WHERE b > 100) u WHERE q < 3'),
    (false, 'SELECT sum(a), count(*) FROM narrow');
SELECT is(is_used(query), used, 'used, or not: ' || query) FROM queries ORDER BY n;
SELECT is(results[1:2], results[3:3] || results[3:3], query) FROM queries, LATERAL with_and_without(query) results ORDER BY n;
SELECT isnt(answer(query), NULL, 'and there is an answer: ' || query) FROM queries WHERE query NOT LIKE '%nothing%' ORDER BY n;
SELECT is(answer('SELECT dp_sum(i4) FROM t WHERE i4 / (i4 - 50) > 1'),
    (SELECT format('(%s)', sum(least(greatest(i4, 0), 400))) FROM t WHERE CASE WHEN i4 <> 50 THEN i4 / (i4 - 50) > 1 END), 'a condition that has no value for some rows');
SELECT is(answer('SELECT dp_sum(a), dp_count(*) FROM narrow'),
    (SELECT format('(%s,%s)', sum(least(a, 1000)), count(*)) FROM narrow), 'the sums are right');

SELECT is(answer('SELECT dp_sum(c8), dp_count(c8), dp_count(*) FROM mixed'),
    (SELECT format('(%s,%s,%s)', sum(c8), count(c8), count(*)) FROM mixed), 'so are those of rows with NULLs');

-- an index that leaves few rows is better
CREATE INDEX ON t (id);
ANALYZE t;
SELECT is(is_used('SELECT dp_sum(f8) FROM t WHERE id = 5'), false, 'an index scan is preferred');
SELECT is(results[1:2], results[3:3] || results[3:3], 'and says the same') FROM with_and_without('SELECT dp_sum(f8) FROM t WHERE id = 5') results;

-- parallel, JIT
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
DECLARE used boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        used := used OR line LIKE '%Parallel Custom Scan (dpsens exact sums)%';
    END LOOP;
    RETURN used;
END $$;
SELECT is(is_parallel(query), true, 'in parallel: ' || query) FROM queries
WHERE used AND query NOT LIKE '%SELECT (SELECT%' AND query NOT LIKE '%) FROM narrow UNION%' AND query NOT LIKE '%nothing%' AND query NOT LIKE '%k = 4' ORDER BY n;
-- one part is not worth sharing
ALTER TABLE nested_2_low SET (parallel_workers = 0);
SELECT is(is_parallel('SELECT dp_sum(a) FROM nested'), true, 'a part for one worker');
SET enable_parallel_append = off;
SELECT is(is_parallel('SELECT dp_sum(a) FROM nested'), false, 'or for all of them: then none');
RESET enable_parallel_append;
CREATE TEMP TABLE parallel AS SELECT n, query, answer(query) FROM queries;
SET max_parallel_workers_per_gather = 0;
SELECT is(p.answer, answer(query), 'in parallel as alone: ' || query) FROM parallel p ORDER BY n;
SET jit = on;
SET jit_above_cost = 0;
SELECT is(p.answer, answer(query), 'with JIT: ' || query) FROM parallel p ORDER BY n;
RESET jit;
RESET jit_above_cost;

-- prepared statements, cursors, changes of the table
PREPARE above AS SELECT dp_sum(a) FROM narrow WHERE b > $1;
CREATE TEMP TABLE outcomes (label text, value float8);
SET plan_cache_mode = force_generic_plan;
INSERT INTO outcomes SELECT 'first', dp_sum(a) FROM narrow WHERE b > 500;
CREATE TEMP TABLE by_plan AS EXECUTE above(500);
SELECT is((SELECT dp_sum::float8 FROM by_plan), (SELECT value FROM outcomes), 'a generic plan');
ALTER TABLE narrow ADD COLUMN c float8 DEFAULT 7;
ALTER TABLE narrow DROP COLUMN k;
DROP TABLE by_plan;
CREATE TEMP TABLE by_plan AS EXECUTE above(500);
SELECT is((SELECT dp_sum::float8 FROM by_plan), (SELECT value FROM outcomes), 'after the table has changed');
VACUUM FULL narrow;
DROP TABLE by_plan;
CREATE TEMP TABLE by_plan AS EXECUTE above(500);
SELECT is((SELECT dp_sum::float8 FROM by_plan), (SELECT value FROM outcomes), 'after it has moved');

-- somebody's policies are conditions that must come first
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE ROLE sums_tap_reader;
GRANT USAGE ON SCHEMA sums_tap TO sums_tap_reader;
GRANT SELECT ON guarded TO sums_tap_reader;
CREATE POLICY own ON guarded USING (owner = current_user);
SET ROLE sums_tap_reader;
SELECT is(is_used('SELECT dp_count(*) FROM guarded WHERE a > 5'), false, 'not with policies');
RESET ROLE;

-- one part that has to be read otherwise, and groups that not every part may have in memory
CREATE INDEX ON nested_1 (b);
SET enable_seqscan = off;
SELECT is(is_used('SELECT dp_sum(a) FROM nested WHERE b = 100'), false, 'not where an index is better');
RESET enable_seqscan;
CREATE TABLE many (g int NOT NULL, a float8 NOT NULL) PARTITION BY HASH (g);
CREATE TABLE many_0 PARTITION OF many FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE many_1 PARTITION OF many FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO many SELECT i, i FROM generate_series(1, 2000) i;
ANALYZE many;
DO $$ BEGIN
    PERFORM dpsens.protect('many'), dpsens.set_range('many', 'a', 0, 2000);
    PERFORM dpsens.set_values('many', 'g', VARIADIC ARRAY(SELECT i::text FROM generate_series(1, 2000) i));
END $$;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT is(is_used('SELECT g, dp_sum(a) FROM many GROUP BY g'), false, 'not where the groups take too much memory');
SET work_mem = '4MB';
SELECT is(is_used('SELECT g, dp_sum(a) FROM many GROUP BY g'), true, 'but with more of it');
-- blocks that are too long for a queue
DO $$ BEGIN PERFORM dpsens.set_values('many', 'g', VARIADIC ARRAY(SELECT i::text FROM generate_series(1, 9000) i)); END $$;
CREATE TEMP TABLE alone AS SELECT answer('SELECT g, dp_sum(a), dp_count(*) FROM many GROUP BY g') AS a;
SET max_parallel_workers_per_gather = 2;
SELECT is(is_parallel('SELECT g, dp_sum(a), dp_count(*) FROM many GROUP BY g'), true, 'workers give blocks');
SELECT is(answer('SELECT g, dp_sum(a), dp_count(*) FROM many GROUP BY g'), a, 'of many groups, as alone') FROM alone;
SET parallel_leader_participation = off;
SELECT is(answer('SELECT g, dp_sum(a), dp_count(*) FROM many GROUP BY g'), a, 'of many groups, by workers alone') FROM alone;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;
SELECT is((SELECT sum(n) FROM (SELECT g, dp_count(*) AS n FROM many GROUP BY g) q), 2000::numeric, 'each row counts once');

-- what EXPLAIN shows
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;
SELECT is(array_agg(btrim(line)) FILTER (WHERE line ~ 'Relation|Filter|Custom'),
    ARRAY['->  Custom Scan (dpsens exact sums)', 'Relation: narrow', 'Filter: (b > ''5''::double precision)'], 'what EXPLAIN shows')
FROM plan_of('SELECT dp_sum(a) FROM narrow WHERE b > 5') line;

SELECT * FROM finish();
DROP SCHEMA sums_tap CASCADE;
DROP ROLE sums_tap_reader;
