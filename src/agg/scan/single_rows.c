/*
 * single_rows.c
 *		Plans that yield no stored row twice, whatever is stored.
 *
 * Rows of a join are counted by the row that is protected, so that no more than one
 * counts of each (guard/trace/row_owner.c): a proof that they match one row at most may
 * be wrong.  Where a plan could not yield a second one even then, there is nothing
 * to leave out, and the counting can be saved.
 *
 * Claim.  Let a plan be accepted here, with the place of a row as one of its columns.
 * Then no two rows that it yields have the same place, whatever tables and indexes
 * hold, and whatever is or is not unique.
 *
 * Proof.  By induction from the scan up, along the way that the column takes.
 *
 * - A sequential scan looks at each place of its table once, and a bitmap scan at
 *	 each place of a set.  (An index may be damaged, and name a place twice: other
 *	 scans are not accepted.)
 * - An append's scans are of different tables, and the table is a part of what is
 *	 asked; without it only one scan is accepted.
 * - A join is one whose outer side has the column.  For a row of that side the
 *	 executor yields none or one: it goes on to the next outer row after the first
 *	 match of a semijoin, and of a join whose plan says that the inner side is unique.
 *	 (It does so because of what the planner believes, be that true or not.)  It yields
 *	 an outer row without a match, of a left join or an antijoin, once.  Rows of the
 *	 inner side that meet no outer one are not yielded, by these kinds of joins.
 * - What sorts, stores, gathers or computes columns of rows yields each as often as
 *	 it was given to it.  Of processes that share a plan, each is given other rows.
 *
 * If there are several matches, against the proof, the executor stops at the first;
 * the counting never decides which one that is.
 *
 * Not accepted, so that rows are counted: the protected relation as the inner side; a
 * join of which the planner does not know what was proved otherwise, as that of a
 * list of values; owners that are units, of which the tables themselves may hold
 * several rows; rows of UNION ALL.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "parser/parsetree.h"

#include "agg/scan/single_rows.h"
#include "glue/glue.h"

typedef struct Descent
{
	const EState *estate;
	List	   *tables;			/* OIDs: those whose scans were reached */
} Descent;

static bool descend(Descent *d, const Plan *plan, const List *parts);

/* ---- the place ---- */

const List *
dps_place_parts(const Expr *place)
{
	const FuncExpr *call = (const FuncExpr *) place;
	Oid			argtype = ANYOID;

	if (!IsA(place, FuncExpr) || call->funcid < FirstNormalObjectId || list_length(call->args) != 2 ||
		call->funcid != dps_internal_function("unit_order", 1, &argtype) ||
		!IsA(linitial(call->args), Var) || linitial_node(Var, call->args)->vartype != OIDOID ||
		!IsA(lsecond(call->args), Var) || lsecond_node(Var, call->args)->vartype != TIDOID)
		return NIL;
	return call->args;
}

static const List *
parts_of(Expr *place)
{
	const List *parts = dps_place_parts(place);

	return parts != NIL ? parts : list_make1(place);
}

static bool
is_system_column(const Expr *part, Index scanned, AttrNumber column)
{
	const Var  *var = (const Var *) part;

	return IsA(part, Var) && var->varno == (int) scanned && var->varattno == column && var->varlevelsup == 0;
}

/* Do these parts tell apart the rows of all tables that are scanned? */
static bool
is_place(const List *parts, Index scanned, bool is_only)
{
	if (!is_system_column(llast(parts), scanned, SelfItemPointerAttributeNumber))
		return false;
	return list_length(parts) == 2 ? is_system_column(linitial(parts), scanned, TableOidAttributeNumber) : is_only;
}

/* ---- the plan ---- */

static bool
reaches_scan(Descent *d, const Plan *plan, const List *parts)
{
	Index		scanned = ((const Scan *) plan)->scanrelid;
	Oid			table = rt_fetch(scanned, d->estate->es_range_table)->relid;
	bool		is_new = !list_member_oid(d->tables, table);

	d->tables = lappend_oid(d->tables, table);
	return is_new && is_place(parts, scanned, list_length(d->tables) == 1);
}

/* After the first match, or where there is none, is the next outer row looked at? */
static bool
stops_at_match(const Join *join)
{
	switch (join->jointype)
	{
		case JOIN_INNER:
		case JOIN_LEFT:
			return join->inner_unique;
		case JOIN_SEMI:
		case JOIN_ANTI:
			return true;
		default:
			return false;
	}
}

/* The parts are columns of a plan below, whose varno here is this number. */
static bool
enter(Descent *d, const Plan *below, int number, const List *parts)
{
	List	   *place = NIL;
	ListCell   *cell;

	foreach(cell, parts)
	{
		const Var  *column = lfirst(cell);
		const TargetEntry *entry;

		if (!IsA(column, Var) || column->varno != number || column->varattno <= 0 || column->varlevelsup != 0)
			return false;
		entry = get_tle_by_resno(below->targetlist, column->varattno);
		if (entry == NULL)
			return false;
		place = lappend(place, entry->expr);
	}
	return descend(d, below, list_length(place) == 1 ? parts_of(linitial(place)) : place);
}

static bool
enter_all(Descent *d, const List *plans, const List *parts)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (!enter(d, lfirst(cell), OUTER_VAR, parts))
			return false;
	}
	return true;
}

/* The parts are expressions of the plan's own target. */
static bool
descend(Descent *d, const Plan *plan, const List *parts)
{
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_BitmapHeapScan:
			return reaches_scan(d, plan, parts);
		case T_SubqueryScan:
			return enter(d, ((const SubqueryScan *) plan)->subplan, (int) ((const Scan *) plan)->scanrelid, parts);
		case T_Append:
			return enter_all(d, ((const Append *) plan)->appendplans, parts);
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			return stops_at_match((const Join *) plan) && enter(d, outerPlan(plan), OUTER_VAR, parts);
		case T_Material:
		case T_Sort:
		case T_IncrementalSort:
		case T_Gather:
		case T_GatherMerge:
			return enter(d, outerPlan(plan), OUTER_VAR, parts);
		default:
			return false;
	}
}

/* The caller chooses the varno of the plan's columns. */
bool
dps_yields_places_once(const EState *estate, const Plan *plan, const Expr *place)
{
	Descent		d = {estate, NIL};
	const List *parts = parts_of(unconstify(Expr *, place));

	return IsA(linitial(parts), Var) && enter(&d, plan, linitial_node(Var, parts)->varno, parts);
}

void
dps_explain_single_rows(ExplainState *es)
{
	ExplainPropertyText("Rows Counted", "all, as the plan yields none twice", es);
}
