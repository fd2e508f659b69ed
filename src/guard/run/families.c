/*
 * families.c
 *		That the tables of a plan are those that proofs were about.
 *
 * That a table has no children, or that all of its partitions are tables of this
 * server, is looked at before bounds are searched, which may take seconds; the
 * planner looks for children after that.  Another session can make one in between:
 * no lock that a query takes on a table keeps others from inheriting from it.
 *
 * Claim.  If the families are the same before the first proof and after planning, the
 * plan reads the relations that the proofs were about.
 *
 * Proof.  What was in a family before is locked, so it can neither leave it nor be
 * dropped.  What the planner has found beside is locked as well, and would still be
 * there.  A proof in between that has seen more children than the plan has is about
 * all of the plan's.
 *
 * A plan that is kept is made anew when a relation of it gets a child, and when one of
 * its own leaves; one for a clean room notes the children for that (room_query.c).
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "guard/run/families.h"

/* Sorted, the relation itself among them. */
static List *
family_of(Oid relation, LOCKMODE lock)
{
	List	   *family = find_all_inheritors(relation, lock, NULL);

	list_sort(family, list_oid_cmp);
	return lcons_oid(relation, family);
}

static bool
note_walker(Node *node, List **families)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_RELATION)
			*families = list_append_unique(*families, family_of(((RangeTblEntry *) node)->relid, AccessShareLock));
		/* false goes on into subqueries */
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, note_walker, families, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, note_walker, families);
}

List *
dps_note_families(Query *query)
{
	List	   *families = NIL;

	(void) note_walker((Node *) query, &families);
	return families;
}

void
dps_check_families(const List *families)
{
	ListCell   *cell;

	foreach(cell, families)
	{
		const List *family = lfirst(cell);
		char	   *name = get_rel_name(linitial_oid(family));

		if (!equal(family, family_of(linitial_oid(family), NoLock)))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("relation \"%s\" got other children while the query was planned", name != NULL ? name : "?"),
					 errhint("Run the query again.")));
	}
}
