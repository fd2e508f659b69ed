/*
 * mode.c
 *		dp_mode: the most frequent of a column's declared values.
 *
 * Precondition: the release's removes, replaces and vector hold (agg/families/tallied.c);
 * the candidates are the declared values, in their order, met or not.
 *
 * Mechanism: permute-and-flip where losses are counted by epsilon, the exponential
 * mechanism, whose rho is smaller, where by rho; with distance max c - c_i for the count c_i
 * of value i.  A constant of the data, such as max c, cancels, so the range is
 * that of the changes of c_i: 1 if one count changes by 1; 2 if one falls and
 * another rises; a row that moves changes one count in each of two groups,
 * whose losses add up.  Postcondition: epsilon-DP for all groups together (noise/flip.c), by the
 * exponential mechanism epsilon^2/8-zCDP as well (noise/exponential.c).
 *
 * If no neighbour can change a tally, the answer is exact: the first of the most
 * frequent ones, and NULL for no rows.  A single declared value is the answer.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "agg/aggregate.h"
#include "agg/families/tallied.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "base/once.h"
#include "noise/flip.h"

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

/* The mechanism for counts decides whether losses are counted by epsilon or by rho. */
const DpsMechanism *
dps_declared_mechanism(const DpsMechanism *mechanism)
{
	return mechanism->uses_delta ? &dps_exponential : &dps_flip;
}

static DpsStatus
mode_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	return dps_noise_plan_choices(plan, dps_declared_mechanism(plan->mechanism), 1, dps_tallied_range(release, 1, 2));
}

static size_t
nearest(const DpsCandidate *candidates, size_t n)
{
	size_t		chosen = 0;
	size_t		i;

	for (i = 1; i < n; i++)
	{
		if (candidates[i].distance < candidates[chosen].distance)
			chosen = i;
	}
	return chosen;
}

size_t
dps_choose_declared(const DpsDraw *draw, const DpsCandidate *candidates, size_t n)
{
	const DpsExponential *law;
	size_t		chosen = 0;

	if (dps_is_exact(draw))
		return nearest(candidates, n);
	law = dps_tallied_law(draw->plan, dps_tallied_range(draw->release, 1, 2));
	if (draw->plan->mechanism == &dps_flip)
		dps_check_draw(dps_flip_draw(draw->random, law, candidates, n, &chosen));
	else
		dps_check_draw(dps_exponential_draw(draw->random, law, candidates, n, &chosen));
	return chosen;
}

DpsCandidate *
dps_declared_candidates(const DpsRelease *release, const DpsState *state)
{
	DpsCandidate *candidates = palloc(sizeof(DpsCandidate) * release->points);
	int64		most = 0;
	uint32		i;

	for (i = 0; i < state->nentries; i++)
		most = dps_max(most, dps_state_entries(state)[i].count);
	for (i = 0; i < release->points; i++)
		candidates[i] = (DpsCandidate) {(uint64) most, 1};
	for (i = 0; i < state->nentries; i++)
		candidates[dps_state_entries(state)[i].point].distance = (uint64) (most - dps_state_entries(state)[i].count);
	return candidates;
}

/* The number of a declared value, from 0. */
static Datum
mode_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	DpsCandidate *candidates = dps_declared_candidates(draw->release, state);
	size_t		chosen = dps_choose_declared(draw, candidates, draw->release->points);

	*isnull = dps_tallied_is_null(draw, state);
	pfree(candidates);
	return Int64GetDatum((int64) chosen);
}

/*
 * With probability 0.95 the value that is drawn has at most this many rows fewer than
 * the mode.  The others weigh at most N exp(-epsilon D / range), the mode 1; by
 * permute-and-flip each is drawn with at most half of that, as the mode is accepted, too.
 */
static void
mode_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	bool		flips = plan->mechanism == &dps_flip;

	(void) rows;
	explanation->scale = release->sensitivity / plan->epsilon;
	explanation->error_95 = release->sensitivity / plan->epsilon * log((flips ? 10.0 : 20.0) * release->points);
	explanation->note = flips ? "drawn by permute-and-flip; scale and error are in rows: how much rarer than the mode the answer may be" :
		"drawn by the exponential mechanism; scale and error are in rows: how much rarer than the mode the answer may be";
}

const DpsAggregate dps_aggregate_mode = {
	.name = "dp_mode",
	.result_type = ANYELEMENTOID,
	.release_function = "release_key",
	.argument = DPS_DECLARED_ARGUMENT,
	.sums_rows = true,
	.chooses = true,
	.derive = mode_derive,
	.has_one_answer = dps_has_one_point,
	.plan = mode_plan,
	.explain = mode_explain,
	.release = mode_release,
};
