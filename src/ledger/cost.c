/*
 * cost.c
 *		The cost of training steps on samples, by their noise, and that of a change of
 *		one column.
 *
 * Precondition of dps_moved_cost: between two databases that differ in one private column of one row the
 * integers of coordinate i differ by at most moves[i] in the mechanism's norm, and they get independent
 * noise of scales[i], or of a scale that is as many times larger as what moves (agg/stages.c).
 * Postcondition: the release is epsilon-DP and rho-zCDP between the two.
 * Proof: coordinates compose; of one the loss of discrete Laplace noise is moves / scale, that of discrete
 * Gaussian noise rho = moves^2 / 2 scale^2, which dps_add_loss knows for any sensitivity: it is a function of
 * these numbers and the step, whatever the scale was calibrated to.  What does not move is the same in both.  So is the
 * Renyi loss of one order (account/at_order.h).  Where a change is one neighbour it is that of the release, at each order;
 * of two neighbours, or several arms, no more is used than their rho, which is one of all orders.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "account/at_order.h"
#include "account/sampled.h"
#include "glue/settings.h"
#include "ledger/cost.h"

void
dps_sampled_loss(double rate, int64 steps, int64 sensitivity, int64 scale, double delta, DpsLoss *loss)
{
	DpsSampledStep step;

	loss->epsilon = INFINITY;
	loss->rho = INFINITY;
	loss->delta = delta;
	if (sensitivity <= 0 || scale <= 0 || steps <= 0)
		return;
	dps_sampled_step(rate, scale, sensitivity, &step);
	loss->rho = dps_sampled_rho(&step, steps, delta);
}

/* What the noise of a coordinate was, for accountants. */
static DpsPastRelease
part_of(const DpsPublicNoise *noise, int i)
{
	DpsLaw		law = noise->scales[i] > 0 && noise->joined[i] > 0 ? dps_law_find(noise->mechanism) : DPS_LAW_UNKNOWN;
	DpsPastRelease part = {.law = law, .sensitivity = noise->sensitivities[i], .scale = noise->scales[i], .coordinates = noise->joined[i],
		.epsilon = INFINITY, .rho = INFINITY, .count = 1, .rate = noise->rate, .steps = noise->steps};

	if (law == DPS_LAW_SUBSAMPLED)
		return part;
	if (law == DPS_LAW_GEOMETRIC)
		return dps_past_release_geometric(part.sensitivity, part.scale, dps_step_of_name(noise->mechanism, noise->grid), part.coordinates, 1);
	return dps_past_release_noise(law, part.sensitivity, part.scale, part.coordinates, 1);
}

DpsAmount
dps_noise_at_order(double order, const DpsPublicNoise *noise, DpsAmount rho)
{
	DpsPastRelease parts[DPS_CHARGE_COORDINATES];
	int			i;

	if (noise->n > DPS_CHARGE_COORDINATES)
		return dps_rho_at_order(order, NULL, 0, rho);
	for (i = 0; i < noise->n; i++)
		parts[i] = part_of(noise, i);
	return dps_rho_at_order(order, parts, noise->n, rho);
}

static DpsPublicNoise
noise_of(const DpsChargeItem *item)
{
	return (DpsPublicNoise) {item->mechanism, item->grid, item->ncoordinates, item->sensitivities, item->scales, item->joined,
		item->steps, item->rate};
}

DpsCost
dps_item_cost(const DpsChargeItem *item, double order)
{
	DpsCost		cost = dps_cost(item->loss.epsilon, item->loss.rho, item->loss.delta);
	DpsPublicNoise noise = noise_of(item);

	if (dps_order_counts(order))
		cost.rho = dps_noise_at_order(order, &noise, cost.rho);
	return cost;
}

DpsCost
dps_moved_cost(const char *mechanism, int grid, int n, const uint64 *moves, const uint64 *scales, const uint64 *joined, double order)
{
	const DpsMechanism *drawn = dps_mechanism_find(mechanism);
	DpsPublicNoise noise = {mechanism, grid, n, moves, scales, joined, 0, 0};
	DpsLoss		loss = {0};
	DpsCost		cost;
	int			i;

	/* of choices and selections the sensitivity is no distance */
	if (drawn != &dps_laplace && drawn != &dps_gaussian)
		drawn = NULL;
	for (i = 0; i < n; i++)
	{
		if (moves[i] > 0)
			dps_add_loss(drawn, (int64) moves[i], (int64) scales[i], (int64) joined[i], dps_step_of_name(mechanism, grid), &loss);
	}
	cost = dps_cost(loss.epsilon, loss.rho, loss.delta);
	if (drawn != NULL && dps_order_counts(order))
		cost.rho = dps_noise_at_order(order, &noise, cost.rho);
	return cost;
}

DpsCost
dps_replaced_cost(const char *mechanism, const DpsCost *charge, DpsReplacement replacement)
{
	return dps_replacement_cost(charge, replacement, strcmp(mechanism, dps_partition.name) == 0);
}

DpsCost
dps_column_cost(const DpsChargeItem *item, const char *column, double order)
{
	DpsCost		charge;
	int			i;

	for (i = 0; i < item->ncolumns; i++)
	{
		if (strcmp(NameStr(item->columns[i].column), column) == 0)
			return dps_moved_cost(item->mechanism, item->grid, item->ncoordinates, item->columns[i].moves, item->scales, item->joined, order);
	}
	charge = dps_item_cost(item, item->replacement == DPS_REPLACEMENT_ONE ? order : 0);
	return dps_replaced_cost(item->mechanism, &charge, item->replacement);
}

DpsCost
dps_person_cost(const DpsChargeItem *item, double order)
{
	DpsCost		charge = dps_item_cost(item, item->arms == 1 ? order : 0);

	return dps_arms_cost(&charge, (uint64) Max(item->arms, 0));
}

bool
dps_present_answer(double epsilon, uint64 rows, int grid, bool is_count, DpsChargeItem *item)
{
	const DpsMechanism *mechanism = dps_setting_mechanism();
	DpsTarget	target = {epsilon, dps_setting_delta, 1, 0};
	uint64		unit = UINT64CONST(1) << -grid;
	DpsNoisePlan plan;

	dps_noise_plan_init(&plan, mechanism, epsilon, dps_setting_delta);
	if (epsilon == 0 || dps_noise_plan_steps(&plan, &target, is_count ? unit : 1, unit * rows, 1) != DPS_OK)
		return false;
	*item = (DpsChargeItem) {
		.epsilon = epsilon, .delta = mechanism->uses_delta ? dps_setting_delta : 0, .grid = grid,
		.ncoordinates = 1, .sensitivities = {plan.coordinate[0].sensitivity}, .scales = {plan.coordinate[0].scale}, .joined = {1},
		.loss = plan.loss, .arms = 1, .group_size = 1
	};
	strlcpy(item->mechanism, dps_noise_plan_name(&plan), sizeof(item->mechanism));
	return true;
}

DpsCost
dps_dearer_cost(const DpsChargeItem *one, const DpsChargeItem *other, double order)
{
	DpsCost		cost = dps_item_cost(one, order);
	DpsCost		second = dps_item_cost(other, order);

	return (DpsCost) {Max(cost.epsilon, second.epsilon), Max(cost.rho, second.rho), Max(cost.delta, second.delta)};
}

Datum
dps_cost_array(const DpsCost *cost)
{
	Datum		values[3] = {
		Int64GetDatum(cost->epsilon), Int64GetDatum(cost->rho), Int64GetDatum(cost->delta)
	};

	return PointerGetDatum(construct_array(values, 3, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
