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

/* ---- what stands for a query ---- */

static RangeTblFunction *
make_function(FuncExpr *call, const Query *of, List **names)
{
	RangeTblFunction *function = makeNode(RangeTblFunction);
	ListCell   *cell;

	call->funcretset = true;
	function->funcexpr = (Node *) call;
	foreach(cell, of->targetList)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, cell);

		if (target->resjunk)
			continue;
		*names = lappend(*names, makeString(pstrdup(target->resname)));
		function->funccoltypes = lappend_oid(function->funccoltypes, exprType((Node *) target->expr));
		function->funccoltypmods = lappend_int(function->funccoltypmods, exprTypmod((Node *) target->expr));
		function->funccolcollations = lappend_oid(function->funccolcollations, exprCollation((Node *) target->expr));
	}
	function->funccolcount = list_length(*names);
	function->funccolnames = *names;
	return function;
}

static RangeTblEntry *
call_entry(FuncExpr *call, const Query *of, const char *name)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	List	   *names = NIL;

	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(make_function(call, of, &names));
	entry->eref = makeAlias(name, copyObject(names));
	entry->inFromCl = true;
	return entry;
}

Query *
dps_read_call(FuncExpr *call, const Query *of, const char *name)
{
	Query	   *query = makeNode(Query);
	int			column = 0;
	ListCell   *cell;

	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->rtable = list_make1(call_entry(call, of, name));
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), NULL);
	foreach(cell, of->targetList)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, cell);

		if (target->resjunk)
			continue;
		column++;
		query->targetList = lappend(query->targetList,
									makeTargetEntry((Expr *) makeVar(1, column, exprType((Node *) target->expr),
																	 exprTypmod((Node *) target->expr),
																	 exprCollation((Node *) target->expr), 0),
													column, pstrdup(target->resname), false));
	}
	return query;
}

/* ---- parameters ---- */

static bool
parameter_walker(Node *node, List **found)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
	{
		*found = list_append_unique(*found, node);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, parameter_walker, (void *) found, 0);
	return expression_tree_walker(node, parameter_walker, (void *) found);
}

List *
dps_add_parameters(List *parameters, Query *query)
{
	(void) parameter_walker((Node *) query, &parameters);
	return parameters;
}
