/*
 * room_filter.c
 *		Conditions of a query by which a relation can be read before the query runs.
 *
 * Claim.  Let a condition be accepted here for an entry of a query.  Then the query's
 * rows are the same whether or not the entry's rows are there of which the condition
 * is not true.
 *
 * Proof.  The condition stands above the entry in the query's FROM, with no outer join
 * between the two whose optional side the entry is on.  So each row of the join that the
 * condition is asked about is made from a row of the entry, of which the condition says
 * the same; where it is not true, the row of the join is left out.  No other row of the
 * join is there because a row of the entry was not: what pads rows is an outer join on
 * whose optional side the entry is, and of these only the nearest, whose own condition
 * says who is padded, can have the condition: its rows that the condition is not true of
 * meet nobody.
 *
 * A condition that is accepted says the same here as there: it is made of immutable
 * functions of the server, called or attempted, of columns of the entry and constants.
 * It stays in the query all the same.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "guard/condition/attempt.h"
#include "guard/room/room_filter.h"

/* ---- which conditions ---- */

typedef struct Subject
{
	int			index;			/* of the entry */
	bool		is_met;
} Subject;

/* Not one of the server's own that compute from their arguments alone? */
static bool
is_other_function(Oid function, void *context)
{
	return function >= FirstNormalObjectId || func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

/* What may say more than the entry's columns do, or says it in another way there. */
static bool
other_walker(Node *node, Subject *subject)
{
	const Var  *var = (const Var *) node;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Var))
	{
		subject->is_met = true;
		return var->varno != subject->index || var->varlevelsup != 0 || var->varattno <= 0;
	}
	if (dps_is_immutable_attempt(node))
		return expression_tree_walker((Node *) ((FuncExpr *) node)->args, other_walker, subject);
	switch (nodeTag(node))
	{
		case T_List:
		case T_Const:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_FuncExpr:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_NullTest:
		case T_RelabelType:
		case T_CollateExpr:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_ArrayExpr:
			return check_functions_in_node(node, is_other_function, NULL) ||
				expression_tree_walker(node, other_walker, subject);
		default:
			return true;
	}
}

static bool
is_about(Node *condition, int index)
{
	Subject		subject = {index, false};

	return !other_walker(condition, &subject) && subject.is_met;
}

static void
add_conjuncts(Node *condition, int index, List **found)
{
	ListCell   *cell;

	if (condition == NULL)
		return;
	if (IsA(condition, List) || is_andclause(condition))
	{
		foreach(cell, IsA(condition, List) ? (List *) condition : ((BoolExpr *) condition)->args)
			add_conjuncts(lfirst(cell), index, found);
	}
	else if (is_about(condition, index))
		*found = lappend(*found, copyObject(condition));
}

/* ---- where they stand ---- */

typedef struct Search
{
	int			index;
	bool		is_padded;		/* by an outer join that was passed */
	List	   *found;
} Search;

static bool search_tree(Node *tree, Search *search);

static bool
search_join(const JoinExpr *join, Search *search)
{
	bool		is_left = search_tree(join->larg, search);
	bool		is_right = !is_left && search_tree(join->rarg, search);
	bool		is_optional = (is_left && join->jointype != JOIN_LEFT) || (is_right && join->jointype != JOIN_RIGHT);
	bool		is_outer = join->jointype != JOIN_INNER;

	if (!is_left && !is_right)
		return false;
	/* of a full join, either side's rows are kept */
	if (is_optional && join->jointype != JOIN_FULL && !search->is_padded)
		add_conjuncts(join->quals, search->index, &search->found);
	search->is_padded |= is_outer && is_optional;
	return true;
}

/* Is the entry in the tree?  From the entry upwards. */
static bool
search_tree(Node *tree, Search *search)
{
	ListCell   *cell;
	bool		is_here = false;

	check_stack_depth();
	if (IsA(tree, RangeTblRef))
		return ((RangeTblRef *) tree)->rtindex == search->index;
	if (IsA(tree, JoinExpr))
		return search_join((JoinExpr *) tree, search);
	foreach(cell, castNode(FromExpr, tree)->fromlist)
		is_here = is_here || search_tree(lfirst(cell), search);
	if (is_here && !search->is_padded)
		add_conjuncts(((FromExpr *) tree)->quals, search->index, &search->found);
	return is_here;
}

List *
dps_conditions_on_entry(const Query *query, int index)
{
	Search		search = {index, false, NIL};

	(void) search_tree((Node *) query->jointree, &search);
	return search.found;
}
