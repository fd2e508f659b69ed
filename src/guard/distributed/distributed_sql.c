/*
 * distributed_sql.c
 *		A query of exact states in a form that can be written as SQL, as Citus does.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "glue/compat.h"
#include "guard/distributed/distributed_sql.h"

/* ---- WITH ---- */

static bool
unread_walker(Node *node, void *context)
{
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, unread_walker, context);
	foreach(cell, ((Query *) node)->cteList)
	{
		const CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (cte->cterefcount == 0 && castNode(Query, cte->ctequery)->commandType == CMD_SELECT)
			((Query *) node)->cteList = foreach_delete_current(((Query *) node)->cteList, cell);
	}
	return query_tree_walker((Query *) node, unread_walker, context, 0);
}

void
dps_drop_unread(Query *query)
{
	(void) unread_walker((Node *) query, NULL);
}

/* ---- FROM ---- */

static Node *
make_join(Query *query, Node *left, Node *right)
{
	JoinExpr   *join = makeNode(JoinExpr);
	RangeTblEntry *entry = makeNode(RangeTblEntry);

	entry->rtekind = RTE_JOIN;
	entry->inFromCl = true;
	join->jointype = JOIN_INNER;
	query->rtable = lappend(query->rtable, entry);
	join->larg = left;
	join->rarg = right;
	join->quals = makeBoolConst(true, false);
	join->rtindex = list_length(query->rtable);
	return (Node *) join;
}

/* The side of a join without FROM in it; its conditions are added to those that hold above it. */
static Node *
write_side(Query *query, Node *side, Node **above)
{
	Node	   *written = NULL;
	ListCell   *cell;

	check_stack_depth();
	if (IsA(side, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) side;

		/* others keep no side */
		if (join->jointype != JOIN_LEFT)
			elog(ERROR, "a query of exact states has a join of kind %d", (int) join->jointype);
		join->larg = write_side(query, join->larg, above);
		join->rarg = write_side(query, join->rarg, &join->quals);
		return side;
	}
	if (!IsA(side, FromExpr))
		return side;
	foreach(cell, ((FromExpr *) side)->fromlist)
	{
		Node	   *item = write_side(query, lfirst(cell), above);

		written = written == NULL ? item : make_join(query, written, item);
	}
	if (written == NULL)
		elog(ERROR, "a query of exact states has a join with nothing");
	*above = make_and_qual(*above, ((FromExpr *) side)->quals);
	return written;
}

/* No FROM within FROM. */
static void
write_from(Query *query, FromExpr *from)
{
	List	   *items = NIL;
	ListCell   *cell;

	foreach(cell, from->fromlist)
	{
		FromExpr   *inner = lfirst(cell);

		if (!IsA(inner, FromExpr))
		{
			items = lappend(items, IsA(inner, JoinExpr) ? write_side(query, (Node *) inner, &from->quals) : (Node *) inner);
			continue;
		}
		write_from(query, inner);
		items = list_concat(items, inner->fromlist);
		from->quals = make_and_qual(from->quals, inner->quals);
	}
	from->fromlist = items;
}

/* ---- entries of joins ---- */

static int
index_of(const Node *side)
{
	return IsA(side, JoinExpr) ? ((const JoinExpr *) side)->rtindex : castNode(RangeTblRef, side)->rtindex;
}

/* The joins of the tree, each behind those of its sides, and the numbers of their entries. */
static void
list_joins(Node *node, List **joins, List **numbers)
{
	if (!IsA(node, JoinExpr))
		return;
	list_joins(((JoinExpr *) node)->larg, joins, numbers);
	list_joins(((JoinExpr *) node)->rarg, joins, numbers);
	*joins = lappend(*joins, node);
	*numbers = lappend_int(*numbers, ((JoinExpr *) node)->rtindex);
}

/* Appends the columns of one side to those of a join. */
static void
add_columns(const Query *query, int side, RangeTblEntry *entry, List **numbers)
{
	List	   *names;
	List	   *columns;
	ListCell   *cell;

	dps_expand_entry(rt_fetch(side, query->rtable), side, &names, &columns);
	entry->eref->colnames = list_concat(entry->eref->colnames, names);
	entry->joinaliasvars = list_concat(entry->joinaliasvars, columns);
	foreach(cell, columns)
		*numbers = lappend_int(*numbers, lfirst_node(Var, cell)->varattno);
}

/* An entry says all that the parser says of a join's columns: Citus reads it without asking whether it is there. */
static void
write_entry(const Query *query, const JoinExpr *join)
{
	RangeTblEntry *entry = rt_fetch(join->rtindex, query->rtable);

	entry->jointype = join->jointype;
	entry->eref = makeAlias("unnamed_join", NIL);
	entry->joinaliasvars = entry->joinleftcols = entry->joinrightcols = NIL;
	entry->joinmergedcols = 0;
	add_columns(query, index_of(join->larg), entry, &entry->joinleftcols);
	add_columns(query, index_of(join->rarg), entry, &entry->joinrightcols);
}

/* Nothing else refers to entries of joins, which are numbered so that those of a join's sides come before its own. */
static void
write_entries(const Query *query)
{
	List	   *joins = NIL;
	List	   *numbers = NIL;
	ListCell   *cell;
	ListCell   *number;

	foreach(cell, query->jointree->fromlist)
		list_joins(lfirst(cell), &joins, &numbers);
	list_sort(numbers, list_int_cmp);
	forboth(cell, joins, number, numbers)
	{
		lfirst_node(JoinExpr, cell)->rtindex = lfirst_int(number);
		write_entry(query, lfirst_node(JoinExpr, cell));
	}
}

/* ---- all queries ---- */

/* References have the names that the planner of Citus looks for. */
static bool
written_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		((Var *) node)->varnosyn = ((Var *) node)->varno;
		((Var *) node)->varattnosyn = ((Var *) node)->varattno;
		return false;
	}
	if (IsA(node, Query))
	{
		write_from((Query *) node, ((Query *) node)->jointree);
		write_entries((Query *) node);
		return query_tree_walker((Query *) node, written_walker, context, 0);
	}
	return expression_tree_walker(node, written_walker, context);
}

void
dps_make_writable(Query *query)
{
	(void) written_walker((Node *) query, NULL);
}
