/*
 * chosen_rows.h
 *		A node that yields the rows of a subquery that count.
 *
 * Where states are not one block (groups.h), they are made of rows by the server's
 * own aggregation.  Of the rows of a unit those that count are then chosen below
 * it, as an aggregate of a block chooses them (units.h).  Rows of a plan that yields
 * none twice (single_rows.h) pass as they come.
 *
 * The query says
 *
 *		FROM (SELECT ... OFFSET 0) rows WHERE dpsens_internal.exact_rows(plan, unit, first, column, ...)
 *
 * and the planner is offered nothing but this node for these rows: a plan without
 * it fails, as the function does.
 */
#ifndef DPS_AGG_SCAN_CHOSEN_ROWS_H
#define DPS_AGG_SCAN_CHOSEN_ROWS_H

#include "postgres.h"

#include "agg/state/units.h"

#define DPS_CHOSEN_ROWS "dpsens rows that count"
#define DPS_CHOSEN_ROWS_VERSION 0x0601

/* The function's first argument.  first is a column that the node sets true in one
 * row of each unit in each group, or NULL.  Of the columns that follow, which rows
 * are ordered by, the first are the keys that they are grouped by. */
typedef struct DpsChosenRows
{
	int32		vl_len_;
	uint32		version;
	DpsUnitBounds bounds;
	int32		nkeys;
	int32		reserved;		/* 0 */
} DpsChosenRows;

/* Can rows be grouped by the bytes of a key of this type? */
extern bool dps_is_byte_key(Oid type, Oid collation);

/* Lets the planner use it; called when the library is preloaded. */
extern void dps_chosen_rows_init(void);

#endif							/* DPS_AGG_SCAN_CHOSEN_ROWS_H */
