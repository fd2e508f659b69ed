/*
 * flip.h
 *		Permute-and-flip: one of many candidates, the likelier the smaller its
 *		distance.
 */
#ifndef DPS_NOISE_FLIP_H
#define DPS_NOISE_FLIP_H

#include "noise/exponential.h"

/*
 * One exact draw by the rate of a law of the exponential mechanism, for the same
 * range; every weight must be 1.  It costs the epsilon of the law and is never
 * worse than the exponential mechanism, but is not of bounded range: dps_flip has its rho.
 * DPS_DOMAIN if n is 0 or a weight is not 1; DPS_UNABLE if the random source
 * failed.  *index is then not set.
 */
extern DPS_MUST_USE DpsStatus dps_flip_draw(DpsRandom *random, const DpsExponential *law,
											const DpsCandidate *candidates, size_t n, size_t *index);

/* For a ledger, as dps_exponential is: a draw of epsilon sensitivity / scale. */
extern const DpsMechanism dps_flip;

#endif							/* DPS_NOISE_FLIP_H */
