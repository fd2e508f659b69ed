/*
 * private_reading.c
 *		Finds what subqueries read that is not public.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "guard/public/public_relation.h"
#include "guard/source/private_reading.h"

/* Is the expression a call of a release function?  Users cannot write one. */
static bool
is_release(Node *node)
{
	char	   *name;

	if (!IsA(node, FuncExpr) || get_func_namespace(((FuncExpr *) node)->funcid) != dps_internal_schema_oid())
		return false;
	name = get_func_name(((FuncExpr *) node)->funcid);
	return name != NULL && strncmp(name, "release_", 8) == 0;
}

bool
dps_reads_answers(Query *query)
{
	CommonTableExpr *cte;
	ListCell   *cell;

	if (list_length(query->cteList) != 1)
		return false;
	cte = linitial_node(CommonTableExpr, query->cteList);
	if (strcmp(cte->ctename, DPS_RELEASE_CTE) != 0)
		return false;
	foreach(cell, castNode(Query, cte->ctequery)->targetList)
	{
		if (is_release((Node *) lfirst_node(TargetEntry, cell)->expr))
			return true;
	}
	return false;
}

/* The WITH query to which an entry of the innermost ancestor refers.  *outer are the ancestors that this
 * query sees itself. */
static CommonTableExpr *
find_with_query(RangeTblEntry *entry, List *ancestors, List **outer)
{
	ListCell   *cell;

	if ((int) entry->ctelevelsup >= list_length(ancestors))
		return NULL;
	*outer = list_copy_tail(ancestors, entry->ctelevelsup);
	foreach(cell, linitial_node(Query, *outer)->cteList)
	{
		if (strcmp(lfirst_node(CommonTableExpr, cell)->ctename, entry->ctename) == 0)
			return lfirst_node(CommonTableExpr, cell);
	}
	return NULL;
}

typedef struct Reading
{
	List	   *ancestors;		/* of Query *, the innermost first */
	Oid			relation;		/* the private relation that was found, or InvalidOid */
} Reading;

static bool private_reading_walker(Node *node, Reading *reading);

static bool
reads_private_with(RangeTblEntry *entry, Reading *reading)
{
	List	   *outer = NIL;
	CommonTableExpr *cte = find_with_query(entry, reading->ancestors, &outer);
	Reading		inside = {outer, InvalidOid};
	bool		found;

	/* a query that cannot be searched may read anything */
	if (cte == NULL || cte->cterecursive)
		return true;
	found = private_reading_walker(cte->ctequery, &inside);
	reading->relation = inside.relation;
	return found;
}

static bool
is_private_entry(RangeTblEntry *entry, Reading *reading)
{
	switch (entry->rtekind)
	{
		case RTE_RELATION:
			/* the entry of a view is there for its privileges; what the view reads has entries of its own */
			if (get_rel_relkind(entry->relid) == RELKIND_VIEW || dps_is_public_relation(entry->relid))
				return false;
			reading->relation = entry->relid;
			return true;
		case RTE_CTE:
			return reads_private_with(entry, reading);
			/* rows of a trigger's transition table; what is computed from an XML document */
		case RTE_NAMEDTUPLESTORE:
		case RTE_TABLEFUNC:
			return true;
		default:
			return false;
	}
}

/* Is there a query that reads anything that is not public?  Then whether a row counts does not depend on
 * this row alone.  Reading answers of dp aggregates is allowed. */
static bool
private_reading_walker(Node *node, Reading *reading)
{
	ListCell   *cell;
	List	   *outer = reading->ancestors;
	Query	   *query = (Query *) node;
	bool		answers;
	bool		found = false;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (!IsA(node, Query))
		return expression_tree_walker(node, private_reading_walker, reading);
	answers = dps_reads_answers(query);
	reading->ancestors = lcons(query, list_copy(outer));
	foreach(cell, answers ? NIL : query->rtable)
		found = found || is_private_entry(lfirst_node(RangeTblEntry, cell), reading);
	found = found || query_tree_walker(query, private_reading_walker, reading, answers ? QTW_IGNORE_CTE_SUBQUERIES : 0);
	reading->ancestors = outer;
	return found;
}

bool
dps_reads_private(Node *node, List *ancestors, Oid *relation)
{
	Reading		reading = {ancestors, InvalidOid};
	bool		found = private_reading_walker(node, &reading);

	*relation = reading.relation;
	return found;
}

void
dps_refuse_private_reading(const DpsProtectedSource *source, Node *condition, List *ancestors)
{
	Oid			relation;
	const char *detail;
	const char *hint = NULL;

	if (!dps_reads_private(condition, ancestors, &relation))
		return;
	detail = OidIsValid(relation) ? dps_why_not_public(relation, &hint) : NULL;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 OidIsValid(relation) ?
			 errmsg("a subquery of relation \"%s\" in a condition is not supported below dp aggregates", get_rel_name(relation)) :
			 errmsg("a subquery of what is not known to be public in a condition is not supported below dp aggregates"),
			 detail != NULL ? errdetail("%s", detail) : 0,
			 errhint("%s", hint != NULL ? hint : "Whether a row counts must depend on this row, and on public tables, alone."),
			 errposition(dps_query_position(source, exprLocation(condition) >= 0 ? exprLocation(condition) : source->location))));
}
