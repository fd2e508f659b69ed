/*
 * custom_scan.c
 *		What custom scans have in common.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "nodes/makefuncs.h"

#include "agg/scan/custom_scan.h"

Node *
dps_scan_state(CustomScan *plan)
{
	const DpsScanNode *node = (const DpsScanNode *) plan->methods;
	CustomScanState *state = (CustomScanState *) newNode(node->state_size, T_CustomScanState);

	state->methods = node->exec;
	return (Node *) state;
}

void
dps_scan_register(const DpsScanNode *node)
{
	RegisterCustomScanMethods(&node->scan);
}

CustomPath *
dps_scan_path(const DpsScanNode *node, RelOptInfo *rel)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->methods = &node->path;
	return path;
}

CustomScan *
dps_scan_plan(const CustomPath *path, List *target, List *children)
{
	CustomScan *plan = makeNode(CustomScan);
	const DpsScanNode *node = (const DpsScanNode *) ((const char *) path->methods - offsetof(DpsScanNode, path));

	plan->scan.plan.targetlist = target;
	plan->custom_plans = children;
	plan->flags = path->flags;
	plan->methods = &node->scan;
	return plan;
}

void
dps_scan_add_entry(CustomScan *plan, Expr *expression)
{
	int			number = list_length(plan->custom_scan_tlist) + 1;

	plan->custom_scan_tlist = lappend(plan->custom_scan_tlist, makeTargetEntry(expression, number, NULL, false));
}

void
dps_scan_begin(CustomScanState *node, EState *estate, int eflags)
{
	const CustomScan *plan = (const CustomScan *) node->ss.ps.plan;

	node->custom_ps = list_make1(ExecInitNode(linitial(plan->custom_plans), estate, eflags));
}

PlanState *
dps_scan_below(const CustomScanState *node)
{
	return linitial(node->custom_ps);
}

TupleTableSlot *
dps_scan_project(CustomScanState *node)
{
	ExprContext *context = node->ss.ps.ps_ExprContext;

	if (node->ss.ps.ps_ProjInfo == NULL)
		return node->ss.ss_ScanTupleSlot;
	ResetExprContext(context);
	context->ecxt_scantuple = node->ss.ss_ScanTupleSlot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

TupleTableSlot *
dps_scan_yield(CustomScanState *node, int column, Datum value, bool isnull)
{
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	slot->tts_values[column] = value;
	slot->tts_isnull[column] = isnull;
	ExecStoreVirtualTuple(slot);
	return dps_scan_project(node);
}

static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	(void) node;
	(void) slot;
	return true;
}

TupleTableSlot *
dps_scan_filter(CustomScanState *node, ExecScanAccessMtd next_row)
{
	return ExecScan(&node->ss, next_row, recheck_row);
}

TupleTableSlot *
dps_scan_show(ScanState *node, TupleTableSlot *row)
{
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int			natts = slot->tts_tupleDescriptor->natts;

	ExecClearTuple(slot);
	slot_getallattrs(row);
	memcpy(slot->tts_values, row->tts_values, sizeof(Datum) * natts);
	memcpy(slot->tts_isnull, row->tts_isnull, sizeof(bool) * natts);
	return ExecStoreVirtualTuple(slot);
}

int *
dps_scan_offsets(TupleDesc row)
{
	int		   *offsets = palloc(sizeof(int) * Max(row->natts, 1));
	int			offset = 0;
	int			i;

	for (i = 0; i < row->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(row, i);

		if (offset >= 0)
			offset = att_align_nominal(offset, attribute->attalign);
		offsets[i] = attribute->attlen > 0 ? offset : -1;
		offset = offset >= 0 && attribute->attlen > 0 ? offset + attribute->attlen : -1;
	}
	return offsets;
}

void
dps_scan_end(CustomScanState *node)
{
	ExecEndNode(dps_scan_below(node));
}

void
dps_scan_rescan(CustomScanState *node)
{
	PlanState  *below = dps_scan_below(node);

	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(below, node->ss.ps.chgParam);
	/* otherwise the plan below rescans when it is first asked for a row */
	if (below->chgParam == NULL)
		ExecReScan(below);
	ExecScanReScan(&node->ss);
}
