-- Row 28: a fresh budget, by another role, another name, or a second life.
-- Files: ledger/authority.c, ledger/charge/answer_limits.c.
\ir start.sql
CREATE ROLE dpsens_attack_second IN ROLE dpsens_attack_nobody;
CREATE TABLE clinic.purse28 (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO clinic.purse28 SELECT i, 1 FROM generate_series(1, 100) i;
ALTER TABLE clinic.purse28 OWNER TO dpsens_attack_owner;
GRANT SELECT ON clinic.purse28 TO dpsens_attack_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('purse28'), dpsens.grant_budget('purse28', 'dpsens_attack_ana', epsilon => 2), dpsens.grant_budget('purse28', 'dpsens_attack_reader', epsilon => 100), dpsens.set_budget('purse28', epsilon => 3);
END $$;
SELECT attempt('what is left, and no more', ARRAY['SELECT dp_count(true, 2) IS NOT NULL FROM purse28', 'SELECT dp_count(true, 0.5) FROM purse28'], '53400', ARRAY['SELECT count(*) FROM purse28', 'SELECT count(*) FROM purse28'], '\(100\)');
SELECT attempt('a new purse: ' || statement, ARRAY[statement, 'SELECT dp_count(true, 0.5) FROM purse28', 'SET ROLE dpsens_attack_ana', 'SELECT dp_count(true, 0.5) FROM purse28'], '(.*\n)*(42501|53400)[^\n]*$', ARRAY['SELECT count(*) FROM purse28'], '\(100\)')
FROM unnest(ARRAY['ALTER TABLE clinic.purse28 RENAME TO purse29', 'CREATE ROLE dpsens_attack_third', 'CREATE VIEW lab.purse28 AS SELECT * FROM clinic.purse28', 'SELECT dpsens.grant_budget(''purse28'', ''dpsens_attack_ana'', epsilon => 10)', 'DELETE FROM dpsens.purse', 'DELETE FROM dpsens.release',
    'TRUNCATE dpsens.budget', 'SELECT dpsens.acknowledge_restore()', 'ALTER TABLE clinic.purse28 OWNER TO dpsens_attack_ana', 'SELECT dpsens.revoke_budget(''purse28'')',
    'REASSIGN OWNED BY dpsens_attack_owner TO dpsens_attack_ana', 'GRANT dpsens_attack_reader TO dpsens_attack_ana',
    'ALTER ROLE dpsens_attack_ana RENAME TO dpsens_attack_other', 'SET dpsens.require_fsync = off']) statement;
SELECT attempt('another role gets the rest of the cap only', ARRAY['SET ROLE dpsens_attack_reader', 'SELECT dp_count(true, 1.5) FROM purse28'], '00000
53400', ARRAY['SELECT dp_count(true, 0.5) IS NOT NULL FROM purse28'], '\(t\)');
-- whoever drops and makes a table anew has a new table, that nobody may ask about
DROP TABLE clinic.purse28 CASCADE;
CREATE TABLE clinic.purse28 (id int PRIMARY KEY, x float8 NOT NULL);
SELECT attempt('the same name again', 'SELECT dp_count(true, 0.5) FROM purse28', '(42501|55000)', 'SELECT 1', '1');
DROP TABLE clinic.purse28;
-- a policy, around which there is no way
CREATE TABLE clinic.policy28 (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO clinic.policy28 SELECT i, 1 FROM generate_series(1, 100) i;
ALTER TABLE clinic.policy28 OWNER TO dpsens_attack_owner;
GRANT SELECT ON clinic.policy28 TO dpsens_attack_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('policy28'), dpsens.grant_budget('policy28', 'dpsens_attack_ana', epsilon => 1000, delta => 0.99), dpsens.set_policy('policy28', 'dpsens_attack_ana', epsilon => 'Infinity'),
        dpsens.set_policy('policy28', epsilon => 0.25);
END $$;
SELECT attempt('beyond a policy: ' || statement, ARRAY[statement, 'SELECT dp_count(true, 30) FROM policy28'], '(.*\n)*53400[^\n]*$', ARRAY['SELECT count(*) FROM policy28'], '\(100\)')
FROM unnest(ARRAY['SELECT 1', 'SELECT dpsens.set_policy(''policy28'', epsilon => 30)', 'SELECT dpsens.set_policy(''policy28'', ''dpsens_attack_ana'', overrides => true)', 'SELECT dpsens.set_entity_policy(''policy28'', epsilon => 30)',
    'DELETE FROM dpsens.policy', 'TRUNCATE dpsens.policy', 'SET dpsens.answer_epsilon = 0', 'ALTER TABLE clinic.policy28 RENAME TO policy29', 'CREATE VIEW lab.policy28 AS SELECT * FROM clinic.policy28']) statement;
SELECT attempt('noise of next to nothing within epsilon', ARRAY['SET dpsens.mechanism = gaussian', 'SET dpsens.delta = 0.9', 'SELECT dp_count(true, 0.25) FROM policy28'], '(.*\n)*53400[^\n]*$', ARRAY['SELECT count(*) FROM policy28'], '\(100\)');
DROP TABLE clinic.policy28 CASCADE;
-- what a role is told of one person: by other tables, other roles, own declarations
CREATE TABLE clinic.person28 (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE clinic.visit28 (id int NOT NULL REFERENCES clinic.person28, x float8 NOT NULL);
CREATE TABLE clinic.other28 (id int NOT NULL REFERENCES clinic.person28, x float8 NOT NULL);
INSERT INTO clinic.person28 SELECT i, 1 FROM generate_series(1, 100) i;
INSERT INTO clinic.visit28 SELECT i, 1 FROM generate_series(1, 100) i;
INSERT INTO clinic.other28 SELECT i, 1 FROM generate_series(1, 100) i;
ALTER TABLE clinic.person28 OWNER TO dpsens_attack_owner;
ALTER TABLE clinic.visit28 OWNER TO dpsens_attack_owner;
CREATE ROLE dpsens_attack_stranger;
ALTER TABLE clinic.other28 OWNER TO dpsens_attack_stranger;
GRANT SELECT ON clinic.person28, clinic.visit28, clinic.other28 TO dpsens_attack_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('person28', 'id'), dpsens.protect('visit28', 'id', max_rows => 1), dpsens.protect('other28', 'id', max_rows => 1),
        dpsens.grant_entity_budget('person28', 'dpsens_attack_ana', epsilon => 2);
END $$;
SELECT attempt('a person, by each table', ARRAY['SET dpsens.mechanism = laplace', 'SELECT dp_count(true, 1) IS NOT NULL FROM person28', 'SELECT dp_count(true, 1) IS NOT NULL FROM visit28', 'SELECT dp_count(true, 0.5) FROM person28', 'SELECT dp_count(true, 0.5) FROM visit28'], '(.*\n)*53400[^\n]*\n53400[^\n]*$', ARRAY['SELECT count(*) FROM visit28', 'SELECT count(*) FROM visit28'], '\(100\)');
SELECT attempt('a table of another owner', 'SELECT dp_count(true, 0.5) FROM other28', '42501', 'SELECT count(*) FROM other28', '\(100\)');
SELECT attempt('a person''s budget: ' || statement, ARRAY[statement, 'SELECT dp_count(true, 0.5) FROM visit28', 'SET ROLE dpsens_attack_ana', 'SELECT dp_count(true, 0.5) FROM visit28', 'SELECT dp_count(true, 0.5) FROM other28'], '(.*\n)*(42501|53400)[^\n]*\n(42501)[^\n]*$', ARRAY['SELECT count(*) FROM visit28'], '\(100\)')
FROM unnest(ARRAY['SELECT dpsens.grant_entity_budget(''person28'', ''dpsens_attack_ana'', epsilon => 10)', 'SELECT dpsens.revoke_entity_budget(''person28'', ''dpsens_attack_ana'')', 'SELECT dpsens.set_entity_policy(''person28'', 100, role => ''dpsens_attack_ana'')',
    'UPDATE dpsens.budget SET agreed_owner = 0', 'UPDATE dpsens.release SET payer_roles = NULL', 'ALTER TABLE clinic.visit28 DROP CONSTRAINT visit28_id_fkey',
    'CREATE TABLE lab.visit28 (id int REFERENCES clinic.person28)', 'ALTER TABLE clinic.other28 OWNER TO dpsens_attack_owner', 'SELECT dpsens.protect(''visit28'')']) statement;
DROP TABLE clinic.visit28, clinic.other28, clinic.person28 CASCADE;
DROP ROLE dpsens_attack_stranger;
DROP ROLE dpsens_attack_second;
SELECT * FROM finish();
