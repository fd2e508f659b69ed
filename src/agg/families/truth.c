/*
 * truth.c
 *		dp_bool_and and dp_bool_or: is every value true, is any?
 *
 * Precondition: the facts are true of the query.  Each valid row adds 0 or 1; with
 * n rows of which s are true, the answer turns on c = n - s (bool_and) or
 * c = s (bool_or), the number of rows that decide it.  What neighbours change in the
 * vector of these numbers over all groups:
 *
 * - a row added, removed or toggled, or a value replaced: one of them by 1 at
 *	 most;
 * - a row that moves: two of them by 1 at most, which is 2 in the 1-norm and
 *	 sqrt(2) in the 2-norm.
 *
 * Postcondition: c counted in units of the grid of counts, of which a row is u (2^40, fewer
 * where a unit has several rows: agg/families/count.c), c u + Z carries exact noise for that, and the
 * answer is whether it is above u / 2 or not: post-processing.  bool_and is true and bool_or
 * false where it is not, and so for no rows most of the time.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "base/once.h"
#include "num/interval.h"

static DpsStatus
truth_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsRowChange change = dps_row_change(facts);
	bool		moves = facts->adjacency != DPS_ADD_REMOVE && change.moves;

	DPS_TRY(dps_check_row(facts, why));
	DPS_TRY(dps_check_value(facts, why));
	if (facts->adjacency == DPS_METRIC && change.values)
	{
		*why = "however small a move of a value, it can change what is counted";
		return DPS_DOMAIN;
	}
	release->grid = release->count_grid;
	release->hi = summand->value[0].hi = 1;
	release->value_hi = summand->value[0].value_hi = 1.0;
	if (moves)
		release->vector = 1;
	dps_set_count_sensitivity(release, moves ? 2 :
							  facts->adjacency == DPS_ADD_REMOVE || change.toggles || change.values);
	/* a unit of several rows can be in several groups */
	if (release->unit_rows > 1)
		release->vector = 1;
	return DPS_OK;
}

/* Is the noised number of deciding rows above one half? */
static bool
is_decided(const DpsDraw *draw, int64 deciding)
{
	return dps_add_noise(draw, 0, dps_count_integer(draw->release, deciding)) > (__int128) (dps_count_unit(draw->release) / 2);
}

/* As in SQL, the answer for no rows is NULL, if it is not private that there are none. */
static bool
is_unknown(const DpsDraw *draw, const DpsState *state)
{
	return state->count == 0 && dps_is_exact(draw);
}

static Datum
and_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	*isnull = is_unknown(draw, state);
	return BoolGetDatum(!is_decided(draw, state->count - (int64) dps_state_sum(state)));
}

static Datum
or_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	*isnull = is_unknown(draw, state);
	return BoolGetDatum(is_decided(draw, (int64) dps_state_sum(state)));
}

/* ---- with intervals ---- */

/* The noised number of deciding rows itself. */
static Datum
release_deciding(const DpsDraw *draw, const DpsState *state, int64 deciding)
{
	DpsAnswer  *answer = dps_answer_make(draw, 1);

	dps_answer_draw(draw, 0, answer, 0, dps_count_integer(draw->release, deciding));
	if (is_unknown(draw, state))
		answer->count = 0;
	return PointerGetDatum(answer);
}

static Datum
and_interval_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	*isnull = false;
	return release_deciding(draw, state, state->count - (int64) dps_state_sum(state));
}

static Datum
or_interval_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	*isnull = false;
	return release_deciding(draw, state, (int64) dps_state_sum(state));
}

/*
 * Is there a deciding row?  1 for yes, 0 for no.  The upper end is 0 if all numbers of
 * deciding rows within the tail of the noise are below one, the lower end is 1 if all are
 * above none.  Only noise to one side makes either wrong, so the tail is one-sided.
 */
static void
interval_of_any(const DpsRelease *release, const DpsAnswer *answer, double level, DpsNoiseInterval *interval)
{
	double		value = dps_answer_value(answer, 0);
	double		tail = dps_answer_tail(answer, 0, dps_min(2.0 * (1.0 - level), 1.0));

	interval->isnull = answer->count == 0;
	interval->estimate = value > (double) (dps_count_unit(release) / 2) ? 1.0 : 0.0;
	interval->lower = dps_sub_down(value, tail) > 0.0 ? 1.0 : 0.0;
	interval->upper = dps_add_up(value, tail) < (double) dps_count_unit(release) ? 0.0 : 1.0;
	/* neither is possible: the noise was beyond its tail */
	if (interval->lower > interval->upper)
		interval->lower = interval->upper = interval->estimate;
	interval->lower = Min(interval->lower, interval->estimate);
	interval->upper = Max(interval->upper, interval->estimate);
}

void
dps_interval_or(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
				DpsNoiseInterval *interval)
{
	(void) release;
	(void) finish;
	(void) n;
	interval_of_any(release, answer, level, interval);
}

void
dps_interval_and(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
				 DpsNoiseInterval *interval)
{
	DpsNoiseInterval any = {0};

	(void) release;
	(void) finish;
	(void) n;
	interval_of_any(release, answer, level, &any);
	*interval = (DpsNoiseInterval) {1.0 - any.estimate, 1.0 - any.upper, 1.0 - any.lower, any.isnull};
}

static void
truth_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	dps_explain_integer(release, plan, rows, explanation);
	explanation->note = "decided by a noised number of rows, more than one half; scale and error are in rows";
}

const DpsAggregate dps_aggregate_and_interval = {
	.name = "dp_bool_and_ci",
	.sums_rows = true,
	.derive = truth_derive,
	.plan = dps_plan_integer,
	.explain = truth_explain,
	.release = and_interval_release,
};

const DpsAggregate dps_aggregate_or_interval = {
	.name = "dp_bool_or_ci",
	.sums_rows = true,
	.derive = truth_derive,
	.plan = dps_plan_integer,
	.explain = truth_explain,
	.release = or_interval_release,
};

const DpsAggregate dps_aggregate_bool_and = {
	.name = "dp_bool_and",
	.result_type = BOOLOID,
	.release_function = "release_truth",
	.sums_rows = true,
	.derive = truth_derive,
	.plan = dps_plan_integer,
	.explain = truth_explain,
	.release = and_release,
};

const DpsAggregate dps_aggregate_bool_or = {
	.name = "dp_bool_or",
	.result_type = BOOLOID,
	.release_function = "release_truth",
	.sums_rows = true,
	.derive = truth_derive,
	.plan = dps_plan_integer,
	.explain = truth_explain,
	.release = or_release,
};
