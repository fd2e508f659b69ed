/*
 * state.c
 *		The exact stage: sums the integers that rows add, for each group, in
 *		128 bits.
 *
 * Rows are not evaluated one by one.  Each transition stores its raw cells in
 * the columns of a batch, beside a pointer to the state of the row's group;
 * a full batch is evaluated at once and its integers are added to their
 * states.  Integer addition is associative, so neither the plan nor the place
 * of a row in a batch can change a sum.
 *
 * One batch serves all groups of an Agg node: it hangs on the transition
 * function's FmgrInfo and lives as long as the query.  A state lives in the
 * memory of its aggregate context and can be freed before: at a rescan, at a
 * group boundary, or when a spilled hash table is refilled.  What keeps a
 * batch from writing into freed memory, and from losing rows:
 *
 * - final, combine and serialize functions flush the batch of their state
 *	 before they read it;
 * - before the first state of a context is made, a callback is registered
 *	 that flushes the batch when that context is reset.  Callbacks run before
 *	 the memory goes, and the first one leaves the batch empty, so that every
 *	 state that a flush writes to is alive.  A reset unregisters the callback,
 *	 so the next state registers it again.
 *
 * After an error no callback runs; batch and states go with the query.
 *
 * Nothing here raises because of what a cell holds.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "agg/state/row_batch.h"
#include "glue/compat.h"
#include "glue/receipt.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_exact_transition);
DPS_SQL_FUNCTION(dps_exact_combine);
DPS_SQL_FUNCTION(dps_exact_serialize);
DPS_SQL_FUNCTION(dps_exact_deserialize);
DPS_SQL_FUNCTION(dps_exact_final);
DPS_SQL_FUNCTION(dps_exact_state_sum);

#define FIRST_CELL_ARG 2

typedef struct Batch Batch;

/* An aggregate context that has had states of a batch. */
typedef struct BatchContext
{
	struct BatchContext *next;
	Batch	   *batch;
	MemoryContext context;
	bool		registered;		/* its callback is pending */
} BatchContext;

struct Batch
{
	DpsBatch	rows;			/* the summand is our copy of it */
	MemoryContext memory;		/* of this struct and all it points to */
	const void *plan;			/* the argument that was decoded: a constant, so
								 * the same address in every call */
	BatchContext *contexts;
};

/* An aggregate context is about to be reset. */
static void
context_callback(Datum arg)
{
	BatchContext *entry = (BatchContext *) DatumGetPointer(arg);

	dps_batch_flush(&entry->batch->rows);
	entry->registered = false;
}

/* Sees to it that the batch is flushed before the context is reset. */
static void
register_context(FunctionCallInfo fcinfo, Batch *batch, MemoryContext context)
{
	BatchContext *entry;

	for (entry = batch->contexts; entry != NULL; entry = entry->next)
	{
		if (entry->context == context)
			break;
	}
	if (entry == NULL)
	{
		entry = MemoryContextAllocZero(batch->memory, sizeof(BatchContext));
		entry->batch = batch;
		entry->context = context;
		entry->next = batch->contexts;
		batch->contexts = entry;
	}
	if (!entry->registered)
	{
		AggRegisterCallback(fcinfo, context_callback, PointerGetDatum(entry));
		entry->registered = true;
	}
}

/* Raises in a window or outside any aggregate; *context, unless context is
 * NULL, is where the states are. */
static void
check_aggregate(FunctionCallInfo fcinfo, MemoryContext *context)
{
	switch (AggCheckCallContext(fcinfo, context))
	{
		case AGG_CONTEXT_AGGREGATE:
			break;
		case AGG_CONTEXT_WINDOW:
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("dp aggregates cannot be used as window functions")));
			break;
		default:
			elog(ERROR, "aggregate function called in non-aggregate context");
	}
}

/* The call must pass what the summand expects. */
static void
check_arguments(FunctionCallInfo fcinfo, const DpsSummandPlan *summand, const DpsCell *cells)
{
	int			i;

	if (PG_NARGS() != FIRST_CELL_ARG + summand->ncells)
		elog(ERROR, "summand expects %d cells, not %d",
			 summand->ncells, PG_NARGS() - FIRST_CELL_ARG);
	for (i = 0; i < summand->ncells; i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, FIRST_CELL_ARG + i);

		if (OidIsValid(type) && getBaseType(type) != cells[i].type)
			elog(ERROR, "summand expects type %u for cell %d, not %u", cells[i].type, i, type);
	}
}

/* Decodes the plan argument of a first call. */
static Batch *
make_batch(FunctionCallInfo fcinfo, const DpsSummandPlan *summand)
{
	MemoryContext memory = fcinfo->flinfo->fn_mcxt;
	MemoryContext previous = MemoryContextSwitchTo(memory);
	Batch	   *batch = palloc0(sizeof(Batch));
	Size		size = VARSIZE(summand);

	batch->memory = memory;
	dps_batch_init(&batch->rows, memcpy(palloc(size), summand, size));
	check_arguments(fcinfo, batch->rows.summand, batch->rows.parts.cells);
	MemoryContextSwitchTo(previous);
	return batch;
}

/*
 * The batch of this call, in the slow case: a first call, or one whose plan
 * argument has moved.
 */
static Batch *
find_batch(FunctionCallInfo fcinfo)
{
	Batch	   *batch = fcinfo->flinfo->fn_extra;
	const DpsSummandPlan *summand;

	check_aggregate(fcinfo, NULL);
	if (PG_ARGISNULL(1))
		dps_refuse_direct_call(get_func_name(fcinfo->flinfo->fn_oid));
	summand = (const DpsSummandPlan *) PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	if (batch == NULL)
	{
		batch = make_batch(fcinfo, summand);
		fcinfo->flinfo->fn_extra = batch;
	}
	else if (VARSIZE(summand) != VARSIZE(batch->rows.summand) ||
			 memcmp(summand, batch->rows.summand, VARSIZE(summand)) != 0)
		elog(ERROR, "the plan of an exact aggregate is not constant");
	batch->plan = PG_GETARG_POINTER(1);
	return batch;
}

/*
 * The state that this call goes on with: a new one for the first row of a
 * group, else the one it was given, which rows may wait for in this batch from
 * now on.
 */
static DpsExactState *
attach_state(FunctionCallInfo fcinfo, Batch *batch, DpsExactState *state)
{
	MemoryContext context;

	check_aggregate(fcinfo, &context);
	register_context(fcinfo, batch, context);
	if (state == NULL)
		return dps_exact_state_make(context, &batch->rows);
	if (state->batch != NULL)
		dps_batch_flush(state->batch);
	state->batch = &batch->rows;
	return state;
}

/* exact_transition(internal, dpsens_internal.plan [, VARIADIC "any"]) */
Datum
dps_exact_transition(PG_FUNCTION_ARGS)
{
	Batch	   *batch = fcinfo->flinfo->fn_extra;
	DpsExactState *state = PG_ARGISNULL(0) ? NULL : (DpsExactState *) PG_GETARG_POINTER(0);
	DpsBatch   *rows;
	int			ncells;
	int			row;
	int			i;

	if (batch == NULL || PG_ARGISNULL(1) || PG_GETARG_POINTER(1) != batch->plan)
		batch = find_batch(fcinfo);
	rows = &batch->rows;
	if (state == NULL || state->batch != rows)
		state = attach_state(fcinfo, batch, state);

	if (rows->parts.program == NULL)
	{
		state->sums.count++;
		PG_RETURN_POINTER(state);
	}

	ncells = rows->summand->ncells;
	row = rows->nrows;
	for (i = 0; i < ncells; i++)
	{
		int			arg = FIRST_CELL_ARG + i;

		rows->columns[i][row] = PG_ARGISNULL(arg) ? NAN :
			dps_read_cell(rows->parts.cells[i].type, PG_GETARG_DATUM(arg));
	}
	rows->states[row] = &state->sums;
	rows->nrows = row + 1;
	if (rows->nrows == DPS_BATCH)
		dps_batch_flush(rows);
	PG_RETURN_POINTER(state);
}

/* exact_combine(internal, internal) */
Datum
dps_exact_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	DpsExactState *into = PG_ARGISNULL(0) ? NULL : (DpsExactState *) PG_GETARG_POINTER(0);
	DpsExactState *from = PG_ARGISNULL(1) ? NULL : (DpsExactState *) PG_GETARG_POINTER(1);

	check_aggregate(fcinfo, &context);
	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	/* The second state may live in shorter-lived memory than the first. */
	if (into == NULL)
		into = from->sums.tallies ? dps_exact_state_of_tally(context, from->sums.tally->points) :
			dps_exact_state_of_sums(context, from->sums.nsums);
	dps_exact_state_add(into, from);
	PG_RETURN_POINTER(into);
}

/* Final value and transport form are the same. */

/* exact_serialize(internal) */
Datum
dps_exact_serialize(PG_FUNCTION_ARGS)
{
	check_aggregate(fcinfo, NULL);
	PG_RETURN_BYTEA_P((bytea *) dps_exact_state_freeze((DpsExactState *) PG_GETARG_POINTER(0)));
}

/* exact_deserialize(bytea, internal) */
Datum
dps_exact_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	Size		size = VARSIZE_ANY_EXHDR(bytes) + VARHDRSZ;
	DpsState   *frozen = palloc(Max(size, sizeof(DpsState)));
	DpsExactState *state;

	check_aggregate(fcinfo, NULL);
	memcpy(VARDATA(frozen), VARDATA_ANY(bytes), size - VARHDRSZ);
	SET_VARSIZE(frozen, size);
	dps_state_check(frozen);
	state = dps_exact_state_thaw(CurrentMemoryContext, frozen);
	pfree(frozen);
	PG_RETURN_POINTER(state);
}

/* exact_final(internal): NULL for a group that no row reached. */
Datum
dps_exact_final(PG_FUNCTION_ARGS)
{
	check_aggregate(fcinfo, NULL);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(dps_exact_state_freeze((DpsExactState *) PG_GETARG_POINTER(0)));
}

/* exact_state_add(internal, dpsens_internal.state): of one that another node has sent */
Datum
dps_exact_state_sum(PG_FUNCTION_ARGS)
{
	DpsExactState *into = PG_ARGISNULL(0) ? NULL : (DpsExactState *) PG_GETARG_POINTER(0);
	const DpsState *frozen;
	MemoryContext context;

	check_aggregate(fcinfo, &context);
	/* a group that no row of the shard reached */
	if (PG_ARGISNULL(1))
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	frozen = (const DpsState *) PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	dps_state_check(frozen);
	if (into == NULL)
		PG_RETURN_POINTER(dps_exact_state_thaw(context, frozen));
	dps_exact_state_add(into, dps_exact_state_thaw(CurrentMemoryContext, frozen));
	PG_RETURN_POINTER(into);
}
