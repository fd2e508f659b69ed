/*
 * cost.c
 *		The cost of training steps on samples, by their noise.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "account/sampled.h"
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

Datum
dps_cost_array(const DpsCost *cost)
{
	Datum		values[3] = {
		Int64GetDatum(cost->epsilon), Int64GetDatum(cost->rho), Int64GetDatum(cost->delta)
	};

	return PointerGetDatum(construct_array(values, 3, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
