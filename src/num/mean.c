/*
 * mean.c
 *		Means of exp and cos between 0 and x, and their derivatives (mean.h).
 *
 * By parts, x E_n = exp(x) - n E_{n-1} and x C_n = cos^(n-1)(x) - n C_{n-1} for n > 0, where
 * cos^(n-1)(x) is the derivative of order n - 1 of cos.
 *
 * E_n for |x| <= 8 by series of positive terms: for x >= 0 the sum of x^k / (k! (n + k + 1)); for
 * x = -a, with u = 1 - s, exp(-a) times the integral of (1 - u)^n exp(a u), which is the sum of
 * n! a^k / (n + k + 1)!.  A term is off by no more than 2 k + 2 roundings, and less than 64 of
 * them count, so that the sum is off by less than 256 roundings, 2^-45 of itself.  Beyond, by
 * parts: for x > 8, n E_{n-1} is less than n/x of exp(x), so that r roundings of E_{n-1} become
 * less than ((n/x)(r + 1) + 4) / (1 - n/x) + 2; for x < -8, exp(x) is less than 1/8 of n E_{n-1},
 * and they become less than ((r + 1) + 4/8) / (7/8) + 2.  Up to order 5 both are less than 64.
 *
 * C_n for |x| <= 2 by the series, whose terms have magnitudes that add up to less than exp(2):
 * off by less than 256 roundings again.  Beyond, by parts, where r roundings
 * become less than (n r + 4) / 2.
 *
 * Enclosures.  E_n is positive and rises.  The derivative of C_n has, for 0 <= x <= pi and even
 * n or x <= pi/2 and odd n, one sign, as that of the integrand, so that ends of the values are
 * at ends of the interval; elsewhere C_n is enclosed by parts, and by its value in the middle with
 * its derivative, which is no more than 1 / (n + 2).
 */
#include <float.h>
#include <math.h>

#include "num/interval_fn.h"
#include "num/mean.h"

#define SERIES_TO_EXP 8
#define SERIES_TO_COS 2

/* A little less than pi and half of it. */
#define ONE_SIGN_EVEN 3.14
#define ONE_SIGN_ODD 1.57

/* More than what is lost of values that are subnormal. */
#define SUBNORMAL 0x1p-1070

/* The sum of the first term, and of each times x / (k + shift), over n + k + 1 if `divided`. */
static double
positive_series(double x, double first, int shift, int n, bool divided)
{
	double		term = first;
	double		sum = 0;
	int			k;

	for (k = 0; k < 64; k++)
	{
		double		part = divided ? term / (n + k + 1) : term;

		sum += part;
		if (k > 2 * x && part < sum * 0x1p-60)
			break;
		term *= x / (k + shift);
	}
	return sum;
}

double
dps_mean_exp(double x, int n)
{
	double		value;
	double		top;
	int			k;

	if (x != x)
		return x;
	if (n == 0 && x == 0)
		return 1;
	top = exp(x);
	if (top == INFINITY)
		return INFINITY;
	if (n > 0 && fabs(x) <= SERIES_TO_EXP)
		return x >= 0 ? positive_series(x, 1, 1, n, true) : top * positive_series(-x, 1.0 / (n + 1), n + 2, n, false);
	value = expm1(x) / x;
	for (k = 1; k <= n; k++)
		value = (top - k * value) / x;
	return value;
}

/* The derivative of cos of order m at x. */
static double
turned(double x, int m)
{
	double		value = m % 2 == 0 ? cos(x) : -sin(x);

	return m % 4 < 2 ? value : -value;
}

double
dps_mean_cos(double x, int n)
{
	double		sum = 0;
	double		term = 1;
	double		value;
	int			k;

	if (n == 0)
		return x == 0 ? 1 : isinf(x) ? 0 : sin(x) / x;
	if (fabs(x) <= SERIES_TO_COS)
	{
		for (k = 0; k < 32; k++)
		{
			if ((n + k) % 2 == 0)
				sum += ((n + k) % 4 == 0 ? term : -term) / (n + k + 1);
			term *= x / (k + 1);
		}
		return sum;
	}
	if (isinf(x))
		return 0;
	value = sin(x) / x;
	for (k = 1; k <= n; k++)
		value = (turned(x, k - 1) - k * value) / x;
	return value;
}

/*
 * Enclosures
 */

/* At 0 the values are those of 1 / (n + 1). */
static DpsInterval
exp_at(double x, int n)
{
	double		value = dps_mean_exp(x, n);

	if (x == 0)
		return dps_iv_div(dps_iv(1, 1), dps_iv(n + 1, n + 1));
	if (value == INFINITY)
		return dps_iv(DBL_MAX, INFINITY);
	return dps_iv(fmax(0, value - value * DPS_MEAN_SHARE - SUBNORMAL), value + value * DPS_MEAN_SHARE + SUBNORMAL);
}

DpsInterval
dps_iv_mean_exp(DpsInterval x, int n)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(exp_at(x.lo, n).lo, exp_at(x.hi, n).hi);
}

static DpsInterval
cos_at(double x, int n)
{
	double		value = dps_mean_cos(x, n);
	DpsInterval here = dps_iv(value - DPS_MEAN_ERROR, value + DPS_MEAN_ERROR);

	if (x == 0 && n % 2 == 1)
		return dps_iv(0, 0);
	if (x == 0)
		here = dps_iv_div(dps_iv(1, 1), dps_iv(n + 1, n + 1));
	return x == 0 && n % 4 == 2 ? dps_iv_neg(here) : here;
}

/* The derivative of cos of order m. */
static DpsInterval
enclose_turned(DpsInterval x, int m)
{
	DpsInterval value = m % 2 == 0 ? dps_iv_cos(x) : dps_iv_neg(dps_iv_sin(x));

	return m % 4 < 2 ? value : dps_iv_neg(value);
}

/* By parts, for x > 0. */
static DpsInterval
cos_by_parts(DpsInterval x, int n)
{
	DpsInterval value = dps_iv_div(dps_iv_sin(x), x);
	int			k;

	for (k = 1; k <= n; k++)
		value = dps_iv_div(dps_iv_sub(enclose_turned(x, k - 1), dps_iv_mul(dps_iv(k, k), value)), x);
	return value;
}

/* By the value in the middle and the slope, which is at most 1 / (n + 2). */
static DpsInterval
cos_from_middle(DpsInterval x, int n)
{
	double		middle = x.lo + (x.hi - x.lo) / 2;
	DpsInterval away = dps_iv_sub(x, dps_iv(middle, middle));
	DpsInterval slope = dps_iv_div(dps_iv(-1, 1), dps_iv(n + 2, n + 2));

	return isfinite(middle) ? dps_iv_add(cos_at(middle, n), dps_iv_mul(away, slope)) : DPS_ENTIRE;
}

/* For x >= 0. */
static DpsInterval
cos_beyond_zero(DpsInterval x, int n)
{
	double		end = n % 2 == 0 ? ONE_SIGN_EVEN : ONE_SIGN_ODD;
	DpsInterval result = DPS_EMPTY;
	DpsInterval rest = dps_iv(fmax(x.lo, end), x.hi);

	if (x.lo < end)
		result = dps_iv_hull(cos_at(x.lo, n), cos_at(fmin(x.hi, end), n));
	if (x.hi > end || x.lo >= end)
		result = dps_iv_hull(result, dps_iv_intersect(cos_by_parts(rest, n), cos_from_middle(rest, n)));
	return result;
}

DpsInterval
dps_iv_mean_cos(DpsInterval x, int n)
{
	double		most = n == 0 ? 1 : 1.0 / (n + 1) + DPS_MEAN_ERROR;
	DpsInterval result = DPS_EMPTY;

	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	if (x.hi >= 0)
		result = cos_beyond_zero(dps_iv(fmax(x.lo, 0), x.hi), n);
	if (x.lo < 0)
	{
		DpsInterval mirrored = cos_beyond_zero(dps_iv(fmax(-x.hi, 0), -x.lo), n);

		result = dps_iv_hull(result, n % 2 == 0 ? mirrored : dps_iv_neg(mirrored));
	}
	return dps_iv_intersect(result, dps_iv(-most, most));
}
