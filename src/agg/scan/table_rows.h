/*
 * table_rows.h
 *		The rows of a table on their way into batches: what the scan of a table's
 *		exact states (table_sums.h) is made of.
 */
#ifndef DPS_AGG_SCAN_TABLE_ROWS_H
#define DPS_AGG_SCAN_TABLE_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/dsa.h"

#include "agg/scan/heap_rows.h"
#include "agg/state/groups.h"
#include "agg/unit/unit_map.h"

typedef struct DpsTableColumn
{
	AttrNumber	number;			/* 0: an expression */
	ExprState  *expression;
	Oid			type;			/* as its cell has it */
	int			offset;			/* in a row without NULLs; -1: not fixed */
	int16		length;
	bool		byval;
} DpsTableColumn;

typedef struct DpsTableSums
{
	CustomScanState css;
	Relation	table;
	TableScanDesc scan;			/* NULL: not begun */
	DpsHeapRows rows;			/* of the page that it is at */
	Expr	   *condition;		/* of all rows, or NULL */
	ExprState  *condition_state;
	TupleTableSlot *row;
	DpsGroupSums groups;
	DpsTableColumn unit;		/* where units are limited: the unit, or a reference */
	DpsUnitMap *looked_up;		/* the units by their references; NULL: not read yet */
	DpsTableColumn *keys;
	DpsTableColumn *cells;
	ExprState **filters;
	AttrNumber	first;			/* the least column number that is read */
	AttrNumber	last;			/* the greatest */
	AttrNumber	from;			/* from which column on rows without NULLs are read */
	int			from_offset;	/* where it is */
	Datum	   *values;			/* of the columns of one row */
	bool	   *isnull;
	bool		is_stored;		/* all that is read are columns */
	bool		is_fixed;		/* all that is read is at a fixed place */
	bool		by_column;		/* rows of a page are read column by column */
	bool		expects_units;	/* looks ahead on a page */
	bool		done;
	dsa_pointer shared_map;		/* of a worker; or invalid */
	DpsSharedUnits *shared_units;	/* in parallel, or NULL */
} DpsTableSums;

/* Adds all rows of the scan, which has begun and whose looked_up is read if it is
 * wanted, to the groups. */
extern void dps_read_table_rows(DpsTableSums *sums);

#endif							/* DPS_AGG_SCAN_TABLE_ROWS_H */
