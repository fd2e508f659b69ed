/*
 * beside.c
 *		Public relations used together with protected ones by a role that may not read
 *		the protected ones.
 *
 * A role that may not read a protected relation may use with it the public relations that carry the label
 * PUBLIC and whose owner also owns the protected relation.  The label does not say who has written the
 * relation, nor who else may write to it.  Others, temporary tables and the role's own among them, may be
 * used if the role's budget was granted with own_tables.  Privacy does not depend on this: public relations
 * are read completely before the first protected row (public_rows.c, room_rows.c).  The rule makes it
 * harder for the role to choose, and to observe, which rows private rows are joined to.
 *
 * It does not apply to a protected relation that the role may read.  Like budgets, it is checked when a
 * statement is planned and again whenever it runs.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/owner.h"
#include "glue/owner_hint.h"
#include "guard/public/public_relation.h"
#include "guard/query/range_table.h"
#include "guard/restrict/analyst.h"
#include "guard/rewrite/beside.h"
#include "ledger/authority.h"

/* ---- which are read ---- */

typedef struct Collection
{
	List	   *around;			/* of Query *, the innermost first */
	List	   *relations;		/* OIDs */
} Collection;

static bool collect_walker(Node *node, Collection *all);

/* Collects from a WITH query, where an entry refers to it. */
static void
collect_with(const RangeTblEntry *entry, Collection *all)
{
	List	   *before = all->around;
	ListCell   *cell;

	if (entry->self_reference || (int) entry->ctelevelsup >= list_length(before))
		return;
	all->around = list_copy_tail(before, entry->ctelevelsup);
	foreach(cell, linitial_node(Query, all->around)->cteList)
	{
		const CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (strcmp(cte->ctename, entry->ctename) == 0)
			(void) collect_walker(cte->ctequery, all);
	}
	all->around = before;
}

static void
collect_entry(const RangeTblEntry *entry, Collection *all)
{
	if (entry->rtekind == RTE_CTE)
		collect_with(entry, all);
	else if (dps_is_stored(entry) && dps_is_public_relation(entry->relid))
		all->relations = list_append_unique_oid(all->relations, entry->relid);
}

static bool
collect_walker(Node *node, Collection *all)
{
	List	   *before = all->around;
	ListCell   *cell;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (!IsA(node, Query))
		return expression_tree_walker(node, collect_walker, all);
	all->around = lcons(node, list_copy(before));
	foreach(cell, ((Query *) node)->rtable)
		collect_entry(lfirst_node(RangeTblEntry, cell), all);
	(void) query_tree_walker((Query *) node, collect_walker, all, QTW_IGNORE_CTE_SUBQUERIES);
	all->around = before;
	return false;
}

void
dps_note_beside(const DpsProtectedSource *source, Query *states, const List *releases)
{
	Collection	all = {list_copy_tail(source->enclosing, 1), NIL};
	ListCell   *cell;
	ListCell   *relation;

	(void) collect_walker((Node *) states, &all);
	if (list_length(all.relations) > DPS_MAX_BESIDE)
		dps_refuse_source(source, psprintf("reading more than %d public relations is", DPS_MAX_BESIDE), "Join fewer.");
	foreach(cell, releases)
	{
		DpsRelease *release = lfirst(cell);

		release->nbeside = 0;
		foreach(relation, all.relations)
			release->beside[release->nbeside++] = lfirst_oid(relation);
	}
}

/* ---- who may use them ---- */

static bool
is_declared(Oid relation, Oid protected)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	return annotation.is_public && dps_owns_relation(protected, dps_relation_owner(relation));
}

static void
check_pair(Oid relation, Oid protected, Oid role, int position)
{
	/* reading a relation that was dropped is an error elsewhere */
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)) || is_declared(relation, protected) ||
		dps_may_use_own_tables(protected, role))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("relation \"%s\" cannot be used beside relation \"%s\" by a role without SELECT privilege on it",
					get_rel_name(relation), get_rel_name(protected)),
			 errdetail("It is not declared to be public by a role that owns both, and the budget was granted without own_tables."),
			 dps_hint_owner(protected, "SELECT dpsens.set_public('%s');", get_rel_name(relation)),
			 errposition(position)));
}

void
dps_check_beside(const DpsRelease *release, Oid role, int position)
{
	int			i;
	int			j;

	for (i = 0; i < release->nbeside; i++)
	{
		if (release->needs_budget)
			check_pair(release->beside[i], release->relation, role, position);
		for (j = 0; j < release->njoined; j++)
		{
			if (release->joined[j].needs_budget)
				check_pair(release->beside[i], release->joined[j].relation, role, position);
		}
	}
}

void
dps_check_noted(const DpsProtectedSource *source, const List *releases)
{
	ListCell   *cell;

	/* a role without a budget gets another error */
	if (source->is_analysis && !dps_has_budget(source->relation, GetUserId()))
		return;
	foreach(cell, releases)
		dps_check_beside(lfirst(cell), GetUserId(), dps_query_position(source, source->location));
}
