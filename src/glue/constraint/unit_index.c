/*
 * unit_index.c
 *		Whether a unique index proves that a unit has one row.
 *
 * An index over some of the unit's columns suffices: rows of one unit are equal in these, too.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "glue/compat.h"
#include "glue/constraint/unique_proof.h"
#include "glue/constraint/unit_columns.h"

/*
 * Does the index, in this column of its own, tell apart no values that the table's column calls equal?  One whose
 * operator class or collation distinguishes more than the column's own equality does not, so it must be of the type's
 * default family and the column's collation.
 */
static bool
compares_alike(Relation index, int place)
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	TypeCacheEntry *entry;

	get_atttypetypmodcoll(index->rd_index->indrelid, index->rd_index->indkey.values[place], &type, &typmod, &collation);
	entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_BTREE_OPFAMILY);
	return OidIsValid(entry->eq_opr) && index->rd_indcollation[place] == collation &&
		index->rd_opfamily[place] == entry->btree_opf &&
		get_opfamily_member(index->rd_opfamily[place], index->rd_opcintype[place], index->rd_opcintype[place],
							BTEqualStrategyNumber) == entry->eq_opr;
}

/* A deferrable index proves nothing within a transaction. */
static bool
proves_unit(Oid index_oid, const DpsUnitColumns *columns)
{
	Relation	index = index_open(index_oid, AccessShareLock);
	Form_pg_index form = index->rd_index;
	bool		proves = form->indisunique && form->indisvalid && form->indisready && form->indislive &&
		form->indimmediate && dps_is_plain_index(index) && index->rd_rel->relam == BTREE_AM_OID;
	int			i;

	for (i = 0; proves && i < form->indnkeyatts; i++)
		proves = dps_is_unit_column(columns, form->indkey.values[i]) && compares_alike(index, i);
	index_close(index, AccessShareLock);
	return proves;
}

/* Has the index all rows of a unit together: are its first columns those of the unit?  Puts them into its order. */
static bool
finds_unit(Oid index_oid, const DpsUnitColumns *columns, DpsUnitColumns *ordered)
{
	Relation	index = index_open(index_oid, AccessShareLock);
	Form_pg_index form = index->rd_index;
	bool		finds = form->indisvalid && form->indisready && form->indislive && dps_is_plain_index(index) &&
		index->rd_rel->relam == BTREE_AM_OID && form->indnkeyatts >= columns->n;

	ordered->n = 0;
	while (finds && ordered->n < columns->n)
	{
		AttrNumber	column = form->indkey.values[ordered->n];

		/* an index can have a column twice */
		finds = dps_is_unit_column(columns, column) && !dps_is_unit_column(ordered, column) &&
			compares_alike(index, ordered->n);
		ordered->column[ordered->n++] = column;
	}
	index_close(index, AccessShareLock);
	return finds;
}

Oid
dps_index_of_units(Oid relation_oid, DpsUnitColumns *columns)
{
	Relation	relation = relation_open(relation_oid, AccessShareLock);
	Oid			found = InvalidOid;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(relation))
	{
		DpsUnitColumns ordered = {0};

		if (OidIsValid(found) || !finds_unit(lfirst_oid(cell), columns, &ordered))
			continue;
		found = lfirst_oid(cell);
		*columns = ordered;
	}
	relation_close(relation, AccessShareLock);
	return found;
}

/* Rows of inheritance children are not in the parent's indexes; rows of partitions are covered by the index of the
 * partitioned table. */
Oid
dps_find_unit_index(Oid relation_oid, const DpsUnitColumns *columns)
{
	Relation	relation = relation_open(relation_oid, AccessShareLock);
	Oid			found = InvalidOid;
	ListCell   *cell;

	if (dps_unit_columns_are_not_null(relation_oid, columns) &&
		(relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE || find_inheritance_children(relation_oid, NoLock) == NIL))
	{
		foreach(cell, RelationGetIndexList(relation))
		{
			if (!OidIsValid(found) && proves_unit(lfirst_oid(cell), columns))
				found = lfirst_oid(cell);
		}
	}
	relation_close(relation, AccessShareLock);
	return found;
}
