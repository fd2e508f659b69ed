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
#include "account/elementary.h"
#include "account/order.h"
#include "num/interval_fn.h"
#include "num/rational.h"

/* Of E + e^-E - 1 for E < 1; the next one is below 2^-64 of the first. */
#define EXCESS_TERMS 20

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

/*
 * Discrete Laplace noise of scale t, x = 1/t, on integers that move by D >= 1 in the 1-norm
 * is rho-zCDP for the divergence of order 1,
 *		rho = E - (x / sinh x) (1 - e^-E),	E = D x,
 * and for no less.  As x -> 0 that is E + e^-E - 1, which Harrison and Manurangsi 2025 found of
 * continuous noise.  The proof for the discrete law:
 *
 * One integer.  By the sum in rdp.c, with s = alpha - 1/2 and y = tanh(x/2), (alpha - 1) D_alpha is
 * ln H(s) - E/2, where
 *		H(s) = cosh(sE) + y coth(sx) sinh(sE).
 * H(s) (1 + q) is the polynomial U_D - q U_(D-2) of Chebyshev's second kind at X = cosh(sx), q = e^-x,
 * as y = (1 - q) / (1 + q).  At X = cos(a) it is (sin((D+1)a) - q sin((D-1)a)) / sin(a), whose
 * numerator has the sign of sin((D+1)a) = 1 or -1 in turn at a = (k + 1/2) pi / (D+1), k = 0 ... D: so
 * its D roots X_k are all in (-1, 1), and ln H is a constant plus the sum of ln(cosh(sx) - X_k).  Each
 * of these is concave in s^2: its derivative by u^2 / 2, u = sx, is sinh u / (u (cosh u - X)), and that
 * falls where u - sinh u cosh u + X (sinh u - u cosh u) < 0; for X > -1 this is less than
 * (1 + cosh u) (u - sinh u) < 0.  So ln H is concave in s^2, and 0 + E/2 at s = 1/2:
 *		(alpha - 1) D_alpha <= (s^2 - 1/4) c = alpha (alpha - 1) c,
 * c its derivative there, which is the limit of D_alpha as alpha -> 1.  That is the mean of
 * x (|Z - D| - |Z|), with E|Z - D| = D + 2 q^(D+1) / (1 - q^2), and 1 / sinh x = 2q / (1 - q^2).
 *
 * Several.  rho is convex in D and 0 at 0, so those of v_1, v_2, ... add up to no more than that of
 * their sum; and it rises with D.  It rises with E at the same x, and with x at the same E, since
 * x / sinh x falls: both may be rounded up.
 *
 * In steps of g all of this holds of the integers counted in steps, x = g/t.  It rises with E for any
 * real E, so D need not be a multiple of g.  At x = E it is that of any mechanism of pure epsilon E,
 * E tanh(E/2): x is never taken larger.
 */

/* E + e^-E - 1 */
static double
excess(double e)
{
	DpsInterval point = dps_point(e);
	DpsInterval sum = dps_iv(0.0, 1.0);

	if (e >= 1.0)
		return dps_iv_sub(dps_iv_add(point, dps_iv_exp(dps_iv_neg(point))), dps_point(1.0)).hi;

	/* E^2/2 (1 - E/3 (1 - E/4 (...))), where each bracket is in [0, 1], and so is the last one */
	for (int n = EXCESS_TERMS; n > 2; n--)
		sum = dps_iv_sub(dps_point(1.0), dps_iv_mul(dps_iv_div(point, dps_point(n)), sum));
	return dps_mul_up(dps_mul_up(0.5, e), dps_mul_up(e, sum.hi));
}

/* 1 - x / sinh x for x > 0: sinh x <= x e^(x^2/6), by the products for both. */
static double
sinh_deficit(double x)
{
	DpsInterval point = dps_point(x);
	double		simple = dps_div_up(dps_mul_up(x, x), 6.0);

	if (x < 0x1p-8)
		return simple;
	return fmin(simple, dps_iv_sub(dps_point(1.0), dps_iv_div(point, dps_iv_sinh(point))).hi);
}

double
dps_laplace_rho(uint64_t scale, uint64_t step, uint64_t sensitivity)
{
	uint64_t	smaller = step < sensitivity ? step : sensitivity;
	double		e = dps_ratio_up(sensitivity, scale);
	double		beside;

	if (scale == 0 || step == 0)
		return INFINITY;
	if (sensitivity == 0)
		return 0.0;
	/* 1 - e^-E <= min(E, 1) */
	beside = dps_mul_up(sinh_deficit(dps_ratio_up(smaller, scale)), fmin(e, dps_one_minus_exp(dps_point(e)).hi));
	return fmin(dps_add_up(excess(e), beside), dps_pure_rho(e));
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

/* Proposition 12 of CKS solved for the Renyi loss at one order, and that divided by the order. */
DpsStatus
dps_rdp_rho(double order, double epsilon, double delta, double *rho)
{
	DpsInterval alpha = {order, order};
	DpsInterval below;
	DpsInterval sum;

	if (!(order > 1.0 && order < INFINITY && epsilon >= 0.0 && epsilon < INFINITY && delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
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

double
dps_zcdp_order(double epsilon, double delta)
{
	OrderProblem problem = {epsilon, log(delta)};

	return 1.0 + dps_order_best(minus_rho_at, &problem);
}

DpsStatus
dps_zcdp_rho(double epsilon, double delta, double *rho)
{
	if (!(epsilon >= 0.0 && epsilon < INFINITY && delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	return dps_rdp_rho(dps_zcdp_order(epsilon, delta), epsilon, delta, rho);
}
