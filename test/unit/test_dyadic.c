/*
 * test_dyadic.c
 *		Sums, products and fractions of doubles are exact.
 *
 * The sum and the product of two doubles are known by their rounding errors
 * (Knuth's TwoSum, FMA); longer ones are compared with MPFR where it is installed,
 * and by laws that only exact numbers obey.
 */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#include "num/dyadic.h"
#include "splitmix.h"
#include "tap.h"

#define SEED UINT64_C(0x6470735f64796164)
#define ROUNDS 20000
#define LONG_ROUNDS 2000
#define MOST_FACTORS 20

static uint64_t random_state = SEED;

static uint64_t
next_random(void)
{
	return splitmix64(&random_state);
}

/* Positive; of few digits every other time, so that there is something to cancel. */
static double
next_double(int spread)
{
	uint64_t	digits = next_random() >> (next_random() % 2 == 0 ? 11 : 11 + next_random() % 52);

	return ldexp((double) (digits | 1), (int) (next_random() % (2 * spread + 1)) - spread - 53);
}

static DpsDyadic
dyadic(double x)
{
	DpsDyadic	result;

	dps_dyadic_set(&result, x);
	return result;
}

static bool
is_double(const DpsDyadic *x, double value)
{
	DpsInterval around;
	double		nearest;

	return dps_dyadic_round(x, &nearest, &around) && nearest == value && around.lo == value && around.hi == value;
}

/* value + error, error of less than half an ulp */
static bool
is_rounded(const DpsDyadic *x, double value, double error)
{
	DpsInterval around;
	double		nearest;

	if (!dps_dyadic_round(x, &nearest, &around) || nearest != value)
		return false;
	return around.lo == (error < 0 ? dps_round_down(value) : value) &&
		around.hi == (error > 0 ? dps_round_up(value) : value);
}

static void
test_two(void)
{
	long		wrong = 0;
	long		ties = 0;
	int			i;

	for (i = 0; i < ROUNDS; i++)
	{
		double		x = next_double(i % 2 == 0 ? 60 : 3);
		double		y = next_double(i % 2 == 0 ? 60 : 3);
		DpsDyadic	a = dyadic(x);
		DpsDyadic	b = dyadic(y);
		double		sum = x + y;
		double		rest = sum - x;
		double		error = (x - (sum - rest)) + (y - rest);
		DpsDyadic	result;

		wrong += !is_double(&a, x) || dps_dyadic_compare(&a, &b) != (x > y) - (x < y);
		wrong += !dps_dyadic_add(&result, &a, &b) || !is_rounded(&result, sum, error);
		/* a tie is rounded to the even one */
		ties += fabs(error) == (dps_round_up(sum) - sum) / 2;
		wrong += !dps_dyadic_multiply(&result, &a, &b) || !is_rounded(&result, x * y, fma(x, y, -(x * y)));
		if (x == y)
			continue;
		sum = fabs(x - y);
		error = x > y ? (x - (sum + (x - sum))) + ((x - sum) - y) : (y - (sum + (y - sum))) + ((y - sum) - x);
		wrong += !dps_dyadic_subtract(&result, &a, &b) ||
			(error == 0 && fabs(x - y) > fmax(x, y) / 2 && !is_double(&result, sum));
	}
	ok(wrong == 0 && ties > 10, "sums, differences and products of two doubles, seed %" PRIx64 ": %ld wrong, %ld ties",
	   SEED, wrong, ties);
}

static bool
same(const DpsDyadic *x, const DpsDyadic *y)
{
	return memcmp(x, y, sizeof(*x)) == 0;
}

/* (x + y) - y = x, (x + y) z = x z + y z; z x / z y = x / y in lowest terms */
static void
test_laws(void)
{
	long		wrong = 0;
	long		looked = 0;
	int			i;

	for (i = 0; i < LONG_ROUNDS; i++)
	{
		DpsDyadic	x = dyadic(next_double(100));
		DpsDyadic	y = dyadic(next_double(100));
		DpsDyadic	z = dyadic(next_double(100));
		DpsDyadic	sum;
		DpsDyadic	left;
		DpsDyadic	right;
		DpsDyadic	p;
		DpsDyadic	q;
		int			k;

		for (k = (int) (next_random() % 4); k > 0; k--)
		{
			DpsDyadic	factor = dyadic(next_double(10));

			wrong += !dps_dyadic_multiply(&x, &x, &factor) || !dps_dyadic_multiply(&z, &factor, &z);
		}
		wrong += !dps_dyadic_add(&sum, &x, &y) || !dps_dyadic_subtract(&left, &sum, &y) || !same(&left, &x);
		wrong += !dps_dyadic_subtract(&left, &y, &sum) || !same(&left, &x) || dps_dyadic_subtract(&left, &x, &x);
		wrong += !dps_dyadic_multiply(&left, &sum, &z) || !dps_dyadic_multiply(&p, &x, &z) ||
			!dps_dyadic_multiply(&q, &z, &y) || !dps_dyadic_add(&right, &p, &q) || !same(&left, &right);
		dps_dyadic_reduce(&p, &q);
		dps_dyadic_reduce(&x, &y);
		/* but for a power of 2 that may be on either side */
		wrong += !dps_dyadic_multiply(&left, &p, &y) || !dps_dyadic_multiply(&right, &x, &q) || !same(&left, &right);
		wrong += p.n != x.n || memcmp(p.limb, x.limb, sizeof(p.limb)) != 0;
		wrong += q.n != y.n || memcmp(q.limb, y.limb, sizeof(q.limb)) != 0;
		looked++;
	}
	ok(wrong == 0 && looked == LONG_ROUNDS, "laws of exact numbers: %ld wrong", wrong);
}

static void
test_limits(void)
{
	DpsDyadic	huge = dyadic(DBL_MAX);
	DpsDyadic	least = dyadic(DBL_TRUE_MIN);
	DpsDyadic	third = dyadic(1.0 / 3);
	DpsDyadic	product = third;
	DpsDyadic	one = dyadic(1);
	DpsDyadic	result;
	DpsInterval around;
	double		nearest;
	int			n = 1;

	ok(!dps_dyadic_round(&huge, &nearest, &around) && !dps_dyadic_round(&least, &nearest, &around),
	   "numbers at the ends of the doubles are not rounded");
	ok(!dps_dyadic_add(&result, &huge, &least), "a sum of 2099 bits is too long");
	while (n < 100 && dps_dyadic_multiply(&product, &product, &third))
		n++;
	ok(n == 1024 / 53, "%d factors of 53 bits fit", n);
	result = dyadic(6);
	product = dyadic(-0.75);
	dps_dyadic_reduce(&result, &product);
	ok(is_double(&result, 8) && same(&product, &one), "6 / 0.75 = 8");
	result = dyadic(0.75);
	product = dyadic(18);
	dps_dyadic_reduce(&result, &product);
	ok(is_double(&result, 0.25) && is_double(&product, 6), "0.75 / 18 = 0.25 / 6");
}

#ifdef HAVE_MPFR

/* Products and sums of many doubles. */
static void
test_long(void)
{
	long		wrong = 0;
	long		compared = 0;
	mpfr_t		reference;
	int			i;

	mpfr_init2(reference, 4096);
	for (i = 0; i < LONG_ROUNDS; i++)
	{
		double		first = next_double(40);
		DpsDyadic	x = dyadic(first);
		bool		fits = true;
		int			k;

		mpfr_set_d(reference, first, MPFR_RNDN);
		for (k = (int) (next_random() % MOST_FACTORS); k > 0 && fits; k--)
		{
			double		next = next_double(2);
			DpsDyadic	y = dyadic(next);

			if (next_random() % 3 == 0)
			{
				mpfr_add_d(reference, reference, next, MPFR_RNDN);
				fits = dps_dyadic_add(&x, &x, &y);
			}
			else
			{
				mpfr_mul_d(reference, reference, next, MPFR_RNDN);
				fits = dps_dyadic_multiply(&x, &y, &x);
			}
		}
		if (fits)
		{
			DpsInterval around;
			double		nearest;

			compared++;
			wrong += !dps_dyadic_round(&x, &nearest, &around) || nearest != mpfr_get_d(reference, MPFR_RNDN) ||
				around.lo != mpfr_get_d(reference, MPFR_RNDD) || around.hi != mpfr_get_d(reference, MPFR_RNDU);
		}
	}
	mpfr_clear(reference);
	mpfr_free_cache();
	ok(wrong == 0 && compared > LONG_ROUNDS / 2, "%ld long sums and products as MPFR has them: %ld wrong", compared, wrong);
}

#endif

int
main(void)
{
	test_two();
	test_laws();
	test_limits();
#ifdef HAVE_MPFR
	test_long();
#else
	diag("MPFR is not installed: long numbers are tested by their laws alone");
#endif
	return done_testing();
}
