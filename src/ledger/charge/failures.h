/*
 * failures.h
 *		Statements of each role that failed while clean rooms read rows for them.
 *
 * Whether a statement fails can depend on a row, so each failure reveals one bit.  So failures are
 * counted.  A role with dpsens.max_failures of them gets no private answers until an administrator has
 * looked at the reasons, which are in the server's log.
 *
 * Only the worker changes counts; other processes change only the role of a count.  So what the worker has
 * read stays valid until it writes, or until an invalidation arrives.
 */
#ifndef DPS_LEDGER_CHARGE_FAILURES_H
#define DPS_LEDGER_CHARGE_FAILURES_H

#include "postgres.h"

#include "ledger/charge/charge_request.h"

/* ---- the worker; within SPI ---- */

/* Has the role had too many failures for this charge?  Then fills the answer with the refusal. */
extern bool dps_failures_refuse(const DpsCharge *charge, DpsChargeAnswer *answer);

/* Counts a failure of a role, or deletes all of its failures. */
extern void dps_failures_write(const DpsCharge *request);

/* Has the counts read anew: for the worker's callback of invalidations. */
extern void dps_failures_forget(void);

/* ---- processes that have changed roles or names in the table ---- */

extern void dps_failures_changed(void);

#endif							/* DPS_LEDGER_CHARGE_FAILURES_H */
