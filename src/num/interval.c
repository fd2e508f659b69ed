/*
 * interval.c
 *		Directed rounding, arithmetic and steps on intervals.
 *
 * A directed result is the nearest double, moved by one where the sign of the
 * rounding error says so.  The error of a sum is Knuth's TwoSum, which no
 * underflow disturbs; those of products, quotients and roots are one FMA,
 * exact while they are not below the subnormals, and computed from scaled
 * operands otherwise.  Upward is downward of the negated operands; it ends in
 * 0.0 - r rather than -r so that no end is a negative zero.
 */
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "num/interval.h"

/*
 * From here on an error term cannot underflow: it is a multiple of the product
 * of two last places, at least 2^-106 of the magnitude looked at, and the
 * smallest double is 2^-1074.
 */
#define RESIDUAL_SAFE 0x1p-960

/* Above this, a double's last place is a half or more. */
#define HALF_ULP_LIMIT 0x1p51

static inline double
step_down(double x)
{
	int64_t		bits;

	if (x == 0)
		return -DBL_TRUE_MIN;
	if (!(fabs(x) <= DBL_MAX))
		return x;
	/* The bits of doubles of one sign are ordered by magnitude. */
	memcpy(&bits, &x, sizeof(bits));
	bits += x > 0 ? -1 : 1;
	memcpy(&x, &bits, sizeof(bits));
	return x;
}

double
dps_round_down(double x)
{
	return step_down(x);
}

double
dps_round_up(double x)
{
	return -step_down(-x);
}

/* Sums that overflow or have an infinite operand, or whose TwoSum overflowed
 * on the way.  Dekker's sum of the larger and the smaller does not. */
static double
add_down_edge(double x, double y, double sum)
{
	double		larger = fabs(x) > fabs(y) ? x : y;
	double		smaller = fabs(x) > fabs(y) ? y : x;

	if (isnan(sum))
		return -INFINITY;		/* +Inf - Inf: nothing is known */
	if (isinf(sum))
		return sum > 0 && x < INFINITY && y < INFINITY ? DBL_MAX : sum;
	return smaller - (sum - larger) >= 0 ? sum : step_down(sum);
}

static inline double
add_down(double x, double y)
{
	double		sum = x + y;
	double		part = sum - x;
	double		residual = (x - (sum - part)) + (y - part);

	if (residual >= 0)
		return sum;
	if (residual < 0)
		return step_down(sum);
	return add_down_edge(x, y, sum);
}

static inline double
add_up(double x, double y)
{
	return 0.0 - add_down(-x, -y);
}

/* The sign of x * y - product for a product of nonzero factors that is below
 * RESIDUAL_SAFE, so that neither factor is above 2^115. */
static double
small_product_residual(double x, double y, double product)
{
	if (product == 0)
		return (x > 0) == (y > 0) ? 1 : -1;
	return fma(x * 0x1p540, y, -product * 0x1p540);
}

static double
mul_down_edge(double x, double y, double product)
{
	if (x == 0 || y == 0)
		return 0;				/* also for an infinite other factor: the end
								 * bounds finite points */
	if (isnan(product))
		return -INFINITY;
	if (isinf(product))
		return product > 0 && isfinite(x) && isfinite(y) ? DBL_MAX : product;
	return small_product_residual(x, y, product) >= 0 ? product : step_down(product);
}

static inline double
mul_down(double x, double y)
{
	double		product = x * y;

	if (fabs(product) >= RESIDUAL_SAFE && fabs(product) <= DBL_MAX)
		return fma(x, y, -product) >= 0 ? product : step_down(product);
	return mul_down_edge(x, y, product);
}

static inline double
mul_up(double x, double y)
{
	return 0.0 - mul_down(-x, y);
}

/* The sign of x - quotient * y for a nonzero x below RESIDUAL_SAFE, so that
 * the quotient is not above 2^115. */
static double
small_dividend_residual(double x, double y, double quotient)
{
	return fma(-quotient * 0x1p600, y, x * 0x1p600);
}

static double
div_down_edge(double x, double y, double quotient)
{
	double		residual;

	if (isnan(x) || isnan(y) || y == 0)
		return -INFINITY;
	if (isinf(y))
		return isinf(x) && (x > 0) != (y > 0) ? -INFINITY : 0;
	if (x == 0)
		return 0;
	if (isinf(quotient))
		return quotient > 0 && isfinite(x) ? DBL_MAX : quotient;
	residual = small_dividend_residual(x, y, quotient);
	return (y > 0 ? residual : -residual) >= 0 ? quotient : step_down(quotient);
}

static inline double
div_down(double x, double y)
{
	double		quotient = x / y;

	if (fabs(x) >= RESIDUAL_SAFE && fabs(quotient) <= DBL_MAX && fabs(y) <= DBL_MAX)
	{
		/* x - quotient * y; dividing it by y gives what was rounded off. */
		double		residual = fma(-quotient, y, x);

		return (y > 0 ? residual : -residual) >= 0 ? quotient : step_down(quotient);
	}
	return div_down_edge(x, y, quotient);
}

static inline double
div_up(double x, double y)
{
	return 0.0 - div_down(-x, y);
}

/* The sign of x - root * root. */
static inline double
root_residual(double x, double root)
{
	if (x < RESIDUAL_SAFE)
	{
		x *= 0x1p200;
		root *= 0x1p100;
	}
	return fma(-root, root, x);
}

double
dps_add_down(double x, double y)
{
	return add_down(x, y);
}

double
dps_add_up(double x, double y)
{
	return add_up(x, y);
}

double
dps_sub_down(double x, double y)
{
	return add_down(x, -y);
}

double
dps_sub_up(double x, double y)
{
	return add_up(x, -y);
}

double
dps_mul_down(double x, double y)
{
	return mul_down(x, y);
}

double
dps_mul_up(double x, double y)
{
	return mul_up(x, y);
}

double
dps_div_down(double x, double y)
{
	return div_down(x, y);
}

double
dps_div_up(double x, double y)
{
	return div_up(x, y);
}

double
dps_sqrt_down(double x)
{
	double		root = sqrt(x);

	if (!(root > 0 && root <= DBL_MAX))
		return root;
	return root_residual(x, root) >= 0 ? root : step_down(root);
}

double
dps_sqrt_up(double x)
{
	double		root = sqrt(x);

	if (!(root > 0 && root <= DBL_MAX))
		return root;
	return root_residual(x, root) <= 0 ? root : -step_down(-root);
}

static inline bool
either_empty(DpsInterval x, DpsInterval y)
{
	return dps_iv_is_empty(x) || dps_iv_is_empty(y);
}

DpsInterval
dps_iv_neg(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(0.0 - x.hi, 0.0 - x.lo);
}

DpsInterval
dps_iv_add(DpsInterval x, DpsInterval y)
{
	if (either_empty(x, y))
		return DPS_EMPTY;
	return dps_iv(add_down(x.lo, y.lo), add_up(x.hi, y.hi));
}

DpsInterval
dps_iv_sub(DpsInterval x, DpsInterval y)
{
	if (either_empty(x, y))
		return DPS_EMPTY;
	return dps_iv(add_down(x.lo, -y.hi), add_up(x.hi, -y.lo));
}

/* The products that are the ends: a * b the lower, c * d the upper. */
static inline DpsInterval
products(double a, double b, double c, double d)
{
	return dps_iv(mul_down(a, b), mul_up(c, d));
}

DpsInterval
dps_iv_mul(DpsInterval x, DpsInterval y)
{
	if (either_empty(x, y))
		return DPS_EMPTY;
	if (x.lo >= 0)
	{
		if (y.lo >= 0)
			return products(x.lo, y.lo, x.hi, y.hi);
		if (y.hi <= 0)
			return products(x.hi, y.lo, x.lo, y.hi);
		return products(x.hi, y.lo, x.hi, y.hi);
	}
	if (x.hi <= 0)
	{
		if (y.lo >= 0)
			return products(x.lo, y.hi, x.hi, y.lo);
		if (y.hi <= 0)
			return products(x.hi, y.hi, x.lo, y.lo);
		return products(x.lo, y.hi, x.lo, y.lo);
	}
	if (y.lo >= 0)
		return products(x.lo, y.hi, x.hi, y.hi);
	if (y.hi <= 0)
		return products(x.hi, y.lo, x.lo, y.lo);
	return dps_iv_hull(products(x.lo, y.hi, x.lo, y.lo), products(x.hi, y.lo, x.hi, y.hi));
}

/* x / y for y.lo >= 0 and y.hi > 0. */
static DpsInterval
divide_by_nonnegative(DpsInterval x, DpsInterval y)
{
	double		lo_divisor = x.lo >= 0 ? y.hi : y.lo;
	double		hi_divisor = x.hi >= 0 ? y.lo : y.hi;

	/* div_down and div_up by zero are -Inf and +Inf, the limits that are meant
	 * unless the dividend is zero. */
	return dps_iv(x.lo == 0 ? 0 : div_down(x.lo, lo_divisor),
				  x.hi == 0 ? 0 : div_up(x.hi, hi_divisor));
}

DpsInterval
dps_iv_div(DpsInterval x, DpsInterval y)
{
	if (either_empty(x, y) || (y.lo == 0 && y.hi == 0))
		return DPS_EMPTY;
	if (x.lo == 0 && x.hi == 0)
		return dps_iv(0, 0);
	if (y.lo >= 0)
		return divide_by_nonnegative(x, y);
	if (y.hi <= 0)
		return dps_iv_neg(divide_by_nonnegative(x, dps_iv_neg(y)));
	return DPS_ENTIRE;
}

DpsInterval
dps_iv_sqr(DpsInterval x)
{
	DpsInterval magnitude = dps_iv_abs(x);

	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	return products(magnitude.lo, magnitude.lo, magnitude.hi, magnitude.hi);
}

DpsInterval
dps_iv_abs(DpsInterval x)
{
	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	if (x.lo >= 0)
		return dps_iv(fabs(x.lo), fabs(x.hi));
	if (x.hi <= 0)
		return dps_iv(fabs(x.hi), fabs(x.lo));
	return dps_iv(0, -x.lo > x.hi ? -x.lo : x.hi);
}

DpsInterval
dps_iv_min(DpsInterval x, DpsInterval y)
{
	if (either_empty(x, y))
		return DPS_EMPTY;
	return dps_iv(x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi);
}

DpsInterval
dps_iv_max(DpsInterval x, DpsInterval y)
{
	if (either_empty(x, y))
		return DPS_EMPTY;
	return dps_iv(x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi);
}

/* The steps are monotone and computed without error. */

static inline double
sign(double x)
{
	return (x > 0) - (x < 0);
}

DpsInterval
dps_iv_sign(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(sign(x.lo), sign(x.hi));
}

DpsInterval
dps_iv_floor(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(floor(x.lo), floor(x.hi));
}

DpsInterval
dps_iv_ceil(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(ceil(x.lo), ceil(x.hi));
}

DpsInterval
dps_iv_trunc(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(trunc(x.lo), trunc(x.hi));
}

DpsInterval
dps_iv_rint(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(rint(x.lo), rint(x.hi));
}

DpsInterval
dps_iv_round(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(round(x.lo), round(x.hi));
}

/* x mod m for x.lo >= 0 and moduli m > 0 of [m.lo, m.hi], m.lo may be 0. */
static DpsInterval
mod_nonnegative(DpsInterval x, DpsInterval m)
{
	double		most = x.hi < m.hi ? x.hi : m.hi;
	double		n;

	if (x.hi < m.lo)
		return x;
	if (dps_iv_is_point(m) && add_up(x.hi, -x.lo) < m.lo)
	{
		/* Shorter than the modulus: the remainders fall at most once, and if
		 * they do, below where they began. */
		double		lo = fmod(x.lo, m.lo);
		double		hi = fmod(x.hi, m.lo);

		return lo <= hi ? dps_iv(lo, hi) : dps_iv(0, most);
	}
	n = m.lo > 0 ? trunc(div_down(x.lo, m.hi)) : INFINITY;
	if (n < HALF_ULP_LIMIT && n == trunc(div_up(x.hi, m.lo)))
	{
		/* One quotient n throughout: x mod m = x - n m */
		double		lo = add_down(x.lo, -mul_up(n, m.hi));
		double		hi = add_up(x.hi, -mul_down(n, m.lo));

		return dps_iv(lo > 0 ? lo : 0, hi < most ? hi : most);
	}
	return dps_iv(0, most);
}

DpsInterval
dps_iv_mod(DpsInterval x, DpsInterval y)
{
	DpsInterval moduli = dps_iv_abs(y);
	DpsInterval result = DPS_EMPTY;

	if (either_empty(x, y) || moduli.hi == 0)
		return DPS_EMPTY;
	if (x.hi >= 0)
		result = mod_nonnegative(dps_iv(x.lo > 0 ? x.lo : 0, x.hi), moduli);
	if (x.lo < 0)
	{
		DpsInterval mirrored = dps_iv(x.hi < 0 ? -x.hi : 0, -x.lo);

		result = dps_iv_hull(result, dps_iv_neg(mod_nonnegative(mirrored, moduli)));
	}
	return result;
}

DpsInterval
dps_iv_quot(DpsInterval x, DpsInterval y)
{
	DpsInterval quotient = dps_iv_div(x, y);

	/*
	 * An evaluator computes (x - x mod y) / y with two roundings.  Where a last
	 * place counts whole units that may miss the truncated quotient by two.
	 */
	if (fabs(quotient.lo) >= HALF_ULP_LIMIT)
		quotient.lo = step_down(step_down(quotient.lo));
	if (fabs(quotient.hi) >= HALF_ULP_LIMIT)
		quotient.hi = -step_down(step_down(-quotient.hi));
	return dps_iv_trunc(quotient);
}
