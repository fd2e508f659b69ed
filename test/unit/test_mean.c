/*
 * test_mean.c
 *		Means of exp and cos between 0 and x, and their derivatives, beside MPFR: by parts with
 *		so many digits that what cancels near 0 is not missed.
 *
 * Without MPFR it says so and looks at what is known of them alone.  Files: num/mean.c, num/mean.h.
 */
#include <float.h>
#include <math.h>

#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#include "num/mean.h"
#include "reference.h"
#include "tap.h"

#define ROUNDS 300
#define POINTS 6

typedef struct Mean
{
	const char *name;
	double		(*value) (double x, int n);
	DpsInterval (*enclosure) (DpsInterval x, int n);
	bool		of_exp;
} Mean;

static const Mean means[] = {
	{"mean of exp", dps_mean_exp, dps_iv_mean_exp, true},
	{"mean of cos", dps_mean_cos, dps_iv_mean_cos, false},
};

/* Arguments near 0, at the ends of what is computed in one way, and far away. */
static double
argument(void)
{
	static const double ends[] = {0, 2, 8, 3.14, 1.57, 3.141592653589793, 1.5707963267948966, 4.493409457909064, 700, 1e-300, 5e-324, 20};
	double		x = 0;

	switch (random_below(5))
	{
		case 0:
			x = ends[random_below(12)];
			break;
		case 1:
			x = random_between(0, 12);
			break;
		case 2:
			x = random_between(0, 1) * pow(10.0, random_between(-20, 3));
			break;
		case 3:
			x = nextafter(ends[random_below(12)], random_below(2) * 1000.0);
			break;
		default:
			x = random_between(0, 3);
	}
	return random_below(2) ? x : -x;
}

static DpsInterval
interval(void)
{
	double		a = argument();
	double		b = random_below(3) == 0 ? a : random_below(2) ? argument() : a + random_between(-0.1, 0.1);

	return dps_iv(fmin(a, b), fmax(a, b));
}

/* What is known without other digits: values at 0, symmetry, bounds, where exp overflows. */
static void
test_known(void)
{
	bool		good = true;
	int			n;

	for (n = 0; n <= DPS_MEAN_ORDERS; n++)
	{
		DpsInterval at_zero = dps_iv_mean_exp(dps_iv(0, 0), n);

		good &= dps_iv_contains(at_zero, 1.0 / (n + 1)) && at_zero.hi - at_zero.lo <= DBL_EPSILON;
		at_zero = dps_iv_mean_cos(dps_iv(0, 0), n);
		good &= dps_iv_contains(at_zero, n % 2 == 1 ? 0 : (n % 4 == 0 ? 1 : -1) / (n + 1.0));
		good &= dps_mean_exp(710, n) == INFINITY && dps_iv_mean_exp(dps_iv(0, 710), n).hi == INFINITY;
		good &= dps_iv_mean_exp(dps_iv(-INFINITY, -INFINITY), n).hi < DBL_MIN && dps_mean_cos(INFINITY, n) == 0;
		good &= dps_iv_is_empty(dps_iv_mean_exp(DPS_EMPTY, n)) && dps_iv_is_empty(dps_iv_mean_cos(DPS_EMPTY, n));
		good &= isnan(dps_mean_exp(NAN, n)) && isnan(dps_mean_cos(NAN, n));
	}
	ok(good, "values at 0, without an end, of nothing and of NULL");
	ok(dps_iv_is_point(dps_iv_mean_exp(dps_iv(0, 0), 0)) && dps_iv_is_point(dps_iv_mean_exp(dps_iv(0, 0), 1)) &&
	   dps_iv_is_point(dps_iv_mean_cos(dps_iv(0, 0), 0)), "those that are doubles are exact");
}

#ifdef HAVE_MPFR
/* What cancels: order times the binary digits that x is below 1. */
#define DIGITS 6800
#define FEW_DIGITS 900
#define FEW_DIGITS_FROM 1e-30

/* The function of order n at x. */
static void
refer(mpfr_t result, const Mean *mean, double x, int n)
{
	mpfr_t		at;
	mpfr_t		part;
	int			digits = fabs(x) < FEW_DIGITS_FROM ? DIGITS : FEW_DIGITS;
	int			k;

	mpfr_set_prec(result, digits);
	if (x == 0)
	{
		mpfr_set_si(result, mean->of_exp || n % 4 == 0 ? 1 : n % 2 == 1 ? 0 : -1, MPFR_RNDN);
		mpfr_div_si(result, result, n + 1, MPFR_RNDN);
		return;
	}
	mpfr_inits2(digits, at, part, (mpfr_ptr) 0);
	mpfr_set_d(at, x, MPFR_RNDN);
	if (mean->of_exp)
		mpfr_expm1(result, at, MPFR_RNDN);
	else
		mpfr_sin(result, at, MPFR_RNDN);
	mpfr_div(result, result, at, MPFR_RNDN);
	for (k = 1; k <= n; k++)
	{
		mpfr_mul_si(result, result, k, MPFR_RNDN);
		if (mean->of_exp)
			mpfr_exp(part, at, MPFR_RNDN);
		else if (k % 2 == 1)
			mpfr_cos(part, at, MPFR_RNDN);
		else
			mpfr_sin(part, at, MPFR_RNDN);
		/* cos, -sin, -cos, sin */
		if (!mean->of_exp && (k % 4 == 2 || k % 4 == 3))
			mpfr_neg(part, part, MPFR_RNDN);
		mpfr_sub(result, part, result, MPFR_RNDN);
		mpfr_div(result, result, at, MPFR_RNDN);
	}
	mpfr_clears(at, part, (mpfr_ptr) 0);
}

/* Is the value as near as the header says? */
static bool
is_near(const Mean *mean, mpfr_t exact, double value, int n)
{
	double		off;
	double		size = fabs(mpfr_get_d(exact, MPFR_RNDN));

	mpfr_sub_d(exact, exact, value, MPFR_RNDN);
	off = fabs(mpfr_get_d(exact, MPFR_RNDN));
	if (!mean->of_exp)
		return off <= DPS_MEAN_ERROR / 4;
	return off <= (n == 0 ? DPS_MEAN_EXP_ULPS * DBL_EPSILON : DPS_MEAN_SHARE) * size + 0x1p-1073;
}

static void
test_order(const Mean *mean, int n)
{
	mpfr_t		exact;
	bool		holds = true;
	bool		near = true;
	int			i;
	int			k;

	mpfr_init2(exact, DIGITS);
	for (i = 0; i < ROUNDS; i++)
	{
		DpsInterval x = interval();
		DpsInterval f = mean->enclosure(x, n);

		for (k = 0; k < (dps_iv_is_point(x) ? 1 : POINTS); k++)
		{
			double		t = k == 0 ? x.lo : k == 1 ? x.hi : random_between(x.lo, x.hi);
			double		value = mean->value(t, n);

			refer(exact, mean, t, n);
			if (mpfr_cmp_d(exact, f.lo) < 0 || mpfr_cmp_d(exact, f.hi) > 0 || !dps_iv_contains(f, value))
			{
				diag("order %d at %a of [%a, %a]: %a not in [%a, %a]", n, t, x.lo, x.hi, mpfr_get_d(exact, MPFR_RNDN), f.lo, f.hi);
				holds = false;
			}
			if (isfinite(value) && !is_near(mean, exact, value, n))
			{
				diag("order %d at %a: %a", n, t, value);
				near = false;
			}
		}
	}
	mpfr_clear(exact);
	ok(holds, "%s, order %d: enclosures hold", mean->name, n);
	ok(near, "%s, order %d: values are near", mean->name, n);
}
#endif

/* Enclosures of narrow intervals are narrow: no wider than the interval, but for rounding. */
static void
test_narrow(const Mean *mean, int n)
{
	bool		good = true;
	int			i;

	for (i = 0; i < 4 * ROUNDS; i++)
	{
		double		lo = random_between(-20, 20);
		DpsInterval x = dps_iv(lo, lo + 1e-6);
		DpsInterval f = mean->enclosure(x, n);
		double		size = mean->of_exp ? mean->value(x.hi, n) : 1;

		if (!(f.hi - f.lo <= size * (1.5e-6 + 4 * DPS_MEAN_SHARE)))
		{
			diag("order %d of [%a, %a]: [%a, %a]", n, x.lo, x.hi, f.lo, f.hi);
			good = false;
		}
	}
	ok(good, "%s, order %d: narrow enclosures of narrow intervals", mean->name, n);
}

int
main(void)
{
	size_t		i;
	int			n;

	test_known();
	for (i = 0; i < sizeof(means) / sizeof(means[0]); i++)
		for (n = 0; n <= DPS_MEAN_ORDERS; n++)
		{
#ifdef HAVE_MPFR
			test_order(&means[i], n);
#endif
			test_narrow(&means[i], n);
		}
#ifndef HAVE_MPFR
	diag("there is no MPFR to compare with");
#endif
	return done_testing();
}
