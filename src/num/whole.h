/*
 * whole.h
 *		Whole numbers from doubles, and arithmetic on bounds that are whole: total,
 *		whatever they are given.
 *
 * In C the conversion of a double to an integer type that cannot hold it is
 * undefined, and on most processors 2^64 becomes 0.  Where the number is a
 * sensitivity or a scale of noise, 0 is the worst of all results.  So the program has
 * no such conversions except those below (test/structure.sh looks for others), and
 * numbers beyond the range of a type become the end of the range.
 *
 * Bounds, such as sensitivities and scales, are counted in units and only grow: they
 * are rounded up, and DPS_TOO_MANY stands for all numbers that do not fit.  Every
 * operation on DPS_TOO_MANY yields DPS_TOO_MANY.  A number other than 0 never
 * becomes 0.
 */
#ifndef DPS_NUM_WHOLE_H
#define DPS_NUM_WHOLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Marks the functions that may convert; each looks at the range first. */
#define DPS_CONVERTS __attribute__((no_sanitize("float-cast-overflow")))

/* An integer of 128 bits in memory that the server allocates: that is aligned to 8 bytes
 * only, and for the bare type the compiler may use instructions that fail there. */
typedef __int128 DpsStoredInt128 __attribute__((aligned(8)));

/* ---- conversions: toward 0, to the end of the range, NaN to 0 ---- */

static inline DPS_CONVERTS int64_t
dps_to_int64(double x)
{
	if (!(x > -0x1p63))
		return x != x ? 0 : INT64_MIN;
	return x < 0x1p63 ? (int64_t) x : INT64_MAX;
}

static inline DPS_CONVERTS uint64_t
dps_to_uint64(double x)
{
	if (!(x > 0.0))
		return 0;
	return x < 0x1p64 ? (uint64_t) x : UINT64_MAX;
}

static inline DPS_CONVERTS int32_t
dps_to_int32(double x)
{
	if (!(x > -0x1p31))
		return x != x ? 0 : INT32_MIN;
	return x < 0x1p31 ? (int32_t) x : INT32_MAX;
}

static inline DPS_CONVERTS __int128
dps_to_int128(double x)
{
	const __int128 most = (__int128) (~(unsigned __int128) 0 >> 1);

	if (!(x > -0x1p127))
		return x != x ? 0 : -most - 1;
	return x < 0x1p127 ? (__int128) x : most;
}

/* ---- bounds ---- */

#define DPS_TOO_MANY UINT64_MAX

/* The least whole number that is not below x; 0 for x <= 0.  Not a number is too
 * many. */
static inline uint64_t
dps_whole_up(double x)
{
	if (!(x < 0x1p64))
		return DPS_TOO_MANY;
	return dps_to_uint64(ceil(x));
}

static inline uint64_t
dps_whole_of(unsigned __int128 n)
{
	return n < DPS_TOO_MANY ? (uint64_t) n : DPS_TOO_MANY;
}

static inline uint64_t
dps_whole_add(uint64_t x, uint64_t y)
{
	return dps_whole_of((unsigned __int128) x + y);
}

/* 0 times DPS_TOO_MANY is 0. */
static inline uint64_t
dps_whole_times(uint64_t x, uint64_t y)
{
	return dps_whole_of((unsigned __int128) x * y);
}

/* x^2 + y^2, or the largest number there is. */
static inline unsigned __int128
dps_whole_squares(unsigned __int128 sum, uint64_t y)
{
	unsigned __int128 square = (unsigned __int128) y * y;

	return sum > ~square ? ~(unsigned __int128) 0 : sum + square;
}

/* The least whole number that is not below n 2^e.  0 only if n is 0. */
extern uint64_t dps_whole_shift(unsigned __int128 n, int e);

/* The least whole number that is not below n / d; too many for d = 0.  0 only if n is 0. */
static inline uint64_t
dps_whole_ratio(unsigned __int128 n, uint64_t d)
{
	if (d == 0)
		return DPS_TOO_MANY;
	return dps_whole_of(n / d + (n % d != 0));
}

/* The least whole number that is not below n times the factor.  A factor that is
 * negative or not a number makes too many; 0 only if n or the factor is 0. */
extern uint64_t dps_whole_scale(uint64_t n, double factor);

/* The smallest r with r^2 >= n, or DPS_TOO_MANY. */
extern uint64_t dps_whole_root(unsigned __int128 n);

/*
 * At least the 2-norm of moves[i] unit / scales[i], each rounded up: how far n moves go, the i-th counted in
 * scales[i], as if they were counted in units.  Falls as a scale grows.  Moves are at most 2^63, the
 * unit at most 2^62; too many for a scale of 0.
 */
extern uint64_t dps_whole_norm_by(int n, const uint64_t *moves, uint64_t unit, const uint64_t *scales);

#endif							/* DPS_NUM_WHOLE_H */
