/*
 * steps_cost.h
 *		What a run of training costs by itself, and the noise for a cost (dpsens.training_epsilon, and what
 *		dpsens.train makes of epsilon and noise_multiplier).
 *
 * A run is many steps of discrete Gaussian noise, on everybody or on secret Poisson samples,
 * between databases that differ by one unit as sampled.h has it.
 */
#ifndef DPS_ACCOUNT_ACCOUNTANT_STEPS_COST_H
#define DPS_ACCOUNT_ACCOUNTANT_STEPS_COST_H

#include <stdint.h>

#include "base/host.h"
#include "base/status.h"

typedef struct DpsRunSteps
{
	double		rate;			/* of the samples; 1: everybody */
	uint64_t	sensitivity;	/* of a step, in the 2-norm */
	uint64_t	coordinates;	/* integers that get noise in a step; >= 1 */
	uint64_t	steps;
} DpsRunSteps;

/* An epsilon by Renyi losses, of everybody by zero-concentrated DP: fast, and never less than dps_steps_epsilon.
 * DPS_DOMAIN unless 0 <= rate <= 1, scale >= 1 and 0 < delta < 1; DPS_UNABLE if there is none. */
extern DPS_MUST_USE DpsStatus dps_steps_renyi(const DpsRunSteps *steps, uint64_t scale, double delta, double *epsilon);

/* An epsilon such that the run is (epsilon, delta)-DP with noise of this scale. */
extern DPS_MUST_USE DpsStatus dps_steps_epsilon(const DpsHost *host, const DpsRunSteps *steps, uint64_t scale,
												double delta, double *epsilon);

/* A scale of at most `enough` for which the run is (epsilon, delta)-DP, if it is for `enough` by dps_steps_renyi. */
extern DPS_MUST_USE DpsStatus dps_steps_scale(const DpsHost *host, const DpsRunSteps *steps, double epsilon,
											  double delta, uint64_t enough, uint64_t *scale);

#endif							/* DPS_ACCOUNT_ACCOUNTANT_STEPS_COST_H */
