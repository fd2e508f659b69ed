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
ALTER TABLE dpsens.budget DROP CONSTRAINT budget_pkey,
	ADD PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name, column_name);
ALTER TABLE dpsens.purse ADD column_name name NOT NULL DEFAULT '';
ALTER TABLE dpsens.purse DROP CONSTRAINT purse_pkey,
	ADD PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name, column_name);
ALTER TABLE dpsens.release ADD replacement smallint, ADD column_names name[], ADD column_moves bigint[];
COMMENT ON TABLE dpsens.budget IS 'what may be spent: by a role on a relation, or (role 0) by everybody together, of the relation or of one of its columns';
COMMENT ON COLUMN dpsens.budget.column_name IS 'with role 0: the column whose budget it is; empty for that of the relation';
COMMENT ON TABLE dpsens.purse IS 'what was spent: by a role on a relation in its current period, or (role 0) on a relation, or of one of its columns, by everybody, ever';
COMMENT ON COLUMN dpsens.purse.column_name IS 'with role 0: the column whose purse it is; empty for that of the relation';
COMMENT ON COLUMN dpsens.release.replacement IS 'what a change of a column costs of which nothing is known: that of so many neighbours, 0 for no bound; null in releases of 0.1.0';
COMMENT ON COLUMN dpsens.release.column_names IS 'columns with a purse of their own of which more is known; null if there are none';
COMMENT ON COLUMN dpsens.release.column_moves IS 'for each of them, how far a change of it in one row moves what is released: sensitivities for the scales, all of a column one after the other';

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
Effect and errors as for grant_budget; no such column; a column that is public, generated, the unit, or in a unique index; a partitioned relation, or one with parents or children; adjacency metric; both epsilon and rho; a delta for a cap that is removed.
Source: attribute sensitivities, Mueller et al. 2021 and 2022; groups of two, Bun and Steinke 2016.';
REVOKE ALL ON FUNCTION dpsens.set_column_budget(regclass, name, float8, float8, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens.set_column_budget(regclass, name, float8, float8, float8) TO PUBLIC;
COMMENT ON FUNCTION dpsens.revoke_budget(regclass) IS
'Removes the cap of a relation; the budgets of roles and of columns stay.
Errors: the caller does not own the relation; it has no cap.';

CREATE FUNCTION dpsens_internal.charge_of_column(column_name name, mechanism text, adjacency text, replacement smallint,
	column_names name[], column_moves bigint[], scales bigint[], joined bigint[], charge bigint[]) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_charge_of_column'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[]) IS
'What a release costs if this column of one row changes: epsilon, rho and delta in units of the ledger, recomputed from its public quantities (as in dpsens.release), or, where it says nothing of the column, from its charge. NULL if one of those is that is never NULL there.
Errors: arrays of different lengths; a charge that does not have three elements.';
REVOKE ALL ON FUNCTION dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[]) TO PUBLIC;

CREATE OR REPLACE VIEW dpsens_internal.budget_state AS
SELECT live.oid AS relation, b.role, b.role_name, b.epsilon, b.delta, b.rho, b.refresh,
	b.cap_epsilon, b.cap_rho, b.cap_delta, b.granted_by, b.granted_at, b.own_tables,
	p.charges, p.period_start,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_epsilon END AS spent_epsilon,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_rho END AS spent_rho,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_delta END AS spent_delta,
	b.column_name
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
		LEAST(COALESCE(pg_catalog.sum(q.spent_rho), 0), 9223372036854775807)::bigint AS spent_rho,
		LEAST(COALESCE(pg_catalog.sum(q.spent_delta), 0), 9223372036854775807)::bigint AS spent_delta
	FROM dpsens.purse q
	WHERE q.role = b.role AND q.column_name = b.column_name AND (q.relation = live.oid OR q.relation = b.relation
		OR q.relation_name = live.relname AND q.relation_schema = live.nspname
			AND (q.relation_owner = live.rolname OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles gone WHERE gone.rolname = q.relation_owner))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_class old WHERE old.oid = q.relation))
) counted
-- a column without a purse begins with what is recorded
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
			r.column_moves, r.scales, r.joined, ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta]) AS cost
	) c
	WHERE r.relation = live.oid AND b.column_name <> '' AND counted.period_start IS NULL
	HAVING b.column_name <> '' AND counted.period_start IS NULL
) p
CROSS JOIN LATERAL (
	SELECT COALESCE(pg_catalog.now() >= p.period_start + b.refresh, false) AS yes
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
	NULLIF(s.column_name, '') AS column_name
FROM dpsens_internal.budget_state s
JOIN pg_catalog.pg_class c ON c.oid = s.relation
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE');
COMMENT ON VIEW dpsens.budgets IS 'the budgets on the relations that the reader owns, and what was spent of them; role is null for the cap of a relation or of a column';
COMMENT ON COLUMN dpsens.budgets.column_name IS 'the column whose cap it is; null for that of a relation or a role';

CREATE OR REPLACE VIEW dpsens_internal.my_purses WITH (security_barrier) AS
SELECT s.relation, s.role, s.role_name, s.epsilon, s.delta, s.rho, s.refresh,
	ARRAY[s.cap_epsilon, s.cap_rho, s.cap_delta] AS caps,
	ARRAY[s.spent_epsilon, s.spent_rho, s.spent_delta] AS spent
FROM dpsens_internal.budget_state s
JOIN pg_catalog.pg_class c ON c.oid = s.relation
JOIN pg_catalog.pg_roles me ON me.rolname = CURRENT_USER
WHERE s.role = me.oid
	OR s.role = 0 AND s.column_name = '' AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
		OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
		OR EXISTS (SELECT FROM dpsens_internal.budget_state other WHERE other.relation = s.relation
			AND other.role <> 0 AND pg_catalog.pg_has_role(other.role, 'MEMBER')))
	OR s.role <> 0 AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE') AND pg_catalog.pg_has_role(s.role, 'MEMBER')
		AND s.role = (
			SELECT g.role FROM dpsens_internal.budget_state g
			WHERE g.relation = s.relation AND g.role <> 0 AND pg_catalog.pg_has_role(g.role, 'MEMBER')
			ORDER BY g.role = me.oid DESC,
				dpsens_internal.answers_left(ARRAY[g.cap_epsilon, g.cap_rho, g.cap_delta],
					ARRAY[g.spent_epsilon, g.spent_rho, g.spent_delta], dpsens_internal.answer_cost()) > 0 DESC NULLS LAST, g.role_name
			LIMIT 1);

CREATE OR REPLACE VIEW dpsens.releases WITH (security_barrier) AS
SELECT r.release, r.statement, r.released_at, r.role_name AS role,
	COALESCE(live.name, pg_catalog.format('%I.%I', r.relation_schema, r.relation_name)) AS relation,
	r.purse_role_name AS budget_of, r.query, r.expression, r.adjacency, r.mechanism, r.epsilon, r.delta, r.sensitivity,
	pg_catalog.power(2::float8, r.grid) AS grid, r.sensitivities, r.scales, r.joined,
	CASE WHEN r.mechanism NOT IN ('exponential', 'permute_flip', 'partition') THEN r.scales[1]::float8 * pg_catalog.power(2::float8, r.grid) END AS scale,
	dpsens_internal.loss_of_amount(r.charge_epsilon, 40) AS charge_epsilon,
	dpsens_internal.loss_of_amount(r.charge_rho, 40) AS charge_rho,
	dpsens_internal.loss_of_amount(r.charge_delta, 62) AS charge_delta,
	r.steps, r.rate, r.column_names, r.column_moves
FROM dpsens.release r
LEFT JOIN LATERAL (
	SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, c.relowner
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.oid = r.relation
) live ON true
WHERE r.role = (SELECT me.oid FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER) OR pg_catalog.pg_has_role(live.relowner, 'USAGE')
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
COMMENT ON COLUMN dpsens.releases.column_moves IS 'for each of the columns that have a budget of their own, how far a change of it in one row moves what is released, in the units of sensitivities; a column that is not named was charged as a replaced row';

CREATE OR REPLACE VIEW dpsens_internal.ledger_check WITH (security_barrier) AS
SELECT pg_catalog.format('%I.%I', p.relation_schema, p.relation_name) || CASE WHEN p.column_name = '' THEN ''
		ELSE pg_catalog.format('.%I', p.column_name) END AS relation,
	CASE WHEN p.role <> 0 THEN p.role_name END AS role, f.releases,
	dpsens_internal.loss_of_amount(p.spent_epsilon, 40) AS recorded_epsilon,
	dpsens_internal.loss_of_amount(f.epsilon, 40) AS recomputed_epsilon,
	dpsens_internal.loss_of_amount(p.spent_rho, 40) AS recorded_rho,
	dpsens_internal.loss_of_amount(f.rho, 40) AS recomputed_rho,
	f.same AND (p.spent_epsilon, p.spent_rho, p.spent_delta) = (f.epsilon, f.rho, f.delta) AS valid
FROM dpsens.purse p
LEFT JOIN pg_catalog.pg_class t ON t.oid = p.relation
CROSS JOIN LATERAL (
	SELECT pg_catalog.count(*) AS releases,
		COALESCE(pg_catalog.bool_and((c.charge_epsilon, c.charge_rho, c.charge_delta)
			= (r.charge_epsilon, r.charge_rho, r.charge_delta)), true) AS same,
		LEAST(COALESCE(pg_catalog.sum(c.charge_epsilon), 0), 9223372036854775807)::bigint AS epsilon,
		LEAST(COALESCE(pg_catalog.sum(c.charge_rho), 0), 9223372036854775807)::bigint AS rho,
		LEAST(COALESCE(pg_catalog.sum(c.charge_delta), 0), 9223372036854775807)::bigint AS delta
	FROM dpsens.release r
	CROSS JOIN LATERAL dpsens_internal.charge_of_release(r.mechanism, r.sensitivities, r.scales, r.joined, r.steps, r.rate, r.charge_delta) c
	WHERE r.relation = p.relation AND p.column_name = '' AND (p.role = 0 OR r.purse_role = p.role AND r.released_at >= p.period_start)
	HAVING p.column_name = ''
	UNION ALL
	SELECT pg_catalog.count(*), true, LEAST(COALESCE(pg_catalog.sum(c.cost[1]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[2]), 0), 9223372036854775807)::bigint,
		LEAST(COALESCE(pg_catalog.sum(c.cost[3]), 0), 9223372036854775807)::bigint
	FROM dpsens.release r
	CROSS JOIN LATERAL (
		SELECT dpsens_internal.charge_of_column(p.column_name, r.mechanism, r.adjacency, r.replacement, r.column_names,
			r.column_moves, r.scales, r.joined, ARRAY[r.charge_epsilon, r.charge_rho, r.charge_delta]) AS cost
	) c
	WHERE r.relation = p.relation AND p.column_name <> ''
	HAVING p.column_name <> ''
) f
WHERE pg_catalog.pg_has_role(t.relowner, 'USAGE')
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
COMMENT ON FUNCTION dpsens.verify_ledger() IS
'Recomputes every charge on the relations that the caller owns (a superuser: on all) from the public quantities recorded with it, and the sum of each purse in its present period. valid: both agree with what is recorded, to the unit.
role is null for the purse of a relation, and of a column, which is named behind its relation.';
COMMENT ON FUNCTION dpsens.answers_left(text) IS
'How many times the caller may still run this query, by the budgets that apply: those of dpsens.my_budget and the caps of the relations, not those of columns. NULL where no budget applies.
Errors: as for dpsens.explain.';

COMMENT ON FUNCTION dpsens.sensitivity(text, jsonb) IS
'Certified brackets of what privacy asks of an expression, one row a quantity: infimum, supremum, add_remove (largest magnitude), replace (length of the range), metric (K, the supremum of the weighted 2-norm of the gradient, or where integers and truth values have to move by whole steps, of their steps and that of the others together), metric_l1, metric_linf, then attribute:<column> (the furthest that one column moves the value) and slope:<column> for each private column.
ranges: {"a": [lo, hi]} or {"a": {"range": [lo, hi], "type": "integer", "weight": 2, "public": true, "nullable": true}}; the type is double precision by default, a boolean has no range.
lower, upper: the quantity lies between; of suprema the lower end is attained at the witness, of the infimum the upper one.
note: why there is no finite bound (then upper is Infinity), or the value that an attribute moves from. Where some rows have no value, the infimum or supremum is that of the others, if they have one, and the note says so.
A vector, ARRAY[e1, e2, ...] of 1 to 16 numbers, has joint sensitivities instead, in the 1-, 2- and maximum norm: add_remove_l1, _l2, _linf, the norm of the vector; replace_l1, _l2, _linf, the furthest that two rows'' vectors are apart; metric_l1, _l2, _linf, the norm of the Jacobian as an operator from the weighted Euclidean distance of rows to the norm of vectors; attribute_l1:<column> and so on. note then names the other row. A row adds its vector where all entries have a value, else nothing.
Errors: an expression that cannot be parsed or is not supported; a name without a range; a malformed range, type, weight or option; an array that is empty, nested or longer than 16.';

COMMENT ON FUNCTION dpsens.set_budget(regclass, float8, float8, float8, float8, float8) IS
'Caps what everybody together, the owner included, may spend on a protected relation, ever, and what each of its units may lose.
epsilon, delta, rho: as for grant_budget. row_epsilon, row_rho: switches row accounting on. What is not named (NULL) stays as it was, but epsilon and rho take each other''s place, as row_epsilon and row_rho do; a NOTICE says what stays and what is given up. ''Infinity'' for epsilon or rho removes the cap of the relation and its delta, for row_epsilon or row_rho it switches row accounting off. With row accounting a unit whose own loss by all releases so far, this one included, would pass the cap (pure epsilon, or rho of zero-concentrated DP) is silently left out of a release, and stays out.
While it is on, triggers on the relation freeze what a unit has lost when its row is updated or deleted, and TRUNCATE is refused; under adjacency replace and attribute every answer takes it into account that a row may be left out. Answers are biased by the rows that are left out; nothing says how many. Under replace and attribute a cap that is raised promises the sum of the old and the new one.
Effect and errors as for grant_budget; a delta for a cap that is removed; and for rows: both row_epsilon and row_rho; adjacency metric; no primary key or unique unit, or one of a type whose equal values can be written differently; a partitioned relation, or one with parents or children.
Source: Feldman and Zrnic 2021, individual privacy filters.';

-- A function of the reader's does not see what the view leaves out.
ALTER VIEW dpsens.models SET (security_barrier);

-- The gradient of an example itself, and what attacks on it go by.

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
