/*
 * histogram.c
 *		dp_histogram: how many values lie in each bucket.
 *
 * Precondition: the release's removes, replaces and vector hold (agg/families/tallied.c),
 * for buckets instead of points: both are a function of one row's value.  The
 * buckets are public, whether rows are in them or not.
 *
 * What neighbours change in the vector of all buckets of all groups:
 *
 * - a row added, removed or toggled: one count by 1;
 * - a value replaced, or a row that moves: one count by -1 and another by 1, or
 *	 less; 2 in the 1-norm and sqrt(2) in the 2-norm;
 * - a unit of several rows: the sum of such changes; with c_g of its rows in group
 *	 g that is at most c_g in that group's part, in either norm, as for counts.
 *
 * Postcondition: each count n is released as round((n u + Z) / u), u units of the grid of
 * counts being a row (2^40, fewer where a unit has several rows: agg/families/count.c), Z independent
 * draws at the scale for that sensitivity, in steps of u where the mechanism has them (noise/mechanism.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/families/histogram.h"
#include "agg/families/tallied.h"
#include "noise/two_draws.h"

static bool
changes_two(const DpsRelease *release)
{
	return (release->replaces && release->points > 1) || release->vector;
}

void
dps_set_counts(DpsRelease *release)
{
	release->grid = release->count_grid;
	dps_set_count_sensitivity(release, changes_two(release) ? 2 : release->removes || release->replaces);
}

static DpsStatus
histogram_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DPS_TRY(dps_derive_tallied(facts, release, summand, why));
	release->points = (uint32) facts->parameter.nbuckets;
	release->hi = summand->value[0].hi = facts->parameter.nbuckets - 1;
	release->value_lo = summand->value[0].value_lo = facts->inf;
	release->value_hi = summand->value[0].value_hi = facts->sup;
	summand->nedges = facts->parameter.nbuckets + 1;
	summand->edges = facts->parameter.edges;
	dps_set_counts(release);
	return DPS_OK;
}

DpsStatus
dps_plan_counts(const DpsRelease *release, DpsNoisePlan *plan)
{
	DpsTarget	target = dps_target(release, plan, 1);

	target.vector = changes_two(release) || release->unit_rows > 1;
	return dps_noise_plan_steps(plan, &target, dps_release_step(release), dps_release_sensitivity(release, plan->mechanism),
								target.vector ? 2 * release->unit_rows : 1);
}

static Datum
histogram_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	const DpsRelease *release = draw->release;
	Datum	   *counts = palloc(sizeof(Datum) * release->points);
	uint32		next = 0;
	uint32		i;

	*isnull = false;
	for (i = 0; i < release->points; i++)
	{
		bool		met = next < state->nentries && dps_state_entries(state)[next].point == i;
		__int128	exact = met ? dps_count_integer(release, dps_state_entries(state)[next++].count) : 0;

		counts[i] = Int64GetDatum(dps_nearest_count(dps_add_noise(draw, 0, exact), release->count_grid));
	}
	return PointerGetDatum(construct_array(counts, release->points, INT8OID, sizeof(int64),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- with intervals ---- */

DpsAnswer *
dps_noised_counts(const DpsDraw *draw, const DpsState *state)
{
	const DpsRelease *release = draw->release;
	DpsAnswer  *answer = dps_answer_make(draw, release->points);
	uint32		next = 0;
	uint32		i;

	for (i = 0; i < release->points; i++)
	{
		bool		met = next < state->nentries && dps_state_entries(state)[next].point == i;
		int64		count = met ? dps_state_entries(state)[next++].count : 0;

		dps_answer_draw(draw, 0, answer, i, dps_count_integer(release, count));
	}
	return answer;
}

static Datum
interval_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	*isnull = false;
	return PointerGetDatum(dps_noised_counts(draw, state));
}

void
dps_interval_histogram(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level,
					   int n, DpsNoiseInterval *interval)
{
	double		miss = dps_miss_of_each(1.0 - level, n);
	int			i;

	(void) finish;
	if (answer->nnoised != n)
		elog(ERROR, "invalid answer");
	for (i = 0; i < n; i++)
		dps_interval_noised_count(release, answer, i, miss, &interval[i]);
}

static void
histogram_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	dps_explain_count(release, plan, rows, explanation);
	explanation->note = "scale and error are those of each bucket";
}

const DpsAggregate dps_aggregate_histogram_interval = {
	.name = "dp_histogram_ci",
	.parameter = DPS_BUCKETS,
	.sums_rows = true,
	.derive = histogram_derive,
	.plan = dps_plan_counts,
	.explain = histogram_explain,
	.release = interval_release,
};

const DpsAggregate dps_aggregate_histogram = {
	.name = "dp_histogram",
	.result_type = INT8ARRAYOID,
	.release_function = "release_counts",
	.parameter = DPS_BUCKETS,
	.sums_rows = true,
	.derive = histogram_derive,
	.plan = dps_plan_counts,
	.explain = histogram_explain,
	.release = histogram_release,
};
