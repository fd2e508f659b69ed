-- Row 29: plans, cursors and views that outlive what allowed them.
\ir start.sql
CREATE TABLE clinic.lent (id int PRIMARY KEY, x float8 NOT NULL, name text NOT NULL);
INSERT INTO clinic.lent SELECT i, 1, CASE WHEN i = 42 THEN 'Zebedee' ELSE '' END FROM generate_series(1, 100) i;
ALTER TABLE clinic.lent OWNER TO dpsens_attack_owner;
CREATE FUNCTION lab.lend() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    PERFORM dpsens.protect('clinic.lent'), dpsens.set_range('clinic.lent', 'x', 0, 1), dpsens.grant_budget('clinic.lent', 'dpsens_attack_ana', epsilon => 1000);
END $$;
SELECT lab.lend() \gset
SET plan_cache_mode = force_generic_plan;
-- each: a plan is made and runs, then something is taken away, then it runs again
SELECT attempt('after ' || change, ARRAY['SELECT lab.lend()', 'PREPARE old29 AS SELECT dp_sum(x) FROM lent WHERE id < 50', 'EXECUTE old29', 'SET ROLE dpsens_attack_owner', change, 'SET ROLE dpsens_attack_ana', 'EXECUTE old29'], '(.*\n)*(42501|55000|53400|42P01)[^\n]*$',
    ARRAY['PREPARE old30 AS SELECT count(*) FROM open_people', 'EXECUTE old30', 'EXECUTE old30', 'DEALLOCATE old30', 'DEALLOCATE old29'], '\(400\)')
FROM unnest(ARRAY['SELECT dpsens.revoke_budget(''lent'', ''dpsens_attack_ana'')', 'SELECT dpsens.unprotect(''lent'')', 'SELECT dpsens.clear(''lent'', ''x'')']) change;
DEALLOCATE ALL;
SELECT lab.lend() \gset
SELECT attempt('a wider range is a larger noise', ARRAY['PREPARE old29 AS SELECT dp_sum(x) FROM lent', 'EXECUTE old29', 'SET ROLE dpsens_attack_owner',
    'SELECT dpsens.set_range(''lent'', ''x'', 0, 1000)', 'SET ROLE dpsens_attack_ana', 'EXECUTE old29',
    'SELECT max(sensitivity) FROM dpsens.releases WHERE relation = ''clinic.lent''', 'DEALLOCATE old29'],
    -- another process does not know the range yet
    CASE WHEN :'rooms' THEN '(.*\n)*55000.relation lent was changed[^\n]*\n00000.\(1\)\n' ELSE '(.*\n)*00000.\(1000\)\n' END, ARRAY['SELECT 1'], '1');
SELECT lab.lend() \gset
RESET plan_cache_mode;
-- a plan of a role that may look
GRANT SELECT ON clinic.lent TO dpsens_attack_reader;
SELECT attempt('a reader''s plan, run by an analyst', ARRAY['SET ROLE dpsens_attack_reader', 'PREPARE theirs AS SELECT name FROM lent WHERE id = 42',
    'SET ROLE dpsens_attack_ana', 'EXECUTE theirs', 'DEALLOCATE theirs'], '(.*\n)*42501', ARRAY['PREPARE theirs AS SELECT name FROM lent WHERE id = 42', 'EXECUTE theirs',
    'DEALLOCATE theirs'], 'Zebedee');
SELECT attempt('a reader''s plan of an answer whose condition fails', ARRAY['SET ROLE dpsens_attack_reader',
    'PREPARE theirs AS SELECT dp_count(*) FROM lent WHERE 1 / (id - 42) > 0', 'SET ROLE dpsens_attack_ana', 'EXECUTE theirs', 'DEALLOCATE theirs'],
    '(.*\n)*(0A000|00000.\()', ARRAY['SELECT count(*) FROM lent WHERE 1 / (id - 42) > 0'], '22012');
SELECT attempt('a plan, run by nobody', ARRAY['PREPARE ours AS SELECT dp_count(*) FROM lent', 'EXECUTE ours', 'SET ROLE dpsens_attack_nobody', 'EXECUTE ours', 'DEALLOCATE ours'], '(.*\n)*42501', ARRAY['SET ROLE dpsens_attack_reader', 'SELECT count(*) FROM lent'], '\(100\)');
-- a role that is taken when the plan has been made, by a function that the planner evaluates
CREATE FUNCTION lab.become(who text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('role', who, false); RETURN 0; END $$;
SELECT attempt('a plan of one role, run by another: ' || who, format('SELECT dp_count(*) + lab.become(%L) FROM lent', who), '42501.*a private answer that was planned for role "dpsens_attack_ana" cannot be given to role',
    format('SELECT count(*) + lab.become(%L) FROM lent', 'dpsens_attack_reader'), '\(100\)') FROM unnest('{dpsens_attack_reader, dpsens_attack_owner, dpsens_attack_nobody}'::text[]) who;
-- the session's own role, between
\setenv ASK 'SET plan_cache_mode = force_generic_plan; SET SESSION AUTHORIZATION dpsens_attack_reader; PREPARE rows29 AS SELECT name FROM people WHERE secret; PREPARE answer29 AS SELECT dp_count(*) > -1000000 FROM people WHERE 1 / pay > 0; PREPARE plain29 AS SELECT count(*) FROM others WHERE name = $$7$$; EXECUTE plain29'
\set said `psql -XAtq -c "$ASK" -c 'RESET SESSION AUTHORIZATION' -c 'SET SESSION AUTHORIZATION dpsens_attack_ana' -c 'EXECUTE rows29' -c 'EXECUTE plain29' -c 'EXECUTE answer29' 2>&1`
SELECT is(:'said'::text, E'1\nERROR:  permission denied for table people\nERROR:  permission denied for table others\nt', 'plans of another session user');
\set said `psql -XAtq -c "$ASK" -c 'EXECUTE rows29' 2>&1`
SELECT is(:'said'::text, E'1\nZebedee', 'plans of another session user: open to others');
DROP TABLE clinic.lent CASCADE;
SELECT * FROM finish();
