/*
 * row_batch.c
 *		Rows that wait to be evaluated together, and the states that they are
 *		added to.
 */
#include "postgres.h"

#include <fenv.h>
#include <math.h>

#include "agg/state/row_batch.h"
#include "base/once.h"
#include "expr/kernel.h"
#include "moment/moment.h"
#include "num/integral.h"

static inline void
add_integer(DpsSum *to, int64 integer)
{
	dps_add_to_sum(to, (uint64) integer, integer < 0 ? -1 : 0);
}

/*
 * Turns n values into integers (definitions, section 5): clamp(rint(clamp(f, L, U) /
 * 2^k), lo, hi), and clears valid[i] where f is NaN.
 *
 * The scale 2^-k is applied in two halves: it can lie outside the range of a
 * double, each half cannot; multiplying by a power of two is exact as long as the
 * result is normal, it cannot overflow since |f| / 2^k <= 2^62 after the first
 * clamp, and where it is subnormal the integer is 0 either way.  Work does not
 * depend on the values.
 */
DPS_KERNEL static void
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
		integer = dps_integral(scaled);
		integer = integer < lo ? lo : integer;
		integer = integer > hi ? hi : integer;

		integers[i] = integer;
		valid[i] &= is_number;
	}
}

/* Do the centred integers of a row keep within the norms? */
static int64
keeps_limits(const DpsSummandPlan *summand, const int64 *centred)
{
	unsigned __int128 square = 0;
	unsigned __int128 sum = 0;
	int64		keeps = 1;
	int			i;

	/* Past the first limit it is lost anyway; below it, squares do not
	 * overflow. */
	for (i = 0; i < summand->nvalues; i++)
	{
		uint64		magnitude = (uint64) (centred[i] < 0 ? -centred[i] : centred[i]);
		uint64		bounded = Min(magnitude, summand->limit_l1);

		keeps &= magnitude <= summand->limit_l1;
		sum += bounded;
		square += (unsigned __int128) bounded * bounded;
	}
	return keeps & (sum <= summand->limit_l1) & (square <= (unsigned __int128) summand->limit_l2 * summand->limit_l2);
}

/* Adds the integers of a row and their products, or nothing; the work is the
 * same. */
static void
add_row(const DpsBatch *batch, int row, int64 valid)
{
	const DpsSummandPlan *summand = batch->summand;
	DpsExactSums *state = batch->states[row];
	DpsSum	   *sum = state->sum;
	int64		centred[DPS_MAX_VALUES];
	int64		keeps = 1;
	int			i;

	for (i = 0; i < summand->nvalues; i++)
		centred[i] = (batch->integers[i][row] - batch->parts.values[i].centre) & -valid;
	if (summand->limit_l1 != 0)
		keeps = keeps_limits(summand, centred);
	state->count += valid;
	for (i = 0; i < summand->nvalues; i++)
	{
		centred[i] &= -keeps;
		add_integer(sum++, centred[i] + (batch->parts.values[i].centre & -valid));
	}
	for (i = 0; i < summand->nproducts; i++)
	{
		const DpsValueProduct *product = &batch->parts.products[i];

		add_integer(sum++, dps_moment_product(centred[product->first], centred[product->second], product->shift));
	}
}

/*
 * Turns n values into the numbers of their buckets: those from edge i on and
 * below edge i + 1 are in bucket i, and the last edge is in the last one.  A value
 * in no bucket is not valid.
 */
static void
find_buckets(const DpsBatch *batch, int n, int64 *integers, int64 *valid)
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
		valid[i] &= !isnan(batch->values[0][i]) && first > 0 && value <= edges[nbuckets];
		integers[i] = valid[i] ? Min(first, nbuckets) - 1 : 0;
	}
}

/* Counts the integers of n rows one by one. */
static void
add_to_tallies(const DpsBatch *batch, int n, const int64 *valid)
{
	int64		lo = batch->parts.values[0].lo;
	int			i;

	for (i = 0; i < n; i++)
	{
		DpsExactSums *state = batch->states[i];

		if (!valid[i])
			continue;
		state->count++;
		dps_tally_add(state->tally, (uint32) (batch->integers[0][i] - lo), 1);
	}
}

/* Adds n rows that have one value and no products. */
static void
add_values(const DpsBatch *batch, int n, const int64 *valid)
{
	const int64 *integers = batch->integers[0];
	int			i;

	for (i = 0; i < n; i++)
	{
		DpsExactSums *state = batch->states[i];

		state->count += valid[i];
		add_integer(&state->sum[0], integers[i] & -valid[i]);
	}
}

/* The same for rows of one group.  Low and high halves of the integers are summed apart,
 * so that no carry goes from row to row. */
static void
add_values_to_one(const DpsBatch *batch, int n, const int64 *valid)
{
	const int64 *integers = batch->integers[0];
	DpsExactSums *state = batch->states[0];
	int64		count = 0;
	int64		low = 0;
	int64		high = 0;
	__int128	sum;
	int			i;

	for (i = 0; i < n; i++)
	{
		int64		integer = integers[i] & -valid[i];

		count += valid[i];
		low += integer & 0xffffffff;
		high += integer >> 32;
	}
	sum = (__int128) high * ((__int128) 1 << 32) + low;
	state->count += count;
	dps_add_to_sum(&state->sum[0], (uint64) sum, (int64) (sum >> 64));
}

/* Adds n rows that are only counted. */
static void
count_rows(const DpsBatch *batch, int n, const int64 *valid)
{
	int64		count = 0;
	int			i;

	for (i = 0; i < n && batch->is_single; i++)
		count += valid[i];
	for (i = 0; i < n && !batch->is_single; i++)
		batch->states[i]->count += valid[i];
	batch->states[0]->count += count;
}

void
dps_batch_add(DpsBatch *batch, int n, int64 *valid)
{
	const DpsSummandPlan *summand = batch->summand;
	int			i;

	if (summand->nedges > 0)
		find_buckets(batch, n, batch->integers[0], valid);
	for (i = 0; i < summand->nvalues && summand->nedges == 0; i++)
		round_values(&batch->parts.values[i], batch->values[i], n, batch->integers[i], valid);

	if (summand->tallies)
		add_to_tallies(batch, n, valid);
	else if (summand->nvalues == 0)
		count_rows(batch, n, valid);
	else if (batch->nsums > 1 || summand->limit_l1 != 0)
	{
		for (i = 0; i < n; i++)
			add_row(batch, i, valid[i]);
	}
	else if (batch->is_single)
		add_values_to_one(batch, n, valid);
	else
		add_values(batch, n, valid);
}

/* Evaluates what waits and adds it to the states. */
void
dps_batch_flush(DpsBatch *batch)
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
	dps_batch_add(batch, n, valid);
	if (rounding != FE_TONEAREST)
		fesetround(rounding);
	batch->nrows = 0;
}

static void
flush_state(DpsExactState *state)
{
	if (state->batch != NULL)
		dps_batch_flush(state->batch);
}

void
dps_batch_init_values(DpsBatch *batch, const DpsSummandPlan *summand)
{
	int			i;

	memset(batch, 0, sizeof(*batch));
	batch->summand = summand;
	dps_summand_parts(summand, &batch->parts);
	batch->nsums = summand->tallies ? 0 : summand->nvalues + summand->nproducts;
	batch->states = palloc(sizeof(DpsExactSums *) * DPS_BATCH);
	for (i = 0; i < summand->nvalues; i++)
	{
		batch->values[i] = palloc(sizeof(double) * DPS_BATCH);
		batch->integers[i] = palloc(sizeof(int64) * DPS_BATCH);
	}
}

void
dps_batch_init(DpsBatch *batch, const DpsSummandPlan *summand)
{
	int			i;

	dps_batch_init_values(batch, summand);
	if (batch->parts.program == NULL)
		return;
	batch->columns = palloc(sizeof(double *) * Max(summand->ncells, 1));
	for (i = 0; i < summand->ncells; i++)
		batch->columns[i] = palloc(sizeof(double) * DPS_BATCH);
	batch->scratch = palloc(sizeof(double) * dps_max(dps_scratch_size(batch->parts.program), 1));
}

/* ---- states ---- */

DpsExactState *
dps_exact_state_of_sums(MemoryContext context, int nsums)
{
	DpsExactState *state = MemoryContextAllocZero(context, offsetof(DpsExactState, sums.sum) + nsums * sizeof(DpsSum));

	StaticAssertStmt(DPS_MAX_VALUES + DPS_MAX_PRODUCTS < 1 << 8, "the number of sums must fit");
	state->sums.nsums = nsums;
	return state;
}

DpsExactState *
dps_exact_state_of_tally(MemoryContext context, uint32 points)
{
	DpsExactState *state = MemoryContextAllocZero(context, sizeof(DpsExactState));

	state->sums.tallies = 1;
	state->sums.tally = dps_tally_make(context, points);
	return state;
}

DpsExactState *
dps_exact_state_make(MemoryContext context, DpsBatch *batch)
{
	const DpsSummandValue *value = batch->parts.values;
	DpsExactState *state = batch->summand->tallies ?
		dps_exact_state_of_tally(context, (uint32) (value->hi - value->lo + 1)) :
		dps_exact_state_of_sums(context, batch->nsums);

	state->batch = batch;
	return state;
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

void
dps_exact_state_add(DpsExactState *into, DpsExactState *from)
{
	int			i;

	flush_state(into);
	flush_state(from);
	if (into->sums.nsums != from->sums.nsums || into->sums.tallies != from->sums.tallies ||
		(from->sums.tallies && into->sums.tally->points != from->sums.tally->points))
		elog(ERROR, "exact states of different aggregates cannot be combined");
	into->sums.count += from->sums.count;
	for (i = 0; i < (int) from->sums.nsums; i++)
		dps_add_to_sum(&into->sums.sum[i], from->sums.sum[i].low, from->sums.sum[i].high);
	if (from->sums.tallies)
		add_entries(into->sums.tally, from->sums.tally->entries, from->sums.tally->capacity);
}

DpsState *
dps_exact_state_freeze(DpsExactState *state)
{
	DpsState   *result;

	flush_state(state);
	result = state->sums.tallies ? dps_state_make_tally(state->sums.tally) : dps_state_make(state->sums.nsums);
	result->count = state->sums.count;
	memcpy(result->sum, state->sums.sum, state->sums.nsums * sizeof(DpsSum));
	return result;
}

DpsExactState *
dps_exact_state_thaw(MemoryContext context, const DpsState *frozen)
{
	DpsExactState *state;

	if (frozen->points > 0)
	{
		state = dps_exact_state_of_tally(context, frozen->points);
		add_entries(state->sums.tally, dps_state_entries(frozen), frozen->nentries);
	}
	else
	{
		state = dps_exact_state_of_sums(context, frozen->nsums);
		memcpy(state->sums.sum, frozen->sum, frozen->nsums * sizeof(DpsSum));
	}
	state->sums.count = frozen->count;
	return state;
}
