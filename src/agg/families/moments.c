/*
 * moments.c
 *		Variances, covariances, correlation and regression: one noised vector
 *		of second moments, and what can be computed from it.
 *
 * Precondition: the facts are true of the query.  A row's integers and their
 * products are those of the summand (agg/state/state.c), and moment.c's magnitude and
 * distance bound, in the mechanism's norm, the outputs of one row and the
 * difference of those of two, whatever the evaluator makes of the values.  What
 * neighbours change in the outputs of all groups together (definitions, section 2):
 *
 * - add_remove: one row's outputs, so at most the magnitude;
 * - replace: the difference of two rows' outputs, n staying as it is, at most the
 *	 distance; if the row can begin or cease to count, the outputs of one row;
 *	 if it can move, those of two rows in two groups, at most twice the
 *	 magnitude in the 1-norm and sqrt(2) times in the 2-norm;
 * - attribute: the same, but a value moves by D_j, in units at most
 *	 floor((D_j + 2 eta) / g) + 1, for the column j that is worst (dps_moment_move);
 * - metric: value i moves by K_i d + 2 eta_i, in units at most K_i d / g_i + e_i with
 *	 e_i = 2 eta_i / g_i + 1, so the outputs move by S (d + d0), S the move of moves
 *	 K_i / g_i and d0 that of moves e_i, divided by S; both are linear in the moves
 *	 up to rounding, and norms obey the triangle inequality.
 *
 * Postcondition: the outputs carry independent exact noise at the one scale that
 * the mechanism's theorem asks for this sensitivity; where n is public it is
 * released beside them.  All else is post-processing.
 *
 * A release for one statistic alone, or for several that are functions of one (a
 * variance and its root), and without an interval, has two stages under add_remove (agg/
 * stages.c).  The second is the one sum over rows on which the statistic turns by what
 * the first has released, in the 1-norm with up to two sums beside it that say
 * what the first left uncertain, or the outputs once more if so little is known
 * that this is better (moment/moment_focus.c).  What one row changes in all of these sums
 * together, in the norm, is at most the focus's bound, for which they are noised
 * (agg/stages.c).  The weights of the sums are released beside them.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/stages.h"
#include "agg/weights.h"
#include "base/once.h"
#include "moment/moment.h"
#include "moment/moment_box.h"
#include "moment/moment_error.h"
#include "moment/moment_focus.h"
#include "moment/moment_spread.h"
#include "num/interval.h"

/* Bits of a value's integer: by default, and at most. */
#define BITS_DEFAULT 32
#define BITS_MAX 46

/* The fewest bits, for units of many rows, whose noise is large.  Metric adjacency needs
 * more: rounding to the grid is a part of its promise. */
#define BITS_MIN 4
#define METRIC_BITS_MIN 24

/* Bits are chosen so that a unit changes the outputs by at most this, or by at most what one row
 * changes with the default bits, if enough bits remain.  So there is a scale for the least epsilon, or
 * for each epsilon that would have one if units had one row. */
#define SENSITIVITY_MOST (UINT64CONST(1) << 41)

/* A Lipschitz constant is to have so many bits, for the rounding to be small. */
#define LIPSCHITZ_BITS 28

#define METRIC_SLACK 0x1p-20

/* ---- deriving ---- */

static double
half_length(const DpsValueFacts *value)
{
	return dps_sub_up(value->sup, value->inf) / 2.0;
}

/* Enough bits for every value's Lipschitz constant. */
static int
choose_bits(const DpsFacts *facts)
{
	int			bits = BITS_DEFAULT;
	int			i;

	for (i = 0; i < facts->nvalues && facts->adjacency == DPS_METRIC; i++)
	{
		const DpsValueFacts *value = &facts->value[i];

		if (value->lipschitz > 0.0 && half_length(value) > value->lipschitz)
			bits = dps_max(bits, LIPSCHITZ_BITS + dps_to_int32(ceil(log2(half_length(value) / value->lipschitz))));
	}
	return Min(bits, BITS_MAX);
}

static void
set_value(const DpsFacts *facts, int i, DpsMomentDesign *design, DpsSummand *summand)
{
	const DpsValueFacts *value = &facts->value[i];

	double		half = half_length(value);
	DpsGrid		grid = half > 0.0 ? dps_grid_at(dps_ceil_log2(half) - design->bits, value->inf, value->sup) :
		dps_grid_choose(0.0, value->inf, value->sup);
	int64		centre = (int64) (((__int128) grid.lo + grid.hi) >> 1);

	summand->value[i] = (DpsSummandValue) {
		.grid = grid.k, .lo = grid.lo, .hi = grid.hi, .centre = centre,
		.value_lo = value->inf, .value_hi = value->sup
	};
	design->value[i] = (DpsMomentValue) {
		.grid = grid.k, .centre = centre, .radius = Max(grid.hi - centre, centre - grid.lo),
		.lo = value->inf, .hi = value->sup
	};
}

static void
add_product(const DpsMomentDesign *design, int i, int j, DpsSummand *summand)
{
	int			moment = dps_moment_cross(design, i, j);

	if (moment < 0)
		return;
	summand->product[moment - 1 - design->nvalues] = (DpsValueProduct) {(int16) i, (int16) j, design->bits};
	summand->nproducts++;
}

static Size
design_size(const DpsMomentDesign *design)
{
	return offsetof(DpsMomentDesign, value) + design->nvalues * sizeof(DpsMomentValue);
}

static DpsMomentDesign *
make_design(const DpsFacts *facts, int bits, DpsSummand *summand)
{
	DpsMomentDesign *design = palloc0(sizeof(DpsMomentDesign));
	DpsRowChange change = dps_row_change(facts);
	int			i;
	int			j;

	design->kind = facts->moments;
	design->count_is_public = facts->adjacency != DPS_ADD_REMOVE && !change.toggles && !change.moves;
	design->bits = bits;
	design->nvalues = facts->nvalues;
	summand->nproducts = 0;
	for (i = 0; i < facts->nvalues; i++)
		set_value(facts, i, design, summand);
	for (i = 0; i < facts->nvalues; i++)
	{
		for (j = i; j < facts->nvalues; j++)
			add_product(design, i, j, summand);
	}
	summand->design = design;
	summand->design_size = design_size(design);
	return design;
}

/* How far the outputs move where one attribute does. */
static uint64
attribute_move(const DpsFacts *facts, const DpsMomentDesign *design, const DpsMomentBasis *basis, int norm)
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

			moves[i] = 0;
			if (move == 0.0 && facts->value[i].evaluation_error == 0.0)
				continue;
			move = dps_add_up(move, 2.0 * facts->value[i].evaluation_error);
			moves[i] = dps_whole_add(dps_min(dps_grid_floor(move, design->value[i].grid), 2 * (uint64) design->value[i].radius), 1);
		}
		most = dps_max(most, dps_moment_move(design, basis, norm, moves, 1));
	}
	return most;
}

static uint64
replace_sensitivity(const DpsFacts *facts, const DpsMomentDesign *design, const DpsMomentBasis *basis, int norm)
{
	DpsRowChange change = dps_row_change(facts);
	uint64		sensitivity = change.values ? basis->distance : 0;

	if (change.values && facts->adjacency == DPS_ATTRIBUTE)
		sensitivity = dps_min(sensitivity, attribute_move(facts, design, basis, norm));
	if (change.toggles)
		sensitivity = Max(sensitivity, basis->magnitude);
	if (change.moves)
		sensitivity = dps_max(sensitivity, norm == 1 ? dps_whole_times(2, basis->magnitude) : dps_sqrt2_ceil(basis->magnitude));
	return sensitivity;
}

static DpsStatus
metric_sensitivity(const DpsFacts *facts, const DpsMomentDesign *design, const DpsMomentBasis *basis, int norm,
				   uint64 *sensitivity, const char **why)
{
	uint64		slopes[DPS_MAX_VALUES];
	uint64		rounding[DPS_MAX_VALUES];
	uint64		slack;
	bool		moves = false;
	int			i;

	for (i = 0; i < facts->nvalues; i++)
	{
		const DpsValueFacts *value = &facts->value[i];

		if (!isfinite(value->lipschitz) || value->lipschitz < 0.0)
		{
			*why = "the value has no Lipschitz constant, which metric adjacency needs";
			return DPS_DOMAIN;
		}
		slopes[i] = dps_grid_ceil(value->lipschitz, design->value[i].grid);
		rounding[i] = 0;
		if (value->lipschitz == 0.0 && value->evaluation_error == 0.0)
			continue;
		moves = true;
		rounding[i] = dps_whole_add(dps_grid_ceil(2.0 * value->evaluation_error, design->value[i].grid), 1);
	}
	*sensitivity = 0;
	if (!moves)
		return DPS_OK;
	*sensitivity = dps_moment_move(design, basis, norm, slopes, 0);
	slack = dps_moment_move(design, basis, norm, rounding, 1);
	if (*sensitivity >= DPS_GRID_LIMIT || slack >= DPS_GRID_LIMIT ||
		!(dps_div_up((double) slack + 1.0, (double) *sensitivity) <= METRIC_SLACK))
	{
		*why = "the value's rounding error is too large for its Lipschitz constant";
		return DPS_DOMAIN;
	}
	return DPS_OK;
}

static DpsStatus
find_sensitivity(const DpsFacts *facts, const DpsMomentDesign *design, int norm, uint64 *sensitivity, const char **why)
{
	DpsMomentBasis basis;

	dps_moment_basis(design, norm, &basis);
	if (facts->adjacency == DPS_ADD_REMOVE)
		*sensitivity = basis.magnitude;
	else if (facts->adjacency == DPS_METRIC && dps_can_change(dps_row_change(facts)))
		return metric_sensitivity(facts, design, &basis, norm, sensitivity, why);
	else
		*sensitivity = replace_sensitivity(facts, design, &basis, norm);
	return DPS_OK;
}

/* By how many bits the sensitivity of a unit exceeds `most`. */
static int
excess_bits(const DpsFacts *facts, const DpsRelease *release, uint64 most)
{
	uint64		sensitivity = dps_max(dps_whole_scale(release->l1, facts->unit_l1),
									  dps_whole_scale(release->l2, facts->unit_l2));
	int			excess = 0;

	while (sensitivity >> excess > most)
		excess++;
	return excess;
}

/*
 * Sensitivities are nearly proportional to 2^bits, so that the second pass, without the
 * bits in excess, is mostly the last.
 */
static DpsStatus
derive_outputs(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	int			least = facts->adjacency == DPS_METRIC ? METRIC_BITS_MIN : BITS_MIN;
	int			bits = choose_bits(facts);
	uint64		most = SENSITIVITY_MOST;
	bool		is_first = true;

	for (;; is_first = false)
	{
		DpsMomentDesign *design = make_design(facts, bits, summand);
		int			excess;

		DPS_TRY(find_sensitivity(facts, design, 1, &release->l1, why));
		DPS_TRY(find_sensitivity(facts, design, 2, &release->l2, why));
		/* outputs are weighted by 2^8 for values of 2^bits */
		release->grid = -bits - 8;
		if (is_first)
			most = Max(most, Max(release->l1, release->l2));
		excess = excess_bits(facts, release, most);
		if (excess == 0 || bits <= least)
			return DPS_OK;
		bits = Max(bits - excess, least);
	}
}

static DpsStatus
moments_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	int			i;

	DPS_TRY(dps_check_row(facts, why));
	for (i = 0; i < facts->nvalues; i++)
	{
		if (!isfinite(facts->value[i].inf) || !isfinite(facts->value[i].sup))
		{
			*why = "the value is not bounded";
			return DPS_DOMAIN;
		}
	}
	DPS_TRY(derive_outputs(facts, release, summand, why));
	release->sensitivity = ldexp((double) release->l1, release->grid);
	release->vector = 1;
	return DPS_OK;
}

static void
moments_derive_column(const DpsFacts *facts, const DpsRelease *release, const DpsSummand *summand, DpsWeightedNorms *norms)
{
	DpsMomentBasis basis;

	(void) release;
	dps_moment_basis(summand->design, 1, &basis);
	norms->l1 = replace_sensitivity(facts, summand->design, &basis, 1);
	dps_moment_basis(summand->design, 2, &basis);
	norms->l2 = replace_sensitivity(facts, summand->design, &basis, 2);
}

/* ---- the focus ---- */

/* Does the statistic turn on one sum, of at most two values? */
static bool
is_single(const DpsFinish *finish)
{
	return finish->nvalues <= 2 && dps_statistics[finish->statistic].result_type != FLOAT8ARRAYOID;
}

static bool
same_values(const DpsFinish *a, const DpsFinish *b)
{
	return a->nvalues == b->nvalues && memcmp(a->value, b->value, a->nvalues * sizeof(a->value[0])) == 0;
}

static void
moments_focus(DpsRelease *release, const List *finishes)
{
	DpsMomentDesign *design = (DpsMomentDesign *) release->rest;
	const DpsFinish *first = linitial(finishes);
	ListCell   *cell;

	if (release->adjacency != DPS_ADD_REMOVE || design->nvalues > 2)
		return;
	foreach(cell, finishes)
	{
		const DpsFinish *finish = lfirst(cell);

		if (!is_single(finish) || !same_values(finish, first) ||
			dps_statistics[finish->statistic].turns_on != dps_statistics[first->statistic].turns_on)
			return;
	}
	design->focus = first->statistic + 1;
	design->npicks = first->nvalues;
	memcpy(design->pick, first->value, first->nvalues * sizeof(first->value[0]));
}

/* ---- planning and releasing ---- */

/* The moments of the state's centred integers. */
static void
read_moments(const DpsMomentDesign *design, const DpsState *state, __int128 *moments)
{
	int			n = dps_moment_count(design);
	int			i;

	moments[0] = state->count;
	for (i = 1; i < n; i++)
	{
		moments[i] = dps_sum_read(&state->sum[i - 1]);
		if (i <= design->nvalues)
			moments[i] -= (__int128) state->count * design->value[i - 1].centre;
	}
}

static DpsMomentQuestion
focus_question(const DpsMomentDesign *design)
{
	return (DpsMomentQuestion) {dps_statistics[design->focus - 1].turns_on, design->npicks, design->pick};
}

/*
 * The number of parts of the loss, one of which is for a first stage in the 1-norm.
 * Where errors of several moments are multiplied the first stage matters
 * more: these figures are near the best for 5,000 rows at epsilon 1, and 1.17 and 1.11
 * times the noise of the second stage alone for many rows.
 */
static int
shares_of(const DpsMomentDesign *design)
{
	return design->nvalues > 1 && design->kind == DPS_MOMENT_ALL ? 7 : 10;
}

/* Designs whose bases are kept. */
#define KEPT_BASES 4

/*
 * A basis, kept for the groups of a statement: making one takes longer than noising a
 * small group, and a statement has few designs.  It is a function of its key, norm and
 * design, which is public, so it is never out of date.
 */
static const DpsMomentBasis *
kept_basis(const DpsMomentDesign *design, int norm)
{
	static struct
	{
		int			norm;		/* 0 for none */
		DpsMomentDesign design;
		DpsMomentBasis basis;
	}			kept[KEPT_BASES];
	static int	next = 0;
	Size		size = design_size(design);	/* a plan constant has only these bytes */
	int			i;

	for (i = 0; i < KEPT_BASES; i++)
	{
		if (kept[i].norm == norm && kept[i].design.nvalues == design->nvalues &&
			memcmp(&kept[i].design, design, size) == 0)
			return &kept[i].basis;
	}
	i = next;
	next = (next + 1) % KEPT_BASES;
	kept[i].norm = 0;
	memset(&kept[i].design, 0, sizeof(DpsMomentDesign));
	memcpy(&kept[i].design, design, size);
	kept[i].norm = norm;
	dps_moment_basis(design, norm, &kept[i].basis);
	return &kept[i].basis;
}

static DpsStatus
moments_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	const DpsMomentDesign *design = dps_release_design(release);
	uint64		sensitivity = dps_release_sensitivity(release, plan->mechanism);
	int			joined = dps_integers_moved(release, kept_basis(design, plan->mechanism->norm)->noutputs);
	DpsTarget	target = dps_target(release, plan, 1);

	if (design->focus != 0 && dps_plan_stages(release, sensitivity, shares_of(design), joined, plan))
		return DPS_OK;
	return dps_plan_whole(release, plan, &target, joined);
}

/* Draws the outputs as integers k ... of the answer. */
static void
draw_outputs(const DpsDraw *draw, int coordinate, const DpsMomentBasis *basis, const __int128 *moments, DpsAnswer *answer, int first)
{
	int			i;
	int			k;

	for (i = 0; i < basis->noutputs; i++)
	{
		const DpsMomentOutput *output = &basis->output[i];
		__int128	sum = 0;

		for (k = 0; k < output->nterms; k++)
			sum += output->weight[k] * moments[output->moment[k]];
		dps_answer_draw(draw, coordinate, answer, first + i, sum);
	}
}

/* Chooses the focus from the first stage's outputs; false if these are to be drawn once more. */
static bool
choose_focus(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsNoisePlan *plan,
			 const DpsAnswer *answer, DpsMomentFocus *focus)
{
	const DpsMechanism *mechanism = plan->mechanism;
	DpsMomentQuestion question = focus_question(design);
	DpsMomentNoise noise = {mechanism->deviation(plan->coordinate[0].scale, 1), mechanism->deviation(plan->coordinate[1].scale, 1)};
	double		output[DPS_MAX_MOMENTS];
	double		error;
	int			k;

	for (k = 0; k < basis->noutputs; k++)
		output[k] = dps_answer_value(answer, k);
	return dps_moment_focus_choose(design, basis, mechanism->norm, &question, output, &noise, focus, &error) &&
		dps_focused_scale(plan, focus->bound, basis->magnitude) != 0;
}

/* Draws the sums from place `first` on; then, without noise, the weights of each. */
static void
draw_sums(const DpsDraw *draw, const DpsMomentBasis *basis, const DpsMomentFocus *focus, const __int128 *moments, int nmoments,
		  DpsAnswer *answer, int first)
{
	int			weights = first + focus->nsums;
	int			i;
	int			k;

	for (k = 0; k < focus->nsums; k++)
	{
		__int128	sum = 0;

		for (i = 0; i < nmoments; i++)
		{
			sum += focus->weight[k][i] * moments[i];
			dps_answer_put(answer, weights + k * nmoments + i, focus->weight[k][i]);
		}
		dps_answer_draw_focused(draw, focus->bound, basis->magnitude, answer, first + k, sum);
	}
}

/* The first stage's outputs; then these again, or the sums and their weights. */
static DpsAnswer *
release_stages(const DpsDraw *draw, const DpsMomentBasis *basis, const __int128 *moments)
{
	const DpsMomentDesign *design = dps_release_design(draw->release);
	int			n = dps_moment_count(design);
	DpsAnswer  *first = dps_answer_make(draw, basis->noutputs);
	DpsAnswer  *answer;
	DpsMomentFocus focus;
	bool		focused;

	draw_outputs(draw, 0, basis, moments, first, 0);
	focused = choose_focus(design, basis, draw->plan, first, &focus);
	answer = dps_answer_make(draw, basis->noutputs + (focused ? focus.nsums * (1 + n) : basis->noutputs));
	memcpy(answer->noised, first->noised, basis->noutputs * sizeof(DpsNoised));
	pfree(first);
	if (focused)
		draw_sums(draw, basis, &focus, moments, n, answer, basis->noutputs);
	else
		draw_outputs(draw, 1, basis, moments, answer, basis->noutputs);
	return answer;
}

static Datum
moments_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	const DpsMomentDesign *design = dps_release_design(draw->release);
	const DpsMomentBasis *basis = kept_basis(design, draw->plan->mechanism->norm);
	__int128	moments[DPS_MAX_MOMENTS];
	DpsAnswer  *answer;

	*isnull = false;
	read_moments(design, state, moments);
	if (dps_has_stages(draw))
		return PointerGetDatum(release_stages(draw, basis, moments));
	answer = dps_answer_make(draw, basis->noutputs);
	draw_outputs(draw, 0, basis, moments, answer, 0);
	if (design->count_is_public)
		answer->count = state->count;
	return PointerGetDatum(answer);
}

/* ---- statistics ---- */

/* The deviation of the noise of an integer. */
static double
deviation_of(const DpsAnswer *answer, int k)
{
	return dps_answer_mechanism(answer)->deviation(answer->noised[k].scale, 1);
}

/* How many sums the answer holds beside the outputs of a first stage, or 0. */
static int
count_sums(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsAnswer *answer)
{
	int			of_sum = 1 + dps_moment_count(design);
	int			n = answer->nnoised - basis->noutputs;

	return n % of_sum == 0 && n <= DPS_MOMENT_SUMS * of_sum ? n / of_sum : 0;
}

/* Improves outputs of a first stage by what the second has released. */
static void
add_second_stage(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsAnswer *answer, double *output)
{
	double		first = deviation_of(answer, 0);
	double		second = deviation_of(answer, basis->noutputs);
	int			nmoments = dps_moment_count(design);
	double		measured[DPS_MOMENT_SUMS];
	DpsMomentFocus focus;
	int			weights;
	int			i;
	int			k;

	focus.nsums = count_sums(design, basis, answer);
	if (focus.nsums == 0)
	{
		double		share = 1.0 / (1.0 + (second / first) * (second / first));

		for (k = 0; k < basis->noutputs; k++)
			output[k] += (dps_answer_value(answer, basis->noutputs + k) - output[k]) * share;
		return;
	}
	weights = basis->noutputs + focus.nsums;
	for (k = 0; k < focus.nsums; k++)
	{
		measured[k] = dps_answer_value(answer, basis->noutputs + k);
		for (i = 0; i < nmoments; i++)
			focus.weight[k][i] = (int64) dps_sum_read(&answer->noised[weights + k * nmoments + i].value);
	}
	dps_moment_focus_complete(design, basis, &focus);
	dps_moment_refine(&focus, basis->noutputs, measured, first, second, output);
}

/* Raises unless the answer is one that this family makes for the design. */
static void
check_answer(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsAnswer *answer, bool interval)
{
	int			n = answer->nnoised - basis->noutputs;

	/* a release with intervals has one stage */
	if (n == 0 || (!interval && design->focus != 0 && (n == basis->noutputs || count_sums(design, basis, answer) > 0)))
		return;
	elog(ERROR, "invalid answer");
}

/* A box that misses the moments without noise with at most this probability; 1: a
 * point, for the estimate. */
static void
find_box(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double miss, DpsMomentBox *box)
{
	const DpsMomentDesign *design = dps_release_design(release);
	const DpsMomentBasis *basis = kept_basis(design, dps_answer_mechanism(answer)->norm);
	double		output[DPS_MAX_MOMENTS];
	double		reach[DPS_MAX_MOMENTS];
	int			k;

	check_answer(design, basis, answer, miss < 1.0);
	for (k = 0; k < basis->noutputs; k++)
	{
		output[k] = dps_answer_value(answer, k);
		reach[k] = miss < 1.0 ? dps_answer_tail(answer, k, miss / basis->noutputs) : 0.0;
	}
	if (answer->nnoised > basis->noutputs)
		add_second_stage(design, basis, answer, output);
	dps_moment_box(design, basis, output, reach, (double) answer->count, box);
	box->npicks = finish->nvalues;
	box->pick = finish->value;
}

static double
middle(DpsInterval x)
{
	return x.lo / 2.0 + x.hi / 2.0;
}

/* False if the estimate does not exist. */
static bool
estimate(const DpsStatistic *statistic, const DpsMomentBox *box, int n, double *values)
{
	DpsInterval results[DPS_MAX_VALUES];
	int			i;

	if (statistic->evaluate(box, results) != DPS_OK)
		return false;
	for (i = 0; i < n; i++)
	{
		values[i] = middle(results[i]);
		if (!isfinite(values[i]))
			return false;
	}
	return true;
}

static Datum
whole_number(double value)
{
	return Int64GetDatum(dps_to_int64(rint(value)));
}

Datum
dps_finish_moment(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull)
{
	const DpsStatistic *statistic = &dps_statistics[finish->statistic];
	DpsMomentBox box;
	double		value = 0.0;

	find_box(release, finish, answer, 1.0, &box);
	*isnull = !estimate(statistic, &box, 1, &value);
	if (*isnull)
		return (Datum) 0;
	return statistic->result_type == INT8OID ? whole_number(value) : Float8GetDatum(value);
}

Datum
dps_finish_regression(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, bool *isnull)
{
	const DpsStatistic *statistic = &dps_statistics[finish->statistic];
	double		values[DPS_MAX_VALUES];
	DpsMomentBox box;

	find_box(release, finish, answer, 1.0, &box);
	*isnull = !estimate(statistic, &box, finish->nvalues, values);
	return *isnull ? (Datum) 0 : dps_array_of_doubles(values, finish->nvalues);
}

/*
 * The noise of the points that an interval looks at.  That of the last scale is kept, for the
 * groups of a statement.
 */
static const double *
kept_noise(const DpsMomentBasis *basis, const DpsMechanism *mechanism, uint64 scale, double miss)
{
	static struct
	{
		const DpsMechanism *mechanism;	/* NULL for none */
		uint64		scale;
		double		miss;
		int			noutputs;
		double	   *noise;
	}			kept;

	if (kept.mechanism == mechanism && kept.scale == scale && kept.miss == miss && kept.noutputs == basis->noutputs)
		return kept.noise;
	kept.mechanism = NULL;
	if (kept.noise != NULL)
		pfree(kept.noise);
	kept.noise = NULL;
	kept.noise = MemoryContextAlloc(TopMemoryContext, sizeof(double) * dps_moment_spread_size(basis, miss));
	dps_moment_spread_noise(basis, mechanism, scale, miss, kept.noise);
	kept.scale = scale;
	kept.miss = miss;
	kept.noutputs = basis->noutputs;
	kept.mechanism = mechanism;
	return kept.noise;
}

/* The intervals from points of noise that the outputs may have; false if that takes too many
 * points, or yields no bounds. */
static bool
spread(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double miss, int n, double *lower,
	   double *upper)
{
	const DpsMomentDesign *design = dps_release_design(release);
	const DpsMomentBasis *basis = kept_basis(design, dps_answer_mechanism(answer)->norm);
	DpsMomentAsked asked = {dps_statistics[finish->statistic].evaluate_at, n, finish->nvalues, finish->value};
	double		output[DPS_MAX_MOMENTS];
	int			k;

	check_answer(design, basis, answer, true);
	if (dps_moment_spread_points(basis, miss) == 0 || answer->noised[0].scale == 0)
		return false;
	for (k = 0; k < basis->noutputs; k++)
		output[k] = dps_answer_value(answer, k);
	return dps_moment_spread(design, basis, &asked, output, (double) answer->count, miss,
							 kept_noise(basis, dps_answer_mechanism(answer), answer->noised[0].scale, miss), lower, upper);
}

/* The intervals from the box of all outputs within reach.  They hold for all results at once. */
static void
enclose(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double miss, int n, double *lower,
		double *upper)
{
	DpsInterval results[DPS_MAX_VALUES];
	DpsMomentBox box;
	int			i;

	find_box(release, finish, answer, miss, &box);
	(void) dps_statistics[finish->statistic].evaluate(&box, results);
	for (i = 0; i < n; i++)
	{
		lower[i] = results[i].lo;
		upper[i] = results[i].hi;
	}
}

void
dps_interval_moment(const DpsRelease *release, const DpsFinish *finish, const DpsAnswer *answer, double level, int n,
					DpsNoiseInterval *interval)
{
	double		values[DPS_MAX_VALUES];
	double		lower[DPS_MAX_VALUES];
	double		upper[DPS_MAX_VALUES];
	DpsMomentBox box;
	int			i;

	find_box(release, finish, answer, 1.0, &box);
	interval->isnull = !estimate(&dps_statistics[finish->statistic], &box, n, values);
	if (interval->isnull)
		return;
	if (!spread(release, finish, answer, 1.0 - level, n, lower, upper))
		enclose(release, finish, answer, 1.0 - level, n, lower, upper);
	for (i = 0; i < n; i++)
		interval[i] = (DpsNoiseInterval) {values[i], dps_min(lower[i], values[i]), dps_max(upper[i], values[i]), false};
}

/* ---- explaining ---- */

#define STAGES_NOTE "sensitivity and noise are those of the moments of values scaled to [-1, 1]; a small share of the loss for these, " \
	"the rest for the sums that then decide the answer"

#define ONE_STAGE_NOTE "sensitivity and noise are those of the moments of values scaled to [-1, 1]"

/* Of two stages, explains the second. */
static void
moments_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	int			last = plan->ncoordinates - 1;

	(void) rows;
	explanation->scale = ldexp((double) plan->coordinate[last].scale, release->grid);
	explanation->error_95 = ldexp(dps_plan_tail(plan, last), release->grid);
	explanation->note = last > 0 ? STAGES_NOTE : ONE_STAGE_NOTE;
}

/* The statistics whose error has a bound without data; k and l are arguments: 0 is y, 1 is x. */
static const struct
{
	DpsStatus	(*evaluate) (const DpsMomentBox *box, DpsInterval *result);
	DpsMomentSize size;
	int			k;
	int			l;
}			sizes[] = {
	{dps_moment_count_rows, DPS_SIZE_COUNT, 0, 0},
	{dps_moment_mean_x, DPS_SIZE_MEAN, 1, 1},
	{dps_moment_mean_y, DPS_SIZE_MEAN, 0, 0},
	{dps_moment_variance_pop, DPS_SIZE_COVARIANCE, 0, 0},
	{dps_moment_variance_samp, DPS_SIZE_COVARIANCE, 0, 0},
	{dps_moment_covariance_pop, DPS_SIZE_COVARIANCE, 0, 1},
	{dps_moment_covariance_samp, DPS_SIZE_COVARIANCE, 0, 1},
	{dps_moment_deviation_pop, DPS_SIZE_DEVIATION, 0, 0},
	{dps_moment_deviation_samp, DPS_SIZE_DEVIATION, 0, 0},
	{dps_moment_sum_xx, DPS_SIZE_PRODUCTS, 1, 1},
	{dps_moment_sum_yy, DPS_SIZE_PRODUCTS, 0, 0},
	{dps_moment_sum_xy, DPS_SIZE_PRODUCTS, 0, 1},
};

/* At most the 95 % error at n rows; *size says of which kind. */
static double
error_at(const DpsRelease *release, const DpsFinish *finish, const DpsMechanism *mechanism, const DpsMomentTails *tails,
		 double n, DpsMomentSize *size)
{
	DpsMomentBasis basis;
	Size		i;

	*size = DPS_SIZE_UNKNOWN;
	dps_moment_basis(dps_release_design(release), mechanism->norm, &basis);
	for (i = 0; i < lengthof(sizes); i++)
	{
		if (sizes[i].evaluate != dps_statistics[finish->statistic].evaluate)
			continue;
		*size = sizes[i].size;
		return dps_moment_error(dps_release_design(release), &basis, *size, finish->value[sizes[i].k],
								finish->value[sizes[i].l], tails, n);
	}
	return NAN;
}

static const char *
error_note(DpsMomentSize size, bool has_rows)
{
	if (size == DPS_SIZE_UNKNOWN)
		return "the error depends on how far the values spread, which only the data say: the interval of the same aggregate tells it";
	if (size == DPS_SIZE_DEVIATION)
		return has_rows ? "the error is a bound, reached where the values hardly spread; elsewhere it is about that of the variance "
			"divided by twice the standard deviation" : "the error depends on the number of rows";
	return "the error is a bound, wherever the values lie in their ranges";
}

/*
 * The second of two stages releases the outputs once more, or sums that err by less, so that the
 * error of the outputs bounds both.  An error that shrinks as the group grows is stated per row.
 */
static void
moments_explain_finish(const DpsRelease *release, const DpsFinish *finish, const DpsNoisePlan *plan, double rows,
					   DpsExplanation *explanation)
{
	const DpsMechanism *mechanism = plan->mechanism;
	double		n = rows > 0.0 ? rows : 0x1p40;
	DpsMomentTails tails = {dps_plan_tail(plan, 0), dps_plan_tail(plan, plan->ncoordinates - 1)};
	DpsMomentSize size;

	explanation->error_95 = error_at(release, finish, mechanism, &tails, n, &size);
	explanation->error_95_per_row = NAN;
	if (size == DPS_SIZE_MEAN || size == DPS_SIZE_COVARIANCE)
		explanation->error_95_per_row = error_at(release, finish, mechanism, &tails, 0x1p40, &size) * 0x1p40;
	if (!(rows > 0.0) && size != DPS_SIZE_COUNT && size != DPS_SIZE_PRODUCTS)
		explanation->error_95 = NAN;
	explanation->note = psprintf("%s; %s", explanation->note, error_note(size, rows > 0.0));
}

const DpsAggregate dps_aggregate_moments = {
	.name = "moments",
	.sums_rows = true,
	.derive = moments_derive,
	.derive_column = moments_derive_column,
	.focus = moments_focus,
	.plan = moments_plan,
	.explain = moments_explain,
	.explain_finish = moments_explain_finish,
	.release = moments_release,
};
