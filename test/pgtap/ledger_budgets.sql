-- Whose budget pays, when it is exhausted, and that what was spent stays spent.
--
-- Everything is committed as it goes: another process reads the budgets.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(94);

CREATE ROLE budget_tap_owner;
CREATE ROLE budget_tap_analyst;
CREATE ROLE budget_tap_free;
CREATE ROLE budget_tap_b_group;
CREATE ROLE budget_tap_a_group;
CREATE ROLE budget_tap_member IN ROLE budget_tap_b_group, budget_tap_a_group;
CREATE ROLE budget_tap_other IN ROLE budget_tap_a_group;
CREATE ROLE budget_tap_super SUPERUSER IN ROLE budget_tap_a_group;
CREATE SCHEMA budget_tap AUTHORIZATION budget_tap_owner;
GRANT USAGE ON SCHEMA budget_tap TO PUBLIC;
SET search_path = budget_tap, public;

-- A protected table of the owner with ten rows that everybody may read.
CREATE FUNCTION make_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE budget_tap.%1$I (x float8 NOT NULL); INSERT INTO budget_tap.%1$I SELECT generate_series(1, 10);
        ALTER TABLE budget_tap.%1$I OWNER TO budget_tap_owner; GRANT SELECT ON budget_tap.%1$I TO PUBLIC', name);
    PERFORM dpsens.protect(name::regclass), dpsens.set_range(name::regclass, 'x', 0, 10);
END $$;

SELECT make_table('predefined');
SELECT throws_ok($$SELECT dpsens.grant_budget('predefined', 'pg_read_all_data', epsilon => 1)$$, '42809', 'predefined role "pg_read_all_data" cannot have a privacy budget', 'its members are not the owner''s to restrict');
SELECT is((SELECT count(*) FROM pg_seclabels WHERE objname LIKE 'pg\_%' AND objtype = 'role'), 0::bigint, 'nor has it a label');

-- Asks until it is refused, at most so many times; a cursor's first row is
-- enough.  Each answer is charged at once, so one transaction will do.
CREATE FUNCTION answers(relation text, epsilon float8, most int DEFAULT 30) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    n int := 0;
BEGIN
    WHILE n < most LOOP
        EXECUTE format('SELECT dp_count(true, $1) FROM budget_tap.%I', relation) USING epsilon;
        n := n + 1;
    END LOOP;
    RETURN n;
EXCEPTION WHEN configuration_limit_exceeded THEN
    RETURN n;
END $$;
CREATE FUNCTION spent(relation regclass, role text DEFAULT '') RETURNS float8 LANGUAGE sql SECURITY DEFINER AS $$
    SELECT p.spent_epsilon / 2.0 ^ 40 FROM dpsens.purse p WHERE p.relation = $1
    AND p.role = CASE WHEN $2 = '' THEN 0 ELSE (SELECT oid FROM pg_roles WHERE rolname = $2) END;
$$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA budget_tap TO PUBLIC;

-- ---- what a budget is ----

SELECT make_table('t') \g /dev/null
SELECT throws_ok(format('SELECT dpsens.grant_budget(''t'', ''budget_tap_analyst'', %s)', args), code, NULL, args)
FROM (VALUES ('epsilon => 0', '22023'), ('epsilon => -1', '22023'), ('epsilon => ''NaN''', '22023'), ('epsilon => ''Infinity''', '22023'),
    ('epsilon => 1048577', '22023'), ('rho => 0', '22023'), ('rho => -0.5', '22023'), ('rho => ''NaN''', '22023'), ('rho => ''Infinity''', '22023'),
    ('epsilon => 1, rho => 1', '22023'), ('delta => 1e-6', '22023'), ('epsilon => NULL', '22023'),
    ('epsilon => 1, delta => 1', '22023'), ('epsilon => 1, delta => -1e-9', '22023'), ('epsilon => 1, delta => ''NaN''', '22023'),
    ('epsilon => 1, refresh => ''0''', '22023'), ('epsilon => 1, refresh => ''-1 day''', '22023')) a (args, code);
SELECT throws_ok('SELECT dpsens.set_budget(''t'', epsilon => ''NaN'')', '22023', NULL, 'set_budget: NaN');
SELECT throws_ok('SELECT dpsens.set_budget(''t'', rho => -1)', '22023', NULL, 'set_budget: a negative rho');
SELECT throws_ok('SELECT dpsens.grant_budget(NULL, ''budget_tap_analyst'', 1)', '22004', NULL, 'no relation');
SELECT throws_ok('SELECT dpsens.grant_budget(''t'', NULL, 1)', '22004', NULL, 'no role');
SELECT throws_ok('SELECT dpsens.grant_budget(''t'', 4000000000, 1)', '42704', NULL, 'no such role');
SELECT throws_ok('SELECT dpsens.revoke_budget(''t'', ''budget_tap_analyst'')', '42704', NULL, 'nothing to revoke');
SELECT throws_ok('SELECT dpsens.revoke_budget(''t'')', '42704', NULL, 'nothing to revoke from the relation');
SET ROLE budget_tap_analyst;
SELECT throws_ok(query, '42501', NULL, query) FROM (VALUES ('SELECT dpsens.grant_budget(''t'', ''budget_tap_analyst'', 100)'),
    ('SELECT dpsens.set_budget(''t'', 100)'), ('SELECT dpsens.revoke_budget(''t'', ''budget_tap_analyst'')'), ('SELECT dpsens.revoke_budget(''t'')')) q (query);
RESET ROLE;
SET default_transaction_read_only = on;
SELECT throws_ok('SELECT dpsens.set_budget(''t'', 100)', '25006', NULL, 'not in a read-only transaction');
RESET default_transaction_read_only;
CREATE TABLE unprotected (x int);
SELECT throws_ok('SELECT dpsens.set_budget(''unprotected'', 100)', '55000', NULL, 'an unprotected relation');
SELECT is((SELECT count(*) FROM dpsens.budget WHERE relation = 't'::regclass), 0::bigint, 'nothing was granted');

-- ---- the edge ----

DO $$ BEGIN PERFORM dpsens.grant_budget('t', 'budget_tap_analyst', epsilon => 1); END $$;
SET ROLE budget_tap_analyst;
SELECT is(answers('t', 0.125), 8, 'eight answers of 1/8 use up a budget of 1 exactly');
SELECT is(answers('t', 0.00000095367431640625), 0, 'then not even 2^-20 is left');
SELECT throws_ok('SELECT dp_count(true, 0.5) FROM t', '53400',
    'the privacy budget of role "budget_tap_analyst" on relation "budget_tap.t" does not allow this statement', 'the refusal says whose budget');
RESET ROLE;
SELECT is(spent('t', 'budget_tap_analyst'), 1::float8, 'spent exactly');
SELECT is(spent('t'), 1::float8, 'by the relation, too');
-- 0.01 is 10995116277.76 units of 2^-40; the noise is for 10995116277, which is charged
SELECT make_table('cents') \g /dev/null
DO $$ BEGIN PERFORM dpsens.grant_budget('cents', 'budget_tap_analyst', epsilon => 1); END $$;
SET ROLE budget_tap_analyst;
SELECT is(answers('cents', 0.01, 200), 100, 'a hundred answers of 0.01 fit into a budget of 1');
SELECT throws_ok('SELECT dp_count(true, 0.001), dp_count(true, 0.002) FROM cents', '53400', NULL, 'all of a statement or nothing');
RESET ROLE;
SELECT is(spent('cents', 'budget_tap_analyst'), 100 * floor(0.01::float8 * 2.0::float8 ^ 40) / 2.0::float8 ^ 40, 'nothing of what was refused is charged');
SELECT make_table('crumbs') \g /dev/null
DO $$ BEGIN PERFORM dpsens.grant_budget('crumbs', 'budget_tap_analyst', epsilon => 0.00001); END $$;
SET ROLE budget_tap_analyst;
SELECT is(answers('crumbs', 0.00000095367431640625), 10, 'the smallest epsilon advances the sum');
RESET ROLE;
SELECT is(spent('crumbs', 'budget_tap_analyst'), 10 * 2.0::float8 ^ -20, 'exactly');

-- ---- pure, concentrated, approximate ----

SELECT make_table('g') \g /dev/null
DO $$ BEGIN PERFORM dpsens.grant_budget('g', 'budget_tap_analyst', epsilon => 1); END $$;
SET ROLE budget_tap_analyst;
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
SELECT is(answers('g', 0.1), 0, 'a pure budget admits no Gaussian noise');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.grant_budget('g', 'budget_tap_analyst', epsilon => 1, delta => 1e-6); END $$;
SET ROLE budget_tap_analyst;
SELECT is(answers('g', 0.25) BETWEEN 5 AND 29, true, 'one with a delta does, by their rho');
RESET dpsens.mechanism;
SELECT is(answers('g', 0.25) <= 1, true, 'after them pure releases pay with their rho, too');
RESET dpsens.delta;
RESET ROLE;
SELECT is((SELECT p.spent_rho <= b.cap_rho AND p.spent_epsilon = 9223372036854775807 FROM dpsens.purse p JOIN dpsens.budget b USING (relation, role)
    WHERE relation = 'g'::regclass AND role <> 0), true, 'within the cap');
SELECT make_table('r') \g /dev/null
DO $$ BEGIN PERFORM dpsens.grant_budget('r', 'budget_tap_analyst', rho => 0.5); END $$;
SET ROLE budget_tap_analyst;
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
SELECT is(answers('r', 1, 1000) > 10, true, 'a budget of rho');
RESET dpsens.mechanism;
RESET dpsens.delta;
RESET ROLE;
SELECT is((SELECT p.spent_rho <= b.cap_rho AND p.spent_rho + r.charge_rho > b.cap_rho FROM dpsens.purse p JOIN dpsens.budget b USING (relation, role)
    JOIN dpsens.release r ON r.relation = p.relation WHERE p.relation = 'r'::regclass AND p.role <> 0 LIMIT 1), true, 'is used as far as it goes');

-- ---- who pays ----

SELECT make_table('u') \g /dev/null
DO $$ BEGIN
    PERFORM dpsens.grant_budget('u', 'budget_tap_b_group', epsilon => 2), dpsens.grant_budget('u', 'budget_tap_a_group', epsilon => 1);
    PERFORM dpsens.grant_budget('u', 'budget_tap_analyst', epsilon => 0.5);
END $$;
SET ROLE budget_tap_owner;
SELECT is(answers('u', 1, 5), 5, 'the owner is exempt');
SET ROLE budget_tap_super;
SELECT is(answers('u', 1, 5), 5, 'a superuser does not draw from a group');
SET ROLE budget_tap_other;
SELECT is(answers('u', 0.25, 2), 2, 'a member draws from the group');
SET ROLE budget_tap_member;
SELECT is(answers('u', 0.25, 3), 3, 'and another from the same purse');
RESET ROLE;
SELECT is(array[spent('u', 'budget_tap_a_group'), spent('u', 'budget_tap_b_group')], array[1, 0.25::float8], 'first from the first by name, then from the next that can');
SET ROLE budget_tap_other;
SELECT is(answers('u', 0.25), 0, 'whoever is in the first alone has no more');
SELECT throws_ok('SELECT dp_count(true, 0.25) FROM u', '53400',
    'the privacy budget of role "budget_tap_a_group" on relation "budget_tap.u" does not allow this statement', 'and is told whose it was');
SET ROLE budget_tap_a_group;
SELECT is(answers('u', 0.25), 0, 'the group itself is no exception');
SET ROLE budget_tap_analyst;
SELECT is(answers('u', 0.25), 2, 'a budget of one''s own');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.grant_budget('u', 'budget_tap_member', epsilon => 0.25); END $$;
SET ROLE budget_tap_member;
SELECT is(answers('u', 0.25), 1, 'one''s own comes before the groups''');
RESET ROLE;
SELECT is(spent('u', 'budget_tap_b_group'), 0.25::float8, 'which then does not pay');
SELECT is((SELECT purse_role_name FROM dpsens.release WHERE relation = 'u'::regclass ORDER BY release DESC LIMIT 1), 'budget_tap_member', 'the history says who paid');
SELECT is((SELECT count(*) FROM dpsens.release WHERE relation = 'u'::regclass AND role_name IN ('budget_tap_owner', 'budget_tap_super') AND purse_role IS NOT NULL),
    0::bigint, 'and that nobody did for the owner');
-- the statement's user, not the session's
CREATE FUNCTION budget_tap.as_owner() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT dp_count(true, 0.25) FROM budget_tap.u';
ALTER FUNCTION as_owner() OWNER TO budget_tap_analyst;
SELECT throws_ok('SELECT as_owner()', '53400', NULL, 'a security definer function pays from its owner''s purse');

-- Why a statement is refused, as its caller sees it.
CREATE FUNCTION why(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN configuration_limit_exceeded THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN detail || '|' || hint;
END $$;
CREATE FUNCTION open_one() RETURNS refcursor LANGUAGE plpgsql SECURITY DEFINER AS $$ DECLARE c refcursor := 'opened'; BEGIN OPEN c FOR SELECT dp_count(true, 0.25) FROM budget_tap.u; RETURN c; END $$;
ALTER FUNCTION open_one() OWNER TO budget_tap_analyst;
\set untold 'Figures of budgets and limits are told to the asking role alone.|'
SELECT is(why('SELECT as_owner()'), :'untold', 'what is left of that is not told to who calls it');
SET ROLE budget_tap_free;
BEGIN;
SELECT open_one() \g /dev/null
SELECT is(why('FETCH opened'), :'untold', 'nor to who fetches from its cursor');
COMMIT;
SET ROLE budget_tap_analyst;
SELECT matches(why('SELECT dp_count(true, 0.25) FROM budget_tap.u'), '^It costs epsilon 0\.25 and rho .*; epsilon 0 and rho .* are left\.\|Ask', 'who asks is told');
RESET ROLE;

-- a cursor is paid by who opened it, not by who fetches from it
CREATE FUNCTION fetch_one(c refcursor) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$ DECLARE n bigint; BEGIN FETCH c INTO n; RETURN n; END $$;
ALTER FUNCTION fetch_one(refcursor) OWNER TO budget_tap_owner;
SET ROLE budget_tap_analyst;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(true, 0.25) FROM u;
SELECT throws_ok('SELECT fetch_one(''c'')', '53400', NULL, 'a cursor that somebody else fetches from');
COMMIT;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(true, 0.25) FROM u;
SELECT is(why('SELECT fetch_one(''c'')'), :'untold', 'who does is not told what is left either');
COMMIT;
RESET ROLE;

-- ---- the cap of the relation ----

DO $$ BEGIN PERFORM dpsens.set_budget('u', epsilon => spent('u') + 1); END $$;
SET ROLE budget_tap_owner;
SELECT is(answers('u', 0.5), 2, 'the cap of a relation holds for the owner');
SET ROLE budget_tap_super;
SELECT is(answers('u', 0.5), 0, 'and for superusers');
SET ROLE budget_tap_member;
SELECT throws_ok('SELECT dp_count(true, 0.25) FROM u', '53400', 'the privacy budget of relation "budget_tap.u" does not allow this statement', 'the relation''s own refusal');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.revoke_budget('u'); END $$;
SET ROLE budget_tap_owner;
SELECT is(answers('u', 0.5, 3), 3, 'until it is revoked');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.set_budget('u', epsilon => 1); END $$;
SET ROLE budget_tap_owner;
SELECT is(answers('u', 0.5), 0, 'a cap below what was spent allows nothing');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.revoke_budget('u'); END $$;

-- ---- what was spent stays spent ----

DO $$ BEGIN PERFORM dpsens.revoke_budget('u', 'budget_tap_analyst'); PERFORM dpsens.grant_budget('u', 'budget_tap_analyst', epsilon => 0.75); END $$;
SET ROLE budget_tap_analyst;
SELECT is(answers('u', 0.25), 1, 'a budget that is revoked and granted again');
RESET ROLE;
ALTER ROLE budget_tap_analyst RENAME TO budget_tap_renamed;
SET ROLE budget_tap_renamed;
SELECT is(answers('u', 0.25), 0, 'a role that is renamed');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.grant_budget('u', 'budget_tap_renamed', epsilon => 1); END $$;
SET ROLE budget_tap_renamed;
SELECT is(answers('u', 0.25), 1, 'and gets another budget has one');
RESET ROLE;
SELECT is((SELECT count(*) FROM dpsens.budget WHERE relation = 'u'::regclass AND role = (SELECT oid FROM pg_roles WHERE rolname = 'budget_tap_renamed')),
    1::bigint, 'not two');
CREATE ROLE budget_tap_analyst;
SELECT is((SELECT count(*) FROM dpsens.purse WHERE role = (SELECT oid FROM pg_roles WHERE rolname = 'budget_tap_analyst')), 0::bigint,
    'a new role of the old name has no part in it');
CREATE ROLE budget_tap_short;
DO $$ BEGIN PERFORM dpsens.grant_budget('u', 'budget_tap_short', epsilon => 0.25); END $$;
DROP ROLE budget_tap_short;
CREATE ROLE budget_tap_short;
SET ROLE budget_tap_short;
SELECT is(answers('u', 0.25, 2), 2, 'nor has one that was dropped and made again: nothing limits it, as nothing limits any role without a budget');
RESET ROLE;
SELECT is((SELECT count(*) FROM dpsens.purse WHERE role = (SELECT oid FROM pg_roles WHERE rolname = 'budget_tap_short')), 0::bigint, 'its purse is not theirs');

SELECT make_table('d') \g /dev/null
DO $$ BEGIN PERFORM dpsens.set_budget('d', epsilon => 1), dpsens.grant_budget('d', 'budget_tap_other', epsilon => 0.5); END $$;
SET ROLE budget_tap_other;
SELECT is(answers('d', 0.25), 2, 'half of the relation''s budget');
RESET ROLE;
ALTER TABLE d RENAME TO d_renamed;
SET ROLE budget_tap_other;
SELECT is(answers('d_renamed', 0.25), 0, 'a table that is renamed');
RESET ROLE;
ALTER TABLE d_renamed RENAME TO d;
DROP TABLE d;
SELECT make_table('d') \g /dev/null
SET ROLE budget_tap_other;
SELECT is(answers('d', 0.25), 0, 'a table that is dropped and made again');
SET ROLE budget_tap_owner;
SELECT is(answers('d', 0.25), 2, 'its cap holds, too');
RESET ROLE;
SELECT is(spent('d'), 1::float8, 'what was spent before is in it');
SELECT is((SELECT count(*) FROM dpsens.release WHERE relation = 'd'::regclass), 4::bigint, 'and in its history');
DROP TABLE d;
SELECT make_table('d') \g /dev/null
SET ROLE budget_tap_owner;
SELECT is(answers('d', 0.25), 0, 'once more');
RESET ROLE;
BEGIN;
DROP TABLE d;
CREATE TABLE d (x float8 NOT NULL);
ALTER TABLE d OWNER TO budget_tap_owner;
ROLLBACK;
SET ROLE budget_tap_owner;
SELECT is(answers('d', 0.25), 0, 'a DROP that is rolled back');
RESET ROLE;

-- ---- periods ----

-- What time does is done to what was written: a period that began a day earlier.
CREATE FUNCTION a_day_passes(relation regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
    UPDATE dpsens.purse p SET period_start = p.period_start - interval '25 hours' WHERE p.relation = a_day_passes.relation AND p.role <> 0;
    ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;
END $$;

SELECT make_table('p') \g /dev/null
DO $$ BEGIN PERFORM dpsens.grant_budget('p', 'budget_tap_other', epsilon => 0.5, refresh => '1 day'), dpsens.set_budget('p', epsilon => 1.25); END $$;
SET ROLE budget_tap_other;
SELECT is(answers('p', 0.25), 2, 'the budget of a period');
SELECT a_day_passes('p') \g /dev/null
SELECT is(answers('p', 0.25, 1), 1, 'another period has its own');
RESET ROLE;
SELECT is(array[spent('p', 'budget_tap_other'), spent('p')], array[0.25, 0.75::float8], 'the relation remembers all of them');
SELECT a_day_passes('p') \g /dev/null
SET ROLE budget_tap_other;
SELECT is(answers('p', 0.25), 2, 'until its own cap');
RESET ROLE;

-- ---- many at once ----

SELECT make_table('race') \g /dev/null
DO $$ BEGIN PERFORM dpsens.set_budget('race', epsilon => 4); END $$;
CREATE TABLE won (n int);
\! for i in 1 2 3 4 5 6 7 8 9 10 11 12; do psql -Xqc "INSERT INTO budget_tap.won SELECT budget_tap.answers('race', 0.125, 5)" & done; wait
SELECT is((SELECT array[count(*), sum(n)] FROM won), array[12, 32::bigint], 'twelve clients share thirty-two answers');
SELECT is(spent('race'), 4::float8, 'and no more is spent');

SELECT finish();
DROP OWNED BY budget_tap_owner CASCADE;
DROP SCHEMA IF EXISTS budget_tap CASCADE;
DROP ROLE budget_tap_owner, budget_tap_analyst, budget_tap_renamed, budget_tap_free, budget_tap_a_group, budget_tap_b_group, budget_tap_member,
    budget_tap_other, budget_tap_super, budget_tap_short;
