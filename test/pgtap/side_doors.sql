-- What a role with a budget and no SELECT privilege could learn beside answers: sizes,
-- counters, timeouts, functions of others, policies.  Beside each stands what a
-- role that may read the table gets.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(157);

CREATE ROLE doors_tap_owner;
CREATE ROLE doors_tap_ana;
CREATE ROLE doors_tap_reader;
CREATE ROLE doors_tap_monitor IN ROLE pg_read_all_stats;
CREATE SCHEMA doors_tap;
GRANT ALL ON SCHEMA doors_tap TO PUBLIC;
SET search_path = doors_tap, public;
SET dpsens.epsilon = 60;

CREATE TABLE t (id int PRIMARY KEY, x float8 NOT NULL, whose name NOT NULL);
INSERT INTO t SELECT i, i % 50, CASE WHEN i <= 4000 THEN 'doors_tap_ana' ELSE 'doors_tap_reader' END FROM generate_series(1, 20000) i;
ALTER TABLE t OWNER TO doors_tap_owner;
CREATE TABLE parent (id int NOT NULL, x float8 NOT NULL);
CREATE TABLE child (secret text) INHERITS (parent);
INSERT INTO child SELECT i, 1, 'secret' FROM generate_series(1, 300) i;
ALTER TABLE parent OWNER TO doors_tap_owner;
ALTER TABLE child OWNER TO doors_tap_owner;
ANALYZE t;
SET ROLE doors_tap_owner;
GRANT SELECT ON t, parent, child TO doors_tap_reader;
DO $$ BEGIN
    PERFORM dpsens.protect(r), dpsens.set_range(r, 'x', 0, 50) FROM unnest('{t, parent}'::regclass[]) r;
    PERFORM dpsens.grant_budget(r, g, epsilon => 1000000) FROM unnest('{t, parent}'::regclass[]) r, unnest('{doors_tap_ana, doors_tap_reader, doors_tap_monitor}'::regrole[]) g;
END $$;
CREATE FUNCTION owner_max() RETURNS int STABLE SECURITY DEFINER LANGUAGE sql AS $$ SELECT max(id) FROM doors_tap.t $$;
CREATE FUNCTION owner_rows() RETURNS SETOF t STABLE SECURITY DEFINER LANGUAGE sql AS $$ SELECT * FROM doors_tap.t $$;
CREATE PROCEDURE owner_procedure(INOUT n bigint) SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN n = (SELECT count(*) FROM doors_tap.t); END $$;
CREATE FUNCTION owner_harmless() RETURNS int SECURITY DEFINER LANGUAGE sql AS $$ SELECT 7 $$;
CREATE VIEW owner_view AS SELECT owner_max() AS n;
GRANT SELECT ON owner_view TO PUBLIC;
RESET ROLE;

CREATE FUNCTION run(who name, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    value record;
    state text = '00000';
    message text;
BEGIN
    EXECUTE format('SET ROLE %I', who);
    BEGIN
        IF statement ~ '^(CREATE|INSERT|ALTER|COPY)' THEN
            EXECUTE statement;
        ELSE
            EXECUTE statement INTO value;
            message = value::text;
        END IF;
    EXCEPTION WHEN OTHERS OR query_canceled THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    END;
    RESET ROLE;
    RETURN concat_ws('|', state, message);
END $$;
CREATE FUNCTION door(statement text, closed text, open text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEXT matches(run('doors_tap_ana', statement), closed, what);
    RETURN NEXT matches(run('doors_tap_reader', statement), open, what || ': a reader');
END $$;

-- ---- sizes ----

SELECT door('SELECT reltuples, relpages FROM pg_class WHERE oid = ''t''::regclass', '^00000\|\(-1,0\)$', '\(20000,[1-9]', 'pg_class');
SELECT door('SELECT c.* FROM pg_class c WHERE oid = ''t''::regclass', ',0,-1,0,', ',20000,', 'all of it');
SELECT door('SELECT sum(reltuples) > 0 FROM pg_class', '\(f\)', '\(t\)', 'an aggregate of it');
SELECT door('SELECT count(*) FROM pg_class WHERE oid = ''t''::regclass AND reltuples = 20000', '\(0\)', '\(1\)', 'a condition on it');
SELECT door('SELECT a.reltuples FROM pg_class a JOIN pg_class b USING (oid, reltuples) WHERE oid = ''t''::regclass', '\(-1\)', '\(20000\)', 'a join with USING');
SELECT door('SELECT (SELECT max(r) FROM (SELECT c.reltuples AS r) s) FROM pg_class c WHERE oid = ''t''::regclass', '\(-1\)', '\(20000\)', 'an outer column of it');
SELECT door('WITH c AS (SELECT * FROM pg_class) SELECT reltuples FROM c WHERE oid = ''t''::regclass', '\(-1\)', '\(20000\)', 'WITH');
SELECT door('SELECT c FROM pg_class c WHERE oid = ''t''::regclass', '^42501', ',20000,', 'a whole row');
SELECT door('SELECT c::text FROM pg_class c WHERE oid = ''t''::regclass', '^42501', ',20000,', 'a whole row as text');
SELECT door('COPY pg_class TO PROGRAM ''false''', '^42501', '^42501', 'COPY');
SELECT door('SELECT query_to_xml(''SELECT reltuples FROM pg_class WHERE oid = ''''t''''::regclass'', true, false, '''')::text', '>-1<', '>20000<', 'as XML');
SELECT door('SELECT pg_relation_size(''t'') IS NULL, pg_relation_size(''t'', ''fsm'') IS NULL, pg_table_size(''t'') IS NULL, pg_indexes_size(''t'') IS NULL, pg_total_relation_size(''t'') IS NULL',
    '\(t,t,t,t,t\)', '\(f,f,f,f,f\)', 'sizes');
-- those of the server are hidden from whoever has a budget, which may be in another database, too
GRANT pg_read_all_stats TO doors_tap_reader;
SELECT door('SELECT pg_relation_size(''t_pkey'') IS NULL, pg_database_size(current_database()) IS NULL, pg_size_pretty(pg_total_relation_size(''t'')) IS NULL', '\(t,t,t\)', '\(f,f,f\)', 'more of them');
SELECT door('SELECT n > 0 FROM pg_relation_size(''t'') n', '^00000$|^00000\|\(\)$', '\(t\)', 'in FROM');
SET ROLE doors_tap_ana;
CREATE FUNCTION inlined(oid) RETURNS bigint STABLE LANGUAGE sql AS $$ SELECT pg_relation_size($1) + 1 $$;
CREATE FUNCTION inlined_rows(oid) RETURNS SETOF float4 STABLE LANGUAGE sql AS $$ SELECT reltuples FROM pg_class WHERE oid = $1 $$;
CREATE FUNCTION procedural(oid) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN pg_relation_size($1) + 1; END $$;
CREATE TABLE defaults (a int, b bigint DEFAULT pg_relation_size('doors_tap.t'));
CREATE TABLE checks (a int CHECK (a < pg_relation_size('doors_tap.t')));
CREATE DOMAIN small AS int CHECK (value < pg_relation_size('doors_tap.t'));
CREATE OPERATOR ### (LEFTARG = regclass, RIGHTARG = text, FUNCTION = pg_relation_size);
RESET ROLE;
SELECT door('SELECT inlined(''t''::regclass) > 1', '^42501|^00000$|^00000\|\(\)$', '\(t\)', 'a function that is inlined');
SELECT door('SELECT * FROM inlined_rows(''t''::regclass)', '^42501|\(-1\)', '\(20000\)', 'a set that is inlined');
SELECT door('SELECT procedural(''t''::regclass) > 1', '^42501|^00000$|^00000\|\(\)$', '\(t\)', 'PL/pgSQL');
SELECT door('SELECT (''t''::regclass ### ''main'') > 0', '^42501', '\(t\)', 'an operator of its own');
SELECT door('SELECT 1::small', '^42501', '^42P01|^00000', 'a domain of its own');
SELECT is(run('doors_tap_ana', 'INSERT INTO checks VALUES (1)'), '42501|permission denied for function pg_relation_size(regclass,text)', 'a constraint of its own');
SELECT is(run('doors_tap_ana', 'INSERT INTO defaults (a) VALUES (1)'), '00000', 'a default of its own');
SELECT is((SELECT b FROM defaults), NULL, 'stores nothing');

-- ---- counters ----

SELECT door('SELECT count(*) > 1 AND count(n_live_tup) = 0 AND count(seq_scan) = 0 AND count(n_tup_ins) = 0 FROM pg_stat_all_tables', '\(t\)', '\(f\)', 'pg_stat_all_tables');
SELECT door('SELECT count(*) > 1 AND count(heap_blks_read) = 0 AND count(idx_blks_hit) = 0 FROM pg_statio_all_tables', '\(t\)', '\(f\)', 'pg_statio_all_tables');
SELECT door('SELECT count(*) > 1 AND count(idx_scan) = 0 AND count(idx_tup_read) = 0 FROM pg_stat_all_indexes', '\(t\)', '\(f\)', 'pg_stat_all_indexes');
SELECT door('SELECT count(*) > 1 AND count(seq_tup_read) = 0 FROM pg_stat_xact_all_tables', '\(t\)', '\(f\)', 'pg_stat_xact_all_tables');
SELECT door('SELECT pg_stat_get_live_tuples(''t''::regclass) IS NULL AND pg_stat_get_xact_tuples_returned(''t''::regclass) IS NULL', '\(t\)', '\(f\)', 'the functions below');
SELECT door('SELECT numbackends > 0 AND tup_returned IS NULL AND blks_hit IS NULL AND temp_bytes IS NULL FROM pg_stat_database WHERE datname = current_database()', '\(t\)', '\(f\)', 'pg_stat_database');
SELECT door('SELECT buffers_alloc IS NULL FROM pg_stat_bgwriter', '\(t\)', '\(f\)', 'pg_stat_bgwriter');
SELECT door('SELECT pg_current_wal_lsn() IS NULL AND pg_current_wal_insert_lsn() IS NULL AND pg_current_wal_flush_lsn() IS NULL', '\(t\)', '\(f\)', 'positions in the log');
SELECT door('SELECT pg_logical_emit_message(false, ''a'', ''b'') IS NULL', '\(t\)', '\(f\)', 'a position for a message');
SELECT door('SELECT redo_lsn IS NULL FROM pg_control_checkpoint()', '\(t\)', '\(f\)', 'the last checkpoint');
SELECT door('SELECT count(restart_lsn) = 0, current_setting(''is_superuser'') FROM pg_replication_slots', '\(t,off\)', '\(t,off\)', 'replication slots');
SELECT door('SELECT pg_get_replication_slots()', '^42501', '^00000', 'and their function elsewhere');
SELECT door('SELECT wal_records IS NULL AND wal_bytes IS NULL FROM pg_stat_wal', '\(t\)', '\(f\)', 'pg_stat_wal');
SELECT door('SELECT count(*) = 0 FROM pg_stat_slru', '\(t\)', '\(f\)', 'pg_stat_slru');
SELECT door('SELECT count(*) > 0 FROM pg_stat_activity', '\(t\)', '\(t\)', 'pg_stat_activity is about sessions');
SELECT door('SELECT count(*) > 0 FROM pg_stats WHERE tablename = ''t''', '\(f\)', '\(t\)', 'pg_stats');
SELECT door('SELECT count(*) FROM pg_statistic', '^42501', '^42501', 'pg_statistic');
SELECT matches(run('doors_tap_monitor', 'SELECT reltuples, pg_relation_size(''t'') IS NULL FROM pg_class WHERE oid = ''t''::regclass'), '\(20000,f\)', 'pg_read_all_stats reads them');
REVOKE pg_read_all_stats FROM doors_tap_reader;
-- a plan that was made before the role had a budget
CREATE ROLE doors_tap_late;
PREPARE size AS SELECT reltuples FROM pg_class WHERE oid = 'doors_tap.t'::regclass;
SET plan_cache_mode = force_generic_plan;
SELECT is(run('doors_tap_late', 'EXECUTE size'), '00000|(20000)', 'before there is a budget');
SELECT dpsens.grant_budget('t', 'doors_tap_late', epsilon => 1);
SELECT matches(run('doors_tap_late', 'EXECUTE size'), '^42501|\(-1\)', 'a cached plan');
SELECT dpsens.revoke_budget('t', 'doors_tap_late');
SELECT is(run('doors_tap_late', 'SELECT reltuples FROM pg_class WHERE oid = ''doors_tap.t''::regclass'), '00000|(20000)', 'and after it');
RESET plan_cache_mode;

-- ---- statistics of values, by the plans that they lead to ----

CREATE TABLE skew (id int PRIMARY KEY, k int NOT NULL);
INSERT INTO skew SELECT i, CASE WHEN i = 77 THEN 42 ELSE 1 END FROM generate_series(1, 20000) i;
CREATE INDEX skew_k ON skew (k);
CREATE INDEX skew_expression ON skew ((k + 0));
CREATE STATISTICS skew_together ON id, k FROM skew;
ANALYZE skew;
CREATE TABLE tiny (LIKE skew);
INSERT INTO tiny SELECT * FROM skew ORDER BY id LIMIT 10;
ANALYZE tiny;
CREATE TABLE whole (id int, k int NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (100000);
INSERT INTO whole SELECT * FROM skew;
CREATE INDEX part_k ON part (k);
ANALYZE whole;
ALTER TABLE tiny OWNER TO doors_tap_owner;
ALTER TABLE whole OWNER TO doors_tap_owner;
ALTER TABLE part OWNER TO doors_tap_owner;
GRANT SELECT ON tiny, whole TO doors_tap_reader;
ALTER TABLE skew OWNER TO doors_tap_owner;
GRANT SELECT ON skew TO doors_tap_reader;
DO $$ BEGIN
    PERFORM dpsens.protect(r), dpsens.grant_budget(r, g, epsilon => 1000000)
    FROM unnest('{skew, tiny, whole}'::regclass[]) r, unnest('{doors_tap_ana, doors_tap_reader}'::regrole[]) g;
END $$;
-- the cache keeps to custom plans where they are much cheaper
CREATE FUNCTION generic_plans(who name, statement text, wanted int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('PREPARE counted(int) AS %s', statement);
    FOR i IN 1..10 LOOP PERFORM run(who, format('EXECUTE counted(%s)', wanted)); END LOOP;
    SELECT p.generic_plans INTO n FROM pg_prepared_statements p WHERE name = 'counted';
    DEALLOCATE counted;
    RETURN n;
END $$;
CREATE FUNCTION differs(who name, statement text) RETURNS boolean LANGUAGE sql AS
    $$ SELECT generic_plans(who, statement, 42) <> generic_plans(who, statement, 1) $$;
SELECT is(differs('doors_tap_ana', statement), false, 'plans tell nothing: ' || statement) FROM unnest(ARRAY['SELECT dp_count(*) FROM skew WHERE k = $1', 'SELECT count(*) FROM skew WHERE k = $1']) statement;
SELECT is(differs('doors_tap_reader', 'SELECT count(*) FROM skew WHERE k = $1'), true, 'a reader''s do');
-- statements that are refused when they run are planned all the same: statistics of expressions, and of partitions
SELECT is(differs('doors_tap_ana', statement), false, 'refused ones tell nothing: ' || statement)
FROM unnest(ARRAY['SELECT count(*) FROM skew WHERE k + 0 = $1', 'SELECT count(*) FROM whole WHERE k = $1', 'SELECT count(*) FROM part WHERE k = $1']) statement;
SELECT is(differs('doors_tap_reader', statement), true, 'a reader''s do: ' || statement)
FROM unnest(ARRAY['SELECT count(*) FROM skew WHERE k + 0 = $1', 'SELECT count(*) FROM whole WHERE k = $1']) statement;
-- sizes
SELECT is(generic_plans('doors_tap_ana', 'SELECT 1 FROM skew LIMIT $1', 10), generic_plans('doors_tap_ana', 'SELECT 1 FROM tiny LIMIT $1', 10), 'nor do they of sizes');
SELECT isnt(generic_plans('doors_tap_reader', 'SELECT 1 FROM skew LIMIT $1', 10), generic_plans('doors_tap_reader', 'SELECT 1 FROM tiny LIMIT $1', 10), 'a reader''s do');
CREATE FUNCTION locks(who name, wanted int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM run(who, format('EXECUTE locked_%s', wanted));
    RETURN (SELECT string_agg(l.relation::regclass::text, ' ' ORDER BY l.relation) FROM pg_locks l
            WHERE l.pid = pg_backend_pid() AND l.relation IN ('skew'::regclass, 'skew_k'::regclass));
END $$;
PREPARE locked_42 AS SELECT dp_count(*) FROM skew WHERE k = 42;
PREPARE locked_1 AS SELECT dp_count(*) FROM skew WHERE k = 1;
\set both 'SELECT run(who, ''EXECUTE locked_42'') IS NULL, run(who, ''EXECUTE locked_1'') IS NULL FROM'
-- once, so that the plan is made
:both (VALUES ('doors_tap_ana')) w (who);
SELECT locks('doors_tap_ana', 42) AS rare \gset
SELECT locks('doors_tap_ana', 1) AS common \gset
SELECT is(:'rare'::text, :'common'::text, 'nor do the locks that they take');
-- once, so that the plan is made
:both (VALUES ('doors_tap_reader')) w (who);
SELECT locks('doors_tap_reader', 42) AS rare \gset
SELECT locks('doors_tap_reader', 1) AS common \gset
SELECT isnt(:'rare'::text, :'common'::text, 'a reader''s do');

-- ---- functions of somebody else ----

SELECT door('SELECT owner_max()', '^42501.*owner_max', '\(20000\)', 'a SECURITY DEFINER function of the owner');
SELECT door('SELECT count(*) FROM owner_rows()', '^42501', '\(20000\)', 'one that returns rows');
SELECT door('SELECT dp_count(*) FROM owner_rows()', '^0A000', '^0A000', 'answers over its rows');
SELECT door('CALL owner_procedure(0)', '^42501', '\(20000\)', 'a procedure');
SELECT door('SELECT n FROM owner_view', '^42501', '\(20000\)', 'in a view');
SELECT door('SELECT owner_harmless()', '^42501', '\(7\)', 'one that nobody looked at');
SECURITY LABEL FOR dpsens ON FUNCTION owner_harmless() IS 'TRUSTED';
SELECT is(run('doors_tap_ana', 'SELECT owner_harmless()'), '00000|(7)', 'until its owner says so');
SELECT throws_ok('SECURITY LABEL FOR dpsens ON FUNCTION run(name, text) IS ''TRUSTED''', '42809', NULL, 'which is for SECURITY DEFINER functions');
SELECT throws_ok('SECURITY LABEL FOR dpsens ON FUNCTION owner_max() IS ''trust''', '42601', NULL, 'and spelled so');
SELECT is((SELECT count(*) FROM dpsens.expressions), 0::bigint, 'it is no expression');
SET ROLE doors_tap_ana;
SELECT throws_ok('SECURITY LABEL FOR dpsens ON FUNCTION owner_max() IS ''TRUSTED''', '42501', NULL, 'nobody else says so');
CREATE FUNCTION own_definer() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dp_count(*) FROM doors_tap.t); END $$;
CREATE FUNCTION second_reference() RETURNS SETOF t STABLE LANGUAGE sql AS $$ SELECT * FROM doors_tap.t $$;
RESET ROLE;
SELECT is(run('doors_tap_ana', 'SELECT own_definer()'), '00000|(20000)', 'one of its own');
SELECT door('SELECT dp_count(*), (SELECT count(*) FROM second_reference()) FROM t', '^42501', '\(20000,20000\)', 'a second reference through a function');

-- what EXPLAIN counts beside a plan of its own
CREATE FUNCTION readers_count() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM doors_tap.t); END $$;
SELECT matches(run('doors_tap_ana', 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT own_definer()'), '^42501', 'EXPLAIN ANALYZE around an answer');
SELECT matches(run('doors_tap_reader', 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT readers_count()'), 'Shared Hit Blocks', 'a reader''s');

-- ---- children ----

SELECT door('SELECT dp_count(*) FROM parent', '\(300\)', '\(300\)', 'the parent');
SELECT door('SELECT dp_count(*) FROM child', '^55000', '^55000', 'answers over a child');
SELECT door('SELECT max(secret) FROM child', '^42501', 'secret', 'a child');
SELECT door('SELECT count(*) FROM ONLY parent', '^42501', '\(0\)', 'ONLY');
SET ROLE doors_tap_ana;
SELECT throws_ok('CREATE TABLE grandchild () INHERITS (doors_tap.parent)', '42501', NULL, 'no child of its own');
SELECT throws_ok('CREATE TABLE like_it (LIKE doors_tap.t)', '42501', NULL, 'no table like it');
RESET ROLE;

-- ---- names ----

SET ROLE doors_tap_ana;
CREATE AGGREGATE dp_sum(float8) (SFUNC = float8pl, STYPE = float8, INITCOND = 0);
RESET ROLE;
SELECT door('SELECT dp_sum(x) FROM t', '^42501', '\(490000\)', 'an aggregate of the name of one of ours');
DROP AGGREGATE dp_sum(float8);

-- ---- policies ----

CREATE TABLE walled (id int PRIMARY KEY, whose name NOT NULL, x float8 NOT NULL);
INSERT INTO walled SELECT i, CASE WHEN i <= 700 THEN 'doors_tap_ana' ELSE 'doors_tap_reader' END, i % 10 FROM generate_series(1, 1000) i;
CREATE TABLE friends (who name, whose name);
INSERT INTO friends VALUES ('doors_tap_reader', 'doors_tap_ana');
ALTER TABLE walled OWNER TO doors_tap_owner;
GRANT SELECT ON walled TO doors_tap_reader;
GRANT SELECT ON friends TO PUBLIC;
DO $$ BEGIN
    PERFORM dpsens.protect('walled', adjacency => 'replace'), dpsens.set_range('walled', 'x', 0, 10);
    PERFORM dpsens.grant_budget('walled', g, epsilon => 1000000) FROM unnest('{doors_tap_ana, doors_tap_reader}'::regrole[]) g;
END $$;
PREPARE of_walls AS SELECT dp_count(*) FROM walled;
SELECT door('SELECT sensitivity FROM dpsens.explain(''SELECT dp_count(*) FROM walled'')', '\(0\)', '\(0\)', 'no policy, no selection');
ALTER TABLE walled ENABLE ROW LEVEL SECURITY;
SELECT door('SELECT dp_count(*) FROM walled', '\(0\)', '\(0\)', 'no policy, no row');
CREATE POLICY own ON walled USING (whose = CURRENT_USER);
SELECT door('SELECT sensitivity FROM dpsens.explain(''SELECT dp_count(*) FROM walled'')', '\(1\)', '\(1\)', 'a policy is a selection');
SELECT door('SELECT sensitivity FROM dpsens.explain(''SELECT dp_sum(x) FROM walled'')', '\(10\)', '\(10\)', 'of a sum, too');
SELECT door('SELECT dp_count(*) FROM walled', '\(700\)', '\(300\)', 'everybody''s own policies');
SELECT door('EXECUTE of_walls', '\(700\)', '\(300\)', 'in a statement that was prepared by somebody else');
SELECT door('SELECT count(*) FROM walled', '^42501', '\(300\)', 'and no row');
SELECT is(run('doors_tap_owner', 'EXECUTE of_walls'), '00000|(1000)', 'none for the owner');
ALTER TABLE walled FORCE ROW LEVEL SECURITY;
SELECT is(run('doors_tap_owner', 'EXECUTE of_walls'), '00000|(0)', 'unless it is forced');
ALTER TABLE walled NO FORCE ROW LEVEL SECURITY;
CREATE POLICY small ON walled AS RESTRICTIVE TO doors_tap_ana USING (1000 / (x - 5) > 0);
SELECT door('EXECUTE of_walls', '\(280\)', '\(300\)', 'two policies, one of which fails on some rows');
SELECT door('SELECT dp_count(*) FROM walled WHERE 1 / (id - 1) >= 0', '\(280\)', '\(300\)', 'a condition beside a policy');
SELECT matches(run('doors_tap_owner', 'SELECT 1000 / (x - 5) FROM walled ORDER BY id OFFSET 4 LIMIT 1'), '^22012', 'it does');
CREATE POLICY friend ON walled TO doors_tap_reader USING (EXISTS (SELECT FROM friends f WHERE f.who = CURRENT_USER AND f.whose = walled.whose));
SELECT is(run('doors_tap_reader', 'SELECT dp_count(*) FROM walled'), '00000|(1000)', 'a subquery in a policy');
ALTER POLICY friend ON walled TO doors_tap_ana;
SELECT matches(run('doors_tap_ana', 'SELECT dp_count(*) FROM walled'), '^0A000', 'which needs SELECT privilege');
ALTER POLICY friend ON walled TO doors_tap_reader USING (EXISTS (SELECT FROM walled w WHERE w.id = walled.id));
SELECT matches(run('doors_tap_reader', 'SELECT dp_count(*) FROM walled'), '^42P17|^0A000', 'a policy over the table itself');
DROP POLICY friend ON walled;
CREATE VIEW own_wall AS SELECT * FROM walled;
ALTER VIEW own_wall OWNER TO doors_tap_ana;
SELECT is(run('doors_tap_ana', 'SELECT dp_count(*) FROM own_wall'), '00000|(280)', 'a view of its own');
ALTER ROLE doors_tap_ana BYPASSRLS;
SELECT is(run('doors_tap_ana', 'EXECUTE of_walls'), '00000|(1000)', 'none for whoever bypasses them');
ALTER ROLE doors_tap_ana NOBYPASSRLS;
SET row_security = off;
SELECT matches(run('doors_tap_ana', 'SELECT dp_count(*) FROM walled'), '^42501', 'row_security = off');
RESET row_security;

-- ---- timeouts: not while rows are read ----

CREATE TABLE slow (n numeric NOT NULL);
INSERT INTO slow SELECT i + 0.123456789 FROM generate_series(1, 10000) i;
ALTER TABLE slow OWNER TO doors_tap_owner;
GRANT SELECT ON slow TO doors_tap_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('slow');
    PERFORM dpsens.grant_budget('slow', g, epsilon => 1000000) FROM unnest('{doors_tap_ana, doors_tap_reader}'::regrole[]) g;
END $$;
\set ON_ERROR_STOP 0
SELECT string_agg(format('n ^ %s.7', i), ' + ') AS powers FROM generate_series(30, 130) i \gset
\set slow 'dp_count(*) AS rows FROM slow WHERE n ^ 30.3 + n ^ 30.7 > 0'
SET statement_timeout = '1s'; -- clock: an analyst's answer does not mind, the others sleep until then or compute for much longer
SET ROLE doors_tap_ana;
SELECT :slow \gset
SELECT is(:'SQLSTATE'::text, '00000', 'an analyst''s answer comes however long it takes');
SELECT is(:rows, 10000, 'with all rows');
SELECT pg_sleep(3600);
SELECT is(:'SQLSTATE'::text, '57014', 'the timeout holds for the next statement');
SET ROLE doors_tap_reader;
SELECT dp_count(*) AS rows FROM slow WHERE :powers > 0 \gset
SELECT is(:'SQLSTATE'::text, '57014', 'a reader''s does not');
SET statement_timeout = '2s'; -- clock: the sleeps alone take longer
SET ROLE doors_tap_ana;
DO $$ BEGIN FOR i IN 1..3 LOOP PERFORM pg_sleep(1); PERFORM dp_count(*) FROM doors_tap.slow WHERE n > i; END LOOP; PERFORM pg_sleep(1); END $$; -- clock: the timeout ends it
SELECT is(:'SQLSTATE'::text, '57014', 'an answer does not start it anew');
RESET ROLE;
RESET statement_timeout;
\set ON_ERROR_STOP 1

SELECT * FROM finish();
DROP SCHEMA doors_tap CASCADE;
DROP SCHEMA IF EXISTS doors_tap_ana CASCADE;
DROP OWNED BY doors_tap_owner, doors_tap_ana, doors_tap_reader, doors_tap_monitor, doors_tap_late;
DROP ROLE doors_tap_owner, doors_tap_ana, doors_tap_reader, doors_tap_monitor, doors_tap_late;
