/*
 * expression_types.c
 *		The types and collations that a statement computes with.
 *
 * What is noted is loaded before the first row, so that whether it can be loaded does not depend on whether a
 * row needs it.  Of collations that is all: they are asked for wherever there is an expression, of whatever kind,
 * since a kind that was forgotten would be loaded by the first row, or fail there.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "guard/query/expression_types.h"

static void
note_oid(List **oids, Oid oid)
{
	if (OidIsValid(oid))
		*oids = list_append_unique_oid(*oids, oid);
}

static void
note_type(DpsTypes *noted, Oid type)
{
	Oid			base = getBaseType(type);
	Oid			element = get_element_type(base);

	note_oid(&noted->types, type);
	note_oid(&noted->types, base);
	if (OidIsValid(element))
		note_type(noted, element);
}

static void
note_collations(DpsTypes *noted, Node *node)
{
	ListCell   *cell;
	List	   *more = IsA(node, RowCompareExpr) ? ((RowCompareExpr *) node)->inputcollids : NIL;

	note_oid(&noted->collations, exprCollation(node));
	note_oid(&noted->collations, exprInputCollation(node));
	foreach(cell, more)
		note_oid(&noted->collations, lfirst_oid(cell));
}

/* Is the node no expression, but what holds some? */
static bool
is_frame(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_List:
		case T_IntList:
		case T_OidList:
		case T_TargetEntry:
		case T_FromExpr:
		case T_JoinExpr:
		case T_RangeTblRef:
		case T_RangeTblFunction:
		case T_TableSampleClause:
		case T_TableFunc:
		case T_SortGroupClause:
		case T_GroupingSet:
		case T_WindowClause:
		case T_CommonTableExpr:
		case T_CTESearchClause:
		case T_CTECycleClause:
		case T_CaseWhen:
		case T_WithCheckOption:
		case T_OnConflictExpr:
		case T_MergeAction:
			return true;
		default:
			return false;
	}
}

/* Is the node of a kind whose type is noted? */
static bool
has_type(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_Param:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseExpr:
		case T_ArrayExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
			return true;
		default:
			return false;
	}
}

static void
note_set_operation(DpsTypes *noted, const SetOperationStmt *operation)
{
	ListCell   *cell;

	foreach(cell, operation->colCollations)
		note_oid(&noted->collations, lfirst_oid(cell));
}

static bool
type_walker(Node *node, DpsTypes *noted)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, type_walker, noted, 0);
	if (IsA(node, SetOperationStmt))
		note_set_operation(noted, (SetOperationStmt *) node);
	else if (!is_frame(node))
		note_collations(noted, node);
	if (has_type(node))
		note_type(noted, exprType(node));
	return expression_tree_walker(node, type_walker, noted);
}

DpsTypes
dps_expression_types(Query *query)
{
	DpsTypes	noted = {NIL, NIL};

	(void) type_walker((Node *) query, &noted);
	return noted;
}
