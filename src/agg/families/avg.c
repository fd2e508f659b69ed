/*
 * avg.c
 *		dp_avg: a mean of bounded values.
 *
 * Precondition: the facts are true of the query.  n is the number of rows that
 * count, v in [Li, Ui] the integer of one, W = Ui - Li, c = floor((Li + Ui) /
 * 2), R = max(Ui - c, c - Li).  definitions, section 2.
 *
 * Where n is public (replace, attribute, metric; nothing can toggle or move),
 * the noised sum is divided by the true n, and n = 0 gives NULL.  Elsewhere n
 * is as private as the values, and two noised integers make the mean:
 *
 * 1-norm mechanisms: A = sum(v - Li) and B = sum(Ui - v), with one scale and
 * independent noise.  What neighbours change in (A, B), in the 1-norm:
 *
 * - a row added, removed or toggled: (v - Li) + (Ui - v) = W;
 * - a value replaced by v~: 2 |v - v~|, at most 2 W;
 * - a row moved to another group: W in either, 2 W.
 *
 * The mean is Li + W A / (A + B).  With p = A / (A + B) it errs by |(1 - p) Z1 -
 * p Z2| / n to first order, where a sum of v - m for the mean m would err by max(p,
 * 1 - p) |Z| / n: less by a third in the middle of the range.  So under add_remove the
 * release has two stages (agg/stages.c), the first of which is the pair.  The
 * second is S = sum(2 v - c'), c' the integer nearest to twice the mean so far; a row
 * changes S by at most max(2 Ui - c', c' - 2 Li), which is at least W.  Or it is the pair again,
 * if there are so few rows that c' and n are too uncertain.
 *
 * 2-norm mechanisms: T = sum(v - c) with four fifths of rho and n with one, each
 * with a scale of its own, so that each needs its own sensitivity only:
 *
 * - a row added, removed or toggled: |v - c| <= R, and 1;
 * - a value replaced: |v - v~|, and 0;
 * - a row moved: sqrt((v - c)^2 + (v~ - c)^2) <= sqrt(2) R over both groups,
 *	 and sqrt(2).
 *
 * The mean is c + T / n.  l1 of the release is for the pair, l2 for T.  With x = |m -
 * c| / R the mean errs by sqrt(5/4 + 5 x^2) R sigma / n for the sigma of sensitivity
 * 1 and all of rho; no mechanism errs by less than (1 + x) R sigma / n, since a row at the
 * far end changes the mean by that.  The ratio is 1.12 at x = 0, 1 at x = 1/4,
 * 1.25 at x = 1.
 *
 * Postcondition: the integers carry exact noise for these sensitivities, and
 * the rest (division, clamping into [L, U], the midpoint for a denominator
 * that is not positive) is post-processing.  L = U needs no data at all.
 */
#include "postgres.h"

#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "agg/stages.h"
#include "agg/weights.h"
#include "base/once.h"
#include "noise/two_draws.h"
#include "num/interval.h"

/* In two stages of the 1-norm the first has a tenth of epsilon. */
#define SHARES 10

/* Parts of rho in the 2-norm: the count has one, T the others. */
#define PARTS 5
#define ROOT 2

/* The first stage's n must be at least so many standard deviations of its noise. */
#define LEAST_COUNT 4.0

/* R of the header comment. */
static uint64
centred_magnitude(const DpsRelease *release)
{
	return (uint64) Max(release->hi - release->centre, release->centre - release->lo);
}

static int64
middle(const DpsGrid *grid)
{
	/* Shifting is floor; |lo + hi| <= 2^63 could just overflow. */
	return (int64) (((__int128) grid->lo + grid->hi) >> 1);
}

static void
derive_add_remove(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand)
{
	double		length = dps_value_length(facts);
	DpsGrid		grid = dps_facts_grid(facts, length);

	dps_set_grid(facts, &grid, release, summand);
	release->centre = middle(&grid);
	release->sensitivity = length;
	release->l1 = dps_grid_length(&grid);
	release->l2 = centred_magnitude(release);
	release->count_l1 = release->count_l2 = dps_count_unit(release);
}

/* What a neighbour changes, on the grid of the release. */
static DpsWeightedNorms
replaced_norms(const DpsFacts *facts, const DpsRelease *release)
{
	DpsRowChange change = dps_row_change(facts);
	DpsGrid		grid = {.k = release->grid, .lo = release->lo, .hi = release->hi};
	uint64		width = dps_grid_length(&grid);
	uint64		value = dps_value_change_units(facts, &grid);
	uint64		magnitude = centred_magnitude(release);
	uint64		row = dps_count_unit(release);

	if (change.moves)
		return (DpsWeightedNorms) {
			.l1 = dps_whole_times(2, width), .l2 = dps_max(value, dps_sqrt2_ceil(magnitude)),
			.count_l1 = 2 * row, .count_l2 = dps_sqrt2_ceil(row)
		};
	if (change.toggles)
		return (DpsWeightedNorms) {
			.l1 = dps_max(dps_whole_times(2, value), width), .l2 = Max(value, magnitude), .count_l1 = row, .count_l2 = row
		};
	return (DpsWeightedNorms) {.l1 = dps_whole_times(2, value), .l2 = value};
}

static void
derive_replace(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand)
{
	DpsRowChange change = dps_row_change(facts);
	double		length = dps_value_length(facts);
	double		pair = change.moves ? 2.0 * length : fmax(2.0 * dps_value_change(facts), length);
	DpsGrid		grid = dps_facts_grid(facts, pair);
	DpsWeightedNorms norms;

	dps_set_grid(facts, &grid, release, summand);
	release->centre = middle(&grid);
	release->sensitivity = pair;
	release->vector = change.moves;
	norms = replaced_norms(facts, release);
	release->l1 = norms.l1;
	release->l2 = norms.l2;
	release->count_l1 = norms.count_l1;
	release->count_l2 = norms.count_l2;
}

static DpsStatus
avg_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsRowChange change = dps_row_change(facts);

	DPS_TRY(dps_check_row(facts, why));
	DPS_TRY(dps_check_value(facts, why));
	if (facts->adjacency == DPS_ADD_REMOVE)
		derive_add_remove(facts, release, summand);
	else if (change.toggles || change.moves)
		derive_replace(facts, release, summand);
	else
	{
		release->divides_by_count = 1;
		return dps_derive_sum(facts, release, summand, why);
	}

	/* One possible value: the answer does not depend on the rows, and what
	 * they add need not be looked at. */
	if (facts->inf == facts->sup)
	{
		release->sensitivity = 0.0;
		release->l1 = release->l2 = 0;
		release->count_l1 = release->count_l2 = 0;
	}
	return DPS_OK;
}

static void
avg_derive_column(const DpsFacts *facts, const DpsRelease *release, const DpsSummand *summand, DpsWeightedNorms *norms)
{
	if (release->divides_by_count)
		dps_derive_sum_column(facts, release, summand, norms);
	else
	{
		double		weight = norms->weight;

		*norms = replaced_norms(facts, release);
		norms->weight = weight;
	}
}

/* ---- planning ---- */

/* Plans two stages if it may, else one draw of A and B at one scale. */
static DpsStatus
plan_pair(const DpsRelease *release, DpsNoisePlan *plan)
{
	DpsTarget	target = dps_target(release, plan, 1);
	int			joined = dps_integers_moved(release, 2);

	target.vector = joined;
	if (dps_plan_stages(release, release->l1, SHARES, joined, plan))
		return DPS_OK;
	return dps_plan_whole(release, plan, &target, joined);
}

/* Plans T and n in the 2-norm.  n has one part of rho, l^2 / 2 scale^2; T has four, which half
 * the scale costs. */
static DpsStatus
plan_centred(const DpsRelease *release, DpsNoisePlan *plan)
{
	DpsTarget	target = dps_target(release, plan, PARTS);
	int			joined = target.vector ? 2 * release->unit_rows : 1;

	StaticAssertStmt(PARTS - 1 == ROOT * ROOT, "the other parts must be a square");
	DPS_TRY(dps_plan_part(release, plan, &target, ROOT, false, joined));
	return dps_plan_part(release, plan, &target, 1, true, joined);
}

static DpsStatus
avg_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	if (release->divides_by_count)
		return dps_plan_integer(release, plan);
	return plan->mechanism->norm == 1 ? plan_pair(release, plan) : plan_centred(release, plan);
}

/*
 * What a change of one column of one row moves, by the header comment: with D the units of the change, a
 * value moves the pair by 2 D, T by D, and n not at all; a row that begins or ceases to count by W, R and 1.
 * The second stage's sum moves by 2 D, or by no more than its bound, of which the scale is that of W.
 */
static bool
avg_moves(const DpsRelease *release, const DpsNoisePlan *plan, const DpsColumnChange *change, uint64 moves[DPS_MAX_COORDINATES])
{
	bool		counts = change->effect != DPS_COLUMN_VALUE;
	uint64		pair = dps_whole_times(2, change->units);
	uint64		magnitude = centred_magnitude(release);

	if (release->divides_by_count)
	{
		/* the number of rows is released as it is */
		moves[0] = change->units;
		return !counts && plan->ncoordinates == 1;
	}
	if (plan->mechanism->norm == 1)
	{
		moves[0] = moves[1] = counts ? Max(pair, (uint64) release->hi - (uint64) release->lo) : pair;
		return true;
	}
	moves[0] = counts ? Max(change->units, magnitude) : change->units;
	moves[1] = counts ? dps_count_unit(release) : 0;
	return plan->ncoordinates == 2;
}

/* ---- releasing ---- */

static double
midpoint(const DpsRelease *release)
{
	return release->value_lo / 2.0 + release->value_hi / 2.0;
}

static DpsAnswer *
release_by_count(const DpsDraw *draw, const DpsState *state)
{
	DpsAnswer  *answer = dps_answer_make(draw, 1);

	answer->count = state->count;
	dps_answer_draw(draw, 0, answer, 0, dps_state_sum(state));
	return answer;
}

static uint64
width_of(const DpsRelease *release)
{
	return (uint64) release->hi - (uint64) release->lo;
}

/* Draws A and B as integers k and k + 1 of the answer. */
static void
draw_pair(const DpsDraw *draw, int coordinate, const DpsState *state, DpsAnswer *answer, int k)
{
	__int128	sum = dps_state_sum(state);
	__int128	n = state->count;

	dps_answer_draw(draw, coordinate, answer, k, sum - n * draw->release->lo);
	dps_answer_draw(draw, coordinate, answer, k + 1, n * draw->release->hi - sum);
}

/* A / (A + B), in [0, 1]; NaN without rows. */
static double
pair_share(double from_lo, double from_hi)
{
	double		sum = from_lo + from_hi;

	return sum > 0.0 ? fmin(fmax(from_lo / sum, 0.0), 1.0) : NAN;
}

/* c'; twice W is below 2^63, as sensitivities are below 2^62 (agg/proof.c). */
static __int128
choose_centre(const DpsRelease *release, double share)
{
	uint64		most = 2 * width_of(release);
	uint64		offset = dps_to_uint64(rint(share * (double) most));

	return 2 * (__int128) release->lo + Min(offset, most);
}

/* The most by which one row changes the sum about the centre. */
static uint64
centre_bound(const DpsRelease *release, __int128 centre)
{
	return (uint64) Max(2 * (__int128) release->hi - centre, centre - 2 * (__int128) release->lo);
}

/*
 * Judged by the first stage: would the sum about the centre err by less than the
 * pair again?  It errs by its own noise, and by the product of the errors of the
 * centre and of n.
 */
static bool
focus_pair(const DpsRelease *release, const DpsNoisePlan *plan, const DpsAnswer *answer, __int128 *centre)
{
	const DpsMechanism *mechanism = plan->mechanism;
	double		share = pair_share(dps_answer_value(answer, 0), dps_answer_value(answer, 1));
	double		rows = (dps_answer_value(answer, 0) + dps_answer_value(answer, 1)) / (double) width_of(release);
	double		first = mechanism->deviation(plan->coordinate[0].scale, 1);
	double		rows_error = sqrt(2.0) * first / (double) width_of(release);
	double		spread = hypot(share, 1.0 - share);
	uint64		scale;

	if (!(rows > LEAST_COUNT * rows_error))
		return false;
	*centre = choose_centre(release, share);
	scale = dps_focused_scale(plan, centre_bound(release, *centre), width_of(release));
	return scale != 0 && hypot(mechanism->deviation(scale, 1) / 2.0, first * spread * rows_error / rows) <
		mechanism->deviation(plan->coordinate[1].scale, 1) * spread;
}

static DpsAnswer *
release_stages(const DpsDraw *draw, const DpsState *state)
{
	const DpsRelease *release = draw->release;
	DpsAnswer  *answer = dps_answer_make(draw, 4);
	__int128	centre = 0;

	draw_pair(draw, 0, state, answer, 0);
	if (!focus_pair(release, draw->plan, answer, &centre))
	{
		draw_pair(draw, 1, state, answer, 2);
		return answer;
	}
	dps_answer_draw_focused(draw, centre_bound(release, centre), width_of(release), answer, 2,
							2 * dps_state_sum(state) - state->count * centre);
	dps_answer_put(answer, 3, centre);
	return answer;
}

static DpsAnswer *
release_pair(const DpsDraw *draw, const DpsState *state)
{
	DpsAnswer  *answer;

	if (dps_has_stages(draw))
		return release_stages(draw, state);
	answer = dps_answer_make(draw, 2);
	draw_pair(draw, 0, state, answer, 0);
	return answer;
}

static DpsAnswer *
release_centred(const DpsDraw *draw, const DpsState *state)
{
	const DpsRelease *release = draw->release;
	DpsAnswer  *answer = dps_answer_make(draw, 2);

	dps_answer_draw(draw, 0, answer, 0, dps_state_sum(state) - (__int128) state->count * release->centre);
	dps_answer_draw(draw, 1, answer, 1, dps_count_integer(release, state->count));
	return answer;
}

/* One possible value: nothing is drawn. */
static bool
is_constant(const DpsRelease *release)
{
	return !release->divides_by_count && release->value_lo == release->value_hi;
}

static Datum
avg_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	*isnull = false;
	if (draw->release->divides_by_count)
		return PointerGetDatum(release_by_count(draw, state));
	if (is_constant(draw->release))
		return PointerGetDatum(dps_answer_make(draw, 0));
	if (draw->plan->mechanism->norm == 1)
		return PointerGetDatum(release_pair(draw, state));
	return PointerGetDatum(release_centred(draw, state));
}

/* The mean of integers that were released without noise, rounded once. */
static double
exact_mean(const DpsRelease *release, const DpsAnswer *answer, bool is_pair)
{
	__int128	sum = dps_sum_read(&answer->noised[0].value);
	__int128	rest = release->divides_by_count ? 0 : dps_sum_read(&answer->noised[1].value);
	int64		n = answer->count;

	if (!release->divides_by_count)
	{
		n = (int64) (is_pair ? (sum + rest) / (__int128) width_of(release) : rest / (__int128) dps_count_unit(release));
		sum += (__int128) n * (is_pair ? release->lo : release->centre);
	}
	return n > 0 ? ldexp(dps_nearest_quotient(sum, n), release->grid) : midpoint(release);
}

/* The mean of a pair of sums of distances to either end. */
static double
pair_mean(const DpsRelease *release, double from_lo, double from_hi)
{
	double		share = from_lo / (from_lo + from_hi);

	if (!(from_lo + from_hi > 0.0))
		return midpoint(release);
	share = fmin(fmax(share, 0.0), 1.0);
	return ldexp((double) release->lo + share * (double) (release->hi - release->lo), release->grid);
}

static double
centred_mean(const DpsRelease *release, double sum, double count)
{
	if (!(count > 0.0))
		return midpoint(release);
	return ldexp((double) release->centre + sum / count, release->grid);
}

static bool
is_pair(const DpsRelease *release, const DpsAnswer *answer)
{
	return !release->divides_by_count && dps_answer_mechanism(answer)->norm == 1;
}

/* Does a pair's answer have a second stage? */
static bool
has_stages(const DpsAnswer *answer)
{
	return answer->nnoised == 4;
}

/* Is the second stage the sum about a centre? */
static bool
is_focused(const DpsAnswer *answer)
{
	return has_stages(answer) && answer->noised[3].scale == 0;
}

static double
variance_of(const DpsAnswer *answer, int k)
{
	double		deviation = dps_answer_mechanism(answer)->deviation(answer->noised[k].scale, 1);

	return deviation * deviation;
}

/*
 * A and B from all that was released: the mean of both stages, weighted by their
 * variances, or the least-squares estimate from the first stage and
 *
 *		S = ((2 Ui - c') A - (c' - 2 Li) B) / W.
 */
static void
read_pair(const DpsRelease *release, const DpsAnswer *answer, double pair[2])
{
	double		first;
	double		second;
	double		along[2];
	double		gain;
	__int128	centre;
	int			i;

	for (i = 0; i < 2; i++)
		pair[i] = dps_answer_value(answer, i);
	if (!has_stages(answer))
		return;
	first = variance_of(answer, 0);
	second = variance_of(answer, 2);
	if (!is_focused(answer))
	{
		for (i = 0; i < 2; i++)
			pair[i] += (dps_answer_value(answer, 2 + i) - pair[i]) * first / (first + second);
		return;
	}
	centre = dps_sum_read(&answer->noised[3].value);
	along[0] = dps_int128_to_double(2 * (__int128) release->hi - centre) / (double) width_of(release);
	along[1] = -dps_int128_to_double(centre - 2 * (__int128) release->lo) / (double) width_of(release);
	gain = first / (first * (along[0] * along[0] + along[1] * along[1]) + second);
	gain *= dps_answer_value(answer, 2) - along[0] * pair[0] - along[1] * pair[1];
	pair[0] += gain * along[0];
	pair[1] += gain * along[1];
}

Datum
dps_finish_avg(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull)
{
	double		mean;
	double		pair[2];

	(void) finish;
	*isnull = answer->count == 0;
	if (*isnull)
		return (Datum) 0;
	if (is_constant(release))
		mean = release->value_lo;
	else if (answer->noised[0].scale == 0)
		mean = exact_mean(release, answer, is_pair(release, answer));
	else if (release->divides_by_count)
		mean = ldexp(dps_answer_value(answer, 0) / (double) answer->count, release->grid);
	else if (is_pair(release, answer))
	{
		read_pair(release, answer, pair);
		mean = pair_mean(release, pair[0], pair[1]);
	}
	else
		mean = centred_mean(release, dps_answer_value(answer, 0),
							ldexp(dps_answer_value(answer, 1), release->count_grid));
	return Float8GetDatum(dps_clamp_value(release, mean));
}

static DpsNoisedForm
form_of_two(const DpsAnswer *answer, int k)
{
	DpsNoisedForm form = {.mechanism = dps_answer_mechanism(answer), .constant = {1.0, 0.0}};
	int			i;

	for (i = 0; i < 2; i++)
	{
		form.value[i] = dps_answer_value(answer, k + i);
		form.scale[i] = answer->noised[k + i].scale;
	}
	return form;
}

/* The interval of the mean by that of p, with (1 - p) A - p B = 0 for the last pair. */
static void
spread_pair(const DpsRelease *release, const DpsAnswer *answer, double miss, double mean[2])
{
	DpsNoisedForm form = form_of_two(answer, has_stages(answer) ? 2 : 0);
	int			i;

	form.slope[0] = form.slope[1] = -1.0;
	dps_noised_root(&form, miss, 0.0, 1.0, &mean[0], &mean[1]);
	for (i = 0; i < 2; i++)
		mean[i] = ldexp((double) release->lo + mean[i] * (double) width_of(release), release->grid);
}

/* The interval of the mean by that of t, with T - t n = 0. */
static void
spread_centred(const DpsRelease *release, const DpsAnswer *answer, double miss, double mean[2])
{
	DpsNoisedForm form = form_of_two(answer, 0);
	int			i;

	form.slope[1] = -ldexp(1.0, release->count_grid);
	dps_noised_root(&form, miss, (double) (release->lo - release->centre), (double) (release->hi - release->centre), &mean[0], &mean[1]);
	for (i = 0; i < 2; i++)
		mean[i] = ldexp((double) release->centre + mean[i], release->grid);
}

/*
 * The range of (c' + S / n) / 2 over a box: S within the tail of the second stage's noise, n
 * within that of the first, which has a tenth of the probability to miss.  It is a box, since
 * the first stage's noise has chosen c': S and n are not independent.
 */
static void
spread_focused(const DpsRelease *release, const DpsAnswer *answer, double miss, double mean[2])
{
	double		tail = dps_answer_tail(answer, 2, 0.9 * miss);
	double		rows_tail = dps_tail_of_two(dps_answer_mechanism(answer), answer->noised[0].scale, answer->noised[1].scale, 0.1 * miss) /
		(double) width_of(release);
	double		rows = (dps_answer_value(answer, 0) + dps_answer_value(answer, 1)) / (double) width_of(release);
	double		sum = dps_answer_value(answer, 2);
	double		ends[2];
	int			i;

	mean[0] = release->value_lo;
	mean[1] = release->value_hi;
	if (!(rows > rows_tail))
		return;
	/* furthest from c' over the fewest rows, nearest over the most */
	ends[0] = (sum - tail) / (sum < tail ? rows - rows_tail : rows + rows_tail);
	ends[1] = (sum + tail) / (sum > -tail ? rows - rows_tail : rows + rows_tail);
	for (i = 0; i < 2; i++)
		mean[i] = ldexp(dps_answer_value(answer, 3) + ends[i], release->grid - 1);
}

/* The interval of a mean over a public number of rows. */
static void
spread_sum(const DpsRelease *release, const DpsAnswer *answer, double miss, double mean[2])
{
	double		tail = dps_answer_tail(answer, 0, miss);
	int			i;

	for (i = 0; i < 2; i++)
		mean[i] = ldexp((dps_answer_value(answer, 0) + (i == 0 ? -tail : tail)) / (double) answer->count, release->grid);
}

void
dps_interval_avg(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
				 DpsNoiseInterval *interval)
{
	double		mean[2] = {release->value_lo, release->value_lo};
	double		slack = ldexp(fmax(fabs(release->value_lo), fabs(release->value_hi)), -50);

	(void) n;
	interval->estimate = DatumGetFloat8(dps_finish_avg(release, finish, answer, &interval->isnull));
	if (interval->isnull)
		return;
	if (release->divides_by_count)
		spread_sum(release, answer, 1.0 - level, mean);
	else if (!is_constant(release))
		(is_pair(release, answer) ? is_focused(answer) ? spread_focused : spread_pair : spread_centred) (release, answer, 1.0 - level, mean);
	/* for a few roundings; and the estimate, from both stages, may be outside */
	interval->lower = dps_min(dps_clamp_value(release, mean[0] - slack), interval->estimate);
	interval->upper = dps_max(dps_clamp_value(release, mean[1] + slack), interval->estimate);
}

/*
 * First order in the noise, with m the mean: the pair errs by |(1 - p) Z1 -
 * p Z2| g / n, p = A / (A + B); a convex combination of independent symmetric
 * log-concave variables is most spread out at p = 0 and p = 1 (Proschan 1965),
 * where it is one draw; half of what a second stage's sum errs by
 * has a scale that is no larger.  Centred sum and count err by |Z1 - (m - c) Z2| / n, and |m - c| <= R: a
 * sum of (nearly) normal variables, whose tails add in squares.  No error is
 * larger than the range.
 */
static void
avg_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	int			n = plan->ncoordinates;
	bool		is_pair = !release->divides_by_count && plan->mechanism->norm == 1;
	int			last = is_pair ? n - 1 : 0;
	double		count_tail = 0.0;

	if (is_pair)
		explanation->note = n == 2 ? "a tenth of epsilon for the sums of the distances to either end of the range, the rest for the sum "
			"of the distances to what then is the mean" : "one noise scale for the sums of the distances to either end of the range";
	else if (!release->divides_by_count)
	{
		explanation->note = "four fifths of the privacy loss for the centred sum, one for the count";
		count_tail = ldexp(dps_plan_tail(plan, 1), release->count_grid) * (double) centred_magnitude(release);
	}
	explanation->scale = ldexp((double) plan->coordinate[last].scale, release->grid);
	explanation->error_95_per_row = ldexp(hypot(dps_plan_tail(plan, last), count_tail), release->grid);
	explanation->error_95 = NAN;
	if (rows > 0.0)
		explanation->error_95 = fmin(explanation->error_95_per_row / rows, release->value_hi - release->value_lo);
}

static bool
has_one_answer(const DpsFacts *facts, const DpsRelease *release)
{
	return !release->divides_by_count && facts->inf == facts->sup;
}

const DpsAggregate dps_aggregate_avg = {
	.name = "dp_avg",
	.sums_rows = true,
	.derive = avg_derive,
	.derive_column = avg_derive_column,
	.has_one_answer = has_one_answer,
	.plan = avg_plan,
	.moves = avg_moves,
	.explain = avg_explain,
	.release = avg_release,
};
