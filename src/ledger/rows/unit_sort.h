/*
 * unit_sort.h
 *		The rows of a relation, unit by unit.
 */
#ifndef DPS_LEDGER_ROWS_UNIT_SORT_H
#define DPS_LEDGER_ROWS_UNIT_SORT_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "ledger/rows/unit.h"

typedef struct DpsUnitSort DpsUnitSort;

/* For rows of this descriptor, in CurrentMemoryContext.  The key is one of dps_unit_key_is_stable. */
extern DpsUnitSort *dps_unit_sort_begin(TupleDesc descriptor, DpsAccountKey *key);

/* Takes a row, which has a unit. */
extern void dps_unit_sort_put(DpsUnitSort *sort, TupleTableSlot *row);

/* After the last row. */
extern void dps_unit_sort_perform(DpsUnitSort *sort);

/* Goes on to the next unit, in the order of strcmp: its text, valid until the next call; NULL if there is none. */
extern const char *dps_unit_sort_next_unit(DpsUnitSort *sort);

/* The next row of this unit, valid until the next call; NULL if there is none. */
extern TupleTableSlot *dps_unit_sort_next_row(DpsUnitSort *sort);

extern void dps_unit_sort_end(DpsUnitSort *sort);

#endif							/* DPS_LEDGER_ROWS_UNIT_SORT_H */
