-- The record of changes (dpsens.changes): what is in it after each act that alters what may be revealed, who sees it, and
-- that nobody writes it.  No noise decides anything here.
-- Files: ledger/journal/change.c, ledger/journal/setting.c, sql/84_journal.sql.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(56);

CREATE ROLE journal_tap_owner;
CREATE ROLE journal_tap_ana;
CREATE ROLE journal_tap_auditor;
CREATE ROLE journal_tap_stranger;
CREATE ROLE journal_tap_writer IN ROLE pg_write_all_data;
GRANT journal_tap_owner TO journal_tap_stranger;
CREATE SCHEMA journal_tap AUTHORIZATION journal_tap_owner;
GRANT USAGE ON SCHEMA journal_tap TO PUBLIC;
SET search_path = journal_tap, public;
CREATE TEMPORARY TABLE seen (change bigint);
GRANT ALL ON seen TO PUBLIC;

-- What has been recorded since this was asked last, in order.
CREATE FUNCTION news() RETURNS TABLE (act text, object text, before jsonb, after jsonb) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT c.act, c.object, c.before, c.after FROM dpsens.changes c WHERE c.change > COALESCE((SELECT max(s.change) FROM seen s), 0) ORDER BY c.change;
    INSERT INTO seen SELECT max(c.change) FROM dpsens.changes c;
END $$;
CREATE FUNCTION plain(j jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(e.key || COALESCE(' ' || NULLIF(CASE WHEN jsonb_typeof(e.value) = 'string' THEN e.value #>> '{}' END, ''), '') || COALESCE(' ' || NULLIF((SELECT string_agg(p.key || '=' || (e.value ->> p.key), ' ' ORDER BY p.key) FROM jsonb_object_keys(CASE WHEN jsonb_typeof(e.value) = 'object' THEN e.value ELSE '{}' END) p(key)
        WHERE p.key IN ('epsilon', 'delta', 'rho', 'refresh', 'own_tables', 'mechanisms', 'rows', 'cap_plis')), ''), ''), '; ' ORDER BY e.key)
    FROM jsonb_each(CASE WHEN jsonb_typeof(j -> 'value') = 'string' THEN jsonb_build_object(j ->> 'value', '{}'::jsonb) ELSE j END) e
$$;
-- The same without who granted and when.
CREATE FUNCTION told() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT n.act || ' ' || n.object || ': ' || COALESCE(plain(n.before), '-') || ' > ' || COALESCE(plain(n.after), '-') FROM news() n
$$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA journal_tap TO PUBLIC;

SET ROLE journal_tap_owner;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, g text NOT NULL);
CREATE TABLE other (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO t SELECT i, i, 'a' FROM generate_series(0, 9) i;
SELECT count(*) FROM news() \g /dev/null

-- ---- declarations ----

SELECT dpsens.protect('t', unit => 'id'), dpsens.protect('other', unit => 'id') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('label table t: - > PROTECTED ADJACENCY add_remove'), ('label column id of table t: - > UNIT'),
    ('label table other: - > PROTECTED ADJACENCY add_remove'), ('label column id of table other: - > UNIT')$$, 'protect');
SELECT dpsens.set_range('t', 'x', 0, 9) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('label column x of table t: - > RANGE [0, 9]')$$, 'a range');
SELECT dpsens.set_range('t', 'x', 0, 9) \g /dev/null
SELECT is_empty('SELECT told()', 'the same range alters nothing');
SELECT dpsens.set_values('t', 'g', 'a', 'b') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('label column g of table t: - > VALUES (''a'', ''b'')')$$, 'values');
SECURITY LABEL FOR dpsens ON COLUMN t.x IS 'RANGE [0, 20]';
SELECT results_eq('SELECT told()', $$VALUES ('label column x of table t: RANGE [0, 9] > RANGE [0, 20]')$$, 'by SECURITY LABEL');
SELECT dpsens.set_public('t', 'g'), dpsens.clear('t', 'g') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('label column g of table t: VALUES (''a'', ''b'') > VALUES (''a'', ''b'') PUBLIC'),
    ('label column g of table t: VALUES (''a'', ''b'') PUBLIC > -')$$, 'public, and cleared');
SELECT dpsens.protect('t', unit => 'id', adjacency => 'replace') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('label table t: PROTECTED ADJACENCY add_remove > PROTECTED ADJACENCY replace')$$, 'adjacency');
SELECT dpsens.protect('t', unit => 'id', adjacency => 'add_remove') \g /dev/null
SELECT dpsens.set_range('other', 'x', 0, 9), dpsens.unprotect('other') \g /dev/null
SELECT set_has('SELECT told()', $$VALUES ('label table other: PROTECTED ADJACENCY add_remove > -')$$, 'unprotect');

-- ---- budgets ----

SELECT dpsens.grant_budget('t', 'journal_tap_ana', epsilon => 2, delta => 1e-6, refresh => '1 day') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('grant_budget journal_tap.t: - > budget of role journal_tap_ana delta=0.000001 epsilon=2 own_tables=false refresh=1 day')$$, 'a grant');
SELECT dpsens.grant_budget('t', 'journal_tap_ana', epsilon => 3, own_tables => true) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('grant_budget journal_tap.t: budget of role journal_tap_ana delta=0.000001 epsilon=2 own_tables=false refresh=1 day'
    ' > budget of role journal_tap_ana delta=0.000001 epsilon=3 own_tables=true refresh=1 day')$$, 'another');
SELECT dpsens.set_policy('t', 'journal_tap_ana', epsilon => 0.5, mechanisms => '{laplace}') \g /dev/null
SELECT results_eq('SELECT n.act, n.before #>> ''{"budget of role journal_tap_ana",answer_epsilon}'', n.after #>> ''{"budget of role journal_tap_ana",answer_epsilon}'',
    n.after #>> ''{"budget of role journal_tap_ana",mechanisms}'' FROM news() n', $$VALUES ('set_policy', 'Infinity', '0.5', '["laplace"]')$$, 'limits of a role');
SELECT dpsens.set_policy('t', epsilon => 0.7) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('set_policy journal_tap.t: - > policy delta=Infinity epsilon=0.7')$$, 'a policy');
SELECT dpsens.set_policy('t', epsilon => 'Infinity') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('set_policy journal_tap.t: policy delta=Infinity epsilon=0.7 > -')$$, 'and its end');
SELECT dpsens.set_entity_policy('t', epsilon => 0.9) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('set_entity_policy journal_tap.t: - > policy of the entity delta=Infinity epsilon=0.9')$$, 'that of an entity');
SELECT dpsens.set_entity_policy('t', epsilon => 'Infinity') \g /dev/null
SELECT told() \g /dev/null
SELECT dpsens.set_budget('t', epsilon => 5, row_epsilon => 4) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('set_budget journal_tap.t: - > budget delta=0 epsilon=5 own_tables=false; caps of rows epsilon=4')$$, 'a cap, and one of rows');
SELECT dpsens.set_plis_cap('t', 7) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('set_plis_cap journal_tap.t: caps of rows epsilon=4 > caps of rows cap_plis=7 epsilon=4')$$, 'and of susceptibility');
SELECT dpsens.set_column_budget('t', 'x', rho => 1) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('set_column_budget journal_tap.t: - > budget of column x delta=0 own_tables=false rho=1')$$, 'of a column');
SELECT dpsens.set_entity_budget('t', epsilon => 6) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('set_entity_budget journal_tap.t: - > budget of the entity delta=0 epsilon=6 own_tables=false')$$, 'of an entity');
SELECT dpsens.revoke_budget('t', 'journal_tap_ana') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('revoke_budget journal_tap.t: budget of role journal_tap_ana delta=0.000001 epsilon=3 mechanisms=["laplace"] own_tables=true refresh=1 day > -')$$, 'revoked');
SELECT dpsens.revoke_budget('t') \g /dev/null
SELECT matches((SELECT told()), '^revoke_budget journal_tap.t: budget delta=0 epsilon=5', 'that of the relation');
SELECT dpsens.grant_audit('t', 'journal_tap_auditor', rows => false) \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('grant_audit journal_tap.t: - > auditor journal_tap_auditor rows=false')$$, 'an auditor');
SELECT dpsens.revoke_audit('t', 'journal_tap_auditor') \g /dev/null
SELECT results_eq('SELECT told()', $$VALUES ('revoke_audit journal_tap.t: auditor journal_tap_auditor rows=false > -')$$, 'and no more');
SELECT dpsens.grant_audit('t', 'journal_tap_auditor', rows => false) \g /dev/null

-- ---- with the transaction ----

SELECT count(*) FROM news() \g /dev/null
BEGIN;
SELECT dpsens.grant_budget('t', 'journal_tap_ana', epsilon => 2) \g /dev/null
SAVEPOINT s;
SELECT dpsens.grant_budget('t', 'journal_tap_ana', epsilon => 9) \g /dev/null
ROLLBACK TO s;
SELECT dpsens.set_range('t', 'x', 0, 30) \g /dev/null
SET TRANSACTION READ ONLY;
COMMIT;
BEGIN;
SELECT dpsens.set_range('t', 'x', 0, 40) \g /dev/null
ROLLBACK;
SELECT results_eq('SELECT told()', $$VALUES ('grant_budget journal_tap.t: - > budget of role journal_tap_ana delta=0 epsilon=2 own_tables=false'),
    ('label column x of table t: RANGE [0, 20] > RANGE [0, 30]')$$, 'what is rolled back has altered nothing');
SELECT throws_ok($$SELECT dpsens.grant_budget('t', 'journal_tap_ana', epsilon => -1)$$, '22023', NULL, 'what is refused');
SELECT is_empty('SELECT told()', 'has not either');

-- ---- who ----

RESET ROLE;
SELECT results_eq('SELECT DISTINCT session_role, changed_by FROM dpsens.changes WHERE relation = ''journal_tap.t''',
    $$SELECT session_user::name, 'journal_tap_owner'::name$$, 'who had connected, and who acted');
CREATE FUNCTION count_seen(where_clause text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM dpsens.changes WHERE ' || where_clause INTO n;
    RETURN n;
END $$;
SET ROLE journal_tap_stranger;
SELECT cmp_ok(count_seen('relation = ''journal_tap.t'''), '>', 5::bigint, 'a member of the owner sees them');
RESET ROLE;
REVOKE journal_tap_owner FROM journal_tap_stranger;
SET ROLE journal_tap_stranger;
SELECT is(count_seen('true'), 0::bigint, 'a stranger none');
SET ROLE journal_tap_ana;
SELECT is(count_seen('true'), 0::bigint, 'an analyst none, not even of the own budget');
SET ROLE journal_tap_auditor;
SELECT cmp_ok(count_seen('relation = ''journal_tap.t'''), '>', 5::bigint, 'an auditor those of the relation');
SELECT is(count_seen('relation = ''journal_tap.other'''), 0::bigint, 'and not of others');
SELECT throws_ok('TABLE dpsens.change', '42501', NULL, 'the table is nobody''s');
SET ROLE journal_tap_owner;
SELECT cmp_ok(count_seen('relation = ''journal_tap.other'''), '>', 2::bigint, 'the owner sees those of all that is the owner''s');
SELECT is(count_seen('relation IS NULL'), 0::bigint, 'and nothing else');

-- ---- who may write it ----

SET ROLE journal_tap_writer;
SELECT throws_ok($$INSERT INTO dpsens.change VALUES (1, now(), 'a', 'a', 'a', 0, NULL, NULL, NULL, 'a', NULL, NULL)$$, '42501',
    'the privacy ledger is written by its worker only', 'not who may write all tables');
SELECT throws_ok($$DELETE FROM dpsens.change$$, '42501', NULL, 'nor delete');
RESET ROLE;
SELECT throws_ok($$UPDATE dpsens.change SET act = 'nothing'$$, '42501', 'the privacy ledger cannot be changed', 'a superuser only by intent');
SET session_replication_role = replica;
SELECT throws_ok($$TRUNCATE dpsens.change$$, '42501', 'the privacy ledger cannot be changed', 'nor as a replica');
RESET session_replication_role;
SET ROLE journal_tap_owner;
SELECT lives_ok($$DO 'BEGIN FOR i IN 1..50 LOOP PERFORM dpsens.set_range(''t'', ''x'', 0, i); END LOOP; END'$$, 'many acts in one transaction');
SELECT is((SELECT count(*) FROM dpsens.changes WHERE object = 'column x of table t' AND after ->> 'value' ~ '^RANGE .0, ([1-9]|[1-4][0-9]|50).$'), 53::bigint, 'have a number each');

-- ---- settings ----

RESET ROLE;
SELECT count(*) FROM news() \g /dev/null
ALTER ROLE journal_tap_ana SET dpsens.noise = off;
ALTER ROLE journal_tap_ana SET work_mem = '8MB';
SELECT results_eq('SELECT told()', $$VALUES ('ALTER ROLE settings: - > dpsens.noise of role journal_tap_ana off')$$, 'a setting of a role');
SELECT current_database() AS db \gset
ALTER ROLE journal_tap_ana IN DATABASE :"db" SET dpsens.answer_epsilon = 0.5;
ALTER ROLE journal_tap_ana IN DATABASE :"db" SET dpsens.epsilon = 0.5;
ALTER DATABASE :"db" SET dpsens.answer_epsilon = 0.25;
ALTER ROLE journal_tap_ana RESET ALL;
SELECT results_eq('SELECT replace(told(), ''database '' || quote_ident(current_database()) COLLATE "default", ''database d'')', $$VALUES ('ALTER ROLE settings: - > dpsens.answer_epsilon of role journal_tap_ana in database d 0.5'),
    ('ALTER DATABASE settings: - > dpsens.answer_epsilon in database d 0.25'), ('ALTER ROLE settings: dpsens.noise of role journal_tap_ana off > -')$$, 'and of databases');
ALTER SYSTEM SET dpsens.max_failures = 77;
ALTER SYSTEM SET work_mem = '4MB';
ALTER SYSTEM RESET work_mem;
SELECT results_eq('SELECT told()', $$VALUES ('ALTER SYSTEM settings: - > dpsens.max_failures 77')$$, 'of the server');
ALTER SYSTEM SET dpsens.primary_conninfo = 'host=nowhere password=secret';
SELECT results_eq('SELECT told()', $$VALUES ('ALTER SYSTEM settings: - > dpsens.primary_conninfo (not shown)')$$, 'but no password');
ALTER SYSTEM RESET dpsens.primary_conninfo;
SELECT told() \g /dev/null
ALTER SYSTEM RESET dpsens.max_failures;
SELECT results_eq('SELECT told()', $$VALUES ('ALTER SYSTEM settings: dpsens.max_failures 77 > -')$$, 'and reset');
ALTER DATABASE :"db" RESET ALL;
SET ROLE journal_tap_auditor;
SELECT cmp_ok(count_seen('relation IS NULL AND act LIKE ''ALTER %'''), '>=', 5::bigint, 'an auditor sees them');
RESET ROLE;

-- ---- around the functions ----

SELECT count(*) FROM news() \g /dev/null
UPDATE dpsens.budget SET delta = 0.125 WHERE role_name = 'journal_tap_ana';
SELECT results_eq('SELECT told()', $$VALUES ('UPDATE table dpsens.budget: row delta=0 epsilon=2 own_tables=false > row delta=0.125 epsilon=2 own_tables=false')$$, 'a superuser who writes a budget');
DELETE FROM dpsens.auditor WHERE relation = 't'::regclass;
SELECT results_eq('SELECT told()', $$VALUES ('DELETE table dpsens.auditor: row rows=false > -')$$, 'or removes an auditor');

-- who is shown them: whoever owns or audits the relation of the row
CREATE ROLE journal_tap_second;
CREATE TABLE second (id int PRIMARY KEY, x float8 NOT NULL);
ALTER TABLE second OWNER TO journal_tap_second;
SET ROLE journal_tap_second;
SELECT dpsens.protect('second', unit => 'id'), dpsens.set_budget('second', 5), dpsens.grant_audit('second', 'journal_tap_auditor') \g /dev/null
SET ROLE journal_tap_owner;
SELECT dpsens.set_range('t', 'x', 0, 9), dpsens.register('journal_twice', 't', '2 * x'), dpsens.set_policy('t', epsilon => 0.5), dpsens.set_budget('t', epsilon => 5, row_epsilon => 4) \g /dev/null
RESET ROLE;
UPDATE dpsens.policy SET epsilon = 0.625 WHERE relation = 't'::regclass;
UPDATE dpsens.row_account SET epsilon = 3 WHERE relation = 't'::regclass;
DELETE FROM dpsens.budget WHERE role_name = 'journal_tap_ana';
UPDATE dpsens.budget SET delta = 0.25 WHERE relation = 'second'::regclass;
SET ROLE journal_tap_owner;
SELECT results_eq($$SELECT (act || ' ' || object) COLLATE "default" FROM dpsens.changes WHERE act IN ('UPDATE', 'DELETE') OR object ~ 'journal_twice' ORDER BY change$$,
    $$VALUES ('UPDATE table dpsens.budget'), ('DELETE table dpsens.auditor'), ('label function journal_twice(t)'), ('UPDATE table dpsens.policy'), ('UPDATE table dpsens.row_account'), ('DELETE table dpsens.budget')$$,
    'the owner is shown what a superuser writes about a relation, and its expressions');
SELECT is((SELECT array_agg(DISTINCT relation) FROM dpsens.changes WHERE act IN ('UPDATE', 'DELETE')), '{journal_tap.t}', 'by its name');
SET ROLE journal_tap_auditor;
SELECT results_eq($$SELECT (act || ' ' || object || ' ' || relation) COLLATE "default" FROM dpsens.changes WHERE act IN ('UPDATE', 'DELETE') OR object ~ 'journal_twice'$$, $$VALUES ('UPDATE table dpsens.budget journal_tap.second')$$,
    'an auditor of another relation is not');
SET ROLE journal_tap_second;
SELECT is(count_seen('act IN (''UPDATE'', ''DELETE'')'), 1::bigint, 'nor another owner');
SET ROLE journal_tap_ana;
SELECT is(count_seen('true'), 0::bigint, 'nor whose budget it was');
RESET ROLE;
-- of a relation that is gone whoever owned it, if it comes again
DROP TABLE second;
DELETE FROM dpsens.budget WHERE relation_name = 'second';
CREATE TABLE second (id int PRIMARY KEY);
ALTER TABLE second OWNER TO journal_tap_second;
SET ROLE journal_tap_second;
SELECT is(count_seen('act IN (''UPDATE'', ''DELETE'')'), 2::bigint, 'a relation that was made again has its record');
RESET ROLE;

-- what swallows the row has the act fail, and does not have it tried for ever
CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER swallow BEFORE INSERT ON dpsens.change FOR EACH ROW EXECUTE FUNCTION swallow();
SELECT throws_ok('SELECT dpsens.set_public(''t'', ''x'')', '55000', 'the change cannot be recorded in table "dpsens.change"', 'an act that leaves no row is none');
DROP TRIGGER swallow ON dpsens.change;
SELECT lives_ok('SELECT dpsens.set_public(''t'', ''x'')', 'and is one again');

SELECT * FROM finish();
DROP SCHEMA journal_tap CASCADE;
DROP OWNED BY journal_tap_owner, journal_tap_ana, journal_tap_auditor, journal_tap_stranger, journal_tap_writer, journal_tap_second;
DROP ROLE journal_tap_owner, journal_tap_ana, journal_tap_auditor, journal_tap_stranger, journal_tap_writer, journal_tap_second;
