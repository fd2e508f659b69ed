/*
 * draws.c
 *		Events of exact draws (noise/sample.c), from as many random bits as are stated, after
 *		which the source fails: what is decided by the bits is what is meant, and a
 *		source that fails decides nothing.
 *
 * Draws as a whole are loops around these within loops, and divide 126 bits by
 * a scale: for four scales and a large one that is here, else in test/stat/test_samplers.c.
 *
 * unwind: 7
 */
#include "noise/sample.c"
#include "num/random.c"

#include "prove.h"

static bool
no_bytes(void *context, void *buffer, size_t size)
{
	return false;
}

static const DpsHost host = {.random_bytes = no_bytes};

static DpsRandom
with_bits(unsigned bits)
{
	return (DpsRandom) {.host = &host, .next = DPS_RANDOM_WORDS, .bits_left = bits, .bits = nondet_uint64()};
}

void
prove_bernoulli(void)
{
	DpsRandom	random = with_bits(5);
	uint64_t	a = nondet_uint64();
	uint64_t	b = nondet_uint64();
	bool		was = nondet_int() != 0;
	bool		result = was;
	DpsStatus	status;

	ASSUME(b > 0 && b < DPS_SCALE_LIMIT);
	status = bernoulli(&random, a, b, &result);
	CLAIM(a < b || (status == DPS_OK && result && random.bits_left == 5), "what is certain takes no bit");
	CLAIM(a > 0 || (status == DPS_OK && !result && random.bits_left == 5), "nor what never is");
	CLAIM(status == DPS_OK || (status == DPS_UNABLE && result == was && random.bits_left == 0), "without bits nothing is decided");
}

/* The bits that were read are a number of so many digits: it is compared with a/b. */
void
prove_comparison(void)
{
	DpsRandom	random = with_bits(5);
	uint64_t	bits = random.bits;
	uint64_t	a = nondet_uint64();
	uint64_t	b = nondet_uint64();
	bool		result;
	unsigned	read;
	unsigned	number = 0;

	ASSUME(b > 0 && b < 1 << 8 && a > 0 && a < b);
	if (bernoulli(&random, a, b, &result) != DPS_OK)
		return;
	read = 5 - random.bits_left;
	for (unsigned i = 0; i < read; i++)
		number = number << 1 | (bits >> i & 1);
	CLAIM(result == (number < ((unsigned) a << read) / (unsigned) b), "less than a/b, or not");
}

void
prove_exponential(void)
{
	DpsRandom	random = with_bits(3);
	uint64_t	a = nondet_uint64();
	uint64_t	b = nondet_uint64();
	bool		was = nondet_int() != 0;
	bool		result = was;
	DpsStatus	status;

	ASSUME(b > 0 && b < DPS_SCALE_LIMIT && a <= b);
	status = bernoulli_exp(&random, a, b, &result);
	CLAIM(a > 0 || (status == DPS_OK && result), "exp(-0) is certain");
	CLAIM(status == DPS_OK || (status == DPS_UNABLE && result == was && random.bits_left == 0), "without bits nothing is decided");
}

/* |u + n v - n| = q n + r, which is 64 bits of q, as its square needs. */
static void
check_distance(uint64_t n)
{
	uint64_t	u = nondet_uint64();
	uint64_t	v = nondet_uint64();
	uint64_t	r;
	unsigned __int128 q;

	ASSUME(u < n);
	q = split_distance(magnitude_of(u, n, v), n, &r);
	CLAIM(q == (v > 0 ? v - 1 : u == 0), "the quotient has 64 bits");
	CLAIM(r == (v > 0 || u == 0 ? u : n - u), "the remainder is what is left");
}

void
prove_distances(void)
{
	for (uint64_t n = 1; n <= 4; n++)
		check_distance(n);
	check_distance(DPS_SCALE_LIMIT / 2);
}
