/*
 * units.h
 *		Which rows of a unit count, without sorting the table.
 *
 * A unit may have rows that do not count: more than so many in all, in a group,
 * or in more than so many groups.  Rows are kept apart by their units' hash until
 * all are there; then those of each unit are looked at, and those that count are
 * added up.  Which ones they are: unit_choice.c.
 */
#ifndef DPS_AGG_STATE_UNITS_H
#define DPS_AGG_STATE_UNITS_H

#include "postgres.h"

#include "agg/unit/unit_image.h"
#include "agg/unit/unit_store.h"

struct DpsGroupSums;

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

/* The most rows of a unit that are kept at once, and the most filters of a row. */
#define DPS_MAX_KEPT_ROWS 1024
#define DPS_MAX_UNIT_FILTERS 32

/* Can rows of units of this type be kept within these limits? */
extern bool dps_unit_bounds_fit(const DpsUnitBounds *bounds);

typedef struct DpsUnits DpsUnits;

/* Units for rows of the groups, with so many bytes of memory before files are written;
 * in the current memory context. */
extern DpsUnits *dps_units_make(struct DpsGroupSums *groups, Size memory);

/* Takes the row at place nrows of the groups, which stays free. */
extern void dps_units_add(DpsUnits *units, Datum unit, uint32 group);

/* Units for rows of a plan, instead of groups; layout must outlive them.  Rows of units
 * that are not NULL are added; after the last one, those that count are returned one by
 * one, each valid until the next. */
extern DpsUnits *dps_units_make_images(const DpsImageLayout *layout, const DpsUnitBounds *bounds, Size memory);
extern void dps_units_add_image(DpsUnits *units, Datum unit, DpsImageRow *columns);
extern void dps_units_end_images(DpsUnits *units);
extern bool dps_units_next_image(DpsUnits *units, DpsImageRow *columns);

/* Is the row that was returned last the first of its unit in its group? */
extern bool dps_is_first_image(const DpsUnits *units);

/* Adds the rows that count to the groups; then there are none any more.  Where
 * units are shared, these are some of the rows of all that take part. */
extern void dps_units_finish(DpsUnits *units);

/* Forgets all rows. */
extern void dps_units_reset(DpsUnits *units);

/* Gives all memory back; there must be no rows. */
extern void dps_units_free(DpsUnits *units);

/* Prepares what the processes of a parallel plan share, for units like these
 * (agg/unit/unit_store.h says how much memory it takes). */
extern void dps_units_share(const DpsUnits *units, DpsSharedUnits *shared, int participants, dsm_segment *segment);

/* Takes part, with memory in the area; called without rows.  A process that takes part
 * must finish, and must not yield a row before.  False if all rows have been read, and
 * none may be added. */
extern bool dps_units_join(DpsUnits *units, DpsSharedUnits *shared, dsa_area *area);

#endif							/* DPS_AGG_STATE_UNITS_H */
