/*
 * private_run.c
 *		A node around all that reads protected rows, for roles that must not look.
 *
 * Claim.  Let two states of the database differ in rows of protected relations that the role may not read,
 * and let these relations have the same number of pages in both.  Then the effects of running the node on
 * anything else are the same in both: which pages of other relations are read and when, what the session's
 * catalog caches hold, and what the server counts.
 *
 * Argument, by what is touched:
 *
 * - Relations that are not protected.  The planner can read their rows only through the nodes of
 *   public_rows.c (private_plan.c).  All of these nodes are filled before anything else runs, including
 *   those that may not be needed: below joins that end early or do not begin, in EXISTS, and in subqueries
 *   that are evaluated only if a condition is true.  They are filled by the statement's snapshot, and
 *   independently of the rows of other relations.  Lists of constants are in the plan.
 * - Protected relations.  They are read only by scans from the first page to the last.  A scan that a join
 *   did not start, or did not finish, is completed after the last row, so that the same pages are
 *   requested from the server's buffers; finish_scan() has the limits of this.
 * - Indexes.  No index is read, of either kind of relation: a plan with an index node, or with a node type
 *   that is not known here, is refused before it runs.
 * - Caches.  Everything that processing the rows could load is loaded before the first row: the TOAST
 *   relations, types and the labels of enums, collations, and their catalog entries (session_caches.c).
 *   Some catalog look-ups depend on single values: a cast to an enum looks up the cell's text.  Such
 *   entries are dropped after the last row, with all other entries of these caches.  In a clean room
 *   nobody can query how much of the caches was loaded; only the time of the next query could depend on
 *   it.  So a room keeps its caches, unless a function of the query's types looks up the catalogs by a
 *   value.
 * - Counters.  The statistics counters do not change (quiet_run.c).  EXPLAIN, pg_stat_statements and
 *   similar modules count pages and bytes of the log in two variables of the session, which are restored
 *   after the last row.  Workers add to these variables when they end, which is earlier.
 * - Above the node there are only answers.  All of them are computed before the first is returned, so the
 *   computation does not depend on how many are fetched.  What is computed from answers runs under the
 *   asking session's settings.
 *
 * Not claimed: equal run times; equal reads of TOAST pages of protected relations, of which those are read
 * that the rows need.
 *
 * If another process runs the plan below the node, everything that it reads of the session's own data is
 * in the nodes of public_rows.c when it begins.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "catalog/pg_am.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "agg/scan/custom_scan.h"
#include "glue/receipt.h"
#include "guard/condition/enum_cells.h"
#include "guard/public/public_rows.h"
#include "guard/restrict/blind.h"
#include "guard/restrict/quiet_run.h"
#include "guard/restrict/run_settings.h"
#include "guard/restrict/session_caches.h"
#include "guard/run/private_run.h"

/* The prefix of the names of all nodes of dpsens. */
#define DPS_NODES "dpsens "

#define PRIVATE_RUN DPS_NODES "private run"

/* ---- counters ---- */

DpsUsage
dps_usage_now(void)
{
	return (DpsUsage) {pgBufferUsage, pgWalUsage};
}

void
dps_usage_restore(const DpsUsage *usage)
{
	pgBufferUsage = usage->buffers;
	pgWalUsage = usage->wal;
}

/* ---- protected relations are read to their end ---- */

static void
read_on(TableScanDesc scan, TupleTableSlot *slot)
{
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
		CHECK_FOR_INTERRUPTS();
}

static void
read_wholly(const ScanState *node)
{
	Relation	relation = node->ss_currentRelation;
	TupleTableSlot *slot = table_slot_create(relation, NULL);
	TableScanDesc scan = table_beginscan(relation, node->ps.state->es_snapshot, 0, NULL);

	read_on(scan, slot);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * A scan begins when its first row is requested, and so does each repetition.  A heap scan tells whether
 * it is before the first or after the last row, or in between.  A scan that was restarted but not begun
 * again (a later child of Append) counts as complete, although an earlier run of it may have ended early.
 * For a parallel scan it is not known here what the workers have read, so the relation is read once more.
 */
static void
finish_scan(ScanState *node)
{
	TableScanDesc scan = node->ss_currentScanDesc;

	if (scan == NULL || node->ps.plan->parallel_aware || node->ss_currentRelation->rd_rel->relam != HEAP_TABLE_AM_OID)
		read_wholly(node);
	else if (((HeapScanDesc) scan)->rs_inited)
		read_on(scan, node->ss_ScanTupleSlot);
}

static bool
finish_walker(PlanState *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SeqScanState))
		finish_scan((ScanState *) node);
	return planstate_tree_walker(node, finish_walker, context);
}

/* ---- what may run ---- */

/*
 * Admitted are nodes that compute on rows of other nodes, lists of keys, scans from the first page to the
 * last, and nodes of dpsens.  Others are refused, since other extensions can add nodes to plans, too.
 */
static bool
is_admitted(const PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_ResultState:
		case T_ProjectSetState:
		case T_AppendState:
		case T_MergeAppendState:
		case T_SeqScanState:
		case T_SubqueryScanState:
		case T_ValuesScanState:
		case T_FunctionScanState:
		case T_CteScanState:
		case T_NestLoopState:
		case T_MergeJoinState:
		case T_HashJoinState:
		case T_HashState:
		case T_MaterialState:
		case T_MemoizeState:
		case T_SortState:
		case T_IncrementalSortState:
		case T_GroupState:
		case T_AggState:
		case T_WindowAggState:
		case T_UniqueState:
		case T_GatherState:
		case T_GatherMergeState:
		case T_LimitState:
			return true;
		case T_CustomScanState:
			return strncmp(((const CustomScanState *) node)->methods->CustomName, DPS_NODES, strlen(DPS_NODES)) == 0;
		default:
			return false;
	}
}

static bool
admit_walker(PlanState *node, void *context)
{
	if (node == NULL)
		return false;
	if (!is_admitted(node))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a plan with a node of type %d is not supported below dp aggregates of a role without SELECT privilege",
						(int) nodeTag(node)),
				 errhint("Ask a simpler question, or without extensions that change plans.")));
	return planstate_tree_walker(node, admit_walker, context);
}

/* ---- the execution ---- */

typedef struct PrivateRun
{
	CustomScanState css;
	Tuplestorestate *answers;	/* NULL before they are computed */
	TupleTableSlot *stored;		/* for rows of answers */
} PrivateRun;

/* Locks types and checks enum labels, which may have changed since the plan was made. */
static void
lock_types(const List *names)
{
	dps_lock_types(lsecond(names));
	dps_check_enum_tables(lfourth(names));
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	PrivateRun *run = (PrivateRun *) node;

	/* before anything is charged */
	if (!(eflags & EXEC_FLAG_EXPLAIN_ONLY))
		lock_types(((const CustomScan *) node->ss.ps.plan)->custom_private);
	dps_scan_begin(node, estate, eflags);
	run->stored = ExecInitExtraTupleSlot(estate, ExecGetResultType(dps_scan_below(node)), &TTSOpsMinimalTuple);
}

static void
compute_answers(PrivateRun *run)
{
	PlanState  *below = dps_scan_below(&run->css);
	MemoryContext previous = MemoryContextSwitchTo(run->css.ss.ps.state->es_query_cxt);

	run->answers = tuplestore_begin_heap(false, false, work_mem);
	MemoryContextSwitchTo(previous);
	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(below);

		if (TupIsNull(slot))
			break;
		tuplestore_puttupleslot(run->answers, slot);
	}
	(void) ExecShutdownNode(below);
}

/* Does the plan read several relations?  The scan of a single relation is always complete, since it is
 * aggregated. */
static bool
reads_several(const PrivateRun *run)
{
	return intVal(linitial(((const CustomScan *) run->css.ss.ps.plan)->custom_private)) != 0;
}

static void
run_privately(PrivateRun *run)
{
	const List *names = ((const CustomScan *) run->css.ss.ps.plan)->custom_private;
	EState	   *estate = run->css.ss.ps.state;
	DpsUsage	usage;

	(void) admit_walker(dps_scan_below(&run->css), NULL);
	dps_check_types(lsecond(names));
	dps_read_public_rows(estate);
	/* a room has done this, and taken the locks that it needs, before the charge */
	if (!dps_is_room())
		dps_open_caches(estate, lsecond(names), lthird(names), false);
	usage = dps_usage_now();
	compute_answers(run);
	if (reads_several(run))
		(void) finish_walker(dps_scan_below(&run->css), NULL);
	if (!dps_is_room() || dps_cells_ask_catalogs(lsecond(names)))
		dps_forget_catalogs();
	dps_usage_restore(&usage);
}

/*
 * The asking session's settings and timeouts have no effect from before the first row is read until all
 * answers are computed.  They apply to what is computed from the answers.  Runs are nested where groups
 * are selected.
 */
static void
run_shielded(PrivateRun *run)
{
	DpsReceipt *receipt = dps_receipt_current();
	DpsPausedTimeouts timeouts = {{0}};
	bool		was_shielded;
	int			paused;

	if (receipt == NULL)
		elog(ERROR, "a private run without a receipt");
	paused = dps_pause_counting(run->css.ss.ps.state);
	dps_lock_settings();
	dps_pause_timeouts(&timeouts);
	was_shielded = receipt->is_shielded;
	receipt->is_shielded = true;
	PG_TRY();
	{
		run_privately(run);
	}
	PG_FINALLY();
	{
		receipt->is_shielded = was_shielded;
		dps_unlock_settings();
		dps_resume_timeouts(&timeouts);
	}
	PG_END_TRY();
	/* after an error, the end of the transaction restores the settings */
	dps_resume_counting(paused);
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	PrivateRun *run = (PrivateRun *) node;

	if (run->answers == NULL)
		run_shielded(run);
	if (!tuplestore_gettupleslot(run->answers, true, false, run->stored))
		return NULL;
	(void) dps_scan_show(&node->ss, run->stored);
	return dps_scan_project(node);
}

static void
end(CustomScanState *node)
{
	PrivateRun *run = (PrivateRun *) node;

	if (run->answers != NULL)
		tuplestore_end(run->answers);
	run->answers = NULL;
	dps_scan_end(node);
}

/* Returns the same answers again; nothing is drawn again. */
static void
rescan(CustomScanState *node)
{
	PrivateRun *run = (PrivateRun *) node;

	if (run->answers != NULL)
		tuplestore_rescan(run->answers);
	ExecScanReScan(&node->ss);
}

static const CustomExecMethods exec_methods = {
	.CustomName = PRIVATE_RUN,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan
};

/* ---- the plan ---- */

/*
 * The columns below, made distinct.  Two releases with the same expression are separate draws, but the
 * planner identifies a column by its expression.
 */
static List *
distinct_columns(const List *target)
{
	List	   *distinct = NIL;
	List	   *expressions = NIL;
	ListCell   *cell;

	foreach(cell, target)
	{
		TargetEntry *entry = copyObject(lfirst_node(TargetEntry, cell));

		while (list_member(expressions, entry->expr))
			entry->expr = (Expr *) makeRelabelType(entry->expr, exprType((Node *) entry->expr),
												   exprTypmod((Node *) entry->expr),
												   exprCollation((Node *) entry->expr), COERCE_IMPLICIT_CAST);
		expressions = lappend(expressions, entry->expr);
		distinct = lappend(distinct, entry);
	}
	return distinct;
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	List	   *columns = distinct_columns(((const Plan *) linitial(children))->targetlist);
	CustomScan *plan = dps_scan_plan(path, columns, children);

	(void) root;
	(void) rel;
	(void) target;
	(void) clauses;
	plan->custom_scan_tlist = copyObject(columns);
	plan->custom_private = path->custom_private;
	return (Plan *) plan;
}

static const DpsScanNode private_run = DPS_SCAN_NODE(PRIVATE_RUN, PrivateRun, make_plan, &exec_methods);

Path *
dps_private_run_path(RelOptInfo *rel, Path *below, const DpsPrivateRun *run)
{
	CustomPath *path = dps_scan_path(&private_run, rel);

	path->path = *below;
	NodeSetTag(path, T_CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.parallel_aware = false;
	path->path.parallel_safe = false;
	path->path.parallel_workers = 0;
	path->path.startup_cost = below->total_cost;
	path->custom_paths = list_make1(below);
	path->custom_private = list_make4(makeInteger(run->joins), list_copy(run->types), list_copy(run->collations),
									  copyObject(run->enum_tables));
	return (Path *) path;
}

void
dps_private_run_init(void)
{
	dps_scan_register(&private_run);
}
