/*
 * added_sums.c
 *		A node that adds up exact states, each of some of the rows.
 */
#include "postgres.h"

#include "executor/execParallel.h"
#include "executor/executor.h"

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

/* The memory that the processes below share; NULL if there are none. */
static dsa_area *
shared_area(const AddedSums *sums)
{
	const PlanState *below = dps_scan_below(&sums->css);
	const ParallelExecutorInfo *workers = IsA(below, GatherState) ? ((const GatherState *) below)->pei : NULL;

	return workers != NULL ? workers->area : NULL;
}

/* Adds a part to the sum; to none, NULL, it makes a copy. */
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
	DpsBlock   *sum;

	if (sums->done)
		return NULL;
	sum = add_parts(sums);
	sums->done = true;
	return dps_scan_yield(node, 0, PointerGetDatum(sum), sum == NULL);
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

/* ---- the plan ---- */

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = dps_scan_plan(path, target, children);
	const TargetEntry *part = linitial_node(TargetEntry, ((const Plan *) linitial(children))->targetlist);

	(void) root;
	(void) rel;
	(void) clauses;
	dps_scan_add_entry(plan, part->expr);
	return (Plan *) plan;
}

static const DpsScanNode added_sums = DPS_SCAN_NODE(DPS_ADDED_SUMS, AddedSums, make_plan, &exec_methods);

Path *
dps_added_sums_path(RelOptInfo *rel, Path *parts)
{
	CustomPath *path = dps_scan_path(&added_sums, rel);

	path->path.rows = 1;
	path->path.startup_cost = path->path.total_cost = parts->total_cost;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(parts);
	return (Path *) path;
}

void
dps_added_sums_init(void)
{
	dps_scan_register(&added_sums);
}
