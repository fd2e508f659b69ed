/*
 * unique_proof.c
 *		Whether a unique index proves that rows of a snapshot are distinct.
 *
 * An index guarantees distinct rows from its creation on.  The catalogs are read in
 * their current state, but an older snapshot may still see duplicates that were deleted
 * before the index was made.  It may also see rows of a partition from before that was
 * attached: these may equal rows of other partitions, and may lie outside of the
 * partition's bounds.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "glue/constraint/unique_proof.h"

static void
refuse_proof(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a unique index that dp aggregates need proves nothing for this snapshot"),
			 errdetail("%s", detail),
			 errhint("Commit, and run the statement again.")));
}

/* Refuses unless the catalog row was committed when the snapshot was taken. */
static void
check_row(HeapTuple tuple, Snapshot snapshot)
{
	TransactionId made = HeapTupleHeaderGetXmin(tuple->t_data);

	if (TransactionIdIsNormal(made) &&
		(TransactionIdIsCurrentTransactionId(made) || snapshot == NULL || XidInMVCCSnapshot(made, snapshot)))
		refuse_proof("It was made or changed later, or by this transaction itself.");
}

/* Checks each partition's index, and that it was attached before the snapshot. */
static void
check_partitions(Oid index, Snapshot snapshot)
{
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_inherits_inhparent, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(index));
	scan = systable_beginscan(inherits, InheritsParentIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		check_row(tuple, snapshot);
		dps_check_unique_proof(((Form_pg_inherits) GETSTRUCT(tuple))->inhrelid, snapshot);
	}
	systable_endscan(scan);
	table_close(inherits, AccessShareLock);
}

void
dps_check_unique_proof(Oid index, Snapshot snapshot)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	Form_pg_index form;

	check_stack_depth();
	if (!HeapTupleIsValid(tuple))
		refuse_proof("It was dropped since the statement was planned.");
	form = (Form_pg_index) GETSTRUCT(tuple);
	if (!form->indisunique || !form->indisvalid || !form->indimmediate)
		refuse_proof("It was changed since the statement was planned.");
	check_row(tuple, snapshot);
	ReleaseSysCache(tuple);
	if (get_rel_relkind(index) == RELKIND_PARTITIONED_INDEX)
		check_partitions(index, snapshot);
}

/* By the catalog's row.  RelationGetIndexPredicate would evaluate. */
bool
dps_is_plain_index(Relation index)
{
	return heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL);
}
