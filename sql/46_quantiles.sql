-- Quantiles, median, minimum and maximum.  As in 40_aggregates.sql, dpsens
-- replaces the aggregates before planning; these functions run only where it could
-- not, and refuse.

CREATE FUNCTION dpsens_internal.stub_values(float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_values(float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_values(float8[], float8, float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_values(float8[], float8, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_values(float8[], float8, float8[], float8) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_values(float8[], float8, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_quantile(float8, level float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8) IS
'Differentially private quantile at the epsilon of setting dpsens.epsilon: a value with about the given part of all values, between 0 and 1, a constant or a parameter, below it. Drawn by the exponential mechanism (McSherry and Talwar 2007) from a public lattice over the certified range of the expression, of at most 65,536 points; integers stay integers. Over no rows, any of them. 0 and 1 are dp_min and dp_max. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_quantile(float8, level float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8, float8) IS 'differentially private quantile, at the given epsilon; see dp_quantile(float8, float8)';

CREATE AGGREGATE @extschema@.dp_quantile(float8, levels float8[]) (
	SFUNC = dpsens_internal.stub_values,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_values,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8[]) IS
'Several differentially private quantiles (1 to 128, in the order of the levels) from one release, which costs the epsilon of setting dpsens.epsilon once: as many draws of the exponential mechanism at equal shares of it, or one tree of noisy counts (Hay et al. 2010) under dpsens.mechanism, whichever errs less by public figures; dpsens.explain says which. Values lie on the lattice of dp_quantile(float8, float8).';

CREATE AGGREGATE @extschema@.dp_quantile(float8, levels float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_values,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_values,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8[], float8) IS 'several differentially private quantiles from one release, at the given epsilon; see dp_quantile(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_median(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8) IS 'differentially private median, at the epsilon of setting dpsens.epsilon: dp_quantile at 0.5';

CREATE AGGREGATE @extschema@.dp_median(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8, float8) IS 'differentially private median, at the given epsilon: dp_quantile at 0.5';

CREATE AGGREGATE @extschema@.dp_min(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min(float8) IS
'Differentially private minimum, at the epsilon of setting dpsens.epsilon: not the smallest value, which one row alone can be, but one near the k-th smallest, k = ceil(r ln(points) / epsilon) for the sensitivity r in ranks, all of which dpsens.explain shows: the first rank that noise does not take for the empty end of the range. Drawn by the exponential mechanism from the lattice of dp_quantile.';

CREATE AGGREGATE @extschema@.dp_min(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min(float8, float8) IS 'differentially private minimum, at the given epsilon; see dp_min(float8)';

CREATE AGGREGATE @extschema@.dp_max(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max(float8) IS 'differentially private maximum, at the epsilon of setting dpsens.epsilon: a value near the k-th largest; see dp_min(float8)';

CREATE AGGREGATE @extschema@.dp_max(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max(float8, float8) IS 'differentially private maximum, at the given epsilon; see dp_min(float8)';
