/*
 * refusals.h
 *		The log of statements that were refused.
 */
#ifndef DPS_LEDGER_CHARGE_REFUSALS_H
#define DPS_LEDGER_CHARGE_REFUSALS_H

#include "postgres.h"

#include "ledger/charge/charge_request.h"

/* ---- the worker ---- */

/* Writes what the answer refuses to the request, or a refusal that the request tells of.  Inside SPI. */
extern void dps_refusals_write(const DpsCharge *request, const DpsChargeAnswer *answer);

#endif							/* DPS_LEDGER_CHARGE_REFUSALS_H */
