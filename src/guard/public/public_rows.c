/*
 * public_rows.c
 *		A plan node that keeps the rows of a relation that is not protected.
 *
 * The node reads its relation once and completely, when dps_read_public_rows() is called (private_run.c),
 * whether or not a row will be fetched, and keeps the columns that the plan names, detoasted.  Afterwards
 * no node above it, however often and in which order it fetches rows, causes accesses to the relation's
 * pages or indexes.  There is no other path for the relation, and no parameterised one, so what is read
 * does not depend on other rows.
 *
 * Conditions are evaluated on the kept rows, when they are fetched.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "agg/scan/custom_scan.h"
#include "guard/public/public_rows.h"

#define PUBLIC_ROWS "dpsens public rows"

typedef struct PublicRows
{
	CustomScanState css;
	bool	   *is_kept;		/* of each column */
	int			last_kept;		/* the last of them, or 0 */
	Tuplestorestate *store;		/* NULL before they are read */
	TupleTableSlot *stored;		/* for rows of the store */
	struct PublicRows *next;	/* in the list of the nodes of all executions */
} PublicRows;

static PublicRows *all_rows = NULL;

/* ---- the execution ---- */

static void
forget(void *arg)
{
	PublicRows **link;

	for (link = &all_rows; *link != NULL; link = &(*link)->next)
	{
		if (*link == arg)
		{
			*link = (*link)->next;
			return;
		}
	}
}

/* Adds the node to the list, until the execution's memory is released. */
static void
enlist(PublicRows *rows, EState *estate)
{
	MemoryContextCallback *callback = MemoryContextAlloc(estate->es_query_cxt, sizeof(MemoryContextCallback));

	callback->func = forget;
	callback->arg = rows;
	MemoryContextRegisterResetCallback(estate->es_query_cxt, callback);
	rows->next = all_rows;
	all_rows = rows;
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	PublicRows *rows = (PublicRows *) node;
	const CustomScan *plan = (const CustomScan *) node->ss.ps.plan;
	TupleDesc	descriptor = RelationGetDescr(node->ss.ss_currentRelation);
	ListCell   *cell;

	rows->is_kept = palloc0(sizeof(bool) * (descriptor->natts + 1));
	foreach(cell, (const List *) linitial(plan->custom_private))
	{
		rows->is_kept[lfirst_int(cell) - 1] = true;
		rows->last_kept = Max(rows->last_kept, lfirst_int(cell));
	}
	rows->stored = ExecInitExtraTupleSlot(estate, descriptor, &TTSOpsMinimalTuple);
	enlist(rows, estate);
}

/* Keeps a row, with NULL in the columns that are not kept. */
static void
keep_row(PublicRows *rows, TupleTableSlot *slot, Datum *values, bool *isnull)
{
	TupleDesc	descriptor = slot->tts_tupleDescriptor;
	int			i;

	slot_getsomeattrs(slot, rows->last_kept);
	for (i = 0; i < rows->last_kept; i++)
	{
		isnull[i] = !rows->is_kept[i] || slot->tts_isnull[i];
		if (isnull[i])
			continue;
		values[i] = slot->tts_values[i];
		if (TupleDescAttr(descriptor, i)->attlen == -1 && VARATT_IS_EXTERNAL(DatumGetPointer(values[i])))
			values[i] = PointerGetDatum(detoast_external_attr((struct varlena *) DatumGetPointer(values[i])));
	}
	tuplestore_putvalues(rows->store, descriptor, values, isnull);
}

static void
read_rows(PublicRows *rows)
{
	EState	   *estate = rows->css.ss.ps.state;
	Relation	relation = rows->css.ss.ss_currentRelation;
	int			natts = Max(RelationGetDescr(relation)->natts, 1);
	MemoryContext previous = MemoryContextSwitchTo(estate->es_query_cxt);
	Datum	   *values = palloc0(sizeof(Datum) * natts);
	bool	   *isnull = palloc(sizeof(bool) * natts);
	MemoryContext of_row = AllocSetContextCreate(estate->es_query_cxt, PUBLIC_ROWS, ALLOCSET_DEFAULT_SIZES);
	TupleTableSlot *slot = table_slot_create(relation, NULL);
	TableScanDesc scan = table_beginscan(relation, estate->es_snapshot, 0, NULL);

	memset(isnull, true, sizeof(bool) * natts);
	rows->store = tuplestore_begin_heap(false, false, work_mem);
	MemoryContextSwitchTo(of_row);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		keep_row(rows, slot, values, isnull);
		MemoryContextReset(of_row);
	}
	MemoryContextSwitchTo(previous);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(of_row);
	pfree(values);
	pfree(isnull);
}

void
dps_read_public_rows(const EState *estate)
{
	PublicRows *rows;

	for (rows = all_rows; rows != NULL; rows = rows->next)
	{
		if (rows->css.ss.ps.state == estate && rows->store == NULL)
			read_rows(rows);
	}
}

static TupleTableSlot *
next_row(ScanState *node)
{
	PublicRows *rows = (PublicRows *) node;
	TupleTableSlot *slot;

	if (!tuplestore_gettupleslot(rows->store, true, false, rows->stored))
		return ExecClearTuple(node->ss_ScanTupleSlot);
	slot = dps_scan_show(node, rows->stored);
	slot->tts_tableOid = RelationGetRelid(node->ss_currentRelation);
	return slot;
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	PublicRows *rows = (PublicRows *) node;

	if (rows->store == NULL)
		elog(ERROR, "public rows are asked for before they were read");
	return dps_scan_filter(node, next_row);
}

static void
end(CustomScanState *node)
{
	PublicRows *rows = (PublicRows *) node;

	if (rows->store != NULL)
		tuplestore_end(rows->store);
	rows->store = NULL;
}

static void
rescan(CustomScanState *node)
{
	PublicRows *rows = (PublicRows *) node;

	if (rows->store != NULL)
		tuplestore_rescan(rows->store);
	ExecScanReScan(&node->ss);
}

static const CustomExecMethods exec_methods = {
	.CustomName = PUBLIC_ROWS,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan
};

/* ---- the plan ---- */

/* The numbers of the columns that the plan names. */
static List *
named_columns(PlannerInfo *root, const RelOptInfo *rel, List *target, List *conditions)
{
	Oid			relation = planner_rt_fetch(rel->relid, root)->relid;
	Bitmapset  *named = NULL;
	List	   *columns = NIL;
	int			column = -1;

	pull_varattnos((Node *) target, rel->relid, &named);
	pull_varattnos((Node *) conditions, rel->relid, &named);
	while ((column = bms_next_member(named, column)) >= 0)
	{
		AttrNumber	number = column + FirstLowInvalidHeapAttributeNumber;

		if (number > 0)
			columns = lappend_int(columns, number);
		else if (number != TableOidAttributeNumber)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("system columns and whole rows of relation \"%s\" are not supported below dp aggregates of a role without SELECT privilege",
							get_rel_name(relation)),
					 errhint("Name its columns.")));
	}
	return columns;
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = dps_scan_plan(path, target, children);
	List	   *conditions = extract_actual_clauses(clauses, false);

	plan->scan.plan.qual = conditions;
	plan->scan.scanrelid = rel->relid;
	plan->custom_private = list_make1(named_columns(root, rel, target, conditions));
	return (Plan *) plan;
}

static const DpsScanNode public_rows = DPS_SCAN_NODE(PUBLIC_ROWS, PublicRows, make_plan, &exec_methods);

Path *
dps_public_rows_path(RelOptInfo *rel, const Path *scan)
{
	CustomPath *path = dps_scan_path(&public_rows, rel);

	path->path.rows = rel->rows;
	path->path.startup_cost = scan->total_cost;
	path->path.total_cost = scan->total_cost + cpu_tuple_cost * rel->tuples;
	return (Path *) path;
}

void
dps_public_rows_init(void)
{
	dps_scan_register(&public_rows);
}
