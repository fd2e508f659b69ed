-- Opaque types.  No send, receive, cast or operator: what they hold is for the
-- release functions alone.

CREATE TYPE dpsens_internal.plan;
CREATE TYPE dpsens_internal.state;

CREATE FUNCTION dpsens_internal.plan_in(cstring) RETURNS dpsens_internal.plan
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_plan_in';
COMMENT ON FUNCTION dpsens_internal.plan_in(cstring) IS 'refuses: a plan cannot be typed in';

CREATE FUNCTION dpsens_internal.plan_out(dpsens_internal.plan) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_plan_out';
COMMENT ON FUNCTION dpsens_internal.plan_out(dpsens_internal.plan) IS 'a short description, for EXPLAIN VERBOSE';

CREATE FUNCTION dpsens_internal.state_in(cstring) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_state_in';
COMMENT ON FUNCTION dpsens_internal.state_in(cstring) IS 'refuses: a state has no text form';

CREATE FUNCTION dpsens_internal.state_out(dpsens_internal.state) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_state_out';
COMMENT ON FUNCTION dpsens_internal.state_out(dpsens_internal.state) IS 'refuses: a state holds exact values';

CREATE TYPE dpsens_internal.answer;

CREATE FUNCTION dpsens_internal.answer_in(cstring) RETURNS dpsens_internal.answer
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_answer_in';
COMMENT ON FUNCTION dpsens_internal.answer_in(cstring) IS 'refuses: an answer cannot be typed in';

CREATE FUNCTION dpsens_internal.answer_out(dpsens_internal.answer) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_answer_out';
COMMENT ON FUNCTION dpsens_internal.answer_out(dpsens_internal.answer) IS 'refuses: an answer has no text form';

-- plain: a value is read in place, in a plan and in a tuple alike.
CREATE TYPE dpsens_internal.plan (
	INPUT = dpsens_internal.plan_in,
	OUTPUT = dpsens_internal.plan_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.plan IS 'how an exact sum or a release is made; a constant of a rewritten query';

CREATE TYPE dpsens_internal.state (
	INPUT = dpsens_internal.state_in,
	OUTPUT = dpsens_internal.state_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.state IS 'exact result of one group, before noise';

CREATE TYPE dpsens_internal.answer (
	INPUT = dpsens_internal.answer_in,
	OUTPUT = dpsens_internal.answer_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.answer IS 'what a release yields for one group: noised integers, from which statistics are computed';

-- Which rows of a unit count.
CREATE FUNCTION dpsens_internal.exact_cell(dpsens_internal.plan, "any") RETURNS float8
	LANGUAGE C IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_exact_cell';
COMMENT ON FUNCTION dpsens_internal.exact_cell(dpsens_internal.plan, "any") IS 'the number that an exact sum reads of a value, within its range, NaN of none; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_number(dpsens_internal.plan, VARIADIC "any") RETURNS bigint
	LANGUAGE C IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_exact_number';
COMMENT ON FUNCTION dpsens_internal.exact_number(dpsens_internal.plan, VARIADIC "any") IS 'the number of the declared group that has these keys; null if there is none; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.unit_order(VARIADIC "any") RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_unit_order';
COMMENT ON FUNCTION dpsens_internal.unit_order(VARIADIC "any") IS 'an order of rows by a hash of their values, and then by the values; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_rows(dpsens_internal.plan, VARIADIC "any") RETURNS boolean
	LANGUAGE C VOLATILE PARALLEL RESTRICTED CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_exact_rows';
COMMENT ON FUNCTION dpsens_internal.exact_rows(dpsens_internal.plan, VARIADIC "any") IS 'stands for the choice of rows of units, which a node of the plan makes; only dpsens writes it into queries';

-- The exact stage.

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan) IS 'transition function of exact_state';

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan, VARIADIC "any") IS 'transition function of exact_state';

CREATE FUNCTION dpsens_internal.exact_combine(internal, internal) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_combine';
COMMENT ON FUNCTION dpsens_internal.exact_combine(internal, internal) IS 'combine function of exact_state';

CREATE FUNCTION dpsens_internal.exact_serialize(internal) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_serialize';
COMMENT ON FUNCTION dpsens_internal.exact_serialize(internal) IS 'serialization function of exact_state';

CREATE FUNCTION dpsens_internal.exact_deserialize(bytea, internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_deserialize';
COMMENT ON FUNCTION dpsens_internal.exact_deserialize(bytea, internal) IS 'deserialization function of exact_state';

CREATE FUNCTION dpsens_internal.exact_final(internal) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_final';
COMMENT ON FUNCTION dpsens_internal.exact_final(internal) IS 'final function of exact_state';

-- SSPACE is the state and its allocation's header.
CREATE AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan) IS 'exact count, or sum of a constant, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan, VARIADIC "any") IS 'exact count and sum of an expression of the given columns, before noise; only dpsens writes it into queries';

-- SSPACE is that of six sums, enough for two variables.
CREATE AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan) IS 'exact count, and sums of several constants and of their products, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan, VARIADIC "any") IS 'exact count, and sums of several expressions of the given columns and of their products, before noise; only dpsens writes it into queries';

-- Conditions: a call of one of the server's functions, NULL where that raises.
-- The second argument is NULL, of the type of the result.

CREATE FUNCTION dpsens_internal.exact_attempt(dpsens_internal.plan, anyelement, VARIADIC "any") RETURNS anyelement
	LANGUAGE c STABLE LEAKPROOF CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_attempt';
COMMENT ON FUNCTION dpsens_internal.exact_attempt(dpsens_internal.plan, anyelement, VARIADIC "any") IS 'a function of the server in a condition, NULL where it would raise an error; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_parameter("any") RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_parameter';
COMMENT ON FUNCTION dpsens_internal.exact_parameter("any") IS 'true: shows that a parameter selects rows; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_epsilon(number int4, epsilon float8) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_parameter';
COMMENT ON FUNCTION dpsens_internal.exact_epsilon(int4, float8) IS 'true: shows the epsilon of a release, where it is no constant; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_pattern(pattern text, kind int4) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_pattern';
COMMENT ON FUNCTION dpsens_internal.exact_pattern(text, int4) IS 'true, or an error if a parameter is no pattern that cells may be matched with; only dpsens writes it into queries';

-- The release stage: every call draws noise of its own, in the leader.

CREATE FUNCTION dpsens_internal.release_count(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_count';
COMMENT ON FUNCTION dpsens_internal.release_count(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to a count; only dpsens writes it into queries';

-- What stands in the asker's plan in place of a query that a clean room answers.
CREATE FUNCTION dpsens_internal.release_room(query dpsens_internal.plan) RETURNS SETOF record
	LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_room';
COMMENT ON FUNCTION dpsens_internal.release_room(dpsens_internal.plan) IS 'what a clean room has answered to a query; only dpsens writes it into queries';

-- What stands in a query for a clean room in place of a public relation.  It is never called:
-- a node scans the rows, in parallel workers, too.
CREATE FUNCTION dpsens_internal.exact_brought_support(internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_brought_support';
COMMENT ON FUNCTION dpsens_internal.exact_brought_support(internal) IS 'planner support function of exact_brought';

CREATE FUNCTION dpsens_internal.exact_brought(number int4) RETURNS SETOF record
	LANGUAGE c STABLE STRICT PARALLEL SAFE SUPPORT dpsens_internal.exact_brought_support
	AS 'MODULE_PATHNAME', 'dps_exact_brought';
COMMENT ON FUNCTION dpsens_internal.exact_brought(int4) IS 'rows of a public relation that were brought into a clean room; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_value(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_value';
COMMENT ON FUNCTION dpsens_internal.release_value(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to a sum or mean; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_answer(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS dpsens_internal.answer
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_answer';
COMMENT ON FUNCTION dpsens_internal.release_answer(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to integers that statistics are computed from; only dpsens writes it into queries';
