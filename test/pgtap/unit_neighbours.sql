-- Which rows of a unit count depends on that unit alone: not on other units, on
-- where rows lie, or on how they are read.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA unit_neighbours_tap;
SET search_path = unit_neighbours_tap, public;
SELECT plan(160);

-- Rows of the units 1 to 8 have a bit each, so that a sum says which of them
-- count: 18 in four groups.  The others are 600 of about ten rows, one of 4,000,
-- and rows without a unit.
CREATE TABLE numbers AS
SELECT u AS unit, (u * i) % 4 AS kind, 2.0::float8 ^ i AS bits, CASE WHEN i % 4 > 0 THEN i::float8 END AS b, 'watched' AS note
FROM generate_series(1, 8) u, generate_series(0, 17) i
UNION ALL
SELECT CASE WHEN i % 97 = 0 THEN NULL WHEN i % 5 < 2 THEN 900 ELSE 100 + (hashint4(i) & 2147483647) % 600 END, (i * 7) % 4, (hashint4(i + 1) & 262143)::float8,
    (CASE i % 11 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL WHEN 2 THEN 'Infinity' WHEN 3 THEN '-1e300' ELSE (i % 20)::text END)::float8, 'other'
FROM generate_series(1, 10000) i;
CREATE TABLE visits (unit int, kind int NOT NULL, bits float8 NOT NULL, b float8, note text);
CREATE TABLE parted (LIKE visits) PARTITION BY HASH (bits);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO visits SELECT * FROM numbers;
INSERT INTO parted SELECT * FROM numbers;
VACUUM ANALYZE visits;
VACUUM ANALYZE parted;

SET dpsens.epsilon = 1;
SET client_min_messages = error;
SET dpsens.noise = off;
SET jit = off;
SET hash_mem_multiplier = 1;

CREATE FUNCTION declare(m int, mg int, g int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(r::regclass, 'unit', 'add_remove', coalesce(m, 0), coalesce(mg, 0), coalesce(g, 0)), dpsens.set_range(r::regclass, 'bits', 0, 262144),
        dpsens.set_range(r::regclass, 'b', 0, 20), dpsens.set_values(r::regclass, 'kind', '0', '1', '2', '3')
    FROM unnest(ARRAY['visits', 'parted']) r;
END $$;

-- which rows of each watched unit count, in each group, and with other cells read beside
CREATE FUNCTION chosen(relation text DEFAULT 'visits') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text;
    one text;
    result text := '';
BEGIN
    FOREACH query IN ARRAY ARRAY[
        'SELECT kind, %1$s FROM %2$s GROUP BY kind',
        'SELECT %1$s, dp_sum(b) FILTER (WHERE unit < 50), dp_count(b) FILTER (WHERE unit < 50) FROM %2$s',
        'SELECT %1$s FROM %2$s WHERE note <> ''nothing'' AND bits > 2',
        -- by the server's own aggregation
        'SELECT kind, %1$s, dp_median(b) FILTER (WHERE unit < 50) FROM %2$s WHERE bits <> 5 GROUP BY kind'] LOOP
        EXECUTE format('SELECT string_agg(q::text, ''|'') FROM (' || query || ') q',
            (SELECT string_agg(format('dp_sum(bits) FILTER (WHERE unit = %s)', u), ', ') FROM generate_series(1, 8) u), relation) INTO one;
        result := result || '/' || one;
    END LOOP;
    RETURN result;
END $$;
CREATE TABLE ways (n int, way text, settings text[]);
INSERT INTO ways VALUES (0, 'alone', '{}'), (1, 'by rows', '{dpsens.enable_table_sums=off}'), (2, 'by files', '{work_mem=64kB}'),
    (3, 'in parallel', '{max_parallel_workers_per_gather=2}'), (4, 'in parallel by files and rows', '{max_parallel_workers_per_gather=2,work_mem=64kB,dpsens.enable_table_sums=off}'),
    (5, 'sorted', '{enable_hashagg=off,enable_seqscan=off}'), (6, 'by the aggregate', '{dpsens.enable_table_sums=off,dpsens.enable_row_sums=off}');
CREATE FUNCTION by_way(which int, relation text DEFAULT 'visits') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true)
    FROM unnest('{work_mem=64MB,max_parallel_workers_per_gather=0,enable_hashagg=on,enable_seqscan=on,dpsens.enable_table_sums=on,dpsens.enable_row_sums=on,min_parallel_table_scan_size=0,parallel_setup_cost=0,parallel_tuple_cost=0}'::text[]
        || (SELECT settings FROM ways WHERE n = which)) s;
    RETURN chosen(relation);
END $$;

-- the last two are chosen by window functions, which sort the table
CREATE TABLE bounds (n int GENERATED ALWAYS AS IDENTITY, m int, mg int, g int);
INSERT INTO bounds (m, mg, g) VALUES (3, NULL, NULL), (6, 2, NULL), (5, 3, 2), (NULL, 4, 1), (2000, 4, NULL), (1500, 5, 3);
CREATE TABLE before (bound int, answer text);
DO $$ DECLARE b bounds; BEGIN
    FOR b IN SELECT * FROM bounds LOOP
        PERFORM declare(b.m, b.mg, b.g);
        INSERT INTO before VALUES (b.n, by_way(0));
    END LOOP;
END $$;
CREATE FUNCTION same(changed text, which int[] DEFAULT '{0}', relation text DEFAULT 'visits') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
    FOR r IN SELECT b.*, answer, w.n AS way_n, way FROM bounds b JOIN before ON bound = b.n, ways w WHERE w.n = ANY (which) ORDER BY b.n LOOP
        PERFORM declare(r.m, r.mg, r.g);
        RETURN NEXT is(by_way(r.way_n, relation), r.answer, format('%s: %s, of %s, %s, %s', changed, r.way, r.m, r.mg, r.g));
    END LOOP;
END $$;

-- ---- the test sees which rows count ----

SELECT is(count(DISTINCT answer), 6::bigint, 'limits matter') FROM before;
CREATE FUNCTION bits_of(v float8) RETURNS int LANGUAGE sql AS $$ SELECT length(replace(v::int::bit(32)::text, '0', '')) $$;
DO $$ BEGIN PERFORM declare(3, NULL, NULL); END $$;
CREATE TABLE three AS SELECT dp_sum(bits) FILTER (WHERE unit = 1) AS one, dp_sum(bits) FILTER (WHERE unit = 2) AS two, dp_sum(bits) FILTER (WHERE unit = 3) AS three FROM visits;
SELECT is((SELECT ARRAY[bits_of(one), bits_of(two), bits_of(three)] FROM three), '{3,3,3}', 'three rows of each');
SELECT isnt((SELECT one FROM three), 7::float8, 'not the first three');
SELECT isnt((SELECT one FROM three), 229376::float8, 'nor the last three');

\ir plan_of.psql
SET dpsens.delta = 1e-6;
SELECT matches(plan_of(query), 'Custom Scan .dpsens rows that count', 'chosen by a node: ' || query) FROM unnest(ARRAY[
    'SELECT kind, dp_median(b) FROM visits GROUP BY kind', 'SELECT dp_count(DISTINCT kind) FROM visits', 'SELECT note, dp_sum(bits) FROM visits GROUP BY note']) query;
-- a key whose group may have equal ones with other bytes is another matter
SELECT unalike(plan_of('SELECT b, dp_count(*) FROM visits GROUP BY b'), '%rows that count%', 'keys with two zeros');
-- groups that are not declared are shown by how many units they have, not by their rows: 8 and 144 of the
-- one.  It is shown with probability below 1e-8, and would be if rows counted; the other has 700 units
DO $$ BEGIN PERFORM declare(400, 400, 1); END $$;
SET dpsens.delta = 1e-12;
SET dpsens.noise = on;
SELECT is((SELECT array_agg(note) FROM (SELECT note, dp_count(*) AS n FROM visits GROUP BY note) q), '{other}'::text[], 'groups of few units are not shown');
SET work_mem = '64kB';
SELECT is((SELECT array_agg(note) FROM (SELECT note, dp_count(*) AS n FROM visits GROUP BY note) q), '{other}'::text[], 'nor by files');
SET dpsens.noise = off;
SELECT is((SELECT array_agg(ROW(note, n)::text ORDER BY note) FROM (SELECT note, dp_count(*) AS n FROM visits GROUP BY note) q),
    (SELECT ARRAY[format('(other,%s)', sum(CASE WHEN unit IS NULL THEN n ELSE least(n, 400) END)), '(watched,144)'] FROM (SELECT unit, count(*) AS n FROM visits WHERE note = 'other' GROUP BY unit) q), 'as many rows as may count');
RESET work_mem;

-- ---- other ways, other places ----

SELECT same('nothing', '{1,2,3,4,5,6}');
SELECT same('partitions', '{0,4}', 'parted');
CREATE INDEX ON visits (bits);
CREATE INDEX visits_note ON visits (note, hashint4(bits::int));
SELECT same('indexes', '{5}');
CLUSTER visits USING visits_note;
SELECT same('CLUSTER');
DELETE FROM visits WHERE unit IS NULL;
VACUUM visits;
INSERT INTO visits SELECT * FROM numbers WHERE unit IS NULL;
SELECT same('VACUUM, and rows in the space that it made');
CREATE TABLE shuffled AS SELECT * FROM visits ORDER BY hashtext(ctid::text);
TRUNCATE visits;
INSERT INTO visits SELECT * FROM shuffled;
SELECT same('another order', '{4}');
UPDATE visits SET note = note || '' WHERE unit = 3;
SELECT same('new versions of a unit''s rows');
ALTER TABLE visits ADD COLUMN more int DEFAULT 5, ALTER unit TYPE bigint;
SELECT same('ALTER TABLE');
VACUUM FULL visits;
SELECT same('VACUUM FULL', '{4}');

-- ---- other units ----

CREATE TABLE away AS SELECT * FROM visits WHERE unit = 900;
DELETE FROM visits WHERE unit = 900;
SELECT same('a large unit less', '{0,4}');
INSERT INTO visits SELECT * FROM away;
DELETE FROM visits WHERE unit = 5;
INSERT INTO visits (unit, kind, bits, b, note) SELECT unit, kind, bits, b, note FROM numbers WHERE unit = 5;
SELECT same('back, and a watched one, too');
INSERT INTO visits (unit, kind, bits, b, note) SELECT 5000, i % 4, i % 262144, 'NaN', 'new' FROM generate_series(1, 5000) i;
SELECT same('one more, of NaN');
INSERT INTO visits (unit, kind, bits, b, note) SELECT 10000 + i, i % 4, i % 262144, i % 20, 'new' FROM generate_series(1, 5000) i;
SELECT same('5,000 more', '{4}');
-- rows as those of watched units, of others
INSERT INTO visits (unit, kind, bits, b, note) SELECT unit + 20000, kind, bits, b, note FROM numbers WHERE unit < 9;
SELECT same('twins', '{4}');
UPDATE visits SET unit = unit + 30000 WHERE unit BETWEEN 100 AND 300;
SELECT same('other names');
DELETE FROM visits WHERE unit > 8 OR unit IS NULL;
SELECT same('all others gone');

-- what a unit adds is what it adds alone, whoever is there beside it
TRUNCATE visits;
INSERT INTO visits (unit, kind, bits, b, note) SELECT unit, kind, bits, b, note FROM numbers;
CREATE FUNCTION sums(condition text) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE result numeric[];
BEGIN
    EXECUTE format('SELECT array_agg(ARRAY[s::numeric, c::numeric, d::numeric] ORDER BY kind) FROM (SELECT kind, dp_sum(bits) AS s, dp_count(b) AS c, dp_sum(floor(b)) AS d FROM visits WHERE %s GROUP BY kind) q', condition)
        INTO result;
    RETURN ARRAY(SELECT unnest(result));
END $$;
CREATE FUNCTION unit_adds(b bounds) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE everything numeric[];
BEGIN
    PERFORM declare(b.m, b.mg, b.g);
    everything := sums('true');
    RETURN bool_and((SELECT array_agg(x - y ORDER BY n) FROM unnest(everything, sums(format('unit IS DISTINCT FROM %s', p))) WITH ORDINALITY t (x, y, n)) = sums(format('unit = %s', p)))
    FROM unnest(ARRAY[1, 6, 104, 333, 900]) p;
END $$;
SELECT ok(unit_adds(b), format('units add up: %s', b)) FROM bounds b;

-- ---- sets of groups, subqueries: limits and charges of each ----

DO $$ BEGIN PERFORM declare(NULL, 2, 1); END $$;
SELECT is((SELECT array_agg(n ORDER BY kind) FROM (SELECT kind, dp_count(*) AS n FROM visits WHERE unit = 3 GROUP BY GROUPING SETS ((kind), ())) q),
    (SELECT array_agg(n ORDER BY kind) FROM (SELECT kind, dp_count(*) AS n FROM visits WHERE unit = 3 GROUP BY kind UNION ALL SELECT NULL, dp_count(*) FROM visits WHERE unit = 3) q), 'each set has its own limits');
SELECT is((SELECT count(*) FROM (SELECT kind, dp_count(*) AS n FROM visits WHERE unit = 3 GROUP BY kind) q WHERE n > 0), 1::bigint, 'one group of a unit');
SELECT is(sum(epsilon), 2::float8, 'and is charged by itself') FROM dpsens.explain('SELECT kind, dp_count(*) FROM visits GROUP BY GROUPING SETS ((kind), ())');
SELECT throws_ok('SELECT dp_count(*) FROM (SELECT unit, kind FROM visits UNION ALL SELECT unit, kind FROM parted) u', '0A000', NULL, 'nothing limits units of several rows across UNION ALL');
SELECT is((SELECT count(*) FROM (SELECT kind, dp_sum(bits) AS s, dp_count(b) AS n FROM visits WHERE unit = 3 GROUP BY kind) q WHERE s > 0 OR n > 0), 1::bigint, 'several aggregates share the groups');

SELECT * FROM finish();
DROP SCHEMA unit_neighbours_tap CASCADE;
