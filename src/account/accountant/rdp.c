/*
 * rdp.c
 *		Renyi DP at one order, and its conversion to (epsilon, delta).
 *
 * Precondition: noise of the given law and scale is added to integers that neighbours
 * change by at most the sensitivity, in the law's norm; alpha > 1, 0 < delta < 1.
 * Postcondition: the figure is an upper bound of the Renyi divergence of order alpha
 * between neighbours' outputs; or an epsilon such that a divergence of that order at most
 * rdp implies (epsilon, delta)-DP.  Intervals are rounded outward, so it holds as computed.
 * The proofs are beside the functions (Canonne, Kamath and Steinke 2020, Propositions 5
 * and 12).
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"
#include "num/interval_fn.h"
#include "num/rational.h"

/*
 * Canonne, Kamath and Steinke 2020, Proposition 12:
 *		epsilon = rdp + ln((alpha-1)/alpha) - (ln delta + ln alpha)/(alpha-1).
 * For with L the loss under P, delta <= E max(0, 1 - e^(epsilon - L)), and with u =
 * e^(epsilon - L) <= 1, (1 - u) u^(alpha-1) is at most (1/alpha) (1 - 1/alpha)^(alpha-1);
 * so delta is at most that times E e^((alpha-1)(L - epsilon)) <= e^((alpha-1)(rdp - epsilon)).
 * Where this is negative it bounds delta at a negative epsilon, and delta only
 * falls as epsilon rises to 0.
 */
DpsStatus
dps_rdp_epsilon(double alpha, double rdp, double delta, double *epsilon)
{
	DpsInterval below;
	DpsInterval logs;
	DpsInterval sum;

	if (!(alpha > 1.0 && alpha < INFINITY && rdp >= 0.0 && rdp < INFINITY &&
		  delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	below = dps_iv_sub(dps_point(alpha), dps_point(1.0));
	logs = dps_iv_add(dps_iv_ln(dps_point(delta)), dps_iv_ln(dps_point(alpha)));
	sum = dps_iv_add(dps_point(rdp), dps_iv_ln(dps_iv_div(below, dps_point(alpha))));
	sum = dps_iv_sub(sum, dps_iv_div(logs, below));
	if (!(sum.hi < INFINITY))
		return DPS_UNABLE;
	*epsilon = fmax(sum.hi, 0.0);
	return DPS_OK;
}

/*
 * CKS 2020, Proposition 5: alpha D^2 / 2N^2, for integers D.  With w(x) = e^(-x^2/2N^2),
 * w(k)^alpha w(k - D)^(1-alpha) is e^(alpha (alpha-1) D^2/2N^2) w(k - (1 - alpha) D), and the
 * sum of w(k - c) over integers k is largest at c = 0 (Poisson summation: its Fourier
 * coefficients are positive).
 */
double
dps_rdp_gaussian(double alpha, uint64_t scale, uint64_t sensitivity)
{
	if (!(alpha > 1.0 && alpha < INFINITY))
		return INFINITY;
	return dps_mul_up(alpha, dps_gaussian_rho(scale, sensitivity));
}

/*
 * With p(k) proportional to q^|k|, q = e^-x, x = 1/t (g/t in steps of g, k and D counted
 * in steps), E = D x and c = 2 alpha - 1, the sum over k of p(k)^alpha p(k - D)^(1 - alpha) is, divided
 * by e^((alpha-1) E), from k <= 0 and k >= D and from what is between,
 *		(1 + e^-cE) / (1 + q)  +  tanh(x/2) (e^-cx - e^-cE) / (1 - e^-cx),
 * where (1-q)/(1+q) = tanh(x/2).  The answer is E + ln(that) / (alpha - 1).
 *
 * It falls with the scale at the same E: with 1/(1+q) = (1 + tanh(x/2)) / 2 the sum is
 *		(1 + e^-cE) / 2  +  (1 - e^-cE) / 2 tanh(x/2) / tanh(cx/2),
 * which rises with x as c > 1, since the derivative of ln(tanh(x/2) / tanh(cx/2)) is
 * 1 / sinh(x) - c / sinh(cx) and sinh is convex.  So the figure of any integers is none for
 * noise in steps, whose x is larger: that one is recorded as what it is.
 *
 * It rises with E, for any real E: with T = tanh(x/2) / tanh(cx/2) the sum times e^((alpha-1) E)
 * is (1 + T)/2 e^((alpha-1) E) + (1 - T)/2 e^(-alpha E), which is convex in E, with the derivative
 * (cT - 1)/2 >= 0 at 0 since tanh(u)/u falls.  So D need not be a multiple of the step.
 *
 * At x = E the sum is (1 + e^-cE) / (1 + e^-E), that of randomised response: every epsilon-DP
 * pair is a post-processing of it (Kairouz, Oh and Viswanath 2015).  So x is never taken
 * larger than E.
 */
static double
laplace_divergence(double alpha, DpsInterval x, DpsInterval e)
{
	DpsInterval c = dps_iv_sub(dps_iv_mul(dps_point(2.0), dps_point(alpha)), dps_point(1.0));
	DpsInterval cx = dps_iv_mul(c, x);
	DpsInterval exp_ce = dps_iv_exp(dps_iv_neg(dps_iv_mul(c, e)));
	DpsInterval q = dps_iv_exp(dps_iv_neg(x));
	DpsInterval outer = dps_iv_div(dps_iv_add(dps_point(1.0), exp_ce), dps_iv_add(dps_point(1.0), q));
	DpsInterval inner = dps_iv_div(dps_iv_sub(dps_iv_exp(dps_iv_neg(cx)), exp_ce),
								   dps_one_minus_exp(cx));
	DpsInterval log_sum;

	inner = dps_iv_mul(dps_iv_tanh(dps_iv_mul(dps_point(0.5), x)), inner);
	log_sum = dps_iv_ln(dps_iv_add(outer, inner));
	return dps_iv_add(e, dps_iv_div(log_sum, dps_iv_sub(dps_point(alpha), dps_point(1.0)))).hi;
}

/*
 * The least of three upper bounds: the formula, which cancels where E is small;
 * alpha times the rho of the noise, which is tight just there; and E.
 * The noise is log-concave, so its divergence rises with the shift and the
 * sensitivity is the worst of all shifts.
 */
double
dps_rdp_geometric(double alpha, uint64_t scale, uint64_t step, uint64_t sensitivity)
{
	uint64_t	smaller = step < sensitivity ? step : sensitivity;
	double		pure;
	double		formula;

	if (scale == 0 || step == 0 || !(alpha > 1.0))
		return INFINITY;
	if (sensitivity == 0)
		return 0.0;
	pure = dps_ratio_up(sensitivity, scale);
	if (alpha >= 0x1p50)
		return pure;
	formula = laplace_divergence(alpha,
								 dps_iv(dps_ratio_down(smaller, scale), dps_ratio_up(smaller, scale)),
								 dps_iv(dps_ratio_down(sensitivity, scale), pure));
	/* fmin takes the other argument where the formula gave NaN */
	return fmin(fmin(pure, formula), dps_mul_up(alpha, dps_laplace_rho(scale, step, sensitivity)));
}

double
dps_rdp_laplace(double alpha, uint64_t scale, uint64_t sensitivity)
{
	return dps_rdp_geometric(alpha, scale, 1, sensitivity);
}
