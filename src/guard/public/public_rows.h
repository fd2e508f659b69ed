/*
 * public_rows.h
 *		A plan node that keeps the rows of a relation that is not protected.
 */
#ifndef DPS_GUARD_PUBLIC_PUBLIC_ROWS_H
#define DPS_GUARD_PUBLIC_PUBLIC_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

/* A path that reads and keeps the rows of a plain table, at the cost of `scan`, a scan of the table. */
extern Path *dps_public_rows_path(RelOptInfo *rel, const Path *scan);

/* Reads the relations of all such nodes of an execution that have not been read yet. */
extern void dps_read_public_rows(const EState *estate);

/* Registers the node; called by dps_private_plan_init. */
extern void dps_public_rows_init(void);

#endif							/* DPS_GUARD_PUBLIC_PUBLIC_ROWS_H */
