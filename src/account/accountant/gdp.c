/*
 * gdp.c
 *		Gaussian noise only: the exact profile of Gaussian differential privacy.
 *
 * Precondition: every release of the history is of discrete Gaussian noise with the
 * recorded scale and sensitivity; else there is no answer.  Postcondition: all together
 * are (epsilon, delta)-DP for the figures returned, rounded up.
 *
 * Proof.  Continuous Gaussian releases with mu_1, mu_2, ... are one with
 * mu = sqrt(mu_1^2 + mu_2^2 + ...) (Dong, Roth and Su 2022, Corollary 3.3 of
 * arXiv:1905.02383).  For N(0, 1) against N(v, 1), |v| <= mu_i, is c X + sqrt(1 - c^2) Y with
 * c = v / mu_i, X of N(0, 1) against N(mu_i, 1) and Y of N(0, 1) in either case.  So releases of
 * which each v follows from the outcomes before can be computed, one after the other, from
 * independent X_i; and a rotation makes of these one with mu and others that tell nothing.
 * What discrete noise adds is proved in fold.c, and in gaussian_profile.c for one integer
 * released once, which is the better of the two at small scales.
 */
#include <math.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/fold.h"
#include "num/interval.h"

#define BISECTIONS 200

/* An upper bound on delta as a function of epsilon that does not rise. */
typedef double (*DeltaProfile) (double epsilon, const void *context);

static double
folded_profile(double epsilon, const void *context)
{
	const DpsFolded *folded = context;

	return dps_add_up(dps_mul_up(folded->factor, dps_gaussian_delta(folded->mu, epsilon)),
					  folded->tail);
}

static double
single_profile(double epsilon, const void *context)
{
	const DpsPastRelease *release = context;

	return dps_discrete_gaussian_delta(release->scale, release->sensitivity, epsilon);
}

/* A small epsilon with profile(epsilon) <= delta; the one returned has itself
 * been found to suffice.  Infinity if there is none below 2^60. */
static double
epsilon_of_profile(DeltaProfile profile, const void *context, double delta)
{
	double		lo = 0.0;
	double		hi = 0x1p-30;

	if (profile(0.0, context) <= delta)
		return 0.0;
	while (!(profile(hi, context) <= delta))
	{
		lo = hi;
		hi *= 2.0;
		if (hi > 0x1p60)
			return INFINITY;
	}
	for (int i = 0; i < BISECTIONS; i++)
	{
		double		middle = 0.5 * (lo + hi);

		if (!(middle > lo && middle < hi))
			break;
		if (profile(middle, context) <= delta)
			hi = middle;
		else
			lo = middle;
	}
	return hi;
}

DpsStatus
dps_accountant_gdp(const DpsHost *host, const DpsHistory *history, double delta,
				   double *epsilon)
{
	DpsFold		fold = {0};
	DpsFolded	folded;
	double		left;
	double		result;

	(void) host;
	DPS_TRY(dps_history_delta_left(history, delta, &left));
	if (!dps_history_has_only(history, DPS_LAW_GAUSSIAN))
		return DPS_UNABLE;
	for (size_t i = 0; i < history->nreleases; i++)
		dps_fold_add(&fold, &history->releases[i]);
	dps_fold_finish(&fold, left, &folded);
	if (folded.mu == 0.0)
	{
		/* the distributions are equal */
		*epsilon = 0.0;
		return DPS_OK;
	}
	result = dps_add_up(epsilon_of_profile(folded_profile, &folded, left), folded.shift);
	if (history->nreleases == 1 && history->releases[0].count == 1 &&
		history->releases[0].coordinates == 1)
		result = fmin(result, epsilon_of_profile(single_profile, &history->releases[0], left));
	if (!(result < INFINITY))
		return DPS_UNABLE;
	*epsilon = result;
	return DPS_OK;
}
