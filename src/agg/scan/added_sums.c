/*
 * added_sums.c
 *		A node that adds up the exact states of some of the rows each.
 */
#include "postgres.h"

#include "executor/execParallel.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"

#include "agg/scan/added_sums.h"
#include "agg/scan/custom_scan.h"
#include "agg/state/block_share.h"
#include "agg/state/groups.h"

typedef struct AddedSums
{
	CustomScanState css;
	MemoryContext memory;		/* of the sum */
	bool		done;
} AddedSums;

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	AddedSums  *sums = (AddedSums *) node;

	dps_scan_begin(node, estate, eflags);
	sums->memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens sums", ALLOCSET_DEFAULT_SIZES);
}

/* What the processes below share, if there are any. */
static dsa_area *
shared_area(const AddedSums *sums)
{
	const PlanState *below = dps_scan_below(&sums->css);
	const ParallelExecutorInfo *workers = IsA(below, GatherState) ? ((const GatherState *) below)->pei : NULL;

	return workers != NULL ? workers->area : NULL;
}

/* Into the sum, which is NULL so far, or a copy. */
static DpsBlock *
add_part(const AddedSums *sums, DpsBlock *sum, Datum part)
{
	dsa_area   *area = shared_area(sums);
	const DpsBlock *block = dps_block_take(part, area);

	if (sum == NULL)
		sum = memcpy(MemoryContextAlloc(sums->memory, VARSIZE(block)), block, VARSIZE(block));
	else
		dps_block_add(sum, block);
	dps_block_drop(part, area);
	return sum;
}

/* NULL if no row reached a group. */
static DpsBlock *
add_parts(AddedSums *sums)
{
	ExprContext *context = sums->css.ss.ps.ps_ExprContext;
	DpsBlock   *sum = NULL;

	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(dps_scan_below(&sums->css));
		MemoryContext previous;
		bool		isnull;
		Datum		part;

		if (TupIsNull(slot))
			return sum;
		previous = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
		part = slot_getattr(slot, 1, &isnull);
		if (!isnull)
			sum = add_part(sums, sum, part);
		MemoryContextSwitchTo(previous);
		ResetExprContext(context);
	}
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	AddedSums  *sums = (AddedSums *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	DpsBlock   *sum;

	if (sums->done)
		return NULL;
	sum = add_parts(sums);
	sums->done = true;
	ExecClearTuple(slot);
	slot->tts_values[0] = PointerGetDatum(sum);
	slot->tts_isnull[0] = sum == NULL;
	ExecStoreVirtualTuple(slot);
	return dps_scan_project(node);
}

static void
rescan(CustomScanState *node)
{
	AddedSums  *sums = (AddedSums *) node;

	sums->done = false;
	MemoryContextReset(sums->memory);
	dps_scan_rescan(node);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DPS_ADDED_SUMS,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = dps_scan_end,
	.ReScanCustomScan = rescan
};

static Node *
make_state(CustomScan *scan)
{
	AddedSums  *sums = (AddedSums *) newNode(sizeof(AddedSums), T_CustomScanState);

	(void) scan;
	sums->css.methods = &exec_methods;
	return (Node *) sums;
}

/* ---- the plan ---- */

static const CustomScanMethods scan_methods = {
	.CustomName = DPS_ADDED_SUMS,
	.CreateCustomScanState = make_state
};

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = makeNode(CustomScan);
	const TargetEntry *part = linitial_node(TargetEntry, ((const Plan *) linitial(children))->targetlist);

	(void) root;
	(void) rel;
	(void) clauses;
	plan->scan.plan.targetlist = target;
	plan->custom_plans = children;
	plan->custom_scan_tlist = list_make1(makeTargetEntry(part->expr, 1, NULL, false));
	plan->flags = path->flags;
	plan->methods = &scan_methods;
	return (Plan *) plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = DPS_ADDED_SUMS,
	.PlanCustomPath = make_plan
};

Path *
dps_added_sums_path(RelOptInfo *rel, Path *parts)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = 1;
	path->path.startup_cost = path->path.total_cost = parts->total_cost;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(parts);
	path->methods = &path_methods;
	return (Path *) path;
}

void
dps_added_sums_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
