/*
 * book.h
 *		The bookkeeping: budgets, purses and the history of releases.
 */
#ifndef DPS_LEDGER_CHARGE_BOOK_H
#define DPS_LEDGER_CHARGE_BOOK_H

#include "postgres.h"

#include "ledger/charge/charge_request.h"

/*
 * Decides on each request in turn, and records those that it admits, in the caller's transaction.  The
 * answers hold once the transaction is committed.  Only to be called in the ledger's worker.  Returns
 * whether there is a ledger here.  is_first must be true until a call has returned true and was committed.
 */
extern bool dps_book_record(DpsCharge **requests, DpsChargeAnswer *answers, int n, bool is_first);

/* Seals some of what is not sealed yet; may there be more?  To be called in a transaction with a snapshot. */
extern bool dps_book_seal(void);

#endif							/* DPS_LEDGER_CHARGE_BOOK_H */
