/*
 * order.h
 *		The search for a good Renyi order.
 *
 * In plain doubles: whatever order it finds is a valid one, so its errors cost
 * accuracy only.  The caller computes the answer at that order with directed
 * rounding.  An order alpha is given as beta = alpha - 1.
 */
#ifndef DPS_ACCOUNT_ORDER_H
#define DPS_ACCOUNT_ORDER_H

/* What is minimised over beta > 0; NaN counts as Infinity. */
typedef double (*DpsOrderObjective) (double beta, const void *context);

/* A beta > 0 that nearly minimises the objective. */
extern double dps_order_best(DpsOrderObjective objective, const void *context);

/* ln((alpha-1)/alpha) - (ln delta + ln alpha)/(alpha-1): what the conversion to
 * (epsilon, delta) adds to the Renyi loss. */
extern double dps_order_conversion(double beta, double log_delta);

#endif							/* DPS_ACCOUNT_ORDER_H */
