-- Declared values are remembered by a session until they change; what is read of
-- them once is what would be read now.
-- Files: guard/public/values.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA declared_tap;
SET search_path = declared_tap, public;
SET timezone = 'UTC';
SET dpsens.noise = off;
SET dpsens.epsilon = 1;
SELECT plan(105);

CREATE TYPE level AS ENUM ('low', 'high');
CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
CREATE TABLE rows (k int NOT NULL, b bigint NOT NULL, s smallint NOT NULL, d date NOT NULL, t text NOT NULL, n numeric NOT NULL, at timestamp NOT NULL,
    v level NOT NULL, f boolean NOT NULL, e even NOT NULL, w varchar NOT NULL, a float8 NOT NULL);
INSERT INTO rows SELECT i % 5, i % 5 + 9007199254740990, i % 3 - 1, date '2024-02-27' + i % 4, 'x' || i % 3, i % 3 / 2.0, timestamp '2024-01-01' + i % 2 * interval '1 hour',
    (ARRAY['low', 'high'])[1 + i % 2]::level, i % 2 = 0, i % 2 * 2, 'w' || i % 4, 1
FROM generate_series(0, 59) i;
CREATE FUNCTION declare_all() RETURNS void LANGUAGE sql AS $$
    SELECT dpsens.protect('rows'), dpsens.set_range('rows', 'a', 0, 1), dpsens.set_values('rows', 'k', '0', '1', '2', '3', '4', '5'), dpsens.set_values('rows', 'b', '9007199254740990', '9007199254740991'),
        dpsens.set_values('rows', 's', '-1', '0', '1'), dpsens.set_values('rows', 'd', '2024-02-28', '2024-02-29', '2024-03-01'), dpsens.set_values('rows', 't', 'x2', 'x0', 'y'),
        dpsens.set_values('rows', 'n', '1', '0.5'), dpsens.set_values('rows', 'at', '2024-01-01 00:00:00', '2024-01-01 01:00:00'), dpsens.set_values('rows', 'e', '0', '2', '4'), dpsens.set_values('rows', 'w', 'w1', 'w01');
$$;
DO $$ BEGIN PERFORM declare_all(); END $$;

CREATE FUNCTION groups(keys text, condition text DEFAULT 'true') RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(concat_ws('':'', %s, count), '' '') FROM (SELECT %1$s, dp_count(*) AS count FROM rows WHERE %s GROUP BY %1$s) q', keys, condition) INTO result;
    RETURN result;
END $$;

-- ---- every type, read for the first time, remembered, and not remembered ----

CREATE TABLE expected (keys text, result text);
INSERT INTO expected VALUES
    ('k', '0:12 1:12 2:12 3:12 4:12 5:0'), ('b', '9007199254740990:12 9007199254740991:12'), ('s', '-1:20 0:20 1:20'), ('d', '2024-02-28:15 2024-02-29:15 2024-03-01:15'),
    ('t', 'x2:20 x0:20 y:0'), ('n', '1:20 0.5:20'), ('at', '2024-01-01 00:00:00:30 2024-01-01 01:00:00:30'), ('v', 'low:30 high:30'), ('f', 'f:30 t:30'), ('e', '0:30 2:30 4:0'),
    ('w', 'w1:15 w01:0'), ('s, f', '-1:f:10 -1:t:10 0:f:10 0:t:10 1:f:10 1:t:10'), ('f, s', 'f:-1:10 f:0:10 f:1:10 t:-1:10 t:0:10 t:1:10'),
    ('s, e, v', (SELECT string_agg(format('%s:%s:%s:%s', s, e, v, CASE WHEN e = 2 AND v = 'high' OR e = 0 AND v = 'low' THEN 10 ELSE 0 END), ' ' ORDER BY s, e, v)
        FROM generate_series(-1, 1) s, unnest(ARRAY[0, 2, 4]) e, unnest(enum_range(NULL::level)) v));
SELECT is(groups(keys), result, format('GROUP BY %s', keys)) FROM expected;
SELECT is(groups(keys), result, format('GROUP BY %s, again', keys)) FROM expected;
SET dpsens.key_cache_size = 0;
SELECT is(groups(keys), result, format('GROUP BY %s, without memory', keys)) FROM expected;
RESET dpsens.key_cache_size;
-- the states of each group by themselves, and what joins the list to them
SET dpsens.enable_group_states = off;
SELECT is(groups(keys), result, format('GROUP BY %s, one state at a time', keys)) FROM expected;
RESET dpsens.enable_group_states;
SELECT is(groups('k', 'f'), '0:6 1:6 2:6 3:6 4:6 5:0', 'a condition');
SELECT is((SELECT dp_mode(t) FROM rows WHERE t <> 'x2'), 'x0', 'a choice');
SELECT is((SELECT dp_count(DISTINCT t) FROM rows), 2::bigint, 'how many there are');

-- ---- changes ----

PREPARE by_k AS SELECT string_agg(k || ':' || n, ' ') FROM (SELECT k, dp_count(*) AS n FROM rows GROUP BY k) q;
CREATE FUNCTION executed() RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE 'EXECUTE by_k' INTO result;
    RETURN result;
END $$;
-- its plan is kept
CREATE FUNCTION kept() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT string_agg(k || ':' || n, ' ') FROM (SELECT k, dp_count(*) AS n FROM rows GROUP BY k) q);
END $$;
CREATE FUNCTION all_three() RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN count(DISTINCT r) = 1 THEN min(r) ELSE string_agg(r, ' / ') END FROM unnest(ARRAY[groups('k'), executed(), kept()]) r $$;
SELECT is(all_three(), '0:12 1:12 2:12 3:12 4:12 5:0', format('prepared, %s', i)) FROM generate_series(1, 7) i;
SELECT dpsens.set_values('rows', 'k', '4', '1');
SELECT is(all_three(), '4:12 1:12', 'another list');
SECURITY LABEL FOR dpsens ON COLUMN rows.k IS 'VALUES (''7'', ''3'', ''0'') PUBLIC';
SELECT is(all_three(), '7:0 3:12 0:12', 'another label');
SELECT dpsens.set_values('rows', 'k', VARIADIC ARRAY(SELECT (2 * i)::text FROM generate_series(0, 40000) i));
SELECT is((SELECT format('%s %s %s %s', count(*), sum(n), min(k), max(k)) FROM (SELECT k, dp_count(*) AS n FROM rows GROUP BY k) q), '40001 36 0 80000', 'a long one');
SELECT is((SELECT format('%s %s %s %s', count(*), sum(n), min(k), max(k)) FROM (SELECT k, dp_count(*) AS n FROM rows GROUP BY k) q), '40001 36 0 80000', 'a long one, again');
SELECT dpsens.set_values('rows', 'k', '2');
SELECT is(all_three(), '2:12', 'a short one');

-- in a transaction, and taken back; nothing is answered there
CREATE FUNCTION planned() RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) SELECT k, dp_count(*) FROM rows GROUP BY k' LOOP
        IF line ~ 'generate_series' THEN
            RETURN substring(line FROM 'generate_series\((.*?)\)');
        END IF;
    END LOOP;
END $$;
BEGIN;
DO $$ BEGIN PERFORM dpsens.set_values('rows', 'k', '1', '3'); END $$;
SELECT planned() AS inside \gset
SAVEPOINT one;
DO $$ BEGIN PERFORM dpsens.set_values('rows', 'k', '0', '2', '4'); END $$;
SELECT planned() AS deeper \gset
ROLLBACK TO one;
SELECT planned() AS outside \gset
ROLLBACK;
SELECT is(array[:'inside', :'deeper', :'outside', planned()], '{"0, 1","0, 2","0, 1","0, 0"}', 'in a transaction, a part of it, after that, and after both');
SELECT is(all_three(), '2:12', 'after a rollback');
DO $$
BEGIN
    BEGIN
        PERFORM dpsens.set_values('rows', 'k', '1', '3');
        PERFORM dpsens.explain('SELECT k, dp_count(*) FROM rows GROUP BY k');
        RAISE EXCEPTION 'back';
    EXCEPTION WHEN raise_exception THEN
        NULL;
    END;
END $$;
SELECT is(all_three(), '2:12', 'after an error');

-- the same list, read as another type
DO $$ BEGIN PERFORM dpsens.set_values('rows', 'n', '0.5', '0.25', '1'); END $$;
SELECT is(groups('n'), '0.5:20 0.25:0 1:20', 'numbers');
ALTER TABLE rows ALTER COLUMN n TYPE numeric(4, 1);
SELECT is(groups('n'), '0.5:20 0.3:0 1.0:20', 'of another precision');
ALTER TABLE rows ALTER COLUMN n TYPE numeric(4, 0);
SELECT throws_ok($$SELECT n, dp_count(*) FROM rows GROUP BY n$$, '55000', 'declared values of column "n" of relation "rows" are equal to each other', 'equal to each other');
SELECT throws_ok($$SELECT n, dp_count(*) FROM rows GROUP BY n$$, '55000', 'declared values of column "n" of relation "rows" are equal to each other', 'still');
ALTER TABLE rows ALTER COLUMN n TYPE text;
SELECT is(groups('n'), '0.5:0 0.25:0 1:40', 'as text');
ALTER TABLE rows ALTER COLUMN t TYPE char(3);
SELECT is(groups('t'), 'x2 :20 x0 :20 y  :0', 'as char');
ALTER TABLE rows RENAME COLUMN t TO u;
SELECT is(groups('u'), 'x2 :20 x0 :20 y  :0', 'of another name');
ALTER TABLE rows DROP COLUMN u, ADD COLUMN u text NOT NULL DEFAULT 'x0';
SELECT throws_ok($$SELECT u, dp_mode(u) FROM rows GROUP BY u$$, '55000', NULL, 'a new column has no values');
ALTER TABLE rows ALTER COLUMN w TYPE text COLLATE "C";
SELECT is(groups('w'), 'w1:15 w01:0', 'of another collation');

-- what it means depends on the session's zone once the type says so
ALTER TABLE rows ALTER COLUMN at TYPE timestamptz;
SELECT is(groups('at'), '2024-01-01 00:00:00+00:30 2024-01-01 01:00:00+00:30', 'moments of a zone');
SET timezone = 'Etc/GMT-1';
SELECT is(groups('at'), '2024-01-01 00:00:00+01:0 2024-01-01 01:00:00+01:30', 'and of another one');
SET timezone = 'UTC';

-- enums and domains
ALTER TYPE level ADD VALUE 'medium' BEFORE 'high';
SELECT is(groups('v'), 'low:30 medium:0 high:30', 'a new label of a type');
ALTER TYPE level RENAME VALUE 'low' TO 'none';
SELECT is(groups('v'), 'none:30 medium:0 high:30', 'a renamed one');
ALTER DOMAIN even ADD CHECK (VALUE < 4) NOT VALID;
SELECT is(groups('e'), '0:30 2:30 4:0', 'a value that its domain does not have any more');
-- a domain's CHECK is somebody's code: reading declared values does not run it
CREATE TABLE heard (value int);
CREATE FUNCTION hears(value int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO declared_tap.heard VALUES (value); RETURN true; END $$;
ALTER DOMAIN even ADD CHECK (hears(VALUE)) NOT VALID;
SELECT dpsens.set_values('rows', 'e', '0', '2', '4', '6');
SELECT is(groups('e'), '0:30 2:30 4:0 6:0', 'values of a domain that runs somebody''s code');
SELECT is((SELECT count(*) FROM heard), 0::bigint, 'which did not run');
SELECT isnt('0'::even, NULL, 'it would');
SELECT cmp_ok((SELECT count(*) FROM heard), '>', 0::bigint, 'and be heard');
SELECT dpsens.set_values('rows', 'e', '0', '2', '4');

-- ranges, units and adjacency
PREPARE total AS SELECT dp_sum(a) FROM rows;
SELECT is((SELECT upper FROM dpsens.explain('SELECT dp_sum(a) FROM rows')), 1::float8, 'a range');
SELECT dpsens.set_range('rows', 'a', 0, 8);
SELECT is((SELECT upper FROM dpsens.explain('SELECT dp_sum(a) FROM rows')), 8::float8, 'another range');
SELECT is((SELECT adjacency FROM dpsens.explain('SELECT dp_sum(a) FROM rows')), 'add_remove', 'adjacency');
SELECT dpsens.protect('rows', adjacency => 'replace');
SELECT is((SELECT adjacency FROM dpsens.explain('SELECT dp_sum(a) FROM rows')), 'replace', 'another adjacency');
SECURITY LABEL FOR dpsens ON TABLE rows IS NULL;
SELECT throws_ok('SELECT dp_sum(a) FROM rows', '55000', NULL, 'no protection');
SELECT throws_ok('EXECUTE total', '55000', NULL, 'nor in what was prepared');
DO $$ BEGIN PERFORM dpsens.protect('rows'); END $$;
SELECT is((SELECT dp_sum(a) FROM rows), 60::float8, 'and again');

-- ---- memory ----

CREATE TABLE wide (a int NOT NULL, b text NOT NULL, c text NOT NULL);
INSERT INTO wide SELECT 3 * i, 'b' || i, 'c' || i FROM generate_series(1, 4000) i;
DO $$
BEGIN
    PERFORM dpsens.protect('wide'), dpsens.set_values('wide', 'a', VARIADIC ARRAY(SELECT (3 * i)::text FROM generate_series(1, 4000) i)),
        dpsens.set_values('wide', 'b', VARIADIC ARRAY(SELECT 'b' || i FROM generate_series(1, 4000) i)), dpsens.set_values('wide', 'c', VARIADIC ARRAY(SELECT 'c' || i FROM generate_series(1, 4000) i));
END $$;
CREATE FUNCTION check_wide() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT format('%s %s %s', (SELECT sum(n) FROM (SELECT a, dp_count(*) AS n FROM wide GROUP BY a) q), (SELECT sum(n) FROM (SELECT b, dp_count(*) AS n FROM wide GROUP BY b) q),
        (SELECT sum(n) FROM (SELECT c, dp_count(*) AS n FROM wide GROUP BY c) q)));
END $$;
CREATE FUNCTION remembered() RETURNS bigint LANGUAGE sql AS $$
    SELECT coalesce(sum(total_bytes), 0)::bigint FROM pg_backend_memory_contexts WHERE name = 'dpsens declared values' $$;
SELECT is(check_wide(), '4000 4000 4000', 'three lists');
SELECT cmp_ok(remembered(), '>', 150000::bigint, 'are remembered');
SET dpsens.key_cache_size = '400kB';
DO $$ BEGIN DISCARD PLANS; END $$;
SELECT is(check_wide(), '4000 4000 4000', 'in little memory');
SELECT cmp_ok(remembered(), '<=', 400 * 1024::bigint, 'no more than that is taken');
SET dpsens.key_cache_size = 0;
DO $$ BEGIN DISCARD PLANS; END $$;
SELECT is(check_wide(), '4000 4000 4000', 'in none');
RESET dpsens.key_cache_size;
SELECT is(check_wide(), '4000 4000 4000', 'in much');
DROP TABLE wide;
SELECT * FROM finish();
DROP SCHEMA declared_tap CASCADE;
