/*
 * nulling.c
 *		The outer joins that may null a column.
 *
 * From 16 on a Var names the outer joins below it that may have nulled it, and from 18 on expressions above
 * GROUP BY refer to a range table entry of that step.  The parser sets both for the joins of the text.  The
 * rewriting simplifies, moves and adds joins, and compares expressions of different levels.  So it first
 * removes both; at the end the marks are computed from the present joins, for all levels at once.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "glue/compat.h"
#include "guard/query/nulling.h"

/* ---- taken away ---- */

/* The expressions of a grouping step in the places of references to it. */
typedef struct Grouping
{
	const List *expressions;
	Index		entry;
	int			depth;			/* below the query that groups */
} Grouping;

static Node *
group_mutator(Node *node, Grouping *grouping)
{
	const Var  *var = (const Var *) node;
	Node	   *result;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		grouping->depth++;
		result = (Node *) query_tree_mutator((Query *) node, group_mutator, grouping, 0);
		grouping->depth--;
		return result;
	}
	if (!IsA(node, Var) || (Index) var->varno != grouping->entry || (int) var->varlevelsup != grouping->depth)
		return expression_tree_mutator(node, group_mutator, grouping);
	result = copyObject(list_nth(grouping->expressions, var->varattno - 1));
	IncrementVarSublevelsUp(result, grouping->depth, 0);
	return result;
}

static void
drop_group_entry(Query *query)
{
	Grouping	grouping = {dps_group_expressions(query), list_length(query->rtable), 0};

	if (grouping.expressions == NIL)
		return;
	query->targetList = (List *) group_mutator((Node *) query->targetList, &grouping);
	query->havingQual = group_mutator(query->havingQual, &grouping);
	dps_drop_group_entry(query);
}

static bool
plain_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		dps_set_nulled_by((Var *) node, NULL);
		return false;
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, plain_walker, context);
	drop_group_entry((Query *) node);
	return query_tree_walker((Query *) node, plain_walker, context, 0);
}

void
dps_plain_tree(Query *query)
{
	(void) plain_walker((Node *) query, NULL);
}

/* ---- noted ---- */

typedef struct Level
{
	Query	   *query;
	Bitmapset **nulled;			/* by entry: the joins visited so far that null it */
	Bitmapset  *met;			/* entries visited in the join tree */
	struct Level *outer;
} Level;

static void note_query(Query *query, Level *outer);

static void
note_var(Var *var, const Level *level)
{
	Index		up;

	for (up = var->varlevelsup; up > 0 && level != NULL; up--)
		level = level->outer;
	if (level != NULL && var->varno > 0 && (int) var->varno <= list_length(level->query->rtable))
		dps_set_nulled_by(var, level->nulled[var->varno - 1]);
}

static bool
note_walker(Node *node, void *level)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		note_var((Var *) node, level);
	else if (IsA(node, Query))
		note_query((Query *) node, level);
	else
		return expression_tree_walker(node, note_walker, level);
	return false;
}

static void
note_entry(Level *level, int number)
{
	level->met = bms_add_member(level->met, number);
	(void) range_table_entry_walker(rt_fetch(number, level->query->rtable), note_walker, level, 0);
}

static Bitmapset *note_tree(Level *level, Node *tree);

/* The join's conditions see its inputs; the join's own columns and everything above see its output, which
 * this join may have nulled. */
static Bitmapset *
note_join(Level *level, JoinExpr *join)
{
	Bitmapset  *left = note_tree(level, join->larg);
	Bitmapset  *right = note_tree(level, join->rarg);
	Bitmapset  *optional = NULL;
	int			number = -1;

	(void) note_walker(join->quals, level);
	if (join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL)
		optional = bms_add_members(optional, left);
	if (join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL)
		optional = bms_add_members(optional, right);
	if (optional != NULL && join->rtindex == 0)
		elog(ERROR, "dpsens: an outer join has no entry");
	while ((number = bms_next_member(optional, number)) >= 0)
		level->nulled[number - 1] = bms_add_member(level->nulled[number - 1], join->rtindex);
	left = bms_add_members(left, right);
	if (join->rtindex == 0)
		return left;
	note_entry(level, join->rtindex);
	return bms_add_member(left, join->rtindex);
}

/* Returns the entries of the tree, those of joins included. */
static Bitmapset *
note_tree(Level *level, Node *tree)
{
	Bitmapset  *entries = NULL;
	ListCell   *cell;

	if (IsA(tree, JoinExpr))
		return note_join(level, (JoinExpr *) tree);
	if (IsA(tree, RangeTblRef))
	{
		note_entry(level, ((RangeTblRef *) tree)->rtindex);
		return bms_make_singleton(((RangeTblRef *) tree)->rtindex);
	}
	foreach(cell, castNode(FromExpr, tree)->fromlist)
		entries = bms_add_members(entries, note_tree(level, lfirst(cell)));
	(void) note_walker(((FromExpr *) tree)->quals, level);
	return entries;
}

static void
note_query(Query *query, Level *outer)
{
	int			nentries = list_length(query->rtable);
	Level		level = {query, palloc0(sizeof(Bitmapset *) * Max(nentries, 1)), NULL, outer};
	FromExpr   *tree = query->jointree;
	int			number;

	if (tree != NULL)
		(void) note_tree(&level, (Node *) tree);
	for (number = 1; number <= nentries; number++)
	{
		if (!bms_is_member(number, level.met))
			note_entry(&level, number);
	}
	/* and all the rest of the query */
	query->jointree = NULL;
	(void) query_tree_walker(query, note_walker, &level, QTW_IGNORE_RANGE_TABLE);
	query->jointree = tree;
}

Query *
dps_note_nulling(Query *query)
{
	if (!DPS_VARS_NAME_JOINS)
		return query;
	/* a node may occur in two places, where different joins null it */
	query = copyObject(query);
	note_query(query, NULL);
	return query;
}
