-- What was asked, day by day (dpsens.stat), how long budgets last (dpsens.forecast), and what is left of them in
-- percent: to the owner, an auditor, an analyst, a member of a group, a stranger and a superuser.  No noise decides
-- anything here, and no clock: what happened on earlier days is put into the ledger.
-- Files: ledger/budget/sql_ledger_views.c, guard/sql_statement_cost.c, ledger/cost.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
-- where other tests have left many releases, views of budgets would be compiled for seconds each
SET jit = off;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(62);

CREATE ROLE stat_tap_owner;
CREATE ROLE stat_tap_ana;
CREATE ROLE stat_tap_group;
CREATE ROLE stat_tap_member IN ROLE stat_tap_group;
CREATE ROLE stat_tap_auditor;
CREATE ROLE stat_tap_stranger;
CREATE SCHEMA stat_tap AUTHORIZATION stat_tap_owner;
GRANT USAGE ON SCHEMA stat_tap TO PUBLIC;
SET search_path = stat_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO t SELECT i, i % 10 FROM generate_series(1, 100) i;
CREATE TABLE other (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO other SELECT * FROM t;
CREATE TABLE counted (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE gone (id int PRIMARY KEY);
ALTER TABLE t OWNER TO stat_tap_owner;
ALTER TABLE counted OWNER TO stat_tap_owner;
DO $$ BEGIN
    PERFORM dpsens.protect(r, unit => 'id') FROM unnest('{t, other, counted, gone}'::regclass[]) r;
    PERFORM dpsens.set_range(r, 'x', 0, 9) FROM unnest('{t, other, counted}'::regclass[]) r;
    PERFORM dpsens.grant_budget('t', 'stat_tap_ana', epsilon => 8);
    PERFORM dpsens.grant_budget('t', 'stat_tap_group', epsilon => 2, delta => 1e-6, refresh => '30 days');
    PERFORM dpsens.set_budget('t', epsilon => 10, delta => 1e-5);
    PERFORM dpsens.grant_budget('other', 'stat_tap_ana', epsilon => 4);
    PERFORM dpsens.grant_budget('counted', 'stat_tap_ana', epsilon => 3, delta => 1e-6);
    PERFORM dpsens.grant_audit('t', 'stat_tap_auditor', false);
END $$;

-- ---- what is left ----

CREATE FUNCTION left_of(budget text DEFAULT NULL) RETURNS float8 LANGUAGE sql AS
$$SELECT left_percent FROM dpsens.budgets WHERE relation = 'stat_tap.t'::regclass AND role IS NOT DISTINCT FROM budget AND column_name IS NULL AND NOT entity$$;
SELECT results_eq('SELECT DISTINCT left_percent FROM dpsens.budgets WHERE relation IN (''t''::regclass, ''other''::regclass)', 'VALUES (100::float8)', 'before anything was asked all is left');
SET ROLE stat_tap_ana;
DO $$ BEGIN
    PERFORM dp_sum(x, 1), dp_count(true, 0.5) FROM stat_tap.t;
    PERFORM dp_sum(x, 1) FROM stat_tap.t;
    PERFORM dp_count(true, 0.5) FROM stat_tap.other;
END $$;
SELECT results_eq('SELECT relation::text, left_percent FROM dpsens.my_budget WHERE relation IN (''stat_tap.t''::regclass, ''stat_tap.other''::regclass) ORDER BY relation::text', $$VALUES ('other', 87.5::float8), ('t', 68.75)$$, 'of a pure budget what is left of epsilon');
SET ROLE stat_tap_owner;
SELECT is(left_of('stat_tap_ana'), 68.75::float8, 'the owner sees the same');
SELECT is(left_of(), 75::float8, 'of the cap of the relation, 2.5 of 10, of which rho is spent more of');
RESET ROLE;
SET ROLE stat_tap_member;
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-7;
DO $$ BEGIN PERFORM dp_sum(x, 0.5) FROM stat_tap.t; END $$;
RESET dpsens.mechanism;
RESET dpsens.delta;
SELECT ok((SELECT left_percent < 100 AND left_percent = floor(left_percent * 100) / 100 AND abs(left_percent - 100 * left_rho / (left_rho + spent_rho)) < 0.011
    FROM dpsens.my_budget WHERE relation = 'stat_tap.t'::regclass), 'of Gaussian noise what is left of rho, rounded down to hundredths');
RESET ROLE;
SELECT is(left_of(), (SELECT floor(10000 * left_rho / (left_rho + spent_rho)) / 100 FROM dpsens.budgets WHERE relation = 't'::regclass AND role IS NULL), 'which ends what was left of epsilon');
SELECT results_eq($$SELECT left_percent FROM (VALUES (1, '{100,300,0}', '{0,0,0}'), (2, '{100,0,0}', '{1,77,0}'), (3, '{0,300,0}', '{9223372036854775807,1,0}'), (4, '{100,300,10}', '{10,200,5}'),
        (5, '{100,300,10}', '{10,200,0}'), (6, '{100,300,10}', '{100,300,0}'), (7, '{100,300,10}', '{1,1,10}'), (8, '{0,0,0}', '{0,0,0}'), (9, '{9223372036854775806,0,0}', '{1,0,0}')) v (n, caps, spent),
        dpsens_internal.left_percent(caps::bigint[], spent::bigint[]) left_percent ORDER BY n$$,
    'VALUES (100::float8), (99), (99.66), (33.33), (90), (0), (0), (0), (99.99)', 'the larger of both ways, in the second the less, rounded down');
SELECT throws_ok('SELECT dpsens_internal.left_percent(''{1,2}'', ''{0,0,0}'')', '2202E', NULL, 'amounts are three');
SELECT throws_ok('SELECT dpsens_internal.times_left(''{1,2,3}'', ''{0,0,0}'', ''{1}'')', '2202E', NULL, 'in each place');

-- ---- how many answers ----

-- Asks until it is refused, at most so many times.
CREATE FUNCTION answers(query text, most int DEFAULT 60) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint := 0;
BEGIN
    WHILE n < most LOOP
        EXECUTE query;
        n := n + 1;
    END LOOP;
    RETURN n;
EXCEPTION WHEN configuration_limit_exceeded THEN
    RETURN n;
END $$;
SET ROLE stat_tap_ana;
SET dpsens.epsilon = 0.1;
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'counted'::regclass), 39::bigint, 'so many sums or counts, whichever they are');
SELECT is(dpsens.answers_left('SELECT dp_count(*) FROM counted'), 39::bigint, 'as of a count');
SELECT is(dpsens.answers_left('SELECT dp_sum(x) FROM counted'), 40::bigint, 'of a sum one more');
SELECT is(answers('SELECT dp_count(*) FROM counted'), 39::bigint, 'and so many are answered');
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'counted'::regclass), 0::bigint, 'then none');

-- limits of answers
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 't'::regclass), 55::bigint, 'where no policy refuses them the budget decides');
RESET ROLE;
CREATE FUNCTION of_t(OUT by_view bigint, OUT by_query bigint) LANGUAGE sql AS
$$SELECT (SELECT answers_left FROM dpsens.my_budget WHERE relation = 'stat_tap.t'::regclass), dpsens.answers_left('SELECT dp_sum(x) FROM stat_tap.t')$$;
DO $$ BEGIN PERFORM dpsens.set_policy('t', 'stat_tap_ana', epsilon => 0.05); END $$;
SET ROLE stat_tap_ana;
SELECT is(of_t()::text, '(0,0)', 'a policy of the budget refuses the present epsilon');
SET dpsens.epsilon = 0.05;
SELECT ok((SELECT by_view > 0 AND by_query > 0 FROM of_t()), 'and not a smaller one');
SET dpsens.epsilon = 0.1;
SELECT is(dpsens.answers_left('SELECT dp_sum(x, 0.05) FROM stat_tap.t') > 0, true, 'nor a query that asks for less');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.set_policy('t', 'stat_tap_ana', epsilon => 'Infinity'), dpsens.set_policy('t', mechanisms => '{gaussian}'); END $$;
SET ROLE stat_tap_ana;
SELECT is(of_t()::text, '(0,0)', 'one of the relation refuses a mechanism');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.set_policy('t', 'stat_tap_ana', overrides => true); END $$;
SET ROLE stat_tap_ana;
SELECT ok((SELECT by_view > 0 AND by_query > 0 FROM of_t()), 'unless the budget overrides it');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.set_policy('t', 'stat_tap_ana', overrides => false), dpsens.set_policy('t', mechanisms => '{}'), dpsens.set_entity_policy('t', epsilon => 0.01); END $$;
SET ROLE stat_tap_ana;
SELECT is(of_t()::text, '(0,0)', 'and one of an entity is never overridden');
SET ROLE stat_tap_stranger;
SELECT is(dpsens_internal.answer_refused('t'::regclass), false, 'who is shown no policy is told nothing of it');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.set_entity_policy('t', epsilon => 'Infinity'); END $$;
RESET dpsens.epsilon;
SET ROLE stat_tap_ana;
SELECT is(of_t.by_view, NULL, 'no epsilon, no number') FROM (SELECT answers_left AS by_view FROM dpsens.my_budget WHERE relation = 't'::regclass) of_t;

-- ---- day by day ----

RESET ROLE;
CREATE FUNCTION tried(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN others THEN
    RETURN SQLSTATE;
END $$;
SET ROLE stat_tap_ana;
SELECT is(tried('SELECT dp_sum(x, 20) FROM stat_tap.t'), '53400', 'what is beyond a budget is refused');
SELECT is(tried('SELECT dp_count(true, 20) FROM stat_tap.t JOIN stat_tap.other USING (id)') IS NULL, false, 'also of two relations');
RESET ROLE;
CREATE FUNCTION told(OUT relation text, OUT role text, OUT statements bigint, OUT answers bigint, OUT refusals bigint, OUT epsilon float8) RETURNS SETOF record LANGUAGE sql AS
$$SELECT relation, role, sum(statements)::bigint, sum(answers)::bigint, sum(refusals)::bigint, sum(epsilon) FROM dpsens.stat WHERE relation LIKE 'stat\_tap.%' AND relation <> 'stat_tap.counted' GROUP BY 1, 2 ORDER BY 1, 2$$;
SET ROLE stat_tap_owner;
SELECT results_eq('SELECT * FROM told()', $$VALUES ('stat_tap.t', 'stat_tap_ana', 2::bigint, 3::bigint, 2::bigint, 2.5::float8), ('stat_tap.t', 'stat_tap_member', 1, 1, 0, 'Infinity')$$, 'the owner sees who asked how much, and what was refused');
SELECT is((SELECT sum(refusals) FROM told()), (SELECT count(*) FROM dpsens.refusals WHERE 'stat_tap.t' = ANY (relations))::numeric, 'as many as dpsens.refusals shows');
SELECT results_eq('SELECT day, relation COLLATE "default", role, statements, answers, round(epsilon::numeric, 6), round(rho::numeric, 6), delta FROM dpsens.stat WHERE answers > 0 ORDER BY day, relation, role',
    $$SELECT (released_at AT TIME ZONE 'UTC')::date AS day, relation COLLATE "default" AS relation, role, count(DISTINCT statement), count(*), round(sum(charge_epsilon)::numeric, 6), round(sum(charge_rho)::numeric, 6), sum(charge_delta)
        FROM dpsens.releases GROUP BY day, relation, role ORDER BY day, relation, role$$, 'which add up to what dpsens.releases shows');
SET ROLE stat_tap_auditor;
SELECT results_eq('SELECT * FROM told()', $$VALUES ('stat_tap.t', 'stat_tap_ana', 2::bigint, 3::bigint, 2::bigint, 2.5::float8), ('stat_tap.t', 'stat_tap_member', 1, 1, 0, 'Infinity')$$, 'an auditor sees the same, of what it audits');
SELECT results_eq('SELECT DISTINCT relation COLLATE "default" FROM dpsens.stat', $$VALUES ('stat_tap.t')$$, 'and no row beside it');
SET ROLE stat_tap_ana;
SELECT is_empty('SELECT FROM dpsens.stat', 'an analyst sees nothing');
SET ROLE stat_tap_stranger;
SELECT is_empty('SELECT FROM dpsens.stat', 'nor does a stranger');
SELECT is_empty('SELECT FROM dpsens.forecast', 'who has no forecast either');
RESET ROLE;
SELECT set_eq('SELECT relation, role FROM told()', $$VALUES ('stat_tap.t', 'stat_tap_ana'), ('stat_tap.t', 'stat_tap_member'), ('stat_tap.other', 'stat_tap_ana')$$, 'a superuser sees all');

-- what happened on other days
BEGIN;
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
ALTER TABLE dpsens.refusal DISABLE TRIGGER keep_ledger;
ALTER TABLE dpsens.refusals_beyond DISABLE TRIGGER keep_ledger;
CREATE TEMP TABLE model ON COMMIT DROP AS SELECT r.* FROM dpsens.release r WHERE r.relation = 't'::regclass AND r.epsilon = 1 ORDER BY release LIMIT 1;
CREATE FUNCTION put_release(at timestamptz, of oid, named name, number int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m dpsens.release;
BEGIN
    SELECT * INTO m FROM pg_temp.model;
    m.release := 9000000000000000000 + number;
    m.statement := m.release;
    m.released_at := at;
    m.relation := of;
    m.relation_name := named;
    INSERT INTO dpsens.release SELECT m.*;
END $$;
SELECT put_release(at::timestamptz, 't'::regclass, 't', n) FROM (VALUES (1, '2001-02-03 23:59:59.999999 UTC'), (2, '2001-02-04 00:00:00 UTC'), (3, '2001-02-04 23:30 UTC')) v (n, at);
SELECT put_release('2001-02-03 12:00 UTC', 4294967295::oid, 'lost', 4);
INSERT INTO dpsens.refusal SELECT 9000000000000000000 + n, '2001-02-03 10:00 UTC', 'stat_tap_ana', '0A000', 'no', 'SELECT', r::oid[], names
    FROM (VALUES (1, ARRAY['t'::regclass, 'other'::regclass], '{stat_tap.t,stat_tap.other}'::text[]), (2, '{}', '{}'), (3, '{4294967295}', '{stat_tap.lost}')) v (n, r, names);
INSERT INTO dpsens.refusals_beyond VALUES ('stat_tap_ana', '2001-02-04 00:00 UTC', 7);
SET LOCAL TimeZone = 'Pacific/Auckland';
SELECT results_eq($$SELECT day, relation COLLATE "default", statements, answers, refusals, epsilon FROM dpsens.stat WHERE role = 'stat_tap_ana' AND day < '2002-01-01' ORDER BY day, relation$$,
    $$VALUES ('2001-02-03'::date, 'stat_tap.lost', 1::bigint, 1::bigint, 1::bigint, 1::float8), ('2001-02-03', 'stat_tap.other', 0, 0, 1, 0), ('2001-02-03', 'stat_tap.t', 1, 1, 1, 1),
        ('2001-02-03', NULL, 0, 0, 1, 0), ('2001-02-04', 'stat_tap.t', 2, 2, 0, 2), ('2001-02-04', NULL, 0, 0, 7, 0)$$, 'days are of UTC, and a superuser sees also what is of no relation, or of one that is gone');
SET LOCAL ROLE stat_tap_auditor;
SELECT results_eq($$SELECT day, relation COLLATE "default", statements, answers, refusals FROM dpsens.stat WHERE day < '2002-01-01' ORDER BY day, relation$$,
    $$VALUES ('2001-02-03'::date, 'stat_tap.t', 1::bigint, 1::bigint, 1::bigint), ('2001-02-04', 'stat_tap.t', 2, 2, 0)$$, 'nobody else does, and of two relations each reader sees those of his');
ROLLBACK;

-- ---- how long it lasts ----

CREATE FUNCTION lasting(budget text DEFAULT NULL) RETURNS TABLE (days int, epsilon_a_day float8, days_left numeric, ends numeric, renews interval) LANGUAGE sql AS
$$SELECT days, epsilon_a_day, round(days_left::numeric, 6), CASE WHEN until < 'infinity' THEN round(EXTRACT(epoch FROM until - now()) / 86400, 6) END, refreshes_at - now() FROM dpsens.forecast
    WHERE relation = 'stat_tap.t'::regclass AND role IS NOT DISTINCT FROM budget AND column_name IS NULL AND NOT entity$$;
SET ROLE stat_tap_owner;
SELECT results_eq('SELECT days, epsilon_a_day, days_left, ends, renews FROM lasting(''stat_tap_ana'')', 'VALUES (1, 2.5::float8, 2.2, 2.2, NULL::interval)', 'what was spent on the first day, and 5.5 are left');
SELECT results_eq('SELECT l.days, l.epsilon_a_day, left_percent = left_of() FROM lasting() l, dpsens.forecast f WHERE f.relation = ''t''::regclass AND f.role IS NULL', $$VALUES (1, 'Infinity'::float8, true)$$, 'the cap of the relation');
SELECT ok((SELECT days_left BETWEEN 0.9 AND 40 AND ends IS NULL = (days_left * 86400 >= EXTRACT(epoch FROM renews)) AND renews BETWEEN '29 days' AND '30 days' FROM lasting('stat_tap_group')), 'of a budget with periods it is said when the next one begins');
RESET ROLE;
SELECT results_eq('SELECT DISTINCT days_left, until FROM dpsens.forecast WHERE relation = ''gone''::regclass', 'SELECT NULL::float8, NULL::timestamptz WHERE false', 'a relation without budgets has none');
SET ROLE stat_tap_ana;
SELECT results_eq('SELECT relation::text, role::text COLLATE "default" FROM dpsens.forecast ORDER BY relation::text', $$VALUES ('counted', 'stat_tap_ana'), ('other', 'stat_tap_ana'), ('t', 'stat_tap_ana')$$, 'an analyst sees the forecast of the budgets of dpsens.my_budget');
SET ROLE stat_tap_member;
SELECT results_eq('SELECT relation::text, role::text COLLATE "default" FROM dpsens.forecast', $$VALUES ('t', 'stat_tap_group')$$, 'and a member that of the group');
SET ROLE stat_tap_auditor;
SELECT set_eq('SELECT relation::text, role::text COLLATE "default" FROM dpsens.forecast', $$VALUES ('t', 'stat_tap_ana'), ('t', 'stat_tap_group'), ('t', NULL)$$, 'an auditor those of the relation');
RESET ROLE;
BEGIN;
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
UPDATE dpsens.release SET released_at = now() - interval '10 days' - interval '1 hour' WHERE relation = 't'::regclass AND role_name = 'stat_tap_ana';
SELECT results_eq('SELECT days, epsilon_a_day, days_left FROM lasting(''stat_tap_ana'')', 'VALUES (10, 0.25::float8, 22.0)', 'over ten days it is a tenth');
UPDATE dpsens.release SET released_at = now() - interval '100 days' WHERE release = (SELECT min(release) FROM dpsens.release WHERE relation = 't'::regclass);
SELECT results_eq('SELECT days, round(epsilon_a_day::numeric, 6), days_left FROM lasting(''stat_tap_ana'')', 'VALUES (28, 0.053571, 102.666667)', 'what is older counts no more but for the number of days');
UPDATE dpsens.release SET released_at = now() - interval '28 days' - interval '1 second' WHERE relation = 't'::regclass AND role_name = 'stat_tap_ana';
SELECT results_eq('SELECT days, epsilon_a_day, days_left, ends FROM lasting(''stat_tap_ana'')', 'VALUES (28, 0::float8, NULL::numeric, NULL::numeric)', 'where nothing was spent there is no end to be said');
UPDATE dpsens.release SET released_at = now() - interval '28 days' + interval '1 second', charge_epsilon = 1 WHERE relation = 't'::regclass AND role_name = 'stat_tap_ana';
SELECT is((SELECT until FROM dpsens.forecast WHERE relation = 't'::regclass AND role = 'stat_tap_ana'), 'infinity', 'beyond a century it is infinity, and no error');
ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger;
UPDATE dpsens.purse SET spent_epsilon = 9223372036854775807, spent_rho = 9223372036854775807 WHERE relation = 't'::regclass AND role_name = 'stat_tap_ana';
SELECT results_eq('SELECT days_left, ends FROM lasting(''stat_tap_ana'')', 'VALUES (0.0, 0.0)', 'a budget that is spent has no day left');
UPDATE dpsens.purse SET period_start = now() - interval '31 days' WHERE relation = 't'::regclass AND role_name = 'stat_tap_group';
SELECT ok((SELECT renews IS NULL AND days_left > 0 FROM lasting('stat_tap_group')), 'once a period is over all is there again, and none is under way');
ROLLBACK;

-- of columns and entities
DO $$ BEGIN
    PERFORM dpsens.set_column_budget('other', 'x', epsilon => 5), dpsens.set_entity_budget('other', epsilon => 9);
END $$;
DO $$ BEGIN PERFORM dp_sum(x, 1) FROM stat_tap.other; END $$;
SELECT results_eq($$SELECT f.column_name::text COLLATE "default", f.entity, f.left_percent = b.left_percent, f.days, f.epsilon_a_day / b.spent_epsilon,
        round(f.days_left::numeric, 6) = round(((b.epsilon - b.spent_epsilon) / f.epsilon_a_day)::numeric, 6)
    FROM dpsens.forecast f JOIN dpsens.budgets b ON b.relation = f.relation AND b.role IS NULL AND b.column_name IS NOT DISTINCT FROM f.column_name AND b.entity = f.entity
    WHERE f.relation = 'stat_tap.other'::regclass AND f.role IS NULL ORDER BY f.entity$$,
    $$VALUES ('x', false, true, 1, 1::float8, true), (NULL, true, true, 1, 1, true)$$, 'budgets of columns and of entities last by what they were charged');
SET ROLE stat_tap_ana;
SELECT is((SELECT count(*) FROM dpsens.forecast WHERE relation = 'other'::regclass), (SELECT count(*) FROM dpsens.my_budget WHERE relation = 'other'::regclass), 'an analyst sees them as in dpsens.my_budget');
RESET ROLE;
SELECT results_eq('SELECT spent_epsilon > 0, left_percent > 0 AND left_percent < 100 FROM dpsens.budgets WHERE relation = ''other''::regclass ORDER BY column_name, entity', 'VALUES (true, true), (true, true), (true, true)', 'each with its own share');

-- an entity that nothing was charged to yet, of which its auditor is told what it begins with, as later what is spent
CREATE TABLE uncharged (id int PRIMARY KEY);
DO $$ BEGIN
    PERFORM dpsens.protect('uncharged', unit => 'id'), dpsens.set_entity_budget('uncharged', epsilon => 1), dpsens.grant_audit('uncharged', 'stat_tap_auditor', false);
END $$;
SELECT results_eq('SELECT left_percent FROM dpsens.forecast WHERE relation = ''uncharged''::regclass', 'VALUES (100::float8)', 'the owner sees all of it');
SET ROLE stat_tap_auditor;
SELECT results_eq(format('SELECT relation::text, left_percent FROM dpsens.%s WHERE relation IN (''t''::regclass, ''uncharged''::regclass) AND role IS NULL ORDER BY relation::text', v),
    format('VALUES (''t'', (SELECT left_percent FROM dpsens.%s WHERE relation = ''t''::regclass AND role IS NULL)), (''uncharged'', 100)', v), 'an auditor sees budgets beside one that was not charged: dpsens.' || v)
FROM unnest('{budgets,forecast}'::text[]) v;
RESET ROLE;

GRANT SELECT ON t TO stat_tap_stranger;
SET ROLE stat_tap_stranger;
SELECT results_eq('SELECT relation::text, role::text COLLATE "default", left_percent FROM dpsens.forecast', 'SELECT relation::text, budget_of::text COLLATE "default", left_percent FROM dpsens.my_budget', 'who may read a relation sees the cap that he asks within');
RESET ROLE;
REVOKE SELECT ON t FROM stat_tap_stranger;

-- ---- who may ----

SELECT ok(has_table_privilege('stat_tap_stranger', v, 'SELECT') AND NOT has_table_privilege('stat_tap_stranger', v, 'INSERT, UPDATE, DELETE'), v || ' can be read by all, and changed by none') FROM unnest('{dpsens.stat, dpsens.forecast}'::text[]) v;
SET ROLE stat_tap_stranger;
CREATE FUNCTION pg_temp.peek(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE 'seen %', $1; END $$;
SELECT lives_ok(format('SELECT FROM %s WHERE pg_temp.peek(%s)', v, c), 'no function of the reader''s is called for rows of ' || v) FROM (VALUES ('dpsens.stat', 'relation'), ('dpsens.stat', 'role::text'), ('dpsens.forecast', 'relation::text'), ('dpsens.forecast', 'role::text')) w (v, c);
RESET ROLE;
SELECT * FROM finish();
DROP SCHEMA stat_tap CASCADE;
DROP OWNED BY stat_tap_owner, stat_tap_ana, stat_tap_group, stat_tap_member, stat_tap_auditor, stat_tap_stranger;
DROP ROLE stat_tap_owner, stat_tap_ana, stat_tap_member, stat_tap_group, stat_tap_auditor, stat_tap_stranger;
