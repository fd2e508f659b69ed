/*
 * test_integral.c
 *		Integers that doubles hold are those that the processor's own conversion
 *		finds.
 */
#include <inttypes.h>

#include "num/integral.h"
#include "splitmix.h"
#include "tap.h"

#define SEED UINT64_C(0x696e74656772616c)
#define ROUNDS 2000000
#define LIMIT 0x1p62

static uint64_t random_state = SEED;

static uint64_t
next_random(void)
{
	return splitmix64(&random_state);
}

static bool
is_found(double x)
{
	if (dps_integral(x) == (int64_t) x)
		return true;
	printf("# %a is %" PRId64 ", not %" PRId64 "\n", x, (int64_t) x, dps_integral(x));
	return false;
}

/* Of every size, often beside a power of two, where parts carry. */
static double
next_integral(void)
{
	int			shift = (int) (next_random() % 63);
	double		x = ldexp(1.0, shift);

	if (next_random() % 2 == 0)
		x += (double) (int64_t) (next_random() % 7) - 3;
	else
		x = rint((double) (next_random() >> 11) * 0x1p-53 * x);
	x = fmin(x, LIMIT);
	return next_random() % 2 == 0 ? x : -x;
}

static bool
test_edges(void)
{
	static const double edges[] = {0, -0.0, 1, -1, LIMIT, -LIMIT, 0x1p51, 0x1p52, 0x1p53, 0x1p30, 0x1p31, 0x1.8p30, 0x1.8p31,
	0x1.fffffffffffffp61, 0x1.00000003p61, 0x1.7fffffffp61};
	bool		found = true;

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
	{
		for (int step = -2; step <= 2; step++)
		{
			double		x = rint(edges[i] + step);

			if (fabs(x) <= LIMIT)
				found = is_found(x) && is_found(-x) && found;
		}
	}
	return found;
}

static bool
test_random(void)
{
	for (int i = 0; i < ROUNDS; i++)
	{
		if (!is_found(next_integral()))
			return false;
	}
	return true;
}

int
main(void)
{
	ok(test_edges(), "at the edges of both parts");
	ok(test_random(), "%d integers, seed %" PRIx64, ROUNDS, SEED);
	return done_testing();
}
