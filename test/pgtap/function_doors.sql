-- What a budget takes from a role, and who may take it: whoever makes a table can restrict a role of others, unless
-- dpsens.grant_to_any_role is off.
-- Files: ledger/budget/sql_budget.c, guard/restrict/hidden.c, glue/settings.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(25);

CREATE ROLE doors_mallory;
CREATE ROLE doors_app;
CREATE ROLE doors_user IN ROLE doors_app;
CREATE ROLE doors_other;
CREATE ROLE doors_team;
GRANT doors_team TO doors_mallory;
GRANT doors_other TO doors_mallory WITH ADMIN OPTION;
CREATE SCHEMA doors AUTHORIZATION doors_mallory;
GRANT USAGE ON SCHEMA doors TO PUBLIC;
SET search_path = doors, public;
CREATE TABLE business (id int PRIMARY KEY, x int NOT NULL);
INSERT INTO business SELECT i, i FROM generate_series(1, 100) i;
GRANT ALL ON business TO doors_app;
CREATE FUNCTION serve() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = doors, pg_temp AS 'SELECT count(*) FROM business';
CREATE FUNCTION plain() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM doors.business';
ANALYZE business;
SET ROLE doors_mallory;
CREATE TABLE trap (id int PRIMARY KEY, x float8 NOT NULL);
CREATE TABLE second (id int PRIMARY KEY, x float8 NOT NULL);
SELECT dpsens.protect('trap', unit => 'id'), dpsens.protect('second', unit => 'id') \g /dev/null
RESET ROLE;

-- What the role can do, one after the other.
CREATE FUNCTION can(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN true;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN false;
END $$;
CREATE FUNCTION shows(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE statement INTO n;
    RETURN COALESCE(n, 0) > 0;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN false;
END $$;
CREATE FUNCTION abilities() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(name, ' ' ORDER BY place) FROM (VALUES
        (1, 'read', can('SELECT count(*) FROM doors.business')),
        (2, 'write', can('UPDATE doors.business SET x = x WHERE id = 1')),
        (3, 'plain', can('SELECT doors.plain()')),
        (4, 'definer', can('SELECT doors.serve()')),
        (5, 'size', shows('SELECT pg_relation_size(''doors.business'')')),
        (6, 'tuples', shows('SELECT reltuples::bigint FROM pg_class WHERE oid = ''doors.business''::regclass')),
        (7, 'databases', shows('SELECT pg_database_size(current_database())'))) a(place, name, can) WHERE a.can
$$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA doors TO PUBLIC;
\set all '''read write plain definer size tuples databases'''

SET ROLE doors_app;
SELECT is(abilities(), :all, 'before');
SET ROLE doors_user;
SELECT is(abilities(), :all, 'a member, too');

-- ---- by default ----
SET ROLE doors_mallory;
SELECT lives_ok($$SELECT dpsens.grant_budget('trap', 'doors_app', epsilon => 1)$$, 'an owner decides whom answers are for');
SET ROLE doors_app;
SELECT is(abilities(), 'read write plain', 'which takes functions with others'' rights, sizes and counters from a role');
SELECT is((SELECT count(*) FROM dpsens.my_budget WHERE relation = 'trap'::regclass), 1::bigint, 'that is told of which table it is');
SET ROLE doors_user;
SELECT is(abilities(), 'read write plain', 'and from its members');
SET ROLE doors_other;
SELECT ok(can('SELECT doors.serve()'), 'nobody else is restricted');
SET ROLE doors_app;
SELECT throws_ok($$SELECT dpsens.revoke_budget('trap', 'doors_app')$$, '42501', NULL, 'it cannot shake it off');
RESET ROLE;
SECURITY LABEL FOR dpsens ON FUNCTION serve() IS 'TRUSTED';
SET ROLE doors_app;
SELECT ok(can('SELECT doors.serve()'), 'what is trusted goes on');
RESET ROLE;
SECURITY LABEL FOR dpsens ON FUNCTION serve() IS NULL;
SELECT lives_ok($$SELECT dpsens.revoke_budget('trap', 'doors_app')$$, 'a superuser can');
SET ROLE doors_app;
SELECT is(abilities(), 'read write plain definer size tuples', 'then all is as before but for what the label hides');
RESET ROLE;
SECURITY LABEL FOR dpsens ON ROLE doors_app IS NULL;
SET ROLE doors_app;
SELECT is(abilities(), :all, 'which a superuser takes off');
RESET ROLE;

-- ---- where owners are not trusted with it ----
SET dpsens.grant_to_any_role = off;
SET ROLE doors_mallory;
SELECT throws_ok('SET dpsens.grant_to_any_role = on', '42501', NULL, 'nobody turns it on but superusers');
SELECT throws_ok($$SELECT dpsens.grant_budget('trap', 'doors_app', epsilon => 1)$$, '42501', 'permission denied to grant a privacy budget to role "doors_app"', 'a stranger''s role is not restricted');
SELECT throws_ok($$SELECT dpsens.grant_entity_budget('trap', 'doors_app', epsilon => 1)$$, '42501', 'permission denied to grant a privacy budget to role "doors_app"', 'by an entity neither');
SELECT throws_ok($$SELECT dpsens.grant_budget('trap', 'doors_team', epsilon => 1)$$, '42501', 'permission denied to grant a privacy budget to role "doors_team"', 'nor a group''s other members, by one of them');
SELECT lives_ok($$SELECT dpsens.grant_budget('trap', 'doors_other', epsilon => 1)$$, 'but one that the owner can give to others');
SELECT lives_ok($$SELECT dpsens.grant_entity_budget('second', 'doors_other', epsilon => 1)$$, 'also on an entity');
SET ROLE doors_other;
SELECT ok(NOT can('SELECT doors.serve()'), 'which is restricted as ever');
SET ROLE doors_app;
SELECT is(abilities(), :all, 'the stranger is not');
RESET ROLE;
SELECT is((SELECT count(*) FROM pg_seclabels WHERE objtype = 'role' AND objname = 'doors_app'), 0::bigint, 'and has no label');
SELECT lives_ok($$SELECT dpsens.grant_budget('trap', 'doors_app', epsilon => 1)$$, 'a superuser grants to all');
SET ROLE doors_mallory;
SELECT throws_ok($$SELECT dpsens.grant_budget('trap', 'doors_app', epsilon => 2)$$, '42501', NULL, 'what was granted the owner does not widen');
SELECT lives_ok($$SELECT dpsens.set_policy('trap', 'doors_app', epsilon => 0.5)$$, 'but sets limits for');
SELECT lives_ok($$SELECT dpsens.revoke_budget('trap', 'doors_app')$$, 'and revokes');
RESET ROLE;
RESET dpsens.grant_to_any_role;

SELECT * FROM finish();
DROP OWNED BY doors_mallory CASCADE;
DROP SCHEMA IF EXISTS doors CASCADE;
DROP OWNED BY doors_mallory, doors_app, doors_user, doors_other, doors_team;
DROP ROLE doors_mallory, doors_app, doors_user, doors_other, doors_team;
