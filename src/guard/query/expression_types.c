/*
 * expression_types.c
 *		The types and collations that a statement computes with.
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
note_expression(DpsTypes *noted, Node *node)
{
	note_type(noted, exprType(node));
	note_oid(&noted->collations, exprCollation(node));
	note_oid(&noted->collations, exprInputCollation(node));
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

static bool
type_walker(Node *node, DpsTypes *noted)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, type_walker, noted, 0);
	if (has_type(node))
		note_expression(noted, node);
	return expression_tree_walker(node, type_walker, noted);
}

DpsTypes
dps_expression_types(Query *query)
{
	DpsTypes	noted = {NIL, NIL};

	(void) type_walker((Node *) query, &noted);
	return noted;
}
