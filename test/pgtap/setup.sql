-- dpsens.suggest_setup: what it says of definitions, that the script runs, and that names do not break out of it.
-- Files: glue/setup/persons.c, glue/setup/column_lines.c, glue/setup/sql_suggest_setup.c
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(36);

CREATE SCHEMA setup_tap;
CREATE SCHEMA setup_lone;
SET search_path = setup_tap, public;
CREATE TYPE blood AS ENUM ('A', 'B', 'AB', '0');
CREATE DOMAIN share AS numeric CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN sex AS varchar(1) CHECK (VALUE IN ('f', 'm', 'x'));
CREATE TABLE wards (ward_id int PRIMARY KEY, beds int CHECK (beds BETWEEN 1 AND 60));
CREATE TABLE patients (patient_id int PRIMARY KEY, name text, sex sex NOT NULL,
    born date CHECK (born >= '1900-01-01' AND born < '2030-01-01'), blood blood, smoker boolean, height numeric(5, 1),
    insurance varchar(20) CHECK (insurance IN ('public', 'it''s private')), mother int REFERENCES patients,
    grade smallint CHECK (grade IN (1, 3, 3)), loose int CHECK (loose IN (1, NULL)), halves int CHECK (halves IN (1, 2.5)), kids smallint, dropped int, empty int CHECK (empty > 5 AND empty < 3));
ALTER TABLE patients DROP COLUMN dropped;
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, ward_id int REFERENCES wards,
    began timestamptz, cost numeric CHECK (cost >= 0 AND cost <= 1e5), share share, doc json) PARTITION BY RANGE (visit_id);
CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM (0) TO (100);
CREATE TABLE labs (lab_id int PRIMARY KEY, visit_id int REFERENCES visits, test text, value float8);
CREATE TABLE flags (lab_id int REFERENCES labs, patient_id int REFERENCES patients,
    flag text CHECK (flag = ANY ('{low,high}')), odd text CHECK (odd <> ALL ('{low}')), "We""ird" int CHECK ("We""ird" > 0 AND "We""ird" < 10));

CREATE TEMP TABLE script AS SELECT * FROM dpsens.suggest_setup('setup_tap') WITH ORDINALITY AS s(line, number);

SELECT results_eq($$SELECT line FROM script ORDER BY number$$, $$VALUES
    ('-- Protection of schema setup_tap, by keys, constraints and types; no row was read.'),
    ('-- Persons are the rows of setup_tap.patients.  Lines that begin with -- are yours to decide.'),
    (''),
    ('SELECT dpsens.protect(''setup_tap.patients'', unit => ''patient_id'');  -- each row is a person'),
    ('-- another key of setup_tap.patients leads to a person, too: who is only named there is not protected by its unit'),
    ('-- name looks like an identifier or free text: private, without values'),
    ('SELECT dpsens.set_values(''setup_tap.patients'', ''sex'', ''f'', ''m'', ''x'');'),
    ('SELECT dpsens.set_range(''setup_tap.patients'', ''born'', ''1900-01-01'', ''2029-12-31'');'),
    ('-- SELECT dpsens.set_range(''setup_tap.patients'', ''height'', lo, hi);  -- no constraint bounds it'),
    ('SELECT dpsens.set_values(''setup_tap.patients'', ''insurance'', ''public'', ''it''''s private'');'),
    ('-- mother refers to setup_tap.patients: private, without a range'),
    ('SELECT dpsens.set_range(''setup_tap.patients'', ''grade'', 1, 3);'),
    ('SELECT dpsens.set_values(''setup_tap.patients'', ''grade'', ''1'', ''3'');'),
    ('-- SELECT dpsens.set_range(''setup_tap.patients'', ''loose'', lo, hi);  -- no constraint bounds it'),
    ('SELECT dpsens.set_range(''setup_tap.patients'', ''halves'', 1, 2);'),
    ('-- SELECT dpsens.set_range(''setup_tap.patients'', ''kids'', lo, hi);  -- no constraint bounds it; the type holds -32768 to 32767'),
    ('-- SELECT dpsens.set_range(''setup_tap.patients'', ''empty'', lo, hi);  -- no constraint bounds it'),
    (''),
    ('SELECT dpsens.protect(''setup_tap.flags'', unit => ''patient_id'', max_rows => 10);  -- choose: so many rows of a person count, others are left out'),
    ('-- another key of setup_tap.flags leads to a person, too: who is only named there is not protected by its unit'),
    ('-- lab_id refers to setup_tap.labs: private, without a range'),
    ('SELECT dpsens.set_values(''setup_tap.flags'', ''flag'', ''low'', ''high'');'),
    ('-- SELECT dpsens.set_values(''setup_tap.flags'', ''odd'', ''one'', ''other'');  -- if its values are few and no secret'),
    ('SELECT dpsens.set_range(''setup_tap.flags'', ''We"ird'', 1, 9);'),
    (''),
    ('SELECT dpsens.protect(''setup_tap.visits'', unit => ''patient_id'', max_rows => 10);  -- choose: so many rows of a person count, others are left out'),
    ('-- visit_id looks like an identifier or free text: private, without a range'),
    ('-- SELECT dpsens.set_values(''setup_tap.visits'', ''ward_id'', VARIADIC ARRAY(SELECT k.ward_id::text FROM setup_tap.wards k ORDER BY k.ward_id));  -- if the keys of setup_tap.wards are public knowledge'),
    ('-- SELECT dpsens.set_range(''setup_tap.visits'', ''began'', ''first'', ''last'');  -- no constraint bounds it'),
    ('SELECT dpsens.set_range(''setup_tap.visits'', ''cost'', 0, 100000);'),
    ('SELECT dpsens.set_range(''setup_tap.visits'', ''share'', 0, 100);'),
    ('-- doc is private; of its type nothing can be declared'),
    (''),
    ('SELECT dpsens.protect(''setup_tap.labs'', unit => ''setup_tap.visits.patient_id'', max_rows => 10);  -- choose: so many rows of a person count, others are left out'),
    ('-- lab_id looks like an identifier or free text: private, without a range'),
    ('-- SELECT dpsens.set_values(''setup_tap.labs'', ''test'', ''one'', ''other'');  -- if its values are few and no secret'),
    ('-- SELECT dpsens.set_range(''setup_tap.labs'', ''value'', lo, hi);  -- no constraint bounds it'),
    (''),
    ('-- SELECT dpsens.set_public(''setup_tap.wards'');  -- if its rows are public knowledge: no key leads to a person'),
    (''),
    ('-- SELECT dpsens.protect(''setup_tap.patients'', group_size => 4);  -- if the promise is to be to households or the like: to any so many persons together, and before the first answer'),
    ('-- SELECT dpsens.protect(''setup_tap.flags'', group_size => 4);  -- if the promise is to be to households or the like: to any so many persons together, and before the first answer'),
    ('-- SELECT dpsens.protect(''setup_tap.visits'', group_size => 4);  -- if the promise is to be to households or the like: to any so many persons together, and before the first answer'),
    ('-- SELECT dpsens.protect(''setup_tap.labs'', group_size => 4);  -- if the promise is to be to households or the like: to any so many persons together, and before the first answer'),
    ('-- SELECT dpsens.set_entity_budget(''setup_tap.patients'', epsilon => 10, delta => 1e-6);  -- choose: what all answers about all these tables may tell of one person'),
    ('-- SELECT dpsens.set_entity_policy(''setup_tap.patients'', epsilon => 1, default_epsilon => 0.1, min_units => 10);  -- choose: what one answer may be asked with, what it is asked with if nothing is said, and of how many persons groups of undeclared keys are shown'),
    ('-- SELECT dpsens.grant_budget(''table'', ''role'', epsilon => 1);  -- for each that may be asked about')$$,
    'the script');

-- ---- no row is read ----
INSERT INTO patients (patient_id, sex, height) SELECT i, 'f', 1000 + i FROM generate_series(1, 50) i;
ANALYZE patients;
SELECT results_eq($$SELECT * FROM dpsens.suggest_setup('setup_tap')$$, $$SELECT line FROM script ORDER BY number$$, 'does not depend on rows');
CREATE ROLE setup_tap_owner;
GRANT USAGE, CREATE ON SCHEMA setup_tap, setup_lone TO setup_tap_owner;
ALTER TABLE patients OWNER TO setup_tap_owner;
REVOKE ALL ON patients FROM setup_tap_owner;
SET ROLE setup_tap_owner;
SELECT throws_ok('SELECT count(*) FROM setup_tap.patients', '42501', NULL, 'the owner has given away the right to read');
SELECT results_eq($$SELECT line FROM dpsens.suggest_setup('setup_tap') WITH ORDINALITY AS s(line, n) WHERE n <= 17$$,
                  $$SELECT * FROM dpsens.suggest_setup('setup_tap') LIMIT 17$$, 'and still gets the script');
SELECT ok(EXISTS (SELECT FROM dpsens.suggest_setup('setup_tap') l WHERE l = '-- setup_tap.visits is not yours: its owner has to protect it'), 'others'' tables are only named');
SELECT ok(NOT EXISTS (SELECT FROM dpsens.suggest_setup('setup_tap') l WHERE l ~ 'visits.*(cost|share|protect\()'), 'and nothing is said of their columns');
RESET ROLE;
ALTER TABLE patients OWNER TO CURRENT_USER;

-- ---- it runs ----
SELECT lives_ok((SELECT string_agg(line, E'\n' ORDER BY number) FROM script), 'the script runs as it is');
SELECT results_eq($$SELECT (relation::text || '.' || column_name) COLLATE "default", role, lo, hi, "values" FROM dpsens.columns
                    WHERE relation::text = ANY ('{patients,visits,labs,flags}') AND role <> 'unannotated' ORDER BY relation::text COLLATE "C", column_name COLLATE "C"$$,
    $$VALUES ('flags.We"ird', 'private', 1::float8, 9::float8, NULL::text[]),
             ('flags.flag', 'private', NULL, NULL, '{low,high}'),
             ('flags.patient_id', 'unit', NULL, NULL, NULL),
             ('labs.visit_id', 'unit', NULL, NULL, NULL),
             ('patients.blood', 'private', NULL, NULL, '{A,B,AB,0}'),
             ('patients.born', 'private', -2208988800, 1893369600, NULL),
             ('patients.grade', 'private', 1, 3, '{1,3}'),
             ('patients.halves', 'private', 1, 2, NULL),
             ('patients.insurance', 'private', NULL, NULL, '{public,it''s private}'),
             ('patients.patient_id', 'unit', NULL, NULL, NULL),
             ('patients.sex', 'private', NULL, NULL, '{f,m,x}'),
             ('patients.smoker', 'private', 0, 1, '{false,true}'),
             ('visits.cost', 'private', 0, 100000, NULL),
             ('visits.patient_id', 'unit', NULL, NULL, NULL),
             ('visits.share', 'private', 0, 100, NULL)$$, 'and declares what it says');
SELECT is_empty($$SELECT l FROM dpsens.suggest_setup('setup_tap') l WHERE l <> '' AND l NOT LIKE '--%'$$, 'then nothing is left to be declared');
BEGIN;
SELECT lives_ok((SELECT string_agg(substr(line, 4), E'\n' ORDER BY number) FROM script WHERE line ~ '^-- SELECT dpsens\.(protect|set_entity_)'), 'what is to be chosen can be run as it is, too');
SELECT results_eq($$SELECT DISTINCT group_size FROM dpsens.relations WHERE relation::text = ANY ('{patients,visits,labs,flags}')$$, 'VALUES (4)', 'groups are the same everywhere');
SELECT is((SELECT count(*) FROM dpsens.entities WHERE refused IS NOT NULL), 0::bigint, 'and the promise to persons can be kept');
ROLLBACK;
SELECT ok(EXISTS (SELECT FROM dpsens.suggest_setup('setup_tap') l WHERE l = '-- setup_tap.labs is protected'), 'and what is protected is said');
SELECT dpsens.clear('patients', 'grade');
SELECT results_eq($$SELECT l FROM dpsens.suggest_setup('setup_tap') l WHERE l <> '' AND l NOT LIKE '--%'$$,
    $$VALUES ('SELECT dpsens.set_range(''setup_tap.patients'', ''grade'', 1, 3);'), ('SELECT dpsens.set_values(''setup_tap.patients'', ''grade'', ''1'', ''3'');')$$, 'what was cleared is suggested again');
SET dpsens.epsilon = 1;
SELECT isnt((SELECT dp_sum(cost) FROM visits), NULL, 'protected tables answer');

-- ---- the table of persons ----
SELECT ok((SELECT l FROM dpsens.suggest_setup('setup_tap', entity => 'wards') l LIMIT 1 OFFSET 1) ~ 'rows of setup_tap.wards\.', 'is named');
SELECT throws_ok($$SELECT dpsens.suggest_setup('setup_lone')$$, '22023', 'nothing tells which table of schema "setup_lone" has one row for each person', 'an empty schema has none');
CREATE TABLE setup_lone.things (a int CHECK (a IN (1, 2)), b text);
SELECT results_eq($$SELECT * FROM dpsens.suggest_setup('setup_lone') LIMIT 3 OFFSET 3$$,
    $$VALUES ('SELECT dpsens.protect(''setup_lone.things'');  -- each row is a person'),
             ('SELECT dpsens.set_range(''setup_lone.things'', ''a'', 1, 2);'), ('SELECT dpsens.set_values(''setup_lone.things'', ''a'', ''1'', ''2'');')$$,
    'a lone table, without a key');
SELECT results_eq($$SELECT l FROM dpsens.suggest_setup('setup_lone') l WHERE l ~ '^-- SELECT dpsens\.(set_.*budget|set_.*policy)'$$, $$VALUES
    ('-- SELECT dpsens.set_budget(''setup_lone.things'', epsilon => 10, delta => 1e-6);  -- choose: what all answers may tell of one person'),
    ('-- SELECT dpsens.set_policy(''setup_lone.things'', epsilon => 1, default_epsilon => 0.1, min_units => 10);  -- choose: what one answer may be asked with, what it is asked with if nothing is said, and of how many persons groups of undeclared keys are shown')$$,
    'has limits of its own');
CREATE TABLE setup_lone.others (a int);
SELECT throws_ok($$SELECT dpsens.suggest_setup('setup_lone')$$, '22023', NULL, 'of two without a name of persons neither');
CREATE TABLE setup_lone.customers (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE setup_lone.orders (a int, b int, FOREIGN KEY (a, b) REFERENCES setup_lone.customers);
CREATE TABLE setup_lone.returns (id int PRIMARY KEY, c int, d int, FOREIGN KEY (d, c) REFERENCES setup_lone.customers (b, a));
CREATE TABLE setup_lone.routes (x float8, y int, PRIMARY KEY (x, y));
CREATE TABLE setup_lone.stops (x float8, y int, FOREIGN KEY (x, y) REFERENCES setup_lone.routes);
CREATE TABLE setup_lone.lots (e int, f int, UNIQUE (e, f), a int, b int, FOREIGN KEY (a, b) REFERENCES setup_lone.customers);
CREATE TABLE setup_lone.bids (f int, e int, FOREIGN KEY (e, f) REFERENCES setup_lone.lots (e, f));
SELECT results_eq($$SELECT l FROM dpsens.suggest_setup('setup_lone') l WHERE l ~ '^SELECT dpsens.protect'$$, $$VALUES
    ('SELECT dpsens.protect(''setup_lone.customers'', unit => ''a, b'');  -- each row is a person'),
    ('SELECT dpsens.protect(''setup_lone.lots'', unit => ''a, b'', max_rows => 10);  -- choose: so many rows of a person count, others are left out'),
    ('SELECT dpsens.protect(''setup_lone.orders'', unit => ''a, b'', max_rows => 10);  -- choose: so many rows of a person count, others are left out'),
    ('SELECT dpsens.protect(''setup_lone.returns'', unit => ''c, d'', max_rows => 10);  -- choose: so many rows of a person count, others are left out'),
    ('SELECT dpsens.protect(''setup_lone.bids'', unit => ''setup_lone.lots.a, setup_lone.lots.b'', max_rows => 10);  -- choose: so many rows of a person count, others are left out')$$,
    'keys of several columns are followed, in the order of what they refer to');
BEGIN;
DO $$ BEGIN EXECUTE (SELECT string_agg(l, E'\n') FROM dpsens.suggest_setup('setup_lone') l WHERE l ~ '^SELECT dpsens.protect'); END $$;
SELECT results_eq($$SELECT relation::text, unit FROM dpsens.relations WHERE relation::text ~ 'setup_lone' ORDER BY 1$$, $$VALUES ('setup_lone.bids', 'f, e'), ('setup_lone.customers', 'a, b'),
    ('setup_lone.lots', 'a, b'), ('setup_lone.orders', 'a, b'), ('setup_lone.returns', 'c, d')$$, 'and the script runs');
ROLLBACK;
SELECT ok(EXISTS (SELECT FROM dpsens.suggest_setup('setup_lone', 'setup_lone.routes') l WHERE l ~ '^-- a key of setup_lone.stops that leads to persons cannot be followed'), 'but not those that cannot be a unit');
SELECT ok(EXISTS (SELECT FROM dpsens.suggest_setup('setup_lone', 'setup_lone.routes') l WHERE l = 'SELECT dpsens.protect(''setup_lone.routes'');  -- each row is a person'), 'and each row is a person');
CREATE TABLE setup_lone.members (a int);
SELECT throws_ok($$SELECT dpsens.suggest_setup('setup_lone')$$, '22023', NULL, 'of two with names of persons neither');
SELECT throws_ok($$SELECT dpsens.suggest_setup('setup_tap', 'setup_lone.members')$$, '22023', 'setup_lone.members is not a table of schema "setup_tap"', 'that of another schema');
SELECT throws_ok($$SELECT dpsens.suggest_setup('setup_tap', adjacency => 'metric')$$, '22023', 'a setup of persons cannot have adjacency "metric"', 'another adjacency');
SELECT ok(EXISTS (SELECT FROM dpsens.suggest_setup('setup_lone', 'setup_lone.members', 'replace') l WHERE l = 'SELECT dpsens.protect(''setup_lone.members'', adjacency => ''replace'');  -- each row is a person'), 'replace is passed on');
SELECT throws_ok($$SELECT dpsens.suggest_setup(NULL)$$, '22004', 'schema must not be null', 'no schema');
SELECT throws_ok($$SELECT dpsens.suggest_setup(3)$$, '3F000', 'schema with OID 3 does not exist', 'a schema that is none');
SELECT throws_ok($$SELECT dpsens.suggest_setup('pg_catalog')$$, '22023', NULL, 'the server''s tables are left alone');

-- ---- what is gone ----
CREATE TABLE setup_lone.passing (id int PRIMARY KEY);
CREATE FUNCTION setup_tap.drops() RETURNS text VOLATILE LANGUAGE plpgsql AS $$ BEGIN DROP TABLE setup_lone.passing; RETURN ''; END $$;
SELECT ok((SELECT bool_and(l !~ 'passing') FROM (SELECT drops() AS first OFFSET 0) d, LATERAL dpsens.suggest_setup((d.first || 'setup_lone')::regnamespace, 'setup_lone.members') l),
    'a table that the statement sees and that is dropped is left out');

-- ---- names that end comments ----
CREATE SCHEMA "setup
SELECT 1/0; --";
CREATE TABLE "setup
SELECT 1/0; --"."users
SELECT 1/0; --" ("note
SELECT 1/0; --" text, "id
'; SELECT 1/0; --" int CHECK ("id
'; SELECT 1/0; --" IN (1, 2)), "c
\echo broken
" text CHECK ("c
\echo broken
" IN (E'\n; SELECT 1/0; --', '$1', ':x')));
CREATE TABLE "setup
SELECT 1/0; --"."others
SELECT 1/0; --" (a int);
SELECT is_empty($$SELECT l FROM dpsens.suggest_setup('"setup
SELECT 1/0; --"', $q$"setup
SELECT 1/0; --"."users
SELECT 1/0; --"$q$) l WHERE l LIKE '--%' AND l ~ '[\n\r]'$$, 'no comment has two lines');
SELECT lives_ok((SELECT string_agg(l, E'\n') FROM dpsens.suggest_setup('"setup
SELECT 1/0; --"', $q$"setup
SELECT 1/0; --"."users
SELECT 1/0; --"$q$) l), 'and nothing of them is run');
SELECT is((SELECT "values" FROM dpsens.columns WHERE column_name ~ '^c'  AND relation::text ~ 'users'), ARRAY[E'\n; SELECT 1/0; --', '$1', ':x'], 'values are what the constraint says');
SELECT is((SELECT count(*)::int FROM dpsens.columns WHERE relation::text ~ 'users' AND lo = 1 AND hi = 2), 1, 'and so are ranges');

SELECT * FROM finish();
