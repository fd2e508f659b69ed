/*
 * plan.c
 *		The noise of one release: its sensitivities, scales and cost.
 *
 * Postcondition of all functions that plan: the loss of the plan is the sum over its coordinates
 * of dps_add_loss, so it can be computed again from the coordinates alone, and is never less than
 * the cost of noise of these scales for these sensitivities.  Mechanisms and accountants compose
 * by adding (noise/mechanism.h, account/account.h).
 *
 * Noise that is aimed (dps_noise_plan_aimed).  Precondition: let two databases differ in one of the columns, j,
 * in one row.  Then integer i differs by at most m_ij, for each i; it gets independent discrete Gaussian noise
 * of its own scale N_i.  All other integers are the same in both.
 * Postcondition: with N = min N_i and s = max_j ceil(|(ceil(m_ij N / N_i))_i|), which are the coordinate's scale and
 * sensitivity, the release is s^2 / 2N^2-zCDP between the two, for every j, and (epsilon, delta)-DP for what was
 * requested; between two that differ in j as said with s_j of this column alone, and at w_j epsilon.
 *
 * Proof.  The Renyi divergence of order alpha between one integer's distributions is at most alpha m_ij^2 / 2N_i^2
 * (Canonne, Kamath and Steinke 2020, Proposition 5); those of independent integers add up:
 *		alpha / 2 sum_i m_ij^2 / N_i^2 = alpha / 2N^2 sum_i (m_ij N / N_i)^2 <= alpha s_j^2 / 2N^2.
 * So every accountant that goes by the divergence may take s and N for a release of one scale.  So may those that
 * go by the profile of Gaussian noise: account/fold.c compares the discrete noise with continuous noise of the same
 * scales.  Divide x_i by N_i: by rotation the continuous noise is N(0, 1) against N(|v / N|, 1) with
 * |v / N| = sqrt(sum_i v_i^2 / N_i^2) <= s / N = mu (Balle and Wang 2018, Theorem 8; the same for coordinates of
 * several scales: Muthukrishnan and Kalyani 2023, arXiv:2302.03511).  What the discrete noise is off from it there
 * needs sum 1 / N_i, at most joined / N, and sum |v_i| / 2N_i^2 <= (1 / 2N) sum |v_i| / N_i <= sqrt(joined) mu / 2N
 * (Cauchy and Schwarz): both are what it reckons with for s, N and joined integers.
 * Calibration: let Y_i be the shape and Y its least.  N is a scale that the mechanism accepts for the
 * sensitivity s' = max_j ceil(|(ceil(m_ij Y / Y_i))_i|), and for s'_j at w_j epsilon for each j.
 * N_i = ceil(N Y_i / Y) >= N, with equality where Y_i = Y, and N / N_i <= Y / Y_i, so each term of s is at most that
 * of s': s_j <= s'_j.  A mechanism that accepts a scale for a sensitivity does so for any smaller one, as delta and rho
 * rise with it.  The sensitivity is then computed again, from N_i alone, and taken only if it is no
 * larger; so neither the optimum that made the shape nor this argument need be trusted for what is charged.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/once.h"
#include "noise/plan.h"
#include "noise/sample.h"
#include "num/interval.h"
#include "num/whole.h"

/* At which scales for different weights are compared. */
#define WEIGHED_SENSITIVITY (UINT64_C(1) << 40)

void
dps_add_loss(const DpsMechanism *mechanism, int64_t sensitivity, int64_t scale, int64_t joined, uint64_t step, DpsLoss *loss)
{
	DpsLoss		one = {INFINITY, INFINITY, 0};

	if (mechanism != NULL && sensitivity > 0 && scale > 0 && joined > 0 && step > 0)
		mechanism->loss((uint64_t) scale, step, (uint64_t) sensitivity, &one);
	if (mechanism == &dps_exponential && joined > 1)
	{
		one.epsilon = dps_mul_up(one.epsilon, (double) joined);
		one.rho = dps_mul_up(one.rho, (double) joined);
	}
	loss->epsilon = dps_add_up(loss->epsilon, one.epsilon);
	loss->rho = dps_add_up(loss->rho, one.rho);
	loss->delta = dps_add_up(loss->delta, one.delta);
}

void
dps_noise_plan_init(DpsNoisePlan *plan, const DpsMechanism *mechanism, double epsilon, double delta)
{
	memset(plan, 0, sizeof(*plan));
	plan->mechanism = mechanism;
	plan->epsilon = plan->asked = epsilon;
	plan->delta = delta;
}

/* The only function that adds a coordinate to a plan. */
static void
add_coordinate(DpsNoisePlan *plan, uint64_t sensitivity, uint64_t scale, int joined, uint64_t step)
{
	plan->coordinate[plan->ncoordinates++] = (DpsCoordinate) {sensitivity, scale, joined, step};
	dps_add_loss(plan->mechanism, (int64_t) sensitivity, (int64_t) scale, joined, step, &plan->loss);
}

DpsStatus
dps_noise_plan_add(DpsNoisePlan *plan, const DpsTarget *target, int root, uint64_t sensitivity, int joined)
{
	return dps_noise_plan_add_weighted(plan, target, 1, root, sensitivity, joined, 0, NULL);
}

DpsStatus
dps_noise_plan_add_weighted(DpsNoisePlan *plan, const DpsTarget *target, uint64_t step, int root, uint64_t sensitivity,
							int joined, int nmoves, const DpsWeightedMove *moves)
{
	DpsTarget	all = *target;
	uint64_t	scale;

	if (plan->ncoordinates == DPS_MAX_COORDINATES || step == 0 || step >= DPS_SCALE_LIMIT)
		return DPS_DOMAIN;
	if (all.vector > 0 || joined > 1)
		all.vector = joined;
	DPS_TRY(plan->mechanism->calibrate(&all, sensitivity, &scale));
	for (int i = 0; i < nmoves; i++)
	{
		DpsTarget	weighted = all;
		uint64_t	other = 0;

		weighted.epsilon = dps_mul_down(target->epsilon, moves[i].weight);
		if (moves[i].sensitivity > 0)
			DPS_TRY(plan->mechanism->calibrate(&weighted, moves[i].sensitivity, &other));
		scale = dps_max(scale, other);
	}
	add_coordinate(plan, sensitivity, scale / (uint64_t) root + (scale % (uint64_t) root != 0), joined,
				   plan->mechanism->steps ? step : 1);
	return DPS_OK;
}

DpsStatus
dps_noise_plan_steps(DpsNoisePlan *plan, const DpsTarget *target, uint64_t step, uint64_t sensitivity, int joined)
{
	return dps_noise_plan_add_weighted(plan, target, step, 1, sensitivity, joined, 0, NULL);
}

double
dps_noise_plan_weight(const DpsNoisePlan *plan, const DpsTarget *target, double weight, int joined)
{
	DpsTarget	several = *target;
	DpsTarget	weighted;
	uint64_t	scale;
	uint64_t	larger;

	several.vector = joined;
	weighted = several;
	weighted.epsilon = dps_mul_down(target->epsilon, weight);
	if (weight >= 1.0 || plan->mechanism->calibrate(&several, WEIGHED_SENSITIVITY, &scale) != DPS_OK ||
		plan->mechanism->calibrate(&weighted, WEIGHED_SENSITIVITY, &larger) != DPS_OK)
		return weight;
	return (double) scale / (double) larger;
}

/* How far any of the columns moves the integers, counted in these scales. */
static uint64_t
aimed_sensitivity(const DpsAimedColumns *columns, uint64_t unit, const uint64_t *scales)
{
	uint64_t	most = 0;

	for (int j = 0; j < columns->ncolumns; j++)
		most = dps_max(most, dps_whole_norm_by(columns->n, columns->moves + j * columns->n, unit, scales));
	return most;
}

static uint64_t
least_of(int n, const uint64_t *scales)
{
	uint64_t	least = UINT64_MAX;

	for (int i = 0; i < n; i++)
		least = dps_min(least, scales[i]);
	return least;
}

/* One move for each weight below 1, that of the columns of this weight which go the furthest. */
static int
aimed_moves(const DpsAimedColumns *columns, uint64_t unit, DpsWeightedMove *moves)
{
	int			nmoves = 0;

	for (int j = 0; j < columns->ncolumns; j++)
	{
		uint64_t	norm = dps_whole_norm_by(columns->n, columns->moves + j * columns->n, unit, columns->shape);
		int			k = 0;

		if (columns->weights[j] >= 1.0)
			continue;
		while (k < nmoves && moves[k].weight != columns->weights[j])
			k++;
		if (k == nmoves)
			moves[nmoves++] = (DpsWeightedMove) {columns->weights[j], 0};
		moves[k].sensitivity = dps_max(moves[k].sensitivity, norm);
	}
	return nmoves;
}

/* Sets the scales in proportion to the shape; false if one is too large. */
static bool
set_aim(const DpsAimedColumns *columns, uint64_t unit, uint64_t least, DpsAim *aim)
{
	uint64_t	ones[DPS_MAX_AIMED];

	aim->n = columns->n;
	for (int i = 0; i < columns->n; i++)
		ones[i] = 1;
	aim->sensitivity = aimed_sensitivity(columns, 1, ones);
	for (int i = 0; i < columns->n; i++)
	{
		aim->scale[i] = dps_whole_ratio((unsigned __int128) least * columns->shape[i], unit);
		if (aim->scale[i] < least || aim->scale[i] >= DPS_SCALE_LIMIT)
			return false;
	}
	return true;
}

DpsStatus
dps_noise_plan_aimed(DpsNoisePlan *plan, const DpsTarget *target, const DpsAimedColumns *columns, int joined)
{
	DpsWeightedMove moves[DPS_MAX_AIMED_COLUMNS];
	DpsNoisePlan aimed = *plan;
	uint64_t	unit = least_of(columns->n, columns->shape);
	uint64_t	sensitivity;

	if (plan->mechanism->norm != 2 || plan->ncoordinates != 0 || columns->n < 1 || columns->n > DPS_MAX_AIMED ||
		columns->ncolumns < 1 || columns->ncolumns > DPS_MAX_AIMED_COLUMNS || joined < columns->n || unit == 0 || unit >= DPS_SCALE_LIMIT)
		return DPS_DOMAIN;
	sensitivity = aimed_sensitivity(columns, unit, columns->shape);
	DPS_TRY(dps_noise_plan_add_weighted(&aimed, target, 1, 1, sensitivity, joined, aimed_moves(columns, unit, moves), moves));
	if (!set_aim(columns, unit, aimed.coordinate[0].scale, &aimed.aim))
		return DPS_UNABLE;
	/* what is charged follows from the scales that are drawn */
	sensitivity = aimed_sensitivity(columns, aimed.coordinate[0].scale, aimed.aim.scale);
	if (sensitivity == 0 || sensitivity >= DPS_SCALE_LIMIT || sensitivity > aimed.coordinate[0].sensitivity)
		return DPS_UNABLE;
	aimed.ncoordinates = 0;
	aimed.loss = plan->loss;
	add_coordinate(&aimed, sensitivity, aimed.coordinate[0].scale, joined, 1);
	*plan = aimed;
	return DPS_OK;
}

DpsStatus
dps_noise_plan_box(DpsNoisePlan *plan, const DpsTarget *target, int n, const uint64_t *moves, int vectors)
{
	DpsNoisePlan boxed = *plan;
	uint64_t	steps;

	if (plan->ncoordinates != 0 || plan->mechanism != &dps_laplace || vectors < 1)
		return DPS_DOMAIN;
	DPS_TRY(dps_box_make(n, moves, &boxed.box, &steps));
	boxed.mechanism = &dps_k_norm;
	DPS_TRY(dps_noise_plan_add(&boxed, target, 1, dps_whole_times((uint64_t) vectors, steps), 1));
	if (!dps_noise_plan_box_covers(&boxed, n, moves, vectors))
		return DPS_UNABLE;
	*plan = boxed;
	return DPS_OK;
}

bool
dps_noise_plan_box_covers(const DpsNoisePlan *plan, int n, const uint64_t *moves, int vectors)
{
	return plan->mechanism == &dps_k_norm && plan->box.n == n && plan->ncoordinates == 1 && vectors >= 1 &&
		dps_whole_times((uint64_t) vectors, dps_box_norm(&plan->box, moves)) <= plan->coordinate[0].sensitivity;
}

/* Is there a box where noise is in its steps, and nowhere else? */
static bool
box_holds(const DpsNoisePlan *plan)
{
	return plan->silent || (plan->mechanism == &dps_k_norm) == (plan->box.n > 0);
}

/* Is the coordinate's scale the least of those that are aimed? */
static bool
aim_holds(const DpsNoisePlan *plan)
{
	if (plan->aim.n == 0)
		return true;
	return plan->aim.n > 0 && plan->aim.n <= DPS_MAX_AIMED && plan->ncoordinates == 1 && !plan->silent &&
		plan->mechanism->norm == 2 && plan->coordinate[0].scale == least_of(plan->aim.n, plan->aim.scale);
}

bool
dps_noise_plan_covers(const DpsNoisePlan *plan, const DpsAimedColumns *columns)
{
	return plan->aim.n > 0 && plan->aim.n == columns->n && aim_holds(plan) && plan->coordinate[0].joined >= columns->n &&
		aimed_sensitivity(columns, plan->coordinate[0].scale, plan->aim.scale) <= plan->coordinate[0].sensitivity;
}

const char *
dps_noise_plan_name(const DpsNoisePlan *plan)
{
	return plan->ncoordinates > 0 && plan->coordinate[0].step != 1 ? DPS_GEOMETRIC : plan->mechanism->name;
}

uint64_t
dps_step_of_name(const char *mechanism, int grid)
{
	if (strcmp(mechanism, DPS_GEOMETRIC) != 0)
		return 1;
	return grid < 0 && grid > -DPS_STEP_BITS_LIMIT ? UINT64_C(1) << -grid : 0;
}

/* The cost of each draw in units of 2^-DPS_EXPONENTIAL_BITS, rounded down. */
DpsStatus
dps_noise_plan_choices(DpsNoisePlan *plan, const DpsMechanism *drawn, int draws, uint64_t range)
{
	DpsExponential law;
	uint64_t	units;

	/* dps_add_loss knows of several draws of this one alone */
	if (draws < 1 || (draws > 1 && drawn != &dps_exponential))
		return DPS_DOMAIN;
	DPS_TRY(dps_exponential_release(&law, plan->epsilon / draws, range, &units));
	plan->mechanism = drawn;
	add_coordinate(plan, units, UINT64_C(1) << DPS_EXPONENTIAL_BITS, draws, 1);
	return DPS_OK;
}

DpsStatus
dps_noise_plan_law(const DpsNoisePlan *plan, uint64_t range, DpsExponential *law)
{
	if (plan->ncoordinates != 1 || plan->coordinate[0].scale != UINT64_C(1) << DPS_EXPONENTIAL_BITS)
		return DPS_DOMAIN;
	return dps_exponential_of_units(law, plan->coordinate[0].sensitivity, range);
}

void
dps_noise_plan_tree(DpsNoisePlan *plan, const DpsTreePlan *tree, int joined)
{
	plan->tree = (DpsTreeShape) {tree->fanout, tree->height, tree->unit_bits, tree->buckets};
	add_coordinate(plan, tree->sensitivity, tree->scale, joined, tree->step);
}

DpsTreePlan
dps_noise_plan_tree_of(const DpsNoisePlan *plan)
{
	return (DpsTreePlan) {plan->mechanism, plan->tree.fanout, plan->tree.height, plan->tree.unit_bits, plan->tree.buckets,
						  plan->coordinate[0].sensitivity, plan->coordinate[0].scale, plan->coordinate[0].step, plan->loss};
}

DpsStatus
dps_noise_plan_partition(DpsNoisePlan *plan, uint64_t groups, uint64_t units)
{
	uint64_t	sensitivities[2];
	uint64_t	scales[2];

	plan->mechanism = &dps_partition;
	DPS_TRY(dps_partition_init(&plan->partition, plan->epsilon, plan->delta, groups, units));
	DPS_TRY(dps_partition_coordinates(&plan->partition, sensitivities, scales));
	for (int i = 0; i < 2; i++)
		add_coordinate(plan, sensitivities[i], scales[i], 1, 1);
	return DPS_OK;
}

void
dps_noise_plan_silence(DpsNoisePlan *plan)
{
	int			n = plan->ncoordinates;

	plan->silent = true;
	plan->ncoordinates = 0;
	/* there is no scale to count moves in */
	if (plan->aim.n > 0)
		plan->coordinate[0].sensitivity = plan->aim.sensitivity;
	plan->aim.n = 0;
	if (plan->box.n > 0)
		plan->coordinate[0].sensitivity = dps_whole_times(plan->coordinate[0].sensitivity, UINT64_C(1) << plan->box.bits);
	plan->box.n = 0;
	plan->loss = (DpsLoss) {0, 0, 0};
	while (plan->ncoordinates < n)
		add_coordinate(plan, plan->coordinate[plan->ncoordinates].sensitivity, 0, plan->coordinate[plan->ncoordinates].joined, 1);
}

static bool
same_coordinate(const DpsCoordinate *a, const DpsCoordinate *b)
{
	return a->sensitivity == b->sensitivity && a->scale == b->scale && a->joined == b->joined && a->step == b->step;
}

/* Is it a selection with noise?  Its law does not follow from its
 * coordinates. */
static bool
partition_holds(const DpsNoisePlan *plan)
{
	uint64_t	sensitivities[2];
	uint64_t	scales[2];

	if (plan->mechanism != &dps_partition || plan->ncoordinates == 0 || plan->silent)
		return true;
	return dps_partition_coordinates(&plan->partition, sensitivities, scales) == DPS_OK &&
		same_coordinate(&plan->coordinate[0], &(DpsCoordinate) {sensitivities[0], scales[0], 1, 1}) &&
		same_coordinate(&plan->coordinate[1], &(DpsCoordinate) {sensitivities[1], scales[1], 1, 1});
}

bool
dps_noise_plan_is(const DpsNoisePlan *plan, int ncharged, const DpsCoordinate *charged)
{
	if (plan->ncoordinates != ncharged)
		return false;
	for (int i = 0; i < ncharged; i++)
	{
		if (!same_coordinate(&plan->coordinate[i], &charged[i]) || plan->silent != (charged[i].scale == 0))
			return false;
	}
	return aim_holds(plan) && box_holds(plan) && partition_holds(plan);
}
