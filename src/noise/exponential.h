/*
 * exponential.h
 *		The exponential mechanism: one of many candidates, the likelier the
 *		smaller its distance.
 *
 * A law is prepared once from public figures and serves any number of draws.
 */
#ifndef DPS_NOISE_EXPONENTIAL_H
#define DPS_NOISE_EXPONENTIAL_H

#include <stddef.h>
#include <stdint.h>

#include "noise/mechanism.h"

/* Weights of all candidates together are at most this. */
#define DPS_WEIGHT_LIMIT ((UINT64_C(1) << 62) - 1)

#define DPS_EXPONENTIAL_DIGITS 16

typedef struct DpsCandidate
{
	uint64_t	distance;		/* any */
	uint64_t	weight;			/* how many equal candidates this stands for */
} DpsCandidate;

/* Private to exponential.c, except that its size is known and flip.c uses the
 * rate num / den. */
typedef struct DpsExponential
{
	uint64_t	epsilon;		/* in units of 2^-40 */
	uint64_t	num;			/* a unit of distance costs a factor of
								 * exp(-num / den) */
	uint64_t	den;
	int			digits;			/* hexadecimal, of a distance in reach */
	unsigned __int128 power[DPS_EXPONENTIAL_DIGITS][16];
	unsigned __int128 least;	/* exp(-DPS_FIXED_EXPONENT) */
} DpsExponential;

/*
 * P(i) proportional to weight_i exp(-epsilon distance_i / range), epsilon
 * rounded down to a multiple of 2^-40.  `range` bounds, for all neighbours,
 *		max_i (distance_i - distance'_i) - min_i (distance_i - distance'_i):
 * the sensitivity of the distances if they all change in one direction, twice
 * that otherwise.  DPS_DOMAIN if epsilon is outside its range, range is 0, or
 * 2^40 range in lowest terms with epsilon is 2^62 or more.
 */
extern DPS_MUST_USE DpsStatus dps_exponential_init(DpsExponential *law, double epsilon, uint64_t range);

/*
 * One exact draw; *index is below n and its weight is not 0.  DPS_DOMAIN unless
 * the weights add up to 1 ... DPS_WEIGHT_LIMIT, which must not depend on private
 * data; DPS_UNABLE if the random source failed.  *index is then not set.
 */
extern DPS_MUST_USE DpsStatus dps_exponential_draw(DpsRandom *random, const DpsExponential *law,
												   const DpsCandidate *candidates, size_t n, size_t *index);

/* Loss of one draw. */
extern void dps_exponential_loss(const DpsExponential *law, DpsLoss *loss);

/*
 * The same for a ledger: the loss function takes a draw of epsilon sensitivity /
 * scale.  The mechanism adds no noise to integers, so its other functions are
 * missing, and it is not among dps_mechanisms.
 */
extern const DpsMechanism dps_exponential;

/*
 * Makes the law of a release that costs at most epsilon, and its cost: *units
 * of 2^-DPS_EXPONENTIAL_BITS.  The law itself has one unit less, which covers
 * the rounding of dps_exponential_loss.  Statuses as for dps_exponential_init.
 */
#define DPS_EXPONENTIAL_BITS 40

extern DPS_MUST_USE DpsStatus dps_exponential_release(DpsExponential *law, double epsilon, uint64_t range,
													  uint64_t *units);

/* The same from the units. */
extern DPS_MUST_USE DpsStatus dps_exponential_of_units(DpsExponential *law, uint64_t units, uint64_t range);

#endif							/* DPS_NOISE_EXPONENTIAL_H */
