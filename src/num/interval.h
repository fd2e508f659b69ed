/*
 * interval.h
 *		Intervals of doubles, rounded outward.
 *
 * [lo, hi] with lo <= hi, ends may be infinite; the empty interval is
 * [+Inf, -Inf] and every function maps empty to empty.  Each function returns
 * an interval that contains the exact real result for every choice of points
 * from its arguments at which it is defined; points outside the domain
 * contribute nothing, and the result is empty where no point is inside.  The
 * result also contains what the floating-point evaluation (IEEE nearest, and
 * the libm error of num/interval_fn.h) yields on those points, so that
 * enclosures bound the evaluator as well as the mathematics.  An overflow
 * shows as an infinite end, never as NaN.
 */
#ifndef DPS_NUM_INTERVAL_H
#define DPS_NUM_INTERVAL_H

#include <math.h>
#include <stdbool.h>

typedef struct DpsInterval
{
	double		lo;
	double		hi;
} DpsInterval;

/* Whether a function is defined on every point of its arguments, on some, or
 * on none. */
typedef enum DpsDefined
{
	DPS_DEFINED = 0,
	DPS_PARTIAL,
	DPS_UNDEFINED
} DpsDefined;

#define DPS_EMPTY ((DpsInterval) {INFINITY, -INFINITY})
#define DPS_ENTIRE ((DpsInterval) {-INFINITY, INFINITY})

static inline DpsInterval
dps_iv(double lo, double hi)
{
	return (DpsInterval) {lo, hi};
}

static inline DpsInterval
dps_iv_point(double x)
{
	return dps_iv(x, x);
}

static inline bool
dps_iv_is_empty(DpsInterval x)
{
	return !(x.lo <= x.hi);
}

static inline bool
dps_iv_contains(DpsInterval x, double point)
{
	return x.lo <= point && point <= x.hi;
}

static inline bool
dps_iv_is_point(DpsInterval x)
{
	return x.lo == x.hi;
}

static inline DpsInterval
dps_iv_hull(DpsInterval x, DpsInterval y)
{
	return dps_iv(x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi);
}

static inline DpsInterval
dps_iv_intersect(DpsInterval x, DpsInterval y)
{
	double		lo = x.lo > y.lo ? x.lo : y.lo;
	double		hi = x.hi < y.hi ? x.hi : y.hi;

	return lo <= hi ? dps_iv(lo, hi) : DPS_EMPTY;
}

/* False of the empty interval. */
static inline bool
dps_iv_is_finite(DpsInterval x)
{
	return isfinite(x.lo) && isfinite(x.hi);
}

/* The greatest magnitude; Infinity of the empty interval. */
static inline double
dps_iv_magnitude(DpsInterval x)
{
	return fmax(fabs(x.lo), fabs(x.hi));
}

/* The next double towards -Inf / +Inf; infinities stay. */
extern double dps_round_down(double x);
extern double dps_round_up(double x);

/* Sums, products, quotients and roots of two doubles, rounded toward -Inf or
 * +Inf; exact results stay exact (error-free transformations, Knuth's TwoSum
 * and FMA, not a changed rounding mode). */
extern double dps_add_down(double x, double y);
extern double dps_add_up(double x, double y);
extern double dps_sub_down(double x, double y);
extern double dps_sub_up(double x, double y);
extern double dps_mul_down(double x, double y);
extern double dps_mul_up(double x, double y);
extern double dps_div_down(double x, double y);
extern double dps_div_up(double x, double y);
extern double dps_sqrt_down(double x);
extern double dps_sqrt_up(double x);

/* Arithmetic. */
extern DpsInterval dps_iv_neg(DpsInterval x);
extern DpsInterval dps_iv_add(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_sub(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_mul(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_div(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_sqr(DpsInterval x);
extern DpsInterval dps_iv_abs(DpsInterval x);
extern DpsInterval dps_iv_min(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_max(DpsInterval x, DpsInterval y);

/* Steps: sign, floor, ceil, trunc, rint (ties to even), round (ties away from
 * zero), fmod with the sign of x, and the quotient x/y truncated toward 0. */
extern DpsInterval dps_iv_sign(DpsInterval x);
extern DpsInterval dps_iv_floor(DpsInterval x);
extern DpsInterval dps_iv_ceil(DpsInterval x);
extern DpsInterval dps_iv_trunc(DpsInterval x);
extern DpsInterval dps_iv_rint(DpsInterval x);
extern DpsInterval dps_iv_round(DpsInterval x);
extern DpsInterval dps_iv_mod(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_quot(DpsInterval x, DpsInterval y);

#endif							/* DPS_NUM_INTERVAL_H */
