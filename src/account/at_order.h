/*
 * at_order.h
 *		The rho of releases at one Renyi order.
 */
#ifndef DPS_ACCOUNT_AT_ORDER_H
#define DPS_ACCOUNT_AT_ORDER_H

#include <stddef.h>

#include "account/amount.h"
#include "account/history.h"

/*
 * What a release costs of a budget that counts at this order: the Renyi losses of its parts over the order, in units
 * of the ledger, rounded up; never more than its rho.  That rho, if order is not a number > 1, or there are no parts.
 */
extern DpsAmount dps_rho_at_order(double order, const DpsPastRelease *parts, size_t n, DpsAmount rho);

#endif							/* DPS_ACCOUNT_AT_ORDER_H */
