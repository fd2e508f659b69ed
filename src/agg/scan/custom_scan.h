/*
 * custom_scan.h
 *		What custom scans have in common: how the server comes to know them, and the
 *		steps of those that read the rows of one plan below.
 */
#ifndef DPS_AGG_SCAN_CUSTOM_SCAN_H
#define DPS_AGG_SCAN_CUSTOM_SCAN_H

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/extensible.h"

/*
 * A kind of custom scan.  The server keeps three tables of functions for each, of its
 * paths, plans and executions, and finds them by name in workers.  The scan's own
 * functions are make_plan, which calls dps_scan_plan, and those of exec.
 */
typedef struct DpsScanNode
{
	CustomScanMethods scan;		/* the first: the plan is told by it */
	CustomPathMethods path;
	const CustomExecMethods *exec;
	Size		state_size;
} DpsScanNode;

/* The constant that describes a kind, of which State begins with a CustomScanState. */
#define DPS_SCAN_NODE(name, State, make_plan, exec) \
	{{.CustomName = name, .CreateCustomScanState = dps_scan_state}, \
		{.CustomName = name, .PlanCustomPath = make_plan}, exec, sizeof(State)}

/* The state of an execution, zeros but for what the server asks for. */
extern Node *dps_scan_state(CustomScan *plan);

/* Makes a kind known; called when the library is preloaded. */
extern void dps_scan_register(const DpsScanNode *node);

/* A path that yields what rel does, without rows and costs. */
extern CustomPath *dps_scan_path(const DpsScanNode *node, RelOptInfo *rel);

/* The plan of a path, with the plans below. */
extern CustomScan *dps_scan_plan(const CustomPath *path, List *target, List *children);

/* Adds a column to custom_scan_tlist. */
extern void dps_scan_add_entry(CustomScan *plan, Expr *expression);

/* Begins the plan below; call this first. */
extern void dps_scan_begin(CustomScanState *node, EState *estate, int eflags);

/* The plan below. */
extern PlanState *dps_scan_below(const CustomScanState *node);

/* The row in the node's own slot, projected as its plan wants it. */
extern TupleTableSlot *dps_scan_project(CustomScanState *node);

/* Stores a row that has one value and otherwise NULLs in the node's own slot, and projects
 * it. */
extern TupleTableSlot *dps_scan_yield(CustomScanState *node, int column, Datum value, bool isnull);

/* ExecCustomScan of a node that filters what next_row yields; nothing is locked. */
extern TupleTableSlot *dps_scan_filter(CustomScanState *node, ExecScanAccessMtd next_row);

/* Stores a row of the same columns in the node's own slot, and returns that. */
extern TupleTableSlot *dps_scan_show(ScanState *node, TupleTableSlot *row);

/* EndCustomScan of a node that holds nothing else. */
extern void dps_scan_end(CustomScanState *node);

/* The offsets of the columns in a stored row without NULLs; -1 from the first column
 * on whose offset differs between rows.  To be freed by the caller. */
extern int *dps_scan_offsets(TupleDesc row);

/* Starts the plan below anew. */
extern void dps_scan_rescan(CustomScanState *node);

#endif							/* DPS_AGG_SCAN_CUSTOM_SCAN_H */
