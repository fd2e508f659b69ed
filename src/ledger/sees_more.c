/*
 * sees_more.c
 *		Whether a role may see rows of a relation that another may not.
 *
 * A role needs no SELECT on the whole relation: on a column, on a relation that shares rows by inheritance or
 * partitioning, or on a view or materialized view of any of these is enough.
 *
 * Precondition: the one role may not read the whole relation.
 * Postcondition: if it is said that the other sees no more, then it has no privilege on the relation or what shares rows with
 * it, and on each view over these, and over such views, whose owner may read a part of what the view reads, or which is
 * materialized and has rows, it has none either, or the one may read the view, too.
 * Argument: a view whose owner may read nothing of it shows nobody rows, so nobody can make others seem to see more by making a
 * view; but a materialized one keeps those that its owner might read before.  What a view reads is in the catalog of dependencies, since its rule is.  What functions show is asked of each
 * function by itself, when it is called.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_rewrite.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/constraint/inheritance.h"
#include "glue/owner.h"
#include "ledger/authority.h"

static bool
may_read_part(Oid relation, Oid role)
{
	return superuser_arg(role) || dps_check_select(relation, role) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relation, role, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

/* The relation of a rule; InvalidOid if it is gone. */
static Oid
relation_of_rule(Oid rule)
{
	Relation	rules = table_open(RewriteRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			relation;

	ScanKeyInit(&key, Anum_pg_rewrite_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(rule));
	scan = systable_beginscan(rules, RewriteOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	relation = HeapTupleIsValid(tuple) ? ((Form_pg_rewrite) GETSTRUCT(tuple))->ev_class : InvalidOid;
	systable_endscan(scan);
	table_close(rules, AccessShareLock);
	return relation;
}

static bool
is_view(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	return kind == RELKIND_VIEW || kind == RELKIND_MATVIEW;
}

/* Has a materialized view rows?  Somebody might read the relation when it got them, whatever its owner may now. */
static bool
keeps_rows(Oid view)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(view));
	bool		keeps;

	if (!HeapTupleIsValid(tuple))
		return false;
	keeps = ((Form_pg_class) GETSTRUCT(tuple))->relkind == RELKIND_MATVIEW && ((Form_pg_class) GETSTRUCT(tuple))->relispopulated;
	ReleaseSysCache(tuple);
	return keeps;
}

/* The list with views that read the relation, and that keep rows of it or whose owners may read a part of it. */
static List *
add_views(Oid relation, List *found)
{
	Relation	depends = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(depends, DependReferenceIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Oid			view = ((Form_pg_depend) GETSTRUCT(tuple))->classid == RewriteRelationId ?
			relation_of_rule(((Form_pg_depend) GETSTRUCT(tuple))->objid) : InvalidOid;

		if (OidIsValid(view) && is_view(view) && (may_read_part(relation, dps_relation_owner(view)) || keeps_rows(view)))
			found = list_append_unique_oid(found, view);
	}
	systable_endscan(scan);
	table_close(depends, AccessShareLock);
	return found;
}

bool
dps_sees_more(Oid relation, Oid role, Oid other)
{
	List	   *found;
	int			i;

	if (may_read_part(relation, other))
		return true;
	found = list_copy(dps_relation_family(relation));
	/* the list grows while it is walked through */
	for (i = 0; i < list_length(found); i++)
	{
		Oid			one = list_nth_oid(found, i);

		if (may_read_part(one, other) && dps_check_select(one, role) != ACLCHECK_OK)
			return true;
		found = add_views(one, found);
		CHECK_FOR_INTERRUPTS();
	}
	return false;
}
