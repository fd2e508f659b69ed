/*
 * room_filter.c
 *		Conditions of a query by which a relation can be filtered before the query
 *		runs.
 *
 * Claim.  Let a condition be accepted here for an entry of a query.  Then the query has the same rows
 * whether or not those rows of the entry are present of which the condition is not true.
 *
 * Proof.  The condition stands above the entry in the query's FROM, and the entry is not on the optional
 * side of any outer join between the two.  So each joined row on which the condition is evaluated contains
 * a row of the entry, and the condition depends on that row alone.  If the condition is not true of it,
 * the joined row is dropped.  Removing rows of the entry adds a joined row only by padding, at an outer
 * join that has the entry on its optional side.  No such join lies between the entry and the condition.
 * An outer join above the condition sees only joined rows that satisfy it.  The condition may be part of
 * the join condition of the nearest such join; then the rows of the entry for which it is not true match
 * no row there in any case, and removing them changes no padding.
 *
 * An accepted condition has the same value here as in the query: it consists of columns of the entry,
 * constants, and immutable functions of the server, called directly or attempted.  It also stays in the
 * query.
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
	int			index;			/* of the entry in the range table */
	bool		is_met;
} Subject;

/* Is it a function that an extension or a user has added, or that is not immutable? */
static bool
is_other_function(Oid function, void *context)
{
	return function >= FirstNormalObjectId || func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

/* Does the expression depend on more than columns of the entry, or may it have another value when
 * evaluated early? */
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

/* ---- their positions ---- */

typedef struct Search
{
	int			index;
	bool		is_padded;		/* an outer join below this point may pad the entry */
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
	/* a full join keeps unmatched rows of both sides */
	if (is_optional && join->jointype != JOIN_FULL && !search->is_padded)
		add_conjuncts(join->quals, search->index, &search->found);
	search->is_padded |= is_outer && is_optional;
	return true;
}

/* Is the entry in the tree?  Collects conditions from the entry upwards. */
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
