/*
 * account.h
 *		Privacy losses: what noise costs, and conversions between pure DP, zCDP,
 *		Renyi DP and (epsilon, delta)-DP.
 *
 * Every figure is rounded toward more loss: losses up, what a budget allows
 * down.  A function with no status maps arguments outside its range, NaN
 * included, to the worst loss there is (Infinity, or delta = 1), never to a
 * small one.  Scales and sensitivities are whole numbers of grid units; the
 * statements hold for every shift up to the sensitivity.
 */
#ifndef DPS_ACCOUNT_ACCOUNT_H
#define DPS_ACCOUNT_ACCOUNT_H

#include <stdint.h>

#include "base/status.h"

/* zcdp.c: zero-concentrated DP. */

/* The rho of any mechanism that is epsilon-DP. */
extern double dps_pure_rho(double epsilon);

/* The rho of discrete Laplace noise in steps (1: none), on one integer or several, multiples
 * of the step, that move by the sensitivity in the 1-norm. */
extern double dps_laplace_rho(uint64_t scale, uint64_t step, uint64_t sensitivity);

/* The rho of an exponential mechanism of bounded range epsilon: epsilon^2 / 8
 * (noise/exponential.c), or that of any epsilon-DP mechanism if that is less. */
extern double dps_choice_rho(double epsilon);

/* The rho of discrete Gaussian noise: sensitivity^2 / 2 scale^2. */
extern double dps_gaussian_rho(uint64_t scale, uint64_t sensitivity);

/* An epsilon such that rho-zCDP implies (epsilon, delta)-DP; minimal up to the
 * search over orders, rounded up.  DPS_DOMAIN unless rho >= 0 is finite and
 * 0 < delta < 1. */
extern DPS_MUST_USE DpsStatus dps_zcdp_epsilon(double rho, double delta, double *epsilon);

/* A rho >= 0 such that rho-zCDP implies (epsilon, delta)-DP; maximal up to the
 * search over orders, rounded down.  DPS_DOMAIN unless epsilon >= 0 is finite
 * and 0 < delta < 1. */
extern DPS_MUST_USE DpsStatus dps_zcdp_rho(double epsilon, double delta, double *rho);

/* The order > 1 at which dps_zcdp_rho converts; and the rho >= 0 at a given order: a Renyi loss of at most order times
 * that rho implies (epsilon, delta)-DP, rounded down.  DPS_DOMAIN as for dps_zcdp_rho, or unless 1 < order is finite. */
extern double dps_zcdp_order(double epsilon, double delta);
extern DPS_MUST_USE DpsStatus dps_rdp_rho(double order, double epsilon, double delta, double *rho);

/* odometer.c: what releases of this rho together have cost, an epsilon that holds at all times at
 * once but with probability delta.  DPS_DOMAIN unless rho >= 0 and 0 < delta < 1. */
extern DPS_MUST_USE DpsStatus dps_odometer_epsilon(double rho, double delta, double *epsilon);

/* rdp.c: Renyi DP at one order alpha > 1. */

/* An epsilon such that (alpha, rdp)-RDP implies (epsilon, delta)-DP.
 * DPS_DOMAIN unless 1 < alpha, 0 <= rdp, both finite, and 0 < delta < 1. */
extern DPS_MUST_USE DpsStatus dps_rdp_epsilon(double alpha, double rdp, double delta, double *epsilon);

/* Renyi divergence of order alpha > 1 between the noise and the noise shifted
 * by the sensitivity.  For the Laplace distribution alpha may be Infinity.
 * dps_rdp_geometric: of discrete Laplace noise in steps, for integers that are multiples
 * of the step, too; at a step of the sensitivity or more it is that of randomised response,
 * which bounds every mechanism of epsilon sensitivity / scale. */
extern double dps_rdp_gaussian(double alpha, uint64_t scale, uint64_t sensitivity);
extern double dps_rdp_laplace(double alpha, uint64_t scale, uint64_t sensitivity);
extern double dps_rdp_geometric(double alpha, uint64_t scale, uint64_t step, uint64_t sensitivity);

/* subsampled.c: Gaussian noise on a secret Poisson sample of this rate, under
 * add_remove. */

#define DPS_SUBSAMPLED_ORDER_MAX 256

/* Renyi divergence of whole order 2 ... DPS_SUBSAMPLED_ORDER_MAX; the norm of
 * several integers may be the sensitivity. */
extern double dps_rdp_subsampled(unsigned order, double rate, uint64_t scale, uint64_t sensitivity);

/* sampled.c: an epsilon for so many steps, at the best order.  DPS_DOMAIN unless
 * 0 <= rate <= 1, scale >= 1 and 0 < delta < 1. */
extern DPS_MUST_USE DpsStatus dps_subsampled_epsilon(double rate, uint64_t scale,
													 uint64_t sensitivity, uint64_t steps,
													 double delta, double *epsilon);

/* gaussian_profile.c: delta of Gaussian noise as a function of epsilon >= 0. */

/* Continuous noise with standard deviation sensitivity / mu, exactly. */
extern double dps_gaussian_delta(double mu, double epsilon);

/* Discrete Gaussian noise of this scale. */
extern double dps_discrete_gaussian_delta(uint64_t scale, uint64_t sensitivity, double epsilon);

#endif							/* DPS_ACCOUNT_ACCOUNT_H */
