/*
 * row_sums.h
 *		A node that yields the exact states of the rows of any plan.
 *
 * It takes the place of the server's aggregation, which calls a function for each
 * row: here a row's cells go from its slot straight into the batches that are
 * evaluated.  Its answer is that of the aggregate, bit for bit.
 *
 * In parallel each process yields the states of its rows.  Where not all rows of
 * a unit may count, it first puts its rows where all processes find them, and then yields
 * the states of some units (agg/unit/unit_store.h).  Where the plan cannot yield a second row
 * of any unit (single_rows.h), rows are not put anywhere.
 */
#ifndef DPS_AGG_SCAN_ROW_SUMS_H
#define DPS_AGG_SCAN_ROW_SUMS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#define DPS_ROW_SUMS "dpsens exact sums of rows"

/* A path that yields the relation's target, one state, from the rows of `rows`;
 * shares_units: it shares the rows of units with other processes. */
extern Path *dps_row_sums_path(RelOptInfo *rel, Path *rows, bool shares_units);

/* Lets workers use it; called when the library is preloaded. */
extern void dps_row_sums_init(void);

#endif							/* DPS_AGG_SCAN_ROW_SUMS_H */
