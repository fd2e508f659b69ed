/*
 * quantile_interval.c
 *		dp_quantile_ci, dp_median_ci, dp_min_ci and dp_max_ci: quantiles, and
 *		intervals that hold what they would be without noise.
 *
 * Precondition: as in quantile.c.
 *
 * A draw of the exponential mechanism says nothing about where the quantile is:
 * neighbouring ranks may be anywhere.  So the ends of the interval are draws of their
 * own, of ranks that are so far to either side that a draw misses the quantile
 * with a small probability (Drechsler, Globus-Harris, McMillan, Sarathy and Smith
 * 2022 do so for the median).  All draws, three for a level and two for an extreme one, have
 * equal shares of epsilon; each is one of quantile.c, on the same data with
 * constants added, so that the losses are those stated there, and add up.
 *
 * Ends.  Let q = p / r, Q the first point with r F(Q) >= p n, F(z) being the number of
 * values up to z.  For the lower end b values are added at a point below the lattice.
 * Then, for the draw's distances,
 *
 *		z > Q:	r (A + b) - p (n + b) >= r F(Q) - p n + (r - p) b >= (r - p) b,
 *
 * and some point has the distance 0.  So z > Q has a probability of at most N exp(-s
 * (r - p) b), s the law's factor and N the number of points with the one added.  b is
 * such that this is half of what may be missed.  For the upper end b values are added above:
 *
 *		z < Q:	r C - (r - p) (n + b) = r (n - F(z) + b) - (r - p) (n + b) > p b.
 *
 * The point that was added stands for the end of the range.  With few values it is likely
 * to be drawn: the interval then has no end on that side.
 *
 * A minimum has no lower bound but the range's end: a table with one more row, of that
 * value, has it for a minimum, so that an interval which ends above it with a
 * probability of more than exp(epsilon) times what may be missed would tell the two
 * tables apart.  The upper end is the k-th smallest value for a larger k: points below the
 * minimum have the distance k, so k takes the place of (r - p) b, and k values are added
 * above the lattice, so that there is a k-th smallest.  A maximum is the mirror
 * image.
 *
 * Several levels share what may be missed: their intervals hold all at once.  Values
 * and ends are put into the order of the levels, where they still hold, and estimates moved
 * into their intervals: functions of what was released.
 *
 * Postcondition: these losses, and these probabilities to miss.  What is released
 * exactly has an interval of one point.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/families/quantile.h"
#include "agg/families/tallied.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "num/whole.h"

/* The three integers of a level in an answer: points of the lattice, -1 or `points` for
 * those that were added. */
typedef enum Place
{
	ESTIMATE,
	LOWER,
	UPPER,
	PLACES
} Place;

/* ---- deriving ---- */

/* The design: the levels, then the probability that the intervals hold all. */
static DpsStatus
interval_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	Size		levels = sizeof(DpsQuantile) * facts->parameter.nlevels;
	char	   *design = palloc0(levels + sizeof(double));

	DPS_TRY(dps_quantile_derive(facts, release, summand, why));
	memcpy(design, facts->parameter.level, levels);
	memcpy(design + levels, &facts->parameter.confidence, sizeof(double));
	summand->design = design;
	summand->design_size = levels + sizeof(double);
	return DPS_OK;
}

static const DpsQuantile *
levels_of(const DpsRelease *release)
{
	return dps_release_design(release);
}

/* The probability with which one end may miss. */
static double
miss_of_end(const DpsRelease *release, DpsQuantile level)
{
	double		confidence;

	memcpy(&confidence, levels_of(release) + release->nlevels, sizeof(double));
	return (1.0 - confidence) / release->nlevels / (dps_level_is_extreme(level) ? 1.0 : 2.0);
}

static int
count_draws(const DpsRelease *release)
{
	int			draws = 0;
	int			i;

	for (i = 0; i < release->nlevels; i++)
		draws += dps_level_is_extreme(levels_of(release)[i]) ? 2 : 3;
	return draws;
}

/* ---- drawing ---- */

/* How far from the quantile, in units of distance, a draw is at most, but for the probability
 * with which an end may miss. */
static double
reach(const DpsRelease *release, DpsQuantile level, double epsilon)
{
	/* the law's epsilon is rounded down by less than that */
	double		least = epsilon * (1.0 - 0x1p-15);

	return (double) dps_level_range(release, level) / least *
		(log((double) release->points + 1.0) - log(miss_of_end(release, level))) * (1.0 + 1e-9);
}

/* Fewer values than this are added beyond an end of the lattice. */
#define MOST_ADDED 0x1p62

static uint64
added_values(double far, uint64 per_value)
{
	return dps_to_uint64(floor(far / (double) per_value) + 1.0);
}

/* A draw with `added` values below the lattice or above it. */
static int64
draw_end(const DpsDraw *draw, const DpsCells *cells, bool below, uint64 added, DpsQuantile level, uint64 rank)
{
	DpsCells	more = {palloc(sizeof(DpsRun) * (cells->n + 1)), palloc(sizeof(DpsCandidate) * (cells->n + 1)), cells->n + 1};
	int64		point;

	memcpy(more.cell + (below ? 1 : 0), cells->cell, sizeof(DpsRun) * cells->n);
	more.cell[below ? 0 : cells->n] = (DpsRun) {1, added};
	point = (int64) dps_draw_point(draw, &more, level, rank);
	dps_cells_free(&more);
	return below ? point - 1 : point;
}

static void
draw_extreme(const DpsDraw *draw, DpsCells *cells, DpsQuantile level, int64 place[PLACES])
{
	const DpsRelease *release = draw->release;
	double		share = dps_draw_share(draw->plan);
	bool		largest = level.numerator > 0;
	uint64		rank = added_values(reach(release, level, share), 1);

	place[ESTIMATE] = (int64) dps_draw_point(draw, cells, level, dps_release_extreme_rank(release, share));
	place[LOWER] = -1;
	place[UPPER] = release->points;
	place[largest ? LOWER : UPPER] = draw_end(draw, cells, largest, rank, level, rank);
}

static void
draw_level(const DpsDraw *draw, DpsCells *cells, DpsQuantile level, int64 place[PLACES])
{
	double		far = reach(draw->release, level, dps_draw_share(draw->plan));
	uint64		below = added_values(far, level.denominator - level.numerator);
	uint64		above = added_values(far, level.numerator);

	place[ESTIMATE] = (int64) dps_draw_point(draw, cells, level, 0);
	place[LOWER] = draw_end(draw, cells, true, below, level, 0);
	place[UPPER] = draw_end(draw, cells, false, above, level, 0);
}

static int
compare_points(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/* Puts one kind of place into the order of the levels. */
static void
put_in_order(const DpsRelease *release, Place kind, int64 (*places)[PLACES])
{
	int64		sorted[DPS_MAX_LEVELS];
	int			i;

	for (i = 0; i < release->nlevels; i++)
		sorted[i] = places[i][kind];
	qsort(sorted, release->nlevels, sizeof(int64), compare_points);
	for (i = 0; i < release->nlevels; i++)
		places[i][kind] = sorted[dps_level_order(levels_of(release), release->nlevels, i)];
}

/* Estimates within their intervals; ends that have crossed are put right, too. */
static void
tidy(const DpsRelease *release, int64 (*places)[PLACES])
{
	int			i;

	for (i = 0; i < PLACES; i++)
		put_in_order(release, (Place) i, places);
	for (i = 0; i < release->nlevels; i++)
	{
		int64		lower = Min(places[i][LOWER], places[i][UPPER]);
		int64		upper = Max(places[i][LOWER], places[i][UPPER]);

		places[i][LOWER] = lower;
		places[i][UPPER] = upper;
		places[i][ESTIMATE] = Min(Max(places[i][ESTIMATE], lower), upper);
	}
}

/* Nothing is charged if there are too many values to be added. */
static DpsStatus
interval_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	int			draws = count_draws(release);
	int			i;

	for (i = 0; i < release->nlevels; i++)
	{
		DpsQuantile level = levels_of(release)[i];
		double		far = reach(release, level, plan->epsilon / draws);

		if (!dps_level_is_extreme(level))
			far /= (double) Min(level.numerator, level.denominator - level.numerator);
		if (!(floor(far) + 1.0 < MOST_ADDED))
			return DPS_UNABLE;
	}
	return dps_plan_levels(release, draws, plan);
}

static Datum
interval_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	const DpsRelease *release = draw->release;
	const DpsQuantile *levels = levels_of(release);
	DpsAnswer  *answer = dps_answer_make(draw, PLACES * release->nlevels);
	DpsCells	cells = dps_cells_make(release, state);
	int64		places[DPS_MAX_LEVELS][PLACES];
	int			i;

	for (i = 0; i < release->nlevels; i++)
	{
		if (dps_is_exact(draw))
			places[i][ESTIMATE] = places[i][LOWER] = places[i][UPPER] = (int64) dps_cells_exact_point(&cells, levels[i]);
		else if (dps_level_is_extreme(levels[i]))
			draw_extreme(draw, &cells, levels[i], places[i]);
		else
			draw_level(draw, &cells, levels[i], places[i]);
	}
	dps_cells_free(&cells);
	tidy(release, places);
	for (i = 0; i < PLACES * release->nlevels; i++)
		dps_answer_put(answer, i, places[i / PLACES][i % PLACES]);
	if (dps_tallied_is_null(draw, state))
		answer->count = 0;
	*isnull = false;
	return PointerGetDatum(answer);
}

/* ---- intervals ---- */

static double
place_value(const DpsRelease *release, const DpsAnswer *answer, int entry, Place place)
{
	__int128	point = dps_sum_read(&answer->noised[PLACES * entry + place].value);

	if (point < 0)
		return release->value_lo + 0.0;
	if (point >= release->points)
		return release->value_hi;
	return dps_clamp_value(release, ldexp((double) (release->lo + (int64) point), release->grid)) + 0.0;
}

/* The level was fixed by the draw; the argument is ignored. */
void
dps_interval_quantile(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
					  DpsNoiseInterval *interval)
{
	int			i;

	(void) finish;
	(void) level;
	if (answer->nnoised != PLACES * n)
		elog(ERROR, "invalid answer");
	for (i = 0; i < n; i++)
		interval[i] = (DpsNoiseInterval) {
			place_value(release, answer, i, ESTIMATE), place_value(release, answer, i, LOWER),
			place_value(release, answer, i, UPPER), answer->count == 0
		};
}

static void
interval_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	int			draws = plan->coordinate[0].joined;

	explanation->scale = release->sensitivity * draws / plan->epsilon;
	explanation->error_95_per_row = dps_choice_error(release, levels_of(release), release->nlevels,
													 plan->epsilon * release->nlevels / draws);
	explanation->error_95 = rows > 0.0 ? fmin(explanation->error_95_per_row / rows, 1.0) : NAN;
	explanation->note = psprintf("%d draws of equal shares of epsilon by the exponential mechanism, the ends of intervals among them; scale and errors are in ranks, divided by rows in parts of all values", draws);
}

/* ---- the aggregates ---- */

#define INTERVAL_OF_QUANTILES \
	.draws_interval = true, .chooses = true, .has_one_answer = dps_has_one_point, .sums_rows = true, \
	.derive = interval_derive, .plan = interval_plan, .explain = interval_explain, \
	.release = interval_release

const DpsAggregate dps_aggregate_quantile_interval = {
	.name = "dp_quantile_ci",
	.parameter = DPS_LEVELS,
	INTERVAL_OF_QUANTILES
};

const DpsAggregate dps_aggregate_quantiles_interval = {
	.name = "dp_quantile_ci",
	.parameter = DPS_LEVELS,
	INTERVAL_OF_QUANTILES
};

const DpsAggregate dps_aggregate_median_interval = {
	.name = "dp_median_ci",
	.level = {1, 2},
	INTERVAL_OF_QUANTILES
};

const DpsAggregate dps_aggregate_min_interval = {
	.name = "dp_min_ci",
	.level = {0, 1},
	INTERVAL_OF_QUANTILES
};

const DpsAggregate dps_aggregate_max_interval = {
	.name = "dp_max_ci",
	.level = {1, 1},
	INTERVAL_OF_QUANTILES
};
