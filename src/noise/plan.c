/*
 * plan.c
 *		The noise of one release: its sensitivities, scales and cost.
 *
 * Postcondition of all functions that plan: the loss of the plan is the sum over its coordinates
 * of dps_add_loss, so it can be computed again from the coordinates alone, and is never less than
 * the cost of noise of these scales for these sensitivities.  Mechanisms and accountants compose
 * by adding (noise/mechanism.h, account/account.h).
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/once.h"
#include "noise/plan.h"
#include "noise/sample.h"
#include "num/interval.h"

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
dps_noise_plan_partition(DpsNoisePlan *plan, uint64_t groups)
{
	uint64_t	sensitivities[2];
	uint64_t	scales[2];

	plan->mechanism = &dps_partition;
	DPS_TRY(dps_partition_init(&plan->partition, plan->epsilon, plan->delta, groups));
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
	return partition_holds(plan);
}
