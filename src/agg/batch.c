/*
 * batch.c
 *		Rows that wait to be evaluated together, and the integers that they add.
 */
#include "postgres.h"

#include <fenv.h>
#include <math.h>

#include "agg/batch.h"

void
dps_batch_init(DpsBatch *batch, const DpsSummand *summand)
{
	int			half = summand->grid / 2;
	int			i;

	memset(batch, 0, sizeof(*batch));
	batch->summand = summand;
	dps_summand_parts(summand, &batch->cells, &batch->program);
	batch->first_scale = ldexp(1.0, -half);
	batch->second_scale = ldexp(1.0, half - summand->grid);
	if (batch->program == NULL)
		return;
	batch->values = palloc(sizeof(double) * DPS_BATCH);
	batch->columns = palloc(sizeof(double *) * Max(summand->ncells, 1));
	for (i = 0; i < summand->ncells; i++)
		batch->columns[i] = palloc(sizeof(double) * DPS_BATCH);
	batch->scratch = palloc(sizeof(double) * Max(dps_scratch_size(batch->program), 1));
}

/*
 * Turns n values into integers (MATH section 5): clamp(rint(clamp(f, L, U) /
 * 2^k), lo, hi), and 0 with valid[i] = 0 where f is NaN.
 *
 * The product of the two scales can lie outside the range of a double, each
 * alone cannot; multiplying by a power of two is exact as long as the result
 * is normal, it cannot overflow since |f| / 2^k <= 2^62 after the first clamp,
 * and where it is subnormal the integer is 0 either way.  Work does not depend
 * on the values.
 */
static void
round_values(const DpsBatch *batch, int n, int64 *integers, int64 *valid)
{
	const DpsSummand *summand = batch->summand;
	double		first_scale = batch->first_scale;
	double		second_scale = batch->second_scale;
	double		lower = summand->value_lo;
	double		upper = summand->value_hi;
	int64		lo = summand->lo;
	int64		hi = summand->hi;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		value = batch->values[i];
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

		integers[i] = integer & -is_number;
		valid[i] = is_number;
	}
}

void
dps_batch_take(DpsBatch *batch, int64 integers[DPS_BATCH], int64 valid[DPS_BATCH])
{
	int			n = batch->nrows;
	int			rounding;
	int			i;

	/* Another extension may have left a directed mode behind. */
	rounding = fegetround();
	if (rounding != FE_TONEAREST)
		fesetround(FE_TONEAREST);
	for (i = 0; i < batch->summand->ncells; i++)
		dps_clamp_cells(batch->columns[i], n, &batch->cells[i].domain);
	dps_evaluate(batch->program, (const double *const *) batch->columns, n,
				 batch->scratch, &batch->values);
	round_values(batch, n, integers, valid);
	if (rounding != FE_TONEAREST)
		fesetround(rounding);
	batch->nrows = 0;
}

DpsState *
dps_state_make(int64 count, __int128 sum)
{
	DpsState   *state = palloc0(sizeof(DpsState));

	SET_VARSIZE(state, sizeof(DpsState));
	state->version = DPS_STATE_VERSION;
	state->count = count;
	state->sum_low = (uint64) sum;
	state->sum_high = (int64) (sum >> 64);
	return state;
}
