-- What is no attack, and keeps working: what clients ask of the catalogues, as
-- whom they show it to.  psql itself is asked; what it asks to complete words,
-- and what JDBC's driver makes of DatabaseMetaData, is recorded.  For DBeaver and
-- pgAdmin there are statements of the same tables, columns and functions as in
-- their sources (org.jkiss.dbeaver.ext.postgresql; the SQL templates of pgAdmin 4).
\ir start.sql

-- psql's own
\setenv PGOPTIONS '-c search_path=clinic,lab,public -c client_min_messages=error -c role=dpsens_attack_ana'
\set commands '\\d\n\\d people\n\\d+ people\n\\d+ wards\n\\d+ wards_old\n\\d+ nurses\n\\d+ walled\n\\dt+ clinic.*\n\\dtvmsEiP+ *.*\n\\di+ clinic.*\n\\dv+\n\\dm+\n\\ds+\n\\dE\n\\dP+\n\\df+ dp_*\n\\df+ dpsens.*\n\\da+ dp_*\n\\dn+\n\\dp clinic.*\n\\z people\n\\ddp\n\\du+\n\\dg\n\\drds\n\\dT+ lab.*\n\\dD+\n\\db\n\\dL+\n\\dx+\n\\dy\n\\dX\n\\dF+\n\\dFd\n\\dO\n\\dc\n\\dC+\n\\dd\n\\dA+\n\\dAc btree\n\\dAf btree\n\\dAo btree\n\\dAp btree\n\\des\n\\deu\n\\dew\n\\det\n\\dl\n\\dRp\n\\dRs\n\\dconfig dpsens.*\n\\l+\n\\sf double_age\n\\sv dpsens.columns\n\\d dpsens.*\n\\conninfo\n\\encoding\n\\errverbose\n\\gdesc\n'
\setenv COMMANDS :commands
\set said `printf '%b' "$COMMANDS" | psql -X 2>&1 >/dev/null | grep -v '^Did not find'`
SELECT is(:'said'::text, '', 'no command of psql fails');
\set said `printf '%b' "$COMMANDS" | psql -X 2>/dev/null | grep -c people`
SELECT cmp_ok(:'said'::int, '>', 10, 'they show the tables');
\set said `printf '%b' "$COMMANDS" | psql -X 2>/dev/null | grep -c 'Zebedee wrote'`
SELECT is(:'said'::int, 0, 'and nobody in them');
\setenv PGOPTIONS '-c search_path=clinic,lab,public -c dpsens.epsilon=4 -c client_min_messages=warning'

-- As many rows as a role that may read the tables gets, or as many as are said.
CREATE FUNCTION lab.shown(client text, question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    counting text = format('SELECT count(*) FROM (%s) AS q', question);
    said text = lab.try('dpsens_attack_ana', question, counting);
    seen text = lab.try('dpsens_attack_reader', counting);
BEGIN
    PERFORM set_config('role', 'none', false);
    RETURN NEXT ok(said ~ '^00000' AND said LIKE '%' || seen AND said !~* 'zebedee', client || ': ' || left(question, 90));
    IF said !~ '^00000' OR said NOT LIKE '%' || seen OR said ~* 'zebedee' THEN
        RETURN NEXT diag(left(said, 500) || E'\nreader: ' || seen);
    END IF;
END $$;

-- as they were recorded (clients/record.sh)
\set recorded `cat clients/psql.txt`
SELECT lab.shown('psql completes', question) FROM regexp_split_to_table(:'recorded', E'\n;\n?') question WHERE question <> '';
\set recorded `cat clients/jdbc.txt`
SELECT lab.shown('JDBC', question) FROM regexp_split_to_table(:'recorded', E'\n;\n?') question WHERE question <> '';
-- and the driver itself, where there is one
\set said `clients/jdbc.sh 2>&1`
SELECT CASE WHEN :'said' LIKE 'skipped%' THEN skip(:'said'::text, 1) ELSE matches(:'said'::text, '\n0A000\nclinic ' || current_database() || ' true$', 'JDBC reads everything, and is answered') END;

SELECT lab.shown('DBeaver', question)
FROM unnest(ARRAY[
    $$SELECT version()$$, $$SELECT current_schema(), session_user$$, $$SELECT current_setting('search_path')$$, $$SELECT db.oid,
    db.* FROM pg_database db WHERE datallowconn$$, $$SELECT n.oid, n.*,
    d.description FROM pg_namespace n LEFT JOIN pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass ORDER BY nspname$$,
    $$SELECT a.oid, a.* FROM pg_roles a ORDER BY a.rolname$$, $$SELECT s.name, s.setting, s.unit, s.category, s.short_desc FROM pg_settings s ORDER BY 1$$,
    $$SELECT t.oid, t.*, c.relkind, format_type(nullif(t.typbasetype, 0), t.typtypmod) AS base_type_name,
    d.description FROM pg_type t LEFT JOIN pg_type et ON et.oid = t.typelem LEFT JOIN pg_class c ON c.oid = t.typrelid LEFT JOIN pg_description d ON t.oid = d.objoid WHERE t.typname IS NOT NULL$$,
    $$SELECT c.oid, c.*, d.description, pg_get_expr(c.relpartbound, c.oid) AS partition_expr,
    pg_get_partkeydef(c.oid) AS partition_key FROM pg_class c LEFT JOIN pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass WHERE c.relnamespace = 'clinic'::regnamespace AND c.relkind NOT IN ('i',
    'I', 'c')$$,
    $$SELECT c.relname, a.*, pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description,
    dep.objid FROM pg_attribute a JOIN pg_class c ON a.attrelid = c.oid LEFT JOIN pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum LEFT JOIN pg_description dsc ON c.oid = dsc.objoid AND a.attnum = dsc.objsubid LEFT JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum WHERE NOT a.attisdropped AND c.relname = 'people'$$,
    $$SELECT c.oid, c.*, t.relname AS tabrelname, rt.relnamespace AS refnamespace, d.description,
    pg_get_constraintdef(c.oid) AS definition FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid LEFT JOIN pg_class rt ON rt.oid = c.confrelid LEFT JOIN pg_description d ON d.objoid = c.oid WHERE t.relnamespace = 'clinic'::regnamespace$$,
    $$SELECT i.*, i.indkey AS keys, c.relname, c.relnamespace, c.relam, c.reltablespace, tc.relname AS tabrelname, pg_get_expr(i.indpred, i.indrelid) AS pred_expr,
    pg_relation_size(i.indexrelid) AS index_rel_size,
    pg_stat_get_numscans(i.indexrelid) AS index_num_scans FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class tc ON tc.oid = i.indrelid WHERE tc.relnamespace = 'clinic'::regnamespace$$,
    $$SELECT c.oid, pg_total_relation_size(c.oid) AS total_rel_size,
    pg_relation_size(c.oid) AS rel_size FROM pg_class c WHERE c.relnamespace = 'clinic'::regnamespace GROUP BY c.oid$$,
    $$SELECT pg_database_size(current_database())$$, $$SELECT p.oid, p.*, pg_get_expr(p.proargdefaults, 0) AS arg_defaults,
    d.description FROM pg_proc p LEFT JOIN pg_description d ON d.objoid = p.oid WHERE p.pronamespace = 'dpsens'::regnamespace$$,
    $$SELECT t.oid, t.*, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = 'clinic'::regnamespace$$, $$SELECT r.oid,
    r.*, pg_get_ruledef(r.oid) FROM pg_rewrite r WHERE r.ev_class = 'dpsens.columns'::regclass$$, $$SELECT e.oid, e.extname, e.extversion,
    n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace$$,
    $$SELECT i.*, c.relnamespace FROM pg_inherits i, pg_class c WHERE i.inhparent = 'staff'::regclass AND c.oid = i.inhrelid$$, $$SELECT pol.polname,
    pg_get_expr(pol.polqual, pol.polrelid) FROM pg_policy pol$$, $$SELECT e.enumlabel FROM pg_enum e WHERE e.enumtypid = 'mood'::regtype ORDER BY e.enumsortorder$$,
    $$SELECT word FROM pg_get_keywords()$$, $$SELECT has_table_privilege('people', 'SELECT') IS NOT NULL, has_schema_privilege('clinic', 'USAGE')$$
]) question;

SELECT lab.shown('pgAdmin', question)
FROM unnest(ARRAY[
    $$SELECT oid AS id, rolname AS name, rolsuper AS is_superuser, CASE WHEN rolsuper THEN true ELSE rolcreaterole END AS can_create_role,
    CASE WHEN rolsuper THEN true ELSE rolcreatedb END AS can_create_db, CASE WHEN 'pg_signal_backend' = ANY (ARRAY(WITH RECURSIVE cte AS (SELECT pg_roles.oid,
    pg_roles.rolname FROM pg_roles WHERE pg_roles.oid = roles.oid UNION ALL SELECT m.roleid,
    pgr.rolname FROM cte cte_1 JOIN pg_auth_members m ON m.member = cte_1.oid JOIN pg_roles pgr ON pgr.oid = m.roleid) SELECT rolname FROM cte)) THEN true ELSE false END AS can_signal_backend FROM pg_roles AS roles WHERE rolname = current_user$$,
    $$SELECT db.oid AS did, db.datname, db.datallowconn, pg_encoding_to_char(db.encoding) AS serverencoding, has_database_privilege(db.oid, 'CREATE') AS cancreate, datlastsysoid IS NULL AS x FROM (SELECT *, NULL::oid AS datlastsysoid FROM pg_database) db WHERE db.datname = current_database()$$,
    $$SELECT gss_authenticated, encrypted FROM pg_stat_gssapi WHERE pid = pg_backend_pid()$$, $$SELECT set_config('bytea_output', 'hex',
    false) FROM pg_show_all_settings() WHERE name = 'bytea_output'$$, $$SELECT pg_is_in_recovery(),
    CASE pg_is_in_recovery() WHEN true THEN pg_is_wal_replay_paused() ELSE false END$$,
    $$SELECT nsp.oid, nsp.nspname AS name, has_schema_privilege(nsp.oid, 'CREATE') AS can_create, has_schema_privilege(nsp.oid, 'USAGE') AS has_usage,
    des.description FROM pg_namespace nsp LEFT JOIN pg_description des ON des.objoid = nsp.oid AND des.classoid = 'pg_namespace'::regclass WHERE nspname NOT LIKE 'pg\_%' AND NOT ((nsp.nspname = 'pg_catalog' AND EXISTS (SELECT 1 FROM pg_class WHERE relname = 'pg_class' AND relnamespace = nsp.oid LIMIT 1)))$$,
    $$SELECT rel.oid, rel.relname AS name, (SELECT count(*) FROM pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = FALSE) AS triggercount,
    (SELECT count(*) FROM pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = FALSE AND tgenabled = 'O') AS has_enable_triggers,
    CASE WHEN rel.relkind = 'p' THEN true ELSE false END AS is_partitioned,
    (SELECT count(1) FROM pg_inherits WHERE inhrelid = rel.oid LIMIT 1) AS is_inherits FROM pg_class rel WHERE rel.relkind IN ('r', 's', 't',
    'p') AND rel.relnamespace = 'clinic'::regnamespace AND NOT rel.relispartition$$,
    $$SELECT rel.oid, rel.relname, rel.reltablespace AS spcoid, rel.relacl AS relacl_str, pg_get_userbyid(rel.relowner) AS relowner, rel.relhassubclass,
    rel.reltuples::bigint, des.description, con.conname, con.conkey,
    EXISTS (SELECT 1 FROM pg_trigger JOIN pg_proc pt ON pt.oid = tgfoid AND pt.proname = 'logtrigger') AS isrepl, substring(array_to_string(rel.reloptions,
    ',') FROM 'fillfactor=([0-9]*)') AS fillfactor,
    (SELECT array_agg(provider || '=' || label) FROM pg_seclabels sl1 WHERE sl1.objoid = rel.oid AND sl1.objsubid = 0) AS seclabels,
    (SELECT st.setting FROM pg_show_all_settings() st WHERE st.name = 'default_table_access_method') AS default_amname
        FROM pg_class rel LEFT JOIN pg_description des ON des.objoid = rel.oid AND des.objsubid = 0 LEFT JOIN pg_constraint con ON con.conrelid = rel.oid AND con.contype = 'p' LEFT JOIN pg_class tst ON tst.oid = rel.reltoastrelid WHERE rel.relname = 'people' AND rel.relnamespace = 'clinic'::regnamespace$$,
    $$SELECT DISTINCT att.attname AS name, att.atttypid, att.attlen, att.attnum, att.attndims, att.atttypmod, att.attacl, att.attnotnull, att.attstattarget,
    att.attstorage, att.attidentity, pg_get_expr(def.adbin, def.adrelid) AS defval, format_type(ty.oid, NULL) AS typname, format_type(ty.oid,
    att.atttypmod) AS displaytypname, et.typname AS elemtypname, coll.collname, des.description, seq.seqtypid,
    (SELECT array_agg(provider || '=' || label) FROM pg_seclabels sl1 WHERE sl1.objoid = att.attrelid AND sl1.objsubid = att.attnum) AS seclabels
        FROM pg_attribute att JOIN pg_type ty ON ty.oid = atttypid LEFT JOIN pg_attrdef def ON adrelid = att.attrelid AND adnum = att.attnum LEFT JOIN pg_description des ON des.objoid = att.attrelid AND des.objsubid = att.attnum LEFT JOIN (pg_depend dep JOIN pg_class cs ON dep.classid = 'pg_class'::regclass AND dep.objid = cs.oid AND cs.relkind = 'S') ON dep.refobjid = att.attrelid AND dep.refobjsubid = att.attnum LEFT JOIN pg_sequence seq ON cs.oid = seq.seqrelid LEFT JOIN pg_type et ON et.oid = ty.typelem LEFT JOIN pg_collation coll ON att.attcollation = coll.oid WHERE att.attrelid = 'people'::regclass AND att.attnum > 0 AND att.attisdropped IS FALSE$$,
    $$SELECT st.relname AS "Table name", n_tup_ins AS "Tuples inserted", n_tup_upd AS "Tuples updated", n_tup_del AS "Tuples deleted",
    n_tup_hot_upd AS "Tuples HOT updated", n_live_tup AS "Live tuples", n_dead_tup AS "Dead tuples", last_vacuum AS "Last vacuum",
    last_autoanalyze AS "Last autoanalyze", vacuum_count, autoanalyze_count,
    pg_size_pretty(pg_relation_size(st.relid) + CASE WHEN cl.reltoastrelid = 0 THEN 0 ELSE pg_relation_size(cl.reltoastrelid) + coalesce((SELECT sum(pg_relation_size(indexrelid)) FROM pg_index WHERE indrelid = cl.reltoastrelid)::int8,
    0) END + coalesce((SELECT sum(pg_relation_size(indexrelid)) FROM pg_index WHERE indrelid = st.relid)::int8, 0)) AS "Total Size"
        FROM pg_stat_all_tables st JOIN pg_class cl ON cl.oid = st.relid WHERE schemaname = 'clinic' ORDER BY st.relname$$,
    $$SELECT seq_scan, seq_tup_read, idx_scan, idx_tup_fetch, heap_blks_read, heap_blks_hit, pg_size_pretty(pg_relation_size(stat.relid)) FROM pg_stat_all_tables stat JOIN pg_statio_all_tables statio ON stat.relid = statio.relid WHERE stat.relid = 'people'::regclass$$,
    $$SELECT cls.oid, cls.relname AS name, indisclustered, indisprimary, desp.description, pg_get_indexdef(indexrelid, 0,
    true) FROM pg_index idx JOIN pg_class cls ON cls.oid = indexrelid LEFT JOIN pg_depend dep ON dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.deptype = 'i' LEFT OUTER JOIN pg_description desp ON desp.objoid = cls.oid WHERE indrelid = 'people'::regclass$$,
    $$SELECT pid, datname, usename, application_name, client_addr, backend_start, state, wait_event_type || ': ' || wait_event AS wait_event, array_to_string(pg_blocking_pids(pid), ', ') AS blocking_pids, query FROM pg_stat_activity WHERE datname = current_database() AND pid = pg_backend_pid()$$,
    $$SELECT 'session_stats' AS chart_name, row_to_json(t) AS chart_data FROM (SELECT (SELECT count(*) FROM pg_stat_activity) AS "Total") t UNION ALL SELECT 'tps_stats',
    row_to_json(t) FROM (SELECT (SELECT sum(xact_commit) + sum(xact_rollback) FROM pg_stat_database) AS "Transactions") t UNION ALL SELECT 'ti_stats',
    row_to_json(t) FROM (SELECT (SELECT sum(tup_inserted) FROM pg_stat_database) AS "Inserts") t UNION ALL SELECT 'bio_stats',
    row_to_json(t) FROM (SELECT (SELECT sum(blks_read) FROM pg_stat_database) AS "Reads") t$$,
    $$SELECT locktype, pld.relation::regclass, mode, granted FROM pg_locks pld LEFT JOIN pg_stat_activity psa ON pld.pid = psa.pid WHERE pld.pid = 0$$, $$SELECT proname,
    pg_get_function_identity_arguments(pr.oid), lanname, pg_get_userbyid(proowner), provolatile,
    prosrc FROM pg_proc pr JOIN pg_language l ON l.oid = prolang WHERE pronamespace = 'dpsens'::regnamespace$$,
    $$SELECT 1 WHERE (SELECT count(*) FROM pg_catalog.pg_replication_slots) > 0 OR (SELECT count(extname) FROM pg_catalog.pg_extension WHERE extname = 'bdr') > 0$$,
    $$SELECT * FROM pg_catalog.pg_replication_slots$$, $$SELECT count(*) FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid$$,
    $$SELECT application_name, host(client_addr), sent_lsn, write_lag FROM pg_stat_replication ORDER BY pid$$, $$SELECT wal_records, wal_bytes,
    stats_reset FROM pg_stat_wal$$, $$SELECT archived_count, last_archived_time FROM pg_stat_archiver$$,
    CASE WHEN current_setting('server_version_num')::int < 170000 THEN $$SELECT checkpoints_timed, buffers_alloc,
    stats_reset FROM pg_stat_bgwriter$$ ELSE $$SELECT num_timed, buffers_written, stats_reset FROM pg_stat_checkpointer$$ END, $$SELECT name, statement,
    prepare_time FROM pg_prepared_xacts, pg_prepared_statements$$,
    $$SELECT label, provider, objname FROM pg_seclabels WHERE provider = 'dpsens'$$, $$SELECT nspname, relname,
    ft.* FROM pg_foreign_table ft JOIN pg_class c ON c.oid = ftrelid JOIN pg_namespace n ON n.oid = c.relnamespace$$, $$SELECT dep.deptype, dep.refclassid,
    cl.relkind,
    ad.adbin IS NULL FROM pg_depend dep LEFT JOIN pg_class cl ON dep.objid = cl.oid LEFT JOIN pg_attrdef ad ON ad.oid = dep.objid WHERE dep.refobjid = 'people'::regclass$$
]) question;
SELECT * FROM finish();
