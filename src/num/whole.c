/*
 * whole.c
 *		Whole numbers from doubles, and arithmetic on bounds that are whole.
 */
#include <float.h>

#include "num/whole.h"

uint64_t
dps_whole_shift(unsigned __int128 n, int e)
{
	unsigned __int128 whole;

	if (n == 0)
		return 0;
	if (e >= 0)
	{
		if (e >= 64 || n >> (64 - e) != 0)
			return DPS_TOO_MANY;
		return dps_whole_of(n << e);
	}
	if (e <= -128)
		return 1;
	whole = n >> -e;
	if (whole << -e != n)
		whole++;
	return dps_whole_of(whole);
}

uint64_t
dps_whole_scale(uint64_t n, double factor)
{
	int			exponent;
	double		fraction;

	/* the negation also holds for NaN */
	if (!(factor >= 0.0 && factor <= DBL_MAX) || n == DPS_TOO_MANY)
		return DPS_TOO_MANY;
	fraction = frexp(factor, &exponent);
	/* exact: a fraction has so many bits */
	return dps_whole_shift((unsigned __int128) n * dps_to_uint64(ldexp(fraction, DBL_MANT_DIG)),
						   exponent - DBL_MANT_DIG);
}

/* x^2 < n */
static bool
squares_below(uint64_t x, unsigned __int128 n)
{
	return (unsigned __int128) x * x < n;
}

/* The largest x that is below n, bit by bit.  0 must be below n, and each number less
 * than another one that is. */
static uint64_t
largest_below(bool (*is_below) (uint64_t x, unsigned __int128 n), unsigned __int128 n)
{
	uint64_t	x = 0;
	int			bit;

	for (bit = 63; bit >= 0; bit--)
	{
		uint64_t	candidate = x | (UINT64_C(1) << bit);

		if (is_below(candidate, n))
			x = candidate;
	}
	return x;
}

uint64_t
dps_whole_root(unsigned __int128 n)
{
	if (n == 0)
		return 0;
	return dps_whole_of((unsigned __int128) largest_below(squares_below, n) + 1);
}

uint64_t
dps_whole_norm_by(int n, const uint64_t *moves, uint64_t unit, const uint64_t *scales)
{
	unsigned __int128 squares = 0;

	for (int i = 0; i < n; i++)
		squares = dps_whole_squares(squares, dps_whole_ratio((unsigned __int128) moves[i] * unit, scales[i]));
	return dps_whole_root(squares);
}
