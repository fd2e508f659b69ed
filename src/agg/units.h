/*
 * units.h
 *		Which rows of a unit count, without sorting the table.
 *
 * A unit may have rows that do not count: more than so many in all, in a group,
 * or in more than so many groups.  The rows of each unit that may still count
 * are kept in a hash table of units, and what is left in the end is added up.
 * Which ones they are: guard/unit_rows.c.
 */
#ifndef DPS_AGG_UNITS_H
#define DPS_AGG_UNITS_H

#include "postgres.h"

struct DpsGroups;

/* Limits of the rows of a unit. */
typedef struct DpsUnitBounds
{
	Oid			type;			/* of the unit; InvalidOid: no limits */
	Oid			collation;
	int32		rows;			/* in all */
	int32		rows_per_group;
	int32		groups;			/* 0: as many as rows */
	int32		reserved;		/* 0 */
} DpsUnitBounds;

/* Rows of a unit that are kept at once, at most; filters of a row. */
#define DPS_MAX_KEPT_ROWS 128
#define DPS_MAX_UNIT_FILTERS 32

/* Can rows of units of this type be kept within these limits? */
extern bool dps_unit_bounds_fit(const DpsUnitBounds *bounds);

typedef struct DpsUnits DpsUnits;

/* For rows of the groups, with memory for so many bytes before it writes files;
 * in the current memory context. */
extern DpsUnits *dps_units_make(struct DpsGroups *groups, Size memory);

/* Takes the row at place nrows of the groups, which stays free. */
extern void dps_units_add(DpsUnits *units, Datum unit, uint32 group);

/* Adds the rows that count to the groups; then there are none any more. */
extern void dps_units_finish(DpsUnits *units);

/* Forgets all rows. */
extern void dps_units_reset(DpsUnits *units);

#endif							/* DPS_AGG_UNITS_H */
