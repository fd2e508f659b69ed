/*
 * cost.c
 *		What a release costs, from its noise.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "ledger/cost.h"
#include "num/interval.h"

void
dps_add_loss(const DpsMechanism *mechanism, int64 sensitivity, int64 scale, DpsLoss *loss)
{
	DpsLoss		one = {INFINITY, INFINITY, 0};

	if (mechanism != NULL && sensitivity > 0 && scale > 0)
		mechanism->loss(scale, sensitivity, &one);
	loss->epsilon = dps_add_up(loss->epsilon, one.epsilon);
	loss->rho = dps_add_up(loss->rho, one.rho);
	loss->delta = dps_add_up(loss->delta, one.delta);
}

Datum
dps_cost_array(const DpsCost *cost)
{
	Datum		values[3] = {
		Int64GetDatum(cost->epsilon), Int64GetDatum(cost->rho), Int64GetDatum(cost->delta)
	};

	return PointerGetDatum(construct_array(values, 3, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
