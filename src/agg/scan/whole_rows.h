/*
 * whole_rows.h
 *		Scans that yield rows as they lie, with all their columns.
 *
 * The server lets its own aggregation read such rows, but has scans below a custom
 * node pick out the columns that are asked for, row by row, which costs more than
 * the reading.
 */
#ifndef DPS_AGG_SCAN_WHOLE_ROWS_H
#define DPS_AGG_SCAN_WHOLE_ROWS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* Makes a plan yield whole rows if it is such a scan, or an append of scans of relations
 * of one shape: then its target list is replaced by one that contains the old one.
 * To be called before anything refers to the target list. */
extern void dps_keep_rows_whole(PlannerInfo *root, Plan *plan);

#endif							/* DPS_AGG_SCAN_WHOLE_ROWS_H */
