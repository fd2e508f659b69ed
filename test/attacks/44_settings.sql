-- Row 22: settings of whoever asks, by which what happens to a row could be seen.  All
-- of the server's, one after the other, each with values that are not its own:
-- answers, errors and messages are the same as without, or else the same with and
-- without the person.
\ir start.sql
CREATE EXTENSION btree_gin;
CREATE TABLE clinic.worn (k int NOT NULL, x float8 NOT NULL);
INSERT INTO clinic.worn SELECT i % 2, i % 50 FROM generate_series(1, 4000) AS i;
CREATE INDEX ON clinic.worn USING gin (k);
ANALYZE clinic.worn;
CREATE TABLE clinic.here AS SELECT * FROM clinic.people;
CREATE TABLE clinic.gone AS SELECT * FROM clinic.others;
SELECT format('ALTER TABLE clinic.%I OWNER TO dpsens_attack_owner', t), format('GRANT SELECT ON clinic.%I TO dpsens_attack_reader', t) FROM unnest('{worn, here, gone}'::text[]) t \gexec
DO $$ BEGIN
    PERFORM dpsens.protect(r), dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000000, own_tables => true) FROM unnest('{worn, here, gone}'::regclass[]) r;
END $$;

-- as a setting's built-in value is shown, with its unit
CREATE FUNCTION lab.built_in(of text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    boot text := coalesce((SELECT boot_val FROM pg_settings WHERE name = of), '');
    shown text;
BEGIN
    BEGIN
        shown := set_config(of, boot, true);
        RAISE EXCEPTION 'it is set no more';
    EXCEPTION WHEN OTHERS THEN
        RETURN coalesce(shown, boot);
    END;
END $$;
-- the true answers are the same with and without her; the last one says whether a
-- setting has its value where rows are read
CREATE FUNCTION lab.questions(world text, setting text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(replace(E'SET dpsens.epsilon = 60; SET enable_seqscan = off;\n'
        'SELECT dp_count(*) FROM worn WHERE k = 1;\n'
        'SELECT dp_count(*) FROM %t WHERE (id || name || coalesce(note, ''''))::int > 0 OR NOT secret AND (name ~ ''^[0-9]'' OR 1 / pay >= 0);\n'
        'SELECT dp_count(*) FROM %t WHERE name ILIKE ''%bed'' AND NOT secret OR upper(feels::text)::int > 0 OR born + age::int < ''1960-01-01'';\n'
        'SELECT dp_count(*) FROM %t WHERE NOT secret AND pg_notify(name, name) IS NULL;\n'
        '\\echo ---\n'
        'SELECT dp_count(*) > 200, true FROM %t WHERE current_setting(CASE WHEN id > 0 THEN ''%s'' END) <> ''%v'';\n',
        '%t', world), '%s', setting), '%v', lab.built_in(setting));
$$;
-- one session for each setting would take long: only for those that make a difference
CREATE TABLE lab.settings AS
WITH candidates AS (
    SELECT name, context, unnest(CASE vartype
        WHEN 'bool' THEN ARRAY[CASE boot_val WHEN 'on' THEN 'off' ELSE 'on' END]
        WHEN 'enum' THEN array_remove(enumvals, boot_val)
        WHEN 'string' THEN ARRAY['', 'C', 'all']
        ELSE ARRAY[min_val, max_val, '1'] END) AS value
    -- of these, who asks, for how long, and what is refused to everybody
    FROM pg_settings WHERE context IN ('user', 'superuser') AND vartype IS NOT NULL
        -- where a server has it, a look at its catalogs takes hours
        AND name <> 'debug_discard_caches'
        AND name !~ '^(dpsens\.|session_authorization$|role$|search_path$|statement_timeout$|transaction_timeout$|lock_timeout$|idle_|row_security$|max_stack_depth$|exit_on_error$)'
)
SELECT DISTINCT dense_rank() OVER (ORDER BY name, value) AS number, name, value,
    format(E'SET jit = off;\n' || CASE context WHEN 'user' THEN E'SET SESSION AUTHORIZATION dpsens_attack_ana;\nSET %1$s = %2$L;\n' ELSE E'SET %1$s = %2$L;\nSET SESSION AUTHORIZATION dpsens_attack_ana;\n' END, name, value) AS begins
FROM candidates;
SELECT cmp_ok(count(DISTINCT name), '>', 150::bigint, 'many settings') FROM lab.settings;
CREATE FUNCTION lab.outcomes(said text) RETURNS TABLE (number int, outcome text, has_say boolean) LANGUAGE sql AS $$
    SELECT split_part(part, E'\n', 1)::int, replace(regexp_replace(coalesce(substring(part FROM E'\n---\n(.*)\n---\n'), 'cannot be asked'), 'psql:[^ ]*:\d+:', '', 'g'), 'gone', 'here'),
        part ~ E'\nt\\|t$'
    FROM regexp_split_to_table(said, '(^|\n)=== ') part WHERE part <> '';
$$;
\set script `mktemp`
\setenv SCRIPT :script
SELECT format(E'\\echo === %s\nRESET SESSION AUTHORIZATION;\nRESET ALL;\nSET client_min_messages = notice;\n%s\\echo ---\n%s', number, begins, lab.questions('here', name))
FROM (SELECT 0, '', E'SET jit = off;\nSET SESSION AUTHORIZATION dpsens_attack_ana;\n' UNION ALL SELECT number, name, begins FROM lab.settings) s (number, name, begins) ORDER BY number
\g (format=unaligned tuples_only=on) :script
\set said `psql -XAtq -f "$SCRIPT" 2>&1`
CREATE TABLE lab.found AS SELECT number, name, name || ' = ' || value AS setting, outcome, has_say FROM lab.outcomes(:'said') LEFT JOIN lab.settings USING (number);
SELECT is((SELECT count(*) FROM lab.found), (SELECT count(*) + 1 FROM lab.settings), 'all were tried');
SELECT matches((SELECT outcome FROM lab.found WHERE number = 0), E'^2000\n399\n0\n ERROR:  function pg_notify', 'the answers');
SELECT is((SELECT string_agg(setting, ', ' ORDER BY number) FROM lab.found WHERE outcome ~ '^\s*\d' AND outcome !~ E'^2000\n399\n0\n'), NULL, 'no setting changes an answer');
CREATE VIEW lab.changed AS SELECT * FROM lab.found WHERE outcome <> (SELECT outcome FROM lab.found WHERE number = 0);
-- in a session of its own each, with and without her
SELECT format(E'\\connect -\n\\echo === %s\n%s\\echo ---\n%s', CASE world WHEN 'here' THEN number ELSE -number END, begins, lab.questions(world, s.name))
FROM lab.changed JOIN lab.settings s USING (number), unnest('{here, gone}'::text[]) world ORDER BY number
\g (format=unaligned tuples_only=on) :script
\set said `psql -XAtq -f "$SCRIPT" 2>&1`
SELECT is(gone.outcome, here.outcome, setting || ' shows nothing of her') FROM lab.changed JOIN lab.outcomes(:'said') here USING (number) LEFT JOIN lab.outcomes(:'said') gone ON gone.number = -here.number;
-- Of rows, that is: without one it is the asker's own.  Whoever lets another one have a say says in run_settings.c why nothing is seen by it; those
-- of a language that is not loaded yet mean nothing
-- a clean room is sent fewer, and has a transaction of its own kind
SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") AS have_a_say
FROM regexp_split_to_table('IntervalStyle TimeZone application_name array_nulls backend_flush_after backslash_quote bytea_output client_encoding client_min_messages constraint_exclusion cursor_tuple_fraction '
        'default_text_search_config effective_cache_size escape_string_warning extra_float_digits hash_mem_multiplier plan_cache_mode quote_all_identifiers recursive_worktable_factor '
        'standard_conforming_strings timezone_abbreviations track_counts transform_null_equals work_mem '
    || CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode ' ELSE 'debug_parallel_query ' END
    || CASE WHEN :'rooms' THEN 'transaction_isolation transaction_read_only'
            ELSE 'default_toast_compression session_replication_role stats_fetch_consistency temp_buffers track_activities update_process_title' END, ' ') AS name \gset
SELECT is((SELECT string_agg(DISTINCT name, ' ' ORDER BY name) FROM lab.found WHERE has_say
        AND name !~ '^(enable_|geqo|jit|lc_|cpu_|parallel_|min_parallel_|max_parallel_|default_transaction_|xml|tcp_|plpgsql\.)|_(cost|io_concurrency|collapse_limit)$'),
    :'have_a_say', 'what has a say');
-- those that only the beginning of a connection sets, and cannot be set back: under
-- ignore_system_indexes the server warns of each long cell that it fetches
CREATE FUNCTION lab.lengthen(world regclass) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('ALTER TABLE %s ADD long text; ALTER TABLE %1$s ALTER long SET STORAGE EXTERNAL; UPDATE %1$s SET long = repeat(name, CASE WHEN secret THEN 3000 ELSE 1 END)', world); END $$;
SELECT lab.lengthen('clinic.here'), lab.lengthen('clinic.gone') \g /dev/null
CREATE TABLE lab.beginnings AS
SELECT (row_number() OVER (ORDER BY name))::int AS number, name, format('%s=%s', name, CASE vartype WHEN 'bool' THEN CASE boot_val WHEN 'on' THEN 'off' ELSE 'on' END ELSE '1' END) AS option
FROM pg_settings WHERE context IN ('backend', 'superuser-backend');
SELECT format(E'\\connect -reuse-previous=on "options=''-c search_path=clinic,lab,public -c client_min_messages=notice -c %s''"\n\\echo === %s\nSET jit = off;\nSET SESSION AUTHORIZATION dpsens_attack_ana;\n\\echo ---\n%s',
    option, sign * number, replace(lab.questions(world, name), '\echo ---', format(E'SELECT dp_count(*) FROM %s WHERE length(long) < 0;\n\\echo ---', world)))
FROM lab.beginnings, (VALUES ('here', 1), ('gone', -1)) w (world, sign) ORDER BY number
\g (format=unaligned tuples_only=on) :script
\set said `psql -XAtq -f "$SCRIPT" 2>&1`
SELECT is(gone.outcome, here.outcome, 'no say at the beginning of a connection: ' || option)
FROM lab.beginnings LEFT JOIN lab.outcomes(:'said') here USING (number) LEFT JOIN lab.outcomes(:'said') gone ON gone.number = -here.number ORDER BY here.number;
SELECT cmp_ok(count(*), '>=', 4::bigint, 'some such settings') FROM lab.beginnings;

\setenv ASK 'SET SESSION AUTHORIZATION dpsens_attack_ana; SET dpsens.epsilon = 60; SET client_min_messages = debug1; SELECT dp_count(*) FROM here WHERE NOT secret AND current_setting(CASE WHEN id > 0 THEN $$client_min_messages$$ END) = $$error$$'
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT is(:'said'::text, '399', 'messages below an error are not sent');

\setenv ASK 'SET SESSION AUTHORIZATION dpsens_attack_ana; SET dpsens.epsilon = 60; SET exit_on_error = on; SELECT dp_count(*) FROM here WHERE (id || name || coalesce(note, $$$$))::int > 0 OR name !~ $$^Z$$'
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT is(:'said'::text, '399', 'errors that are caught stay so');
\setenv ASK 'SET SESSION AUTHORIZATION dpsens_attack_reader; SET exit_on_error = on; SELECT count(*) FROM here WHERE (id || name || coalesce(note, $$$$))::int > 0'
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT matches(:'said'::text, 'FATAL.*type integer: "\w+"', 'open to others');

-- by what is called before rows are read, in the same statement
CREATE FUNCTION lab.set_late(name text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    result := set_config(name, value, false);
    RETURN result;
END $$;
CREATE FUNCTION lab.set_inside(name text, value text) RETURNS text LANGUAGE sql SET exit_on_error = on AS $$ SELECT current_setting('exit_on_error') $$;
CREATE FUNCTION lab.set_by_statement(name text, value text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('SET %s = %L', name, value); RETURN value; END $$;
SELECT matches(lab.try('dpsens_attack_ana', format('SELECT %s(%L, %L) IS NULL, (SELECT dp_count(true, 60) FROM worn WHERE k = 1 AND current_setting(%L) = %L)', setter, name, value, name, own), 'RESET ' || name),
    E'^00000\\|\\(f,2000\\)\n00000$', setter || ' of ' || name || ' has no say where rows are read')
FROM unnest('{lab.set_late, lab.set_by_statement, lab.set_inside}'::text[]) setter,
    (VALUES ('client_min_messages', 'debug1', CASE WHEN :'rooms' THEN 'warning' ELSE 'error' END), ('gin_fuzzy_search_limit', '1', '0')) v (name, value, own);
RESET ROLE;
SELECT is(current_setting('exit_on_error') || current_setting('gin_fuzzy_search_limit'), 'off0', 'nothing stays set');

-- calls that are counted
SET track_functions = 'all';
BEGIN;
SELECT lab.try('dpsens_attack_ana', 'SELECT dp_count(*) FROM here WHERE (id || name)::int > 0') ~ '^00000' AS asked \gset
RESET ROLE;
SELECT is((SELECT sum(calls) FROM pg_stat_xact_user_functions WHERE funcid = 'dpsens_internal.exact_attempt'::regproc), NULL, 'calls are not counted row by row');
SELECT cmp_ok((SELECT sum(calls) FROM pg_stat_xact_user_functions), '>', 0::numeric, 'others are');
COMMIT;
SELECT ok(:'asked', 'it was an answer');
RESET track_functions;
SELECT * FROM finish();
