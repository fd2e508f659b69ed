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
 * mechanism's theorem asks for this sensitivity, or of scales of their own that are aimed at
 * attributes; adding n c back, dividing and clamping are post-processing.
 *
 * Aimed (noise/plan.c, which has the proof): under attribute, where a change of a column moves values and nothing
 * else of the one row that a unit has: the row counts before and after, in the same group, and no number
 * of rows is released.  So two databases that differ in column j of one row have the same integers but for d of
 * one group, and entry i of these differs by at most m_ij, the smaller of floor((D_ij + 2 eta_i) / g) + 1 and
 * the length of its range in g.  0 where D_ij and eta_i are 0: then the evaluator yields the same double.  What a
 * row adds that is longer than the limit is no case: under attribute the certificate says that there is none.
 * The same numbers are what a change of a column with a budget of its own moves (ledger/cost.c).
 *
 * In a box (noise/k_norm.c): under add_remove, and under replace where a row cannot move to another group, each of a unit's
 * rows that changes moves entry i of one group's integers by at most its reach: by the integers that a row can add, since each
 * is clamped by itself, or that are replaced by 0 where the row is too long: max(|lo|, |hi|) of them where it comes or
 * goes, the length of the hull of lo, hi and 0 where it becomes another.  A unit changes unit_rows of them at most, each in one
 * group.  A sum under `laplace` gets that noise where all entries together then have less variance than in the 1-norm, and rows have no accounts, whose
 * losses are reckoned in the norms of a row.
 *
 * A mean over a private number of rows has n as one entry more of the box, of weight w, the largest reach: a row that comes or goes moves it by w,
 * one that becomes another by nothing.  The row's vector is (z, w) or its negative, and the convex hull of these is the box, which no other
 * norm's body is within.  With V_i and V_n the variances of that noise, of which two entries are uncorrelated, since given the radius
 * each has either sign alike, the mean errs to first order by V_i + m^2 (r_i / w)^2 V_n, r_i the radius of the range and |m| <= 1;
 * in the 1-norm by the same with equal variances.  Both are affine in m^2, so the box is better wherever the means are if all entries together have less
 * variance for m = 0 and for m = 1.
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "agg/weights.h"
#include "base/once.h"
#include "moment/aim.h"
#include "noise/two_draws.h"
#include "num/interval.h"

#define METRIC_SLACK 0x1p-20

/* An evaluator's error of so many grid units or more counts as unknown. */
#define UNKNOWN_ERROR (UINT64_C(1) << 20)

/* More than any box has. */
#define UNKNOWN_REACH PG_UINT64_MAX

typedef struct DpsVectorEntry
{
	int64		centre;
	double		lo;
	double		hi;
	uint64		reach;			/* the most that a row moves it, one row in one group; UNKNOWN_REACH:
								 * not known */
} DpsVectorEntry;

typedef struct DpsVectorDesign
{
	int32		nvalues;
	int32		count_is_public;
	uint64		weight[2];		/* of n, by norm; 0: it is not released */
	int32		ncolumns;		/* that move the entries, and nothing else; 0: it is not so, or not
								 * known */
	int32		reserved;		/* 0: equal designs have equal bytes */
	DpsVectorEntry entry[FLEXIBLE_ARRAY_MEMBER];
	/* then the columns' weights, their numbers and their moves (lay_out_columns) */
} DpsVectorDesign;

/* What follows the entries. */
typedef struct DpsVectorColumns
{
	double	   *weight;
	int64	   *number;			/* of the column in its relation; 0: not known */
	uint64	   *moves;			/* of each column how far it moves each entry */
} DpsVectorColumns;

static DpsVectorColumns
lay_out_columns(const DpsVectorDesign *design)
{
	DpsVectorColumns columns;
	int			ncolumns = design->ncolumns;

	StaticAssertStmt(offsetof(DpsVectorDesign, entry) % sizeof(uint64) == 0 && sizeof(DpsVectorEntry) % sizeof(uint64) == 0,
					 "what follows the entries must be aligned");
	columns.weight = (double *) (design->entry + design->nvalues);
	columns.number = (int64 *) (columns.weight + ncolumns);
	columns.moves = (uint64 *) (columns.number + ncolumns);
	return columns;
}

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

/* How far a row moves an entry; not known where it can move those of two groups, or changes in parts. */
static uint64
find_reach(const DpsFacts *facts, const DpsSummandValue *summand)
{
	DpsRowChange change = dps_row_change(facts);
	__int128	lo = (__int128) summand->lo - summand->centre;
	__int128	hi = (__int128) summand->hi - summand->centre;
	__int128	reach = UNKNOWN_REACH;

	if (facts->adjacency == DPS_ADD_REMOVE)
		reach = dps_max(hi, -lo);
	else if (facts->adjacency == DPS_REPLACE && !change.moves)
		reach = dps_max(hi, 0) - dps_min(lo, 0);
	return (uint64) dps_min(reach, UNKNOWN_REACH);
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
	*entry = (DpsVectorEntry) {summand->centre, value->inf, value->sup, UNKNOWN_REACH};
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

/* How far a change of a column, a row of the attributes, moves each entry. */
static void
column_moves(const DpsFacts *facts, const DpsSummand *summand, int column, uint64 *moves)
{
	int			i;

	for (i = 0; i < facts->nvalues; i++)
	{
		const DpsSummandValue *value = &summand->value[i];
		double		change = dps_add_up(facts->attributes[column][i], 2.0 * facts->value[i].evaluation_error);

		uint64		length = (uint64) value->hi - (uint64) value->lo;

		moves[i] = dps_min(dps_change_units(change, value->grid, dps_max(length, 1)), UINT64_C(1) << 61);
	}
}

static uint64
attribute_move(const DpsFacts *facts, const DpsSummand *summand, int norm)
{
	uint64		most = 0;
	int			column;

	for (column = 0; column < facts->nattributes; column++)
	{
		uint64		moves[DPS_MAX_VALUES];

		column_moves(facts, summand, column, moves);
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
		move = dps_min(move, attribute_move(facts, summand, norm));
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

/* How many columns move entries, if that is all that a neighbour can do. */
static int
count_columns(const DpsFacts *facts)
{
	DpsRowChange change = dps_row_change(facts);

	if (facts->adjacency != DPS_ATTRIBUTE || !change.values || change.toggles || change.moves ||
		facts->unit_l1 != 1.0 || facts->unit_groups != 1 || facts->nattributes > DPS_MAX_AIMED_COLUMNS)
		return 0;
	return facts->nattributes;
}

/* A design with room for what is known of columns. */
static DpsVectorDesign *
make_design(const DpsFacts *facts, Size *size)
{
	int			ncolumns = count_columns(facts);
	int			d = facts->nvalues;
	DpsVectorDesign *design;

	*size = offsetof(DpsVectorDesign, entry) + d * sizeof(DpsVectorEntry) +
		ncolumns * (sizeof(double) + sizeof(int64) + d * sizeof(uint64));
	design = palloc0(*size);
	design->nvalues = d;
	design->ncolumns = ncolumns;
	return design;
}

/* Sets what is known of columns. */
static void
set_columns(const DpsFacts *facts, const DpsSummand *summand, DpsVectorDesign *design)
{
	DpsVectorColumns columns = lay_out_columns(design);
	int			j;

	for (j = 0; j < design->ncolumns; j++)
	{
		column_moves(facts, summand, j, columns.moves + j * design->nvalues);
		columns.weight[j] = dps_attribute_row_weight(facts, j);
		columns.number[j] = facts->attribute_columns != NULL ? facts->attribute_columns[j] : 0;
	}
}

static DpsStatus
derive(const DpsFacts *facts, bool centred, bool divides, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsVectorDesign *design;
	int			d = facts->nvalues;
	int			i;

	StaticAssertStmt(DPS_MAX_AIMED == DPS_MAX_VALUES && DPS_MAX_BOX == DPS_MAX_VALUES, "noise must be for all entries");
	DPS_TRY(check_facts(facts, why));
	design = make_design(facts, &summand->design_size);
	release->sensitivity = real_sensitivity(facts);
	release->grid = choose_grid(facts, release->sensitivity);
	release->vector = 1;
	design->count_is_public = count_is_public(facts);
	for (i = 0; i < d; i++)
	{
		set_entry(&facts->value[i], centred, release->grid, &summand->value[i], &design->entry[i]);
		design->entry[i].reach = find_reach(facts, &summand->value[i]);
	}
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
	DPS_TRY(find_sensitivity(facts, summand, design, 1, &release->l1, why));
	DPS_TRY(find_sensitivity(facts, summand, design, 2, &release->l2, why));
	set_columns(facts, summand, design);
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

static uint64
widest_reach(const DpsVectorDesign *design)
{
	uint64		widest = 1;
	int			i;

	for (i = 0; i < design->nvalues; i++)
		widest = dps_max(widest, design->entry[i].reach);
	return widest;
}

/* The weight of n in a release of the norm, or in a box; 0: it is not released. */
static uint64
count_weight(const DpsVectorDesign *design, bool is_box, int norm)
{
	if (design->weight[norm - 1] == 0)
		return 0;
	return is_box ? widest_reach(design) : design->weight[norm - 1];
}

/* How far a row moves each integer of a box; their number. */
static int
find_reaches(const DpsVectorDesign *design, uint64 *reach)
{
	int			i;

	for (i = 0; i < design->nvalues; i++)
		reach[i] = design->entry[i].reach;
	if (count_weight(design, true, 1) != 0)
		reach[i++] = count_weight(design, true, 1);
	return i;
}

static int
noised_integers(const DpsVectorDesign *design, const DpsMechanism *mechanism)
{
	return design->nvalues + (design->weight[mechanism->norm - 1] != 0 ? 1 : 0);
}

static DpsAimedColumns
aimed_columns(const DpsVectorDesign *design, const uint64 *shape)
{
	DpsVectorColumns columns = lay_out_columns(design);

	return (DpsAimedColumns) {design->nvalues, design->ncolumns, columns.moves, columns.weight, shape};
}

/* Sets the shape that noise of this target is to have; false if one scale for all is about as good. */
static bool
find_shape(const DpsRelease *release, const DpsNoisePlan *plan, const DpsTarget *target, int joined, uint64 *shape)
{
	const DpsVectorDesign *design = dps_release_design(release);
	DpsVectorColumns columns = lay_out_columns(design);
	double		weights[DPS_MAX_AIMED_COLUMNS];
	double		uniform = 0.0;
	int			j;

	if (plan->mechanism->norm != 2 || design->ncolumns == 0 || design->nvalues < 2)
		return false;
	for (j = 0; j < design->ncolumns; j++)
	{
		uint64		norm = norm_of(2, columns.moves + j * design->nvalues, design->nvalues);

		weights[j] = dps_noise_plan_weight(plan, target, columns.weight[j], joined);
		uniform = fmax(uniform, (double) Min(norm, release->l2) / weights[j]);
	}
	return dps_aim(design->nvalues, design->ncolumns, columns.moves, weights, uniform, shape);
}

/* Plans noise for the norm of the whole vector, aimed or not. */
static DpsStatus
plan_norm(const DpsRelease *release, DpsNoisePlan *plan)
{
	const DpsVectorDesign *design = dps_release_design(release);
	DpsTarget	target = dps_target(release, plan, 1);
	int			joined = dps_integers_moved(release, noised_integers(design, plan->mechanism));
	uint64		shape[DPS_MAX_VALUES];
	DpsAimedColumns columns = aimed_columns(design, shape);

	if (find_shape(release, plan, &target, joined, shape) && dps_noise_plan_aimed(plan, &target, &columns, joined) == DPS_OK)
		return DPS_OK;
	return dps_plan_whole(release, plan, &target, joined);
}

/* The radius of an entry's range, in units of the grid. */
static double
entry_radius(const DpsRelease *release, const DpsVectorEntry *entry)
{
	return ldexp((entry->hi - entry->lo) / 2.0, -release->grid);
}

/* The variance of all entries together; of means whose distance from the centre is so many radii, times n^2. */
static double
vector_variance(const DpsRelease *release, const DpsNoisePlan *plan, double distance)
{
	const DpsVectorDesign *design = dps_release_design(release);
	const DpsNoiseBox *box = &plan->box;
	uint64		weight = count_weight(design, box->n > 0, 1);
	double		scale = (double) plan->coordinate[0].scale;
	double		each = box->n > 0 ? 0.0 : plan->mechanism->deviation(plan->coordinate[0].scale, plan->coordinate[0].step);
	double		sum = 0.0;
	int			i;

	for (i = 0; i < design->nvalues; i++)
	{
		double		own = box->n > 0 ? dps_k_norm_deviation(box->n, scale * (double) box->width[i]) : each;
		double		rows = box->n > 0 ? dps_k_norm_deviation(box->n, scale * (double) box->width[box->n - 1]) : each;

		if (weight != 0)
			own = hypot(own, distance * entry_radius(release, &design->entry[i]) / (double) weight * rows);
		sum += own * own;
	}
	return sum;
}

/* Plans K-norm noise instead, if its variance is less. */
static void
prefer_box(const DpsRelease *release, DpsNoisePlan *plan, const DpsTarget *target)
{
	const DpsVectorDesign *design = dps_release_design(release);
	DpsNoisePlan box;
	uint64		reach[DPS_MAX_VALUES + 1];
	int			n = find_reaches(design, reach);

	dps_noise_plan_init(&box, plan->mechanism, plan->asked, plan->delta);
	box.epsilon = plan->epsilon;
	if (release->individual || design->nvalues < 2 || plan->ncoordinates != 1 ||
		dps_noise_plan_box(&box, target, n, reach, release->unit_rows) != DPS_OK)
		return;
	if (vector_variance(release, &box, 0.0) < vector_variance(release, plan, 0.0) &&
		vector_variance(release, &box, 1.0) < vector_variance(release, plan, 1.0))
		*plan = box;
}

static DpsStatus
vector_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	DpsTarget	target = dps_target(release, plan, 1);

	DPS_TRY(plan_norm(release, plan));
	if (plan->mechanism == &dps_laplace)
		prefer_box(release, plan, &target);
	return DPS_OK;
}

/* How far a change of a column that moves values moves all of them, in the norm of the noise. */
static bool
vector_moves(const DpsRelease *release, const DpsNoisePlan *plan, const DpsColumnChange *change, uint64 moves[DPS_MAX_COORDINATES])
{
	const DpsVectorDesign *design = dps_release_design(release);
	DpsVectorColumns columns = lay_out_columns(design);
	bool		found = false;
	int			j;

	if (change->effect != DPS_COLUMN_VALUE)
		return false;
	for (j = 0; j < design->ncolumns; j++)
	{
		const uint64 *row = columns.moves + j * design->nvalues;

		if (columns.number[j] != change->column)
			continue;
		found = true;
		moves[0] = dps_max(moves[0], plan->aim.n > 0 ? dps_whole_norm_by(plan->aim.n, row, plan->coordinate[0].scale, plan->aim.scale) :
						   norm_of(plan->mechanism->norm, row, design->nvalues));
	}
	/* the whole release is noised for any change */
	moves[0] = dps_min(moves[0], plan->coordinate[0].sensitivity);
	return found;
}

/* Scales that are aimed are checked against what columns move, once more, before they are drawn with. */
static void
check_noise(const DpsDraw *draw)
{
	const DpsVectorDesign *design = dps_release_design(draw->release);
	const DpsNoisePlan *plan = draw->plan;
	DpsAimedColumns columns = aimed_columns(design, NULL);
	uint64		reach[DPS_MAX_VALUES + 1];
	int			n = find_reaches(design, reach);

	if (dps_is_exact(draw) || (plan->box.n > 0 ? dps_noise_plan_box_covers(plan, n, reach, draw->release->unit_rows) :
							   plan->aim.n > 0 ? design->ncolumns > 0 && dps_noise_plan_covers(plan, &columns) :
							   plan->coordinate[0].sensitivity >= dps_release_sensitivity(draw->release, plan->mechanism)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("a private answer would be drawn with noise that was not charged")));
}

static Datum
vector_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	const DpsVectorDesign *design = dps_release_design(draw->release);
	bool		is_box = draw->plan->box.n > 0 && !dps_is_exact(draw);
	uint64		weight = count_weight(design, is_box, draw->plan->mechanism->norm);
	int			d = noised_integers(design, draw->plan->mechanism);
	DpsAnswer  *answer = dps_answer_make(draw, d);
	__int128	n = state->count;
	__int128	sums[DPS_MAX_VALUES + 1];
	int			i;

	check_noise(draw);
	for (i = 0; i < design->nvalues; i++)
		sums[i] = dps_sum_read(&state->sum[i]) - n * design->entry[i].centre;
	if (weight != 0)
		sums[i] = n * weight;
	if (is_box)
		dps_answer_draw_box(draw, answer, sums);
	for (i = 0; i < d && !is_box; i++)
		dps_answer_draw_aimed(draw, answer, i, sums[i]);
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

/* The weight of n in an answer. */
static double
answered_weight(const DpsVectorDesign *design, const DpsAnswer *answer)
{
	return (double) count_weight(design, answer->is_box, answer->is_box ? 1 : dps_answer_mechanism(answer)->norm);
}

static double
row_count(const DpsRelease *release, const DpsAnswer *answer)
{
	const DpsVectorDesign *design = dps_release_design(release);

	if (design->count_is_public)
		return (double) answer->count;
	return dps_answer_value(answer, design->nvalues) / answered_weight(design, answer);
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
		.mechanism = answer->is_box ? NULL : dps_answer_mechanism(answer), .box = answer->is_box ? answer->nnoised : 0,
		.constant = {1.0, 0.0}, .slope = {0.0, -1.0},
		.value = {dps_answer_value(answer, k), row_count(release, answer)},
		.scale = {answer->noised[k].scale, 0}
	};

	if (!design->count_is_public)
	{
		form.slope[1] = -1.0 / answered_weight(design, answer);
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

/* Each entry's own scale; noise and error are those of the largest. */
static void
explain_aim(const DpsRelease *release, const DpsNoisePlan *plan, DpsExplanation *explanation)
{
	char	   *scales = "";
	uint64		largest = 0;
	int			i;

	for (i = 0; i < plan->aim.n; i++)
	{
		largest = dps_max(largest, plan->aim.scale[i]);
		scales = psprintf("%s%s%.6g", scales, i > 0 ? ", " : "", ldexp((double) plan->aim.scale[i], release->grid));
	}
	explanation->scale = ldexp((double) largest, release->grid);
	explanation->error_95 = ldexp(plan->mechanism->tail(largest, 1, 0.05), release->grid);
	explanation->note = psprintf("sensitivity is that of the whole vector; noise is aimed at attributes, the scales of the release's entries are %s; noise and error are those of the largest", scales);
}

/* Each entry has its own; noise and error are those of the one with the largest.  (A count's width is no larger.) */
static void
explain_box(const DpsRelease *release, const DpsNoisePlan *plan, DpsExplanation *explanation)
{
	double		scale = ldexp((double) plan->coordinate[0].scale, plan->box.bits + release->grid);

	explanation->scale = scale;
	explanation->error_95 = dps_k_norm_tail(plan->box.n, scale, 0.05);
	explanation->note = "sensitivity is that of the whole vector; K-norm noise, one draw for all entries; noise and error are those of the entry that a row moves the furthest";
}

static void
sum_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	if (plan->box.n > 0)
	{
		explain_box(release, plan, explanation);
		return;
	}
	if (plan->aim.n > 0)
	{
		explain_aim(release, plan, explanation);
		return;
	}
	dps_explain_integer(release, plan, rows, explanation);
	explanation->note = "sensitivity is that of the whole vector, noise and error are those of each entry";
}

/* The largest error of an entry to first order, times n, for a mean at an end of its range. */
static double
box_error(const DpsRelease *release, const DpsNoisePlan *plan)
{
	const DpsVectorDesign *design = dps_release_design(release);
	uint64		weight = count_weight(design, true, 1);
	double		scale = (double) plan->coordinate[0].scale;
	double		worst = 0.0;
	int			k;

	for (k = 0; k < design->nvalues; k++)
	{
		double		rows = weight == 0 ? 0.0 : entry_radius(release, &design->entry[k]) / (double) weight * (double) plan->box.width[design->nvalues];

		worst = fmax(worst, dps_k_norm_tail_of_two(plan->box.n, scale * (double) plan->box.width[k], scale * rows, 0.05));
	}
	return ldexp(worst, release->grid);
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
		farthest = fmax(farthest, entry_radius(release, &design->entry[k]) / (double) weight);
	explanation->error_95_per_row = plan->box.n > 0 ? box_error(release, plan) : explanation->error_95 * hypot(1.0, farthest);
	explanation->error_95 = rows > 0.0 ? explanation->error_95_per_row / rows : NAN;
}

const DpsAggregate dps_aggregate_vector_sum = {
	.name = "dp_sum of a vector",
	.sums_rows = true,
	.derive = sum_derive,
	.derive_column = vector_derive_column,
	.is_centred = sum_is_centred,
	.plan = vector_plan,
	.moves = vector_moves,
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
	.moves = vector_moves,
	.explain = mean_explain,
	.release = vector_release,
};
