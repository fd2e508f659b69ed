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

#include "glue/constraint/inheritance.h"

/* The relations that this one inherits from, at any distance. */
static List *
find_ancestors(Oid relation)
{
	List	   *found = list_make1_oid(relation);
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	ListCell   *cell;

	foreach(cell, found)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

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
	return list_concat(find_ancestors(relation), find_all_inheritors(relation, NoLock, NULL));
}
