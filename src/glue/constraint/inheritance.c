/*
 * inheritance.c
 *		Relations that share rows by inheritance or partitioning.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "glue/constraint/inheritance.h"

/* Adds all ancestors of the relations found.  The first of them is an ancestor of the
 * others; so the only parent of a partition among the others is in the list already. */
static List *
add_ancestors(List *found)
{
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	int			below = list_length(found);
	ListCell   *cell;

	foreach(cell, found)
	{
		int			place = foreach_current_index(cell);
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		if (place > 0 && place < below && get_rel_relispartition(lfirst_oid(cell)))
			continue;
		ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(lfirst_oid(cell)));
		scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
			found = list_append_unique_oid(found, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
		systable_endscan(scan);
	}
	table_close(inherits, AccessShareLock);
	return found;
}

List *
dps_relation_family(Oid relation)
{
	return add_ancestors(find_all_inheritors(relation, NoLock, NULL));
}
