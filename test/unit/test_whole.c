/*
 * test_whole.c
 *		Whole numbers from doubles, and bounds that saturate: against exact arithmetic
 *		where it fits, and at every end.
 */
#include <math.h>
#include <stdint.h>

#include "num/whole.h"
#include "splitmix.h"
#include "tap.h"

#define TRIALS 200000

static uint64_t state = 20240719;

static uint64_t
next_word(void)
{
	return splitmix64(&state);
}

/* Of any size. */
static uint64_t
next_units(void)
{
	return next_word() >> (next_word() % 65 & 63);
}

static double
next_double(void)
{
	return ldexp((double) (next_word() >> 11), (int) (next_word() % 300) - 160);
}

static void
test_conversions(void)
{
	ok(dps_to_int64(NAN) == 0 && dps_to_uint64(NAN) == 0 && dps_to_int32(NAN) == 0 && dps_to_int128(NAN) == 0,
	   "what is no number becomes 0");
	ok(dps_to_int64(0x1p63) == INT64_MAX && dps_to_int64(-0x1p63) == INT64_MIN && dps_to_int64(INFINITY) == INT64_MAX &&
	   dps_to_int64(-INFINITY) == INT64_MIN && dps_to_int64(-0x1p63 + 1024.0) == INT64_MIN + 1024 &&
	   dps_to_int64(0x1p63 - 1024.0) == INT64_MAX - 1023, "64 bits with a sign end where they do");
	ok(dps_to_uint64(0x1p64) == UINT64_MAX && dps_to_uint64(INFINITY) == UINT64_MAX && dps_to_uint64(-1.0) == 0 &&
	   dps_to_uint64(-INFINITY) == 0 && dps_to_uint64(0x1p64 - 2048.0) == UINT64_MAX - 2047 && dps_to_uint64(0x1p63) == UINT64_C(1) << 63,
	   "64 bits without one, too: 2^64 is not 0");
	ok(dps_to_int32(0x1p31) == INT32_MAX && dps_to_int32(-0x1p31) == INT32_MIN && dps_to_int32(2147483647.9) == INT32_MAX &&
	   dps_to_int32(-2147483647.9) == -2147483647 && dps_to_int32(-1e300) == INT32_MIN, "and 32 bits");
	ok(dps_to_int128(0x1p127) > 0 && dps_to_int128(-0x1p127) < 0 && dps_to_int128(0x1p100) == (__int128) 1 << 100, "and 128");
	ok(dps_to_int64(-2.9) == -2 && dps_to_int32(2.9) == 2 && dps_to_uint64(2.9) == 2 && dps_to_int128(-2.9) == -2, "toward 0");
	ok(dps_whole_up(NAN) == DPS_TOO_MANY && dps_whole_up(0x1p64) == DPS_TOO_MANY && dps_whole_up(INFINITY) == DPS_TOO_MANY &&
	   dps_whole_up(-1.0) == 0 && dps_whole_up(0.0) == 0 && dps_whole_up(0x1p-1074) == 1 && dps_whole_up(2.0) == 2 && dps_whole_up(2.5) == 3,
	   "bounds are rounded up");
}

/* x (n m 2^e as long double is not exact): compares n m with r 2^-e in 128 bits. */
static bool
is_least(uint64_t n, uint64_t m, int e, uint64_t r)
{
	unsigned __int128 product = (unsigned __int128) n * m;
	unsigned __int128 below;

	if (e >= 0)
	{
		if (r == DPS_TOO_MANY)
			return e >= 64 || product >> (64 - e) != 0 || product << e >= DPS_TOO_MANY;
		return product <= UINT64_MAX && e < 64 && (unsigned __int128) r == product << e;
	}
	if (e <= -64)
		return r == DPS_TOO_MANY || (e <= -128 ? r == 1 :
									 (unsigned __int128) r == (product >> -e) + ((product >> -e << -e) != product));
	/* r 2^-e >= n m > (r - 1) 2^-e */
	below = (unsigned __int128) (r - 1) << -e;
	if (r == DPS_TOO_MANY)
		return product > below;
	return ((unsigned __int128) r << -e) >= product && product > below;
}

static void
test_bounds(void)
{
	int			wrong_shift = 0;
	int			wrong_scale = 0;
	int			wrong_sum = 0;
	int			wrong_root = 0;
	int			vanished = 0;
	int			i;

	for (i = 0; i < TRIALS; i++)
	{
		uint64_t	n = next_units();
		uint64_t	m = next_units();
		int			e = (int) (next_word() % 300) - 150;
		double		factor = next_double();
		uint64_t	shifted = dps_whole_shift((unsigned __int128) n * m, e);
		uint64_t	scaled = dps_whole_scale(n, factor);
		unsigned __int128 square = (unsigned __int128) n * n;
		uint64_t	root = dps_whole_root(square + (next_word() & 1 ? 0 : m));
		long double product = (long double) n * factor;

		if (n == 0 || m == 0 ? shifted != 0 : !is_least(n, m, e, shifted))
			wrong_shift++;
		if (n != 0 && factor != 0.0 && (scaled == 0 || (m != 0 && shifted == 0)))
			vanished++;
		if (scaled != DPS_TOO_MANY ? (long double) scaled < product * (1 - 0x1p-62L) || (long double) scaled > product + 1.0L + product * 0x1p-62L :
			product < 0x1.fffffffffffffffp63L * (1 - 0x1p-62L))
			wrong_scale++;
		if (dps_whole_add(n, m) != (n > UINT64_MAX - m ? UINT64_MAX : n + m) ||
			dps_whole_times(n, m) != ((unsigned __int128) n * m > UINT64_MAX ? UINT64_MAX : n * m) ||
			dps_whole_squares(square, m) < square)
			wrong_sum++;
		if (root < n || (root != DPS_TOO_MANY && (unsigned __int128) root * root < square))
			wrong_root++;
	}
	ok(wrong_shift == 0, "n m 2^e is rounded up, or too many");
	ok(wrong_scale == 0, "n times a double, too");
	ok(vanished == 0, "what is not 0 does not become 0");
	ok(wrong_sum == 0, "sums, products and squares stop at the end");
	ok(wrong_root == 0, "a root is no smaller than what was squared");
	ok(dps_whole_scale(1, NAN) == DPS_TOO_MANY && dps_whole_scale(1, -1.0) == DPS_TOO_MANY && dps_whole_scale(1, INFINITY) == DPS_TOO_MANY &&
	   dps_whole_scale(DPS_TOO_MANY, 0.5) == DPS_TOO_MANY && dps_whole_scale(1, 0x1p-1074) == 1 && dps_whole_scale(0, 1e300) == 0,
	   "no factor makes less of too many");
	ok(dps_whole_scale(UINT64_C(1) << 44, 1048576.0) == DPS_TOO_MANY && dps_whole_scale((UINT64_C(1) << 44) - 1, 1048576.0) == ((UINT64_C(1) << 44) - 1) << 20,
	   "2^44 times 2^20 is too many, and not 0");
	ok(dps_whole_root(~(unsigned __int128) 0) == DPS_TOO_MANY && dps_whole_root(0) == 0 && dps_whole_root(2) == 2 && dps_whole_root(4) == 2,
	   "roots at either end");
}

int
main(void)
{
	test_conversions();
	test_bounds();
	return done_testing();
}
