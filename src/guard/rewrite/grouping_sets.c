/*
 * grouping_sets.c
 *		GROUPING SETS, ROLLUP and CUBE: a query for each set.
 *
 * Each set is a release of its own: its groups differ from those of other sets and get their own noise, and
 * every row is in one group of each set.  So a query with sets is equivalent to several queries, each of
 * which is planned, charged and drawn by itself:
 *
 *	SELECT a, b, grouping(a, b), dp_sum(x) FROM t GROUP BY ROLLUP (a, b)
 *
 * becomes
 *
 *	SELECT k.a, k.b, k.g, k.s FROM (
 *		SELECT a, b, 0 AS g, dp_sum(x) AS s FROM t GROUP BY a, b
 *		UNION ALL SELECT a, NULL, 1, dp_sum(x) FROM t GROUP BY a
 *		UNION ALL SELECT NULL, NULL, 3, dp_sum(x) FROM t) k
 *
 * HAVING, ORDER BY, LIMIT, DISTINCT and window functions stay in the outer query, over the answers.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_agg.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "glue/compat.h"
#include "glue/import/import.h"
#include "glue/import/parse.h"
#include "guard/query/made_nodes.h"
#include "guard/release/undeclared_groups.h"
#include "guard/rewrite/grouping_sets.h"
#include "guard/query/range_table.h"
#include "guard/trace/trace.h"

/* The largest number of sets: each reads the table again. */
#define MAX_SETS 128

#define ENTRY_NAME "dpsens grouping sets"

/* The columns of the queries of the sets. */
typedef struct Columns
{
	const Query *query;			/* as the user wrote it */
	List	   *clauses;		/* of SortGroupClause *: the keys, distinct */
	List	   *keys;			/* of Node *: their expressions */
	List	   *groupings;		/* of GroupingFunc *, distinct */
	List	   *aggregates;		/* of Aggref *, distinct */
	bool		has_rest;		/* dp_suppressed() is the last column */
	int			location;		/* of an aggregate */
	const char *source_text;
} Columns;

static void
refuse(const Columns *columns, const char *what, const char *hint, int location)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported together with dp aggregates and several groupings", what),
			 errhint("%s", hint),
			 errposition(dps_text_position(columns->source_text, location >= 0 ? location : columns->location))));
}

/* ---- what there is ---- */

static bool
grouping_walker(Node *node, Columns *columns)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == 0)
	{
		columns->groupings = list_append_unique(columns->groupings, node);
		return false;
	}
	return expression_tree_walker(node, grouping_walker, columns);
}

static void
find_columns(Columns *columns, const Query *query, const List *aggregates)
{
	ListCell   *cell;

	columns->query = query;
	foreach(cell, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		Node	   *key = get_sortgroupclause_expr(clause, query->targetList);

		/* an equal constant elsewhere in the query would be replaced by the key */
		if (IsA(key, Const))
			refuse(columns, "GROUP BY of a constant is", "Leave it out.", exprLocation(key));
		columns->clauses = lappend(columns->clauses, clause);
		columns->keys = lappend(columns->keys, key);
	}
	foreach(cell, aggregates)
		columns->aggregates = list_append_unique(columns->aggregates, lfirst(cell));
	(void) grouping_walker((Node *) query->targetList, columns);
	(void) grouping_walker(query->havingQual, columns);
	columns->has_rest = dps_asks_for_rest((Query *) query);
}

/* Finds a reference, at the given depth, to the level's rows or to a WITH query of the level. */
static bool
inner_reference_walker(Node *node, int *depth)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return *depth > 0 && (int) ((Var *) node)->varlevelsup == *depth;
	if (IsA(node, Aggref))
		return *depth > 0 && (int) ((Aggref *) node)->agglevelsup == *depth;
	if (IsA(node, GroupingFunc))
		return *depth > 0 && (int) ((GroupingFunc *) node)->agglevelsup == *depth;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_CTE && (int) ((RangeTblEntry *) node)->ctelevelsup == *depth;
	if (IsA(node, Query))
	{
		int			inner = *depth + 1;

		return query_tree_walker((Query *) node, inner_reference_walker, &inner, QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, inner_reference_walker, depth);
}

/* The rows are read once for each set, so they must not be read from a WITH query of this query; WITH
 * queries in FROM become subqueries. */
static void
check_subqueries(const Columns *columns, Query *query)
{
	const char *hint = "Write one query for each grouping.";
	int			depth = 0;
	ListCell   *cell;

	foreach(cell, query->rtable)
		dps_inline_with_query(query, lfirst_node(RangeTblEntry, cell));
	if (query->cteList != NIL && (range_table_walker(query->rtable, inner_reference_walker, &depth, QTW_EXAMINE_RTES_BEFORE) ||
								  inner_reference_walker((Node *) query->jointree, &depth)))
		refuse(columns, "WITH in a subquery is", hint, -1);
	if (inner_reference_walker((Node *) query->targetList, &depth) || inner_reference_walker(query->havingQual, &depth) ||
		inner_reference_walker(query->limitCount, &depth) || inner_reference_walker(query->limitOffset, &depth))
		refuse(columns, "a subquery that refers to the level of the aggregates is", hint, -1);
}

/* ---- a query for a set ---- */

static Expr *
grouping_value(const GroupingFunc *grouping, const List *set)
{
	int32		value = 0;
	ListCell   *cell;

	foreach(cell, grouping->refs)
		value = value << 1 | !list_member_int(set, lfirst_int(cell));
	return (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true);
}

static void
add_key(Query *query, const SortGroupClause *clause, Node *key, const List *set)
{
	SortGroupClause *copy = copyObject((SortGroupClause *) clause);

	if (!list_member_int(set, clause->tleSortGroupRef))
	{
		dps_add_target(query, (Expr *) makeNullConst(exprType(key), exprTypmod(key), exprCollation(key)), "key");
		return;
	}
	dps_add_target(query, copyObject((Expr *) key), "key");
	copy->tleSortGroupRef = llast_node(TargetEntry, query->targetList)->ressortgroupref = list_length(query->targetList);
	query->groupClause = lappend(query->groupClause, copy);
}

static bool
find_rest_walker(Node *node, Node **found)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (dps_is_suppressed_call(node))
	{
		*found = node;
		return true;
	}
	return expression_tree_walker(node, find_rest_walker, found);
}

static Query *
make_query(const Columns *columns, const List *set)
{
	Query	   *query = copyObject((Query *) columns->query);
	Node	   *rest = NULL;
	ListCell   *cell;
	ListCell   *clause;

	query->targetList = query->groupClause = NIL;
	forboth(cell, columns->keys, clause, columns->clauses)
		add_key(query, lfirst(clause), lfirst(cell), set);
	foreach(cell, columns->groupings)
		dps_add_target(query, grouping_value(lfirst(cell), set), "grouping");
	foreach(cell, columns->aggregates)
		dps_add_target(query, copyObject((Expr *) lfirst(cell)), "answer");
	if (columns->has_rest)
	{
		if (!find_rest_walker((Node *) columns->query->targetList, &rest))
			(void) find_rest_walker(columns->query->havingQual, &rest);
		dps_add_target(query, copyObject((Expr *) rest), "suppressed");
	}
	query->groupingSets = query->sortClause = query->distinctClause = query->windowClause = query->cteList = NIL;
	query->groupDistinct = query->hasDistinctOn = query->hasWindowFuncs = query->hasTargetSRFs = query->hasModifyingCTE = false;
	query->havingQual = query->limitCount = query->limitOffset = NULL;
	query->hasAggs = true;
	query->canSetTag = false;
	/* its references to enclosing queries are now two levels further */
	IncrementVarSublevelsUp((Node *) query, 2, 1);
	return query;
}

static const char *
key_name(const Columns *columns, int reference)
{
	const TargetEntry *entry = get_sortgroupref_tle(reference, columns->query->targetList);
	const Var  *var = (const Var *) entry->expr;

	if (entry->resname != NULL)
		return entry->resname;
	if (IsA(var, Var) && var->varattno > 0 && var->varlevelsup == 0)
		return get_rte_attribute_name(rt_fetch(var->varno, columns->query->rtable), var->varattno);
	return "...";
}

/* "(city, size)" */
static char *
describe_set(const Columns *columns, const List *set)
{
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, set)
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "", key_name(columns, lfirst_int(cell)));
	return psprintf("(%s)", text.data);
}

/* ---- all of them ---- */

static Node *
unite(const Query *first, Node *left, Node *right)
{
	SetOperationStmt *both = makeNode(SetOperationStmt);
	ListCell   *cell;

	both->op = SETOP_UNION;
	both->all = true;
	both->larg = left;
	both->rarg = right;
	foreach(cell, first->targetList)
	{
		Node	   *expression = (Node *) lfirst_node(TargetEntry, cell)->expr;

		both->colTypes = lappend_oid(both->colTypes, exprType(expression));
		both->colTypmods = lappend_int(both->colTypmods, exprTypmod(expression));
		both->colCollations = lappend_oid(both->colCollations, exprCollation(expression));
	}
	return (Node *) both;
}

static Query *
make_union(const Columns *columns, const List *sets)
{
	Query	   *query = makeNode(Query);
	Node	   *all = NULL;
	const Query *first = NULL;
	ListCell   *cell;

	query->commandType = CMD_SELECT;
	query->jointree = makeFromExpr(NIL, NULL);
	foreach(cell, sets)
	{
		Query	   *one = make_query(columns, lfirst(cell));
		Node	   *ref;

		query->rtable = lappend(query->rtable, dps_subquery_entry(one, describe_set(columns, lfirst(cell))));
		ref = dps_range_ref(list_length(query->rtable));
		first = first == NULL ? one : first;
		all = all == NULL ? ref : unite(first, all, ref);
	}
	foreach(cell, first->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		dps_add_target(query, (Expr *) makeVarFromTargetEntry(1, entry), entry->resname);
	}
	if (IsA(all, RangeTblRef))
		query->jointree = makeFromExpr(list_make1(all), NULL);
	else
		query->setOperations = all;
	return query;
}

static Node *
column(const Query *all, int number)
{
	return (Node *) makeVarFromTargetEntry(1, list_nth_node(TargetEntry, all->targetList, number));
}

typedef struct OuterContext
{
	const Columns *columns;
	const Query *all;
} OuterContext;

/* The position of an equal node, or -1. */
static int
find_equal(const List *nodes, const Node *node)
{
	ListCell   *cell;

	foreach(cell, nodes)
	{
		if (equal(lfirst(cell), node))
			return foreach_current_index(cell);
	}
	return -1;
}

/* Replaces keys, aggregates and grouping() by columns of the union. */
static Node *
outer_mutator(Node *node, OuterContext *context)
{
	const Columns *columns = context->columns;
	int			nkeys = list_length(columns->keys);
	int			ngroupings = list_length(columns->groupings);
	int			place;

	if (node == NULL)
		return NULL;
	place = find_equal(columns->keys, node);
	if (place >= 0)
		return column(context->all, place);
	place = find_equal(columns->groupings, node);
	if (place >= 0)
		return column(context->all, nkeys + place);
	place = find_equal(columns->aggregates, node);
	if (place >= 0)
		return column(context->all, nkeys + ngroupings + place);
	if (dps_is_suppressed_call(node))
		return column(context->all, list_length(context->all->targetList) - 1);
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		refuse(columns, "a column outside of GROUP BY and the aggregates is", "Group by it.", ((Var *) node)->location);
	return expression_tree_mutator(node, outer_mutator, (void *) context);
}

void
dps_split_grouping_sets(Query *query, const List *aggregates, const char *source_text)
{
	Columns		columns = {.source_text = source_text, .location = exprLocation(linitial(aggregates))};
	OuterContext context = {&columns, NULL};
	List	   *sets = expand_grouping_sets(query->groupingSets, query->groupDistinct, MAX_SETS);
	Query	   *all;

	if (sets == NIL)
		refuse(&columns, psprintf("more than %d sets are", MAX_SETS), "Use several queries.", -1);
	if (query->commandType != CMD_SELECT || query->rowMarks != NIL || query->hasRecursive)
		refuse(&columns, "anything but a plain SELECT is", "Write one query for each grouping.", -1);
	find_columns(&columns, query, aggregates);
	check_subqueries(&columns, query);
	context.all = all = make_union(&columns, sets);
	query->targetList = (List *) outer_mutator((Node *) query->targetList, &context);
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), outer_mutator(query->havingQual, &context));
	query->rtable = list_make1(dps_subquery_entry(all, ENTRY_NAME));
	dps_clear_permission_list(query);
	query->groupClause = query->groupingSets = NIL;
	query->groupDistinct = query->hasAggs = false;
	query->havingQual = NULL;
}

const char *
dps_grouping_set(const Query *enclosing, const Query *query)
{
	ListCell   *cell;

	foreach(cell, enclosing->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_SUBQUERY && entry->subquery == query && entry->alias == NULL &&
			entry->eref->aliasname[0] == '(')
			return entry->eref->aliasname;
	}
	return NULL;
}
