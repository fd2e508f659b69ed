/*
 * grid.c
 *		The lattice that values are summed on, and the integer arithmetic of
 *		sensitivities.
 */
#include <math.h>

#include "moment/grid.h"

#define GRID_BITS 40
#define DOUBLE_BITS 53
#define LIMIT_BITS 62

/* Exact. */
int
dps_ceil_log2(double x)
{
	int			exponent;

	/* Only a difference of two doubles overflows: it is below 2^1025. */
	if (!isfinite(x))
		return 1025;
	return frexp(x, &exponent) == 0.5 ? exponent - 1 : exponent;
}

/*
 * floor(x / 2^k) for |x| <= 2^62 * 2^k.  Scaling by a power of two is exact
 * unless the result is subnormal, and then it may vanish: the second line
 * keeps floor(-tiny) = -1.
 */
static int64_t
scaled_floor(double x, int k)
{
	double		scaled = floor(ldexp(x, -k));

	if (scaled == 0.0 && x < 0.0)
		scaled = -1.0;
	return dps_to_int64(scaled);
}

DpsGrid
dps_grid_at(int k, double lower, double upper)
{
	double		magnitude = fmax(fabs(lower), fabs(upper));
	DpsGrid		grid = {k, 0, 0};

	if (magnitude > 0.0)
	{
		int			finest = dps_ceil_log2(magnitude) - LIMIT_BITS;

		if (grid.k < finest)
			grid.k = finest;
		grid.lo = scaled_floor(lower, grid.k);
		grid.hi = -scaled_floor(-upper, grid.k);
	}
	return grid;
}

DpsGrid
dps_grid_choose_for(double sensitivity, double factor, double lower, double upper)
{
	double		magnitude = fmax(fabs(lower), fabs(upper));

	/* the product itself might overflow */
	if (sensitivity > 0.0)
		return dps_grid_at(dps_ceil_log2(sensitivity) + dps_ceil_log2(fmax(factor, 1.0)) - GRID_BITS, lower, upper);
	return dps_grid_at(magnitude > 0.0 ? dps_ceil_log2(magnitude) - DOUBLE_BITS : 0, lower, upper);
}

DpsGrid
dps_grid_choose(double sensitivity, double lower, double upper)
{
	return dps_grid_choose_for(sensitivity, 1.0, lower, upper);
}

int
dps_grid_of_counts(uint64_t rows)
{
	int			k = DPS_COUNT_GRID;

	while (k < 0 && rows > UINT64_C(1) << (k - DPS_COUNT_GRID))
		k++;
	return k;
}

/*
 * From 2^k = (U - L) / points, rounded down, on: 2^(k + 2) always will do, and below
 * top - LIMIT_BITS the integers would be too large.
 */
DpsGrid
dps_grid_of_points(double lower, double upper, bool integral, int64_t points)
{
	double		magnitude = fmax(fabs(lower), fabs(upper));
	DpsGrid		grid = {0, 0, 0};

	if (integral)
	{
		double		first = ceil(lower);
		double		last = floor(upper);

		/* a bound that is not sharp may leave no integer between */
		lower = fmin(first, last);
		upper = fmax(first, last);
	}
	if (lower == upper && (!integral || fabs(lower) > 0x1p53))
		return dps_grid_choose(0.0, lower, upper);
	if (!integral || upper / 2 - lower / 2 >= 0x1p30)
	{
		grid.k = dps_ceil_log2(upper / 2 - lower / 2) - 1 - dps_ceil_log2((double) points);
		if (grid.k < dps_ceil_log2(magnitude) - LIMIT_BITS)
			grid.k = dps_ceil_log2(magnitude) - LIMIT_BITS;
	}
	if (integral && grid.k < 0)
		grid.k = 0;
	for (;; grid.k++)
	{
		grid.lo = scaled_floor(lower, grid.k);
		grid.hi = -scaled_floor(-upper, grid.k);
		if (grid.hi - grid.lo < points)
			return grid;
	}
}

static uint64_t
whole_units(double x)
{
	return x < 0x1p63 ? dps_to_uint64(x) : DPS_TOO_MANY;
}

uint64_t
dps_grid_ceil(double x, int k)
{
	double		scaled = ceil(ldexp(x, -k));

	if (scaled == 0.0 && x > 0.0)
		scaled = 1.0;
	return whole_units(scaled);
}

uint64_t
dps_grid_floor(double x, int k)
{
	return whole_units(floor(ldexp(x, -k)));
}

uint64_t
dps_grid_magnitude(const DpsGrid *grid)
{
	int64_t		magnitude = grid->hi > -grid->lo ? grid->hi : -grid->lo;

	return (uint64_t) magnitude;
}

uint64_t
dps_grid_length(const DpsGrid *grid)
{
	return (uint64_t) grid->hi - (uint64_t) grid->lo;
}

uint64_t
dps_grid_length_with_zero(const DpsGrid *grid)
{
	uint64_t	above = grid->hi > 0 ? (uint64_t) grid->hi : 0;
	uint64_t	below = grid->lo < 0 ? (uint64_t) -grid->lo : 0;

	return above + below;
}

uint64_t
dps_sqrt2_ceil(uint64_t n)
{
	return dps_whole_root(dps_whole_squares(dps_whole_squares(0, n), n));
}

double
dps_int128_to_double(__int128 n)
{
	bool		negative = n < 0;
	unsigned __int128 rest = negative ? -(unsigned __int128) n : (unsigned __int128) n;
	uint64_t	high = (uint64_t) (rest >> 64);
	uint64_t	mantissa;
	int			shift = 0;
	double		result;

	if (high != 0)
		shift = 128 - __builtin_clzll(high) - DOUBLE_BITS;
	else if ((uint64_t) rest >> DOUBLE_BITS != 0)
		shift = 64 - __builtin_clzll((uint64_t) rest) - DOUBLE_BITS;

	mantissa = (uint64_t) (rest >> shift);
	if (shift > 0)
	{
		unsigned __int128 remainder = rest - ((unsigned __int128) mantissa << shift);
		unsigned __int128 half = (unsigned __int128) 1 << (shift - 1);

		if (remainder > half || (remainder == half && (mantissa & 1) != 0))
			mantissa++;
	}
	/* At most 2^53, so that both steps are exact. */
	result = ldexp((double) mantissa, shift);
	return negative ? -result : result;
}

/*
 * The quotient has at least 63 bits, and its last one says whether anything is left: as the
 * bits that a double has no room for are only compared with one half, that is enough.
 */
double
dps_nearest_quotient(__int128 n, int64_t d)
{
	unsigned __int128 rest = n < 0 ? -(unsigned __int128) n : (unsigned __int128) n;
	uint64_t	high = (uint64_t) (rest >> 64);
	int			zeros = high != 0 ? __builtin_clzll(high) : rest != 0 ? 64 + __builtin_clzll((uint64_t) rest) : 1;
	double		quotient;

	rest <<= zeros - 1;
	quotient = ldexp(dps_int128_to_double((__int128) (rest / (uint64_t) d | (rest % (uint64_t) d != 0))), 1 - zeros);
	return n < 0 ? -quotient : quotient;
}
