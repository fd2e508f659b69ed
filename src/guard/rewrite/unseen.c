/*
 * unseen.c
 *		dp aggregates that the planner hook did not see.
 *
 * The planner inlines a set-returning SQL function that is not VOLATILE into the query that calls it, after
 * the hook.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"

#include "agg/aggregate.h"
#include "guard/query/dp_aggregates.h"
#include "guard/query/plan_tree.h"
#include "guard/rewrite/unseen.h"

static bool
stub_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && dps_dp_aggregate(((Aggref *) node)->aggfnoid) >= 0)
		return true;
	return expression_tree_walker(node, stub_walker, context);
}

/* Inlined dp aggregates are in the target list or the HAVING of an Agg node. */
static bool
has_stub(Plan *plan)
{
	return IsA(plan, Agg) && (stub_walker((Node *) plan->targetlist, NULL) || stub_walker((Node *) plan->qual, NULL));
}

void
dps_refuse_unseen(const PlannedStmt *statement)
{
	/* an inlined function is in the plan's dependencies */
	if (statement->invalItems != NIL && dps_any_plan(statement, has_stub))
		dps_refuse_stub();
}
