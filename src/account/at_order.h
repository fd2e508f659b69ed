/*
 * at_order.h
 *		The rho of releases at one Renyi order, or by another rule.
 *
 * A budget counts by one number, which is public and fixed when it is set:
 *		> 1				a Renyi order
 *		0				rho, at all orders
 *		DPS_BY_GAUSSIAN	Gaussian DP (gaussian_rule.h)
 *		-e < 0			answers of a pure epsilon of at most e (capped.h)
 */
#ifndef DPS_ACCOUNT_AT_ORDER_H
#define DPS_ACCOUNT_AT_ORDER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "account/amount.h"
#include "account/filter.h"
#include "account/history.h"

#define DPS_BY_GAUSSIAN INFINITY

/* Does a budget of this order count anything but rho at all orders? */
static inline bool
dps_order_counts(double order)
{
	return order != 0.0;
}

/* Does it count what is no rho, and no less than it: a rule by which the rho of all orders says nothing? */
static inline bool
dps_order_is_rule(double order)
{
	return order < 0.0 || order == DPS_BY_GAUSSIAN;
}

/*
 * What a release costs of a budget that counts at this order: the Renyi losses of its parts over the order, in units
 * of the ledger, rounded up; never more than its rho.  That rho, if order is not a number > 1, or there are no parts.
 * By the other rules what they say, nothing for a rho of 0, and unbounded without parts.
 */
extern DpsAmount dps_rho_at_order(double order, const DpsPastRelease *parts, size_t n, DpsAmount rho);

/* The same of what was spent: `before` by the order `former`.  By a rule that is not the former one, nothing or no bound. */
extern DpsAmount dps_spent_at_order(double order, const DpsCost *spent, double former, DpsAmount before);

#endif							/* DPS_ACCOUNT_AT_ORDER_H */
