/*
 * row_sums.c
 *		A node that yields the exact states of the rows of a parallel plan, where
 *		not all rows of a unit count.
 *
 * What the plan hands to the executor: custom_exprs are the aggregate's arguments
 * after its plan, about the rows of the plan below; custom_scan_tlist holds the
 * columns of these rows and, last, the aggregate.
 *
 * Nothing here raises because of what a cell holds.
 */
#include "postgres.h"

#include <math.h>

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "agg/groups.h"
#include "agg/row_sums.h"
#include "agg/scan.h"
#include "glue/compat.h"

typedef struct RowSums
{
	CustomScanState css;
	DpsGroupSums groups;
	ExprState **arguments;		/* the unit, the keys, the cells, the filters */
	DpsSharedUnits *shared_units;	/* or NULL */
	bool		done;
} RowSums;

/* ---- beginning ---- */

/* About the rows of the plan below, not about what the node takes for what it
 * scans: states. */
static ExprState *
begin_argument(RowSums *sums, Expr *argument)
{
	PlanState  *node = &sums->css.ss.ps;
	PlanState	kept = *node;
	ExprState  *state;

	node->scandesc = ExecGetResultType(dps_scan_below(&sums->css));
	node->scanops = NULL;
	node->scanopsfixed = false;
	node->scanopsset = true;
	state = ExecInitExpr(argument, node);
	node->scandesc = kept.scandesc;
	node->scanops = kept.scanops;
	node->scanopsfixed = kept.scanopsfixed;
	node->scanopsset = kept.scanopsset;
	return state;
}

static void
begin_groups(RowSums *sums, const CustomScan *scan)
{
	const Aggref *aggref = castNode(Aggref, llast_node(TargetEntry, scan->custom_scan_tlist)->expr);
	const Const *constant = castNode(Const, linitial_node(TargetEntry, aggref->args)->expr);
	const DpsGroupsPlan *plan = (const DpsGroupsPlan *) PG_DETOAST_DATUM(constant->constvalue);
	int			n = 0;
	ListCell   *cell;

	dps_groups_init(&sums->groups, plan);
	if (list_length(scan->custom_exprs) != 1 + plan->nkeys + plan->ncells + plan->nfilters)
		elog(ERROR, "groups expect another number of arguments");
	sums->arguments = palloc(sizeof(ExprState *) * list_length(scan->custom_exprs));
	foreach(cell, scan->custom_exprs)
		sums->arguments[n++] = begin_argument(sums, lfirst(cell));
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	dps_scan_begin(node, estate, eflags);
	if (!(eflags & EXEC_FLAG_EXPLAIN_ONLY))
		begin_groups((RowSums *) node, scan);
}

/* ---- rows ---- */

/* The number of the row's group, or -1. */
static int64
find_group(const DpsGroupSums *groups, ExprState **keys, ExprContext *context)
{
	int64		group = 0;
	int			i;

	for (i = 0; i < groups->plan->nkeys; i++)
	{
		bool		isnull;
		Datum		value = ExecEvalExpr(keys[i], context, &isnull);
		int32		key = isnull ? -1 : dps_key_map_find(&groups->maps[i], value);

		if (key < 0)
			return -1;
		group = group * groups->maps[i].nkeys + key;
	}
	return group;
}

static void
add_row(RowSums *sums, ExprContext *context)
{
	DpsGroupSums *groups = &sums->groups;
	const DpsGroupsPlan *plan = groups->plan;
	ExprState **cells = sums->arguments + 1 + plan->nkeys;
	int64		group = find_group(groups, sums->arguments + 1, context);
	bool		isnull;
	Datum		value;
	int			i;

	if (group < 0)
		return;
	for (i = 0; i < plan->ncells; i++)
	{
		value = ExecEvalExpr(cells[i], context, &isnull);
		groups->columns[i][groups->nrows] = isnull ? NAN : dps_read_cell(groups->cells[i].type, value);
	}
	for (i = 0; i < plan->nfilters; i++)
	{
		value = ExecEvalExpr(cells[plan->ncells + i], context, &isnull);
		groups->filters[i][groups->nrows] = !isnull && DatumGetBool(value);
	}
	value = ExecEvalExpr(sums->arguments[0], context, &isnull);
	dps_groups_end_unit_row(groups, (uint32) group, value, isnull);
}

static void
read_rows(RowSums *sums)
{
	ExprContext *context = sums->css.ss.ps.ps_ExprContext;

	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(dps_scan_below(&sums->css));
		MemoryContext previous;

		if (TupIsNull(slot))
			return;
		previous = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
		context->ecxt_scantuple = slot;
		add_row(sums, context);
		MemoryContextSwitchTo(previous);
		ResetExprContext(context);
	}
}

/* ---- the result ---- */

/* NULL if no row reached a group: states of no rows. */
static TupleTableSlot *
execute(CustomScanState *node)
{
	RowSums    *sums = (RowSums *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	int			column;

	if (sums->done)
		return NULL;
	if (sums->shared_units == NULL ||
		dps_units_join(sums->groups.units, sums->shared_units, node->ss.ps.state->es_query_dsa))
		read_rows(sums);
	dps_groups_finish(&sums->groups);
	sums->done = true;
	ExecClearTuple(slot);
	column = slot->tts_tupleDescriptor->natts - 1;
	memset(slot->tts_isnull, true, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	slot->tts_values[column] = PointerGetDatum(sums->groups.block);
	slot->tts_isnull[column] = !sums->groups.any_row;
	ExecStoreVirtualTuple(slot);
	return dps_scan_project(node);
}

static void
rescan(CustomScanState *node)
{
	RowSums    *sums = (RowSums *) node;

	dps_groups_reset(&sums->groups);
	sums->done = false;
	dps_scan_rescan(node);
}

/* ---- in parallel ---- */

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	(void) node;
	return dps_shared_units_size(context->nworkers + 1);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	RowSums    *sums = (RowSums *) node;

	/* without a segment there is no other process, nor memory to share */
	if (context->seg == NULL)
		return;
	sums->shared_units = shared;
	dps_units_share(sums->groups.units, shared, context->nworkers + 1, context->seg);
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	(void) context;
	(void) shared;
	if (((RowSums *) node)->shared_units != NULL)
		dps_shared_units_reset(((RowSums *) node)->shared_units);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	(void) toc;
	((RowSums *) node)->shared_units = shared;
	dps_shared_units_attach(shared);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DPS_ROW_SUMS,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = dps_scan_end,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker
};

static Node *
make_state(CustomScan *scan)
{
	RowSums    *sums = (RowSums *) newNode(sizeof(RowSums), T_CustomScanState);

	(void) scan;
	sums->css.methods = &exec_methods;
	return (Node *) sums;
}

/* ---- the plan ---- */

static const CustomScanMethods scan_methods = {
	.CustomName = DPS_ROW_SUMS,
	.CreateCustomScanState = make_state
};

static List *
append_entry(List *target, const Expr *expression)
{
	return lappend(target, makeTargetEntry((Expr *) copyObject(expression), list_length(target) + 1, NULL, false));
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = makeNode(CustomScan);
	const Aggref *aggref = castNode(Aggref, linitial(path->custom_private));
	ListCell   *cell;

	(void) root;
	(void) rel;
	(void) clauses;
	plan->scan.plan.targetlist = target;
	plan->custom_plans = children;
	foreach(cell, ((const Plan *) linitial(children))->targetlist)
		plan->custom_scan_tlist = append_entry(plan->custom_scan_tlist, lfirst_node(TargetEntry, cell)->expr);
	plan->custom_scan_tlist = append_entry(plan->custom_scan_tlist, (const Expr *) aggref);
	for_each_from(cell, aggref->args, 1)
		plan->custom_exprs = lappend(plan->custom_exprs, copyObject(lfirst_node(TargetEntry, cell)->expr));
	plan->flags = path->flags;
	plan->methods = &scan_methods;
	return (Plan *) plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = DPS_ROW_SUMS,
	.PlanCustomPath = make_plan
};

Path *
dps_row_sums_path(RelOptInfo *rel, Path *rows)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.parallel_aware = true;
	path->path.parallel_safe = rows->parallel_safe;
	path->path.parallel_workers = rows->parallel_workers;
	path->path.rows = 1;
	path->path.startup_cost = path->path.total_cost = rows->total_cost + cpu_operator_cost * rows->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(rows);
	path->custom_private = list_make1(copyObject(linitial(rel->reltarget->exprs)));
	path->methods = &path_methods;
	return (Path *) path;
}

void
dps_row_sums_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
