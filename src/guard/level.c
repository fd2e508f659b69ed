/*
 * level.c
 *		What a level with dp aggregates holds, and what it must not.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "agg/aggregate.h"
#include "guard/correlated.h"
#include "guard/level.h"

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

/* At this level only, not in what is below. */
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

/* Where the first dp aggregate of the level stands in the text. */
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

void
dps_refuse_level(const DpsLevel *level, const char *what, const char *hint, int location)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported together with dp aggregates", what),
			 hint == NULL ? 0 : errhint("%s", hint),
			 errposition(dps_query_position(&level->source, location >= 0 ? location : level->source.location))));
}

void
dps_check_level_shape(DpsLevel *level, Query *query)
{
	if (query->commandType != CMD_SELECT)
		dps_refuse_level(level, "UPDATE, DELETE and MERGE are", "Keep the answers with CREATE TABLE AS or INSERT ... SELECT first.", -1);
	if (query->rowMarks != NIL)
		dps_refuse_level(level, "FOR UPDATE and FOR SHARE are", "Answers are no rows of the table: leave it out.", -1);
	if (query->hasRecursive)
		dps_refuse_level(level, "WITH RECURSIVE is", "Write WITH without RECURSIVE, or keep the answers with CREATE TABLE AS first.", -1);
	if (dps_is_correlated(query, list_copy_tail(level->source.enclosing, 1)))
		dps_refuse_level(level, "references to an outer query are",
					 "Each outer row would need a draw of its own; join the answers instead.", -1);
}
