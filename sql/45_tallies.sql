-- The exact and release stages of aggregates that count their values one by one.

-- What is tallied takes memory for the points that were met: 16 bytes each, and
-- a megabyte at most.
CREATE AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan) IS 'how often a constant was met, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan, VARIADIC "any") IS 'how often an expression of the given columns had each of its points, before noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_values(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_values';
COMMENT ON FUNCTION dpsens_internal.release_values(dpsens_internal.plan, dpsens_internal.state) IS 'draws several quantiles; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_counts(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_counts';
COMMENT ON FUNCTION dpsens_internal.release_counts(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to several counts; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_truth(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_truth';
COMMENT ON FUNCTION dpsens_internal.release_truth(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to a count and says whether there is anything; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_key(plan dpsens_internal.plan, state dpsens_internal.state, keys anyarray) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_key';
COMMENT ON FUNCTION dpsens_internal.release_key(dpsens_internal.plan, dpsens_internal.state, anyarray) IS 'draws one of the keys by their counts; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_keys(plan dpsens_internal.plan, state dpsens_internal.state, keys anyarray) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_keys';
COMMENT ON FUNCTION dpsens_internal.release_keys(dpsens_internal.plan, dpsens_internal.state, anyarray) IS 'draws several of the keys by their counts; only dpsens writes it into queries';
