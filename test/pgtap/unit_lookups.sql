-- Units of rows that refer to other rows, looked up while a table is read: the
-- same bits as by a join.
-- Files: agg/unit/unit_lookup.c, agg/unit/unit_map.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA unit_lookups_tap;
SET search_path = unit_lookups_tap, public;
SELECT plan(125);

CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
-- of 150 customers; some orders have none, some no lines; numbers follow each other,
-- have gaps (by a hash), or are far apart, and negative
CREATE TABLE numbers AS
SELECT i, CASE WHEN i % 41 > 0 THEN (hashint4(i) & 2147483647) % 150 END AS c FROM generate_series(0, 1499) i;
CREATE TABLE lines_of AS
SELECT g, (hashint4(g + 7) & 2147483647) % 1450 AS i, g % 5 AS kind, ((hashint4(g + 1) & 65535) % 50)::float8 AS a,
    CASE WHEN g % 3 > 0 THEN (g % 20)::float8 END AS b
FROM generate_series(1, 8000) g;
CREATE TABLE kinds_of_keys (name text, type text, key text);
INSERT INTO kinds_of_keys VALUES ('in_sequence', 'int', 'i - 100'), ('with_gaps', 'int', 'i * 70001 - 100000000'), ('small', 'smallint', '(i - 750) * 42'),
    ('far_apart', 'bigint', '(i - 750) * 12000000000000000::bigint');
CREATE TABLE kinds_of_units (name text, type text, unit text, nullable boolean DEFAULT false);
INSERT INTO kinds_of_units VALUES ('int', 'int', 'c'), ('bigint', 'bigint', 'c * 5000000000'), ('uuid', 'uuid', 'md5(c::text)::uuid'), ('text', 'text', '''unit '' || c'),
    ('long', 'text', 'repeat(md5(c::text), 70) || c'), ('caseless', 'text COLLATE caseless', '(CASE WHEN i % 2 = 0 THEN ''unit '' ELSE ''UNIT '' END) || c'),
    ('numeric', 'numeric', 'c / 7.0'), ('bool', 'bool', 'c % 2 = 0');
INSERT INTO kinds_of_units SELECT name || ' or NULL', type, unit, true FROM kinds_of_units WHERE name IN ('int', 'text', 'uuid');

SET dpsens.epsilon = 1;
SET client_min_messages = error;
SET dpsens.noise = off;
SET jit = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;

CREATE FUNCTION make_tables(k kinds_of_keys, u kinds_of_units) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE orders (customer %s, id %s PRIMARY KEY, region int NOT NULL)', u.type, k.type);
    EXECUTE format('INSERT INTO orders SELECT %s, %s, i %% 3 FROM (SELECT i, %s FROM numbers) n ORDER BY hashint4(i)', u.unit, k.key, CASE WHEN u.nullable THEN 'c' ELSE 'coalesce(c, 0) AS c' END);
    EXECUTE format('CREATE TABLE lines (order_id %s NOT NULL, note text, kind int NOT NULL, a float8 NOT NULL, b float8)', k.type);
    EXECUTE format('INSERT INTO lines SELECT %s, repeat(''x'', g %% 7), kind, a, b FROM lines_of', k.key);
    IF NOT u.nullable THEN
        ALTER TABLE orders ALTER customer SET NOT NULL;
    END IF;
    ALTER TABLE lines ADD FOREIGN KEY (order_id) REFERENCES orders;
    ANALYZE orders;
    ANALYZE lines;
    PERFORM dpsens.protect('orders', 'customer', 'add_remove', 10), dpsens.protect('lines', 'orders.customer', 'add_remove', 5, 2, 2),
        dpsens.set_range('lines', 'a', 0, 50), dpsens.set_range('lines', 'b', 0, 20), dpsens.set_values('lines', 'kind', '0', '1', '2', '3', '4');
END $$;
CREATE TABLE queries (n int, query text);
INSERT INTO queries VALUES
    (1, 'SELECT dp_count(*) FROM lines'),
    (2, 'SELECT dp_sum(a), dp_count(b), dp_avg(b), dp_sum(a * b) FILTER (WHERE kind < 3) FROM lines'),
    (3, 'SELECT kind, dp_sum(a), dp_count(*), dp_sum(b) FILTER (WHERE a > 20) FROM lines WHERE a > 3 GROUP BY kind'),
    (4, 'SELECT kind, dp_sum(a), dp_count(*) FROM lines JOIN orders ON id = order_id WHERE region = 1 GROUP BY kind'),
    (5, 'SELECT kind, dp_sum(b) FROM orders, lines WHERE order_id = id AND length(note) > 2 GROUP BY kind');
CREATE FUNCTION possible(asked text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN asked !~ 'orders' OR (SELECT attnotnull FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'customer');
END $$;
CREATE FUNCTION answers() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    one text;
    query text;
    result text := '';
BEGIN
    FOR query IN SELECT q.query FROM queries q WHERE possible(q.query) ORDER BY n LOOP
        EXECUTE format('SELECT string_agg(q::text, ''|'') FROM (%s) q', query) INTO one;
        result := result || '/' || one;
    END LOOP;
    RETURN result;
END $$;
\ir plan_of.psql
CREATE FUNCTION looks_up() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM queries WHERE possible(query) AND plan_of(query) ~ 'exact sums\)\s+Relation: lines(\s+Filter: [^\n]+)?\s+->  Seq Scan on orders' AND plan_of(query) !~ 'Join'
$$;
CREATE FUNCTION by_setting(name text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    PERFORM set_config(name, value, true);
    result := answers();
    PERFORM set_config(name, CASE name WHEN 'max_parallel_workers_per_gather' THEN '0' WHEN 'work_mem' THEN '4MB' ELSE 'on' END, true);
    RETURN result;
END $$;
-- what a proof needs must be committed before it is used
CREATE TABLE results (n int GENERATED ALWAYS AS IDENTITY, result text);
CREATE PROCEDURE compare_all() LANGUAGE plpgsql AS $$
DECLARE
    k kinds_of_keys;
    u kinds_of_units;
    r record;
    joined text;
BEGIN
    FOR r IN SELECT k1, u1 FROM kinds_of_keys k1, kinds_of_units u1 WHERE k1.name = 'in_sequence' OR u1.name IN ('int', 'caseless')
        ORDER BY k1.name = 'with_gaps' AND u1.name = 'int', k1.name, u1.name
    LOOP
        k := r.k1;
        u := r.u1;
        DROP TABLE IF EXISTS lines, orders;
        PERFORM make_tables(k, u);
        COMMIT;
        -- one that is compared by copies is none where it is long (row_owner.c)
        joined := by_setting('dpsens.enable_table_sums', 'off');
        INSERT INTO results (result) VALUES (is(looks_up(), CASE WHEN u.nullable OR u.name = 'caseless' THEN 0::bigint ELSE 5 END, format('%s, %s: units are looked up, where there are always some', k.name, u.name))),
            (is(answers(), joined, format('%s, %s: as joined', k.name, u.name))),
            (is(by_setting('max_parallel_workers_per_gather', '2'), joined, format('%s, %s: in parallel', k.name, u.name))),
            (is(by_setting('work_mem', '64kB'), joined, format('%s, %s: in little memory', k.name, u.name)));
        -- so that what the leader has read is all that workers know
        PERFORM set_config('parallel_leader_participation', 'off', true);
        INSERT INTO results (result) VALUES (is(by_setting('max_parallel_workers_per_gather', '2'), joined, format('%s, %s: by workers alone', k.name, u.name)));
        COMMIT;
    END LOOP;
END $$;
CALL compare_all();
SELECT result FROM results ORDER BY n;

-- workers look up, too; where there is not the memory, nobody does
SET max_parallel_workers_per_gather = 2;
SELECT matches(plan_of('SELECT dp_sum(a) FROM lines'), 'added sums.*Gather.*Parallel Custom Scan .dpsens exact sums\).*Seq Scan on orders', 'workers look up');
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT matches(plan_of('SELECT dp_sum(a) FROM lines'), 'Hash Join', 'without memory rows are joined');
RESET work_mem;
RESET hash_mem_multiplier;

-- what it must not be taken for
SELECT unalike(plan_of(query), '%exact sums)%', format('not a lookup: %s', query)) FROM unnest(ARRAY[
    'SELECT dp_sum(a) FILTER (WHERE region = 1) FROM lines JOIN orders ON id = order_id',
    'SELECT dp_sum(a) FROM lines JOIN orders ON id = order_id AND region < kind']) query;
DO $$ BEGIN PERFORM dpsens.set_range('orders', 'region', 0, 2); END $$;
SELECT unalike(plan_of('SELECT dp_sum(a * region) FROM lines JOIN orders ON id = order_id'), '%exact sums)%', 'not a lookup of anything else');

-- a parameter below, executed again; a cursor that goes back; orders that come
SET plan_cache_mode = force_generic_plan;
PREPARE of_region AS SELECT kind, dp_sum(a), dp_count(*) FROM lines JOIN orders ON id = order_id WHERE region = $1 AND a > $2 GROUP BY kind;
CREATE TABLE first AS EXECUTE of_region(1, 7);
CREATE TABLE second AS EXECUTE of_region(2, 7);
SELECT results_eq('TABLE first', 'SELECT kind, dp_sum(a), dp_count(*) FROM lines JOIN orders ON id = order_id WHERE region = 1 AND a > 7 GROUP BY kind', 'a generic plan');
SELECT results_eq('TABLE second', 'SELECT kind, dp_sum(a), dp_count(*) FROM lines JOIN orders ON id = order_id WHERE region = 2 AND a > 7 GROUP BY kind', 'executed again');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT kind, dp_sum(a), dp_count(*) FROM lines GROUP BY kind;
\ir went_back.psql
COMMIT;
SELECT results_eq('TABLE again', 'SELECT kind, dp_sum(a), dp_count(*) FROM lines GROUP BY kind', 'a cursor that went back');
PREPARE all_of_them AS SELECT dp_count(*) FROM lines;
CREATE TABLE counted AS EXECUTE all_of_them;
INSERT INTO orders SELECT 100000 + i, 500000000 + i, 0 FROM generate_series(1, 1000) i;
INSERT INTO lines SELECT 500000000 + i, NULL, 0, 1, 1 FROM generate_series(1, 1000) i;
SELECT results_eq('EXECUTE all_of_them', 'SELECT dp_count + 1000 FROM counted', 'orders that have come since');

-- a reference to a row that is not there, though a constraint says that it is, counts for nobody;
-- nor does it in a join
SET session_replication_role = replica;
DELETE FROM orders WHERE id BETWEEN 500000001 AND 500000100;
RESET session_replication_role;
SELECT results_eq('EXECUTE all_of_them', 'SELECT dp_count + 900 FROM counted', 'broken references');
SET dpsens.enable_table_sums = off;
SELECT results_eq('EXECUTE all_of_them', 'SELECT dp_count + 900 FROM counted', 'broken references of a join');
RESET dpsens.enable_table_sums;
SELECT is((SELECT dp_count(*) FROM lines JOIN orders ON id = order_id WHERE region > 5), 0::bigint, 'nothing to refer to');

-- those who ask and may not look
CREATE ROLE unit_lookups_tap_ana;
GRANT USAGE ON SCHEMA unit_lookups_tap TO unit_lookups_tap_ana;
DO $$ BEGIN PERFORM dpsens.grant_budget('lines', 'unit_lookups_tap_ana', epsilon => 1000), dpsens.grant_budget('orders', 'unit_lookups_tap_ana', epsilon => 1000); END $$;
SELECT dp_count AS counted FROM counted \gset
SET dpsens.noise = on;
SET ROLE unit_lookups_tap_ana;
-- off by 500 with probability exp(-100)
SELECT ok(abs(dp_count(*) - :counted - 900) < 500, 'alone') FROM lines;
SET max_parallel_workers_per_gather = 2;
SELECT ok(abs(dp_count(*) - :counted - 900) < 500, 'with workers') FROM lines;
RESET ROLE;

-- however many rows there are to refer to, none of them is passed over: each is
-- referred to by as many lines as there are rows before it, three at most
SET dpsens.noise = off;
SET max_parallel_workers_per_gather = 0;
SET enable_nestloop = off;
CREATE TABLE sizes (n int GENERATED ALWAYS AS IDENTITY, result text);
CREATE PROCEDURE try_sizes() LANGUAGE plpgsql AS $$
DECLARE
    size int;
    counted bigint;
BEGIN
    FOREACH size IN ARRAY ARRAY[0, 1, 2, 3, 4, 5, 63, 64, 65, 1001, 1023, 1024, 1025] LOOP
        DROP TABLE lines, orders;
        CREATE TABLE orders (customer int NOT NULL, id int PRIMARY KEY);
        CREATE TABLE lines (order_id int NOT NULL REFERENCES orders);
        INSERT INTO orders SELECT i, i FROM generate_series(1, size) i;
        INSERT INTO lines SELECT i FROM generate_series(1, size) i, generate_series(1, least(i, 3));
        ANALYZE orders;
        ANALYZE lines;
        PERFORM dpsens.protect('orders', 'customer', 'add_remove', 5), dpsens.protect('lines', 'orders.customer', 'add_remove', 5);
        COMMIT;
        SELECT dp_count(*) INTO counted FROM lines;
        INSERT INTO sizes (result) VALUES (is(counted, (SELECT count(*) FROM lines), format('%s rows to refer to', size))),
            (matches(plan_of('SELECT dp_count(*) FROM lines'), 'exact sums\)\s+Relation: lines\s+->  Seq Scan on orders', format('%s rows to refer to: units are looked up', size)));
        COMMIT;
    END LOOP;
END $$;
CALL try_sizes();
SELECT result FROM sizes ORDER BY n;

SELECT * FROM finish();
DROP SCHEMA unit_lookups_tap CASCADE;
DROP OWNED BY unit_lookups_tap_ana;
DROP ROLE unit_lookups_tap_ana;
