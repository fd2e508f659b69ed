/*
 * sum.c
 *		dp_sum: a sum of bounded values.
 *
 * Precondition: l1 and l2 bound what a neighbour changes in the integer sums
 * (dps_derive_sum).  Postcondition: each group's sum S is released as
 * (S + Z) * 2^k, Z one exact draw at the scale that the mechanism's theorem
 * asks for this sensitivity; rounding to a double comes after the noise.
 */
#include "postgres.h"

#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "num/interval.h"

static Datum
sum_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	DpsAnswer  *answer = dps_answer_make(draw, 1);

	dps_answer_draw(draw, 0, answer, 0, dps_state_sum(state));
	*isnull = false;
	return PointerGetDatum(answer);
}

static bool
sum_moves(const DpsRelease *release, const DpsNoisePlan *plan, const DpsColumnChange *change, uint64 moves[DPS_MAX_COORDINATES])
{
	moves[0] = dps_sum_moves(release, change);
	return plan->ncoordinates == 1;
}

Datum
dps_finish_sum(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull)
{
	(void) finish;
	*isnull = false;
	return Float8GetDatum(ldexp(dps_answer_value(answer, 0), release->grid));
}

void
dps_interval_sum(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
				 DpsNoiseInterval *interval)
{
	double		value = dps_answer_value(answer, 0);
	double		tail = dps_answer_tail(answer, 0, 1.0 - level);

	(void) finish;
	(void) n;
	interval->estimate = ldexp(value, release->grid);
	interval->lower = ldexp(dps_sub_down(value, tail), release->grid);
	interval->upper = ldexp(dps_add_up(value, tail), release->grid);
}

const DpsAggregate dps_aggregate_sum = {
	.name = "dp_sum",
	.sums_rows = true,
	.derive = dps_derive_sum,
	.derive_column = dps_derive_sum_column,
	.plan = dps_plan_integer,
	.moves = sum_moves,
	.explain = dps_explain_integer,
	.release = sum_release,
};
