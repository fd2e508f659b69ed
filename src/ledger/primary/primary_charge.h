/*
 * primary_charge.h
 *		Charges of a standby, which its primary makes.
 *
 * A hot standby cannot write a ledger.  It sends the request to its primary, which decides on it and records
 * it as if a session of its own had asked, and replies when the charge is durable
 * (ledger/budget/sql_charge_for_standby.c).  So a budget is one, whoever answers.
 *
 * Precondition: the standby is in recovery.
 * Postcondition: the caller goes on only if the primary has said that this request was charged.  A request is
 * sent at most once.  If no reply comes, the statement fails: it may have been charged, and nothing was drawn.
 * What the statement was planned from was in force on the primary when it was charged (catalogs.h), and the
 * primary is the one whose log the standby replays: of the same cluster, database and timeline, and not
 * behind it.
 */
#ifndef DPS_LEDGER_PRIMARY_PRIMARY_CHARGE_H
#define DPS_LEDGER_PRIMARY_PRIMARY_CHARGE_H

#include "postgres.h"

#include "ledger/charge_answer.h"

/* Raises an error if this standby cannot ask its primary, before anything is done for a statement. */
extern void dps_primary_check(void);

/* Sends the request in the buffer to the primary, and waits for its answer at most dpsens.ledger_timeout. */
extern void dps_primary_submit(const char *request, Size length, DpsChargeAnswer *answer);

/* What must be the same in both libraries for a request to be understood. */
extern const char *dps_primary_build(void);

/* The statement's plan may not be in force any more: the message, detail and hint of it. */
#define DPS_STALE_CODE ERRCODE_T_R_SERIALIZATION_FAILURE
#define DPS_STALE_MESSAGE "the standby is not up to date with its primary"
#define DPS_STALE_DETAIL "A declaration, right or definition has changed that has not arrived yet, or arrived while the statement was planned.  Nothing was charged."
#define DPS_STALE_HINT "Try again in a moment, or ask the primary."

#endif							/* DPS_LEDGER_PRIMARY_PRIMARY_CHARGE_H */
