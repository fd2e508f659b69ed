/*
 * top.c
 *		dp_top: the most frequent of a column's declared values, several of them.
 *
 * Precondition: that of dp_mode (mode.c); 1 <= k <= the number of declared values.
 *
 * Mechanism: k draws of the exponential mechanism, one after the other, each at epsilon / k, of the values that were not drawn
 * yet.  That has the law of the k largest of all counts with Gumbel noise, in their order (Durfee and Rogers 2019, Lemma 4.2).  One
 * value is drawn as dp_mode draws it.
 *
 * Postcondition: epsilon-DP for all groups together, and k (epsilon / k)^2 / 8-zCDP.  Proof.  Given what was
 * drawn before, each draw is one of dp_mode among candidates that are public then, with distances of the same range: the
 * most frequent of all is a constant, which cancels.  So it costs epsilon / k, and draws that are chosen by looking at
 * earlier ones compose by adding (Dwork and Roth 2014, Theorem 3.16).
 *
 * If no neighbour can change a tally the answer is exact: the most frequent first, of equally frequent ones the first in the
 * order of the values; NULL for no rows.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "agg/aggregate.h"
#include "agg/families/tallied.h"
#include "agg/family.h"
#include "noise/flip.h"

static DpsStatus
top_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DPS_TRY(dps_derive_declared(facts, release, summand, why));
	release->nlevels = facts->parameter.nlevels;
	if (release->nlevels > (int) release->points)
	{
		*why = psprintf("only %u values are declared", release->points);
		return DPS_DOMAIN;
	}
	if (release->points > 1)
		release->sensitivity = (double) dps_tallied_range(release, 1, 2) / release->unit_rows;
	return DPS_OK;
}

static DpsStatus
top_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	const DpsMechanism *drawn = release->nlevels > 1 ? &dps_exponential : dps_declared_mechanism(plan->mechanism);

	return dps_noise_plan_choices(plan, drawn, release->nlevels, dps_tallied_range(release, 1, 2));
}

/* The numbers of declared values, from 0, in the order in which they were drawn. */
static Datum
top_release(const DpsDraw *draw, const DpsState *state, bool *isnull)
{
	int			left = (int) draw->release->points;
	int			k = draw->release->nlevels;
	DpsCandidate *candidates = dps_declared_candidates(draw->release, state);
	Datum	   *numbers = palloc(sizeof(Datum) * left);
	Datum	   *drawn = palloc(sizeof(Datum) * k);
	int			i;

	for (i = 0; i < left; i++)
		numbers[i] = Int64GetDatum(i);
	for (i = 0; i < k; i++)
	{
		size_t		chosen = dps_choose_declared(draw, candidates, (size_t) left);

		drawn[i] = numbers[chosen];
		left--;
		memmove(&candidates[chosen], &candidates[chosen + 1], sizeof(DpsCandidate) * (left - chosen));
		memmove(&numbers[chosen], &numbers[chosen + 1], sizeof(Datum) * (left - chosen));
	}
	*isnull = dps_tallied_is_null(draw, state);
	return PointerGetDatum(construct_array(drawn, k, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* With probability 0.95 none that is drawn is rarer than the most frequent one that is left by more: as for dp_mode, each with a k-th of
 * what may be missed. */
static void
top_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	int			k = release->nlevels;
	bool		flips = plan->mechanism == &dps_flip;

	(void) rows;
	explanation->scale = release->sensitivity * k / plan->epsilon;
	explanation->error_95 = explanation->scale * log((flips ? 10.0 : 20.0) * k * release->points);
	explanation->note = psprintf("%d of the values drawn %s, each at an equal part of epsilon; scale and error are in rows: how much rarer an answer may be than the most frequent value that is left",
								 k, flips ? "by permute-and-flip" : "by the exponential mechanism");
}

const DpsAggregate dps_aggregate_top = {
	.name = "dp_top",
	.result_type = ANYARRAYOID,
	.release_function = "release_keys",
	.argument = DPS_DECLARED_ARGUMENT,
	.parameter = DPS_ANSWERS,
	.sums_rows = true,
	.chooses = true,
	.derive = top_derive,
	.has_one_answer = dps_has_one_point,
	.plan = top_plan,
	.explain = top_explain,
	.release = top_release,
};
