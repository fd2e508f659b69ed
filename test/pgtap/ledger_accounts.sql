-- What the ledger's worker remembers of budgets, and of what was spent, from one charge to
-- the next: it ends with every change that is committed, whoever makes it.
--
-- Everything is committed as it goes: another process records the charges.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(51);

DROP SCHEMA IF EXISTS accounts_tap CASCADE;
DROP SCHEMA IF EXISTS accounts_tap_later CASCADE;
DROP ROLE IF EXISTS accounts_tap_analyst, accounts_tap_member, accounts_tap_owner, accounts_tap_owner_later;
CREATE SCHEMA accounts_tap;
SET search_path = accounts_tap, public;
CREATE ROLE accounts_tap_analyst;
CREATE ROLE accounts_tap_member;
CREATE ROLE accounts_tap_owner;
GRANT USAGE ON SCHEMA accounts_tap TO accounts_tap_analyst, accounts_tap_member, accounts_tap_owner;
CREATE TABLE t (x int);
INSERT INTO t VALUES (1), (2);
SELECT dpsens.protect('t'), dpsens.grant_budget('t', 'accounts_tap_analyst', 8) \g /dev/null

-- 'answered', or the error, of a count for epsilon as a role, and of its relation.
CREATE FUNCTION ask(epsilon float8, role name DEFAULT 'accounts_tap_analyst', relation text DEFAULT 'accounts_tap.t') RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE format('SELECT dp_count(true, %L::float8) FROM %s', epsilon, relation);
	RESET ROLE;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	RESET ROLE;
	RETURN SQLSTATE;
END $$;

SELECT is(ask(1), 'answered', 'a first charge; what the role may spend is known now');
SELECT is(ask(1), 'answered', 'a second one');

-- ---- budgets ----

SELECT dpsens.grant_budget('t', 'accounts_tap_analyst', 2.5) \g /dev/null
SELECT is(ask(1), '53400', 'a smaller budget holds at once');
SELECT is(ask(0.5), 'answered', 'what is left of it can be spent');
UPDATE dpsens.budget SET cap_epsilon = (4::float8 * 2 ^ 40)::bigint WHERE role = 'accounts_tap_analyst'::regrole;
SELECT is(ask(1), 'answered', 'so does one that a superuser writes');
BEGIN;
UPDATE dpsens.budget SET cap_epsilon = (400::float8 * 2 ^ 40)::bigint WHERE role = 'accounts_tap_analyst'::regrole;
ROLLBACK;
SELECT is(ask(1), '53400', 'not one that is rolled back');
SET session_replication_role = replica;
UPDATE dpsens.budget SET cap_epsilon = (5::float8 * 2 ^ 40)::bigint WHERE role = 'accounts_tap_analyst'::regrole;
RESET session_replication_role;
SELECT is(ask(0.25), 'answered', 'one that is written as a replica writes');
ALTER TABLE dpsens.budget DISABLE TRIGGER tell_ledger;
SELECT is(ask(0.25), 'answered', 'a charge while nobody would tell of changes');
UPDATE dpsens.budget SET cap_epsilon = (4::float8 * 2 ^ 40)::bigint WHERE role = 'accounts_tap_analyst'::regrole;
SELECT is(ask(0.125), '53400', '... so that nothing is remembered');
ALTER TABLE dpsens.budget ENABLE ALWAYS TRIGGER tell_ledger;
UPDATE dpsens.budget SET cap_epsilon = (4.25::float8 * 2 ^ 40)::bigint WHERE role = 'accounts_tap_analyst'::regrole;
SELECT is(ask(0.25), 'answered', 'told of again');
UPDATE dpsens.budget SET cap_epsilon = (8::float8 * 2 ^ 40)::bigint WHERE role = 'accounts_tap_analyst'::regrole;
SELECT dpsens.set_budget('t', 4.5) \g /dev/null
SELECT is(ask(0.5), '53400', 'a cap of the relation that was not there');
UPDATE dpsens.budget SET cap_epsilon = 0 WHERE role = 0 AND relation = 't'::regclass;
SELECT is(ask(0.125), '53400', 'nothing is left under one of zero');
SELECT dpsens.set_budget('t', 100) \g /dev/null
SELECT dpsens.revoke_budget('t', 'accounts_tap_analyst') \g /dev/null
SELECT is(ask(0.125), '42501', 'no budget any more');
SELECT dpsens.grant_budget('t', 'accounts_tap_analyst', 4.75) \g /dev/null
SELECT is(ask(0.5), 'answered', 'and again one, of which 4.25 was spent');
SELECT is(ask(0.5), '53400', '... so that nothing is left');

-- ---- roles ----

SELECT dpsens.grant_budget('t', 'accounts_tap_analyst', 6.75) \g /dev/null
SELECT is(ask(0.125, 'accounts_tap_member'), '42501', 'a role that is no member of one with a budget');
GRANT accounts_tap_analyst TO accounts_tap_member;
SELECT is(ask(1, 'accounts_tap_member'), 'answered', 'a member spends of it');
SELECT is(ask(1.5), '53400', '... and it is spent for all');
REVOKE accounts_tap_analyst FROM accounts_tap_member;
SELECT is(ask(0.125, 'accounts_tap_member'), '42501', 'no member any more');
ALTER ROLE accounts_tap_analyst RENAME TO accounts_tap_later;
SELECT is(ask(1.5, 'accounts_tap_later'), '53400', 'a role by another name has what it had');
SELECT is(ask(0.5, 'accounts_tap_later'), 'answered', '... and no less');
SELECT is((SELECT max(r.purse_role_name) FROM dpsens.release r WHERE r.relation = 't'::regclass AND r.release =
	(SELECT max(release) FROM dpsens.release)), 'accounts_tap_later', 'the release names it so');
ALTER ROLE accounts_tap_later RENAME TO accounts_tap_analyst;

-- ---- relations ----

ALTER TABLE t RENAME TO u;
SELECT is(ask(1, relation => 'accounts_tap.u'), '53400', 'a table by another name has spent what it had');
SELECT is(ask(0.25, relation => 'accounts_tap.u'), 'answered', '... and no more');
SELECT is((SELECT relation_name FROM dpsens.release ORDER BY release DESC LIMIT 1), 'u', 'the release names it so');
ALTER SCHEMA accounts_tap RENAME TO accounts_tap_later;
SET search_path = accounts_tap_later, public;
SELECT is(ask(0.25, relation => 'accounts_tap_later.u'), 'answered', 'a schema by another name');
SELECT is((SELECT relation_schema FROM dpsens.release ORDER BY release DESC LIMIT 1), 'accounts_tap_later', 'the release names it so');
ALTER SCHEMA accounts_tap_later RENAME TO accounts_tap;
SET search_path = accounts_tap, public;
ALTER TABLE u RENAME TO t;
GRANT ALL ON SCHEMA accounts_tap TO accounts_tap_owner;
ALTER TABLE t OWNER TO accounts_tap_owner;
SELECT dpsens.grant_budget('t', 'accounts_tap_analyst', 7.25) \g /dev/null
SELECT is(ask(0.125), 'answered', 'another owner');
SELECT is((SELECT relation_owner FROM dpsens.release ORDER BY release DESC LIMIT 1), 'accounts_tap_owner', 'the release names it so');
ALTER ROLE accounts_tap_owner RENAME TO accounts_tap_owner_later;
SELECT is(ask(0.125), 'answered', 'an owner by another name');
SELECT is((SELECT relation_owner FROM dpsens.release ORDER BY release DESC LIMIT 1), 'accounts_tap_owner_later', 'the release names it so');

CREATE TABLE other (x int);
ALTER TABLE other OWNER TO accounts_tap_owner_later;
SELECT dpsens.protect('other'), dpsens.grant_budget('other', 'accounts_tap_analyst', 6) \g /dev/null
SELECT is(ask(0.125, relation => 'accounts_tap.other'), 'answered', 'another table, which has its own account');
DROP TABLE t;
ALTER TABLE other RENAME TO t;
SELECT is(ask(1), '53400', 'once it is called as one that is gone, it has spent what that one had');
SELECT is((SELECT count(*)::int FROM dpsens.purse WHERE relation_schema = 'accounts_tap' AND relation_name = 't' AND role = 'accounts_tap_analyst'::regrole), 1,
	'their purses are one');
DROP TABLE t;
CREATE TABLE t (x int);
ALTER TABLE t OWNER TO accounts_tap_owner_later;
SELECT dpsens.protect('t'), dpsens.grant_budget('t', 'accounts_tap_analyst', 6) \g /dev/null
SELECT is(ask(1), '53400', 'so has one that was made again');

-- ---- what was spent ----

-- Epsilon of the role's purse, and of its releases.
CREATE FUNCTION spent() RETURNS text LANGUAGE sql AS $$
SELECT format('%s %s', (SELECT spent_epsilon / 2 ^ 40 FROM dpsens.purse WHERE relation = 'accounts_tap.t'::regclass AND role = 'accounts_tap_analyst'::regrole),
	(SELECT sum(charge_epsilon) / 2 ^ 40 FROM dpsens.release WHERE relation = 'accounts_tap.t'::regclass))
$$;
DROP TABLE t;
CREATE TABLE t (x int);
ALTER TABLE t OWNER TO accounts_tap_owner_later;
SELECT dpsens.protect('t'), dpsens.grant_budget('t', 'accounts_tap_analyst', 100) \g /dev/null
SELECT ask(1), spent() AS before \gset
SELECT ask(1) \g /dev/null
SELECT isnt(spent(), :'before', 'a charge is seen');
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
UPDATE dpsens.purse SET spent_epsilon = (99::float8 * 2 ^ 40)::bigint WHERE relation = 't'::regclass AND role = 'accounts_tap_analyst'::regrole;
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;
SELECT is(ask(1), 'answered', 'the worker goes by what a superuser who is set on it has written');
SELECT is(ask(0.125), '53400', '... and not by what it knew');
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
UPDATE dpsens.purse SET spent_epsilon = (50::float8 * 2 ^ 40)::bigint WHERE relation = 't'::regclass AND role = 'accounts_tap_analyst'::regrole;
SELECT is(ask(1), 'answered', 'a charge while nobody would tell of what is written');
UPDATE dpsens.purse SET spent_epsilon = (100::float8 * 2 ^ 40)::bigint WHERE relation = 't'::regclass AND role = 'accounts_tap_analyst'::regrole;
SELECT is(ask(1), '53400', '... so that nothing is remembered');
UPDATE dpsens.purse SET spent_epsilon = (10::float8 * 2 ^ 40)::bigint WHERE relation = 't'::regclass AND role = 'accounts_tap_analyst'::regrole;
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;
SELECT ask(1) \g /dev/null
SELECT max(release) AS last, max(statement) AS statement FROM dpsens.release \gset
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
UPDATE dpsens.release SET release = release + 1000, statement = statement + 100 WHERE release = :last;
ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger;
SELECT is(ask(1), 'answered', 'a charge after numbers of the history have changed');
SELECT is((SELECT max(release)::int FROM dpsens.release), :last + 1001, '... has a later one');
SELECT is((SELECT max(statement)::int FROM dpsens.release), :statement + 101, '... of a later statement');
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
UPDATE dpsens.release SET release = release - 1000, statement = statement - 100 WHERE release > :last;
ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger;
SELECT spent() AS before \gset
SELECT max(release) AS last, (SELECT charges FROM dpsens.purse WHERE relation = 't'::regclass AND role = 0) AS charges FROM dpsens.release \gset
BEGIN;
LOCK TABLE dpsens.purse IN SHARE MODE;
SELECT is(ask(1), '55P03', 'a charge that cannot be recorded');
ROLLBACK;
SELECT is(spent(), :'before', '... spends nothing');
SELECT is((SELECT ask(2)), 'answered', 'the next one can');
SELECT is(spent(), (SELECT format('%s %s', split_part(:'before', ' ', 1)::float8 + 2, split_part(:'before', ' ', 2)::float8 + 2)), '... and is counted once');
SELECT is((SELECT max(release)::int FROM dpsens.release), :last + 1, 'its number is the next one');
SELECT ask(1) \g /dev/null
SELECT is((SELECT charges::int FROM dpsens.purse WHERE relation = 't'::regclass AND role = 0), :charges + 2, 'as many charges as there were');
-- as what is recorded says: other tests compare
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
UPDATE dpsens.purse AS p SET (spent_epsilon, spent_rho) = (SELECT sum(charge_epsilon), sum(charge_rho) FROM dpsens.release AS r WHERE r.relation = p.relation)
WHERE relation = 't'::regclass;
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;

-- ---- what fails ----

BEGIN;
CREATE TABLE fresh (x int);
SELECT dpsens.protect('fresh') \g /dev/null
SELECT throws_ok('SELECT dp_count(true, 0.5) FROM fresh', '55000', NULL, 'a table that is not committed has no account');
COMMIT;
SELECT lives_ok('SELECT dp_count(true, 0.5) FROM fresh', 'it has one as soon as it is');

DROP SCHEMA accounts_tap CASCADE;
DROP ROLE accounts_tap_analyst, accounts_tap_member, accounts_tap_owner_later;
SELECT finish();
