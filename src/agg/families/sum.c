/*
 * sum.c
 *		dp_sum: a sum of bounded values.
 *
 * Precondition: l1 and l2 bound what a neighbour changes in the integer sums
 * (dps_derive_sum).  Postcondition: each group's sum S is released as
 * (S + Z) * 2^k, Z one exact draw at the scale that the mechanism's theorem
 * asks for this sensitivity; rounding to a double comes after the noise.
 *
 * Whole numbers.  A value whose expression yields integers alone (expr/expr.c: each operation
 * keeps them, as do the doubles of the evaluator, which are exact below 2^53 and integers from
 * there on) has bounds that are the integers within its certified ones.  Its rows add integers in
 * units of 1, whatever the evaluator makes of them, since each is rounded to one; the sum is a
 * multiple of 2^-k in units of the release's grid 2^k, and gets noise in such steps.  So what is
 * released is a whole number.  l1 remains a bound of what a neighbour changes, and all of that are
 * multiples of the step, so it is rounded down to one: the change of an attribute by D + 2 eta and one
 * unit of the grid for rounding is then D, eta being 0.
 */
#include "postgres.h"

#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "base/once.h"
#include "num/interval.h"

/*
 * The facts with the integers within the certified bounds for these.  False unless there are two
 * at least: a value that is one number is the business of proofs (agg/proof.c).  Where the evaluator errs,
 * and what it makes of a value matters, nothing is built on its integers.
 */
static bool
find_whole(const DpsFacts *facts, DpsFacts *whole)
{
	*whole = *facts;
	whole->inf = ceil(facts->inf);
	whole->sup = floor(facts->sup);
	return facts->integral && whole->inf < whole->sup && isfinite(whole->inf) && isfinite(whole->sup) &&
		(facts->adjacency == DPS_ADD_REMOVE || facts->adjacency == DPS_REPLACE || facts->evaluation_error == 0.0);
}

/* Turns a release of integers, with its bounds, into one of whole numbers, if its grid is fine enough. */
static void
make_whole(DpsRelease *release, DpsSummand *summand)
{
	DpsSummandValue *value = &summand->value[0];
	uint64		step;

	release->whole = 1;
	step = dps_release_step(release);
	release->whole = step > 1;
	if (step == 1)
		return;
	value->grid = 0;
	value->lo = release->lo / (int64) step;
	value->hi = release->hi / (int64) step;
	/* that of a move by 1 is no distance that a neighbour moves */
	if (release->adjacency != DPS_METRIC && release->l1 > step)
		release->l1 -= release->l1 % step;
}

static DpsStatus
sum_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsFacts	whole;

	if (!find_whole(facts, &whole))
		return dps_derive_sum(facts, release, summand, why);
	DPS_TRY(dps_derive_sum(&whole, release, summand, why));
	if (release->l1 > 0)
		make_whole(release, summand);
	return DPS_OK;
}

/* The exact sum in units of the release's grid. */
static __int128
exact_sum(const DpsRelease *release, const DpsState *state)
{
	return dps_state_sum(state) * (__int128) dps_release_step(release);
}

static Datum
sum_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	DpsAnswer  *answer = dps_answer_make(draw, 1);

	dps_answer_draw(draw, 0, answer, 0, exact_sum(draw->release, state));
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
	/* the sum is a whole number, and the tail one but for its rounding */
	if (answer->step_bits > 0)
	{
		interval->lower = dps_min(ceil(interval->lower), interval->estimate);
		interval->upper = dps_max(floor(interval->upper), interval->estimate);
	}
}

const DpsAggregate dps_aggregate_sum = {
	.name = "dp_sum",
	.sums_rows = true,
	.derive = sum_derive,
	.derive_column = dps_derive_sum_column,
	.plan = dps_plan_integer,
	.moves = sum_moves,
	.explain = dps_explain_integer,
	.release = sum_release,
};
