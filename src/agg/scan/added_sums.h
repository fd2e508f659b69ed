/*
 * added_sums.h
 *		A node that adds up exact states, each of some of the rows.
 *
 * Scans (table_sums.h, row_sums.h) yield them, one for each worker or for each of
 * the tables that a relation consists of.  An aggregate that chooses among the
 * rows of a unit has no combine function, since its state is no sum before all
 * rows of a unit are in one place; the scans bring them there.
 */
#ifndef DPS_AGG_SCAN_ADDED_SUMS_H
#define DPS_AGG_SCAN_ADDED_SUMS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#define DPS_ADDED_SUMS "dpsens added sums"

/* A path that adds up the rows of `parts`: any number of them, each the relation's
 * target, one state. */
extern Path *dps_added_sums_path(RelOptInfo *rel, Path *parts);

/* Lets workers use it; called when the library is preloaded. */
extern void dps_added_sums_init(void);

#endif							/* DPS_AGG_SCAN_ADDED_SUMS_H */
