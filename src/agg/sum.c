/*
 * sum.c
 *		dp_sum: a sum of bounded values.
 *
 * Precondition: l1 and l2 bound what a neighbour changes in the integer sums
 * (dps_derive_sum).  Postcondition: each group's sum S is released as
 * (S + Z) * 2^k, Z one exact draw at the scale that the mechanism's theorem
 * asks for this sensitivity; rounding to a double comes after the noise.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/family.h"

static Datum
sum_release(const DpsRelease *release, const DpsState *state, double epsilon,
			DpsReceipt *receipt, bool *isnull)
{
	DpsTarget	target = dps_target(release, epsilon, receipt->delta, 1);
	uint64		sensitivity = dps_release_sensitivity(release, receipt->mechanism);
	uint64		scale = dps_noise_scale(receipt, &target, sensitivity);
	__int128	noised = dps_add_noise(receipt, scale, dps_state_sum(state));

	*isnull = false;
	return Float8GetDatum(dps_grid_value(noised, release->grid));
}

const DpsAggregate dps_aggregate_sum = {
	.name = "dp_sum",
	.result_type = FLOAT8OID,
	.release_function = "release_value",
	.sums_rows = true,
	.derive = dps_derive_sum,
	.release = sum_release,
	.forecast = dps_forecast_sum,
};
