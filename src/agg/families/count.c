/*
 * count.c
 *		dp_count: a number of rows, or of rows whose expression is not NULL.
 *
 * Precondition: the facts are true of the query.  The count n is released as
 * round((n * 2^40 + Z) / 2^40): scales are whole numbers of units of 2^-40, Laplace noise Z is a
 * multiple of 2^40, so that there is nothing to round (noise/laplace.c, in steps), and Gaussian noise
 * is as fine for counts as for sums; rounding comes after the noise.  Where a unit has several rows the
 * factor is a smaller power of two, as the grid is coarser (dps_grid_of_counts).  What neighbours change
 * in the vector of counts (definitions, section 2), in whole rows:
 *
 * - add_remove: one group's count by 1;
 * - replace, attribute: nothing if the row can neither toggle nor move; one
 *	 count by 1 if it can toggle; if it can move, two counts by 1, which is 2
 *	 in the 1-norm and sqrt(2) in the 2-norm;
 * - metric: nothing, or refused.
 *
 * Postcondition: the count carries exact noise at the scale that the mechanism's theorem
 * asks for this sensitivity (noise/laplace.c, noise/gaussian.c).  It can come out
 * negative: clamping it would bias it.
 */
#include "postgres.h"

#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "base/once.h"
#include "num/interval.h"

static DpsStatus
count_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsRowChange change = dps_row_change(facts);
	bool		moves = facts->adjacency != DPS_ADD_REMOVE && change.moves;

	DPS_TRY(dps_check_row(facts, why));

	/* The values themselves are summed as 0. */
	(void) summand;
	release->grid = release->count_grid;
	release->lo = 0;
	release->hi = dps_count_unit(release);
	release->value_hi = 1.0;
	if (moves)
		release->vector = 1;
	dps_set_count_sensitivity(release, moves ? 2 : facts->adjacency == DPS_ADD_REMOVE || change.toggles);
	return DPS_OK;
}

static void
count_derive_column(const DpsFacts *facts, const DpsRelease *release, const DpsSummand *summand, DpsWeightedNorms *norms)
{
	DpsRowChange change = dps_row_change(facts);
	DpsRelease	alone = {.count_grid = release->count_grid};

	(void) summand;
	dps_set_count_sensitivity(&alone, change.moves ? 2 : change.toggles);
	norms->l1 = alone.l1;
	norms->l2 = alone.l2;
}

/* A row that counts before and after adds the same. */
static bool
count_moves(const DpsRelease *release, const DpsNoisePlan *plan, const DpsColumnChange *change, uint64 moves[DPS_MAX_COORDINATES])
{
	moves[0] = change->effect == DPS_COLUMN_VALUE ? 0 : dps_count_unit(release);
	return plan->ncoordinates == 1;
}

static Datum
count_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	DpsAnswer  *answer = dps_answer_make(draw, 1);

	dps_answer_draw(draw, 0, answer, 0, dps_count_integer(draw->release, state->count));
	*isnull = false;
	return PointerGetDatum(answer);
}

Datum
dps_finish_count(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull)
{
	(void) finish;
	*isnull = false;
	return Int64GetDatum(dps_nearest_count(dps_sum_read(&answer->noised[0].value), release->count_grid));
}

void
dps_interval_count(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
				   DpsNoiseInterval *interval)
{
	(void) finish;
	(void) n;
	dps_interval_noised_count(release, answer, 0, 1.0 - level, interval);
}

/* The integers of the interval; there may be none if the noise is tiny. */
void
dps_interval_noised_count(const DpsRelease *release, const DpsAnswer *answer, int k, double miss,
						  DpsNoiseInterval *interval)
{
	double		value = dps_answer_value(answer, k);
	double		tail = dps_answer_tail(answer, k, miss);

	interval->estimate = (double) dps_nearest_count(dps_sum_read(&answer->noised[k].value), release->count_grid);
	interval->lower = dps_min(ceil(ldexp(dps_sub_down(value, tail), release->count_grid)), interval->estimate);
	interval->upper = dps_max(floor(ldexp(dps_add_up(value, tail), release->count_grid)), interval->estimate);
}

const DpsAggregate dps_aggregate_count = {
	.name = "dp_count",
	.sums_rows = true,
	.argument = DPS_VALID_ARGUMENT,
	.derive = count_derive,
	.derive_column = count_derive_column,
	.plan = dps_plan_integer,
	.moves = count_moves,
	.explain = dps_explain_count,
	.release = count_release,
};
