/*
 * unit_lookup.h
 *		The units of rows that refer to other rows, for a scan of exact states.
 *
 * If a query reads nothing of a second table but the units of the rows that the first
 * table's rows refer to, the second is read once, into a map from its keys to units
 * (unit_map.h), and the first page by page, as if it were the only one.
 */
#ifndef DPS_AGG_UNIT_UNIT_LOOKUP_H
#define DPS_AGG_UNIT_UNIT_LOOKUP_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

#include "agg/unit/unit_map.h"

/* A join of a table with the rows that its own refer to. */
typedef struct DpsUnitLookup
{
	RelOptInfo *table;
	RelOptInfo *referenced;
	Var		   *reference;		/* a column of the table, */
	Var		   *key;			/* which equals this one; it tells rows apart */
	Var		   *unit;			/* of these */
} DpsUnitLookup;

/* Finds it in a join whose rows the aggregate reads, which limits units; false if
 * it is another kind of join, or reads more of the second table. */
extern bool dps_find_unit_lookup(PlannerInfo *root, RelOptInfo *join, const Aggref *aggref, DpsUnitLookup *lookup);

/* A path of the referenced rows that such a scan may read whole, within what memory
 * a hash table may take; or NULL. */
extern Path *dps_unit_lookup_rows(const DpsUnitLookup *lookup, bool in_parallel);

/* All keys and units that the plan yields, in these columns. */
extern DpsUnitMap *dps_read_units(PlanState *rows, AttrNumber key, AttrNumber unit);

#endif							/* DPS_AGG_UNIT_UNIT_LOOKUP_H */
