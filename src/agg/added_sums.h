/*
 * added_sums.h
 *		A node that adds up the exact states of parallel workers.
 *
 * The nodes that make states (row_sums.h, table_sums.h) yield one block in each
 * process, and this one adds them.  It needs no combine function, which an
 * aggregate that chooses among the rows of a unit cannot have: its state is no sum
 * before all rows of a unit are in one place, where those nodes bring them.
 */
#ifndef DPS_AGG_ADDED_SUMS_H
#define DPS_AGG_ADDED_SUMS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#define DPS_ADDED_SUMS "dpsens sums of workers"

/* A path of the relation that adds up what this one yields, which is the
 * relation's target, one state, once for each process. */
extern Path *dps_added_sums_path(RelOptInfo *rel, Path *parts);

/* Lets workers use it; called when the library is preloaded. */
extern void dps_added_sums_init(void);

#endif							/* DPS_AGG_ADDED_SUMS_H */
