-- The log of refused statements (dpsens.refusals): what the guard and the ledger refuse to a role with a budget is there,
-- whatever the client does; what fails otherwise is not; and who sees it.  crash/journal asks for the limit.  No noise decides anything here.
-- Files: ledger/charge/refusals.c, guard/run/refused.c, guard/restrict/internals.c, guard/restrict/hidden.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(38);

CREATE ROLE refusals_tap_owner;
CREATE ROLE refusals_tap_ana;
CREATE ROLE refusals_tap_member IN ROLE refusals_tap_ana;
CREATE ROLE refusals_tap_auditor;
CREATE ROLE refusals_tap_stranger;
CREATE ROLE refusals_tap_writer IN ROLE pg_write_all_data;
CREATE SCHEMA refusals_tap AUTHORIZATION refusals_tap_owner;
GRANT USAGE ON SCHEMA refusals_tap TO PUBLIC;
SET search_path = refusals_tap, public;
CREATE TABLE mark AS SELECT max(refusal) AS refusal FROM dpsens.refusals;
GRANT ALL ON mark TO PUBLIC;

-- What was refused since this was asked last.
CREATE FUNCTION news() RETURNS TABLE (said text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT concat_ws(' ', replace(r.role, 'refusals_tap_', ''), r.sqlstate, array_to_string(r.relations, ','), '|', r.message) FROM dpsens.refusals r
        WHERE r.refusal > COALESCE((SELECT max(m.refusal) FROM mark m), 0) ORDER BY r.refusal;
    INSERT INTO mark SELECT max(r.refusal) FROM dpsens.refusals r;
END $$;

SET ROLE refusals_tap_owner;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, g text);
INSERT INTO t SELECT i, i, 'a' FROM generate_series(0, 9) i;
CREATE TABLE bare (id int PRIMARY KEY, x float8 NOT NULL);
DO $$ BEGIN
    PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 9), dpsens.protect('bare', unit => 'id'), dpsens.set_range('bare', 'x', 0, 9);
    PERFORM dpsens.grant_budget('t', 'refusals_tap_ana', epsilon => 1), dpsens.set_policy('t', 'refusals_tap_ana', epsilon => 0.5);
    PERFORM dpsens.grant_audit('t', 'refusals_tap_auditor', rows => false);
END $$;

CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
GRANT EXECUTE ON FUNCTION refused(text) TO PUBLIC;

-- ---- by the guard ----

SET ROLE refusals_tap_ana;
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT x FROM t'), '42501', 'no permission is the server''s');
RESET ROLE;
SELECT is_empty('SELECT news()', 'and none of dpsens'' refusals');
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT dp_sum(x + id, 0.1) FROM t'), '55000', 'a column without a range');
RESET ROLE;
SELECT results_eq('SELECT regexp_replace(news(), ''[|].*'', ''|'')', $$VALUES ('ana 55000 refusals_tap.t |')$$, 'is logged, although the client caught the error');
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT dp_sum(x, 0.1) FROM bare'), '42501', 'a relation without a budget');
RESET ROLE;
SELECT results_eq('SELECT news()', $$VALUES ('ana 42501 refusals_tap.bare | permission denied for table bare')$$, 'is logged');
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT dp_sum(x, 0.1) OVER () FROM t'), '0A000', 'a shape that is not answered');
RESET ROLE;
SELECT results_eq('SELECT left(news(), 26)', $$VALUES ('ana 0A000 refusals_tap.t |')$$, 'is logged');
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT dpsens_internal.exact_epsilon(1, 2)'), '42501', 'an internal function');
RESET ROLE;
SELECT results_eq('SELECT news()', $$VALUES ('ana 42501  | function dpsens_internal.exact_epsilon cannot be called directly')$$, 'is logged');
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT dp_sum(x) FROM t'), '55000', 'no epsilon');
RESET ROLE;
SELECT results_eq('SELECT news()', $$VALUES ('ana 55000 refusals_tap.t | no epsilon is given')$$, 'is found when it runs, and logged');
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT dp_sum(x, 0.1) FROM t WHERE nothing = 1'), '42703', 'a name that there is not');
SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT 1 / 0, dp_sum(x, 0.1) FROM t'), '22012', 'a constant that fails');
RESET ROLE;
SELECT is_empty('SELECT news()', 'are errors of the server''s, and no refusals');

-- ---- by the ledger ----

SET ROLE refusals_tap_ana;
SELECT is(refused('SELECT dp_sum(x * 0.25, 0.75) FROM t'), '53400', 'more than the policy');
RESET ROLE;
SELECT results_eq('SELECT left(news(), 46)', $$VALUES ('ana 53400 refusals_tap.t | epsilon 0.75 is mor')$$, 'is logged by the ledger');
RESET ROLE;
SELECT is((SELECT query FROM dpsens.refusals ORDER BY refusal DESC LIMIT 1), 'SELECT dp_sum(x * 0.25, 0.75) FROM t', 'with what was asked');
SET ROLE refusals_tap_ana;
SELECT dp_sum(x, 0.5), dp_count(true, 0.5) FROM t \g /dev/null
SET ROLE refusals_tap_member;
BEGIN;
SET TRANSACTION READ ONLY;
SET LOCAL dpsens.ledger_timeout = 1;
SAVEPOINT s;
\set ON_ERROR_STOP 0
SELECT dp_sum(x * 0.25, 0.5) OVER () FROM t;
ROLLBACK TO s;
RESET dpsens.ledger_timeout;
SELECT dp_sum(x, 0.5) FROM t;
ROLLBACK;
\set ON_ERROR_STOP 1
RESET ROLE;
SELECT results_eq('SELECT left(news(), 46)', $$VALUES ('member 0A000 refusals_tap.t | dp aggregates ca'), ('member 53400 refusals_tap.t | the privacy budg')$$,
    'a member, in a transaction that is read-only and rolled back, with no time to wait');
SET ROLE refusals_tap_ana;
PREPARE p AS SELECT dp_sum(x, $1) FROM t;
\set ON_ERROR_STOP 0
EXECUTE p(0.25);
\set ON_ERROR_STOP 1
RESET ROLE;
SELECT isnt_empty('SELECT news()', 'prepared');

-- ---- others ----

SET ROLE refusals_tap_stranger;
SELECT is(refused('SELECT dp_sum(x, 0.1) FROM t'), '42501', 'who never had a budget');
SET ROLE refusals_tap_owner;
SELECT is(refused('SELECT dp_sum(x + id, 0.1) FROM t'), '55000', 'and the owner, before the ledger is asked');
RESET ROLE;
SELECT is_empty('SELECT news()', 'are not logged');

-- What shows how much there is in tables, which is refused without a relation.
SET ROLE refusals_tap_ana;
CREATE FUNCTION pg_temp.pages(regclass) RETURNS bigint LANGUAGE sql AS 'SELECT pg_relation_size($1)';
SELECT is(refused('SELECT pg_temp.pages(''t'')'), '42501', 'a counter');
SELECT is(refused('SELECT relpages + random() FROM pg_class c WHERE (c.*)::text <> '''''), '42501', 'a size in a catalog');
RESET ROLE;
SELECT results_eq('SELECT replace(news(), ''refusals_tap_'', '''')', $$VALUES ('ana 42501  | permission denied for function pg_relation_size(regclass,text)'), ('ana 42501  | permission denied for columns of table pg_class that show the size of tables')$$, 'are logged, too');

-- Many tables of the asker's and of a friend's, protected ones too, named before it.
CREATE ROLE refusals_tap_friend;
GRANT refusals_tap_friend TO refusals_tap_ana;
ALTER ROLE refusals_tap_ana NOINHERIT;
CREATE SCHEMA refusals_tap_friends AUTHORIZATION refusals_tap_friend;
SET ROLE refusals_tap_friend;
DO $$ BEGIN
    FOR i IN 1 .. 45 LOOP
        EXECUTE format('CREATE TABLE refusals_tap_friends.own%s (x float8 NOT NULL)', i);
        PERFORM dpsens.protect(format('refusals_tap_friends.own%s', i)::regclass);
    END LOOP;
END $$;
GRANT USAGE ON SCHEMA refusals_tap_friends TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA refusals_tap_friends TO PUBLIC;
SET ROLE refusals_tap_ana;
SELECT isnt(refused('WITH o AS (SELECT 1 FROM ' || (SELECT string_agg('refusals_tap_friends.own' || i, ', ') FROM generate_series(1, 45) i) || ') SELECT dp_sum(x + id, 0.1) FROM t'), 'answered', 'what names 45 tables of a friend before it is refused');
RESET ROLE;
SELECT matches((SELECT string_agg(news, '') FROM news() news), 'refusals_tap[.]t[,| ]', 'and is in the log of its owner');
SET client_min_messages = error;
DROP SCHEMA refusals_tap_friends CASCADE;
DROP ROLE refusals_tap_friend;
ALTER ROLE refusals_tap_ana INHERIT;
SET ROLE refusals_tap_ana;
DO $$ BEGIN
    FOR i IN 1 .. 45 LOOP
        EXECUTE format('CREATE TEMP TABLE own%s (x float8 NOT NULL)', i);
        PERFORM dpsens.protect(format('pg_temp.own%s', i)::regclass);
    END LOOP;
END $$;
SELECT isnt(refused('WITH o AS (SELECT 1 FROM ' || (SELECT string_agg('own' || i, ', ') FROM generate_series(1, 45) i) || ') SELECT dp_sum(x + id, 0.1) FROM t'), 'answered', 'what names 45 tables of the asker''s before it is refused');
RESET ROLE;
SELECT matches((SELECT string_agg(news, '') FROM news() news), ' refusals_tap[.]t [|]', 'and is in the log of its owner');

-- ---- who sees it ----

CREATE FUNCTION counted(relation text) RETURNS bigint LANGUAGE sql AS $$SELECT count(*) FROM dpsens.refusals WHERE relations = ARRAY[relation]$$;
SET ROLE refusals_tap_owner;
SELECT is(counted('refusals_tap.bare'), 1::bigint, 'the owner sees refusals about all that is the owner''s');
SELECT is((SELECT count(*) FROM dpsens.refusals WHERE relations = '{}'), 0::bigint, 'and none about nothing');
SET ROLE refusals_tap_auditor;
SELECT cmp_ok(counted('refusals_tap.t'), '>', 4::bigint, 'an auditor those about the relation');
SELECT is(counted('refusals_tap.bare'), 0::bigint, 'and no others');
SET ROLE refusals_tap_ana;
SELECT is((SELECT count(*) FROM dpsens.refusals), 0::bigint, 'who was refused sees nothing');
SELECT throws_ok('TABLE dpsens.refusal', '42501', NULL, 'the table is nobody''s');
SET ROLE refusals_tap_writer;
SELECT throws_ok(format('DELETE FROM dpsens.%s', t), '42501', NULL, t || ' is written by the worker alone') FROM unnest('{refusal,refusals_beyond}'::text[]) t;

RESET ROLE;
SELECT * FROM finish();
DROP SCHEMA refusals_tap CASCADE;
DROP OWNED BY refusals_tap_owner, refusals_tap_ana, refusals_tap_member, refusals_tap_auditor, refusals_tap_stranger, refusals_tap_writer;
DROP ROLE refusals_tap_owner, refusals_tap_ana, refusals_tap_member, refusals_tap_auditor, refusals_tap_stranger, refusals_tap_writer;
