/*
 * libm_error.h
 *		How far the C library's functions are from the exact values.
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
#ifndef DPS_NUM_LIBM_ERROR_H
#define DPS_NUM_LIBM_ERROR_H

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

#endif							/* DPS_NUM_LIBM_ERROR_H */
