/*
 * family.c
 *		What the families of dp aggregates share: sensitivities, plans of noise,
 *		drawing.
 *
 * Precondition: the facts are true of the query.  In particular inf <= f <=
 * sup on the box, `attribute` and `lipschitz` are upper bounds of D_j and K,
 * `evaluation_error` is an upper bound of eta, and what the facts call public
 * cannot change between neighbours.
 *
 * The exact stage adds, for each selected and valid row, the integer
 *
 *		q(f) = clamp(rint(clamp(f', L, U) / g), Li, Ui),
 *		g = 2^k, Li = floor(L / g), Ui = ceil(U / g),
 *
 * with f' what the evaluator makes of f.  Postcondition: whatever f' is, the
 * vector of integers that the release stage adds noise to differs between
 * neighbours by at most l1 in the 1-norm and l2 in the 2-norm, over all groups
 * together.  Where f' itself is used (attribute, metric) that is said.
 *
 * Of a release of whole numbers these integers are multiples of its step, 2^-k: counts by
 * nature, sums since rows add integers in units of 1 (agg/families/sum.c).  So noise may be in such
 * steps (noise/laplace.c), and in its one place (add_noise) whatever were no multiple would become one:
 * noise in steps would not hide what is between them.
 */
#include "postgres.h"

#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "agg/stages.h"
#include "agg/weights.h"
#include "base/once.h"
#include "glue/compat.h"
#include "num/interval.h"

/* The largest distance d0 below which metric adjacency says nothing. */
#define METRIC_SLACK 0x1p-20

DpsRowChange
dps_row_change(const DpsFacts *facts)
{
	DpsRowChange change;

	change.values = facts->value_is_private && !facts->counts_rows;
	change.toggles = facts->selection_is_private ||
		(facts->validity_is_private && !facts->counts_rows);
	change.moves = facts->key_is_private;
	return change;
}

DpsStatus
dps_check_row(const DpsFacts *facts, const char **why)
{
	DpsRowChange change = dps_row_change(facts);

	if (facts->adjacency != DPS_METRIC || !(change.toggles || change.moves))
		return DPS_OK;
	if (change.moves)
		*why = "grouping by a private column is not possible under metric adjacency";
	else if (facts->selection_is_private)
		*why = "a condition on a private column is not possible under metric adjacency";
	else
		*why = "a value that is null for some private values is not possible under metric adjacency";
	return DPS_DOMAIN;
}

DpsStatus
dps_check_value(const DpsFacts *facts, const char **why)
{
	if (isfinite(facts->inf) && isfinite(facts->sup) && facts->inf <= facts->sup)
		return DPS_OK;
	*why = "the value is not bounded";
	return DPS_DOMAIN;
}

double
dps_value_length(const DpsFacts *facts)
{
	return dps_sub_up(facts->sup, facts->inf);
}

static double
value_magnitude(const DpsFacts *facts)
{
	return fmax(fabs(facts->inf), fabs(facts->sup));
}

double
dps_value_change(const DpsFacts *facts)
{
	double		length = dps_value_length(facts);
	double		change;

	if (!dps_row_change(facts).values)
		return 0.0;
	if (facts->adjacency != DPS_ATTRIBUTE)
		return length;
	/* A comparison with NaN keeps the length, which always holds. */
	change = dps_add_up(facts->attribute, 2.0 * facts->evaluation_error);
	return change < length ? change : length;
}

/*
 * replace: |q(f) - q(f~)| <= Ui - Li by the integer clamp.
 *
 * attribute (uses f'): clamps are 1-Lipschitz, |f' - f~'| <= D + 2 eta, and
 * |rint(a) - rint(b)| <= |a - b| + 1 is an integer, so the change is at most
 * floor((D + 2 eta) / g) + 1; and it is a replacement, so never more than
 * Ui - Li.
 *
 * A change of 0 is 0 integers: then f' is one number, by the clamp into
 * [L, U] with L = U or because D = eta = 0.
 */
uint64
dps_value_change_units(const DpsFacts *facts, const DpsGrid *grid)
{
	double		change = dps_value_change(facts);
	uint64		length = dps_grid_length(grid);

	if (change == 0.0)
		return 0;
	if (facts->adjacency != DPS_ATTRIBUTE)
		return length;
	return dps_change_units(change, grid->k, length);
}

uint64
dps_change_units(double change, int grid, uint64 length)
{
	uint64		steps;

	if (change == 0.0)
		return 0;
	steps = dps_grid_floor(change, grid);
	return steps < length ? steps + 1 : length;
}

/* A row that counts before and after moves the sum by what its value moves; one that counts in one of them
 * by q(f), and both are in the hull of Li, Ui and 0. */
uint64
dps_sum_moves(const DpsRelease *release, const DpsColumnChange *change)
{
	if (change->effect == DPS_COLUMN_VALUE)
		return change->units;
	return (uint64) Max(release->hi, 0) - (uint64) Min(release->lo, 0);
}

double
dps_unit_root(int64 rows, int64 rows_per_group)
{
	/* both are below 2^31 */
	return fmin((double) rows, dps_sqrt_up((double) rows * (double) rows_per_group));
}

DpsGrid
dps_facts_grid(const DpsFacts *facts, double sensitivity)
{
	return dps_grid_choose_for(sensitivity, facts->unit_l1, facts->inf, facts->sup);
}

void
dps_set_grid(const DpsFacts *facts, const DpsGrid *grid, DpsRelease *release, DpsSummand *summand)
{
	DpsSummandValue *value = &summand->value[0];

	release->grid = value->grid = grid->k;
	release->lo = value->lo = grid->lo;
	release->hi = value->hi = grid->hi;
	release->value_lo = value->value_lo = facts->inf;
	release->value_hi = value->value_hi = facts->sup;
}

void
dps_set_count_sensitivity(DpsRelease *release, int counts)
{
	if (counts == 0)
		return;
	release->sensitivity = counts;
	release->whole = 1;
	release->l1 = (uint64) counts * dps_count_unit(release);
	release->l2 = counts == 2 ? dps_sqrt2_ceil(dps_count_unit(release)) : dps_count_unit(release);
}

/* definitions, section 2, add_remove: one row more or less changes its group's sum by
 * |q| <= max(|Li|, |Ui|), and no other group's. */
static void
derive_add_remove(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand)
{
	double		magnitude = value_magnitude(facts);
	DpsGrid		grid = dps_facts_grid(facts, magnitude);

	dps_set_grid(facts, &grid, release, summand);
	release->sensitivity = magnitude;
	release->l1 = release->l2 = dps_grid_magnitude(&grid);
}

/*
 * definitions, section 2, replace and attribute.  With h = q(f) where the row counts
 * and 0 elsewhere:
 *
 * - a row that cannot toggle nor move changes by dps_value_change_units;
 * - one that can toggle has h in the hull of Li, Ui and 0, before and after;
 * - one that can move takes h from one group and adds h~ to another:
 *	 |h| + |h~| <= 2 M and sqrt(h^2 + h~^2) <= sqrt(2) M, M = max(|Li|, |Ui|);
 *	 or it stays, or leaves the listed groups, which is the case before.
 *
 * If none of it is possible, the sums are functions of public data.
 */
static DpsWeightedNorms
replaced_norms(const DpsFacts *facts, const DpsGrid *grid)
{
	DpsRowChange change = dps_row_change(facts);
	bool		leaves = change.toggles || change.moves;
	uint64		units = leaves ? dps_grid_length_with_zero(grid) : dps_value_change_units(facts, grid);
	DpsWeightedNorms norms = {.l1 = units, .l2 = units};

	if (change.moves)
	{
		uint64		magnitude = dps_grid_magnitude(grid);

		norms.l1 = dps_max(units, dps_whole_times(2, magnitude));
		norms.l2 = dps_max(units, dps_sqrt2_ceil(magnitude));
	}
	return norms;
}

static void
derive_replace(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand)
{
	DpsRowChange change = dps_row_change(facts);
	bool		leaves = change.toggles || change.moves;
	double		length = dps_sub_up(fmax(facts->sup, 0.0), fmin(facts->inf, 0.0));
	double		twice = change.moves ? 2.0 * value_magnitude(facts) : 0.0;
	DpsGrid		grid;
	DpsWeightedNorms norms;

	release->sensitivity = fmax(leaves ? length : dps_value_change(facts), twice);
	grid = dps_facts_grid(facts, release->sensitivity);
	dps_set_grid(facts, &grid, release, summand);
	norms = replaced_norms(facts, &grid);
	release->l1 = norms.l1;
	release->l2 = norms.l2;
	release->vector = change.moves;
}

void
dps_derive_sum_column(const DpsFacts *facts, const DpsRelease *release, const DpsSummand *summand, DpsWeightedNorms *norms)
{
	DpsGrid		grid = {.k = release->grid, .lo = release->lo, .hi = release->hi};
	DpsWeightedNorms found = replaced_norms(facts, &grid);

	(void) summand;
	norms->l1 = found.l1;
	norms->l2 = found.l2;
}

/*
 * definitions, section 2, metric (uses f'): |q(f) - q(f~)| <= (K d + 2 eta) / g + 1
 * = K / g * (d + d0) with d0 = (g + 2 eta) / K; noise is calibrated to
 * ceil(K / g) >= K / g.  The row cannot toggle nor move, else dps_check_row
 * has refused.
 */
static DpsStatus
derive_metric(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	double		lipschitz = facts->lipschitz;
	DpsGrid		grid;
	double		slack;

	if (!isfinite(lipschitz) || lipschitz < 0.0)
	{
		*why = "the value has no Lipschitz constant, which metric adjacency needs";
		return DPS_DOMAIN;
	}
	grid = dps_facts_grid(facts, lipschitz);
	dps_set_grid(facts, &grid, release, summand);
	release->sensitivity = lipschitz;

	/* f is constant on the box and f' is f: exact. */
	if (lipschitz == 0.0 && facts->evaluation_error == 0.0)
		return DPS_OK;

	slack = dps_add_up(dps_div_up(2.0 * facts->evaluation_error, lipschitz),
					   dps_div_up(1.0, ldexp(lipschitz, -grid.k)));
	if (!(slack <= METRIC_SLACK))
	{
		*why = "the value's rounding error is too large for its Lipschitz constant";
		return DPS_DOMAIN;
	}
	release->l1 = release->l2 = dps_grid_ceil(lipschitz, grid.k);
	return DPS_OK;
}

DpsStatus
dps_derive_sum(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DPS_TRY(dps_check_row(facts, why));
	DPS_TRY(dps_check_value(facts, why));
	switch (facts->adjacency)
	{
		case DPS_ADD_REMOVE:
			derive_add_remove(facts, release, summand);
			return DPS_OK;
		case DPS_METRIC:
			if (dps_can_change(dps_row_change(facts)))
				return derive_metric(facts, release, summand, why);
			derive_replace(facts, release, summand);
			return DPS_OK;
		case DPS_REPLACE:
		case DPS_ATTRIBUTE:
			derive_replace(facts, release, summand);
			return DPS_OK;
	}
	*why = "the adjacency is unknown";
	return DPS_DOMAIN;
}

DpsTarget
dps_target(const DpsRelease *release, const DpsNoisePlan *plan, int shares)
{
	DpsTarget	target;

	target.epsilon = plan->epsilon;
	target.delta = plan->delta;
	target.shares = shares;
	target.vector = release->vector != 0 || release->unit_groups > 1;
	return target;
}

DpsStatus
dps_plan_integer(const DpsRelease *release, DpsNoisePlan *plan)
{
	DpsTarget	target = dps_target(release, plan, 1);

	return dps_plan_whole(release, plan, &target, target.vector ? 2 * release->unit_rows : 1);
}

DpsStatus
dps_release_plan_noise(const DpsRelease *release, const DpsMechanism *mechanism, double epsilon, double delta, DpsNoisePlan *plan)
{
	dps_noise_plan_init(plan, mechanism, epsilon, delta);
	plan->epsilon = dps_weighted_epsilon(release, epsilon);
	if (!dps_release_is_public(release))
		DPS_TRY(dps_aggregates[release->aggregate]->plan(release, plan));
	dps_check_plan(release, plan);
	return DPS_OK;
}

/* The nearest multiple of a step, which is a power of two; ties upward. */
static __int128
nearest_step(__int128 value, uint64 step)
{
	return (value + step / 2) & -(__int128) step;
}

/* The sum, or the largest of its sign. */
static __int128
saturated_sum(__int128 value, __int128 noise)
{
	__int128	result;
	__int128	largest = (__int128) (~(unsigned __int128) 0 >> 1);

	if (!__builtin_add_overflow(value, noise, &result))
		return result;
	return noise > 0 ? largest : -largest;
}

static void
refuse_failed_draw(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("could not generate random noise")));
}

/* The only place where noise is drawn for an integer by itself. */
static __int128
add_noise(const DpsDraw *draw, uint64 scale, uint64 step, __int128 value)
{
	__int128	noise;

	if (dps_is_exact(draw))
		return value;
	dps_check_scale(draw->release, 1, scale);
	if (draw->plan->mechanism->draw(draw->random, scale, step, &noise) != DPS_OK)
		refuse_failed_draw();
	return saturated_sum(nearest_step(value, step), noise);
}

/* The coordinate's scale; 0 if it is not planned, which the gate refuses. */
static uint64
scale_of(const DpsDraw *draw, int coordinate)
{
	return coordinate < draw->plan->ncoordinates ? draw->plan->coordinate[coordinate].scale : 0;
}

static uint64
step_of(const DpsDraw *draw, int coordinate)
{
	return coordinate < draw->plan->ncoordinates ? draw->plan->coordinate[coordinate].step : 1;
}

__int128
dps_add_noise(const DpsDraw *draw, int coordinate, __int128 value)
{
	return add_noise(draw, scale_of(draw, coordinate), step_of(draw, coordinate), value);
}

/* The mechanism's row; 0 for a mechanism that adds no noise to integers, which needs no note. */
static int
mechanism_row(const DpsMechanism *mechanism)
{
	int			row = 0;

	while (dps_mechanisms[row] != NULL && dps_mechanisms[row] != mechanism)
		row++;
	return dps_mechanisms[row] != NULL ? row : 0;
}

DpsAnswer *
dps_answer_make(const DpsDraw *draw, int nnoised)
{
	Size		size = offsetof(DpsAnswer, noised) + nnoised * sizeof(DpsNoised);
	DpsAnswer  *answer = palloc0(size);

	SET_VARSIZE(answer, size);
	answer->version = DPS_ANSWER_VERSION;
	answer->mechanism = mechanism_row(draw->plan->mechanism);
	answer->nnoised = nnoised;
	answer->step_bits = dps_is_exact(draw) ? 0 : __builtin_ctzll(step_of(draw, 0));
	answer->count = -1;
	return answer;
}

static void
put(DpsAnswer *answer, int k, __int128 value, uint64 scale)
{
	DpsNoised  *noised = &answer->noised[k];

	noised->value.low = (uint64) value;
	noised->value.high = (int64) (value >> 64);
	noised->scale = scale;
}

static void
draw_at(const DpsDraw *draw, uint64 scale, DpsAnswer *answer, int k, __int128 value)
{
	put(answer, k, add_noise(draw, scale, dps_answer_step(answer), value), dps_is_exact(draw) ? 0 : scale);
}

void
dps_answer_draw(const DpsDraw *draw, int coordinate, DpsAnswer *answer, int k, __int128 value)
{
	draw_at(draw, scale_of(draw, coordinate), answer, k, value);
}

void
dps_answer_draw_aimed(const DpsDraw *draw, DpsAnswer *answer, int k, __int128 value)
{
	const DpsAim *aim = &draw->plan->aim;

	draw_at(draw, k < aim->n ? aim->scale[k] : aim->n > 0 ? 0 : scale_of(draw, 0), answer, k, value);
}

/* The only place where noise is drawn for several integers at once.  An answer's scales are those of its entries; what
 * one is among others follows from their number. */
void
dps_answer_draw_box(const DpsDraw *draw, DpsAnswer *answer, const __int128 *values)
{
	const DpsNoiseBox *box = &draw->plan->box;
	uint64		scale = scale_of(draw, 0);
	__int128	noise[DPS_MAX_BOX];
	int			i;

	dps_check_scale(draw->release, 1, scale);
	if (box->n != answer->nnoised || dps_k_norm_draw(draw->random, box, scale, noise) != DPS_OK)
		refuse_failed_draw();
	for (i = 0; i < box->n; i++)
		put(answer, i, saturated_sum(values[i], noise[i]), dps_whole_times(scale, box->width[i]));
	answer->is_box = 1;
}

void
dps_answer_draw_focused(const DpsDraw *draw, uint64 bound, uint64 base, DpsAnswer *answer, int k, __int128 value)
{
	draw_at(draw, dps_focused_scale(draw->plan, bound, base), answer, k, value);
}

void
dps_answer_put(DpsAnswer *answer, int k, __int128 value)
{
	put(answer, k, value, 0);
}

double
dps_answer_value(const DpsAnswer *answer, int k)
{
	return dps_int128_to_double(dps_sum_read(&answer->noised[k].value));
}

const DpsMechanism *
dps_answer_mechanism(const DpsAnswer *answer)
{
	return dps_mechanisms[answer->mechanism];
}

double
dps_answer_tail(const DpsAnswer *answer, int k, double probability)
{
	uint64		scale = answer->noised[k].scale;

	/* a tail is exact to 1e-6 */
	if (answer->is_box)
		return dps_k_norm_tail(answer->nnoised, (double) scale, probability) * (1.0 + 2e-6);
	return scale == 0 ? 0.0 : dps_answer_mechanism(answer)->tail(scale, dps_answer_step(answer), probability) * (1.0 + 2e-6);
}

int64
dps_nearest_count(__int128 n, int grid)
{
	/* Shifting is floor; halving first cannot overflow. */
	__int128	count = grid < 0 ? ((n >> -(grid + 1)) + 1) >> 1 : n;

	if (count > PG_INT64_MAX)
		return PG_INT64_MAX;
	if (count < PG_INT64_MIN)
		return PG_INT64_MIN;
	return (int64) count;
}

double
dps_clamp_value(const DpsRelease *release, double x)
{
	return fmin(fmax(x, release->value_lo), release->value_hi);
}

/* ---- explaining ---- */

double
dps_plan_tail(const DpsNoisePlan *plan, int coordinate)
{
	return plan->mechanism->tail(plan->coordinate[coordinate].scale, plan->coordinate[coordinate].step, 0.05);
}

void
dps_explain_integer(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	(void) rows;
	explanation->scale = ldexp((double) plan->coordinate[0].scale, release->grid);
	explanation->error_95 = ldexp(dps_plan_tail(plan, 0), release->grid);
}

void
dps_explain_count(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	dps_explain_integer(release, plan, rows, explanation);

	/* The rounded noise passes r = rint(tail) only if |Z| >= r + 1/2, which is
	 * at least the tail. */
	explanation->error_95 = rint(explanation->error_95);
}

void
dps_release_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	*explanation = (DpsExplanation) {.error_95_per_row = NAN};
	if (plan->ncoordinates == 0)
		explanation->note = "released exactly: no private value can change it";
	else
		dps_aggregates[release->aggregate]->explain(release, plan, rows, explanation);
}
