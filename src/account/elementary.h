/*
 * elementary.h
 *		Enclosures that several accountants need, on top of num/interval.h.
 */
#ifndef DPS_ACCOUNT_ELEMENTARY_H
#define DPS_ACCOUNT_ELEMENTARY_H

#include <stdint.h>

#include "num/interval_fn.h"

/* A whole number as a double that is no smaller. */
static inline double
dps_count_up(uint64_t count)
{
	double		nearest = (double) count;

	return nearest <= 0x1p53 ? nearest : dps_round_up(nearest);
}

static inline DpsInterval
dps_point(double x)
{
	return dps_iv(x, x);
}

/* 1 - exp(-x) for x > 0; = 2 exp(-x/2) sinh(x/2), which does not cancel. */
static inline DpsInterval
dps_one_minus_exp(DpsInterval x)
{
	DpsInterval half = dps_iv_mul(dps_point(0.5), x);

	if (x.lo >= 1.0)
		return dps_iv_sub(dps_point(1.0), dps_iv_exp(dps_iv_neg(x)));
	return dps_iv_mul(dps_iv_mul(dps_point(2.0), dps_iv_exp(dps_iv_neg(half))), dps_iv_sinh(half));
}

/* P(N(0,1) > x) for every x in the interval. */
static inline DpsInterval
dps_gaussian_tail(DpsInterval x)
{
	DpsInterval sqrt_half = dps_iv_sqrt(dps_point(0.5));

	return dps_iv_mul(dps_point(0.5), dps_iv_erfc(dps_iv_mul(x, sqrt_half)));
}

#endif							/* DPS_ACCOUNT_ELEMENTARY_H */
