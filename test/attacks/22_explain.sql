-- Row 22: plans and what they say of the rows: estimates, counts, buffers.
\ir start.sql
SET ROLE dpsens_attack_ana;
CREATE VIEW lab.answer22 AS SELECT dp_count(*) AS n FROM clinic.people WHERE name = 'Zebedee';
CREATE TABLE lab.kept22 (n bigint);
CREATE FUNCTION lab.plan_of(question text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r record; said text = ''; BEGIN FOR r IN EXECUTE 'EXPLAIN ' || question LOOP said := said || r::text; END LOOP; RETURN said; END $$;
RESET ROLE;
GRANT ALL ON lab.kept22, lab.answer22 TO PUBLIC;
SELECT attempt('EXPLAIN ' || options || ' ' || question, format('EXPLAIN %s %s', options, question), '42501', format('EXPLAIN %s %s', replace(options, ', ANALYZE', ''), replace(question, 'dp_count', 'count')), '(Plan|Scan|Insert|Query)')
FROM unnest(ARRAY['', '(FORMAT JSON)', '(FORMAT XML)', '(FORMAT YAML, VERBOSE)', '(COSTS OFF)', '(ANALYZE)', '(ANALYZE, TIMING OFF, SUMMARY OFF)', '(ANALYZE, BUFFERS, WAL)', '(SETTINGS)', '(GENERIC_PLAN)']) options,
    unnest(ARRAY['SELECT dp_count(*) FROM people WHERE name = ''Zebedee''']) question WHERE options <> '(GENERIC_PLAN)';
SELECT attempt('EXPLAIN ' || question, 'EXPLAIN ' || question, '(42501|0A000)', 'EXPLAIN ' || replace(replace(question, 'dp_', ''), 'answer22', '(SELECT count(*) AS n FROM people WHERE name = ''Zebedee'') a'), '(Plan|Scan|Insert|Query)')
FROM unnest(ARRAY['CREATE TABLE lab.x22 AS SELECT dp_count(*) FROM people', 'CREATE MATERIALIZED VIEW lab.x22 AS SELECT dp_count(*) FROM people', 'INSERT INTO lab.kept22 SELECT dp_count(*) FROM people', 'DECLARE c CURSOR FOR SELECT dp_count(*) FROM people', 'SELECT n FROM answer22',
    'SELECT (SELECT dp_count(*) FROM people)', 'SELECT * FROM shops WHERE x > (SELECT dp_count(*) FROM people)', 'WITH a AS (SELECT dp_count(*) AS n FROM people) SELECT n FROM a', 'SELECT dp_count(*) FROM people UNION ALL SELECT dp_count(*) FROM others',
    'SELECT * FROM people WHERE id = 42', 'SELECT count(*) FROM people WHERE name = ''Zebedee''', 'UPDATE people SET note = name', 'DELETE FROM people WHERE name = ''Zebedee''', 'INSERT INTO lab.open_people (id) SELECT id FROM people', 'SELECT * FROM wards_old', 'TABLE people']) question;
SELECT attempt('EXPLAIN EXECUTE', ARRAY['PREPARE p22 AS SELECT dp_count(*) FROM people WHERE id = 42', 'EXPLAIN EXECUTE p22', 'DEALLOCATE p22'], '42501', ARRAY['PREPARE p22 AS SELECT count(*) FROM people WHERE id = 42', 'EXPLAIN EXECUTE p22', 'DEALLOCATE p22'], 'Scan');
SELECT attempt('EXPLAIN EXECUTE of a generic plan', ARRAY['SET plan_cache_mode = force_generic_plan', 'PREPARE p22(int) AS SELECT dp_count(*) FROM people WHERE id = $1', 'EXECUTE p22(42)', 'EXPLAIN EXECUTE p22(42)', 'DEALLOCATE p22', 'RESET plan_cache_mode'], '42501',
    ARRAY['SET plan_cache_mode = force_generic_plan', 'PREPARE p22(int) AS SELECT count(*) FROM people WHERE id = $1', 'EXECUTE p22(42)', 'EXPLAIN EXECUTE p22(42)', 'DEALLOCATE p22', 'RESET plan_cache_mode'], 'Scan');
SELECT attempt('a plan that a reader has made', ARRAY['SET ROLE dpsens_attack_reader', 'PREPARE p22 AS SELECT dp_count(*) FROM people WHERE id = 42',
    'EXPLAIN EXECUTE p22', 'SET ROLE dpsens_attack_ana', 'EXPLAIN EXECUTE p22', 'DEALLOCATE p22'], '42501',
    ARRAY['PREPARE p22 AS SELECT dp_count(*) FROM people WHERE id = 42', 'EXPLAIN EXECUTE p22', 'DEALLOCATE p22'], 'Scan');
SELECT attempt('EXPLAIN in a function', 'SELECT lab.plan_of(''SELECT dp_count(*) FROM people'')', '42501', 'SELECT lab.plan_of(''SELECT dp_count(*) FROM people'')', 'Scan');
SELECT attempt('EXPLAIN ANALYZE CREATE TABLE AS', 'EXPLAIN ANALYZE CREATE TABLE lab.x22 AS SELECT dp_count(*) FROM people', '42501', 'EXPLAIN ANALYZE CREATE TABLE lab.x22 AS SELECT count(*) FROM people', 'Scan');
SELECT attempt('EXPLAIN of what calls a function', 'EXPLAIN (ANALYZE, COSTS OFF) SELECT lab.plan_of(''SELECT dp_count(*) FROM people'')', '42501', 'EXPLAIN (ANALYZE, COSTS OFF) SELECT lab.plan_of(''SELECT dp_count(*) FROM people'')', 'actual time');
-- the server's own ways to print a plan, to a client that listens
CREATE FUNCTION lab.ask_as(who text, settings text) RETURNS text LANGUAGE sql AS $$ SELECT format('SET client_min_messages = debug5; %s; SET SESSION AUTHORIZATION %s; SELECT dp_count(*) > -1000000 FROM people WHERE id = 42', settings, who) $$;
SELECT lab.ask_as('dpsens_attack_ana', s) AS ana, lab.ask_as('dpsens_attack_reader', s) AS reader FROM (VALUES ('LOAD ''auto_explain''; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on')) v (s) \gset
\setenv ASK :ana
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT doesnt_match(:'said'::text, 'on people|Query Text: SELECT dp_|Zebedee', 'auto_explain');
\setenv ASK :reader
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT matches(:'said'::text, 'on people', 'auto_explain: open to others');
-- at levels that the log leaves out, and that go to the client all the same
SELECT string_agg(lab.ask_as('dpsens_attack_ana', load || s), E'\n') AS ana, string_agg(lab.ask_as('dpsens_attack_reader', load || s), E'\n') AS reader
FROM unnest(ARRAY['SET auto_explain.log_level = notice', 'SET auto_explain.log_level = debug1', 'SET auto_explain.log_level = info', 'SET log_min_messages = panic']) s,
    (VALUES ('LOAD ''auto_explain''; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; ')) l (load) \gset
\setenv ASK :ana
\set said `printf '%s\n' "$ASK" | while read -r ask; do psql -XAtq -c "$ask" 2>&1; done`
SELECT doesnt_match(:'said'::text, 'on people|Query Text: SELECT dp_|Zebedee', 'auto_explain at other levels');
SELECT is((SELECT count(*) FROM regexp_matches(:'said'::text, 'while "auto_explain.log_min_duration" is on', 'g')), 4::bigint, 'which are refused');
\setenv ASK :reader
\set said `printf '%s\n' "$ASK" | while read -r ask; do psql -XAtq -c "$ask" 2>&1 | grep -m 1 'on people'; done`
SELECT is((SELECT count(*) FROM regexp_matches(:'said'::text, 'on people', 'g')), 4::bigint, 'auto_explain at other levels: open to others');
SELECT lab.ask_as('dpsens_attack_ana', 'SET debug_print_plan = on') AS ana, lab.ask_as('dpsens_attack_reader', 'SET debug_print_plan = on') AS reader \gset
\setenv ASK :ana
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT doesnt_match(:'said'::text, ':relid ' || 'clinic.people'::regclass::oid || '\M', 'debug_print_plan');
\setenv ASK :reader
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT matches(:'said'::text, ':relid ' || 'clinic.people'::regclass::oid || '\M', 'debug_print_plan: open to others');
SELECT attempt('setting ' || setting, ARRAY[format('SET %s = on', setting), 'SELECT dp_count(*) FROM people WHERE id = 42', format('SET %s = off', setting)], '42501',
    ARRAY[format('SET %s = on', setting), 'SELECT dp_count(*) > -1000 FROM people WHERE id = 42', format('SET %s = off', setting)], '00000.\(t\)')
FROM unnest('{debug_print_plan,trace_sort}'::text[]) setting;
SELECT attempt('setting ' || setting, format('SET %s = on', setting), '42501', 'SELECT 1',
    '00000') FROM unnest('{log_executor_stats,log_planner_stats,log_duration,log_lock_waits,session_preload_libraries,log_min_messages,track_functions,track_io_timing,track_activities,track_counts,zero_damaged_pages,max_stack_depth,temp_file_limit}'::text[]) setting;
DROP TABLE IF EXISTS lab.x22;
SELECT * FROM finish();
