/*
 * fold.h
 *		Many Gaussian releases as one continuous Gaussian.
 *
 * The history's Gaussian releases together are dominated by N(0, 1) against
 * N(mu, 1) up to a shift of the loss, a factor and a term of delta:
 *		delta(epsilon + shift) <= factor * delta_continuous(epsilon) + tail,
 * also beside any other independent releases.  The shift is about
 * 2 (r/2 + 1.1) * sum of 1/N: nothing at the scales of 2^30 and more that the grid
 * gives, and much at a scale of 10.
 */
#ifndef DPS_ACCOUNT_FOLD_H
#define DPS_ACCOUNT_FOLD_H

#include "account/history.h"

/* Sums over the releases, each rounded up; all 0 at the beginning. */
typedef struct DpsFold
{
	double		mu_squared;		/* D^2 / N^2 */
	double		coordinates;
	double		inverse_scale;	/* 1 / N, of each coordinate */
	double		half_move;		/* at least |v|_1 / 2N^2 for moves v of norm D */
	double		sampled_move;	/* the same of steps on samples */
} DpsFold;

/* What the sums amount to, each figure rounded up. */
typedef struct DpsFolded
{
	double		mu;
	double		shift;
	double		factor;
	double		tail;
} DpsFolded;

/* Adds a release of discrete Gaussian noise, all its count. */
extern void dps_fold_add(DpsFold *fold, const DpsPastRelease *release);

/* Adds what the noise of steps on samples is off from continuous noise, of all its count; their losses are
 * apart (accountant/loss_sampled.c), and delta_continuous is that of both. */
extern void dps_fold_add_sampled(DpsFold *fold, const DpsPastRelease *release);

/* With a tail that is small against this delta, in (0, 1). */
extern void dps_fold_finish(const DpsFold *fold, double delta, DpsFolded *folded);

#endif							/* DPS_ACCOUNT_FOLD_H */
