-- Annotations: signatures, privileges and the errors that programs see.
-- Files: glue/label/annotation_cache.c, glue/label/check_range.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(66);

-- every function says what it is
SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE pronamespace IN ('dpsens'::regnamespace, 'dpsens_internal'::regnamespace) AND obj_description(p.oid, 'pg_proc') IS NULL
$$, 'every function of both schemas has a comment');
SELECT is_empty($$
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE pronamespace = 'dpsens'::regnamespace
      AND proname IN ('protect', 'unprotect', 'set_range', 'set_range_from_checks', 'set_values', 'set_weight', 'set_public', 'clear')
      AND (provolatile, proparallel, proisstrict, prosecdef) IS DISTINCT FROM ('v', 'u', false, false)
$$, 'setters are volatile, parallel unsafe, not strict, and run as their caller');
SELECT columns_are('dpsens', 'columns',
    ARRAY['relation', 'column_name', 'type', 'not_null', 'role', 'lo', 'hi', 'weight', 'values', 'missing']);
SELECT col_type_is('dpsens', 'columns', 'relation', 'regclass', 'columns.relation');
SELECT col_type_is('dpsens', 'columns', 'type', 'regtype', 'columns.type');
SELECT col_type_is('dpsens', 'columns', 'lo', 'double precision', 'columns.lo');
SELECT col_type_is('dpsens', 'columns', 'values', 'text[]', 'columns.values');

CREATE ROLE dpsens_curator;
CREATE ROLE dpsens_analyst;
CREATE SCHEMA annotation_tap AUTHORIZATION dpsens_curator;
GRANT USAGE ON SCHEMA annotation_tap TO dpsens_analyst;
SELECT schema_privs_are('dpsens', 'dpsens_analyst', ARRAY['USAGE']);
SELECT schema_privs_are('dpsens_internal', 'dpsens_analyst', ARRAY['USAGE']);
SELECT table_privs_are('dpsens', 'columns', 'dpsens_analyst', ARRAY['SELECT']);

SET LOCAL ROLE dpsens_curator;
SET LOCAL search_path = annotation_tap, public;
CREATE TABLE people (id int PRIMARY KEY, age int, born date, sex text, note json);
CREATE VIEW elders AS SELECT * FROM people WHERE age > 80;

-- an owner who is no superuser may do everything
SELECT lives_ok($$SELECT dpsens.protect('people', 'id')$$, 'the owner protects');
SELECT lives_ok($$SELECT dpsens.set_range('people', 'age', 0, 120)$$, 'the owner sets a range');
SELECT lives_ok($$SELECT dpsens.set_range('people', 'born', '1900-01-01', '2020-12-31')$$, 'the owner sets a range of dates');
SELECT lives_ok($$SELECT dpsens.set_values('people', 'sex', 'f', 'm')$$, 'the owner sets values');
SELECT lives_ok($$SELECT dpsens.set_weight('people', 'sex', 0.25)$$, 'and a weight');
SELECT results_eq($$SELECT "values", weight FROM dpsens.columns WHERE relation = 'people'::regclass AND column_name = 'sex'$$, $$VALUES ('{f,m}'::text[], 0.25::float8)$$, 'which leaves the values');
SELECT lives_ok($$SELECT dpsens.set_values('people', 'sex', 'f', 'm'), dpsens.set_weight('people', 'sex', 1)$$, 'a weight is taken back by 1');
SELECT is((SELECT weight FROM dpsens.columns WHERE relation = 'people'::regclass AND column_name = 'sex'), NULL, 'and is not declared then');
SELECT results_eq($$
    SELECT column_name::text COLLATE "default", role, lo, hi FROM dpsens.columns WHERE relation = 'people'::regclass
$$, $$
    VALUES ('id', 'unit', NULL::float8, NULL::float8), ('age', 'private', 0, 120), ('born', 'private', -2208988800, 1609372800),
           ('sex', 'private', NULL, NULL), ('note', 'unannotated', NULL, NULL)
$$, 'what was set is shown');

CREATE TABLE computed (id int PRIMARY KEY, age int NOT NULL, decade int GENERATED ALWAYS AS (age / 10) STORED, wing int);
SELECT dpsens.protect('computed', 'id', 'replace'), dpsens.set_range('computed', 'age', 0, 120), dpsens.set_public('computed', 'decade'),
    dpsens.set_range('computed', 'decade', 0, 12), dpsens.set_public('computed', 'wing') \g /dev/null
SELECT results_eq($$SELECT column_name::text COLLATE "default", role FROM dpsens.columns WHERE relation = 'computed'::regclass$$,
    $$VALUES ('id', 'unit'), ('age', 'private'), ('decade', 'private'), ('wing', 'public')$$, 'a generated column is not shown as public, which it never is');

-- errors by their state
SELECT throws_ok($$SELECT dpsens.set_range('people', 'size', 0, 1)$$, '42703', NULL, 'unknown column');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'ctid', 0, 1)$$, '42P10', NULL, 'system column');
SELECT throws_ok($$SELECT dpsens.set_range('nonesuch', 'age', 0, 1)$$, '42P01', NULL, 'unknown relation');
SELECT throws_ok($$SELECT dpsens.set_range(0::regclass, 'age', 0, 1)$$, '42P01', NULL, 'relation that is gone');
SELECT throws_ok($$SELECT dpsens.protect('elders')$$, '42809', NULL, 'a view is not a table');
SELECT throws_ok($$SELECT dpsens.protect('people', adjacency => 'none')$$, '22023', NULL, 'unknown adjacency');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', 2, 1)$$, '22023', NULL, 'empty range');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', 0.1, 0.9)$$, '22023', NULL, 'no integer in the range');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', 'NaN', 1)$$, '22023', NULL, 'NaN as an end');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', 0, 'Infinity'::float8)$$, '22023', NULL, 'infinity as an end');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', 0, 1, 0)$$, '22023', NULL, 'weight 0');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'sex', 0, 1)$$, '42804', NULL, 'range of a text column');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'born', 0, 1)$$, '22007', NULL, 'range of numbers for dates');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', NULL, 1)$$, '22004', NULL, 'null as an end');
SELECT throws_ok($$SELECT dpsens.set_values('people', 'note', '{}')$$, '42804', NULL, 'values of a json column');
SELECT throws_ok($$SELECT dpsens.set_values('people', 'age', 'one')$$, '22P02', NULL, 'a value of another type');
SELECT throws_ok($$SELECT dpsens.set_values('people', 'sex', 'f', 'f')$$, '22023', NULL, 'a value twice');
SELECT throws_ok($$SELECT dpsens.set_values('people', 'sex', 'f', NULL)$$, '22004', NULL, 'null as a value');
SELECT throws_ok($$SELECT dpsens.set_weight('people', 'sex', NULL)$$, '22004', NULL, 'null as a weight');
SELECT throws_ok($$SELECT dpsens.set_weight('people', 'sex', -1)$$, '22023', NULL, 'a weight below 0');
SELECT throws_ok($$SELECT dpsens.set_weight('people', 'note', 2)$$, '22023', NULL, 'the weight of a column without a range');
SELECT throws_ok($$SELECT dpsens.set_public('people', 'id')$$, '22023', NULL, 'a public unit');
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON COLUMN people.age IS 'UNIT'$$, '42710', NULL, 'a second unit');
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON COLUMN people.age IS 'SECRET'$$, '42601', NULL, 'a label that is none');
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON TABLE people IS 'SECRET'$$, '42601', NULL, 'a label that is none, on a table');
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON SCHEMA annotation_tap IS 'PROTECTED'$$, '42809', NULL, 'a label on a schema');
SELECT throws_ok($$SET dpsens.noise = off$$, '42501', NULL, 'turning noise off');

-- somebody else may look and nothing more, whatever rights she has on the rows
GRANT ALL ON people TO dpsens_analyst;
SET LOCAL ROLE dpsens_analyst;
SELECT isnt_empty($$SELECT * FROM dpsens.columns WHERE relation = 'people'::regclass$$, 'anybody may see annotations');
SELECT throws_ok($$SELECT dpsens.protect('people')$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.unprotect('people')$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', 0, 1)$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'age', '0', '1')$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.set_range_from_checks('people')$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.set_values('people', 'sex', 'f')$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.set_weight('people', 'sex', 0.5)$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.set_public('people', 'age')$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SELECT dpsens.clear('people', 'age')$$, '42501', 'must be owner of table people');
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON COLUMN people.age IS NULL$$, '42501', NULL, 'removing a label by hand');
SELECT throws_ok($$CREATE FUNCTION dpsens.mine() RETURNS int LANGUAGE sql RETURN 1$$, '42501', NULL,
    'nobody creates functions in schema dpsens');

-- a member of the owner is an owner
RESET ROLE;
GRANT dpsens_curator TO dpsens_analyst;
SET LOCAL ROLE dpsens_analyst;
SELECT lives_ok($$SELECT dpsens.set_range('people', 'age', 1, 110)$$, 'a member of the owning role sets a range');

-- names follow, dropped things go
RESET ROLE;
DROP VIEW elders;
ALTER TABLE people RENAME COLUMN age TO years;
SELECT results_eq($$SELECT lo, hi FROM dpsens.columns WHERE relation = 'people'::regclass AND column_name = 'years'$$,
    $$VALUES (1::float8, 110::float8)$$, 'a renamed column keeps its range');
ALTER TABLE people ALTER COLUMN years TYPE numeric;
SELECT results_eq($$SELECT lo, hi FROM dpsens.columns WHERE relation = 'people'::regclass AND column_name = 'years'$$,
    $$VALUES (1::float8, 110::float8)$$, 'a new type that the range fits keeps it');
ALTER TABLE people DROP COLUMN years;
SELECT is_empty($$SELECT * FROM pg_seclabel WHERE objoid = 'people'::regclass AND label LIKE 'RANGE [1, %'$$,
    'a dropped column leaves no label');
SELECT lives_ok($$SELECT dpsens.unprotect('people')$$, 'the table is unprotected');
SELECT is_empty($$SELECT * FROM pg_seclabel WHERE objoid = 'people'::regclass$$, 'and no label is left');
SELECT throws_ok($$SELECT dpsens.set_range('people', 'years', 0, 1)$$, '42703', NULL, 'a dropped column is unknown');

SELECT * FROM finish();
ROLLBACK;
