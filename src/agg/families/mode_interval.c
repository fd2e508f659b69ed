/*
 * mode_interval.c
 *		dp_mode_ci: the most frequent of a column's declared values, and the least
 *		and the greatest value that it can be for all that the noise says.
 *
 * Precondition: as in histogram.c, the declared values in their order being the points.
 *
 * A draw of one candidate, which dp_mode is, does not say how far it is
 * from the mode.  So all counts are released with noise: a histogram, its
 * postcondition and its loss.  All else is post-processing.
 *
 * The estimate is the value whose noised count is largest, the first of several.
 *
 * The interval.  Let m be a most frequent value, c_m >= c_i for all i; which one it is
 * depends on no noise.  Let r be such that the noise of one of the N - 1 others exceeds that of m by
 * more than r with a probability of 1 - (1 - a)^(1 / (N - 1)).  Then with a probability of at
 * least 1 - a none does, though all are compared with one draw (noise/two_draws.c), so that
 *
 *		noised c_m >= c_m + noised c_i - c_i - r >= noised c_i - r	for all i.
 *
 * So with a probability of at least 1 - a the mode is among the values whose noised
 * count is at most r below the largest.  Lower and upper are the least and the
 * greatest of these; the estimate is one of them.
 *
 * If no neighbour can change a tally the counts are exact, and so is the mode.  A single
 * declared value is the answer; its count is not released.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/families/histogram.h"
#include "agg/families/tallied.h"
#include "base/once.h"
#include "noise/two_draws.h"

static DpsStatus
interval_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DPS_TRY(dps_derive_declared(facts, release, summand, why));
	if (release->points > 1)
		dps_set_counts(release);
	return DPS_OK;
}

static Datum
interval_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	DpsAnswer  *answer;

	*isnull = false;
	if (draw->release->points > 1)
		answer = dps_noised_counts(draw, state);
	else
	{
		answer = dps_answer_make(draw, 1);
		dps_answer_put(answer, 0, 0);
	}
	if (dps_tallied_is_null(draw, state))
		answer->count = 0;
	return PointerGetDatum(answer);
}

/* How far below the largest count a mode's may be, in units of the counts. */
static __int128
reach(const DpsAnswer *answer, double miss)
{
	uint64		scale = answer->noised[0].scale;
	double		each = dps_miss_of_each(miss, answer->nnoised - 1);
	double		tail;

	if (answer->nnoised == 1)
		return 0;
	/* one side of a symmetric law */
	each = dps_min(2.0 * each, 1.0);
	tail = answer->step_bits > 0 ? dps_tail_of_steps(scale, dps_answer_step(answer), each) :
		dps_tail_of_two(dps_answer_mechanism(answer), scale, scale, each);
	return dps_to_int128(ceil(tail));
}

void
dps_interval_mode(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
				  DpsNoiseInterval *interval)
{
	__int128	far = reach(answer, 1.0 - level);
	__int128	most;
	int			mode = 0;
	int			lower = -1;
	int			upper = 0;
	int			i;

	(void) finish;
	(void) n;
	if (answer->nnoised != (int) release->points)
		elog(ERROR, "invalid answer");
	for (i = 1; i < answer->nnoised; i++)
	{
		if (dps_sum_read(&answer->noised[i].value) > dps_sum_read(&answer->noised[mode].value))
			mode = i;
	}
	most = dps_sum_read(&answer->noised[mode].value);
	for (i = 0; i < answer->nnoised; i++)
	{
		if (dps_sum_read(&answer->noised[i].value) < most - far)
			continue;
		if (lower < 0)
			lower = i;
		upper = i;
	}
	*interval = (DpsNoiseInterval) {mode, lower, upper, answer->count == 0};
}

static void
interval_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	dps_explain_count(release, plan, rows, explanation);
	explanation->note = "of noised counts of all declared values; scale and error are those of each, in rows";
}

const DpsAggregate dps_aggregate_mode_interval = {
	.name = "dp_mode_ci",
	.argument = DPS_DECLARED_ARGUMENT,
	.sums_rows = true,
	.derive = interval_derive,
	.has_one_answer = dps_has_one_point,
	.plan = dps_plan_counts,
	.explain = interval_explain,
	.release = interval_release,
};
