/*
 * unit_choice.h
 *		Which rows of a unit count (units.c).
 */
#ifndef DPS_AGG_STATE_UNIT_CHOICE_H
#define DPS_AGG_STATE_UNIT_CHOICE_H

#include "postgres.h"

#include "agg/state/units.h"
#include "agg/unit/unit_row.h"

/*
 * A row that is looked at.  The rows of a unit are a list: each entry holds the number of
 * the next one, from 1 on, where its place in the order will be; the last one holds 0.
 */
typedef struct DpsUnitEntry
{
	const uint32 *row;
	uint64		order;
} DpsUnitEntry;

typedef struct DpsUnitChoice
{
	DpsUnitRowLayout layout;	/* of the rows */
	DpsUnitBounds bounds;
	uint32		harmless;		/* so many rows of a unit count whatever they are */
	uint32		nkept;
	DpsUnitEntry *kept[DPS_MAX_KEPT_ROWS + 1];
} DpsUnitChoice;

/* No row is kept; the caller sets the layout. */
extern void dps_unit_choice_init(DpsUnitChoice *choice, const DpsUnitBounds *bounds);

/* Keeps those rows of a unit, from the entry of this number on, that may count
 * whatever further rows it has.  The entries are no longer a list then. */
extern void dps_keep_rows(DpsUnitChoice *choice, DpsUnitEntry *entries, uint64 first);

/* Of the rows that are kept, leaves those that count: there are no others. */
extern void dps_choose_rows(DpsUnitChoice *choice);

/* Is the row at this place of those that are kept the first of its group? */
extern bool dps_is_first_of_group(const DpsUnitChoice *choice, uint32 place);

#endif							/* DPS_AGG_STATE_UNIT_CHOICE_H */
