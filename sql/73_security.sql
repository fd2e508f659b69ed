-- What would let a role around the guard: a self-test for administrators.

CREATE FUNCTION dpsens_internal.citus_relations(OUT relation regclass, OUT kind text, OUT is_protected boolean, OUT keeps_rows boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_citus_relations'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.citus_relations() IS
'What Citus makes of this database, without a row where it is not installed: the node itself, of relation 0, is a coordinator or a worker; each table that Citus manages is a table, or distributed where nodes can add up what is asked of it; a shard is listed where it has the label of a protected table. keeps_rows: the table itself, which should be empty, has pages on this server; null for roles from whom counters are hidden.';

CREATE FUNCTION dpsens.check_security(role pg_catalog.regrole)
RETURNS TABLE (finding text, severity text, object text, hint text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
WITH RECURSIVE
-- the role and what it can become
able (oid) AS (
	SELECT r.oid FROM pg_roles r WHERE r.oid = role
	UNION
	SELECT m.roleid FROM able a JOIN pg_auth_members m ON m.member = a.oid
),
members AS (
	SELECT r.*, CASE WHEN r.oid = role THEN '' ELSE format(', as a member of %I', r.rolname) END AS how
	FROM able a JOIN pg_roles r ON r.oid = a.oid
),
-- protected tables, and those whose rows are theirs
declared (oid, protected) AS (
	SELECT l.objoid, l.objoid FROM pg_seclabel l JOIN pg_class c ON c.oid = l.objoid
	WHERE l.provider = 'dpsens' AND l.classoid = 'pg_class'::regclass AND l.objsubid = 0 AND c.relkind IN ('r', 'p')
		AND l.label ~* '^\s*protected'
),
below (oid, protected) AS (
	SELECT d.oid, d.protected FROM declared d
	UNION
	SELECT i.inhrelid, b.protected FROM below b JOIN pg_inherits i ON i.inhparent = b.oid
),
above (oid, protected) AS (
	SELECT d.oid, d.protected FROM declared d
	UNION
	SELECT i.inhparent, a.protected FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid
),
family AS (
	SELECT f.oid, f.protected, c.relname, c.relowner, c.relnamespace, c.relrowsecurity
	FROM (SELECT * FROM below UNION SELECT * FROM above) f JOIN pg_class c ON c.oid = f.oid
),
-- whoever may read one of them
readers AS (
	SELECT r.oid, r.rolname FROM pg_roles r
	WHERE r.rolsuper OR EXISTS (SELECT FROM family f WHERE has_table_privilege(r.oid, f.oid, 'SELECT') OR has_any_column_privilege(r.oid, f.oid, 'SELECT'))
),
-- views over them, at any distance
derived (oid, protected) AS (
	SELECT f.oid, f.protected FROM family f
	UNION
	SELECT w.ev_class, d.protected
	FROM derived d
	JOIN pg_depend p ON p.refclassid = 'pg_class'::regclass AND p.refobjid = d.oid AND p.classid = 'pg_rewrite'::regclass
	JOIN pg_rewrite w ON w.oid = p.objid AND w.ev_class <> d.oid
),
views AS (
	SELECT d.oid, d.protected, c.relkind, c.relowner,
		-- read with the rights of whoever asks, from version 15 on
		EXISTS (SELECT FROM unnest(c.reloptions) o WHERE split_part(o, '=', 1) = 'security_invoker' AND split_part(o, '=', 2)::boolean) AS invoked,
		EXISTS (SELECT FROM pg_rewrite w JOIN pg_depend p ON p.classid = 'pg_rewrite'::regclass AND p.objid = w.oid AND p.refclassid = 'pg_proc'::regclass
				JOIN pg_proc f ON f.oid = p.refobjid JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = f.oid AND e.deptype = 'e'
				JOIN pg_extension x ON x.oid = e.refobjid AND x.extname = 'dpsens'
				WHERE w.ev_class = d.oid AND f.prokind = 'a') AS answers
	FROM derived d JOIN pg_class c ON c.oid = d.oid
	WHERE c.relkind IN ('v', 'm')
),
-- tables with their columns
columns AS (
	SELECT d.oid AS protected, count(*) AS n, count(l.label) AS annotated, array_agg((a.attname, a.atttypid)::text) AS all_columns,
		array_agg((a.attname, a.atttypid)::text) FILTER (WHERE l.label IS NOT NULL AND l.label !~* '\mpublic\M') AS private_columns
	FROM declared d
	JOIN pg_attribute a ON a.attrelid = d.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_seclabel l ON l.provider = 'dpsens' AND l.classoid = 'pg_class'::regclass AND l.objoid = d.oid AND l.objsubid = a.attnum
	GROUP BY d.oid
),
others AS (
	SELECT c.oid, array_agg((a.attname, a.atttypid)::text) AS all_columns
	FROM pg_class c
	JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relkind IN ('r', 'p', 'f', 'm') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
		AND c.oid NOT IN (SELECT f.oid FROM family f) AND c.oid NOT IN (SELECT v.oid FROM views v)
		AND (has_table_privilege(role, c.oid, 'SELECT') OR has_any_column_privilege(role, c.oid, 'SELECT'))
	GROUP BY c.oid
),
definers AS (
	SELECT p.oid, p.proowner, p.proconfig,
		p.prosrc ~* ('\m(' || (SELECT coalesce(string_agg(regexp_replace(f.relname, '([^[:alnum:]_])', '\\\1', 'g'), '|'), '') FROM family f) || ')\M')
			AND EXISTS (SELECT FROM family)
			OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_class'::regclass
					   AND d.refobjid IN (SELECT f.oid FROM derived f)) AS refers,
		EXISTS (SELECT FROM pg_seclabel l WHERE l.provider = 'dpsens' AND l.classoid = 'pg_proc'::regclass AND l.objoid = p.oid AND l.label ~* 'trusted') AS trusted
	FROM pg_proc p
	WHERE p.prosecdef AND p.proowner IN (SELECT r.oid FROM readers r) AND p.proowner NOT IN (SELECT a.oid FROM able a)
		AND has_function_privilege(role, p.oid, 'EXECUTE')
		AND NOT EXISTS (SELECT FROM pg_depend e JOIN pg_extension x ON x.oid = e.refobjid AND e.refclassid = 'pg_extension'::regclass
						WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e' AND x.extname = 'dpsens')
),
citus AS (
	SELECT c.relation, c.kind, c.is_protected, c.keeps_rows FROM dpsens_internal.citus_relations() c
),
settings (name, value) AS (
	SELECT s.name, s.setting FROM pg_settings s
	UNION ALL
	SELECT split_part(c, '=', 1), substr(c, strpos(c, '=') + 1)
	FROM pg_db_role_setting d, unnest(d.setconfig) c
	WHERE (d.setrole = 0 OR d.setrole = role) AND (d.setdatabase = 0 OR d.setdatabase = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database()))
),
findings (rank, finding, object, hint) AS (
	-- ways to all rows
	SELECT 1, 'superuser' || m.how, m.rolname::text, 'A superuser is bound by nothing: ALTER ROLE or REVOKE.' FROM members m WHERE m.rolsuper
	UNION ALL
	SELECT 1, 'may read all tables' || m.how, m.rolname, format('REVOKE %I FROM the role.', m.rolname) FROM members m WHERE m.rolname = 'pg_read_all_data'
	UNION ALL
	SELECT 1, 'may read or run what the server''s account can' || m.how, m.rolname, format('The files of the server hold all rows: REVOKE %I.', m.rolname)
	FROM members m WHERE m.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
	UNION ALL
	SELECT 1, 'may copy the cluster or stream its changes' || m.how, m.rolname, format('ALTER ROLE %I NOREPLICATION.', m.rolname) FROM members m WHERE m.rolreplication
	UNION ALL
	SELECT 1, 'may make itself a member of other roles' || m.how, m.rolname, format('ALTER ROLE %I NOCREATEROLE.', m.rolname) FROM members m WHERE m.rolcreaterole AND NOT m.rolsuper
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM family f WHERE f.relrowsecurity) THEN 1 ELSE 3 END, 'is not subject to row-level security' || m.how, m.rolname,
		format('ALTER ROLE %I NOBYPASSRLS.', m.rolname) FROM members m WHERE m.rolbypassrls AND NOT m.rolsuper
	UNION ALL
	SELECT 1, 'owns the table' || m.how, f.oid::regclass::text, 'An owner reads and changes what it likes: ALTER TABLE ... OWNER TO.' FROM family f JOIN members m ON m.oid = f.relowner
	UNION ALL
	SELECT 1, 'may read the table', f.oid::regclass::text, format('REVOKE SELECT ON %s, from whoever in this list it comes from: the role, its groups, or PUBLIC.', f.oid::regclass)
	FROM family f WHERE EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, f.oid, 'SELECT'))
		AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.oid = f.relowner OR m.rolname = 'pg_read_all_data')
	UNION ALL
	SELECT 1, 'may read a column', format('%s.%I', f.oid::regclass, c.attname), format('REVOKE SELECT (%I) ON %s.', c.attname, f.oid::regclass)
	FROM family f JOIN pg_attribute c ON c.attrelid = f.oid AND c.attnum > 0 AND NOT c.attisdropped
	WHERE EXISTS (SELECT FROM able a WHERE has_column_privilege(a.oid, f.oid, c.attnum, 'SELECT'))
		AND NOT EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, f.oid, 'SELECT'))
	UNION ALL
	SELECT 1, 'may read a view of its rows', v.oid::regclass::text,
		format('REVOKE SELECT ON %s: a view is read with the rights of its owner, %s.', v.oid::regclass, v.relowner::regrole)
	FROM views v
	WHERE NOT v.answers AND NOT v.invoked AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, v.oid, 'SELECT') OR has_any_column_privilege(a.oid, v.oid, 'SELECT'))
		AND (v.relkind = 'm' OR v.relowner IN (SELECT r.oid FROM readers r)) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 3, 'may read a view that has answers in it', v.oid::regclass::text, 'See to it that it shows nothing beside the answers.'
	FROM views v
	WHERE v.answers AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, v.oid, 'SELECT'))
		AND v.relowner IN (SELECT r.oid FROM readers r) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may call a SECURITY DEFINER function that refers to the table', d.oid::regprocedure::text,
		CASE WHEN d.trusted THEN 'Its owner trusts it; look at what it returns.' ELSE 'dpsens refuses such a call while the role has a budget; better: REVOKE EXECUTE.' END
	FROM definers d WHERE d.refers AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 2, 'may call a SECURITY DEFINER function whose search_path it chooses', d.oid::regprocedure::text, 'ALTER FUNCTION ... SET search_path = pg_catalog, pg_temp, or REVOKE EXECUTE.'
	FROM definers d WHERE NOT EXISTS (SELECT FROM unnest(d.proconfig) c WHERE c LIKE 'search_path=%')
	UNION ALL
	SELECT 3, 'may call a SECURITY DEFINER function of somebody who may read the table', d.oid::regprocedure::text, 'See what it does, or REVOKE EXECUTE.'
	FROM definers d WHERE NOT d.refers AND NOT d.trusted
	UNION ALL
	SELECT 1, 'may write functions that run outside of the database''s rules', l.lanname, format('REVOKE USAGE ON LANGUAGE %I.', l.lanname)
	FROM pg_language l WHERE NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'c') AND EXISTS (SELECT FROM able a WHERE has_language_privilege(a.oid, l.oid, 'USAGE'))
	UNION ALL
	SELECT 1, 'may call a function that reads files or other servers', p.oid::regprocedure::text, 'REVOKE EXECUTE.'
	FROM pg_proc p
	WHERE (p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN ('pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', 'lo_export', 'pg_current_logfile')
		   OR p.proname IN ('dblink_connect_u', 'pg_file_read', 'pg_file_write'))
		AND EXISTS (SELECT FROM able a WHERE has_function_privilege(a.oid, p.oid, 'EXECUTE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may look at pages, or count what is in them', p.oid::regprocedure::text, format('REVOKE EXECUTE: extension %s.', x.extname)
	FROM pg_extension x
	JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
	JOIN pg_proc p ON p.oid = d.objid
	WHERE x.extname IN ('pageinspect', 'pg_walinspect', 'pgrowlocks', 'pgstattuple', 'pg_buffercache', 'pg_visibility', 'pg_freespacemap', 'pg_surgery', 'amcheck')
		AND EXISTS (SELECT FROM able a WHERE has_function_privilege(a.oid, p.oid, 'EXECUTE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may read the statistics of columns', c.oid::regclass::text, format('REVOKE SELECT ON %s.', c.oid::regclass)
	FROM pg_class c WHERE c.oid IN ('pg_statistic'::regclass, 'pg_statistic_ext_data'::regclass)
		AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, c.oid, 'SELECT')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.rolname = 'pg_read_all_data')
	-- copies
	UNION ALL
	SELECT 2, 'may read a table with the same columns that is not protected', format('%s, like %s', o.oid::regclass, c.protected::regclass),
		'If it is a copy, protect it or REVOKE SELECT.'
	FROM columns c JOIN others o ON (cardinality(c.private_columns) >= 2 AND o.all_columns @> c.private_columns OR c.n >= 2 AND o.all_columns @> c.all_columns)
	WHERE NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.rolname = 'pg_read_all_data')
	UNION ALL
	SELECT 3, 'may read a foreign table', c.oid::regclass::text, 'See that the table behind it is none that is protected.'
	FROM pg_class c WHERE c.relkind = 'f' AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, c.oid, 'SELECT'))
	UNION ALL
	SELECT 2, 'may reach a server as somebody else', s.srvname, 'See as whom: a user mapping for PUBLIC may lead back to this database.'
	FROM pg_foreign_server s JOIN pg_user_mappings u ON u.srvid = s.oid AND (u.umuser = 0 OR u.umuser IN (SELECT a.oid FROM able a))
	WHERE EXISTS (SELECT FROM able a WHERE has_server_privilege(a.oid, s.oid, 'USAGE'))
	UNION ALL
	SELECT 2, 'is in a publication', format('%s: %s', p.pubname, p.tablename), 'Whoever may connect for replication reads its rows; see who subscribes.'
	FROM pg_publication_tables p JOIN family f ON f.relname = p.tablename AND f.relnamespace::regnamespace::text = quote_ident(p.schemaname)
	WHERE EXISTS (SELECT FROM members m WHERE m.rolreplication)
		OR EXISTS (SELECT FROM pg_publication b JOIN able a ON a.oid = b.pubowner WHERE b.pubname = p.pubname)
	-- ways to learn something of single rows
	UNION ALL
	SELECT 2, format('has the privilege %s', p.privilege), f.oid::regclass::text,
		format('REVOKE %s ON %s: %s.', p.privilege, f.oid::regclass, p.why)
	FROM family f
	CROSS JOIN (VALUES ('INSERT', 'a unique index tells which keys exist'), ('UPDATE', 'the number of rows is told, and constraints fail by their values'),
				('DELETE', 'the number of rows is told'), ('TRUNCATE', 'it empties the table'),
				('REFERENCES', 'a foreign key tells which keys exist'), ('TRIGGER', 'a trigger sees the rows that others write'),
				('MAINTAIN', 'VACUUM VERBOSE tells the number of rows')) p (privilege, why)
	-- MAINTAIN is new in 17
	WHERE EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, f.oid, CASE WHEN p.privilege <> 'MAINTAIN' OR current_setting('server_version_num')::int >= 170000 THEN p.privilege END)
				  OR p.privilege IN ('INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege(a.oid, f.oid, p.privilege))
		AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.oid = f.relowner)
	UNION ALL
	SELECT 2, 'may see what rows have lost', a.relation::text, format('It follows from the rows: dpsens.grant_audit(%L, %L, rows => false).', a.relation, a.role)
	FROM dpsens.auditors a JOIN able ON able.oid = a.role::regrole::oid
	WHERE a.rows AND EXISTS (SELECT FROM family f WHERE f.oid = a.relation) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 2, 'may read a sequence of the table', d.objid::regclass::text, format('Its values count rows: REVOKE ALL ON SEQUENCE %s.', d.objid::regclass)
	FROM family f JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = f.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
	JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S'
	WHERE EXISTS (SELECT FROM able a WHERE has_sequence_privilege(a.oid, d.objid, 'USAGE, SELECT, UPDATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.oid = f.relowner)
	UNION ALL
	SELECT 2, 'may read statistics of the server' || m.how, m.rolname, format('They count rows and pages, also those that an answer touched: REVOKE %I.', m.rolname)
	FROM members m WHERE m.rolname IN ('pg_read_all_stats', 'pg_monitor', 'pg_stat_scan_tables')
	UNION ALL
	SELECT 2, 'may change all tables' || m.how, m.rolname, format('REVOKE %I.', m.rolname) FROM members m WHERE m.rolname = 'pg_write_all_data'
	UNION ALL
	SELECT 2, 'may set a parameter that is an administrator''s', p.parname, format('REVOKE SET, ALTER SYSTEM ON PARAMETER %s.', p.parname)
	FROM pg_parameter_acl p
	WHERE EXISTS (SELECT FROM able a WHERE has_parameter_privilege(a.oid, p.parname, 'SET, ALTER SYSTEM')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	-- what dpsens itself rests on
	UNION ALL
	SELECT 1, 'may create in a schema of dpsens', n.nspname, format('REVOKE CREATE ON SCHEMA %I: objects there are taken for dpsens'' own.', n.nspname)
	FROM pg_namespace n WHERE n.nspname IN ('dpsens', 'dpsens_internal') AND EXISTS (SELECT FROM able a WHERE has_schema_privilege(a.oid, n.oid, 'CREATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 3, 'may create in the schema of the dp aggregates', n.nspname,
		format('Functions there can be called by others by mistake: REVOKE CREATE ON SCHEMA %I FROM PUBLIC.', n.nspname)
	FROM pg_namespace n WHERE n.oid IN (SELECT x.extnamespace FROM pg_extension x WHERE x.extname = 'dpsens') AND n.nspname <> 'dpsens'
		AND EXISTS (SELECT FROM able a WHERE has_schema_privilege(a.oid, n.oid, 'CREATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may change the ledger', c.oid::regclass::text, 'REVOKE ALL.'
	FROM pg_class c WHERE c.relnamespace = to_regnamespace('dpsens') AND c.relkind = 'r'
		AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 2, 'may copy the database, and budgets with it' || m.how, current_database(), 'ALTER DATABASE ... IS_TEMPLATE false, or ALTER ROLE ... NOCREATEDB.'
	FROM members m JOIN pg_database b ON b.datname = current_database() WHERE m.rolcreatedb AND NOT m.rolsuper AND (b.datistemplate OR b.datdba = m.oid)
	UNION ALL
	SELECT 1, 'dpsens is not preloaded', 'shared_preload_libraries', 'shared_preload_libraries = ''dpsens'', and restart: without it a session is not guarded, and nothing is answered.'
	WHERE NOT EXISTS (SELECT FROM pg_settings s WHERE s.name = 'dpsens.ledger_slots' AND s.context = 'postmaster')
	UNION ALL
	SELECT DISTINCT 1, 'answers have no noise', s.name, 'RESET it, also for roles and databases.' FROM settings s WHERE s.name = 'dpsens.noise' AND s.value::boolean IS FALSE
	UNION ALL
	SELECT DISTINCT 2, 'a crash can lose charges', s.name, format('Set %s to on.', s.name) FROM settings s
	WHERE s.name IN ('fsync', 'full_page_writes', 'dpsens.require_fsync') AND s.value = 'off'
	UNION ALL
	SELECT DISTINCT 2, 'an error tells that many rows were read', s.name, 'A limit on temporary files ends a statement by the size of its data: set it to -1 for the role.'
	FROM settings s WHERE s.name = 'temp_file_limit' AND s.value <> '-1'
	UNION ALL
	SELECT DISTINCT 3, 'the server''s log counts rows and pages', s.name, 'Keep the log from the role.'
	FROM settings s
	WHERE s.name IN ('log_executor_stats', 'log_statement_stats', 'log_temp_files', 'debug_print_plan', 'trace_sort', 'auto_explain.log_analyze')
		AND s.value NOT IN ('off', '-1', 'false')
	UNION ALL
	SELECT DISTINCT 3, 'plans are written to the server''s log', s.name, 'Keep the log from the role.'
	FROM settings s WHERE s.name IN ('shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries') AND s.value ~ 'auto_explain'
	-- Citus, whose nodes would each be a ledger and a set of counters of its own
	UNION ALL
	SELECT 3, 'Citus is installed beside dpsens', 'citus',
		'The coordinator alone protects and answers: about tables that are not distributed, and about those that nodes add up under a key (dpsens.cluster_key_file). Preload dpsens, behind Citus, on every node: workers then hide counters from roles that were granted a budget while they were nodes.'
	FROM citus c WHERE c.kind = 'coordinator'
	UNION ALL
	SELECT 2, 'this server is a worker node of Citus', 'citus', 'Nothing is protected, granted or answered here: see what the coordinator''s dpsens.check_security() says.'
	FROM citus c WHERE c.kind = 'worker'
	UNION ALL
	SELECT 1, 'a protected table is distributed by Citus', c.relation::text,
		format('Its rows, and counters of them, are on servers that know of no budget, and it is not answered about: SELECT undistribute_table(%L).', c.relation)
	FROM citus c WHERE c.kind = 'table' AND (c.is_protected OR c.relation IN (SELECT f.oid FROM family f))
	UNION ALL
	SELECT 3, 'the rows of a protected table are on other servers', c.relation::text, 'They have no ledger: whoever may read a shard there reads its rows. Let nobody else connect to workers, and keep the key of the cluster from others.'
	FROM citus c WHERE c.kind = 'distributed' AND (c.is_protected OR c.relation IN (SELECT f.oid FROM family f))
	UNION ALL
	SELECT 1, 'a shard of Citus has the label of a protected table', c.relation::text, format('It is not answered about: SECURITY LABEL FOR dpsens ON TABLE %s IS NULL.', c.relation)
	FROM citus c WHERE c.kind = 'shard'
	UNION ALL
	SELECT CASE WHEN c.is_protected THEN 2 ELSE 3 END, 'rows from before a table was distributed are still on this server', c.relation::text,
		format('Whoever reads the server''s files sees them: SELECT truncate_local_data_after_distributing_table(%L).', c.relation)
	FROM citus c WHERE c.kind IN ('table', 'distributed') AND c.keeps_rows
	UNION ALL
	SELECT 2, 'may charge budgets of others as a standby', f.oid::regprocedure::text,
		format('Unless it is the role of a standby''s dpsens.primary_conninfo: REVOKE EXECUTE ON FUNCTION %s.', f.oid::regprocedure)
	FROM pg_proc f WHERE f.proname = 'charge_for_standby' AND f.pronamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = 'dpsens')
		AND EXISTS (SELECT FROM able a WHERE has_function_privilege(a.oid, f.oid, 'EXECUTE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 2, 'will be able to read tables that are made', format('%s in %s', d.defaclrole::regrole, CASE WHEN d.defaclnamespace = 0 THEN 'all schemas' ELSE d.defaclnamespace::regnamespace::text END),
		'ALTER DEFAULT PRIVILEGES ... REVOKE SELECT ON TABLES.'
	FROM pg_default_acl d, aclexplode(d.defaclacl) e
	WHERE d.defaclobjtype = 'r' AND e.privilege_type = 'SELECT' AND (e.grantee = 0 OR e.grantee IN (SELECT a.oid FROM able a)) AND d.defaclrole NOT IN (SELECT a.oid FROM able a)
)
SELECT f.finding, CASE f.rank WHEN 1 THEN 'critical' WHEN 2 THEN 'warning' ELSE 'notice' END, f.object, f.hint
FROM (SELECT DISTINCT * FROM findings) f
ORDER BY f.rank, f.finding, f.object
$function$;

COMMENT ON FUNCTION dpsens.check_security(pg_catalog.regrole) IS
'What would let the role around the guard, in this database: privileges, memberships, views, copies, functions and settings, with what to do about each. severity: critical (it reads rows, or nothing is guarded), warning (it learns something of single rows or of how many there are, or a charge can be lost), notice (to be looked at). No row: nothing was found, which is not a proof. Settings that only superusers see are judged only when a superuser asks.';

CREATE FUNCTION dpsens.check_security()
RETURNS TABLE (role name, finding text, severity text, object text, hint text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
SELECT r.rolname, f.finding, f.severity, f.object, f.hint
FROM pg_roles r CROSS JOIN LATERAL dpsens.check_security(r.oid::regrole) WITH ORDINALITY f (finding, severity, object, hint, place)
WHERE r.rolname IN (SELECT b.role FROM dpsens.budgets b)
ORDER BY r.rolname, f.place
$function$;
COMMENT ON FUNCTION dpsens.check_security() IS
'The same of every role that has a budget on a relation that the caller owns or audits.';
