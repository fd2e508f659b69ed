/*
 * linked_operators.c
 *		What an operator can be exchanged for while a statement is planned.
 *
 * Guards look at the functions that a statement calls.  The planner goes by operators: NOT (a < b) becomes a >= b by
 * the negator that pg_operator names, and a < b becomes b > a by the commutator, whatever functions these have.  Who makes
 * an operator over a function of the server names its negator, and names one of the server's operators as that of his own,
 * which links it where it had none.  So what a guard has read would not be what runs.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "glue/import/import.h"
#include "glue/import/linked_operators.h"

/* An operator, its negator, its commutator and what these have; more are taken to be a user's. */
#define MOST_LINKED 8

/* Is one of the operators that it leads to a user's? */
static bool
leads_away(Oid operator)
{
	Oid			linked[MOST_LINKED] = {operator};
	int			n = 1;
	int			i;

	for (i = 0; i < n; i++)
	{
		Oid			next[2] = {get_negator(linked[i]), get_commutator(linked[i])};
		int			k;

		for (k = 0; k < 2; k++)
		{
			int			j = 0;

			if (!OidIsValid(next[k]))
				continue;
			if (next[k] >= FirstNormalObjectId)
				return true;
			while (j < n && linked[j] != next[k])
				j++;
			if (j == MOST_LINKED)
				return true;
			if (j == n)
				linked[n++] = next[k];
		}
	}
	return false;
}

static bool
is_foreign(Oid operator)
{
	if (!OidIsValid(operator))
		return false;
	if (operator >= FirstNormalObjectId)
		return get_opcode(operator) < FirstNormalObjectId;
	return leads_away(operator);
}

/* The operators of a node. */
static List *
operators_of(Node *node)
{
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return list_make1_oid(((OpExpr *) node)->opno);
		case T_ScalarArrayOpExpr:
			return list_make1_oid(((ScalarArrayOpExpr *) node)->opno);
		case T_RowCompareExpr:
			return ((RowCompareExpr *) node)->opnos;
		case T_SortGroupClause:
			return list_make2_oid(((SortGroupClause *) node)->eqop, ((SortGroupClause *) node)->sortop);
		default:
			return NIL;
	}
}

Oid
dps_foreign_operator(Node *node)
{
	ListCell   *cell;

	foreach(cell, operators_of(node))
	{
		if (is_foreign(lfirst_oid(cell)))
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

bool
dps_has_made_operator(Node *node)
{
	ListCell   *cell;

	foreach(cell, operators_of(node))
	{
		if (lfirst_oid(cell) >= FirstNormalObjectId)
			return true;
	}
	return false;
}

static bool
refuse_walker(Node *node, const char *text)
{
	Oid			operator;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, refuse_walker, unconstify(char *, text), 0);
	operator = dps_foreign_operator(node);
	if (OidIsValid(operator))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("operator %s is not supported in a private answer", format_operator(operator)),
				 errdetail("It, or an operator that the planner may put in its place, was made by a user."),
				 errhint("Use an operator of the server, or call the function."),
				 errposition(dps_text_position(text, exprLocation(node)))));
	return expression_tree_walker(node, refuse_walker, unconstify(char *, text));
}

void
dps_refuse_foreign_operators(Node *tree, const char *text)
{
	(void) refuse_walker(tree, text);
}
