/*
 * custom_scan.c
 *		What custom scans have in common that read the rows of one plan below.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "executor/executor.h"

#include "agg/scan/custom_scan.h"

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
	/* otherwise it does so when it is first asked for a row */
	if (below->chgParam == NULL)
		ExecReScan(below);
	ExecScanReScan(&node->ss);
}

const Expr *
dps_strip_relabel(const Expr *expression)
{
	while (IsA(expression, RelabelType))
		expression = ((const RelabelType *) expression)->arg;
	return expression;
}
