/*
 * odometer.c
 *		What releases have cost so far, at every time at once.
 *
 * Precondition: releases are chosen by looking at earlier answers, each of a cost that is known
 * before it is answered: rho of zero-concentrated DP, up to a delta of its own; and who reads the odometer
 * stops when they like, by what they have seen.
 * Postcondition: with epsilon(rho) this function at a delta, rho and d the sums of what was charged when
 * it is stopped, and S any set of transcripts at the end of which epsilon(rho) <= e and d <= d0,
 *		P(S) <= e^e Q(S) + delta + d0
 * for neighbours P and Q and all numbers e and d0 together: so it is no guarantee of one time alone.
 *
 * Proof.  A release is P_i = (1 - d_i) P'_i + d_i P''_i, and Q_i likewise, given the past, with P'_i and Q'_i of
 * Renyi divergence a rho_i at most for every order a > 1 (accountant/compose.c).  Let L be the sum of ln P'_i/Q'_i,
 * and P' the law of transcripts that are drawn by P'_i alone.  For every l > 0, with a = 1 + l,
 *		M_l = e^(l L - l (1 + l) rho)
 * is a supermartingale under P' that begins at 1, whatever is asked next.  So at some time M_l >= J / delta with
 * probability delta / J at most (Ville's inequality), and for J of them with delta at most for any.  Otherwise,
 * at all times,
 *		L < epsilon(rho) = min over l of (1 + l) rho + ln(J / delta) / l.
 * Let c be the product of 1 - d_i, which follows from the transcript, so that P >= c P' and Q >= c Q'.  In S,
 * c P' is at most e^e c Q' <= e^e Q but for a set of mass delta, and P beyond c P' is what has a P''_i in
 * it: d0 at most, the expected sum of the d_i until the first that would pass d0.
 *
 * (Rogers, Roth, Ullman and Vadhan 2016 define odometers; Whitehouse, Ramdas, Rogers and Wu 2023 have mixtures
 * over all l for zCDP.)  One more bound is as good at all times: the sum of pure epsilon while d = 0.
 */
#include <math.h>

#include "account/account.h"
#include "account/elementary.h"

/* Powers of two from the first to the last, and about sqrt(2) times each. */
#define FIRST_POWER (-8)
#define LAST_POWER 12
#define RATES (2 * (LAST_POWER - FIRST_POWER + 1))
#define SQRT_2 1.4140625

DpsStatus
dps_odometer_epsilon(double rho, double delta, double *epsilon)
{
	double		best = INFINITY;
	double		log_odds;

	if (!(rho >= 0.0 && delta > 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	if (rho == 0.0)
	{
		/* the laws are equal */
		*epsilon = 0.0;
		return DPS_OK;
	}
	log_odds = dps_iv_sub(dps_iv_ln(dps_point(RATES)), dps_iv_ln(dps_point(delta))).hi;
	for (int i = 0; i < RATES; i++)
	{
		double		rate = ldexp(i % 2 == 0 ? 1.0 : SQRT_2, FIRST_POWER + i / 2);

		best = fmin(best, dps_add_up(dps_mul_up(dps_add_up(1.0, rate), rho), dps_div_up(log_odds, rate)));
	}
	if (!(best < INFINITY))
		return DPS_UNABLE;
	*epsilon = best;
	return DPS_OK;
}
