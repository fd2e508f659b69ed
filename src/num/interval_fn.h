/*
 * interval_fn.h
 *		Elementary functions of intervals, where they are defined, and how far the
 *		C library's are from the exact values.
 */
#ifndef DPS_NUM_INTERVAL_FN_H
#define DPS_NUM_INTERVAL_FN_H

#include "num/interval.h"

/* Elementary functions; pow is SQL's power on its real domain: x > 0, or
 * x = 0 and y >= 0, or x < 0 and y an integer.  atan2 takes a zero for either
 * signed zero, since the evaluator and its data may hold both. */
extern DpsInterval dps_iv_sqrt(DpsInterval x);
extern DpsInterval dps_iv_cbrt(DpsInterval x);
extern DpsInterval dps_iv_exp(DpsInterval x);
extern DpsInterval dps_iv_ln(DpsInterval x);
extern DpsInterval dps_iv_log10(DpsInterval x);
extern DpsInterval dps_iv_pow(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_sin(DpsInterval x);
extern DpsInterval dps_iv_cos(DpsInterval x);
extern DpsInterval dps_iv_tan(DpsInterval x);
extern DpsInterval dps_iv_cot(DpsInterval x);
extern DpsInterval dps_iv_asin(DpsInterval x);
extern DpsInterval dps_iv_acos(DpsInterval x);
extern DpsInterval dps_iv_atan(DpsInterval x);
extern DpsInterval dps_iv_atan2(DpsInterval y, DpsInterval x);
extern DpsInterval dps_iv_sinh(DpsInterval x);
extern DpsInterval dps_iv_cosh(DpsInterval x);
extern DpsInterval dps_iv_tanh(DpsInterval x);
extern DpsInterval dps_iv_asinh(DpsInterval x);
extern DpsInterval dps_iv_acosh(DpsInterval x);
extern DpsInterval dps_iv_atanh(DpsInterval x);
extern DpsInterval dps_iv_erf(DpsInterval x);
extern DpsInterval dps_iv_erfc(DpsInterval x);

/* Where a function is defined (SQL's domain), for the operation table.
 * tan and cot: undefined only where the exact function has a pole, so an
 * argument whose enclosure may contain one is DPS_PARTIAL. */
extern DpsDefined dps_iv_nonzero(DpsInterval x);
extern DpsDefined dps_iv_positive(DpsInterval x);
extern DpsDefined dps_iv_nonnegative(DpsInterval x);
extern DpsDefined dps_iv_within(DpsInterval x, double lo, double hi);
extern DpsDefined dps_iv_inside(DpsInterval x, double lo, double hi);	/* open */
extern DpsDefined dps_iv_at_least(DpsInterval x, double lo);
extern DpsDefined dps_iv_power_defined(DpsInterval x, DpsInterval y);
extern DpsDefined dps_iv_tan_defined(DpsInterval x);
extern DpsDefined dps_iv_cot_defined(DpsInterval x);

/*
 * The C library's functions.
 *
 * One row a function: an upper case name, the C name, and the largest known
 * error in units in the last place, rounding to nearest, double.  Source: the
 * GNU C Library manual, "Known Maximum Errors in Math Functions", column
 * x86_64 (generated from sysdeps/x86_64/fpu/libm-test-ulps); aarch64 has the
 * same entries.  It holds for glibc 2.28 and later, where exp, log, pow, sin
 * and cos are the implementations that stay below 0.56 ulp.  Functions that
 * the manual shows as "-" (no error beyond rounding seen) stand here as 1.
 *
 * The manual's figures are whole numbers found by testing, so a margin is
 * added to each.  It covers the worst arguments published since (Innocente
 * and Zimmermann, "Accuracy of Mathematical Functions": acosh 2.25, tanh 2.22,
 * erfc 5.19, erf 1.43, cbrt 3.67).  The unit tests measure every row against
 * MPFR on the machine that runs them.
 */
#define DPS_LIBM_FUNCTIONS(ROW) \
	ROW(ACOS, acos, 1) \
	ROW(ACOSH, acosh, 2) \
	ROW(ASIN, asin, 1) \
	ROW(ASINH, asinh, 2) \
	ROW(ATAN, atan, 1) \
	ROW(ATAN2, atan2, 1) \
	ROW(ATANH, atanh, 2) \
	ROW(CBRT, cbrt, 4) \
	ROW(COS, cos, 1) \
	ROW(COSH, cosh, 2) \
	ROW(ERF, erf, 1) \
	ROW(ERFC, erfc, 5) \
	ROW(EXP, exp, 1) \
	ROW(LOG, log, 1) \
	ROW(LOG10, log10, 2) \
	ROW(POW, pow, 1) \
	ROW(SIN, sin, 1) \
	ROW(SINH, sinh, 2) \
	ROW(TAN, tan, 1) \
	ROW(TANH, tanh, 2)

/* DPS_LIBM_ULPS_EXP and so on: the manual's figure. */
enum
{
#define DPS_LIBM_ROW(NAME, function, ulps) DPS_LIBM_ULPS_##NAME = (ulps),
	DPS_LIBM_FUNCTIONS(DPS_LIBM_ROW)
#undef DPS_LIBM_ROW
	DPS_LIBM_MARGIN = 1
};

/* The bound to rely on: |computed - exact| <= this many ulps of the exact. */
#define DPS_LIBM_BOUND(NAME) (DPS_LIBM_ULPS_##NAME + DPS_LIBM_MARGIN)

/*
 * How many doubles an enclosure goes outward from a computed end.  The exact
 * end is within `bound` ulps of the computed one.  A computed value inside the
 * interval lies beyond the exact end by at most `ulps` more, since the library
 * need not be monotone.
 */
#define DPS_LIBM_STEPS(NAME) (2 * DPS_LIBM_ULPS_##NAME + DPS_LIBM_MARGIN)

#endif							/* DPS_NUM_INTERVAL_FN_H */
