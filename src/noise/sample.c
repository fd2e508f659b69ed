/*
 * sample.c
 *		Exact draws from the discrete Laplace and discrete Gaussian
 *		distributions.
 *
 * Precondition: the random source yields independent uniform bits; 0 < scale <
 * DPS_SCALE_LIMIT.  Postcondition: the result has exactly the stated
 * probability mass function.  Canonne, Kamath and Steinke 2020 ("The discrete
 * Gaussian for differential privacy"), Algorithms 1 to 3; argued here anew
 * because the arrangement differs: apart from magnitudes, which take 126 bits,
 * and one square, every quantity fits in 64 bits.
 *
 * bernoulli: P(a/b).  Compares the binary expansion of a/b, digit by digit,
 *		with uniform bits; at the first difference the bit is the smaller
 *		with the probability that a uniform real lies below a/b.  An expansion
 *		that ends in zeros is never above.
 *
 * bernoulli_exp: P(exp(-x)), x = a/b in [0, 1].  K leaves the loop with
 *		P(K > k) = x^k / k!, so P(K odd) = 1 - x + x^2/2 - ... = exp(-x).
 *
 * bernoulli_exp_square: the same with x = (r/n)^2 / 2 as a product of
 *		independent events of probability 1/2, r/n and r/n.
 *
 * dps_sample_laplace: u is accepted with exp(-u/t), v has P(v) =
 *		(1 - e^-1) e^-v, so x = u + t v has P(x) proportional to exp(-x/t) on
 *		0, 1, 2, ...; the sign doubles all but 0, one of whose two forms is
 *		rejected.  dps_sample_geometric is x itself.
 *
 * dps_sample_laplace_ratio: floor(x/s) has P(floor(x/s) >= k) = P(x >= k s) =
 *		exp(-k s/t), so it is geometric as x is.
 *
 * dps_sample_exp: exp(-n/d) is floor(n/d) events of probability exp(-1) and one
 *		of exp(-(n mod d)/d); the first that fails decides, so fewer than 3
 *		are tried on average whatever n is.
 *
 * dps_sample_gaussian: y from exp(-|y|/n) is accepted with
 *		exp(-(|y| - n)^2 / 2n^2); the product is exp(-y^2/2n^2) times the
 *		constant exp(-1/2).  With ||y| - n| = q n + r the exponent is
 *		q^2/2 + q r/n + (r/n)^2/2, three independent events.
 *
 * Every loop ends with probability 1 and at once when the source fails.  The
 * time of a draw depends on the noise drawn.
 */
#include <stdbool.h>

#include "noise/sample.h"

/* ---- integer steps, which test/prove/samplers.c is about ---- */

/* The next binary digit of a/b, 0 <= a < b < 2^63; a/b becomes what is left. */
static inline unsigned
next_digit(uint64_t *a, uint64_t b)
{
	*a *= 2;
	if (*a < b)
		return 0;
	*a -= b;
	return 1;
}

/* u + t v, for u < t <= 2^62: below 2^126. */
static inline __int128
magnitude_of(uint64_t u, uint64_t t, uint64_t v)
{
	return u + (__int128) t * v;
}

/* ||y| - n| = q n + r, r < n. */
static inline unsigned __int128
split_distance(unsigned __int128 magnitude, uint64_t n, uint64_t *r)
{
	unsigned __int128 distance = magnitude >= n ? magnitude - n : n - magnitude;

	*r = (uint64_t) (distance % n);
	return distance / n;
}

/* ---- draws ---- */

static inline DpsStatus
bernoulli(DpsRandom *random, uint64_t a, uint64_t b, bool *result)
{
	if (a >= b)
	{
		*result = true;
		return DPS_OK;
	}
	while (a != 0)
	{
		unsigned	digit = next_digit(&a, b);
		unsigned	bit;

		DPS_TRY(dps_random_bit(random, &bit));
		if (bit != digit)
		{
			*result = bit < digit;
			return DPS_OK;
		}
	}
	*result = false;
	return DPS_OK;
}

static DpsStatus
bernoulli_exp(DpsRandom *random, uint64_t a, uint64_t b, bool *result)
{
	uint64_t	k = 1;

	for (;;)
	{
		bool		more = false;

		DPS_TRY(bernoulli(random, 1, k, &more));
		if (more)
			DPS_TRY(bernoulli(random, a, b, &more));
		if (!more)
			break;
		k++;
	}
	*result = k % 2 == 1;
	return DPS_OK;
}

static DpsStatus
bernoulli_exp_square(DpsRandom *random, uint64_t r, uint64_t n, bool *result)
{
	uint64_t	k = 1;

	for (;;)
	{
		bool		more = false;

		DPS_TRY(bernoulli(random, 1, k, &more));
		if (more)
			DPS_TRY(bernoulli(random, 1, 2, &more));
		if (more)
			DPS_TRY(bernoulli(random, r, n, &more));
		if (more)
			DPS_TRY(bernoulli(random, r, n, &more));
		if (!more)
			break;
		k++;
	}
	*result = k % 2 == 1;
	return DPS_OK;
}

/* All of `count` independent events of probability exp(-a/b). */
static DpsStatus
bernoulli_exp_power(DpsRandom *random, unsigned __int128 count, uint64_t a, uint64_t b, bool *result)
{
	*result = true;
	while (*result && count-- > 0)
		DPS_TRY(bernoulli_exp(random, a, b, result));
	return DPS_OK;
}

/* The number of successes, each of probability 1/e, before the first failure. */
static DpsStatus
geometric(DpsRandom *random, uint64_t *count)
{
	bool		more;

	*count = 0;
	for (;;)
	{
		DPS_TRY(bernoulli_exp(random, 1, 1, &more));
		if (!more)
			return DPS_OK;
		(*count)++;
	}
}

/* P(X = x) proportional to exp(-x/t), x >= 0. */
static DpsStatus
one_sided(DpsRandom *random, uint64_t t, __int128 *x)
{
	uint64_t	u;
	uint64_t	v;
	bool		accepted;

	do
	{
		DPS_TRY(dps_random_below(random, t, &u));
		DPS_TRY(bernoulli_exp(random, u, t, &accepted));
	} while (!accepted);
	DPS_TRY(geometric(random, &v));
	*x = magnitude_of(u, t, v);
	return DPS_OK;
}

/* P(Z = z) proportional to exp(-|z| s/t). */
static DpsStatus
laplace(DpsRandom *random, uint64_t s, uint64_t t, __int128 *z)
{
	for (;;)
	{
		__int128	magnitude;
		unsigned	negative;

		DPS_TRY(one_sided(random, t, &magnitude));
		if (s != 1)
			magnitude /= s;
		DPS_TRY(dps_random_bit(random, &negative));
		if (negative && magnitude == 0)
			continue;
		*z = negative ? -magnitude : magnitude;
		return DPS_OK;
	}
}

/* Whether to keep a y of magnitude |y|; exp(-(|y| - n)^2 / 2n^2). */
static DpsStatus
accept_gaussian(DpsRandom *random, unsigned __int128 magnitude, uint64_t n, bool *accepted)
{
	uint64_t	r;

	/* below 2^64, as v + 1 is, so its square fits */
	unsigned __int128 q = split_distance(magnitude, n, &r);

	DPS_TRY(bernoulli_exp_power(random, q * q, 1, 2, accepted));
	if (*accepted)
		DPS_TRY(bernoulli_exp_power(random, q, r, n, accepted));
	if (*accepted)
		DPS_TRY(bernoulli_exp_square(random, r, n, accepted));
	return DPS_OK;
}

DpsStatus
dps_sample_laplace(DpsRandom *random, uint64_t t, __int128 *z)
{
	if (t == 0 || t >= DPS_SCALE_LIMIT)
		return DPS_DOMAIN;
	return laplace(random, 1, t, z);
}

DpsStatus
dps_sample_geometric(DpsRandom *random, uint64_t t, unsigned __int128 *k)
{
	__int128	x;

	if (t == 0 || t >= DPS_SCALE_LIMIT)
		return DPS_DOMAIN;
	DPS_TRY(one_sided(random, t, &x));
	*k = (unsigned __int128) x;
	return DPS_OK;
}

DpsStatus
dps_sample_laplace_ratio(DpsRandom *random, uint64_t s, uint64_t t, __int128 *z)
{
	if (s == 0 || s >= DPS_SCALE_LIMIT || t == 0 || t >= DPS_SCALE_LIMIT)
		return DPS_DOMAIN;
	return laplace(random, s, t, z);
}

DpsStatus
dps_sample_exp(DpsRandom *random, unsigned __int128 n, uint64_t d, bool *result)
{
	bool		all;

	if (d == 0 || d >= DPS_SCALE_LIMIT)
		return DPS_DOMAIN;
	DPS_TRY(bernoulli_exp_power(random, n / d, 1, 1, &all));
	if (all)
		DPS_TRY(bernoulli_exp(random, (uint64_t) (n % d), d, &all));
	*result = all;
	return DPS_OK;
}

DpsStatus
dps_sample_gaussian(DpsRandom *random, uint64_t n, __int128 *z)
{
	if (n == 0 || n >= DPS_SCALE_LIMIT)
		return DPS_DOMAIN;
	for (;;)
	{
		__int128	y;
		bool		accepted;

		DPS_TRY(laplace(random, 1, n, &y));
		DPS_TRY(accept_gaussian(random, y < 0 ? -y : y, n, &accepted));
		if (accepted)
		{
			*z = y;
			return DPS_OK;
		}
	}
}
