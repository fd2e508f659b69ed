-- Relations that are declared to be public as a whole, and budgets with own_tables: who
-- may say so, what is shown, what becomes of it.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(25);
CREATE SCHEMA declared_tap;
SET search_path = declared_tap, public;
CREATE ROLE declared_tap_owner;
CREATE ROLE declared_tap_ana;
GRANT ALL ON SCHEMA declared_tap TO declared_tap_owner;
SET ROLE declared_tap_owner;
CREATE TABLE people (id int PRIMARY KEY, age int);
CREATE TABLE wards (id int PRIMARY KEY, name text);
CREATE VIEW looked_at AS SELECT * FROM wards;

SELECT lives_ok($$SELECT dpsens.set_public('wards')$$, 'declared');
SELECT results_eq($$SELECT relation::text, owner::text FROM dpsens.public_relations WHERE relation = 'wards'::regclass$$, $$VALUES ('wards', 'declared_tap_owner')$$, 'and shown');
SELECT is_empty($$SELECT FROM dpsens.columns WHERE relation = 'wards'::regclass$$, 'it is none of the protected tables');
SELECT throws_like($$SELECT dpsens.grant_budget('wards', 'declared_tap_ana', epsilon => 1)$$, '%is not protected', 'which have budgets');
SELECT is(label, 'PUBLIC', 'as a label') FROM pg_seclabel WHERE objoid = 'wards'::regclass AND objsubid = 0;
ALTER TABLE wards RENAME TO stations;
SELECT is(relation::text, 'stations', 'follows a new name') FROM dpsens.public_relations WHERE relation = 'stations'::regclass;
SELECT dpsens.unprotect('stations') \g /dev/null
SELECT is_empty($$SELECT FROM dpsens.public_relations WHERE relation = 'stations'::regclass$$, 'taken back');
SECURITY LABEL FOR dpsens ON TABLE stations IS ' public ';
SELECT isnt_empty($$SELECT FROM dpsens.public_relations WHERE relation = 'stations'::regclass$$, 'by SECURITY LABEL');
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON TABLE stations IS 'PUBLIC PROTECTED'$$, '42601', 'syntax error in dpsens label at or near "PROTECTED"', 'nothing else beside it');
SELECT dpsens.set_range('stations', 'id', 0, 9) \g /dev/null
SELECT isnt_empty($$SELECT FROM dpsens.public_relations WHERE relation = 'stations'::regclass$$, 'what is said of a column leaves it');
SELECT dpsens.protect('stations') \g /dev/null
SELECT is_empty($$SELECT FROM dpsens.public_relations WHERE relation = 'stations'::regclass$$, 'a protected table is not public');
SELECT is(count(*), 2::bigint, 'but protected') FROM dpsens.columns WHERE relation = 'stations'::regclass;
SELECT throws_ok($$SELECT dpsens.set_public('stations')$$, '55000', 'relation "stations" is protected', 'unless it is unprotected first');
SELECT dpsens.protect('people') \g /dev/null
SELECT throws_ok($$SELECT dpsens.set_public('looked_at')$$, '42809', '"looked_at" is not a table', 'a view');
SELECT throws_ok($$SELECT dpsens.set_public(NULL::regclass)$$, '22004', NULL, 'nothing');
CREATE TEMP TABLE passing (id int);
SELECT throws_ok($$SELECT dpsens.set_public('passing')$$, '42809', 'relation "passing" is temporary', 'a temporary table');
RESET ROLE;
SET ROLE declared_tap_ana;
RESET ROLE;
GRANT USAGE ON SCHEMA declared_tap TO declared_tap_ana;
SET ROLE declared_tap_ana;
SELECT throws_ok($$SELECT dpsens.set_public('stations')$$, '42501', 'must be owner of table stations', 'of another');
RESET ROLE;

-- own_tables
SET ROLE declared_tap_owner;
CREATE FUNCTION own(OUT own_tables boolean) LANGUAGE sql AS $$ SELECT own_tables FROM dpsens.budgets WHERE relation = 'people'::regclass AND role = 'declared_tap_ana' $$;
SELECT dpsens.grant_budget('people', 'declared_tap_ana', epsilon => 1) \g /dev/null
SELECT is(own(), false, 'not unless it is granted');
SELECT dpsens.grant_budget('people', 'declared_tap_ana', own_tables => true) \g /dev/null
SELECT is(own(), true, 'granted');
SELECT is(epsilon, 1::float8, 'the rest stays') FROM dpsens.budgets WHERE relation = 'people'::regclass AND role = 'declared_tap_ana';
SELECT dpsens.grant_budget('people', 'declared_tap_ana', epsilon => 2) \g /dev/null
SELECT is(own(), true, 'it stays where it is not named');
SELECT dpsens.grant_budget('people', 'declared_tap_ana', own_tables => false) \g /dev/null
SELECT is(own(), false, 'taken back');
SELECT dpsens.grant_budget('people', 'declared_tap_ana', own_tables => true), dpsens.revoke_budget('people', 'declared_tap_ana'), dpsens.grant_budget('people', 'declared_tap_ana', epsilon => 2) \g /dev/null
SELECT is(own(), false, 'gone with the budget');
SELECT throws_like($$SELECT dpsens.revoke_budget('people', 'declared_tap_ana'), dpsens.grant_budget('people', 'declared_tap_ana', own_tables => true)$$, '%needs epsilon or rho%', 'alone it is no budget');
RESET ROLE;
DROP SCHEMA declared_tap CASCADE;
SELECT is_empty($$SELECT FROM dpsens.public_relations WHERE relation::text ~ 'declared_tap'$$, 'dropped with the table');
SELECT * FROM finish();
DROP OWNED BY declared_tap_owner, declared_tap_ana;
DROP ROLE declared_tap_owner, declared_tap_ana;
