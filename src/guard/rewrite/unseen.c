/*
 * unseen.c
 *		dp aggregates that the planner hook did not see.
 *
 * The planner merges a set-returning SQL function that is not VOLATILE into the
 * query that calls it, after the hook.
 */
#include "postgres.h"

#include "access/transam.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "agg/aggregate.h"
#include "guard/query/dp_aggregates.h"
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

static bool has_stub(const Plan *plan);

static bool
any_has_stub(const List *plans)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (has_stub(lfirst(cell)))
			return true;
	}
	return false;
}

/* Where merged functions can be: below anything that has an input. */
static bool
has_stub(const Plan *plan)
{
	if (plan == NULL)
		return false;
	check_stack_depth();
	if (IsA(plan, Agg) && (stub_walker((Node *) plan->targetlist, NULL) || stub_walker((Node *) plan->qual, NULL)))
		return true;
	if (IsA(plan, SubqueryScan) && has_stub(((const SubqueryScan *) plan)->subplan))
		return true;
	if (IsA(plan, Append) && any_has_stub(((const Append *) plan)->appendplans))
		return true;
	if (IsA(plan, MergeAppend) && any_has_stub(((const MergeAppend *) plan)->mergeplans))
		return true;
	return has_stub(plan->lefttree) || has_stub(plan->righttree);
}

void
dps_refuse_unseen(const PlannedStmt *statement)
{
	/* an aggregate that was added depends on its function */
	if (statement->invalItems != NIL && (has_stub(statement->planTree) || any_has_stub(statement->subplans)))
		dps_refuse_stub();
}
