-- A unit of another table is found by its whole name: each part of up to 63 bytes, quoted, with dots and letters of several bytes in it.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(8);

-- Each name has 63 bytes, and differs from its twin in the last one alone.
SELECT 'S."' || repeat('ä.', 19) || 'xx' || 'a' AS schema, 'T. ' || repeat('€.', 14) || 'xxx' || 'a' AS table, 'C"' || repeat('ö.', 20) || 'a' AS column,
    'C"' || repeat('ö.', 20) || 'b' AS twin \gset
SELECT is(octet_length(name), 63, 'a name as long as names may be')
FROM unnest(ARRAY[:'schema', :'table', :'column', :'twin']) name;
CREATE SCHEMA :"schema";
CREATE TABLE :"schema".:"table" (id int PRIMARY KEY, :"twin" int NOT NULL, :"column" int NOT NULL);
SET search_path = :"schema", public;
CREATE TABLE lines (id int, reference int NOT NULL REFERENCES :"table", x float8 NOT NULL);
SELECT format('%I.%I.%I', :'schema', :'table', :'column') AS unit, format('%I.%I.%I', :'schema', :'table', :'twin') AS twin_unit \gset
SELECT cmp_ok(octet_length(:'unit'), '>', 189, 'longer than three names');
SELECT dpsens.protect(format('%I', :'table')::regclass, unit => :'column');
SELECT throws_ok(format('SELECT dpsens.protect(%L, unit => %L)', 'lines', :'twin_unit'), '55000',
    format('column "%s" is not the privacy unit of relation "%s"', :'twin', :'table'), 'the twin is told apart by its last byte');
SELECT lives_ok(format('SELECT dpsens.protect(%L, unit => %L)', 'lines', :'unit'), 'the unit is found by its whole name');
SELECT is(label, 'UNIT BY REFERENCE', 'and reached through the foreign key') FROM pg_seclabels WHERE objoid = 'lines'::regclass AND objsubid = 2;

SELECT * FROM finish();
DROP SCHEMA :"schema" CASCADE;
