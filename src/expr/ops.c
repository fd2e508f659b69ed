/*
 * ops.c
 *		The table of operations, expanded from ops.def.
 *
 * Each row becomes ten small static functions and one entry of dps_ops[].
 * Functions too long for a cell stand before them.
 */
#include <float.h>
#include <math.h>

#define MEAN_EXP_3(x, second) dps_iv_mean_exp(x, 3)
#define MEAN_COS_3(x, second) dps_iv_mean_cos(x, 3)

#include "expr/derivative_cells.h"
#include "expr/kernel.h"
#include "expr/ops.h"
#include "num/mean.h"
#include "num/whole.h"

/*
 * Rounding to decimal digits.  A numeric reaches the evaluator as the nearest
 * double, so a tie such as 2.675 may have become a little less than a tie, and
 * 1.15 * 100 a little less than 115.  The double and the scaling are off by
 * half an ulp each: a value within one ulp of the scaled value from a tie (for
 * trunc: from an integer) counts as the tie.
 */

/* Below this, an ulp is small compared with the half that decides a tie. */
#define TIE_LIMIT 0x1p50

/* From here on a scaled value has no digits after the point. */
#define WHOLE_LIMIT 0x1p53

/* Powers of ten up to this one are doubles. */
#define EXACT_POWER 22

static double
power_of_ten(double n)
{
	static const double powers[EXACT_POWER + 1] = {
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
	};

	return n <= EXACT_POWER ? powers[dps_to_int32(n)] : pow(10, n);
}

/*
 * x to the y, with no more error than num/interval_fn.h states for pow.  Powers 1/2,
 * 3/2 and the like next to a root take a fraction of its time: two operations, each
 * off by at most 2^-53 of its result, are off by at most two units in the last
 * place.
 */
static inline double
dps_power(double x, double y)
{
	if (x >= 0 && y == 1.5)
		return x * sqrt(x);
	if (x >= 0 && y == -0.5)
		return 1 / sqrt(x);
	return pow(x, y);
}

/* The place value of the last digit kept, as a factor or a divisor. */
typedef struct DecimalPlace
{
	double		scale;
	bool		after_point;
	bool		exact;			/* scale is the power of ten itself */
} DecimalPlace;

static inline DecimalPlace
decimal_place(double digits)
{
	DecimalPlace place;
	double		n = trunc(fabs(digits));

	place.scale = power_of_ten(n);
	place.after_point = digits >= 0;
	place.exact = n <= EXACT_POWER;
	return place;
}

static inline double
scale_up(DecimalPlace place, double x)
{
	return place.after_point ? x * place.scale : x / place.scale;
}

static inline double
scale_back(DecimalPlace place, double whole)
{
	/* 0 times an infinite scale is 0 here */
	if (whole == 0)
		return 0;
	return place.after_point ? whole / place.scale : whole * place.scale;
}

/* Rounds x; a fraction of `threshold` or more rounds away from zero. */
static double
round_decimal(double x, double digits, double threshold)
{
	DecimalPlace place;
	double		scaled;
	double		whole;
	double		tolerance;

	if (x != x || digits != digits)
		return NAN;
	place = decimal_place(digits);
	scaled = scale_up(place, x);
	if (!(fabs(scaled) < WHOLE_LIMIT))
		return x;
	whole = trunc(scaled);
	tolerance = fabs(scaled) < TIE_LIMIT ? fabs(scaled) * DBL_EPSILON : 0;
	if (fabs(scaled - whole) >= threshold - tolerance)
		whole += copysign(1, x);
	return scale_back(place, whole);
}

static double
dps_round_to(double x, double digits)
{
	return round_decimal(x, digits, 0.5);
}

static double
dps_trunc_to(double x, double digits)
{
	return round_decimal(x, digits, 1);
}

/*
 * The least and the greatest magnitude that rounding a magnitude can yield,
 * with strict ties or with the tolerance above, whichever is worse.  `slack`
 * exceeds the relative effect of the scaling and the tolerance.
 */
static const double slack = 8 * DBL_EPSILON;

/*
 * The magnitude rounded with strict ties and without an error of the scaling, in units of
 * the place.  Neither rounding the scaled value nor the tolerance yields less: what is
 * compared with is a double, which no rounding passes.
 */
static double
rounded_strictly(DecimalPlace place, double magnitude, double scaled, double threshold)
{
	double		rest = place.after_point ? fma(magnitude, place.scale, -scaled) :
		-fma(scaled, place.scale, -magnitude);
	double		whole = floor(scaled);
	double		part = scaled - whole;

	if (part == 0 && rest < 0)	/* just below an integer */
	{
		whole -= 1;
		part = 1;
	}
	return part > threshold || (part == threshold && rest >= 0) ? whole + 1 : whole;
}

static double
least_magnitude(double magnitude, double digits, double threshold)
{
	DecimalPlace place = decimal_place(digits);
	double		scaled = scale_up(place, magnitude);
	double		whole;
	double		result;

	if (!(scaled * (1 - slack) < TIE_LIMIT))
		return dps_mul_down(magnitude, 1 - slack);
	whole = place.exact ? rounded_strictly(place, magnitude, scaled, threshold) :
		floor(scaled * (1 - slack) + (1 - threshold));
	if (whole == 0)
		return 0;
	result = place.after_point ? dps_div_down(whole, place.scale) : dps_mul_down(whole, place.scale);
	return place.exact ? result : dps_mul_down(result, 1 - slack);
}

static double
greatest_magnitude(double magnitude, double digits, double threshold)
{
	DecimalPlace place = decimal_place(digits);
	double		scaled = scale_up(place, magnitude);
	double		whole = floor(scaled * (1 + slack) + (1 - threshold));
	double		result;

	if (!(scaled * (1 + slack) < TIE_LIMIT))
		return dps_mul_up(magnitude, 1 + slack);
	if (whole == 0)
		return 0;
	result = place.after_point ? dps_div_up(whole, place.scale) : dps_mul_up(whole, place.scale);
	return place.exact ? result : dps_mul_up(result, 1 + slack);
}

/* For one number of digits: both magnitudes rise with the argument's. */
static DpsInterval
enclose_one_place(DpsInterval x, double digits, double threshold)
{
	return dps_iv(x.lo >= 0 ? least_magnitude(x.lo, digits, threshold) :
				  0 - greatest_magnitude(-x.lo, digits, threshold),
				  x.hi >= 0 ? greatest_magnitude(x.hi, digits, threshold) :
				  0 - least_magnitude(-x.hi, digits, threshold));
}

/* For several numbers of digits: a value moves by at most one unit of the
 * coarsest place, never across 0, and at most doubles. */
static DpsInterval
enclose_any_place(DpsInterval x, double digits)
{
	double		unit = dps_round_up(dps_mul_up(pow(10, -floor(digits)), 1 + slack));
	DpsInterval moved = dps_iv_add(x, dps_iv(-unit, unit));

	if (x.lo >= 0)
		moved.lo = moved.lo > 0 ? moved.lo : 0;
	if (x.hi <= 0)
		moved.hi = moved.hi < 0 ? moved.hi : 0;
	return dps_iv_intersect(moved, dps_iv_mul(dps_iv_hull(x, dps_iv(0, 0)),
											  dps_iv(0, 2 * (1 + slack))));
}

static DpsInterval
enclose_rounded(DpsInterval x, DpsInterval digits, double threshold)
{
	if (dps_iv_is_empty(x) || dps_iv_is_empty(digits))
		return DPS_EMPTY;
	return dps_iv_is_point(digits) ? enclose_one_place(x, digits.lo, threshold) :
		enclose_any_place(x, digits.lo);
}

static DpsInterval
enclose_round_to(DpsInterval x, DpsInterval digits)
{
	return enclose_rounded(x, digits, 0.5);
}

static DpsInterval
enclose_trunc_to(DpsInterval x, DpsInterval digits)
{
	return enclose_rounded(x, digits, 1);
}

/* The range of a choice of x or y: `both` if neither is NULL, else the other
 * argument. */
static DpsInterval
enclose_choice(DpsInterval both, DpsInterval x, DpsInterval y, DpsNullness nx, DpsNullness ny)
{
	DpsInterval result = nx == DPS_ALWAYS_NULL || ny == DPS_ALWAYS_NULL ? DPS_EMPTY : both;

	if (nx != DPS_NEVER_NULL)
		result = dps_iv_hull(result, y);
	if (ny != DPS_NEVER_NULL)
		result = dps_iv_hull(result, x);
	return result;
}

static DpsInterval
enclose_greatest(DpsInterval x, DpsInterval y, DpsNullness nx, DpsNullness ny)
{
	return enclose_choice(dps_iv_max(x, y), x, y, nx, ny);
}

static DpsInterval
enclose_least(DpsInterval x, DpsInterval y, DpsNullness nx, DpsNullness ny)
{
	return enclose_choice(dps_iv_min(x, y), x, y, nx, ny);
}

static DpsInterval
enclose_coalesce(DpsInterval x, DpsInterval y, DpsNullness nx)
{
	return enclose_choice(x, x, y, nx, DPS_NEVER_NULL);
}

/* Conditions are intervals of [0, 1]: a point is decided. */
static inline DpsInterval
condition(bool can_be_false, bool can_be_true)
{
	return can_be_false || can_be_true ? dps_iv(can_be_false ? 0 : 1, can_be_true ? 1 : 0) : DPS_EMPTY;
}

static DpsInterval
enclose_eq(DpsInterval x, DpsInterval y)
{
	if (dps_iv_is_empty(x) || dps_iv_is_empty(y))
		return DPS_EMPTY;
	return condition(!dps_iv_is_point(x) || !dps_iv_is_point(y) || x.lo != y.lo,
					 x.lo <= y.hi && y.lo <= x.hi);
}

static DpsInterval
enclose_lt(DpsInterval x, DpsInterval y)
{
	if (dps_iv_is_empty(x) || dps_iv_is_empty(y))
		return DPS_EMPTY;
	return condition(x.hi >= y.lo, x.lo < y.hi);
}

static DpsInterval
enclose_not(DpsInterval x)
{
	return dps_iv_is_empty(x) ? DPS_EMPTY : dps_iv(1 - x.hi, 1 - x.lo);
}

/* The values that are not NULL: NULL AND false is false. */
static DpsInterval
enclose_and(DpsInterval x, DpsInterval y)
{
	return condition(dps_iv_contains(x, 0) || dps_iv_contains(y, 0),
					 dps_iv_contains(x, 1) && dps_iv_contains(y, 1));
}

static DpsInterval
enclose_is_null(DpsNullness nx)
{
	return condition(nx != DPS_ALWAYS_NULL, nx != DPS_NEVER_NULL);
}

/*
 * Second and third derivatives
 */

/* Of x ^ y by x: y (y - 1) x ^ (y - 2); only its sign is used. */
static DpsInterval
curvature_of_power(DpsInterval x, DpsInterval y)
{
	bool		integer = dps_iv_is_point(y) && y.lo == rint(y.lo);

	if (x.lo < 0 && !(x.hi <= 0 && integer))
		return DPS_ENTIRE;
	if (y.lo > 0 && y.hi < 1)
		return dps_iv(-1, -1);
	if (y.lo < 1 && y.hi > 0)
		return DPS_ENTIRE;
	/* below 0 it has the sign of (-1) ^ y */
	return x.lo >= 0 || fmod(y.lo, 2) == 0 ? dps_iv(1, 1) : dps_iv(-1, -1);
}

/* y (y - 1)(y - 2) x ^ (y - 3); x may reach 0 or be negative if y is a whole
 * number, and from 3 on. */
static DpsInterval
third_of_power(DpsInterval x, DpsInterval y)
{
	DpsInterval one = dps_iv(1, 1);
	DpsInterval two = dps_iv(2, 2);
	DpsInterval three = dps_iv(3, 3);
	DpsInterval factor = dps_iv_mul(y, dps_iv_mul(dps_iv_sub(y, one), dps_iv_sub(y, two)));

	if (!(x.lo > 0) && !(dps_iv_is_point(y) && y.lo >= 3 && y.lo == rint(y.lo)))
		return DPS_ENTIRE;
	if (dps_iv_is_point(factor) && factor.lo == 0)
		return factor;
	return dps_iv_mul(factor, dps_iv_pow(x, dps_iv_sub(y, three)));
}

/* 2 (1 + s)(1 + 3 s), where s is the square of the tangent */
static DpsInterval
third_of_tan(DpsInterval s)
{
	DpsInterval one = dps_iv(1, 1);

	return dps_iv_mul(dps_iv_mul(dps_iv(2, 2), dps_iv_add(one, s)), dps_iv_add(one, dps_iv_mul(dps_iv(3, 3), s)));
}

/* (1 - s)(6 s - 2), where s is the square of the hyperbolic tangent */
static DpsInterval
third_of_tanh(DpsInterval s)
{
	return dps_iv_mul(dps_iv_sub(dps_iv(1, 1), s), dps_iv_sub(dps_iv_mul(dps_iv(6, 6), s), dps_iv(2, 2)));
}

/* The words of the cells of ops.def. */
#define ALWAYS DPS_DEFINED
#define NONZERO(x) dps_iv_nonzero(x)
#define POSITIVE(x) dps_iv_positive(x)
#define NONNEGATIVE(x) dps_iv_nonnegative(x)
#define WITHIN(x, lo, hi) dps_iv_within(x, lo, hi)
#define INSIDE(x, lo, hi) dps_iv_inside(x, lo, hi)
#define AT_LEAST(x, lo) dps_iv_at_least(x, lo)
#define POWER(x, y) dps_iv_power_defined(x, y)
#define NOWHERE false
#define UNLESS_POINT !dps_iv_is_point(f)
#define UNLESS_CONSTANT(interval) !dps_iv_is_point(interval)
#define EXACT 0
#define NEAREST 0.5
#define LIBM(NAME) DPS_LIBM_BOUND(NAME)
#define UNBOUNDED INFINITY
#define ABSOLUTE(error) (-(error))
#define SMOOTH true
#define KINKED false

/*
 * An infinity comes from a division by zero or an overflow, which are errors
 * in SQL.  NaN in its place keeps later operations from making a number of it.
 * Exact operations yield infinities only from infinities.
 */
static inline double
settle(double value, double ulps)
{
	return ulps == 0 || value - value == 0 ? value : NAN;
}

/*
 * Kernels, which the compiler vectorises.  A value does not depend on the place
 * of its row: the rows that are left over get the same IEEE operations.
 */
#define KERNEL_ROW(i, ulps, value) \
	do { \
		const double x = a[i]; \
		const double y = b[i]; \
		(void) x; \
		(void) y; \
		result[i] = settle(value, ulps); \
	} while (0)

#define DPS_OP(id, arity, flags, sql, sql_binding, latex, latex_binding, builtins, \
			   domain, jumping, row_value, rounding, effort, dx, dy, course, bend, cube, enclosing) \
static DpsDefined \
defined_##id(DpsInterval x, DpsInterval y) \
{ \
	(void) x; \
	(void) y; \
	return domain; \
} \
static double \
value_##id(double x, double y) \
{ \
	(void) y; \
	return settle(row_value, rounding); \
} \
DPS_KERNEL static void \
batch_##id(double *restrict result, const double *restrict a, const double *restrict b, int n) \
{ \
	int			i; \
	for (i = 0; i < n; i++) \
		KERNEL_ROW(i, rounding, row_value); \
} \
static bool \
jumps_##id(DpsInterval x, DpsInterval y, DpsInterval f) \
{ \
	(void) x; \
	(void) y; \
	(void) f; \
	return jumping; \
} \
static DpsInterval \
enclosure_##id(DpsInterval x, DpsInterval y, DpsNullness nx, DpsNullness ny) \
{ \
	(void) x; \
	(void) y; \
	(void) nx; \
	(void) ny; \
	return enclosing; \
}
#include "expr/ops.def"
#undef DPS_OP

/* Derivatives as intervals.  A derivative that depends on a condition is the hull
 * of both cases. */
#define UNARY(op, a) enclosure_##op(a, DPS_EMPTY, DPS_NEVER_NULL, DPS_NEVER_NULL)
#define BINARY(op, a, b) enclosure_##op(a, b, DPS_NEVER_NULL, DPS_NEVER_NULL)
#define NUM(v) dps_iv(v, v)
#define NONE DPS_ENTIRE
#define IF(condition, a, b) dps_iv_hull(a, b)

/* Both are a little more than the nearest double. */
#define LOG10_E dps_iv(M_LOG10E, dps_round_up(M_LOG10E))
#define TWO_BY_SQRT_PI dps_iv(M_2_SQRTPI, dps_round_up(M_2_SQRTPI))

#define ENCLOSE_DERIVATIVE(name, derivative) \
static DpsInterval \
name(DpsInterval x, DpsInterval y, DpsInterval f) \
{ \
	(void) x; \
	(void) y; \
	(void) f; \
	return derivative; \
}

#define DPS_OP(id, arity, flags, sql, sql_binding, latex, latex_binding, builtins, \
			   domain, jumping, row_value, rounding, effort, dx, dy, course, bend, cube, enclosing) \
ENCLOSE_DERIVATIVE(slope_x_##id, dx) \
ENCLOSE_DERIVATIVE(slope_y_##id, dy) \
ENCLOSE_DERIVATIVE(curvature_##id, bend) \
static DpsInterval \
third_##id(DpsInterval x, DpsInterval y) \
{ \
	(void) x; \
	(void) y; \
	return cube; \
}
#include "expr/ops.def"
#undef DPS_OP

const DpsOp dps_ops[DPS_OP_COUNT] = {
#define DPS_OP(id, n, marks, sql_text, sql_bind, latex_text, latex_bind, functions, \
			   domain, jumping, row_value, rounding, effort, dx, dy, course, bend, cube, enclosing) \
	[DPS_OP_##id] = { \
		.name = #id, \
		.arity = n, \
		.flags = marks, \
		.sql = sql_text, \
		.sql_binding = sql_bind, \
		.latex = latex_text, \
		.latex_binding = latex_bind, \
		.builtins = functions, \
		.defined = defined_##id, \
		.value = value_##id, \
		.batch = batch_##id, \
		.jumps = jumps_##id, \
		.ulps = rounding, \
		.cost = effort, \
		.smooth = course, \
		.slope = {slope_x_##id, slope_y_##id}, \
		.curvature = curvature_##id, \
		.third = third_##id, \
		.enclosure = enclosure_##id, \
	},
#include "expr/ops.def"
#undef DPS_OP
};

typedef struct TypeFacts
{
	const char *name;
	double		lo;
	double		hi;
} TypeFacts;

static const TypeFacts types[] = {
	[DPS_BOOL] = {"boolean", 0, 1},
	[DPS_INT2] = {"smallint", INT16_MIN, INT16_MAX},
	[DPS_INT4] = {"integer", INT32_MIN, INT32_MAX},
	[DPS_INT8] = {"bigint", -0x1p53, 0x1p53},
	[DPS_NUMERIC] = {"numeric", -DBL_MAX, DBL_MAX},
	[DPS_FLOAT4] = {"real", -FLT_MAX, FLT_MAX},
	[DPS_FLOAT8] = {"double precision", -DBL_MAX, DBL_MAX},
};

const char *
dps_type_name(DpsType type)
{
	return types[type].name;
}

DpsInterval
dps_type_range(DpsType type)
{
	return dps_iv(types[type].lo, types[type].hi);
}
