/*
 * mean.h
 *		Means of exp and cos between 0 and x, and their derivatives.
 *
 *		E_0(x) = (exp(x) - 1) / x,  the integral of exp(s x) over s from 0 to 1
 *		C_0(x) = sin(x) / x,        the integral of cos(s x)
 *
 * and E_n, C_n their derivatives of order n, the integrals of s^n exp(s x) and of s^n times
 * the nth derivative of cos at s x: functions without a gap at 0.
 */
#ifndef DPS_NUM_MEAN_H
#define DPS_NUM_MEAN_H

#include "num/interval.h"

/* The greatest order. */
#define DPS_MEAN_ORDERS 5

/* How far the values are off: of E_0 in units in the last place, of all E_n as a share of the
 * value, of C_n at all. */
#define DPS_MEAN_EXP_ULPS 6
#define DPS_MEAN_SHARE 0x1p-44
#define DPS_MEAN_ERROR 0x1p-44

/* Infinity where exp(x) overflows, as it does in SQL. */
extern double dps_mean_exp(double x, int n);
extern double dps_mean_cos(double x, int n);

extern DpsInterval dps_iv_mean_exp(DpsInterval x, int n);
extern DpsInterval dps_iv_mean_cos(DpsInterval x, int n);

#endif							/* DPS_NUM_MEAN_H */
