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

#include <fenv.h>
#include <math.h>

#include "fmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "agg/aggregate.h"
#include "agg/moment.h"
#include "glue/compat.h"

PG_FUNCTION_INFO_V1(dps_exact_transition);
PG_FUNCTION_INFO_V1(dps_exact_combine);
PG_FUNCTION_INFO_V1(dps_exact_serialize);
PG_FUNCTION_INFO_V1(dps_exact_deserialize);
PG_FUNCTION_INFO_V1(dps_exact_final);

#define FIRST_CELL_ARG 2

typedef struct Batch Batch;

/* The running state of a group; SSPACE in the SQL definition covers one with
 * one sum, and its allocation's header. */
typedef struct ExactState
{
	Batch	   *batch;			/* where rows of this group may wait, or NULL */
	uint64		nsums:7;
	uint64		tallies:1;		/* there are no sums, but a tally */
	int64		count:56;		/* rows that were valid and not NULL */
	union
	{
		DpsSum		sum[1];		/* nsums of them */
		DpsTally   *tally;
	};
} ExactState;

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
	MemoryContext memory;		/* of this struct and all it points to */
	const void *plan;			/* the argument that was decoded: a constant, so
								 * the same address in every call */
	const DpsSummandPlan *summand;	/* our copy of it */
	DpsSummandParts parts;
	int			nsums;			/* 0 if they are tallied */
	BatchContext *contexts;

	int			nrows;
	ExactState **states;		/* of each row's group */
	double	  **columns;		/* one per cell, DPS_BATCH entries each */
	double	   *values[DPS_MAX_VALUES]; /* as are these */
	int64	   *integers[DPS_MAX_VALUES];
	double	   *scratch;
};

static inline void
add_to_sum(DpsSum *to, uint64 low, int64 high)
{
	uint64		sum = to->low + low;

	to->high = (int64) ((uint64) to->high + (uint64) high + (sum < low ? 1 : 0));
	to->low = sum;
}

static inline void
add_integer(DpsSum *to, int64 integer)
{
	add_to_sum(to, (uint64) integer, integer < 0 ? -1 : 0);
}

/*
 * Turns n values into integers (MATH section 5): clamp(rint(clamp(f, L, U) /
 * 2^k), lo, hi), and clears valid[i] where f is NaN.
 *
 * The scale 2^-k is applied in two halves: it can lie outside the range of a
 * double, each half cannot; multiplying by a power of two is exact as long as the
 * result is normal, it cannot overflow since |f| / 2^k <= 2^62 after the first
 * clamp, and where it is subnormal the integer is 0 either way.  Work does not
 * depend on the values.
 */
static void
round_values(const DpsSummandValue *how, const double *values, int n, int64 *integers, int64 *valid)
{
	int			half = how->grid / 2;
	double		first_scale = ldexp(1.0, -half);
	double		second_scale = ldexp(1.0, half - how->grid);
	double		lower = how->value_lo;
	double		upper = how->value_hi;
	int64		lo = how->lo;
	int64		hi = how->hi;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		value = values[i];
		int64		is_number = value == value;
		double		scaled;
		int64		integer;

		value = is_number ? value : lower;
		value = value < lower ? lower : value;
		value = value > upper ? upper : value;
		scaled = rint(value * first_scale * second_scale);

		/* The casts of lo and hi may round, but not past 2^62, so that the
		 * conversion is defined; the integer comparison decides. */
		scaled = scaled < (double) lo ? (double) lo : scaled;
		scaled = scaled > (double) hi ? (double) hi : scaled;
		integer = (int64) scaled;
		integer = integer < lo ? lo : integer;
		integer = integer > hi ? hi : integer;

		integers[i] = integer;
		valid[i] &= is_number;
	}
}

/*
 * Does the row keep within the norms?  Centred integers are at most 2^60 where
 * there are limits, so that nothing overflows.
 */
static inline int64
keeps_limits(const Batch *batch, int row)
{
	const DpsSummandPlan *summand = batch->summand;
	unsigned __int128 square = 0;
	uint64		sum = 0;
	int			i;

	for (i = 0; i < summand->nvalues; i++)
	{
		int64		centred = batch->integers[i][row] - batch->parts.values[i].centre;
		uint64		magnitude = (uint64) (centred < 0 ? -centred : centred);

		sum += magnitude;
		square += (unsigned __int128) magnitude * magnitude;
	}
	return sum <= summand->limit_l1 && square <= (unsigned __int128) summand->limit_l2 * summand->limit_l2;
}

/* Adds the integers of a row and their products, or nothing; the work is the
 * same. */
static void
add_row(const Batch *batch, int row, int64 valid)
{
	const DpsSummandPlan *summand = batch->summand;
	ExactState *state = batch->states[row];
	DpsSum	   *sum = state->sum;
	int64		centred[DPS_MAX_VALUES];
	int			i;

	if (summand->limit_l1 != 0)
		valid &= keeps_limits(batch, row);
	state->count += valid;
	for (i = 0; i < summand->nvalues; i++)
	{
		int64		integer = batch->integers[i][row] & -valid;

		centred[i] = (integer - batch->parts.values[i].centre) & -valid;
		add_integer(sum++, integer);
	}
	for (i = 0; i < summand->nproducts; i++)
	{
		const DpsProduct *product = &batch->parts.products[i];

		add_integer(sum++, dps_moment_product(centred[product->first], centred[product->second], product->shift));
	}
}

/*
 * Turns n values into the numbers of their buckets: those from edge i on and
 * below edge i + 1 are in bucket i, and the last edge is in the last one.  What is
 * in none is not valid.
 */
static void
find_buckets(const Batch *batch, int n, int64 *integers, int64 *valid)
{
	const DpsSummandValue *how = &batch->parts.values[0];
	const double *edges = batch->parts.edges;
	int			nbuckets = (int) batch->summand->nedges - 1;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		value = Min(Max(batch->values[0][i], how->value_lo), how->value_hi);
		int			first = 0;
		int			last = nbuckets + 1;

		/* the number of edges that are not above the value */
		while (first < last)
		{
			int			middle = (first + last) / 2;

			if (edges[middle] <= value)
				first = middle + 1;
			else
				last = middle;
		}
		valid[i] = !isnan(batch->values[0][i]) && first > 0 && value <= edges[nbuckets];
		integers[i] = valid[i] ? Min(first, nbuckets) - 1 : 0;
	}
}

/* Counts the integers of n rows one by one. */
static void
add_to_tallies(const Batch *batch, int n, const int64 *valid)
{
	int64		lo = batch->parts.values[0].lo;
	int			i;

	for (i = 0; i < n; i++)
	{
		ExactState *state = batch->states[i];

		if (!valid[i])
			continue;
		state->count++;
		dps_tally_add(state->tally, (uint32) (batch->integers[0][i] - lo), 1);
	}
}

/* The same where there is one value and nothing else. */
static void
add_single(const Batch *batch, int n, const int64 *valid)
{
	const int64 *integers = batch->integers[0];
	int			i;

	for (i = 0; i < n; i++)
	{
		ExactState *state = batch->states[i];

		state->count += valid[i];
		add_integer(&state->sum[0], integers[i] & -valid[i]);
	}
}

/* Evaluates what waits and adds it to the states. */
static void
flush_batch(Batch *batch)
{
	const DpsSummandParts *parts = &batch->parts;
	int64		valid[DPS_BATCH];
	int			n = batch->nrows;
	int			rounding;
	int			i;

	if (n == 0)
		return;

	/* Another extension may have left a directed mode behind. */
	rounding = fegetround();
	if (rounding != FE_TONEAREST)
		fesetround(FE_TONEAREST);
	for (i = 0; i < batch->summand->ncells; i++)
		dps_clamp_cells(batch->columns[i], n, &parts->cells[i].domain);
	dps_evaluate(parts->program, (const double *const *) batch->columns, n, batch->scratch, batch->values);
	for (i = 0; i < n; i++)
		valid[i] = 1;
	if (batch->summand->nedges > 0)
		find_buckets(batch, n, batch->integers[0], valid);
	for (i = 0; i < batch->summand->nvalues && batch->summand->nedges == 0; i++)
		round_values(&parts->values[i], batch->values[i], n, batch->integers[i], valid);
	if (rounding != FE_TONEAREST)
		fesetround(rounding);

	if (batch->summand->tallies)
		add_to_tallies(batch, n, valid);
	else if (batch->nsums == 1 && batch->summand->limit_l1 == 0)
		add_single(batch, n, valid);
	else
	{
		for (i = 0; i < n; i++)
			add_row(batch, i, valid[i]);
	}
	batch->nrows = 0;
}

static void
flush_state(ExactState *state)
{
	if (state->batch != NULL)
		flush_batch(state->batch);
}

/* An aggregate context is about to be reset. */
static void
context_callback(Datum arg)
{
	BatchContext *entry = (BatchContext *) DatumGetPointer(arg);

	flush_batch(entry->batch);
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

static ExactState *
make_state(MemoryContext context, int nsums)
{
	ExactState *state = MemoryContextAllocZero(context, offsetof(ExactState, sum) + nsums * sizeof(DpsSum));

	state->nsums = nsums;
	return state;
}

static ExactState *
make_tally_state(MemoryContext context, uint32 points)
{
	ExactState *state = MemoryContextAllocZero(context, sizeof(ExactState));

	state->tallies = 1;
	state->tally = dps_tally_make(context, points);
	return state;
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

static void
allocate_rows(Batch *batch)
{
	int			ncells = batch->summand->ncells;
	int			i;

	batch->states = palloc(sizeof(ExactState *) * DPS_BATCH);
	for (i = 0; i < batch->summand->nvalues; i++)
	{
		batch->values[i] = palloc(sizeof(double) * DPS_BATCH);
		batch->integers[i] = palloc(sizeof(int64) * DPS_BATCH);
	}
	batch->columns = palloc(sizeof(double *) * Max(ncells, 1));
	for (i = 0; i < ncells; i++)
		batch->columns[i] = palloc(sizeof(double) * DPS_BATCH);
	batch->scratch = palloc(sizeof(double) * Max(dps_scratch_size(batch->parts.program), 1));
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
	batch->summand = memcpy(palloc(size), summand, size);
	dps_summand_parts(batch->summand, &batch->parts);
	check_arguments(fcinfo, batch->summand, batch->parts.cells);
	batch->nsums = summand->tallies ? 0 : summand->nvalues + summand->nproducts;
	if (batch->parts.program != NULL)
		allocate_rows(batch);
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
		elog(ERROR, "the plan of an exact aggregate is null");
	summand = (const DpsSummandPlan *) PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	if (batch == NULL)
	{
		batch = make_batch(fcinfo, summand);
		fcinfo->flinfo->fn_extra = batch;
	}
	else if (VARSIZE(summand) != VARSIZE(batch->summand) ||
			 memcmp(summand, batch->summand, VARSIZE(summand)) != 0)
		elog(ERROR, "the plan of an exact aggregate is not constant");
	batch->plan = PG_GETARG_POINTER(1);
	return batch;
}

/*
 * The state that this call goes on with: a new one for the first row of a
 * group, else the one it was given, which rows may wait for in this batch from
 * now on.
 */
static ExactState *
attach_state(FunctionCallInfo fcinfo, Batch *batch, ExactState *state)
{
	MemoryContext context;

	check_aggregate(fcinfo, &context);
	register_context(fcinfo, batch, context);
	if (state == NULL && batch->summand->tallies)
		state = make_tally_state(context, (uint32) (batch->parts.values[0].hi - batch->parts.values[0].lo + 1));
	else if (state == NULL)
		state = make_state(context, batch->nsums);
	else
		flush_state(state);
	state->batch = batch;
	return state;
}

/* exact_transition(internal, dpsens.plan [, VARIADIC "any"]) */
Datum
dps_exact_transition(PG_FUNCTION_ARGS)
{
	Batch	   *batch = fcinfo->flinfo->fn_extra;
	ExactState *state = PG_ARGISNULL(0) ? NULL : (ExactState *) PG_GETARG_POINTER(0);
	int			ncells;
	int			row;
	int			i;

	if (batch == NULL || PG_ARGISNULL(1) || PG_GETARG_POINTER(1) != batch->plan)
		batch = find_batch(fcinfo);
	if (state == NULL || state->batch != batch)
		state = attach_state(fcinfo, batch, state);

	if (batch->parts.program == NULL)
	{
		state->count++;
		PG_RETURN_POINTER(state);
	}

	ncells = batch->summand->ncells;
	row = batch->nrows;
	for (i = 0; i < ncells; i++)
	{
		int			arg = FIRST_CELL_ARG + i;

		batch->columns[i][row] = PG_ARGISNULL(arg) ? NAN :
			dps_read_cell(batch->parts.cells[i].type, PG_GETARG_DATUM(arg));
	}
	batch->states[row] = state;
	batch->nrows = row + 1;
	if (batch->nrows == DPS_BATCH)
		flush_batch(batch);
	PG_RETURN_POINTER(state);
}

static void
add_entries(DpsTally *tally, const DpsTallyEntry *entries, uint32 n)
{
	uint32		i;

	for (i = 0; i < n; i++)
	{
		if (entries[i].count != 0)
			dps_tally_add(tally, entries[i].point, entries[i].count);
	}
}

/* exact_combine(internal, internal) */
Datum
dps_exact_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	ExactState *into = PG_ARGISNULL(0) ? NULL : (ExactState *) PG_GETARG_POINTER(0);
	ExactState *from = PG_ARGISNULL(1) ? NULL : (ExactState *) PG_GETARG_POINTER(1);
	int			i;

	check_aggregate(fcinfo, &context);
	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	/* The second state may live in shorter-lived memory than the first. */
	if (into == NULL && from->tallies)
		into = make_tally_state(context, from->tally->points);
	else if (into == NULL)
		into = make_state(context, from->nsums);
	flush_state(into);
	flush_state(from);
	if (into->nsums != from->nsums || into->tallies != from->tallies)
		elog(ERROR, "exact states of different aggregates cannot be combined");
	into->count += from->count;
	for (i = 0; i < (int) from->nsums; i++)
		add_to_sum(&into->sum[i], from->sum[i].low, from->sum[i].high);
	if (from->tallies)
		add_entries(into->tally, from->tally->entries, from->tally->capacity);
	PG_RETURN_POINTER(into);
}

/* The exact result of a group as a flat value without uninitialised bytes;
 * final value and transport form are the same. */
static DpsState *
freeze_state(ExactState *state)
{
	DpsState   *result;

	flush_state(state);
	result = state->tallies ? dps_state_make_tally(state->tally) : dps_state_make(state->nsums);
	result->count = state->count;
	memcpy(result->sum, state->sum, state->nsums * sizeof(DpsSum));
	return result;
}

/* exact_serialize(internal) */
Datum
dps_exact_serialize(PG_FUNCTION_ARGS)
{
	check_aggregate(fcinfo, NULL);
	PG_RETURN_BYTEA_P((bytea *) freeze_state((ExactState *) PG_GETARG_POINTER(0)));
}

/* exact_deserialize(bytea, internal) */
Datum
dps_exact_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	Size		size = VARSIZE_ANY_EXHDR(bytes) + VARHDRSZ;
	DpsState   *frozen = palloc(Max(size, sizeof(DpsState)));
	ExactState *state;

	check_aggregate(fcinfo, NULL);
	memcpy(VARDATA(frozen), VARDATA_ANY(bytes), size - VARHDRSZ);
	SET_VARSIZE(frozen, size);
	dps_state_check(frozen);
	if (frozen->points > 0)
	{
		state = make_tally_state(CurrentMemoryContext, frozen->points);
		add_entries(state->tally, dps_state_entries(frozen), frozen->nentries);
	}
	else
	{
		state = make_state(CurrentMemoryContext, frozen->nsums);
		memcpy(state->sum, frozen->sum, frozen->nsums * sizeof(DpsSum));
	}
	state->count = frozen->count;
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
	PG_RETURN_POINTER(freeze_state((ExactState *) PG_GETARG_POINTER(0)));
}
