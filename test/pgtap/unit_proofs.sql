-- What proves that a unit has one row, and what does not.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA unit_proofs_tap;
SET search_path = unit_proofs_tap, public;
SELECT plan(47);
SET dpsens.epsilon = 1;
SET client_min_messages = error;
SET dpsens.noise = off;

CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE FUNCTION compare_tens(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS 'SELECT btint4cmp($1, $2)';
CREATE OPERATOR CLASS tens FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 compare_tens(int, int);

CREATE TABLE kinds (n int GENERATED ALWAYS AS IDENTITY, name text, proves boolean, type text, made text[]);
INSERT INTO kinds (name, proves, type, made) VALUES
    ('no index', false, 'int', '{}'),
    ('an index', false, 'int', '{CREATE INDEX ON people (unit)}'),
    ('a hash index', false, 'int', '{CREATE INDEX ON people USING hash (unit)}'),
    ('a unique index', true, 'int', '{CREATE UNIQUE INDEX ON people (unit)}'),
    ('a descending one', true, 'int', '{CREATE UNIQUE INDEX ON people (unit DESC)}'),
    ('one that includes', true, 'int', '{CREATE UNIQUE INDEX ON people (unit) INCLUDE (a)}'),
    ('a primary key', true, 'int', '{ALTER TABLE people ADD PRIMARY KEY (unit)}'),
    ('a constraint', true, 'int', '{ALTER TABLE people ADD UNIQUE (unit)}'),
    ('one that may be deferred', false, 'int', '{ALTER TABLE people ADD UNIQUE (unit) DEFERRABLE}'),
    ('one that is deferred', false, 'int', '{ALTER TABLE people ADD UNIQUE (unit) DEFERRABLE INITIALLY DEFERRED}'),
    ('a partial one', false, 'int', '{CREATE UNIQUE INDEX ON people (unit) WHERE a >= 0}'),
    ('one of an expression', false, 'int', '{CREATE UNIQUE INDEX ON people ((unit + 0))}'),
    ('one with another column', false, 'int', '{"CREATE UNIQUE INDEX ON people (unit, a)"}'),
    ('one of another column', false, 'int', '{CREATE UNIQUE INDEX ON people (other)}'),
    ('one of several, one of which proves', true, 'int', '{"CREATE UNIQUE INDEX ON people (unit, a)",CREATE UNIQUE INDEX ON people (unit) WHERE a > 0,CREATE UNIQUE INDEX ON people (unit)}'),
    ('somebody''s own operator class', false, 'int', '{CREATE UNIQUE INDEX ON people (unit tens)}'),
    ('an exclusion', false, 'int', '{ALTER TABLE people ADD EXCLUDE USING btree (unit WITH =)}'),
    ('a column that may be NULL', false, 'int', '{CREATE UNIQUE INDEX ON people (unit),ALTER TABLE people ALTER unit DROP NOT NULL}'),
    ('a child', false, 'int', '{CREATE UNIQUE INDEX ON people (unit),CREATE TABLE child () INHERITS (people)}'),
    ('a child that left', true, 'int', '{CREATE UNIQUE INDEX ON people (unit),CREATE TABLE child () INHERITS (people),ALTER TABLE child NO INHERIT people}'),
    ('an index that is not valid', false, 'int', '{CREATE UNIQUE INDEX proof ON people (unit),UPDATE pg_index SET indisvalid = false WHERE indexrelid = ''proof''::regclass}'),
    ('an index that is not ready', false, 'int', '{CREATE UNIQUE INDEX proof ON people (unit),UPDATE pg_index SET indisready = false WHERE indexrelid = ''proof''::regclass}'),
    ('text', true, 'text', '{CREATE UNIQUE INDEX ON people (unit)}'),
    ('text by another collation', false, 'text', '{"CREATE UNIQUE INDEX ON people (unit COLLATE pg_catalog.\"C\")"}'),
    ('text by its patterns, though that would do', false, 'text', '{CREATE UNIQUE INDEX ON people (unit text_pattern_ops)}'),
    ('text without case', true, 'text COLLATE caseless', '{CREATE UNIQUE INDEX ON people (unit)}'),
    ('text without case, by one with', false, 'text COLLATE caseless', '{"CREATE UNIQUE INDEX ON people (unit COLLATE pg_catalog.\"C\")"}'),
    ('a type that has changed', true, 'int', '{CREATE UNIQUE INDEX ON people (unit),ALTER TABLE people ALTER unit TYPE bigint}');
CREATE TABLE results (n int GENERATED ALWAYS AS IDENTITY, result text);
-- what a proof needs must be committed before it is used
CREATE PROCEDURE try_all() LANGUAGE plpgsql AS $$
DECLARE
    k kinds;
    made text;
BEGIN
    FOR k IN SELECT * FROM kinds ORDER BY n LOOP
        DROP TABLE IF EXISTS child, people;
        EXECUTE format('CREATE TABLE people (unit %s NOT NULL, other int NOT NULL, a float8 NOT NULL)', k.type);
        INSERT INTO people SELECT i, i, i % 10 FROM generate_series(1, 50) i;
        PERFORM dpsens.protect('people', 'unit'), dpsens.set_range('people', 'a', 0, 10);
        FOREACH made IN ARRAY k.made LOOP
            EXECUTE made;
        END LOOP;
        COMMIT;
        INSERT INTO results (result) VALUES (CASE WHEN k.proves THEN lives_ok('SELECT dp_sum(a) FROM people', k.name)
            ELSE throws_ok('SELECT dp_sum(a) FROM people', '55000', NULL, k.name) END);
        COMMIT;
    END LOOP;
    DROP TABLE people;
END $$;
CALL try_all();
SELECT result FROM results ORDER BY n;

-- ---- partitions ----

CREATE TABLE parted (unit int NOT NULL, a float8 NOT NULL) PARTITION BY RANGE (unit);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (50);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (50) TO (100) PARTITION BY RANGE (unit);
CREATE TABLE parted_3 PARTITION OF parted_2 FOR VALUES FROM (50) TO (100);
INSERT INTO parted SELECT i, 1 FROM generate_series(0, 99) i;
DO $$ BEGIN PERFORM dpsens.protect('parted', 'unit'), dpsens.set_range('parted', 'a', 0, 1); END $$;
CREATE UNIQUE INDEX ON parted_1 (unit);
CREATE UNIQUE INDEX ON parted_3 (unit);
SELECT throws_ok('SELECT dp_sum(a) FROM parted', '55000', NULL, 'indexes of partitions');
CREATE UNIQUE INDEX parted_unit ON ONLY parted (unit);
SELECT throws_ok('SELECT dp_sum(a) FROM parted', '55000', NULL, 'an index of the root alone');
DROP INDEX parted_unit;
CREATE UNIQUE INDEX parted_unit ON parted (unit);
SELECT is((SELECT dp_sum(a) FROM parted), 100::float8, 'an index of the root and its partitions');
-- a child of a partition cannot be; one that leaves takes its rows with it
ALTER TABLE parted DETACH PARTITION parted_1;
SELECT is((SELECT dp_sum(a) FROM parted), 50::float8, 'one that has left');

-- ---- what was proved when a statement was planned ----

CREATE TABLE people (unit int NOT NULL, a float8 NOT NULL);
INSERT INTO people SELECT i, 1 FROM generate_series(1, 50) i;
CREATE UNIQUE INDEX proof ON people (unit);
DO $$ BEGIN PERFORM dpsens.protect('people', 'unit'), dpsens.set_range('people', 'a', 0, 1); END $$;
SET plan_cache_mode = force_generic_plan;
PREPARE ask AS SELECT dp_sum(a) FROM people;
SELECT results_eq('EXECUTE ask', 'SELECT 50::float8', 'prepared');
DROP INDEX proof;
SELECT throws_ok('EXECUTE ask', '55000', NULL, 'the index is dropped');
INSERT INTO people SELECT 1, 1 FROM generate_series(1, 9);
SELECT throws_ok('EXECUTE ask', '55000', NULL, 'and rows come');
DO $$ BEGIN PERFORM dpsens.protect('people', 'unit', max_rows => 2); END $$;
SELECT results_eq('EXECUTE ask', 'SELECT 51::float8', 'limits count instead');
DELETE FROM people WHERE ctid NOT IN (SELECT min(ctid) FROM people GROUP BY unit);
CREATE UNIQUE INDEX proof ON people (unit);
SELECT results_eq('EXECUTE ask', 'SELECT 50::float8', 'and an index again');
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_sum(a) FROM people')), 1::float8, 'with noise for one row');
DROP INDEX proof;
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_sum(a) FROM people')), 2::float8, 'and for two without');
ALTER TABLE people RENAME unit TO person;
SELECT results_eq('EXECUTE ask', 'SELECT 50::float8', 'another name');
ALTER TABLE people ALTER person TYPE text;
INSERT INTO people SELECT '1', 1 FROM generate_series(1, 9);
SELECT results_eq('EXECUTE ask', 'SELECT 51::float8', 'another type');
ALTER TABLE people DROP person;
SELECT throws_ok('EXECUTE ask', '55000', NULL, 'no unit any more, though limits of it are declared');
SELECT throws_ok('SELECT dp_sum(a) FROM people', '55000', NULL, 'nor for others');
DO $$ BEGIN PERFORM dpsens.protect('people', max_rows => 0); END $$;
SELECT results_eq('EXECUTE ask', 'SELECT 59::float8', 'until rows are declared to be units');

-- ---- a constraint that is deferred ----

CREATE TABLE late (unit int NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED, a float8 NOT NULL);
INSERT INTO late SELECT i, 1 FROM generate_series(1, 50) i;
DO $$ BEGIN PERFORM dpsens.protect('late', 'unit'), dpsens.set_range('late', 'a', 0, 1); END $$;
PREPARE ask_late AS SELECT dp_sum(a) FROM late;
BEGIN;
INSERT INTO late SELECT 1, 1 FROM generate_series(1, 9);
SELECT throws_ok('EXECUTE ask_late', '55000', NULL, 'rows of a unit that are there until the end');
SELECT throws_ok('SELECT dp_sum(a) FROM late', '55000', NULL, 'however it is asked');
DELETE FROM late WHERE unit = 1;
COMMIT;
DO $$ BEGIN PERFORM dpsens.protect('late', 'unit', max_rows => 1); END $$;
CREATE TABLE asked (n float8);
BEGIN;
INSERT INTO late SELECT 2, 1 FROM generate_series(1, 9);
INSERT INTO asked SELECT dp_sum(a) FROM late;
DELETE FROM late WHERE unit = 2;
COMMIT;
SELECT results_eq('TABLE asked', 'SELECT 49::float8', 'one of them counts where that is the limit');

SELECT * FROM finish();
DROP SCHEMA unit_proofs_tap CASCADE;
