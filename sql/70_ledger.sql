-- The ledger: budgets, what was spent of them, and the history of releases.
--
-- Curators write budgets through functions; the ledger's worker alone writes
-- purses and releases.  Losses are whole numbers of fixed units, rounded up:
-- epsilon and rho in 2^-40, delta in 2^-62, and the largest bigint where there
-- is no bound; caps are rounded down.  Relations and roles are known by OID, and
-- by name where an OID means nothing any more: after a restore, or when a table
-- was dropped and made again.  Names follow renames; in a release they are those
-- at its time.

-- Where this ledger is the one that was charged.  Not dumped: a restored or
-- cloned database has to be acknowledged.
CREATE TABLE dpsens.ledger_origin (
	system_identifier bigint NOT NULL,
	database oid NOT NULL,
	timeline integer NOT NULL
);
CREATE UNIQUE INDEX ledger_origin_one_row ON dpsens.ledger_origin ((true));
COMMENT ON TABLE dpsens.ledger_origin IS 'the cluster, database and timeline in which the ledger is charged';

CREATE TABLE dpsens.budget (
	relation oid NOT NULL,
	role oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	role_name name NOT NULL,
	epsilon float8,
	delta float8,
	rho float8,
	cap_epsilon bigint NOT NULL,
	cap_rho bigint NOT NULL,
	cap_delta bigint NOT NULL,
	refresh interval,
	granted_by name NOT NULL,
	granted_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
	own_tables boolean NOT NULL DEFAULT false,
	column_name name NOT NULL DEFAULT '',
	answer_epsilon float8 NOT NULL DEFAULT 1,
	answer_delta float8 NOT NULL DEFAULT 'Infinity',
	statement_epsilon float8 NOT NULL DEFAULT 'Infinity',
	statement_delta float8 NOT NULL DEFAULT 'Infinity',
	mechanisms text[],
	overrides_policy boolean NOT NULL DEFAULT false,
	renyi_order float8,
	agreed_owner oid,
	agreed_owner_name name,
	default_epsilon float8,
	min_units bigint,
	PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name, column_name),
	CHECK (cap_epsilon >= 0 AND cap_rho >= 0 AND cap_delta >= 0)
);
COMMENT ON TABLE dpsens.budget IS 'what may be spent: by a role on a relation, or (role 0) by everybody together, of the relation or of one of its columns; and by either of a person in all relations whose units refer to it';
COMMENT ON COLUMN dpsens.budget.cap_epsilon IS 'in units of 2^-40, rounded down';
COMMENT ON COLUMN dpsens.budget.cap_rho IS 'in units of 2^-40, rounded down: the zCDP that (epsilon, delta) admits';
COMMENT ON COLUMN dpsens.budget.own_tables IS 'may the role use tables beside the relation that are not declared to be public?';
COMMENT ON COLUMN dpsens.budget.column_name IS 'with role 0: the column whose budget it is; "(entity)" for that of the relation as an entity; empty for that of the relation';
COMMENT ON COLUMN dpsens.budget.answer_epsilon IS 'the greatest epsilon of one answer to the role, if it may not read the relation; Infinity: no limit. So are the next ones, of delta and of all answers of a statement together';
COMMENT ON COLUMN dpsens.budget.mechanisms IS 'the mechanisms that may answer the role, if it may not read the relation; null: all';
COMMENT ON COLUMN dpsens.budget.overrides_policy IS 'do these limits take the place of those of the relation''s policy?';
COMMENT ON COLUMN dpsens.budget.default_epsilon IS 'what aggregates of the role that name no epsilon are asked with while dpsens.epsilon is unset; null: nothing is said of it';
COMMENT ON COLUMN dpsens.budget.min_units IS 'the least number of units of which a group of undeclared keys may be shown with probability 1/2 to the role, if it may not read the relation; null: no limit';
COMMENT ON COLUMN dpsens.budget.agreed_owner IS 'of a role''s budget of an entity: who owned the entity when it was granted, called agreed_owner_name; relations that this role owns, as it does the entity, are those that the budget lets ask about';
COMMENT ON COLUMN dpsens.budget.renyi_order IS 'the Renyi order at which rho is counted, that of the conversion of (epsilon, delta), fixed when the budget was set; null: rho is counted at all orders, as the budget of a rho promises. A rule instead: Infinity, Gaussian DP; below 0, answers of at most this epsilon, without its sign';
COMMENT ON COLUMN dpsens.budget.cap_delta IS 'in units of 2^-62, rounded down: what releases with a delta of their own may use of it';

CREATE TABLE dpsens.policy (
	relation oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	entity boolean NOT NULL,
	epsilon float8 NOT NULL DEFAULT 'Infinity',
	delta float8 NOT NULL DEFAULT 'Infinity',
	statement_epsilon float8 NOT NULL DEFAULT 'Infinity',
	statement_delta float8 NOT NULL DEFAULT 'Infinity',
	mechanisms text[],
	set_by name NOT NULL,
	set_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
	default_epsilon float8,
	min_units bigint,
	PRIMARY KEY (relation, relation_schema, relation_name, relation_owner, entity)
);
COMMENT ON TABLE dpsens.policy IS 'what single answers may be asked with, whoever asks: about a relation, or about persons in all relations whose units refer to it; those of roles stand in dpsens.budget';
COMMENT ON COLUMN dpsens.policy.entity IS 'is it about all relations whose units refer to this one?';
COMMENT ON COLUMN dpsens.policy.epsilon IS 'the greatest epsilon of one answer; Infinity: no limit. So are the next ones, of delta and of all answers of a statement together';
COMMENT ON COLUMN dpsens.policy.mechanisms IS 'the mechanisms that may answer; null: all';
COMMENT ON COLUMN dpsens.policy.default_epsilon IS 'what aggregates that name no epsilon are asked with while dpsens.epsilon is unset; null: nothing is said of it';
COMMENT ON COLUMN dpsens.policy.min_units IS 'the least number of units of which a group of undeclared keys may be shown with probability 1/2; null: no limit';

CREATE TABLE dpsens.purse (
	relation oid NOT NULL,
	role oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	role_name name NOT NULL,
	period_start timestamptz NOT NULL,
	spent_epsilon bigint NOT NULL,
	spent_rho bigint NOT NULL,
	spent_delta bigint NOT NULL,
	charges bigint NOT NULL,
	column_name name NOT NULL DEFAULT '',
	renyi_order float8,
	spent_renyi bigint,
	PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name, column_name),
	-- of one operator: the server reads the text of a check anew for each statement that writes
	CHECK (least(spent_epsilon, spent_rho, spent_delta, charges) >= 0)
) WITH (fillfactor = 20);
COMMENT ON TABLE dpsens.purse IS 'what was spent: by a role in its current period, or (role 0) by everybody, ever; on a relation, of one of its columns, or of a person in all relations whose units refer to it';
COMMENT ON COLUMN dpsens.purse.column_name IS 'with role 0: the column whose purse it is; "(entity)" for that of the relation as an entity; empty for that of the relation';
COMMENT ON COLUMN dpsens.purse.spent_epsilon IS 'in units of 2^-40, rounded up; 9223372036854775807 once a release had no pure epsilon';
COMMENT ON COLUMN dpsens.purse.spent_rho IS 'in units of 2^-40, rounded up: at all Renyi orders';
COMMENT ON COLUMN dpsens.purse.renyi_order IS 'the order, or rule, of the last budget that had one; null: none has had one';
COMMENT ON COLUMN dpsens.purse.spent_renyi IS 'at least what all that was spent has cost of rho at this order, in units of 2^-40, and at most spent_rho; or what it counts by the rule';

CREATE TABLE dpsens.release (
	release bigint NOT NULL PRIMARY KEY,
	statement bigint NOT NULL,
	released_at timestamptz NOT NULL,
	role oid NOT NULL,
	role_name name NOT NULL,
	relation oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	purse_role oid,
	purse_role_name name,
	query text NOT NULL,
	expression text NOT NULL,
	adjacency text NOT NULL,
	mechanism text NOT NULL,
	epsilon float8 NOT NULL,
	delta float8,
	sensitivity float8 NOT NULL,
	grid integer NOT NULL,
	sensitivities bigint[] NOT NULL,
	scales bigint[] NOT NULL,
	joined bigint[] NOT NULL,
	charge_epsilon bigint NOT NULL,
	charge_rho bigint NOT NULL,
	charge_delta bigint NOT NULL,
	contribution jsonb,
	oldest_change bigint NOT NULL,
	steps bigint,
	rate float8,
	replacement smallint,
	column_names name[],
	column_moves bigint[],
	arms integer,
	entities oid[],
	payer_entities oid[],
	payer_roles oid[],
	payer_names name[],
	group_size integer,
	CHECK (least(charge_epsilon, charge_rho, charge_delta) >= 0)
);
CREATE INDEX release_relation ON dpsens.release (relation, released_at);
COMMENT ON TABLE dpsens.release IS 'every release: public quantities only, enough to recompute its charge';
COMMENT ON COLUMN dpsens.release.purse_role IS 'the role whose budget paid, beside that of the relation; null if none did';
COMMENT ON COLUMN dpsens.release.mechanism IS 'by which it was drawn; geometric is discrete Laplace noise on whole numbers, multiples of 2^-grid in the unit of sensitivities and scales';
COMMENT ON COLUMN dpsens.release.grid IS 'sensitivities and scales are in units of 2^grid; those of a count beside a sum in 2^-40, coarser where a unit may have several rows; of K-norm noise (k_norm) in steps of its radius, 2^grid of the entry that a row moves the furthest; of a draw of the exponential mechanism or of permute-and-flip (permute_flip), the quotient is epsilon; of a selection of groups (partition) the first is that of each of scale / 2^40 groups, the second delta';

COMMENT ON COLUMN dpsens.release.joined IS 'for each scale, how many integers got noise of it, of which the sensitivity is the joint norm; of noise aimed at attributes the scale is the least one, and each integer counts in its own; of the exponential mechanism and of permute-and-flip how many draws, each of this sensitivity';
COMMENT ON COLUMN dpsens.release.contribution IS 'what one row added to it, so that it can be computed again; null if that cannot be said';
COMMENT ON COLUMN dpsens.release.steps IS 'of mechanism subsampled: how many steps, each with noise of this scale; else null';
COMMENT ON COLUMN dpsens.release.rate IS 'of mechanism subsampled: the probability with which a row took part in a step; else null';
COMMENT ON COLUMN dpsens.release.replacement IS 'what a change of a column costs of which nothing is known: that of so many neighbours, 0 for no bound; null in releases of 0.1.0';
COMMENT ON COLUMN dpsens.release.column_names IS 'columns with a purse of their own of which more is known; null if there are none';
COMMENT ON COLUMN dpsens.release.column_moves IS 'for each of them, how far a change of it in one row moves what is released: sensitivities for the scales, all of a column one after the other';
COMMENT ON COLUMN dpsens.release.arms IS 'of UNION ALL, in each of which a person can have a row; 1 without it; null in releases of 0.1.0';
COMMENT ON COLUMN dpsens.release.entities IS 'relations that were charged as entities for this release: once each, whatever other relations it was charged to; null if there are none';
COMMENT ON COLUMN dpsens.release.payer_entities IS 'those of entities on which the budget of a role paid for it, too: that of payer_roles in the same place, called payer_names then; null if there are none';
COMMENT ON COLUMN dpsens.release.group_size IS 'the units that it was charged for together, by the declarations it was planned from; null: one by itself';
COMMENT ON COLUMN dpsens.release.oldest_change IS 'changes by transactions from this 64-bit number on may not have been seen by the release';

CREATE TABLE dpsens.failure (
	role oid NOT NULL,
	role_name name NOT NULL,
	failures bigint NOT NULL CHECK (failures > 0),
	first_at timestamptz NOT NULL,
	last_at timestamptz NOT NULL
);
COMMENT ON TABLE dpsens.failure IS 'statements of roles that failed while clean rooms read private rows for them; the reasons are in the server''s log';
COMMENT ON COLUMN dpsens.failure.failures IS 'at dpsens.max_failures of them, in all rows that are the role''s, it gets no private answers';
COMMENT ON COLUMN dpsens.failure.role_name IS 'as it is called, or was called last; once no role has the OID, a role of this name has the count';

CREATE TABLE dpsens.auditor (
	relation oid NOT NULL,
	role oid NOT NULL,
	rows boolean NOT NULL,
	granted_by name NOT NULL,
	granted_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
	PRIMARY KEY (relation, role)
);
COMMENT ON TABLE dpsens.auditor IS 'who may look at what a relation has answered without owning it; not dumped, since OIDs mean something here alone';
COMMENT ON COLUMN dpsens.auditor.rows IS 'also at what follows from its rows, such as what they have lost';

-- A dump carries them, and dpsens.policy (81_training.sql, behind what updates add before it).
SELECT pg_catalog.pg_extension_config_dump('dpsens.budget', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.purse', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.release', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.failure', '');

-- The worker writes; a restore inserts, and from then on the ledger is not the
-- one that was charged.  Nobody changes or removes what is written.
CREATE FUNCTION dpsens_internal.keep_ledger() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_keep_ledger';
COMMENT ON FUNCTION dpsens_internal.keep_ledger() IS
'Trigger: refuses changes of the ledger by anybody but its worker; after an INSERT, which is a restore, the ledger has to be acknowledged. What others write makes the worker read anew what it remembers, once it is committed.';

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.purse
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.release
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.failure
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;
ALTER TABLE dpsens.failure ENABLE ALWAYS TRIGGER keep_ledger;
ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger;
-- What a subscription applies fires no trigger of statements; of rows, those that are enabled
-- for replicas.
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.purse
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.release
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.failure
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.purse ENABLE REPLICA TRIGGER keep_ledger_applied;
ALTER TABLE dpsens.release ENABLE REPLICA TRIGGER keep_ledger_applied;
ALTER TABLE dpsens.failure ENABLE REPLICA TRIGGER keep_ledger_applied;

-- Roles that may write all tables are not curators.
CREATE FUNCTION dpsens_internal.keep_budgets() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_keep_budgets';
COMMENT ON FUNCTION dpsens_internal.keep_budgets() IS
'Trigger: refuses changes of budgets, and of where the ledger is charged, other than by superusers and by functions of dpsens; after an INSERT by the former, which is a restore, the ledger has to be acknowledged.';

CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.budget
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.ledger_origin
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.budget ENABLE ALWAYS TRIGGER keep_budgets;
ALTER TABLE dpsens.ledger_origin ENABLE ALWAYS TRIGGER keep_budgets;
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.budget
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.ledger_origin
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.budget ENABLE REPLICA TRIGGER keep_budgets_applied;
ALTER TABLE dpsens.ledger_origin ENABLE REPLICA TRIGGER keep_budgets_applied;

CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.auditor
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.auditor ENABLE ALWAYS TRIGGER keep_budgets;
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.auditor
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.auditor ENABLE REPLICA TRIGGER keep_budgets_applied;

CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.policy
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.policy ENABLE ALWAYS TRIGGER keep_budgets;
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.policy
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.policy ENABLE REPLICA TRIGGER keep_budgets_applied;

-- The worker remembers what may be spent until it is told that this has changed; of what
-- was spent keep_ledger tells.
CREATE FUNCTION dpsens_internal.tell_ledger() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_tell_ledger';
COMMENT ON FUNCTION dpsens_internal.tell_ledger() IS
'Trigger: makes the ledger''s worker read budgets anew once a change of them is committed.';

CREATE TRIGGER tell_ledger AFTER INSERT OR UPDATE OR DELETE ON dpsens.budget
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.tell_ledger();
ALTER TABLE dpsens.budget ENABLE ALWAYS TRIGGER tell_ledger;
CREATE TRIGGER tell_ledger AFTER INSERT OR UPDATE OR DELETE ON dpsens.policy
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.tell_ledger();
ALTER TABLE dpsens.policy ENABLE ALWAYS TRIGGER tell_ledger;

-- ---- curators ----

CREATE FUNCTION dpsens.grant_budget(relation regclass, role regrole, epsilon float8 DEFAULT NULL,
	delta float8 DEFAULT NULL, refresh interval DEFAULT NULL, rho float8 DEFAULT NULL,
	own_tables boolean DEFAULT NULL, largest_answer float8 DEFAULT NULL, gaussian boolean DEFAULT NULL,
	selections boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_grant_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean, float8, boolean, boolean) IS
'Sets what a role, and everybody who is a member of it and has no budget of their own, may spend on a protected relation: one shared purse.
epsilon, delta: an (epsilon, delta) promise over all releases; delta 0 or NULL admits pure releases only. rho: a zCDP promise instead.
refresh: a new period begins with the first charge after this long; NULL: never. Losses of different periods add up all the same.
own_tables: whether a role that may not read the relation may use any table beside it that it may read, its own and temporary ones among them; otherwise those only that are declared by dpsens.set_public(relation). A role''s own budget says so, else that of any group; false unless it was granted.
largest_answer: the budget is for answers of which each has a pure epsilon of at most this, by mechanisms without a delta, and admits nothing else; they count by quarters of it, of one, two, three and four as 1, 3, 6 and 10 parts, so that more of them fit than by their rho; at most epsilon, at least a 128th of it, ''Infinity'' for no such rule. gaussian: the budget counts in Gaussian DP, by which more answers of Gaussian noise fit and fewer of other noise. Both need epsilon and delta, and stand for the Renyi order in left_rho; what was spent before is counted from the history, as if the rule had been there; where that has no bound, nothing is left but epsilon. selections: whether half of delta is kept for selections of groups and training on samples (true unless it was set to false).
A later grant changes what it names: epsilon or rho take each other''s place, and rho that of largest_answer, gaussian and selections; a delta, a refresh, own_tables and these that are not named (NULL) stay as they were; a NOTICE says what is given up and what stays; to be rid of a refresh revoke the budget first. What was spent stays spent; a WARNING says if it is more than the new cap, or that a former role of the same name has spent something. Takes effect when committed. The role gets the label ANALYST, by which all databases of the server hide their counters from it.
Errors: the caller does not own the relation; it is not protected; a predefined role; one that the caller has no ADMIN OPTION on while dpsens.grant_to_any_role is off; epsilon not positive; delta outside [0, 1); both or neither of epsilon and rho; refresh not positive; both largest_answer and gaussian, or one of them without epsilon and a delta above 0; largest_answer out of range; selections false beside rho.
Source: pure epsilon by basic composition, else zCDP (Bun and Steinke 2016) with the filter of Whitehouse et al. 2023; largest_answer, the best adversary against randomised response (Kairouz, Oh and Viswanath 2015); gaussian, Dong, Roth and Su 2022 with the filter of Koskela, Tobaben and Honkela 2023 and of Smith and Thakurta 2022.';

CREATE FUNCTION dpsens.set_budget(relation regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
	rho float8 DEFAULT NULL, row_epsilon float8 DEFAULT NULL, row_rho float8 DEFAULT NULL,
	largest_answer float8 DEFAULT NULL, gaussian boolean DEFAULT NULL, selections boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.set_budget(regclass, float8, float8, float8, float8, float8, float8, boolean, boolean) IS
'Caps what everybody together, the owner included, may spend on a protected relation, ever, and what each of its units may lose.
epsilon, delta, rho, largest_answer, gaussian, selections: as for grant_budget. row_epsilon, row_rho: switches row accounting on. What is not named (NULL) stays as it was, but epsilon and rho take each other''s place, as row_epsilon and row_rho do; a NOTICE says what stays and what is given up. ''Infinity'' for epsilon or rho removes the cap of the relation and its delta, for row_epsilon or row_rho it switches row accounting off. With row accounting a unit whose own loss by all releases so far, this one included, would pass the cap (pure epsilon, or rho of zero-concentrated DP) is silently left out of a release, and stays out.
While it is on, triggers on the relation freeze what a unit has lost when its row is updated or deleted, and TRUNCATE is refused; under adjacency replace and attribute every answer takes it into account that a row may be left out. Answers are biased by the rows that are left out; nothing says how many. Under replace and attribute a cap that is raised promises the sum of the old and the new one.
Effect and errors as for grant_budget; a delta for a cap that is removed; and for rows: both row_epsilon and row_rho; adjacency metric; no primary key or unit, or one of a type whose equal values can be written differently; units that can have several rows and whose columns may be NULL, refer to another table or begin no index, or under another adjacency than add_remove; a partitioned or unlogged relation, or one with parents or children.
Source: Feldman and Zrnic 2021, individual privacy filters.';

CREATE FUNCTION dpsens.set_column_budget(relation regclass, column_name name, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
	rho float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_column_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.set_column_budget(regclass, name, float8, float8, float8) IS
'Caps what all answers together, to everybody, the owner included, may tell of one private column of a row: the loss between two tables that differ in that column of one row alone, whatever the relation''s adjacency is.
epsilon, delta, rho: as for grant_budget. What is not named (NULL) stays as it was, but epsilon and rho take each other''s place. ''Infinity'' for epsilon or rho removes the cap; what was spent stays, and later releases are added to it.
A release costs a column by how far that column alone moves what is released: nothing where the statement does not read it. Where this is not known (joins, keys, units of several rows, quantiles, moments, training), it costs what a replaced row costs: under add_remove twice the epsilon and four times the rho of the release. So do releases made before the column had its first cap. A statement is charged to the relation, the role and all columns with a cap, or to none of them.
While it has, or has had, such a cap, columns of the relation cannot be renamed.
Effect and errors as for grant_budget; no such column; a column that is public, generated, the unit, or in a unique index, or from which the unit or a generated column in a unique index is computed; a partitioned relation, or one with parents or children; adjacency metric; both epsilon and rho; a delta for a cap that is removed.
Source: attribute sensitivities, Mueller et al. 2021 and 2022; groups of two, Bun and Steinke 2016.';

CREATE FUNCTION dpsens.set_entity_budget(entity regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, rho float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_entity_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.set_entity_budget(regclass, float8, float8, float8) IS
'Caps what all answers together, to everybody, the owner included, may tell of one person, whichever relations they read: entity is the relation whose rows are the persons, and all relations count whose unit refers to its unit, by a foreign key of the unit''s column alone or by reference, directly or through others (dpsens.entities shows them).
epsilon, delta, rho: as for grant_budget. What is not named (NULL) stays as it was, but epsilon and rho take each other''s place. ''Infinity'' for epsilon or rho removes the cap; what was spent stays, and later releases are added to it.
A release costs a person what it is charged, once, whatever it reads of these relations: a join of three costs as much as one. With UNION ALL of k arms it costs k times epsilon and k^2 times rho, and k exp((k - 1) epsilon) times delta. A statement is charged to relations, roles, columns and entities, or to none of them. The first charge begins with what releases of these relations were charged before, each relation''s by itself; a relation that comes to refer to the entity later is charged from then on, and one that ceases to takes nothing back.
While there is such a cap all these relations must have the entity''s adjacency, add_remove or replace, and units that are compared alike: about others there are no answers. A NOTICE names them; a WARNING names relations that refer to the entity by other columns than their unit, which do not count.
Effect and errors as for grant_budget; a unit that is no column, or without a unique index of its own; another adjacency; one of the relations has another adjacency than the entity, or a unit that is compared otherwise; both epsilon and rho; a delta for a cap that is removed.
Source: definitions, 6.2; groups, Bun and Steinke 2016 and Vadhan 2017.';

CREATE FUNCTION dpsens.grant_entity_budget(entity regclass, role regrole, epsilon float8 DEFAULT NULL,
	delta float8 DEFAULT NULL, refresh interval DEFAULT NULL, rho float8 DEFAULT NULL,
	own_tables boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_grant_entity_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.grant_entity_budget(regclass, regrole, float8, float8, interval, float8, boolean) IS
'Sets what a role, and everybody who is a member of it and has no budget of their own on the entity, may be told of one person, whichever relations they ask about: one shared purse. entity, and which relations count: as for dpsens.set_entity_budget.
Relations of the entity''s owner the role may ask about, in place of the budgets of dpsens.grant_budget, as long as both are the property of who owned the entity when it was granted; about those of others, or that were given away, it may not without such budgets, which pay beside it wherever there are some. That goes for relations that come to refer to the entity later, too; a NOTICE names those that do now. own_tables holds where there are none.
What a statement costs is charged once, as to the entity''s budget of all, and to every other budget that applies, or to none of them. The first charge begins with what the role has asked for before, or a budget of its has paid for, of these relations, as that of the entity''s budget of all; where there is a refresh, with what was released in a period that has not ended.
epsilon, delta, refresh, rho, own_tables, and what a later grant changes: as for dpsens.grant_budget. One answer may be asked with an epsilon of dpsens.answer_epsilon (1) until dpsens.set_entity_policy says otherwise for the role. What is asked while the role has no such budget is not counted when it is granted again.
Effect and errors as for dpsens.grant_budget and dpsens.set_entity_budget.
Source: definitions, 6.2; groups, Bun and Steinke 2016 and Vadhan 2017.';
CREATE FUNCTION dpsens.revoke_entity_budget(entity regclass, role regrole)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_revoke_entity_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.revoke_entity_budget(regclass, regrole) IS
'Removes a role''s budget on an entity. What was spent stays recorded, and counts if a budget is granted again. The role''s label ANALYST stays, since other databases may have granted budgets.
Errors: the caller does not own the entity; the role has no budget on it.';
CREATE FUNCTION dpsens.set_policy(relation regclass, role regrole DEFAULT 0::oid::regrole, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
	statement_epsilon float8 DEFAULT NULL, statement_delta float8 DEFAULT NULL, mechanisms text[] DEFAULT NULL,
	overrides boolean DEFAULT NULL, default_epsilon float8 DEFAULT NULL, min_units integer DEFAULT NULL, own_tables boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_policy'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.set_policy(regclass, regrole, float8, float8, float8, float8, text[], boolean, float8, integer, boolean) IS
'Limits what a single answer about a protected relation may tell. A budget bounds what all answers tell together; without a limit one answer may spend it all, and be as good as exact.
Without a role: for everybody, the owner included. With a role: for answers from the role''s budget to those who may not read the relation.
epsilon, delta: the greatest that one answer may be asked with. statement_epsilon, statement_delta: those of all answers of one statement about the relation together. There is no limit until this is called, but that a role''s budget begins with an epsilon of dpsens.answer_epsilon (1). What has no pure epsilon, as Gaussian noise, must have a rho of at most half the square of epsilon, too, whatever its delta. ''Infinity'' takes a limit away. mechanisms: those that may answer (laplace, which is geometric for whole numbers and k_norm for vectors, gaussian, exponential, permute_flip, partition, subsampled), an empty array for all. What is not named (NULL) stays as it was.
min_units: the least number of units of which a group may be shown with probability 1/2 where the groups of GROUP BY are found in private rows; a smaller epsilon or dpsens.delta shows groups from more units on, and dpsens.explain says from how many. Groups whose keys are declared are shown whether there are units or not. No query is refused for how many units there are, which would tell it. 0 takes the limit away.
default_epsilon: what an aggregate is asked with that names no epsilon, while dpsens.epsilon is unset, and of undeclared groups their selection while dpsens.selection_epsilon is, too. Of a relation the role''s own counts, or else the least of its groups'', on the relation before the entities that its units refer to, or else the relation''s, or else the least of those entities''; of several relations the least. ''Infinity'' takes it away.
own_tables: with a role, as for dpsens.grant_budget.
All policies that apply hold: that of the role, of each relation that is read, and of entities that their units refer to (dpsens.set_entity_policy). A role''s can only be narrower than its relation''s, unless it overrides it: then it takes its place, for answers from this role''s budget, to those who may read the relation, too.
A role''s limits are those of the budget that pays: a member of several groups is answered from one whose limits and budget admit it. They stay when the budget is granted again, and go when it is revoked. Takes effect when committed; a statement beyond a limit is refused before a row is read, and costs nothing. dpsens.policies shows them. They are no promise of privacy: they bound no sum of statements, which the budget does.
Errors: the caller does not own the relation; it is not protected; the role has no budget on it; a limit that is not positive; an unknown mechanism; a default_epsilon outside [2^-20, 64]; min_units below 0; overrides or own_tables without a role.
Source: rho of pure epsilon, Bun and Steinke 2016, Proposition 1.4.';

CREATE FUNCTION dpsens.set_entity_policy(entity regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
	statement_epsilon float8 DEFAULT NULL, statement_delta float8 DEFAULT NULL, mechanisms text[] DEFAULT NULL,
	role regrole DEFAULT 0::oid::regrole, default_epsilon float8 DEFAULT NULL, min_units integer DEFAULT NULL, own_tables boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_entity_policy'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.set_entity_policy(regclass, float8, float8, float8, float8, text[], regrole, float8, integer, boolean) IS
'Limits what a single answer may tell of a person, whichever relations it reads: those whose units refer to the rows of the entity, as in dpsens.set_entity_budget, whoever owns them, and the entity itself. For everybody, the owners included. A NOTICE names these relations.
epsilon, delta, statement_epsilon, statement_delta, mechanisms, default_epsilon, min_units, own_tables: as for dpsens.set_policy; none is a limit until this is called. A release that reads several of these relations is one answer; a person in k arms of UNION ALL is told k times epsilon, k^2 times rho and k exp((k - 1) epsilon) times delta. No policy of a relation or role overrides it.
With a role: for answers from its budget of the entity (dpsens.grant_entity_budget) to those who may not read all of what they ask about; it begins with an epsilon of dpsens.answer_epsilon (1), stays when the budget is granted again, and goes when it is revoked.
Effect and errors as for dpsens.set_policy.
Source: definitions, 6.2; groups, Bun and Steinke 2016 and Vadhan 2017.';

CREATE FUNCTION dpsens.revoke_budget(relation regclass, role regrole)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_revoke_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.revoke_budget(regclass, regrole) IS
'Removes a role''s budget on a relation. What was spent stays recorded, and counts if a budget is granted again. The role''s label ANALYST stays, since other databases may have granted budgets.
Errors: the caller does not own the relation; the role has no budget.';

CREATE FUNCTION dpsens.revoke_budget(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_revoke_relation_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.revoke_budget(regclass) IS
'Removes the cap of a relation; the budgets of roles and of columns stay.
Errors: the caller does not own the relation; it has no cap.';

CREATE FUNCTION dpsens.grant_audit(relation regclass, role regrole, "rows" boolean DEFAULT true)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_grant_audit'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.grant_audit(regclass, regrole, boolean) IS
'Makes a role an auditor of a protected relation: it, and whoever has its privileges, is shown what the owner is shown of budgets, limits and releases (dpsens.budgets, dpsens.policies, dpsens.row_budgets, dpsens.releases, dpsens.verify_ledger, dpsens.privacy_spent, dpsens.odometer), and with rows also what follows from the rows: dpsens.row_loss, dpsens.row_plis, dpsens.row_training_loss, dpsens.sensitivity_summary and dpsens.report, which hold private data. An auditor needs no privilege on the relation, reads no row of it and changes nothing.
A later grant takes the place of the one before. Takes effect when committed. A dump does not carry it; a relation or role that is dropped and made again has no part in it. A WARNING says if the role gets private answers from the relation.
Errors: the caller does not own the relation; it is not protected.';

CREATE FUNCTION dpsens.revoke_audit(relation regclass, role regrole)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_revoke_audit'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.revoke_audit(regclass, regrole) IS
'Takes away what dpsens.grant_audit gave. Takes effect when committed.
Errors: the caller does not own the relation; the role is no auditor of it.';

CREATE FUNCTION dpsens.forgive_failures(role regrole)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_forgive_failures'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.forgive_failures(regrole) IS
'Lets a role have private answers again whose statements have failed dpsens.max_failures times while clean rooms read rows for them: table dpsens.failure counts them, and the server''s log has the reasons. What a role of the same name had when it was dropped counts, too. It is done when the function returns, whatever becomes of the transaction.
Errors: the caller is not a superuser; the ledger is not running.';

CREATE FUNCTION dpsens.charge_for_standby(build text, system_identifier bigint, database oid, timeline integer, replayed pg_lsn, request bytea,
	OUT sqlstate text, OUT message text, OUT detail text, OUT hint text, OUT last_release bigint)
AS 'MODULE_PATHNAME', 'dps_charge_for_standby'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) IS
'Charges a statement that a hot standby of this server is about to answer; called by standbys, for nobody else. Nobody but superusers may execute it until it is granted to the role that the standby''s dpsens.primary_conninfo names. That role can charge any statement to any role and count failures of any, and learns what the ledger answers; it reads no row and needs no other privilege. Returns SQLSTATE 00000 once the charge is durable, as one of a session of this server, and else a refusal in the form of an error.
Refused before the ledger is asked: this server is in recovery itself; the standby is not of this cluster, database and timeline, or its library is of another version; a catalog of this database has changed since the standby planned the statement; the request cannot be read.
Errors: the ledger is not running, or does not answer within dpsens.ledger_timeout.';

CREATE FUNCTION dpsens.acknowledge_restore()
RETURNS void
AS 'MODULE_PATHNAME', 'dps_acknowledge_restore'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.acknowledge_restore() IS
'Lets a restored, cloned, upgraded or promoted database answer again, with the budgets as they were when it was copied: whoever calls it states that the original answers no more, or that its spending is bounded elsewhere. Relations are found again by schema and name, roles by name; a warning says what was not found. Roles with budgets get the label ANALYST.
Errors: the caller is not a superuser.';
