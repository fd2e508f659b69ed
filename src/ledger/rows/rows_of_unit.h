/*
 * rows_of_unit.h
 *		The rows of one unit, as they were before this transaction.
 */
#ifndef DPS_LEDGER_ROWS_ROWS_OF_UNIT_H
#define DPS_LEDGER_ROWS_ROWS_OF_UNIT_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/relcache.h"

/* What is done with each row. */
typedef void (*DpsUnitRow) (void *context, TupleTableSlot *row);

/*
 * Calls the function with each row of the unit of the row in `of`, none of whose unit's columns is NULL: those that are
 * committed now, and were not written by this transaction.  The rows come in `slot`, which is one of heap tuples.
 */
extern void dps_rows_of_unit(Relation relation, TupleTableSlot *of, TupleTableSlot *slot, DpsUnitRow function, void *context);

#endif							/* DPS_LEDGER_ROWS_ROWS_OF_UNIT_H */
