-- Companions: the estimate with the interval of its noise.

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any") RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any") IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8) IS 'refuses: an aggregate with an interval was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_count_ci(*) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci(*) IS 'differentially private number of rows with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon';

CREATE AGGREGATE @extschema@.dp_count_ci("any") (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci("any") IS 'differentially private number of rows whose expression is not null, with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon';

CREATE AGGREGATE @extschema@.dp_count_ci("any", epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci("any", float8) IS 'differentially private number of rows whose expression is not null, with the 95 % interval of its noise, at the given epsilon';

CREATE AGGREGATE @extschema@.dp_count_ci("any", epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci("any", float8, float8) IS 'differentially private number of rows whose expression is not null, with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8) IS 'differentially private sum with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8, float8) IS 'differentially private sum with the 95 % interval of its noise, at the given epsilon';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8, float8, float8) IS 'differentially private sum with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8) IS 'differentially private mean with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8, float8) IS 'differentially private mean with the 95 % interval of its noise, at the given epsilon';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8, float8, float8) IS 'differentially private mean with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter';
