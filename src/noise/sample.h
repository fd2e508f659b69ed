/*
 * sample.h
 *		Exact draws from the discrete Laplace and discrete Gaussian
 *		distributions, and events of probability exp(-x).
 *
 * Integers only: no floating point takes part.  Each call is one draw,
 * independent of all others; the result is not set unless DPS_OK is returned.
 */
#ifndef DPS_NOISE_SAMPLE_H
#define DPS_NOISE_SAMPLE_H

#include "num/random.h"

/* Scales are below this; DPS_DOMAIN at or above it, and at 0. */
#define DPS_SCALE_LIMIT (UINT64_C(1) << 62)

/* P(Z = z) proportional to exp(-|z| / t). */
extern DPS_MUST_USE DpsStatus dps_sample_laplace(DpsRandom *random, uint64_t t, __int128 *z);

/* P(K = k) proportional to exp(-k / t), k >= 0. */
extern DPS_MUST_USE DpsStatus dps_sample_geometric(DpsRandom *random, uint64_t t, unsigned __int128 *k);

/* P(Z = z) proportional to exp(-z^2 / 2n^2). */
extern DPS_MUST_USE DpsStatus dps_sample_gaussian(DpsRandom *random, uint64_t n, __int128 *z);

/* P(Z = z) proportional to exp(-|z| s / t); s as t, 0 < s < DPS_SCALE_LIMIT. */
extern DPS_MUST_USE DpsStatus dps_sample_laplace_ratio(DpsRandom *random, uint64_t s, uint64_t t, __int128 *z);

/* True with probability exp(-n / d), 0 < d < DPS_SCALE_LIMIT. */
extern DPS_MUST_USE DpsStatus dps_sample_exp(DpsRandom *random, unsigned __int128 n, uint64_t d, bool *result);

#endif							/* DPS_NOISE_SAMPLE_H */
