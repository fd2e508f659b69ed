/*
 * not_null.c
 *		Columns that hold no NULL.
 *
 * attnotnull is about new rows: from version 18 on the constraint may not have been
 * validated for existing rows.  Child tables need not have the constraint, except
 * partitions.
 *
 * Catalogs are read in their current state, but an older snapshot still sees rows from
 * before the constraint.  Most uses of NOT NULL tolerate that: an unexpected NULL is
 * replaced by another value (glue/import/cell.h).  The unit of a row does not, so it is
 * checked for the snapshot (dps_check_not_null).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/constraint/not_null.h"

static bool
has_constraint(Oid relation, AttrNumber column)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(column));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u", column, relation);
	result = ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return result && dps_not_null_is_validated(relation, column);
}

bool
dps_column_is_not_null(Oid relation, AttrNumber column)
{
	const char *name;
	ListCell   *cell;

	if (!has_constraint(relation, column))
		return false;
	if (column <= 0 || get_rel_relkind(relation) != RELKIND_RELATION)
		return true;
	name = get_attname(relation, column, false);
	foreach(cell, find_all_inheritors(relation, NoLock, NULL))
	{
		if (!has_constraint(lfirst_oid(cell), get_attnum(lfirst_oid(cell), name)))
			return false;
	}
	return true;
}

/* ---- for a snapshot ---- */

/* Was the catalog row written after the snapshot was taken?  A change by this transaction
 * does not count: its role owns the relation, and may read it. */
static bool
is_later(HeapTuple tuple, Snapshot snapshot)
{
	TransactionId made = HeapTupleHeaderGetXmin(tuple->t_data);

	return TransactionIdIsNormal(made) && !TransactionIdIsCurrentTransactionId(made) &&
		(snapshot == NULL || XidInMVCCSnapshot(made, snapshot));
}

static bool
is_new_constraint(Oid relation, AttrNumber column, Snapshot snapshot)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(column));
	HeapTuple	constraint = dps_not_null_constraint(relation, column);
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u", column, relation);
	result = is_later(tuple, snapshot) || (HeapTupleIsValid(constraint) && is_later(constraint, snapshot));
	ReleaseSysCache(tuple);
	return result;
}

void
dps_check_not_null(Oid relation, AttrNumber column, Snapshot snapshot)
{
	const char *name = get_attname(relation, column, false);
	ListCell   *cell;

	if (!dps_column_is_not_null(relation, column))
		return;
	foreach(cell, find_all_inheritors(relation, NoLock, NULL))
	{
		if (is_new_constraint(lfirst_oid(cell), get_attnum(lfirst_oid(cell), name), snapshot))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("column \"%s\" of relation \"%s\" may have been NULL for this snapshot", name, get_rel_name(relation)),
					 errdetail("It says whose rows are, and was made or changed later."),
					 errhint("Commit, and run the statement again.")));
	}
}
