/*
 * unit_tally.h
 *		How far the rows of one unit can have moved a sum, or a number of rows, if a limited
 *		number of them counted: for dpsens.row_loss and accounts of rows.
 */
#ifndef DPS_LEDGER_ROWS_UNIT_TALLY_H
#define DPS_LEDGER_ROWS_UNIT_TALLY_H

#include "postgres.h"

typedef struct DpsUnitTally DpsUnitTally;

/* How many rows of a unit count, as the statement and the declarations of its time said. */
typedef struct DpsCountingRows
{
	int32		rows;			/* at most, in all */
	int32		in_group;		/* at most, in a group */
	bool		spreads;		/* they can be in several groups */
} DpsCountingRows;

/* An empty tally, in CurrentMemoryContext, which grows there. */
extern DpsUnitTally *dps_unit_tally_make(const DpsCountingRows *counting);

extern void dps_unit_tally_clear(DpsUnitTally *tally);

/* A row of the unit that may have counted, and would have added q. */
extern void dps_unit_tally_add(DpsUnitTally *tally, int64 q);

/* How far the unit's coming or going moves the sums of q of all groups, in the norm 1 or 2. */
extern uint64 dps_unit_tally_move(DpsUnitTally *tally, int norm);

/* The same for the numbers of rows, of which each is so many units. */
extern uint64 dps_unit_tally_rows(const DpsUnitTally *tally, int norm, uint64 unit);

/* How far the sum moves if other rows take the place of the unit's, whose q are between lo and hi.  Not
 * where they spread. */
extern uint64 dps_unit_tally_replace(DpsUnitTally *tally, int64 lo, int64 hi);

#endif							/* DPS_LEDGER_ROWS_UNIT_TALLY_H */
