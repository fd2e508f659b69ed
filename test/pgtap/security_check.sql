-- dpsens.check_security: nothing is found of a role that is as it should be; each
-- way around the guard is found, and is one.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

CREATE ROLE check_tap_owner;
CREATE ROLE check_tap_ana;
CREATE ROLE check_tap_group;
CREATE ROLE check_tap_other;
CREATE SCHEMA check_tap;
GRANT USAGE ON SCHEMA check_tap TO PUBLIC;
SET search_path = check_tap, public;

CREATE TABLE people (id serial PRIMARY KEY, age float8 NOT NULL, income numeric, name text);
INSERT INTO people (age, income, name) VALUES (42, 1000, 'Zebedee');
CREATE TABLE parent (id int NOT NULL, x float8 NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parent FOR VALUES FROM (0) TO (1000);
CREATE TABLE unrelated (id int, colour text);
GRANT SELECT ON unrelated TO PUBLIC;
ALTER TABLE people OWNER TO check_tap_owner;
ALTER TABLE parent OWNER TO check_tap_owner;
ALTER TABLE part OWNER TO check_tap_owner;
DO $$ BEGIN
    PERFORM dpsens.protect(r) FROM unnest('{people, parent}'::regclass[]) r;
    PERFORM dpsens.set_range('people', 'age', 0, 100), dpsens.set_range('people', 'income', 0, 1e6), dpsens.set_range('parent', 'x', 0, 1);
    PERFORM dpsens.grant_budget(r, 'check_tap_ana', epsilon => 1000) FROM unnest('{people, parent}'::regclass[]) r;
END $$;

-- of the role, not of how this server is set up
CREATE VIEW found AS SELECT * FROM dpsens.check_security('check_tap_ana'::text::regrole)
    WHERE finding NOT IN ('a crash can lose charges', 'may create in the schema of the dp aggregates', 'the server''s log counts rows and pages',
        'plans are written to the server''s log', 'an error tells that many rows were read', 'dpsens is not preloaded') AND object !~ '^public\.';
SELECT is_empty('SELECT * FROM found', 'nothing is found');
SELECT is_empty('SELECT * FROM dpsens.check_security(''check_tap_ana'') WHERE finding = ''dpsens is not preloaded''', 'and the server is prepared');

-- What is done, what is found, and how it is undone.
CREATE FUNCTION finds(wanted text, level text, about text, doing text, undoing text, attack text DEFAULT NULL) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    seen text;
BEGIN
    EXECUTE doing;
    RETURN NEXT is((SELECT string_agg(DISTINCT severity, ' ') FROM dpsens.check_security('check_tap_ana') WHERE finding LIKE wanted AND replace(object, 'check_tap.', '') = about), level, wanted || ': ' || doing);
    IF attack IS NOT NULL THEN
        SET ROLE check_tap_ana;
        BEGIN
            EXECUTE attack INTO seen;
        EXCEPTION WHEN OTHERS THEN
            seen = SQLERRM;
        END;
        RESET ROLE;
        RETURN NEXT matches(seen, 'Zebedee', 'and it works: ' || attack);
    END IF;
    EXECUTE undoing;
    RETURN NEXT is_empty('SELECT * FROM found', 'gone: ' || undoing);
END $$;

SELECT finds('may charge budgets of others as a standby', 'warning', f, 'GRANT EXECUTE ON FUNCTION ' || f || ' TO check_tap_ana', 'REVOKE EXECUTE ON FUNCTION ' || f || ' FROM check_tap_ana')
    FROM (SELECT oid::regprocedure::text AS f FROM pg_proc WHERE proname = 'charge_for_standby') s;
SELECT finds('superuser', 'critical', 'check_tap_ana', 'ALTER ROLE check_tap_ana SUPERUSER', 'ALTER ROLE check_tap_ana NOSUPERUSER', 'SELECT name FROM check_tap.people');
SELECT finds('superuser, as a member of check_tap_group', 'critical', 'check_tap_group', 'ALTER ROLE check_tap_group SUPERUSER; GRANT check_tap_group TO check_tap_ana',
    'ALTER ROLE check_tap_group NOSUPERUSER; REVOKE check_tap_group FROM check_tap_ana');
SELECT finds('may read all tables%', 'critical', 'pg_read_all_data', 'GRANT pg_read_all_data TO check_tap_ana', 'REVOKE pg_read_all_data FROM check_tap_ana', 'SELECT name FROM check_tap.people');
SELECT finds('may read all tables%', 'critical', 'pg_read_all_data', 'GRANT pg_read_all_data TO check_tap_group; ALTER ROLE check_tap_ana NOINHERIT; GRANT check_tap_group TO check_tap_ana',
    'REVOKE pg_read_all_data FROM check_tap_group; REVOKE check_tap_group FROM check_tap_ana; ALTER ROLE check_tap_ana INHERIT');
SELECT finds('may read or run what%', 'critical', 'pg_read_server_files', 'GRANT pg_read_server_files TO check_tap_ana', 'REVOKE pg_read_server_files FROM check_tap_ana');
SELECT finds('may copy the cluster%', 'critical', 'check_tap_ana', 'ALTER ROLE check_tap_ana REPLICATION', 'ALTER ROLE check_tap_ana NOREPLICATION');
SELECT finds('may make itself%', 'critical', 'check_tap_ana', 'ALTER ROLE check_tap_ana CREATEROLE', 'ALTER ROLE check_tap_ana NOCREATEROLE');
SELECT finds('is not subject to row-level security', 'notice', 'check_tap_ana', 'ALTER ROLE check_tap_ana BYPASSRLS', 'ALTER ROLE check_tap_ana NOBYPASSRLS');
SELECT finds('is not subject to row-level security', 'critical', 'check_tap_ana', 'ALTER ROLE check_tap_ana BYPASSRLS; ALTER TABLE people ENABLE ROW LEVEL SECURITY',
    'ALTER ROLE check_tap_ana NOBYPASSRLS; ALTER TABLE people DISABLE ROW LEVEL SECURITY');
SELECT finds('owns the table', 'critical', 'people', 'ALTER TABLE people OWNER TO check_tap_ana', 'ALTER TABLE people OWNER TO check_tap_owner', 'SELECT name FROM check_tap.people');
SELECT finds('owns the table, as a member of check_tap_owner', 'critical', 'people', 'GRANT check_tap_owner TO check_tap_ana', 'REVOKE check_tap_owner FROM check_tap_ana', 'SELECT name FROM check_tap.people');
SELECT finds('may read the table', 'critical', 'people', 'GRANT SELECT ON people TO check_tap_ana', 'REVOKE SELECT ON people FROM check_tap_ana', 'SELECT name FROM check_tap.people');
SELECT finds('may read the table', 'critical', 'people', 'GRANT SELECT ON people TO PUBLIC', 'REVOKE SELECT ON people FROM PUBLIC', 'SELECT name FROM check_tap.people');
SELECT finds('may read the table', 'critical', 'part', 'GRANT SELECT ON part TO check_tap_ana', 'REVOKE SELECT ON part FROM check_tap_ana');
SELECT finds('may read a column', 'critical', 'people.name', 'GRANT SELECT (name) ON people TO check_tap_ana', 'REVOKE SELECT (name) ON people FROM check_tap_ana', 'SELECT name FROM check_tap.people');
SELECT finds('may read a view of its rows', 'critical', 'beyond', 'CREATE VIEW over AS SELECT * FROM people; CREATE VIEW beyond AS SELECT name FROM over; GRANT SELECT ON beyond TO check_tap_ana', 'DROP VIEW over CASCADE',
    'SELECT name FROM check_tap.beyond');
SELECT finds('may read a view of its rows', 'critical', 'stored', 'CREATE MATERIALIZED VIEW stored AS SELECT name FROM people; GRANT SELECT ON stored TO check_tap_ana', 'DROP MATERIALIZED VIEW stored',
    'SELECT name FROM check_tap.stored');
SELECT finds('may read a view that has answers in it', 'notice', 'answers', 'CREATE VIEW answers AS SELECT dp_count(*) AS n FROM people; GRANT SELECT ON answers TO check_tap_ana', 'DROP VIEW answers');
SELECT finds('may call a SECURITY DEFINER function that refers to the table', 'critical', 'see()',
    $$CREATE FUNCTION see() RETURNS text SECURITY DEFINER SET search_path = pg_catalog, pg_temp LANGUAGE sql AS 'SELECT name FROM check_tap.people'$$, 'DROP FUNCTION see()');
SELECT finds('may call a SECURITY DEFINER function that refers to the table', 'critical', 'see()',
    $$CREATE FUNCTION see() RETURNS text SECURITY DEFINER SET search_path = pg_catalog, pg_temp LANGUAGE sql AS 'SELECT name FROM check_tap.people'; SECURITY LABEL FOR dpsens ON FUNCTION see() IS 'TRUSTED'$$,
    'DROP FUNCTION see()', 'SELECT check_tap.see()');
SELECT finds('may call a SECURITY DEFINER function whose search_path it chooses', 'warning', 'careless()',
    $$CREATE FUNCTION careless() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 7'$$, 'DROP FUNCTION careless()');
SELECT finds('may read the statistics of columns', 'critical', 'pg_statistic', 'GRANT SELECT ON pg_statistic TO check_tap_ana', 'REVOKE SELECT ON pg_statistic FROM check_tap_ana',
    'SELECT ''Zebedee'' FROM pg_catalog.pg_statistic LIMIT 1');
-- a view that is read with the rights of whoever asks shows them nothing
CREATE VIEW invoked WITH (security_invoker = on) AS SELECT * FROM people;
GRANT SELECT ON invoked TO check_tap_ana;
SELECT is_empty($$SELECT * FROM dpsens.check_security('check_tap_ana') WHERE object LIKE '%invoked%'$$, 'a view with the rights of whoever asks');
CREATE VIEW of_invoked AS SELECT * FROM invoked;
GRANT SELECT ON of_invoked TO check_tap_ana;
SELECT isnt_empty($$SELECT * FROM dpsens.check_security('check_tap_ana') WHERE severity = 'critical' AND object LIKE '%of_invoked%'$$, 'unless another is in front of it');
DROP VIEW of_invoked, invoked;
SELECT finds('may read a table with the same columns%', 'warning', 'copy, like people', 'CREATE TABLE copy AS SELECT * FROM people; GRANT SELECT ON copy TO check_tap_ana', 'DROP TABLE copy', 'SELECT name FROM check_tap.copy');
SELECT finds('may read a table with the same columns%', 'warning', 'copy, like people', 'CREATE TABLE copy AS SELECT age, income FROM people; GRANT SELECT ON copy TO check_tap_ana', 'DROP TABLE copy');
SELECT finds('may call a function that reads files%', 'critical', 'pg_read_file(text)', 'GRANT EXECUTE ON FUNCTION pg_read_file(text) TO check_tap_ana', 'REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM check_tap_ana');
SELECT finds('has the privilege ' || privilege, 'warning', 'people', format('GRANT %s ON people TO check_tap_ana', privilege), format('REVOKE %s ON people FROM check_tap_ana', privilege))
FROM unnest('{INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER}'::text[] || CASE WHEN current_setting('server_version_num')::int >= 170000 THEN '{MAINTAIN}'::text[] END) privilege;
SELECT finds('may read a sequence of the table', 'warning', 'people_id_seq', 'GRANT USAGE ON SEQUENCE people_id_seq TO check_tap_ana', 'REVOKE USAGE ON SEQUENCE people_id_seq FROM check_tap_ana');
SELECT finds('may read statistics of the server%', 'warning', 'pg_monitor', 'GRANT pg_monitor TO check_tap_ana', 'REVOKE pg_monitor FROM check_tap_ana');
SELECT finds('may set a parameter%', 'warning', 'track_counts', 'GRANT SET ON PARAMETER track_counts TO check_tap_ana', 'REVOKE SET ON PARAMETER track_counts FROM check_tap_ana')
WHERE current_setting('server_version_num')::int >= 150000;
SELECT finds('may create in a schema of dpsens', 'critical', schema, format('GRANT CREATE ON SCHEMA %I TO check_tap_ana', schema), format('REVOKE CREATE ON SCHEMA %I FROM check_tap_ana', schema))
FROM unnest(ARRAY['dpsens', 'dpsens_internal']) schema;
SELECT finds('may change the ledger', 'critical', 'dpsens.purse', 'GRANT UPDATE ON dpsens.purse TO check_tap_ana', 'REVOKE UPDATE ON dpsens.purse FROM check_tap_ana');
SELECT finds('answers have no noise', 'critical', 'dpsens.noise', 'ALTER ROLE check_tap_ana SET dpsens.noise = off', 'ALTER ROLE check_tap_ana RESET dpsens.noise');
SELECT finds('will be able to read tables%', 'warning', 'check_tap_owner in check_tap', 'ALTER DEFAULT PRIVILEGES FOR ROLE check_tap_owner IN SCHEMA check_tap GRANT SELECT ON TABLES TO check_tap_ana',
    'ALTER DEFAULT PRIVILEGES FOR ROLE check_tap_owner IN SCHEMA check_tap REVOKE SELECT ON TABLES FROM check_tap_ana');

ALTER ROLE check_tap_ana SET temp_file_limit = '1MB';
SELECT isnt_empty('SELECT * FROM dpsens.check_security(''check_tap_ana'') WHERE object = ''temp_file_limit''', 'temp_file_limit');
ALTER ROLE check_tap_ana RESET temp_file_limit;

-- Whoever is asked about, and whoever asks.
SELECT is_empty('SELECT * FROM dpsens.check_security(''check_tap_other'') WHERE object ~ ''people''', 'another role');
SET ROLE check_tap_ana;
SELECT is_empty('SELECT * FROM dpsens.check_security(''check_tap_ana'') WHERE object ~ ''people|check_tap''', 'a role may ask about itself');
RESET ROLE;

SELECT * FROM finish();
DROP SCHEMA check_tap CASCADE;
DROP OWNED BY check_tap_owner, check_tap_ana, check_tap_group, check_tap_other;
DROP ROLE check_tap_owner, check_tap_ana, check_tap_group, check_tap_other;
