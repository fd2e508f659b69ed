\echo Use "ALTER EXTENSION dpsens UPDATE" to load this file. \quit

CREATE FUNCTION dpsens.version()
RETURNS text
AS 'MODULE_PATHNAME', 'dps_version'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens.version() IS
'The version of the library, which is that of the extension''s objects in this database: where the two differ, this and all else of dpsens is refused, with what helps.
Errors: the versions differ. Where the library is the newer one, after its package was upgraded, ALTER EXTENSION dpsens UPDATE helps; where it is the older one, restarting the server.';
REVOKE ALL ON FUNCTION dpsens.version() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.version() TO PUBLIC;

-- Names, and above all operators, are those of pg_catalog: in the schema of CREATE EXTENSION others may have made some whose
-- types fit better, and views would call them with the rights of who looks.  What is made has the name of its schema.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Groups of units.
DROP FUNCTION dpsens.protect(regclass, text, text, int, int, int);
CREATE FUNCTION dpsens.protect(relation regclass, unit text DEFAULT NULL, adjacency text DEFAULT NULL,
    max_rows int DEFAULT NULL, max_rows_per_group int DEFAULT NULL, max_groups int DEFAULT NULL,
    group_size int DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_protect'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.protect(regclass, text, text, int, int, int, int) IS
'Protects a table: answers about its rows are private, also to roles that have a budget and no privilege on it. Privileges are not taken away: whoever was granted SELECT still reads the rows, and a WARNING names them.
What is not named (NULL) stays as it was declared before, which a NOTICE says.
unit: the column that says whom a row belongs to, several that say it together as in ''hospital, patient'', or ''table.column'' (''table.hospital, table.patient'') for the unit of a protected table that a foreign key of this one refers to; without one, each row stands for itself. A row in which one of them is NULL stands for itself, too. A unit declared before moves here. A WARNING tells of a foreign key that sets it to null.
adjacency: what neighbouring tables differ in, one of add_remove (unless declared otherwise), replace, attribute, metric.
max_rows, max_rows_per_group, max_groups: where a unit may have several rows, how many of those that a query selects count in its answer: in all, in each group, and in how many groups. Noise grows with them. Between 1 and 1000000, or 0: not limited. Not needed where a unique index proves that a unit has one row.
group_size: how many units are protected together, such as the persons of a household, whoever they are: noise and costs are for any so many of them at once, and so are budgets. Noise grows with it, in proportion. 1 (unless declared otherwise) to 1024, under add_remove and replace. Once something was released it can only be made smaller, which refunds nothing.
Errors: the caller does not own the table; not a table; unknown column or adjacency; the unit is a public column; more than 8 columns, or several of which one is of a type whose equal values can have different bytes; groups of units under adjacency attribute or metric, or larger ones than those that what was released has been charged for.
Source: of group_size, group privacy, Dwork and Roth 2014, Theorem 2.2, and Vadhan 2017, Lemma 2.2; here by sensitivities of groups (src/guard/source/group_size.c).';
REVOKE ALL ON FUNCTION dpsens.protect(regclass, text, text, int, int, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.protect(regclass, text, text, int, int, int, int) TO PUBLIC;

-- Which rows of a unit count.
CREATE FUNCTION dpsens_internal.exact_cell(dpsens_internal.plan, "any") RETURNS float8
	LANGUAGE C IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_exact_cell';
COMMENT ON FUNCTION dpsens_internal.exact_cell(dpsens_internal.plan, "any") IS 'the number that an exact sum reads of a value, within its range, NaN of none; only dpsens writes it into queries';
CREATE FUNCTION dpsens_internal.exact_number(dpsens_internal.plan, VARIADIC "any") RETURNS bigint
	LANGUAGE C IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_exact_number';
COMMENT ON FUNCTION dpsens_internal.exact_number(dpsens_internal.plan, VARIADIC "any") IS 'the number of the declared group that has these keys; null if there is none; only dpsens writes it into queries';
REVOKE ALL ON FUNCTION dpsens_internal.exact_cell(dpsens_internal.plan, "any"), dpsens_internal.exact_number(dpsens_internal.plan, VARIADIC "any") FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.exact_cell(dpsens_internal.plan, "any"), dpsens_internal.exact_number(dpsens_internal.plan, VARIADIC "any") TO PUBLIC;

-- Of what was spent keep_ledger() tells.
DROP TRIGGER tell_ledger ON dpsens.purse;
DROP TRIGGER tell_ledger_names ON dpsens.purse;
COMMENT ON FUNCTION dpsens_internal.tell_ledger() IS
'Trigger: makes the ledger''s worker read budgets anew once a change of them is committed.';
COMMENT ON FUNCTION dpsens_internal.keep_ledger() IS
'Trigger: refuses changes of the ledger by anybody but its worker; after an INSERT, which is a restore, the ledger has to be acknowledged. What others write makes the worker read anew what it remembers, once it is committed.';

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
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.budget
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.ledger_origin
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.budget ENABLE REPLICA TRIGGER keep_budgets_applied;
ALTER TABLE dpsens.ledger_origin ENABLE REPLICA TRIGGER keep_budgets_applied;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.frozen_loss
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.frozen_loss ENABLE REPLICA TRIGGER keep_ledger_applied;
-- Units with long keys are called otherwise.
ALTER TABLE dpsens.frozen_loss DISABLE TRIGGER keep_ledger;
UPDATE dpsens.frozen_loss AS f SET unit = pg_catalog.left(f.unit, 64) || ':sha256:' || pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(f.unit, pg_catalog.getdatabaseencoding())), 'hex')
WHERE pg_catalog.octet_length(f.unit) > 2000 OR f.unit ~ ':sha256:[0-9a-f]{64}$';
ALTER TABLE dpsens.frozen_loss ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.row_account
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.row_account ENABLE REPLICA TRIGGER keep_budgets_applied;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.training_run
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_run ENABLE REPLICA TRIGGER keep_ledger_applied;

-- The server reads the text of a check anew for each statement that writes.
ALTER TABLE dpsens.purse DROP CONSTRAINT purse_check,
	ADD CHECK (least(spent_epsilon, spent_rho, spent_delta, charges) >= 0);
ALTER TABLE dpsens.release DROP CONSTRAINT release_check,
	ADD CHECK (least(charge_epsilon, charge_rho, charge_delta) >= 0);

-- Budgets of columns.
ALTER TABLE dpsens.budget ADD column_name name NOT NULL DEFAULT '';
ALTER TABLE dpsens.budget ADD answer_epsilon float8 NOT NULL DEFAULT 1, ADD answer_delta float8 NOT NULL DEFAULT 'Infinity',
	ADD statement_epsilon float8 NOT NULL DEFAULT 'Infinity', ADD statement_delta float8 NOT NULL DEFAULT 'Infinity', ADD mechanisms text[],
	ADD overrides_policy boolean NOT NULL DEFAULT false, ADD renyi_order float8,
	ADD agreed_owner oid, ADD agreed_owner_name name, ADD default_epsilon float8, ADD min_units bigint;
ALTER TABLE dpsens.budget DROP CONSTRAINT budget_pkey,
	ADD PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name, column_name);
ALTER TABLE dpsens.purse ADD column_name name NOT NULL DEFAULT '', ADD renyi_order float8, ADD spent_renyi bigint;
ALTER TABLE dpsens.purse DROP CONSTRAINT purse_pkey,
	ADD PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name, column_name);
ALTER TABLE dpsens.release ADD replacement smallint, ADD column_names name[], ADD column_moves bigint[],
	ADD arms integer, ADD entities oid[], ADD payer_entities oid[], ADD payer_roles oid[], ADD payer_names name[], ADD group_size integer;
COMMENT ON TABLE dpsens.budget IS 'what may be spent: by a role on a relation, or (role 0) by everybody together, of the relation or of one of its columns; and by either of a person in all relations whose units refer to it';
COMMENT ON COLUMN dpsens.budget.column_name IS 'with role 0: the column whose budget it is; "(entity)" for that of the relation as an entity; empty for that of the relation';
COMMENT ON TABLE dpsens.purse IS 'what was spent: by a role in its current period, or (role 0) by everybody, ever; on a relation, of one of its columns, or of a person in all relations whose units refer to it';
COMMENT ON COLUMN dpsens.purse.column_name IS 'with role 0: the column whose purse it is; "(entity)" for that of the relation as an entity; empty for that of the relation';
COMMENT ON COLUMN dpsens.budget.agreed_owner IS 'of a role''s budget of an entity: who owned the entity when it was granted, called agreed_owner_name; relations that this role owns, as it does the entity, are those that the budget lets ask about';
COMMENT ON COLUMN dpsens.budget.renyi_order IS 'the Renyi order at which rho is counted, that of the conversion of (epsilon, delta), fixed when the budget was set; null: rho is counted at all orders, as the budget of a rho promises. A rule instead: Infinity, Gaussian DP; below 0, answers of at most this epsilon, without its sign';
COMMENT ON COLUMN dpsens.purse.spent_rho IS 'in units of 2^-40, rounded up: at all Renyi orders';
COMMENT ON COLUMN dpsens.purse.renyi_order IS 'the order, or rule, of the last budget that had one; null: none has had one';
COMMENT ON COLUMN dpsens.purse.spent_renyi IS 'at least what all that was spent has cost of rho at this order, in units of 2^-40, and at most spent_rho; or what it counts by the rule';
COMMENT ON COLUMN dpsens.release.mechanism IS 'by which it was drawn; geometric is discrete Laplace noise on whole numbers, multiples of 2^-grid in the unit of sensitivities and scales';
COMMENT ON COLUMN dpsens.release.replacement IS 'what a change of a column costs of which nothing is known: that of so many neighbours, 0 for no bound; null in releases of 0.1.0';
COMMENT ON COLUMN dpsens.release.column_names IS 'columns with a purse of their own of which more is known; null if there are none';
COMMENT ON COLUMN dpsens.release.column_moves IS 'for each of them, how far a change of it in one row moves what is released: sensitivities for the scales, all of a column one after the other';
COMMENT ON COLUMN dpsens.release.arms IS 'of UNION ALL, in each of which a person can have a row; 1 without it; null in releases of 0.1.0';
COMMENT ON COLUMN dpsens.release.entities IS 'relations that were charged as entities for this release: once each, whatever other relations it was charged to; null if there are none';
COMMENT ON COLUMN dpsens.release.payer_entities IS 'those of entities on which the budget of a role paid for it, too: that of payer_roles in the same place, called payer_names then; null if there are none';
COMMENT ON COLUMN dpsens.release.group_size IS 'the units that it was charged for together, by the declarations it was planned from; null: one by itself';

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
REVOKE ALL ON FUNCTION dpsens.set_column_budget(regclass, name, float8, float8, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_column_budget(regclass, name, float8, float8, float8) TO PUBLIC;
COMMENT ON FUNCTION dpsens.revoke_budget(regclass) IS
'Removes the cap of a relation; the budgets of roles and of columns stay.
Errors: the caller does not own the relation; it has no cap.';

-- Budgets of entities.
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
REVOKE ALL ON FUNCTION dpsens.set_entity_budget(regclass, float8, float8, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_entity_budget(regclass, float8, float8, float8) TO PUBLIC;

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
REVOKE ALL ON FUNCTION dpsens.grant_entity_budget(regclass, regrole, float8, float8, interval, float8, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.grant_entity_budget(regclass, regrole, float8, float8, interval, float8, boolean) TO PUBLIC;
CREATE FUNCTION dpsens.revoke_entity_budget(entity regclass, role regrole)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_revoke_entity_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.revoke_entity_budget(regclass, regrole) IS
'Removes a role''s budget on an entity. What was spent stays recorded, and counts if a budget is granted again. The role''s label ANALYST stays, since other databases may have granted budgets.
Errors: the caller does not own the entity; the role has no budget on it.';
REVOKE ALL ON FUNCTION dpsens.revoke_entity_budget(regclass, regrole) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.revoke_entity_budget(regclass, regrole) TO PUBLIC;
CREATE FUNCTION dpsens_internal.period_end(period_start timestamptz, length interval) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'dps_sql_period_end'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.period_end(timestamptz, interval) IS
'When a period of this length ends that began then; infinity where that is beyond what timestamps hold.';

REVOKE ALL ON FUNCTION dpsens_internal.period_end(timestamptz, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.period_end(timestamptz, interval) TO PUBLIC;

CREATE FUNCTION dpsens_internal.rho_at_order(renyi_order float8, mechanism text, sensitivities bigint[], scales bigint[], joined bigint[],
	steps bigint, rate float8, grid integer, charge_rho bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'dps_sql_rho_at_order'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.rho_at_order(float8, text, bigint[], bigint[], bigint[], bigint, float8, integer, bigint) IS
'What a release costs of a budget that counts rho at this Renyi order, in units of 2^-40, recomputed from its public quantities (as in dpsens.release): its Renyi loss over the order, and no more than charge_rho; that for order NULL. By a rule (dpsens.budget.renyi_order) what that counts, the largest bigint if it has no bound. NULL if one of the others is that is never NULL there.
Errors: arrays of different lengths.
Source: Canonne, Kamath and Steinke 2020; samples, Mironov, Talwar and Zhang 2019; the filter, Feldman and Zrnic 2021.';
CREATE FUNCTION dpsens_internal.spent_at_order(renyi_order float8, spent_epsilon bigint, spent_rho bigint, former_order float8, spent_renyi bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'dps_sql_spent_at_order'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.spent_at_order(float8, bigint, bigint, float8, bigint) IS
'What was spent of a purse counts of a budget of this Renyi order, or rule (dpsens.budget.renyi_order; NULL, all orders), in units of 2^-40: spent_renyi if that is the purse''s former_order, too; else spent_rho, or of a rule the largest bigint, unless nothing was spent: its releases have to be counted by it. NULL if one of spent_epsilon and spent_rho is.';
REVOKE ALL ON FUNCTION dpsens_internal.spent_at_order(float8, bigint, bigint, float8, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.spent_at_order(float8, bigint, bigint, float8, bigint) TO PUBLIC;
REVOKE ALL ON FUNCTION dpsens_internal.rho_at_order(float8, text, bigint[], bigint[], bigint[], bigint, float8, integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.rho_at_order(float8, text, bigint[], bigint[], bigint[], bigint, float8, integer, bigint) TO PUBLIC;
CREATE FUNCTION dpsens_internal.answer_cost(relation oid, entity boolean, renyi_order float8) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_answer_cost_about'
-- which would compile for seconds what runs in milliseconds
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL UNSAFE SET jit = off;
COMMENT ON FUNCTION dpsens_internal.answer_cost(oid, boolean, float8) IS
'What one sum or count about the relation, or about persons of it as an entity, costs at the present dpsens.epsilon, dpsens.mechanism and dpsens.delta of a budget that counts rho at this Renyi order, of all orders for NULL: of each of epsilon, rho and delta, in units of the ledger, what the dearer of the two costs. While dpsens.epsilon is unset at the default_epsilon of the policies that the current role is shown (dpsens.policies); NULL if there is none.';
REVOKE ALL ON FUNCTION dpsens_internal.answer_cost(oid, boolean, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.answer_cost(oid, boolean, float8) TO PUBLIC;

CREATE FUNCTION dpsens_internal.left_percent(caps bigint[], spent bigint[]) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_left_percent'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.left_percent(bigint[], bigint[]) IS
'What is left of a budget, in percent, rounded down to hundredths; each array holds epsilon, rho and delta in units of the ledger. The larger of what is left of its epsilon, nothing once a delta was spent, and of its rho and, where it has one to spend, of its delta the less: the two ways in which it admits releases.
Errors: arrays that do not have three elements.';

CREATE FUNCTION dpsens_internal.times_left(caps bigint[], spent bigint[], cost bigint[]) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_times_left'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.times_left(bigint[], bigint[], bigint[]) IS
'How many times a cost fits what is left of a budget, with fractions, rounded down; each array holds epsilon, rho and delta in units of the ledger. Infinity where there is no end.
Errors: arrays that do not have three elements.';

CREATE FUNCTION dpsens_internal.answer_refused(relation oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_answer_refused'
-- which would compile for seconds what runs in milliseconds
LANGUAGE C STABLE STRICT PARALLEL UNSAFE SET jit = off;
COMMENT ON FUNCTION dpsens_internal.answer_refused(oid) IS
'Would a policy that the current role is shown (dpsens.policies) refuse it a sum or a count about the relation at the present dpsens.epsilon, dpsens.mechanism and dpsens.delta? While dpsens.epsilon is unset at the default_epsilon of these policies; NULL if there is none.';
REVOKE ALL ON FUNCTION dpsens_internal.left_percent(bigint[], bigint[]), dpsens_internal.times_left(bigint[], bigint[], bigint[]), dpsens_internal.answer_refused(oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.left_percent(bigint[], bigint[]), dpsens_internal.times_left(bigint[], bigint[], bigint[]), dpsens_internal.answer_refused(oid) TO PUBLIC;

CREATE FUNCTION dpsens_internal.order_of_budget(epsilon float8, delta float8, cap_rho bigint) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_order_of_budget'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.order_of_budget(float8, float8, bigint) IS
'The Renyi order at which a budget of (epsilon, delta) is converted, for one that was set by dpsens 0.1.0 with this cap of rho; NULL, for all orders, if it is converted at none, or the cap is larger than what that order allows.';
REVOKE ALL ON FUNCTION dpsens_internal.order_of_budget(float8, float8, bigint) FROM PUBLIC;
UPDATE dpsens.budget AS b SET renyi_order = dpsens_internal.order_of_budget(b.epsilon, b.delta, b.cap_rho) WHERE b.cap_rho > 0;

CREATE FUNCTION dpsens_internal.has_paid(payer_entities oid[], payer_roles oid[], entity oid, role oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_has_paid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.has_paid(oid[], oid[], oid, oid) IS
'Has the budget of the role on the entity paid for a release that says this of its payers?
Errors: arrays with nulls or several dimensions.';

REVOKE ALL ON FUNCTION dpsens_internal.has_paid(oid[], oid[], oid, oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.has_paid(oid[], oid[], oid, oid) TO PUBLIC;

CREATE FUNCTION dpsens_internal.charge_of_person(charge bigint[], arms integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_charge_of_person'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.charge_of_person(bigint[], integer) IS
'What a release costs a person who can have a row in each of so many arms of UNION ALL: epsilon, rho and delta in units of the ledger, from what it is charged.
Errors: a charge that does not have three elements.';

CREATE FUNCTION dpsens_internal.entities_of(relation oid) RETURNS oid[]
AS 'MODULE_PATHNAME', 'dps_entities_of_relation'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.entities_of(oid) IS
'The relations that the units of a relation refer to by labels and foreign keys, itself among them. Empty for a relation that is gone.';

CREATE FUNCTION dpsens_internal.why_not_of_entity(relation oid, entity oid) RETURNS text
AS 'MODULE_PATHNAME', 'dps_why_not_entity'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.why_not_of_entity(oid, oid) IS
'Why what a release is charged for the relation does not bound what a person of the entity loses by it; NULL if it does.';

CREATE FUNCTION dpsens_internal.sees_entity(entity oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_sees_entity'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpsens_internal.sees_entity(oid) IS
'Does the current role own a relation whose units refer to the entity, may it read a column of one, or has it a budget on one?';

CREATE FUNCTION dpsens_internal.is_served(relation oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_is_served'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpsens_internal.is_served(oid) IS
'Does a budget of the current role, or of a group of its, let it ask about the relation: one on it, or one of an entity that opens it?';

CREATE FUNCTION dpsens_internal.entity_opens(entity oid, agreed_owner oid, relation oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_sql_entity_opens'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.entity_opens(oid, oid, oid) IS
'Does a role''s budget of the entity, to which this role agreed as its owner, let the role ask about the relation?';

REVOKE ALL ON FUNCTION dpsens_internal.is_served(oid), dpsens_internal.entity_opens(oid, oid, oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.is_served(oid), dpsens_internal.entity_opens(oid, oid, oid) TO PUBLIC;

CREATE FUNCTION dpsens_internal.entity_history(entity oid, role oid, refresh interval) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_entity_history'
-- which would compile for seconds what runs in milliseconds
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL UNSAFE SET jit = off;
COMMENT ON FUNCTION dpsens_internal.entity_history(oid, oid, interval) IS
'What the first charge of an entity''s budget begins with, in units of the ledger. Of that of all (role 0): what all releases of relations that are of it now cost persons; NULL for who neither audits it nor has to do with one of these (sees_entity). Of a role''s: what releases of these cost that the role asked for, or a budget of its paid for, of a budget with a refresh in a period that has not ended; NULL for who neither owns nor audits it, nor is a member of the role.';

CREATE VIEW dpsens_internal.person_costs AS
SELECT r.release, r.relation, r.entities,
	dpsens_internal.charge_of_person(ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta], COALESCE(r.arms,
		(SELECT pg_catalog.count(DISTINCT o.relation)::integer FROM dpsens.release o WHERE o.statement = r.statement))) AS cost
FROM dpsens.release r;
COMMENT ON VIEW dpsens_internal.person_costs IS 'what each release cost a person of the entities that it was charged to, in units of the ledger; one of 0.1.0 may have united all relations of its statement';

REVOKE ALL ON FUNCTION dpsens_internal.charge_of_person(bigint[], integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.charge_of_person(bigint[], integer) TO PUBLIC;
REVOKE ALL ON FUNCTION dpsens_internal.entity_history(oid, oid, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.entity_history(oid, oid, interval) TO PUBLIC;
REVOKE ALL ON FUNCTION dpsens_internal.sees_entity(oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.sees_entity(oid) TO PUBLIC;
REVOKE ALL ON FUNCTION dpsens_internal.entities_of(oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.entities_of(oid) TO PUBLIC;
REVOKE ALL ON FUNCTION dpsens_internal.why_not_of_entity(oid, oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.why_not_of_entity(oid, oid) TO PUBLIC;
REVOKE ALL ON dpsens_internal.person_costs FROM PUBLIC;

CREATE FUNCTION dpsens_internal.charge_of_column(column_name name, mechanism text, adjacency text, replacement smallint,
	column_names name[], column_moves bigint[], scales bigint[], joined bigint[], charge bigint[], grid integer,
	renyi_order float8, rho_at_order bigint) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_charge_of_column'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[], integer, float8, bigint) IS
'What a release costs if this column of one row changes: epsilon, rho and delta in units of the ledger, recomputed from its public quantities (as in dpsens.release), or, where it says nothing of the column, from its charge. With a renyi_order rho is that which a budget counts at this order, for which rho_at_order is that of the whole release. NULL if one of those is that is never NULL there.
Errors: arrays of different lengths; a charge that does not have three elements.';
REVOKE ALL ON FUNCTION dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[], integer, float8, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[], integer, float8, bigint) TO PUBLIC;

-- ---- auditors ----

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

CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.auditor
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.auditor ENABLE ALWAYS TRIGGER keep_budgets;
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.auditor
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.auditor ENABLE REPLICA TRIGGER keep_budgets_applied;

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

-- Relations of which the reader is an auditor.
CREATE VIEW dpsens_internal.audited WITH (security_barrier) AS
SELECT a.relation, a.rows FROM dpsens.auditor a
JOIN pg_catalog.pg_class c ON c.oid = a.relation
JOIN pg_catalog.pg_roles r ON r.oid = a.role
WHERE pg_catalog.pg_has_role(a.role, 'USAGE');
COMMENT ON VIEW dpsens_internal.audited IS 'the relations of which the reader is an auditor, and whether of what follows from their rows; for the views built on it, and the library';

CREATE VIEW dpsens.auditors WITH (security_barrier) AS
SELECT a.relation::pg_catalog.regclass AS relation, r.rolname AS role, a.rows, a.granted_by, a.granted_at
FROM dpsens.auditor a
JOIN pg_catalog.pg_class c ON c.oid = a.relation
JOIN pg_catalog.pg_roles r ON r.oid = a.role
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE') OR pg_catalog.pg_has_role(a.role, 'USAGE');
COMMENT ON VIEW dpsens.auditors IS 'who may look at what relations have answered without owning them (dpsens.grant_audit): of the relations that the reader owns, and the reader''s own grants';
COMMENT ON COLUMN dpsens.auditors.rows IS 'also at what follows from their rows, such as what they have lost';

REVOKE ALL ON dpsens.auditor FROM PUBLIC;
REVOKE ALL ON FUNCTION dpsens.grant_audit(regclass, regrole, boolean), dpsens.revoke_audit(regclass, regrole) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.grant_audit(regclass, regrole, boolean), dpsens.revoke_audit(regclass, regrole) TO PUBLIC;
GRANT SELECT ON dpsens_internal.audited, dpsens.auditors TO PUBLIC;

CREATE OR REPLACE VIEW dpsens_internal.budget_state AS
SELECT live.oid AS relation, b.role, b.role_name, b.epsilon, b.delta, b.rho, b.refresh,
	b.cap_epsilon, b.cap_rho, b.cap_delta, b.granted_by, b.granted_at, b.own_tables,
	p.charges, p.period_start,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_epsilon END AS spent_epsilon,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_rho END AS spent_rho,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_delta END AS spent_delta,
	b.column_name, b.answer_epsilon, b.answer_delta, b.statement_epsilon, b.statement_delta, b.mechanisms, b.overrides_policy,
	b.renyi_order, b.agreed_owner, b.default_epsilon, b.min_units
FROM dpsens.budget b
CROSS JOIN LATERAL (
	SELECT c.oid, c.relname, n.nspname, o.rolname
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
	WHERE c.oid = b.relation
		OR c.relname = b.relation_name AND n.nspname = b.relation_schema
			AND (o.rolname = b.relation_owner OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles gone WHERE gone.rolname = b.relation_owner))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_class old WHERE old.oid = b.relation)
	LIMIT 1
) live
-- a former relation of the name counts before the next charge says so, too
CROSS JOIN LATERAL (
	SELECT COALESCE(pg_catalog.sum(q.charges), 0)::bigint AS charges, pg_catalog.min(q.period_start) AS period_start,
		LEAST(COALESCE(pg_catalog.sum(q.spent_epsilon), 0), 9223372036854775807)::bigint AS spent_epsilon,
		LEAST(COALESCE(pg_catalog.sum(COALESCE((
			SELECT LEAST(pg_catalog.sum(dpsens_internal.rho_at_order(b.renyi_order, r.mechanism, r.sensitivities, r.scales, r.joined,
				r.steps, r.rate, r.grid, r.charge_rho)), 9223372036854775807)
			FROM dpsens.release r
			WHERE (b.renyi_order < 0 OR b.renyi_order = 'Infinity') AND q.renyi_order IS DISTINCT FROM b.renyi_order AND q.column_name = ''
				AND r.relation = q.relation AND (q.role = 0 OR r.purse_role = q.role AND r.released_at >= q.period_start)
			HAVING LEAST(pg_catalog.sum(r.charge_epsilon), 9223372036854775807) = q.spent_epsilon
				AND LEAST(pg_catalog.sum(r.charge_rho), 9223372036854775807) = q.spent_rho
				AND LEAST(pg_catalog.sum(r.charge_delta), 9223372036854775807) = q.spent_delta),
			dpsens_internal.spent_at_order(b.renyi_order, q.spent_epsilon, q.spent_rho, q.renyi_order, q.spent_renyi))), 0), 9223372036854775807)::bigint AS spent_rho,
		LEAST(COALESCE(pg_catalog.sum(q.spent_delta), 0), 9223372036854775807)::bigint AS spent_delta
	FROM dpsens.purse q
	WHERE q.role = b.role AND q.column_name = b.column_name AND (q.relation = live.oid OR q.relation = b.relation
		OR q.relation_name = live.relname AND q.relation_schema = live.nspname
			AND (q.relation_owner = live.rolname OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles gone WHERE gone.rolname = q.relation_owner))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_class old WHERE old.oid = q.relation))
) counted
-- a column or an entity without a purse begins with what is recorded
CROSS JOIN LATERAL (
	SELECT counted.charges, counted.period_start, counted.spent_epsilon, counted.spent_rho, counted.spent_delta
	WHERE b.column_name = '' OR counted.period_start IS NOT NULL
	UNION ALL
	SELECT 0, NULL, LEAST(COALESCE(pg_catalog.sum(c.cost[1]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[2]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[3]), 0), 9223372036854775807)::bigint
	FROM dpsens.release r
	CROSS JOIN LATERAL (
		SELECT dpsens_internal.charge_of_column(b.column_name, r.mechanism, r.adjacency, r.replacement, r.column_names,
			r.column_moves, r.scales, r.joined, ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta], r.grid, NULL, NULL) AS cost
	) c
	WHERE r.relation = live.oid AND b.column_name NOT IN ('', '(entity)') AND counted.period_start IS NULL
	HAVING b.column_name NOT IN ('', '(entity)') AND counted.period_start IS NULL
	UNION ALL
	SELECT 0, NULL, h.cost[1], h.cost[2], h.cost[3]
	FROM (SELECT dpsens_internal.entity_history(live.oid, b.role, b.refresh) AS cost OFFSET 0) h
	WHERE b.column_name = '(entity)' AND counted.period_start IS NULL
) p
CROSS JOIN LATERAL (
	SELECT COALESCE(pg_catalog.now() >= dpsens_internal.period_end(p.period_start, b.refresh), false) AS yes
) expired
WHERE b.role = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = b.role);

CREATE OR REPLACE VIEW dpsens.budgets WITH (security_barrier) AS
SELECT s.relation::pg_catalog.regclass AS relation,
	CASE WHEN s.role <> 0 THEN s.role_name END AS role,
	s.epsilon, s.delta, s.rho, s.refresh,
	dpsens_internal.loss_of_amount(s.spent_epsilon, 40) AS spent_epsilon,
	dpsens_internal.loss_of_amount(s.spent_rho, 40) AS spent_rho,
	dpsens_internal.loss_of_amount(s.spent_delta, 62) AS spent_delta,
	dpsens_internal.left_of_amount(s.cap_epsilon, s.spent_epsilon, 40) AS left_epsilon,
	dpsens_internal.left_of_amount(s.cap_rho, s.spent_rho, 40) AS left_rho,
	s.charges, s.period_start, s.granted_by, s.granted_at, s.own_tables,
	NULLIF(NULLIF(s.column_name, ''), '(entity)') AS column_name, s.column_name = '(entity)' AS entity,
	dpsens_internal.left_percent(ARRAY[s.cap_epsilon, s.cap_rho, s.cap_delta], ARRAY[s.spent_epsilon, s.spent_rho, s.spent_delta]) AS left_percent,
	CASE WHEN s.renyi_order < 0 THEN 'answers of epsilon ' || -s.renyi_order || ' or less' WHEN s.renyi_order = 'Infinity' THEN 'Gaussian DP' END AS counts
FROM dpsens_internal.budget_state s
JOIN pg_catalog.pg_class c ON c.oid = s.relation
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE') OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d);
COMMENT ON VIEW dpsens.budgets IS 'the budgets on the relations that the reader owns or audits, and what was spent of them; role is null for the cap of a relation, of a column or of an entity by all';
COMMENT ON COLUMN dpsens.budgets.left_rho IS 'what releases may still cost in zCDP, counted as spent_rho is; 0 where delta is 0';
COMMENT ON COLUMN dpsens.budgets.spent_rho IS 'sum of rho, of a budget of (epsilon, delta) at the Renyi order of its conversion: at most the sum of charge_rho of its releases, which holds at all orders';
COMMENT ON COLUMN dpsens.budgets.column_name IS 'the column whose cap it is; null for that of a relation, a role or an entity';
COMMENT ON COLUMN dpsens.budgets.left_percent IS 'what is left of all that this budget counts, in percent, rounded down to hundredths. Of a pure budget that is epsilon, of one of a rho that rho. One of (epsilon, delta) admits releases in two ways: within epsilon, as long as no delta was spent, or within the rho at the Renyi order of its conversion and half of delta; left is the larger of what is left in each, in the second the less of rho and delta. So where delta is all spent it is 0, although releases that cost none may still fit left_rho';
COMMENT ON COLUMN dpsens.budgets.counts IS 'the rule by which left_rho is counted, in place of rho at a Renyi order (largest_answer and gaussian of dpsens.set_budget); null: none';
COMMENT ON COLUMN dpsens.budgets.entity IS 'is it a cap of what all relations whose units refer to this one tell of a person, of all (dpsens.set_entity_budget) or of the role (dpsens.grant_entity_budget)?';

-- Whose units are whose, by labels and constraints.
CREATE VIEW dpsens_internal.entity_relations AS
SELECT e.entity, l.objoid AS relation
FROM pg_catalog.pg_seclabel l
JOIN pg_catalog.pg_class c ON c.oid = l.objoid AND c.relkind IN ('r', 'p')
CROSS JOIN LATERAL pg_catalog.unnest(dpsens_internal.entities_of(l.objoid)) e(entity)
WHERE l.provider = 'dpsens' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid = 0 AND l.label ~* '^\s*protected';
COMMENT ON VIEW dpsens_internal.entity_relations IS 'protected relations, and the relations that their units refer to, themselves among them';

CREATE VIEW dpsens.entities WITH (security_barrier) AS
SELECT e.entity::pg_catalog.regclass AS entity, e.relation::pg_catalog.regclass AS relation,
	dpsens_internal.why_not_of_entity(e.relation, e.entity) AS refused
FROM dpsens_internal.entity_relations e
JOIN pg_catalog.pg_class one ON one.oid = e.entity
JOIN pg_catalog.pg_class other ON other.oid = e.relation
WHERE e.entity IN (SELECT s.relation FROM dpsens_internal.budget_state s WHERE s.column_name = '(entity)') AND (pg_catalog.pg_has_role(one.relowner, 'USAGE') OR pg_catalog.pg_has_role(other.relowner, 'USAGE')
	OR e.entity IN (SELECT d.relation FROM dpsens_internal.audited d) OR e.relation IN (SELECT d.relation FROM dpsens_internal.audited d));
COMMENT ON VIEW dpsens.entities IS 'relations with the budget of an entity, of all or of a role (dpsens.set_entity_budget, dpsens.grant_entity_budget), and all relations whose releases are charged to it: those of which the reader owns or audits one or the other';
COMMENT ON COLUMN dpsens.entities.refused IS 'why there are no answers about the relation while the entity has a budget, of a role''s for this role; null if there are';

REVOKE ALL ON dpsens_internal.entity_relations, dpsens.entities FROM PUBLIC;
GRANT SELECT ON dpsens.entities TO PUBLIC;

CREATE OR REPLACE VIEW dpsens_internal.my_purses WITH (security_barrier) AS
WITH state AS MATERIALIZED (SELECT * FROM dpsens_internal.budget_state)
SELECT s.relation, s.role, s.role_name, s.epsilon, s.delta, s.rho, s.refresh,
	ARRAY[s.cap_epsilon, s.cap_rho, s.cap_delta] AS caps,
	ARRAY[s.spent_epsilon, s.spent_rho, s.spent_delta] AS spent, s.column_name, s.renyi_order
FROM state s
JOIN pg_catalog.pg_class c ON c.oid = s.relation
JOIN pg_catalog.pg_roles me ON me.rolname = CURRENT_USER
WHERE s.role = me.oid
	OR s.role = 0 AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
		OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
		OR EXISTS (SELECT FROM state other WHERE other.relation = s.relation AND other.column_name = ''
			AND other.role <> 0 AND pg_catalog.pg_has_role(other.role, 'MEMBER'))
		OR dpsens_internal.is_served(s.relation)
		OR s.column_name = '(entity)' AND dpsens_internal.sees_entity(s.relation))
	OR s.role <> 0 AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE') AND pg_catalog.pg_has_role(s.role, 'MEMBER')
		AND s.role = (
			SELECT g.role FROM state g
			WHERE g.relation = s.relation AND g.column_name = s.column_name AND g.role <> 0 AND pg_catalog.pg_has_role(g.role, 'MEMBER')
			ORDER BY g.role = me.oid DESC,
				dpsens_internal.answers_left(ARRAY[g.cap_epsilon, g.cap_rho, g.cap_delta],
					ARRAY[g.spent_epsilon, g.spent_rho, g.spent_delta], dpsens_internal.answer_cost(g.relation, g.column_name = '(entity)', g.renyi_order)) > 0 DESC NULLS LAST, g.role_name
			LIMIT 1);

COMMENT ON VIEW dpsens_internal.my_purses IS 'the budgets that a statement of the reader is charged to, in units of the ledger; role 0 is the cap of the relation, of a column or of an entity by all';

CREATE OR REPLACE VIEW dpsens.my_budget WITH (security_barrier) AS
WITH purses AS MATERIALIZED (SELECT * FROM dpsens_internal.my_purses)
SELECT m.relation::pg_catalog.regclass AS relation, NULLIF(m.role_name, '') AS budget_of,
	m.epsilon, m.delta, m.rho, m.refresh,
	dpsens_internal.loss_of_amount(m.spent[1], 40) AS spent_epsilon,
	dpsens_internal.loss_of_amount(m.spent[2], 40) AS spent_rho,
	dpsens_internal.left_of_amount(m.caps[1], m.spent[1], 40) AS left_epsilon,
	dpsens_internal.left_of_amount(m.caps[2], m.spent[2], 40) AS left_rho,
	dpsens_internal.loss_of_amount(m.spent[3], 62) AS spent_delta,
	dpsens_internal.left_of_amount(m.caps[3], m.spent[3], 62) AS left_delta,
	CASE WHEN m.column_name = '' AND dpsens_internal.answer_refused(m.relation) THEN 0
		WHEN m.column_name = '' THEN LEAST((SELECT pg_catalog.min(dpsens_internal.answers_left(a.caps, a.spent, dpsens_internal.answer_cost(m.relation, false, a.renyi_order)))
			FROM purses a WHERE a.relation = m.relation AND a.column_name = ''),
		(SELECT pg_catalog.min(dpsens_internal.answers_left(a.caps, a.spent, dpsens_internal.answer_cost(m.relation, false, a.renyi_order)))
			FROM purses a WHERE a.column_name = '(entity)' AND a.relation = ANY (dpsens_internal.entities_of(m.relation))))
		WHEN m.column_name = '(entity)' THEN dpsens_internal.answers_left(m.caps, m.spent, dpsens_internal.answer_cost(m.relation, true, m.renyi_order)) END AS answers_left,
	(SELECT COALESCE(pg_catalog.bool_or(g.own_tables) FILTER (WHERE r.rolname = CURRENT_USER), pg_catalog.bool_or(g.own_tables), false)
		FROM dpsens_internal.budget_state g JOIN pg_catalog.pg_roles r ON r.oid = g.role
		WHERE g.relation = m.relation AND g.column_name = CASE WHEN m.column_name = '(entity)' THEN '(entity)' ELSE '' END
			AND pg_catalog.pg_has_role(g.role, 'MEMBER')) AS own_tables,
	NULLIF(NULLIF(m.column_name, ''), '(entity)') AS column_name, m.column_name = '(entity)' AS entity,
	dpsens_internal.left_percent(m.caps, m.spent) AS left_percent,
	CASE WHEN m.renyi_order < 0 THEN 'answers of epsilon ' || -m.renyi_order || ' or less' WHEN m.renyi_order = 'Infinity' THEN 'Gaussian DP' END AS counts
FROM purses m
WHERE m.role <> 0 OR m.column_name <> '' OR NOT EXISTS (SELECT FROM purses own WHERE own.relation = m.relation AND own.role <> 0 AND own.column_name = '');
COMMENT ON VIEW dpsens.my_budget IS
'for each relation on which the reader has a budget (of their own, of a group, or that of the relation): what was spent and is left of it; and the same of each of its columns that has a budget of its own, and of the relation that its units refer to if that has the budget of an entity: the reader''s or the group''s, and that which all roles share';
COMMENT ON COLUMN dpsens.my_budget.column_name IS 'the column whose budget it is; null for that of a role, a relation or an entity';
COMMENT ON COLUMN dpsens.my_budget.left_percent IS 'what is left of all that this budget counts, in percent, rounded down to hundredths. Of a pure budget that is epsilon, of one of a rho that rho. One of (epsilon, delta) admits releases in two ways: within epsilon, as long as no delta was spent, or within the rho at the Renyi order of its conversion and half of delta (left_delta is of that); left is the larger of what is left in each, in the second the less of rho and delta. Other caps that answers count against, as that of the relation, can be nearer their end: answers_left looks at all';
COMMENT ON COLUMN dpsens.my_budget.counts IS 'the rule by which left_rho is counted, in place of rho at a Renyi order: answers of at most an epsilon by mechanisms without a delta, and no others, or Gaussian DP; null: none';
COMMENT ON COLUMN dpsens.my_budget.entity IS 'is it a budget of what all relations whose units refer to this one tell of a person (dpsens.grant_entity_budget, dpsens.set_entity_budget)?';
COMMENT ON COLUMN dpsens.my_budget.budget_of IS 'the role whose budget is spent, shared by its members; null where it is that of all';
COMMENT ON COLUMN dpsens.my_budget.own_tables IS 'may the reader use tables beside the relation that are not in dpsens.public_relations? Whoever may read the relation needs no leave';
COMMENT ON COLUMN dpsens.my_budget.spent_delta IS 'what selections of groups and training have cost; answers of Gaussian noise cost rho instead, and are converted at the other half of delta';
COMMENT ON COLUMN dpsens.my_budget.left_delta IS 'what selections of groups and training may still cost';
COMMENT ON COLUMN dpsens.my_budget.answers_left IS 'how many more sums or counts at the present dpsens.epsilon, or, while that is unset, the default_epsilon of policies, and dpsens.mechanism: so many of either, by what the dearer one costs, which at a Renyi order is a count; of groups of units, or of units of several rows, of as many; 0 where a policy refuses them, but of an entity; the caps of the relation and of the entities that its units refer to count, too; null where no epsilon is said, and for a column, which not every answer costs; dpsens.answers_left(query) says it of a query';

CREATE OR REPLACE VIEW dpsens.releases WITH (security_barrier) AS
SELECT r.release, r.statement, r.released_at, r.role_name AS role,
	COALESCE(live.name, pg_catalog.format('%I.%I', r.relation_schema, r.relation_name)) AS relation,
	r.purse_role_name AS budget_of, r.query, r.expression, r.adjacency, r.mechanism, r.epsilon, r.delta, r.sensitivity,
	pg_catalog.power(2::float8, r.grid) AS grid, r.sensitivities, r.scales, r.joined,
	CASE WHEN r.mechanism NOT IN ('exponential', 'permute_flip', 'partition') THEN r.scales[1]::float8 * pg_catalog.power(2::float8, r.grid) END AS scale,
	dpsens_internal.loss_of_amount(r.charge_epsilon, 40) AS charge_epsilon,
	dpsens_internal.loss_of_amount(r.charge_rho, 40) AS charge_rho,
	dpsens_internal.loss_of_amount(r.charge_delta, 62) AS charge_delta,
	r.steps, r.rate, r.column_names, r.column_moves, r.arms, r.entities::pg_catalog.regclass[] AS entities, r.group_size
FROM dpsens.release r
LEFT JOIN LATERAL (
	SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, c.relowner
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.oid = r.relation
) live ON true
WHERE r.role = (SELECT me.oid FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER) OR pg_catalog.pg_has_role(live.relowner, 'USAGE')
	OR r.relation IN (SELECT d.relation FROM dpsens_internal.audited d)
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
COMMENT ON COLUMN dpsens.release.grid IS 'sensitivities and scales are in units of 2^grid; those of a count beside a sum in 2^-40, coarser where a unit may have several rows; of K-norm noise (k_norm) in steps of its radius, 2^grid of the entry that a row moves the furthest; of a draw of the exponential mechanism or of permute-and-flip (permute_flip), the quotient is epsilon; of a selection of groups (partition) the first is that of each of scale / 2^40 groups, the second delta';
COMMENT ON COLUMN dpsens.releases.scale IS 'of the (first) noise, in the unit of the value: t of discrete Laplace, the standard deviation parameter of discrete Gaussian, the least one of a vector whose noise is aimed at attributes, that of the entry which a row moves the furthest of K-norm noise (k_norm); null of a draw of the exponential mechanism or of permute-and-flip (permute_flip) and of a selection of groups (partition), which add nothing to an answer';
COMMENT ON COLUMN dpsens.releases.arms IS 'of UNION ALL, in each of which a person can have a row; 1 without it; null in releases of 0.1.0';
COMMENT ON COLUMN dpsens.releases.entities IS 'relations whose budget of an entity was charged for it, once for all relations that the release was charged to';
COMMENT ON COLUMN dpsens.releases.group_size IS 'the units to whom together this is the cost, such as the persons of a household; null: to one by itself';
COMMENT ON COLUMN dpsens.releases.mechanism IS 'by which it was drawn; geometric is discrete Laplace noise on whole numbers';
COMMENT ON COLUMN dpsens.releases.column_moves IS 'for each of the columns that have a budget of their own, how far a change of it in one row moves what is released, in the units of sensitivities; a column that is not named was charged as a replaced row';

CREATE FUNCTION dpsens_internal.former_rho(mechanism text, sensitivities bigint[], scales bigint[]) RETURNS bigint
AS 'MODULE_PATHNAME', 'dps_former_rho'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.former_rho(text, bigint[], bigint[]) IS
'The rho, in units of 2^-40, that a release of discrete Laplace noise was charged by dpsens 0.1.0: that of any mechanism of its epsilon. NULL of other mechanisms, whose rho is what it was.
Errors: arrays of different lengths.';

REVOKE ALL ON FUNCTION dpsens_internal.former_rho(text, bigint[], bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.former_rho(text, bigint[], bigint[]) TO PUBLIC;

-- Noise in steps costs what its steps say.
CREATE FUNCTION dpsens_internal.charge_of_release(mechanism text, sensitivities bigint[], scales bigint[], joined bigint[],
	steps bigint DEFAULT NULL, rate float8 DEFAULT NULL, delta bigint DEFAULT NULL, grid integer DEFAULT NULL,
	OUT charge_epsilon bigint, OUT charge_rho bigint, OUT charge_delta bigint)
AS 'MODULE_PATHNAME', 'dps_charge_of_release_on_grid'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint, integer) IS
'What a release costs in units of the ledger (epsilon and rho 2^-40, delta 2^-62), recomputed from its public quantities: the mechanism, and for each released integer its sensitivity and its scale in grid units and how many integers share it. For mechanism subsampled also steps, rate (of the samples) and delta, in units of the ledger: the cost is a rho that holds up to delta. For mechanism geometric also grid, the unit of its integers being 2^grid; without it the rho is that of any mechanism of its epsilon. NULL if one of the first four is.
Errors: an unknown mechanism; arrays of different lengths; sampled steps without steps, rate and delta.
Source: discrete Laplace and Gaussian, Canonne, Kamath and Steinke 2020; samples, Mironov, Talwar and Zhang 2019.';
REVOKE ALL ON FUNCTION dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint, integer) TO PUBLIC;
CREATE OR REPLACE VIEW dpsens_internal.ledger_check WITH (security_barrier) AS
SELECT pg_catalog.format('%I.%I', p.relation_schema, p.relation_name) || CASE WHEN p.column_name = '' THEN ''
		WHEN p.column_name = '(entity)' THEN ' (entity)' ELSE pg_catalog.format('.%I', p.column_name) END AS relation,
	CASE WHEN p.role <> 0 THEN p.role_name END AS role, f.releases,
	dpsens_internal.loss_of_amount(p.spent_epsilon, 40) AS recorded_epsilon,
	dpsens_internal.loss_of_amount(f.epsilon, 40) AS recomputed_epsilon,
	dpsens_internal.loss_of_amount(p.spent_rho, 40) AS recorded_rho,
	dpsens_internal.loss_of_amount(f.rho, 40) AS recomputed_rho,
	f.same AND (p.spent_epsilon, p.spent_rho, p.spent_delta) = (f.epsilon, f.rho, f.delta)
		AND (p.renyi_order IS NULL OR COALESCE(p.spent_renyi >= f.renyi AND (p.spent_renyi <= p.spent_rho OR p.renyi_order < 0
			OR p.renyi_order = 'Infinity'), false)) AS valid
FROM dpsens.purse p
LEFT JOIN pg_catalog.pg_class t ON t.oid = p.relation
CROSS JOIN LATERAL (
	SELECT pg_catalog.count(*) AS releases,
		COALESCE(pg_catalog.bool_and((c.charge_epsilon, c.charge_rho, c.charge_delta)
			= (r.charge_epsilon, r.charge_rho, r.charge_delta)), true) AS same,
		LEAST(COALESCE(pg_catalog.sum(c.charge_epsilon), 0), 9223372036854775807)::bigint AS epsilon,
		LEAST(COALESCE(pg_catalog.sum(c.charge_rho), 0), 9223372036854775807)::bigint AS rho,
		LEAST(COALESCE(pg_catalog.sum(c.charge_delta), 0), 9223372036854775807)::bigint AS delta,
		LEAST(COALESCE(pg_catalog.sum(dpsens_internal.rho_at_order(p.renyi_order, r.mechanism, r.sensitivities, r.scales, r.joined,
			r.steps, r.rate, r.grid, c.charge_rho)), 0), 9223372036854775807)::bigint AS renyi
	FROM dpsens.release r
	CROSS JOIN LATERAL (
		SELECT now.charge_epsilon, now.charge_delta,
			CASE WHEN r.charge_rho = dpsens_internal.former_rho(r.mechanism, r.sensitivities, r.scales) THEN r.charge_rho ELSE now.charge_rho END AS charge_rho
		FROM dpsens_internal.charge_of_release(r.mechanism, r.sensitivities, r.scales, r.joined, r.steps, r.rate, r.charge_delta, r.grid) now
	) c
	WHERE r.relation = p.relation AND p.column_name = '' AND (p.role = 0 OR r.purse_role = p.role AND r.released_at >= p.period_start)
	HAVING p.column_name = ''
	UNION ALL
	SELECT pg_catalog.count(*), true, LEAST(COALESCE(pg_catalog.sum(c.cost[1]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[2]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[3]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.at_order[2]), 0), 9223372036854775807)::bigint
	FROM dpsens.release r
	CROSS JOIN LATERAL (
		SELECT dpsens_internal.charge_of_column(p.column_name, r.mechanism, r.adjacency, r.replacement, r.column_names,
			r.column_moves, r.scales, r.joined, ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta], r.grid, NULL, NULL) AS cost,
			dpsens_internal.charge_of_column(p.column_name, r.mechanism, r.adjacency, r.replacement, r.column_names,
			r.column_moves, r.scales, r.joined, ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta], r.grid, p.renyi_order,
			dpsens_internal.rho_at_order(p.renyi_order, r.mechanism, r.sensitivities, r.scales, r.joined,
				r.steps, r.rate, r.grid, r.charge_rho)) AS at_order
	) c
	WHERE r.relation = p.relation AND p.column_name NOT IN ('', '(entity)')
	HAVING p.column_name NOT IN ('', '(entity)')
	UNION ALL
	SELECT pg_catalog.count(*), true, LEAST(COALESCE(pg_catalog.sum(c.cost[1]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[2]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[3]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(CASE WHEN r.arms = 1 THEN dpsens_internal.rho_at_order(p.renyi_order, r.mechanism, r.sensitivities,
			r.scales, r.joined, r.steps, r.rate, r.grid, r.charge_rho) ELSE c.cost[2] END), 0), 9223372036854775807)::bigint
	FROM dpsens_internal.person_costs c
	JOIN dpsens.release r ON r.release = c.release
	WHERE p.column_name = '(entity)' AND p.relation = ANY (c.entities)
		AND (p.role = 0 OR r.released_at >= p.period_start AND COALESCE(dpsens_internal.has_paid(r.payer_entities, r.payer_roles, p.relation, p.role), false))
	HAVING p.column_name = '(entity)'
) f
WHERE pg_catalog.pg_has_role(t.relowner, 'USAGE') OR t.oid IN (SELECT d.relation FROM dpsens_internal.audited d)
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
CREATE OR REPLACE FUNCTION dpsens_internal.loss_of_amount(amount bigint, bits integer) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_loss_of_amount'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.loss_of_amount(bigint, integer) IS
'A loss of the ledger, in units of 2^-bits, as a number of at most nine digits that is not less; Infinity where there is no bound.';

CREATE OR REPLACE FUNCTION dpsens_internal.left_of_amount(cap bigint, spent bigint, bits integer) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_left_of_amount'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.left_of_amount(bigint, bigint, integer) IS
'What is left of a cap of the ledger, both in units of 2^-bits, as a number of at most nine digits that is not more; never negative.';

COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8[]) IS
'differentially private quantiles, at the epsilon of setting dpsens.epsilon, once for all of them, which are 1 to 128 in the order of the levels: draws of the exponential mechanism from the values between those drawn before, at an equal share of it for each of log2 of their number depths (Kaplan, Schnapp and Stemmer 2022, here for values that may be equal), or one tree of noisy counts (Hay et al. 2010) under dpsens.mechanism, whichever errs less by public figures; dpsens.explain says which. Values lie on the lattice of dp_quantile(float8, float8).';
DROP FUNCTION dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint);
DROP FUNCTION dpsens_internal.answer_cost();
COMMENT ON FUNCTION dpsens.verify_ledger() IS
'Recomputes every charge on the relations that the caller owns or audits (a superuser: on all) from the public quantities recorded with it, and the sum of each purse in its present period. valid: both agree with what is recorded, to the unit, and what a budget of (epsilon, delta) has counted of rho at its Renyi order is at least what its releases cost there. Releases of discrete Laplace noise by dpsens 0.1.0 may have been charged the rho that it charged them.
role is null for the purse of a relation, of a column, which is named behind its relation, and of an entity by all; behind entities stands (entity).';
COMMENT ON FUNCTION dpsens.privacy_spent(regclass, float8) IS
'What all releases on a relation together have cost by each accountant: an epsilon such that the history is (epsilon, delta)-DP, rounded up; Infinity where the accountant has none. note: under which assumption the figure holds.
delta: between 0 and 1; NULL: 1e-6, or that much more than what selections of groups and training may fail with by themselves, since with less than that there is no epsilon. at_delta: the delta of the figure. A figure is not a guarantee for queries that were chosen by looking at earlier answers: that is the cap set beforehand.
Errors: the caller neither owns nor audits the relation; delta outside [0, 1).
Sources: basic composition; zCDP, Bun and Steinke 2016 with the conversion of Canonne, Kamath and Steinke 2020; Renyi DP, Mironov 2017; Gaussian DP, Dong, Roth and Su 2022; privacy loss distributions, Koskela et al. 2020, of samples in both directions, Zhu, Dong and Wang 2022.';
CREATE FUNCTION dpsens.odometer(relation regclass, delta float8 DEFAULT 1e-6,
	OUT epsilon float8, OUT at_delta float8)
AS 'MODULE_PATHNAME', 'dps_odometer'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.odometer(regclass, float8) IS
'What all releases on a relation together have cost so far, by what they were charged: an epsilon that holds at every time at once, however queries were chosen by looking at earlier answers, and whenever one stops by looking at them or at the odometer; rounded up. Where no cap is set it is what can be said. dpsens.privacy_spent states less, but of queries that were fixed in advance; a cap is better known before.
delta: between 0 and 1; with no more than this probability one of the figures, of all times, does not hold. at_delta: delta and what selections of groups and training were charged of delta. Infinity if a release had no bound. The sum of epsilon if that is less, while all releases were pure.
Errors: the caller neither owns nor audits the relation; delta outside (0, 1).
Sources: odometers, Rogers, Roth, Ullman and Vadhan 2016; zCDP at all times, Whitehouse et al. 2023.';

REVOKE ALL ON FUNCTION dpsens.odometer(regclass, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.odometer(regclass, float8) TO PUBLIC;

CREATE FUNCTION dpsens_internal.statement_charges(query text, renyi_orders float8[], OUT relation oid, OUT column_name name, OUT cost bigint[],
	OUT renyi_order float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_statement_charges'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE SET jit = off;
COMMENT ON FUNCTION dpsens_internal.statement_charges(text, float8[]) IS
'The same as statement_cost, whose rows have an empty column_name, of budgets that count rho at all Renyi orders (NULL) and at each of these; for each column with a budget of its own what the query would cost that, unless it is nothing; and for each entity with a budget, with (entity) in place of a column, what it would cost a person. What a policy would refuse costs each of them more than any budget has.
Errors: as for dpsens.explain.';

CREATE OR REPLACE FUNCTION dpsens.answers_left(query text) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	WITH mine AS MATERIALIZED (SELECT * FROM dpsens_internal.my_purses)
	SELECT pg_catalog.min(dpsens_internal.answers_left(m.caps, m.spent, c.cost))
	FROM dpsens_internal.statement_charges(query,
		ARRAY(SELECT DISTINCT o.renyi_order FROM mine o WHERE o.renyi_order IS NOT NULL)) c
	JOIN mine m ON m.relation = c.relation AND m.column_name = c.column_name AND NOT m.renyi_order IS DISTINCT FROM c.renyi_order;
END;
COMMENT ON FUNCTION dpsens.answers_left(text) IS
'How many times the caller may still run this query, by the budgets that apply: those of dpsens.my_budget, of the columns that it reads and of entities among them, and the caps of the relations. 0 where a policy (dpsens.policies) would refuse it, which the note of dpsens.explain names. NULL where no budget applies.
Errors: as for dpsens.explain.';
REVOKE ALL ON FUNCTION dpsens_internal.statement_charges(text, float8[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.statement_charges(text, float8[]) TO PUBLIC;

COMMENT ON FUNCTION dpsens.sensitivity(text, jsonb) IS
'Certified brackets of what privacy asks of an expression, one row a quantity: infimum, supremum, add_remove (largest magnitude), replace (length of the range), metric (K, the supremum of the weighted 2-norm of the gradient, or where integers and truth values have to move by whole steps, of their steps and that of the others together), metric_l1, metric_linf, then attribute:<column> (the furthest that one column moves the value) and slope:<column> for each private column.
ranges: {"a": [lo, hi]} or {"a": {"range": [lo, hi], "type": "integer", "weight": 2, "public": true, "nullable": true}}; the type is double precision by default, a boolean has no range.
lower, upper: the quantity lies between; of suprema the lower end is attained at the witness, of the infimum the upper one.
note: why there is no finite bound (then upper is Infinity), or the value that an attribute moves from. Where some rows have no value, the infimum or supremum is that of the others, if they have one, and the note says so.
A vector, ARRAY[e1, e2, ...] of 1 to 16 numbers, has joint sensitivities instead, in the 1-, 2- and maximum norm: add_remove_l1, _l2, _linf, the norm of the vector; replace_l1, _l2, _linf, the furthest that two rows'' vectors are apart; metric_l1, _l2, _linf, the norm of the Jacobian as an operator from the weighted Euclidean distance of rows to the norm of vectors; attribute_l1:<column> and so on. note then names the other row. A row adds its vector where all entries have a value, else nothing.
Errors: an expression that cannot be parsed or is not supported; a name without a range; a malformed range, type, weight or option; an array that is empty, nested or longer than 16.';

-- Weights under adjacency attribute.
COMMENT ON FUNCTION dpsens.explain(text, double precision) IS
'What each dp aggregate of a query would release and cost, derived from the query and the declarations alone: no row is read, nothing is drawn or spent.  lower and upper bound the row expression (certified), witness is the row where it is furthest from 0 (under metric: steepest).  sensitivity is in the unit of the expression; noise_scale is t of discrete Laplace noise or sigma of discrete Gaussian noise, in the unit of the (first) noised number.  For an average over a public number of rows both are divided by rows where that is given, else they are those of the sum.  error_95 is the half-width of the 95 % interval of the noise; for an average over a private number of rows it is error_95_times_rows / rows, for the number of rows that you expect.  Of aggregates that are computed from second moments sensitivity and noise_scale are those of the moments of values scaled to [-1, 1], and errors are bounds that hold wherever the values lie in their ranges; what depends on how far values spread, a correlation or a regression, has none without data, and note says so: the interval of the same aggregate tells it with the answer.  A sensitivity and cost of 0 mean that the declarations leave one answer only, which is released as it is: nobody can change it.  Several aggregates can be computed from one release: the first has its cost, the others cost 0 and say in note which.  note also says, to those whom dpsens.my_budget shows it, what an answer would cost columns that have budgets of their own, and persons of entities that have, and what is left of these; that a policy (dpsens.policies) would refuse the answer, or the statement, in its first row; and, under adjacency attribute, that noise is larger for weights of columns: sensitivity is without weights, and the cost is what the noise costs the column that loses most.  Gaussian noise of a vector can be aimed at attributes there: note lists the scales of its entries, and noise_scale and error_95 are those of the largest.  A GROUP BY whose keys are not declared has a row of its own, whose aggregate is its text: what it costs to find out which groups there are.';

COMMENT ON FUNCTION dpsens.set_range(regclass, name, float8, float8, float8) IS
'Declares that a numeric column lies in [lo, hi], in the unit of the column; other values count as the nearest end.
weight: positive; the column''s factor in distances under adjacency metric; under adjacency attribute an answer at epsilon tells at most weight times epsilon of the column, and more than 1 counts as 1. 1 unless declared; NULL leaves it.
Integer columns hold the integers of the range; bigint ranges end within 2^53.
Errors: the caller does not own the table; unknown or system column; a type without ranges; lo > hi; ends or weight NaN or infinite; no integer in the range.';

COMMENT ON FUNCTION dpsens.set_range(regclass, name, text, text, float8) IS
'Declares the range of a date or timestamp column (years 1 to 9999), or of a numeric one.
Dates and times are read as the session writes them and stored in ISO 8601, timestamps with time zone in UTC.
weight: positive; the column''s factor in distances under adjacency metric, per second for dates and timestamps; under adjacency attribute an answer at epsilon tells at most weight times epsilon of the column, and more than 1 counts as 1. 1 unless declared; NULL leaves it.
Errors: as for numbers; text that the type does not accept.';

CREATE FUNCTION dpsens.set_range_when(relation regclass, column_name name, lo float8, hi float8, "when" text, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_keyed_range'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range_when(regclass, name, float8, float8, text, float8) IS
'Declares that a numeric column lies in [lo, hi] in the rows in which another column has a value; NULL for both ends takes such a range away. Other values count as the nearest end.
when: a comparison of the other column with a constant, such as $$test = ''hba1c''$$. The range counts where WHERE or FILTER of a query says so, too, by the same value written as a constant; with IN or OR, the least range that holds those of all values. Where nothing says it, the range for all rows counts, if there is one. The other column may be of type smallint, integer, bigint, text, varchar, char, uuid or an enum, the same for all ranges of a column; once it, or the label of an enum, is renamed they have to be declared again. dpsens.key_ranges shows them; a column can have 10,000.
weight: as for dpsens.set_range; a column has one.
Errors: as for dpsens.set_range; another condition; ranges that depend on several columns, or on the column itself.';

CREATE FUNCTION dpsens.set_range_when(relation regclass, column_name name, lo text, hi text, "when" text, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_keyed_range_text'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range_when(regclass, name, text, text, text, float8) IS
'The same for a date or timestamp column, or a numeric one: what dpsens.set_range with text is to that with numbers.
Errors: as for numbers; text that the type does not accept.';

CREATE FUNCTION dpsens_internal.key_ranges(relation regclass, column_number int2, OUT key_column name, OUT key text,
    OUT lo float8, OUT hi float8, OUT counts boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_key_ranges'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION dpsens_internal.key_ranges(regclass, int2) IS
'The ranges of a column that hold where another column has a value, as dpsens.key_ranges shows them.';

CREATE VIEW dpsens.key_ranges AS
SELECT label.objoid::pg_catalog.regclass AS relation,
       attribute.attname AS column_name,
       range.key_column,
       range.key,
       range.lo,
       range.hi,
       range.counts
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid OPERATOR(pg_catalog.=) label.objoid
    AND attribute.attnum OPERATOR(pg_catalog.=) label.objsubid
CROSS JOIN LATERAL dpsens_internal.key_ranges(label.objoid, attribute.attnum) AS range
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND label.objsubid OPERATOR(pg_catalog.>) 0
  AND NOT attribute.attisdropped
ORDER BY label.objoid, attribute.attnum;

COMMENT ON VIEW dpsens.key_ranges IS
'Ranges of columns that hold where another column of the row has a value (dpsens.set_range_when): a query that says so in WHERE or FILTER, by a constant, has the range of that value. Those of dates and timestamps are in seconds since 1970, UTC.';
COMMENT ON COLUMN dpsens.key_ranges.counts IS 'false once key_column is the name of no column any more, or of one of another type: declare the range anew, after dpsens.clear';

DROP FUNCTION dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean);
CREATE FUNCTION dpsens.grant_budget(relation regclass, role regrole, epsilon float8 DEFAULT NULL,
	delta float8 DEFAULT NULL, refresh interval DEFAULT NULL, rho float8 DEFAULT NULL,
	own_tables boolean DEFAULT NULL, largest_answer float8 DEFAULT NULL, gaussian boolean DEFAULT NULL,
	selections boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_grant_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean, float8, boolean, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean, float8, boolean, boolean) TO PUBLIC;
COMMENT ON FUNCTION dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean, float8, boolean, boolean) IS
'Sets what a role, and everybody who is a member of it and has no budget of their own, may spend on a protected relation: one shared purse.
epsilon, delta: an (epsilon, delta) promise over all releases; delta 0 or NULL admits pure releases only. rho: a zCDP promise instead.
refresh: a new period begins with the first charge after this long; NULL: never. Losses of different periods add up all the same.
own_tables: whether a role that may not read the relation may use any table beside it that it may read, its own and temporary ones among them; otherwise those only that are declared by dpsens.set_public(relation). A role''s own budget says so, else that of any group; false unless it was granted.
largest_answer: the budget is for answers of which each has a pure epsilon of at most this, by mechanisms without a delta, and admits nothing else; they count by quarters of it, of one, two, three and four as 1, 3, 6 and 10 parts, so that more of them fit than by their rho; at most epsilon, at least a 128th of it, ''Infinity'' for no such rule. gaussian: the budget counts in Gaussian DP, by which more answers of Gaussian noise fit and fewer of other noise. Both need epsilon and delta, and stand for the Renyi order in left_rho; what was spent before is counted from the history, as if the rule had been there; where that has no bound, nothing is left but epsilon. selections: whether half of delta is kept for selections of groups and training on samples (true unless it was set to false).
A later grant changes what it names: epsilon or rho take each other''s place, and rho that of largest_answer, gaussian and selections; a delta, a refresh, own_tables and these that are not named (NULL) stay as they were; a NOTICE says what is given up and what stays; to be rid of a refresh revoke the budget first. What was spent stays spent; a WARNING says if it is more than the new cap, or that a former role of the same name has spent something. Takes effect when committed. The role gets the label ANALYST, by which all databases of the server hide their counters from it.
Errors: the caller does not own the relation; it is not protected; a predefined role; one that the caller has no ADMIN OPTION on while dpsens.grant_to_any_role is off; epsilon not positive; delta outside [0, 1); both or neither of epsilon and rho; refresh not positive; both largest_answer and gaussian, or one of them without epsilon and a delta above 0; largest_answer out of range; selections false beside rho.
Source: pure epsilon by basic composition, else zCDP (Bun and Steinke 2016) with the filter of Whitehouse et al. 2023; largest_answer, the best adversary against randomised response (Kairouz, Oh and Viswanath 2015); gaussian, Dong, Roth and Su 2022 with the filter of Koskela, Tobaben and Honkela 2023 and of Smith and Thakurta 2022.';

DROP FUNCTION dpsens.set_budget(regclass, float8, float8, float8, float8, float8);
CREATE FUNCTION dpsens.set_budget(relation regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
	rho float8 DEFAULT NULL, row_epsilon float8 DEFAULT NULL, row_rho float8 DEFAULT NULL,
	largest_answer float8 DEFAULT NULL, gaussian boolean DEFAULT NULL, selections boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION dpsens.set_budget(regclass, float8, float8, float8, float8, float8, float8, boolean, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_budget(regclass, float8, float8, float8, float8, float8, float8, boolean, boolean) TO PUBLIC;
COMMENT ON FUNCTION dpsens.set_budget(regclass, float8, float8, float8, float8, float8, float8, boolean, boolean) IS
'Caps what everybody together, the owner included, may spend on a protected relation, ever, and what each of its units may lose.
epsilon, delta, rho, largest_answer, gaussian, selections: as for grant_budget. row_epsilon, row_rho: switches row accounting on. What is not named (NULL) stays as it was, but epsilon and rho take each other''s place, as row_epsilon and row_rho do; a NOTICE says what stays and what is given up. ''Infinity'' for epsilon or rho removes the cap of the relation and its delta, for row_epsilon or row_rho it switches row accounting off. With row accounting a unit whose own loss by all releases so far, this one included, would pass the cap (pure epsilon, or rho of zero-concentrated DP) is silently left out of a release, and stays out.
While it is on, triggers on the relation freeze what a unit has lost when its row is updated or deleted, and TRUNCATE is refused; under adjacency replace and attribute every answer takes it into account that a row may be left out. Answers are biased by the rows that are left out; nothing says how many. Under replace and attribute a cap that is raised promises the sum of the old and the new one.
Effect and errors as for grant_budget; a delta for a cap that is removed; and for rows: both row_epsilon and row_rho; adjacency metric; no primary key or unit, or one of a type whose equal values can be written differently; units that can have several rows and whose columns may be NULL, refer to another table or begin no index, or under another adjacency than add_remove; a partitioned or unlogged relation, or one with parents or children.
Source: Feldman and Zrnic 2021, individual privacy filters.';

-- A function of the reader's does not see what the view leaves out.
ALTER VIEW dpsens.models SET (security_barrier);

-- The gradient of an example itself, and what attacks on it go by.

COMMENT ON FUNCTION dpsens.gradient(text, jsonb) IS
'Closed forms, as SQL and LaTeX: the partial derivative by each private column, then norm, the weighted 2-norm of the gradient; normalized:<column>, the column''s weighted share, whose squares sum to 1; and partial:<column>, the derivative of the norm. Of a vector ARRAY[e1, e2, ...]: <column>[i], the derivative of entry i, then norm[i], that of its gradient.
What would be longer than 256 kB has a name, s1, s2 and so on, for each part that is used more than once, as by dpsens.closed_form in the formats sql_parts and latex_parts.
ranges: as for dpsens.sensitivity; types, weights and public columns matter here, the ends of ranges do not.
Errors: as for dpsens.sensitivity.';

COMMENT ON FUNCTION dpsens.closed_form(name, text, text, boolean, jsonb) IS
'How a quantity of one example is computed.
quantity: prediction, loss, gradient (of the loss, by all parameters), gradient_norm, feature_gradient (of the loss), feature_gradient_norm, partial_sensitivity (the gradient of the gradient norm by the features), plis (sigma 1).
format: tensor lists operations on whole tensors, t7 (1, 8) = matmul(features, layer1.weights; 0, 0); what follows a semicolon are the operation''s attributes: of matmul, which factor is transposed; of reductions and broadcasts, the first axis and how many; of windows, height, width, stride, padding. sql and latex write every entry out: an expression, or an array of them, over the features x1, x2 and so on, the target y (or y1, y2), weights w1_2_3 (of layer 1, from input 2 to unit 3; of a filter w1_2_1_3_3) and biases b1_2. Text of format sql can be given to dpsens.sensitivity.
sql_parts and latex_parts give a name, s1, s2 and so on, to each part that is used more than once, and are short where sql and latex would be too large: as SQL a sub-select over the same inputs, SELECT (WITH part1 AS MATERIALIZED (SELECT 2 * x1 AS s1) SELECT s1 / (1 + s1) FROM part1) FROM examples; as LaTeX, equations behind "where". What a CASE may leave out is written out where it is used.
fixed: writes parameters as their present values, so that only features and target are left.
known: values of some inputs, for partial evaluation: {"x3": 0.5, "y": 1} by the names above, or {"features": [0.5, null, 1], "target": 0} as arrays, null for what stays free; a number as target is a class for categorical_cross_entropy. What is known is computed, and what is left is an expression of the other inputs; quantities by the features have entries, and feature_gradient_norm has terms, for the free ones only. A network of many features can be written out for a few of them that way. Not for tensor.
Errors: as dpsens.drop_model; another quantity or format; a name that is no input, a value that is no finite number; no feature is free; too large to be written out (more than 100,000 elements, sums of more than 500 terms, 256 kB of text).';

CREATE FUNCTION dpsens.gradient(model name, features float8[], target float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_model_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient(name, float8[], float8[]) IS
'The gradient of one example''s loss by all parameters, in the order of dpsens.model_parameters: what DP-SGD clips, sums and noises. dpsens.gradient_norm is its norm.
Arguments, NULL and errors: as dpsens.loss.';

CREATE FUNCTION dpsens.gradient(model name, features float8[], target float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_model_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.private_gradient(model name, features float8[], target float8[], clip float8, noise_multiplier float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_private_gradient'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.private_gradient(name, float8[], float8[], float8, float8) IS
'What a step of DP-SGD releases of a batch of this one example: its gradient, clipped to the norm clip, with exact discrete Gaussian noise of standard deviation noise_multiplier * clip on every coordinate, drawn anew in every call; both on the grid that dpsens.train uses.
For experiments on examples that the caller sees anyway, such as attacks on gradients. It is no release about a table: it is charged to no budget, and how often it is called is not limited, so it protects nobody. dpsens.train does.
Arguments and NULL: as dpsens.loss. With dpsens.noise off there is no noise. Errors: as dpsens.loss; clip or noise_multiplier not greater than 0, or too extreme.';

CREATE FUNCTION dpsens.private_gradient(model name, features float8[], target float8, clip float8, noise_multiplier float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_private_gradient'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.private_gradient(name, float8[], float8, float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.gradient_matching(model name, features float8[], target float8[], gradient float8[], kind text DEFAULT 'squared',
    OUT loss float8, OUT feature_gradient float8[])
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_gradient_matching'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_matching(name, float8[], float8[], float8[], text) IS
'How far the gradient of this example''s loss by all parameters is from a gradient that is given, and the derivative of that by the features: what an attack descends that looks for the example behind a gradient.
gradient: as many numbers as the model has parameters, as from dpsens.gradient or dpsens.private_gradient.
kind: squared, the sum of the squares of the differences (Zhu, Liu and Han 2019), or cosine, one minus the cosine of the angle between the two (Geiping et al. 2020), which does not depend on their lengths. Both derivatives are symbolic: the gradient is a graph, which is differentiated again.
Of what does not exist, such as the cosine of a gradient that is 0, both are NULL. Arguments, other NULLs and errors: as dpsens.loss; another number of elements; another kind.';

CREATE FUNCTION dpsens.gradient_matching(model name, features float8[], target float8, gradient float8[], kind text DEFAULT 'squared',
    OUT loss float8, OUT feature_gradient float8[])
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_gradient_matching'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_matching(name, float8[], float8, float8[], text) IS
'The same with a target that is one number, as for dpsens.loss.';

REVOKE ALL ON FUNCTION
    dpsens.gradient(name, float8[], float8[]),
    dpsens.gradient(name, float8[], float8),
    dpsens.private_gradient(name, float8[], float8[], float8, float8),
    dpsens.private_gradient(name, float8[], float8, float8, float8),
    dpsens.gradient_matching(name, float8[], float8[], float8[], text),
    dpsens.gradient_matching(name, float8[], float8, float8[], text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    dpsens.gradient(name, float8[], float8[]),
    dpsens.gradient(name, float8[], float8),
    dpsens.private_gradient(name, float8[], float8[], float8, float8),
    dpsens.private_gradient(name, float8[], float8, float8, float8),
    dpsens.gradient_matching(name, float8[], float8[], float8[], text),
    dpsens.gradient_matching(name, float8[], float8, float8[], text)
TO PUBLIC;

-- How alike two images look to people: what reconstructed images are judged by.

CREATE FUNCTION dpsens.ssim(x float8[], y float8[], columns int4 DEFAULT NULL, data_range float8 DEFAULT 1, window_size int4 DEFAULT 11)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_ssim'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.ssim(float8[], float8[], int4, float8, int4) IS
'The mean structural similarity of two grey images (Wang, Bovik, Sheikh and Simoncelli 2004): 1 if they are equal, about 0 if they have nothing in common, less than 0 where one is a negative of the other. The mean over all square windows of window_size that lie within the images, each with Gaussian weights of deviation 1.5, and K1 = 0.01, K2 = 0.03 as there.
x, y: pixels row by row, in arrays of one or two dimensions. columns: how many a row has; if not given, those of a two-dimensional array, else as in a square. data_range: how far white is from black.
NULL where a pixel is NULL, or a number overflows. Errors: images of unlike sizes, or of more than 1048576 pixels; columns that do not divide them; a data_range that is not greater than 0; windows larger than the image or than 101.';

CREATE FUNCTION dpsens.haarpsi(x float8[], y float8[], columns int4 DEFAULT NULL, data_range float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_haarpsi'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.haarpsi(float8[], float8[], int4, float8) IS
'The Haar wavelet-based perceptual similarity index of two grey images (Reisenhofer, Bosse, Kutyniok and Wiegand 2018), between 0 and 1, with C = 30 and alpha = 4.2 on images scaled to 0 to 255 and halved, as there.
Arguments, NULL and errors: as dpsens.ssim; NULL also of two images that have no contrast, as two black ones. Black is 0: beyond its border an image is taken to be black.';

REVOKE ALL ON FUNCTION dpsens.ssim(float8[], float8[], int4, float8, int4), dpsens.haarpsi(float8[], float8[], int4, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.ssim(float8[], float8[], int4, float8, int4), dpsens.haarpsi(float8[], float8[], int4, float8) TO PUBLIC;

COMMENT ON FUNCTION dpsens.verify_certificate(jsonb) IS
'Checks a certificate in one pass, one enclosure a box, without a search: one row a quantity. It is a certificate of the expression and ranges that it states; compare these with the ones that were meant.
valid: the quantity lies between lower and upper, the ends that the document states. reason: what is wrong with it. boxes: how many were checked.
The document: "format", "version"; "expression" and "ranges" (with types, weights, public columns), all that the claims are made of; "steps", the integers and booleans that move by whole steps in metrics; "quantities": {"<name>": {"lower", "upper"}}, and "parts", from which they follow: value (the expression f), negated_value (-f), steepness (the sum of the squares of f''s derivatives by the private columns, each divided by its weight, or the magnitude of the only one), steepness_sum (the sum of their magnitudes), steepest (the greatest of them), continuity (no jump as private columns move; these four without the columns in "steps"), move:<column> (f less f with another value of the column), step_down:<column> (f less f with the integer column 1 higher), step_up:<column> (the negative), slope:<column>, negated_slope:<column>.
infimum = -negated_value, supremum = value, add_remove = max(value, negated_value), replace = value + negated_value, metric = sqrt(steepness), metric_l1 = steepness_sum and metric_linf = steepest if continuous (with "steps", the norm of that and of the greatest step of each such column divided by its weight: move:<c> of a boolean, else max(step_down:<c>, step_up:<c>); the 2-norm, the sum and the greatest; f must not be null where no column is), attribute:<c> = move:<c>, slope:<c> = max(slope:<c>, negated_slope:<c>); none below 0 but the first two, and where a column may make the row NULL, max(value, negated_value) counts for replace and attribute.
A part states that its "expression" is defined and at most "upper" on the ranges (in steepness and the like, and in continuity, with private integers relaxed to reals), and at least "lower" at the "witness". "form" is plain as derived; or rewritten: common factors taken out, conditions outermost, shares of a sum with the numerator once, moves without what does not move, derivatives over one denominator as well, and one period of a column in place of its range if the expression knows it only by sines, cosines and tangents of multiples of it; or scored: that, with "score", a sum of terms of one column each or linear, as a column of its own, the last of "columns"; or affine, scored affine: these, with enclosures cut by affine forms; or turning: plain, and columns that go through many periods of sines have "phases", {"<name>": {"of": c, "range": [0, p]}}, columns of their own that stand for c in these sines.
"boxes" cover the ranges, and on each the expression is at most its "upper": "box" has [lo, hi] a column in the order of "columns" ([lo, hi, null] if it may be NULL as well, null if it is). "face" {c: x}: the expression is monotone in c, and so greatest at x, one of the ends. "by" says how the rest is bounded: interval, the upper end of the enclosure; mean value, f(c) + sum of slope * (x - c) for c the "centre"; null, there being no value; quadratic, what a quadratic form rises to; cover, of roots sqrt(a^2 + ...) that have no derivative at 0, for which any unit vector may stand, or of arcs on a sphere (asin, acos), which move no further than their angles; phase, no value of a column having its phase; continuity.
"tree" lists depth first how the boxes come about: {"cut": c, "at": x} into c <= x and c >= x (integers: > x), {"null": c} into not NULL and NULL, {"face": {c: "lo" or "hi"}} where one enclosure shows the expression monotone in c, {"turn": c, "to": [lo, hi]} which leaves those c in [lo, hi], the others not having the phase, and ends the phase (null in "box"), and null for the next one of "boxes". "jump" of continuity: by how much branches of a CASE are apart that meet but for the rounding of constants.
Bounds are of exact values; the rounding error of evaluating a row is not part of a certificate.
Errors: a document that is malformed or of another version; an expression or ranges that dpsens.sensitivity would refuse.';
-- The supremum of the Jacobian's norm, by its name.

CREATE FUNCTION dpsens.jacobian_sensitivity(expression text, ranges jsonb, p float8 DEFAULT 2,
    OUT lower float8, OUT upper float8, OUT witness jsonb, OUT note text)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_jacobian_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.jacobian_sensitivity(text, jsonb, float8) IS
'The Jacobian sensitivity (JacSens) of a query: a certified bracket of the supremum, over the ranges, of the norm of its Jacobian by the private columns. What dpsens.sensitivity calls metric of a number, and metric_l1, metric_l2 and metric_linf of a vector, without the other quantities. It scales noise under metric adjacency only: neighbours that add, remove or replace a row are further apart than a slope says.
expression: a number, whose Jacobian is its gradient, or a vector ARRAY[e1, e2, ...] of 1 to 16 numbers. ranges: as for dpsens.sensitivity.
p: the norm of vectors that the operator norm goes to from the weighted Euclidean distance of rows: 2 (the greatest singular value), 1 or Infinity. Of one number it makes no difference.
lower, upper, witness, note: as for dpsens.sensitivity; where integers have to move by whole steps, the steps are in it.
Errors: as for dpsens.sensitivity; another p.';

CREATE FUNCTION dpsens.jacobian_sensitivity_of(expression text, relation regclass, p float8 DEFAULT 2,
    OUT lower float8, OUT upper float8, OUT witness jsonb, OUT note text)
RETURNS record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT j.lower, j.upper, j.witness, j.note
    FROM (SELECT COALESCE(pg_catalog.jsonb_object_agg(c.column_name, pg_catalog.jsonb_build_object('type', c.type::pg_catalog.text, 'public', c.role = 'public', 'nullable', NOT c.not_null)
                      || CASE WHEN c.type = 'boolean'::pg_catalog.regtype THEN '{}'
                         ELSE pg_catalog.jsonb_build_object('range', pg_catalog.jsonb_build_array(c.lo, c.hi), 'weight', COALESCE(c.weight, 1)) END), '{}') AS ranges
          FROM dpsens.columns c
          WHERE c.relation = jacobian_sensitivity_of.relation AND c.role IN ('private', 'public')
            AND pg_catalog.strpos(pg_catalog.lower(expression), pg_catalog.lower(c.column_name::pg_catalog.text)) > 0
            AND CASE WHEN c.type = 'boolean'::pg_catalog.regtype THEN true
                ELSE c.lo IS NOT NULL AND c.type IN ('float8'::pg_catalog.regtype, 'float4'::pg_catalog.regtype, 'int2'::pg_catalog.regtype, 'int4'::pg_catalog.regtype,
                                                     'int8'::pg_catalog.regtype, 'numeric'::pg_catalog.regtype) END) d,
        LATERAL dpsens.jacobian_sensitivity(expression, d.ranges, p) j;
END;

COMMENT ON FUNCTION dpsens.jacobian_sensitivity_of(text, regclass, float8) IS
'The same over the declared ranges and weights of a protected table: columns of numbers that have a range, and truth values. Declarations are public, and no row is read.
Errors: as for dpsens.jacobian_sensitivity, a name without a declared range among them.';

REVOKE ALL ON FUNCTION dpsens.jacobian_sensitivity(text, jsonb, float8), dpsens.jacobian_sensitivity_of(text, regclass, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.jacobian_sensitivity(text, jsonb, float8), dpsens.jacobian_sensitivity_of(text, regclass, float8) TO PUBLIC;

-- Points, for figures.

CREATE FUNCTION dpsens.scatter(x float8[], y float8[], numbers float8[] DEFAULT NULL, title text DEFAULT NULL,
    x_title text DEFAULT NULL, y_title text DEFAULT NULL, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_scatter'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.scatter(float8[], float8[], float8[], text, text, text, text) IS
'Points at x and y, SVG or text (format as for dpsens.histogram), with lines where x or y is 0: the partial sensitivities of two columns against each other for instance. numbers: of each point, its colour or shade, from dark for the least to bright for the greatest; in text of the greatest in a character''s place. Without them a character''s shade says how many points are in its place. x_title, y_title: what the axes are. Points of which x, y or the number is NULL or not finite are left out.
Errors: arrays of unlike lengths; more than 10000 points; another format.
A figure of private data is private data.';

REVOKE ALL ON FUNCTION dpsens.scatter(float8[], float8[], float8[], text, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.scatter(float8[], float8[], float8[], text, text, text, text) TO PUBLIC;
-- Training where rows have accounts.

CREATE TABLE dpsens.training_account (
	release bigint NOT NULL PRIMARY KEY,
	unit text NOT NULL,
	finished boolean NOT NULL
);
COMMENT ON TABLE dpsens.training_account IS 'runs of training on relations whose rows have accounts of their own';
COMMENT ON COLUMN dpsens.training_account.unit IS 'number, name and type of the columns that named a unit: where they are others now, what is stored is not used';
COMMENT ON COLUMN dpsens.training_account.finished IS 'no step of the run comes any more: units lost by it what dpsens.training_loss says; until then, and by a run that ended without its model, all that it was charged';

CREATE TABLE dpsens.training_loss (
	release bigint NOT NULL,
	unit text COLLATE pg_catalog."C" NOT NULL,
	spent_rho bigint NOT NULL,
	left_out boolean NOT NULL,
	PRIMARY KEY (release, unit),
	CHECK (spent_rho >= 0)
);
COMMENT ON TABLE dpsens.training_loss IS 'what each unit that had a row when a run of training began has lost by its steps; private data';
COMMENT ON COLUMN dpsens.training_loss.spent_rho IS 'by the steps that were committed, in units of 2^-40, each step rounded up';
COMMENT ON COLUMN dpsens.training_loss.left_out IS 'a step would have passed the cap: the unit takes no further part in the run';

SELECT pg_catalog.pg_extension_config_dump('dpsens.training_account', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.training_loss', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.training_account
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_account ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.training_account
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_account ENABLE REPLICA TRIGGER keep_ledger_applied;
CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.training_loss
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_loss ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.training_loss
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_loss ENABLE REPLICA TRIGGER keep_ledger_applied;

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

REVOKE ALL ON TABLE dpsens.training_account, dpsens.training_loss FROM PUBLIC;
REVOKE ALL ON FUNCTION dpsens.row_training_loss(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.row_training_loss(regclass) TO PUBLIC;

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

COMMENT ON FUNCTION dpsens.training_epsilon(float8, bigint, float8, float8) IS
'The epsilon at delta of a run of dpsens.train, under add_remove, before anything is spent: by the distribution of the privacy loss, or by Renyi losses if that is less. Infinity where there is none. A budget is charged a rho, which is worth more.
noise_multiplier: between 2^-40 and 2^22. sampling_rate: greater than 0, at most 1.
Errors: arguments outside of these ranges; steps negative; delta not between 0 and 1.
Source: Zhu, Dong and Wang 2022; Doroshenko et al. 2022; Canonne, Kamath and Steinke 2020; Mironov, Talwar and Zhang 2019.';

COMMENT ON PROCEDURE dpsens.train(name, regclass, name[], name, int4, float8, float8, bigint, float8, float8, float8, text, float8, float8, float8, text, float8[], float8[], int4, int4, regclass, text) IS
'Trains a model on the rows of a table, which the caller must be allowed to read: gradient descent in full batches, parameters = parameters - learning_rate * sum of gradients / expected_rows, or on samples.
sampling_rate: in every step each row takes part with this probability, by a draw of its own from the strong random source, and the sum is divided by sampling_rate * expected_rows; who took part, and how many, is never shown. NULL or 1: all rows in every step. 1 / sampling_rate steps are an epoch.
features: columns of numbers, booleans, or arrays of numbers, as many numbers together as the model has features. target: a column of numbers or arrays; a number is the class, from 0, for categorical_cross_entropy. Rows in which something is NULL, not finite, of another length or no class are left out.
query: SELECT expressions FROM relation WHERE conditions, whose columns are then features and target. Over a protected table it reads nothing else, once, by immutable functions, so that each row makes one example at most; features then need feature_range and target_range for bound. Over others any SELECT.
On a protected table each example''s gradient is clipped to the Euclidean norm clip and the sum of all gets discrete Gaussian noise on every coordinate, exact and on a grid. Needed then: clip or bound, expected_rows (a public number; the number of rows is none), and either epsilon, for the whole run with delta (dpsens.delta by default), or noise_multiplier, the standard deviation of the noise of a step over clip. The run is charged to the table''s and the caller''s budgets before it begins and appears in dpsens.releases as one release of rho = steps * D^2 / 2N^2 with D = clip (add_remove) or 2 clip (replace, attribute) and N the scale of the noise. With sampling_rate, which needs adjacency add_remove, it is one of mechanism subsampled, with the noise''s scale, steps and rate; the charge is a rho that holds up to an eighth of delta. The epsilon, asked for or shown, is what all steps cost at delta by the distribution of the privacy loss, or by Renyi losses if that is less; the charge, which adds up with other answers, is worth more. Nothing is refunded.
On another table there is no noise; clip is optional, and expected_rows is the number of rows by default.
optimizer: sgd, momentum (velocity = momentum * velocity + gradient), adam (Kingma and Ba 2015, beta 1 = momentum, beta 2 = 0.999).
parameter_bound: brings every parameter into [-parameter_bound, parameter_bound] before the first and after every step.
bound: instead of clip, what is proved to bound the gradient of every example within the features'' and the target''s ranges, into which examples are brought. weights: over all parameters within parameter_bound, by a search of at most bound_boxes boxes. iteration: at the parameters of each step, by such a search; noise is in proportion. lipschitz: known in advance from the ranges of activations and slopes, without a search; of a single layer with sigmoid or softmax even without parameter_bound. Gradients are clipped to it all the same, so that privacy does not rest on the proof; nothing is ever clipped.
feature_range: {low, high} of all features, or such a pair for each; else the declared ranges of columns of numbers. target_range: {low, high}; else the declared range; a class needs none.
Where rows have accounts of their own (dpsens.set_budget with row_rho), each loses s^2/2N^2 by a step, s the norm of its clipped gradient; one whose account would pass its cap takes no further part, silently. Until the run is finished, and for good if it fails, all rows count as having paid the whole charge. The caller needs SELECT on the whole table.
A run is one transaction: if it fails or is cancelled the model stays as it was, and what was charged stays charged. With checkpoint, CALL must not be part of a transaction, and the state is committed after every so many steps: after a crash or cancellation dpsens.resume_training goes on from there, without another charge. The model changes at the end in either case; training it anew forgets the run.
test_relation: a table that is not protected, with the same columns; the mean loss on its rows is shown on the way, in dpsens.training and, with checkpoint, in a NOTICE.
Errors: as dpsens.set_model_parameters; a column that is not there or not of numbers; metric adjacency; samples under another one than add_remove; several rows per unit; row accounting with samples, a query, row_epsilon or another adjacency than add_remove; row-level security that applies to the caller; a query that is not as above; both clip and bound; ranges that are missing; a model whose gradients have no bound; budgets that do not suffice; a test_relation that is protected; a relation or test_relation that is not protected but shows rows of one that is (a view, a partition); checkpoint in a transaction; parameters that are not finite any more.
Source: Abadi et al. 2016; Mironov, Talwar and Zhang 2019; with the noise of Canonne, Kamath and Steinke 2020; row accounts: Feldman and Zrnic 2021, Theorem 4.5.';

COMMENT ON PROCEDURE dpsens.resume_training(name) IS
'Goes on with a run of dpsens.train that had checkpoints and was interrupted, after the last of them, on the rows as they are now. Nothing is charged: the run was charged when it began, and steps after the checkpoint, if there were any, were seen by nobody. Where rows have accounts they go on with what was stored with the checkpoint; rows that were inserted since the run began take no part. Not part of a transaction.
Errors: as dpsens.drop_model; there is no unfinished run of that model, or it is another role''s; another session goes on with it at the same time (the one that reaches its next checkpoint second fails); the table is protected otherwise than when the run began, row accounting was switched on or off, or other columns name its units; fsync is off; the ledger was charged in another database.';

-- A cap on susceptibility.

ALTER TABLE dpsens.row_account ADD COLUMN cap_plis float8;
COMMENT ON COLUMN dpsens.row_account.cap_plis IS 'of the sum of the norms of what dpsens.plis_of says; null: none';
CREATE OR REPLACE VIEW dpsens.row_budgets WITH (security_barrier) AS
SELECT a.relation::pg_catalog.regclass AS relation, a.unit, a.epsilon AS row_epsilon, a.rho AS row_rho, a.cap_plis AS row_plis
FROM dpsens.row_account a
JOIN pg_catalog.pg_class c ON c.oid = a.relation
WHERE (a.cap_epsilon IS NOT NULL OR a.cap_rho IS NOT NULL) AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
	OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d));

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

REVOKE ALL ON FUNCTION dpsens.row_plis(regclass), dpsens.set_plis_cap(regclass, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.row_plis(regclass), dpsens.set_plis_cap(regclass, float8) TO PUBLIC;

CREATE FUNCTION dpsens.local_sensitivity(expression regprocedure, statistic text, beta float8,
    OUT rows int8, OUT local_sensitivity float8, OUT smooth_sensitivity float8, OUT global_sensitivity float8)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_local_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000;

COMMENT ON FUNCTION dpsens.local_sensitivity(regprocedure, text, float8) IS
'How far one unit can move a statistic of an expression over its table as the table is, by the adjacency of the table; how far in a table that differs in k units, times exp(-beta k), at the k and the table where that is most (the smooth sensitivity); and how far in any table of as many rows.
statistic: sum, mean or median (the value with number ceil(n/2) of n), without noise, of all rows of the clamped table that have a value. Under replace; sum under add_remove, too, where all three figures are the same, since any row may be added.
rows: those that count. Under replace a row whose value can vanish counts in a sum as 0. Of no rows the figures of a mean and a median are NULL. The ends of what the expression can be are certified, and the figures are exact if it takes all values between them by private columns alone; else they are upper bounds. They are computed in double precision, without a proof of their rounding.
These numbers are private data: for the owner, not for analysts, and no noise may be calibrated by them. A local sensitivity must not be: it tells rows by itself. By a smooth one noise can be calibrated, of another law and with other constants (Nissim, Raskhodnikova and Smith 2007, section 2), but then it must not be shown; dpsens does not.
Errors: the caller does not own the table; it is not protected; units of several rows; another adjacency or statistic; beta is not a positive number; for mean and median, private columns can decide whether a row has a value; as dpsens.row_sensitivity.
Source: Nissim, Raskhodnikova and Smith 2007, Definitions 1.2 and 2.2, section 3.1.';
REVOKE ALL ON FUNCTION dpsens.local_sensitivity(regprocedure, text, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.local_sensitivity(regprocedure, text, float8) TO PUBLIC;

-- A first setup for a schema.
CREATE FUNCTION dpsens.suggest_setup(schema regnamespace, entity regclass DEFAULT NULL, adjacency text DEFAULT NULL)
RETURNS SETOF text
AS 'MODULE_PATHNAME', 'dpsens_suggest_setup'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL UNSAFE COST 10000 ROWS 100;

COMMENT ON FUNCTION dpsens.suggest_setup(regnamespace, regclass, text) IS
'A script that protects the tables of a schema, line by line, to be reviewed and run: psql -XAtc "SELECT dpsens.suggest_setup(''clinic'')" > setup.sql. Statements are what keys, constraints and types say; what only an owner can decide is a comment. No row is read, so nothing in it tells of any: labels can be read by everybody.
entity: the table that has one row for each person; unless it is named, the only table of the schema, or the only one that is called like persons. Tables whose foreign keys lead there, directly or by other tables, are protected for the same person; where a person may have several rows 10 of them count, a number to be chosen. Tables that no key connects with persons are left to the owner. Group sizes, budgets and policies, of persons or of a lone table, come last, in comments with small numbers that no data decide.
Ranges come from CHECK constraints and domains (as for dpsens.set_range_from_checks), values from column IN (list). Columns without either, and those that look like identifiers or free text, stay private without a range or values, which is always safe. Of a column that refers to a table which no key connects with persons, the keys of that are suggested as its values, in a comment, since they would be public. What is declared already is left out, and of tables of other owners only the names are given.
adjacency: add_remove or replace; NULL leaves the default, add_remove.
Errors: no such schema; no table that is known to have one row for each person; another adjacency.';
REVOKE ALL ON FUNCTION dpsens.suggest_setup(regnamespace, regclass, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.suggest_setup(regnamespace, regclass, text) TO PUBLIC;

CREATE FUNCTION dpsens.suggest_limits(relation regclass, epsilon float8, answer_epsilon float8 DEFAULT 1,
	OUT max_rows int4, OUT persons float8, OUT "rows" float8, OUT rows_left_out float8, OUT noise float8, OUT error float8,
	OUT best boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_suggest_limits'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 10000 ROWS 32;

COMMENT ON FUNCTION dpsens.suggest_limits(regclass, float8, float8) IS
'Which max_rows would do for a relation in which a person may have several rows: for each of a ladder of limits, up to the one that is declared, the share of persons all of whose rows would count, the share of rows that would, how many rows would be left out, the noise (root of its mean square) of a count of all rows at answer_epsilon, and the error that both make together, the root of the sum of their squares. best is the limit whose error is least.
A private answer with Laplace noise: it costs epsilon, once, like any statement of the caller, whose right to ask it takes; so the shares are noised. Where the unit is by reference, the relations that are referred to, one after the other, are asked about, too, and charged. The ladder is taken to end at the last rung that has more persons than noise may have made, ln(20 n) times its scale with n rungs (64 persons at epsilon 0.1, 6 at 1); if there is none, all but the noise is NULL. What a few persons have beyond is not seen. Rows of persons who have more than the limit that is declared are counted up to it: a NOTICE says so; raise it, or set it to 0, to see beyond. answer_epsilon costs nothing.
Bias against variance: Amin et al. 2019, "Bounding user contributions: a bias-variance trade-off in differential privacy".
Errors: the relation is not protected, or has one row to a person; epsilon or answer_epsilon is not in [2^-20, 64]; what any statement is refused for, a budget that is spent, a policy without Laplace noise and a unit that may be NULL among them.';

REVOKE ALL ON FUNCTION dpsens.suggest_limits(regclass, float8, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.suggest_limits(regclass, float8, float8) TO PUBLIC;

CREATE FUNCTION dpsens.suggest_range(relation regclass, column_name name, epsilon float8, answer_epsilon float8 DEFAULT 1,
	OUT lo float8, OUT hi float8, OUT share_clamped float8, OUT clamped float8, OUT noise float8, OUT error float8,
	OUT best boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_suggest_range'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 10000 ROWS 50;

COMMENT ON FUNCTION dpsens.suggest_range(regclass, name, float8, float8) IS
'Which range would do for a column of numbers of a protected relation: for each range with ends 0 and 1, 2 and 5 times powers of ten between which values lie, from 0.001 (of integers 1) to 10^9 of both signs, the share of the rows with a value that would be clamped, by how much all of these would be changed together, the noise (root of its mean square) of a sum of the column over all rows by Laplace noise at answer_epsilon, and the error that both make together, the root of the sum of their squares. best is the range whose error is least.
A private answer with Laplace noise, of how many rows have values between neighbouring ends: it costs epsilon, once, like any statement of the caller, whose right to ask it takes; so what it says is noised, and the range that is declared by it tells of rows no more than that answer. Values are taken to lie within steps of the ladder where they do on average if a number is as frequent as one over it, and beyond the last ends at twice those. The ladder is taken to end at the first and the last step that has more rows than noise may have made, ln(20 n) times its scale with n steps; there is no row if there is none, and a few values that lie far out are not seen. NaN is not counted. A range that the column has does not matter. answer_epsilon costs nothing.
Bias against variance: Amin et al. 2019, "Bounding user contributions: a bias-variance trade-off in differential privacy", of limits of rows; clipping of values, Andrew et al. 2021, "Differentially private learning with adaptive clipping", and Huang, Liang and Yi 2021, "Instance-optimal mean estimation under differential privacy".
Errors: the relation is not protected, or its adjacency is metric; no such column, or one that is not of numbers; epsilon or answer_epsilon is not in [2^-20, 64]; what any statement is refused for, a budget that is spent and a policy without Laplace noise among them.';
REVOKE ALL ON FUNCTION dpsens.suggest_range(regclass, name, float8, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.suggest_range(regclass, name, float8, float8) TO PUBLIC;

CREATE FUNCTION dpsens.set_weight(relation regclass, column_name name, weight float8)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_weight'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_weight(regclass, name, float8) IS
'Declares the weight of a column that has a range, or values, and leaves all else that is declared of it: what dpsens.set_range has as an argument.
weight: positive; the column''s factor in distances under adjacency metric, per second for dates and timestamps; under adjacency attribute an answer at epsilon tells at most weight times epsilon of the column, and more than 1 counts as 1.
Errors: the caller does not own the table; unknown or system column; a weight other than 1 of a column with neither range nor values; a weight that is not positive, NaN or infinite.';

REVOKE ALL ON FUNCTION dpsens.set_weight(regclass, name, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_weight(regclass, name, float8) TO PUBLIC;
COMMENT ON FUNCTION dpsens.set_range_from_checks(regclass) IS
'Declares the ranges that the table''s own validated CHECK constraints and domains imply, and returns the columns set.
Understood are comparisons of a column with constants (<, <=, =, >=, >, BETWEEN, IN), joined by AND or in several constraints; both ends must be bounded. Existing ranges are replaced, weights and values kept.
lo, hi: as in dpsens.columns.
Errors: the caller does not own the table; not a table.';

-- What single answers may tell.
COMMENT ON COLUMN dpsens.budget.answer_epsilon IS 'the greatest epsilon of one answer to the role, if it may not read the relation; Infinity: no limit. So are the next ones, of delta and of all answers of a statement together';
COMMENT ON COLUMN dpsens.budget.mechanisms IS 'the mechanisms that may answer the role, if it may not read the relation; null: all';
COMMENT ON COLUMN dpsens.budget.overrides_policy IS 'do these limits take the place of those of the relation''s policy?';
COMMENT ON COLUMN dpsens.budget.default_epsilon IS 'what aggregates of the role that name no epsilon are asked with while dpsens.epsilon is unset; null: nothing is said of it';
COMMENT ON COLUMN dpsens.budget.min_units IS 'the least number of units of which a group of undeclared keys may be shown with probability 1/2 to the role, if it may not read the relation; null: no limit';
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
SELECT pg_catalog.pg_extension_config_dump('dpsens.policy', '');
CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.policy
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.policy ENABLE ALWAYS TRIGGER keep_budgets;
CREATE TRIGGER keep_budgets_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.policy
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.policy ENABLE REPLICA TRIGGER keep_budgets_applied;
CREATE TRIGGER tell_ledger AFTER INSERT OR UPDATE OR DELETE ON dpsens.policy
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.tell_ledger();
ALTER TABLE dpsens.policy ENABLE ALWAYS TRIGGER tell_ledger;
REVOKE ALL ON dpsens.policy FROM PUBLIC;
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

-- Policies of relations and entities by the relation that they mean now; those of a former
-- relation of the name hold, too.
CREATE VIEW dpsens_internal.policy_state AS
SELECT live.oid AS relation, p.entity, p.epsilon, p.delta, p.statement_epsilon, p.statement_delta, p.mechanisms,
	p.default_epsilon, p.min_units
FROM dpsens.policy p
CROSS JOIN LATERAL (
	SELECT c.oid
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
	WHERE c.oid = p.relation
		OR c.relname = p.relation_name AND n.nspname = p.relation_schema
			AND (o.rolname = p.relation_owner OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles gone WHERE gone.rolname = p.relation_owner))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_class old WHERE old.oid = p.relation)
	LIMIT 1
) live;
COMMENT ON VIEW dpsens_internal.policy_state IS 'policies of relations and entities; for the views built on it';

CREATE VIEW dpsens.policies WITH (security_barrier) AS
WITH state AS MATERIALIZED (SELECT * FROM dpsens_internal.budget_state WHERE role <> 0)
SELECT s.relation::pg_catalog.regclass AS relation, s.role_name AS role, s.answer_epsilon AS epsilon, s.answer_delta AS delta,
	s.statement_epsilon, s.statement_delta, s.mechanisms, s.column_name = '(entity)' AS entity,
	CASE WHEN s.column_name = '' THEN s.overrides_policy END AS overrides, s.default_epsilon, s.min_units, s.own_tables
FROM state s
JOIN pg_catalog.pg_class c ON c.oid = s.relation
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE') OR pg_catalog.pg_has_role(s.role, 'MEMBER')
	OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d)
UNION ALL
SELECT p.relation::pg_catalog.regclass, NULL, p.epsilon, p.delta, p.statement_epsilon, p.statement_delta, p.mechanisms, p.entity, NULL,
	p.default_epsilon, p.min_units, NULL
FROM dpsens_internal.policy_state p
JOIN pg_catalog.pg_class c ON c.oid = p.relation
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE') OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d)
	OR CASE WHEN p.entity THEN dpsens_internal.sees_entity(p.relation)
		ELSE pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
			OR EXISTS (SELECT FROM state s WHERE s.relation = p.relation AND s.column_name = '' AND pg_catalog.pg_has_role(s.role, 'MEMBER'))
			OR dpsens_internal.is_served(p.relation) END;
COMMENT ON VIEW dpsens.policies IS 'what single answers may be asked with (dpsens.set_policy, dpsens.set_entity_policy), of which all that apply hold: policies of relations that the reader owns, audits, may read or has a budget on, of entities that units of these refer to, and of the budgets of the reader, the reader''s groups, and all roles on relations that the reader owns or audits';
COMMENT ON COLUMN dpsens.policies.role IS 'whose budget it is about, for those who may not read the relation; null: whoever asks';
COMMENT ON COLUMN dpsens.policies.epsilon IS 'the greatest that one answer may be asked with; Infinity: no limit';
COMMENT ON COLUMN dpsens.policies.statement_epsilon IS 'the greatest of all answers of a statement about the relation together; Infinity: no limit';
COMMENT ON COLUMN dpsens.policies.mechanisms IS 'those that may answer; null: all';
COMMENT ON COLUMN dpsens.policies.default_epsilon IS 'what aggregates that name no epsilon are asked with while dpsens.epsilon is unset; null: nothing is said of it';
COMMENT ON COLUMN dpsens.policies.min_units IS 'the least number of units of which a group of undeclared keys may be shown with probability 1/2; null: no limit';
COMMENT ON COLUMN dpsens.policies.own_tables IS 'may the role use tables beside the relation that are not in dpsens.public_relations? Null where role is';
COMMENT ON COLUMN dpsens.policies.entity IS 'is it about persons in all relations whose units refer to this one?';
COMMENT ON COLUMN dpsens.policies.overrides IS 'does it take the place of the relation''s policy, which holds beside it otherwise? Null where role is, and of an entity';
REVOKE ALL ON FUNCTION dpsens.set_policy(regclass, regrole, float8, float8, float8, float8, text[], boolean, float8, integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_policy(regclass, regrole, float8, float8, float8, float8, text[], boolean, float8, integer, boolean) TO PUBLIC;
REVOKE ALL ON FUNCTION dpsens.set_entity_policy(regclass, float8, float8, float8, float8, text[], regrole, float8, integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_entity_policy(regclass, float8, float8, float8, float8, text[], regrole, float8, integer, boolean) TO PUBLIC;
REVOKE ALL ON dpsens_internal.policy_state FROM PUBLIC;
GRANT SELECT ON dpsens.policies TO PUBLIC;

COMMENT ON FUNCTION dpsens.sensitivity_summary(regprocedure, float8[]) IS
'How an expression''s table is distributed, one row a quantity: value, gradient_norm, then slope:, contribution:, partial: and plis:<column> for each private column. rows: where it exists; quartiles as by percentile_cont.
bound: the certified bound of its magnitude over the declared ranges (of gradient_norm: K); realised: the largest magnitude in the table as a share of it; rows_above: how many rows lie above each of the fractions of it. NULL where there is no bound.
Exact statistics of private data, for the owner of the table and its auditors.
Errors: the caller neither owns the table nor may see what follows from its rows (dpsens.grant_audit); a fraction that is not between 0 and 1; as dpsens.row_sensitivity.';

COMMENT ON FUNCTION dpsens.report(regclass) IS
'One page about a table, as HTML without scripts that needs nothing else, for screens of any width, light and dark, and for paper: psql -At -c "SELECT dpsens.report(''patients'')" -o report.html. A summary in sentences; budgets with what is spent of them, as a figure day by day, and until when they last; answers by who asked what, with counts and sums (the 200 dearest questions); limits and policies; what dpsens.check_security finds of roles with budgets on it; declarations; registered expressions with closed forms (typeset, and as SQL), certified bounds, where they are attained and whether their certificate could be verified, and how the rows are distributed (of large tables a sample of about 100000).
Individual losses are at the settings of the session, if dpsens.epsilon is set. It holds private data, and is for the owner of the table and its auditors. All that does not follow from rows is what views show to who asks: an auditor of the table alone is not shown the budget of an entity that is another''s.
Errors: the caller neither owns the table nor may see what follows from its rows (dpsens.grant_audit); it is no table.';

CREATE FUNCTION dpsens.report(relation regclass, rows boolean)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_report_of'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000;

COMMENT ON FUNCTION dpsens.report(regclass, boolean) IS
'The same page; without rows, none that follows from them: neither their number nor distributions of gradient norms and losses. No row is read for it. So it can be handed to whoever answers for a table without seeing its rows, and auditors who may not see what follows from rows can make it. It tells who asked what, as dpsens.releases does.
Errors: the caller neither owns nor audits the table, or, with rows, may not see what follows from its rows; it is no table.';
REVOKE ALL ON FUNCTION dpsens.report(regclass, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.report(regclass, boolean) TO PUBLIC;

COMMENT ON VIEW dpsens.releases IS
'every release on relations that the reader owns or audits, and the reader''s own: who, when, what, and the public quantities that its cost follows from';

COMMENT ON VIEW dpsens.row_budgets IS
'what each unit of the relations that the reader owns or audits may lose, where row accounting is on, and the columns that name a unit';

CREATE FUNCTION dpsens_internal.citus_relations(OUT relation regclass, OUT kind text, OUT is_protected boolean, OUT keeps_rows boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_citus_relations'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.citus_relations() IS
'What Citus makes of this database, without a row where it is not installed: the node itself, of relation 0, is a coordinator or a worker; each table that Citus manages is a table, or distributed where nodes can add up what is asked of it; a shard is listed where it has the label of a protected table. keeps_rows: the table itself, which should be empty, has pages on this server; null for roles from whom counters are hidden.';

REVOKE ALL ON FUNCTION dpsens_internal.citus_relations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.citus_relations() TO PUBLIC;

CREATE OR REPLACE FUNCTION dpsens.check_security(role pg_catalog.regrole)
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
REVOKE ALL ON FUNCTION dpsens.check_security() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.check_security() TO PUBLIC;


CREATE FUNCTION dpsens_internal.describe_relation(relation regclass, OUT adjacency text, OUT unit text, OUT one_row boolean,
	OUT max_rows int4, OUT max_rows_per_group int4, OUT max_groups int4, OUT group_size int4)
RETURNS record
AS 'MODULE_PATHNAME', 'dps_describe_relation'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.describe_relation(regclass) IS
'What is declared of a protected relation, as dpsens.relations shows it; NULL of others.';

CREATE VIEW dpsens_internal.readers AS
SELECT DISTINCT c.oid AS relation, g.grantee
FROM pg_catalog.pg_class AS c
CROSS JOIN LATERAL (
    SELECT t.grantee, t.privilege_type FROM pg_catalog.aclexplode(c.relacl) AS t
    UNION ALL
    SELECT x.grantee, x.privilege_type FROM pg_catalog.pg_attribute AS a CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) AS x
    WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped
) AS g
WHERE g.privilege_type OPERATOR(pg_catalog.=) 'SELECT' AND g.grantee OPERATOR(pg_catalog.<>) c.relowner;

COMMENT ON VIEW dpsens_internal.readers IS
'Roles, other than the owner, that have been granted SELECT on a relation or a column of it; 0 is PUBLIC.';

REVOKE ALL ON dpsens_internal.readers FROM PUBLIC;
GRANT SELECT ON dpsens_internal.readers TO PUBLIC;

COMMENT ON VIEW dpsens.columns IS
'Every column of every protected table: its role (private, public, unit, unannotated), range, weight and values, and in missing the statement that adds what queries will want, once its words are replaced, or takes away what does not fit the column; null if nothing is missing, or nothing can be added, or should be: a column whose name looks as if it told persons apart, or held what people write, is safe as it is. Ranges of dates and timestamps are in seconds since 1970, UTC.';
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

REVOKE ALL ON FUNCTION dpsens_internal.describe_relation(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.describe_relation(regclass) TO PUBLIC;
REVOKE ALL ON FUNCTION dpsens.set_range_when(regclass, name, float8, float8, text, float8), dpsens.set_range_when(regclass, name, text, text, text, float8), dpsens_internal.key_ranges(regclass, int2) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_range_when(regclass, name, float8, float8, text, float8), dpsens.set_range_when(regclass, name, text, text, text, float8), dpsens_internal.key_ranges(regclass, int2) TO PUBLIC;
GRANT SELECT ON dpsens.key_ranges TO PUBLIC;
GRANT SELECT ON dpsens.relations TO PUBLIC;

COMMENT ON COLUMN dpsens.release.joined IS 'for each scale, how many integers got noise of it, of which the sensitivity is the joint norm; of noise aimed at attributes the scale is the least one, and each integer counts in its own; of the exponential mechanism and of permute-and-flip how many draws, each of this sensitivity';

-- ---- the journal ----
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

REVOKE ALL ON dpsens.change, dpsens.refusal, dpsens.refusals_beyond, dpsens.changes, dpsens.refusals FROM PUBLIC;
REVOKE ALL ON FUNCTION dpsens_internal.note_change() FROM PUBLIC;
GRANT SELECT ON dpsens.changes, dpsens.refusals TO PUBLIC;

-- Seals: a chain of hashes over releases, refusals and changes.
--
-- Of each row those columns are digested that never change.  Not among them, since a restore, or a table
-- that was made again, gives them other values: OIDs of relations and roles, and of entities; nor arms, which
-- releases of 0.1.0 may get later.  Texts are digested in the database's encoding, numbers in floating point and times as their bytes, the rest as it
-- is printed.

CREATE TABLE dpsens.seal (
	seal bigint NOT NULL PRIMARY KEY,
	sealed_at timestamptz NOT NULL,
	format smallint NOT NULL,
	releases bigint[] NOT NULL,
	refusals bigint[] NOT NULL,
	changes bigint[] NOT NULL,
	digests bytea NOT NULL,
	hash bytea NOT NULL
);
ALTER TABLE dpsens.seal ALTER digests SET STORAGE EXTERNAL;
CREATE INDEX seal_changes ON dpsens.seal (seal) WHERE changes <> '{}';
CREATE INDEX seal_releases ON dpsens.seal (seal) WHERE releases <> '{}';
CREATE INDEX seal_refusals ON dpsens.seal (seal) WHERE refusals <> '{}';
COMMENT ON TABLE dpsens.seal IS 'the chain of hashes over dpsens.release, dpsens.refusal and dpsens.change, written by the ledger''s worker when it has a moment, at least once in a second while it works';
COMMENT ON COLUMN dpsens.seal.format IS 'what is digested: 1, the columns of dpsens_internal.release_digests, refusal_digests and change_digests';
COMMENT ON COLUMN dpsens.seal.releases IS 'the numbers of the releases that it seals';
COMMENT ON COLUMN dpsens.seal.digests IS '32 bytes for each release, refusal and change, in this order';
COMMENT ON COLUMN dpsens.seal.hash IS 'SHA-256 of the hash before and of all columns here but itself';

SELECT pg_catalog.pg_extension_config_dump('dpsens.seal', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.seal
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.seal ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.seal
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.seal ENABLE REPLICA TRIGGER keep_ledger_applied;

-- No check of the encoding: a role's name that was given in a database of another one must not stop the chain.
CREATE FUNCTION dpsens_internal.bytes_of(text) RETURNS bytea
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	RETURN pg_catalog.replace($1, pg_catalog.chr(92), pg_catalog.chr(92) || pg_catalog.chr(92))::bytea;
COMMENT ON FUNCTION dpsens_internal.bytes_of(text) IS
'A text as its bytes, which may be none of the database''s encoding.';

CREATE VIEW dpsens_internal.release_digests AS
SELECT r.release AS number, pg_catalog.sha256(dpsens_internal.bytes_of(ROW(r.release, r.statement,
	pg_catalog.encode(pg_catalog.timestamptz_send(r.released_at), 'hex'), r.role_name, r.relation_schema, r.relation_name, r.relation_owner,
	r.purse_role_name, r.query, r.expression, r.adjacency, r.mechanism, pg_catalog.encode(pg_catalog.float8send(r.epsilon), 'hex'),
	pg_catalog.encode(pg_catalog.float8send(r.delta), 'hex'), pg_catalog.encode(pg_catalog.float8send(r.sensitivity), 'hex'), r.grid,
	r.sensitivities, r.scales, r.joined, r.charge_epsilon, r.charge_rho, r.charge_delta, r.contribution, r.oldest_change, r.steps,
	pg_catalog.encode(pg_catalog.float8send(r.rate), 'hex'), r.replacement, r.column_names, r.column_moves, r.group_size)::text)) AS digest
FROM dpsens.release r;
COMMENT ON VIEW dpsens_internal.release_digests IS 'SHA-256 of what of a release never changes; for seals';

CREATE VIEW dpsens_internal.refusal_digests AS
SELECT r.refusal AS number, pg_catalog.sha256(dpsens_internal.bytes_of(ROW(r.refusal,
	pg_catalog.encode(pg_catalog.timestamptz_send(r.refused_at), 'hex'), r.role_name, r.sqlstate, r.message, r.query, r.relation_names)::text)) AS digest
FROM dpsens.refusal r;
COMMENT ON VIEW dpsens_internal.refusal_digests IS 'SHA-256 of what of a refusal never changes; for seals';

CREATE VIEW dpsens_internal.change_digests AS
SELECT a.change AS number, pg_catalog.sha256(dpsens_internal.bytes_of(ROW(a.change,
	pg_catalog.encode(pg_catalog.timestamptz_send(a.changed_at), 'hex'), a.session_role, a.changed_by, a.act, a.relation_schema,
	a.relation_name, a.relation_owner, a.object, a.before, a.after)::text)) AS digest
FROM dpsens.change a;
COMMENT ON VIEW dpsens_internal.change_digests IS 'SHA-256 of what of a change never changes; for seals';

CREATE FUNCTION dpsens_internal.seal_hash(before bytea, seal bigint, sealed_at timestamptz, format smallint, releases bigint[],
	refusals bigint[], changes bigint[], digests bytea) RETURNS bytea
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	RETURN pg_catalog.sha256(before || pg_catalog.convert_to(ROW(seal, pg_catalog.encode(pg_catalog.timestamptz_send(sealed_at), 'hex'),
		format, releases, refusals, changes)::text, 'UTF8') || digests);
COMMENT ON FUNCTION dpsens_internal.seal_hash(bytea, bigint, timestamptz, smallint, bigint[], bigint[], bigint[], bytea) IS
'The hash of a seal: SHA-256 of the hash before it, empty for the first, of its number, time, format and the numbers of its rows, and of their digests.
Source: FIPS 180-4; chains of time stamps, Haber and Stornetta 1991.';

-- Who may know of the chain: it has numbers of rows, and nothing that is in them.
CREATE VIEW dpsens_internal.sees_seals AS
SELECT FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER AND (me.rolsuper
	OR EXISTS (SELECT FROM dpsens_internal.audited d)
	OR EXISTS (SELECT FROM pg_catalog.pg_seclabel l JOIN pg_catalog.pg_class c ON c.oid = l.objoid
		WHERE l.provider = 'dpsens' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid = 0
			AND l.label ~* '^\s*PROTECTED' AND pg_catalog.pg_has_role(c.relowner, 'USAGE')));
COMMENT ON VIEW dpsens_internal.sees_seals IS 'a row for superusers, and for who owns or audits a protected relation; for the views built on it';

CREATE VIEW dpsens_internal.seal_heads WITH (security_barrier) AS
SELECT s.seal, s.hash, s.sealed_at FROM dpsens.seal s WHERE EXISTS (SELECT FROM dpsens_internal.sees_seals);
COMMENT ON VIEW dpsens_internal.seal_heads IS 'the hashes of the chain; what dpsens.ledger_head() returns the last of';

CREATE VIEW dpsens_internal.seal_check WITH (security_barrier) AS
WITH chain AS (
	SELECT s.*, COALESCE(pg_catalog.lag(s.seal) OVER (ORDER BY s.seal), 0) AS seal_before, COALESCE(pg_catalog.lag(s.hash) OVER (ORDER BY s.seal), '') AS hash_before
	FROM dpsens.seal s
	WHERE EXISTS (SELECT FROM dpsens_internal.sees_seals)
), sealed AS MATERIALIZED (
	SELECT s.seal, e.kind, e.number, pg_catalog.substr(s.digests, ((e.place - 1) * 32 + 1)::integer, 32) AS digest
	FROM chain s CROSS JOIN LATERAL (
		SELECT 'release' AS kind, r.number, r.place FROM pg_catalog.unnest(s.releases) WITH ORDINALITY r (number, place)
		UNION ALL
		SELECT 'refusal', f.number, f.place + pg_catalog.cardinality(s.releases) FROM pg_catalog.unnest(s.refusals) WITH ORDINALITY f (number, place)
		UNION ALL
		SELECT 'change', c.number, c.place + pg_catalog.cardinality(s.releases) + pg_catalog.cardinality(s.refusals)
		FROM pg_catalog.unnest(s.changes) WITH ORDINALITY c (number, place)
	) e
), present AS MATERIALIZED (
	SELECT d.kind, d.number, d.digest
	FROM (SELECT 'release' AS kind, r.number, r.digest FROM dpsens_internal.release_digests r
		UNION ALL SELECT 'refusal', f.number, f.digest FROM dpsens_internal.refusal_digests f
		UNION ALL SELECT 'change', c.number, c.digest FROM dpsens_internal.change_digests c) d
	WHERE EXISTS (SELECT FROM dpsens_internal.sees_seals)
)
SELECT 'seals before it are missing' AS finding, 'seal' AS kind, s.seal AS number, s.seal FROM chain s WHERE s.seal <> s.seal_before + 1
UNION ALL
SELECT 'it was made by a later version', 'seal', s.seal, s.seal FROM chain s WHERE s.format <> 1
UNION ALL
SELECT 'it was changed', 'seal', s.seal, s.seal FROM chain s
WHERE s.hash <> dpsens_internal.seal_hash(s.hash_before, s.seal, s.sealed_at, s.format, s.releases, s.refusals, s.changes, s.digests)
UNION ALL
SELECT CASE WHEN p.number IS NULL THEN 'it is missing' ELSE 'it was changed' END, s.kind, s.number, s.seal
FROM sealed s LEFT JOIN present p ON p.kind = s.kind AND p.number = s.number
WHERE p.digest IS DISTINCT FROM s.digest
UNION ALL
SELECT CASE WHEN p.number < last.number AND p.kind <> 'change' THEN 'it was inserted' ELSE 'it is not sealed yet' END, p.kind, p.number, NULL
FROM present p
LEFT JOIN (SELECT k.kind, pg_catalog.max(k.number) AS number FROM sealed k GROUP BY k.kind) last ON last.kind = p.kind
WHERE NOT EXISTS (SELECT FROM sealed s WHERE s.kind = p.kind AND s.number = p.number);
COMMENT ON VIEW dpsens_internal.seal_check IS 'what dpsens.verify_seals() returns without a head';

CREATE FUNCTION dpsens.seal_ledger() RETURNS void
AS 'MODULE_PATHNAME', 'dps_seal_ledger'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.seal_ledger() IS
'Has the ledger''s worker seal all that is committed and not sealed yet: what was charged and refused in the last second, changes since the last charge, and what an earlier version has recorded. Otherwise it does so when it has a moment. Changes nothing else, and is done when it returns, whatever becomes of the transaction.
Errors: the ledger is not running; the transaction has changed budgets; during recovery.';

CREATE FUNCTION dpsens.ledger_head(OUT seal bigint, OUT hash text, OUT sealed_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT s.seal, pg_catalog.encode(s.hash, 'hex'), s.sealed_at FROM dpsens_internal.seal_heads s ORDER BY s.seal DESC LIMIT 1;
END;
COMMENT ON FUNCTION dpsens.ledger_head() IS
'The last seal of the ledger''s chain: its number and its hash (SHA-256), on which all that is sealed depends. Kept elsewhere, on paper or by a notary, and given to dpsens.verify_seals later, it shows whether the chain was written anew, which nothing in the database can show. NULL where nothing is sealed, and for who neither owns nor audits a protected relation.
Source: Haber and Stornetta 1991.';

CREATE FUNCTION dpsens.verify_seals(seal bigint DEFAULT NULL, hash text DEFAULT NULL)
RETURNS TABLE (finding text, kind text, number bigint, sealed_by bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT f.* FROM (
		SELECT c.finding, c.kind, c.number, c.seal FROM dpsens_internal.seal_check c
		UNION ALL
		SELECT 'it is not the one that was kept', 'seal', $1, $1
		WHERE $1 IS NOT NULL AND NOT EXISTS (SELECT FROM dpsens_internal.seal_heads h
			WHERE h.seal = $1 AND pg_catalog.encode(h.hash, 'hex') = pg_catalog.lower($2))
	) f ORDER BY f.seal NULLS LAST, f.kind, f.number;
END;
COMMENT ON FUNCTION dpsens.verify_seals(bigint, text) IS
'Recomputes the chain of hashes over releases, refusals and changes, and names what does not fit: the first row is the earliest. finding: it was changed, it is missing, it was inserted (its number is before one that is sealed), seals before it are missing, it was made by a later version, or it is not sealed yet: it is a second old at most, a change since the last charge, or what an earlier version recorded, of which there is none after dpsens.seal_ledger(). kind: release, refusal, change or seal. sealed_by: the seal that has its digest. No row: all is as it was sealed.
seal, hash: what dpsens.ledger_head returned once. A superuser can write rows and all hashes after them anew, and is found by this alone. What was written before it was first sealed is not proved.
For superusers and for who owns or audits a protected relation, of all rows, but by their numbers only; to others it returns nothing, or that a seal is not the one that was kept. In a database of another encoding rows with other characters than ASCII differ.
Source: SHA-256, FIPS 180-4; Haber and Stornetta 1991.';

REVOKE ALL ON dpsens.seal, dpsens_internal.release_digests, dpsens_internal.refusal_digests, dpsens_internal.change_digests,
	dpsens_internal.sees_seals, dpsens_internal.seal_heads, dpsens_internal.seal_check FROM PUBLIC;
REVOKE ALL ON FUNCTION dpsens_internal.bytes_of(text), dpsens_internal.seal_hash(bytea, bigint, timestamptz, smallint, bigint[], bigint[], bigint[], bytea),
	dpsens.seal_ledger(), dpsens.ledger_head(), dpsens.verify_seals(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.bytes_of(text), dpsens_internal.seal_hash(bytea, bigint, timestamptz, smallint, bigint[], bigint[], bigint[], bytea),
	dpsens.seal_ledger(), dpsens.ledger_head(), dpsens.verify_seals(bigint, text) TO PUBLIC;
GRANT SELECT ON dpsens_internal.seal_heads, dpsens_internal.seal_check TO PUBLIC;
-- Figures for those who answer for a relation, and for what watches servers: what was asked, day by day, and how
-- long budgets last.  All is counted from the ledger; nothing is stored for it.

CREATE VIEW dpsens.stat WITH (security_barrier) AS
WITH shown AS MATERIALIZED (
	SELECT c.oid, pg_catalog.format('%I.%I', n.nspname, c.relname) AS name
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind NOT IN ('i', 'I', 'S', 't', 'c')
		AND (pg_catalog.pg_has_role(c.relowner, 'USAGE') OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d))
), reader AS MATERIALIZED (
	SELECT me.rolsuper AS sees_all FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER
)
SELECT p.day, p.relation, p.role, pg_catalog.sum(p.statements)::bigint AS statements, pg_catalog.sum(p.answers)::bigint AS answers,
	pg_catalog.sum(p.refusals)::bigint AS refusals,
	dpsens_internal.loss_of_amount(LEAST(pg_catalog.sum(p.epsilon), 9223372036854775807)::bigint, 40) AS epsilon,
	dpsens_internal.loss_of_amount(LEAST(pg_catalog.sum(p.rho), 9223372036854775807)::bigint, 40) AS rho,
	dpsens_internal.loss_of_amount(LEAST(pg_catalog.sum(p.delta), 9223372036854775807)::bigint, 62) AS delta
FROM (
	SELECT (r.released_at AT TIME ZONE 'UTC')::date AS day, k.name AS relation, r.role_name AS role,
		pg_catalog.count(DISTINCT r.statement) AS statements, pg_catalog.count(*) AS answers, 0 AS refusals,
		pg_catalog.sum(r.charge_epsilon) AS epsilon, pg_catalog.sum(r.charge_rho) AS rho, pg_catalog.sum(r.charge_delta) AS delta
	FROM shown k
	JOIN dpsens.release r ON r.relation = k.oid
	GROUP BY 1, 2, 3
	UNION ALL
	-- of relations that are gone
	SELECT (r.released_at AT TIME ZONE 'UTC')::date, pg_catalog.format('%I.%I', r.relation_schema, r.relation_name), r.role_name,
		pg_catalog.count(DISTINCT r.statement), pg_catalog.count(*), 0,
		pg_catalog.sum(r.charge_epsilon), pg_catalog.sum(r.charge_rho), pg_catalog.sum(r.charge_delta)
	FROM dpsens.release r
	WHERE (SELECT e.sees_all FROM reader e) AND NOT EXISTS (SELECT FROM shown k WHERE k.oid = r.relation)
	GROUP BY 1, 2, 3
	UNION ALL
	SELECT (f.refused_at AT TIME ZONE 'UTC')::date, COALESCE(k.name, u.name), f.role_name,
		0, 0, pg_catalog.count(DISTINCT f.refusal), 0, 0, 0
	FROM dpsens.refusal f
	LEFT JOIN LATERAL ROWS FROM (pg_catalog.unnest(f.relations), pg_catalog.unnest(f.relation_names)) u (oid, name) ON true
	LEFT JOIN shown k ON k.oid = u.oid
	WHERE k.oid IS NOT NULL OR (SELECT e.sees_all FROM reader e)
	GROUP BY 1, 2, 3
	UNION ALL
	SELECT (b.day AT TIME ZONE 'UTC')::date, NULL, b.role_name, 0, 0, b.refusals, 0, 0, 0
	FROM dpsens.refusals_beyond b
	WHERE (SELECT e.sees_all FROM reader e)
) p
GROUP BY p.day, p.relation, p.role;
COMMENT ON VIEW dpsens.stat IS
'what was asked, answered and refused about relations that the reader owns or audits, by day, relation and role, and what it was charged; to superusers of all relations. It counts what dpsens.releases and dpsens.refusals show them';
COMMENT ON COLUMN dpsens.stat.day IS 'of UTC';
COMMENT ON COLUMN dpsens.stat.relation IS 'as it is called now, or was, if it is gone, which superusers see alone; null: of what was refused, to superusers, what names no relation or is beyond dpsens.refusal_log_limit';
COMMENT ON COLUMN dpsens.stat.role IS 'who asked, as called then';
COMMENT ON COLUMN dpsens.stat.statements IS 'that were answered; one that reads several relations counts for each';
COMMENT ON COLUMN dpsens.stat.answers IS 'releases: what is charged by itself, such as an aggregate for all groups of a statement';
COMMENT ON COLUMN dpsens.stat.refusals IS 'statements that were refused; one that reads several relations counts for each. Those of a role beyond dpsens.refusal_log_limit on a day are counted with no relation';
COMMENT ON COLUMN dpsens.stat.epsilon IS 'sum of what the relation was charged; Infinity where an answer had no pure epsilon';
COMMENT ON COLUMN dpsens.stat.rho IS 'sum of what the relation was charged, at all Renyi orders: a budget of (epsilon, delta) counts less';
COMMENT ON COLUMN dpsens.stat.delta IS 'sum of what selections of groups and training were charged';

-- Costs are those that a budget counts (as in dpsens_internal.ledger_check), of the last four weeks, in which each day of
-- the week has its share.  Releases of the same noise cost the same, which is computed once.
CREATE VIEW dpsens.forecast WITH (security_barrier) AS
WITH mine AS MATERIALIZED (
	SELECT m.relation, m.role, m.column_name FROM dpsens_internal.my_purses m
), shown AS MATERIALIZED (
	SELECT s.relation, s.role, s.role_name, s.column_name, s.renyi_order, s.refresh,
		ARRAY[s.cap_epsilon, s.cap_rho, s.cap_delta] AS caps, ARRAY[s.spent_epsilon, s.spent_rho, s.spent_delta] AS spent,
		CASE WHEN e.period_end > pg_catalog.now() THEN NULLIF(e.period_end, 'infinity') END AS refreshes_at
	FROM dpsens_internal.budget_state s
	CROSS JOIN LATERAL (SELECT dpsens_internal.period_end(s.period_start, s.refresh) AS period_end) e
	JOIN pg_catalog.pg_class c ON c.oid = s.relation
	WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE') OR c.oid IN (SELECT d.relation FROM dpsens_internal.audited d)
		OR (s.relation, s.role, s.column_name) IN (SELECT m.relation, m.role, m.column_name FROM mine m
			WHERE m.role <> 0 OR m.column_name <> '' OR m.relation NOT IN (SELECT own.relation FROM mine own WHERE own.role <> 0 AND own.column_name = ''))
), recent AS MATERIALIZED (
	SELECT s.*, LEAST(f.epsilon, 9223372036854775807)::bigint AS epsilon, LEAST(f.rho, 9223372036854775807)::bigint AS rho,
		LEAST(f.delta, 9223372036854775807)::bigint AS delta,
		GREATEST(1, LEAST(28, pg_catalog.floor(EXTRACT(epoch FROM pg_catalog.now() - LEAST(
			(SELECT pg_catalog.min(r.released_at) FROM dpsens.release r
				WHERE s.column_name <> '(entity)' AND r.relation = s.relation AND (s.role = 0 OR r.purse_role = s.role)),
			(SELECT pg_catalog.min(r.released_at) FROM dpsens.release r
				WHERE s.column_name = '(entity)' AND s.relation = ANY (r.entities)
					AND (s.role = 0 OR COALESCE(dpsens_internal.has_paid(r.payer_entities, r.payer_roles, s.relation, s.role), false))))) / 86400)))::integer AS days
	FROM shown s
	CROSS JOIN LATERAL (
		SELECT COALESCE(pg_catalog.sum(k.times * k.charge_epsilon), 0) AS epsilon,
			COALESCE(pg_catalog.sum(k.times * dpsens_internal.rho_at_order(s.renyi_order, k.mechanism, k.sensitivities, k.scales,
				k.joined, k.steps, k.rate, k.grid, k.charge_rho)), 0) AS rho,
			COALESCE(pg_catalog.sum(k.times * k.charge_delta), 0) AS delta
		FROM (
			SELECT r.mechanism, r.sensitivities, r.scales, r.joined, r.steps, r.rate, r.grid, r.charge_epsilon, r.charge_rho, r.charge_delta,
				pg_catalog.count(*)::numeric AS times
			FROM dpsens.release r
			WHERE r.relation = s.relation AND r.released_at >= pg_catalog.now() - INTERVAL '28 days'
				AND s.column_name = '' AND (s.role = 0 OR r.purse_role = s.role)
			GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
		) k
		HAVING s.column_name = ''
		UNION ALL
		SELECT COALESCE(pg_catalog.sum(c.times * c.cost[1]), 0), COALESCE(pg_catalog.sum(c.times * c.cost[2]), 0),
			COALESCE(pg_catalog.sum(c.times * c.cost[3]), 0)
		FROM (
			SELECT k.times, dpsens_internal.charge_of_column(s.column_name, k.mechanism, k.adjacency, k.replacement, k.column_names,
				k.column_moves, k.scales, k.joined, ARRAY[k.charge_epsilon, k.charge_rho, k.charge_delta], k.grid, s.renyi_order,
				dpsens_internal.rho_at_order(s.renyi_order, k.mechanism, k.sensitivities, k.scales, k.joined,
					k.steps, k.rate, k.grid, k.charge_rho)) AS cost
			FROM (
				SELECT r.mechanism, r.sensitivities, r.scales, r.joined, r.steps, r.rate, r.grid, r.charge_epsilon, r.charge_rho, r.charge_delta,
					r.adjacency, r.replacement, r.column_names, r.column_moves, pg_catalog.count(*)::numeric AS times
				FROM dpsens.release r
				WHERE r.relation = s.relation AND r.released_at >= pg_catalog.now() - INTERVAL '28 days'
					AND s.column_name NOT IN ('', '(entity)')
				GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
			) k
			OFFSET 0
		) c
		HAVING s.column_name NOT IN ('', '(entity)')
		UNION ALL
		SELECT COALESCE(pg_catalog.sum(k.times * k.cost[1]), 0), COALESCE(pg_catalog.sum(k.times * CASE WHEN k.arms = 1 THEN
				dpsens_internal.rho_at_order(s.renyi_order, k.mechanism, k.sensitivities, k.scales,
					k.joined, k.steps, k.rate, k.grid, k.charge_rho) ELSE k.cost[2] END), 0), COALESCE(pg_catalog.sum(k.times * k.cost[3]), 0)
		FROM (
			SELECT r.mechanism, r.sensitivities, r.scales, r.joined, r.steps, r.rate, r.grid, r.charge_rho, r.arms, p.cost,
				pg_catalog.count(*)::numeric AS times
			FROM dpsens_internal.person_costs p
			JOIN dpsens.release r ON r.release = p.release
			WHERE s.column_name = '(entity)' AND s.relation = ANY (p.entities) AND r.released_at >= pg_catalog.now() - INTERVAL '28 days'
				AND (s.role = 0 OR COALESCE(dpsens_internal.has_paid(r.payer_entities, r.payer_roles, s.relation, s.role), false))
			GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
		) k
		HAVING s.column_name = '(entity)'
	) f
), lasting AS MATERIALIZED (
	SELECT r.*, NULLIF(dpsens_internal.times_left(r.caps, r.spent, ARRAY[r.epsilon, r.rho, r.delta]), 'Infinity') * r.days AS days_left
	FROM recent r
)
SELECT l.relation::pg_catalog.regclass AS relation, CASE WHEN l.role <> 0 THEN l.role_name END AS role,
	NULLIF(NULLIF(l.column_name, ''), '(entity)') AS column_name, l.column_name = '(entity)' AS entity,
	dpsens_internal.left_percent(l.caps, l.spent) AS left_percent, l.days,
	dpsens_internal.loss_of_amount(l.epsilon, 40) / l.days AS epsilon_a_day,
	dpsens_internal.loss_of_amount(l.rho, 40) / l.days AS rho_a_day,
	dpsens_internal.loss_of_amount(l.delta, 62) / l.days AS delta_a_day,
	l.days_left,
	-- numbers of days beyond a century are not added to a date, which has an end
	CASE WHEN LEAST(l.days_left, 36525) * INTERVAL '1 day' >= COALESCE(l.refreshes_at - pg_catalog.now(), l.refresh) THEN NULL
		WHEN l.days_left > 36525 THEN 'infinity'::timestamptz
		ELSE pg_catalog.now() + l.days_left * INTERVAL '1 day' END AS until,
	l.refreshes_at
FROM lasting l;
COMMENT ON VIEW dpsens.forecast IS
'how long budgets last if they are spent as in the last 28 days: of relations that the reader owns or audits all, and the reader''s own, those of dpsens.my_budget. A forecast, and no promise: what may be spent is the budget''s to say';
COMMENT ON COLUMN dpsens.forecast.role IS 'whose budget it is; null: that of a relation, of a column or of an entity by all';
COMMENT ON COLUMN dpsens.forecast.column_name IS 'the column whose budget it is; null for that of a relation, a role or an entity';
COMMENT ON COLUMN dpsens.forecast.entity IS 'is it a budget of what all relations whose units refer to this one tell of a person (dpsens.set_entity_budget, dpsens.grant_entity_budget)?';
COMMENT ON COLUMN dpsens.forecast.left_percent IS 'what is left, as in dpsens.budgets';
COMMENT ON COLUMN dpsens.forecast.days IS 'over which the rates are taken: 28, or the whole days, 1 at the least, since the budget was first charged';
COMMENT ON COLUMN dpsens.forecast.epsilon_a_day IS 'of pure releases; Infinity where one had no pure epsilon';
COMMENT ON COLUMN dpsens.forecast.rho_a_day IS 'counted as the budget counts rho';
COMMENT ON COLUMN dpsens.forecast.delta_a_day IS 'of selections of groups and training';
COMMENT ON COLUMN dpsens.forecast.days_left IS 'how many days at these rates what is left admits, by the way that lasts longer (left_percent); null where nothing was spent in these days';
COMMENT ON COLUMN dpsens.forecast.until IS 'at these rates what is left lasts until then; null where nothing was spent, or where a new period begins before; infinity beyond a century';
COMMENT ON COLUMN dpsens.forecast.refreshes_at IS 'when a new period begins, with the whole budget again; null where there are no periods, or none is under way: the next charge begins one';
REVOKE ALL ON dpsens.stat, dpsens.forecast FROM PUBLIC;
GRANT SELECT ON dpsens.stat, dpsens.forecast TO PUBLIC;
COMMENT ON FUNCTION dpsens_internal.states_in(cstring) IS 'refuses what no node of the cluster has sent: states cannot be typed in';
COMMENT ON FUNCTION dpsens_internal.states_out(dpsens_internal.states) IS 'cipher text for the coordinator that has asked for it, and refuses otherwise: states have no text form';
-- What nodes of a cluster of Citus send of their shards, and its sum.  Citus sends an aggregate named sum to
-- the shards as it is, and adds up what they yield by the sum of the result's type.
-- Plans that travel are of types of their own, which these sums alone take.
CREATE TYPE dpsens_internal.shard_plan;

CREATE FUNCTION dpsens_internal.shard_plan_in(cstring) RETURNS dpsens_internal.shard_plan
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_plan_in';
COMMENT ON FUNCTION dpsens_internal.shard_plan_in(cstring) IS 'refuses what no coordinator of the cluster has sent';

CREATE FUNCTION dpsens_internal.shard_plan_out(dpsens_internal.shard_plan) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_plan_out';
COMMENT ON FUNCTION dpsens_internal.shard_plan_out(dpsens_internal.shard_plan) IS 'cipher text where a coordinator sends it, else a short description';

CREATE TYPE dpsens_internal.shard_plan (
	INPUT = dpsens_internal.shard_plan_in,
	OUTPUT = dpsens_internal.shard_plan_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.shard_plan IS 'how a block of exact states is made, in a query that nodes of a cluster answer';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan) IS 'transition function of the sum of a shard_plan';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan, VARIADIC "any") IS 'transition function of the sum of a shard_plan';

-- Without a combine function, since which rows of a unit count is known where all of them are; nodes of our
-- own scan in parallel where all count.
CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan) (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan) IS 'exact_groups of a shard; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan, VARIADIC "any") IS 'exact_groups, or exact_units, of a shard; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_states_add(internal, dpsens_internal.states) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_states_add';
COMMENT ON FUNCTION dpsens_internal.exact_states_add(internal, dpsens_internal.states) IS 'transition function of the sum of states';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.states) (
	SFUNC = dpsens_internal.exact_states_add,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.states) IS 'the states of all shards; only dpsens writes it into queries';

-- What nodes attempt: of a type of its own, which nobody can type in. Only what follows from the arguments alone is sent.
CREATE TYPE dpsens_internal.shard_attempt;

CREATE FUNCTION dpsens_internal.shard_attempt_in(cstring) RETURNS dpsens_internal.shard_attempt
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_attempt_in';
COMMENT ON FUNCTION dpsens_internal.shard_attempt_in(cstring) IS 'refuses what no coordinator of the cluster has sent';

CREATE FUNCTION dpsens_internal.shard_attempt_out(dpsens_internal.shard_attempt) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_attempt_out';
COMMENT ON FUNCTION dpsens_internal.shard_attempt_out(dpsens_internal.shard_attempt) IS 'cipher text where a coordinator sends it, else a short description';

CREATE TYPE dpsens_internal.shard_attempt (
	INPUT = dpsens_internal.shard_attempt_in,
	OUTPUT = dpsens_internal.shard_attempt_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.shard_attempt IS 'what a condition or a key attempts, in a query that nodes of a cluster answer';

CREATE FUNCTION dpsens_internal.attempt(dpsens_internal.shard_attempt, anyelement, VARIADIC "any") RETURNS anyelement
	LANGUAGE c IMMUTABLE LEAKPROOF CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_attempt';
COMMENT ON FUNCTION dpsens_internal.attempt(dpsens_internal.shard_attempt, anyelement, VARIADIC "any") IS 'exact_attempt on a node of a cluster; only dpsens writes it into queries';

CREATE TYPE dpsens_internal.summand;

CREATE FUNCTION dpsens_internal.summand_in(cstring) RETURNS dpsens_internal.summand
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_summand_in';
COMMENT ON FUNCTION dpsens_internal.summand_in(cstring) IS 'refuses what no coordinator of the cluster has sent';

CREATE FUNCTION dpsens_internal.summand_out(dpsens_internal.summand) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_summand_out';
COMMENT ON FUNCTION dpsens_internal.summand_out(dpsens_internal.summand) IS 'cipher text where a coordinator sends it, else a short description';

CREATE TYPE dpsens_internal.summand (
	INPUT = dpsens_internal.summand_in,
	OUTPUT = dpsens_internal.summand_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.summand IS 'how a single exact state is made, in a query that nodes of a cluster answer';

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand) IS 'transition function of the sum of a summand';

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand, VARIADIC "any") IS 'transition function of the sum of a summand';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.summand) (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.summand) IS 'exact_state, exact_vector or exact_tally of a group in a shard; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.summand, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.summand, VARIADIC "any") IS 'exact_state, exact_vector or exact_tally of a group in a shard; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_state_add(internal, dpsens_internal.state) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_state_sum';
COMMENT ON FUNCTION dpsens_internal.exact_state_add(internal, dpsens_internal.state) IS 'transition function of the sum of single states';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.state) (
	SFUNC = dpsens_internal.exact_state_add,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.state) IS 'the states of a group in all shards; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_distributed(query dpsens_internal.plan) RETURNS SETOF record
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 1
	AS 'MODULE_PATHNAME', 'dps_exact_distributed';
COMMENT ON FUNCTION dpsens_internal.exact_distributed(dpsens_internal.plan) IS 'what a query of exact states yields that Citus plans; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_distributed(query dpsens_internal.plan, VARIADIC parameters "any") RETURNS SETOF record
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 1
	AS 'MODULE_PATHNAME', 'dps_exact_distributed';
COMMENT ON FUNCTION dpsens_internal.exact_distributed(dpsens_internal.plan, VARIADIC "any") IS 'the same of a query with parameters; only dpsens writes it into queries';
REVOKE ALL ON FUNCTION dpsens_internal.shard_attempt_in(cstring), dpsens_internal.shard_attempt_out(dpsens_internal.shard_attempt),
    dpsens_internal.attempt(dpsens_internal.shard_attempt, anyelement, VARIADIC "any"),
    dpsens_internal.shard_plan_in(cstring), dpsens_internal.shard_plan_out(dpsens_internal.shard_plan),
    dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan), dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.shard_plan),
    dpsens_internal.sum(dpsens_internal.shard_plan, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.states),
    dpsens_internal.sum(dpsens_internal.summand),
    dpsens_internal.sum(dpsens_internal.summand, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.state),
    dpsens_internal.exact_distributed(dpsens_internal.plan),
    dpsens_internal.exact_distributed(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_states_add(internal, dpsens_internal.states),
    dpsens_internal.summand_in(cstring),
    dpsens_internal.summand_out(dpsens_internal.summand),
    dpsens_internal.exact_transition(internal, dpsens_internal.summand),
    dpsens_internal.exact_transition(internal, dpsens_internal.summand, VARIADIC "any"),
    dpsens_internal.exact_state_add(internal, dpsens_internal.state) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.attempt(dpsens_internal.shard_attempt, anyelement, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.shard_plan),
    dpsens_internal.sum(dpsens_internal.shard_plan, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.states),
    dpsens_internal.sum(dpsens_internal.summand),
    dpsens_internal.sum(dpsens_internal.summand, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.state),
    dpsens_internal.exact_distributed(dpsens_internal.plan),
    dpsens_internal.exact_distributed(dpsens_internal.plan, VARIADIC "any") TO PUBLIC;
-- Charges of hot standbys.
CREATE FUNCTION dpsens.charge_for_standby(build text, system_identifier bigint, database oid, timeline integer, replayed pg_lsn, request bytea,
	OUT sqlstate text, OUT message text, OUT detail text, OUT hint text, OUT last_release bigint)
AS 'MODULE_PATHNAME', 'dps_charge_for_standby'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) IS
'Charges a statement that a hot standby of this server is about to answer; called by standbys, for nobody else. Nobody but superusers may execute it until it is granted to the role that the standby''s dpsens.primary_conninfo names. That role can charge any statement to any role and count failures of any, and learns what the ledger answers; it reads no row and needs no other privilege. Returns SQLSTATE 00000 once the charge is durable, as one of a session of this server, and else a refusal in the form of an error.
Refused before the ledger is asked: this server is in recovery itself; the standby is not of this cluster, database and timeline, or its library is of another version; a catalog of this database has changed since the standby planned the statement; the request cannot be read.
Errors: the ledger is not running, or does not answer within dpsens.ledger_timeout.';
REVOKE ALL ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) FROM PUBLIC;
-- Sums and counts of grouping sets that add up.
-- VOLATILE, so that the planner keeps the answers of a column that is not read: they are drawn and charged all the same.
CREATE FUNCTION dpsens_internal.finish_fit(sets dpsens_internal.plan, set_number int4, group_number int4, answer dpsens_internal.answer) RETURNS dpsens_internal.answer
	LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_fit';
COMMENT ON FUNCTION dpsens_internal.finish_fit(dpsens_internal.plan, int4, int4, dpsens_internal.answer) IS 'an answer of a grouping set, made to add up with those of the other sets (least squares, Hay et al. 2010); only dpsens writes it into queries';
REVOKE ALL ON FUNCTION dpsens_internal.finish_fit(dpsens_internal.plan, int4, int4, dpsens_internal.answer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.finish_fit(dpsens_internal.plan, int4, int4, dpsens_internal.answer) TO PUBLIC;
-- The most frequent values.
CREATE FUNCTION dpsens_internal.release_keys(plan dpsens_internal.plan, state dpsens_internal.state, keys anyarray) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_keys';
COMMENT ON FUNCTION dpsens_internal.release_keys(dpsens_internal.plan, dpsens_internal.state, anyarray) IS 'draws several of the keys by their counts; only dpsens writes it into queries';
REVOKE ALL ON FUNCTION dpsens_internal.release_keys(dpsens_internal.plan, dpsens_internal.state, anyarray) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.release_keys(dpsens_internal.plan, dpsens_internal.state, anyarray) TO PUBLIC;
CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, int) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, int) IS 'refuses: a dp aggregate was planned without dpsens';
CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, int, float8) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, int, float8) IS 'refuses: a dp aggregate was planned without dpsens';
REVOKE ALL ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, int), dpsens_internal.stub_modes(anyarray, anyelement, int, float8) FROM PUBLIC;
CREATE AGGREGATE @extschema@.dp_top(anyelement, k int) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_top(anyelement, int) IS
'differentially private most frequent values, at the epsilon of setting dpsens.epsilon: an array of k of the declared values of a column (dpsens.set_values; enums and booleans have theirs), the most frequent first, k at most their number and at most 128. Drawn one after the other by the exponential mechanism, each at a k-th of epsilon, which has the law of Gumbel noise for all counts at once (Durfee and Rogers 2019); one value is drawn as dp_mode draws it. Rows with other values do not count. Under metric adjacency refused.';
CREATE AGGREGATE @extschema@.dp_top(anyelement, k int, epsilon float8) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_top(anyelement, int, float8) IS
'differentially private most frequent values, at the given epsilon; see dp_top(anyelement, int)';
