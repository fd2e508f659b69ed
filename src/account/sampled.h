/*
 * sampled.h
 *		Many steps of Gaussian noise on secret Poisson samples, as one release.
 *
 * The Renyi losses of a step are computed once; the cost of many steps, alone
 * and with other releases, follows from them.
 */
#ifndef DPS_ACCOUNT_SAMPLED_H
#define DPS_ACCOUNT_SAMPLED_H

#include "account/account.h"

/* The cost of one step, every figure rounded up. */
typedef struct DpsSampledStep
{
	double		orders[DPS_SUBSAMPLED_ORDER_MAX + 1];	/* Renyi loss of the
														 * order, from 2 */
	double		low;			/* the loss is at most low * alpha for alpha <= 2 */
	double		full;			/* and full * alpha for any alpha */
} DpsSampledStep;

/* Infinite losses for arguments out of the range of dps_rdp_subsampled. */
extern void dps_sampled_step(double rate, uint64_t scale, uint64_t sensitivity, DpsSampledStep *step);

/* Renyi loss of any order alpha > 1 of one step. */
extern double dps_sampled_rdp(const DpsSampledStep *step, double alpha);

/* The same without the losses of all orders. */
extern double dps_sampled_rdp_at(double alpha, double rate, uint64_t scale, uint64_t sensitivity);

/* An epsilon such that so many steps are (epsilon, delta)-DP.  DPS_DOMAIN unless
 * 0 < delta < 1; DPS_UNABLE if there is none. */
extern DPS_MUST_USE DpsStatus dps_sampled_epsilon(const DpsSampledStep *step, uint64_t steps, double delta,
												  double *epsilon);

/* A rho such that so many steps are delta-approximately rho-zCDP, delta > 0;
 * Infinity if there is none. */
extern double dps_sampled_rho(const DpsSampledStep *step, uint64_t steps, double delta);

#endif							/* DPS_ACCOUNT_SAMPLED_H */
