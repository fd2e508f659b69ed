-- Second moments, sums and means of vectors, and what is computed from them.

CREATE TYPE dpsens.noise_intervals AS (estimate float8[], lower float8[], upper float8[]);
COMMENT ON TYPE dpsens.noise_intervals IS 'estimates, and intervals that all at once hold what the estimates would be without noise with the asked probability, at least; they say nothing about sampling. All are null where an estimate is';

CREATE FUNCTION dpsens_internal.finish_array(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer) RETURNS float8[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens_internal.finish_array(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer) IS 'numbers computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_intervals(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8) RETURNS dpsens.noise_intervals
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_intervals';
COMMENT ON FUNCTION dpsens_internal.finish_intervals(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) IS 'numbers computed from an answer, and the intervals of their noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.stub_value(float8, float8, float8, float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_value(float8, float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_count(bigint, float8, float8) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_count(bigint, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_count(bigint, float8, float8, float8) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_count(bigint, float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8[], float8) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8, float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8, float8[], float8) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[]) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[]) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_variance(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8) IS 'differentially private sample variance, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8, float8) IS 'differentially private sample variance, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance_ci(float8) IS 'differentially private sample variance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance_ci(float8, float8) IS 'differentially private sample variance with the 95 % interval of its noise, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance_ci(float8, float8, float8) IS 'differentially private sample variance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp(float8) IS 'differentially private sample variance, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp(float8, float8) IS 'differentially private sample variance, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp_ci(float8) IS 'differentially private sample variance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp_ci(float8, float8) IS 'differentially private sample variance with the 95 % interval of its noise, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp_ci(float8, float8, float8) IS 'differentially private sample variance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop(float8) IS 'differentially private population variance, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop(float8, float8) IS 'differentially private population variance, at the given epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop_ci(float8) IS 'differentially private population variance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop_ci(float8, float8) IS 'differentially private population variance with the 95 % interval of its noise, at the given epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop_ci(float8, float8, float8) IS 'differentially private population variance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_stddev(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8) IS 'differentially private sample standard deviation, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8, float8) IS 'differentially private sample standard deviation, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_ci(float8) IS 'differentially private sample standard deviation with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_ci(float8, float8) IS 'differentially private sample standard deviation with the 95 % interval of its noise, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_ci(float8, float8, float8) IS 'differentially private sample standard deviation with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp(float8) IS 'differentially private sample standard deviation, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp(float8, float8) IS 'differentially private sample standard deviation, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp_ci(float8) IS 'differentially private sample standard deviation with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp_ci(float8, float8) IS 'differentially private sample standard deviation with the 95 % interval of its noise, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp_ci(float8, float8, float8) IS 'differentially private sample standard deviation with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop(float8) IS 'differentially private population standard deviation, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop(float8, float8) IS 'differentially private population standard deviation, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop_ci(float8) IS 'differentially private population standard deviation with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop_ci(float8, float8) IS 'differentially private population standard deviation with the 95 % interval of its noise, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop_ci(float8, float8, float8) IS 'differentially private population standard deviation with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_covar_samp(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp(float8, float8) IS 'differentially private sample covariance, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp(float8, float8, float8) IS 'differentially private sample covariance, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp_ci(float8, float8) IS 'differentially private sample covariance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp_ci(float8, float8, float8) IS 'differentially private sample covariance with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp_ci(float8, float8, float8, float8) IS 'differentially private sample covariance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_pop(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop(float8, float8) IS 'differentially private population covariance, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop(float8, float8, float8) IS 'differentially private population covariance, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop_ci(float8, float8) IS 'differentially private population covariance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop_ci(float8, float8, float8) IS 'differentially private population covariance with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop_ci(float8, float8, float8, float8) IS 'differentially private population covariance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_corr(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr(float8, float8) IS 'differentially private correlation coefficient, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr(float8, float8, float8) IS 'differentially private correlation coefficient, at the given epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr_ci(float8, float8) IS 'differentially private correlation coefficient with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr_ci(float8, float8, float8) IS 'differentially private correlation coefficient with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr_ci(float8, float8, float8, float8) IS 'differentially private correlation coefficient with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope(float8, float8) IS 'differentially private slope of the least-squares line of y over x, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope(float8, float8, float8) IS 'differentially private slope of the least-squares line of y over x, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope_ci(float8, float8) IS 'differentially private slope of the least-squares line of y over x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope_ci(float8, float8, float8) IS 'differentially private slope of the least-squares line of y over x with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope_ci(float8, float8, float8, float8) IS 'differentially private slope of the least-squares line of y over x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept(float8, float8) IS 'differentially private intercept of the least-squares line of y over x, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept(float8, float8, float8) IS 'differentially private intercept of the least-squares line of y over x, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept_ci(float8, float8) IS 'differentially private intercept of the least-squares line of y over x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept_ci(float8, float8, float8) IS 'differentially private intercept of the least-squares line of y over x with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept_ci(float8, float8, float8, float8) IS 'differentially private intercept of the least-squares line of y over x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2(float8, float8) IS 'differentially private squared correlation coefficient, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2(float8, float8, float8) IS 'differentially private squared correlation coefficient, at the given epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2_ci(float8, float8) IS 'differentially private squared correlation coefficient with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2_ci(float8, float8, float8) IS 'differentially private squared correlation coefficient with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2_ci(float8, float8, float8, float8) IS 'differentially private squared correlation coefficient with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx(float8, float8) IS 'differentially private mean of x, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx(float8, float8, float8) IS 'differentially private mean of x, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx_ci(float8, float8) IS 'differentially private mean of x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx_ci(float8, float8, float8) IS 'differentially private mean of x with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx_ci(float8, float8, float8, float8) IS 'differentially private mean of x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy(float8, float8) IS 'differentially private mean of y, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy(float8, float8, float8) IS 'differentially private mean of y, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy_ci(float8, float8) IS 'differentially private mean of y with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy_ci(float8, float8, float8) IS 'differentially private mean of y with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy_ci(float8, float8, float8, float8) IS 'differentially private mean of y with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx(float8, float8) IS 'differentially private sum of squared differences of x from its mean, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx(float8, float8, float8) IS 'differentially private sum of squared differences of x from its mean, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx_ci(float8, float8) IS 'differentially private sum of squared differences of x from its mean with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx_ci(float8, float8, float8) IS 'differentially private sum of squared differences of x from its mean with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx_ci(float8, float8, float8, float8) IS 'differentially private sum of squared differences of x from its mean with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy(float8, float8) IS 'differentially private sum of squared differences of y from its mean, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy(float8, float8, float8) IS 'differentially private sum of squared differences of y from its mean, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy_ci(float8, float8) IS 'differentially private sum of squared differences of y from its mean with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy_ci(float8, float8, float8) IS 'differentially private sum of squared differences of y from its mean with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy_ci(float8, float8, float8, float8) IS 'differentially private sum of squared differences of y from its mean with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy(float8, float8) IS 'differentially private sum of products of the differences of x and y from their means, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy(float8, float8, float8) IS 'differentially private sum of products of the differences of x and y from their means, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy_ci(float8, float8) IS 'differentially private sum of products of the differences of x and y from their means with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy_ci(float8, float8, float8) IS 'differentially private sum of products of the differences of x and y from their means with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy_ci(float8, float8, float8, float8) IS 'differentially private sum of products of the differences of x and y from their means with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_count(y float8, x float8) (
	SFUNC = dpsens_internal.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens_internal.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count(float8, float8) IS 'differentially private number of rows where both y and x are numbers, at the epsilon of setting dpsens.epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens_internal.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count(float8, float8, float8) IS 'differentially private number of rows where both y and x are numbers, at the given epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count_ci(float8, float8) IS 'differentially private number of rows where both y and x are numbers with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count_ci(float8, float8, float8) IS 'differentially private number of rows where both y and x are numbers with the 95 % interval of its noise, at the given epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count_ci(float8, float8, float8, float8) IS 'differentially private number of rows where both y and x are numbers with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_linregr(y float8, x float8[]) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr(float8, float8[]) IS 'differentially private least-squares coefficients of y over up to 15 values x, at the epsilon of setting dpsens.epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr(y float8, x float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr(float8, float8[], float8) IS 'differentially private least-squares coefficients of y over up to 15 values x, at the given epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr_ci(y float8, x float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr_ci(float8, float8[]) IS 'differentially private least-squares coefficients of y over up to 15 values x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr_ci(y float8, x float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr_ci(float8, float8[], float8) IS 'differentially private least-squares coefficients of y over up to 15 values x with the 95 % interval of its noise, at the given epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr_ci(y float8, x float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr_ci(float8, float8[], float8, float8) IS 'differentially private least-squares coefficients of y over up to 15 values x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_sum(float8[]) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8[]) IS 'differentially private sum of vectors of up to 16 entries, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8[], float8) IS 'differentially private sum of vectors of up to 16 entries, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8[]) IS 'differentially private sum of vectors of up to 16 entries with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8[], float8) IS 'differentially private sum of vectors of up to 16 entries with the 95 % interval of its noise, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8[], float8, float8) IS 'differentially private sum of vectors of up to 16 entries with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg(float8[]) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8[]) IS 'differentially private mean of vectors of up to 16 entries, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8[], float8) IS 'differentially private mean of vectors of up to 16 entries, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8[]) IS 'differentially private mean of vectors of up to 16 entries with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8[], float8) IS 'differentially private mean of vectors of up to 16 entries with the 95 % interval of its noise, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8[], float8, float8) IS 'differentially private mean of vectors of up to 16 entries with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';
