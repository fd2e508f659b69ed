/*
 * range.c
 *		Entries of the range tables of queries that the guard makes.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"

#include "guard/range.h"

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
