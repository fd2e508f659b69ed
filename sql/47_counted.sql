-- Histograms, truth values and modes.  As in 40_aggregates.sql, dpsens replaces
-- the aggregates before planning; these functions run only where it could not, and
-- refuse.

CREATE FUNCTION dpsens_internal.stub_counts(bigint[]) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[]) IS 'refuses: dp_histogram was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_counts(bigint[], float8, "any") RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[], float8, "any") IS 'refuses: dp_histogram was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_counts(bigint[], float8, "any", float8) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[], float8, "any", float8) IS 'refuses: dp_histogram was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_truth(boolean) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_truth(boolean) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_truth(boolean, boolean) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_truth(boolean, boolean) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_truth(boolean, boolean, float8) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_truth(boolean, boolean, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_key(anyelement) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_key(anyelement) IS 'refuses: dp_mode was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_key(anyelement, anyelement) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_key(anyelement, anyelement) IS 'refuses: dp_mode was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_key(anyelement, anyelement, float8) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_key(anyelement, anyelement, float8) IS 'refuses: dp_mode was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_histogram(float8, buckets int) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, int) IS
'Differentially private numbers of values in 1 to 10,000 buckets of equal width over the certified range of the expression (lower and upper of dpsens.explain), at the epsilon of setting dpsens.epsilon for all of them together: element i counts the values in [lower + (i - 1) w, lower + i w), the last one its upper end too. Empty buckets are noised like all others; counts may come out negative. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_histogram(float8, buckets int, epsilon float8) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, int, float8) IS 'differentially private histogram of buckets of equal width, at the given epsilon; see dp_histogram(float8, int)';

CREATE AGGREGATE @extschema@.dp_histogram(float8, edges float8[]) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, float8[]) IS
'Differentially private numbers of values between the given edges, a constant or a parameter, finite and ascending: element i counts the values in [edge i, edge i + 1), the last one its upper end too; what lies outside is not counted. See dp_histogram(float8, int).';

CREATE AGGREGATE @extschema@.dp_histogram(float8, edges float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, float8[], float8) IS 'differentially private histogram between the given edges, at the given epsilon; see dp_histogram(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_bool_and(boolean) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and(boolean) IS
'Is every value true? Differentially private, at the epsilon of setting dpsens.epsilon: true unless the noised number of rows that are false is above one half. A single exception is missed with probability near 1/2 at epsilon 1, as it must be. Over no rows most likely true.';

CREATE AGGREGATE @extschema@.dp_bool_and(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and(boolean, float8) IS 'differentially private: is every value true, at the given epsilon; see dp_bool_and(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_or(boolean) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or(boolean) IS
'Is any value true? Differentially private, at the epsilon of setting dpsens.epsilon: true if the noised number of rows that are true is above one half. Over no rows most likely false.';

CREATE AGGREGATE @extschema@.dp_bool_or(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or(boolean, float8) IS 'differentially private: is any value true, at the given epsilon; see dp_bool_or(boolean)';

CREATE AGGREGATE @extschema@.dp_mode(anyelement) (
	SFUNC = dpsens_internal.stub_key,
	STYPE = anyelement,
	FINALFUNC = dpsens_internal.stub_key,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode(anyelement) IS
'Differentially private most frequent value of a column whose values are declared (dpsens.set_values; enums and booleans have theirs), at the epsilon of setting dpsens.epsilon: a draw among all of them by how often each occurs, by permute-and-flip (McKenna and Sheldon 2020) or, where dpsens.mechanism is gaussian, by the exponential mechanism (McSherry and Talwar 2007), whose rho is smaller. Rows with other values do not count. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_mode(anyelement, epsilon float8) (
	SFUNC = dpsens_internal.stub_key,
	STYPE = anyelement,
	FINALFUNC = dpsens_internal.stub_key,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode(anyelement, float8) IS 'differentially private most frequent value, at the given epsilon; see dp_mode(anyelement)';
