/*
 * rows_of_unit.c
 *		The rows of one unit, as they were before this transaction.
 *
 * They are read from the table itself: whoever changes a row need not see the others, and policies of rows hide none.
 * An index that has them together is required when row accounting is switched on (row_accounts.c); without it, since
 * it was dropped, the table is read through.  The operators are those of default families of the types of
 * unit.h, which do not fail.
 *
 * What this transaction has written is left out: no answer has read it, and what a unit lost by a row that this
 * transaction has replaced or removed was frozen when it did (sql_freeze.c).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/skey.h"
#include "access/stratnum.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "glue/label/annotation.h"
#include "ledger/rows/rows_of_unit.h"

static void
set_key(ScanKey key, Relation relation, AttrNumber column, TupleTableSlot *of)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(relation), column - 1);
	TypeCacheEntry *type = lookup_type_cache(getBaseType(attribute->atttypid), TYPECACHE_EQ_OPR);
	bool		isnull;
	Datum		value = slot_getattr(of, column, &isnull);

	if (isnull || !OidIsValid(type->eq_opr))
		elog(ERROR, "column %d of relation %u is no part of a key", column, RelationGetRelid(relation));
	ScanKeyEntryInitialize(key, 0, column, BTEqualStrategyNumber, InvalidOid, attribute->attcollation,
						   get_opcode(type->eq_opr), value);
}

static bool
is_of_this_transaction(HeapTuple tuple)
{
	return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
}

void
dps_rows_of_unit(Relation relation, TupleTableSlot *of, TupleTableSlot *slot, DpsUnitRow function, void *context)
{
	DpsUnitColumns columns;
	ScanKeyData keys[DPS_MAX_UNIT_COLUMNS];
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			index;
	int			i;

	dps_get_unit_columns(RelationGetRelid(relation), &columns);
	index = dps_index_of_units(RelationGetRelid(relation), &columns);
	for (i = 0; i < columns.n; i++)
		set_key(&keys[i], relation, columns.column[i], of);
	scan = systable_beginscan(relation, index, OidIsValid(index), snapshot, columns.n, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (is_of_this_transaction(tuple))
			continue;
		ExecStoreHeapTuple(tuple, slot, false);
		function(context, slot);
		ExecClearTuple(slot);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
}
