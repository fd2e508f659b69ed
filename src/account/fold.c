/*
 * fold.c
 *		Many Gaussian releases as one continuous Gaussian.
 *
 * Precondition: each release adds independent discrete Gaussian noise of the recorded
 * scale to integers that neighbours change by at most the sensitivity in the 2-norm.
 * Postcondition: the inequality in fold.h.
 *
 * Proof.  Number the coordinates of all releases by
 * i; neighbours differ by whole numbers v_i, and the releases' norms are at most
 * D.  Add independent uniform noise on [-1/2, 1/2] to every coordinate: rounding
 * takes it away again, so nothing is gained or lost.  Then the density at
 * x = k + u, with k whole and |u_i| <= 1/2, is U_0(x) = prod e^(-k_i^2/2N_i^2) / Z_i,
 * and that of the neighbour is U_v(x) = U_0(x - v).  Let C_0 and C_v be the
 * densities of continuous Gaussian noise.  As sqrt(2 pi) N <= Z <= sqrt(2 pi) N + 1
 * (Poisson summation; a sum over whole numbers is at most integral plus
 * maximum), and |x_i^2 - k_i^2| <= |k_i| + 1/4,
 *		|ln U_0/C_0| <= sum (|k_i| + 1/4) / 2N_i^2 + 0.4 / N_i.
 * Let G be the set where all |k_i| <= R_i = ceil(r N_i).  There this is at most
 * eta = (r/2 + 1.1) sum 1/N_i, and |ln U_v/C_v|, where k_i - v_i stands for k_i,
 * at most eta + sum |v_i| / 2N_i^2.  Outside G U_0 has at most
 * sum 2 P(N(0,1) > r), as the sum over k > R of e^(-k^2/2N^2) is at most the
 * integral from R on and Z >= sqrt(2 pi) N.  For any event S, with P, Q the other releases under the two
 * neighbours,
 *		U_0 P(S) <= e^eta C_0 P(S in G) + tail
 *				 <= e^eta (e^epsilon C_v Q(S in G) + delta_C(epsilon)) + tail
 *				 <= e^(epsilon + shift) U_v Q(S) + e^eta delta_C(epsilon) + tail,
 * shift = 2 eta + sum |v_i| / 2N_i^2.  By rotation C_0 against C_v is N(0, 1)
 * against N(|v/N|, 1), which gets harder to hide as |v/N| <= mu grows.  Within one
 * release of d coordinates |v|_1 <= sqrt(d) D.
 *
 * Steps of training.  They are many, and move many integers, so that eta above would not be small.  Let n = 2,
 * s^2 = N^2 - n^2, N >= 3, and round a y of N(v, s^2), v whole, to a whole number k with the probability
 * e^(-(k - y)^2 / 2n^2) / Z(y), where Z(y) is the sum of these over all k.  By Poisson summation
 *		Z(y) = sqrt(2 pi) n (1 + 2 sum over j >= 1 of e^(-2 pi^2 n^2 j^2) cos(2 pi j y)),
 * which is sqrt(2 pi) n up to a factor between 1 - a and 1 + a, a = 2.1 e^(-8 pi^2) < 2^-112.  The normal laws
 * of y and of k - y add up to that of variance N^2, so k has the probability
 *		integral of n_s(y - v) e^(-(k - y)^2 / 2n^2) / Z(y)  =  n_N(k - v) up to 1/(1 - a) and 1/(1 + a),
 * n_s and n_N the normal densities; and the discrete noise has n_N(k - v) / A, 1 <= A <= 1 + a, A the sum of
 * n_N over all whole numbers.  So the discrete noise on v is continuous noise of scale s on v, rounded, up to a factor
 * between e^-c and e^c for every k, c = ln((1 + a) / (1 - a)) < 2^-110, whatever v is (the sum of two discrete Gaussians is
 * nearly one, too: Peikert 2010, Theorem 3.1).
 * Coordinates have their factors multiplied.  Given the sample of the others and the outcomes before, a step with the row
 * is a mixture of the noise on 0 and on v, and without it the noise on 0: the same rounding, which does not know of v, makes
 * these of the continuous mixture and of the continuous noise, up to that factor.  So P <= e^c P' and
 * Q' <= e^c Q for the laws P, Q of all steps and P', Q' of all rounded ones, c summed over steps and coordinates; in either
 * direction
 *		P(S) <= e^c P'(S) <= e^c (e^epsilon Q'(S) + delta_C(epsilon)) <= e^(epsilon + 2c) Q(S) + e^c delta_C(epsilon),
 * where P' and Q' are post-processed continuous steps, of sensitivity D and scale s.  eta has c more, and the shift 2c.
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"
#include "account/fold.h"
#include "num/rational.h"

/* The tail is to be this much smaller than delta. */
#define TAIL_PART 0x1p-20

/* n^2, and c of one coordinate of one step. */
#define ROUNDING_SQUARE 4.0
#define ROUNDING_RATIO 0x1p-110

void
dps_fold_add(DpsFold *fold, const DpsPastRelease *release)
{
	double		count = dps_count_up(release->count);
	double		width = dps_count_up(release->coordinates);
	double		mu = dps_ratio_up(release->sensitivity, release->scale);
	double		inverse = dps_ratio_up(1, release->scale);
	double		move = dps_mul_up(dps_sqrt_up(width), dps_mul_up(mu, 0.5 * inverse));

	fold->mu_squared = dps_add_up(fold->mu_squared, dps_mul_up(count, dps_mul_up(mu, mu)));
	fold->coordinates = dps_add_up(fold->coordinates, dps_mul_up(count, width));
	fold->inverse_scale = dps_add_up(fold->inverse_scale,
									 dps_mul_up(dps_mul_up(count, width), inverse));
	fold->half_move = dps_add_up(fold->half_move, dps_mul_up(count, move));
}

/* D / s = D / N / sqrt(1 - n^2/N^2) */
double
dps_fold_step_mu(uint64_t scale, uint64_t sensitivity)
{
	double		inverse = dps_ratio_up(1, scale);
	double		part = dps_mul_up(ROUNDING_SQUARE, dps_mul_up(inverse, inverse));

	if (scale < 3)
		return INFINITY;
	return dps_div_up(dps_ratio_up(sensitivity, scale), dps_sqrt_down(dps_sub_down(1.0, part)));
}

void
dps_fold_add_rounding(DpsFold *fold, const DpsPastRelease *release)
{
	double		steps = dps_mul_up(dps_count_up(release->count), dps_count_up(release->steps));
	double		moved = dps_mul_up(steps, dps_count_up(release->coordinates));

	fold->rounded = dps_add_up(fold->rounded, dps_mul_up(moved, ROUNDING_RATIO));
}

void
dps_fold_add_steps(DpsFold *fold, const DpsPastRelease *release)
{
	double		steps = dps_mul_up(dps_count_up(release->count), dps_count_up(release->steps));
	double		mu = dps_fold_step_mu(release->scale, release->sensitivity);

	fold->mu_squared = dps_add_up(fold->mu_squared, dps_mul_up(steps, dps_mul_up(mu, mu)));
	dps_fold_add_rounding(fold, release);
}

void
dps_fold_finish(const DpsFold *fold, double delta, DpsFolded *folded)
{
	double		r = sqrt(2.0 * log(fmax(fold->coordinates, 1.0) / (delta * TAIL_PART)));
	double		eta;

	folded->mu = dps_sqrt_up(fold->mu_squared);
	eta = dps_add_up(dps_mul_up(dps_add_up(0.5 * r, 1.1), fold->inverse_scale), fold->rounded);
	folded->shift = dps_add_up(dps_mul_up(2.0, eta), fold->half_move);
	folded->factor = dps_iv_exp(dps_point(eta)).hi;
	folded->tail = dps_mul_up(dps_mul_up(2.0, fold->coordinates),
							  dps_gaussian_tail(dps_point(r)).hi);
}
