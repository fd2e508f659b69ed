-- Setters change what they name and say what stands; they warn of what a curator
-- may not have thought of.
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS dpsens_setters CASCADE;
SELECT format('DROP OWNED BY %1$I; DROP ROLE %1$I', rolname) FROM pg_roles WHERE rolname LIKE 'dpsens\_setters\_%' \gexec
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_setters;
SET search_path = dpsens_setters, public;
RESET client_min_messages;
SET dpsens.epsilon = 1;
CREATE ROLE dpsens_setters_owner;
CREATE ROLE dpsens_setters_ana;
GRANT ALL ON SCHEMA dpsens_setters TO dpsens_setters_owner;
CREATE FUNCTION declared(relation regclass) RETURNS text LANGUAGE sql
    AS 'SELECT label FROM pg_seclabel WHERE provider = ''dpsens'' AND objoid = relation AND objsubid = 0';
CREATE FUNCTION budget(relation regclass, role text DEFAULT NULL) RETURNS TABLE (epsilon float8, delta float8, rho float8, refresh interval) LANGUAGE sql
    AS 'SELECT epsilon, delta, rho, refresh FROM dpsens.budgets b WHERE b.relation = $1 AND b.role IS NOT DISTINCT FROM $2::name';
CREATE FUNCTION rows(relation regclass) RETURNS TABLE (epsilon float8, rho float8) LANGUAGE sql
    AS 'SELECT epsilon, rho FROM dpsens.row_account a WHERE a.relation = $1';

-- Protection: limits, adjacency and unit stand.
CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL, x float8 NOT NULL, day date);
INSERT INTO visits SELECT i, i / 2, i, '2020-01-01' FROM generate_series(1, 40) i;
SELECT dpsens.protect('visits', unit => 'patient', adjacency => 'replace', max_rows => 20, max_rows_per_group => 5);
SELECT dpsens.protect('visits', max_groups => 3);
SELECT declared('visits');
SELECT dpsens.protect('visits', unit => 'patient', adjacency => 'add_remove', max_rows => 10, max_rows_per_group => 0, max_groups => 0);
SELECT declared('visits');
SELECT dpsens.protect('visits', max_rows => -1);
SELECT dpsens.protect('visits', max_rows => 1000001);

-- Ranges: the weight stands.
SELECT dpsens.set_range('visits', 'x', 0, 10, weight => 0.5);
SELECT dpsens.set_range('visits', 'x', 0, 20);
SELECT dpsens.set_range('visits', 'day', '2019-01-01', '2021-01-01', weight => 2);
SELECT dpsens.set_range('visits', 'day', '2019-01-01', '2022-01-01');
SELECT column_name, lo, hi, weight FROM dpsens.columns WHERE relation = 'visits'::regclass AND lo IS NOT NULL;
SELECT dpsens.set_range('visits', 'x', 0, 20, weight => 1);

-- Weights below 1 begin to make noise: said once.
CREATE TABLE lab (load float8 NOT NULL, hiv boolean NOT NULL, age float8 NOT NULL);
SELECT dpsens.protect('lab', adjacency => 'metric'), dpsens.set_range('lab', 'load', 0, 100, weight => 0.25), dpsens.set_range('lab', 'age', 0, 100, weight => 3);
SECURITY LABEL FOR dpsens ON COLUMN lab.hiv IS 'WEIGHT 0.5';
SELECT dpsens.protect('lab', adjacency => 'attribute');
SELECT dpsens.protect('lab', adjacency => 'attribute');

-- Caps: that of the relation and that of each row.
SELECT dpsens.protect('visits', unit => 'id', max_rows => 0);
SELECT dpsens.set_budget('visits', epsilon => 3, delta => 1e-6);
SELECT dpsens.set_budget('visits', row_epsilon => 5);
SELECT * FROM budget('visits'); SELECT * FROM rows('visits');
SELECT dpsens.set_budget('visits', epsilon => 4);
SELECT * FROM budget('visits'); SELECT * FROM rows('visits');
SELECT dpsens.set_budget('visits', delta => 1e-7, row_rho => 2);
SELECT * FROM budget('visits'); SELECT * FROM rows('visits');
SELECT dpsens.set_budget('visits', rho => 0.5);
SELECT * FROM budget('visits');
SELECT dpsens.set_budget('visits', rho => 'Infinity');
SELECT * FROM budget('visits'); SELECT * FROM rows('visits');
SELECT dpsens.set_budget('visits', epsilon => 0.1, delta => 0, row_epsilon => 'Infinity');
SELECT * FROM budget('visits'); SELECT * FROM rows('visits');
SELECT dpsens.set_budget('visits', row_rho => 3);
SELECT dpsens.set_budget('visits', row_epsilon => 4);
SELECT dpsens.set_budget('visits', row_rho => 'Infinity');
SELECT * FROM budget('visits'); SELECT * FROM rows('visits');
-- What is an error says nothing before.
SELECT dpsens.set_budget('visits', delta => 'Infinity');
SELECT dpsens.set_budget('visits', row_epsilon => 0);
SELECT dpsens.set_budget('visits', rho => 1, row_epsilon => 0);
SELECT dpsens.set_budget('visits', rho => -1, row_epsilon => 3);
SELECT dpsens.set_budget('visits', epsilon => 'Infinity', delta => 1e-7);
SELECT dpsens.set_budget('visits');
SELECT dpsens.set_budget('visits', epsilon => 1, rho => 1);
SELECT dpsens.revoke_budget('visits');
SELECT dpsens.set_budget('visits', delta => 1e-6);

-- A role's budget; who granted it is who called.
ALTER TABLE visits OWNER TO dpsens_setters_owner;
SET ROLE dpsens_setters_owner;
SELECT dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 2, delta => 1e-6, refresh => '1 day');
-- Who cannot name the relation is told of; a member of who can is not.
SELECT dpsens.grant_audit('visits', 'dpsens_setters_ana', rows => false), dpsens.revoke_audit('visits', 'dpsens_setters_ana');
RESET ROLE;
CREATE ROLE dpsens_setters_group; GRANT USAGE ON SCHEMA dpsens_setters TO dpsens_setters_group; GRANT dpsens_setters_group TO dpsens_setters_ana;
SET ROLE dpsens_setters_owner;
SELECT dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 4);
SELECT * FROM budget('visits', 'dpsens_setters_ana');
SELECT dpsens.grant_budget('visits', 'dpsens_setters_ana', rho => 1, delta => 0, refresh => '2 days');
SELECT * FROM budget('visits', 'dpsens_setters_ana');
SELECT DISTINCT granted_by FROM dpsens.budgets WHERE relation = 'visits'::regclass;

-- What was spent already.
SELECT dpsens.revoke_budget('visits', 'dpsens_setters_ana');
SELECT dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 4);
RESET ROLE;
GRANT USAGE ON SCHEMA dpsens_setters TO dpsens_setters_ana;
SET ROLE dpsens_setters_ana;
SELECT dp_count(*) IS NOT NULL AS answered FROM visits;
SELECT dp_count(*) IS NOT NULL AS answered FROM visits;
RESET ROLE;
SET ROLE dpsens_setters_owner;
SELECT dpsens.set_budget('visits', epsilon => 1.5), dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 1.75);
SELECT dpsens.set_budget('visits', epsilon => 2), dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 2.25);
SELECT dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 1.5, refresh => '1 year');

-- A table that is dropped and made again has spent what it had.
DROP TABLE visits;
CREATE TABLE visits (id int PRIMARY KEY, x float8 NOT NULL);
SELECT dpsens.protect('visits', unit => 'id');
SELECT dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 3), dpsens.set_budget('visits', epsilon => 5);
SELECT role, spent_epsilon, left_epsilon FROM dpsens.budgets WHERE relation = 'visits'::regclass ORDER BY role;
SET ROLE dpsens_setters_ana;
SELECT epsilon, spent_epsilon, left_epsilon, answers_left FROM dpsens.my_budget;
SELECT dp_count(*) IS NOT NULL AS answered FROM visits;
SELECT epsilon, spent_epsilon, left_epsilon, answers_left FROM dpsens.my_budget;
RESET ROLE;

-- A role that is dropped and made again begins at zero, which is said.
DROP OWNED BY dpsens_setters_ana;
DROP ROLE dpsens_setters_ana;
CREATE ROLE dpsens_setters_ana;
SELECT dpsens.grant_budget('visits', 'dpsens_setters_ana', epsilon => 3);

-- Who can read the rows all the same.
CREATE TABLE open (id int PRIMARY KEY, x float8, y float8);
SELECT dpsens.protect('open');
GRANT SELECT ON open TO PUBLIC, dpsens_setters_ana;
GRANT SELECT (x), UPDATE ON open TO dpsens_setters_owner;
GRANT INSERT ON open TO dpsens_setters_owner;
SELECT dpsens.protect('open');
REVOKE ALL ON open FROM PUBLIC, dpsens_setters_ana;
SELECT dpsens.protect('open');
REVOKE ALL ON open FROM dpsens_setters_owner;
REVOKE SELECT (x) ON open FROM dpsens_setters_owner;
SELECT dpsens.protect('open');

-- A unit that is set to null.
CREATE TABLE people (id int PRIMARY KEY);
CREATE TABLE stays (id int PRIMARY KEY, person int REFERENCES people ON DELETE SET NULL, x float8);
SELECT dpsens.protect('stays', unit => 'person', max_rows => 3);
CREATE TABLE later (id int PRIMARY KEY, person int, x float8);
SELECT dpsens.protect('later', unit => 'person', max_rows => 3);
ALTER TABLE later ADD CHECK (x > 0);
ALTER TABLE later ADD CONSTRAINT later_person FOREIGN KEY (person) REFERENCES people ON UPDATE SET DEFAULT;
ALTER TABLE later DROP CONSTRAINT later_person, ADD FOREIGN KEY (person) REFERENCES people ON DELETE CASCADE;

-- Names that are longer than a name.
CREATE SCHEMA dpsens_setters_with_a_long_name_dpsens_setters_with_a_long_name;
CREATE TABLE dpsens_setters_with_a_long_name_dpsens_setters_with_a_long_name.people_of_a_table_with_a_name_that_is_rather_long (person_to_whom_the_row_belongs int PRIMARY KEY);
CREATE TABLE long_lines (id int PRIMARY KEY, person int REFERENCES dpsens_setters_with_a_long_name_dpsens_setters_with_a_long_name.people_of_a_table_with_a_name_that_is_rather_long);
SELECT dpsens.protect('dpsens_setters_with_a_long_name_dpsens_setters_with_a_long_name.people_of_a_table_with_a_name_that_is_rather_long', unit => 'person_to_whom_the_row_belongs');
SELECT dpsens.protect('long_lines', unit => 'dpsens_setters_with_a_long_name_dpsens_setters_with_a_long_name.people_of_a_table_with_a_name_that_is_rather_long.person_to_whom_the_row_belongs', max_rows => 2);

-- What dpsens.columns says is missing can be run, once its words are replaced.
CREATE TABLE lacking (id int, person int, amount float8, day date, city text, shape point, kept int);
SELECT dpsens.protect('lacking', unit => 'person');
SELECT column_name, role, missing FROM dpsens.columns WHERE relation = 'lacking'::regclass;
SELECT dpsens.protect('lacking', adjacency => 'attribute');
SELECT missing FROM dpsens.columns WHERE relation = 'lacking'::regclass AND role = 'unit';
ALTER TABLE lacking ALTER COLUMN person SET NOT NULL; CREATE UNIQUE INDEX ON lacking (person);
SELECT missing FROM dpsens.columns WHERE relation = 'lacking'::regclass AND role = 'unit';
SELECT dpsens.protect('lacking', unit => 'id', adjacency => 'add_remove', max_rows => 7);
SELECT missing FROM dpsens.columns WHERE relation = 'lacking'::regclass AND role = 'unit';

-- The extension is dropped and made again: elsewhere, since all is charged here.
\set home :DBNAME
CREATE DATABASE dpsens_setters;
\c dpsens_setters
CREATE EXTENSION dpsens;
CREATE TABLE spent (id int PRIMARY KEY);
SELECT dpsens.protect('spent', unit => 'id');
DROP EXTENSION dpsens;
CREATE EXTENSION dpsens;
SET dpsens.epsilon = 1;
SELECT dp_count(*) IS NOT NULL AS answered FROM spent;
DROP EXTENSION dpsens;
SECURITY LABEL FOR dpsens ON TABLE spent IS NULL;
CREATE EXTENSION dpsens;
\c :home
DROP DATABASE dpsens_setters;

SET client_min_messages = error;
DROP SCHEMA dpsens_setters, dpsens_setters_with_a_long_name_dpsens_setters_with_a_long_name CASCADE;
DROP OWNED BY dpsens_setters_owner, dpsens_setters_ana;
DROP ROLE dpsens_setters_owner, dpsens_setters_ana, dpsens_setters_group;
