/*
 * gaussian.c
 *		Discrete Gaussian noise: (epsilon, delta)-DP and zCDP.
 *
 * Precondition: the released integers of neighbouring data differ by at most
 * the sensitivity D in L2 norm, and each coordinate gets independent noise Z
 * with P(Z = z) proportional to exp(-z^2 / 2N^2).  The statements hold for every
 * D >= 1; where D is below 2^40 the rounding of N up to a whole number and the
 * discreteness term below cost accuracy, so callers choose the grid finer.
 *
 * Postcondition: the release is (epsilon, delta)-DP for what was requested, and
 * D^2 / 2N^2-zCDP exactly.
 *
 * Proof.
 * One integer.  N is accepted only if an upper bound on delta at a 2^-40 <=
 * epsilon (dps_discrete_gaussian_delta, proved there) is at most the requested
 * delta.
 * Several integers, d of which a unit moves at most.  The others have the same law in both
 * databases, whatever these are, and tell nothing.  Of d integers with noise of one scale N
 * that move by v_1 ... v_d, of norm D at most, the profile is that of one continuous Gaussian
 * of mu = D/N, up to what discrete noise adds (Balle and Wang 2018, Theorem 8; account/fold.c):
 * N is accepted only if that bound is at most the requested delta at a 2^-40, or by zCDP as
 * follows, where N is so small that d/N is no small part of epsilon.
 * Several shares, or an N that zCDP makes the smaller one.  The Renyi divergence of order alpha between
 * one integer's distributions is at most alpha s^2 / 2N^2 for a shift s (CKS 2020,
 * Proposition 5 of arXiv:2004.00010), those of independent integers add up, and so
 * the shifts' squares to D^2; shares add up, too (Bun and Steinke 2016, Lemma 1.7, and
 * Lemma 2.3 where one depends on the other's outcome): zCDP with the sum of the
 * D_j^2 / 2N_j^2.
 * dps_zcdp_rho gives a total that implies (epsilon, delta); each share gets a k-th
 * part, written as m 2^-e rounded down, and N is the smallest with D^2 2^e <= 2 m
 * N^2, decided in whole numbers.
 *
 * Both conditions are monotone in N: delta and rho fall as the noise grows.  The
 * search relies on that only for finding the smallest N; the N it returns has
 * itself been accepted.
 */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "account/account.h"
#include "account/fold.h"
#include "noise/mechanism.h"
#include "noise/sample.h"
#include "num/interval.h"
#include "num/rational.h"
#include "num/whole.h"

/* Significant bits of a share of rho; the total is worse by 2^-38 at most. */
#define RHO_BITS 40

typedef struct GaussianTarget
{
	uint64_t	sensitivity;
	double		epsilon;		/* for one integer */
	double		delta;
	uint64_t	moved;			/* for several: how many integers a unit moves */
	uint64_t	rho_numerator;	/* for shares: rho = numerator * 2^-exponent */
	unsigned	rho_exponent;
} GaussianTarget;

typedef bool (*ScaleCondition) (uint64_t scale, const GaussianTarget *target);

static bool
delta_suffices(uint64_t scale, const GaussianTarget *target)
{
	return dps_discrete_gaussian_delta(scale, target->sensitivity, target->epsilon) <= target->delta;
}

static bool
profile_suffices(uint64_t scale, const GaussianTarget *target)
{
	DpsPastRelease release = dps_past_release_noise(DPS_LAW_GAUSSIAN, target->sensitivity, scale, target->moved, 1);
	DpsFold		fold = {0};
	DpsFolded	folded;
	double		left;

	dps_fold_add(&fold, &release);
	dps_fold_finish(&fold, target->delta, &folded);
	left = dps_sub_down(target->epsilon, folded.shift);
	return left >= 0.0 &&
		dps_add_up(dps_mul_up(folded.factor, dps_gaussian_delta(folded.mu, left)), folded.tail) <= target->delta;
}

static bool
rho_suffices(uint64_t scale, const GaussianTarget *target)
{
	DpsWide		need = dps_wide_product(target->sensitivity, target->sensitivity);
	DpsWide		have = dps_wide_product((unsigned __int128) scale * scale,
										(unsigned __int128) target->rho_numerator * 2);

	/* have is below 2^165, so a product that does not fit is larger */
	return dps_wide_shift(&need, target->rho_exponent) && dps_wide_compare(need, have) <= 0;
}

static DpsStatus
smallest_scale(ScaleCondition accepts, const GaussianTarget *target, uint64_t *scale)
{
	uint64_t	rejected = 0;
	uint64_t	accepted = 1;

	while (!accepts(accepted, target))
	{
		if (accepted == DPS_SCALE_LIMIT - 1)
			return DPS_UNABLE;
		rejected = accepted;
		accepted = accepted < DPS_SCALE_LIMIT / 2 ? accepted * 2 : DPS_SCALE_LIMIT - 1;
	}
	while (accepted - rejected > 1)
	{
		uint64_t	middle = rejected + (accepted - rejected) / 2;

		if (accepts(middle, target))
			accepted = middle;
		else
			rejected = middle;
	}
	*scale = accepted;
	return DPS_OK;
}

/*
 * One share of rho as numerator * 2^-exponent.  One unit less than the floor,
 * so that losses rounded up to doubles still add up to no more than the total.
 */
static DpsStatus
set_rho_share(double rho, int shares, GaussianTarget *target)
{
	double		share = dps_div_down(rho, shares);
	double		fraction;
	int			exponent;

	fraction = frexp(share, &exponent);
	if (!(share > 0.0) || exponent > RHO_BITS)
		return DPS_UNABLE;
	target->rho_numerator = dps_to_uint64(ldexp(fraction, RHO_BITS)) - 1;
	target->rho_exponent = (unsigned) (RHO_BITS - exponent);
	return DPS_OK;
}

/* The smaller of the two scales, of which there may be one only. */
static DpsStatus
smaller_scale(const GaussianTarget *want, uint64_t *scale)
{
	uint64_t	by_profile;
	uint64_t	by_rho;
	DpsStatus	status = smallest_scale(rho_suffices, want, &by_rho);

	if (smallest_scale(profile_suffices, want, &by_profile) != DPS_OK)
		by_profile = UINT64_MAX;
	if (status != DPS_OK && by_profile == UINT64_MAX)
		return status;
	*scale = status != DPS_OK || by_profile < by_rho ? by_profile : by_rho;
	return DPS_OK;
}

static DpsStatus
gaussian_calibrate(const DpsTarget *target, uint64_t sensitivity, uint64_t *scale)
{
	GaussianTarget want = {.sensitivity = sensitivity, .delta = target->delta};
	double		rho;
	uint64_t	a;

	DPS_TRY(dps_epsilon_ratio(target->epsilon, &a));
	if (sensitivity == 0 || target->shares < 1 || target->vector < 0 ||
		!(target->delta > 0.0 && target->delta < 1.0))
		return DPS_DOMAIN;
	/* a has at most 47 bits, so this is exact */
	want.epsilon = ldexp((double) a, -40);
	if (target->shares == 1 && target->vector == 0)
		return smallest_scale(delta_suffices, &want, scale);
	DPS_TRY(dps_zcdp_rho(want.epsilon, want.delta, &rho));
	DPS_TRY(set_rho_share(rho, target->shares, &want));
	want.moved = (uint64_t) target->vector;
	if (target->shares == 1 && target->vector != DPS_VECTOR_OF_ANY)
		return smaller_scale(&want, scale);
	return smallest_scale(rho_suffices, &want, scale);
}

/* exp(-z^2/2n^2) */
static double
gaussian_weight(double z, double n)
{
	return exp(-0.5 * (z / n) * (z / n));
}

/* The scale from which sums over integers are replaced by integrals. */
#define SMOOTH_SCALE 64

/*
 * P(|Z| > r).  For large n the sum over k >= m = r + 1 of f(k) is the integral
 * from m - 1/2 plus f'(m - 1/2)/24, up to a relative z^4/1000 n^4 with z = r/n,
 * and the weights add up to sqrt(2 pi) n up to a relative e^(-2 pi^2 n^2).
 */
static double
gaussian_beyond(double n, double r)
{
	double		x = (r + 0.5) / n;
	double		inside = gaussian_weight(0, n) / 2;
	double		outside = 0;

	if (n >= SMOOTH_SCALE)
		return 2 * (gsl_cdf_ugaussian_Q(x) -
					x * exp(-0.5 * x * x) / (24 * sqrt(2 * M_PI) * n * n));
	/* 39 scales out a weight is below the smallest double */
	for (int i = 1; i <= dps_to_int32(39 * n) + 1; i++)
	{
		double		z = i;

		if (z <= r)
			inside += gaussian_weight(z, n);
		else
			outside += gaussian_weight(z, n);
	}
	return outside / (inside + outside);
}

/* There is no noise in steps: every step is 1. */
static DpsStatus
gaussian_draw(DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise)
{
	return step == 1 ? dps_sample_gaussian(random, scale, noise) : DPS_DOMAIN;
}

/*
 * Starts from the continuous quantile and goes to the integer; where n is so
 * large that 1 would be lost in rounding, the quantile is the answer.
 */
static double
gaussian_tail(uint64_t scale, uint64_t step, double probability)
{
	double		n = (double) scale;
	gsl_error_handler_t *handler;
	double		start;
	int64_t		r;

	(void) step;
	if (!(probability > 0.0))
		return INFINITY;
	if (probability >= 1.0)
		return 0.0;
	/* GSL's own handler aborts, on an underflow too */
	handler = gsl_set_error_handler_off();
	start = fmax(ceil(n * gsl_cdf_ugaussian_Qinv(0.5 * probability) - 0.5), 0.0);
	if (n < 0x1p40 && start < 0x1p53)
	{
		r = dps_to_int64(start);
		while (gaussian_beyond(n, (double) r) > probability)
			r++;
		while (r > 0 && gaussian_beyond(n, (double) (r - 1)) <= probability)
			r--;
		start = (double) r;
	}
	gsl_set_error_handler(handler);
	return start;
}

/* A sum of normal variables is one. */
static double
gaussian_beyond_two(double a, double b, double r)
{
	double		deviation = hypot(a, b);

	if (deviation == 0.0)
		return r > 0.0 ? 0.0 : 1.0;
	return erfc(r / deviation * M_SQRT1_2);
}

/*
 * n, but for a relative 4 pi^2 n^2 e^(-2 pi^2 n^2) by Poisson summation: 1e-7 at
 * n = 1, below a double's precision from n = 2 on.
 */
static double
gaussian_deviation(uint64_t scale, uint64_t step)
{
	double		sum = 0.5;
	double		squares = 0;

	(void) step;
	if (scale > 1)
		return (double) scale;
	for (int i = 1; i <= 39; i++)
	{
		double		z = i;

		sum += gaussian_weight(z, 1);
		squares += z * z * gaussian_weight(z, 1);
	}
	return sqrt(squares / sum);
}

static void
gaussian_loss(uint64_t scale, uint64_t step, uint64_t sensitivity, DpsLoss *loss)
{
	(void) step;
	loss->epsilon = INFINITY;
	loss->rho = dps_gaussian_rho(scale, sensitivity);
	loss->delta = 0.0;
}

static double
gaussian_rdp(double alpha, uint64_t scale, uint64_t step, uint64_t sensitivity)
{
	(void) step;
	return dps_rdp_gaussian(alpha, scale, sensitivity);
}

const DpsMechanism dps_gaussian = {
	.name = "gaussian",
	.norm = 2,
	.uses_delta = true,
	.calibrate = gaussian_calibrate,
	.draw = gaussian_draw,
	.tail = gaussian_tail,
	.beyond = gaussian_beyond_two,
	.deviation = gaussian_deviation,
	.loss = gaussian_loss,
	.rdp = gaussian_rdp,
};
