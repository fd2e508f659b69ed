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

uint64_t
dps_whole_root(unsigned __int128 n)
{
	uint64_t	root = 0;
	int			bit;

	/* the largest root with root^2 < n, bit by bit */
	if (n == 0)
		return 0;
	for (bit = 63; bit >= 0; bit--)
	{
		uint64_t	candidate = root | (UINT64_C(1) << bit);

		if ((unsigned __int128) candidate * candidate < n)
			root = candidate;
	}
	return dps_whole_of((unsigned __int128) root + 1);
}
