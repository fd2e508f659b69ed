/*
 * added_sums.h
 *		A node that adds up the exact states of parallel workers.
 *
 * An aggregate that chooses among the rows of a unit has no combine function: its
 * state is no sum before all rows of a unit are in one place.  The scans that
 * bring them there (table_sums.h) yield sums that can be added, one for each
 * process, and this node adds them.
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
