-- What was granted and spent, as curators, analysts and auditors may see it.

CREATE FUNCTION dpsens_internal.loss_of_amount(amount bigint, bits integer) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_loss_of_amount'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.loss_of_amount(bigint, integer) IS
'A loss of the ledger, in units of 2^-bits, as a number of at most nine digits that is not less; Infinity where there is no bound.';

CREATE FUNCTION dpsens_internal.left_of_amount(cap bigint, spent bigint, bits integer) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_left_of_amount'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.left_of_amount(bigint, bigint, integer) IS
'What is left of a cap of the ledger, both in units of 2^-bits, as a number of at most nine digits that is not more; never negative.';

CREATE FUNCTION dpsens_internal.period_end(period_start timestamptz, length interval) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'dps_sql_period_end'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.period_end(timestamptz, interval) IS
'When a period of this length ends that began then; infinity where that is beyond what timestamps hold.';

CREATE FUNCTION dpsens_internal.charge_of_release(mechanism text, sensitivities bigint[], scales bigint[], joined bigint[],
	steps bigint DEFAULT NULL, rate float8 DEFAULT NULL, delta bigint DEFAULT NULL, grid integer DEFAULT NULL,
	OUT charge_epsilon bigint, OUT charge_rho bigint, OUT charge_delta bigint)
AS 'MODULE_PATHNAME', 'dps_charge_of_release_on_grid'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint, integer) IS
'What a release costs in units of the ledger (epsilon and rho 2^-40, delta 2^-62), recomputed from its public quantities: the mechanism, and for each released integer its sensitivity and its scale in grid units and how many integers share it. For mechanism subsampled also steps, rate (of the samples) and delta, in units of the ledger: the cost is a rho that holds up to delta. For mechanism geometric also grid, the unit of its integers being 2^grid; without it the rho is that of any mechanism of its epsilon. NULL if one of the first four is.
Errors: an unknown mechanism; arrays of different lengths; sampled steps without steps, rate and delta.
Source: discrete Laplace and Gaussian, Canonne, Kamath and Steinke 2020; samples, Mironov, Talwar and Zhang 2019.';

CREATE FUNCTION dpsens_internal.former_rho(mechanism text, sensitivities bigint[], scales bigint[]) RETURNS bigint
AS 'MODULE_PATHNAME', 'dps_former_rho'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.former_rho(text, bigint[], bigint[]) IS
'The rho, in units of 2^-40, that a release of discrete Laplace noise was charged by dpsens 0.1.0: that of any mechanism of its epsilon. NULL of other mechanisms, whose rho is what it was.
Errors: arrays of different lengths.';

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

CREATE FUNCTION dpsens_internal.order_of_budget(epsilon float8, delta float8, cap_rho bigint) RETURNS float8
AS 'MODULE_PATHNAME', 'dps_order_of_budget'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.order_of_budget(float8, float8, bigint) IS
'The Renyi order at which a budget of (epsilon, delta) is converted, for one that was set by dpsens 0.1.0 with this cap of rho; NULL, for all orders, if it is converted at none, or the cap is larger than what that order allows.';

CREATE FUNCTION dpsens_internal.charge_of_column(column_name name, mechanism text, adjacency text, replacement smallint,
	column_names name[], column_moves bigint[], scales bigint[], joined bigint[], charge bigint[], grid integer,
	renyi_order float8, rho_at_order bigint) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_charge_of_column'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[], integer, float8, bigint) IS
'What a release costs if this column of one row changes: epsilon, rho and delta in units of the ledger, recomputed from its public quantities (as in dpsens.release), or, where it says nothing of the column, from its charge. With a renyi_order rho is that which a budget counts at this order, for which rho_at_order is that of the whole release. NULL if one of those is that is never NULL there.
Errors: arrays of different lengths; a charge that does not have three elements.';

CREATE FUNCTION dpsens_internal.has_paid(payer_entities oid[], payer_roles oid[], entity oid, role oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_has_paid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.has_paid(oid[], oid[], oid, oid) IS
'Has the budget of the role on the entity paid for a release that says this of its payers?
Errors: arrays with nulls or several dimensions.';

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

CREATE FUNCTION dpsens_internal.answers_left(caps bigint[], spent bigint[], cost bigint[]) RETURNS bigint
AS 'MODULE_PATHNAME', 'dps_answers_left'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.answers_left(bigint[], bigint[], bigint[]) IS
'How many answers of this cost a budget admits one after the other; each array holds epsilon, rho and delta in units of the ledger. The largest bigint where there is no end.
Errors: arrays that do not have three elements.';

CREATE FUNCTION dpsens_internal.answer_cost(relation oid, entity boolean, renyi_order float8) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_answer_cost_about'
-- which would compile for seconds what runs in milliseconds
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL UNSAFE SET jit = off;
COMMENT ON FUNCTION dpsens_internal.answer_cost(oid, boolean, float8) IS
'What one sum or count about the relation, or about persons of it as an entity, costs at the present dpsens.epsilon, dpsens.mechanism and dpsens.delta of a budget that counts rho at this Renyi order, of all orders for NULL: of each of epsilon, rho and delta, in units of the ledger, what the dearer of the two costs. While dpsens.epsilon is unset at the default_epsilon of the policies that the current role is shown (dpsens.policies); NULL if there is none.';

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

-- Budgets and purses by the relation that they mean now.
CREATE VIEW dpsens_internal.budget_state AS
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
COMMENT ON VIEW dpsens_internal.budget_state IS 'budgets with what was spent of them, in units of the ledger; for the views built on it';

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

CREATE VIEW dpsens.budgets WITH (security_barrier) AS
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
COMMENT ON COLUMN dpsens.budgets.column_name IS 'the column whose cap it is; null for that of a relation, a role or an entity';
COMMENT ON COLUMN dpsens.budgets.left_percent IS 'what is left of all that this budget counts, in percent, rounded down to hundredths. Of a pure budget that is epsilon, of one of a rho that rho. One of (epsilon, delta) admits releases in two ways: within epsilon, as long as no delta was spent, or within the rho at the Renyi order of its conversion and half of delta; left is the larger of what is left in each, in the second the less of rho and delta. So where delta is all spent it is 0, although releases that cost none may still fit left_rho';
COMMENT ON COLUMN dpsens.budgets.counts IS 'the rule by which left_rho is counted, in place of rho at a Renyi order (largest_answer and gaussian of dpsens.set_budget); null: none';
COMMENT ON COLUMN dpsens.budgets.entity IS 'is it a cap of what all relations whose units refer to this one tell of a person, of all (dpsens.set_entity_budget) or of the role (dpsens.grant_entity_budget)?';
COMMENT ON COLUMN dpsens.budgets.own_tables IS 'may the role use tables beside the relation that are not in dpsens.public_relations?';
COMMENT ON COLUMN dpsens.budgets.spent_epsilon IS 'sum of pure epsilons; Infinity once a release had none';
COMMENT ON COLUMN dpsens.budgets.spent_rho IS 'sum of rho, of a budget of (epsilon, delta) at the Renyi order of its conversion: at most the sum of charge_rho of its releases, which holds at all orders';
COMMENT ON COLUMN dpsens.budgets.left_epsilon IS 'what pure releases may still cost; a release is admitted within this or within left_rho';
COMMENT ON COLUMN dpsens.budgets.left_rho IS 'what releases may still cost in zCDP, counted as spent_rho is; 0 where delta is 0';

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

-- The purses that a statement of the reader's would be charged to.
CREATE VIEW dpsens_internal.my_purses WITH (security_barrier) AS
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

CREATE VIEW dpsens.my_budget WITH (security_barrier) AS
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

CREATE VIEW dpsens.releases WITH (security_barrier) AS
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
COMMENT ON VIEW dpsens.releases IS
'every release on relations that the reader owns or audits, and the reader''s own: who, when, what, and the public quantities that its cost follows from';
COMMENT ON COLUMN dpsens.releases.statement IS 'releases of one statement were charged together';
COMMENT ON COLUMN dpsens.releases.grid IS 'the unit of sensitivities and scales; that of a count beside a sum is 2^-40, coarser where a person may have many rows';
COMMENT ON COLUMN dpsens.releases.steps IS 'of mechanism subsampled: how many steps of training, each with noise of this scale';
COMMENT ON COLUMN dpsens.releases.rate IS 'of mechanism subsampled: the probability with which a row took part in a step';
COMMENT ON COLUMN dpsens.releases.column_moves IS 'for each of the columns that have a budget of their own, how far a change of it in one row moves what is released, in the units of sensitivities; a column that is not named was charged as a replaced row';
COMMENT ON COLUMN dpsens.releases.arms IS 'of UNION ALL, in each of which a person can have a row; 1 without it; null in releases of 0.1.0';
COMMENT ON COLUMN dpsens.releases.entities IS 'relations whose budget of an entity was charged for it, once for all relations that the release was charged to';
COMMENT ON COLUMN dpsens.releases.group_size IS 'the units to whom together this is the cost, such as the persons of a household; null: to one by itself';
COMMENT ON COLUMN dpsens.releases.mechanism IS 'by which it was drawn; geometric is discrete Laplace noise on whole numbers';
COMMENT ON COLUMN dpsens.releases.scale IS 'of the (first) noise, in the unit of the value: t of discrete Laplace, the standard deviation parameter of discrete Gaussian, the least one of a vector whose noise is aimed at attributes, that of the entry which a row moves the furthest of K-norm noise (k_norm); null of a draw of the exponential mechanism or of permute-and-flip (permute_flip) and of a selection of groups (partition), which add nothing to an answer';

CREATE VIEW dpsens_internal.ledger_check WITH (security_barrier) AS
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
COMMENT ON VIEW dpsens_internal.ledger_check IS 'what dpsens.verify_ledger() returns';

CREATE FUNCTION dpsens.verify_ledger()
RETURNS TABLE (relation text, role name, releases bigint, recorded_epsilon float8, recomputed_epsilon float8,
	recorded_rho float8, recomputed_rho float8, valid boolean)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT * FROM dpsens_internal.ledger_check c ORDER BY c.relation, c.role NULLS FIRST;
END;
COMMENT ON FUNCTION dpsens.verify_ledger() IS
'Recomputes every charge on the relations that the caller owns or audits (a superuser: on all) from the public quantities recorded with it, and the sum of each purse in its present period. valid: both agree with what is recorded, to the unit, and what a budget of (epsilon, delta) has counted of rho at its Renyi order is at least what its releases cost there. Releases of discrete Laplace noise by dpsens 0.1.0 may have been charged the rho that it charged them.
role is null for the purse of a relation, of a column, which is named behind its relation, and of an entity by all; behind entities stands (entity).';

CREATE FUNCTION dpsens_internal.statement_cost(query text, OUT relation oid, OUT cost bigint[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_statement_cost'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens_internal.statement_cost(text) IS
'What a query would be charged at the present settings, for each relation: epsilon, rho and delta in units of the ledger. Nothing is read or spent.
Errors: as for dpsens.explain.';

CREATE FUNCTION dpsens_internal.statement_charges(query text, renyi_orders float8[], OUT relation oid, OUT column_name name, OUT cost bigint[],
	OUT renyi_order float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_statement_charges'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE SET jit = off;
COMMENT ON FUNCTION dpsens_internal.statement_charges(text, float8[]) IS
'The same as statement_cost, whose rows have an empty column_name, of budgets that count rho at all Renyi orders (NULL) and at each of these; for each column with a budget of its own what the query would cost that, unless it is nothing; and for each entity with a budget, with (entity) in place of a column, what it would cost a person. What a policy would refuse costs each of them more than any budget has.
Errors: as for dpsens.explain.';

CREATE FUNCTION dpsens.answers_left(query text) RETURNS bigint
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

CREATE FUNCTION dpsens.privacy_spent(relation regclass, delta float8 DEFAULT NULL,
	OUT accountant text, OUT epsilon float8, OUT note text, OUT at_delta float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_privacy_spent'
LANGUAGE C STABLE PARALLEL UNSAFE;
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
