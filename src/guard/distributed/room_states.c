/*
 * room_states.c
 *		Exact states of a distributed table, in a query that a clean room computes.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "glue/citus.h"
#include "glue/cluster_key.h"
#include "guard/distributed/connections.h"
#include "guard/distributed/distributed_states.h"
#include "guard/distributed/lent_rights.h"
#include "guard/distributed/room_states.h"
#include "room/room.h"

/* ---- in a query ---- */

static bool
call_walker(Node *node, List **calls)
{
	if (node == NULL)
		return false;
	if (dps_is_distributed_call(node))
	{
		*calls = lappend(*calls, node);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, call_walker, calls, 0);
	return expression_tree_walker(node, call_walker, calls);
}

static List *
find_calls(Query *query)
{
	List	   *calls = NIL;

	if (dps_citus_is_present())
		(void) call_walker((Node *) query, &calls);
	return calls;
}

List *
dps_distributed_queries(Query *query)
{
	List	   *all = NIL;
	ListCell   *cell;

	foreach(cell, find_calls(query))
		all = lappend(all, dps_states_of_call(lfirst(cell)));
	return all;
}

void
dps_change_distributed(Query *query, DpsChangeStates change, void *context)
{
	ListCell   *cell;

	foreach(cell, find_calls(query))
	{
		FuncExpr   *call = lfirst(cell);
		const FuncExpr *changed = dps_make_distributed_call(change(dps_states_of_call(call), context));

		call->funcid = changed->funcid;
		call->args = changed->args;
	}
}

/* ---- in a room ---- */

/*
 * Asks the shards for no row, so that nodes, rights and keys that are not as they should be are an error
 * before anything is charged, and are counted for nobody as one that may depend on rows.  What is said of
 * them goes to the server's log: also that somebody has cancelled or ended a process there, which has the same code as if it
 * were this one.  Of a statement that was given up nothing is said to anybody.
 */
static void
try_nodes(Query *states)
{
	Oid			table = dps_lent_table(states);
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		dps_try_distributed(states);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		if (dps_room_is_given_up())
			PG_RE_THROW();
		EmitErrorReport();
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("a node that has shards of distributed table \"%s\" could not be asked", get_rel_name(table)),
				 errdetail("Nothing was charged."),
				 errhint("The administrator finds the reason in the server's log.")));
	}
	PG_END_TRY();
}

void
dps_prepare_distributed(Query *states)
{
	dps_check_lent(states);
	dps_check_sent_alike(states);
	dps_check_cluster_key();
	dps_begin_on_nodes();
	/* what Citus does not plan is said */
	(void) dps_plan_distributed(copyObject(states), NULL);
	try_nodes(states);
}
