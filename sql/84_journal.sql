-- The journal: what was altered of what may be revealed, and what was refused.
--
-- A row of a change is written by the session that acts, in the transaction that acts, through
-- the functions of dpsens, one of a refusal by the ledger's worker; nobody changes or removes one.
-- Names are those at the time.

CREATE TABLE dpsens.change (
	change bigint NOT NULL PRIMARY KEY,
	changed_at timestamptz NOT NULL,
	session_role name NOT NULL,
	changed_by name NOT NULL,
	act text NOT NULL,
	relation oid NOT NULL,
	relation_schema name,
	relation_name name,
	relation_owner name,
	object text NOT NULL,
	before jsonb,
	after jsonb
);
COMMENT ON TABLE dpsens.change IS 'every act that altered what may be revealed: budgets, policies, caps of rows, auditors, declarations, settings of dpsens';
COMMENT ON COLUMN dpsens.change.change IS 'the microsecond of the act, since 2000, or the next one that no other act has';
COMMENT ON COLUMN dpsens.change.relation IS 'the relation that it concerns, 0 for none; names are those at the time';
COMMENT ON COLUMN dpsens.change.before IS 'the parts that were otherwise before, by what they are about; null if nothing of them was set';

SELECT pg_catalog.pg_extension_config_dump('dpsens.change', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.change
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.change ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.change
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.change ENABLE REPLICA TRIGGER keep_ledger_applied;

CREATE TABLE dpsens.refusal (
	refusal bigint NOT NULL PRIMARY KEY,
	refused_at timestamptz NOT NULL,
	role_name name NOT NULL,
	sqlstate text NOT NULL,
	message text NOT NULL,
	query text NOT NULL,
	relations oid[] NOT NULL,
	relation_names text[] NOT NULL
);
CREATE INDEX refusal_role ON dpsens.refusal (role_name, refused_at);
COMMENT ON TABLE dpsens.refusal IS 'statements that were refused: by the ledger to anybody, and before they were charged to roles that were granted a budget; at most dpsens.refusal_log_limit of a role on a day';
COMMENT ON COLUMN dpsens.refusal.query IS 'the statement, as in dpsens.release';
COMMENT ON COLUMN dpsens.refusal.relations IS 'the protected relations that it reads, as far as they are known; names are those at the time';

CREATE TABLE dpsens.refusals_beyond (
	role_name name NOT NULL,
	day timestamptz NOT NULL,
	refusals bigint NOT NULL,
	PRIMARY KEY (role_name, day)
);
COMMENT ON TABLE dpsens.refusals_beyond IS 'how many statements of a role were refused beyond dpsens.refusal_log_limit, on days that begin when they do in UTC';

SELECT pg_catalog.pg_extension_config_dump('dpsens.refusal', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.refusals_beyond', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.refusal
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.refusals_beyond
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.refusal ENABLE ALWAYS TRIGGER keep_ledger;
ALTER TABLE dpsens.refusals_beyond ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.refusal
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.refusals_beyond
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.refusal ENABLE REPLICA TRIGGER keep_ledger_applied;
ALTER TABLE dpsens.refusals_beyond ENABLE REPLICA TRIGGER keep_ledger_applied;

-- What functions of dpsens write, they record by themselves; of the others inserts are restores.
CREATE FUNCTION dpsens_internal.note_change() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_note_change';
COMMENT ON FUNCTION dpsens_internal.note_change() IS
'Trigger: records a row of budgets, policies, caps of rows or auditors that a superuser changes or deletes without the functions of dpsens.';

CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON dpsens.budget
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.note_change();
ALTER TABLE dpsens.budget ENABLE ALWAYS TRIGGER note_change;
CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON dpsens.policy
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.note_change();
ALTER TABLE dpsens.policy ENABLE ALWAYS TRIGGER note_change;
CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON dpsens.row_account
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.note_change();
ALTER TABLE dpsens.row_account ENABLE ALWAYS TRIGGER note_change;
CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON dpsens.auditor
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.note_change();
ALTER TABLE dpsens.auditor ENABLE ALWAYS TRIGGER note_change;

-- Changes by the relation that they mean now, or that has the name now if theirs is gone.
CREATE VIEW dpsens.changes WITH (security_barrier) AS
SELECT a.change, a.changed_at, a.session_role, a.changed_by, a.act,
	CASE WHEN a.relation <> 0 THEN COALESCE(live.name, pg_catalog.format('%I.%I', a.relation_schema, a.relation_name)) END AS relation,
	a.object, a.before, a.after
FROM dpsens.change a
LEFT JOIN LATERAL (
	SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, c.relowner, c.oid
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
	WHERE c.oid = a.relation
		OR c.relname = a.relation_name AND n.nspname = a.relation_schema AND o.rolname = a.relation_owner
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_class old WHERE old.oid = a.relation)
	LIMIT 1
) live ON true
WHERE pg_catalog.pg_has_role(live.relowner, 'USAGE') OR live.oid IN (SELECT d.relation FROM dpsens_internal.audited d)
	OR a.relation = 0 AND EXISTS (SELECT FROM dpsens_internal.audited d)
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
COMMENT ON VIEW dpsens.changes IS
'who altered what may be revealed, when, and what was set before and after: of relations that the reader owns or audits; to auditors also what concerns no relation, as settings; to superusers all';
COMMENT ON COLUMN dpsens.changes.change IS 'its number: the microsecond of the act, since 2000, or the next one that no other act has';
COMMENT ON COLUMN dpsens.changes.session_role IS 'who had connected; changed_by is who acted, which SET ROLE and SECURITY DEFINER functions change';
COMMENT ON COLUMN dpsens.changes.act IS 'the function of dpsens that was called; label where declarations were changed, by protect, set_range and their like, or by SECURITY LABEL; ALTER SYSTEM, ALTER DATABASE or ALTER ROLE for settings; UPDATE or DELETE where a superuser has gone around the functions';
COMMENT ON COLUMN dpsens.changes.object IS 'what was altered, as it was called then';
COMMENT ON COLUMN dpsens.changes.before IS 'the parts that are otherwise since, by what they are about; null: none was set';
COMMENT ON COLUMN dpsens.changes.after IS 'the same parts since; null: none is set';

CREATE VIEW dpsens.refusals WITH (security_barrier) AS
SELECT r.refusal, r.refused_at, r.role_name AS role, r.sqlstate, r.message, r.query, r.relation_names AS relations
FROM dpsens.refusal r
WHERE EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = ANY (r.relations)
		AND (pg_catalog.pg_has_role(c.relowner, 'USAGE') OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d)))
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
COMMENT ON VIEW dpsens.refusals IS
'statements that were refused about relations that the reader owns or audits, to superusers all: by the ledger to anybody, and before they were charged to roles that were granted a budget, and their members. At most dpsens.refusal_log_limit of a role on a day; table dpsens.refusals_beyond counts the others';
COMMENT ON COLUMN dpsens.refusals.role IS 'who asked, as called then';
COMMENT ON COLUMN dpsens.refusals.query IS 'the statement, cut at 4096 bytes';
COMMENT ON COLUMN dpsens.refusals.relations IS 'the protected relations that it reads, as far as they are known, as called then';
