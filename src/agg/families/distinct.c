/*
 * distinct.c
 *		dp_count(DISTINCT x): how many of a public set of values are met.
 *
 * Precondition: the release's removes, replaces and vector hold (agg/families/tallied.c);
 * the values are a column's declared ones, or integers of a bounded range.  d is
 * the number of points that are met at all.  What neighbours change in the vector
 * of d over all groups:
 *
 * - a row added, removed or toggled: one d by 1 at most;
 * - a value replaced: one point may cease to be met and another begin, so d
 *	 changes by 1 at most;
 * - a row that moves: two d by 1 at most, 2 in the 1-norm and sqrt(2) in the
 *	 2-norm.
 * - a unit of several rows: as for counts, since d changes by no more than the
 *	 number of rows that do.
 *
 * Postcondition: d is released like a count (agg/families/count.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/families/tallied.h"
#include "agg/family.h"

static DpsStatus
distinct_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsGrid		grid;

	DPS_TRY(dps_derive_tallied(facts, release, summand, why));
	grid = dps_grid_of_points(facts->inf, facts->sup, facts->integral, DPS_TALLY_POINTS);
	dps_set_points(facts, &grid, release, summand);
	if (!facts->integral || grid.k != 0)
	{
		*why = facts->integral ? "there are more than 65536 values that it can have" : "its values are not integers";
		return DPS_DOMAIN;
	}
	release->grid = release->count_grid;
	dps_set_count_sensitivity(release, release->vector ? 2 : release->removes || release->replaces);
	/* a unit of several rows can be in several groups */
	if (release->unit_rows > 1)
		release->vector = 1;
	return DPS_OK;
}

static Datum
distinct_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	__int128	exact = dps_count_integer(draw->release, state->nentries);

	*isnull = false;
	return Int64GetDatum(dps_nearest_count(dps_add_noise(draw, 0, exact), draw->release->count_grid));
}

/* The noised integer itself. */
static Datum
interval_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	DpsAnswer  *answer = dps_answer_make(draw, 1);

	*isnull = false;
	dps_answer_draw(draw, 0, answer, 0, dps_count_integer(draw->release, state->nentries));
	return PointerGetDatum(answer);
}

const DpsAggregate dps_aggregate_distinct_interval = {
	.name = "dp_count_ci",
	.is_distinct = true,
	.argument = DPS_POINT_ARGUMENT,
	.sums_rows = true,
	.derive = distinct_derive,
	.plan = dps_plan_integer,
	.explain = dps_explain_count,
	.release = interval_release,
};

const DpsAggregate dps_aggregate_distinct = {
	.name = "dp_count",
	.result_type = INT8OID,
	.release_function = "release_count",
	.is_distinct = true,
	.argument = DPS_POINT_ARGUMENT,
	.sums_rows = true,
	.derive = distinct_derive,
	.plan = dps_plan_integer,
	.explain = dps_explain_count,
	.release = distinct_release,
};
