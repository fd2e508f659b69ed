-- Auditors (dpsens.grant_audit): what they see without owning or reading the relation, what they do not, and
-- that they change nothing.  No noise decides anything here.
-- Files: glue/owner.c, ledger/auditor.c, ledger/budget/sql_auditor.c, audit/accounted.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(103);

CREATE ROLE auditors_tap_owner;
CREATE ROLE auditors_tap_ana;
CREATE ROLE auditors_tap_full;
CREATE ROLE auditors_tap_figures;
CREATE ROLE auditors_tap_member IN ROLE auditors_tap_full;
CREATE ROLE auditors_tap_idle NOINHERIT IN ROLE auditors_tap_full;
CREATE ROLE auditors_tap_stranger;
CREATE SCHEMA auditors_tap AUTHORIZATION auditors_tap_owner;
GRANT USAGE ON SCHEMA auditors_tap TO PUBLIC;
SET search_path = auditors_tap, public;
SET ROLE auditors_tap_owner;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO t SELECT i, i FROM generate_series(0, 9) i;
CREATE TABLE other (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE plain (id int PRIMARY KEY);
DO $$ BEGIN
    PERFORM dpsens.protect(r, unit => 'id'), dpsens.set_range(r, 'x', 0, 9) FROM unnest('{t,other}'::regclass[]) r;
    PERFORM dpsens.register('f', 't', 'x ^ 2');
    PERFORM dpsens.set_budget('t', epsilon => 50, row_epsilon => 40), dpsens.set_budget('other', epsilon => 5);
    PERFORM dpsens.grant_budget('t', 'auditors_tap_ana', epsilon => 10), dpsens.grant_budget('other', 'auditors_tap_ana', epsilon => 1);
END $$;
SET ROLE auditors_tap_ana;
SELECT dp_sum(x * 0.5, 1) FROM t \g /dev/null
SELECT dp_sum(x * 0.25, 0.5) FROM other \g /dev/null

-- ---- grants ----

SET ROLE auditors_tap_owner;
SELECT lives_ok($$SELECT dpsens.grant_audit('t', 'auditors_tap_full'), dpsens.grant_audit('t', 'auditors_tap_figures', rows => false)$$, 'the owner makes auditors');
SELECT results_eq('SELECT relation, role, rows, granted_by FROM dpsens.auditors ORDER BY role',
    $$VALUES ('t'::regclass, 'auditors_tap_figures'::name, false, 'auditors_tap_owner'::name), ('t', 'auditors_tap_full', true, 'auditors_tap_owner')$$, 'and sees them');
SELECT throws_ok($$SELECT dpsens.grant_audit('plain', 'auditors_tap_full')$$, '55000', NULL, 'a relation that is not protected');
SELECT throws_ok($$SELECT dpsens.grant_audit('t', NULL)$$, '22004', NULL, 'no role');
SELECT throws_ok($$SELECT dpsens.grant_audit(NULL, 'auditors_tap_full')$$, '22004', NULL, 'no relation');
SELECT throws_ok($$SELECT dpsens.grant_audit('t', 'auditors_tap_full', NULL)$$, '22004', NULL, 'NULL');
SELECT throws_ok($$SELECT dpsens.grant_audit('t', 4294967294::oid::regrole)$$, '42704', 'role with OID 4294967294 does not exist', 'no such role');
SELECT throws_ok($$SELECT dpsens.revoke_audit('t', 'auditors_tap_ana')$$, '42704', 'role "auditors_tap_ana" is no auditor of relation "t"', 'one who is none');
BEGIN READ ONLY;
SELECT throws_ok($$SELECT dpsens.grant_audit('t', 'auditors_tap_full')$$, '25006', NULL, 'in a read-only transaction');
ROLLBACK;

-- ---- what each of them sees ----

CREATE FUNCTION seen(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM (' || statement || ') q' INTO n;
    RETURN n;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN SQLERRM;
END $$;
CREATE FUNCTION look() RETURNS TABLE (what text, seen text) LANGUAGE sql AS $$
    SELECT v.what, auditors_tap.seen(v.statement) FROM (VALUES
        ('auditors', 'SELECT FROM dpsens.auditors WHERE relation = ''auditors_tap.t''::regclass'),
        ('budgets', 'SELECT FROM dpsens.budgets WHERE relation = ''auditors_tap.t''::regclass'),
        ('limits', 'SELECT FROM dpsens.policies WHERE relation = ''auditors_tap.t''::regclass'),
        ('releases', 'SELECT FROM dpsens.releases WHERE relation = ''auditors_tap.t'''),
        ('row budgets', 'SELECT FROM dpsens.row_budgets WHERE relation = ''auditors_tap.t''::regclass'),
        ('ledger', 'SELECT FROM dpsens.verify_ledger() WHERE relation = ''auditors_tap.t'' AND valid'),
        ('spent', 'SELECT FROM dpsens.privacy_spent(''auditors_tap.t'') WHERE accountant = ''basic'' AND epsilon = 1'),
        ('odometer', 'SELECT FROM dpsens.odometer(''auditors_tap.t'') WHERE epsilon = 1'),
        ('row loss', 'SELECT FROM dpsens.row_loss(''auditors_tap.t'') WHERE epsilon <= 1.001'),
        ('row plis', 'SELECT FROM dpsens.row_plis(''auditors_tap.t'')'),
        ('row training', 'SELECT FROM dpsens.row_training_loss(''auditors_tap.t'')'),
        ('summary', 'SELECT FROM dpsens.sensitivity_summary(''auditors_tap.f(auditors_tap.t)'') WHERE quantity = ''value'''),
        ('report', 'SELECT FROM (SELECT dpsens.report(''auditors_tap.t'')) r (page) WHERE page LIKE ''%dp_sum(0.5 * x%'' OR page LIKE ''%auditors_tap_ana%''')) v (what, statement)
$$;
CREATE FUNCTION of_other() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', (SELECT count(*) FROM dpsens.budgets WHERE relation = 'auditors_tap.other'::regclass), (SELECT count(*) FROM dpsens.releases WHERE relation = 'auditors_tap.other'),
        (SELECT count(*) FROM dpsens.verify_ledger() WHERE relation = 'auditors_tap.other'), auditors_tap.seen('SELECT FROM dpsens.odometer(''auditors_tap.other'')'))
$$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA auditors_tap TO PUBLIC;
RESET ROLE;
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA pg_temp TO PUBLIC;
\set no '''must be owner or auditor of table t'''

SET ROLE auditors_tap_owner;
SELECT is(l.seen, w.seen, 'the owner: ' || w.what) FROM (VALUES ('auditors', '2'), ('budgets', '2'), ('limits', '1'), ('releases', '1'), ('row budgets', '1'), ('ledger', '2'), ('spent', '1'),
    ('odometer', '1'), ('row loss', '10'), ('row plis', '10'), ('row training', '0'), ('summary', '1'), ('report', '1')) w (what, seen) JOIN look() l USING (what);
SET ROLE auditors_tap_full;
SELECT is(l.seen, w.seen, 'an auditor: ' || w.what) FROM (VALUES ('auditors', '1'), ('budgets', '2'), ('limits', '1'), ('releases', '1'), ('row budgets', '1'), ('ledger', '2'), ('spent', '1'),
    ('odometer', '1'), ('row loss', '10'), ('row plis', '10'), ('row training', '0'), ('summary', '1'), ('report', '1')) w (what, seen) JOIN look() l USING (what);
SELECT is(of_other(), '0 0 0 must be owner or auditor of table other', 'of that relation alone');
SELECT is(current_user, 'auditors_tap_full', 'who is still the same role');
SET ROLE auditors_tap_figures;
SELECT is(l.seen, w.seen, 'an auditor of figures: ' || w.what) FROM (VALUES ('auditors', '1'), ('budgets', '2'), ('limits', '1'), ('releases', '1'), ('row budgets', '1'), ('ledger', '2'), ('spent', '1'),
    ('odometer', '1'), ('row loss', :no), ('row plis', :no), ('row training', :no), ('summary', :no), ('report', :no)) w (what, seen) JOIN look() l USING (what);
SET ROLE auditors_tap_member;
SELECT is(l.seen, '10', 'a member of an auditor: ' || l.what) FROM look() l WHERE l.what = 'row loss';
SET ROLE auditors_tap_idle;
SELECT is(string_agg(l.seen, ', '), '0, ' || :no, 'a member that does not inherit') FROM look() l WHERE l.what IN ('budgets', 'row loss');
SET ROLE auditors_tap_stranger;
SELECT is(l.seen, w.seen, 'a stranger: ' || w.what) FROM (VALUES ('auditors', '0'), ('budgets', '0'), ('limits', '0'), ('releases', '0'), ('row budgets', '0'), ('ledger', '0'), ('spent', :no),
    ('odometer', :no), ('row loss', :no), ('row plis', :no), ('row training', :no), ('summary', :no), ('report', :no)) w (what, seen) JOIN look() l USING (what);

-- ---- they read no row, and change nothing ----

SET ROLE auditors_tap_full;
SELECT throws_ok(statement, '42501', NULL, statement) FROM (VALUES ('SELECT * FROM auditors_tap.t'), ('TABLE dpsens.auditor'), ('TABLE dpsens.budget'), ('TABLE dpsens.policy'), ('TABLE dpsens.frozen_loss'),
    ($$INSERT INTO dpsens.auditor SELECT 't'::regclass, current_user::regrole, true, ''$$),
    ($$SELECT dpsens.grant_audit('auditors_tap.t', 'auditors_tap_stranger')$$), ($$SELECT dpsens.revoke_audit('auditors_tap.t', 'auditors_tap_figures')$$),
    ($$SELECT dpsens.set_policy('auditors_tap.t', epsilon => 1000)$$), ($$SELECT dpsens.set_budget('auditors_tap.t', epsilon => 1000)$$), ($$SELECT dpsens.set_plis_cap('auditors_tap.t', 1)$$), ($$SELECT dpsens.grant_budget('auditors_tap.t', 'auditors_tap_full', epsilon => 1)$$),
    ($$SELECT dpsens.local_sensitivity('auditors_tap.f(auditors_tap.t)', 'sum', 1)$$), ($$SELECT dpsens.create_audit_view('auditors_tap.f(auditors_tap.t)')$$),
    ($$SELECT * FROM dpsens.row_sensitivity('auditors_tap.f(auditors_tap.t)')$$), ($$SELECT dp_count(true, 1) FROM auditors_tap.t$$)) v (statement);
-- What the caller has made does not run as the owner: every name that a query could look up is taken.
RESET ROLE;
CREATE SCHEMA auditors_tap_evil AUTHORIZATION auditors_tap_full;
SET ROLE auditors_tap_full;
DO $$
DECLARE
    o text; f text; t text;
BEGIN
    FOREACH t IN ARRAY '{oid,int2,int4,int8,float8,numeric,text,name,bool,regclass,timestamptz}'::text[] LOOP
        EXECUTE format('CREATE FUNCTION auditors_tap_evil.holds(%s, %1$s) RETURNS boolean LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''seized as %%'', current_user; END $f$', t);
        EXECUTE format('CREATE FUNCTION auditors_tap_evil.seize(%s, %1$s) RETURNS %1$s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''seized as %%'', current_user; END $f$', t);
        FOREACH o IN ARRAY '{=,<>,<,>,<=,>=,~,~~}'::text[] LOOP
            EXECUTE format('CREATE OPERATOR auditors_tap_evil.%s (LEFTARG = %s, RIGHTARG = %2$s, FUNCTION = auditors_tap_evil.holds)', o, t);
        END LOOP;
        FOREACH o IN ARRAY '{+,-,*,/,^,||}'::text[] LOOP
            EXECUTE format('CREATE OPERATOR auditors_tap_evil.%s (LEFTARG = %s, RIGHTARG = %2$s, FUNCTION = auditors_tap_evil.seize)', o, t);
        END LOOP;
        FOREACH f IN ARRAY '{count,sum,min,max,avg,round,format,length,left,quote_ident,abs,sqrt,lower,concat,random,timestamp}'::text[] LOOP
            EXECUTE format('CREATE FUNCTION auditors_tap_evil.%I(%s) RETURNS %2$s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''seized as %%'', current_user; END $f$', f, t);
        END LOOP;
    END LOOP;
END $$;
SET search_path = auditors_tap_evil, pg_catalog, auditors_tap, public;
\set ON_ERROR_STOP 0
SELECT count(id) FROM (VALUES (1)) v (id);
\set seized :LAST_ERROR_MESSAGE
\set ON_ERROR_STOP 1
CREATE TABLE auditors_tap_evil.row_loss AS SELECT * FROM dpsens.row_loss('auditors_tap.t');
CREATE TABLE auditors_tap_evil.row_plis AS SELECT * FROM dpsens.row_plis('auditors_tap.t');
CREATE TABLE auditors_tap_evil.row_training_loss AS SELECT * FROM dpsens.row_training_loss('auditors_tap.t');
CREATE TABLE auditors_tap_evil.summary AS SELECT * FROM dpsens.sensitivity_summary('auditors_tap.f(auditors_tap.t)');
CREATE TABLE auditors_tap_evil.page AS SELECT dpsens.report('auditors_tap.t') AS page;
CREATE TABLE auditors_tap_evil.figures AS SELECT 1 AS seen FROM dpsens.budgets, dpsens.releases, dpsens.verify_ledger(), dpsens.privacy_spent('auditors_tap.t') s (accountant, spent, note, at_delta), dpsens.odometer('auditors_tap.t') o (odometer, of_delta);
SET search_path = auditors_tap, public;
SELECT is(:'seized'::text, 'seized as auditors_tap_full', 'names are taken');
SELECT results_eq('TABLE auditors_tap_evil.row_loss', 'SELECT * FROM dpsens.row_loss(''auditors_tap.t'')', 'row_loss calls nothing of the caller''s');
SELECT results_eq('TABLE auditors_tap_evil.row_plis', 'SELECT * FROM dpsens.row_plis(''auditors_tap.t'')', 'nor does row_plis');
SELECT results_eq('TABLE auditors_tap_evil.summary', 'SELECT * FROM dpsens.sensitivity_summary(''auditors_tap.f(auditors_tap.t)'')', 'nor a summary');
SELECT is((SELECT length(page) > 1000 FROM auditors_tap_evil.page), true, 'nor a report');
SELECT is((SELECT count(*) > 0 FROM auditors_tap_evil.figures), true, 'nor figures');
SELECT is(current_setting('search_path'), 'auditors_tap, public', 'and the search path is the caller''s again');
-- A function of the owner's, in an index or a policy, would take a temporary relation for its own.
CREATE TEMP TABLE rates (id int);
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''auditors_tap.t'')', '55000', 'an audit is refused while the session has temporary relations or types', 'beside a temporary table');
DROP TABLE pg_temp.rates;
CREATE DOMAIN pg_temp.rate AS int CHECK (VALUE > 0);
SELECT throws_ok('SELECT dpsens.report(''auditors_tap.t'')', '55000', 'an audit is refused while the session has temporary relations or types', 'or a temporary domain');
DROP DOMAIN pg_temp.rate;
SELECT is(seen('SELECT FROM dpsens.row_loss(''auditors_tap.t'')'), '10', 'it goes on without them');
-- Expressions are the owner's: one of the auditor's could tell a single cell.
CREATE FUNCTION auditors_tap_evil.cell(r auditors_tap.t) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN (r).x * exp(-1000 * ((r).x - 7) ^ 2);
SELECT throws_ok($$SECURITY LABEL FOR dpsens ON FUNCTION auditors_tap_evil.cell(auditors_tap.t) IS 'EXPRESSION'$$, '42501', 'must be owner of table t', 'others label no expressions of a table');
RESET ROLE;
SECURITY LABEL FOR dpsens ON FUNCTION auditors_tap_evil.cell(auditors_tap.t) IS 'EXPRESSION';
SET ROLE auditors_tap_full;
SELECT throws_ok($$SELECT * FROM dpsens.sensitivity_summary('auditors_tap_evil.cell(auditors_tap.t)')$$, '42501', 'must be owner of table t', 'nor are such summed up for auditors');
SELECT is((SELECT dpsens.report('auditors_tap.t') LIKE '%>cell%'), false, 'or reported');
RESET ROLE;
DROP FUNCTION auditors_tap_evil.cell(auditors_tap.t);
SET ROLE auditors_tap_full;
RESET ROLE;

-- ---- what becomes of grants ----

SET ROLE auditors_tap_owner;
ALTER TABLE t RENAME TO renamed;
SET ROLE auditors_tap_full;
SELECT is(seen('SELECT FROM dpsens.row_loss(''auditors_tap.renamed'')'), '10', 'they follow renames');
SET ROLE auditors_tap_owner;
ALTER TABLE renamed RENAME TO t;
SELECT dpsens.grant_audit('t', 'auditors_tap_full', rows => false) \g /dev/null
SET ROLE auditors_tap_full;
SELECT is(string_agg(l.seen, ', '), '2, ' || :no, 'a later grant takes the place of the former one') FROM look() l WHERE l.what IN ('budgets', 'row loss');
SET ROLE auditors_tap_owner;
SELECT dpsens.revoke_audit('t', 'auditors_tap_full') \g /dev/null
SET ROLE auditors_tap_full;
SELECT is(string_agg(l.seen, ', '), '0, ' || :no, 'revoked') FROM look() l WHERE l.what IN ('budgets', 'row loss');
-- to those who are answered
SET ROLE auditors_tap_owner;
SET client_min_messages = warning;
CREATE FUNCTION warned() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM dpsens.grant_audit('auditors_tap.t', 'auditors_tap_ana', rows => true); RETURN 'granted'; END $$;
SELECT is(warned(), 'granted', 'an analyst may be an auditor, with a warning');
SET client_min_messages = error;
SELECT results_eq($$SELECT finding, severity, object FROM dpsens.check_security('auditors_tap_ana') WHERE finding LIKE '%lost%'$$,
    $$VALUES ('may see what rows have lost', 'warning', 'auditors_tap.t')$$, 'which check_security finds');
SELECT results_eq($$SELECT role, finding FROM dpsens.check_security() WHERE finding LIKE '%lost%'$$, $$VALUES ('auditors_tap_ana'::name, 'may see what rows have lost'::text)$$, 'of all roles with budgets, too');
SELECT dpsens.revoke_audit('t', 'auditors_tap_ana') \g /dev/null
SELECT is_empty($$SELECT finding FROM dpsens.check_security('auditors_tap_ana') WHERE finding LIKE '%lost%'$$, 'no more');
SET ROLE auditors_tap_stranger;
SELECT is_empty('SELECT * FROM dpsens.check_security()', 'and asks of no role whose budgets one does not see');
SET ROLE auditors_tap_owner;
-- a relation that is made again has no auditors
SELECT dpsens.grant_audit('other', 'auditors_tap_full') \g /dev/null
DROP TABLE other;
CREATE TABLE other (id int PRIMARY KEY, x float8 NOT NULL);
SELECT dpsens.protect('other', unit => 'id') \g /dev/null
SET ROLE auditors_tap_full;
SELECT is(of_other(), '0 0 0 must be owner or auditor of table other', 'made again');
RESET ROLE;
SELECT * FROM finish();
DROP SCHEMA auditors_tap, auditors_tap_evil CASCADE;
DROP ROLE auditors_tap_owner, auditors_tap_ana, auditors_tap_full, auditors_tap_figures, auditors_tap_member, auditors_tap_idle, auditors_tap_stranger;
