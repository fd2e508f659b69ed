/*
 * blind_plan.c
 *		Plans that look at no statistics when they run.
 *
 * A hash join asks for the most common values of what it is joined on when its table
 * is built, which it is not where the other side has no row: so whether there was one
 * is in the caches of catalogs then, and of a relation that was analysed some of its
 * values are.  How rows are laid out in batches is all that they are for.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "guard/restrict/blind_plan.h"

static void blind(Plan *plan);

static void
blind_all(const List *plans)
{
	ListCell   *cell;

	foreach(cell, plans)
		blind(lfirst(cell));
}

static void
blind(Plan *plan)
{
	if (plan == NULL)
		return;
	check_stack_depth();
	if (IsA(plan, Hash))
		((Hash *) plan)->skewTable = InvalidOid;
	else if (IsA(plan, SubqueryScan))
		blind(((SubqueryScan *) plan)->subplan);
	else if (IsA(plan, Append))
		blind_all(((Append *) plan)->appendplans);
	else if (IsA(plan, MergeAppend))
		blind_all(((MergeAppend *) plan)->mergeplans);
	else if (IsA(plan, CustomScan))
		blind_all(((CustomScan *) plan)->custom_plans);
	blind(plan->lefttree);
	blind(plan->righttree);
}

void
dps_blind_plan(PlannedStmt *statement)
{
	blind(statement->planTree);
	blind_all(statement->subplans);
}
