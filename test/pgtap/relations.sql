-- dpsens.relations: what is declared of each relation, who is answered, who may read it, and what to look at.
-- Files: glue/label/sql_relation.c, glue/constraint/undeclared.c, glue/setup/sql_describe_column.c, sql/72_individual.sql.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(22);

CREATE ROLE relations_tap_owner;
CREATE ROLE relations_tap_ana;
CREATE ROLE relations_tap_ben;
CREATE ROLE relations_tap_reader;
CREATE ROLE relations_tap_auditor;
CREATE SCHEMA relations_tap AUTHORIZATION relations_tap_owner;
GRANT USAGE ON SCHEMA relations_tap TO PUBLIC;
SET search_path = relations_tap, public;
SET ROLE relations_tap_owner;
SELECT is_empty('SELECT * FROM dpsens.relations', 'no protected relation');
CREATE TABLE patients (id int PRIMARY KEY, age float8 NOT NULL, name text);
CREATE TABLE visits (patient int, cost float8 NOT NULL);
CREATE TABLE "Odd ""one" (x int, y int);
ALTER TABLE "Odd ""one" DROP COLUMN x;
DO $$ BEGIN
    PERFORM dpsens.protect('patients', unit => 'id'), dpsens.set_range('patients', 'age', 0, 100);
    PERFORM dpsens.protect('visits', unit => 'patient', adjacency => 'replace'), dpsens.set_range('visits', 'cost', 0, 10);
    PERFORM dpsens.protect('"Odd ""one"', adjacency => 'metric');
END $$;
SELECT results_eq('SELECT relation, adjacency, unit, one_row, max_rows, max_rows_per_group, max_groups FROM dpsens.relations ORDER BY relation::text',
    $$VALUES ('"Odd ""one"'::regclass, 'metric', NULL::text, true, NULL::int, NULL::int, NULL::int), ('patients', 'add_remove', 'id', true, NULL, NULL, NULL), ('visits', 'replace', 'patient', false, NULL, NULL, NULL)$$, 'what is declared');
SELECT results_eq('SELECT warnings FROM dpsens.relations ORDER BY relation::text', $$VALUES
    (ARRAY['nothing is declared of columns y', 'nobody has a budget, and whoever may read it is answered without end']),
    (ARRAY['nobody has a budget, and whoever may read it is answered without end']),
    (ARRAY['a unit can have several rows, and no limit says how many count: queries are refused', 'nobody has a budget, and whoever may read it is answered without end'])$$, 'and what is missing');
DO $$ BEGIN
    PERFORM dpsens.protect('visits', max_rows => 20, max_rows_per_group => 5, max_groups => 7), dpsens.set_public('patients', 'name');
    PERFORM dpsens.grant_budget(r, 'relations_tap_ana', epsilon => 1) FROM unnest('{patients,visits}'::regclass[]) r;
    PERFORM dpsens.set_budget('patients', epsilon => 5, delta => 1e-6, row_rho => 0.5);
END $$;
SELECT results_eq('SELECT max_rows, max_rows_per_group, max_groups, warnings FROM dpsens.relations WHERE relation = ''visits''::regclass', $$VALUES (20, 5, 7, '{}'::text[])$$, 'limits');
SELECT results_eq('SELECT epsilon, delta, rho, row_epsilon, row_rho, analysts, readers, auditors, releases, warnings FROM dpsens.relations WHERE relation = ''patients''::regclass',
    $$VALUES (5::float8, 1e-6::float8, NULL::float8, NULL::float8, 0.5::float8, '{relations_tap_ana}'::name[], '{}'::name[], '{}'::name[], 0::bigint, '{}'::text[])$$, 'budgets');
SELECT dpsens.grant_budget('visits', 'relations_tap_ben', epsilon => 1), dpsens.grant_audit('visits', 'relations_tap_auditor') \g /dev/null
GRANT SELECT (cost) ON visits TO relations_tap_ben;
GRANT SELECT ON visits TO relations_tap_reader;
GRANT INSERT ON visits TO relations_tap_ana;
SELECT results_eq('SELECT analysts, readers, auditors, warnings FROM dpsens.relations WHERE relation = ''visits''::regclass',
    $$VALUES ('{relations_tap_ana,relations_tap_ben}'::name[], '{relations_tap_ben,relations_tap_reader}'::name[], '{relations_tap_auditor}'::name[],
    ARRAY['the rows can be read by roles that have a budget: relations_tap_ben', 'no budget caps what all roles are told together'])$$, 'who is answered, who reads, who audits');
GRANT SELECT ON visits TO PUBLIC;
SELECT is((SELECT warnings[2] FROM dpsens.relations WHERE relation = 'visits'::regclass), 'the rows can be read by everybody', 'everybody');
SELECT is((SELECT readers[1] FROM dpsens.relations WHERE relation = 'visits'::regclass), 'public'::name, 'is called public');
SET ROLE relations_tap_ana;
SELECT isnt((SELECT dp_count(true, 0.5) FROM patients), NULL, 'an answer');
SELECT is_empty('SELECT * FROM dpsens.relations', 'analysts see nothing of it');
SET ROLE relations_tap_auditor;
SELECT results_eq('SELECT relation FROM dpsens.relations', $$VALUES ('visits'::regclass)$$, 'an auditor its own');
SET ROLE relations_tap_owner;
SELECT is((SELECT releases FROM dpsens.relations WHERE relation = 'patients'::regclass), 1::bigint, 'which is counted');
SELECT dpsens.unprotect('"Odd ""one"') \g /dev/null
SELECT is((SELECT count(*) FROM dpsens.relations), 2::bigint, 'not protected any more');

-- ---- weights ----

CREATE TABLE lab (load float8 NOT NULL, hiv boolean NOT NULL, sex text NOT NULL, age float8 NOT NULL);
SELECT dpsens.protect('lab', adjacency => 'metric'), dpsens.set_range('lab', 'load', 0, 100, weight => 0.25), dpsens.set_range('lab', 'age', 0, 100, weight => 3) \g /dev/null
SECURITY LABEL FOR dpsens ON COLUMN lab.sex IS 'VALUES (''f'', ''m'') WEIGHT 0.5';
SELECT results_eq('SELECT column_name, weight FROM dpsens.columns WHERE relation = ''lab''::regclass', $$VALUES ('load'::name, 0.25::float8), ('hiv', 1), ('sex', 0.5), ('age', 3)$$, 'weights without a range are shown, too');

-- ---- what is missing, and what should be: labels are public, and a column is safe without ----

CREATE TABLE districts (district text PRIMARY KEY, "Number" numeric(3, 1) UNIQUE);
INSERT INTO districts VALUES ('south', 2), ('east', 10), ('it''s', 9.5);
CREATE TABLE people (person int PRIMARY KEY, surname text, "E-mail" text, note text, phone bigint, "insuranceNo" int, "home address" text, height float8, hair text,
    district text REFERENCES districts, "district_No" numeric(3, 1) REFERENCES districts ("Number"), father_id int REFERENCES people);
SELECT dpsens.protect('people', unit => 'person') \g /dev/null
SELECT results_eq('SELECT column_name, missing FROM dpsens.columns WHERE relation = ''people''::regclass AND missing IS NOT NULL', $$VALUES
    ('height'::name, 'SELECT dpsens.set_range(''people'', ''height'', lo, hi)'), ('hair', 'SELECT dpsens.set_values(''people'', ''hair'', ''one'', ''other'')'),
    ('district', 'SELECT dpsens.set_values(''people'', ''district'', ''one'', ''other'')')$$, 'nothing leads to labels that name persons');
SELECT is((SELECT warnings[1] FROM dpsens.relations WHERE relation = 'people'::regclass), 'nothing is declared of columns district, hair, height', 'and no warning stays for want of them');
SELECT dpsens.set_public('districts') \g /dev/null
SELECT results_eq('SELECT column_name, missing FROM dpsens.columns WHERE relation = ''people''::regclass AND missing ~ ''VARIADIC''', $$VALUES
    ('district'::name, 'SELECT dpsens.set_values(''people'', ''district'', VARIADIC ARRAY(SELECT k.district::text FROM districts k ORDER BY k.district))'),
    ('district_No', 'SELECT dpsens.set_values(''people'', ''district_No'', VARIADIC ARRAY(SELECT k."Number"::text FROM districts k ORDER BY k."Number"))')$$, 'keys of a public relation are values');
RESET ROLE;
ALTER TABLE districts OWNER TO relations_tap_ben;
SELECT is_empty('SELECT * FROM dpsens.columns WHERE missing ~ ''VARIADIC''', 'but not those of somebody else''s, which could run what that one likes');
ALTER TABLE districts OWNER TO relations_tap_owner;
SET ROLE relations_tap_owner;
SELECT lives_ok((SELECT string_agg(missing, ';') FROM dpsens.columns WHERE relation = 'people'::regclass AND missing ~ 'VARIADIC'), 'as they are said');
SELECT results_eq('SELECT "values" FROM dpsens.columns WHERE relation = ''people''::regclass AND column_name ~ ''district''', $$VALUES ('{east,it''s,south}'::text[]), ('{2.0,9.5,10.0}')$$, 'in order');

-- ---- the cap of an entity is a cap of all of its relations ----

CREATE TABLE calls (person int NOT NULL REFERENCES people, minutes float8 NOT NULL);
SELECT dpsens.protect('calls', unit => 'person', max_rows => 3), dpsens.set_range('calls', 'minutes', 0, 9) \g /dev/null
SELECT dpsens.set_entity_budget('people', epsilon => 2) \g /dev/null
SELECT is_empty('SELECT * FROM dpsens.relations WHERE relation = ANY (''{people,calls}''::regclass[]) AND array_to_string(warnings, '' '') ~ ''budget''', 'with nobody who is answered');
SELECT dpsens.grant_budget(r, a, epsilon => 1) FROM unnest('{people,calls}'::regclass[]) r, unnest('{relations_tap_ana,relations_tap_ben}'::regrole[]) a \g /dev/null
SELECT is((SELECT count(*) FROM dpsens.relations WHERE relation = ANY ('{people,calls}'::regclass[]) AND NOT array_to_string(warnings, ' ') ~ 'budget'), 2::bigint, 'and with several');
RESET ROLE;
SELECT * FROM finish();
DROP SCHEMA relations_tap CASCADE;
DROP ROLE relations_tap_owner, relations_tap_ana, relations_tap_ben, relations_tap_reader, relations_tap_auditor;
