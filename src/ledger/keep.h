/*
 * keep.h
 *		Who may write the ledger's tables.
 */
#ifndef DPS_LEDGER_KEEP_H
#define DPS_LEDGER_KEEP_H

#include "postgres.h"

/* Lets this process write what was spent, and its history; returns what was
 * the case before.  The worker is let for good, others while they set right
 * what a restore brought. */
extern bool dps_ledger_let_write(bool let);

#endif							/* DPS_LEDGER_KEEP_H */
