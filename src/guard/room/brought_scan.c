/*
 * brought_scan.c
 *		A scan node for rows that were brought into a clean room.
 *
 * A clean room keeps these rows in a tuplestore, which only one process can read.  If parallel workers
 * scan them, too, the room writes them into a file of a shared file set when it starts the workers; all
 * rows have arrived by then.  Shared memory holds the positions of stretches of a few hundred rows in the
 * file.  In a scan that yields all rows in each process, each process reads all stretches.  In a partial
 * scan each process takes the next stretch that no process has taken.
 *
 * The number and the width of the rows are public, so the plan may depend on them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "port/atomics.h"
#include "storage/buffile.h"
#include "storage/sharedfileset.h"
#include "utils/tuplestore.h"

#include "agg/scan/custom_scan.h"
#include "glue/compat.h"
#include "guard/room/brought_scan.h"
#include "guard/room/room_rows.h"

#define BROUGHT_SCAN "dpsens brought rows"

/* The name of the file in the shared file set. */
#define ROWS_FILE "brought"

/* The number of rows in a stretch. */
#define STRETCH 256

/* A position in a file. */
typedef struct Place
{
	int			segment;
	off_t		offset;
} Place;

typedef struct SharedRows
{
	dsm_handle	segment;
	SharedFileSet files;
	int64		count;			/* rows */
	pg_atomic_uint64 next;		/* partial scans: the next stretch to be taken */
	Place		stretches[FLEXIBLE_ARRAY_MEMBER];
} SharedRows;

typedef struct BroughtScan
{
	CustomScanState css;
	bool		is_part;		/* a partial scan: each process yields a part of the rows */
	Tuplestorestate *store;		/* NULL in a worker */
	int			pointer;
	SharedRows *shared;			/* NULL if no other process scans */
	BufFile    *file;			/* NULL while it is not open */
	uint64		next;			/* the next stretch, in a scan of all rows */
	int			left;			/* rows of the current stretch that are still to be read */
	MinimalTuple row;			/* the last row that was read from the file */
	Size		row_room;		/* bytes allocated for row */
	TupleTableSlot *stored;
} BroughtScan;

/* ---- the file ---- */

static uint64
count_stretches(int64 rows)
{
	return (rows + STRETCH - 1) / STRETCH;
}

static void
close_file(BroughtScan *scan)
{
	if (scan->file != NULL)
		BufFileClose(scan->file);
	scan->file = NULL;
}

static void
write_rows(BroughtScan *scan)
{
	BufFile    *file = BufFileCreateFileSet(&scan->shared->files.fs, ROWS_FILE);
	int64		i;

	tuplestore_select_read_pointer(scan->store, scan->pointer);
	tuplestore_rescan(scan->store);
	for (i = 0; i < scan->shared->count && tuplestore_gettupleslot(scan->store, true, false, scan->stored); i++)
	{
		bool		should_free;
		MinimalTuple row = ExecFetchSlotMinimalTuple(scan->stored, &should_free);
		Place	   *place = &scan->shared->stretches[i / STRETCH];

		if (i % STRETCH == 0)
			BufFileTell(file, &place->segment, &place->offset);
		BufFileWrite(file, row, row->t_len);
	}
	tuplestore_rescan(scan->store);
	BufFileExportFileSet(file);
	BufFileClose(file);
}

static void
read_bytes(BroughtScan *scan, void *bytes, Size length)
{
	if (BufFileRead(scan->file, bytes, length) != length)
		elog(ERROR, "a file of brought rows is too short");
}

static void
make_room(BroughtScan *scan, Size length)
{
	if (length <= scan->row_room)
		return;
	if (scan->row != NULL)
		pfree(scan->row);
	scan->row = MemoryContextAlloc(scan->css.ss.ps.state->es_query_cxt, length);
	scan->row_room = length;
}

static bool
take_stretch(BroughtScan *scan)
{
	SharedRows *shared = scan->shared;
	uint64		number = scan->is_part ? pg_atomic_fetch_add_u64(&shared->next, 1) : scan->next++;

	if (number >= count_stretches(shared->count))
		return false;
	if (scan->file == NULL)
		scan->file = BufFileOpenFileSet(&shared->files.fs, ROWS_FILE, O_RDONLY, false);
	if (BufFileSeek(scan->file, shared->stretches[number].segment, shared->stretches[number].offset, SEEK_SET) != 0)
		elog(ERROR, "a file of brought rows has no stretch " UINT64_FORMAT, number);
	scan->left = (int) Min(STRETCH, shared->count - (int64) number * STRETCH);
	return true;
}

/* A row begins with its length. */
static bool
read_row(BroughtScan *scan)
{
	uint32		length;

	if (scan->left == 0 && !take_stretch(scan))
		return false;
	scan->left--;
	ExecClearTuple(scan->stored);
	read_bytes(scan, &length, sizeof(length));
	make_room(scan, length);
	scan->row->t_len = length;
	read_bytes(scan, (char *) scan->row + sizeof(length), length - sizeof(length));
	ExecStoreMinimalTuple(scan->row, scan->stored, false);
	return true;
}

/* ---- the execution ---- */

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	BroughtScan *scan = (BroughtScan *) node;
	const List *about = ((const CustomScan *) node->ss.ps.plan)->custom_private;

	(void) eflags;
	/*
	 * The server sets up shared memory only for nodes that are marked as parallel-aware, and its planner
	 * marks only nodes of partial paths.  This node needs shared memory below a Gather in a full scan,
	 * too.  The plan runs once, so changing it here affects no other execution.
	 */
	node->ss.ps.plan->parallel_aware = node->ss.ps.plan->parallel_safe;
	scan->is_part = intVal(lsecond(about)) != 0;
	scan->stored = ExecInitExtraTupleSlot(estate, node->ss.ss_ScanTupleSlot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	if (IsParallelWorker())
		return;
	scan->store = dps_brought_store(intVal(linitial(about)));
	scan->pointer = tuplestore_alloc_read_pointer(scan->store, EXEC_FLAG_REWIND);
}

/* The room itself reads the tuplestore, except in a partial scan that is shared with workers. */
static bool
store_row(BroughtScan *scan)
{
	if (scan->shared != NULL && (scan->is_part || scan->store == NULL))
		return read_row(scan);
	tuplestore_select_read_pointer(scan->store, scan->pointer);
	return tuplestore_gettupleslot(scan->store, true, false, scan->stored);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	BroughtScan *scan = (BroughtScan *) node;

	return store_row(scan) ? dps_scan_show(node, scan->stored) : ExecClearTuple(node->ss_ScanTupleSlot);
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	return dps_scan_filter(node, next_row);
}

static void
start_anew(BroughtScan *scan)
{
	scan->next = 0;
	scan->left = 0;
	if (scan->store == NULL)
		return;
	tuplestore_select_read_pointer(scan->store, scan->pointer);
	tuplestore_rescan(scan->store);
}

static void
rescan(CustomScanState *node)
{
	start_anew((BroughtScan *) node);
	ExecScanReScan(&node->ss);
}

/* The tuplestore belongs to the visit and is not freed here. */
static void
end(CustomScanState *node)
{
	close_file((BroughtScan *) node);
}

/* ---- several processes ---- */

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	const BroughtScan *scan = (const BroughtScan *) node;

	(void) context;
	return add_size(offsetof(SharedRows, stretches),
					mul_size(sizeof(Place), count_stretches(tuplestore_tuple_count(scan->store))));
}

static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *place)
{
	BroughtScan *scan = (BroughtScan *) node;

	/* without a segment there are no workers */
	if (context->seg == NULL)
		return;
	scan->shared = place;
	scan->shared->segment = dsm_segment_handle(context->seg);
	scan->shared->count = tuplestore_tuple_count(scan->store);
	pg_atomic_init_u64(&scan->shared->next, 0);
	SharedFileSetInit(&scan->shared->files, context->seg);
	write_rows(scan);
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *place)
{
	(void) node;
	(void) context;
	pg_atomic_write_u64(&((SharedRows *) place)->next, 0);
}

static void
attach_shared(CustomScanState *node, shm_toc *toc, void *place)
{
	BroughtScan *scan = (BroughtScan *) node;

	(void) toc;
	scan->shared = place;
	SharedFileSetAttach(&scan->shared->files, dsm_find_mapping(scan->shared->segment));
}

/* The shared memory is freed after this.  A rescan may set it up again. */
static void
shut_down(CustomScanState *node)
{
	BroughtScan *scan = (BroughtScan *) node;

	close_file(scan);
	scan->shared = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = BROUGHT_SCAN,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = attach_shared,
	.ShutdownCustomScan = shut_down
};

/* ---- the plan ---- */

/* A target list with all columns of the rows. */
static List *
row_columns(const RangeTblEntry *entry, Index index)
{
	const RangeTblFunction *function = linitial_node(RangeTblFunction, entry->functions);
	List	   *columns = NIL;
	int			i;

	for (i = 0; i < function->funccolcount; i++)
	{
		Var		   *column = makeVar(index, i + 1, list_nth_oid(function->funccoltypes, i), list_nth_int(function->funccoltypmods, i),
									 list_nth_oid(function->funccolcollations, i), 0);

		columns = lappend(columns, makeTargetEntry((Expr *) column, i + 1, NULL, false));
	}
	return columns;
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = dps_scan_plan(path, target, children);

	plan->scan.plan.qual = extract_actual_clauses(clauses, false);
	plan->custom_scan_tlist = row_columns(planner_rt_fetch(rel->relid, root), rel->relid);
	plan->custom_private = path->custom_private;
	return (Plan *) plan;
}

static const DpsScanNode brought_scan = DPS_SCAN_NODE(BROUGHT_SCAN, BroughtScan, make_plan, &exec_methods);

/* A path for the rows of this number.  With workers it is a partial path, and each process yields a share. */
static Path *
make_path(RelOptInfo *rel, int number, int workers)
{
	CustomPath *path = dps_scan_path(&brought_scan, rel);
	double		share = 1.0 / (workers + 1);

	path->path.parallel_safe = rel->consider_parallel;
	path->path.parallel_aware = workers > 0;
	path->path.parallel_workers = workers;
	path->path.rows = clamp_row_est(rel->rows * share);
	path->path.startup_cost = rel->baserestrictcost.startup;
	path->path.total_cost = path->path.startup_cost + (cpu_tuple_cost + rel->baserestrictcost.per_tuple) * rel->tuples * share;
	path->custom_private = list_make2(makeInteger(number), makeInteger(workers > 0));
	return (Path *) path;
}

/* The number of workers for a table with as many pages. */
static int
count_workers(RelOptInfo *rel)
{
	double		width = rel->reltarget->width + MAXALIGN(SizeofHeapTupleHeader);

	return rel->consider_parallel ? compute_parallel_worker(rel, rel->tuples * width / BLCKSZ, -1, max_parallel_workers_per_gather) : 0;
}

static set_rel_pathlist_hook_type previous_rel_pathlist;

static void
rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *entry)
{
	int			number = dps_brought_number(entry);
	int			workers;

	if (previous_rel_pathlist != NULL)
		previous_rel_pathlist(root, rel, index, entry);
	if (number < 0 || IS_DUMMY_REL(rel))
		return;
	workers = count_workers(rel);
	rel->pathlist = list_make1(make_path(rel, number, 0));
	rel->partial_pathlist = workers > 0 ? list_make1(make_path(rel, number, workers)) : NIL;
}

void
dps_brought_scan_init(void)
{
	dps_scan_register(&brought_scan);
	previous_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = rel_pathlist;
}
