/*
 * test_interval.c
 *		Interval arithmetic encloses the exact values and the evaluator's.
 *
 * Points are sampled from random and adversarial intervals.  The value of the
 * C library (or of the operation in doubles) must lie in the enclosure, and so
 * must a reference: MPFR with 256 bits where it is installed, long double
 * otherwise for what it can show.  Thin intervals show that little is lost.
 */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#include "num/interval_fn.h"
#include "splitmix.h"
#include "tap.h"

#define SEED UINT64_C(0x6470735f6976616c)
#define UNARY_ROUNDS 1000
#define BINARY_ROUNDS 2000
#define SAMPLES 10

static uint64_t random_state = SEED;

static uint64_t
next_random(void)
{
	return splitmix64(&random_state);
}

static double
next_unit(void)
{
	return (next_random() >> 11) * 0x1p-53;
}

/* Doubles numbered in their order, 0 at zero. */
static int64_t
to_ordinal(double x)
{
	int64_t		bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static double
from_ordinal(int64_t ordinal)
{
	int64_t		bits = ordinal < 0 ? INT64_MIN - ordinal : ordinal;
	double		x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static double
move_by(double x, int64_t doubles)
{
	int64_t		infinity = to_ordinal(INFINITY);
	int64_t		ordinal = to_ordinal(x) + doubles;

	return from_ordinal(ordinal > infinity ? infinity : ordinal < -infinity ? -infinity : ordinal);
}

static const double special_points[] = {
	0.0, 1.0, 0.5, 2.0, 3.0, 4.0, 8.0, 10.0, 27.0, 1e22, 0.1, 1e-5, 1.5, 7.0, 22.0, 100.0, 709.78, 709.79, 710.47,
	710.48, 745.13, 745.14, 26.5, 5.9, 0x1p-1022, 0x1.fffffffffffffp-1023, 0x1p-1074, 0x1p-1070, 0x1p-969,
	0x1p-961, 0x1p-960, 0x1p-537, 0x1p-500, 0x1p-53, 0x1p-54, 0x1p-27, 0x1p27, 0x1p51, 0x1p52, 0x1p53,
	0x1p54, 0x1p62, 0x1p63, 0x1p511, 0x1p512, 0x1p1023, DBL_MAX, 1e5, 1e15, 1e16, 1e300, 1e308,
	0x1.921fb54442d18p+1, 0x1.921fb54442d18p+0,
};

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

static double
special_point(void)
{
	double		x = special_points[next_random() % LENGTH(special_points)];

	if (next_random() % 4 == 0)
		x = (double) (next_random() % 200) * 0x1.921fb54442d18p+0;	/* k pi/2 */
	if (next_random() % 2 == 0)
		x = move_by(x, (int64_t) (next_random() % 5) - 2);
	return next_random() % 2 == 0 ? x : -x;
}

/* A point of [lo, hi], which may have infinite ends. */
static double
point_between(double lo, double hi)
{
	uint64_t	span = (uint64_t) to_ordinal(hi) - (uint64_t) to_ordinal(lo);
	double		x;

	switch (next_random() % 4)
	{
		case 0:
			return lo;
		case 1:
			return hi;
		case 2:
			x = lo + (hi - lo) * next_unit();
			if (isfinite(x) && x >= lo && x <= hi)
				return x;
			/* fall through */
		default:
			return from_ordinal((int64_t) ((uint64_t) to_ordinal(lo) +
										   (span == UINT64_MAX ? next_random() : next_random() % (span + 1))));
	}
}

/* A finite point, mostly in [lo, hi]. */
static double
any_point(double lo, double hi)
{
	double		x;

	do
	{
		uint64_t	kind = next_random() % 8;

		if (kind < 3)
			x = special_point();
		else if (kind == 3)
			x = rint((next_unit() - 0.5) * 40);
		else if (kind < 7)
			x = lo + (hi - lo) * next_unit();
		else
			x = from_ordinal((int64_t) (next_random() % (uint64_t) to_ordinal(INFINITY))) *
				(next_random() % 2 == 0 ? 1 : -1);
	} while (!isfinite(x));
	return x;
}

static DpsInterval
any_interval(double lo, double hi)
{
	double		x = any_point(lo, hi);
	double		y = x;

	switch (next_random() % 8)
	{
		case 0:
		case 1:
			break;
		case 2:
			y = move_by(x, (int64_t) (next_random() % 8));
			break;
		case 3:
			y = x + (hi - lo) * next_unit() * 0x1p-20;
			break;
		case 4:
			y = x + (hi - lo) * next_unit();
			break;
		case 5:
			y = -x;
			break;
		case 6:
			y = next_random() % 4 == 0 ? INFINITY : any_point(lo, hi);
			break;
		default:
			y = next_random() % 4 == 0 ? -INFINITY : any_point(lo, hi);
	}
	return x <= y ? dps_iv(x, y) : dps_iv(y, x);
}

/* A finite point of the interval. */
static double
sample(DpsInterval x)
{
	double		point;

	for (int i = 0; i < 8; i++)
	{
		double		center = special_point();

		point = i == 0 && next_random() % 4 == 0 && dps_iv_contains(x, center) ?
			center : point_between(x.lo, x.hi);
		if (isfinite(point))
			return point;
	}
	return x.lo == -INFINITY ? (x.hi < 0 ? -DBL_MAX : 0) : x.lo;
}

static bool
well_formed(DpsInterval x)
{
	return x.lo <= x.hi || (x.lo == INFINITY && x.hi == -INFINITY);
}

/* The functions under test. */

#ifdef HAVE_MPFR
typedef int (*Reference) (mpfr_t result, mpfr_t x, mpfr_rnd_t round);
typedef int (*Reference2) (mpfr_t result, mpfr_t x, mpfr_t y, mpfr_rnd_t round);
#define MPFR(function) function
#else
typedef void *Reference;
typedef void *Reference2;
#define MPFR(function) NULL
#endif

typedef struct Unary
{
	const char *name;
	DpsInterval (*enclosure) (DpsInterval x);
	double		(*value) (double x);
	long double (*wide) (long double x);
	Reference	reference;
	double		lo;				/* where the arguments mostly are */
	double		hi;
	double		domain_lo;		/* where the value counts */
	double		domain_hi;
	bool		open;
	int			steps;			/* of the library's error, 0 if exact */
} Unary;

typedef struct Binary
{
	const char *name;
	DpsInterval (*enclosure) (DpsInterval x, DpsInterval y);
	double		(*value) (double x, double y);
	Reference2	reference;
	double		range;			/* where the arguments mostly are */
	int			steps;			/* of the library's error, 0 if exact */
} Binary;

static double
value_sqr(double x)
{
	return x * x;
}

static double
value_neg(double x)
{
	return -x;
}

static double
value_cot(double x)
{
	return 1 / tan(x);
}

static double
value_sign(double x)
{
	return (x > 0) - (x < 0);
}

static long double
wide_sqr(long double x)
{
	return x * x;
}

static long double
wide_neg(long double x)
{
	return -x;
}

static long double
wide_cot(long double x)
{
	return 1 / tanl(x);
}

static long double
wide_sign(long double x)
{
	return (x > 0) - (x < 0);
}

#ifdef HAVE_MPFR
/* Macros and const-qualified parameters in mpfr.h ask for wrappers. */
#define WRAP(name, call) \
	static int \
	ref_##name(mpfr_t result, mpfr_t x, mpfr_rnd_t round) \
	{ \
		return call; \
	}
WRAP(neg, mpfr_neg(result, x, round))
WRAP(sqr, mpfr_sqr(result, x, round))
WRAP(abs, mpfr_abs(result, x, round))
WRAP(sign, mpfr_set_si(result, mpfr_sgn(x), round))
WRAP(floor, mpfr_rint_floor(result, x, round))
WRAP(ceil, mpfr_rint_ceil(result, x, round))
WRAP(trunc, mpfr_rint_trunc(result, x, round))
WRAP(rint, mpfr_rint_roundeven(result, x, round))
WRAP(round, mpfr_rint_round(result, x, round))
WRAP(sqrt, mpfr_sqrt(result, x, round))
#define DPS_RISING(name, NAME, function, ...) WRAP(function, mpfr_##function(result, x, round))
#define DPS_OTHER(...)
#include "num/interval_fn.def"
#undef DPS_RISING
#undef DPS_OTHER
WRAP(exp, mpfr_exp(result, x, round))
WRAP(sin, mpfr_sin(result, x, round))
WRAP(cos, mpfr_cos(result, x, round))
WRAP(tan, mpfr_tan(result, x, round))
WRAP(cot, mpfr_cot(result, x, round))
WRAP(acos, mpfr_acos(result, x, round))
WRAP(cosh, mpfr_cosh(result, x, round))
WRAP(erfc, mpfr_erfc(result, x, round))

#define WRAP2(name, call) \
	static int \
	ref_##name(mpfr_t result, mpfr_t x, mpfr_t y, mpfr_rnd_t round) \
	{ \
		return call; \
	}
WRAP2(add, mpfr_add(result, x, y, round))
WRAP2(sub, mpfr_sub(result, x, y, round))
WRAP2(mul, mpfr_mul(result, x, y, round))
WRAP2(div, mpfr_zero_p(y) ? (mpfr_set_nan(result), 0) : mpfr_div(result, x, y, round))
WRAP2(min, mpfr_min(result, x, y, round))
WRAP2(max, mpfr_max(result, x, y, round))
WRAP2(mod, mpfr_fmod(result, x, y, round))

/* Of zeros without a sign. */
static int
ref_atan2(mpfr_t result, mpfr_t y, mpfr_t x, mpfr_rnd_t round)
{
	if (mpfr_zero_p(y))
		mpfr_set_zero(y, 1);
	if (mpfr_zero_p(x))
		mpfr_set_zero(x, 1);
	return mpfr_atan2(result, y, x, round);
}

static int
ref_quot(mpfr_t result, mpfr_t x, mpfr_t y, mpfr_rnd_t round)
{
	ref_div(result, x, y, MPFR_RNDZ);
	return mpfr_rint_trunc(result, result, round);
}

/* 0 to a negative power is undefined here, not infinite. */
static int
ref_pow(mpfr_t result, mpfr_t x, mpfr_t y, mpfr_rnd_t round)
{
	if (mpfr_zero_p(x) && mpfr_sgn(y) < 0)
	{
		mpfr_set_nan(result);
		return 0;
	}
	return mpfr_pow(result, x, y, round);
}
#endif

static const Unary unaries[] = {
#define ROW(iv, c, wide, ref, ...) \
	{#iv, dps_iv_##iv, c, wide, MPFR(ref), __VA_ARGS__}
#define EVERYWHERE -INFINITY, INFINITY, false
	ROW(neg, value_neg, wide_neg, ref_neg, -10, 10, EVERYWHERE, 0),
	ROW(sqr, value_sqr, wide_sqr, ref_sqr, -10, 10, EVERYWHERE, 0),
	ROW(abs, fabs, fabsl, ref_abs, -10, 10, EVERYWHERE, 0),
	ROW(sign, value_sign, wide_sign, ref_sign, -10, 10, EVERYWHERE, 0),
	ROW(floor, floor, floorl, ref_floor, -10, 10, EVERYWHERE, 0),
	ROW(ceil, ceil, ceill, ref_ceil, -10, 10, EVERYWHERE, 0),
	ROW(trunc, trunc, truncl, ref_trunc, -10, 10, EVERYWHERE, 0),
	ROW(rint, rint, rintl, ref_rint, -10, 10, EVERYWHERE, 0),
	ROW(round, round, roundl, ref_round, -10, 10, EVERYWHERE, 0),
	ROW(sqrt, sqrt, sqrtl, ref_sqrt, 0, 10, 0, INFINITY, false, 0),
	ROW(exp, exp, expl, ref_exp, -20, 20, EVERYWHERE, DPS_LIBM_STEPS(EXP)),
	ROW(sin, sin, sinl, ref_sin, -8, 8, EVERYWHERE, DPS_LIBM_STEPS(SIN)),
	ROW(cos, cos, cosl, ref_cos, -8, 8, EVERYWHERE, DPS_LIBM_STEPS(COS)),
	ROW(tan, tan, tanl, ref_tan, -4, 4, EVERYWHERE, DPS_LIBM_STEPS(TAN)),
	ROW(cot, value_cot, wide_cot, ref_cot, -4, 4, EVERYWHERE, DPS_LIBM_STEPS(TAN) + 1),
	ROW(acos, acos, acosl, ref_acos, -1, 1, -1, 1, false, DPS_LIBM_STEPS(ACOS)),
	ROW(cosh, cosh, coshl, ref_cosh, -4, 4, EVERYWHERE, DPS_LIBM_STEPS(COSH)),
	ROW(erfc, erfc, erfcl, ref_erfc, -6, 26, EVERYWHERE, DPS_LIBM_STEPS(ERFC)),
#undef EVERYWHERE
#define OPEN true
#define CLOSED false
#define DPS_RISING(name, NAME, function, ulps, zero, from, to, ends, ...) \
	ROW(name, function, function##l, ref_##function, from > -4.0 ? from : -4.0, to < 4.0 ? to : 4.0, from, to, ends, DPS_LIBM_STEPS(NAME)),
#define DPS_OTHER(...)
#include "num/interval_fn.def"
#undef DPS_RISING
#undef DPS_OTHER
#undef OPEN
#undef CLOSED
#undef ROW
};

static double
value_add(double x, double y)
{
	return x + y;
}

static double
value_sub(double x, double y)
{
	return x - y;
}

static double
value_mul(double x, double y)
{
	return x * y;
}

static double
value_div(double x, double y)
{
	return y == 0 ? NAN : x / y;
}

static double
value_min(double x, double y)
{
	return x < y ? x : y;
}

static double
value_max(double x, double y)
{
	return x > y ? x : y;
}

static double
value_quot(double x, double y)
{
	return y == 0 ? NAN : rint((x - fmod(x, y)) / y);
}

static double
value_pow(double x, double y)
{
	return x == 0 && y < 0 ? NAN : pow(x, y);
}

static double
value_atan2(double y, double x)
{
	return atan2(y + 0.0, x + 0.0);
}

static const Binary binaries[] = {
	{"add", dps_iv_add, value_add, MPFR(ref_add), 10, 0},
	{"sub", dps_iv_sub, value_sub, MPFR(ref_sub), 10, 0},
	{"mul", dps_iv_mul, value_mul, MPFR(ref_mul), 10, 0},
	{"div", dps_iv_div, value_div, MPFR(ref_div), 10, 0},
	{"min", dps_iv_min, value_min, MPFR(ref_min), 10, 0},
	{"max", dps_iv_max, value_max, MPFR(ref_max), 10, 0},
	{"mod", dps_iv_mod, fmod, MPFR(ref_mod), 10, 0},
	{"quot", dps_iv_quot, value_quot, MPFR(ref_quot), 10, 0},
	{"pow", dps_iv_pow, value_pow, MPFR(ref_pow), 6, DPS_LIBM_STEPS(POW)},
	{"atan2", dps_iv_atan2, value_atan2, MPFR(ref_atan2), 4, DPS_LIBM_STEPS(ATAN2)},
};

static bool
in_domain(const Unary *f, double x)
{
	if (strcmp(f->name, "cot") == 0 && x == 0)
		return false;
	return f->open ? x > f->domain_lo && x < f->domain_hi : x >= f->domain_lo && x <= f->domain_hi;
}

static bool
report1(const char *what, const char *name, DpsInterval x, double point, DpsInterval result)
{
	diag("%s: %s [%a, %a] at %a (%.17g): [%a, %a]", what, name, x.lo, x.hi, point, point,
		 result.lo, result.hi);
	return false;
}

static bool
report2(const char *what, const char *name, DpsInterval x, DpsInterval y, double at_x, double at_y,
		DpsInterval result)
{
	diag("%s: %s [%a, %a] [%a, %a] at %a, %a: [%a, %a]", what, name, x.lo, x.hi, y.lo, y.hi, at_x,
		 at_y, result.lo, result.hi);
	return false;
}

/* Library values inside, results well formed and empty just where no point of
 * the domain is. */
static bool
check_unary(const Unary *f)
{
	for (int round = 0; round < UNARY_ROUNDS * 4; round++)
	{
		DpsInterval x = any_interval(f->lo, f->hi);
		DpsInterval result = f->enclosure(x);

		if (!well_formed(result))
			return report1("malformed", f->name, x, x.lo, result);
		for (int i = 0; i < SAMPLES; i++)
		{
			double		point = sample(x);

			if (in_domain(f, point) && !dps_iv_contains(result, f->value(point)))
				return report1("library value outside", f->name, x, point, result);
		}
		if (dps_iv_is_point(x) && !in_domain(f, x.lo) && !dps_iv_is_empty(result))
			return report1("not empty", f->name, x, x.lo, result);
	}
	return dps_iv_is_empty(f->enclosure(DPS_EMPTY)) &&
		dps_iv_is_empty(f->enclosure(dps_iv(NAN, NAN)));
}

/* long double has a few more bits; its last places are given away. */
static bool
check_unary_wide(const Unary *f)
{
	for (int round = 0; round < UNARY_ROUNDS; round++)
	{
		DpsInterval x = any_interval(f->lo, f->hi);
		DpsInterval result = f->enclosure(x);

		for (int i = 0; i < SAMPLES; i++)
		{
			double		point = sample(x);
			long double wide = in_domain(f, point) ? f->wide(point) : result.lo;
			long double slack = fabsl(wide) * 16 * LDBL_EPSILON;

			if (!dps_iv_is_empty(result) && !(result.lo - slack <= wide && wide <= result.hi + slack))
				return report1("long double value outside", f->name, x, point, result);
		}
	}
	return true;
}

static DpsInterval
binary_argument(const Binary *f, bool first)
{
	DpsInterval x = any_interval(-f->range, f->range);

	/* positive bases and small exponents, integers among them */
	if (strcmp(f->name, "pow") == 0 && next_random() % 2 == 0)
		x = first ? dps_iv_abs(x) : dps_iv_rint(x);
	return x;
}

static bool
check_binary(const Binary *f)
{
	for (int round = 0; round < BINARY_ROUNDS * 4; round++)
	{
		DpsInterval x = binary_argument(f, true);
		DpsInterval y = binary_argument(f, false);
		DpsInterval result = f->enclosure(x, y);

		if (!well_formed(result))
			return report2("malformed", f->name, x, y, x.lo, y.lo, result);
		for (int i = 0; i < SAMPLES; i++)
		{
			double		at_x = sample(x);
			double		at_y = sample(y);
			double		value = f->value(at_x, at_y);

			if (value == value && !dps_iv_contains(result, value))
				return report2("library value outside", f->name, x, y, at_x, at_y, result);
			/* The same with negative zeros. */
			value = f->value(at_x == 0 ? -0.0 : at_x, at_y == 0 ? -0.0 : at_y);
			if (value == value && !dps_iv_contains(result, value))
				return report2("value at -0 outside", f->name, x, y, at_x, at_y, result);
		}
	}
	return dps_iv_is_empty(f->enclosure(DPS_EMPTY, dps_iv(1, 2))) &&
		dps_iv_is_empty(f->enclosure(dps_iv(1, 2), DPS_EMPTY));
}

/* Directed rounding. */

typedef struct Directed
{
	const char *name;
	double		(*down) (double x, double y);
	double		(*up) (double x, double y);
	double		(*nearest) (double x, double y);
	Reference2	reference;
} Directed;

static double
sqrt_down(double x, double y)
{
	(void) y;
	return dps_sqrt_down(fabs(x));
}

static double
sqrt_up(double x, double y)
{
	(void) y;
	return dps_sqrt_up(fabs(x));
}

static double
sqrt_nearest(double x, double y)
{
	(void) y;
	return sqrt(fabs(x));
}

#ifdef HAVE_MPFR
static int
ref_root(mpfr_t result, mpfr_t x, mpfr_t y, mpfr_rnd_t round)
{
	(void) y;
	mpfr_abs(x, x, MPFR_RNDN);
	return mpfr_sqrt(result, x, round);
}
#endif

static const Directed directed[] = {
	{"add", dps_add_down, dps_add_up, value_add, MPFR(ref_add)},
	{"sub", dps_sub_down, dps_sub_up, value_sub, MPFR(ref_sub)},
	{"mul", dps_mul_down, dps_mul_up, value_mul, MPFR(ref_mul)},
	{"div", dps_div_down, dps_div_up, value_div, MPFR(ref_div)},
	{"sqrt", sqrt_down, sqrt_up, sqrt_nearest, MPFR(ref_root)},
};

/* Operands that meet at the edges: exponents whose sum or difference is near
 * the ends of the range, few bits so that results are often exact. */
static void
directed_operands(double *x, double *y)
{
	*x = any_point(-10, 10);
	*y = any_point(-10, 10);
	if (next_random() % 2 == 0)
	{
		int			few = next_random() % 2 == 0 ? 5 : 53;
		int			exponent = (int) (next_random() % 2046) - 1022;
		int			other = (int) (next_random() % 120) - 60;

		*x = ldexp((double) (next_random() >> (64 - few)), exponent - few);
		other += next_random() % 2 == 0 ? -1040 - exponent : exponent + 1040;
		if (next_random() % 3 == 0)
			other = exponent + (int) (next_random() % 110) - 55;
		*y = ldexp((double) (next_random() >> (64 - few)), other - few);
		if (next_random() % 2 == 0)
			*y = -*y;
	}
	if (!isfinite(*x))
		*x = DBL_MAX;
	if (!isfinite(*y))
		*y = -DBL_MAX;
}

/* Around the nearest result, and neighbours unless equal. */
static bool
check_directed(const Directed *f)
{
	for (int round = 0; round < 40000; round++)
	{
		double		x;
		double		y;
		double		nearest;
		DpsInterval result;

		directed_operands(&x, &y);
		nearest = f->nearest(x, y);
		if (nearest != nearest)
			continue;
		result = dps_iv(f->down(x, y), f->up(x, y));
		if (!dps_iv_contains(result, nearest) || move_by(result.lo, 1) < result.hi)
			return report2("not the neighbours", f->name, dps_iv(x, x), dps_iv(y, y), x, y, result);
	}
	return true;
}

#ifdef HAVE_MPFR

static mpfr_t ref_x;
static mpfr_t ref_y;
static mpfr_t ref_value;

/* The error of `value`, in ulps of the exact value. */
static double
error_in_ulps(double value)
{
	mpfr_t		difference;
	mpfr_exp_t	exponent;
	double		error;

	if (mpfr_zero_p(ref_value))
		return value == 0 ? 0 : INFINITY;
	exponent = mpfr_get_exp(ref_value) - DBL_MANT_DIG;
	if (exponent < -1074)
		exponent = -1074;
	mpfr_init2(difference, 256);
	mpfr_sub_d(difference, ref_value, value, MPFR_RNDN);
	mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
	error = fabs(mpfr_get_d(difference, MPFR_RNDN));
	mpfr_clear(difference);
	return error;
}

static double
doubles_between(double lo, double hi)
{
	return (double) ((__int128) to_ordinal(hi) - to_ordinal(lo));
}

static bool
contains_reference(DpsInterval x)
{
	return mpfr_cmp_d(ref_value, x.lo) >= 0 && mpfr_cmp_d(ref_value, x.hi) <= 0;
}

static bool
check_unary_reference(const Unary *f, double *worst)
{
	for (int round = 0; round < UNARY_ROUNDS; round++)
	{
		DpsInterval x = any_interval(f->lo, f->hi);
		DpsInterval result = f->enclosure(x);

		for (int i = 0; i < SAMPLES; i++)
		{
			double		point = sample(x);
			double		value = f->value(point);

			if (!in_domain(f, point))
				continue;
			mpfr_set_d(ref_x, point, MPFR_RNDN);
			f->reference(ref_value, ref_x, MPFR_RNDN);
			if (!contains_reference(result))
				return report1("exact value outside", f->name, x, point, result);
			if (isfinite(value))
				*worst = fmax(*worst, error_in_ulps(value));
		}
	}
	return true;
}

/*
 * How far an end of a thin interval's enclosure may be from the values on it,
 * in doubles: the steps from a computed end that is off by about as much, all
 * doubled where they cross a power of two.
 */
static bool
check_unary_tight(const Unary *f)
{
	for (int round = 0; round < UNARY_ROUNDS; round++)
	{
		double		x = any_point(f->lo, f->hi);
		/* Large neighbours are far apart. */
		DpsInterval thin = dps_iv(x, fabs(x) < 1e6 ? move_by(x, (int64_t) (next_random() % 3)) : x);
		DpsInterval result = f->enclosure(thin);
		double		lo = INFINITY;
		double		hi = -INFINITY;
		double		allowed = 4 * f->steps + 2;

		if (!in_domain(f, thin.lo) || !in_domain(f, thin.hi) || !isfinite(thin.hi))
			continue;
		for (x = thin.lo; x <= thin.hi; x = move_by(x, 1))
		{
			mpfr_set_d(ref_x, x, MPFR_RNDN);
			f->reference(ref_value, ref_x, MPFR_RNDN);
			lo = fmin(lo, mpfr_get_d(ref_value, MPFR_RNDD));
			hi = fmax(hi, mpfr_get_d(ref_value, MPFR_RNDU));
		}
		/* Some multiples of pi/2 are between these neighbours. */
		if ((f->enclosure == dps_iv_tan || f->enclosure == dps_iv_cot) && lo < 0 && hi > 0)
			continue;
		if (f->steps == 0 ? result.lo != lo || result.hi != hi :
			doubles_between(result.lo, lo) > allowed || doubles_between(hi, result.hi) > allowed)
			return report1("not tight", f->name, thin, thin.lo, result);
	}
	return true;
}

static bool
check_binary_reference(const Binary *f, double *worst)
{
	for (int round = 0; round < BINARY_ROUNDS; round++)
	{
		DpsInterval x = binary_argument(f, true);
		DpsInterval y = binary_argument(f, false);
		DpsInterval result = f->enclosure(x, y);

		for (int i = 0; i < SAMPLES; i++)
		{
			double		at_x = sample(x);
			double		at_y = sample(y);
			double		value = f->value(at_x, at_y);

			mpfr_set_d(ref_x, at_x, MPFR_RNDN);
			mpfr_set_d(ref_y, at_y, MPFR_RNDN);
			f->reference(ref_value, ref_x, ref_y, MPFR_RNDN);
			if (mpfr_nan_p(ref_value))
				continue;
			if (!contains_reference(result))
				return report2("exact value outside", f->name, x, y, at_x, at_y, result);
			if (isfinite(value))
				*worst = fmax(*worst, error_in_ulps(value));
		}
	}
	return true;
}

/* Arguments over which the extreme values are at the corners. */
static bool
has_corners(const Binary *f, DpsInterval x, DpsInterval y)
{
	if (f->enclosure == dps_iv_div)
		return dps_iv_nonzero(y) == DPS_DEFINED;
	if (f->enclosure == dps_iv_pow)
		return x.lo > 0 || (dps_iv_is_point(x) && dps_iv_is_point(y));
	if (f->enclosure == dps_iv_atan2)
		return dps_iv_nonzero(x) == DPS_DEFINED || y.lo > 0;
	if (f->enclosure == dps_iv_mod || f->enclosure == dps_iv_quot)
		return dps_iv_is_point(x) && dps_iv_is_point(y);
	return true;
}

/* The values at the corners, rounded outward; false if one is undefined. */
static bool
corner_hull(const Binary *f, DpsInterval x, DpsInterval y, DpsInterval *hull)
{
	*hull = DPS_EMPTY;
	for (int corner = 0; corner < 4; corner++)
	{
		DpsInterval value;

		mpfr_set_d(ref_x, corner & 1 ? x.hi : x.lo, MPFR_RNDN);
		mpfr_set_d(ref_y, corner & 2 ? y.hi : y.lo, MPFR_RNDN);
		f->reference(ref_value, ref_x, ref_y, MPFR_RNDD);
		if (mpfr_nan_p(ref_value))
			return false;
		value.lo = mpfr_get_d(ref_value, MPFR_RNDD);
		f->reference(ref_value, ref_x, ref_y, MPFR_RNDU);
		value.hi = mpfr_get_d(ref_value, MPFR_RNDU);
		*hull = dps_iv_hull(*hull, value);
	}
	return true;
}

static bool
check_binary_tight(const Binary *f)
{
	for (int round = 0; round < BINARY_ROUNDS; round++)
	{
		DpsInterval x = binary_argument(f, true);
		DpsInterval y = binary_argument(f, false);
		DpsInterval result;
		DpsInterval hull;
		double		allowed = 4 * f->steps + 2;

		if (round % 2 == 0)
		{
			x.hi = x.lo;
			y.hi = y.lo;
		}
		result = f->enclosure(x, y);
		if (!isfinite(x.lo + x.hi + y.lo + y.hi) || !has_corners(f, x, y) || !corner_hull(f, x, y, &hull))
			continue;
		/* The quotient's enclosure may hold the next integers. */
		if (f->enclosure == dps_iv_quot)
		{
			if (isfinite(hull.hi) && result.hi - result.lo > fmax(1, fabs(hull.lo) * 0x1p-48))
				return report2("not tight", f->name, x, y, x.lo, y.lo, result);
			continue;
		}
		if (f->steps == 0 ? result.lo != hull.lo || result.hi != hull.hi :
			doubles_between(result.lo, hull.lo) > allowed || doubles_between(hull.hi, result.hi) > allowed)
			return report2("not tight", f->name, x, y, x.lo, y.lo, result);
	}
	return true;
}

static bool
check_directed_reference(const Directed *f)
{
	bool		right = true;

	/* Sums of the largest and the smallest double are to be exact. */
	mpfr_set_prec(ref_value, 2200);
	for (int round = 0; round < 20000 && right; round++)
	{
		double		x;
		double		y;
		DpsInterval expected;
		DpsInterval result;

		directed_operands(&x, &y);
		if (f->down == dps_div_down && y == 0)
			continue;
		mpfr_set_d(ref_x, x, MPFR_RNDN);
		mpfr_set_d(ref_y, y, MPFR_RNDN);
		f->reference(ref_value, ref_x, ref_y, MPFR_RNDD);
		expected.lo = mpfr_get_d(ref_value, MPFR_RNDD);
		f->reference(ref_value, ref_x, ref_y, MPFR_RNDU);
		expected.hi = mpfr_get_d(ref_value, MPFR_RNDU);
		result = dps_iv(f->down(x, y), f->up(x, y));
		if (result.lo != expected.lo || result.hi != expected.hi)
			right = report2("not correctly rounded", f->name, dps_iv(x, x), dps_iv(y, y), x, y, result);
	}
	mpfr_set_prec(ref_value, 256);
	return right;
}

typedef struct LibmRow
{
	const char *name;
	int			ulps;
	bool		measured;
} LibmRow;

static LibmRow libm_rows[] = {
#define DPS_RISING(name, NAME, function, ulps, ...) {#function, ulps, false},
#define DPS_OTHER(NAME, function, ulps) {#function, ulps, false},
#include "num/interval_fn.def"
#undef DPS_RISING
#undef DPS_OTHER
};

/* Does the error table hold on this machine? */
static void
check_libm_row(const char *name, double worst)
{
	if (strcmp(name, "ln") == 0)
		name = "log";
	for (int i = 0; i < LENGTH(libm_rows); i++)
	{
		if (strcmp(libm_rows[i].name, name) != 0)
			continue;
		libm_rows[i].measured = true;
		ok(worst <= libm_rows[i].ulps + DPS_LIBM_MARGIN, "libm %s is within %d + %d ulp (seen %.3f)",
		   name, libm_rows[i].ulps, DPS_LIBM_MARGIN, worst);
	}
}

static void
test_reference(void)
{
	double		worst;

	mpfr_init2(ref_x, DBL_MANT_DIG);
	mpfr_init2(ref_y, DBL_MANT_DIG);
	mpfr_init2(ref_value, 256);
	for (int i = 0; i < LENGTH(directed); i++)
		ok(check_directed_reference(&directed[i]), "%s is correctly rounded in both directions",
		   directed[i].name);
	for (int i = 0; i < LENGTH(unaries); i++)
	{
		worst = 0;
		ok(check_unary_reference(&unaries[i], &worst), "%s encloses the exact values", unaries[i].name);
		check_libm_row(unaries[i].name, worst);
		ok(check_unary_tight(&unaries[i]), "%s of a thin interval is tight", unaries[i].name);
	}
	for (int i = 0; i < LENGTH(binaries); i++)
	{
		worst = 0;
		ok(check_binary_reference(&binaries[i], &worst), "%s encloses the exact values", binaries[i].name);
		check_libm_row(binaries[i].name, worst);
		ok(check_binary_tight(&binaries[i]), "%s is tight at its corners", binaries[i].name);
	}
	for (int i = 0; i < LENGTH(libm_rows); i++)
		ok(libm_rows[i].measured, "libm %s was measured", libm_rows[i].name);
	mpfr_clears(ref_x, ref_y, ref_value, NULL);
	mpfr_free_cache();
}

#else

static void
test_reference(void)
{
	tap_count++;
	printf("ok %d # SKIP MPFR headers not found\n", tap_count);
}

#endif

static bool
is(DpsInterval x, double lo, double hi)
{
	if (dps_iv_is_empty(x) ? lo > hi : x.lo == lo && x.hi == hi)
		return true;
	diag("got [%.17g, %.17g], expected [%.17g, %.17g]", x.lo, x.hi, lo, hi);
	return false;
}

static bool
is_empty(DpsInterval x)
{
	return is(x, INFINITY, -INFINITY);
}

static DpsInterval
at(double x)
{
	return dps_iv(x, x);
}

static void
test_rounding(void)
{
	ok(dps_round_up(1) == 1 + DBL_EPSILON && dps_round_down(1) == 1 - DBL_EPSILON / 2 &&
	   dps_round_down(0) == -DBL_TRUE_MIN && dps_round_up(-0.0) == DBL_TRUE_MIN &&
	   dps_round_up(DBL_MAX) == INFINITY && dps_round_down(-DBL_MAX) == -INFINITY &&
	   dps_round_up(-DBL_TRUE_MIN) == 0, "neighbours of doubles");
	ok(dps_round_down(-INFINITY) == -INFINITY && dps_round_down(INFINITY) == INFINITY &&
	   dps_round_up(-INFINITY) == -INFINITY && dps_round_up(INFINITY) == INFINITY,
	   "infinities have no neighbours");
	ok(dps_add_down(DBL_MAX, DBL_MAX) == DBL_MAX && dps_add_up(DBL_MAX, DBL_MAX) == INFINITY &&
	   dps_add_down(-DBL_MAX, -DBL_MAX) == -INFINITY && dps_mul_down(1e200, 1e200) == DBL_MAX &&
	   dps_mul_up(1e200, -1e200) == -DBL_MAX && dps_div_up(1, DBL_TRUE_MIN) == INFINITY &&
	   dps_div_down(1, DBL_TRUE_MIN) == DBL_MAX, "overflow");
	ok(dps_mul_down(1e-200, 1e-200) == 0 && dps_mul_up(1e-200, 1e-200) == DBL_TRUE_MIN &&
	   dps_mul_down(-1e-200, 1e-200) == -DBL_TRUE_MIN && dps_mul_up(0x1p-1000, 0x1p-74) == DBL_TRUE_MIN &&
	   dps_mul_down(0x1p-1000, 0x1p-74) == DBL_TRUE_MIN, "underflow, and exact subnormals");
	ok(dps_mul_down(0, INFINITY) == 0 && dps_mul_up(-INFINITY, 0) == 0 &&
	   !isnan(dps_add_down(INFINITY, -INFINITY)) && !isnan(dps_add_up(INFINITY, -INFINITY)) &&
	   !isnan(dps_div_down(INFINITY, INFINITY)) && !isnan(dps_div_up(0, 0)), "never NaN");
	ok(!signbit(dps_add_up(1, -1)) && !signbit(dps_mul_up(0, -1)) && !signbit(dps_iv_neg(at(0)).lo) &&
	   !signbit(dps_div_up(0, 5)), "zero ends are positive zeros");
}

static void
test_arithmetic(void)
{
	const double inf = INFINITY;

	ok(is(dps_iv_mul(dps_iv(0, inf), dps_iv(-inf, 0)), -inf, 0) &&
	   is(dps_iv_mul(at(0), DPS_ENTIRE), 0, 0) && is(dps_iv_mul(dps_iv(-2, 3), dps_iv(-5, 7)), -15, 21),
	   "products with zero and infinity");
	ok(is_empty(dps_iv_div(at(1), at(0))) && is(dps_iv_div(dps_iv(1, 2), dps_iv(-1, 1)), -inf, inf) &&
	   is(dps_iv_div(dps_iv(1, 2), dps_iv(0, 4)), 0.25, inf) &&
	   is(dps_iv_div(dps_iv(1, 2), dps_iv(-4, 0)), -inf, -0.25) &&
	   is(dps_iv_div(dps_iv(-2, -1), dps_iv(0, 4)), -inf, -0.25) &&
	   is(dps_iv_div(dps_iv(0, 2), dps_iv(0, 4)), 0, inf) &&
	   is(dps_iv_div(dps_iv(-1, 2), dps_iv(0, 4)), -inf, inf) &&
	   is(dps_iv_div(at(0), dps_iv(-1, 1)), 0, 0) && is(dps_iv_div(dps_iv(1, 2), dps_iv(1, inf)), 0, 2),
	   "quotients by intervals with zero");
	ok(is(dps_iv_sqr(dps_iv(-3, 2)), 0, 9) && is(dps_iv_abs(dps_iv(-3, 2)), 0, 3) &&
	   is(dps_iv_sqr(DPS_ENTIRE), 0, inf), "squares and magnitudes");
	ok(is(dps_iv_sign(dps_iv(-3, 0)), -1, 0) && is(dps_iv_floor(dps_iv(-0.5, 1.5)), -1, 1) &&
	   is(dps_iv_ceil(dps_iv(-0.5, 1.5)), 0, 2) && is(dps_iv_rint(dps_iv(0.5, 1.5)), 0, 2) &&
	   is(dps_iv_round(dps_iv(-0.5, 0.5)), -1, 1) && is(dps_iv_trunc(dps_iv(-1.5, inf)), -1, inf),
	   "steps");
	ok(is(dps_iv_mod(dps_iv(7, 8), at(5)), 2, 3) && is(dps_iv_mod(dps_iv(-8, -7), at(-5)), -3, -2) &&
	   is(dps_iv_mod(dps_iv(4, 6), at(5)), 0, 5) && is(dps_iv_mod(dps_iv(-3, 4), at(5)), -3, 4) &&
	   is(dps_iv_mod(dps_iv(-3, 40), at(5)), -3, 5) && is(dps_iv_mod(dps_iv(7, 7.5), dps_iv(4, 5)), 2, 3.5) &&
	   is(dps_iv_mod(dps_iv(0, 3), dps_iv(5, inf)), 0, 3) && is_empty(dps_iv_mod(at(1), at(0))) &&
	   is(dps_iv_mod(DPS_ENTIRE, dps_iv(-2, 3)), -3, 3), "remainders");
	ok(is(dps_iv_quot(dps_iv(-7, 7), at(2)), -3, 3) && is(dps_iv_quot(dps_iv(1, 2), dps_iv(0, 1)), 1, inf) &&
	   is(dps_iv_quot(at(6), at(3)), 2, 2), "truncated quotients");
}

/* Each angle of a box whose ends are among these is at one of them, at a 0, or next to a 0. */
static const double angle_ends[] = {-INFINITY, -2, -0.5, 0, 0.5, 2, INFINITY};

#define ANGLE_ENDS (sizeof(angle_ends) / sizeof(angle_ends[0]))

static DpsInterval
angles_of_points(DpsInterval y, DpsInterval x)
{
	const double ys[] = {y.lo, y.hi, -0.0, 0, -0x1p-1000, 0x1p-1000};
	const double xs[] = {x.lo, x.hi, -0.0, 0, -0x1p-1000, 0x1p-1000};
	DpsInterval hull = DPS_EMPTY;

	for (size_t i = 0; i < sizeof(ys) / sizeof(ys[0]); i++)
		for (size_t k = 0; k < sizeof(xs) / sizeof(xs[0]); k++)
			if (dps_iv_contains(y, ys[i]) && dps_iv_contains(x, xs[k]))
			{
				double		angle = value_atan2(ys[i], xs[k]);

				hull = dps_iv_hull(hull, dps_iv(angle, angle));
			}
	return hull;
}

static bool
angles_are_those_of_points(void)
{
	for (size_t box = 0; box < ANGLE_ENDS * ANGLE_ENDS * ANGLE_ENDS * ANGLE_ENDS; box++)
	{
		DpsInterval y = {angle_ends[box % ANGLE_ENDS], angle_ends[box / ANGLE_ENDS % ANGLE_ENDS]};
		DpsInterval x = {angle_ends[box / ANGLE_ENDS / ANGLE_ENDS % ANGLE_ENDS], angle_ends[box / ANGLE_ENDS / ANGLE_ENDS / ANGLE_ENDS]};
		DpsInterval seen;
		DpsInterval result;

		if (y.lo > y.hi || x.lo > x.hi || y.lo == INFINITY || x.lo == INFINITY || y.hi == -INFINITY || x.hi == -INFINITY)
			continue;
		seen = angles_of_points(y, x);
		result = dps_iv_atan2(y, x);
		if (!(result.lo <= seen.lo && seen.hi <= result.hi && seen.lo - result.lo < 1e-9 && result.hi - seen.hi < 1e-9))
			return report2("not the angles", "atan2", y, x, seen.lo, seen.hi, result);
	}
	return true;
}

static void
test_functions(void)
{
	const double inf = INFINITY;
	const double pi_up = 0x1.921fb54442d19p+1;

	ok(is(dps_iv_exp(at(0)), 1, 1) && is(dps_iv_ln(at(1)), 0, 0) && is(dps_iv_sqrt(dps_iv(4, 9)), 2, 3) &&
	   is(dps_iv_cosh(at(0)), 1, 1) && is(dps_iv_sin(at(0)), 0, 0) && is(dps_iv_cos(at(0)), 1, 1) &&
	   is(dps_iv_tanh(at(0)), 0, 0) && is(dps_iv_acosh(at(1)), 0, 0) && is(dps_iv_acos(at(1)), 0, 0) &&
	   is(dps_iv_erf(at(0)), 0, 0) && is(dps_iv_erfc(at(0)), 1, 1) && is(dps_iv_atan2(at(0), at(2)), 0, 0),
	   "exact points");
	ok(is_empty(dps_iv_ln(dps_iv(-1, 0))) && is_empty(dps_iv_sqrt(at(-1))) &&
	   is_empty(dps_iv_asin(dps_iv(2, 3))) && is_empty(dps_iv_acosh(dps_iv(-1, 0.5))) &&
	   is_empty(dps_iv_atanh(at(1))) && is_empty(dps_iv_cot(at(0))) &&
	   is(dps_iv_sqrt(dps_iv(-4, 9)), 0, 3) && is(dps_iv_atanh(dps_iv(-2, 2)), -inf, inf),
	   "only the domain counts");
	ok(dps_iv_exp(DPS_ENTIRE).lo == 0 && dps_iv_exp(at(1000)).hi == inf &&
	   isfinite(dps_iv_exp(at(1000)).lo) && dps_iv_exp(at(-1000)).lo == 0 && dps_iv_exp(at(-1000)).hi > 0 &&
	   dps_iv_ln(dps_iv(0, inf)).lo == -inf && dps_iv_ln(dps_iv(0, inf)).hi == inf, "exp and ln at infinity");
	ok(is(dps_iv_tanh(DPS_ENTIRE), -1, 1) && is(dps_iv_erfc(DPS_ENTIRE), 0, 2) &&
	   is(dps_iv_cosh(DPS_ENTIRE), 1, inf) && is(dps_iv_atan(DPS_ENTIRE), -pi_up / 2, pi_up / 2) &&
	   is(dps_iv_acos(DPS_ENTIRE), 0, pi_up), "ranges");
	ok(dps_iv_sin(dps_iv(1, 2)).hi == 1 && dps_iv_sin(dps_iv(-2, 2)).lo == -1 &&
	   is(dps_iv_sin(dps_iv(0, 6)), -1, 1) && dps_iv_sin(dps_iv(1, 4)).lo < -0.75 &&
	   dps_iv_sin(dps_iv(1, 4)).lo > -0.76 && is(dps_iv_sin(DPS_ENTIRE), -1, 1) &&
	   dps_iv_cos(dps_iv(-1, 1)).hi == 1 && dps_iv_cos(dps_iv(3, 4)).lo == -1 &&
	   dps_iv_cos(dps_iv(0, 1)).lo > 0.54 && dps_iv_cos(dps_iv(-1, 0)).hi == 1 &&
	   is(dps_iv_cos(dps_iv(0, 4)), -1, 1) && is(dps_iv_cos(dps_iv(-4, 0)), -1, 1) &&
	   dps_iv_sin(dps_iv(1e15, 1e15 + 0.125)).hi - dps_iv_sin(dps_iv(1e15, 1e15 + 0.125)).lo < 0.126,
	   "extrema of sine and cosine");
	ok(is(dps_iv_tan(dps_iv(1, 2)), -inf, inf) && is(dps_iv_tan(dps_iv(-2, 2)), -inf, inf) &&
	   dps_iv_tan(dps_iv(-1.5, 1.5)).hi < 15 && dps_iv_tan(dps_iv(2, 4)).lo < -2 &&
	   is(dps_iv_cot(dps_iv(-1, 1)), -inf, inf) && dps_iv_cot(dps_iv(0, 1)).hi == inf &&
	   dps_iv_cot(dps_iv(0, 1)).lo > 0.64 && dps_iv_cot(dps_iv(-1, 0)).lo == -inf &&
	   is(dps_iv_cot(dps_iv(3, 4)), -inf, inf) && dps_iv_cot(dps_iv(1, 3)).lo < -7,
	   "poles of tangent and cotangent");
	ok(is(dps_iv_atan2(dps_iv(-1, 1), dps_iv(-2, -1)), -pi_up, pi_up) &&
	   is(dps_iv_atan2(at(0), at(0)), 0, 0) && dps_iv_atan2(dps_iv(1, 2), at(0)).lo > 1.57 &&
	   dps_iv_atan2(dps_iv(1, 2), at(0)).hi < 1.571 && dps_iv_contains(dps_iv_atan2(at(0), at(-1)), M_PI) &&
	   is(dps_iv_atan2(dps_iv(1, inf), DPS_ENTIRE), 0, pi_up), "the angle and its branch cut");
	ok(angles_are_those_of_points(), "angles of boxes with zeros are those of their points");
}

static void
test_powers(void)
{
	const double inf = INFINITY;
	bool		same = true;

	for (int i = 0; i < 2000; i++)
	{
		DpsInterval x = any_interval(-10, 10);
		DpsInterval square = dps_iv_sqr(x);

		same &= is(dps_iv_pow(x, at(2)), square.lo, square.hi);
	}
	ok(same, "x^2 is the square");
	ok(is(dps_iv_pow(dps_iv(-2, 3), at(2)), 0, 9) && is(dps_iv_pow(dps_iv(-2, 3), at(3)), -8, 27) &&
	   is(dps_iv_pow(dps_iv(-2, 3), at(0)), 1, 1) && is(dps_iv_pow(dps_iv(-2, 3), at(1)), -2, 3) &&
	   is(dps_iv_pow(dps_iv(-2, 3), at(-1)), -inf, inf) && is(dps_iv_pow(dps_iv(-2, 4), at(-2)), 0.0625, inf) &&
	   is(dps_iv_pow(dps_iv(2, 4), at(-2)), 0.0625, 0.25) && is(dps_iv_pow(dps_iv(0, 4), at(-1)), 0.25, inf) &&
	   is(dps_iv_pow(dps_iv(-4, 0), at(-1)), -inf, -0.25) && is_empty(dps_iv_pow(at(0), at(-2))) &&
	   is(dps_iv_pow(at(10), at(22)), 1e22, 1e22) && is(dps_iv_pow(at(3), at(33)), 5559060566555523, 5559060566555523) &&
	   is(dps_iv_pow(at(-2), at(-1000)), 0x1p-1000, 0x1p-1000) && is(dps_iv_pow(at(4), at(1.5)), 8, 8) &&
	   is(dps_iv_pow(DPS_ENTIRE, at(3)), -inf, inf) && is(dps_iv_pow(DPS_ENTIRE, at(4)), 0, inf),
	   "integer powers are exact on monotone pieces");
	ok(is(dps_iv_pow(dps_iv(4, 9), at(0.5)), 2, 3) && is(dps_iv_pow(dps_iv(-4, 9), at(0.5)), 0, 3) &&
	   is_empty(dps_iv_pow(dps_iv(-4, -1), at(0.5))) && is(dps_iv_pow(dps_iv(0.5, 2), dps_iv(-2, 3)), 0.125, 8) &&
	   is(dps_iv_pow(dps_iv(2, 4), dps_iv(-1, 2)), 0.25, 16) &&
	   is(dps_iv_pow(dps_iv(0.5, 1), dps_iv(1, inf)), 0, 1) && is(dps_iv_pow(at(0), dps_iv(-1, 1)), 0, 1) &&
	   is(dps_iv_pow(at(0), dps_iv(-1, 0)), 1, 1) && is_empty(dps_iv_pow(at(0), dps_iv(-2, -1))) &&
	   is(dps_iv_pow(dps_iv(0, 1), dps_iv(-1, 0)), 1, inf), "real powers take their corners");
	ok(is(dps_iv_pow(at(-2), dps_iv(0, 3)), -8, 4) && is(dps_iv_pow(at(-2), dps_iv(1.5, 2.5)), 4, 4) &&
	   is(dps_iv_pow(dps_iv(-2, 4), dps_iv(2, 3)), -8, 64) && is_empty(dps_iv_pow(at(-2), dps_iv(1.25, 1.75))) &&
	   is(dps_iv_pow(at(-2), dps_iv(-inf, inf)), -inf, inf) && is(dps_iv_pow(at(-0.5), dps_iv(0, inf)), -1, 1),
	   "negative bases meet the integers of the exponent");
}

static void
test_domains(void)
{
	const double inf = INFINITY;

	ok(dps_iv_nonzero(dps_iv(1, 2)) == DPS_DEFINED && dps_iv_nonzero(dps_iv(0, 2)) == DPS_PARTIAL &&
	   dps_iv_nonzero(at(0)) == DPS_UNDEFINED && dps_iv_positive(dps_iv(0, 1)) == DPS_PARTIAL &&
	   dps_iv_positive(dps_iv(-1, 0)) == DPS_UNDEFINED && dps_iv_positive(dps_iv(1, inf)) == DPS_DEFINED &&
	   dps_iv_nonnegative(dps_iv(0, 1)) == DPS_DEFINED && dps_iv_nonnegative(dps_iv(-1, 0)) == DPS_PARTIAL &&
	   dps_iv_nonnegative(dps_iv(-2, -1)) == DPS_UNDEFINED, "signs");
	ok(dps_iv_within(dps_iv(-1, 1), -1, 1) == DPS_DEFINED && dps_iv_within(dps_iv(1, 2), -1, 1) == DPS_PARTIAL &&
	   dps_iv_within(dps_iv(2, 3), -1, 1) == DPS_UNDEFINED && dps_iv_inside(dps_iv(1, 2), -1, 1) == DPS_UNDEFINED &&
	   dps_iv_inside(dps_iv(0, 1), -1, 1) == DPS_PARTIAL && dps_iv_inside(at(0), -1, 1) == DPS_DEFINED &&
	   dps_iv_at_least(dps_iv(1, 2), 1) == DPS_DEFINED && dps_iv_at_least(dps_iv(0, 1), 1) == DPS_PARTIAL &&
	   dps_iv_at_least(dps_iv(0, 0.5), 1) == DPS_UNDEFINED, "ranges of arguments");
	ok(dps_iv_power_defined(dps_iv(1, 2), DPS_ENTIRE) == DPS_DEFINED &&
	   dps_iv_power_defined(dps_iv(-1, 2), at(2)) == DPS_DEFINED &&
	   dps_iv_power_defined(dps_iv(-1, 2), at(-2)) == DPS_PARTIAL &&
	   dps_iv_power_defined(at(0), at(-2)) == DPS_UNDEFINED &&
	   dps_iv_power_defined(dps_iv(0, 2), dps_iv(0, 2)) == DPS_DEFINED &&
	   dps_iv_power_defined(dps_iv(0, 2), dps_iv(-1, 2)) == DPS_PARTIAL &&
	   dps_iv_power_defined(dps_iv(-2, -1), dps_iv(0.25, 0.75)) == DPS_UNDEFINED &&
	   dps_iv_power_defined(dps_iv(-2, -1), dps_iv(0.25, 1.75)) == DPS_PARTIAL &&
	   dps_iv_power_defined(dps_iv(-2, 1), at(0.5)) == DPS_PARTIAL &&
	   dps_iv_power_defined(dps_iv(-2, 0), at(0.5)) == DPS_PARTIAL &&
	   dps_iv_power_defined(dps_iv(-2, 0), at(-0.5)) == DPS_UNDEFINED, "powers");
	ok(dps_iv_tan_defined(dps_iv(-1, 1)) == DPS_DEFINED && dps_iv_tan_defined(dps_iv(1, 2)) == DPS_PARTIAL &&
	   dps_iv_tan_defined(at(M_PI_2)) == DPS_DEFINED && dps_iv_tan_defined(DPS_ENTIRE) == DPS_PARTIAL &&
	   dps_iv_cot_defined(dps_iv(1, 2)) == DPS_DEFINED && dps_iv_cot_defined(dps_iv(0, 2)) == DPS_PARTIAL &&
	   dps_iv_cot_defined(dps_iv(3, 4)) == DPS_PARTIAL && dps_iv_cot_defined(at(0)) == DPS_UNDEFINED,
	   "tangent and cotangent");
	ok(dps_iv_nonzero(DPS_EMPTY) == DPS_DEFINED && dps_iv_positive(DPS_EMPTY) == DPS_DEFINED &&
	   dps_iv_nonnegative(DPS_EMPTY) == DPS_DEFINED && dps_iv_within(DPS_EMPTY, 0, 1) == DPS_DEFINED &&
	   dps_iv_inside(DPS_EMPTY, 0, 1) == DPS_DEFINED && dps_iv_at_least(DPS_EMPTY, 0) == DPS_DEFINED &&
	   dps_iv_power_defined(DPS_EMPTY, at(0.5)) == DPS_DEFINED &&
	   dps_iv_power_defined(at(-1), DPS_EMPTY) == DPS_DEFINED &&
	   dps_iv_tan_defined(DPS_EMPTY) == DPS_DEFINED && dps_iv_cot_defined(DPS_EMPTY) == DPS_DEFINED,
	   "nothing is undefined on the empty interval");
}

/* Identities hold for enclosures as containment. */
static void
test_identities(void)
{
	bool		logarithm = true;
	bool		circle = true;
	bool		root = true;
	bool		hyperbola = true;
	bool		division = true;

	for (int i = 0; i < 5000; i++)
	{
		DpsInterval x = any_interval(-5, 5);
		DpsInterval y = any_interval(-5, 5);
		double		point = sample(x);
		double		other = sample(y);
		DpsInterval one = dps_iv_add(dps_iv_sqr(dps_iv_sin(x)), dps_iv_sqr(dps_iv_cos(x)));

		circle &= dps_iv_contains(one, 1);
		one = dps_iv_sub(dps_iv_sqr(dps_iv_cosh(x)), dps_iv_sqr(dps_iv_sinh(x)));
		hyperbola &= dps_iv_contains(one, 1);
		root &= dps_iv_contains(dps_iv_sqr(dps_iv_sqrt(dps_iv_abs(x))), fabs(point));
		logarithm &= point <= 0 || dps_iv_contains(dps_iv_exp(dps_iv_ln(x)), point);
		division &= other == 0 || dps_iv_contains(dps_iv_mul(dps_iv_div(x, y), y), point);
	}
	ok(circle, "sin^2 + cos^2 holds 1");
	ok(hyperbola, "cosh^2 - sinh^2 holds 1");
	ok(root, "the square of the root holds the argument");
	ok(logarithm, "exp of ln holds the argument");
	ok(division, "quotient times divisor holds the dividend");
}

/* An argument replaces the seed. */
int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 0);
	diag("seed 0x%016" PRIx64, random_state);
	test_rounding();
	test_arithmetic();
	test_functions();
	test_powers();
	test_domains();
	test_identities();
	for (int i = 0; i < LENGTH(directed); i++)
		ok(check_directed(&directed[i]), "%s down and up are the nearest or its neighbours", directed[i].name);
	for (int i = 0; i < LENGTH(unaries); i++)
	{
		ok(check_unary(&unaries[i]), "%s encloses the library's values", unaries[i].name);
		ok(check_unary_wide(&unaries[i]), "%s encloses long double values", unaries[i].name);
	}
	for (int i = 0; i < LENGTH(binaries); i++)
		ok(check_binary(&binaries[i]), "%s encloses the evaluator's values", binaries[i].name);
	test_reference();
	return done_testing();
}
