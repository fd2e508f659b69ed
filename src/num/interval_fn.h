/*
 * interval_fn.h
 *		Elementary functions of intervals, where they are defined, and how far the
 *		C library's are from the exact values.
 */
#ifndef DPS_NUM_INTERVAL_FN_H
#define DPS_NUM_INTERVAL_FN_H

#include "num/interval.h"

/* Elementary functions; pow is SQL's power on its real domain: x > 0, or
 * x = 0 and y >= 0, or x < 0 and y an integer.  atan2 is
 * that of zeros without a sign: pi at (0, -1), and 0 at the origin. */
extern DpsInterval dps_iv_sqrt(DpsInterval x);
extern DpsInterval dps_iv_exp(DpsInterval x);
extern DpsInterval dps_iv_pow(DpsInterval x, DpsInterval y);
extern DpsInterval dps_iv_sin(DpsInterval x);
extern DpsInterval dps_iv_cos(DpsInterval x);
extern DpsInterval dps_iv_tan(DpsInterval x);
extern DpsInterval dps_iv_cot(DpsInterval x);
extern DpsInterval dps_iv_acos(DpsInterval x);
extern DpsInterval dps_iv_atan2(DpsInterval y, DpsInterval x);
extern DpsInterval dps_iv_cosh(DpsInterval x);
extern DpsInterval dps_iv_erfc(DpsInterval x);

/* dps_iv_ln and the others that rise. */
#define DPS_RISING(name, ...) extern DpsInterval dps_iv_##name(DpsInterval x);
#define DPS_OTHER(...)
#include "num/interval_fn.def"
#undef DPS_RISING
#undef DPS_OTHER

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

/* How far the C library is off, DPS_LIBM_ULPS_EXP and so on, and what is added to that. */
enum
{
#define DPS_RISING(name, NAME, function, ulps, ...) DPS_LIBM_ULPS_##NAME = (ulps),
#define DPS_OTHER(NAME, function, ulps) DPS_LIBM_ULPS_##NAME = (ulps),
#include "num/interval_fn.def"
#undef DPS_RISING
#undef DPS_OTHER
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
