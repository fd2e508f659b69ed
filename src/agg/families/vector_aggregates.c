/*
 * vector_aggregates.c
 *		dp_sum and dp_avg of vectors: one noised vector with the sensitivity of
 *		the whole.
 *
 * Precondition: the facts are true of the query; their joint bounds (bound/vector/joint.h)
 * are of f - c, c = 0 for a sum over a private number of rows and the middle of each
 * entry's range elsewhere.  With M = sup |f - c|, z = q - c' the centred integers of
 * a row, c' the nearest to c on the common grid g, and d entries:
 *
 *		|z| <= M / g + d e (1-norm), M / g + sqrt(d) e (2-norm),
 *
 * e = eta / g + 2 for the evaluator's error, the rounding of q and those of c and c'.  The z
 * of a row that is longer than that are replaced by 0 (agg/state/row_batch.c), so that only
 * the items marked so need a certificate.  What neighbours change in the sums of all groups together:
 *
 * - add_remove: the z of one row, at most the limit;
 * - replace: the difference of two rows' z, at most twice the limit and at most the
 *	 norm of the ranges; by the certificate at most D / g + 2 d e, D the joint
 *	 diameter; if a row can begin or cease to count at least the limit; if it can
 *	 move twice (1-norm) or sqrt(2) times (2-norm) the limit;
 * - attribute (certificate): entry i moves by at most floor((D_ij + 2 eta_i) / g) + 1
 *	 for the worst column j;
 * - metric (certificate): by K d / g + |(2 eta_i / g + 1)_i|, K the norm of the
 *	 Jacobian as an operator, so by K / g (d + d0).
 *
 * A mean over a private number of rows needs n, too, as an entry of weight w: the
 * limit L becomes L + w (1-norm), sqrt(L^2 + w^2) (2-norm).  In units of L per row,
 * the mean errs by (Z - m Z_n L / w) / n with |m| <= 1 (2-norm), so by a variance of
 * (1 + r^2) (d + 1 / r^2) at most for w = r L, least at r^4 = 1 / d; for the 1-norm by
 * (1 + r)^2 (d + 1 / r^2), least at r^3 = 1 / d.
 *
 * Postcondition: every sum, and n, carries exact noise of the one scale that the
 * mechanism's theorem asks for this sensitivity; adding n c back, dividing and
 * clamping are post-processing.
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/weights.h"
#include "base/once.h"
#include "moment/moment.h"
#include "noise/two_draws.h"
#include "num/interval.h"

#define METRIC_SLACK 0x1p-20

/* An evaluator's error of so many grid units or more counts as unknown. */
#define UNKNOWN_ERROR (UINT64_C(1) << 20)

typedef struct DpsVectorEntry
{
	int64		centre;
	double		lo;
	double		hi;
} DpsVectorEntry;

typedef struct DpsVectorDesign
{
	int32		nvalues;
	int32		count_is_public;
	uint64		weight[2];		/* of n, by norm; 0: it is not released */
	DpsVectorEntry entry[DPS_MAX_VALUES];
} DpsVectorDesign;

/* ---- deriving ---- */

static bool
count_is_public(const DpsFacts *facts)
{
	DpsRowChange change = dps_row_change(facts);

	return facts->adjacency != DPS_ADD_REMOVE && !change.toggles && !change.moves;
}

static bool
sum_is_centred(const DpsFacts *facts)
{
	return count_is_public(facts);
}

static bool
mean_is_centred(const DpsFacts *facts)
{
	(void) facts;
	return true;
}

/* The grid that suits the sensitivity and is not too fine for any entry. */
static int
choose_grid(const DpsFacts *facts, double sensitivity)
{
	int			k = INT_MIN;
	int			i;

	for (i = 0; i < facts->nvalues; i++)
		k = dps_max(k, dps_grid_choose_for(sensitivity, facts->unit_l1, facts->value[i].inf, facts->value[i].sup).k);
	return k;
}

static void
set_entry(const DpsValueFacts *value, bool centred, int k, DpsSummandValue *summand, DpsVectorEntry *entry)
{
	/* not too fine for any, so that it is 2^k */
	DpsGrid		grid = dps_grid_at(k, value->inf, value->sup);

	*summand = (DpsSummandValue) {
		.grid = k, .lo = grid.lo, .hi = grid.hi,
		.centre = centred ? (int64) (((__int128) grid.lo + grid.hi) >> 1) : 0,
		.value_lo = value->inf, .value_hi = value->sup
	};
	*entry = (DpsVectorEntry) {summand->centre, value->inf, value->sup};
}

static uint64
error_units(const DpsFacts *facts, int grid)
{
	double		error = 0.0;
	int			i;

	/* the centre was rounded to a double, too */
	for (i = 0; i < facts->nvalues; i++)
	{
		double		largest = fmax(fabs(facts->value[i].inf), fabs(facts->value[i].sup));

		error = fmax(error, facts->value[i].evaluation_error + DBL_EPSILON * largest);
	}
	return dps_whole_add(dps_min(dps_grid_ceil(error, grid), UNKNOWN_ERROR), 2);
}

/* The norm of d equal entries, rounded up. */
static uint64
spread(int norm, int d, uint64 each)
{
	unsigned __int128 squares = 0;
	int			i;

	if (norm == 1)
		return dps_whole_times(d, each);
	for (i = 0; i < d; i++)
		squares = dps_whole_squares(squares, each);
	return dps_whole_root(squares);
}

static uint64
find_limit(const DpsFacts *facts, int norm, int grid)
{
	return dps_whole_add(dps_grid_ceil(facts->joint[norm - 1].magnitude, grid),
						 spread(norm, facts->nvalues, error_units(facts, grid)));
}

/* The norm of the entries' moves. */
static uint64
norm_of(int norm, const uint64 *moves, int n)
{
	unsigned __int128 squares = 0;
	uint64		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		squares = dps_whole_squares(squares, moves[i]);
		sum = dps_whole_add(sum, moves[i]);
	}
	return norm == 1 ? sum : dps_whole_root(squares);
}

static uint64
range_norm(const DpsSummand *summand, int norm)
{
	uint64		ranges[DPS_MAX_VALUES];
	int			i;

	for (i = 0; i < summand->nvalues; i++)
		ranges[i] = Min((uint64) summand->value[i].hi - (uint64) summand->value[i].lo, UINT64_C(1) << 61);
	return norm_of(norm, ranges, summand->nvalues);
}

static uint64
attribute_move(const DpsFacts *facts, int norm, int grid)
{
	uint64		most = 0;
	int			column;
	int			i;

	for (column = 0; column < facts->nattributes; column++)
	{
		uint64		moves[DPS_MAX_VALUES];

		for (i = 0; i < facts->nvalues; i++)
		{
			double		move = facts->attributes[column][i];
			double		error = facts->value[i].evaluation_error;

			moves[i] = 0;
			if (move != 0.0 || error != 0.0)
				moves[i] = dps_whole_add(dps_min(dps_grid_floor(dps_add_up(move, 2.0 * error), grid), UINT64_C(1) << 61), 1);
		}
		most = dps_max(most, norm_of(norm, moves, facts->nvalues));
	}
	return most;
}

/* How far the z of a row move that stays in its group; limit: of the z themselves. */
static uint64
value_move(const DpsFacts *facts, const DpsSummand *summand, int norm, uint64 limit)
{
	int			grid = summand->value[0].grid;
	uint64		move = dps_min(dps_whole_times(2, limit), range_norm(summand, norm));
	uint64		error = error_units(facts, grid);

	if (!dps_row_change(facts).values)
		return 0;
	if (error < UNKNOWN_ERROR)
		move = dps_min(move, dps_whole_add(dps_grid_ceil(facts->joint[norm - 1].distance, grid),
									   dps_whole_times(2, spread(norm, facts->nvalues, error))));
	if (facts->adjacency == DPS_ATTRIBUTE)
		move = dps_min(move, attribute_move(facts, norm, grid));
	return move;
}

static DpsStatus
metric_move(const DpsFacts *facts, int norm, int grid, uint64 *sensitivity, const char **why)
{
	double		lipschitz = facts->joint[norm - 1].lipschitz;
	uint64		rounding[DPS_MAX_VALUES];
	uint64		slack;
	int			i;

	*sensitivity = dps_grid_ceil(lipschitz, grid);
	for (i = 0; i < facts->nvalues; i++)
		rounding[i] = dps_whole_add(dps_min(dps_grid_ceil(2.0 * facts->value[i].evaluation_error, grid), UINT64_C(1) << 61), 1);
	slack = norm_of(norm, rounding, facts->nvalues);
	if (!isfinite(lipschitz) || *sensitivity >= DPS_GRID_LIMIT || slack >= DPS_GRID_LIMIT ||
		!(dps_div_up((double) slack + 1.0, (double) *sensitivity) <= METRIC_SLACK))
	{
		*why = "the value's rounding error is too large for its Lipschitz constant";
		return DPS_DOMAIN;
	}
	return DPS_OK;
}

/* The limit with the weight of n as one entry more. */
static uint64
with_count(int norm, uint64 limit, uint64 weight)
{
	if (norm == 1)
		return dps_whole_add(limit, weight);
	return dps_whole_root(dps_whole_squares(dps_whole_squares(0, limit), weight));
}

static DpsStatus
find_sensitivity(const DpsFacts *facts, const DpsSummand *summand, const DpsVectorDesign *design, int norm,
				 uint64 *sensitivity, const char **why)
{
	DpsRowChange change = dps_row_change(facts);
	uint64		limit = norm == 1 ? summand->limit_l1 : summand->limit_l2;
	uint64		whole = with_count(norm, limit, design->weight[norm - 1]);

	*sensitivity = whole;
	if (facts->adjacency == DPS_ADD_REMOVE)
		return DPS_OK;
	*sensitivity = 0;
	if (!dps_can_change(change))
		return DPS_OK;
	if (facts->adjacency == DPS_METRIC)
		return metric_move(facts, norm, summand->value[0].grid, sensitivity, why);
	*sensitivity = value_move(facts, summand, norm, limit);
	if (change.toggles)
		*sensitivity = Max(*sensitivity, whole);
	if (change.moves)
		*sensitivity = dps_max(*sensitivity, norm == 1 ? dps_whole_times(2, whole) : dps_sqrt2_ceil(whole));
	return DPS_OK;
}

/* The sensitivity for which the grid is chosen. */
static double
real_sensitivity(const DpsFacts *facts)
{
	const DpsJointFacts *joint = &facts->joint[1];

	if (facts->adjacency == DPS_METRIC && dps_can_change(dps_row_change(facts)))
		return joint->lipschitz;
	return joint->magnitude;
}

static DpsStatus
check_facts(const DpsFacts *facts, const char **why)
{
	int			i;

	DPS_TRY(dps_check_row(facts, why));
	for (i = 0; i < facts->nvalues; i++)
	{
		if (!isfinite(facts->value[i].inf) || !isfinite(facts->value[i].sup) || !isfinite(facts->joint[0].magnitude))
		{
			*why = "the value is not bounded";
			return DPS_DOMAIN;
		}
	}
	return DPS_OK;
}

static DpsStatus
derive(const DpsFacts *facts, bool centred, bool divides, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsVectorDesign *design = palloc0(sizeof(DpsVectorDesign));
	int			d = facts->nvalues;
	int			i;

	DPS_TRY(check_facts(facts, why));
	release->sensitivity = real_sensitivity(facts);
	release->grid = choose_grid(facts, release->sensitivity);
	release->vector = 1;
	design->nvalues = d;
	design->count_is_public = count_is_public(facts);
	for (i = 0; i < d; i++)
		set_entry(&facts->value[i], centred, release->grid, &summand->value[i], &design->entry[i]);
	/* under metric the norm of a row does not matter */
	if (facts->adjacency != DPS_METRIC)
	{
		summand->limit_l1 = find_limit(facts, 1, release->grid);
		summand->limit_l2 = find_limit(facts, 2, release->grid);
	}
	if (divides && !design->count_is_public)
	{
		design->weight[0] = dps_whole_up(pow(d, -1.0 / 3.0) * (double) summand->limit_l1);
		design->weight[1] = dps_whole_up(pow(d, -1.0 / 4.0) * (double) summand->limit_l2);
	}
	summand->design = design;
	summand->design_size = offsetof(DpsVectorDesign, entry) + d * sizeof(DpsVectorEntry);
	DPS_TRY(find_sensitivity(facts, summand, design, 1, &release->l1, why));
	DPS_TRY(find_sensitivity(facts, summand, design, 2, &release->l2, why));
	release->sensitivity = ldexp((double) release->l1, release->grid);
	return DPS_OK;
}

static DpsStatus
sum_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	return derive(facts, sum_is_centred(facts), false, release, summand, why);
}

static DpsStatus
mean_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	return derive(facts, true, true, release, summand, why);
}

static void
vector_derive_column(const DpsFacts *facts, const DpsRelease *release, const DpsSummand *summand, DpsWeightedNorms *norms)
{
	const char *why = NULL;

	(void) release;
	/* it fails under metric alone, and then what any column moves is left */
	if (find_sensitivity(facts, summand, summand->design, 1, &norms->l1, &why) != DPS_OK ||
		find_sensitivity(facts, summand, summand->design, 2, &norms->l2, &why) != DPS_OK)
		norms->l1 = norms->l2 = PG_UINT64_MAX;
}

/* ---- releasing ---- */

static int
noised_integers(const DpsVectorDesign *design, const DpsMechanism *mechanism)
{
	return design->nvalues + (design->weight[mechanism->norm - 1] != 0 ? 1 : 0);
}

static DpsStatus
vector_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	DpsTarget	target = dps_target(release, plan, 1);

	return dps_plan_whole(release, plan, &target,
						  dps_integers_moved(release, noised_integers(dps_release_design(release), plan->mechanism)));
}

static Datum
vector_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	const DpsVectorDesign *design = dps_release_design(draw->release);
	uint64		weight = design->weight[draw->plan->mechanism->norm - 1];
	int			d = design->nvalues;
	DpsAnswer  *answer = dps_answer_make(draw, noised_integers(design, draw->plan->mechanism));
	__int128	n = state->count;
	int			i;

	for (i = 0; i < d; i++)
		dps_answer_draw(draw, 0, answer, i, dps_sum_read(&state->sum[i]) - n * design->entry[i].centre);
	if (weight != 0)
		dps_answer_draw(draw, 0, answer, d, n * weight);
	if (design->count_is_public)
		answer->count = state->count;
	*isnull = false;
	return PointerGetDatum(answer);
}

/* ---- statistics ---- */

/* Entry k of the sum, with `off` added to its noised integer. */
static double
sum_entry(const DpsRelease *release, const DpsAnswer *answer, int k, double off)
{
	const DpsVectorDesign *design = dps_release_design(release);
	double		rows = design->count_is_public ? (double) answer->count : 0.0;

	return ldexp(dps_answer_value(answer, k) + off + rows * (double) design->entry[k].centre, release->grid);
}

static double
row_count(const DpsRelease *release, const DpsAnswer *answer)
{
	const DpsVectorDesign *design = dps_release_design(release);

	if (design->count_is_public)
		return (double) answer->count;
	return dps_answer_value(answer, design->nvalues) / (double) design->weight[dps_answer_mechanism(answer)->norm - 1];
}

/* Entry k of a mean over so many rows. */
static double
mean_entry(const DpsRelease *release, const DpsAnswer *answer, int k, double rows)
{
	const DpsVectorDesign *design = dps_release_design(release);
	const DpsVectorEntry *entry = &design->entry[k];
	double		mean = entry->lo / 2.0 + entry->hi / 2.0;
	int64		n = dps_to_int64(rint(rows));

	/* without noise it is rounded once */
	if (answer->noised[k].scale == 0 && n > 0)
		mean = ldexp(dps_nearest_quotient(dps_sum_read(&answer->noised[k].value) + (__int128) n * entry->centre, n), release->grid);
	else if (rows > 0.0)
		mean = ldexp(dps_answer_value(answer, k) / rows + (double) entry->centre, release->grid);
	return fmin(fmax(mean, entry->lo), entry->hi);
}

Datum
dps_finish_vector_sum(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull)
{
	double		values[DPS_MAX_VALUES];
	int			k;

	for (k = 0; k < finish->nvalues; k++)
		values[k] = sum_entry(release, answer, finish->value[k], 0.0);
	*isnull = false;
	return dps_array_of_doubles(values, finish->nvalues);
}

Datum
dps_finish_vector_mean(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull)
{
	double		values[DPS_MAX_VALUES];
	double		rows = row_count(release, answer);
	int			k;

	*isnull = answer->count == 0;
	if (*isnull)
		return (Datum) 0;
	for (k = 0; k < finish->nvalues; k++)
		values[k] = mean_entry(release, answer, finish->value[k], rows);
	return dps_array_of_doubles(values, finish->nvalues);
}

void
dps_interval_vector_sum(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
						DpsNoiseInterval *interval)
{
	double		miss = dps_miss_of_each(1.0 - level, n);
	int			i;

	for (i = 0; i < n; i++)
	{
		int			k = finish->value[i];
		double		tail = dps_answer_tail(answer, k, miss);

		interval[i].estimate = sum_entry(release, answer, k, 0.0);
		interval[i].lower = dps_round_down(sum_entry(release, answer, k, -tail));
		interval[i].upper = dps_round_up(sum_entry(release, answer, k, tail));
	}
}

/* The interval of the mean by that of t, its distance from the centre, with S - t n = 0. */
static void
spread_mean(const DpsRelease *release, const DpsAnswer *answer, int k, double miss, double mean[2])
{
	const DpsVectorDesign *design = dps_release_design(release);
	const DpsVectorEntry *entry = &design->entry[k];
	int			d = design->nvalues;
	DpsNoisedForm form = {
		.mechanism = dps_answer_mechanism(answer), .constant = {1.0, 0.0}, .slope = {0.0, -1.0},
		.value = {dps_answer_value(answer, k), row_count(release, answer)},
		.scale = {answer->noised[k].scale, 0}
	};

	if (!design->count_is_public)
	{
		form.slope[1] = -1.0 / (double) design->weight[form.mechanism->norm - 1];
		form.value[1] = dps_answer_value(answer, d);
		form.scale[1] = answer->noised[d].scale;
	}
	dps_noised_root(&form, miss, ldexp(entry->lo, -release->grid) - (double) entry->centre,
					ldexp(entry->hi, -release->grid) - (double) entry->centre, &mean[0], &mean[1]);
	mean[0] = fmax(dps_round_down(ldexp(mean[0] + (double) entry->centre, release->grid)), entry->lo);
	mean[1] = fmin(dps_round_up(ldexp(mean[1] + (double) entry->centre, release->grid)), entry->hi);
}

void
dps_interval_vector_mean(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
						 DpsNoiseInterval *interval)
{
	double		miss = dps_miss_of_each(1.0 - level, n);
	double		rows = row_count(release, answer);
	double		mean[2];
	int			i;

	interval->isnull = answer->count == 0;
	for (i = 0; i < n && !interval->isnull; i++)
	{
		interval[i].estimate = mean_entry(release, answer, finish->value[i], rows);
		spread_mean(release, answer, finish->value[i], miss, mean);
		interval[i].lower = dps_min(mean[0], interval[i].estimate);
		interval[i].upper = dps_max(mean[1], interval[i].estimate);
	}
}

/* ---- explaining ---- */

static void
sum_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	dps_explain_integer(release, plan, rows, explanation);
	explanation->note = "sensitivity is that of the whole vector, noise and error are those of each entry";
}

/* The error to first order, for a mean at an end of its range. */
static void
mean_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	const DpsVectorDesign *design = dps_release_design(release);
	uint64		weight = design->weight[plan->mechanism->norm - 1];
	double		farthest = 0.0;
	int			k;

	sum_explain(release, plan, rows, explanation);
	for (k = 0; k < design->nvalues && weight != 0; k++)
		farthest = fmax(farthest, ldexp((design->entry[k].hi - design->entry[k].lo) / 2.0, -release->grid) / (double) weight);
	explanation->error_95_per_row = explanation->error_95 * hypot(1.0, farthest);
	explanation->error_95 = rows > 0.0 ? explanation->error_95_per_row / rows : NAN;
}

const DpsAggregate dps_aggregate_vector_sum = {
	.name = "dp_sum of a vector",
	.sums_rows = true,
	.derive = sum_derive,
	.derive_column = vector_derive_column,
	.is_centred = sum_is_centred,
	.plan = vector_plan,
	.explain = sum_explain,
	.release = vector_release,
};

const DpsAggregate dps_aggregate_vector_mean = {
	.name = "dp_avg of a vector",
	.sums_rows = true,
	.derive = mean_derive,
	.derive_column = vector_derive_column,
	.is_centred = mean_is_centred,
	.plan = vector_plan,
	.explain = mean_explain,
	.release = vector_release,
};
