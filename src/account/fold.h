/*
 * fold.h
 *		Many Gaussian releases as one continuous Gaussian.
 *
 * The history's Gaussian releases together are dominated by N(0, 1) against
 * N(mu, 1) up to a shift of the loss, a factor and a term of delta:
 *		delta(epsilon + shift) <= factor * delta_continuous(epsilon) + tail,
 * also beside any other independent releases.  The shift is about
 * 2 (r/2 + 1.1) * sum of 1/N: nothing at the scales of 2^30 and more that the grid
 * gives, and much at a scale of 10.  Of the steps of training, which are many and move
 * many integers, mu is larger by a factor of 1 + 2/N^2 instead, and nothing else is.
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
	double		rounded;		/* logarithm of a ratio, of steps of training */
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

/* The mu of continuous noise that is rounded to the discrete noise of a step of training; Infinity for a scale
 * below 3. */
extern double dps_fold_step_mu(uint64_t scale, uint64_t sensitivity);

/* Adds what rounding is off from the discrete noise of steps of training, of all its count; their losses, of
 * that mu, are apart (accountant/loss_sampled.c), and delta_continuous is that of both. */
extern void dps_fold_add_rounding(DpsFold *fold, const DpsPastRelease *release);

/* Adds steps in which everybody takes part, losses and rounding. */
extern void dps_fold_add_steps(DpsFold *fold, const DpsPastRelease *release);

/* With a tail that is small against this delta, in (0, 1). */
extern void dps_fold_finish(const DpsFold *fold, double delta, DpsFolded *folded);

#endif							/* DPS_ACCOUNT_FOLD_H */
