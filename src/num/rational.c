/*
 * rational.c
 *		Ratios of integers: exact comparison, directed rounding.
 */
#include <math.h>

#include "num/rational.h"

DpsWide
dps_wide_product(unsigned __int128 x, unsigned __int128 y)
{
	unsigned __int128 x0 = (uint64_t) x;
	unsigned __int128 x1 = x >> 64;
	unsigned __int128 y0 = (uint64_t) y;
	unsigned __int128 y1 = y >> 64;
	unsigned __int128 low = x0 * y0;

	/* (2^64-1)^2 + 2^64-1 < 2^128, and so for each of the two sums below */
	unsigned __int128 mid = x1 * y0 + (low >> 64);
	unsigned __int128 mid2 = x0 * y1 + (uint64_t) mid;
	DpsWide		result;

	result.lo = mid2 << 64 | (uint64_t) low;
	result.hi = x1 * y1 + (mid >> 64) + (mid2 >> 64);
	return result;
}

bool
dps_wide_shift(DpsWide *x, unsigned bits)
{
	DpsWide		shifted = *x;

	if (bits >= 256)
		return x->hi == 0 && x->lo == 0;
	if (bits >= 128)
	{
		if (shifted.hi != 0)
			return false;
		shifted.hi = shifted.lo;
		shifted.lo = 0;
		bits -= 128;
	}
	if (bits > 0)
	{
		if (shifted.hi >> (128 - bits) != 0)
			return false;
		shifted.hi = shifted.hi << bits | shifted.lo >> (128 - bits);
		shifted.lo <<= bits;
	}
	*x = shifted;
	return true;
}

int
dps_wide_compare(DpsWide x, DpsWide y)
{
	if (x.hi != y.hi)
		return x.hi < y.hi ? -1 : 1;
	if (x.lo != y.lo)
		return x.lo < y.lo ? -1 : 1;
	return 0;
}

static int
bit_length(uint64_t n)
{
	return n == 0 ? 0 : 64 - __builtin_clzll(n);
}

/*
 * With s = 52 + bits(d) - bits(n), n * 2^s / d lies in (2^51, 2^53): floor and
 * ceiling are exact doubles and differ from it by less than 2^-51 of it.  s is
 * between -11 and 115, so numerator and denominator stay below 2^116.
 */
static double
ratio(uint64_t n, uint64_t d, bool up)
{
	int			s = 52 + bit_length(d) - bit_length(n);
	unsigned __int128 numerator = n;
	unsigned __int128 denominator = d;

	if (d == 0)
		return INFINITY;
	if (n == 0)
		return 0.0;
	if (s >= 0)
		numerator <<= s;
	else
		denominator <<= -s;
	if (up)
		numerator += denominator - 1;
	return ldexp((double) (uint64_t) (numerator / denominator), -s);
}

double
dps_ratio_down(uint64_t n, uint64_t d)
{
	return ratio(n, d, false);
}

double
dps_ratio_up(uint64_t n, uint64_t d)
{
	return ratio(n, d, true);
}
