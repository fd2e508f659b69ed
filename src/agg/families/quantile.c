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
 * distances of noise/quantile/quantile_mechanism.c: epsilon-DP, and epsilon^2/8-zCDP (noise/
 * exponential.c).  A row that moves changes two groups by one value each, so
 * the losses of their draws, each of half of the range, add up to epsilon.
 *
 * The levels 0 and 1 ask for a rank beyond which the empty part of the lattice is
 * not drawn (dps_extreme_rank), from the lower or upper end: near the minimum
 * or maximum, and never by the extreme value alone.
 *
 * Several quantiles are either drawn from parts of the values that earlier draws have divided
 * (noise/quantile/split.c), at an equal share of epsilon for each depth, or read from one
 * tree of noisy counts (noise/tree.c) under the mechanism of the
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
#include "noise/quantile/split.h"
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

/* dps_extreme_rank gets the epsilon that belongs to the range of the rank's distances. */
static uint64
extreme_rank(const DpsRelease *release, double epsilon, uint64 range)
{
	return dps_extreme_rank(epsilon * DPS_RANK_RANGE / (double) range, release->points);
}

uint64
dps_release_extreme_rank(const DpsRelease *release, double epsilon)
{
	return extreme_rank(release, epsilon, dps_tallied_range(release, DPS_RANK_RANGE, DPS_RANK_RANGE));
}

/* The same for a node, below the root (split.c). */
static uint64
node_range(const DpsRelease *release, const DpsSplitNode *node)
{
	uint64		removal = dps_level_is_extreme(node->level) ? DPS_RANK_RANGE : dps_split_range(node->level);

	return node->depth == 1 ? dps_level_range(release, node->level) : dps_tallied_range(release, removal, 2 * removal);
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

/* ---- who divides what ---- */

/* The levels of a release that differ, in ascending order, and their nodes. */
typedef struct Splitting
{
	int			nlevels;
	DpsQuantile	levels[DPS_MAX_LEVELS];
	DpsSplitNode nodes[DPS_MAX_LEVELS];
	int			depth;
} Splitting;

static int
compare_levels(const void *a, const void *b)
{
	const DpsQuantile *x = a;
	const DpsQuantile *y = b;
	uint64		left = x->numerator * y->denominator;
	uint64		right = y->numerator * x->denominator;

	return left < right ? -1 : left > right;
}

static void
split_levels(const DpsRelease *release, Splitting *splitting)
{
	const DpsQuantile *levels = dps_release_design(release);
	DpsQuantile	sorted[DPS_MAX_LEVELS];
	int			i;

	memcpy(sorted, levels, sizeof(DpsQuantile) * release->nlevels);
	qsort(sorted, release->nlevels, sizeof(DpsQuantile), compare_levels);
	splitting->nlevels = 0;
	for (i = 0; i < release->nlevels; i++)
	{
		if (i == 0 || compare_levels(&sorted[i], &sorted[i - 1]) != 0)
			splitting->levels[splitting->nlevels++] = sorted[i];
	}
	splitting->depth = dps_split_plan(splitting->levels, splitting->nlevels, splitting->nodes);
}

/* The largest range of the nodes, in ranks. */
static double
nodes_range(const DpsRelease *release, const Splitting *splitting)
{
	double		most = 0.0;
	int			i;

	for (i = 0; i < splitting->nlevels; i++)
		most = dps_max(most, (double) node_range(release, &splitting->nodes[i]) * level_unit(splitting->nodes[i].level));
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

/* ---- parts for several ---- */

static bool
divides(const DpsSplitNode *node)
{
	return !dps_level_is_extreme(node->level) && (node->lower >= 0 || node->upper >= 0);
}

static DpsStatus
plan_splitting(const DpsRelease *release, const Splitting *splitting, DpsNoisePlan *plan)
{
	DpsExponential law;
	int			i;

	DPS_TRY(dps_noise_plan_choices(plan, &dps_exponential, splitting->depth, node_range(release, &splitting->nodes[0])));
	/* each node has a law of its own, at the same cost; if one fails, nothing is charged */
	for (i = 1; i < splitting->nlevels; i++)
		DPS_TRY(dps_noise_plan_law(plan, node_range(release, &splitting->nodes[i]), &law));
	return DPS_OK;
}

/* What is being divided, and the answers. */
typedef struct Dividing
{
	const DpsDraw *draw;
	Splitting	splitting;
	DpsCells	cells;
	uint64		points[DPS_MAX_LEVELS]; /* by the levels in ascending order */
} Dividing;

/* Cells of everything, and the number of the first point. */
typedef struct Part
{
	size_t		from;
	size_t		to;
	uint64		first;
} Part;

static const DpsExponential *
law_of(const Dividing *dividing, const DpsSplitNode *node)
{
	return dps_tallied_law(dividing->draw->plan, node_range(dividing->draw->release, node));
}

/* Draws a point of the part, which is not divided. */
static void
choose(Dividing *dividing, const DpsSplitNode *node, const Part *part)
{
	const DpsDraw *draw = dividing->draw;
	double		share = dps_draw_share(draw->plan);
	DpsCells	cells = {dividing->cells.cell + part->from, dividing->cells.candidates, part->to - part->from};
	uint64		rank = dps_level_is_extreme(node->level) ? extreme_rank(draw->release, share, node_range(draw->release, node)) : 0;
	uint64_t	point;

	set_distances(&cells, node->level, rank);
	dps_check_draw(dps_quantile_draw(draw->random, law_of(dividing, node), cells.cell, cells.candidates, cells.n, &point));
	dividing->points[node->which] = part->first + point;
}

static void divide(Dividing *dividing, int number, const Part *part);

/* Cuts the part, and divides what is below and above.  The cell that is cut belongs to both. */
static void
cut(Dividing *dividing, const DpsSplitNode *node, const Part *part)
{
	DpsRun	   *cells = dividing->cells.cell + part->from;
	uint64		before = part->first;
	DpsArena   *arena = dps_server_arena();
	DpsCut		found;
	DpsRun		whole;
	size_t		i;

	dps_check_draw(dps_split_draw(arena, dividing->draw->random, law_of(dividing, node), node->level, cells,
								  part->to - part->from, &found));
	dps_arena_clear(arena);
	for (i = 0; i < found.cell; i++)
		before += cells[i].width;
	dividing->points[node->which] = before + found.within;
	whole = cells[found.cell];
	cells[found.cell] = dps_cut_lower(&found);
	divide(dividing, node->lower, &(Part) {part->from, part->from + found.cell + 1, part->first});
	cells[found.cell] = dps_cut_upper(whole, &found);
	divide(dividing, node->upper, &(Part) {part->from + found.cell, part->to, before + found.within});
	cells[found.cell] = whole;
}

/* Levels are halved, so it calls itself a few times. */
static void
divide(Dividing *dividing, int number, const Part *part)
{
	const DpsSplitNode *node = &dividing->splitting.nodes[number];

	if (number < 0)
		return;
	if (divides(node))
	{
		cut(dividing, node, part);
		return;
	}
	choose(dividing, node, part);
	divide(dividing, node->upper, part);
}

static void
release_parts(const DpsDraw *draw, const DpsState *state, Datum *values)
{
	const DpsQuantile *levels = dps_release_design(draw->release);
	Dividing   *dividing = palloc(sizeof(Dividing));
	int			i;

	*dividing = (Dividing) {.draw = draw, .cells = dps_cells_make(draw->release, state)};
	split_levels(draw->release, &dividing->splitting);
	divide(dividing, 0, &(Part) {0, dividing->cells.n, 0});
	for (i = 0; i < draw->release->nlevels; i++)
	{
		const DpsQuantile *found = bsearch(&levels[i], dividing->splitting.levels, dividing->splitting.nlevels,
										   sizeof(DpsQuantile), compare_levels);

		values[i] = Float8GetDatum(point_value(draw->release, dividing->points[found - dividing->splitting.levels]));
	}
	dps_cells_free(&dividing->cells);
	pfree(dividing);
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

/*
 * The same for nodes, all at once.  A node is as far off as its own draw, and as far as the ends of its part have
 * moved its level, each by its share.  `chances`: how many times the weight of what is nearest all cuts of a draw
 * have at most.
 */
static double
node_error(const DpsRelease *release, const Splitting *splitting, const DpsSplitNode *node, double epsilon, double chances,
		   double below, double above)
{
	double		q = (double) node->level.numerator / (double) node->level.denominator;
	double		ranks = (double) node_range(release, node) * level_unit(node->level);
	double		moved = (1.0 - q) * below + q * above;
	double		own = moved + ranks * splitting->depth / epsilon *
		log(20.0 * splitting->nlevels * (divides(node) ? chances : (double) release->points));
	double		most;

	if (dps_level_is_extreme(node->level))
		own += (double) extreme_rank(release, epsilon / splitting->depth, node_range(release, node));
	most = own;
	if (node->lower >= 0)
		most = dps_max(most, node_error(release, splitting, &splitting->nodes[node->lower], epsilon, chances, below, own));
	if (node->upper >= 0)
		most = dps_max(most, node_error(release, splitting, &splitting->nodes[node->upper], epsilon, chances, own, above));
	return most;
}

static double
parts_error(const DpsRelease *release, const Splitting *splitting, double epsilon, double chances)
{
	return node_error(release, splitting, &splitting->nodes[0], epsilon, chances, 0.0, 0.0);
}

/* Where many values are equal only some of the cuts of their point are near: no less than one in the number
 * of values for each rank that a draw makes no difference of. */
static double
chances_of_cuts(const DpsRelease *release, double epsilon, double rows)
{
	double		cuts = (double) (DPS_SPLIT_CUTS + 1);

	return (double) release->points * (rows > 0.0 ? fmin(cuts, 1.0 + epsilon * rows) : cuts);
}

/* The bound for parts overstates their error so many times as much as the figure for a
 * tree does, where that was measured: 121 and 51,201 points, 3 to 19 levels, 1,000 and 20,000 values, some of which 60 % are equal. */
#define PARTS_TO_TREE 5.0

static DpsStatus
quantile_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	DpsTreePlan tree;
	Splitting	splitting;

	if (release->nlevels == 1)
		return dps_plan_levels(release, 1, plan);
	split_levels(release, &splitting);
	if (!least_tree(release, plan, &tree) ||
		!(parts_error(release, &splitting, plan->epsilon, release->points) > PARTS_TO_TREE * tree_error(&tree)))
		return plan_splitting(release, &splitting, plan);
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

/* The values that have the levels. */
static void
exact_levels(const DpsDraw *draw, const DpsState *state, Datum *values)
{
	const DpsRelease *release = draw->release;
	const DpsQuantile *levels = dps_release_design(release);
	DpsCells	cells = dps_cells_make(release, state);
	int			i;

	for (i = 0; i < release->nlevels; i++)
		values[i] = Float8GetDatum(point_value(release, dps_cells_exact_point(&cells, levels[i])));
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
	if (dps_is_exact(draw))
		exact_levels(draw, state, &value);
	else
		release_parts(draw, state, &value);
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
	if (dps_is_exact(draw))
		exact_levels(draw, state, values);
	else if (draw->plan->tree.height > 0)
		release_tree(draw, state, values);
	else
		release_parts(draw, state, values);
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
explain_level(const DpsRelease *release, double epsilon, DpsExplanation *explanation)
{
	const DpsQuantile *level = dps_release_design(release);

	explanation->scale = release->sensitivity / epsilon;
	explanation->error_95_per_row = dps_choice_error(release, level, 1, epsilon);
	explanation->note = "drawn by the exponential mechanism; scale and errors are in ranks, divided by rows in parts of all values";
	if (dps_level_is_extreme(*level))
		explanation->note = psprintf("rank %.0f from the end, drawn by the exponential mechanism; scale and errors are in ranks, divided by rows in parts of all values",
									 (double) dps_release_extreme_rank(release, epsilon));
}

static void
explain_parts(const DpsRelease *release, double epsilon, double rows, DpsExplanation *explanation)
{
	Splitting	splitting;

	split_levels(release, &splitting);
	explanation->scale = nodes_range(release, &splitting) * splitting.depth / epsilon;
	explanation->error_95_per_row = parts_error(release, &splitting, epsilon, chances_of_cuts(release, epsilon, rows));
	explanation->note = psprintf("drawn by the exponential mechanism from %d depths of parts that earlier draws divide, each depth with an equal share of epsilon; scale and errors are in ranks, divided by rows in parts of all values",
								 splitting.depth);
}

static void
quantile_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	DpsTreePlan tree = dps_noise_plan_tree_of(plan);

	if (tree.height > 0)
		explain_tree(&tree, explanation);
	else if (release->nlevels > 1)
		explain_parts(release, plan->epsilon, rows, explanation);
	else
		explain_level(release, plan->epsilon, explanation);
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
