/*
 * chosen_rows.c
 *		A node that yields the rows of a subquery that count.
 *
 * What the plan hands to the executor: custom_scan_tlist holds the columns of the
 * plan below, custom_private the function's first argument, then column numbers: of
 * the unit, of the mark of first rows (or 0), of the columns that rows are ordered
 * by, and of the others that are needed above.
 *
 * Rows that count are those that come first in the order of agg/unit/row_order.h
 * (agg/state/unit_choice.c says why).  Nothing here raises because of what a cell holds.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "agg/scan/chosen_rows.h"
#include "agg/scan/custom_scan.h"
#include "agg/scan/single_rows.h"
#include "agg/unit/group_keys.h"
#include "glue/constraint/unit_columns.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_exact_rows);

/* The function stands for the node in a query; it is never called. */
Datum
dps_exact_rows(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of units cannot be chosen in this plan"),
			 errhint("Preload dpsens with shared_preload_libraries.")));
}

bool
dps_is_byte_key(Oid type, Oid collation)
{
	Oid			base = getBaseType(type);

	return base == UUIDOID || dps_is_equal_by_bits(base) || dps_is_equal_by_bytes(base, collation);
}

/* ---- the execution ---- */

typedef struct ChosenRows
{
	CustomScanState css;
	DpsImageLayout layout;
	AttrNumber	unit;			/* its column below */
	bool		has_single_rows;	/* no unit has several */
	AttrNumber	first;			/* or 0 */
	AttrNumber	column[DPS_MAX_IMAGE_COLUMNS];	/* those of the image */
	DpsUnits   *units;
	bool		is_read;		/* all rows have been read */
} ChosenRows;

static void
add_column(ChosenRows *chosen, TupleDesc below, AttrNumber number)
{
	DpsImageLayout *layout = &chosen->layout;
	Form_pg_attribute attribute = TupleDescAttr(below, number - 1);

	if (number == 0 || layout->ncolumns == DPS_MAX_IMAGE_COLUMNS || attribute->attlen == -2)
		elog(ERROR, "rows cannot be kept");
	layout->column[layout->ncolumns].length = attribute->attlen;
	layout->column[layout->ncolumns].byval = attribute->attbyval;
	chosen->column[layout->ncolumns++] = number;
}

/* The columns that rows are ordered by, and then the others. */
static void
begin_columns(ChosenRows *chosen, const CustomScan *plan, TupleDesc below)
{
	ListCell   *cell;

	chosen->unit = intVal(lsecond(plan->custom_private));
	chosen->first = intVal(lthird(plan->custom_private));
	foreach(cell, (const List *) lfourth(plan->custom_private))
		add_column(chosen, below, lfirst_int(cell));
	chosen->layout.nordered = chosen->layout.ncolumns;
	foreach(cell, (const List *) list_nth(plan->custom_private, 4))
		add_column(chosen, below, lfirst_int(cell));
}

/* Is the unit the place of a row, which no other row below has? */
static bool
has_single_rows(const CustomScanState *node)
{
	const Plan *below = dps_scan_below(node)->plan;
	AttrNumber	unit = intVal(lsecond(((const CustomScan *) node->ss.ps.plan)->custom_private));
	const Expr *owner = get_tle_by_resno(below->targetlist, unit)->expr;
	Var		   *column = makeVar(OUTER_VAR, unit, exprType((const Node *) owner), -1, InvalidOid, 0);

	return dps_yields_places_once(node->ss.ps.state, below, (const Expr *) column);
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	ChosenRows *chosen = (ChosenRows *) node;
	const CustomScan *plan = (const CustomScan *) node->ss.ps.plan;
	const Const *constant = linitial_node(Const, plan->custom_private);
	const DpsChosenRows *rows = (const DpsChosenRows *) PG_DETOAST_DATUM(constant->constvalue);
	size_t		memory = get_hash_memory_limit();

	dps_scan_begin(node, estate, eflags);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	if (VARSIZE(rows) != sizeof(DpsChosenRows) || rows->version != DPS_CHOSEN_ROWS_VERSION)
		elog(ERROR, "unknown choice of rows");
	begin_columns(chosen, plan, ExecGetResultType(dps_scan_below(node)));
	chosen->layout.nkeys = rows->nkeys;
	chosen->has_single_rows = has_single_rows(node);
	chosen->units = dps_units_make_images(&chosen->layout, &rows->bounds,
										  Min(memory, MaxAllocHugeSize / 4));
}

static void
add_row(ChosenRows *chosen, TupleTableSlot *slot, Datum unit)
{
	ExprContext *context = chosen->css.ss.ps.ps_ExprContext;
	MemoryContext previous = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
	DpsImageRow row;
	int			i;

	row.nulls = 0;
	for (i = 0; i < chosen->layout.ncolumns; i++)
	{
		int			at = chosen->column[i] - 1;

		row.value[i] = slot->tts_values[at];
		if (slot->tts_isnull[at])
			row.nulls |= (uint32) 1 << i;
	}
	dps_units_add_image(chosen->units, unit, &row);
	MemoryContextSwitchTo(previous);
	ResetExprContext(context);
}

static void
set_first(const ChosenRows *chosen, TupleTableSlot *result, bool is_first)
{
	if (chosen->first == 0)
		return;
	result->tts_values[chosen->first - 1] = BoolGetDatum(is_first);
	result->tts_isnull[chosen->first - 1] = false;
}

/* Reads rows up to one that counts in any case, having no unit or being the only row of
 * its unit.  False if there is none. */
static bool
read_rows(ChosenRows *chosen, TupleTableSlot *result)
{
	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(dps_scan_below(&chosen->css));
		int			unit = chosen->unit - 1;

		if (TupIsNull(slot))
			return false;
		slot_getallattrs(slot);
		if (chosen->has_single_rows || slot->tts_isnull[unit])
		{
			memcpy(result->tts_values, slot->tts_values, sizeof(Datum) * slot->tts_tupleDescriptor->natts);
			memcpy(result->tts_isnull, slot->tts_isnull, sizeof(bool) * slot->tts_tupleDescriptor->natts);
			set_first(chosen, result, true);
			return true;
		}
		add_row(chosen, slot, slot->tts_values[unit]);
	}
}

static bool
next_chosen(ChosenRows *chosen, TupleTableSlot *result)
{
	DpsImageRow row;
	int			i;

	if (!dps_units_next_image(chosen->units, &row))
		return false;
	/* columns that nobody asks for */
	memset(result->tts_isnull, true, sizeof(bool) * result->tts_tupleDescriptor->natts);
	for (i = 0; i < chosen->layout.ncolumns; i++)
	{
		int			at = chosen->column[i] - 1;

		result->tts_isnull[at] = (row.nulls >> i) & 1;
		result->tts_values[at] = result->tts_isnull[at] ? (Datum) 0 : row.value[i];
	}
	if (chosen->first > 0)
		set_first(chosen, result, dps_is_first_image(chosen->units));
	return true;
}

static bool
next_row(ChosenRows *chosen, TupleTableSlot *result)
{
	if (!chosen->is_read)
	{
		if (read_rows(chosen, result))
			return true;
		chosen->is_read = true;
		dps_units_end_images(chosen->units);
	}
	return next_chosen(chosen, result);
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	if (!next_row((ChosenRows *) node, slot))
		return NULL;
	ExecStoreVirtualTuple(slot);
	return dps_scan_project(node);
}

static void
rescan(CustomScanState *node)
{
	ChosenRows *chosen = (ChosenRows *) node;

	dps_units_reset(chosen->units);
	chosen->is_read = false;
	dps_scan_rescan(node);
}

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	(void) ancestors;
	if (has_single_rows(node))
		dps_explain_single_rows(es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DPS_CHOSEN_ROWS,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = dps_scan_end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain
};

/* ---- the plan ---- */

static set_rel_pathlist_hook_type previous_rel_pathlist;

/* The number of the column of a plan; 0: it is a constant. */
static int
column_number(const Plan *below, Expr *column)
{
	return IsA(column, Const) ? 0 : tlist_member(column, below->targetlist)->resno;
}

/* The call's arguments that are columns, and what else the target has of the plan
 * below. */
static List *
private_columns(const Plan *below, const FuncExpr *call, const List *target)
{
	int			unit = column_number(below, lsecond(call->args));
	int			first = column_number(below, lthird(call->args));
	List	   *ordered = NIL;
	List	   *others = NIL;
	ListCell   *cell;

	for_each_from(cell, call->args, 3)
		ordered = lappend_int(ordered, column_number(below, lfirst(cell)));
	foreach(cell, target)
	{
		int			number = column_number(below, lfirst(cell));

		if (number != first && !list_member_int(ordered, number))
			others = list_append_unique_int(others, number);
	}
	return list_make5(copyObject(linitial(call->args)), makeInteger(unit), makeInteger(first), ordered, others);
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = dps_scan_plan(path, target, children);
	const Plan *below = linitial(children);
	ListCell   *cell;

	(void) root;
	/* the call is the only clause */
	(void) clauses;
	foreach(cell, below->targetlist)
		plan->custom_scan_tlist = lappend(plan->custom_scan_tlist, copyObject(lfirst(cell)));
	plan->custom_private = private_columns(below, linitial_node(FuncExpr, path->custom_private), rel->reltarget->exprs);
	return (Plan *) plan;
}

static const DpsScanNode chosen_rows = DPS_SCAN_NODE(DPS_CHOSEN_ROWS, ChosenRows, make_plan, &exec_methods);

/* The call, if it is the condition of the rows of a subquery. */
static FuncExpr *
find_call(const RelOptInfo *rel)
{
	FuncExpr   *call;
	Oid			argtypes[2] = {InvalidOid, ANYOID};

	if (list_length(rel->baserestrictinfo) != 1)
		return NULL;
	call = (FuncExpr *) linitial_node(RestrictInfo, rel->baserestrictinfo)->clause;
	if (!IsA(call, FuncExpr) || call->funcid < FirstNormalObjectId || !OidIsValid(dps_schema_oid()))
		return NULL;
	argtypes[0] = dps_internal_type("plan");
	return call->funcid == dps_internal_function("exact_rows", 2, argtypes) ? call : NULL;
}

/* All that the node reads and yields. */
static PathTarget *
columns_below(const RelOptInfo *rel, const FuncExpr *call)
{
	PathTarget *target = copy_pathtarget(rel->reltarget);
	ListCell   *cell;

	for_each_from(cell, call->args, 1)
	{
		if (!IsA(lfirst(cell), Const))
			add_new_column_to_pathtarget(target, copyObject(lfirst(cell)));
	}
	return target;
}

static const SubqueryScanPath *
cheapest_scan(const List *paths)
{
	const SubqueryScanPath *cheapest = NULL;
	ListCell   *cell;

	foreach(cell, paths)
	{
		const SubqueryScanPath *path = lfirst(cell);

		if (IsA(path, SubqueryScanPath) && path->path.param_info == NULL &&
			(cheapest == NULL || path->path.total_cost < cheapest->path.total_cost))
			cheapest = path;
	}
	return cheapest;
}

/* The same scan without the condition. */
static Path *
scan_below(RelOptInfo *rel, const SubqueryScanPath *scan, PathTarget *target)
{
	RelOptInfo *all = makeNode(RelOptInfo);
	SubqueryScanPath *path = makeNode(SubqueryScanPath);

	memcpy(all, rel, sizeof(RelOptInfo));
	all->baserestrictinfo = NIL;
	memcpy(path, scan, sizeof(SubqueryScanPath));
	path->path.parent = all;
	path->path.pathtarget = target;
	return (Path *) path;
}

static void
offer_choice(RelOptInfo *rel, const FuncExpr *call)
{
	CustomPath *path = dps_scan_path(&chosen_rows, rel);
	const SubqueryScanPath *scan = cheapest_scan(rel->pathlist);

	/* nothing to choose among no rows */
	if (IS_DUMMY_REL(rel))
		return;
	if (scan == NULL)
		elog(ERROR, "no plan for rows of units");
	path->path.rows = rel->rows;
	path->path.startup_cost = scan->path.total_cost + cpu_operator_cost * rel->tuples;
	path->path.total_cost = path->path.startup_cost + cpu_tuple_cost * rel->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(scan_below(rel, scan, columns_below(rel, call)));
	path->custom_private = list_make1(copyObject((FuncExpr *) call));
	rel->pathlist = list_make1(path);
	rel->partial_pathlist = NIL;
}

static void
rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *entry)
{
	const FuncExpr *call;

	if (previous_rel_pathlist != NULL)
		previous_rel_pathlist(root, rel, index, entry);
	if (entry->rtekind != RTE_SUBQUERY || (call = find_call(rel)) == NULL)
		return;
	offer_choice(rel, call);
}

void
dps_chosen_rows_init(void)
{
	dps_scan_register(&chosen_rows);
	previous_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = rel_pathlist;
}
