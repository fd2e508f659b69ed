-- Companions of quantiles, histograms, truth values and numbers of distinct values: the
-- estimate with the interval of its noise.

CREATE TYPE dpsens.noise_truth AS (estimate boolean, lower boolean, upper boolean);
COMMENT ON TYPE dpsens.noise_truth IS 'a truth value, false being less than true, and an interval that holds what it would be without noise with the asked probability, at least: lower and upper are equal where the noise leaves no doubt, else false and true. All are null where the estimate is';

CREATE FUNCTION dpsens_internal.finish_truth(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8) RETURNS dpsens.noise_truth
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_truth';
COMMENT ON FUNCTION dpsens_internal.finish_truth(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) IS 'a truth value computed from an answer, and the interval of its noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, float8[]) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, float8[]) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, float8[], float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, float8[], float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, float8[], float8, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, float8[], float8, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, int) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, int) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, int, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, int, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, int, float8, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_ends(dpsens.noise_intervals, float8, int, float8, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8, float8) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantile float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8) IS
'differentially private quantile with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. The quantile and both ends are draws of the exponential mechanism, each at a third of epsilon; the ends are drawn so far to either side that they miss the quantile with the remaining probability (Drechsler et al. 2022). An end is that of the range where there are too few values. Of a quantile 0 or 1 as dp_min_ci and dp_max_ci have it.';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantile float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8, float8) IS
'differentially private quantile with the 95 % interval of its noise, at the given epsilon; see dp_quantile_ci(float8, float8)';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantile float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8, float8, float8) IS
'differentially private quantile with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_quantile_ci(float8, float8)';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantiles float8[]) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8[]) IS
'several differentially private quantiles with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. At three draws for each, which share epsilon equally; all intervals hold at once.';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantiles float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8[], float8) IS
'several differentially private quantiles with the 95 % interval of its noise, at the given epsilon; see dp_quantile_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantiles float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8[], float8, float8) IS
'several differentially private quantiles with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_quantile_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_median_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_ci(float8) IS
'differentially private median with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. See dp_quantile_ci(float8, float8).';

CREATE AGGREGATE @extschema@.dp_median_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_ci(float8, float8) IS
'differentially private median with the 95 % interval of its noise, at the given epsilon; see dp_median_ci(float8)';

CREATE AGGREGATE @extschema@.dp_median_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_ci(float8, float8, float8) IS
'differentially private median with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_median_ci(float8)';

CREATE AGGREGATE @extschema@.dp_min_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min_ci(float8) IS
'differentially private minimum with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. The estimate is near the minimum as that of dp_min is. lower is always the lower end of the range: a minimum has no other lower bound that does not tell whether a row is present. upper is a draw of its own, at half of epsilon, of a larger rank.';

CREATE AGGREGATE @extschema@.dp_min_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min_ci(float8, float8) IS
'differentially private minimum with the 95 % interval of its noise, at the given epsilon; see dp_min_ci(float8)';

CREATE AGGREGATE @extschema@.dp_min_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min_ci(float8, float8, float8) IS
'differentially private minimum with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_min_ci(float8)';

CREATE AGGREGATE @extschema@.dp_max_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max_ci(float8) IS
'differentially private maximum with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. See dp_min_ci(float8): upper is always the upper end of the range.';

CREATE AGGREGATE @extschema@.dp_max_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max_ci(float8, float8) IS
'differentially private maximum with the 95 % interval of its noise, at the given epsilon; see dp_max_ci(float8)';

CREATE AGGREGATE @extschema@.dp_max_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max_ci(float8, float8, float8) IS
'differentially private maximum with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_max_ci(float8)';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, buckets int) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, int) IS
'differentially private numbers of values in buckets with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. Buckets are those of dp_histogram(float8, int); all intervals hold at once.';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, buckets int, epsilon float8) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, int, float8) IS
'differentially private numbers of values in buckets with the 95 % interval of its noise, at the given epsilon; see dp_histogram_ci(float8, int)';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, buckets int, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, int, float8, float8) IS
'differentially private numbers of values in buckets with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_histogram_ci(float8, int)';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, edges float8[]) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, float8[]) IS
'differentially private numbers of values between edges with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. Buckets are those of dp_histogram(float8, float8[]); all intervals hold at once.';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, edges float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, float8[], float8) IS
'differentially private numbers of values between edges with the 95 % interval of its noise, at the given epsilon; see dp_histogram_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, edges float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_ends,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_ends,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, float8[], float8, float8) IS
'differentially private numbers of values between edges with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_histogram_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_bool_and_ci(boolean) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and_ci(boolean) IS
'differentially private: is every value true, with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. lower and upper are equal where the noised number of rows that are false leaves no doubt.';

CREATE AGGREGATE @extschema@.dp_bool_and_ci(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and_ci(boolean, float8) IS
'differentially private: is every value true, with the 95 % interval of its noise, at the given epsilon; see dp_bool_and_ci(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_and_ci(boolean, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and_ci(boolean, float8, float8) IS
'differentially private: is every value true, with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_bool_and_ci(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_or_ci(boolean) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or_ci(boolean) IS
'differentially private: is any value true, with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. lower and upper are equal where the noised number of rows that are true leaves no doubt.';

CREATE AGGREGATE @extschema@.dp_bool_or_ci(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or_ci(boolean, float8) IS
'differentially private: is any value true, with the 95 % interval of its noise, at the given epsilon; see dp_bool_or_ci(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_or_ci(boolean, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or_ci(boolean, float8, float8) IS
'differentially private: is any value true, with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_bool_or_ci(boolean)';

CREATE FUNCTION dpsens_internal.finish_mode(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8, keys anyarray) RETURNS anyarray
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_mode';
COMMENT ON FUNCTION dpsens_internal.finish_mode(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8, anyarray) IS 'a most frequent value computed from an answer, and the interval of its noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8, float8) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_mode_ci(anyelement) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode_ci(anyelement) IS
'Differentially private most frequent value of a column whose values are declared, with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon: an array of three values, estimate, lower and upper. All declared values are counted with noise, for one epsilon together; the estimate has the largest noised count (it is not the draw of dp_mode), lower and upper are the least and the greatest value, in the order of the column''s type, of those that can be the most frequent one for all that the noise says. NULL only where there surely are no rows. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_mode_ci(anyelement, epsilon float8) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode_ci(anyelement, float8) IS
'differentially private most frequent value with the 95 % interval of its noise, at the given epsilon; see dp_mode_ci(anyelement)';

CREATE AGGREGATE @extschema@.dp_mode_ci(anyelement, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode_ci(anyelement, float8, float8) IS
'differentially private most frequent value with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_mode_ci(anyelement)';
