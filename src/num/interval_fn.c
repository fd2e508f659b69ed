/*
 * interval_fn.c
 *		Elementary functions of intervals, and where they are defined.
 *
 * The C library's value at each end is moved outward by the steps of
 * num/interval_fn.h, then cut to the function's range.  The cut keeps the
 * library's own values, because a value within one ulp of a double that
 * bounds the range is never rounded past it; the unit tests look at these
 * neighbourhoods.  Where the exact value is a double (exp(0), ln(1), ...) the
 * library yields it, and so does the end.
 */
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "num/interval_fn.h"
#include "num/whole.h"

/* pi and its multiples, the double below and the double above. */
#define PI_DOWN 0x1.921fb54442d18p+1
#define PI_UP 0x1.921fb54442d19p+1
#define HALF_PI_UP 0x1.921fb54442d19p+0
#define TWO_PI_DOWN 0x1.921fb54442d18p+2

#define SIGN_BIT (UINT64_C(1) << 63)
#define INFINITY_BITS (UINT64_C(0x7ff) << 52)

/* Below this, an integer's half and its neighbours are doubles. */
#define PARITY_LIMIT 0x1p52

static inline double
from_bits(uint64_t bits)
{
	double		x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/*
 * Steps count doubles, errors count ulps of the exact value.  Across a power
 * of two the two differ by a factor of two at most, so steps that would come
 * near one are doubled.
 */
static inline double
grow(double x, int steps)
{
	uint64_t	bits = dps_double_word(x);
	uint64_t	magnitude = bits & ~SIGN_BIT;

	if ((magnitude + 2 * steps) >> 52 != magnitude >> 52)
		steps *= 2;
	magnitude += steps;
	return from_bits((bits & SIGN_BIT) | (magnitude < INFINITY_BITS ? magnitude : INFINITY_BITS));
}

/*
 * Towards zero, not beyond it.  That is where the exact value ends, too: our
 * functions vanish only where the library's value is an exact zero, and near
 * the others of their real zeros no value is as small as a few subnormals.
 */
static inline double
shrink(double x, int steps)
{
	uint64_t	bits = dps_double_word(x);
	uint64_t	magnitude = bits & ~SIGN_BIT;

	if (magnitude <= (uint64_t) (2 * steps))
		return 0;
	if ((magnitude - 2 * steps) >> 52 != magnitude >> 52)
		steps *= 2;
	return from_bits((bits & SIGN_BIT) | (magnitude - steps));
}

static inline double
lower(double x, int steps)
{
	return x > 0 ? shrink(x, steps) : grow(-fabs(x), steps);
}

static inline double
upper(double x, int steps)
{
	return x < 0 ? shrink(x, steps) : grow(fabs(x), steps);
}

static inline DpsInterval
clip(DpsInterval x, double lo, double hi)
{
	return dps_iv(x.lo > lo ? x.lo : lo, x.hi < hi ? x.hi : hi);
}

/* A function that rises and has its only zero, an exact one, at 0. */
static inline DpsInterval
rising_odd(DpsInterval x, double (*function) (double), int steps)
{
	return dps_iv(x.lo == 0 ? 0 : lower(function(x.lo), steps),
				  x.hi == 0 ? 0 : upper(function(x.hi), steps));
}

/* A function that rises, as num/interval_fn.def has it. */
typedef struct Rising
{
	double		(*function) (double);
	int			steps;
	double		zero;
	DpsInterval domain;
	bool		is_open;
	DpsInterval range;
} Rising;

static inline DpsInterval
rising(DpsInterval x, Rising f)
{
	DpsInterval part = dps_iv_intersect(x, f.domain);

	if (dps_iv_is_empty(x) || dps_iv_is_empty(part) || (f.is_open && (x.hi <= f.domain.lo || x.lo >= f.domain.hi)))
		return DPS_EMPTY;
	return clip(dps_iv(part.lo == f.zero ? 0 : lower(f.function(part.lo), f.steps),
					   part.hi == f.zero ? 0 : upper(f.function(part.hi), f.steps)),
				f.range.lo, f.range.hi);
}

#define OPEN true
#define CLOSED false
#define DPS_RISING(name, NAME, function, ulps, zero, from, to, ends, least, greatest) \
DpsInterval \
dps_iv_##name(DpsInterval x) \
{ \
	return rising(x, (Rising) {function, DPS_LIBM_STEPS(NAME), zero, {from, to}, ends, {least, greatest}}); \
}
#define DPS_OTHER(...)
#include "num/interval_fn.def"
#undef DPS_RISING
#undef DPS_OTHER
#undef OPEN
#undef CLOSED

DpsInterval
dps_iv_sqrt(DpsInterval x)
{
	if (dps_iv_is_empty(x) || x.hi < 0)
		return DPS_EMPTY;
	return dps_iv(x.lo > 0 ? dps_sqrt_down(x.lo) : 0, x.hi > 0 ? dps_sqrt_up(x.hi) : 0);
}

DpsInterval
dps_iv_exp(DpsInterval x)
{
	DpsInterval result;

	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	result.lo = lower(exp(x.lo), DPS_LIBM_STEPS(EXP));
	result.hi = upper(exp(x.hi), DPS_LIBM_STEPS(EXP));
	return clip(result, x.lo >= 0 ? 1 : 0, x.hi <= 0 ? 1 : INFINITY);
}

/*
 * Powers.  The scalar power encloses base^exponent for base in [0, +Inf],
 * any exponent; the limit where an argument is infinite, and base = 0.  The
 * library's pow is off by less than one ulp (its authors state 0.54), so it
 * yields one of the two doubles around the exact value: any double that bounds
 * the exact power bounds the library's, and an exact power that is a double is
 * what the library yields.
 */

/* Is base^exponent a double, given that it neither overflows nor is
 * subnormal? */
static bool
power_is_exact(double base, double exponent)
{
	int			binary;
	uint64_t	odd = dps_to_uint64(ldexp(frexp(base, &binary), DBL_MANT_DIG));
	int			zeros = __builtin_ctzll(odd);
	uint64_t	result = 1;

	odd >>= zeros;
	binary += zeros - DBL_MANT_DIG;
	if (odd == 1)
	{
		/* (2^k)^y = 2^(ky) */
		double		power = binary * exponent;

		return power == rint(power) && fma(binary, exponent, -power) == 0;
	}
	/* 3^34 has 54 bits */
	if (!(exponent >= 2 && exponent <= 33) || exponent != rint(exponent))
		return false;
	for (int i = 0; i < dps_to_int32(exponent); i++)
	{
		if (__builtin_mul_overflow(result, odd, &result) || result >> DBL_MANT_DIG)
			return false;
	}
	return true;
}

/* base^3 and base^4 by rounded products, closer than the library's bound. */
static DpsInterval
small_power(double base, int exponent)
{
	DpsInterval square = dps_iv_sqr(dps_iv(base, base));

	return exponent == 3 ? dps_iv_mul(square, dps_iv(base, base)) : dps_iv_sqr(square);
}

static DpsInterval
library_power(double base, double exponent)
{
	double		value = pow(base, exponent);
	DpsInterval result;

	if (value >= DBL_MIN && value <= DBL_MAX && power_is_exact(base, exponent))
		return dps_iv(value, value);
	result.lo = lower(value, DPS_LIBM_STEPS(POW));
	result.hi = upper(value, DPS_LIBM_STEPS(POW));
	if ((base > 1) == (exponent > 0))
		return clip(result, 1, INFINITY);
	return clip(result, 0, 1);
}

static DpsInterval
power(double base, double exponent)
{
	if (base == 1 || exponent == 0)
		return dps_iv(1, 1);
	if (base == 0 || isinf(base) || isinf(exponent))
	{
		double		limit = pow(fabs(base), exponent);

		return dps_iv(limit, limit);
	}
	if (exponent == 1)
		return dps_iv(base, base);
	if (exponent == 2)
		return dps_iv(dps_mul_down(base, base), dps_mul_up(base, base));
	if (exponent == 0.5)
		return dps_iv(dps_sqrt_down(base), dps_sqrt_up(base));
	if (exponent == -1)
		return dps_iv(dps_div_down(1, base), dps_div_up(1, base));
	if (exponent == 3 || exponent == 4)
		return small_power(base, dps_to_int32(exponent));
	return library_power(base, exponent);
}

/* base^n for any base but 0 and an odd integer n, or base >= 0 and any n. */
static DpsInterval
signed_power(double base, double n)
{
	return base < 0 ? dps_iv_neg(power(-base, n)) : power(base, n);
}

static inline bool
is_even(double n)
{
	return fabs(n) >= PARITY_LIMIT ? fmod(n, 2) == 0 : dps_to_int64(n) % 2 == 0;
}

/* x^n for an integer n; monotone on either side of 0. */
static DpsInterval
pow_integer(DpsInterval x, double n)
{
	DpsInterval result = DPS_ENTIRE;

	if (n == 0)
		return dps_iv(1, 1);
	if (is_even(n))
		x = dps_iv_abs(x);
	if (n > 0)
		return dps_iv(signed_power(x.lo, n).lo, signed_power(x.hi, n).hi);
	if (x.lo == 0 && x.hi == 0)
		return DPS_EMPTY;
	if (x.lo < 0 && x.hi > 0)
		return DPS_ENTIRE;
	if (x.hi != 0)
		result.lo = signed_power(x.hi, n).lo;
	if (x.lo != 0)
		result.hi = signed_power(x.lo, n).hi;
	return result;
}

/* x^y for x.lo >= 0 and x.hi > 0, 0^y by its limit from the right; the
 * corners are those of the product y ln(x). */
static DpsInterval
pow_positive(DpsInterval x, DpsInterval y)
{
	if (x.lo >= 1)
		return dps_iv(power(y.lo >= 0 ? x.lo : x.hi, y.lo).lo,
					  power(y.hi >= 0 ? x.hi : x.lo, y.hi).hi);
	if (x.hi <= 1)
		return dps_iv(power(y.hi >= 0 ? x.lo : x.hi, y.hi).lo,
					  power(y.lo >= 0 ? x.hi : x.lo, y.lo).hi);
	if (y.lo >= 0)
		return dps_iv(power(x.lo, y.hi).lo, power(x.hi, y.hi).hi);
	if (y.hi <= 0)
		return dps_iv(power(x.hi, y.lo).lo, power(x.lo, y.lo).hi);
	return dps_iv_hull(dps_iv(power(x.lo, y.hi).lo, power(x.hi, y.hi).hi),
					   dps_iv(power(x.hi, y.lo).lo, power(x.lo, y.lo).hi));
}

/* 0^y: 0 for y > 0, and 1 for y = 0. */
static DpsInterval
pow_zero(DpsInterval y)
{
	if (y.hi < 0)
		return DPS_EMPTY;
	return dps_iv(y.hi > 0 ? 0 : 1, y.lo > 0 ? 0 : 1);
}

/* (-m)^y for magnitudes m.lo >= 0, m.hi > 0: only the integers of y count. */
static DpsInterval
pow_negative(DpsInterval m, DpsInterval y)
{
	DpsInterval integers = dps_iv(ceil(y.lo), floor(y.hi));
	DpsInterval even;
	DpsInterval odd;

	if (dps_iv_is_empty(integers))
		return DPS_EMPTY;
	if (!(-integers.lo < PARITY_LIMIT && integers.hi < PARITY_LIMIT))
	{
		even = pow_positive(m, integers);
		return dps_iv_hull(even, dps_iv_neg(even));
	}
	if (dps_iv_is_point(integers))
		return pow_integer(dps_iv_neg(m), integers.lo);
	even = dps_iv(2 * ceil(integers.lo / 2), 2 * floor(integers.hi / 2));
	odd = dps_iv(2 * floor(integers.lo / 2) + 1, 2 * ceil(integers.hi / 2) - 1);
	return dps_iv_hull(pow_positive(m, even), dps_iv_neg(pow_positive(m, odd)));
}

static inline bool
is_integer(DpsInterval y)
{
	return dps_iv_is_point(y) && isfinite(y.lo) && y.lo == rint(y.lo);
}

DpsInterval
dps_iv_pow(DpsInterval x, DpsInterval y)
{
	DpsInterval result = DPS_EMPTY;

	if (dps_iv_is_empty(x) || dps_iv_is_empty(y))
		return DPS_EMPTY;
	if (is_integer(y))
		return pow_integer(x, y.lo);
	if (dps_iv_contains(x, 0))
		result = pow_zero(y);
	if (x.hi > 0)
		result = dps_iv_hull(result, pow_positive(dps_iv(x.lo > 0 ? x.lo : 0, x.hi), y));
	if (x.lo < 0)
		result = dps_iv_hull(result, pow_negative(dps_iv(x.hi < 0 ? -x.hi : 0, -x.lo), y));
	return result;
}

/*
 * Sine and cosine.  No reduction of the argument is needed to find the
 * extrema: between two points less than pi apart the derivative changes sign
 * at most once, and it does if its signs at the points differ; between points
 * less than 2 pi apart it changes at most twice.  The library's signs are
 * right at any size.
 */

/* left and right enclose the values at the ends, width bounds their distance
 * from above, and the flags tell whether the function rises there. */
static inline DpsInterval
wave(double width, DpsInterval left, DpsInterval right, bool left_rises, bool right_rises)
{
	DpsInterval result = dps_iv_hull(left, right);

	if (left_rises != right_rises)
	{
		if (left_rises)
			result.hi = 1;
		else
			result.lo = -1;
	}
	else if (!(width < PI_DOWN))
		return dps_iv(-1, 1);
	return clip(result, -1, 1);
}

DpsInterval
dps_iv_sin(DpsInterval x)
{
	double		width = dps_sub_up(x.hi, x.lo);
	DpsInterval left;
	DpsInterval right;

	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	if (!(width < TWO_PI_DOWN))
		return dps_iv(-1, 1);
	left = rising_odd(dps_iv(x.lo, x.lo), sin, DPS_LIBM_STEPS(SIN));
	if (dps_iv_is_point(x))
		return clip(left, -1, 1);
	right = rising_odd(dps_iv(x.hi, x.hi), sin, DPS_LIBM_STEPS(SIN));
	return wave(width, left, right, cos(x.lo) > 0, cos(x.hi) > 0);
}

static inline DpsInterval
cos_at(double x)
{
	double		value = cos(x);

	return dps_iv(x == 0 ? 1 : lower(value, DPS_LIBM_STEPS(COS)),
				  upper(value, DPS_LIBM_STEPS(COS)));
}

DpsInterval
dps_iv_cos(DpsInterval x)
{
	double		width = dps_sub_up(x.hi, x.lo);

	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	if (!(width < TWO_PI_DOWN))
		return dps_iv(-1, 1);
	if (dps_iv_is_point(x))
		return clip(cos_at(x.lo), -1, 1);
	/* 0 is the one extremum that is a double.  It counts as falling; at a right
	 * end that only sets the maximum to the value there. */
	return wave(width, cos_at(x.lo), cos_at(x.hi), sin(x.lo) < 0, sin(x.hi) < 0);
}

/* May a pole of the tangent lie in x?  No double is one. */
static bool
tan_pole(DpsInterval x)
{
	if (dps_iv_is_point(x) && isfinite(x.lo))
		return false;
	return !(dps_sub_up(x.hi, x.lo) < PI_DOWN) || (cos(x.lo) > 0) != (cos(x.hi) > 0);
}

/* May a pole of the cotangent lie in x, other than 0 as an end? */
static bool
cot_pole(DpsInterval x)
{
	if (dps_iv_is_point(x) && isfinite(x.lo))
		return false;
	return !(dps_sub_up(x.hi, x.lo) < PI_DOWN) ||
		(x.lo == 0 || sin(x.lo) > 0) != (sin(x.hi) > 0);
}

DpsInterval
dps_iv_tan(DpsInterval x)
{
	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	return tan_pole(x) ? DPS_ENTIRE : rising_odd(x, tan, DPS_LIBM_STEPS(TAN));
}

static inline DpsInterval
cot_at(double x)
{
	return dps_iv_div(dps_iv(1, 1), rising_odd(dps_iv(x, x), tan, DPS_LIBM_STEPS(TAN)));
}

DpsInterval
dps_iv_cot(DpsInterval x)
{
	if (dps_iv_is_empty(x) || (x.lo == 0 && x.hi == 0))
		return DPS_EMPTY;
	if (cot_pole(x))
		return DPS_ENTIRE;
	return dps_iv(x.hi == 0 ? -INFINITY : cot_at(x.hi).lo,
				  x.lo == 0 ? INFINITY : cot_at(x.lo).hi);
}

DpsInterval
dps_iv_acos(DpsInterval x)
{
	DpsInterval domain = dps_iv_intersect(x, dps_iv(-1, 1));
	DpsInterval result;

	if (dps_iv_is_empty(x) || dps_iv_is_empty(domain))
		return DPS_EMPTY;
	result.lo = lower(acos(domain.hi), DPS_LIBM_STEPS(ACOS));
	result.hi = domain.lo == 1 ? 0 : upper(acos(domain.lo), DPS_LIBM_STEPS(ACOS));
	return clip(result, 0, PI_UP);
}

/* The angle of a point; that of the origin is 0. */
static inline DpsInterval
angle(double y, double x)
{
	double		value = atan2(y, x);

	if (y == 0 && x >= 0)
		return dps_iv(0, 0);
	if (y == 0)
		return dps_iv(PI_DOWN, PI_UP);
	return clip(dps_iv(lower(value, DPS_LIBM_STEPS(ATAN2)), upper(value, DPS_LIBM_STEPS(ATAN2))),
				y > 0 ? 0 : -PI_UP, y > 0 ? PI_UP : 0);
}

/* Above the x axis the angle falls in x, and in y rises for x > 0 and falls
 * for x < 0. */
static DpsInterval
angles_above(DpsInterval y, DpsInterval x)
{
	return dps_iv(angle(x.hi >= 0 ? y.lo : y.hi, x.hi).lo,
				  angle(x.lo >= 0 ? y.hi : y.lo, x.lo).hi);
}

/*
 * The ordinate may be 0, and the abscissa at most 0.  Zeros have no sign (DPS_OP_ATAN2's
 * value adds 0 to both), so the angle is pi on the negative abscissa, comes down to -pi below
 * it, and is 0 at the origin.
 *
 * Where a point is at a negative abscissa, one with ordinate 0 has pi.  Where none is, the
 * abscissae begin at 0, angles are within pi / 2 and greatest at (y.hi, 0): the angle falls in
 * x above the axis, and from (y, 0) with y < 0 it rises in x and in y, so the least is at
 * (y.lo, 0).  Where no ordinate is negative, the least is 0 if a point is at (x, 0) with
 * x >= 0; else all abscissae are negative, where the angle falls in both: at (y.hi, x.hi).
 */
static DpsInterval
angles_about_cut(DpsInterval y, DpsInterval x)
{
	DpsInterval result = {-PI_UP, PI_UP};

	if (x.lo == 0)
		return dps_iv(angle(y.lo, 0).lo, angle(y.hi, 0).hi);
	if (y.lo == 0)
		result.lo = x.hi >= 0 ? 0 : angle(y.hi, x.hi).lo;
	return result;
}

DpsInterval
dps_iv_atan2(DpsInterval y, DpsInterval x)
{
	if (dps_iv_is_empty(y) || dps_iv_is_empty(x))
		return DPS_EMPTY;
	if (y.lo > 0)
		return angles_above(y, x);
	if (y.hi < 0)
		return dps_iv_neg(angles_above(dps_iv_neg(y), x));
	if (x.lo > 0)
		return dps_iv(angle(y.lo, x.lo).lo, angle(y.hi, x.lo).hi);
	return angles_about_cut(y, x);
}

DpsInterval
dps_iv_cosh(DpsInterval x)
{
	DpsInterval magnitude = dps_iv_abs(x);
	DpsInterval result;

	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	result.lo = lower(cosh(magnitude.lo), DPS_LIBM_STEPS(COSH));
	result.hi = magnitude.hi == 0 ? 1 : upper(cosh(magnitude.hi), DPS_LIBM_STEPS(COSH));
	return clip(result, 1, INFINITY);
}

DpsInterval
dps_iv_erfc(DpsInterval x)
{
	DpsInterval result;

	if (dps_iv_is_empty(x))
		return DPS_EMPTY;
	result.lo = lower(erfc(x.hi), DPS_LIBM_STEPS(ERFC));
	result.hi = upper(erfc(x.lo), DPS_LIBM_STEPS(ERFC));
	return clip(result, x.hi <= 0 ? 1 : 0, x.lo >= 0 ? 1 : 2);
}

/* What holds for every point, for some, or for none. */
static inline DpsDefined
defined(bool everywhere, bool nowhere)
{
	return everywhere ? DPS_DEFINED : nowhere ? DPS_UNDEFINED : DPS_PARTIAL;
}

DpsDefined
dps_iv_nonzero(DpsInterval x)
{
	return defined(!dps_iv_contains(x, 0), x.lo == 0 && x.hi == 0);
}

DpsDefined
dps_iv_positive(DpsInterval x)
{
	return defined(dps_iv_is_empty(x) || x.lo > 0, x.hi <= 0);
}

DpsDefined
dps_iv_nonnegative(DpsInterval x)
{
	return dps_iv_at_least(x, 0);
}

DpsDefined
dps_iv_within(DpsInterval x, double lo, double hi)
{
	return defined(dps_iv_is_empty(x) || (x.lo >= lo && x.hi <= hi), x.hi < lo || x.lo > hi);
}

DpsDefined
dps_iv_inside(DpsInterval x, double lo, double hi)
{
	return defined(dps_iv_is_empty(x) || (x.lo > lo && x.hi < hi), x.hi <= lo || x.lo >= hi);
}

DpsDefined
dps_iv_at_least(DpsInterval x, double lo)
{
	return defined(dps_iv_is_empty(x) || x.lo >= lo, x.hi < lo);
}

DpsDefined
dps_iv_power_defined(DpsInterval x, DpsInterval y)
{
	bool		integers = ceil(y.lo) <= floor(y.hi);

	if (dps_iv_is_empty(x) || dps_iv_is_empty(y) || x.lo > 0)
		return DPS_DEFINED;
	if (is_integer(y))
		return y.lo >= 0 ? DPS_DEFINED : dps_iv_nonzero(x);
	if (x.lo == 0 && y.lo >= 0)
		return DPS_DEFINED;
	/* Nowhere: no positive base, no zero that may be raised, no negative base
	 * that meets an integer. */
	return defined(false, x.hi <= 0 && (x.hi < 0 || y.hi < 0) && (x.lo == 0 || !integers));
}

DpsDefined
dps_iv_tan_defined(DpsInterval x)
{
	return defined(dps_iv_is_empty(x) || !tan_pole(x), false);
}

DpsDefined
dps_iv_cot_defined(DpsInterval x)
{
	return defined(dps_iv_is_empty(x) || (!dps_iv_contains(x, 0) && !cot_pole(x)),
				   x.lo == 0 && x.hi == 0);
}
