/*
 * failures.h
 *		Statements of each role that failed while clean rooms read rows for them.
 *
 * Such a failure can depend on a row, and says so in one bit; so they are counted, and a
 * role that has had dpsens.max_failures of them gets no private answers until an
 * administrator has looked at the reasons, which are in the server's log.
 *
 * The worker alone counts, and others only set right whose counts they are; so what it has
 * read is true until it writes, or is told of that.
 */
#ifndef DPS_LEDGER_FAILURES_H
#define DPS_LEDGER_FAILURES_H

#include "postgres.h"

#include "ledger/charge/charge_request.h"

/* ---- the worker; within SPI ---- */

/* Has the role had too many for this charge?  Then the answer says so. */
extern bool dps_failures_refuse(const DpsCharge *charge, DpsChargeAnswer *answer);

/* Counts one, or forgets all of a role. */
extern void dps_failures_write(const DpsCharge *request);

/* ---- who has changed roles or names in the table ---- */

extern void dps_failures_changed(void);

#endif							/* DPS_LEDGER_FAILURES_H */
