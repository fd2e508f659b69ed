/*
 * whole_rows.c
 *		Scans that yield rows as they lie, with all their columns.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"

#include "agg/scan/whole_rows.h"

/* ---- one relation ---- */

/* Are all entries columns of the relation?  Then whole rows contain them. */
static bool
are_columns(const List *target, Index relation)
{
	ListCell   *cell;

	foreach(cell, target)
	{
		const Var  *column = (const Var *) lfirst_node(TargetEntry, cell)->expr;

		if (!IsA(column, Var) || column->varno != (int) relation || column->varattno <= 0 || column->varlevelsup != 0)
			return false;
	}
	return true;
}

/* Does a scan of this kind read stored rows? */
static bool
reads_stored_rows(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_TidScan:
			return true;
		case T_BitmapHeapScan:
			/* it may need no row where no column is asked for */
			return plan->targetlist != NIL;
		default:
			return false;
	}
}

static bool
reads_rows(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SubqueryScan:
		case T_FunctionScan:
		case T_ValuesScan:
		case T_CteScan:
			return true;
		default:
			return reads_stored_rows(plan);
	}
}

static void
keep_rows_of_scan(PlannerInfo *root, Plan *plan)
{
	Index		relation = ((const Scan *) plan)->scanrelid;
	List	   *columns;

	if (!are_columns(plan->targetlist, relation))
		return;
	/* NIL if some columns are not in every row */
	columns = build_physical_tlist(root, find_base_rel(root, relation));
	if (columns != NIL)
		plan->targetlist = columns;
}

static bool
can_return(const List *columns)
{
	ListCell   *cell;

	foreach(cell, columns)
	{
		if (lfirst_node(TargetEntry, cell)->resjunk)
			return false;
	}
	return true;
}

/* The rows are those of the index. */
static void
keep_rows_of_index(IndexOnlyScan *scan)
{
	if (are_columns(scan->scan.plan.targetlist, scan->scan.scanrelid) && can_return(scan->indextlist))
		scan->scan.plan.targetlist = copyObject(scan->indextlist);
}

/* ---- partitions ---- */

/* Has the relation the columns of the one above, in the same places? */
static bool
is_alike(PlannerInfo *root, const AppendRelInfo *child)
{
	RelOptInfo *rel = find_base_rel(root, child->child_relid);
	AttrNumber	number = 0;
	ListCell   *cell;

	if (list_length(child->translated_vars) != rel->max_attr)
		return false;
	foreach(cell, child->translated_vars)
	{
		const Var  *column = lfirst(cell);

		number++;
		if (column == NULL || !IsA(column, Var) || column->varno != (int) child->child_relid || column->varattno != number)
			return false;
	}
	return find_base_rel(root, child->parent_relid)->max_attr == number;
}

/* The topmost relation that this one is a part of; 0 if their rows are not alike. */
static Index
find_whole(PlannerInfo *root, Index relation)
{
	const AppendRelInfo *child;

	while ((child = root->append_rel_array[relation]) != NULL)
	{
		if (!is_alike(root, child))
			return 0;
		relation = child->parent_relid;
	}
	return relation;
}

/* The relation of which all these scans read parts; 0: none. */
static Index
find_common_whole(PlannerInfo *root, const List *scans)
{
	Index		whole = 0;
	ListCell   *cell;

	foreach(cell, scans)
	{
		const Plan *plan = lfirst(cell);
		Index		relation = reads_stored_rows(plan) ? ((const Scan *) plan)->scanrelid : 0;
		Index		found = relation != 0 && are_columns(plan->targetlist, relation) ? find_whole(root, relation) : 0;

		if (found == 0 || (whole != 0 && whole != found))
			return 0;
		whole = found;
	}
	return whole;
}

/* The columns of each scan's relation; NIL if those of one are not all there. */
static List *
list_columns(PlannerInfo *root, const List *scans)
{
	List	   *lists = NIL;
	ListCell   *cell;

	foreach(cell, scans)
	{
		List	   *columns = build_physical_tlist(root, find_base_rel(root, ((const Scan *) lfirst(cell))->scanrelid));

		if (columns == NIL)
			return NIL;
		lists = lappend(lists, columns);
	}
	return lists;
}

static void
keep_rows_of_append(PlannerInfo *root, Append *append)
{
	Index		whole = root->append_rel_array == NULL ? 0 : find_common_whole(root, append->appendplans);
	List	   *columns;
	List	   *lists;
	ListCell   *scan;
	ListCell   *list;

	if (whole == 0 || !are_columns(append->plan.targetlist, whole))
		return;
	columns = build_physical_tlist(root, find_base_rel(root, whole));
	lists = list_columns(root, append->appendplans);
	if (columns == NIL || lists == NIL)
		return;
	append->plan.targetlist = columns;
	forboth(scan, append->appendplans, list, lists)
		((Plan *) lfirst(scan))->targetlist = lfirst(list);
}

void
dps_keep_rows_whole(PlannerInfo *root, Plan *plan)
{
	if (reads_rows(plan))
		keep_rows_of_scan(root, plan);
	else if (IsA(plan, IndexOnlyScan))
		keep_rows_of_index((IndexOnlyScan *) plan);
	else if (IsA(plan, Append))
		keep_rows_of_append(root, (Append *) plan);
}
