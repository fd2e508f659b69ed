/*
 * reference.h
 *		The operations once more, in long double, and random numbers, for the
 *		tests of expr/.
 *
 * The value cells of ops.def are type-generic: with <tgmath.h> exp(x) is the
 * exponential of the argument's type.
 */
#ifndef DPS_TEST_REFERENCE_H
#define DPS_TEST_REFERENCE_H

#include <float.h>
#include <stdint.h>
#include <string.h>
#include <tgmath.h>

#include "expr/expr.h"
#include "expr/ops.h"
#include "splitmix.h"

/* What a long double differs by from the exact value, relatively. */
#define REFERENCE_ERROR 0x1p-60L

/* A tie is a tie within an ulp of double, as for numerics that became
 * doubles; with so many digits nothing is left to round. */
static inline long double
round_digits(long double x, long double digits, bool truncate)
{
	long double scale = pow(10.0L, trunc(digits));
	long double scaled = x * scale * (1 + DBL_EPSILON);

	if (!(fabs(scaled) < 0x1p50L))
		return x;
	return (truncate ? trunc(scaled) : round(scaled)) / scale;
}

/* The mean of s^n exp(s x), by series of positive terms, and by parts where these are long. */
static inline long double
wide_mean_exp(long double x, int n)
{
	long double size = fabs(x);
	long double sum = 0;
	long double term = 1;
	int			k;

	if (x == 0 || size < 20)
	{
		for (k = 1; x < 0 && k <= n; k++)
			term *= k;
		for (k = 1; x < 0 && k <= n + 1; k++)
			term /= k;
		for (k = 0; k < 120; k++)
		{
			sum += x < 0 ? term : term / (n + k + 1);
			term *= size / (x < 0 ? n + k + 2 : k + 1);
		}
		return x < 0 ? exp(x) * sum : sum;
	}
	sum = expm1(x) / x;
	for (k = 1; k <= n; k++)
		sum = (exp(x) - k * sum) / x;
	return sum;
}

/* The mean of s^n and the derivative of order n of cos at s x, likewise. */
static inline long double
wide_mean_cos(long double x, int n)
{
	long double sum = 0;
	long double term = 1;
	int			k;

	if (fabs(x) < 1.5L)
	{
		for (k = 0; k < 40; k++)
		{
			if ((n + k) % 2 == 0)
				sum += ((n + k) % 4 == 0 ? 1 : -1) * term / (n + k + 1);
			term *= x / (k + 1);
		}
		return sum;
	}
	sum = sin(x) / x;
	for (k = 1; k <= n; k++)
		sum = ((k % 2 == 1 ? 1 : -1) * (k % 2 == 1 ? cos(x) : sin(x)) * (k % 4 == 3 || k % 4 == 0 ? -1 : 1) - k * sum) / x;
	return sum;
}

#define dps_mean_exp(x, n) wide_mean_exp(x, n)
#define dps_mean_cos(x, n) wide_mean_cos(x, n)
#define dps_round_to(x, digits) round_digits(x, digits, false)
#define dps_trunc_to(x, digits) round_digits(x, digits, true)
#define dps_power(x, y) pow(x, y)

#define DPS_OP(id, arity, flags, sql, sql_binding, latex, latex_binding, builtins, \
			   domain, jumping, row_value, rounding, cost, dx, dy, course, curvature, third, enclosing) \
static inline long double \
reference_##id(long double x, long double y) \
{ \
	(void) y; \
	return row_value; \
}
#include "expr/ops.def"
#undef DPS_OP
#undef dps_round_to
#undef dps_trunc_to
#undef dps_power
#undef dps_mean_exp
#undef dps_mean_cos

static long double (*const reference[DPS_OP_COUNT]) (long double x, long double y) = {
#define DPS_OP(id, ...) [DPS_OP_##id] = reference_##id,
#include "expr/ops.def"
#undef DPS_OP
};

static uint64_t random_state = 0x6470736e73;

static inline uint64_t
random_bits(void)
{
	return splitmix64(&random_state);
}

static inline int
random_below(int n)
{
	return (int) (random_bits() % (uint64_t) n);
}

static inline double
random_between(double lo, double hi)
{
	double		x = lo + (hi - lo) * ((random_bits() >> 11) * 0x1p-53);

	return x < lo ? lo : x > hi ? hi : x;
}

/* The same bits, or NaN both. */
static inline bool
same_value(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (a != a && b != b);
}

/* Has the expression a constant, or an operation on constants, that no double equals?
 * Programs and texts have the nearest one. */
static inline bool
has_rounded(const DpsNode *node)
{
	int			i;

	if (node->range.lo < node->range.hi)
		return true;
	for (i = 0; i < node->nargs; i++)
		if (has_rounded(node->arg[i]))
			return true;
	return false;
}

#endif							/* DPS_TEST_REFERENCE_H */
