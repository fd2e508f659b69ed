/*
 * dp_aggregates.c
 *		The aggregates of a query: those of its level, and the dp aggregates.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "guard/query/dp_aggregates.h"

/* The function's name if it is a dp function of the extension, else NULL. */
static char *
own_name(Oid function)
{
	char	   *name = function < FirstNormalObjectId ? NULL : get_func_name(function);

	return name != NULL && strncmp(name, "dp_", 3) == 0 && dps_is_own_function(function) ? name : NULL;
}

bool
dps_takes_array(Oid function)
{
	Oid		   *types;
	int			n;
	int			i;

	(void) get_func_signature(function, &types, &n);
	for (i = 0; i < n; i++)
	{
		if (types[i] == FLOAT8ARRAYOID)
			return true;
	}
	return false;
}

int
dps_family_row(const DpsAggregate *family)
{
	int			row = 0;

	while (dps_aggregates[row] != family)
		row++;
	return row;
}

int
dps_dp_aggregate(Oid function)
{
	char	   *name = own_name(function);
	bool		interval;
	int			statistic;

	if (name == NULL)
		return -1;
	statistic = dps_statistic_find(name, dps_takes_array(function), &interval);
	return statistic >= 0 ? dps_family_row(dps_statistics[statistic].family) :
		dps_aggregate_find_variant(name, get_func_rettype(function), false);
}

static bool
dp_aggregate_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && dps_dp_aggregate(((Aggref *) node)->aggfnoid) >= 0)
		return true;
	if (IsA(node, WindowFunc) && dps_dp_aggregate(((WindowFunc *) node)->winfnoid) >= 0)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, dp_aggregate_walker, context, 0);
	return expression_tree_walker(node, dp_aggregate_walker, context);
}

bool
dps_has_dp_aggregate(Query *query)
{
	return dp_aggregate_walker((Node *) query, NULL);
}

/* Collects the aggregates of this level, not of subqueries. */
static bool
own_aggregate_walker(Node *node, List **found)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
	{
		*found = lappend(*found, node);
		return false;
	}
	if (IsA(node, Query))
		return false;
	return expression_tree_walker(node, own_aggregate_walker, (void *) found);
}

List *
dps_own_aggregates(Query *query)
{
	List	   *found = NIL;

	(void) own_aggregate_walker((Node *) query->targetList, &found);
	(void) own_aggregate_walker(query->havingQual, &found);
	return found;
}

int
dps_first_location(Query *query)
{
	ListCell   *cell;

	foreach(cell, dps_own_aggregates(query))
	{
		Aggref	   *aggref = lfirst_node(Aggref, cell);

		if (dps_dp_aggregate(aggref->aggfnoid) >= 0 && aggref->location >= 0)
			return aggref->location;
	}
	return -1;
}

bool
dps_has_own_dp_aggregate(Query *query)
{
	ListCell   *cell;

	foreach(cell, dps_own_aggregates(query))
	{
		if (dps_dp_aggregate(lfirst_node(Aggref, cell)->aggfnoid) >= 0)
			return true;
	}
	return false;
}
