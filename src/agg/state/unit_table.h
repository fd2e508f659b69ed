/*
 * unit_table.h
 *		Rows of a partition, those of each unit together (units.c).
 */
#ifndef DPS_AGG_STATE_UNIT_TABLE_H
#define DPS_AGG_STATE_UNIT_TABLE_H

#include "postgres.h"

#include "agg/state/unit_choice.h"
#include "agg/unit/unit_store.h"

typedef struct DpsUnitTable
{
	DpsUnitChoice choice;		/* of one unit's rows */
	MemoryContext memory;
	DpsUnitEntry *entries;
	uint32		nentries;
	uint32		room;			/* for so many */
	uint32		enough;			/* more would take too much memory */
	uint32	   *first;			/* of each unit's entries, by the unit's hash */
	uint64		mask;
	int			shift;			/* to the bits that tell the place */
	uint64		places;			/* room for so many */
	uint64		nunits;
	uint64		at;				/* where the next unit is looked for */
} DpsUnitTable;

/* A table without rows, in the memory context; `limit` is the memory of its entries.
 * The caller sets the layout of the rows. */
extern void dps_unit_table_init(DpsUnitTable *table, const DpsUnitBounds *bounds, MemoryContext memory, Size limit);

/* Replaces all rows by those in these chunks, which must outlive them. */
extern void dps_unit_table_gather(DpsUnitTable *table, const DpsUnitChunk *chunk);

/* Keeps those rows of the next unit that may count; false if there is none any
 * more. */
extern bool dps_unit_table_next(DpsUnitTable *table);

#endif							/* DPS_AGG_STATE_UNIT_TABLE_H */
