-- A warning where persons may have several rows and nothing says so.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_repeats;
SET search_path = dpsens_repeats, public;
CREATE TABLE patients (id int PRIMARY KEY, age float8);
INSERT INTO patients SELECT i, i FROM generate_series(1, 10) i;
CREATE TABLE visits (id int PRIMARY KEY, patient int REFERENCES patients, ward_id int, cost float8);
INSERT INTO visits SELECT i, 1 + i % 10, 1, i FROM generate_series(1, 100) i;
CREATE TABLE stays ("Person_ID" uuid, void text, cost float8);
INSERT INTO stays SELECT md5((i % 5)::text)::uuid, 'v' || i % 2, i FROM generate_series(1, 20) i;
CREATE TABLE distinct_ids (person_id int, cost float8);
INSERT INTO distinct_ids SELECT i, i FROM generate_series(1, 20) i;
CREATE TABLE nothing (person_id int, void_id json);
CREATE TABLE unique_ids (person_id int UNIQUE, cost float8);

SELECT dpsens.protect('patients');
-- a foreign key first, then a name
SELECT dpsens.protect('visits');
SELECT dpsens.protect('stays');
SELECT dpsens.protect('distinct_ids');
SELECT dpsens.protect('nothing');
SELECT dpsens.protect('unique_ids');
-- who says what a unit is, is not told
SELECT dpsens.protect('visits', unit => 'patient', max_rows => 10);
SELECT dpsens.protect('visits', max_rows => 5);
DROP SCHEMA dpsens_repeats CASCADE;
