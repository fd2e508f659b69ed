/*
 * mode.c
 *		dp_mode: the most frequent of a column's declared values.
 *
 * Precondition: the release's removes, replaces and vector hold (agg/tallied.c);
 * the candidates are the declared values, in their order, met or not.
 *
 * Mechanism: the exponential mechanism with distance max c - c_i for the count c_i of
 * value i.  A constant of the data, such as max c, cancels, so the range is
 * that of the changes of c_i: 1 if one count changes by 1; 2 if one falls and
 * another rises; a row that moves changes one count in each of two groups,
 * whose losses add up.  Postcondition: epsilon-DP and epsilon^2/8-zCDP for all groups
 * together (noise/exponential.c).
 *
 * If no neighbour can change a tally, the answer is exact: the first of the most
 * frequent ones, and NULL for no rows.  A single declared value is the answer.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/tallied.h"

DpsStatus
dps_derive_declared(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsGrid		grid;

	DPS_TRY(dps_derive_tallied(facts, release, summand, why));
	grid = dps_grid_of_points(facts->inf, facts->sup, true, DPS_TALLY_POINTS);
	dps_set_points(facts, &grid, release, summand);
	if (grid.k != 0)
	{
		*why = "too many values are declared";
		return DPS_DOMAIN;
	}
	return DPS_OK;
}

static DpsStatus
mode_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DPS_TRY(dps_derive_declared(facts, release, summand, why));
	if (release->points > 1)
		release->sensitivity = (double) dps_tallied_range(release, 1, 2) / release->unit_rows;
	return DPS_OK;
}

/* The number of a declared value, from 0. */
static Datum
mode_release(const DpsRelease *release, const DpsState *state, double epsilon,
			 DpsReceipt *receipt, bool *isnull)
{
	DpsCandidate *candidates = palloc(sizeof(DpsCandidate) * release->points);
	DpsExponential law;
	int64		most = 0;
	size_t		chosen = 0;
	uint32		i;

	for (i = 0; i < state->nentries; i++)
		most = Max(most, dps_state_entries(state)[i].count);
	for (i = 0; i < release->points; i++)
		candidates[i] = (DpsCandidate) {(uint64) most, 1};
	for (i = 0; i < state->nentries; i++)
		candidates[dps_state_entries(state)[i].point].distance = (uint64) (most - dps_state_entries(state)[i].count);
	*isnull = dps_tallied_is_null(release, state, receipt);
	if (release->sensitivity == 0.0 || !receipt->noise)
	{
		while (candidates[chosen].distance > 0)
			chosen++;
	}
	else
	{
		dps_tallied_law(&law, epsilon, 1, dps_tallied_range(release, 1, 2));
		dps_check_draw(dps_exponential_draw(&receipt->random, &law, candidates, release->points, &chosen));
	}
	pfree(candidates);
	return Int64GetDatum((int64) chosen);
}

/*
 * With probability 0.95 the value that is drawn is as frequent as the mode but for
 * this many rows: the others weigh at most N exp(-epsilon D / range), the mode 1.
 */
static void
mode_forecast(const DpsRelease *release, const DpsMechanism *mechanism, double epsilon,
			  double delta, double rows, DpsForecast *forecast)
{
	(void) mechanism;
	(void) delta;
	(void) rows;
	dps_forecast_exact(forecast);
	if (release->sensitivity == 0.0)
		return;
	if (!dps_forecast_choice(epsilon, 1, dps_tallied_range(release, 1, 2), forecast))
	{
		dps_forecast_unable(forecast);
		return;
	}
	forecast->scale = release->sensitivity / epsilon;
	forecast->error_95 = release->sensitivity / epsilon * log(20.0 * release->points);
	forecast->note = "drawn by the exponential mechanism; scale and error are in rows: how much rarer than the mode the answer may be";
}

const DpsAggregate dps_aggregate_mode = {
	.name = "dp_mode",
	.result_type = ANYELEMENTOID,
	.release_function = "release_key",
	.argument = DPS_DECLARED_ARGUMENT,
	.sums_rows = true,
	.derive = mode_derive,
	.release = mode_release,
	.forecast = mode_forecast,
};
