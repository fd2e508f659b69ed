/*
 * plan_tree.c
 *		All nodes of a finished plan.
 *
 * The server has walkers for trees of expressions and of plan states, but none for plans.  Of the nodes
 * with children other than a left and a right one, only those that occur in statements that read are
 * handled.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "guard/query/plan_tree.h"

static bool any_below(Plan *plan, DpsPlanTest test);

static bool
any_of(const List *plans, DpsPlanTest test)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (any_below(lfirst(cell), test))
			return true;
	}
	return false;
}

static bool
any_below(Plan *plan, DpsPlanTest test)
{
	if (plan == NULL)
		return false;
	check_stack_depth();
	if (test(plan))
		return true;
	if (IsA(plan, SubqueryScan) && any_below(((SubqueryScan *) plan)->subplan, test))
		return true;
	if (IsA(plan, Append) && any_of(((Append *) plan)->appendplans, test))
		return true;
	if (IsA(plan, MergeAppend) && any_of(((MergeAppend *) plan)->mergeplans, test))
		return true;
	if (IsA(plan, BitmapAnd) && any_of(((BitmapAnd *) plan)->bitmapplans, test))
		return true;
	if (IsA(plan, BitmapOr) && any_of(((BitmapOr *) plan)->bitmapplans, test))
		return true;
	if (IsA(plan, CustomScan) && any_of(((CustomScan *) plan)->custom_plans, test))
		return true;
	return any_below(plan->lefttree, test) || any_below(plan->righttree, test);
}

bool
dps_any_plan(const PlannedStmt *statement, DpsPlanTest test)
{
	return any_below(statement->planTree, test) || any_of(statement->subplans, test);
}
