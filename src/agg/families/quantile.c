/*
 * quantile.c
 *		dp_quantile, dp_median, dp_min and dp_max: one quantile, or several from
 *		one release.
 *
 * Precondition: the release's removes, replaces and vector hold (agg/families/tallied.c).
 * The value of a row is the nearest point of a public lattice over the certified
 * range, of at most DPS_TALLY_POINTS points.
 *
 * One quantile is a draw of the exponential mechanism over the points, by the
 * distances of noise/quantile_mechanism.c: epsilon-DP, and epsilon^2/8-zCDP (noise/
 * exponential.c).  A row that moves changes two groups by one value each, so
 * the losses of their draws, each of half of the range, add up to epsilon.
 *
 * The levels 0 and 1 ask for a rank beyond which the empty part of the lattice is
 * not drawn (dps_extreme_rank), from the lower or upper end: near the minimum
 * or maximum, and never by the extreme value alone.
 *
 * Several quantiles are either as many draws, each at an equal share of epsilon, or
 * read from one tree of noisy counts (noise/tree.c) under the mechanism of the
 * setting: whichever errs less, by figures that are public.
 *
 * Postcondition: the whole answer has that loss; it lies on the lattice, clamped
 * into the certified range.  If no neighbour can change a tally, the answer is
 * exact, and NULL for no values.  If there is one point only, it is the answer.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "agg/aggregate.h"
#include "agg/families/quantile.h"
#include "agg/families/tallied.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "base/compare.h"
#include "base/once.h"
#include "glue/glue.h"
#include "noise/tree.h"
#include "num/whole.h"

/* The range of a level's distances, which are counted in units of level_unit ranks. */
uint64
dps_level_range(const DpsRelease *release, DpsQuantile level)
{
	if (dps_level_is_extreme(level))
		return dps_tallied_range(release, DPS_RANK_RANGE, DPS_RANK_RANGE);
	return dps_tallied_range(release, dps_quantile_range(level, false), dps_quantile_range(level, true));
}

/* dps_extreme_rank gets the epsilon that belongs to its own range. */
uint64
dps_release_extreme_rank(const DpsRelease *release, double epsilon)
{
	uint64		range = dps_tallied_range(release, DPS_RANK_RANGE, DPS_RANK_RANGE);

	return dps_extreme_rank(epsilon * DPS_RANK_RANGE / (double) range, release->points);
}

static double
level_unit(DpsQuantile level)
{
	return dps_level_is_extreme(level) ? 1.0 : 1.0 / (double) level.denominator;
}

/* The largest range of the levels, in ranks. */
static double
ranks_range(const DpsRelease *release, const DpsQuantile *levels, int n)
{
	double		most = 0.0;
	int			i;

	for (i = 0; i < n; i++)
		most = dps_max(most, (double) dps_level_range(release, levels[i]) * level_unit(levels[i]));
	return most;
}

DpsStatus
dps_quantile_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsGrid		grid;

	DPS_TRY(dps_derive_tallied(facts, release, summand, why));
	grid = dps_grid_of_points(facts->inf, facts->sup, facts->integral, DPS_TALLY_POINTS);
	dps_set_points(facts, &grid, release, summand);
	release->nlevels = facts->parameter.nlevels;
	summand->design = facts->parameter.level;
	summand->design_size = sizeof(DpsQuantile) * release->nlevels;
	/* one point is the answer whatever the rows are; for one row, as the caller
	 * multiplies by those of a unit */
	if (release->points > 1)
		release->sensitivity = ranks_range(release, facts->parameter.level, release->nlevels) / release->unit_rows;
	return DPS_OK;
}

/* ---- one level ---- */

DpsCells
dps_cells_make(const DpsRelease *release, const DpsState *state)
{
	Size		most = 2 * (Size) state->nentries + 3;
	DpsCells		cells = {palloc(sizeof(DpsRun) * most), palloc(sizeof(DpsCandidate) * most), 0};
	uint64		next = 0;		/* the first point that is in no cell yet */
	uint32		i;

	for (i = 0; i < state->nentries; i++)
	{
		const DpsTallyEntry *entry = &dps_state_entries(state)[i];

		if (entry->point > next)
			cells.cell[cells.n++] = (DpsRun) {entry->point - next, 0};
		cells.cell[cells.n++] = (DpsRun) {1, (uint64) entry->count};
		next = (uint64) entry->point + 1;
	}
	if (next < release->points)
		cells.cell[cells.n++] = (DpsRun) {release->points - next, 0};
	return cells;
}

void
dps_cells_free(DpsCells *cells)
{
	pfree(cells->cell);
	pfree(cells->candidates);
}

static void
set_distances(DpsCells *cells, DpsQuantile level, uint64 rank)
{
	if (dps_level_is_extreme(level))
		dps_rank_distances(rank, level.numerator > 0, cells->cell, cells->n, cells->candidates);
	else
		dps_quantile_distances(level, cells->cell, cells->n, 0, 0, cells->candidates);
}

/* The point of the first value that is the quantile; the only point if there is
 * but one. */
uint64
dps_cells_exact_point(DpsCells *cells, DpsQuantile level)
{
	uint64		point = 0;
	size_t		i;

	set_distances(cells, level, 1);
	for (i = 0; i + 1 < cells->n && cells->candidates[i].distance > 0; i++)
		point += cells->cell[i].width;
	return point;
}

DpsStatus
dps_plan_levels(const DpsRelease *release, int draws, DpsNoisePlan *plan)
{
	const DpsQuantile *levels = dps_release_design(release);
	DpsExponential law;
	int			i;

	DPS_TRY(dps_noise_plan_choices(plan, &dps_exponential, draws, dps_level_range(release, levels[0])));
	/* each level has a law of its own, at the same cost; if one fails, nothing is charged */
	for (i = 1; i < release->nlevels; i++)
	{
		if (dps_level_range(release, levels[i]) != dps_level_range(release, levels[i - 1]))
			DPS_TRY(dps_noise_plan_law(plan, dps_level_range(release, levels[i]), &law));
	}
	return DPS_OK;
}

uint64
dps_draw_point(const DpsDraw *draw, DpsCells *cells, DpsQuantile level, uint64 rank)
{
	const DpsExponential *law = dps_tallied_law(draw->plan, dps_level_range(draw->release, level));
	uint64_t	point;

	set_distances(cells, level, rank);
	dps_check_draw(dps_quantile_draw(draw->random, law, cells->cell, cells->candidates, cells->n, &point));
	return point;
}

double
dps_draw_share(const DpsNoisePlan *plan)
{
	return plan->epsilon / plan->coordinate[0].joined;
}

static double
point_value(const DpsRelease *release, uint64 point)
{
	return dps_clamp_value(release, ldexp((double) (release->lo + (int64) point), release->grid));
}

/* ---- a tree for many ---- */

/* Does a neighbour change two counts at each level? */
static bool
changes_two(const DpsRelease *release)
{
	return release->replaces || release->vector;
}

/* About the half-width of the 95 % interval of a rank, a sum over half of the children at each
 * level, each with noise of its own. */
static double
tree_error(const DpsTreePlan *tree)
{
	double		nodes = Max(tree->height * (tree->fanout - 1) / 2.0, 1.0);

	return 1.96 * sqrt(nodes) * ldexp(tree->mechanism->deviation(tree->scale, tree->step), -tree->unit_bits);
}

/* Plans a tree of this height and the least fanout that covers all points. */
static bool
make_tree(const DpsRelease *release, const DpsNoisePlan *plan, int height, DpsTreePlan *tree)
{
	DpsTarget	target = {plan->epsilon, plan->delta, 1, 0};
	int			fanout = dps_to_int32(ceil(pow(release->points, 1.0 / height)));

	while (pow(fanout, height) < release->points)
		fanout++;
	return dps_tree_plan(tree, plan->mechanism, &target, Max(fanout, 2), height, release->unit_rows, changes_two(release)) == DPS_OK;
}

/* The tree of the least error; false if there is none. */
static bool
least_tree(const DpsRelease *release, const DpsNoisePlan *plan, DpsTreePlan *best)
{
	bool		found = false;
	int			height;

	for (height = 1; height <= 8; height++)
	{
		DpsTreePlan tree;

		if (!make_tree(release, plan, height, &tree) || (found && tree_error(&tree) >= tree_error(best)))
			continue;
		*best = tree;
		found = true;
	}
	return found;
}

/*
 * With probability 0.95 a draw is no further off than this, in ranks: the weight of
 * all points that are further is at most N exp(-epsilon D / range), that of the
 * quantile at least 1 (McSherry and Talwar 2007).
 */
double
dps_choice_error(const DpsRelease *release, const DpsQuantile *levels, int n, double epsilon)
{
	double		error = ranks_range(release, levels, n) * n / epsilon * log(20.0 * release->points);
	int			i;

	for (i = 0; i < n; i++)
	{
		if (dps_level_is_extreme(levels[i]))
			return error + (double) dps_release_extreme_rank(release, epsilon / n);
	}
	return error;
}

/* The bound for draws overstates their error three times as much as the figure for a
 * tree does, where that was measured: 100 to 50,000 points, 3 to 20 levels. */
#define DRAWS_TO_TREE 3.0

static DpsStatus
quantile_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	const DpsQuantile *levels = dps_release_design(release);
	DpsTreePlan tree;

	if (release->nlevels == 1 || !least_tree(release, plan, &tree) ||
		!(dps_choice_error(release, levels, release->nlevels, plan->epsilon) > DRAWS_TO_TREE * tree_error(&tree)))
		return dps_plan_levels(release, release->nlevels, plan);
	dps_noise_plan_tree(plan, &tree, tree.height * (changes_two(release) ? 2 : 1) * release->unit_rows);
	return DPS_OK;
}

/* The point at which the tree has the level; extreme levels are moved inward by the
 * tree's error. */
static uint64
tree_point(const DpsRelease *release, const DpsTree *tree, DpsQuantile level, double error)
{
	double		q = (double) level.numerator / (double) level.denominator;
	double		position;

	if (dps_level_is_extreme(level))
	{
		double		margin = fmin(error / fmax(tree->mass[0][0], 1.0), 0.5);

		q = fmin(fmax(q, margin), 1.0 - margin);
	}
	position = floor(dps_tree_quantile(tree, q));
	return dps_to_uint64(fmin(fmax(position, 0.0), release->points - 1.0));
}

static void
release_tree(const DpsDraw *draw, const DpsState *state, Datum *values)
{
	const DpsRelease *release = draw->release;
	const DpsQuantile *levels = dps_release_design(release);
	DpsTreePlan plan = dps_noise_plan_tree_of(draw->plan);
	uint64	   *counts = palloc0(sizeof(uint64) * plan.buckets);
	DpsArena   *arena = dps_server_arena();
	DpsTree    *tree;
	uint32		j;
	int			i;

	dps_check_scale(release, plan.sensitivity, plan.scale);
	for (j = 0; j < state->nentries; j++)
		counts[dps_state_entries(state)[j].point] = (uint64) dps_state_entries(state)[j].count;
	dps_check_draw(dps_tree_draw(arena, draw->random, &plan, counts, &tree));
	for (i = 0; i < release->nlevels; i++)
		values[i] = Float8GetDatum(point_value(release, tree_point(release, tree, levels[i], tree_error(&plan))));
	dps_arena_clear(arena);
	pfree(counts);
}

/* ---- releases ---- */

/* Releases the levels one by one. */
static void
release_levels(const DpsDraw *draw, const DpsState *state, Datum *values)
{
	const DpsRelease *release = draw->release;
	const DpsQuantile *levels = dps_release_design(release);
	DpsCells		cells = dps_cells_make(release, state);
	int			i;

	for (i = 0; i < release->nlevels; i++)
	{
		uint64		point = dps_is_exact(draw) ? dps_cells_exact_point(&cells, levels[i]) :
			dps_draw_point(draw, &cells, levels[i], dps_release_extreme_rank(release, dps_draw_share(draw->plan)));

		values[i] = Float8GetDatum(point_value(release, point));
	}
	dps_cells_free(&cells);
}

/* How many levels are below the i-th, or equal to it and before. */
int
dps_level_order(const DpsQuantile *levels, int n, int i)
{
	int			rank = 0;
	int			j;

	for (j = 0; j < n; j++)
	{
		uint64		left = levels[j].numerator * levels[i].denominator;
		uint64		right = levels[i].numerator * levels[j].denominator;

		rank += left < right || (left == right && j < i);
	}
	return rank;
}

/* Gives the values to the levels in their order, as quantiles cannot cross: a
 * function of what is released. */
static void
uncross(const DpsQuantile *levels, int n, Datum *values)
{
	double		sorted[DPS_MAX_LEVELS];
	int			i;

	for (i = 0; i < n; i++)
		sorted[i] = DatumGetFloat8(values[i]);
	qsort(sorted, n, sizeof(double), dps_compare_doubles);
	for (i = 0; i < n; i++)
		values[i] = Float8GetDatum(sorted[dps_level_order(levels, n, i)]);
}

static Datum
quantile_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	Datum		value;

	*isnull = dps_tallied_is_null(draw, state);
	if (*isnull)
		return (Datum) 0;
	release_levels(draw, state, &value);
	return value;
}

static Datum
quantiles_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	const DpsRelease *release = draw->release;
	Datum	   *values = palloc(sizeof(Datum) * release->nlevels);

	*isnull = dps_tallied_is_null(draw, state);
	if (*isnull)
		return (Datum) 0;
	if (!dps_is_exact(draw) && draw->plan->tree.height > 0)
		release_tree(draw, state, values);
	else
		release_levels(draw, state, values);
	uncross(dps_release_design(release), release->nlevels, values);
	return PointerGetDatum(construct_array(values, release->nlevels, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- explaining ---- */

static void
explain_tree(const DpsTreePlan *tree, DpsExplanation *explanation)
{
	explanation->scale = ldexp((double) tree->scale, -tree->unit_bits);
	explanation->error_95_per_row = tree_error(tree);
	explanation->note = psprintf("all levels from one tree of noisy counts, %d levels of fanout %d; errors are in ranks, divided by rows in parts of all values",
								 tree->height, tree->fanout);
}

static void
explain_levels(const DpsRelease *release, double epsilon, DpsExplanation *explanation)
{
	const DpsQuantile *levels = dps_release_design(release);
	int			n = release->nlevels;

	explanation->scale = release->sensitivity * n / epsilon;
	explanation->error_95_per_row = dps_choice_error(release, levels, n, epsilon);
	explanation->note = "drawn by the exponential mechanism; scale and errors are in ranks, divided by rows in parts of all values";
	if (n > 1)
		explanation->note = psprintf("%d draws of equal shares of epsilon by the exponential mechanism; scale and errors are in ranks, divided by rows in parts of all values", n);
	else if (dps_level_is_extreme(levels[0]))
		explanation->note = psprintf("rank %.0f from the end, drawn by the exponential mechanism; scale and errors are in ranks, divided by rows in parts of all values",
									 (double) dps_release_extreme_rank(release, epsilon));
}

static void
quantile_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	DpsTreePlan tree = dps_noise_plan_tree_of(plan);

	if (tree.height > 0)
		explain_tree(&tree, explanation);
	else
		explain_levels(release, plan->epsilon, explanation);
	explanation->error_95 = NAN;
	if (rows > 0.0)
		explanation->error_95 = fmin(explanation->error_95_per_row / rows, 1.0);
}

/* ---- the aggregates ---- */

#define OF_QUANTILES \
	.sums_rows = true, .chooses = true, .derive = dps_quantile_derive, \
	.has_one_answer = dps_has_one_point, .plan = quantile_plan, .explain = quantile_explain

const DpsAggregate dps_aggregate_quantile = {
	.name = "dp_quantile",
	.result_type = FLOAT8OID,
	.release_function = "release_value",
	.parameter = DPS_LEVELS,
	.release = quantile_release,
	OF_QUANTILES
};

const DpsAggregate dps_aggregate_quantiles = {
	.name = "dp_quantile",
	.result_type = FLOAT8ARRAYOID,
	.release_function = "release_values",
	.parameter = DPS_LEVELS,
	.release = quantiles_release,
	OF_QUANTILES
};

const DpsAggregate dps_aggregate_median = {
	.name = "dp_median",
	.result_type = FLOAT8OID,
	.release_function = "release_value",
	.level = {1, 2},
	.release = quantile_release,
	OF_QUANTILES
};

const DpsAggregate dps_aggregate_min = {
	.name = "dp_min",
	.result_type = FLOAT8OID,
	.release_function = "release_value",
	.level = {0, 1},
	.release = quantile_release,
	OF_QUANTILES
};

const DpsAggregate dps_aggregate_max = {
	.name = "dp_max",
	.result_type = FLOAT8OID,
	.release_function = "release_value",
	.level = {1, 1},
	.release = quantile_release,
	OF_QUANTILES
};
