/*
 * wide.c
 *		Products of 128 bits and their comparison (num/rational.h), which decide a scale.
 *		Shifts and comparisons for all numbers; products of all numbers with
 *		each power of two, with one number of several bits in both halves, and with the
 *		largest there is near both ends of the range.
 *
 * Two factors of which nothing is known are four products of 64 bits, and to compare
 * their sum with another way to it is beyond a solver: test/unit/test_random.c tries
 * random ones.
 *
 * unwind: 129
 */
#include "num/rational.c"

#include "prove.h"

#define ALL_BITS (~(unsigned __int128) 0)

void
prove_powers(void)
{
	unsigned __int128 x = nondet_uint128();

	for (int k = 0; k < 128; k++)
	{
		unsigned __int128 power = (unsigned __int128) 1 << k;
		DpsWide		right = dps_wide_product(x, power);
		DpsWide		left = dps_wide_product(power, x);

		CLAIM(right.lo == x << k && right.hi == (k == 0 ? 0 : x >> (128 - k)), "a power of two shifts");
		CLAIM(left.lo == right.lo && left.hi == right.hi, "from either side");
	}
}

/* x (2^127 + 2^64 + 3), one after the other. */
void
prove_carries(void)
{
	unsigned __int128 x = nondet_uint128();
	DpsWide		product = dps_wide_product(x, ((unsigned __int128) 1 << 127) + ((unsigned __int128) 1 << 64) + 3);
	unsigned __int128 lo = x << 127;
	unsigned __int128 hi = (x >> 1) + (x >> 64) + (x > ALL_BITS / 3) + (x > ALL_BITS / 3 * 2);

	lo += x << 64;
	hi += lo < x << 64;
	lo += 3 * x;
	hi += lo < 3 * x;
	CLAIM(product.lo == lo && product.hi == hi, "carries arrive");
}

/* x (2^128 - 1) = x 2^128 - x */
void
prove_largest(void)
{
	unsigned __int128 x = nondet_uint128();
	DpsWide		product = dps_wide_product(x, ALL_BITS);

	ASSUME(x < 1 << 6 || x > ALL_BITS - (1 << 6));
	CLAIM(product.lo == -x && product.hi == (x == 0 ? 0 : x - 1), "the largest numbers fit");
}

static bool
has_bit(const DpsWide *x, unsigned i)
{
	return (i < 128 ? x->lo >> i : x->hi >> (i - 128)) & 1;
}

void
prove_shift(void)
{
	DpsWide		x = {nondet_uint128(), nondet_uint128()};
	DpsWide		was = x;
	unsigned	bits = (unsigned) nondet_int();
	unsigned	i = (unsigned) nondet_int();
	bool		fits = dps_wide_shift(&x, bits);

	ASSUME(i < 256);
	CLAIM(fits || (x.hi == was.hi && x.lo == was.lo), "what does not fit stays as it was");
	CLAIM(!fits || (was.hi == 0 && was.lo == 0) || has_bit(&x, i) == (i >= bits && has_bit(&was, i - bits)), "each bit is moved");
	CLAIM(!fits || !has_bit(&was, i) || (bits < 256 && i + bits < 256), "and none is lost");
	CLAIM(fits || was.hi != 0 || bits >= 128, "what fits is not refused");
}

void
prove_compare(void)
{
	DpsWide		x = {nondet_uint128(), nondet_uint128()};
	DpsWide		y = {nondet_uint128(), nondet_uint128()};
	int			order = dps_wide_compare(x, y);

	CLAIM((order == 0) == (x.hi == y.hi && x.lo == y.lo), "the same are the same");
	CLAIM(order == -dps_wide_compare(y, x), "one way or the other");
	CLAIM(x.hi <= y.hi || order > 0, "by the upper half");
	CLAIM(x.hi != y.hi || x.lo <= y.lo || order > 0, "and then by the lower");
}
