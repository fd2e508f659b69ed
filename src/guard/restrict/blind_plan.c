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

#include "guard/query/plan_tree.h"
#include "guard/restrict/blind_plan.h"

static bool
forget_statistics(Plan *plan)
{
	if (IsA(plan, Hash))
		((Hash *) plan)->skewTable = InvalidOid;
	return false;
}

void
dps_blind_plan(PlannedStmt *statement)
{
	(void) dps_any_plan(statement, forget_statistics);
}
