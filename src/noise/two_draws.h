/*
 * two_draws.h
 *		Intervals of functions of two noised integers, or of several of one scale.
 *
 * For people, as tails are: nothing here decides a draw or a charge.
 */
#ifndef DPS_NOISE_TWO_DRAWS_H
#define DPS_NOISE_TWO_DRAWS_H

#include "noise/mechanism.h"

/*
 * The form (constant[0] + slope[0] m) x[0] + (constant[1] + slope[1] m) x[1], which is 0 at the
 * m that is wanted if x are the integers without noise; with their released values, and the
 * scales of their noise, 0 for none.  A quotient x[0] / x[1] has the constants 1, 0 and the
 * slopes 0, -1.
 */
typedef struct DpsNoisedForm
{
	const DpsMechanism *mechanism;
	double		constant[2];
	double		slope[2];
	double		value[2];
	uint64_t	scale[2];
	int			box;			/* of one K-norm draw for so many integers (k_norm.h); 0: of two draws of the
								 * mechanism */
} DpsNoisedForm;

/*
 * The ends of an interval within [lo, hi] that contains m, if m is in [lo, hi], except with
 * probability `miss`; all of [lo, hi] if the noise leaves open whether the form falls as m
 * grows.
 */
extern void dps_noised_root(const DpsNoisedForm *form, double miss, double lo, double hi, double *lower, double *upper);

/* Smallest r with P(|X + Y| > r) <= probability, to a relative 1e-6, for two draws of these scales. */
extern double dps_tail_of_two(const DpsMechanism *mechanism, uint64_t scale, uint64_t other_scale, double probability);

/* The same for two draws of discrete Laplace noise of one scale, in steps of more than 1. */
extern double dps_tail_of_steps(uint64_t scale, uint64_t step, double probability);

/* The probability with which each of n intervals may miss so that all hold with a probability of 1
 * - miss, if their draws are independent, or share one more draw (two_draws.c). */
extern double dps_miss_of_each(double miss, int n);

#endif							/* DPS_NOISE_TWO_DRAWS_H */
