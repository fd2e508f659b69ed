/*
 * flip.c
 *		Permute-and-flip: one of many candidates, the likelier the smaller its
 *		distance.
 *
 * Precondition: as for the exponential mechanism.  The candidates do not depend on
 * private data; for neighbouring data all distances differ by between l and
 * l + range.  The random source yields independent uniform bits.
 *
 * Mechanism (McKenna and Sheldon 2020).  Each candidate is accepted with probability
 * q_i = exp(-s (d_i - d)), s = epsilon / range, d the least distance, independently; one of
 * those that are accepted is the answer, each as likely as the others.  The nearest
 * candidate always is accepted, so there is an answer.  They go through the candidates in
 * random order to the first that is accepted, which has the same distribution:
 *
 *		P(i) = q_i sum_S (-1)^|S| / (|S| + 1) prod_(j in S) q_j,	S subsets of the others.
 *
 * Postcondition: the draw is epsilon-DP.  It is the index of the largest E_i - d_i for independent
 * E_i with P(E > t) = exp(-s t), t >= 0.  With d = 0, E_i - d_i is positive with probability q_i;
 * given that, it is distributed as E_i again, so all positive ones are equally likely to be the
 * largest; and one of them is positive (Ding, Kifer, Saghaian, Steinke, Wang, Xiao and Zhang 2021
 * have this equivalence).  Adding a constant to all d_i changes nothing.  So let d_i - range <=
 * d'_i <= d_i, and fix all E_j except E_i.  i is drawn if E_i > d_i + M, with M the largest E_j -
 * d_j of the others; for the neighbours, if E_i > d'_i + M' with M <= M' <= M + range.  Each
 * threshold is at most the other plus range, and P(E > t + range) >= exp(-epsilon) P(E > t) for all
 * t.  So P(i) and P'(i) differ by a factor of at most e^epsilon.
 *
 * The losses of two candidates may differ by more than epsilon: it is no draw of bounded range,
 * and its rho is that of any epsilon-DP mechanism.
 *
 * Exact: s is rational, so the events of probability q_i are those of dps_sample_exp.  All
 * candidates are tried, whether or not an earlier one was accepted, so the time depends on
 * these events only.
 */
#include <stdbool.h>

#include "noise/flip.h"
#include "noise/sample.h"

static DpsStatus
find_nearest(const DpsCandidate *candidates, size_t n, uint64_t *nearest)
{
	*nearest = UINT64_MAX;
	for (size_t i = 0; i < n; i++)
	{
		if (candidates[i].weight != 1)
			return DPS_DOMAIN;
		if (candidates[i].distance < *nearest)
			*nearest = candidates[i].distance;
	}
	return n > 0 ? DPS_OK : DPS_DOMAIN;
}

/* The k-th accepted candidate replaces the earlier one with probability 1/k. */
DpsStatus
dps_flip_draw(DpsRandom *random, const DpsExponential *law, const DpsCandidate *candidates, size_t n, size_t *index)
{
	uint64_t	accepted = 0;
	uint64_t	nearest;
	size_t		found = 0;

	DPS_TRY(find_nearest(candidates, n, &nearest));
	for (size_t i = 0; i < n; i++)
	{
		unsigned __int128 exponent = (unsigned __int128) (candidates[i].distance - nearest) * law->num;
		bool		is_accepted;
		uint64_t	place;

		DPS_TRY(dps_sample_exp(random, exponent, law->den, &is_accepted));
		if (!is_accepted)
			continue;
		DPS_TRY(dps_random_below(random, ++accepted, &place));
		if (place == 0)
			found = i;
	}
	*index = found;
	return DPS_OK;
}

const DpsMechanism dps_flip = {
	.name = "permute_flip",
	.norm = 1,
	.uses_delta = false,
	.loss = dps_pure_loss,
};
