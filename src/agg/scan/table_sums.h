/*
 * table_sums.h
 *		A scan that yields the exact states of a whole table.
 *
 * For the plain case, one table, the executor's way from a row to a state is
 * longer than the work on it: a slot, a projection, a call.  This custom scan
 * takes the rows' cells from the table's pages straight into the batches that
 * are evaluated.  Its answer is that of the aggregate over a sequential scan,
 * bit for bit.
 *
 * What the plan hands to the executor is custom_scan_tlist: the exact_groups
 * call, then a variable that names the table, then, where units are looked up
 * (unit_lookup.h), the column that refers to the rows of the plan below, then the
 * conditions, if any, as one expression.  Only there does the planner put in the
 * final numbers of range-table entries.  custom_private are the columns of the plan
 * below, if there is one, with its rows' keys and units.
 */
#ifndef DPS_AGG_SCAN_TABLE_SUMS_H
#define DPS_AGG_SCAN_TABLE_SUMS_H

#include "postgres.h"

#include "nodes/extensible.h"

#define DPS_TABLE_SUMS "dpsens exact sums"

/* How it is executed (table_sums.c); a state is a DpsTableSums. */
extern const CustomExecMethods dps_table_sums_methods;

/* Lets the planner use it; called when the library is preloaded. */
extern void dps_table_sums_init(void);

#endif							/* DPS_AGG_SCAN_TABLE_SUMS_H */
