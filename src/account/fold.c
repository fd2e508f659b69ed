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
 * Steps on samples.  Given the sample of the others and the outcomes before, a step with the row is a
 * mixture of U_0 and U_v, and without it U_0; either may come first.  With R_i = ceil(r N_i) + |v_i|
 * what lies outside of G has the same bound under both, and in G |ln U_0/C_0| and |ln U_v/C_v| are at most
 * (r/2 + 1.1) / N_i + 2 |v_i| / 2N_i^2 for each coordinate; so are the mixtures' ratios, step by step.  So the
 * inequalities above hold in both directions, where eta has twice the steps' sum of |v_i| / 2N_i^2 more, the
 * shift is 2 eta, and C_0 and C_v stand for the continuous mixtures.
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"
#include "account/fold.h"
#include "num/rational.h"

/* The tail is to be this much smaller than delta. */
#define TAIL_PART 0x1p-20

/* What it is off from continuous noise; returns the sum of moves. */
static double
add_noise(DpsFold *fold, const DpsPastRelease *release, double count)
{
	double		width = dps_count_up(release->coordinates);
	double		mu = dps_ratio_up(release->sensitivity, release->scale);
	double		inverse = dps_ratio_up(1, release->scale);
	double		move = dps_mul_up(dps_sqrt_up(width), dps_mul_up(mu, 0.5 * inverse));

	fold->coordinates = dps_add_up(fold->coordinates, dps_mul_up(count, width));
	fold->inverse_scale = dps_add_up(fold->inverse_scale,
									 dps_mul_up(dps_mul_up(count, width), inverse));
	return dps_mul_up(count, move);
}

void
dps_fold_add(DpsFold *fold, const DpsPastRelease *release)
{
	double		count = dps_count_up(release->count);
	double		mu = dps_ratio_up(release->sensitivity, release->scale);

	fold->mu_squared = dps_add_up(fold->mu_squared, dps_mul_up(count, dps_mul_up(mu, mu)));
	fold->half_move = dps_add_up(fold->half_move, add_noise(fold, release, count));
}

void
dps_fold_add_sampled(DpsFold *fold, const DpsPastRelease *release)
{
	double		count = dps_mul_up(dps_count_up(release->count), dps_count_up(release->steps));

	fold->sampled_move = dps_add_up(fold->sampled_move, add_noise(fold, release, count));
}

void
dps_fold_finish(const DpsFold *fold, double delta, DpsFolded *folded)
{
	double		r = sqrt(2.0 * log(fmax(fold->coordinates, 1.0) / (delta * TAIL_PART)));
	double		eta;

	folded->mu = dps_sqrt_up(fold->mu_squared);
	eta = dps_add_up(dps_mul_up(dps_add_up(0.5 * r, 1.1), fold->inverse_scale), 2.0 * fold->sampled_move);
	folded->shift = dps_add_up(dps_mul_up(2.0, eta), fold->half_move);
	folded->factor = dps_iv_exp(dps_point(eta)).hi;
	folded->tail = dps_mul_up(dps_mul_up(2.0, fold->coordinates),
							  dps_gaussian_tail(dps_point(r)).hi);
}
