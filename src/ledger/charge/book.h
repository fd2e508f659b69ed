/*
 * book.h
 *		The bookkeeping: budgets, purses and the history of releases.
 */
#ifndef DPS_LEDGER_BOOK_H
#define DPS_LEDGER_BOOK_H

#include "postgres.h"

#include "ledger/charge/charge_request.h"

/*
 * Decides on each request in turn and records those that it admits, inside the
 * caller's transaction: answers hold once that has been committed.  Only in the
 * ledger's worker, with is_first until it has returned true, which says that there is a ledger
 * here, and that was committed.
 */
extern bool dps_book_record(DpsCharge **requests, DpsChargeAnswer *answers, int n, bool is_first);

#endif							/* DPS_LEDGER_BOOK_H */
