/*
 * crossed_shares.c
 *		How grouping sets of any kind share epsilon.
 *
 * Precondition and postcondition: those of nested_shares.c, for sets that need not be nested: factors s_l > 0 with
 * sum s_l <= L and sum s_l^2 <= L, so that sets at s_l epsilon cost together no more epsilon than sets at epsilon do, nor more
 * rho; of the fits none has more variance than noise of its own at epsilon, where that is in proportion to 1 / epsilon^2,
 * and the sum over all cells is small.  The proof is the same.
 *
 * With p_l = s_l^2 the variances of the fits (crossed_family.c) are sums of d_A / (N_S^2 q_A), q_A = sum p_l / N_l over the
 * sets with A: convex functions of p.  What is sought is the least of the total N_S Var_S subject to sum p = L and
 * Var_S <= 1.  For weights w_S of the sets in the total, the multiplicative steps p_l <- p_l sqrt(g_l / mean g), g_l = -d total /
 * d p_l, lead there without a step ever making it larger (Titterington's algorithm for A-optimal designs, with Torsney's exponent 1/2: Yu 2010,
 * Theorem 1); w_S is 1, and becomes larger where Var_S is above 1 (multipliers).  That the end is the least is not needed: what is
 * promised is tested at the end, and all factors are 1 if it does not hold.
 */
#include <math.h>

#include "moment/crossed/crossed_shares.h"
#include "num/whole.h"

/* Factors are multiples of this. */
#define FINENESS 0x1p-20

/* A little less than 1, so that rounding down keeps within it; and what is aimed at. */
#define MOST_VARIANCE (1 - 0x1p-14)
#define AIM (1 - 0x1p-12)

#define STEPS 2000

/* What must be gained of the total variance. */
#define LEAST_GAIN 0.99

static void
find_fits(const DpsCrossedFamily *family, const double *precision, double *fits)
{
	double		noise[DPS_CROSSED_SETS];

	for (int s = 0; s < family->nsets; s++)
		noise[s] = 1 / precision[s];
	dps_crossed_variances(family, noise, fits);
}

/* The sum of the variances of all fits; infinite if one is above most. */
static double
total_variance(const DpsCrossedFamily *family, const double *precision, double most)
{
	double		fits[DPS_CROSSED_SETS];
	double		total = 0;

	find_fits(family, precision, fits);
	for (int s = 0; s < family->nsets; s++)
	{
		if (!(fits[s] <= most))
			return INFINITY;
		total += (double) family->cells[family->part[s]] * fits[s];
	}
	return total;
}

/* By how much the weighted total falls with each precision. */
static void
find_slopes(const DpsCrossedFamily *family, const double *precision, const double *weight, double *slope)
{
	for (int s = 0; s < family->nsets; s++)
		slope[s] = 0;
	for (int a = 0; a < family->nparts; a++)
	{
		double		q = 0;
		double		asked = 0;

		for (int s = 0; s < family->nsets; s++)
		{
			double		cells = (double) family->cells[family->part[s]];

			if (!dps_crossed_within(family, a, family->part[s]))
				continue;
			q += precision[s] / cells;
			asked += weight[s] / cells;
		}
		for (int s = 0; s < family->nsets; s++)
		{
			if (dps_crossed_within(family, a, family->part[s]))
				slope[s] += family->dimension[a] * asked / (q * q * (double) family->cells[family->part[s]]);
		}
	}
}

/* One step of the precisions, whose sum stays the number of sets, and of the weights. */
static void
move(const DpsCrossedFamily *family, double *precision, double *weight)
{
	double		slope[DPS_CROSSED_SETS];
	double		fits[DPS_CROSSED_SETS];
	double		sum = 0;

	find_slopes(family, precision, weight, slope);
	for (int s = 0; s < family->nsets; s++)
	{
		precision[s] = fmax(precision[s] * sqrt(slope[s]), 1e-300);
		sum += precision[s];
	}
	for (int s = 0; s < family->nsets; s++)
		precision[s] = fmax(precision[s] * family->nsets / sum, 1e-9);
	find_fits(family, precision, fits);
	for (int s = 0; s < family->nsets; s++)
		weight[s] = fmax(1, weight[s] * sqrt(fits[s] / AIM));
}

/* Factors whose squares are the precisions, made smaller so that they cannot add up to more whatever doubles did. */
static void
round_factors(const DpsCrossedFamily *family, const double *precision, double *factors)
{
	double		sum = 0;

	for (int s = 0; s < family->nsets; s++)
		sum += precision[s];
	for (int s = 0; s < family->nsets; s++)
		factors[s] = floor(sqrt(precision[s] * family->nsets / sum) * (1 - 0x1p-30) / FINENESS) * FINENESS;
}

void
dps_share_crossed(const DpsCrossedFamily *family, double *factors)
{
	double		precision[DPS_CROSSED_SETS];
	double		weight[DPS_CROSSED_SETS];
	double		found[DPS_CROSSED_SETS];
	double		alike;

	for (int s = 0; s < family->nsets; s++)
		factors[s] = precision[s] = weight[s] = 1;
	alike = total_variance(family, precision, INFINITY);
	for (int times = 0; times < STEPS; times++)
		move(family, precision, weight);
	round_factors(family, precision, found);
	for (int s = 0; s < family->nsets; s++)
	{
		if (!(found[s] > 0))
			return;
		precision[s] = found[s] * found[s];
	}
	if (!(total_variance(family, precision, MOST_VARIANCE) < LEAST_GAIN * alike))
		return;
	for (int s = 0; s < family->nsets; s++)
		factors[s] = found[s];
}
