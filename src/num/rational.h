/*
 * rational.h
 *		Ratios of integers: exact comparison, directed rounding.
 *
 * What decides a noise scale is compared here without rounding; what is only
 * reported is rounded in the stated direction.
 */
#ifndef DPS_NUM_RATIONAL_H
#define DPS_NUM_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* A 256-bit natural number, hi * 2^128 + lo. */
typedef struct DpsWide
{
	unsigned __int128 hi;
	unsigned __int128 lo;
} DpsWide;

/* x * y, exactly. */
extern DpsWide dps_wide_product(unsigned __int128 x, unsigned __int128 y);

/* Multiplies by 2^bits; false, and *x as it was, if that is 2^256 or more. */
extern bool dps_wide_shift(DpsWide *x, unsigned bits);

/* Less than, equal to or greater than 0 as x is to y. */
extern int	dps_wide_compare(DpsWide x, DpsWide y);

/*
 * Doubles below and above n / d, within a relative 2^-50 of it; Infinity for
 * d = 0, so that a missing scale costs everything.  A quotient of at most 50
 * significant bits comes back as it is, so a bound of that form on n / d also
 * bounds the rounded value.
 */
extern double dps_ratio_down(uint64_t n, uint64_t d);
extern double dps_ratio_up(uint64_t n, uint64_t d);

#endif							/* DPS_NUM_RATIONAL_H */
