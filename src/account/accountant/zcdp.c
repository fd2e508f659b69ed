/*
 * zcdp.c
 *		Zero-concentrated DP: what noise costs, and conversion to and from
 *		(epsilon, delta).
 *
 * Precondition: as in rdp.c.  Postcondition: the rho, epsilon or delta returned is rounded
 * to the side on which it holds.
 *
 * Proof.  rho-zCDP is (alpha, rho alpha)-RDP for all alpha > 1 (Bun and Steinke 2016,
 * Definition 1.1), so each order gives a valid conversion (dps_rdp_epsilon).  The search
 * for the best order is in plain doubles: its errors cost accuracy, not validity, because
 * the answer is computed with directed rounding at the order that it found.
 */
#include <math.h>

#include "account/account.h"
#include "account/order.h"
#include "num/interval_fn.h"
#include "num/rational.h"

typedef struct OrderProblem
{
	double		given;			/* rho, or epsilon */
	double		log_delta;
} OrderProblem;

static double
epsilon_at(double beta, const void *context)
{
	const OrderProblem *problem = context;

	return problem->given * (1.0 + beta) + dps_order_conversion(beta, problem->log_delta);
}

static double
minus_rho_at(double beta, const void *context)
{
	const OrderProblem *problem = context;

	return (dps_order_conversion(beta, problem->log_delta) - problem->given) / (1.0 + beta);
}

/*
 * epsilon-DP implies epsilon tanh(epsilon/2)-zCDP.  A pair P, Q that is
 * epsilon-DP is a post-processing of randomised response: A = (e^eps P - Q) /
 * (e^eps - 1) and B = (e^eps Q - P) / (e^eps - 1) are distributions, P =
 * (e^eps A + B) / (e^eps + 1) and Q = (A + e^eps B) / (e^eps + 1) (Kairouz, Oh and
 * Viswanath 2015).  By data processing its divergence is at most that of the
 * pair (e^eps, 1) / (e^eps + 1) and its mirror:
 *		D_alpha = (L(s eps) - L(eps/2)) / (alpha - 1),	L = ln cosh,
 *		s = alpha - 1/2.
 * L(sqrt(w) eps) is concave in w, as its derivative eps tanh(z) / 2 sqrt(w)
 * with z = sqrt(w) eps falls, so the difference is at most (s^2 - 1/4) times the
 * derivative at w = 1/4, which is eps tanh(eps/2); s^2 - 1/4 is
 * alpha (alpha - 1).  As alpha -> 1 this becomes an equality.
 */
double
dps_pure_rho(double epsilon)
{
	DpsInterval tanh_half;

	if (!(epsilon >= 0.0))
		return INFINITY;
	tanh_half = dps_iv_tanh(dps_iv(0.5 * epsilon, dps_mul_up(0.5, epsilon)));
	return fmin(dps_mul_up(epsilon, tanh_half.hi),
				dps_mul_up(0.5, dps_mul_up(epsilon, epsilon)));
}

double
dps_choice_rho(double epsilon)
{
	return fmin(dps_mul_up(0.125, dps_mul_up(epsilon, epsilon)), dps_pure_rho(epsilon));
}

/* For integer shifts the discrete Gaussian has the rho of the continuous one
 * (dps_rdp_gaussian). */
double
dps_gaussian_rho(uint64_t scale, uint64_t sensitivity)
{
	double		mu;

	if (scale == 0)
		return INFINITY;
	mu = dps_ratio_up(sensitivity, scale);
	return dps_mul_up(0.5, dps_mul_up(mu, mu));
}

DpsStatus
dps_zcdp_epsilon(double rho, double delta, double *epsilon)
{
	OrderProblem problem = {rho, log(delta)};
	double		alpha;

	if (!(rho >= 0.0 && rho < INFINITY && delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	if (rho == 0.0)
	{
		/* the distributions are equal */
		*epsilon = 0.0;
		return DPS_OK;
	}
	alpha = 1.0 + dps_order_best(epsilon_at, &problem);
	return dps_rdp_epsilon(alpha, dps_mul_up(rho, alpha), delta, epsilon);
}

/* Proposition 12 of CKS solved for rho at one order. */
DpsStatus
dps_zcdp_rho(double epsilon, double delta, double *rho)
{
	OrderProblem problem = {epsilon, log(delta)};
	DpsInterval alpha;
	DpsInterval below;
	DpsInterval sum;

	if (!(epsilon >= 0.0 && epsilon < INFINITY && delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	alpha.lo = alpha.hi = 1.0 + dps_order_best(minus_rho_at, &problem);
	below = dps_iv_sub(alpha, dps_iv(1.0, 1.0));
	sum = dps_iv_add(dps_iv_ln(dps_iv(delta, delta)), dps_iv_ln(alpha));
	sum = dps_iv_sub(dps_iv_div(sum, below), dps_iv_ln(dps_iv_div(below, alpha)));
	sum = dps_iv_div(dps_iv_add(sum, dps_iv(epsilon, epsilon)), alpha);
	if (!(sum.lo > -INFINITY))
		return DPS_UNABLE;
	/* rho = 0 is equality of the distributions and always allowed */
	*rho = fmax(sum.lo, 0.0);
	return DPS_OK;
}
