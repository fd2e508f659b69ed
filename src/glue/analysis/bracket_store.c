/*
 * bracket_store.c
 *		Brackets of registered expressions, in the table dpsens.brackets.
 *
 * A row decides how much noise is added, so it is trusted like the library itself.
 * The table belongs to the superuser who made the extension; it is not read if its
 * owner is not a superuser.  No role has privileges on it.  Members of
 * pg_write_all_data need none, so a trigger refuses inserts and updates by statements;
 * a deletion costs only another search.  Rows are written only by the functions of this
 * file, which bypass the executor and its triggers; they hold what the search has proved,
 * whichever role asked.  A row answers its whole question only; the column "function"
 * matters only for removing rows.
 *
 * Rows are read whenever an expression is planned.  They are written by
 * dpsens.register, and when the owner reads dpsens.expressions after ranges have
 * changed; an analyst's query writes nothing.  They are not dumped: they can be found
 * again, and a dump can be edited.
 *
 * No code here waits for a lock on the table.  A reader that does not get the lock
 * searches instead; a writer does not write.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/analysis/bracket_store.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_refuse_write);

#define TABLE_NAME "brackets"
#define HASH_INDEX_NAME "brackets_hash"
#define FUNCTION_INDEX_NAME "brackets_function"

enum
{
	COLUMN_FUNCTION = 1,
	COLUMN_HASH,
	COLUMN_QUESTION,
	COLUMN_ANSWER,
	COLUMN_COUNT = COLUMN_ANSWER
};

/* NULL if there is no table that may be trusted, or if the lock is not available at
 * once. */
static Relation
open_table(LOCKMODE lock)
{
	Oid			schema = dps_schema_oid();
	Oid			oid = OidIsValid(schema) ? get_relname_relid(TABLE_NAME, schema) : InvalidOid;
	Relation	table;

	if (!OidIsValid(oid) || !ConditionalLockRelationOid(oid, lock))
		return NULL;
	table = try_relation_open(oid, NoLock);
	if (table == NULL)
	{
		UnlockRelationOid(oid, lock);
		return NULL;
	}
	if (table->rd_rel->relkind != RELKIND_RELATION || !superuser_arg(table->rd_rel->relowner) ||
		RelationGetNumberOfAttributes(table) != COLUMN_COUNT)
	{
		relation_close(table, lock);
		return NULL;
	}
	return table;
}

static SysScanDesc
begin_scan(Relation table, const char *index, ScanKey key)
{
	Oid			oid = get_relname_relid(index, RelationGetNamespace(table));

	return systable_beginscan(table, oid, OidIsValid(oid), NULL, 1, key);
}

static bytea *
get_bytes(Relation table, HeapTuple tuple, int column)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, column, RelationGetDescr(table), &isnull);

	return isnull ? NULL : DatumGetByteaPP(value);
}

static bool
same_bytes(const bytea *stored, const StringInfoData *bytes)
{
	return stored != NULL && VARSIZE_ANY_EXHDR(stored) == (Size) bytes->len &&
		memcmp(VARDATA_ANY(stored), bytes->data, bytes->len) == 0;
}

bool
dps_read_bracket(uint64 hash, const StringInfo question, StringInfo answer)
{
	Relation	table = open_table(AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	if (table == NULL)
		return false;
	ScanKeyInit(&key, COLUMN_HASH, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum((int64) hash));
	scan = begin_scan(table, HASH_INDEX_NAME, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const bytea *stored;

		if (!same_bytes(get_bytes(table, tuple, COLUMN_QUESTION), question))
			continue;
		stored = get_bytes(table, tuple, COLUMN_ANSWER);
		if (stored == NULL)
			continue;
		appendBinaryStringInfo(answer, VARDATA_ANY(stored), VARSIZE_ANY_EXHDR(stored));
		found = true;
	}
	systable_endscan(scan);
	relation_close(table, AccessShareLock);
	return found;
}

static bool
may_write(void)
{
	return !XactReadOnly && !RecoveryInProgress() && !IsInParallelMode();
}

/* The recorded question that this row is the first to answer, or NULL.  The hash is
 * compared, too: dps_read_bracket would not find a row with the hash of a server of
 * another byte order. */
static DpsRecordedBracket *
find_recorded(Relation table, HeapTuple tuple, const DpsBracketRecord *record)
{
	bool		isnull;
	Datum		hash = heap_getattr(tuple, COLUMN_HASH, RelationGetDescr(table), &isnull);
	bytea	   *question = get_bytes(table, tuple, COLUMN_QUESTION);
	ListCell   *cell;

	foreach(cell, record->entries)
	{
		DpsRecordedBracket *entry = lfirst(cell);

		if (!entry->stored && !isnull && DatumGetInt64(hash) == (int64) entry->hash &&
			same_bytes(question, &entry->question))
			return entry;
	}
	return NULL;
}

/* Keeps the first entry of each question: it may have been asked several times. */
static void
remove_repeated(DpsBracketRecord *record)
{
	List	   *once = NIL;
	ListCell   *cell;
	ListCell   *other;

	foreach(cell, record->entries)
	{
		DpsRecordedBracket *entry = lfirst(cell);
		bool		repeated = false;

		foreach(other, once)
		{
			const DpsRecordedBracket *earlier = lfirst(other);

			repeated |= earlier->hash == entry->hash && earlier->question.len == entry->question.len &&
				memcmp(earlier->question.data, entry->question.data, entry->question.len) == 0;
		}
		if (!repeated)
			once = lappend(once, entry);
	}
	record->entries = once;
}

/* Marks the entries that are stored, and returns the number of superfluous rows; removes
 * those if `remove` is set. */
static int
compare_rows(Relation table, Oid function, DpsBracketRecord *record, bool remove)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	ListCell   *cell;
	int			nsuperfluous = 0;

	foreach(cell, record->entries)
		((DpsRecordedBracket *) lfirst(cell))->stored = false;
	ScanKeyInit(&key, COLUMN_FUNCTION, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(function));
	scan = begin_scan(table, FUNCTION_INDEX_NAME, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		DpsRecordedBracket *entry = find_recorded(table, tuple, record);

		if (entry != NULL)
			entry->stored = true;
		else
		{
			nsuperfluous++;
			if (remove)
				CatalogTupleDelete(table, &tuple->t_self);
		}
	}
	systable_endscan(scan);
	return nsuperfluous;
}

static bool
is_all_stored(const DpsBracketRecord *record)
{
	ListCell   *cell;

	foreach(cell, record->entries)
	{
		if (!((const DpsRecordedBracket *) lfirst(cell))->stored)
			return false;
	}
	return true;
}

static Datum
to_bytea(const StringInfoData *bytes)
{
	return PointerGetDatum(cstring_to_text_with_len(bytes->data, bytes->len));
}

static void
insert_bracket(Relation table, Oid function, const DpsRecordedBracket *entry)
{
	Datum		values[COLUMN_COUNT];
	bool		nulls[COLUMN_COUNT] = {false};
	HeapTuple	tuple;

	values[COLUMN_FUNCTION - 1] = ObjectIdGetDatum(function);
	values[COLUMN_HASH - 1] = Int64GetDatum((int64) entry->hash);
	values[COLUMN_QUESTION - 1] = to_bytea(&entry->question);
	values[COLUMN_ANSWER - 1] = to_bytea(&entry->answer);
	tuple = heap_form_tuple(RelationGetDescr(table), values, nulls);
	CatalogTupleInsert(table, tuple);
	heap_freetuple(tuple);
}

/* Is there nothing to write for the expression? */
static bool
is_up_to_date(Oid function, DpsBracketRecord *record)
{
	Relation	table = open_table(AccessShareLock);
	bool		result;

	if (table == NULL)
		return true;
	result = compare_rows(table, function, record, false) == 0 && is_all_stored(record);
	relation_close(table, AccessShareLock);
	return result;
}

void
dps_store_brackets(Oid function, DpsBracketRecord *record)
{
	Relation	table;
	ListCell   *cell;

	remove_repeated(record);
	if (!may_write() || is_up_to_date(function, record))
		return;
	/* conflicts with itself: no other session removes rows until this one commits */
	table = open_table(ShareUpdateExclusiveLock);
	if (table == NULL)
		return;
	(void) compare_rows(table, function, record, true);
	foreach(cell, record->entries)
	{
		const DpsRecordedBracket *entry = lfirst(cell);

		if (!entry->stored)
			insert_bracket(table, function, entry);
	}
	relation_close(table, NoLock);
	CommandCounterIncrement();
}

void
dps_sweep_brackets(void)
{
	Relation	table = may_write() ? open_table(ShareUpdateExclusiveLock) : NULL;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (table == NULL)
		return;
	scan = systable_beginscan(table, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Oid			function = DatumGetObjectId(heap_getattr(tuple, COLUMN_FUNCTION, RelationGetDescr(table),
															 &isnull));

		if (isnull || !dps_is_registered_expression(function))
			CatalogTupleDelete(table, &tuple->t_self);
	}
	systable_endscan(scan);
	relation_close(table, NoLock);
	CommandCounterIncrement();
}

/*
 * The trigger that refuses inserts and updates by statements.  Rows that a subscription applies are
 * skipped without an error: this server has not proved them, and an error would stop
 * the replication of all other tables.
 */
Datum
dpsens_refuse_write(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function is not called by the trigger manager")));
	if (SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("certified bounds cannot be written by a statement"),
				 errhint("The library stores what it has proved: SELECT * FROM dpsens.expressions.")));
	return PointerGetDatum(NULL);
}
