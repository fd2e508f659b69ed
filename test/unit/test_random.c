/*
 * test_random.c
 *		The random buffer, the uniform integers, and the exact ratios.
 */
#include <math.h>
#include <string.h>

#include "num/random.h"
#include "num/rational.h"
#include "tap.h"

/* A host that hands out the given words, over and over, then fails. */
typedef struct Script
{
	const uint64_t *words;
	int			count;
	int			refills_left;	/* before it fails */
	int			refills;
} Script;

static bool
script_bytes(void *context, void *buffer, size_t size)
{
	Script	   *script = context;
	uint64_t   *out = buffer;

	script->refills++;
	/* a source that fails half way must not be believed either */
	for (size_t i = 0; i < size / sizeof(*out); i++)
		out[i] = script->words[i % (size_t) script->count];
	return script->refills_left-- > 0;
}

static DpsHost
script_host(Script *script)
{
	DpsHost		host = tap_host;

	host.random_bytes = script_bytes;
	host.context = script;
	return host;
}

static void
test_words(void)
{
	static const uint64_t words[] = {UINT64_C(0x123456789abcdef1), 2, 3};
	Script		script = {words, 3, 2, 0};
	DpsHost		host = script_host(&script);
	DpsRandom	random;
	uint64_t	word = 0;
	bool		same = true;
	bool		wiped = true;

	dps_random_init(&random, &host);
	ok(script.refills == 0, "nothing is read before the first draw");
	for (int i = 0; i < 2 * DPS_RANDOM_WORDS; i++)
	{
		if (dps_random_word(&random, &word) != DPS_OK ||
			word != words[i % DPS_RANDOM_WORDS % 3])
			same = false;
		for (int j = 0; j <= i % DPS_RANDOM_WORDS; j++)
			wiped = wiped && random.words[j] == 0;
	}
	ok(same && script.refills == 2, "every word is used once, in order");
	ok(wiped, "a consumed word is overwritten");
	word = 77;
	ok(dps_random_word(&random, &word) == DPS_UNABLE && word == 77,
	   "a failed source is DPS_UNABLE and sets nothing");
	for (int j = 0; j < DPS_RANDOM_WORDS; j++)
		wiped = wiped && random.words[j] == 0;
	ok(wiped, "what a failed source left in the buffer is overwritten");
	script.refills_left = 5;
	ok(dps_random_word(&random, &word) == DPS_UNABLE && word == 77,
	   "a source that failed once stays failed");
}

static void
test_bits(void)
{
	static const uint64_t words[] = {UINT64_C(0xf123456789abcde5)};
	Script		script = {words, 1, 1, 0};
	DpsHost		host = script_host(&script);
	DpsRandom	random;
	uint64_t	seen = 0;
	bool		in_order = true;
	unsigned	bit = 7;
	uint64_t	value = 77;
	DpsRandom	cleared;

	dps_random_init(&random, &host);
	for (int i = 0; i < 64 * DPS_RANDOM_WORDS; i++)
	{
		if (dps_random_bit(&random, &bit) != DPS_OK)
			in_order = false;
		seen |= (uint64_t) bit << i % 64;
		if (i % 64 == 63)
		{
			in_order = in_order && seen == words[0] && random.bits == 0;
			seen = 0;
		}
	}
	ok(in_order, "the bits of a word come one by one and are dropped");
	bit = 7;
	ok(dps_random_bit(&random, &bit) == DPS_UNABLE && bit == 7, "no bit from a failed source");
	ok(dps_random_below(&random, 10, &value) == DPS_UNABLE && value == 77,
	   "no integer from a failed source");
	ok(dps_random_below(&random, 0, &value) == DPS_DOMAIN, "nothing is below 0");

	dps_random_init(&random, &tap_host);
	ok(dps_random_word(&random, &value) == DPS_OK && dps_random_bit(&random, &bit) == DPS_OK,
	   "the kernel's source works");
	dps_random_clear(&random);
	dps_random_init(&cleared, &tap_host);
	ok(memcmp(&random, &cleared, sizeof(random)) == 0, "clear leaves nothing behind");
}

/* What dps_random_below makes of one word; false if it rejects the word. */
static bool
below_of_word(uint64_t word, uint64_t n, uint64_t *value)
{
	DpsRandom	random;

	memset(&random, 0, sizeof(random));
	random.failed = true;		/* so that a second word is an error */
	random.next = DPS_RANDOM_WORDS - 1;
	random.words[random.next] = word;
	return dps_random_below(&random, n, value) == DPS_OK;
}

/*
 * The words whose candidate is v are an interval; its ends are found from the
 * code's own answers and the accepted ones counted.  Rejected words can only be
 * at the lower end (one at most, as the low half grows by n > 2^64 mod n).
 */
static bool
counts_equal(uint64_t n, uint64_t v)
{
	unsigned __int128 one = (unsigned __int128) 1 << 64;
	unsigned __int128 first = (one * v + n - 1) / n;
	unsigned __int128 end = (one * (v + 1) + n - 1) / n;
	uint64_t	value;
	uint64_t	accepted = (uint64_t) (end - first);

	if (!below_of_word((uint64_t) first, n, &value))
		accepted--;
	else if (value != v)
		return false;
	if (end - first > 1 &&
		(!below_of_word((uint64_t) first + 1, n, &value) || value != v))
		return false;
	if (end - first > 2 &&
		(!below_of_word((uint64_t) (end - 1), n, &value) || value != v))
		return false;
	return accepted == (uint64_t) (one / n);	/* both 0 for n = 1 */
}

static void
test_below(void)
{
	DpsRandom	random;
	uint64_t	n;
	uint64_t	v;
	bool		fair = true;

	dps_random_init(&random, &tap_host);
	for (n = 1; n <= 60; n++)
		for (v = 0; v < n; v++)
			if (!counts_equal(n, v))
			{
				fair = false;
				diag("n = %llu, v = %llu", (unsigned long long) n, (unsigned long long) v);
			}
	ok(fair, "equally many words for every value, small n");
	for (int i = 0; fair && i < 20000; i++)
	{
		unsigned	shift;

		if (dps_random_word(&random, &n) != DPS_OK)
			fair = false;
		shift = (unsigned) i % 64;
		n = (n >> shift) | 1;
		if (dps_random_below(&random, n, &v) != DPS_OK || v >= n || !counts_equal(n, v))
		{
			fair = false;
			diag("n = %llu, v = %llu", (unsigned long long) n, (unsigned long long) v);
		}
	}
	ok(fair, "equally many words for every value, random n");
}

static unsigned __int128
random_wide(DpsRandom *random)
{
	uint64_t	high = 0;
	uint64_t	low = 0;

	if (dps_random_word(random, &high) != DPS_OK || dps_random_word(random, &low) != DPS_OK)
		exit(2);
	/* long runs of ones and zeros carry the most */
	if (low % 4 == 0)
		high = high % 2 ? UINT64_MAX : 0;
	if (low % 8 < 2)
		low = UINT64_MAX;
	return ((unsigned __int128) high << 64 | low) >> (high % 100);
}

/* x * y by adding shifted copies. */
static DpsWide
slow_product(unsigned __int128 x, unsigned __int128 y)
{
	DpsWide		sum = {0, 0};

	for (unsigned i = 0; i < 128; i++)
	{
		DpsWide		term = {0, x};

		if ((y >> i & 1) == 0)
			continue;
		if (!dps_wide_shift(&term, i))
			exit(2);
		sum.lo += term.lo;
		sum.hi += term.hi + (sum.lo < term.lo);
	}
	return sum;
}

static void
test_wide(void)
{
	DpsWide		one = {0, 1};
	DpsWide		top = {(unsigned __int128) 1 << 127, 0};
	DpsRandom	random;
	bool		equal = true;

	dps_random_init(&random, &tap_host);
	for (int i = 0; i < 20000; i++)
	{
		unsigned __int128 x = random_wide(&random);
		unsigned __int128 y = random_wide(&random);

		equal = equal && dps_wide_compare(dps_wide_product(x, y), slow_product(x, y)) == 0;
	}
	ok(equal, "wide products agree with long multiplication");
	ok(dps_wide_shift(&one, 255) && dps_wide_compare(one, top) == 0 &&
	   !dps_wide_shift(&one, 1) && dps_wide_compare(one, top) == 0,
	   "a shift that overflows is refused and changes nothing");
	one.hi = 0;
	ok(dps_wide_compare(one, top) < 0 && dps_wide_compare(top, one) > 0, "wide comparison");
}

/* -1, 0, 1 as n / d is less than, equal to or greater than x > 0. */
static int
compare_ratio(uint64_t n, uint64_t d, double x)
{
	int			exponent;
	uint64_t	mantissa = (uint64_t) ldexp(frexp(x, &exponent), 53);
	DpsWide		left = dps_wide_product(n, 1);
	DpsWide		right = dps_wide_product(mantissa, d);

	exponent -= 53;
	if (!dps_wide_shift(exponent > 0 ? &right : &left, (unsigned) abs(exponent)))
		exit(2);
	return dps_wide_compare(left, right);
}

static void
test_ratio(void)
{
	DpsRandom	random;
	bool		enclosed = true;
	bool		kept = true;

	dps_random_init(&random, &tap_host);
	for (int i = 0; i < 50000; i++)
	{
		uint64_t	n = (uint64_t) random_wide(&random) | 1;
		uint64_t	d = (uint64_t) random_wide(&random) | 1;
		double		lo = dps_ratio_down(n, d);
		double		hi = dps_ratio_up(n, d);

		if (!(compare_ratio(n, d, lo) >= 0 && compare_ratio(n, d, hi) <= 0 &&
			  hi - lo <= 0x1p-50 * lo))
		{
			enclosed = false;
			diag("%llu / %llu", (unsigned long long) n, (unsigned long long) d);
		}
	}
	ok(enclosed, "ratios are enclosed within a relative 2^-50");
	for (uint64_t d = 1; d < 300; d++)
		for (uint64_t a = 1; a < 300; a++)
			kept = kept && dps_ratio_up(a * (d << 40), d << 40) == (double) a &&
				dps_ratio_down(a * d, d << 40) == ldexp((double) a, -40);
	ok(kept && dps_ratio_up(0, 5) == 0.0, "short quotients are exact");
	ok(dps_ratio_up(0, 0) == INFINITY && dps_ratio_down(1, 0) == INFINITY, "n / 0 is Infinity");
}

int
main(void)
{
	test_words();
	test_bits();
	test_below();
	test_wide();
	test_ratio();
	return done_testing();
}
