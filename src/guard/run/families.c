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
#include "utils/lsyscache.h"

#include "guard/query/range_table.h"
#include "guard/run/families.h"

/* The relation, followed by all that inherit from it in the order of their OIDs. */
static List *
family_of(Oid relation, LOCKMODE lock)
{
	List	   *family = find_all_inheritors(relation, lock, NULL);

	list_sort(family, list_oid_cmp);
	return lcons_oid(relation, family);
}

List *
dps_note_families(Query *query)
{
	List	   *families = NIL;
	ListCell   *cell;

	foreach(cell, dps_named_relations(query))
		families = lappend(families, family_of(lfirst_oid(cell), AccessShareLock));
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
