/*
 * not_null.c
 *		Columns that hold no NULL.
 *
 * What a catalog says of a column is of new rows: from 18 on the constraint may not have
 * been validated for those that are there.  And a table that inherits need not have
 * the constraint, but for partitions.
 */
#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
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
