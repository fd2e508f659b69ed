/*
 * test_grid.c
 *		The lattice of exact sums: enclosure, size, rounding of 128-bit
 *		integers.
 */
#include <math.h>
#include <stdint.h>

#include "moment/grid.h"
#include "splitmix.h"
#include "tap.h"

static uint64_t state = 20240229;

static uint64_t
next_word(void)
{
	return splitmix64(&state);
}

/* A finite double of any exponent. */
static double
next_double(void)
{
	double		mantissa = ldexp((double) (next_word() >> 11), -53) + 0.5;
	int			exponent = (int) (next_word() % 2090) - 1070;
	double		x = ldexp(mantissa, exponent);

	if (!isfinite(x))
		x = 1.7e308;
	return next_word() & 1 ? x : -x;
}

/* The sign of n * 2^k - x, exactly, for |n| <= 2^62: n is split into two
 * doubles. */
static int
compare_scaled(int64_t n, int k, double x)
{
	double		high = (double) (n >> 31) * 0x1p31;
	double		low = (double) (n - (n >> 31) * (INT64_C(1) << 31));
	double		scaled = ldexp(x, -k);
	double		rest = scaled - high;

	/* what vanished is still not 0 */
	if (scaled == 0.0 && x != 0.0)
	{
		scaled = x > 0.0 ? 0x1p-1000 : -0x1p-1000;
		rest = scaled - high;
	}
	/* rest is exact where it decides: it is below 2^32 then */
	return (low > rest) - (low < rest);
}

static void
test_enclosure(void)
{
	int			wrong = 0;
	int			i;

	for (i = 0; i < 200000; i++)
	{
		double		a = next_double();
		double		b = i % 3 == 0 ? a + fabs(a) * 1e-12 : next_double();
		double		lower = a < b ? a : b;
		double		upper = a < b ? b : a;
		double		sensitivity = i % 5 == 0 ? 0.0 : fabs(next_double());
		DpsGrid		grid = dps_grid_choose(sensitivity, lower, upper);

		if (compare_scaled(grid.lo, grid.k, lower) > 0 || compare_scaled(grid.hi, grid.k, upper) < 0 ||
			grid.lo < -DPS_GRID_LIMIT || grid.hi > DPS_GRID_LIMIT || grid.lo > grid.hi)
		{
			if (wrong++ == 0)
				diag("%a %a sensitivity %a: k %d, %lld, %lld", lower, upper, sensitivity, grid.k,
					 (long long) grid.lo, (long long) grid.hi);
		}
	}
	ok(wrong == 0, "integers enclose the bounds and stay within 2^62");
}

static void
test_size(void)
{
	int			wrong = 0;
	int			i;

	for (i = 0; i < 200000; i++)
	{
		double		upper = fabs(next_double());
		double		lower = i % 2 ? 0.0 : -upper;
		double		sensitivity = upper - lower;
		DpsGrid		grid = dps_grid_choose(sensitivity, lower, upper);
		double		units = ldexp(sensitivity, -grid.k);

		/* an overflowed difference counts as 2^1025 */
		if (isfinite(sensitivity) && !(units > 0x1p39 && units <= 0x1p40))
			wrong++;
		if (dps_grid_length(&grid) > (UINT64_C(1) << 40) + 2)
			wrong++;
	}
	ok(wrong == 0, "a sensitivity is between 2^39 and 2^40 units");
}

static void
test_exact(void)
{
	int			wrong = 0;
	int			i;

	for (i = 0; i < 100000; i++)
	{
		double		x = next_double();
		DpsGrid		grid = dps_grid_choose(0.0, x, x);

		if (grid.lo != grid.hi || ldexp((double) grid.lo, grid.k) != x)
			wrong++;
	}
	ok(wrong == 0, "one value of sensitivity 0 is one integer");
}

static void
test_lengths(void)
{
	static const struct
	{
		int64_t		lo;
		int64_t		hi;
		uint64_t	magnitude;
		uint64_t	length;
		uint64_t	with_zero;
	}			cases[] = {
		{0, 0, 0, 0, 0},
		{-3, 5, 5, 8, 8},
		{-7, 5, 7, 12, 12},
		{2, 5, 5, 3, 5},
		{-5, -2, 5, 3, 5},
		{-DPS_GRID_LIMIT, DPS_GRID_LIMIT, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_C(1) << 63},
	};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpsGrid		grid = {0, cases[i].lo, cases[i].hi};

		ok(dps_grid_magnitude(&grid) == cases[i].magnitude &&
		   dps_grid_length(&grid) == cases[i].length &&
		   dps_grid_length_with_zero(&grid) == cases[i].with_zero,
		   "lengths of [%lld, %lld]", (long long) cases[i].lo, (long long) cases[i].hi);
	}
}

static void
test_units(void)
{
	ok(dps_grid_ceil(0.0, -40) == 0 && dps_grid_floor(0.0, -40) == 0, "0 is no unit");
	ok(dps_grid_ceil(1.0, -40) == DPS_COUNT_UNIT && dps_grid_floor(1.0, -40) == DPS_COUNT_UNIT,
	   "a whole number of units is not rounded");
	ok(dps_grid_ceil(5e-324, 900) == 1 && dps_grid_floor(5e-324, 900) == 0, "what vanishes counts as one unit, upward");
	ok(dps_grid_ceil(INFINITY, 0) == UINT64_MAX && dps_grid_floor(NAN, 0) == UINT64_MAX &&
	   dps_grid_ceil(0x1p63, 0) == UINT64_MAX, "too many units are the largest integer");
}

static void
test_sqrt2(void)
{
	int			wrong = 0;
	int			i;

	for (i = 0; i < 20000; i++)
	{
		uint64_t	n = next_word() >> (1 + next_word() % 63);
		uint64_t	root = dps_sqrt2_ceil(n);
		unsigned __int128 square = 2 * (unsigned __int128) n * n;

		if ((unsigned __int128) root * root < square ||
			(root > 0 && (unsigned __int128) (root - 1) * (root - 1) >= square))
			wrong++;
	}
	ok(wrong == 0 && dps_sqrt2_ceil(0) == 0 && dps_sqrt2_ceil(1) == 2, "sqrt(2) n is rounded up to the next integer");
}

/* Is x the double nearest to n, and even in a tie?  By the distances to its
 * neighbours, in integers. */
static bool
is_nearest(__int128 n, double x)
{
	double		neighbours[2] = {nextafter(x, -INFINITY), nextafter(x, INFINITY)};
	__int128	distance;
	int			i;

	/* doubles of this size are integers, or n itself is one */
	if (x != rint(x))
		return false;
	if (fabs(x) >= 0x1p127)
		return x == (n > 0 ? 0x1p127 : -0x1p127);
	distance = (__int128) x - n;
	distance = distance < 0 ? -distance : distance;
	for (i = 0; i < 2; i++)
	{
		__int128	other;

		if (neighbours[i] != rint(neighbours[i]) || fabs(neighbours[i]) >= 0x1p127)
			continue;
		other = (__int128) neighbours[i] - n;
		other = other < 0 ? -other : other;
		if (other < distance)
			return false;
		if (other == distance && fmod(ldexp(frexp(x, &(int) {0}), 53), 2.0) != 0.0)
			return false;
	}
	return true;
}

static void
test_conversion(void)
{
	static const int shifts[] = {0, 1, 10, 53, 63, 64, 65, 73};
	int			wrong = 0;
	int			i;

	for (i = 0; i < 300000; i++)
	{
		unsigned __int128 word = ((unsigned __int128) next_word() << 64) | next_word();
		__int128	n = (__int128) word >> (next_word() % 127);
		double		x = dps_int128_to_double(n);

		if (x != (double) n || !is_nearest(n, x))
			wrong++;
	}
	ok(wrong == 0, "random integers become the nearest double");

	wrong = 0;
	for (i = 0; i < (int) (sizeof(shifts) / sizeof(shifts[0])); i++)
	{
		__int128	unit = (__int128) 1 << shifts[i];
		int			offset;

		/* around 2^53 units, where halves are ties */
		for (offset = -8; offset <= 8; offset++)
		{
			int			fine;

			for (fine = -1; fine <= 1; fine++)
			{
				__int128	n = (((__int128) 1 << 53) + offset) * unit + fine;

				if (dps_int128_to_double(n) != (double) n || dps_int128_to_double(-n) != -(double) n ||
					!is_nearest(n, dps_int128_to_double(n)))
					wrong++;
			}
		}
	}
	ok(wrong == 0, "ties go to the even double");
	ok(dps_int128_to_double((__int128) ((unsigned __int128) 1 << 127)) == -0x1p127, "the smallest integer");
	ok(dps_int128_to_double((__int128) (~(unsigned __int128) 0 >> 1)) == 0x1p127, "the largest integer");
}

/* Quotients are rounded once: they are those of 113 bits, and ties are broken by what is left. */
static void
test_quotients(void)
{
	int			wrong = 0;
	int			j;

	for (j = 0; j < 300000; j++)
	{
		__int128	n = (__int128) (((unsigned __int128) next_word() << 64) | next_word()) >> (1 + next_word() % 126);
		int64_t		d = (int64_t) (next_word() >> (1 + next_word() % 62));

		if (d > 0 && dps_nearest_quotient(n, d) != (double) ((__float128) n / d))
			wrong++;
	}
	ok(wrong == 0, "a quotient is the nearest double");
	wrong = 0;
	for (j = 0; j < 20; j++)
	{
		__int128	tie = ((__int128) 1 << 53) + 2 * j + 1;
		int64_t		d = 1000003 + j;

		if (dps_nearest_quotient(tie * d, d) != dps_int128_to_double(tie) ||
			dps_nearest_quotient(tie * d + 1, d) != dps_int128_to_double(tie + 1) ||
			dps_nearest_quotient(-tie * d + 1, d) != -dps_int128_to_double(tie - 1))
			wrong++;
	}
	ok(wrong == 0, "and what is left decides ties");
	ok(dps_nearest_quotient(0, 7) == 0.0 && dps_nearest_quotient(1, INT64_MAX) == 0x1p-63 &&
	   dps_nearest_quotient((__int128) 1 << 126, 1) == 0x1p126, "ends");
}

/* Grids of a number of points: they enclose, are as fine as they can be, and hold
 * integers as they are. */
static void
test_points(void)
{
	static const int64_t limits[] = {3, 5, 100, 65536};
	bool		encloses = true;
	bool		fits = true;
	bool		finest = true;

	for (int i = 0; i < 200000; i++)
	{
		double		a = next_double();
		double		b = i % 3 == 0 ? a + fabs(a) * ldexp((double) (next_word() >> 11), -53 - i % 40) : next_double();
		double		lower = fmin(a, b);
		double		upper = fmax(a, b);
		int64_t		limit = limits[i % 4];
		DpsGrid		grid;

		if (!isfinite(a) || !isfinite(b))
			continue;
		grid = dps_grid_of_points(lower, upper, false, limit);
		encloses = encloses && compare_scaled(grid.lo, grid.k, lower) <= 0 && compare_scaled(grid.hi, grid.k, upper) >= 0;
		fits = fits && grid.hi - grid.lo < limit && grid.lo >= -DPS_GRID_LIMIT && grid.hi <= DPS_GRID_LIMIT;
		/* a grid of half the unit would have more points, unless it is as fine as
		 * integers allow */
		if (upper - lower > 0x1p-1000 && grid.hi - grid.lo < limit / 4 - 1)
			finest = finest && (grid.lo < -DPS_GRID_LIMIT / 4 || grid.hi > DPS_GRID_LIMIT / 4);
	}
	ok(encloses, "a grid of points encloses its range");
	ok(fits, "it has no more points than asked for");
	ok(finest, "and could not be much finer");
}

static void
test_integers(void)
{
	DpsGrid		age = dps_grid_of_points(18, 100, true, 65536);
	DpsGrid		loose = dps_grid_of_points(17.999, 100.001, true, 65536);
	DpsGrid		one = dps_grid_of_points(3.999, 4.001, true, 3);
	DpsGrid		none = dps_grid_of_points(0.2, 0.8, true, 65536);
	DpsGrid		wide = dps_grid_of_points(-1e9, 1e9, true, 65536);
	DpsGrid		point = dps_grid_of_points(0.1, 0.1, false, 65536);

	ok(age.k == 0 && age.lo == 18 && age.hi == 100, "integers are their own grid");
	ok(loose.k == 0 && loose.lo == 18 && loose.hi == 100, "bounds that are not sharp add none");
	ok(one.k == 0 && one.lo == 4 && one.hi == 4, "one integer");
	ok(none.k == 0 && none.hi - none.lo < 65536, "no integer");
	ok(wide.k > 0 && wide.hi - wide.lo < 65536 && ldexp((double) wide.lo, wide.k) <= -1e9, "many integers");
	ok(point.lo == point.hi, "one number");
}

int
main(void)
{
	test_enclosure();
	test_size();
	test_exact();
	test_lengths();
	test_units();
	test_sqrt2();
	test_conversion();
	test_quotients();
	test_points();
	test_integers();
	return done_testing();
}
