/*
 * outer_join.c
 *		Outer joins that are replaced by inner joins or NOT EXISTS.
 *
 *		SELECT w.name, dp_sum(p.cost) FROM wards w LEFT JOIN patients p ON p.ward = w.id GROUP BY w.name
 *
 * A row of the outer join without a row of patients is NULL in p.cost, and no dp aggregate counts a row
 * where one of its arguments is NULL.  Nor does the set of groups depend on such rows: groups of declared
 * keys and of public columns are listed, and groups of other keys are shown if enough units have rows in
 * them, but such a row belongs to no unit.  So the answer is that of the inner join, if all aggregates of
 * the level ignore such rows.  The same holds if WHERE is not true of them.
 *
 *		SELECT dp_count(*) FROM patients p LEFT JOIN visits v ON v.patient = p.id WHERE v.id IS NULL
 *
 * If v.id is never NULL in visits, this counts the patients for whom ON is true for no visit, each once:
 * NOT EXISTS (SELECT FROM visits v WHERE v.patient = p.id).  Precondition: nothing else in the level refers
 * to v.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "glue/analysis/row.h"
#include "glue/compat.h"
#include "glue/constraint/not_null.h"
#include "guard/query/outer_join.h"
#include "guard/query/range_table.h"

/* ---- inner joins ---- */

static Relids
entries_of(Node *tree)
{
	if (IsA(tree, RangeTblRef))
		return bms_make_singleton(((RangeTblRef *) tree)->rtindex);
	return bms_union(entries_of(((JoinExpr *) tree)->larg), entries_of(((JoinExpr *) tree)->rarg));
}

/* The entries that are not null-extended in the rows that the aggregate counts. */
static Relids
needed_by_aggregate(const Aggref *aggref)
{
	Relids		needed = find_nonnullable_rels((Node *) aggref->aggfilter);
	ListCell   *cell;

	foreach(cell, aggref->args)
	{
		NullTest	test = {.xpr.type = T_NullTest, .nulltesttype = IS_NOT_NULL};

		test.arg = lfirst_node(TargetEntry, cell)->expr;
		needed = bms_union(needed, find_nonnullable_rels((Node *) &test));
	}
	return needed;
}

static Relids
needed_by_level(Query *level, const List *aggregates)
{
	Relids		common = NULL;
	ListCell   *cell;

	foreach(cell, aggregates)
	{
		Relids		needed = needed_by_aggregate(lfirst_node(Aggref, cell));

		common = cell == list_head(aggregates) ? needed : bms_intersect(common, needed);
	}
	return bms_union(common, find_nonnullable_rels(level->jointree->quals));
}

/* The type of the join, given that the entries in `needed` are not null-extended. */
static JoinType
reduced_type(const JoinExpr *join, Relids needed)
{
	bool		left = bms_overlap(needed, entries_of(join->larg));
	bool		right = bms_overlap(needed, entries_of(join->rarg));

	if ((join->jointype == JOIN_LEFT && right) || (join->jointype == JOIN_RIGHT && left) ||
		(join->jointype == JOIN_FULL && left && right))
		return JOIN_INNER;
	if (join->jointype == JOIN_FULL && left)
		return JOIN_LEFT;
	if (join->jointype == JOIN_FULL && right)
		return JOIN_RIGHT;
	return join->jointype;
}

/* Reduces the joins of the tree.  An inner join's conditions hold in all of its rows, so they apply to both
 * sides.  For an optional side only the join's own conditions apply. */
static void
reduce(Query *level, Node *tree, Relids needed)
{
	JoinExpr   *join = (JoinExpr *) tree;
	Relids		inside;

	if (!IsA(tree, JoinExpr))
		return;
	join->jointype = reduced_type(join, needed);
	if (join->rtindex > 0)
		rt_fetch(join->rtindex, level->rtable)->jointype = join->jointype;
	inside = find_nonnullable_rels(join->quals);
	if (join->jointype == JOIN_INNER)
		inside = needed = bms_union(needed, inside);
	reduce(level, join->larg, join->jointype == JOIN_FULL ? NULL : join->jointype == JOIN_RIGHT ? inside : needed);
	reduce(level, join->rarg, join->jointype == JOIN_FULL ? NULL : join->jointype == JOIN_LEFT ? inside : needed);
}

/* ---- NOT EXISTS ---- */

typedef struct Mentions
{
	Query	   *level;
	int			number;			/* of an entry of the level */
	int			depth;			/* how many queries below the level */
	bool		found;
} Mentions;

static bool mention_walker(Node *node, Mentions *mentions);

/* Does the Var refer to the entry, directly or through a column of a join? */
static bool
is_mention(const Var *var, Mentions *mentions)
{
	const RangeTblEntry *entry;
	int			depth = mentions->depth;

	if ((int) var->varlevelsup != depth)
		return false;
	if (var->varno == mentions->number)
		return true;
	entry = rt_fetch(var->varno, mentions->level->rtable);
	if (entry->rtekind != RTE_JOIN)
		return false;
	if (var->varattno <= 0)
		return true;
	mentions->depth = 0;
	(void) mention_walker(list_nth(entry->joinaliasvars, var->varattno - 1), mentions);
	mentions->depth = depth;
	return mentions->found;
}

static bool
mention_walker(Node *node, Mentions *mentions)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		mentions->found |= is_mention((Var *) node, mentions);
	if (mentions->found)
		return true;
	if (IsA(node, Query))
	{
		mentions->depth++;
		(void) query_tree_walker((Query *) node, mention_walker, mentions, QTW_IGNORE_JOINALIASES);
		mentions->depth--;
		return mentions->found;
	}
	return expression_tree_walker(node, mention_walker, mentions);
}

/* Does the level, with its subqueries, refer to the entry? */
static bool
is_mentioned(Query *level, int number)
{
	Mentions	mentions = {level, number, 0, false};

	(void) query_tree_walker(level, mention_walker, &mentions, QTW_IGNORE_JOINALIASES);
	return mentions.found;
}

/* The column of the entry that the condition tests with IS NULL, or NULL. */
static const Var *
missing_column(const Node *condition, int number)
{
	const NullTest *test = (const NullTest *) condition;
	const Var  *var;

	if (!IsA(condition, NullTest) || test->nulltesttype != IS_NULL || test->argisrow || !IsA(test->arg, Var))
		return NULL;
	var = (const Var *) test->arg;
	return var->varno == number && var->varlevelsup == 0 && var->varattno > 0 ? var : NULL;
}

/* Is the condition NULL if the column is? */
static bool
needs_column(OpExpr *condition, const Var *column)
{
	ListCell   *cell;

	if (!IsA(condition, OpExpr))
		return false;
	set_opfuncid(condition);
	foreach(cell, func_strict(condition->opfuncid) ? condition->args : NIL)
	{
		const Var  *var = lfirst(cell);

		if (IsA(var, Var) && var->varno == column->varno && var->varattno == column->varattno && var->varlevelsup == 0)
			return true;
	}
	return false;
}

/* Is the column not NULL in every row of the entry for which the join's conditions hold? */
static bool
is_always_there(const RangeTblEntry *entry, Node *quals, const Var *column)
{
	ListCell   *cell;

	if (entry->rtekind == RTE_RELATION && dps_column_is_not_null(entry->relid, column->varattno))
		return true;
	foreach(cell, make_ands_implicit((Expr *) quals))
	{
		if (needs_column(lfirst(cell), column))
			return true;
	}
	return false;
}

/* The condition, moved into the subquery: there the entry has number 1, and all other Vars are one level
 * further out. */
static Node *
inner_mutator(Node *node, const int *number)
{
	Var		   *var;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, inner_mutator, (void *) number);
	var = copyObject((Var *) node);
	if (var->varlevelsup == 0 && var->varno == *number)
		var->varno = 1;
	else
		var->varlevelsup++;
	return (Node *) var;
}

/* NOT EXISTS (SELECT FROM entry WHERE quals) */
static Node *
not_exists(Query *level, int number, Node *quals)
{
	Query	   *query = makeNode(Query);
	SubLink    *link = makeNode(SubLink);
	RangeTblEntry *entry = dps_copy_entry(query, level, rt_fetch(number, level->rtable));

	if (entry->rtekind == RTE_SUBQUERY)
		IncrementVarSublevelsUp((Node *) entry->subquery, 1, 1);
	ChangeVarNodes((Node *) entry->securityQuals, number, 1, 0);
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->hasRowSecurity = level->hasRowSecurity;
	query->rtable = list_make1(entry);
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), inner_mutator(quals, &number));
	link->subLinkType = EXISTS_SUBLINK;
	link->subselect = (Node *) query;
	link->location = exprLocation(quals);
	return (Node *) make_notclause((Expr *) link);
}

/* Makes the entry an empty one: nothing reads it any more, so no privilege on its relation is checked. */
static void
empty_entry(RangeTblEntry *entry)
{
	RangeTblEntry *empty = makeNode(RangeTblEntry);

	empty->rtekind = RTE_RESULT;
	empty->eref = entry->eref;
	*entry = *empty;
}

/* Removes from WHERE the IS NULL conditions on columns of the entry, if one of the columns is never NULL in
 * a row of the join that is not null-extended.  Returns whether it did. */
static bool
take_missing(Query *level, int number, Node *quals)
{
	const RangeTblEntry *entry = rt_fetch(number, level->rtable);
	List	   *kept = NIL;
	bool		found = false;
	ListCell   *cell;

	foreach(cell, make_ands_implicit((Expr *) level->jointree->quals))
	{
		const Var  *column = missing_column(lfirst(cell), number);

		found |= column != NULL && is_always_there(entry, quals, column);
		if (column == NULL)
			kept = lappend(kept, lfirst(cell));
	}
	if (found)
		level->jointree->quals = kept == NIL ? NULL : (Node *) make_ands_explicit(kept);
	return found;
}

/* The join, or its preserved side if the join was replaced by NOT EXISTS. */
static Node *
without_missing(Query *level, JoinExpr *join)
{
	Node	   *optional = join->jointype == JOIN_LEFT ? join->rarg : join->larg;
	Node	   *quals = join->quals;
	Node	   *where = level->jointree->quals;
	RangeTblEntry *entry;
	int			number;

	if (!IsA(optional, RangeTblRef) || quals == NULL || checkExprHasSubLink(quals))
		return (Node *) join;
	number = ((RangeTblRef *) optional)->rtindex;
	entry = rt_fetch(number, level->rtable);
	if ((entry->rtekind != RTE_RELATION && entry->rtekind != RTE_SUBQUERY) || entry->lateral ||
		!take_missing(level, number, quals))
		return (Node *) join;
	join->quals = NULL;
	if (is_mentioned(level, number))
	{
		join->quals = quals;
		level->jointree->quals = where;
		return (Node *) join;
	}
	level->jointree->quals = make_and_qual(level->jointree->quals, not_exists(level, number, quals));
	level->hasSubLinks = true;
	empty_entry(entry);
	return join->jointype == JOIN_LEFT ? join->larg : join->rarg;
}

/* Visits the joins that no other join null-extends: WHERE sees their rows unchanged. */
static Node *
find_missing(Query *level, Node *tree)
{
	JoinExpr   *join = (JoinExpr *) tree;

	if (!IsA(tree, JoinExpr))
		return tree;
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT)
		join->larg = find_missing(level, join->larg);
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT)
		join->rarg = find_missing(level, join->rarg);
	if (join->jointype == JOIN_LEFT || join->jointype == JOIN_RIGHT)
		return without_missing(level, join);
	return tree;
}

void
dps_simplify_outer_joins(Query *level, const List *aggregates)
{
	Relids		needed = needed_by_level(level, aggregates);
	ListCell   *cell;

	foreach(cell, level->jointree->fromlist)
	{
		reduce(level, lfirst(cell), needed);
		lfirst(cell) = find_missing(level, lfirst(cell));
	}
}
