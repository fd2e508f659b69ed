/*
 * groups_sql.c
 *		exact_groups: the aggregate that yields the states of all groups of a
 *		query, and the function that takes one of them out.
 *
 * A state of the aggregate and the rows that wait for it live in one memory
 * context, so neither can outlive the other.  Nothing here raises because of
 * what a cell holds.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "agg/state/groups.h"
#include "agg/state/travel.h"
#include "glue/compat.h"
#include "glue/receipt.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_exact_groups_transition);
DPS_SQL_FUNCTION(dps_exact_groups_combine);
DPS_SQL_FUNCTION(dps_exact_groups_serialize);
DPS_SQL_FUNCTION(dps_exact_groups_deserialize);
DPS_SQL_FUNCTION(dps_exact_groups_final);
DPS_SQL_FUNCTION(dps_exact_group);
DPS_SQL_FUNCTION(dps_exact_key);
DPS_SQL_FUNCTION(dps_exact_key_of_range);
DPS_SQL_FUNCTION(dps_exact_listed_key);
DPS_SQL_FUNCTION(dps_exact_states_add);
DPS_SQL_FUNCTION(dps_block_in);
DPS_SQL_FUNCTION(dps_block_out);

#define UNIT_ARG 2

/* ---- the aggregate ---- */

/* Where the keys begin, among the arguments of the transition function. */
static int
first_key_arg(const DpsGroupsPlan *plan)
{
	return dps_groups_limit_units(plan) ? UNIT_ARG + 1 : UNIT_ARG;
}

/* Groups have no plan if the state is a block that was handed over. */
static DpsGroupSums *
make_state(MemoryContext context)
{
	return MemoryContextAllocZero(context, sizeof(DpsGroupSums));
}

static void
check_aggregate(FunctionCallInfo fcinfo, MemoryContext *context)
{
	int			kind = AggCheckCallContext(fcinfo, context);

	if (kind == AGG_CONTEXT_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates cannot be used as window functions")));
	if (kind != AGG_CONTEXT_AGGREGATE)
		elog(ERROR, "aggregate function called in non-aggregate context");
}

/* The types of the arguments behind the plan; their number. */
static int
argument_types(FunctionCallInfo fcinfo, Oid *types)
{
	int			n = PG_NARGS() - UNIT_ARG;
	int			i;

	/* an array that stands for them has one type */
	if (get_fn_expr_variadic(fcinfo->flinfo))
		elog(ERROR, "groups expect other arguments");
	for (i = 0; i < n; i++)
		types[i] = get_fn_expr_argtype(fcinfo->flinfo, UNIT_ARG + i);
	return n;
}

/* Called by the executor before it frees the state's memory, unless there was an error. */
static void
end_state(Datum groups)
{
	dps_groups_end((DpsGroupSums *) DatumGetPointer(groups));
}

/* Called once for many rows, so kept apart from the code for each row. */
static pg_noinline DpsGroupSums *
begin_state(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	MemoryContext previous;
	const DpsGroupsPlan *plan;
	DpsGroupSums  *groups;
	Oid			types[FUNC_MAX_ARGS];
	int			n = argument_types(fcinfo, types);

	check_aggregate(fcinfo, &context);
	if (PG_ARGISNULL(1))
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	plan = (const DpsGroupsPlan *) PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	groups = make_state(context);
	previous = MemoryContextSwitchTo(context);
	dps_groups_init(groups, memcpy(palloc(VARSIZE(plan)), plan, VARSIZE(plan)), types, n);
	MemoryContextSwitchTo(previous);
	AggRegisterCallback(fcinfo, end_state, PointerGetDatum(groups));
	return groups;
}

/* A row of a group; its cells and filters are the arguments from this one on. */
static inline void
add_row(DpsGroupSums *groups, const NullableDatum *arg, uint32 group, const NullableDatum *unit)
{
	const DpsGroupsPlan *plan = groups->plan;
	int			row = groups->nrows;
	int			i;

	for (i = 0; i < plan->ncells; i++, arg++)
		groups->columns[i][row] = arg->isnull ? NAN : dps_read_cell(groups->cells[i].type, arg->value);
	for (i = 0; i < plan->nfilters; i++, arg++)
		groups->filters[i][row] = !arg->isnull && DatumGetBool(arg->value);
	if (groups->units != NULL)
		dps_groups_end_unit_row(groups, group, unit->value, unit->isnull);
	else
		dps_groups_end_row(groups, group);
}

/* exact_groups_transition(internal, dpsens_internal.plan [, VARIADIC "any"]) */
Datum
dps_exact_groups_transition(PG_FUNCTION_ARGS)
{
	DpsGroupSums  *groups = PG_ARGISNULL(0) ? begin_state(fcinfo) : (DpsGroupSums *) PG_GETARG_POINTER(0);
	const NullableDatum *keys = &fcinfo->args[first_key_arg(groups->plan)];
	int64		group = dps_groups_find(groups->maps, groups->plan->nkeys, keys);

	if (group >= 0)
		add_row(groups, keys + groups->plan->nkeys, (uint32) group, &fcinfo->args[UNIT_ARG]);
	PG_RETURN_POINTER(groups);
}

static void
finish(DpsGroupSums *groups)
{
	if (groups->plan != NULL)
		dps_groups_finish(groups);
}

static DpsBlock *
copy_block(MemoryContext context, const DpsBlock *block)
{
	Size		size = VARSIZE(block);

	return memcpy(MemoryContextAlloc(context, size), block, size);
}

/* exact_groups_combine(internal, internal) */
Datum
dps_exact_groups_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	DpsGroupSums  *into = PG_ARGISNULL(0) ? NULL : (DpsGroupSums *) PG_GETARG_POINTER(0);
	DpsGroupSums  *from = PG_ARGISNULL(1) ? NULL : (DpsGroupSums *) PG_GETARG_POINTER(1);

	check_aggregate(fcinfo, &context);
	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	finish(from);
	if (into == NULL)
	{
		/* the second state may live in shorter-lived memory */
		into = make_state(context);
		into->block = copy_block(context, from->block);
		PG_RETURN_POINTER(into);
	}
	finish(into);
	dps_block_add(into->block, from->block);
	PG_RETURN_POINTER(into);
}

/* exact_groups_serialize(internal): the block itself. */
Datum
dps_exact_groups_serialize(PG_FUNCTION_ARGS)
{
	DpsGroupSums  *groups = (DpsGroupSums *) PG_GETARG_POINTER(0);

	check_aggregate(fcinfo, NULL);
	finish(groups);
	PG_RETURN_BYTEA_P((bytea *) groups->block);
}

/* exact_groups_deserialize(bytea, internal) */
Datum
dps_exact_groups_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	Size		size = VARSIZE_ANY_EXHDR(bytes) + VARHDRSZ;
	DpsGroupSums  *groups = make_state(CurrentMemoryContext);

	check_aggregate(fcinfo, NULL);
	if (VARATT_IS_4B(bytes) && (uintptr_t) bytes % MAXIMUM_ALIGNOF == 0)
		groups->block = (DpsBlock *) bytes;
	else
	{
		groups->block = palloc(Max(size, sizeof(DpsBlock)));
		memcpy(VARDATA(groups->block), VARDATA_ANY(bytes), size - VARHDRSZ);
		SET_VARSIZE(groups->block, size);
	}
	dps_block_check(groups->block);
	PG_RETURN_POINTER(groups);
}

/* exact_groups_final(internal): NULL if there was no row. */
Datum
dps_exact_groups_final(PG_FUNCTION_ARGS)
{
	DpsGroupSums  *groups = PG_ARGISNULL(0) ? NULL : (DpsGroupSums *) PG_GETARG_POINTER(0);

	check_aggregate(fcinfo, NULL);
	if (groups == NULL)
		PG_RETURN_NULL();
	finish(groups);
	return dps_groups_result(groups);
}

/* ---- one group ---- */

/*
 * exact_group(dpsens_internal.states, int4, int4): a state of the group of this number;
 * NULL if there was no row at all.
 */
Datum
dps_exact_group(PG_FUNCTION_ARGS)
{
	const DpsBlock *block;
	DpsGroupParts *parts;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		elog(ERROR, "no such state");
	block = (const DpsBlock *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	parts = dps_parts_find(block);
	if (parts != NULL)
		PG_RETURN_POINTER(dps_parts_state(parts, PG_GETARG_UINT32(1), PG_GETARG_UINT32(2)));
	/* one look at each block */
	if (fcinfo->flinfo->fn_extra != (void *) block)
	{
		dps_block_check(block);
		fcinfo->flinfo->fn_extra = (void *) block;
	}
	PG_RETURN_POINTER(dps_block_state(block, PG_GETARG_UINT32(1), PG_GETARG_UINT32(2)));
}

typedef struct Elements
{
	int			n;
	Datum	   *values;
} Elements;

static const Elements *
find_elements(FunctionCallInfo fcinfo)
{
	Elements   *elements = fcinfo->flinfo->fn_extra;
	MemoryContext previous;
	ArrayType  *array;
	int16		length;
	bool		byval;
	char		align;

	if (elements != NULL)
		return elements;
	/* the elements are those of the first array in all later calls */
	if (!get_fn_expr_arg_stable(fcinfo->flinfo, 0))
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	elements = palloc(sizeof(Elements));
	array = PG_GETARG_ARRAYTYPE_P(0);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &byval, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, byval, align, &elements->values, NULL, &elements->n);
	fcinfo->flinfo->fn_extra = elements;
	MemoryContextSwitchTo(previous);
	return elements;
}

/*
 * exact_key(anyarray, int4, int4): the declared value, of a constant array, that
 * the group of this number has; the third argument is the number of groups
 * that have the same value one after the other.
 */
Datum
dps_exact_key(PG_FUNCTION_ARGS)
{
	const Elements *elements;
	uint32		group = PG_GETARG_UINT32(1);
	uint32		repeated = PG_GETARG_UINT32(2);

	elements = find_elements(fcinfo);
	if (repeated == 0 || elements->n == 0)
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	return elements->values[group / repeated % (uint32) elements->n];
}

/*
 * exact_key(anyelement, int4, int4, int4): the same for values that are consecutive
 * integers, beginning with the first argument.
 */
Datum
dps_exact_key_of_range(PG_FUNCTION_ARGS)
{
	uint32		group = PG_GETARG_UINT32(1);
	uint32		repeated = PG_GETARG_UINT32(2);
	uint32		n = PG_GETARG_UINT32(3);
	int16	   *length = fcinfo->flinfo->fn_extra;

	if (repeated == 0 || n == 0)
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	if (length == NULL)
	{
		Oid			type = get_fn_expr_rettype(fcinfo->flinfo);

		/* for types passed by reference the number would be an address */
		if (!OidIsValid(type) || !get_typbyval(type))
			dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
		length = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(int16));
		*length = get_typlen(type);
		fcinfo->flinfo->fn_extra = length;
	}
	return dps_key_of_integer(dps_key_integer(PG_GETARG_DATUM(0), *length) + group / repeated % n, *length);
}

/*
 * exact_listed_key(dpsens_internal.plan, anyelement, int4, int4): the same of values that
 * the constant refers to.  The second argument is NULL, and says of which type they are.
 */
Datum
dps_exact_listed_key(PG_FUNCTION_ARGS)
{
	const DpsKeyMap *map = fcinfo->flinfo->fn_extra;
	const DpsKeysPlan *plan;
	MemoryContext previous;
	uint32		repeated;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	repeated = PG_GETARG_UINT32(3);
	if (map == NULL)
	{
		plan = (const DpsKeysPlan *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
		if (VARSIZE(plan) != sizeof(DpsKeysPlan) || plan->version != DPS_KEYS_VERSION ||
			plan->reference.key.type != get_fn_expr_rettype(fcinfo->flinfo))
			elog(ERROR, "invalid keys");
		previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		map = dps_find_keys(&plan->reference);
		MemoryContextSwitchTo(previous);
		fcinfo->flinfo->fn_extra = unconstify(DpsKeyMap *, map);
	}
	if (repeated == 0 || map->nkeys == 0)
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	return dps_key_map_value(map, PG_GETARG_UINT32(2) / repeated % map->nkeys);
}

/* ---- states of other nodes ---- */

/* exact_states_add(internal, dpsens_internal.states) */
Datum
dps_exact_states_add(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	DpsGroupSums *into = PG_ARGISNULL(0) ? NULL : (DpsGroupSums *) PG_GETARG_POINTER(0);
	const DpsBlock *block;

	check_aggregate(fcinfo, &context);
	/* a shard without rows */
	if (PG_ARGISNULL(1))
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	block = (const DpsBlock *) PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	dps_block_check(block);
	if (into == NULL)
	{
		into = make_state(context);
		into->block = copy_block(context, block);
	}
	else
		dps_block_add(into->block, block);
	PG_RETURN_POINTER(into);
}

/* ---- the type ---- */

Datum
dps_block_in(PG_FUNCTION_ARGS)
{
	struct varlena *states = dps_states_received(DPS_TRAVELS_BLOCK, PG_GETARG_CSTRING(0));

	if (states == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot accept a value of type %s", "dpsens_internal.states")));
	dps_block_check((const DpsBlock *) states);
	PG_RETURN_POINTER(states);
}

Datum
dps_block_out(PG_FUNCTION_ARGS)
{
	char	   *sent = dps_states_sent(DPS_TRAVELS_BLOCK, (const struct varlena *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0)));

	if (sent == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot display a value of type %s", "dpsens_internal.states")));
	PG_RETURN_CSTRING(sent);
}
