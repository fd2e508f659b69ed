/*
 * range_table.c
 *		Entries of the range tables of queries that the guard makes.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "guard/query/range_table.h"

RangeTblEntry *
dps_subquery_entry(Query *query, const char *name)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	List	   *names = NIL;
	ListCell   *cell;

	foreach(cell, query->targetList)
		names = lappend(names, makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname)));
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = query;
	entry->eref = makeAlias(name, names);
	entry->inFromCl = true;
	return entry;
}

Node *
dps_range_ref(int index)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = index;
	return (Node *) ref;
}

bool
dps_is_stored(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_RELATION && entry->relkind != RELKIND_VIEW;
}

static bool
named_walker(Node *node, List **relations)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_RELATION)
			*relations = list_append_unique_oid(*relations, ((RangeTblEntry *) node)->relid);
		/* false lets the walker go on into subqueries */
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, named_walker, relations, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, named_walker, relations);
}

List *
dps_named_relations(const Query *query)
{
	List	   *relations = NIL;

	(void) named_walker((Node *) unconstify(Query *, query), &relations);
	return relations;
}

static bool
stored_walker(Node *node, DpsVisitEntry *visit)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (dps_is_stored((RangeTblEntry *) node))
			(*visit) ((RangeTblEntry *) node);
		/* with false the walk continues into subqueries */
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, stored_walker, visit, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, stored_walker, visit);
}

void
dps_visit_stored(Query *query, DpsVisitEntry visit)
{
	(void) stored_walker((Node *) query, &visit);
}
