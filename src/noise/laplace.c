/*
 * laplace.c
 *		Discrete Laplace noise: pure DP.
 *
 * Precondition: the released integers of neighbouring data differ by at most
 * the sensitivity D in L1 norm (all coordinates of a vector together), and each
 * coordinate gets independent noise Z with P(Z = z) proportional to
 * exp(-|z|/t), z any integer; or, in steps of g, any multiple of g, and then the
 * released integers are multiples of g as well.
 *
 * Postcondition: the release is epsilon-DP for the requested epsilon, as for continuous
 * noise (Dwork and Roth 2014, Theorem 3.6).
 *
 * Proof.  For outputs and data u, v: P_u(s) / P_v(s) = prod exp((|s_i - v_i| -
 * |s_i - u_i|) / t) <= exp(|u - v|_1 / t) <= exp(D / t) (Ghosh, Roughgarden and
 * Sundararajan 2009).  With epsilon >= a 2^-40 and
 * t = ceil(D 2^40 / a), D / t <= a 2^-40 <= epsilon.  When the cost is shared by
 * k coordinates that are calibrated one by one, each gets floor(a / k) 2^-40,
 * and these add up to no more than a 2^-40 (basic composition: Dwork and Roth 2014,
 * Theorem 3.16; where one depends on the other's outcome, account/accountant/compose.c).
 *
 * In steps the same holds with the same t: s - u and s - v are multiples of g, to which the
 * law gives weights exp(-|z|/t) again.  That Z is g times discrete Laplace noise of the scale
 * t/g, which is no whole number: with g a row it is the geometric mechanism of counts (Ghosh,
 * Roughgarden and Sundararajan 2009), whose variance is 2q/(1-q)^2 g^2, q = exp(-g/t).  Noise
 * of t much larger than 1, rounded to multiples of g afterwards, is k g or more with probability
 * q^(k-1/2) / 2, so it has cosh(g/2t) times that variance: 1.13 times at t = g, 2.35 times at
 * t = g/3.  At finite orders noise in steps loses more (account/accountant/rdp.c; its rho is proved in
 * account/accountant/zcdp.c): its loss for
 * D = g is that of randomised response, the most that epsilon allows.
 */
#include <math.h>

#include "account/account.h"
#include "base/once.h"
#include "noise/mechanism.h"
#include "noise/sample.h"
#include "num/rational.h"
#include "num/whole.h"

DpsStatus
dps_pure_scale(const DpsTarget *target, uint64_t sensitivity, uint64_t *scale)
{
	uint64_t	quotient;
	uint64_t	a;

	DPS_TRY(dps_epsilon_ratio(target->epsilon, &a));
	if (sensitivity == 0 || target->shares < 1)
		return DPS_DOMAIN;
	a /= (uint64_t) target->shares;
	if (a == 0)
		return DPS_DOMAIN;
	quotient = dps_whole_ratio((unsigned __int128) sensitivity << 40, a);
	if (quotient >= DPS_SCALE_LIMIT)
		return DPS_UNABLE;
	*scale = quotient;
	return DPS_OK;
}

/* noise/sample.c: z g is below 2^126, as z is. */
static DpsStatus
laplace_draw(DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise)
{
	__int128	steps;

	if (step == 1)
		return dps_sample_laplace(random, scale, noise);
	DPS_TRY(dps_sample_laplace_ratio(random, step, scale, &steps));
	*noise = steps * step;
	return DPS_OK;
}

/*
 * In steps, with q = e^(-1/t) for the scale t in steps, P(|Z| > r) = 2 q^(r+1) / (1 + q) for
 * whole r >= 0, so the smallest r has r + 1 >= t ln(2 / (probability (1 + q))).
 */
static double
laplace_tail(uint64_t scale, uint64_t step, double probability)
{
	double		t = (double) scale / (double) step;
	double		q = exp(-1.0 / t);

	/* the logarithms apart, since the product may underflow */
	return fmax(ceil(t * (log(2.0 / (1.0 + q)) - log(probability)) - 1.0), 0.0) * (double) step;
}

/*
 * (a^2 exp(-r/a) - b^2 exp(-r/b)) / (a^2 - b^2) for a > b: with c = b / a, u = r / a and L = ln c that
 * is exp(-u) (exp(2 L - u (1 - c) / c) - 1) / (exp(2 L) - 1), which does not cancel.
 */
static double
laplace_beyond(double a, double b, double r)
{
	double		scale = dps_max(a, b);
	double		other = dps_min(a, b);
	double		u = r / scale;
	double		twice;

	if (scale == 0.0)
		return r > 0.0 ? 0.0 : 1.0;
	if (other == scale)
		return exp(-u) * (1.0 + u / 2.0);
	if (other == 0.0)
		return exp(-u);
	twice = 2.0 * log1p((other - scale) / scale);
	return exp(-u) * expm1(twice - u * (scale - other) / other) / expm1(twice);
}

/* In steps, the variance is 2q / (1-q)^2 = 1 / (2 sinh^2(1/2t)). */
static double
laplace_deviation(uint64_t scale, uint64_t step)
{
	return (double) step / (sqrt(2.0) * sinh(0.5 * (double) step / (double) scale));
}

static void
laplace_loss(uint64_t scale, uint64_t step, uint64_t sensitivity, DpsLoss *loss)
{
	loss->epsilon = dps_ratio_up(sensitivity, scale);
	loss->rho = dps_laplace_rho(scale, step, sensitivity);
	loss->delta = 0.0;
}

const DpsMechanism dps_laplace = {
	.name = "laplace",
	.norm = 1,
	.uses_delta = false,
	.calibrate = dps_pure_scale,
	.draw = laplace_draw,
	.tail = laplace_tail,
	.beyond = laplace_beyond,
	.deviation = laplace_deviation,
	.loss = laplace_loss,
	.rdp = dps_rdp_geometric,
	.steps = true,
};
