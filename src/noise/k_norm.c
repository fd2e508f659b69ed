/*
 * k_norm.c
 *		The K-norm mechanism for a box: noise for several integers at once.
 *
 * Precondition: for neighbouring data the released integers differ by |v_i| <= S w_i for all i of a box, w its widths;
 * where a unit moves several such vectors, each with a draw of its own, by S_k in the k-th, sum S_k <= S.
 *
 * Mechanism (Hardt and Talwar 2010, for K a box; here in integers).  B_r, r = 1, 2, ..., is the set of z with
 * -r w_i < z_i <= r w_i for all i, of r^n prod 2 w_i points.  A radius r is drawn with P(r) proportional to
 * r^n q^r, q = exp(-1/t), and z uniformly in B_r.
 *
 * Postcondition: the release is S / t-DP.
 *
 * Proof.  P(z) = sum_(r: z in B_r) P(r) / |B_r| is proportional to sum_(r >= N(z)) q^r, so to q^N(z), with N(z) the least
 * r for which z is in B_r.  If |v_i| <= S w_i, z in B_r implies z + v in B_(r + S), so N(z + v) <= N(z) + S, and
 * P(z) <= e^(S/t) P(z + v).  Vectors with independent draws compose by adding.
 *
 * Exact: r - 1 = k is the sum of n + 1 independent numbers with P(k) = (1 - q) q^k, so P(k) is proportional to
 * (k + 1) ... (k + n) q^k; it is accepted with probability prod_(i = 2 ... n) (k + 1) / (k + i), which leaves
 * (k + 1)^n q^k.  At scales far above n nearly all are.
 *
 * The loss of some outcomes is that of randomised response, as far as we know: its rho is that of any epsilon-DP
 * mechanism.  It is worth while where noise in the 1-norm is for the sum of all moves: of n integers
 * that move by 1 each, that has a variance of 2 n^2 / epsilon^2 in each, and this (n + 1) (n + 2) / 3 epsilon^2.
 *
 * In the continuous law Z_i = R U w_i, R of the gamma distribution of shape n + 1 and scale t, U uniform in [-1, 1]:
 * P(|Z_i| > x) = Q(n + 1, y) - y Q(n, y) / n, y = x / (t w_i), and E Z_i^2 = (t w_i)^2 (n + 1) (n + 2) / 3.
 *
 * Two integers.  Their sum with weights is R (a U + b V), U and V independent, for one radius R of scale 1; let a >= b > 0.
 * |a U + b V| exceeds s with probability 1 - s / a up to s = a - b, then (a + b - s)^2 / 4 a b, and never from a + b on.  So of s =
 * x / R, with E [R^-1; R > c] = Q(n, c) / n and E [R^-2; R > c] = Q(n - 1, c) / n (n - 1), l = x / (a + b) and h = x / (a - b),
 *
 *		P(|R (a U + b V)| > x) = Q(n + 1, h) - x / a Q(n, h) / n
 *			+ ((a + b)^2 D(n + 1) - 2 (a + b) x D(n) / n + x^2 D(n - 1) / n (n - 1)) / 4 a b,	D(k) = Q(k, l) - Q(k, h).
 *
 * The law of the two together is log-concave, as its density falls with a norm and its marginals then are (Prekopa 1973); and what
 * of several such sums, that share one integer, each is less than a bound of its own all are with the product of the probabilities
 * at least: given R and |V| they are independent, each with a probability that falls with both, and so by Harris's inequality (1960).
 */
#include <math.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>

#include "base/once.h"
#include "noise/k_norm.h"
#include "noise/sample.h"
#include "num/whole.h"

DpsStatus
dps_box_make(int n, const uint64_t *moves, DpsNoiseBox *box, uint64_t *steps)
{
	uint64_t	most = 0;
	int			step_bits = 0;

	if (n < 1 || n > DPS_MAX_BOX)
		return DPS_DOMAIN;
	for (int i = 0; i < n; i++)
		most = dps_max(most, moves[i]);
	if (most == 0 || most > UINT64_C(1) << 61)
		return DPS_DOMAIN;
	memset(box, 0, sizeof(*box));
	box->n = n;
	/* of few units there are as many for the widths, which are rounded up, as for the steps */
	while (step_bits < DPS_BOX_BITS && most >> (2 * step_bits + 2) != 0)
		step_bits++;
	while ((most - 1) >> box->bits >= UINT64_C(1) << step_bits)
		box->bits++;
	*steps = dps_whole_ratio(most, UINT64_C(1) << box->bits);
	for (int i = 0; i < n; i++)
		box->width[i] = dps_max(dps_whole_ratio(moves[i], *steps), 1);
	return DPS_OK;
}

uint64_t
dps_box_norm(const DpsNoiseBox *box, const uint64_t *moves)
{
	uint64_t	norm = 0;

	for (int i = 0; i < box->n; i++)
		norm = dps_max(norm, box->width[i] == 0 ? (moves[i] == 0 ? 0 : UINT64_MAX) : dps_whole_ratio(moves[i], box->width[i]));
	return norm;
}

/* True with probability 1 / (1 + (i - 1) / (k + 1)). */
static DpsStatus
keeps(DpsRandom *random, uint64_t k, uint64_t i, bool *result)
{
	uint64_t	place;

	DPS_TRY(dps_random_below(random, k + i, &place));
	*result = place <= k;
	return DPS_OK;
}

/* r - 1, below 2^63 but for a source of improbable bits: then DPS_UNABLE. */
static DpsStatus
draw_radius(DpsRandom *random, int n, uint64_t scale, uint64_t *k)
{
	for (;;)
	{
		unsigned __int128 sum = 0;
		bool		kept = true;

		for (int i = 0; i <= n; i++)
		{
			unsigned __int128 one;

			DPS_TRY(dps_sample_geometric(random, scale, &one));
			sum += one;
		}
		if (sum >> 62 != 0)
			return DPS_UNABLE;
		for (int i = 2; i <= n && kept; i++)
			DPS_TRY(keeps(random, (uint64_t) sum, (uint64_t) i, &kept));
		if (!kept)
			continue;
		*k = (uint64_t) sum;
		return DPS_OK;
	}
}

/* Uniform in 0 ... 2 r w - 1: a number below 2 r, and of its w parts one. */
static DpsStatus
draw_place(DpsRandom *random, uint64_t r, uint64_t width, unsigned __int128 *place)
{
	uint64_t	part;
	uint64_t	rest;

	DPS_TRY(dps_random_below(random, 2 * r, &part));
	DPS_TRY(dps_random_below(random, width, &rest));
	*place = (unsigned __int128) part * width + rest;
	return DPS_OK;
}

DpsStatus
dps_k_norm_draw(DpsRandom *random, const DpsNoiseBox *box, uint64_t scale, __int128 *noise)
{
	uint64_t	k;

	if (box->n < 1 || box->n > DPS_MAX_BOX || scale == 0 || scale >= DPS_BOX_SCALE_LIMIT)
		return DPS_DOMAIN;
	DPS_TRY(draw_radius(random, box->n, scale, &k));
	for (int i = 0; i < box->n; i++)
	{
		unsigned __int128 place;

		if (box->width[i] == 0 || box->width[i] > UINT64_C(1) << 61)
			return DPS_DOMAIN;
		DPS_TRY(draw_place(random, k + 1, box->width[i], &place));
		noise[i] = (__int128) place - (__int128) (k + 1) * box->width[i] + 1;
	}
	return DPS_OK;
}

/* Q(a, y), which is nothing far out: GSL calls that an underflow, for which its own handler ends the process. */
static double
gamma_beyond(double a, double y)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_sf_result result;
	int			status = gsl_sf_gamma_inc_Q_e(a, y, &result);

	gsl_set_error_handler(handler);
	if (status == GSL_EUNDRFLW)
		return 0.0;
	return status == GSL_SUCCESS ? result.val : NAN;
}

static double
beyond(int n, double y)
{
	return gamma_beyond(n + 1, y) - y / n * gamma_beyond(n, y);
}

/* The probability falls as y grows; half of the interval at a time. */
double
dps_k_norm_tail(int n, double scale, double probability)
{
	double		low = 0.0;
	double		high = 1.0;

	if (!(probability > 0.0))
		return INFINITY;
	if (probability >= 1.0)
		return 0.0;
	while (high < 1e6 && beyond(n, high) > probability)
		high *= 2.0;
	while (high - low > 1e-9 * high)
	{
		double		middle = low / 2.0 + high / 2.0;

		if (beyond(n, middle) > probability)
			low = middle;
		else
			high = middle;
	}
	return high * scale;
}

double
dps_k_norm_beyond(int n, double a, double b, double r)
{
	double		more = fmax(a, b);
	double		less = fmin(a, b);
	double		low = r / (more + less);
	double		high = r / (more - less);
	double		change[3];
	double		result;

	if (!(more > 0.0))
		return r > 0.0 ? 0.0 : 1.0;
	if (!(r > 0.0))
		return 1.0;
	/* of one integer, or nearly so: no more than if both were in one place */
	if (n < 2 || less < 1e-6 * more)
		return beyond(n, low);
	/* beyond any radius */
	high = isfinite(high) ? fmin(high, 1e4) : 1e4;
	low = fmin(low, 1e4);
	for (int i = 0; i < 3; i++)
		change[i] = gamma_beyond(n + 1 - i, low) - gamma_beyond(n + 1 - i, high);
	result = gamma_beyond(n + 1, high) - r / more * gamma_beyond(n, high) / n +
		((more + less) * (more + less) * change[0] - 2.0 * (more + less) * r * change[1] / n +
		 r * r * change[2] / (n * (n - 1.0))) / (4.0 * more * less);
	return fmin(fmax(result, 0.0), 1.0);
}

double
dps_k_norm_tail_of_two(int n, double a, double b, double probability)
{
	double		low = 0.0;
	double		high = a + b;

	if (!(probability > 0.0))
		return INFINITY;
	if (probability >= 1.0 || !(high > 0.0))
		return 0.0;
	while (high < 1e6 * (a + b) && dps_k_norm_beyond(n, a, b, high) > probability)
		high *= 2.0;
	while (high - low > 1e-9 * high)
	{
		double		middle = low / 2.0 + high / 2.0;

		if (dps_k_norm_beyond(n, a, b, middle) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double
dps_k_norm_deviation(int n, double scale)
{
	return scale * sqrt((n + 1.0) * (n + 2.0) / 3.0);
}

static DpsStatus
k_norm_calibrate(const DpsTarget *target, uint64_t sensitivity, uint64_t *scale)
{
	DPS_TRY(dps_pure_scale(target, sensitivity, scale));
	return *scale < DPS_BOX_SCALE_LIMIT ? DPS_OK : DPS_UNABLE;
}

const DpsMechanism dps_k_norm = {
	.name = "k_norm",
	.norm = 1,
	.uses_delta = false,
	.calibrate = k_norm_calibrate,
	.loss = dps_pure_loss,
};
