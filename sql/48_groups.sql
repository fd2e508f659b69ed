-- Groups whose keys are not declared.  As the aggregates (49), dpsens replaces what is
-- called by hand before planning.

CREATE FUNCTION @extschema@.dp_suppressed() RETURNS boolean
	LANGUAGE c VOLATILE PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_suppressed_stub';
COMMENT ON FUNCTION @extschema@.dp_suppressed() IS
'In a query with dp aggregates and GROUP BY of keys that are not declared: asks for one more row, whose keys are null, with noised answers over the rows of all groups that are not shown; true for that row, false for the others. It costs nothing, since it is one more group. False everywhere where all groups are shown.
Errors: called anywhere else.';

CREATE FUNCTION dpsens_internal.release_group(dpsens_internal.plan, bigint, bigint) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_group';
COMMENT ON FUNCTION dpsens_internal.release_group(dpsens_internal.plan, bigint, bigint) IS 'draws whether a group of so many units is shown; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_merge_transition(internal, dpsens_internal.state) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_merge';
COMMENT ON FUNCTION dpsens_internal.exact_merge_transition(internal, dpsens_internal.state) IS 'transition function of exact_merge';

CREATE FUNCTION dpsens_internal.exact_merge_final(internal) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_merged';
COMMENT ON FUNCTION dpsens_internal.exact_merge_final(internal) IS 'final function of exact_merge';

CREATE AGGREGATE dpsens_internal.exact_merge(dpsens_internal.state) (
	SFUNC = dpsens_internal.exact_merge_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens_internal.exact_merge_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_merge(dpsens_internal.state) IS 'the exact state of several groups together, before noise; only dpsens writes it into queries';
