/*
 * row_sums.c
 *		A node that yields the exact states of the rows of any plan.
 *
 * What the plan hands to the executor: custom_exprs are the aggregate's arguments
 * after its plan, about the rows of the plan below; custom_scan_tlist holds the
 * columns of these rows and, last, the aggregate; custom_private says whether other
 * processes read other rows.
 *
 * Nothing here raises because of what a cell holds; an expression does what it
 * does in any plan.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/tupmacs.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"

#include "agg/scan/custom_scan.h"
#include "agg/scan/heap_rows.h"
#include "agg/scan/row_sums.h"
#include "agg/scan/single_rows.h"
#include "agg/scan/whole_rows.h"
#include "agg/state/block_share.h"
#include "agg/state/groups.h"
#include "base/once.h"
#include "glue/compat.h"
#include "glue/import/relabel.h"

/* An argument of the aggregate: a column of the row below, or of the values computed
 * from it. */
typedef struct Argument
{
	int			column;			/* from 0 */
	bool		is_computed;
	bool		byval;
	int16		length;
	int			offset;			/* in a stored row without NULLs */
	Oid			type;			/* of a cell */
	double	   *cells;			/* where cells wait */
} Argument;

typedef struct RowSums
{
	CustomScanState css;
	DpsGroupSums groups;
	Argument   *place;			/* the parts of a place that is the unit: table, place; or NULL */
	Argument   *arguments;		/* the unit, if rows of units are counted, the keys, the cells, the filters */
	int			ncolumns;		/* so many of the row below are read */
	bool		is_fixed;		/* those are at the same place in all stored rows without NULLs */
	bool		has_cells_only;	/* there is nothing but columns of cells */
	ProjectionInfo *computed;	/* all that is not a column; or NULL */
	bool		allocates;		/* a row may take memory */
	bool		reads_pages;	/* rows come in the order in which they are stored */
	Buffer		page;			/* that the last one was in */
	DpsSharedUnits *shared_units;	/* or NULL */
	bool		is_part;		/* of what all processes yield */
	bool		done;
} RowSums;

/* ---- beginning ---- */

/* The expressions are about the rows of the plan below, not about the node's scan
 * tuples, which are states. */
static ProjectionInfo *
begin_computed(RowSums *sums, List *expressions)
{
	PlanState  *node = &sums->css.ss.ps;
	PlanState  *below = dps_scan_below(&sums->css);
	PlanState	kept = *node;
	TupleTableSlot *slot = ExecInitExtraTupleSlot(node->state, ExecTypeFromTL(expressions), &TTSOpsVirtual);
	ProjectionInfo *computed;

	node->scandesc = ExecGetResultType(below);
	node->scanops = ExecGetResultSlotOps(below, &node->scanopsfixed);
	node->scanopsset = true;
	computed = ExecBuildProjectionInfo(expressions, node->ps_ExprContext, slot, node, NULL);
	node->scandesc = kept.scandesc;
	node->scanops = kept.scanops;
	node->scanopsfixed = kept.scanopsfixed;
	node->scanopsset = kept.scanopsset;
	return computed;
}

static void
begin_column(RowSums *sums, Argument *argument, int column, const int *offsets)
{
	Form_pg_attribute attribute = TupleDescAttr(ExecGetResultType(dps_scan_below(&sums->css)), column);

	argument->column = column;
	argument->byval = attribute->attbyval;
	argument->length = attribute->attlen;
	argument->offset = offsets[column];
	sums->ncolumns = Max(sums->ncolumns, column + 1);
	sums->is_fixed = sums->is_fixed && argument->offset >= 0;
}

/* The parts are joined here at less cost than by the function that the query calls. */
static void
begin_place(RowSums *sums, const List *parts, const int *offsets)
{
	sums->place = palloc0(sizeof(Argument) * 2);
	begin_column(sums, &sums->place[0], linitial_node(Var, parts)->varattno - 1, offsets);
	begin_column(sums, &sums->place[1], lsecond_node(Var, parts)->varattno - 1, offsets);
}

static void
begin_arguments(RowSums *sums, const List *arguments)
{
	int		   *offsets = dps_scan_offsets(ExecGetResultType(dps_scan_below(&sums->css)));
	List	   *expressions = NIL;
	int			n = 0;
	ListCell   *cell;

	sums->arguments = palloc0(sizeof(Argument) * dps_max(list_length(arguments), 1));
	sums->is_fixed = true;
	foreach(cell, arguments)
	{
		Argument   *argument = &sums->arguments[n++];
		const Node *column = dps_strip_relabel(lfirst(cell));
		const List *place = n == 1 && sums->groups.units != NULL ? dps_place_parts((const Expr *) column) : NIL;

		if (place != NIL)
		{
			begin_place(sums, place, offsets);
			continue;
		}
		argument->is_computed = !IsA(column, Var) || ((const Var *) column)->varattno <= 0;
		if (argument->is_computed)
		{
			argument->column = list_length(expressions);
			expressions = lappend(expressions, makeTargetEntry(lfirst(cell), argument->column + 1, NULL, false));
			continue;
		}
		begin_column(sums, argument, ((const Var *) column)->varattno - 1, offsets);
	}
	pfree(offsets);
	if (expressions != NIL)
		sums->computed = begin_computed(sums, expressions);
}

/* Do the arguments take no memory, neither where they are looked up nor where they
 * are read? */
static bool
are_plain_arguments(const DpsGroupSums *groups, const List *arguments)
{
	ListCell   *cell;
	int			i;

	for (i = 0; i < groups->plan->nkeys; i++)
	{
		if (groups->maps[i].find != NULL)
			return false;
	}
	foreach(cell, arguments)
	{
		if (!get_typbyval(exprType(lfirst(cell))))
			return false;
	}
	return true;
}

/* The types of the arguments, of which there are as many. */
static Oid *
types_of(const List *arguments)
{
	Oid		   *types = palloc(sizeof(Oid) * (list_length(arguments) + 1));
	ListCell   *cell;

	foreach(cell, arguments)
		types[foreach_current_index(cell)] = exprType(lfirst(cell));
	return types;
}

/* The cells are the arguments from this one on. */
static void
begin_cells(const DpsGroupSums *groups, Argument *argument)
{
	int			i;

	for (i = 0; i < groups->plan->ncells; i++, argument++)
	{
		argument->type = groups->cells[i].type;
		argument->cells = groups->columns[i];
	}
}

static const DpsGroupsPlan *
plan_of(const CustomScan *scan)
{
	const Aggref *aggref = castNode(Aggref, llast_node(TargetEntry, scan->custom_scan_tlist)->expr);
	const Const *constant = castNode(Const, linitial_node(TargetEntry, aggref->args)->expr);

	return (const DpsGroupsPlan *) PG_DETOAST_DATUM(constant->constvalue);
}

/* Are rows of units limited, while no unit can have more than one? */
static bool
has_single_rows(const CustomScanState *node, const DpsGroupsPlan *plan)
{
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	return dps_groups_limit_units(plan) &&
		dps_yields_places_once(node->ss.ps.state, dps_scan_below(node)->plan, linitial(scan->custom_exprs));
}

/* If no unit can have several rows, their units are not needed. */
static void
begin_groups(RowSums *sums, const CustomScan *scan)
{
	DpsGroupSums *groups = &sums->groups;
	List	   *arguments = scan->custom_exprs;

	dps_groups_init(groups, plan_of(scan), types_of(arguments), list_length(arguments));
	if (has_single_rows(&sums->css, groups->plan))
	{
		dps_groups_count_all(groups);
		arguments = list_copy_tail(arguments, 1);
	}
	begin_arguments(sums, arguments);
	begin_cells(groups, sums->arguments + (groups->units != NULL ? 1 : 0) + groups->plan->nkeys);
	sums->has_cells_only = list_length(arguments) == groups->plan->ncells && sums->computed == NULL &&
		groups->parts == NULL;
	sums->allocates = sums->computed != NULL || groups->units != NULL || groups->parts != NULL ||
		!are_plain_arguments(groups, arguments);
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;

	((RowSums *) node)->is_part = intVal(linitial(scan->custom_private));
	dps_scan_begin(node, estate, eflags);
	if (!(eflags & EXEC_FLAG_EXPLAIN_ONLY))
		begin_groups((RowSums *) node, scan);
}

static void
end(CustomScanState *node)
{
	RowSums    *sums = (RowSums *) node;

	if (sums->groups.plan != NULL)
		dps_groups_end(&sums->groups);
	dps_scan_end(node);
}

/* ---- rows ---- */

/* A row of the plan below, and what is computed of it. */
typedef struct Row
{
	const TupleTableSlot *below;
	const char *cells;			/* where its columns are stored; NULL: they are in the slot */
	const TupleTableSlot *computed;
} Row;

/* A row that is stored with all columns that are read, each in its place, is read
 * there, unless its columns have been looked for already. */
static inline const char *
find_cells(const RowSums *sums, const TupleTableSlot *slot)
{
	HeapTuple	tuple;

	if (!sums->is_fixed || slot->tts_ops != &TTSOpsBufferHeapTuple || slot->tts_nvalid >= sums->ncolumns)
		return NULL;
	tuple = ((const HeapTupleTableSlot *) slot)->tuple;
	if (tuple == NULL || !dps_has_columns(tuple->t_data, sums->ncolumns))
		return NULL;
	return (const char *) tuple->t_data + tuple->t_data->t_hoff;
}

static inline Datum
fetch_argument(const Argument *argument, const char *cells)
{
	return fetch_att(cells + argument->offset, argument->byval, argument->length);
}

static inline NullableDatum
read_argument(const Argument *argument, const Row *row)
{
	const TupleTableSlot *slot = argument->is_computed ? row->computed : row->below;

	if (row->cells != NULL && !argument->is_computed)
		return (NullableDatum) {fetch_argument(argument, row->cells), false};
	return (NullableDatum) {slot->tts_values[argument->column], slot->tts_isnull[argument->column]};
}

/* A place as a short string; those of two places are equal if their parts are. */
typedef struct PlaceBytes
{
	char		header;
	char		nulls;
	char		part[sizeof(Oid) + sizeof(ItemPointerData)];
} PlaceBytes;

static inline void
read_place(const Argument *parts, const Row *row, PlaceBytes *bytes)
{
	NullableDatum table = read_argument(&parts[0], row);
	NullableDatum place = read_argument(&parts[1], row);
	Oid			oid = table.isnull ? InvalidOid : DatumGetObjectId(table.value);

	memset(bytes, 0, sizeof(*bytes));
	SET_VARSIZE_1B(bytes, sizeof(*bytes));
	bytes->nulls = (char) (table.isnull | place.isnull << 1);
	memcpy(bytes->part, &oid, sizeof(oid));
	if (!place.isnull)
		memcpy(bytes->part + sizeof(oid), DatumGetPointer(place.value), sizeof(ItemPointerData));
}

/* The number of the row's group, or -1. */
static inline int64
find_group(const DpsGroupSums *groups, const Argument *key, const Row *row)
{
	int64		group = 0;
	int			i;

	for (i = 0; i < groups->plan->nkeys; i++, key++)
	{
		NullableDatum value = read_argument(key, row);
		int32		number = value.isnull ? -1 : dps_key_map_find(&groups->maps[i], value.value);

		if (number < 0)
			return -1;
		group = group * groups->maps[i].nkeys + number;
	}
	return group;
}

/* The row's cells and filters are the arguments from this one on. */
static inline void
add_cells(DpsGroupSums *groups, const Argument *argument, const Row *row)
{
	int			i;

	for (i = 0; i < groups->plan->ncells; i++, argument++)
	{
		NullableDatum cell = read_argument(argument, row);

		argument->cells[groups->nrows] = cell.isnull ? NAN : dps_read_cell(argument->type, cell.value);
	}
	for (i = 0; i < groups->plan->nfilters; i++, argument++)
	{
		NullableDatum filter = read_argument(argument, row);

		groups->filters[i][groups->nrows] = !filter.isnull && DatumGetBool(filter.value);
	}
}

static inline void
add_row(RowSums *sums, const Row *row)
{
	DpsGroupSums *groups = &sums->groups;
	const Argument *keys = sums->arguments + (groups->units != NULL ? 1 : 0);
	int64		group = find_group(groups, keys, row);
	NullableDatum unit = {(Datum) 0, true};
	PlaceBytes	bytes;

	if (group < 0)
		return;
	add_cells(groups, keys + groups->plan->nkeys, row);
	if (sums->place != NULL)
	{
		read_place(sums->place, row, &bytes);
		unit = (NullableDatum) {PointerGetDatum(&bytes), false};
	}
	else if (groups->units != NULL)
		unit = read_argument(sums->arguments, row);
	dps_groups_end_unit_row(groups, (uint32) group, unit.value, unit.isnull);
}

/* The common row: of one group, and stored with all that is read. */
static inline void
add_stored_row(RowSums *sums, const char *cells)
{
	DpsGroupSums *groups = &sums->groups;
	const Argument *argument = sums->arguments;
	const Argument *end = argument + groups->plan->ncells;

	for (; argument < end; argument++)
	{
		if (argument->type == FLOAT8OID)
			argument->cells[groups->nrows] = DatumGetFloat8(fetch_argument(argument, cells));
		else
			argument->cells[groups->nrows] = dps_read_cell(argument->type, fetch_argument(argument, cells));
	}
	dps_groups_add_row(groups, 0);
}

/* All of a row is computed before any of it is looked at, as for an aggregate. */
static inline void
take_row(RowSums *sums, TupleTableSlot *below)
{
	Row			row = {below, NULL, NULL};

	if (sums->computed != NULL)
	{
		sums->computed->pi_exprContext->ecxt_scantuple = below;
		row.computed = ExecProject(sums->computed);
	}
	row.cells = find_cells(sums, below);
	if (sums->has_cells_only && (row.cells != NULL || sums->ncolumns == 0))
	{
		add_stored_row(sums, row.cells);
		return;
	}
	if (row.cells == NULL)
		slot_getsomeattrs(below, sums->ncolumns);
	add_row(sums, &row);
}

static void
take_row_with_memory(RowSums *sums, TupleTableSlot *below)
{
	ExprContext *context = sums->css.ss.ps.ps_ExprContext;
	MemoryContext previous = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);

	take_row(sums, below);
	MemoryContextSwitchTo(previous);
	ResetExprContext(context);
}

/* The rows of a page come one after the other. */
static inline void
expect_rows(RowSums *sums, const TupleTableSlot *row)
{
	Buffer		page;

	if (row->tts_ops != &TTSOpsBufferHeapTuple)
		return;
	page = ((const BufferHeapTupleTableSlot *) row)->buffer;
	if (page != sums->page && BufferIsValid(page))
		dps_expect_rows(page);
	sums->page = page;
}

static void
read_rows(RowSums *sums)
{
	PlanState  *below = dps_scan_below(&sums->css);

	sums->reads_pages = IsA(below, SeqScanState) && (sums->ncolumns > 0 || sums->computed != NULL);
	for (;;)
	{
		TupleTableSlot *row;

		CHECK_FOR_INTERRUPTS();
		row = ExecProcNode(below);
		if (TupIsNull(row))
			return;
		if (sums->reads_pages)
			expect_rows(sums, row);
		if (sums->allocates)
			take_row_with_memory(sums, row);
		else
			take_row(sums, row);
	}
}

/* ---- the result ---- */

/* One of several processes gives its block to the node that adds blocks up. */
static Datum
result_states(RowSums *sums)
{
	return sums->is_part ? dps_block_give(sums->groups.block, sums->css.ss.ps.state->es_query_dsa) :
		dps_groups_result(&sums->groups);
}

/* NULL if no row reached a group: states of no rows. */
static TupleTableSlot *
execute(CustomScanState *node)
{
	RowSums    *sums = (RowSums *) node;
	int			column = node->ss.ss_ScanTupleSlot->tts_tupleDescriptor->natts - 1;

	if (sums->done)
		return NULL;
	if (sums->shared_units == NULL ||
		dps_units_join(sums->groups.units, sums->shared_units, node->ss.ps.state->es_query_dsa))
		read_rows(sums);
	dps_groups_finish(&sums->groups);
	sums->done = true;
	return dps_scan_yield(node, column, sums->groups.any_row ? result_states(sums) : (Datum) 0, !sums->groups.any_row);
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
	if (context->seg == NULL || sums->groups.units == NULL)
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
	RowSums    *sums = (RowSums *) node;

	(void) toc;
	/* all processes see the same plan */
	if (sums->groups.units == NULL)
		return;
	sums->shared_units = shared;
	dps_shared_units_attach(shared);
}

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	(void) ancestors;
	if (has_single_rows(node, plan_of((const CustomScan *) node->ss.ps.plan)))
		dps_explain_single_rows(es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DPS_ROW_SUMS,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ExplainCustomScan = explain
};

/* ---- the plan ---- */

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = dps_scan_plan(path, target, children);
	Aggref	   *aggref = castNode(Aggref, linitial(path->custom_private));
	ListCell   *cell;

	(void) rel;
	(void) clauses;
	dps_keep_rows_whole(root, linitial(children));
	foreach(cell, ((const Plan *) linitial(children))->targetlist)
		dps_scan_add_entry(plan, copyObject(lfirst_node(TargetEntry, cell)->expr));
	dps_scan_add_entry(plan, (Expr *) aggref);
	for_each_from(cell, aggref->args, 1)
		plan->custom_exprs = lappend(plan->custom_exprs, copyObject(lfirst_node(TargetEntry, cell)->expr));
	plan->custom_private = list_make1(makeInteger(path->path.parallel_workers > 0));
	return (Plan *) plan;
}

static const DpsScanNode row_sums = DPS_SCAN_NODE(DPS_ROW_SUMS, RowSums, make_plan, &exec_methods);

/* A row costs what a call of an aggregate's transition function does, so that the node
 * is chosen for the other costs of an aggregate. */
Path *
dps_row_sums_path(RelOptInfo *rel, Path *rows, bool shares_units)
{
	CustomPath *path = dps_scan_path(&row_sums, rel);

	path->path.parallel_aware = shares_units;
	path->path.parallel_safe = rel->consider_parallel && rows->parallel_safe;
	path->path.parallel_workers = rows->parallel_workers;
	path->path.rows = 1;
	path->path.startup_cost = path->path.total_cost = rows->total_cost + cpu_operator_cost * rows->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(rows);
	/* the aggregate may be large, and is not copied for a path */
	path->custom_private = list_make1(linitial(rel->reltarget->exprs));
	return (Path *) path;
}

void
dps_row_sums_init(void)
{
	dps_scan_register(&row_sums);
}
