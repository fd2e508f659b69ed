-- Opaque types.  No send, receive, cast or operator: what they hold is for the
-- release functions alone.

CREATE TYPE dpsens.plan;
CREATE TYPE dpsens.state;

CREATE FUNCTION dpsens.plan_in(cstring) RETURNS dpsens.plan
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_plan_in';
COMMENT ON FUNCTION dpsens.plan_in(cstring) IS 'refuses: a plan cannot be typed in';

CREATE FUNCTION dpsens.plan_out(dpsens.plan) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_plan_out';
COMMENT ON FUNCTION dpsens.plan_out(dpsens.plan) IS 'a short description, for EXPLAIN VERBOSE';

CREATE FUNCTION dpsens.state_in(cstring) RETURNS dpsens.state
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_state_in';
COMMENT ON FUNCTION dpsens.state_in(cstring) IS 'refuses: a state has no text form';

CREATE FUNCTION dpsens.state_out(dpsens.state) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_state_out';
COMMENT ON FUNCTION dpsens.state_out(dpsens.state) IS 'refuses: a state holds exact values';

CREATE TYPE dpsens.answer;

CREATE FUNCTION dpsens.answer_in(cstring) RETURNS dpsens.answer
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_answer_in';
COMMENT ON FUNCTION dpsens.answer_in(cstring) IS 'refuses: an answer cannot be typed in';

CREATE FUNCTION dpsens.answer_out(dpsens.answer) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_answer_out';
COMMENT ON FUNCTION dpsens.answer_out(dpsens.answer) IS 'refuses: an answer has no text form';

-- plain: a value is read in place, in a plan and in a tuple alike.
CREATE TYPE dpsens.plan (
	INPUT = dpsens.plan_in,
	OUTPUT = dpsens.plan_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens.plan IS 'how an exact sum or a release is made; a constant of a rewritten query';

CREATE TYPE dpsens.state (
	INPUT = dpsens.state_in,
	OUTPUT = dpsens.state_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens.state IS 'exact result of one group, before noise';

CREATE TYPE dpsens.answer (
	INPUT = dpsens.answer_in,
	OUTPUT = dpsens.answer_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens.answer IS 'what a release yields for one group: noised integers, from which statistics are computed';

CREATE TYPE dpsens.noise_interval AS (estimate float8, lower float8, upper float8);
COMMENT ON TYPE dpsens.noise_interval IS 'an estimate and an interval that holds what it would be without noise with the asked probability, at least; it says nothing about sampling. All are null where the estimate is';

-- Which rows of a unit count.
CREATE FUNCTION dpsens.unit_order(VARIADIC "any") RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_unit_order';
COMMENT ON FUNCTION dpsens.unit_order(VARIADIC "any") IS 'an order of rows by a hash of their values, and then by the values; only dpsens writes it into queries';

CREATE FUNCTION dpsens.exact_rows(dpsens.plan, VARIADIC "any") RETURNS boolean
	LANGUAGE C VOLATILE PARALLEL RESTRICTED CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_exact_rows';
COMMENT ON FUNCTION dpsens.exact_rows(dpsens.plan, VARIADIC "any") IS 'stands for the choice of rows of units, which a node of the plan makes; only dpsens writes it into queries';

-- The exact stage.

CREATE FUNCTION dpsens.exact_transition(internal, dpsens.plan) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens.exact_transition(internal, dpsens.plan) IS 'transition function of exact_state';

CREATE FUNCTION dpsens.exact_transition(internal, dpsens.plan, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens.exact_transition(internal, dpsens.plan, VARIADIC "any") IS 'transition function of exact_state';

CREATE FUNCTION dpsens.exact_combine(internal, internal) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_combine';
COMMENT ON FUNCTION dpsens.exact_combine(internal, internal) IS 'combine function of exact_state';

CREATE FUNCTION dpsens.exact_serialize(internal) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_serialize';
COMMENT ON FUNCTION dpsens.exact_serialize(internal) IS 'serialization function of exact_state';

CREATE FUNCTION dpsens.exact_deserialize(bytea, internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_deserialize';
COMMENT ON FUNCTION dpsens.exact_deserialize(bytea, internal) IS 'deserialization function of exact_state';

CREATE FUNCTION dpsens.exact_final(internal) RETURNS dpsens.state
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_final';
COMMENT ON FUNCTION dpsens.exact_final(internal) IS 'final function of exact_state';

-- SSPACE is the state and its allocation's header.
CREATE AGGREGATE dpsens.exact_state(dpsens.plan) (
	SFUNC = dpsens.exact_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens.exact_combine,
	SERIALFUNC = dpsens.exact_serialize,
	DESERIALFUNC = dpsens.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens.exact_state(dpsens.plan) IS 'exact count, or sum of a constant, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens.exact_state(dpsens.plan, VARIADIC "any") (
	SFUNC = dpsens.exact_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens.exact_combine,
	SERIALFUNC = dpsens.exact_serialize,
	DESERIALFUNC = dpsens.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens.exact_state(dpsens.plan, VARIADIC "any") IS 'exact count and sum of an expression of the given columns, before noise; only dpsens writes it into queries';

-- SSPACE is that of six sums, enough for two variables.
CREATE AGGREGATE dpsens.exact_vector(dpsens.plan) (
	SFUNC = dpsens.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens.exact_combine,
	SERIALFUNC = dpsens.exact_serialize,
	DESERIALFUNC = dpsens.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens.exact_vector(dpsens.plan) IS 'exact count, and sums of several constants and of their products, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens.exact_vector(dpsens.plan, VARIADIC "any") (
	SFUNC = dpsens.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens.exact_combine,
	SERIALFUNC = dpsens.exact_serialize,
	DESERIALFUNC = dpsens.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens.exact_vector(dpsens.plan, VARIADIC "any") IS 'exact count, and sums of several expressions of the given columns and of their products, before noise; only dpsens writes it into queries';

-- Conditions: a call of one of the server's functions, NULL where that raises.
-- The second argument is NULL, of the type of the result.

CREATE FUNCTION dpsens.exact_attempt(dpsens.plan, anyelement, VARIADIC "any") RETURNS anyelement
	LANGUAGE c STABLE LEAKPROOF CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_attempt';
COMMENT ON FUNCTION dpsens.exact_attempt(dpsens.plan, anyelement, VARIADIC "any") IS 'a function of the server in a condition, NULL where it would raise an error; only dpsens writes it into queries';

CREATE FUNCTION dpsens.exact_parameter("any") RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_parameter';
COMMENT ON FUNCTION dpsens.exact_parameter("any") IS 'true: shows that a parameter selects rows; only dpsens writes it into queries';

CREATE FUNCTION dpsens.exact_epsilon(number int4, epsilon float8) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_parameter';
COMMENT ON FUNCTION dpsens.exact_epsilon(int4, float8) IS 'true: shows the epsilon of a release, where it is no constant; only dpsens writes it into queries';

CREATE FUNCTION dpsens.exact_pattern(pattern text, kind int4) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_pattern';
COMMENT ON FUNCTION dpsens.exact_pattern(text, int4) IS 'true, or an error if a parameter is no pattern that cells may be matched with; only dpsens writes it into queries';

-- The release stage: every call draws noise of its own, in the leader.

CREATE FUNCTION dpsens.release_count(plan dpsens.plan, state dpsens.state) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_count';
COMMENT ON FUNCTION dpsens.release_count(dpsens.plan, dpsens.state) IS 'adds noise to a count; only dpsens writes it into queries';

-- What stands in the asker's plan in place of a query that a clean room answers.
CREATE FUNCTION dpsens.release_room(query dpsens.plan) RETURNS SETOF record
	LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_room';
COMMENT ON FUNCTION dpsens.release_room(dpsens.plan) IS 'what a clean room has answered to a query; only dpsens writes it into queries';

-- What stands in a query for a clean room in place of a public relation.
CREATE FUNCTION dpsens.exact_brought_support(internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_brought_support';
COMMENT ON FUNCTION dpsens.exact_brought_support(internal) IS 'planner support function of exact_brought';

CREATE FUNCTION dpsens.exact_brought(number int4) RETURNS SETOF record
	LANGUAGE c STABLE STRICT PARALLEL RESTRICTED SUPPORT dpsens.exact_brought_support
	AS 'MODULE_PATHNAME', 'dps_exact_brought';
COMMENT ON FUNCTION dpsens.exact_brought(int4) IS 'rows of a public relation that were brought into a clean room; only dpsens writes it into queries';

CREATE FUNCTION dpsens.release_value(plan dpsens.plan, state dpsens.state) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_value';
COMMENT ON FUNCTION dpsens.release_value(dpsens.plan, dpsens.state) IS 'adds noise to a sum or mean; only dpsens writes it into queries';

CREATE FUNCTION dpsens.release_answer(plan dpsens.plan, state dpsens.state) RETURNS dpsens.answer
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_answer';
COMMENT ON FUNCTION dpsens.release_answer(dpsens.plan, dpsens.state) IS 'adds noise to integers that statistics are computed from; only dpsens writes it into queries';

-- The last stage: statistics of answers, which are public.

CREATE FUNCTION dpsens.finish_count(release dpsens.plan, statistic dpsens.plan, answer dpsens.answer) RETURNS bigint
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens.finish_count(dpsens.plan, dpsens.plan, dpsens.answer) IS 'a whole number computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens.finish_value(release dpsens.plan, statistic dpsens.plan, answer dpsens.answer) RETURNS float8
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens.finish_value(dpsens.plan, dpsens.plan, dpsens.answer) IS 'a number computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens.finish_interval(release dpsens.plan, statistic dpsens.plan, answer dpsens.answer, level float8) RETURNS dpsens.noise_interval
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_interval';
COMMENT ON FUNCTION dpsens.finish_interval(dpsens.plan, dpsens.plan, dpsens.answer, float8) IS 'a number computed from an answer, and the interval of its noise; only dpsens writes it into queries';

-- The aggregates that users write.  dpsens replaces them before planning;
-- these functions run only where it could not, and refuse.

CREATE FUNCTION dpsens.stub_count(bigint) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens.stub_count(bigint) IS 'refuses: dp_count was planned without dpsens';

CREATE FUNCTION dpsens.stub_count(bigint, "any") RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens.stub_count(bigint, "any") IS 'refuses: dp_count was planned without dpsens';

CREATE FUNCTION dpsens.stub_count(bigint, "any", float8) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens.stub_count(bigint, "any", float8) IS 'refuses: dp_count was planned without dpsens';

CREATE FUNCTION dpsens.stub_value(float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens.stub_value(float8) IS 'refuses: dp_sum or dp_avg was planned without dpsens';

CREATE FUNCTION dpsens.stub_value(float8, float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens.stub_value(float8, float8) IS 'refuses: dp_sum or dp_avg was planned without dpsens';

CREATE FUNCTION dpsens.stub_value(float8, float8, float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens.stub_value(float8, float8, float8) IS 'refuses: dp_sum or dp_avg was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_count(*) (
	SFUNC = dpsens.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count(*) IS 'differentially private number of rows, at the epsilon of setting dpsens.epsilon; dp_count(true, epsilon) is the same at an epsilon of its own';

CREATE AGGREGATE @extschema@.dp_count("any") (
	SFUNC = dpsens.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count("any") IS 'differentially private number of rows whose expression is not null, at the epsilon of setting dpsens.epsilon; dp_count(DISTINCT x) is the number of a column''s declared values that occur, or of integers of a range of at most 65,536';

CREATE AGGREGATE @extschema@.dp_count("any", epsilon float8) (
	SFUNC = dpsens.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count("any", float8) IS 'differentially private number of rows whose expression is not null, at the given epsilon';

CREATE AGGREGATE @extschema@.dp_sum(float8) (
	SFUNC = dpsens.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8) IS 'differentially private sum, at the epsilon of setting dpsens.epsilon; 0 plus noise over no rows';

CREATE AGGREGATE @extschema@.dp_sum(float8, epsilon float8) (
	SFUNC = dpsens.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8, float8) IS 'differentially private sum, at the given epsilon; 0 plus noise over no rows';

CREATE AGGREGATE @extschema@.dp_avg(float8) (
	SFUNC = dpsens.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8) IS 'differentially private mean, at the epsilon of setting dpsens.epsilon, within the bounds of its expression; null only over a public number of rows that is 0';

CREATE AGGREGATE @extschema@.dp_avg(float8, epsilon float8) (
	SFUNC = dpsens.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8, float8) IS 'differentially private mean, at the given epsilon, within the bounds of its expression; null only over a public number of rows that is 0';
