/*
 * row_history.h
 *		What the rows of a relation have lost by all releases so far.
 *
 * Losses are recomputed from the history and the rows, not stored; only what a
 * row lost before it was changed is (frozen_loss in SQL).
 */
#ifndef DPS_LEDGER_ROW_HISTORY_H
#define DPS_LEDGER_ROW_HISTORY_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "account/amount.h"

typedef struct DpsRowHistory DpsRowHistory;

/* A unit's loss, in units of the ledger. */
typedef struct DpsUnitLoss
{
	DpsAmount	epsilon;		/* pure; unbounded if there is no pure DP */
	DpsAmount	rho;
	int64		releases;		/* that it took part in, or may have */
} DpsUnitLoss;

/* What the ledger knows of a unit whose row was changed, or that began late. */
typedef struct DpsFrozenLoss
{
	DpsAmount	epsilon;		/* by releases up to this one */
	DpsAmount	rho;
	int64		release;
	uint64		changed_by;		/* the transaction that changed it last; 0: one
								 * that everybody has seen */
} DpsFrozenLoss;

/*
 * Reads the releases about the relation up to the number `last`, as they are
 * committed now, and compiles what they say of rows, into a context below the
 * parent.  The relation is locked by the caller.
 */
extern DpsRowHistory *dps_row_history_load(Oid relation, int64 last, MemoryContext parent);
extern void dps_row_history_free(DpsRowHistory *history);

/* The number of the last release about the relation that is committed now, 0 if
 * there is none. */
extern int64 dps_row_history_number(Oid relation);

/* What a unit may have lost of which the ledger knows nothing, and which has no
 * row: its relation's rows may have been dropped with the relation. */
extern DpsUnitLoss dps_row_history_full(const DpsRowHistory *history);

/* What one row can have lost at most, whatever is in it. */
extern DpsUnitLoss dps_row_history_most(const DpsRowHistory *history);

/* A slot for rows of the relation. */
extern TupleTableSlot *dps_row_history_slot(DpsRowHistory *history);

/*
 * The loss of the unit whose row is in the slot, NULL if it has none; frozen is
 * NULL for a unit that the ledger knows nothing of.  No row makes it fail.
 */
extern void dps_row_history_measure(DpsRowHistory *history, TupleTableSlot *slot, const DpsFrozenLoss *frozen,
								DpsUnitLoss *loss);

#endif							/* DPS_LEDGER_ROW_HISTORY_H */
