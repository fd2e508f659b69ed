/*
 * spent_units.h
 *		Which units of several rows are left out of an answer, by dpsens.set_budget(row_epsilon, row_rho).
 */
#ifndef DPS_LEDGER_ROWS_SPENT_UNITS_H
#define DPS_LEDGER_ROWS_SPENT_UNITS_H

#include "postgres.h"

#include "utils/snapshot.h"

#include "ledger/rows/frozen.h"
#include "ledger/rows/row_accounts.h"
#include "ledger/rows/unit.h"

typedef struct DpsSpentUnits DpsSpentUnits;

/* Is a loss within the caps? */
typedef bool (*DpsLossFits) (const DpsRowCaps *caps, const DpsUnitLoss *loss);

/* What is known of the units of a relation. */
typedef struct DpsUnitAccounts
{
	Oid			relation;		/* which the caller has locked */
	DpsRowCaps	caps;
	DpsRowHistory *history;
	DpsAccountKey *key;
	DpsFrozenUnits *frozen;
} DpsUnitAccounts;

/* The units, in CurrentMemoryContext, whose loss does not fit: by all their rows that the snapshot sees, and what was
 * frozen.  Raises no error that depends on a row. */
extern DpsSpentUnits *dps_spent_units_find(const DpsUnitAccounts *accounts, Snapshot snapshot, DpsLossFits fits);

/* Is it one of them?  By its text. */
extern bool dps_spent_units_have(const DpsSpentUnits *units, const char *unit);

#endif							/* DPS_LEDGER_ROWS_SPENT_UNITS_H */
