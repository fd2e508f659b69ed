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
