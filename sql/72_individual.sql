-- Individual accounting: what each unit has lost.
--
-- Losses are recomputed from the history and the rows.  Only what is no longer
-- in a row is stored: the sum that a unit had reached when its row was changed
-- or removed; and what training took, whose steps are not kept (81_training.sql).

CREATE TABLE dpsens.row_account (
	account bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	relation oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	unit text NOT NULL,
	epsilon float8,
	rho float8,
	cap_epsilon bigint,
	cap_rho bigint,
	full_until bigint NOT NULL DEFAULT 0,
	cap_plis float8,
	CHECK (cap_epsilon >= 0 AND cap_rho >= 0)
);
CREATE INDEX row_account_relation ON dpsens.row_account (relation);
COMMENT ON TABLE dpsens.row_account IS 'relations whose rows have, or had, accounts of their own; without a cap: row accounting is off';
COMMENT ON COLUMN dpsens.row_account.unit IS 'the columns that name a unit';
COMMENT ON COLUMN dpsens.row_account.full_until IS 'releases up to this one may have read rows of a table that was dropped: a unit of which nothing is frozen pays for them in full';
COMMENT ON COLUMN dpsens.row_account.cap_plis IS 'of the sum of the norms of what dpsens.plis_of says; null: none';
COMMENT ON COLUMN dpsens.row_account.cap_rho IS 'in units of 2^-40, rounded down, as cap_epsilon; at most one of them is not null';

CREATE TABLE dpsens.frozen_loss (
	account bigint NOT NULL,
	unit text COLLATE pg_catalog."C" NOT NULL,
	spent_epsilon bigint NOT NULL,
	spent_rho bigint NOT NULL,
	release bigint NOT NULL,
	changed_by bigint NOT NULL,
	PRIMARY KEY (account, unit),
	CHECK (spent_epsilon >= 0 AND spent_rho >= 0 AND release >= 0)
);
COMMENT ON TABLE dpsens.frozen_loss IS 'what units lost by rows that they have no more; private data';
COMMENT ON COLUMN dpsens.frozen_loss.spent_epsilon IS 'by releases up to this one, in units of 2^-40, rounded up; 9223372036854775807 without bound';
COMMENT ON COLUMN dpsens.frozen_loss.changed_by IS '64-bit number of the transaction that changed the row: a later release that may not have seen the change is paid in full';

SELECT pg_catalog.pg_extension_config_dump('dpsens.row_account', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.frozen_loss', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.row_account_account_seq', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.frozen_loss
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.frozen_loss ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.row_account
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.row_account ENABLE ALWAYS TRIGGER keep_budgets;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.frozen_loss
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.frozen_loss ENABLE REPLICA TRIGGER keep_ledger_applied;
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.row_account
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.row_account ENABLE REPLICA TRIGGER keep_budgets_applied;

CREATE FUNCTION dpsens.row_loss(relation regclass)
RETURNS TABLE (unit text, epsilon float8, rho float8, releases bigint, present boolean)
AS 'MODULE_PATHNAME', 'dps_row_loss'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.row_loss(regclass) IS
'What each unit of a protected relation has lost by all releases so far, recomputed from the history and the rows, and for training as its steps recorded it: its own, usually smaller than what the releases cost.
unit: the declared unit, else the primary key (columns joined by commas), as text, of more than 2000 bytes the first 64 characters and an SHA-256; NULL if there is neither, or a column of the unit is NULL, and then each row is a unit. epsilon: pure; Infinity if a release that the unit took part in had none. rho: zero-concentrated DP. releases: how many it took part in, or may have. present: false for a unit that has only a frozen loss, its row being gone.
A row is measured as it is now. Rows that were changed or removed before row accounting was switched on, and rows that were inserted later, are not told apart: a row counts in every release of the history.
A table that was dropped and made again does not tell what its former rows were: where they had accounts, units pay in full for the releases until their accounts were set up again.
Of units of several rows all rows are measured together: how far they can have moved an answer at most, whichever of them counted. That needs units of types that are always written alike (integers, text, uuid, boolean). Under replace it is known of sums and means that are not told by groups.
What cannot be recomputed (a column that was renamed or has another type, a unit that other columns named, adjacency metric) is charged in full: a loss is overstated at worst.
These numbers are private data: for the owner and auditors, not for analysts, and no epsilon may be chosen by them. Summed up over a history that was chosen adaptively they are not a guarantee; a cap is.
Errors: the caller neither owns the relation nor may see what follows from its rows (dpsens.grant_audit); it is not protected; units can have several rows, and their columns are of another type, refer to another table, or are gone.
Source: Feldman and Zrnic 2021, individual privacy accounting. Laplace |c|/t, rho half its square; Gaussian s^2/2N^2; each no more than what the release cost.';

CREATE FUNCTION dpsens.row_plis(relation regclass)
RETURNS TABLE (unit text, plis float8)
AS 'MODULE_PATHNAME', 'dps_row_susceptibility'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.row_plis(regclass) IS
'How susceptible the privacy loss of each unit was to its values, by all sums and means answered so far: the sum over these answers of the norm of dpsens.plis_of(expression, row, sigma), sigma the scale of the noise; of a mean that of what it adds around the centre, or of its pair of sums. Recomputed from the history and the rows.
unit: as in dpsens.row_loss, of every row that there is. A row is measured as it is now; under row accounting, by the answers since it was last changed or inserted. 0 of answers under another adjacency than add_remove, of counts, of what cannot be recomputed, of training, of rows that an answer did not count, and where an expression has no derivative.
These numbers are private data: for the owner and auditors, not for analysts. They bound nothing; dpsens.row_loss does.
Errors: as dpsens.row_loss.
Source: Mueller et al. 2022, privacy loss input susceptibility.';

CREATE FUNCTION dpsens.set_plis_cap(relation regclass, cap float8) RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_plis_cap'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.set_plis_cap(regclass, float8) IS
'Under row accounting and adjacency add_remove: leaves a row out of answers, silently, while what dpsens.row_plis says of it, the running statement included, is above the cap, and of training that begins then. What rows may lose is capped all the same by row_epsilon or row_rho. NULL or Infinity removes the cap, which stays while row accounting is off.
The cap is public, and no promise: it takes rows out whose loss follows their values most closely, and biases answers. dpsens.row_budgets shows it.
Errors: the caller does not own the relation; it is not protected; row accounting is off; another adjacency; a cap that is not greater than 0.
Source: Mueller et al. 2022; Feldman and Zrnic 2021, Theorem 4.5.';

CREATE FUNCTION dpsens.row_training_loss(relation regclass)
RETURNS TABLE (release bigint, unit text, rho float8, left_out boolean, finished boolean)
AS 'MODULE_PATHNAME', 'dps_row_training_loss'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.row_training_loss(regclass) IS
'What each unit of a protected relation has lost by each run of dpsens.train under row accounting, as its steps recorded it when they were committed: for one step s^2/2N^2, with s the norm of its clipped gradient on the grid and N the scale of the noise, rounded up to 2^-40.
release: as in dpsens.releases. unit: every one that had a row when the run began, as dpsens.row_loss names it; 0 for a row that was no example. left_out: a step would have passed the cap, and the unit took no part in it and the steps after it. finished: false while a run with checkpoints goes on, and for good if it is given up: then dpsens.row_loss counts the whole charge of the run, not rho.
These numbers are private data: for the owner and auditors, not for analysts, and no epsilon may be chosen by them.
Errors: as dpsens.row_loss.
Source: Feldman and Zrnic 2021, Theorem 4.5.';

CREATE FUNCTION dpsens_internal.freeze_loss() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_freeze_loss';
COMMENT ON FUNCTION dpsens_internal.freeze_loss() IS
'Trigger of relations whose rows have accounts of their own: freezes what a unit has lost before its row is changed or removed, enters units that begin later, and refuses TRUNCATE.';

CREATE FUNCTION dpsens_internal.exact_includes(plan dpsens_internal.plan, "row" record) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_exact_includes'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION dpsens_internal.exact_includes(dpsens_internal.plan, record) IS
'Internal: whether the unit of this row has lost so little that the running answer may count it.';

CREATE VIEW dpsens.row_budgets WITH (security_barrier) AS
SELECT a.relation::pg_catalog.regclass AS relation, a.unit, a.epsilon AS row_epsilon, a.rho AS row_rho, a.cap_plis AS row_plis
FROM dpsens.row_account a
JOIN pg_catalog.pg_class c ON c.oid = a.relation
WHERE (a.cap_epsilon IS NOT NULL OR a.cap_rho IS NOT NULL) AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
	OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d));
COMMENT ON VIEW dpsens.row_budgets IS
'what each unit of the relations that the reader owns or audits may lose, where row accounting is on, and the columns that name a unit';

CREATE VIEW dpsens.relations WITH (security_barrier) AS
WITH state AS MATERIALIZED (SELECT * FROM dpsens_internal.budget_state)
SELECT c.oid::pg_catalog.regclass AS relation, d.adjacency, d.unit, d.one_row, d.max_rows, d.max_rows_per_group, d.max_groups,
	b.epsilon, b.delta, b.rho, a.epsilon AS row_epsilon, a.rho AS row_rho,
	policy.answer_epsilon, policy.statement_epsilon, who.analysts, who.readers, who.auditors,
	(SELECT pg_catalog.count(*) FROM dpsens.release r WHERE r.relation = c.oid) AS releases,
	pg_catalog.array_remove(ARRAY[
		CASE WHEN NOT d.one_row AND COALESCE(d.max_rows, d.max_rows_per_group, d.max_groups) IS NULL AND d.adjacency IN ('add_remove', 'replace')
			THEN 'a unit can have several rows, and no limit says how many count: queries are refused' END,
		CASE WHEN bare.columns IS NOT NULL THEN 'nothing is declared of columns ' || bare.columns END,
		CASE WHEN who.readers && who.analysts THEN 'the rows can be read by roles that have a budget: '
			|| (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(x.name), ', ' ORDER BY x.name) FROM pg_catalog.unnest(who.analysts) x (name) WHERE x.name = ANY (who.readers)) END,
		CASE WHEN 'public' = ANY (who.readers) THEN 'the rows can be read by everybody' END,
		CASE WHEN b.cap_epsilon IS NULL AND NOT persons.capped AND pg_catalog.cardinality(who.analysts) > 1 THEN 'no budget caps what all roles are told together' END,
		CASE WHEN b.cap_epsilon IS NULL AND NOT persons.capped AND pg_catalog.cardinality(who.analysts) = 0 THEN 'nobody has a budget, and whoever may read it is answered without end' END], NULL) COLLATE pg_catalog."default" AS warnings,
	d.group_size
FROM pg_catalog.pg_seclabel l
JOIN pg_catalog.pg_class c ON c.oid = l.objoid
CROSS JOIN LATERAL dpsens_internal.describe_relation(c.oid) d
LEFT JOIN state b ON b.relation = c.oid AND b.role = 0 AND b.column_name = ''
LEFT JOIN dpsens.row_account a ON a.relation = c.oid AND (a.cap_epsilon IS NOT NULL OR a.cap_rho IS NOT NULL)
CROSS JOIN LATERAL (
	SELECT ARRAY(SELECT DISTINCT g.role_name FROM state g WHERE g.role <> 0 AND CASE WHEN g.column_name = ''
				THEN g.relation = c.oid ELSE dpsens_internal.entity_opens(g.relation, g.agreed_owner, c.oid) END ORDER BY g.role_name) AS analysts,
		ARRAY(SELECT DISTINCT CASE WHEN p.grantee = 0 THEN 'public' ELSE g.rolname END
			FROM dpsens_internal.readers p LEFT JOIN pg_catalog.pg_roles g ON g.oid = p.grantee
			WHERE p.relation = c.oid AND (p.grantee = 0 OR g.oid IS NOT NULL) ORDER BY 1) AS readers,
		ARRAY(SELECT g.rolname FROM dpsens.auditor u JOIN pg_catalog.pg_roles g ON g.oid = u.role WHERE u.relation = c.oid ORDER BY 1) AS auditors
) who
CROSS JOIN LATERAL (
	SELECT pg_catalog.min(p.epsilon) AS answer_epsilon, pg_catalog.min(p.statement_epsilon) AS statement_epsilon
	FROM dpsens_internal.policy_state p
	WHERE CASE WHEN p.entity THEN p.relation = ANY (dpsens_internal.entities_of(c.oid)) ELSE p.relation = c.oid END
) policy
CROSS JOIN LATERAL (
	SELECT pg_catalog.string_agg(pg_catalog.quote_ident(k.attname), ', ' ORDER BY k.attname) AS columns
	FROM pg_catalog.pg_attribute k CROSS JOIN LATERAL dpsens_internal.describe_column(c.oid, k.attnum) e
	WHERE k.attrelid = c.oid AND k.attnum > 0 AND NOT k.attisdropped AND e.role = 'unannotated' AND e.missing IS NOT NULL
) bare
CROSS JOIN LATERAL (
	SELECT EXISTS (SELECT FROM state p WHERE p.column_name = '(entity)' AND p.relation = ANY (dpsens_internal.entities_of(c.oid))) AS capped
) persons
WHERE l.provider = 'dpsens' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid = 0 AND d.adjacency IS NOT NULL
	AND (pg_catalog.pg_has_role(c.relowner, 'USAGE') OR c.oid IN (SELECT u.relation FROM dpsens_internal.audited u));
COMMENT ON VIEW dpsens.relations IS
'the protected relations that the reader owns or audits: what is promised to whom, who is answered, who may read the rows anyway, and what there is to look at';
COMMENT ON COLUMN dpsens.relations.unit IS 'the column that names the unit, or several, in their order; null: each row is one';
COMMENT ON COLUMN dpsens.relations.one_row IS 'is it known that a unit has one row?';
COMMENT ON COLUMN dpsens.relations.epsilon IS 'with delta and rho: what everybody together may spend; null: no cap';
COMMENT ON COLUMN dpsens.relations.row_epsilon IS 'with row_rho: what each unit may lose, where row accounting is on';
COMMENT ON COLUMN dpsens.relations.answer_epsilon IS 'the greatest epsilon of one answer to anybody, by its policy and those of entities that its units refer to; dpsens.policies has more, and those of roles; null or Infinity: no limit';
COMMENT ON COLUMN dpsens.relations.statement_epsilon IS 'that of all answers of a statement together';
COMMENT ON COLUMN dpsens.relations.analysts IS 'the roles that have a budget';
COMMENT ON COLUMN dpsens.relations.readers IS 'the roles to whom SELECT on it or a column of it was granted, public among them; not the owner, members of these roles, superusers and roles like pg_read_all_data, which dpsens.check_security looks at';
COMMENT ON COLUMN dpsens.relations.group_size IS 'how many units are protected together, to whom epsilon, rho and all costs are those of any so many at once; 1: each by itself';
COMMENT ON COLUMN dpsens.relations.warnings IS 'what the owner should look at; of a role''s ways around the guard dpsens.check_security says more';
