-- Long lists of declared values: plans refer to them, and what they refer to is what
-- they were planned with, or nothing.
-- Files: guard/run/held_keys.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA long_tap;
SET search_path = long_tap, public;
SET timezone = 'UTC';
SET dpsens.noise = off;
SET dpsens.epsilon = 1;
SET jit = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 0;
SELECT max_val::int > 0 AS discards, 291 + (max_val::int > 0)::int AS tests FROM pg_settings WHERE name = 'debug_discard_caches' \gset
SELECT plan(:tests);
\ir plan_of.psql

-- every value but for some; in no order; with what is difficult in texts
CREATE TABLE rows (i int NOT NULL, t text NOT NULL, w varchar NOT NULL, p varchar(20) NOT NULL, c char(12) NOT NULL, k int NOT NULL, b bigint NOT NULL, s smallint NOT NULL,
    n numeric NOT NULL, f float8 NOT NULL, d date NOT NULL, at timestamp NOT NULL, u uuid NOT NULL, v text COLLATE "C" NOT NULL, a float8 NOT NULL);
INSERT INTO rows SELECT i, CASE i % 7 WHEN 0 THEN '' WHEN 1 THEN 'O''Hara ''''' WHEN 2 THEN '  \ ' WHEN 3 THEN 'señor ' WHEN 4 THEN 'key ' WHEN 5 THEN E'a\nb,''' ELSE repeat('x', i % 90) || '-' END || i,
    'w' || i, 'p' || i, 'c' || i, i * 1103 - 1500000, i * 9007199254740::bigint - 99, i - 1500, i / 8.0, i / 3.0, date '1999-01-01' + i, timestamp '2000-01-01' + i * interval '61 seconds',
    md5(i::text)::uuid, chr(97 + i % 26) || i, 1
FROM generate_series(0, 2999) i;
INSERT INTO rows SELECT (rows).* FROM rows WHERE i % 3 = 0;
CREATE TABLE columns (name text);
INSERT INTO columns VALUES ('t'), ('w'), ('p'), ('c'), ('k'), ('b'), ('s'), ('n'), ('f'), ('d'), ('at'), ('u'), ('v');
DO $$ BEGIN PERFORM dpsens.protect('rows'), dpsens.set_range('rows', 'a', 0, 1); END $$;
CREATE FUNCTION declare_values(name text, condition text DEFAULT 'i % 10 > 0', ordered text DEFAULT 'hashint4(i)') RETURNS void LANGUAGE plpgsql AS $$
DECLARE list text[];
BEGIN
    EXECUTE format('SELECT array_agg(v ORDER BY o) FROM (SELECT DISTINCT %I::text AS v, %s AS o FROM rows WHERE %s) q', name, ordered, condition) INTO list;
    PERFORM dpsens.set_values('rows', name, VARIADIC list);
END $$;
SELECT declare_values(name) FROM columns;
-- what the groups are, in their order
CREATE FUNCTION private(name text, condition text DEFAULT 'true') RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT md5(string_agg(concat_ws('':'', key, count), ''|'')) FROM (SELECT %I AS key, dp_count(*) AS count FROM rows WHERE %s GROUP BY %1$I) q', name, condition) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION plain(name text, condition text DEFAULT 'true', declared text DEFAULT 'i % 10 > 0', ordered text DEFAULT 'hashint4(i)') RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT md5(string_agg(concat_ws('':'', key, count), ''|'' ORDER BY o)) FROM (SELECT %I AS key, %s AS o, count(*) FILTER (WHERE %s) FROM rows WHERE %s GROUP BY 1, 2) q',
        name, ordered, condition, declared) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION verbose(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    result text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        result := result || line || E'\n';
    END LOOP;
    RETURN result;
END $$;

-- ---- every type: first, remembered, not remembered, one state at a time, in workers ----

SELECT is(private(name), plain(name), name) FROM columns;
SELECT is(private(name), plain(name), name || ', again') FROM columns;
SELECT matches(verbose(format('SELECT %I, dp_sum(a) FROM rows GROUP BY %1$I', name)), '2700 declared values', name || ': the plan refers to them') FROM columns WHERE name NOT IN ('p', 'c');
SELECT cmp_ok(length(verbose(format('SELECT %I, dp_sum(a) FROM rows GROUP BY %1$I', name))), '<', 2000, name || ': and does not have them') FROM columns WHERE name NOT IN ('p', 'c');
SET dpsens.key_cache_size = 0;
SELECT is(private(name), plain(name), name || ', without memory') FROM columns;
RESET dpsens.key_cache_size;
SELECT is(private(name, 'a > 0 AND i < 1000'), plain(name, 'i < 1000'), name || ', with a condition') FROM columns;
SET dpsens.enable_group_states = off;
SELECT is(private(name), plain(name), name || ', one state at a time') FROM columns;
RESET dpsens.enable_group_states;
SET dpsens.enable_table_sums = off;
SELECT is(private(name), plain(name), name || ', rows of any plan') FROM columns;
SET dpsens.enable_row_sums = off;
SELECT is(private(name), plain(name), name || ', the server''s aggregate') FROM columns;
SET max_parallel_workers_per_gather = 2;
SET parallel_leader_participation = off;
SELECT matches(plan_of('SELECT t, dp_sum(a) FROM rows GROUP BY t'), 'Gather.*Partial Aggregate', 'workers aggregate');
SELECT is(private(name), plain(name), name || ', workers alone aggregate') FROM columns;
RESET dpsens.enable_row_sums;
SELECT matches(plan_of('SELECT t, dp_sum(a) FROM rows GROUP BY t'), 'Gather.*Custom Scan .dpsens exact sums of rows', 'workers take rows');
SELECT is(private(name), plain(name), name || ', workers alone take rows') FROM columns;
RESET dpsens.enable_table_sums;
SELECT matches(plan_of('SELECT t, dp_sum(a) FROM rows GROUP BY t'), 'Gather.*Parallel Custom Scan', 'workers scan');
SELECT is(private(name), plain(name), name || ', workers alone scan') FROM columns;
SET dpsens.key_cache_size = 0;
SELECT is(private(name), plain(name), name || ', without memory') FROM columns;
RESET dpsens.key_cache_size;
RESET parallel_leader_participation;
SELECT is(private(name), plain(name), name || ', workers and the leader') FROM columns;
SET max_parallel_workers_per_gather = 0;
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \g /dev/null
SELECT is(private(name), plain(name), name || ', the whole plan in a worker, if it may') FROM columns;
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \g /dev/null

-- two long lists at once, and a short one beside
DO $$ BEGIN PERFORM dpsens.set_values('rows', 'i', '3', '1', '2'); END $$;
SELECT is((SELECT string_agg(format('%s %s %s', i, t, n), ',') FROM (SELECT i, t, dp_count(*) AS n FROM rows GROUP BY i, t) q WHERE n > 0),
    (SELECT string_agg(format('%s %s %s', i, t, n), ',' ORDER BY o) FROM (VALUES (3, 1), (1, 2), (2, 3)) v (i, o) JOIN (SELECT i, t, count(*) AS n FROM rows GROUP BY 1, 2) q USING (i)), 'with a short one');
CREATE TABLE pairs (x text NOT NULL, y text NOT NULL, z int NOT NULL);
INSERT INTO pairs SELECT repeat('x', 100) || i % 100, repeat('y', 100) || i % 80, i % 3 FROM generate_series(1, 1000) i;
DO $$
BEGIN
    PERFORM dpsens.protect('pairs'), dpsens.set_values('pairs', 'x', VARIADIC ARRAY(SELECT DISTINCT x FROM pairs)), dpsens.set_values('pairs', 'y', VARIADIC ARRAY(SELECT DISTINCT y FROM pairs)),
        dpsens.set_values('pairs', 'z', '2', '0');
END $$;
SELECT is((SELECT md5(string_agg(concat(y, z, x, n), ',' ORDER BY x, y, z)) FROM (SELECT y, z, x, dp_count(*) AS n FROM pairs GROUP BY y, z, x) q WHERE n > 0),
    (SELECT md5(string_agg(concat(y, z, x, n), ',' ORDER BY x, y, z)) FROM (SELECT y, z, x, count(*) AS n FROM pairs WHERE z <> 1 GROUP BY y, z, x) q), 'two long ones and a short one');
SELECT is((regexp_match(verbose('SELECT y, z, x, dp_count(*) AS n FROM pairs GROUP BY y, z, x'), '(80) declared values.*(100) declared values'))::text, '{80,100}', 'of which two are referred to');
-- in little memory they are cut into parts, or the groups are found one by one
SET work_mem = '400kB';
SELECT is(private(name), plain(name), name || ', in little memory') FROM columns;
SET work_mem = '64kB';
SELECT is(private(name), plain(name), name || ', in less') FROM columns;
RESET work_mem;
-- keys that are not shown, and conditions on them
SELECT is((SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM rows GROUP BY t) q), (SELECT count(*)::numeric FROM rows WHERE i % 10 > 0), 'not shown');
SELECT is((SELECT count(*) FROM (SELECT t, dp_count(*) AS n FROM rows GROUP BY t HAVING t LIKE 'key%') q), (SELECT count(DISTINCT t) FROM rows WHERE t LIKE 'key%' AND i % 10 > 0), 'HAVING');
SELECT is((SELECT max(n) FROM (SELECT t, dp_count(*) AS n FROM rows GROUP BY t) q WHERE t = (SELECT t FROM rows WHERE i = 3 LIMIT 1)), 2::bigint, 'one of them');

-- ---- units of several rows ----

CREATE TABLE visits (person int NOT NULL, place text NOT NULL, a float8 NOT NULL);
INSERT INTO visits SELECT i % 700, 'place ' || i % 1500, 1 FROM generate_series(1, 6000) i;
DO $$ BEGIN PERFORM dpsens.protect('visits', 'person', max_rows => 1000), dpsens.set_range('visits', 'a', 0, 1), dpsens.set_values('visits', 'place', VARIADIC ARRAY(SELECT 'place ' || i FROM generate_series(1499, 0, -1) i)); END $$;
CREATE FUNCTION check_visits(name text) RETURNS text LANGUAGE sql AS $$
    SELECT is((SELECT md5(string_agg(place || n, ',')) FROM (SELECT place, dp_count(*) AS n FROM visits GROUP BY place) q),
        (SELECT md5(string_agg(place || n, ',' ORDER BY substr(place, 7)::int DESC)) FROM (SELECT place, count(*) AS n FROM visits GROUP BY place) q), 'units, ' || name) $$;
SELECT check_visits('the own scan');
SET max_parallel_workers_per_gather = 2;
SET parallel_leader_participation = off;
SELECT check_visits('the own scan in workers');
SET dpsens.enable_table_sums = off;
SELECT check_visits('rows of workers');
SET max_parallel_workers_per_gather = 0;
SELECT check_visits('rows');
RESET dpsens.enable_table_sums;
RESET parallel_leader_participation;

-- ---- plans that are kept ----

SET plan_cache_mode = force_generic_plan;
PREPARE by_t AS SELECT md5(string_agg(concat_ws(':', key, count), '|')) FROM (SELECT t AS key, dp_count(*) AS count FROM rows GROUP BY t) q;
PREPARE by_k AS SELECT md5(string_agg(concat_ws(':', key, count), '|')) FROM (SELECT k AS key, dp_count(*) AS count FROM rows GROUP BY k) q;
CREATE FUNCTION executed(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE 'EXECUTE ' || statement INTO result;
    RETURN result;
END $$;
CREATE FUNCTION remembered() RETURNS bigint LANGUAGE sql AS $$
    SELECT coalesce(sum(total_bytes), 0)::bigint FROM pg_backend_memory_contexts WHERE name = 'dpsens declared values' $$;
SELECT is(executed('by_' || name), plain(name), name || ', prepared') FROM unnest('{t,k}'::text[]) name, generate_series(1, 3);
SELECT declare_values(name, 'i % 10 < 5') FROM unnest('{t,k}'::text[]) name;
SELECT is(executed('by_' || name), plain(name, declared => 'i % 10 < 5'), name || ', other values') FROM unnest('{t,k}'::text[]) name, generate_series(1, 2);
SELECT declare_values(name, 'i % 10 < 5', '-i') FROM unnest('{t,k}'::text[]) name;
SELECT is(executed('by_' || name), plain(name, declared => 'i % 10 < 5', ordered => '-i'), name || ', in another order') FROM unnest('{t,k}'::text[]) name, generate_series(1, 2);
-- one that follows after the last, in an order that needs no look at all of them
SELECT declare_values('k', 'i % 10 < 5', 'i');
SELECT is(executed('by_k'), plain('k', declared => 'i % 10 < 5', ordered => 'i'), 'increasing') FROM generate_series(1, 2);
-- forgotten while the plan is kept
SELECT executed('by_t') AS expected \gset
SET dpsens.key_cache_size = '200kB';
SELECT is(private(name), plain(name), name || ', in little memory') FROM columns WHERE name NOT IN ('t', 'k');
SELECT cmp_ok(remembered(), '<=', 400 * 1024::bigint, 'which is not exceeded by much');
SELECT is(executed('by_t'), :'expected', 'forgotten, and read again') FROM generate_series(1, 3);
SET dpsens.key_cache_size = 0;
SELECT is(private('w'), plain('w'), 'another list');
SELECT is(executed('by_t'), :'expected', 'not remembered at all') FROM generate_series(1, 3);
SET max_parallel_workers_per_gather = 2;
SET parallel_leader_participation = off;
SELECT is(executed('by_t'), :'expected', 'and in workers') FROM generate_series(1, 3);
SET max_parallel_workers_per_gather = 0;
RESET parallel_leader_participation;
SELECT is(remembered(), 0::bigint, 'nothing is left behind');
RESET dpsens.key_cache_size;
SELECT is(executed('by_t'), :'expected', 'remembered again') FROM generate_series(1, 2);

-- a cursor keeps what it began with
BEGIN;
DECLARE c CURSOR FOR SELECT t, dp_count(*) FROM rows GROUP BY t;
MOVE FORWARD 1 IN c;
DO $$ BEGIN PERFORM declare_values('t', 'i % 10 > 7'); END $$;
SET LOCAL dpsens.key_cache_size = 0;
DO $$ BEGIN PERFORM private('w'), verbose('SELECT t, dp_count(*) FROM rows GROUP BY t'); END $$;
MOVE FORWARD 1496 IN c;
FETCH 1 FROM c \gset last_
FETCH 5 FROM c \g /dev/null
ROLLBACK;
SELECT is(:'last_t', (SELECT t FROM rows WHERE i % 10 < 5 GROUP BY i, t ORDER BY -i LIMIT 1 OFFSET 1497), 'a cursor goes on');
SELECT is(executed('by_t'), plain('t', declared => 'i % 10 < 5', ordered => '-i'), 'the change was taken back');

-- ---- a label that is written past all messages ----

SELECT is(executed('by_t'), plain('t', declared => 'i % 10 < 5', ordered => '-i'), 'planned');
CREATE TABLE labels AS SELECT objsubid, label FROM pg_seclabel WHERE provider = 'dpsens' AND objoid = 'rows'::regclass AND objsubid > 0;
CREATE FUNCTION overwrite(name text, value text) RETURNS void LANGUAGE sql AS $$
    UPDATE pg_seclabel SET label = value
    WHERE provider = 'dpsens' AND objoid = 'rows'::regclass AND objsubid = (SELECT attnum FROM pg_attribute WHERE attrelid = 'rows'::regclass AND attname = name) $$;
SELECT label AS label_of_t FROM labels WHERE objsubid = 2 \gset
SET dpsens.key_cache_size = 0;
SELECT executed('by_t') IS NOT NULL AS known \g /dev/null
DO $$ BEGIN PERFORM overwrite('t', (SELECT replace(label, 'key ', 'kez ') FROM labels WHERE objsubid = 2)); END $$;
SELECT throws_ok('EXECUTE by_t', '55000', 'declared values of column "t" of relation "rows" have changed since the statement was planned', 'other values are not taken for those of the plan');
DO $$ BEGIN PERFORM overwrite('t', 'VALUES (''a'', ''b'')'); END $$;
SELECT throws_ok('EXECUTE by_t', '55000', 'declared values of column "t" of relation "rows" have changed since the statement was planned', 'nor are fewer');
DO $$ BEGIN PERFORM overwrite('t', 'PUBLIC'); END $$;
SELECT throws_ok('EXECUTE by_t', '55000', 'declared values of column "t" of relation "rows" have changed since the statement was planned', 'nor none');
DO $$ BEGIN PERFORM overwrite('t', (SELECT label FROM labels WHERE objsubid = 2)); END $$;
SELECT is(executed('by_t'), plain('t', declared => 'i % 10 < 5', ordered => '-i'), 'those of the plan are');
RESET dpsens.key_cache_size;
SELECT is(executed('by_t'), plain('t', declared => 'i % 10 < 5', ordered => '-i'), 'and remembered');

-- ---- two of a long list are equal ----

-- found whatever the order, as texts and numbers
SELECT string_agg(format('''x%s''', i), ', ' ORDER BY i) AS in_order, string_agg(format('''x%s''', i), ', ' ORDER BY hashint4(i)) AS shuffled,
    string_agg(format('''%s''', i), ', ' ORDER BY i) AS numbers, string_agg(format('''%s''', i), ', ' ORDER BY hashint4(i)) AS shuffled_numbers FROM generate_series(10000, 12000) i \gset
CREATE FUNCTION check_equal(col text, label text, name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM overwrite(col, label), dpsens.set_range('rows', 'a', 0, 1);
    RETURN throws_ok(format('SELECT %I, dp_count(*) FROM rows GROUP BY %1$I', col), '55000', format('declared values of column "%s" of relation "rows" are equal to each other', col), name);
END $$;
SELECT check_equal('t', format('VALUES (%s, ''x10000'')', :'in_order'), 'the first one at the end');
SELECT check_equal('t', format('VALUES (''x12000'', %s)', :'in_order'), 'the last one at the beginning');
SELECT check_equal('t', format('VALUES (%s, ''x12000'')', :'in_order'), 'twice in a row');
SELECT check_equal('t', format('VALUES (%s, ''x10700'')', :'shuffled'), 'in no order');
SELECT check_equal('k', format('VALUES (%s, ''10000'')', :'numbers'), 'the first number at the end');
SELECT check_equal('k', format('VALUES (%s, ''12000'')', :'numbers'), 'twice in a row');
SELECT check_equal('k', format('VALUES (%s, ''+10700'')', :'shuffled_numbers'), 'a number in another spelling');
SELECT check_equal('b', format('VALUES (%s, ''9007199254740993'', ''9007199254740993'')', :'shuffled_numbers'), 'far apart');
DO $$ BEGIN PERFORM overwrite('t', (SELECT label FROM labels WHERE objsubid = 2)), dpsens.set_range('rows', 'a', 0, 1); END $$;
-- numbers in other spellings are numbers
SECURITY LABEL FOR dpsens ON COLUMN rows.s IS 'VALUES (''-0005'', ''+7'', '' 9 '')';
SELECT is((SELECT string_agg(s || ':' || n, ' ') FROM (SELECT s, dp_count(*) AS n FROM rows GROUP BY s) q), '-5:1 7:1 9:2', 'spellings');
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON COLUMN rows.s IS 'VALUES (''99999'')'$$, '22003', NULL, 'out of range');
-- a type that takes strings for equal
DO $$ BEGIN PERFORM dpsens.set_values('rows', 'w', VARIADIC ARRAY(SELECT 'w' || i FROM generate_series(1, 2000) i) || '{"w7 "}'); END $$;
SELECT is((SELECT count(*) FROM (SELECT w, dp_count(*) FROM rows GROUP BY w) q), 2001::bigint, 'different strings');
ALTER TABLE rows ALTER COLUMN w TYPE char(8);
SELECT throws_ok('SELECT w, dp_count(*) FROM rows GROUP BY w', '55000', 'declared values of column "w" of relation "rows" are equal to each other', 'are equal as char');

-- ---- messages that come in at any time, where the server has been built for it ----

\if :discards
SET debug_discard_caches = 1;
SELECT is(executed('by_t'), plain('t', declared => 'i % 10 < 5', ordered => '-i'), 'with nothing remembered for long');
SET debug_discard_caches = 0;
\endif
SELECT * FROM finish();
DROP SCHEMA long_tap CASCADE;
