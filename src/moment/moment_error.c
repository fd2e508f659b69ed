/*
 * moment_error.c
 *		How much a statistic of second moments can err, whatever the values are.
 *
 * To first order a statistic f errs by the noise of the outputs times its gradient.  For values
 * scaled to [-1, 1], m and m' their means, e the mean of their product and c = e - m m' the
 * covariance, n times the gradient by the moments is
 *
 *		mean		by n: -m, by the sum: 1;
 *		covariance	by n: m m' - c = 2 m m' - e, by the sums: -m' and -m, by the products: 1
 *
 * (for a variance m = m', and the two sums are one).  It is affine in m, m' and s = 2 m m' - e,
 * so the length of the noise's form is convex in them, and largest at an extreme point
 * of what they can be: |m|, |m'| <= 1, |m + m'| - 1 <= e <= 1 - |m - m'|.  These are met by a
 * lattice of means with e at its ends.  Sums of products of differences from the
 * means are n times the covariance, whose gradient by n is m m'.
 *
 * Beyond first order: n in the denominator may be less by its noise, and a covariance errs by
 * the product of the errors of two means, too.  Of two stages these are those of the
 * first, whose noise also leads the choice of the second astray, to the same order; four times
 * the product is allowed for both, which test/stat/promises.sql finds to be enough.  A form
 * of several draws has a tail that is no longer than that of one draw of the same
 * deviation, up to a few percent.
 *
 * The root of a variance errs by no more than the root of its error, since
 * |sqrt(a) - sqrt(b)| <= sqrt(|a - b|).
 */
#include <math.h>

#include "moment/moment_error.h"

/* Means that are looked at: -STEPS / STEPS to STEPS / STEPS. */
#define STEPS 4

/* What is allowed beyond first order. */
#define ASTRAY 4.0

/* The gradient by the moments, for values in units of their grids. */
typedef struct Gradient
{
	double		by[DPS_MAX_MOMENTS];
} Gradient;

static double
radius(const DpsMomentDesign *design, int k)
{
	return (double) dps_moment_radius(design, k);
}

/* The 95 % error of the form of the outputs that the gradient makes. */
static double
error_along(const DpsMomentDesign *design, const DpsMomentBasis *basis, const Gradient *gradient, double tail)
{
	double		along[DPS_MAX_MOMENTS] = {0};
	double		sum = 0.0;
	int			n = dps_moment_count(design);
	int			i;
	int			k;

	for (i = 0; i < n; i++)
	{
		const DpsMomentInverse *inverse = &basis->inverse[i];

		for (k = 0; k < inverse->nterms; k++)
		{
			/* one more is the number of rows where that is public, and has no noise */
			if (inverse->output[k] < basis->noutputs)
				along[inverse->output[k]] += gradient->by[i] * inverse->weight[k];
		}
	}
	for (k = 0; k < basis->noutputs; k++)
		sum += along[k] * along[k];
	return tail * sqrt(sum);
}

static double
count_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, double tail)
{
	Gradient	gradient = {{1.0}};

	return error_along(design, basis, &gradient, tail);
}

/* The error of n times the mean. */
static double
mean_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, int k, double tail)
{
	double		most = 0.0;
	int			sign;

	for (sign = -1; sign <= 1; sign += 2)
	{
		Gradient	gradient = {{0.0}};

		gradient.by[0] = sign * radius(design, k);
		gradient.by[dps_moment_linear(k)] = 1.0;
		most = fmax(most, error_along(design, basis, &gradient, tail));
	}
	return most;
}

/* The error of n times the covariance for these means and the gradient `by_count` by n. */
static double
product_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, int k, int l, double tail, double mean_k,
			  double mean_l, double by_count)
{
	Gradient	gradient = {{0.0}};

	gradient.by[0] = by_count * radius(design, k) * radius(design, l);
	gradient.by[dps_moment_linear(k)] -= mean_l * radius(design, l);
	gradient.by[dps_moment_linear(l)] -= mean_k * radius(design, k);
	gradient.by[dps_moment_cross(design, k, l)] = ldexp(1.0, design->bits);
	return error_along(design, basis, &gradient, tail);
}

/* The largest error of n times the covariance, or of a sum of products. */
static double
covariance_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, bool is_sum, int k, int l, double tail)
{
	double		most = 0.0;
	int			i;
	int			j;

	for (i = -STEPS; i <= STEPS; i++)
	{
		for (j = -STEPS; j <= STEPS; j++)
		{
			double		a = (double) i / STEPS;
			double		b = (double) j / STEPS;
			double		product = 2.0 * a * b;

			if (k == l && i != j)
				continue;
			if (is_sum)
				most = fmax(most, product_error(design, basis, k, l, tail, a, b, a * b));
			else
			{
				most = fmax(most, product_error(design, basis, k, l, tail, a, b, product - (1.0 - fabs(a - b))));
				if (k != l)
					most = fmax(most, product_error(design, basis, k, l, tail, a, b, product - (fabs(a + b) - 1.0)));
			}
		}
	}
	return most;
}

/* The error of a covariance over n rows, sample covariances included, in units of the grids. */
static double
error_of_covariance(const DpsMomentDesign *design, const DpsMomentBasis *basis, int k, int l, const DpsMomentTails *tails,
					double n)
{
	double		most = 2.0 * radius(design, k) * radius(design, l);
	double		rows = n - count_error(design, basis, tails->last) - 1.0;
	double		means = mean_error(design, basis, k, tails->first) * mean_error(design, basis, l, tails->first);

	if (!(rows > 1.0))
		return most;
	return fmin(most, covariance_error(design, basis, false, k, l, tails->last) / rows + ASTRAY * means / (rows * rows));
}

double
dps_moment_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, DpsMomentSize size, int k, int l,
				 const DpsMomentTails *tails, double n)
{
	int			grids = design->value[k].grid + design->value[l].grid;
	double		rows = n - count_error(design, basis, tails->last);

	switch (size)
	{
		case DPS_SIZE_UNKNOWN:
			break;
		case DPS_SIZE_COUNT:
			return count_error(design, basis, tails->last);
		case DPS_SIZE_MEAN:
			return ldexp(fmin(2.0 * radius(design, k), rows > 0.0 ? mean_error(design, basis, k, tails->last) / rows : INFINITY),
						 design->value[k].grid);
		case DPS_SIZE_COVARIANCE:
			return ldexp(error_of_covariance(design, basis, k, l, tails, n), grids);
		case DPS_SIZE_DEVIATION:
			return sqrt(ldexp(error_of_covariance(design, basis, k, k, tails, n), grids));
		case DPS_SIZE_PRODUCTS:
			return ldexp(covariance_error(design, basis, true, k, l, tails->last) +
						 ASTRAY * mean_error(design, basis, k, tails->first) * mean_error(design, basis, l, tails->first) /
						 fmax(rows, 1.0), grids);
	}
	return NAN;
}
