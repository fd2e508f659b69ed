/*
 * sampled.c
 *		Many steps of Gaussian noise on secret Poisson samples, as one release.
 *
 * Precondition: every step takes each record by itself with the same probability and adds
 * Gaussian noise as subsampled.c has it; steps may depend on those before.
 * Postcondition: the Renyi loss of any order, the epsilon for a delta, and the rho for a
 * delta are upper bounds of what all steps together cost, rounded up.
 *
 * Orders that are not whole.  (alpha - 1) D_alpha, the logarithm of a moment, is
 * convex in alpha by Hoelder's inequality (van Erven and Harremoes 2014 have it, too)
 * and 0 at alpha = 1, so between whole orders it lies below the chord, and below
 * alpha = 2 D_alpha is at most D_2.  There is a better bound there: with P/Q = 1 + u,
 * the expectation of u under Q is 0, that of u^2 is v = q^2 (e^(D^2/N^2) - 1), and
 * u >= -q.  By Taylor
 *		(1 + u)^alpha = 1 + alpha u + alpha (alpha - 1) u^2 J(u),
 *		J(u) = integral of (1 - z) (1 + z u)^(alpha - 2) over z from 0 to 1,
 * which falls as u or alpha rises for 1 < alpha <= 2, so that J(u) is at most its
 * value h at u = -q and alpha = 1.  With ln(1 + x) <= x
 *		D_alpha <= alpha v h,	h = (q + (1 - q) ln(1 - q)) / q^2 = 1/2 + q/6 + q^2/12 + ...
 * with coefficients 1/(k+1)(k+2).  Either direction is covered, as in subsampled.c.
 *
 * Composition with other releases.  The rho that holds for a sampled step at all
 * orders is not less than that without sampling, since sampling does not help at
 * large orders.  But large losses are rare: without the outcomes that have them,
 * the rest has a small rho.
 *
 * Claim.  Let K(s) bound s D_(1+s) of all steps together, in both directions, for
 * s > 0.  Let l >= 0 and t >= e^(K(s) - s l) for some s, delta >= t (1 + e^-l), and
 * c = -ln(1 - delta).  Then the steps are delta-approximately rho-zCDP (Bun and
 * Steinke 2016, Definition 8.1, in the form of Whitehouse et al. 2023) for
 * rho = sup over s of M(s) / (1 + s), M(s) the least of
 *		(1) (ln(1 + e^c (e^K(s) - 1 + t e^-l)) + s c) / s
 *		(2) (K(r) + (s - r) l + (1 + s) c) / s for 0 <= r <= s, K(0) = 0
 *		(3) M(s') for any s' > s.
 *
 * Proof.  Let P, Q be the laws of everything that is released under neighbours, L
 * the logarithm of P / Q, E the event |L| <= l, and a and b its probabilities.
 * P(L > l) <= t by Markov, and P(L < -l), the integral of P over ln Q/P > l, is at
 * most e^-l times Q(ln Q/P > l) <= t, again by Markov.  So a and b are at least
 * 1 - delta, and P = (1 - delta) P' + delta P'' with P' = P given E and some P'';
 * likewise Q' of Q.  With alpha = 1 + s,
 *		s D_alpha(P' | Q') = ln(integral over E of e^(s L) dP) + s ln b - alpha ln a.
 * (1) The integral over everything is at most e^K(s), that over L > l is at least
 * P(L > l) = 1 - a - P(L < -l) >= 1 - a - t e^-l.  Hence the integral over E is at
 * most e^K(s) - 1 + a + t e^-l; divided by a, and with -ln a <= c and b <= 1, that is
 * (1).  (2) On E e^(s L) <= e^((s - r) l) e^(r L).  (3) Divergences rise with
 * the order.  P and Q may be exchanged.  Steps that depend on those before are
 * covered, as Renyi losses of each order add up (Mironov 2017, Proposition 1), and
 * this is about all of them together.
 *
 * rho is found on a grid of s: between neighbours s < s', by (3), M(s') / (1 + s)
 * is enough, beyond the last order (2) falls as s rises.
 */
#include <math.h>

#include "account/elementary.h"
#include "account/sampled.h"
#include "num/rational.h"
#include "num/whole.h"

/* Grid points of s are this far apart, relative to 1 + s. */
#define GRID_STEP 0x1p-8

/* h */
static double
remainder_factor(double rate)
{
	DpsInterval q = dps_point(rate);
	DpsInterval rest = dps_iv_sub(dps_point(1.0), q);

	if (rate < 0.125)
	{
		double		tail = dps_div_up(dps_mul_up(rate, rate), dps_mul_down(12.0, rest.lo));

		return dps_add_up(dps_add_up(0.5, dps_div_up(rate, 6.0)), tail);
	}
	return dps_iv_div(dps_iv_add(q, dps_iv_mul(rest, dps_iv_ln(rest))), dps_iv_sqr(q)).hi;
}

/* v h, or infinite. */
static double
low_rho(double rate, uint64_t scale, uint64_t sensitivity)
{
	double		mu = dps_ratio_up(sensitivity, scale);
	double		square = dps_mul_up(mu, mu);
	double		grown;

	if (!(square > 0.0 && square < 700.0))
		return INFINITY;
	grown = dps_iv_mul(dps_iv_exp(dps_point(square)), dps_one_minus_exp(dps_point(square))).hi;
	return dps_mul_up(dps_mul_up(dps_mul_up(rate, rate), grown), remainder_factor(rate));
}

static bool
is_valid(double rate, uint64_t scale)
{
	return rate >= 0.0 && rate <= 1.0 && scale > 0;
}

/* low and full */
static void
set_multiples(double rate, uint64_t scale, uint64_t sensitivity, DpsSampledStep *step)
{
	step->low = step->full = INFINITY;
	if (!is_valid(rate, scale))
		return;
	step->full = rate == 0.0 ? 0.0 : dps_gaussian_rho(scale, sensitivity);
	step->low = step->full;
	if (step->full > 0.0 && rate < 1.0)
		step->low = fmin(step->full, low_rho(rate, scale, sensitivity));
}

void
dps_sampled_step(double rate, uint64_t scale, uint64_t sensitivity, DpsSampledStep *step)
{
	set_multiples(rate, scale, sensitivity, step);
	step->orders[0] = step->orders[1] = INFINITY;
	for (unsigned order = 2; order <= DPS_SUBSAMPLED_ORDER_MAX; order++)
		step->orders[order] = dps_rdp_subsampled(order, rate, scale, sensitivity);
}

/* One of the orders that a step has. */
static int
whole_order(double order)
{
	return order <= 2.0 ? 2 : order < DPS_SUBSAMPLED_ORDER_MAX ? dps_to_int32(order) : DPS_SUBSAMPLED_ORDER_MAX;
}

/* On the chord between the whole orders below and above alpha >= 2. */
static double
between(double alpha, double below, double above)
{
	double		order = floor(alpha);
	double		part = alpha - order;
	double		sum;

	if (part == 0.0)
		return below;
	sum = dps_add_up(dps_mul_up(dps_sub_up(1.0, part), dps_mul_up(order - 1.0, below)),
					 dps_mul_up(part, dps_mul_up(order, above)));
	return dps_div_up(sum, dps_sub_down(alpha, 1.0));
}

double
dps_sampled_rdp(const DpsSampledStep *step, double alpha)
{
	double		loss;

	if (!(alpha > 1.0 && alpha < INFINITY))
		return INFINITY;
	loss = dps_mul_up(alpha, step->full);
	if (alpha <= 2.0)
		return fmin(fmin(loss, dps_mul_up(alpha, step->low)), step->orders[2]);
	if (alpha <= DPS_SUBSAMPLED_ORDER_MAX)
		loss = fmin(loss, between(alpha, step->orders[whole_order(floor(alpha))], step->orders[whole_order(ceil(alpha))]));
	return loss;
}

double
dps_sampled_rdp_at(double alpha, double rate, uint64_t scale, uint64_t sensitivity)
{
	DpsSampledStep step;
	unsigned	order = alpha > 2.0 && alpha <= DPS_SUBSAMPLED_ORDER_MAX ? dps_to_int32(floor(alpha)) : 2;

	set_multiples(rate, scale, sensitivity, &step);
	step.orders[2] = step.orders[order] = dps_rdp_subsampled(order, rate, scale, sensitivity);
	if (order < alpha && order < DPS_SUBSAMPLED_ORDER_MAX)
		step.orders[order + 1] = dps_rdp_subsampled(order + 1, rate, scale, sensitivity);
	return dps_sampled_rdp(&step, alpha);
}

DpsStatus
dps_sampled_epsilon(const DpsSampledStep *step, uint64_t steps, double delta, double *epsilon)
{
	double		best = INFINITY;

	if (!(delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	if (steps == 0 || step->full == 0.0)
	{
		*epsilon = 0.0;
		return DPS_OK;
	}
	for (unsigned order = 2; order <= DPS_SUBSAMPLED_ORDER_MAX; order++)
	{
		double		loss = dps_mul_up(dps_count_up(steps), step->orders[order]);
		double		candidate;

		/* overflow leaves an order out, it never makes one cheap */
		if (loss < INFINITY && dps_rdp_epsilon(order, loss, delta, &candidate) == DPS_OK)
			best = fmin(best, candidate);
	}
	if (dps_zcdp_epsilon(dps_mul_up(dps_count_up(steps), step->full), delta, epsilon) == DPS_OK)
		best = fmin(best, *epsilon);
	if (!(best < INFINITY))
		return DPS_UNABLE;
	*epsilon = best;
	return DPS_OK;
}

DpsStatus
dps_subsampled_epsilon(double rate, uint64_t scale, uint64_t sensitivity, uint64_t steps,
					   double delta, double *epsilon)
{
	DpsSampledStep step;

	if (!is_valid(rate, scale) || !(delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	dps_sampled_step(rate, scale, sensitivity, &step);
	return dps_sampled_epsilon(&step, steps, delta, epsilon);
}

/* The quantities of the claim, for one choice of l. */
typedef struct Truncation
{
	const DpsSampledStep *step;
	double		steps;
	double		most;			/* l */
	double		beyond;			/* t e^-l */
	double		shrunk;			/* c */
	double		start;			/* the r that makes K(r) - r l least */
	double		start_excess;	/* the least K(r) - r l */
} Truncation;

/* K(s) */
static double
cumulant(const DpsSampledStep *step, double steps, double s)
{
	return dps_mul_up(dps_mul_up(s, steps), dps_sampled_rdp(step, 1.0 + s));
}

/* The least l for which Markov's inequality gives t at a whole order, rounded
 * up; log_t is a lower bound on ln t. */
static double
least_most(const DpsSampledStep *step, double steps, double log_t)
{
	double		least = INFINITY;

	for (unsigned s = 1; s < DPS_SUBSAMPLED_ORDER_MAX; s++)
	{
		double		sum = dps_sub_up(cumulant(step, steps, s), log_t);

		least = fmin(least, dps_div_up(sum, s));
	}
	return fmax(least, 0.0);
}

/* ln(1 + x), x >= 0 */
static double
log_one_plus_up(double x)
{
	DpsInterval ratio;

	if (!(x < 1.0))
		return dps_iv_ln(dps_point(dps_add_up(1.0, x))).hi;
	ratio = dps_iv_div(dps_point(x), dps_iv_add(dps_point(2.0), dps_point(x)));
	return dps_mul_up(2.0, dps_iv_atanh(ratio).hi);
}

/* (1) and (2), times s, for s > 0. */
static double
truncated(const Truncation *truncation, double s)
{
	double		k = cumulant(truncation->step, truncation->steps, s);
	double		growth = k < 700.0 ? dps_iv_mul(dps_iv_exp(dps_point(k)), dps_one_minus_exp(dps_point(k))).hi : INFINITY;
	double		inside = dps_mul_up(dps_iv_exp(dps_point(truncation->shrunk)).hi,
									dps_add_up(fmax(growth, 0.0), truncation->beyond));
	double		first = dps_add_up(log_one_plus_up(inside), dps_mul_up(s, truncation->shrunk));
	double		second = dps_mul_up(s, truncation->most);

	if (k == 0.0)
		first = dps_add_up(log_one_plus_up(dps_mul_up(dps_iv_exp(dps_point(truncation->shrunk)).hi, truncation->beyond)),
						   dps_mul_up(s, truncation->shrunk));
	if (s >= truncation->start)
		second = dps_add_up(second, truncation->start_excess);
	second = dps_add_up(second, dps_mul_up(dps_add_up(1.0, s), truncation->shrunk));
	/* fmin takes the other one if the first is NaN */
	return fmin(first, second);
}

static void
set_truncation(Truncation *truncation, double delta)
{
	double		steps = truncation->steps;
	double		log_delta = dps_iv_ln(dps_point(delta)).lo;
	double		fraction;

	/* 1 + e^-l is greater for a smaller l */
	truncation->most = least_most(truncation->step, steps, log_delta);
	fraction = dps_iv_exp(dps_point(-truncation->most)).hi;
	log_delta = dps_sub_down(log_delta, log_one_plus_up(fraction));
	truncation->most = least_most(truncation->step, steps, log_delta);
	truncation->beyond = dps_mul_up(delta, dps_iv_exp(dps_point(-truncation->most)).hi);
	truncation->shrunk = -dps_iv_ln(dps_point(dps_sub_down(1.0, delta))).lo;
	truncation->start = truncation->start_excess = 0.0;
	for (unsigned s = 1; s < DPS_SUBSAMPLED_ORDER_MAX; s++)
	{
		double		excess = dps_sub_up(cumulant(truncation->step, steps, s), dps_mul_down(s, truncation->most));

		if (excess < truncation->start_excess)
		{
			truncation->start = s;
			truncation->start_excess = excess;
		}
	}
}

double
dps_sampled_rho(const DpsSampledStep *step, uint64_t steps, double delta)
{
	Truncation	truncation = {.step = step, .steps = dps_count_up(steps)};
	double		unsampled;
	double		rho = 0.0;
	double		s = 0.0;

	if (!(delta > 0.0 && delta < 1.0))
		return INFINITY;
	if (steps == 0 || step->full == 0.0)
		return 0.0;
	unsampled = dps_mul_up(truncation.steps, step->full);
	set_truncation(&truncation, delta);
	if (!(truncation.most < INFINITY))
		return unsampled;
	while (s < DPS_SUBSAMPLED_ORDER_MAX - 1)
	{
		double		next = fmin((1.0 + s) * (1.0 + GRID_STEP) - 1.0, DPS_SUBSAMPLED_ORDER_MAX - 1);
		double		here = dps_div_up(truncated(&truncation, next), next);

		rho = fmax(rho, dps_div_up(here, dps_add_down(1.0, s)));
		s = next;
	}
	/* (2) beyond */
	rho = fmax(rho, dps_div_up(dps_add_up(truncation.most, dps_mul_up(2.0, truncation.shrunk)),
							   (double) DPS_SUBSAMPLED_ORDER_MAX));
	return rho >= 0.0 ? fmin(unsampled, rho) : unsampled;
}
