/*
 * gaussian_rule.c
 *		Budgets that count in Gaussian DP.
 *
 * Theorem (Koskela, Tobaben and Honkela 2023; Smith and Thakurta 2022): what is answered while the sum of mu_i^2 is at most mu^2
 * is mu-Gaussian DP, however adaptively it is chosen.
 * Proof, by the potential of capped.c: V_b(x) = E max(x e^(sqrt(2b) N - b) - e^epsilon, 0), N standard normal, which is convex in
 * x, is max(x - e^epsilon, 0) for b = 0 and does not fall in b (Jensen).  A release that is mu-Gaussian DP has a ratio Z of which
 * E f(Z) is at most that of e^(mu N - mu^2/2) for all convex f (Blackwell; Dong, Roth and Su 2022, Theorem 2): with f(z) = V_(b-c)(x z) and
 * c = mu^2/2 that is V_b(x), since independent normal variates add up.
 *
 * Pure epsilon.  Its trade-off curve is at least max(0, 1 - e^epsilon a, e^-epsilon (1 - a)), with a corner at a = a* = 1/(1 + e^epsilon) on the
 * diagonal (Dong, Roth and Su 2022).  That of mu is convex, from (0, 1) to (1, 0), and meets the diagonal at P(N > mu/2).  If this is
 * at most a*, it is below both chords that make up the other, and so the release is mu-Gaussian DP.
 *
 * Discrete noise.  Each release's integers get noise that is not quite normal.  Let a run answer a transcript by densities U, with
 * uniform noise added as in fold.c, and C be the same run with continuous noise in the place of it, other releases being as they are.  With
 * r = 16 for a release of d integers of joint norm D at scale N, eta_i = (r/2 + 1.1) d/N and
 * move_i = sqrt(d) D / 2N^2: while all integers stay below r N, the densities of both neighbours are within e^(+-eta_i) and
 * e^(+-(eta_i + move_i)) of the continuous ones (fold.c, release by release, whatever was answered before); they do not with
 * probability 2 d P(N > r) at most.  So for any event S, with shift_i = 2 eta_i + move_i, s at least the sum of the shifts and
 * t of the probabilities, of any transcript,
 *		P(S) <= e^a C_P(S in G) + t <= e^a (e^(epsilon - s) C_Q(S in G) + delta(epsilon - s)) + t
 *			 <= e^epsilon Q(S) + e^s delta(epsilon - s) + t,
 * e^a the factor of P and e^(s - a) that of Q.  A release counts no less than
 * 2^10 shift_i, so that s = 2^-10 total does, and no less than d 2^-40, so that all integers together are at most 2^40 total; with a total
 * of at most 2^20, t <= 2^61 P(N > 16) < 2^-100.  At the scales that the grid gives, 2^30 and more, neither is ever
 * what counts but of releases that cost nearly nothing.
 */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "account/account.h"
#include "account/amount.h"
#include "account/elementary.h"
#include "account/gaussian_rule.h"
#include "num/rational.h"

#define FAR 16.0				/* r */
#define SHIFT_PART 0x1p-10		/* of the total */
#define PER_INTEGER 0x1p-40
#define ALL_TAILS 0x1p-100
#define MOST_TOTAL 0x1p20
#define BISECTIONS 100

/* Is epsilon-DP mu-Gaussian DP? */
static bool
covers(double mu, double epsilon)
{
	DpsInterval one = dps_point(1.0);
	DpsInterval corner = dps_iv_div(one, dps_iv_add(one, dps_iv_exp(dps_point(epsilon))));

	return dps_gaussian_tail(dps_point(0.5 * mu)).hi <= corner.lo;
}

/* The mu at which the curve meets the corner, good to many digits and proved by nobody. */
static double
guess_mu(double epsilon)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	double		half = gsl_cdf_ugaussian_Qinv(1.0 / (1.0 + exp(epsilon)));

	gsl_set_error_handler(handler);
	return 2.0 * half;
}

/* The guess, or a number not far above it, that is proved to do. */
double
dps_pure_gaussian_rho(double epsilon)
{
	double		guess;
	double		mu;
	int			i;

	if (epsilon == 0.0)
		return 0.0;
	if (!(epsilon > 0.0 && epsilon <= 512.0))
		return INFINITY;
	guess = guess_mu(epsilon);
	for (i = -48; i <= 0; i += 2)
	{
		mu = guess + ldexp(fmax(guess, 0x1p-60), i);
		if (covers(mu, epsilon))
			return dps_mul_up(0.5, dps_mul_up(mu, mu));
	}
	return INFINITY;
}

/* shift_i */
static double
shift_of(const DpsPastRelease *release)
{
	double		width = dps_count_up(release->coordinates);
	double		inverse = dps_ratio_up(1, release->scale);
	double		eta = dps_mul_up(dps_mul_up(0.5 * FAR + 1.1, width), inverse);
	double		move = dps_mul_up(dps_sqrt_up(width), dps_mul_up(dps_ratio_up(release->sensitivity, release->scale), 0.5 * inverse));

	return dps_add_up(2.0 * eta, move);
}

double
dps_gaussian_rule_loss(const DpsPastRelease *release)
{
	double		least;

	if (release->law != DPS_LAW_GAUSSIAN)
		return dps_pure_gaussian_rho(release->epsilon);
	least = fmax(shift_of(release) / SHIFT_PART, dps_mul_up(dps_count_up(release->coordinates), PER_INTEGER));
	return fmax(dps_gaussian_rho(release->scale, release->sensitivity), least);
}

static bool
holds(double total, double epsilon, double delta)
{
	double		s = total * SHIFT_PART;
	double		curve = s < epsilon ? dps_gaussian_delta(dps_sqrt_up(2.0 * total), dps_sub_down(epsilon, s)) : 1.0;

	return dps_add_up(dps_mul_up(dps_iv_exp(dps_point(s)).hi, curve), ALL_TAILS) <= delta;
}

DpsStatus
dps_gaussian_rule_total(double epsilon, double delta, double *total)
{
	double		lo = 0.0;
	double		hi = MOST_TOTAL;

	if (!(epsilon >= 0.0 && epsilon < INFINITY && delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	for (int i = 0; i < BISECTIONS && hi - lo > 0x1p-44 * hi; i++)
	{
		double		middle = 0.5 * (lo + hi);

		if (holds(middle, epsilon, delta))
			lo = middle;
		else
			hi = middle;
	}
	*total = lo;
	return DPS_OK;
}
