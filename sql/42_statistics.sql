-- The last stage: statistics of answers, which are public.

CREATE TYPE dpsens.noise_interval AS (estimate float8, lower float8, upper float8);
COMMENT ON TYPE dpsens.noise_interval IS 'an estimate and an interval that holds what it would be without noise with the asked probability, at least; it says nothing about sampling. All are null where the estimate is';

CREATE FUNCTION dpsens_internal.finish_count(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer) RETURNS bigint
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens_internal.finish_count(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer) IS 'a whole number computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_value(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer) RETURNS float8
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens_internal.finish_value(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer) IS 'a number computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_interval(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8) RETURNS dpsens.noise_interval
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_interval';
COMMENT ON FUNCTION dpsens_internal.finish_interval(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) IS 'a number computed from an answer, and the interval of its noise; only dpsens writes it into queries';

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

CREATE TYPE dpsens.noise_truth AS (estimate boolean, lower boolean, upper boolean);
COMMENT ON TYPE dpsens.noise_truth IS 'a truth value, false being less than true, and an interval that holds what it would be without noise with the asked probability, at least: lower and upper are equal where the noise leaves no doubt, else false and true. All are null where the estimate is';

CREATE FUNCTION dpsens_internal.finish_truth(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8) RETURNS dpsens.noise_truth
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_truth';
COMMENT ON FUNCTION dpsens_internal.finish_truth(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) IS 'a truth value computed from an answer, and the interval of its noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_mode(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8, keys anyarray) RETURNS anyarray
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_mode';
COMMENT ON FUNCTION dpsens_internal.finish_mode(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8, anyarray) IS 'a most frequent value computed from an answer, and the interval of its noise; only dpsens writes it into queries';

-- VOLATILE, so that the planner keeps the answers of a column that is not read: they are drawn and charged all the same.
CREATE FUNCTION dpsens_internal.finish_fit(sets dpsens_internal.plan, set_number int4, group_number int4, answer dpsens_internal.answer) RETURNS dpsens_internal.answer
	LANGUAGE c WINDOW VOLATILE PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_fit';
COMMENT ON FUNCTION dpsens_internal.finish_fit(dpsens_internal.plan, int4, int4, dpsens_internal.answer) IS 'an answer of a grouping set, made to add up with those of the other sets (least squares, Hay et al. 2010); only dpsens writes it into queries';
