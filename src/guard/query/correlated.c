/*
 * correlated.c
 *		Does a query depend on the row of a query around it?
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "guard/query/correlated.h"

typedef struct OuterContext
{
	int			depth;
	List	   *ancestors;		/* of Query *: the enclosing queries, the innermost first */
} OuterContext;

/* Is the entry a reference to a correlated WITH query of an enclosing query?  A WITH query is computed
 * once, unless it refers itself to a query that is still further out. */
static bool
is_correlated_entry(const RangeTblEntry *entry, const OuterContext *context)
{
	int			up = (int) entry->ctelevelsup - context->depth - 1;
	List	   *ancestors;
	ListCell   *cell;

	if (entry->rtekind != RTE_CTE || up < 0)
		return false;
	if (up >= list_length(context->ancestors))
		return true;
	ancestors = list_copy_tail(context->ancestors, up);
	foreach(cell, linitial_node(Query, ancestors)->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (strcmp(cte->ctename, entry->ctename) == 0)
			return entry->self_reference || dps_is_correlated(castNode(Query, cte->ctequery), ancestors);
	}
	return true;
}

static bool
outer_reference_walker(Node *node, OuterContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return (int) ((Var *) node)->varlevelsup > context->depth;
	if (IsA(node, Aggref) && (int) ((Aggref *) node)->agglevelsup > context->depth)
		return true;
	if (IsA(node, RangeTblEntry))
		return is_correlated_entry((RangeTblEntry *) node, context);
	if (IsA(node, Query))
	{
		OuterContext inner = {context->depth + 1, context->ancestors};

		return query_tree_walker((Query *) node, outer_reference_walker, &inner, QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, outer_reference_walker, context);
}

bool
dps_is_correlated(Query *query, List *ancestors)
{
	OuterContext context = {0, ancestors};

	check_stack_depth();
	return query_tree_walker(query, outer_reference_walker, &context, QTW_EXAMINE_RTES_BEFORE);
}
