/*
 * subsampled.c
 *		Renyi DP of Gaussian noise on a secret Poisson sample.
 *
 * Precondition: noise of discrete Gaussians of one scale is added to integers that a
 * record changes by at most the sensitivity in the 2-norm, if it takes part.
 * Postcondition: the figure, rounded up, bounds the Renyi divergence of that whole order
 * between neighbours' outputs, in either direction.
 *
 * Proof.  Every record takes part independently with probability q, and nobody learns
 * which do; neighbours differ in one record's presence (add_remove).  The law of
 * the output with the record is (1-q) P + q Q against P without it, Q being P
 * shifted by at most the sensitivity D.  Expanding the power of the mixture, as
 * E_P (Q/P)^k = e^(k(k-1) D^2/2N^2) for whole shifts of the discrete Gaussian
 * just as for the continuous one, for whole orders alpha
 *		(alpha - 1) R = ln sum_k C(alpha,k) (1-q)^(alpha-k) q^k e^(k(k-1) D^2/2N^2)
 * (Mironov, Talwar and Zhang 2019), which rises with the shift and
 * depends on a vector's norm only.  The divergence in the other direction is no
 * larger, since a reflection exchanges P and Q (there too).
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"
#include "num/rational.h"

/* The terms of the sum for one order. */
typedef struct Expansion
{
	unsigned	order;
	DpsInterval log_in;			/* ln q */
	DpsInterval log_out;		/* ln (1-q) */
	DpsInterval rho;			/* D^2 / 2N^2 */
} Expansion;

/* ln C(alpha, k+1) from ln C(alpha, k) */
static DpsInterval
next_binomial(DpsInterval log_binomial, unsigned order, unsigned k)
{
	DpsInterval factor = dps_iv_div(dps_point(order - k), dps_point(k + 1));

	return dps_iv_add(log_binomial, dps_iv_ln(factor));
}

/* ln of C(alpha,k) (1-q)^(alpha-k) q^k */
static DpsInterval
log_probability(const Expansion *expansion, DpsInterval log_binomial, unsigned k)
{
	DpsInterval in = dps_iv_mul(dps_point(k), expansion->log_in);
	DpsInterval out = dps_iv_mul(dps_point(expansion->order - k), expansion->log_out);

	return dps_iv_add(log_binomial, dps_iv_add(in, out));
}

/* k(k-1) D^2/2N^2 */
static DpsInterval
exponent(const Expansion *expansion, unsigned k)
{
	return dps_iv_mul(dps_point((double) k * (k - 1)), expansion->rho);
}

/* ln(1 + x), x >= 0, without cancellation */
static double
log_one_plus_up(DpsInterval x)
{
	DpsInterval ratio = dps_iv_div(x, dps_iv_add(dps_point(2.0), x));

	return x.hi < 1.0 ? dps_mul_up(2.0, dps_iv_atanh(ratio).hi) :
		dps_iv_ln(dps_iv_add(dps_point(1.0), x)).hi;
}

/* The probabilities add up to 1, so the sum is 1 + sum of p_k (e^x_k - 1), and
 * e^x - 1 = e^x (1 - e^-x).  Overflows to Infinity where x is large. */
static double
log_sum_small(const Expansion *expansion)
{
	DpsInterval sum = dps_point(0.0);
	DpsInterval log_binomial = dps_point(0.0);

	for (unsigned k = 0; k <= expansion->order; k++)
	{
		DpsInterval x = exponent(expansion, k);
		DpsInterval log_term = dps_iv_add(log_probability(expansion, log_binomial, k), x);

		if (k >= 2)
			sum = dps_iv_add(sum, dps_iv_mul(dps_iv_exp(log_term), dps_one_minus_exp(x)));
		log_binomial = next_binomial(log_binomial, expansion->order, k);
	}
	return log_one_plus_up(sum);
}

/* ln of the largest term, and of the sum relative to it. */
static double
log_sum_large(const Expansion *expansion)
{
	double		largest = -INFINITY;
	double		sum = 0.0;

	for (int pass = 0; pass < 2; pass++)
	{
		DpsInterval log_binomial = dps_point(0.0);

		for (unsigned k = 0; k <= expansion->order; k++)
		{
			DpsInterval log_term = dps_iv_add(log_probability(expansion, log_binomial, k),
											  exponent(expansion, k));

			if (pass == 0)
				largest = fmax(largest, log_term.hi);
			else
				sum = dps_add_up(sum, dps_iv_exp(dps_iv_sub(log_term, dps_point(largest))).hi);
			log_binomial = next_binomial(log_binomial, expansion->order, k);
		}
	}
	return dps_add_up(largest, dps_iv_ln(dps_point(sum)).hi);
}

static DpsInterval
rho_enclosure(uint64_t scale, uint64_t sensitivity)
{
	DpsInterval mu = dps_iv(dps_ratio_down(sensitivity, scale), dps_ratio_up(sensitivity, scale));

	return dps_iv_mul(dps_point(0.5), dps_iv_sqr(mu));
}

/* A sample reveals no more than everybody (the divergence is convex), which is
 * the better bound where the sum overflows. */
double
dps_rdp_subsampled(unsigned order, double rate, uint64_t scale, uint64_t sensitivity)
{
	Expansion	expansion = {.order = order};
	double		everybody;
	double		log_sum;

	if (order < 2 || order > DPS_SUBSAMPLED_ORDER_MAX || scale == 0 ||
		!(rate >= 0.0 && rate <= 1.0))
		return INFINITY;
	if (rate == 0.0 || sensitivity == 0)
		return 0.0;
	everybody = dps_rdp_gaussian(order, scale, sensitivity);
	if (rate == 1.0)
		return everybody;
	expansion.rho = rho_enclosure(scale, sensitivity);
	expansion.log_in = dps_iv_ln(dps_point(rate));
	expansion.log_out = dps_iv_ln(dps_iv_sub(dps_point(1.0), dps_point(rate)));
	log_sum = log_sum_small(&expansion);
	if (!(log_sum < 700.0))
		log_sum = log_sum_large(&expansion);
	if (!(log_sum >= 0.0))
		return everybody;
	return fmin(everybody, dps_div_up(log_sum, (double) (order - 1)));
}
