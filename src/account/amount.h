/*
 * amount.h
 *		Privacy amounts in fixed point, as a ledger stores and adds them.
 *
 * An amount is a whole number of units, 0 to 2^63 - 1, so it fits a bigint.
 * Sums of whole numbers are exact: no charge is too small to count, and none
 * depends on the order.  A loss becomes an amount rounded up, a cap rounded
 * down.  The largest amount stands for a loss without bound: sums stop there
 * and no cap reaches it, so whatever has once been unbounded stays so.
 */
#ifndef DPS_ACCOUNT_AMOUNT_H
#define DPS_ACCOUNT_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t DpsAmount;

/* Units of epsilon and rho are 2^-40, so that sums reach 2^23; units of delta
 * are 2^-62. */
#define DPS_LOSS_BITS 40
#define DPS_DELTA_BITS 62

#define DPS_AMOUNT_UNBOUNDED INT64_MAX
#define DPS_AMOUNT_CAP_MAX (INT64_MAX - 1)

/* A loss, rounded up to units of 2^-bits; DPS_AMOUNT_UNBOUNDED if it is
 * negative, NaN or too large. */
extern DpsAmount dps_amount_of_loss(double loss, int bits);

/* A cap, rounded down, at most DPS_AMOUNT_CAP_MAX; 0, which allows nothing, if
 * it is negative or NaN. */
extern DpsAmount dps_amount_of_cap(double cap, int bits);

/* Back to a double, rounded up or down; DPS_AMOUNT_UNBOUNDED and what is not an
 * amount are Infinity. */
extern double dps_amount_up(DpsAmount amount, int bits);
extern double dps_amount_down(DpsAmount amount, int bits);

/* The same with at most DPS_SHOWN_DIGITS decimal digits, for people; fewer below 1e-13.  So 0.1, charged as
 * 0.0999999999994543, is 0.1 again. */
#define DPS_SHOWN_DIGITS 9
extern double dps_amount_shown_up(DpsAmount amount, int bits);
extern double dps_amount_shown_down(DpsAmount amount, int bits);

/* x + y, and x added to itself `times` times; never wraps. */
extern DpsAmount dps_amount_add(DpsAmount x, DpsAmount y);
extern DpsAmount dps_amount_times(DpsAmount x, uint64_t times);

/* Whether spent + cost <= cap.  False if one of them is not an amount, or cost
 * or spent is unbounded. */
extern bool dps_amount_fits(DpsAmount cap, DpsAmount spent, DpsAmount cost);

/* How many times the cost can still be added; UINT64_MAX if it is 0 and
 * fits. */
extern uint64_t dps_amount_left(DpsAmount cap, DpsAmount spent, DpsAmount cost);

#endif							/* DPS_ACCOUNT_AMOUNT_H */
