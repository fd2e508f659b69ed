/*
 * two_draws.c
 *		Intervals of functions of two noised integers, or of several of one scale.
 *
 * Roots.  Let X + Z, Y + Z' be released, Z and Z' independent or of one K-norm draw (k_norm.c), and let the form F(m) = u(m) X +
 * v(m) Y, u and v affine, be 0 at m0, as X - m Y is at a quotient.  Of the released integers F(m0)
 * is u(m0) Z + v(m0) Z', whose law is known, whatever X and Y are.  So the set of all m with
 *
 *		|F(m)| <= q(u(m), v(m)),		q(a, b) the quantile of |a Z + b Z'|,
 *
 * holds m0 with exactly the probability of q (Fieller 1954).  The corners of a box of X and Y
 * hold it, too, but are up to twice as wide: one error makes up for another, and a box asks both to
 * be in their places.
 *
 * The set is an interval.  q is a norm: for a symmetric log-concave law of the two together it is the support function
 * of a convex body, the intersection of half planes of equal probability (Meyer and Reisner 1991,
 * Bobkov 2010).  So as m moves by d, q changes by at most d q(slopes) and F by d times its own
 * slope.  If the slope of F is larger, |F| - q grows on either side of the root of F, and its sign
 * change is found by halving.  If it is not, noise may have caused all of the slope, and nothing is
 * known.
 *
 * Draws are treated as continuous, with an allowance of 1, the unit of the integers, for
 * each.
 *
 * In steps of many integers that would be too wide.  Two draws of one scale, with P(k) = c q^|k|
 * and c = (1 - q) / (1 + q) in steps, add up to n >= 0 with c^2 q^n (n + 1 + 2 q^2 / (1 - q^2)),
 * as n + 1 of the pairs have magnitudes that add up to n and the others to n + 2, n + 4, ...,
 * two pairs for each.
 *
 * Several.  If each of n intervals holds with probability p then all do with p^n at least where
 * their draws are independent, and also where they share one draw Z' and, given that, each holds
 * with a probability that falls with |Z'|, or that grows with Z' (Chebyshev's inequality of
 * monotone functions).  Of |Z - m Z'| <= q the former is true, since Z is symmetric and unimodal, of
 * Z - Z' <= q the latter.
 */
#include <math.h>

#include "base/once.h"
#include "noise/k_norm.h"
#include "noise/two_draws.h"

/* A double has no more bits. */
#define HALVINGS 64

static double
weight_at(const DpsNoisedForm *form, int i, double m)
{
	return form->constant[i] + form->slope[i] * m;
}

/* May noise alone have made |a x + b y| so large? */
static bool
is_within(const DpsNoisedForm *form, double a, double b, double miss)
{
	double		steps = (form->scale[0] != 0 ? fabs(a) : 0.0) + (form->scale[1] != 0 ? fabs(b) : 0.0);
	double		r = fabs(a * form->value[0] + b * form->value[1]) - steps;
	double		x = fabs(a) * (double) form->scale[0];
	double		y = fabs(b) * (double) form->scale[1];

	return r <= 0.0 || (form->box > 0 ? dps_k_norm_beyond(form->box, x, y, r) : form->mechanism->beyond(x, y, r)) > miss;
}

static bool
may_be_root(const DpsNoisedForm *form, double m, double miss)
{
	return is_within(form, weight_at(form, 0, m), weight_at(form, 1, m), miss);
}

/* The end of the interval between a point of it and `far`, on the outer side. */
static double
find_end(const DpsNoisedForm *form, double miss, double inside, double far)
{
	if (may_be_root(form, far, miss))
		return far;
	for (int i = 0; i < HALVINGS; i++)
	{
		double		middle = inside / 2.0 + far / 2.0;

		if (middle == inside || middle == far)
			break;
		if (may_be_root(form, middle, miss))
			inside = middle;
		else
			far = middle;
	}
	return far;
}

void
dps_noised_root(const DpsNoisedForm *form, double miss, double lo, double hi, double *lower, double *upper)
{
	double		slope = form->slope[0] * form->value[0] + form->slope[1] * form->value[1];
	double		level = form->constant[0] * form->value[0] + form->constant[1] * form->value[1];
	double		root;

	*lower = lo;
	*upper = hi;
	if (!(slope < 0.0) || is_within(form, form->slope[0], form->slope[1], miss))
		return;
	root = dps_min(dps_max(-level / slope, lo), hi);
	/* else the noise was beyond its tail */
	*lower = *upper = root;
	if (!may_be_root(form, root, miss))
		return;
	*lower = find_end(form, miss, root, lo);
	*upper = find_end(form, miss, root, hi);
}

double
dps_tail_of_two(const DpsMechanism *mechanism, uint64_t scale, uint64_t other_scale, double probability)
{
	double		a = (double) scale;
	double		b = (double) other_scale;
	double		steps = (scale != 0 ? 1.0 : 0.0) + (other_scale != 0 ? 1.0 : 0.0);
	double		lo = 0.0;
	double		hi = a + b;

	if (!(probability < 1.0) || hi == 0.0)
		return 0.0;
	if (!(probability > 0.0))
		return INFINITY;
	while (mechanism->beyond(a, b, hi) > probability)
		hi *= 2.0;
	for (int i = 0; i < HALVINGS && hi - lo > 1e-9 * hi; i++)
	{
		double		middle = (lo + hi) / 2.0;

		if (mechanism->beyond(a, b, middle) > probability)
			lo = middle;
		else
			hi = middle;
	}
	return hi + steps;
}

/* P(|X + Y| > r), in steps, of scale t: twice the sum of that over n > r. */
static double
steps_beyond(double t, double r)
{
	double		q = exp(-1.0 / t);
	double		rest = -expm1(-1.0 / t);
	double		pairs = r + 2.0 + q / rest + 2.0 * q * q / (rest * (1.0 + q));

	return 2.0 * rest * exp(-(r + 1.0) / t) * pairs / ((1.0 + q) * (1.0 + q));
}

double
dps_tail_of_steps(uint64_t scale, uint64_t step, double probability)
{
	double		t = (double) scale / (double) step;
	double		lo = -1.0;
	double		hi = ceil(t);

	if (!(probability > 0.0))
		return INFINITY;
	/* whole numbers, unless they are too large to be told apart */
	while (steps_beyond(t, hi) > probability)
		hi *= 2.0;
	while (hi - lo > 1.0)
	{
		double		middle = floor(lo / 2.0 + hi / 2.0);

		if (!(middle > lo && middle < hi))
			break;
		if (steps_beyond(t, middle) > probability)
			lo = middle;
		else
			hi = middle;
	}
	return hi * (double) step;
}

double
dps_miss_of_each(double miss, int n)
{
	return n > 1 ? -expm1(log1p(-miss) / n) : miss;
}
