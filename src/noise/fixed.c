/*
 * fixed.c
 *		exp(-x) for rational x in fixed point, to as many words as are asked for.
 *
 * Precondition: 0 < x <= DPS_FIXED_EXPONENT, x = n/d with d < 2^62; from 2 to
 * DPS_FIXED_WORDS words.  Postcondition: the result is a lower bound of exp(-x), off by
 * less than 2^DPS_FIXED_ERROR units of the last place.
 *
 * Proof.  With x = j + f, j whole and 0 < f <= 1, exp(-x) = exp(-f) exp(-1)^j, where
 * exp(-f) and exp(-1) are sums of the alternating series.  Errors in units of
 * the last place:
 *
 * Terms.  t_k = floor(floor(t_{k-1} n / d) / k) is below the exact term by e_k
 *		<= e_{k-1} f/k + 1/k + 1 with e_0 = 0, so e_k < 3.  The first term that
 *		comes out 0 is exactly below 3 units, and bounds the tail of the
 *		alternating series.
 * Sum.  K terms err by less than 3 K + 3.  K < 310, as 310! > 2^2048, so by less
 *		than 2^10.  After subtracting 2^10 it is a lower bound, off by less than
 *		2^11.
 * Product.  Lower bounds a, b < 1 off by less than p and q have floor(ab) off by
 *		less than p + q + 2.  72 factors at most: 72 (2^11 + 2) < 2^18.
 *
 * Nothing wraps: exp(-f) <= 1 - 2^-63 for f >= 2^-62, and 2 words resolve that.
 */
#include <stdbool.h>
#include <string.h>

#include "noise/fixed.h"

#define SUM_ERROR (UINT64_C(1) << 10)

uint64_t
dps_fixed_scale(uint64_t *x, int words, uint64_t m)
{
	uint64_t	carry = 0;

	for (int i = 0; i < words; i++)
	{
		unsigned __int128 product = (unsigned __int128) x[i] * m + carry;

		x[i] = (uint64_t) product;
		carry = (uint64_t) (product >> 64);
	}
	return carry;
}

void
dps_fixed_add(uint64_t *x, int words, unsigned __int128 n)
{
	for (int i = 0; i < words && n != 0; i++)
	{
		uint64_t	low = (uint64_t) n;

		n >>= 64;
		x[i] += low;
		/* n < 2^64 here, so one more fits */
		n += x[i] < low;
	}
}

int
dps_fixed_compare(const uint64_t *x, const uint64_t *y, int words)
{
	for (int i = words - 1; i >= 0; i--)
	{
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

void
dps_fixed_product(uint64_t *out, const uint64_t *x, const uint64_t *y, int words)
{
	uint64_t	full[2 * DPS_FIXED_WORDS];

	memset(full, 0, sizeof(uint64_t) * 2 * (size_t) words);
	for (int i = 0; i < words; i++)
	{
		uint64_t	carry = 0;

		for (int j = 0; j < words; j++)
		{
			/* (2^64-1)^2 + 2 (2^64-1) < 2^128 */
			unsigned __int128 sum = (unsigned __int128) x[i] * y[j] + full[i + j] + carry;

			full[i + j] = (uint64_t) sum;
			carry = (uint64_t) (sum >> 64);
		}
		full[i + words] = carry;
	}
	memcpy(out, full + words, sizeof(uint64_t) * (size_t) words);
}

/* x = floor(x / d); whether anything is left. */
static bool
divide(uint64_t *x, int words, uint64_t d)
{
	uint64_t	rest = 0;
	uint64_t	any = 0;

	for (int i = words - 1; i >= 0; i--)
	{
		unsigned __int128 part = (unsigned __int128) rest << 64 | x[i];

		/* rest < d, so the quotient fits */
		x[i] = (uint64_t) (part / d);
		rest = (uint64_t) (part % d);
		any |= x[i];
	}
	return any != 0;
}

/* sum += term or sum -= term, modulo 2^(64 words). */
static void
accumulate(uint64_t *sum, const uint64_t *term, int words, bool subtract)
{
	uint64_t	carry = 0;

	for (int i = 0; i < words; i++)
	{
		unsigned __int128 next = subtract ? (unsigned __int128) sum[i] - term[i] - carry
			: (unsigned __int128) sum[i] + term[i] + carry;

		sum[i] = (uint64_t) next;
		carry = (uint64_t) (next >> 64) & 1;
	}
}

/* exp(-n/d) for 0 < n/d <= 1. */
static void
series(uint64_t *out, int words, uint64_t n, uint64_t d)
{
	/* one word more, for the whole part */
	uint64_t	sum[DPS_FIXED_WORDS + 1] = {0};
	uint64_t	term[DPS_FIXED_WORDS + 1] = {0};
	uint64_t	error[DPS_FIXED_WORDS + 1] = {SUM_ERROR};
	bool		more = true;

	sum[words] = term[words] = 1;
	for (uint64_t k = 1; more; k++)
	{
		/* a term is at most 1 and n < 2^62, so nothing is lost */
		(void) dps_fixed_scale(term, words + 1, n);
		more = divide(term, words + 1, d) && divide(term, words + 1, k);
		accumulate(sum, term, words + 1, k % 2 == 1);
	}
	accumulate(sum, error, words + 1, true);
	memcpy(out, sum, sizeof(uint64_t) * (size_t) words);
}

void
dps_fixed_exp(uint64_t *out, int words, unsigned __int128 n, uint64_t d)
{
	uint64_t	whole = (uint64_t) ((n - 1) / d);
	uint64_t	factor[DPS_FIXED_WORDS];

	series(out, words, (uint64_t) (n - (unsigned __int128) whole * d), d);
	if (whole == 0)
		return;
	series(factor, words, 1, 1);
	for (; whole > 0; whole--)
		dps_fixed_product(out, out, factor, words);
}
