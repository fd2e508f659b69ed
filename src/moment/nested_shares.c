/*
 * nested_shares.c
 *		How nested groupings share epsilon.
 *
 * Precondition: sets of n_1 <= ... <= n_L cells, each cell with n_(l+1) / n_l parts, all of one law of noise and cost at one
 * epsilon (fitted_sets.c, have_equal_law), whose variance is in proportion to 1 / epsilon^2.  That of Laplace noise is, but for
 * its grid; that of Gaussian noise nearly; that of a count's geometric noise nearly while epsilon is small against the
 * sensitivity.  What is promised of costs does not depend on it.
 * Postcondition: factors s_l > 0 with sum s_l <= L and sum s_l^2 <= L.  So sets at s_l epsilon cost together no more epsilon
 * than sets at epsilon do; no more rho where that is in proportion to epsilon^2, or any concave function of that; and of
 * the fits (nested.c) none has more variance than noise of its own at epsilon, while the sum over all cells is small.  With
 * geometric noise one can: for 1, 4, 20 and 120 cells and sensitivity 1 the total has 1.02 times the variance of its own noise
 * at epsilon 1, 1.07 times at 2 and 1.35 times at 5, the sum over all cells staying below that of separate answers.
 *
 * Proof.  sum s_l <= sqrt(L sum s_l^2) <= L (Cauchy and Schwarz), and for a concave h with h(0) = 0 that does not decrease sum
 * h(s_l^2 e^2) <= L h(e^2) (Jensen).  The squares are scaled to the sum L, and factors are rounded down.  Variances follow from
 * the recurrence of nested.c, whose subtrees are alike here.  The factors are the end of a search among such; that it is a
 * good one is not proved, and need not be: it is the strategy of a matrix mechanism (Li, Miklau, Hay, McGregor and Rastogi
 * 2015) for the sets at hand, and a worse one would be as private.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "moment/nested_shares.h"

/* Factors are multiples of this. */
#define FINENESS 0x1p-20

/* A little less than 1, so that rounding down keeps within it. */
#define MOST_VARIANCE (1 - 0x1p-14)

/* The steps of the search, in directions that are the same in every run. */
#define STEPS 4000

/* What must be gained of the total variance. */
#define LEAST_GAIN 0.99

void
dps_nested_variances(int nlevels, const int64_t *cells, const double *noise, double *fits)
{
	double		below[DPS_NESTED_LEVELS];

	/* from the parts and the cell itself */
	below[nlevels - 1] = noise[nlevels - 1];
	for (int l = nlevels - 2; l >= 0; l--)
	{
		double		sum = (double) cells[l + 1] / (double) cells[l] * below[l + 1];

		below[l] = noise[l] * sum / (noise[l] + sum);
	}
	/* and from what is above: a part's share of what is known of the whole */
	fits[0] = below[0];
	for (int l = 1; l < nlevels; l++)
	{
		double		share = (double) cells[l - 1] / (double) cells[l];

		fits[l] = below[l] - share * below[l] + share * share * fits[l - 1];
	}
}

/* The sum of the variances of all fits; infinite if one is above most. */
static double
total_variance(int nlevels, const int64_t *cells, const double *factors, double most)
{
	double		noise[DPS_NESTED_LEVELS] = {0};
	double		fits[DPS_NESTED_LEVELS];
	double		total = 0;

	for (int l = 0; l < nlevels; l++)
		noise[l] = 1 / (factors[l] * factors[l]);
	dps_nested_variances(nlevels, cells, noise, fits);
	for (int l = 0; l < nlevels; l++)
	{
		if (!(fits[l] <= most))
			return INFINITY;
		total += (double) cells[l] * fits[l];
	}
	return total;
}

/* A number in [-1, 1) that follows the state. */
static double
next_number(uint64_t *state)
{
	*state = dps_mix_next(*state, 0);
	return (double) (*state >> 11) * 0x1p-52 - 1;
}

/* Changes all factors by some part, and scales them. */
static void
move(int nlevels, const double *factors, double step, uint64_t *state, double *moved)
{
	double		squares = 0;

	for (int l = 0; l < nlevels; l++)
	{
		moved[l] = factors[l] * exp(step * (next_number(state) + next_number(state)));
		squares += moved[l] * moved[l];
	}
	for (int l = 0; l < nlevels; l++)
		moved[l] *= sqrt(nlevels / squares);
}

void
dps_share_nested(int nlevels, const int64_t *cells, double *factors)
{
	double		found[DPS_NESTED_LEVELS];
	double		alike;
	double		best;
	double		step = 0.25;
	uint64_t	state = 1;

	for (int l = 0; l < nlevels; l++)
		factors[l] = 1;
	if (nlevels > DPS_NESTED_LEVELS)
		return;
	memcpy(found, factors, sizeof(double) * (size_t) nlevels);
	/* what is gained is gained of this, though a set's fit gain less than MOST_VARIANCE asks for */
	alike = total_variance(nlevels, cells, found, INFINITY);
	best = total_variance(nlevels, cells, found, MOST_VARIANCE);
	for (int times = 0; times < STEPS; times++)
	{
		double		moved[DPS_NESTED_LEVELS];
		double		total;

		move(nlevels, found, step, &state, moved);
		total = total_variance(nlevels, cells, moved, MOST_VARIANCE);
		/* longer steps where they succeed, shorter ones where one in six does not */
		step = total < best ? fmin(step * 1.5, 0.5) : fmax(step * 0.93, 1e-4);
		if (total < best)
		{
			memcpy(found, moved, sizeof(double) * (size_t) nlevels);
			best = total;
		}
	}
	/* so the squares add up to no more whatever doubles did */
	for (int l = 0; l < nlevels; l++)
		found[l] = floor(found[l] * (1 - 0x1p-30) / FINENESS) * FINENESS;
	for (int l = 0; l < nlevels; l++)
	{
		if (!(found[l] > 0))
			return;
	}
	if (best < LEAST_GAIN * alike)
		memcpy(factors, found, sizeof(double) * (size_t) nlevels);
}
