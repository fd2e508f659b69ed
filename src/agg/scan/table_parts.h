/*
 * table_parts.h
 *		The tables whose rows are those of a relation: its partitions, its
 *		children, or what the queries of a UNION ALL read.
 */
#ifndef DPS_AGG_SCAN_TABLE_PARTS_H
#define DPS_AGG_SCAN_TABLE_PARTS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

typedef struct DpsTablePart
{
	RelOptInfo *table;
	List	   *expressions;	/* those of the relation, about the table's rows */
} DpsTablePart;

/* A list of DpsTablePart *, without tables of which it is known that no row is
 * wanted; NIL if the relation has no parts. */
extern List *dps_table_parts(PlannerInfo *root, const RelOptInfo *rel, List *expressions);

/* How many workers read the parts, if one of them by itself is worth `workers`: as
 * many as the server's own scan of them would have. */
extern int	dps_part_workers(int nparts, int workers);

#endif							/* DPS_AGG_SCAN_TABLE_PARTS_H */
