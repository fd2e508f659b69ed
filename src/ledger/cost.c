/*
 * cost.c
 *		What a release costs, from its noise.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "account/sampled.h"
#include "ledger/cost.h"
#include "noise/exponential.h"
#include "num/interval.h"

void
dps_add_loss(const DpsMechanism *mechanism, int64 sensitivity, int64 scale, int64 joined, DpsLoss *loss)
{
	DpsLoss		one = {INFINITY, INFINITY, 0};

	if (mechanism != NULL && sensitivity > 0 && scale > 0 && joined > 0)
		mechanism->loss(scale, sensitivity, &one);
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

Datum
dps_cost_array(const DpsCost *cost)
{
	Datum		values[3] = {
		Int64GetDatum(cost->epsilon), Int64GetDatum(cost->rho), Int64GetDatum(cost->delta)
	};

	return PointerGetDatum(construct_array(values, 3, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
