-- made_again.sql
--	From when a table is made again, or is no longer where a budget knows it, until the ledger next looks: who may ask about it
--	by its name sees as little of it as before.  And that statements run while others are planned name their operators.
-- Files: ledger/authority.c, guard/release/public_keys.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA made_again;
SET search_path = made_again, public;
CREATE ROLE made_again_owner;
CREATE ROLE made_again_ana;
CREATE ROLE made_again_bob;
CREATE ROLE made_again_eve;
GRANT USAGE ON SCHEMA made_again TO PUBLIC;
GRANT CREATE ON SCHEMA made_again TO made_again_owner;
SELECT plan(11);

SET SESSION AUTHORIZATION made_again_owner;
SET search_path = made_again, public;
CREATE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    CREATE TABLE patients (pid int PRIMARY KEY, age float8 NOT NULL); CREATE TABLE plain (pid int PRIMARY KEY, age float8 NOT NULL);
    INSERT INTO patients SELECT i, i % 90 FROM generate_series(1, 1037) i; INSERT INTO plain SELECT i, i % 90 FROM generate_series(1, 1041) i;
    PERFORM dpsens.protect('patients', 'pid'), dpsens.protect('plain', 'pid');
END $$;
CREATE FUNCTION door() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT 7::bigint';
SELECT fill() \g /dev/null
SELECT dpsens.grant_entity_budget('patients', 'made_again_ana', 50), dpsens.grant_budget('plain', 'made_again_bob', 50) \g /dev/null
ANALYZE patients, plain;
RESET SESSION AUTHORIZATION;
CREATE FUNCTION seen(role name) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    PERFORM set_config('role', role, true);
    SELECT format('%s %s', (SELECT string_agg(reltuples::text, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'made_again'::regnamespace AND relname IN ('patients', 'plain')),
        coalesce(pg_relation_size('patients'), pg_relation_size('plain'))::text) INTO result;
    BEGIN
        result = result || ' ' || door();
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    PERFORM set_config('role', 'none', true);
    RETURN result;
END $$;
SELECT is(seen(r), '-1 -1 ', 'of the tables nothing is seen: ' || r) FROM unnest('{made_again_ana,made_again_bob}'::name[]) r;
SET SESSION AUTHORIZATION made_again_owner;
DROP TABLE patients, plain;
SELECT fill() \g /dev/null
ANALYZE patients, plain;
RESET SESSION AUTHORIZATION;
SELECT is(seen(r), '-1 -1 ', 'nor of those that were made again: ' || r) FROM unnest('{made_again_ana,made_again_bob}'::name[]) r;
SET SESSION AUTHORIZATION made_again_ana;
SELECT lives_ok('SELECT dp_count(true, 1) FROM patients', 'before the first answer, and after it');
RESET SESSION AUTHORIZATION;
SELECT is(seen(r), '-1 -1 ', 'as before: ' || r) FROM unnest('{made_again_ana,made_again_bob}'::name[]) r;

-- what all were told of an entity is nobody's to see who has a column of a table that refers to it
CREATE TABLE bills (bid int PRIMARY KEY, pid int REFERENCES patients);
SELECT dpsens.protect('bills', 'patients.pid', max_rows => 1) \g /dev/null
GRANT SELECT (bid) ON bills TO made_again_eve;
SET SESSION AUTHORIZATION made_again_eve;
SELECT is(dpsens_internal.entity_history('patients'::regclass, 0::oid, NULL), NULL, 'of an entity that has a role''s budget alone');
RESET SESSION AUTHORIZATION;

-- an operator that is nearer than the server's is not taken while a statement is planned
CREATE TABLE wards (w int PRIMARY KEY, beds int NOT NULL, town varchar(10) NOT NULL, kind varchar(10) NOT NULL);
INSERT INTO wards VALUES (1, 10, 'a', 'k'), (2, 20, 'b', 'l');
CREATE TABLE stays (sid int PRIMARY KEY, w int NOT NULL REFERENCES wards);
INSERT INTO stays SELECT i, i % 2 + 1 FROM generate_series(1, 100) i;
SELECT dpsens.set_public('wards'), dpsens.protect('stays', 'sid') \g /dev/null
CREATE FUNCTION spy(anyelement, anyelement) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'spied'; END $$;
CREATE FUNCTION spy(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'spied'; END $$;
CREATE FUNCTION spy(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'spied'; END $$;
CREATE OPERATOR public.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = spy);
CREATE OPERATOR made_again.= (LEFTARG = int, RIGHTARG = int, FUNCTION = spy);
SET dpsens.epsilon = 1;
SET search_path = made_again, public, pg_catalog;
\set ON_ERROR_STOP 0
SELECT w.town, w.kind, public.dp_count(*) FROM made_again.stays t JOIN made_again.wards w ON t.w OPERATOR(pg_catalog.=) w.w GROUP BY w.town, w.kind \g /dev/null
\set strings :SQLSTATE
SELECT w.beds, w.town, public.dp_count(*) FROM made_again.stays t JOIN made_again.wards w ON t.w OPERATOR(pg_catalog.=) w.w GROUP BY w.beds, w.town \g /dev/null
\set numbers :SQLSTATE
\set ON_ERROR_STOP 1
SET search_path = pg_catalog;
DROP OPERATOR public.= (varchar, varchar);
DROP OPERATOR made_again.= (int, int);
SET search_path = made_again, public;
SELECT is(:'strings'::text, '00000', 'strings');
SELECT is(:'numbers'::text, '00000', 'numbers');
SELECT is((SELECT count(*) FROM pg_operator WHERE oprcode::text LIKE '%spy%'), 0::bigint, 'nothing is left');

SELECT * FROM finish();
DROP SCHEMA made_again CASCADE;
DROP OWNED BY made_again_owner, made_again_ana, made_again_bob, made_again_eve;
DROP ROLE made_again_owner, made_again_ana, made_again_bob, made_again_eve;
