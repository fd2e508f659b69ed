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
