-- The exact and release stages of aggregates that count their values one by one.

-- What is tallied takes memory for the points that were met: 16 bytes each, and
-- a megabyte at most.
CREATE AGGREGATE dpsens.exact_tally(dpsens.plan) (
	SFUNC = dpsens.exact_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dpsens.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens.exact_combine,
	SERIALFUNC = dpsens.exact_serialize,
	DESERIALFUNC = dpsens.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens.exact_tally(dpsens.plan) IS 'how often a constant was met, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens.exact_tally(dpsens.plan, VARIADIC "any") (
	SFUNC = dpsens.exact_transition,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dpsens.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens.exact_combine,
	SERIALFUNC = dpsens.exact_serialize,
	DESERIALFUNC = dpsens.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens.exact_tally(dpsens.plan, VARIADIC "any") IS 'how often an expression of the given columns had each of its points, before noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens.release_values(plan dpsens.plan, state dpsens.state) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_values';
COMMENT ON FUNCTION dpsens.release_values(dpsens.plan, dpsens.state) IS 'draws several quantiles; only dpsens writes it into queries';

CREATE FUNCTION dpsens.release_counts(plan dpsens.plan, state dpsens.state) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_counts';
COMMENT ON FUNCTION dpsens.release_counts(dpsens.plan, dpsens.state) IS 'adds noise to several counts; only dpsens writes it into queries';

CREATE FUNCTION dpsens.release_truth(plan dpsens.plan, state dpsens.state) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_truth';
COMMENT ON FUNCTION dpsens.release_truth(dpsens.plan, dpsens.state) IS 'adds noise to a count and says whether there is anything; only dpsens writes it into queries';

CREATE FUNCTION dpsens.release_key(plan dpsens.plan, state dpsens.state, keys anyarray) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_key';
COMMENT ON FUNCTION dpsens.release_key(dpsens.plan, dpsens.state, anyarray) IS 'draws one of the keys by their counts; only dpsens writes it into queries';
