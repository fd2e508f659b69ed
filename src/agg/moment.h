/*
 * moment.h
 *		Integers of second moments.
 *
 * Knows nothing of the server, so that the unit tests can run it.
 */
#ifndef DPS_AGG_MOMENT_H
#define DPS_AGG_MOMENT_H

#include <stdint.h>

/* a b / 2^shift, rounded to the nearest, ties upward; 0 <= shift < 64, and the
 * result fits. */
static inline int64_t
dps_moment_product(int64_t a, int64_t b, int shift)
{
	__int128	half = ((__int128) 1 << shift) >> 1;

	return (int64_t) (((__int128) a * b + half) >> shift);
}

#endif							/* DPS_AGG_MOMENT_H */
