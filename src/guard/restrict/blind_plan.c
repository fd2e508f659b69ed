/*
 * blind_plan.c
 *		Plans that read no statistics when they run.
 *
 * A hash join reads the most common values of its join column when it builds its table, which it does not
 * do if the other side has no row.  Then the catalog caches show whether there was one, and for an analysed
 * relation some of its values.  These values only affect how rows are distributed over batches, so they are
 * not needed.
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
