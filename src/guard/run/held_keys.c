/*
 * held_keys.c
 *		Keeps the declared values of a statement while it runs.
 *
 * Aggregates and functions look up their declared values when they process the first row.  Before a cursor
 * gets there, the values may have been declared again.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"

#include "agg/state/groups.h"
#include "glue/glue.h"
#include "guard/run/held_keys.h"

static bool
constant_walker(Node *node, Oid *plan_type)
{
	if (node == NULL)
		return false;
	if (IsA(node, Const))
	{
		const Const *constant = (const Const *) node;

		if (constant->consttype == *plan_type && !constant->constisnull)
			dps_groups_find_keys(DatumGetPointer(constant->constvalue));
		return false;
	}
	return expression_tree_walker(node, constant_walker, plan_type);
}

static bool
plan_walker(PlanState *state, Oid *plan_type)
{
	if (state == NULL)
		return false;
	(void) constant_walker((Node *) state->plan->targetlist, plan_type);
	(void) constant_walker((Node *) state->plan->qual, plan_type);
	return planstate_tree_walker(state, plan_walker, plan_type);
}

void
dps_hold_keys(QueryDesc *query)
{
	Oid			plan_type = dps_internal_type("plan");
	MemoryContext previous = MemoryContextSwitchTo(query->estate->es_query_cxt);

	(void) plan_walker(query->planstate, &plan_type);
	MemoryContextSwitchTo(previous);
}
