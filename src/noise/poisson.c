/*
 * poisson.c
 *		Secret samples in which every row takes part by itself with the same
 *		probability.
 *
 * Precondition: the random source yields independent uniform bits.
 * Postcondition: dps_sample_row says true with probability exactly units / 2^64,
 * independently of every other call: the sampling that account/accountant/subsampled.c is about
 * (Mironov, Talwar and Zhang 2019).
 *
 * Proof.  A word is uniform on 0 ... 2^64 - 1, of which `units` are below units;
 * each call consumes a word of its own.  Multiplying a double by a power of two
 * is exact, as is rounding it down to a whole number, which therefore has at most
 * 53 significant bits: so the rate that is charged is the one that is drawn.
 */
#include <math.h>

#include "noise/poisson.h"
#include "num/whole.h"

#define RATE_BITS 64

uint64_t
dps_rate_units(double rate)
{
	/* written so that NaN fails */
	if (!(rate > 0 && rate < 1))
		return 0;
	return dps_to_uint64(floor(ldexp(rate, RATE_BITS)));
}

double
dps_rate_of_units(uint64_t units)
{
	return ldexp((double) units, -RATE_BITS);
}

DpsStatus
dps_sample_row(DpsRandom *random, uint64_t units, bool *taken)
{
	uint64_t	word;

	DPS_TRY(dps_random_word(random, &word));
	*taken = word < units;
	return DPS_OK;
}
