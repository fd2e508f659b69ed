/*
 * chain.c
 *		What the executor computes between a relation and the exact states.
 *
 * The states are computed from raw columns.  So of all that a chain of subqueries and views computes, only
 * conditions are needed, and the columns that they refer to.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "guard/condition/attempt.h"
#include "guard/restrict/analyst.h"
#include "guard/trace/chain.h"
#include "guard/trace/join.h"

typedef struct UsedColumns
{
	Index		index;			/* of the entry in the level's range table */
	Index		depth;			/* of queries below the level */
	Bitmapset  *columns;		/* 0 stands for all of them */
} UsedColumns;

static bool
used_walker(Node *node, UsedColumns *used)
{
	bool		result;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;

		if ((Index) var->varno != used->index || var->varlevelsup != used->depth)
			return false;
		used->columns = bms_add_member(used->columns, var->varattno);
		return false;
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, used_walker, used);
	used->depth++;
	result = query_tree_walker((Query *) node, used_walker, used, 0);
	used->depth--;
	return result;
}

static Bitmapset *
used_columns(Query *level, int index)
{
	UsedColumns used = {index, 0, NULL};

	(void) used_walker((Node *) level->targetList, &used);
	(void) used_walker((Node *) level->jointree, &used);
	(void) used_walker((Node *) rt_fetch(index, level->rtable)->securityQuals, &used);
	return used.columns;
}

/*
 * Replaces unused entries of a subquery's select list by NULL, and drops its ORDER BY.  Otherwise a
 * subquery with a volatile function in the list would compute the whole list, and one with ORDER BY would
 * compute the sort keys.  The states do not depend on the order of rows.
 */
static void
drop_unused(Query *level, int index)
{
	Query	   *subquery = rt_fetch(index, level->rtable)->subquery;
	Bitmapset  *used = used_columns(level, index);
	ListCell   *cell;

	subquery->sortClause = NIL;
	subquery->windowClause = NIL;
	foreach(cell, subquery->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);
		Node	   *expression = (Node *) target->expr;

		target->ressortgroupref = 0;
		if (!bms_is_member(0, used) && !bms_is_member(target->resno, used))
			target->expr = (Expr *) makeNullConst(exprType(expression), exprTypmod(expression),
												  exprCollation(expression));
	}
}

List *
dps_harden_chain(Query *states, bool restricted)
{
	Query	   *level = states;
	List	   *checks = NIL;

	for (;;)
	{
		int			index;
		RangeTblEntry *entry;

		level->targetList = (List *) dps_attempt_calls((Node *) level->targetList, restricted, &checks);
		/* the conditions of a join were attempted when its query was made */
		if (dps_is_join_query(level))
			break;
		index = linitial_node(RangeTblRef, level->jointree->fromlist)->rtindex;
		entry = rt_fetch(index, level->rtable);
		level->jointree->quals = dps_attempt_calls(level->jointree->quals, restricted, &checks);
		entry->securityQuals = (List *) dps_attempt_calls((Node *) entry->securityQuals, restricted, &checks);
		if (entry->rtekind == RTE_RELATION)
			break;
		/* a level with window functions was made by unit_rows.c and computes only what is needed */
		if (!entry->subquery->hasWindowFuncs)
			drop_unused(level, index);
		level = entry->subquery;
	}
	return checks;
}

void
dps_admit_source(Query *states)
{
	Query	   *level = states;
	RangeTblEntry *entry;

	for (;;)
	{
		int			index;

		/* the parts of a join were admitted one by one */
		if (dps_is_join_query(level))
			return;
		index = linitial_node(RangeTblRef, level->jointree->fromlist)->rtindex;

		entry = rt_fetch(index, level->rtable);
		if (entry->rtekind == RTE_RELATION)
			break;
		level = entry->subquery;
	}
	dps_admit_entry(level, entry);
}
