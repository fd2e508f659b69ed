/*
 * level_states.c
 *		(a) of a level: exact states of the rows that it counts (rewrite.c).
 *
 * Query (a) draws nothing, so it may run in parallel workers, be rescanned or spill.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "agg/aggregate.h"
#include "glue/glue.h"
#include "guard/release/group_states.h"
#include "guard/release/individual.h"
#include "guard/release/keys.h"
#include "guard/rewrite/level.h"
#include "guard/trace/expand.h"
#include "guard/trace/join.h"
#include "guard/trace/row_owner.h"
#include "guard/trace/unit_rows.h"

Const *
dps_plan_constant(const void *bytes)
{
	return makeConst(dps_internal_type("plan"), -1, InvalidOid, -1, PointerGetDatum(bytes), false, false);
}

static Expr *
state_aggregate(DpsLevel *level, const DpsReleasePlan *plan, const List *filters)
{
	Aggref	   *aggref = makeNode(Aggref);
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	List	   *arguments = lcons(dps_plan_constant(plan->summand), list_copy(plan->columns));
	const char *name = "exact_state";
	ListCell   *cell;
	int			resno = 1;

	if (plan->release->points > 0)
		name = "exact_tally";
	else if (plan->release->nsums > 1)
		name = "exact_vector";
	aggref->aggfnoid = dps_internal_function(name, plan->columns == NIL ? 1 : 2, argtypes);
	aggref->aggtype = dps_internal_type("state");
	foreach(cell, arguments)
	{
		Expr	   *argument = copyObject(lfirst(cell));

		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) argument));
		aggref->args = lappend(aggref->args, makeTargetEntry(argument, resno++, NULL, false));
	}
	aggref->aggfilter = (Expr *) dps_states_expression(&level->source, (Node *) plan->aggref->aggfilter);
	foreach(cell, filters)
		aggref->aggfilter = (Expr *) make_and_qual((Node *) aggref->aggfilter, copyObject(lfirst(cell)));
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = -1;
	return (Expr *) aggref;
}

/* The number of rows of a group. */
static Expr *
group_size(void)
{
	Aggref	   *aggref = makeNode(Aggref);

	aggref->aggfnoid = F_COUNT_;
	aggref->aggtype = INT8OID;
	aggref->aggstar = true;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = -1;
	return (Expr *) aggref;
}

/* The target entries are the keys, then one state per release, then, for undeclared keys, the size of the
 * group.  A row that the individual filter leaves out, or whose unit is too long, is in no state. */
Query *
dps_build_states(DpsLevel *level, Query *query)
{
	const DpsReleasePlan *first = linitial(level->releases);
	/* made before the query is copied, since it may add a column to subqueries */
	Node	   *included = level->source.is_individual ?
		dps_individual_condition(&level->source, (Node *) dps_plan_constant(first->summand)) : NULL;
	Expr	   *place = NULL;
	Expr	   *is_short = dps_counts_rows(&level->source) ? dps_has_short_unit(&level->source) : NULL;
	Expr	   *unit = dps_counts_rows(&level->source) ? dps_row_owner(&level->source, &place) : NULL;
	List	   *filters = level->groups != NULL ? level->groups->filters : NIL;
	Query	   *states = level->source.parts != NIL ? dps_join_query(&level->source, &level->checks) : copyObject(query);
	List	   *target = NIL;
	List	   *group = NIL;
	Expr	   *number;
	ListCell   *cell;
	int			resno = 1;

	if (is_short != NULL)
		included = make_and_qual((Node *) is_short, included);
	/* the filter must not decide which groups there are, either; under add_remove, and so where units of several rows have
	 * accounts, none are public */
	if (included != NULL && level->groups != NULL && level->groups->is_public)
	{
		filters = lappend(list_copy(filters), included);
		included = NULL;
	}
	foreach(cell, level->keys)
	{
		DpsKey		   *key = lfirst(cell);
		TargetEntry *entry = makeTargetEntry((Expr *) dps_states_expression(&level->source, key->canonical), resno,
											 psprintf("key %d", resno), false);
		SortGroupClause *clause = copyObject(key->clause);

		entry->ressortgroupref = clause->tleSortGroupRef = resno++;
		target = lappend(target, entry);
		group = lappend(group, clause);
	}
	foreach(cell, level->releases)
	{
		target = lappend(target, makeTargetEntry(state_aggregate(level, lfirst(cell), filters), resno,
												 psprintf("state %d", resno), false));
		resno++;
	}
	if (level->groups != NULL)
		target = lappend(target, makeTargetEntry(group_size(), resno, "size", false));
	states->jointree->quals = make_and_qual(states->jointree->quals, included);
	states->targetList = target;
	states->groupClause = group;
	states->havingQual = NULL;
	states->sortClause = NIL;
	states->distinctClause = NIL;
	states->hasDistinctOn = false;
	states->limitCount = NULL;
	states->limitOffset = NULL;
	states->windowClause = NIL;
	states->hasWindowFuncs = false;
	states->hasTargetSRFs = false;
	states->hasAggs = true;
	states->canSetTag = false;
	level->is_folded = level->groups == NULL && place == NULL &&
		dps_fold_groups(&level->source, states, level->keys, level->releases, unit);
	if (unit == NULL || level->is_folded)
		return states;
	number = level->groups == NULL ? dps_group_number(level->keys, states) : NULL;
	states = dps_limit_unit_rows(&level->source, states, unit, place, number, level->groups != NULL);
	level->is_folded = level->groups == NULL &&
		dps_fold_groups(&level->source, states, level->keys, level->releases, NULL);
	return states;
}
