/*
 * custom_scan.h
 *		What custom scans have in common that read the rows of one plan below.
 */
#ifndef DPS_AGG_SCAN_CUSTOM_SCAN_H
#define DPS_AGG_SCAN_CUSTOM_SCAN_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* Begins the plan below; call this first. */
extern void dps_scan_begin(CustomScanState *node, EState *estate, int eflags);

/* The plan below. */
extern PlanState *dps_scan_below(const CustomScanState *node);

/* The node's own slot, which holds a row now, as its plan wants it. */
extern TupleTableSlot *dps_scan_project(CustomScanState *node);

/* Stores a row of the same columns in the node's own slot, and returns that. */
extern TupleTableSlot *dps_scan_show(ScanState *node, TupleTableSlot *row);

/* EndCustomScan of a node that holds nothing else. */
extern void dps_scan_end(CustomScanState *node);

/* Where the columns lie in a stored row without NULLs, each -1 from the first on
 * that is not at the same place in all; to be freed. */
extern int *dps_scan_offsets(TupleDesc row);

/* Starts the plan below anew. */
extern void dps_scan_rescan(CustomScanState *node);

/* The expression without changes of type that change nothing else. */
extern const Expr *dps_strip_relabel(const Expr *expression);

#endif							/* DPS_AGG_SCAN_CUSTOM_SCAN_H */
