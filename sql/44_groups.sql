-- The exact states of all groups of a query in one block.

CREATE TYPE dpsens_internal.states;

CREATE FUNCTION dpsens_internal.states_in(cstring) RETURNS dpsens_internal.states
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_block_in';
COMMENT ON FUNCTION dpsens_internal.states_in(cstring) IS 'refuses what no node of the cluster has sent: states cannot be typed in';

CREATE FUNCTION dpsens_internal.states_out(dpsens_internal.states) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_block_out';
COMMENT ON FUNCTION dpsens_internal.states_out(dpsens_internal.states) IS 'cipher text for the coordinator that has asked for it, and refuses otherwise: states have no text form';

CREATE TYPE dpsens_internal.states (
	INPUT = dpsens_internal.states_in,
	OUTPUT = dpsens_internal.states_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.states IS 'exact results of all groups of a query, before noise';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan) IS 'transition function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan, VARIADIC "any") IS 'transition function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_combine(internal, internal) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_combine';
COMMENT ON FUNCTION dpsens_internal.exact_groups_combine(internal, internal) IS 'combine function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_serialize(internal) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_serialize';
COMMENT ON FUNCTION dpsens_internal.exact_groups_serialize(internal) IS 'serialization function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_deserialize(bytea, internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_deserialize';
COMMENT ON FUNCTION dpsens_internal.exact_groups_deserialize(bytea, internal) IS 'deserialization function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_final(internal) RETURNS dpsens_internal.states
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_final';
COMMENT ON FUNCTION dpsens_internal.exact_groups_final(internal) IS 'final function of exact_groups';

CREATE AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_groups_combine,
	SERIALFUNC = dpsens_internal.exact_groups_serialize,
	DESERIALFUNC = dpsens_internal.exact_groups_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan) IS 'exact count of rows, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_groups_combine,
	SERIALFUNC = dpsens_internal.exact_groups_serialize,
	DESERIALFUNC = dpsens_internal.exact_groups_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan, VARIADIC "any") IS 'exact counts and sums of several expressions of the given columns for all groups of the given keys, before noise; only dpsens writes it into queries';

-- Without a combine function: which rows of a unit count is known where all of
-- them are.
CREATE AGGREGATE dpsens_internal.exact_units(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_units(dpsens_internal.plan, VARIADIC "any") IS 'as exact_groups, of the rows that count of each unit, which is the first argument after the plan; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_parts(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = READ_WRITE,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dpsens_internal.exact_parts(dpsens_internal.plan, VARIADIC "any") IS 'as exact_groups, of more groups than work_mem holds: a reference to states in memory and temporary files; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_group(dpsens_internal.states, int4, int4) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_group';
COMMENT ON FUNCTION dpsens_internal.exact_group(dpsens_internal.states, int4, int4) IS 'one state of the group of this number; null if there were no rows; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_key(anyarray, int4, int4) RETURNS anyelement
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_key';
COMMENT ON FUNCTION dpsens_internal.exact_key(anyarray, int4, int4) IS 'the declared value of the group of this number, where so many groups in a row have the same; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_key(anyelement, int4, int4, int4) RETURNS anyelement
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_key_of_range';
COMMENT ON FUNCTION dpsens_internal.exact_key(anyelement, int4, int4, int4) IS 'the same where the declared values are so many integers or dates in a row from the first argument on: the group, how many groups in a row have the same value, and how many values there are; only dpsens writes it into queries';

-- not strict: the second argument only says which type
CREATE FUNCTION dpsens_internal.exact_listed_key(dpsens_internal.plan, anyelement, int4, int4) RETURNS anyelement
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_listed_key';
COMMENT ON FUNCTION dpsens_internal.exact_listed_key(dpsens_internal.plan, anyelement, int4, int4) IS 'the same of many declared values, which the first argument refers to; the second one is null, of their type; only dpsens writes it into queries';

-- What nodes of a cluster of Citus send of their shards, and its sum.  Citus sends an aggregate named sum to
-- the shards as it is, and adds up what they yield by the sum of the result's type.
-- Plans that travel are of types of their own, which these sums alone take.
CREATE TYPE dpsens_internal.shard_plan;

CREATE FUNCTION dpsens_internal.shard_plan_in(cstring) RETURNS dpsens_internal.shard_plan
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_plan_in';
COMMENT ON FUNCTION dpsens_internal.shard_plan_in(cstring) IS 'refuses what no coordinator of the cluster has sent';

CREATE FUNCTION dpsens_internal.shard_plan_out(dpsens_internal.shard_plan) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_plan_out';
COMMENT ON FUNCTION dpsens_internal.shard_plan_out(dpsens_internal.shard_plan) IS 'cipher text where a coordinator sends it, else a short description';

CREATE TYPE dpsens_internal.shard_plan (
	INPUT = dpsens_internal.shard_plan_in,
	OUTPUT = dpsens_internal.shard_plan_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.shard_plan IS 'how a block of exact states is made, in a query that nodes of a cluster answer';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan) IS 'transition function of the sum of a shard_plan';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.shard_plan, VARIADIC "any") IS 'transition function of the sum of a shard_plan';

-- Without a combine function, since which rows of a unit count is known where all of them are; nodes of our
-- own scan in parallel where all count.
CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan) (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan) IS 'exact_groups of a shard; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan, VARIADIC "any") IS 'exact_groups, or exact_units, of a shard; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_states_add(internal, dpsens_internal.states) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_states_add';
COMMENT ON FUNCTION dpsens_internal.exact_states_add(internal, dpsens_internal.states) IS 'transition function of the sum of states';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.states) (
	SFUNC = dpsens_internal.exact_states_add,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.states) IS 'the states of all shards; only dpsens writes it into queries';

-- What nodes attempt: of a type of its own, which nobody can type in. Only what follows from the arguments alone is sent.
CREATE TYPE dpsens_internal.shard_attempt;

CREATE FUNCTION dpsens_internal.shard_attempt_in(cstring) RETURNS dpsens_internal.shard_attempt
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_attempt_in';
COMMENT ON FUNCTION dpsens_internal.shard_attempt_in(cstring) IS 'refuses what no coordinator of the cluster has sent';

CREATE FUNCTION dpsens_internal.shard_attempt_out(dpsens_internal.shard_attempt) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_shard_attempt_out';
COMMENT ON FUNCTION dpsens_internal.shard_attempt_out(dpsens_internal.shard_attempt) IS 'cipher text where a coordinator sends it, else a short description';

CREATE TYPE dpsens_internal.shard_attempt (
	INPUT = dpsens_internal.shard_attempt_in,
	OUTPUT = dpsens_internal.shard_attempt_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.shard_attempt IS 'what a condition or a key attempts, in a query that nodes of a cluster answer';

CREATE FUNCTION dpsens_internal.attempt(dpsens_internal.shard_attempt, anyelement, VARIADIC "any") RETURNS anyelement
	LANGUAGE c IMMUTABLE LEAKPROOF CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_attempt';
COMMENT ON FUNCTION dpsens_internal.attempt(dpsens_internal.shard_attempt, anyelement, VARIADIC "any") IS 'exact_attempt on a node of a cluster; only dpsens writes it into queries';

CREATE TYPE dpsens_internal.summand;

CREATE FUNCTION dpsens_internal.summand_in(cstring) RETURNS dpsens_internal.summand
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_summand_in';
COMMENT ON FUNCTION dpsens_internal.summand_in(cstring) IS 'refuses what no coordinator of the cluster has sent';

CREATE FUNCTION dpsens_internal.summand_out(dpsens_internal.summand) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_summand_out';
COMMENT ON FUNCTION dpsens_internal.summand_out(dpsens_internal.summand) IS 'cipher text where a coordinator sends it, else a short description';

CREATE TYPE dpsens_internal.summand (
	INPUT = dpsens_internal.summand_in,
	OUTPUT = dpsens_internal.summand_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.summand IS 'how a single exact state is made, in a query that nodes of a cluster answer';

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand) IS 'transition function of the sum of a summand';

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.summand, VARIADIC "any") IS 'transition function of the sum of a summand';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.summand) (
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
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.summand) IS 'exact_state, exact_vector or exact_tally of a group in a shard; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.summand, VARIADIC "any") (
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
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.summand, VARIADIC "any") IS 'exact_state, exact_vector or exact_tally of a group in a shard; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_state_add(internal, dpsens_internal.state) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_state_sum';
COMMENT ON FUNCTION dpsens_internal.exact_state_add(internal, dpsens_internal.state) IS 'transition function of the sum of single states';

CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.state) (
	SFUNC = dpsens_internal.exact_state_add,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dpsens_internal.sum(dpsens_internal.state) IS 'the states of a group in all shards; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_distributed(query dpsens_internal.plan) RETURNS SETOF record
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 1
	AS 'MODULE_PATHNAME', 'dps_exact_distributed';
COMMENT ON FUNCTION dpsens_internal.exact_distributed(dpsens_internal.plan) IS 'what a query of exact states yields that Citus plans; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_distributed(query dpsens_internal.plan, VARIADIC parameters "any") RETURNS SETOF record
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 1
	AS 'MODULE_PATHNAME', 'dps_exact_distributed';
COMMENT ON FUNCTION dpsens_internal.exact_distributed(dpsens_internal.plan, VARIADIC "any") IS 'the same of a query with parameters; only dpsens writes it into queries';
