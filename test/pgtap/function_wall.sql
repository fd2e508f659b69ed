-- function_wall.sql
--	A function of a user that no list can see, since the server finds it in its catalogs while the plan runs, is not run
--	on the rows of a role that may not read them.  Only a superuser can put one there, by hand; it stands for ways that
--	nobody has thought of.
-- Files: guard/room/function_wall.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA function_wall;
SET search_path = function_wall, public;
CREATE ROLE function_wall_analyst;
GRANT USAGE ON SCHEMA function_wall TO function_wall_analyst;

CREATE TABLE visits (id int PRIMARY KEY, card macaddr8 NOT NULL, cost float8 NOT NULL);
INSERT INTO visits SELECT i, ('08:00:2b:01:02:03:04:' || lpad(to_hex(i % 50), 2, '0'))::macaddr8, i % 100 FROM generate_series(1, 100) i;
SELECT dpsens.protect('visits', 'card', max_rows => 3), dpsens.set_range('visits', 'cost', 0, 99), dpsens.grant_budget('visits', 'function_wall_analyst', epsilon => 1000) \g /dev/null
CREATE FUNCTION spy(macaddr8) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'spied %', $1; END $$;
CREATE FUNCTION spy(int) RETURNS int LANGUAGE sql AS 'SELECT 0';
CREATE FUNCTION spy(macaddr8, int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'spied %', $1; END $$;
CREATE FUNCTION spy(macaddr8, macaddr8) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'spied %', $1; END $$;

-- what the type compares and hashes by is a user's now
CREATE TABLE before AS SELECT p.oid, p.amproc::oid AS amproc FROM pg_amproc p JOIN pg_opfamily f ON f.oid = p.amprocfamily JOIN pg_am m ON m.oid = f.opfmethod
    WHERE m.amname IN ('btree', 'hash') AND p.amprocnum <= 2 AND p.amproclefttype = 'macaddr8'::regtype AND p.amprocrighttype = 'macaddr8'::regtype;
SET allow_system_table_mods = on;
UPDATE pg_amproc p SET amproc = CASE f.pronargs WHEN 1 THEN 'spy(macaddr8)'::regprocedure
    WHEN 2 THEN CASE WHEN f.proargtypes[1] = 'int8'::regtype THEN 'spy(macaddr8, int8)'::regprocedure ELSE 'spy(macaddr8, macaddr8)'::regprocedure END END
    FROM pg_proc f WHERE p.oid IN (SELECT oid FROM before) AND f.oid = p.amproc;
-- has all sessions look the type's functions up again
UPDATE pg_opclass SET opcname = opcname WHERE opcintype = 'macaddr8'::regtype;
RESET allow_system_table_mods;
\c -
SET client_min_messages = error;
SET search_path = function_wall, public;
SELECT plan(14);
\ir said.psql
GRANT EXECUTE ON FUNCTION said(text) TO PUBLIC;
SELECT alike(said('SELECT count(DISTINCT card) FROM visits'), '% spied %', 'the function is what the server finds');
SET SESSION AUTHORIZATION function_wall_analyst;
SET search_path = function_wall, public;
SET dpsens.epsilon = 1;
SELECT alike(said(q), '0A000 a function that is not the server''s is not supported below dp aggregates for a role without SELECT privilege%', q)
FROM (VALUES ('SELECT dp_sum(cost, 1) FROM visits'), ('SELECT dp_count(*) FROM visits'), ('SELECT dp_max(cost) FROM visits WHERE cost > 3')) AS asked(q);
RESET SESSION AUTHORIZATION;
SELECT is((SELECT count(*) FROM dpsens.releases WHERE relation = 'function_wall.visits' AND role = 'function_wall_analyst'), 0::bigint, 'nothing was charged');

SET allow_system_table_mods = on;
UPDATE pg_amproc p SET amproc = before.amproc FROM before WHERE p.oid = before.oid;
UPDATE pg_opclass SET opcname = opcname WHERE opcintype = 'macaddr8'::regtype;
RESET allow_system_table_mods;
SET SESSION AUTHORIZATION function_wall_analyst;
SELECT is(said('SELECT function_wall.spy(dp_count(*)::int) FROM function_wall.visits'), 'answered', 'it is not asked of functions over answers');
RESET SESSION AUTHORIZATION;

-- processes that help the room look up what it has looked up before, and must be met by the wall themselves
CREATE TABLE stays (id int PRIMARY KEY, card macaddr8 NOT NULL, cost float8 NOT NULL);
INSERT INTO stays SELECT i, ('08:00:2b:01:02:03:04:' || lpad(to_hex(i % 50), 2, '0'))::macaddr8, i % 100 FROM generate_series(1, 60000) i;
CREATE FUNCTION look(macaddr8) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN 0; END';
CREATE FUNCTION look(macaddr8, int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN 0; END';
SELECT dpsens.protect('stays', 'card', max_rows => 3), dpsens.set_range('stays', 'cost', 0, 99), dpsens.grant_budget('stays', 'function_wall_analyst', epsilon => 1000) \g /dev/null
SET SESSION AUTHORIZATION function_wall_analyst;
SET search_path = function_wall, public;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SET max_parallel_workers_per_gather = 0;
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false) \g /dev/null
SELECT is(said('SELECT dp_sum(cost, 1) FROM stays'), 'answered', 'rooms have looked up what units are compared by');
RESET SESSION AUTHORIZATION;
SET allow_system_table_mods = on;
UPDATE pg_amproc p SET amproc = CASE f.pronargs WHEN 1 THEN 'look(macaddr8)'::regprocedure ELSE 'look(macaddr8, int8)' END
    FROM pg_proc f WHERE p.oid IN (SELECT oid FROM before) AND f.oid = p.amproc AND f.proname LIKE '%hash%';
RESET allow_system_table_mods;
SET SESSION AUTHORIZATION function_wall_analyst;
SELECT is(said('SELECT dp_sum(cost, 1) FROM stays'), 'answered', 'and do not look again');
SET max_parallel_workers_per_gather = 2;
-- not within a function, where nothing is parallel; some by rooms that are new, which look themselves
\set ON_ERROR_STOP off
\set answered 0
SELECT dp_sum(cost, 1) FROM stays \g /dev/null
SELECT :answered + (NOT :'ERROR')::int AS answered \gset
SELECT dp_sum(cost, 1) FROM stays \g /dev/null
SELECT :answered + (NOT :'ERROR')::int AS answered \gset
SELECT dp_sum(cost, 1) FROM stays \g /dev/null
SELECT :answered + (NOT :'ERROR')::int AS answered \gset
SELECT dp_sum(cost, 1) FROM stays \g /dev/null
SELECT :answered + (NOT :'ERROR')::int AS answered \gset
\set ON_ERROR_STOP on
SELECT is(:answered, 0, 'processes that help them look, and are stopped');
RESET SESSION AUTHORIZATION;
SET allow_system_table_mods = on;
UPDATE pg_amproc p SET amproc = before.amproc FROM before WHERE p.oid = before.oid;
UPDATE pg_opclass SET opcname = opcname WHERE opcintype = 'macaddr8'::regtype;
RESET allow_system_table_mods;
RESET max_parallel_workers_per_gather;

-- what an extension's type is compared by is no user's
SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citext') AS has_citext \gset
\if :has_citext
CREATE EXTENSION citext SCHEMA function_wall;
CREATE TABLE mails (mail citext NOT NULL, cost float8 NOT NULL);
INSERT INTO mails SELECT 'M' || i % 50, 1 FROM generate_series(1, 200) i;
INSERT INTO mails SELECT 'm' || i % 50, 1 FROM generate_series(1, 200) i;
SELECT dpsens.protect('mails', 'mail', max_rows => 3), dpsens.set_range('mails', 'cost', 0, 1), dpsens.grant_budget('mails', 'function_wall_analyst', epsilon => 1000) \g /dev/null
SET SESSION AUTHORIZATION function_wall_analyst;
SET search_path = function_wall, public;
SELECT is(said(q), 'answered', q || ' of units that an extension compares')
FROM (VALUES ('SELECT dp_sum(cost, 1) FROM mails'), ('SELECT dp_count(*) FROM mails WHERE cost > 0')) AS asked(q);
SELECT ok(abs(s - 150) < 50, 'three rows of each count, however their units are written') FROM (SELECT dp_sum(cost, 1) AS s FROM mails) answer;
RESET SESSION AUTHORIZATION;
-- comparisons of such values take copies that are four times as long: of 300 MB more than there can be
INSERT INTO mails VALUES (repeat('m', 1048575), 1), (repeat('M', 1048575), 1), (repeat('m', 1048576), 1), (repeat('n', 3000000), 1);
SET dpsens.noise = off;
SELECT is(dp_sum(cost, 1)::int, 152, 'rows whose units are too long to be compared are in no answer') FROM mails;
SELECT is((SELECT sum(s)::int FROM (SELECT cost > 0, dp_sum(cost, 1) AS s FROM mails GROUP BY 1) g), 152, 'nor in one of groups');
RESET dpsens.noise;
\else
SELECT pass('there is no citext') FROM generate_series(1, 5);
\endif
SELECT * FROM finish();
DROP SCHEMA function_wall CASCADE;
DROP ROLE function_wall_analyst;
