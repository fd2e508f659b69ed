-- Scans that sum a whole table: chosen where they should be, and the same bits
-- as the aggregate over any other plan.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA sums_tap;
SET search_path = sums_tap, public;
SELECT no_plan();

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
CREATE TABLE parts (k int, a float8 NOT NULL) PARTITION BY LIST (k);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1);
INSERT INTO parts SELECT 1, i FROM generate_series(1, 100) i;
CREATE TABLE guarded (a float8 NOT NULL, owner name NOT NULL);
INSERT INTO guarded SELECT i, 'somebody' FROM generate_series(1, 100) i;
ANALYZE t;
ANALYZE narrow;
DO $$
DECLARE c text;
BEGIN
    PERFORM dpsens.protect(r::regclass) FROM unnest(ARRAY['t', 'narrow', 'nothing', 'parts', 'guarded']) r;
    FOREACH c IN ARRAY ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n', 'late', 'p', 'added'] LOOP
        PERFORM dpsens.set_range('t', c, 0, 400);
    END LOOP;
    PERFORM dpsens.set_range('t', stamp, '2000-01-01'::text, '2001-01-01'::text) FROM unnest(ARRAY['d', 'ts', 'tz']) stamp;
    PERFORM dpsens.set_range(r::regclass, 'a', 0, 1000) FROM unnest(ARRAY['narrow', 'nothing', 'parts', 'guarded']) r;
    PERFORM dpsens.set_range(r::regclass, 'b', 0, 1000) FROM unnest(ARRAY['narrow', 'nothing']) r;
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
    (false, 'SELECT dp_sum(a) FROM parts'),
    (false, 'SELECT sum(a), count(*) FROM narrow');
SELECT is(is_used(query), used, 'used, or not: ' || query) FROM queries ORDER BY n;
SELECT is(results[1:2], results[3:3] || results[3:3], query) FROM queries, LATERAL with_and_without(query) results ORDER BY n;
SELECT isnt(answer(query), NULL, 'and there is an answer: ' || query) FROM queries WHERE query NOT LIKE '%nothing%' ORDER BY n;
SELECT is(answer('SELECT dp_sum(i4) FROM t WHERE i4 / (i4 - 50) > 1'),
    (SELECT format('(%s)', sum(least(greatest(i4, 0), 400))) FROM t WHERE CASE WHEN i4 <> 50 THEN i4 / (i4 - 50) > 1 END), 'a condition that has no value for some rows');
SELECT is(answer('SELECT dp_sum(a), dp_count(*) FROM narrow'),
    (SELECT format('(%s,%s)', sum(least(a, 1000)), count(*)) FROM narrow), 'the sums are right');

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
WHERE used AND query NOT LIKE '%SELECT (SELECT%' AND query NOT LIKE '%UNION%' AND query NOT LIKE '%nothing%' ORDER BY n;
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

-- what EXPLAIN shows
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;
SELECT is(array_agg(btrim(line)) FILTER (WHERE line ~ 'Relation|Filter|Custom'),
    ARRAY['->  Custom Scan (dpsens exact sums)', 'Relation: narrow', 'Filter: (b > ''5''::double precision)'], 'what EXPLAIN shows')
FROM plan_of('SELECT dp_sum(a) FROM narrow WHERE b > 5') line;

SELECT * FROM finish();
DROP SCHEMA sums_tap CASCADE;
DROP ROLE sums_tap_reader;
