/*
 * row_history.h
 *		What the rows of a relation have lost by all releases so far.
 *
 * Losses are not stored, but computed from the history and the rows.  Only what a row lost before it was
 * changed is stored (dpsens.frozen_loss), and what it lost by training (dpsens.training_loss).
 */
#ifndef DPS_LEDGER_ROWS_ROW_HISTORY_H
#define DPS_LEDGER_ROWS_ROW_HISTORY_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "account/amount.h"

typedef struct DpsRowHistory DpsRowHistory;

/* A unit's loss, in units of the ledger. */
typedef struct DpsUnitLoss
{
	DpsAmount	epsilon;		/* pure; unbounded if there is no pure DP */
	DpsAmount	rho;
	int64		releases;		/* in which it took part, or may have */
	double		susceptibility; /* of the row as it is, by the releases since its last change: the sum of the
								 * norms of its PLIS (definitions, section 3); 0 if slopes were not loaded */
} DpsUnitLoss;

/* The recorded loss of a unit whose row was changed, or that was inserted after row accounting began. */
typedef struct DpsFrozenLoss
{
	DpsAmount	epsilon;		/* losses by releases up to the number release */
	DpsAmount	rho;
	int64		release;
	uint64		changed_by;		/* the transaction that changed the row last; 0: visible to everybody */
} DpsFrozenLoss;

/*
 * Reads the releases about the relation up to the number `last`, as committed now, and compiles their
 * contributions, with_slopes for susceptibilities too, in a memory context below parent.  The caller has locked the relation.
 */
extern DpsRowHistory *dps_row_history_load(Oid relation, int64 last, bool with_slopes, MemoryContext parent);
extern void dps_row_history_free(DpsRowHistory *history);

/* The number of the last release about the relation that is committed now, 0 if
 * there is none. */
extern int64 dps_row_history_number(Oid relation);

/* What a unit without a frozen loss and without a row may have lost: its row may have been dropped with a
 * former relation. */
extern DpsUnitLoss dps_row_history_full(const DpsRowHistory *history);

/* The maximum loss of any row. */
extern DpsUnitLoss dps_row_history_most(const DpsRowHistory *history);

/* A slot for rows of the relation. */
extern TupleTableSlot *dps_row_history_slot(DpsRowHistory *history);

/* Can a unit have several rows? */
extern bool dps_row_history_has_units(const DpsRowHistory *history);

/*
 * The loss of the unit that has the row in the slot and no other; the slot is NULL if the unit has no row.  frozen
 * is NULL for a unit without a frozen loss.  Does not fail for any row.
 */
extern void dps_row_history_measure(DpsRowHistory *history, TupleTableSlot *slot, const DpsFrozenLoss *frozen,
								DpsUnitLoss *loss);

/* The same of a unit of several rows: begin, all its rows, if it has any, and end. */
extern void dps_row_history_begin_unit(DpsRowHistory *history);
extern void dps_row_history_add_row(DpsRowHistory *history, TupleTableSlot *slot);
extern void dps_row_history_end_unit(DpsRowHistory *history, const DpsFrozenLoss *frozen, DpsUnitLoss *loss);

#endif							/* DPS_LEDGER_ROWS_ROW_HISTORY_H */
