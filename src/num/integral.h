/*
 * integral.h
 *		Integers that doubles hold, by operations that every vector unit has.
 *
 * Processors convert single doubles to 64-bit integers, but vectors of them only
 * with AVX-512.
 */
#ifndef DPS_NUM_INTEGRAL_H
#define DPS_NUM_INTEGRAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* 1.5 * 2^52: a double of this size has no bits behind the point, and around it
 * the next one is the next bit pattern. */
#define DPS_INTEGRAL_BASE 0x1.8p52

/* An integer of at most 2^51 in magnitude. */
static inline int64_t
dps_small_integral(double x)
{
	const double base = DPS_INTEGRAL_BASE;
	double		moved = x + base;
	uint64_t	bits;
	uint64_t	base_bits;

	memcpy(&bits, &moved, sizeof(bits));
	memcpy(&base_bits, &base, sizeof(base_bits));
	return (int64_t) (bits - base_bits);
}

/*
 * An integer of at most 2^62 in magnitude, exactly; rounding is to the nearest.
 *
 * Proof: high = rint(x / 2^31) is at most 2^31 and exact except for rint, as
 * both scalings are by powers of two.  x and high * 2^31 are multiples of the
 * unit in the last place of x, or of 1 if that is less, and differ by at most
 * 2^30: the difference is a double, and low is exact.  Both parts are small.
 */
static inline int64_t
dps_integral(double x)
{
	double		high = rint(x * 0x1p-31);
	double		low = x - high * 0x1p31;

	return (int64_t) (((uint64_t) dps_small_integral(high) << 31) + (uint64_t) dps_small_integral(low));
}

#endif							/* DPS_NUM_INTEGRAL_H */
