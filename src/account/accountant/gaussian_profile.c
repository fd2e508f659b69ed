/*
 * gaussian_profile.c
 *		delta of Gaussian noise as a function of epsilon.
 *
 * Precondition: noise of the given scale is added to one integer that neighbours change
 * by at most the sensitivity (discrete), or to a number that they change by mu times the
 * noise's deviation (continuous).
 *
 * Postcondition: an upper bound on delta.  All arithmetic is on intervals
 * rounded outward (num/interval.h, which carries libm's error), so there is no
 * further margin to choose; cancellation widens the interval and can only make
 * the answer larger.  The proofs are beside the functions (Balle and Wang 2018,
 * Theorem 8, for continuous noise).
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"
#include "num/interval_fn.h"
#include "num/rational.h"

/* 1 / sqrt(2 pi) = 0.39894228040143267793..., from above. */
#define INV_SQRT_2PI_UP 0.3989422804014328

/* epsilon / mu + sign * mu / 2 */
static DpsInterval
threshold(double mu, double epsilon, int sign)
{
	DpsInterval ratio = dps_iv_div(dps_iv(epsilon, epsilon), dps_iv(mu, mu));
	double		half = sign * mu / 2;

	return dps_iv_add(ratio, dps_iv(half, half));
}

/* A probability: NaN or anything above 1 says nothing, which is 1. */
static double
at_most_one(double delta)
{
	return delta <= 1.0 ? fmax(delta, 0.0) : 1.0;
}

/*
 * Balle and Wang 2018, Theorem 8: with x = epsilon/mu - mu/2 and
 * y = epsilon/mu + mu/2, delta = P(N > x) - e^epsilon P(N > y).
 */
double
dps_gaussian_delta(double mu, double epsilon)
{
	DpsInterval upper;
	DpsInterval lower;

	if (!(mu > 0x1p-500 && mu < 0x1p500 && epsilon >= 0.0 && epsilon < INFINITY))
		return mu == 0.0 && epsilon >= 0.0 ? 0.0 : 1.0;
	upper = dps_gaussian_tail(threshold(mu, epsilon, -1));
	lower = dps_iv_mul(dps_iv_exp(dps_iv(epsilon, epsilon)),
					   dps_gaussian_tail(threshold(mu, epsilon, +1)));
	return at_most_one(dps_iv_sub(upper, lower).hi);
}

/*
 * Let N be the scale, D a shift up to the sensitivity, f the density of
 * N(0, N^2), p the probabilities of the discrete Gaussian.  By Poisson
 * summation sum_k exp(-k^2/2N^2) >= sqrt(2 pi) N, so p(k) <= f(k).  The outcomes
 * whose loss exceeds epsilon are k > -tau, tau = D/2 - epsilon N^2 / D, so
 *		delta = sum_{k > -tau} (p(k) - e^epsilon p(k + D))
 *			 <= sum_{k > -tau} g(k),	g(s) = f(s) - e^epsilon f(s + D).
 * On [-tau, oo) g >= 0.  Its derivative has the sign of
 * e^epsilon f(s + D)/f(s) - s/(s + D): s + D > 0 there because tau < D, the
 * first term falls, the second rises, so g rises and then falls.  The sum of
 * such a function over integers is at most its integral plus its maximum, the
 * integral is the continuous delta, and g <= f <= f(max(-tau, 0)):
 *		delta <= delta_continuous(epsilon) + phi(max(x, 0)) / N,
 * x = -tau/N = epsilon/mu - mu/2, mu = D/N.  Both terms rise with mu and fall
 * with N, so mu may be rounded up, and the sensitivity covers smaller shifts.
 */
double
dps_discrete_gaussian_delta(uint64_t scale, uint64_t sensitivity, double epsilon)
{
	double		mu;
	double		x;
	DpsInterval density;

	if (scale == 0 || !(epsilon >= 0.0 && epsilon < INFINITY))
		return 1.0;
	if (sensitivity == 0)
		return 0.0;
	mu = dps_ratio_up(sensitivity, scale);
	x = fmax(threshold(mu, epsilon, -1).lo, 0.0);
	density = dps_iv_exp(dps_iv_neg(dps_iv_mul(dps_iv(0.5, 0.5), dps_iv_sqr(dps_iv(x, x)))));
	return at_most_one(dps_add_up(dps_gaussian_delta(mu, epsilon),
								  dps_mul_up(dps_mul_up(density.hi, INV_SQRT_2PI_UP),
											 dps_ratio_up(1, scale))));
}
