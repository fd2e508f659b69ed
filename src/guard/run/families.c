/*
 * families.c
 *		Checks that a plan reads the tables that the proofs are about.
 *
 * The guard checks that a table has no children, or that all of its partitions are tables of this server,
 * before it searches bounds, which may take seconds.  The planner looks up children after that.  Another
 * session can create a child in between: no lock that a query takes on a table prevents inheritance from
 * it.
 *
 * Claim.  If the families are the same before the first proof and after planning, the plan reads the
 * relations that the proofs are about.
 *
 * Proof.  All members of a family before the first proof are locked, so they can neither leave it nor be
 * dropped.  A child that the planner finds in addition is locked as well, so it would still be in the
 * family afterwards.  A proof in between that has seen more children than the plan holds for all relations
 * of the plan.
 *
 * A cached plan is invalidated when one of its relations gets a child, and when a child leaves.  A plan
 * for a clean room records the children for this purpose (room_query.c).
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "guard/run/families.h"

/* The relation, followed by all that inherit from it in the order of their OIDs. */
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
		/* false lets the walker go on into subqueries */
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
