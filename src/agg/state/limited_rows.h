/*
 * limited_rows.h
 *		Functions that queries call which limit the rows of units (guard/trace/unit_rows.c):
 *		dpsens_internal.exact_cell(plan, value), exact_number(plan, keys) and
 *		unit_order(columns).
 */
#ifndef DPS_AGG_STATE_LIMITED_ROWS_H
#define DPS_AGG_STATE_LIMITED_ROWS_H

#include "postgres.h"

#include "glue/import/cell.h"

#define DPS_CELL_VERSION 0x0801

/* The plan of exact_cell.  That of exact_number is a DpsGroupsPlan without states. */
typedef struct DpsCellPlan
{
	int32		vl_len_;
	uint32		version;
	DpsCell		cell;
} DpsCellPlan;

/* In CurrentMemoryContext. */
extern DpsCellPlan *dps_cell_plan(const DpsCell *cell);

#endif							/* DPS_AGG_STATE_LIMITED_ROWS_H */
