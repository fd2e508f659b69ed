-- Who may use what.  Functions are nobody's until they are granted here, so
-- that a new one is not PUBLIC's by accident.

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpsens, dpsens_internal FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA dpsens, dpsens_internal FROM PUBLIC;
-- Of the internal schema, too: functions that run as the caller look there by name.
GRANT USAGE ON SCHEMA dpsens, dpsens_internal TO PUBLIC;

-- Everybody may know which version there is.
GRANT EXECUTE ON FUNCTION dpsens.version() TO PUBLIC;

-- Setters check that the caller owns the table.
GRANT EXECUTE ON FUNCTION
    dpsens.protect(regclass, text, text, int, int, int, int),
    dpsens.unprotect(regclass),
    dpsens.set_range(regclass, name, float8, float8, float8),
    dpsens.set_range(regclass, name, text, text, float8),
    dpsens.set_range_when(regclass, name, float8, float8, text, float8),
    dpsens.set_range_when(regclass, name, text, text, text, float8),
    dpsens.set_range_from_checks(regclass),
    dpsens.set_values(regclass, name, text[]),
    dpsens.set_weight(regclass, name, float8),
    dpsens.set_public(regclass, name),
    dpsens.set_public(regclass),
    dpsens.clear(regclass, name)
TO PUBLIC;

-- So do budget functions; the ledger itself is written by its worker.
GRANT EXECUTE ON FUNCTION
    dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean, float8, boolean, boolean),
    dpsens.set_budget(regclass, float8, float8, float8, float8, float8, float8, boolean, boolean),
    dpsens.set_column_budget(regclass, name, float8, float8, float8),
    dpsens.set_entity_budget(regclass, float8, float8, float8),
    dpsens.grant_entity_budget(regclass, regrole, float8, float8, interval, float8, boolean),
    dpsens.revoke_entity_budget(regclass, regrole),
    dpsens.set_policy(regclass, regrole, float8, float8, float8, float8, text[], boolean, float8, integer, boolean),
    dpsens.set_entity_policy(regclass, float8, float8, float8, float8, text[], regrole, float8, integer, boolean),
    dpsens.revoke_budget(regclass, regrole),
    dpsens.revoke_budget(regclass),
    dpsens.grant_audit(regclass, regrole, boolean),
    dpsens.revoke_audit(regclass, regrole),
    dpsens.acknowledge_restore()
TO PUBLIC;

-- Views show relations that the reader owns, or the reader's own.
GRANT EXECUTE ON FUNCTION
    dpsens_internal.loss_of_amount(bigint, integer),
    dpsens_internal.left_of_amount(bigint, bigint, integer),
    dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint, integer),
    dpsens_internal.former_rho(text, bigint[], bigint[]),
    dpsens_internal.spent_at_order(float8, bigint, bigint, float8, bigint),
    dpsens_internal.rho_at_order(float8, text, bigint[], bigint[], bigint[], bigint, float8, integer, bigint),
    dpsens_internal.charge_of_column(name, text, text, smallint, name[], bigint[], bigint[], bigint[], bigint[], integer, float8, bigint),
    dpsens_internal.charge_of_person(bigint[], integer),
    dpsens_internal.has_paid(oid[], oid[], oid, oid),
    dpsens_internal.entities_of(oid),
    dpsens_internal.sees_entity(oid),
    dpsens_internal.is_served(oid),
    dpsens_internal.entity_opens(oid, oid, oid),
    dpsens_internal.entity_history(oid, oid, interval),
    dpsens_internal.period_end(timestamptz, interval),
    dpsens_internal.why_not_of_entity(oid, oid),
    dpsens_internal.answers_left(bigint[], bigint[], bigint[]),
    dpsens.answers_left(text),
    dpsens_internal.answer_cost(oid, boolean, float8),
    dpsens_internal.left_percent(bigint[], bigint[]),
    dpsens_internal.times_left(bigint[], bigint[], bigint[]),
    dpsens_internal.answer_refused(oid),
    dpsens_internal.statement_cost(text),
    dpsens_internal.statement_charges(text, float8[]),
    dpsens.verify_ledger(),
    dpsens_internal.bytes_of(text),
    dpsens_internal.seal_hash(bytea, bigint, timestamptz, smallint, bigint[], bigint[], bigint[], bytea),
    dpsens.seal_ledger(),
    dpsens.ledger_head(),
    dpsens.verify_seals(bigint, text),
    dpsens.privacy_spent(regclass, float8),
    dpsens.odometer(regclass, float8)
TO PUBLIC;
GRANT SELECT ON dpsens.budgets, dpsens_internal.audited, dpsens.auditors, dpsens.entities, dpsens.policies, dpsens.row_budgets, dpsens_internal.my_purses, dpsens.my_budget, dpsens.releases, dpsens.changes, dpsens.refusals, dpsens.stat, dpsens.forecast, dpsens_internal.seal_heads, dpsens_internal.seal_check, dpsens_internal.ledger_check TO PUBLIC;

-- Annotations are public by definition.
GRANT EXECUTE ON FUNCTION dpsens_internal.describe_column(regclass, int2), dpsens_internal.describe_relation(regclass), dpsens_internal.key_ranges(regclass, int2) TO PUBLIC;
GRANT SELECT ON dpsens_internal.readers, dpsens.columns, dpsens.key_ranges, dpsens.public_relations, dpsens.relations TO PUBLIC;

-- Analysis without data, and of registered expressions, whose certificates are
-- public by definition.
GRANT EXECUTE ON FUNCTION
    dpsens.sensitivity(text, jsonb),
    dpsens.jacobian_sensitivity(text, jsonb, float8),
    dpsens.jacobian_sensitivity_of(text, regclass, float8),
    dpsens.gradient(text, jsonb),
    dpsens.evaluate(text, jsonb),
    dpsens.operations(),
    dpsens.discrete_sensitivity(text[], text[], int4[], float8, boolean, int4range),
    dpsens.certificate(text, jsonb, text[], int4),
    dpsens.certificate_of(regprocedure, text[], int4),
    dpsens.verify_certificate(jsonb),
    dpsens.suggest_setup(regnamespace, regclass, text),
    dpsens.suggest_limits(regclass, float8, float8),
    dpsens.suggest_range(regclass, name, float8, float8),
    dpsens.advise(text, jsonb),
    dpsens.advise(regprocedure),
    dpsens.register(name, regclass, text),
    dpsens.unregister(name, regclass),
    dpsens_internal.describe_expression(regprocedure),
    dpsens.explain(text, float8),
    dpsens_internal.citus_relations(),
    dpsens.check_security(pg_catalog.regrole),
    dpsens.check_security()
TO PUBLIC;
GRANT SELECT ON dpsens.expressions TO PUBLIC;

-- What a rewritten query calls, it calls as the caller.  Written by hand these
-- are refused: the guard does not let them stand beside a dp aggregate, and
-- elsewhere there is no receipt to release under.
GRANT EXECUTE ON FUNCTION
    dpsens_internal.exact_state(dpsens_internal.plan),
    dpsens_internal.exact_state(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_vector(dpsens_internal.plan),
    dpsens_internal.exact_vector(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.release_answer(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.finish_count(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer),
    dpsens_internal.finish_value(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer),
    dpsens_internal.finish_array(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer),
    dpsens_internal.finish_interval(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8),
    dpsens_internal.finish_intervals(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8),
    dpsens_internal.finish_truth(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8),
    dpsens_internal.finish_mode(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8, anyarray),
    dpsens_internal.finish_fit(dpsens_internal.plan, int4, int4, dpsens_internal.answer),
    dpsens_internal.release_room(dpsens_internal.plan),
    dpsens_internal.exact_brought(int4),
    dpsens_internal.release_count(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_value(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.exact_cell(dpsens_internal.plan, "any"),
    dpsens_internal.exact_number(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.unit_order(VARIADIC "any"),
    dpsens_internal.exact_rows(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_includes(dpsens_internal.plan, record),
    dpsens_internal.exact_attempt(dpsens_internal.plan, anyelement, VARIADIC "any"),
    dpsens_internal.exact_parameter("any"),
    dpsens_internal.exact_epsilon(int4, float8),
    dpsens_internal.exact_pattern(text, int4)
TO PUBLIC;

GRANT EXECUTE ON FUNCTION
    dpsens_internal.exact_groups(dpsens_internal.plan),
    dpsens_internal.exact_groups(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_parts(dpsens_internal.plan, VARIADIC "any"), dpsens_internal.exact_units(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_group(dpsens_internal.states, int4, int4),
    dpsens_internal.exact_key(anyarray, int4, int4), dpsens_internal.exact_key(anyelement, int4, int4, int4),
    dpsens_internal.exact_listed_key(dpsens_internal.plan, anyelement, int4, int4),
    dpsens_internal.attempt(dpsens_internal.shard_attempt, anyelement, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.shard_plan), dpsens_internal.sum(dpsens_internal.shard_plan, VARIADIC "any"),
    dpsens_internal.sum(dpsens_internal.states), dpsens_internal.sum(dpsens_internal.summand),
    dpsens_internal.sum(dpsens_internal.summand, VARIADIC "any"), dpsens_internal.sum(dpsens_internal.state),
    dpsens_internal.exact_distributed(dpsens_internal.plan), dpsens_internal.exact_distributed(dpsens_internal.plan, VARIADIC "any")
TO PUBLIC;

GRANT EXECUTE ON FUNCTION
    dpsens_internal.exact_tally(dpsens_internal.plan),
    dpsens_internal.exact_tally(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_merge(dpsens_internal.state),
    dpsens_internal.release_group(dpsens_internal.plan, bigint, bigint),
    dpsens_internal.release_values(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_counts(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_truth(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_key(dpsens_internal.plan, dpsens_internal.state, anyarray),
    dpsens_internal.release_keys(dpsens_internal.plan, dpsens_internal.state, anyarray)
TO PUBLIC;

-- Auditing functions see the row they are given and nothing else.
GRANT EXECUTE ON FUNCTION
    dpsens.expression_columns(regprocedure),
    dpsens_internal.cells_number(int4, regprocedure, float8, int4, int2[], "any"),
    dpsens_internal.cells_array(int4, regprocedure, float8, int4, int2[], "any"),
    dpsens.value_of(regprocedure, record),
    dpsens.slope_of(regprocedure, record, int4),
    dpsens.gradient_of(regprocedure, record),
    dpsens.gradient_norm_of(regprocedure, record),
    dpsens.contribution_of(regprocedure, record),
    dpsens.contribution_of(regprocedure, record, int4),
    dpsens.partial_sensitivity_of(regprocedure, record),
    dpsens.partial_sensitivity_of(regprocedure, record, int4),
    dpsens.plis_of(regprocedure, record, float8),
    dpsens.plis_of(regprocedure, record, float8, int4),
    dpsens.audit_row(regprocedure, record),
    dpsens.individual_loss(regprocedure, record, float8),
    dpsens.individual_epsilon(regprocedure, record, float8),
    dpsens.first_order_loss(regprocedure, record, float8)
TO PUBLIC;

-- They read a table as the caller, or check that the caller owns it.
GRANT EXECUTE ON FUNCTION
    dpsens.row_sensitivity(regprocedure),
    dpsens.row_loss(regclass),
    dpsens.row_training_loss(regclass),
    dpsens.row_plis(regclass),
    dpsens.set_plis_cap(regclass, float8),
    dpsens.sensitivity_summary(regprocedure, float8[]),
    dpsens.local_sensitivity(regprocedure, text, float8),
    dpsens.report(regclass),
    dpsens.report(regclass, boolean),
    dpsens.create_audit_view(regprocedure, name, float8, float8)
TO PUBLIC;

-- Figures show what they are given.
GRANT EXECUTE ON FUNCTION
    dpsens.contour(text, jsonb, text, text, text),
    dpsens.histogram(float8[], text, float8, int4, text),
    dpsens.bar_chart(text[], float8[], text, text),
    dpsens.heatmap(float8[], int4, text, text),
    dpsens.scatter(float8[], float8[], float8[], text, text, text, text)
TO PUBLIC;

-- Models belong to roles, which is checked; examples are arguments.
GRANT EXECUTE ON FUNCTION
    dpsens.create_model(name, jsonb),
    dpsens.drop_model(name),
    dpsens.model_parameters(name),
    dpsens.set_model_parameters(name, float8[]),
    dpsens.model_summary(name),
    dpsens.closed_form(name, text, text, boolean, jsonb),
    dpsens.predict(name, float8[]),
    dpsens.loss(name, float8[], float8[]),
    dpsens.loss(name, float8[], float8),
    dpsens.gradient_norm(name, float8[], float8[]),
    dpsens.gradient_norm(name, float8[], float8),
    dpsens.partial_sensitivity(name, float8[], float8[]),
    dpsens.partial_sensitivity(name, float8[], float8),
    dpsens.normalized_gradient(name, float8[], float8[]),
    dpsens.normalized_gradient(name, float8[], float8),
    dpsens.privacy_loss(name, float8[], float8[], float8, float8),
    dpsens.privacy_loss(name, float8[], float8, float8, float8),
    dpsens.plis(name, float8[], float8[], float8, float8),
    dpsens.plis(name, float8[], float8, float8, float8),
    dpsens.fil(name, float8[], float8[], float8),
    dpsens.fil(name, float8[], float8, float8),
    dpsens.fim(name, float8[], float8[], float8),
    dpsens.fim(name, float8[], float8, float8),
    dpsens.fim_trace(name, float8[], float8[], float8),
    dpsens.fim_trace(name, float8[], float8, float8),
    dpsens.gradient(name, float8[], float8[]),
    dpsens.gradient(name, float8[], float8),
    dpsens.private_gradient(name, float8[], float8[], float8, float8),
    dpsens.private_gradient(name, float8[], float8, float8, float8),
    dpsens.gradient_matching(name, float8[], float8[], float8[], text),
    dpsens.gradient_matching(name, float8[], float8, float8[], text),
    dpsens.gradient_bound(name, float8[], float8[], float8, int4),
    dpsens_internal.training_progress(),
    dpsens.training_epsilon(float8, bigint, float8, float8)
TO PUBLIC;
GRANT SELECT ON dpsens.models, dpsens.training, dpsens.training_runs TO PUBLIC;
GRANT EXECUTE ON PROCEDURE
    dpsens.train(name, regclass, name[], name, int4, float8, float8, bigint, float8, float8, float8, text, float8, float8, float8, text, float8[], float8[], int4, int4, regclass, text),
    dpsens.resume_training(name)
TO PUBLIC;

-- Functions of their arguments.
GRANT EXECUTE ON FUNCTION
    dpsens.ssim(float8[], float8[], int4, float8, int4),
    dpsens.haarpsi(float8[], float8[], int4, float8),
    dpsens.sigmoid(float8[]),
    dpsens.tempered_sigmoid(float8[], float8, float8, float8),
    dpsens.tanh(float8[]),
    dpsens.relu(float8[]),
    dpsens.softplus(float8[]),
    dpsens.gelu(float8[]),
    dpsens.softmax(float8[]),
    dpsens.log_sum_exp(float8[]),
    dpsens.l2_norm(float8[]),
    dpsens.dot(float8[], float8[]),
    dpsens.outer_product(float8[], float8[]),
    dpsens.matmul(float8[], float8[]),
    dpsens.transpose(float8[]),
    dpsens.transpose(float8[], int4[]),
    dpsens.add(float8[], float8[]),
    dpsens.subtract(float8[], float8[]),
    dpsens.multiply(float8[], float8[]),
    dpsens.divide(float8[], float8[]),
    dpsens.reshape(float8[], int4[]),
    dpsens.broadcast_to(float8[], int4[]),
    dpsens.sum_over(float8[], int4[]),
    dpsens.max_over(float8[], int4[]),
    dpsens.mean_over(float8[], int4[]),
    dpsens.depthwise_conv2d(float8[], float8[], int4, int4),
    dpsens.sum_over(float8[], int4),
    dpsens.max_over(float8[], int4),
    dpsens.mean_over(float8[], int4),
    dpsens.conv2d(float8[], float8[], int4, int4),
    dpsens.average_pool(float8[], int4, int4, int4),
    dpsens.max_pool(float8[], int4, int4, int4),
    dpsens.squared_loss(float8[], float8[]),
    dpsens.huber_loss(float8[], float8[], float8),
    dpsens.binary_cross_entropy(float8[], float8[]),
    dpsens.categorical_cross_entropy(float8[], float8[])
TO PUBLIC;
