/*
 * store.c
 *		Models in the table dpsens.stored_models.
 *
 * Nobody is granted anything on the table: its rows are read and written here,
 * for the role that owns the model and its members.  Parameters that were
 * trained on private data without noise are private data of that role.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "glue/glue.h"
#include "model/store.h"

#define TABLE_NAME "stored_models"
#define INDEX_NAME "stored_models_pkey"

enum
{
	COLUMN_NAME = 1,
	COLUMN_OWNER,
	COLUMN_DEFINITION,
	COLUMN_PARAMETERS,
	COLUMN_CHANGED,
	COLUMN_COUNT = COLUMN_CHANGED
};

static Relation
open_table(LOCKMODE lock)
{
	Oid			schema = dps_schema_oid();
	Oid			oid = OidIsValid(schema) ? get_relname_relid(TABLE_NAME, schema) : InvalidOid;
	Relation	table;

	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("table dpsens.%s does not exist as this library expects it", TABLE_NAME),
				 errhint("Use ALTER EXTENSION dpsens UPDATE.")));
	table = table_open(oid, lock);
	if (table->rd_rel->relkind != RELKIND_RELATION || RelationGetNumberOfAttributes(table) != COLUMN_COUNT)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table dpsens.%s is not as this library expects it", TABLE_NAME)));
	return table;
}

static SysScanDesc
begin_scan(Relation table, Name name, Snapshot snapshot, ScanKey key)
{
	Oid			index = get_relname_relid(INDEX_NAME, RelationGetNamespace(table));

	ScanKeyInit(key, COLUMN_NAME, BTEqualStrategyNumber, F_NAMEEQ, NameGetDatum(name));
	return systable_beginscan(table, index, OidIsValid(index), snapshot, 1, key);
}

static Datum
get_column(Relation table, HeapTuple tuple, int column)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, column, RelationGetDescr(table), &isnull);

	if (isnull)
		elog(ERROR, "column %d of a stored model is null", column);
	return value;
}

static void
check_model(Relation table, HeapTuple tuple, Name name)
{
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("model \"%s\" does not exist", NameStr(*name)),
				 errhint("Use dpsens.create_model; dpsens.models lists yours.")));
	if (!has_privs_of_role(GetUserId(), DatumGetObjectId(get_column(table, tuple, COLUMN_OWNER))))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for model \"%s\"", NameStr(*name)),
				 errhint("A model can be used by the role that created it and by its members.")));
}

static DpsModelVersion
version_of(HeapTuple tuple)
{
	DpsModelVersion version;

	version.xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	version.cmin = HeapTupleHeaderGetRawCommandId(tuple->t_data);
	version.place = tuple->t_self;
	return version;
}

static bool
same_version(const DpsModelVersion *a, const DpsModelVersion *b)
{
	return a->xmin == b->xmin && a->cmin == b->cmin &&
		ItemPointerEquals(unconstify(ItemPointerData *, &a->place), unconstify(ItemPointerData *, &b->place));
}

bool
dps_read_model(Name name, const DpsModelVersion *version, DpsStoredModel *model)
{
	Relation	table = open_table(AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan = begin_scan(table, name, GetActiveSnapshot(), &key);
	HeapTuple	tuple = systable_getnext(scan);
	DpsModelVersion current;
	bool		changed;

	check_model(table, tuple, name);
	current = version_of(tuple);
	changed = version == NULL || !same_version(version, &current);
	if (changed)
	{
		model->version = current;
		model->owner = DatumGetObjectId(get_column(table, tuple, COLUMN_OWNER));
		model->definition = DatumGetJsonbPCopy(get_column(table, tuple, COLUMN_DEFINITION));
		model->parameters = DatumGetArrayTypePCopy(get_column(table, tuple, COLUMN_PARAMETERS));
	}
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return changed;
}

static void
check_writable(const char *command)
{
	PreventCommandIfReadOnly(command);
	PreventCommandIfParallelMode(command);
	PreventCommandDuringRecovery(command);
}

/* A model is an object of the database, as a schema is. */
static void
check_may_create(void)
{
	if (!DatumGetBool(DirectFunctionCall2(has_database_privilege_id, ObjectIdGetDatum(MyDatabaseId),
										  CStringGetTextDatum("CREATE"))))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to create a model"),
				 errhint("It needs the privilege CREATE on database \"%s\".", get_database_name(MyDatabaseId))));
}

void
dps_insert_model(Name name, Jsonb *definition, ArrayType *parameters)
{
	Datum		values[COLUMN_COUNT];
	bool		nulls[COLUMN_COUNT] = {false};
	Relation	table;
	ScanKeyData key;
	SysScanDesc scan;
	bool		taken;

	check_writable("dpsens.create_model()");
	check_may_create();
	/* conflicts with itself: one writer at a time, and readers go on */
	table = open_table(ShareUpdateExclusiveLock);
	scan = begin_scan(table, name, NULL, &key);
	taken = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	if (taken)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("model \"%s\" already exists", NameStr(*name)),
				 errhint("Use dpsens.drop_model first, or another name.")));
	values[COLUMN_NAME - 1] = NameGetDatum(name);
	values[COLUMN_OWNER - 1] = ObjectIdGetDatum(GetUserId());
	values[COLUMN_DEFINITION - 1] = JsonbPGetDatum(definition);
	values[COLUMN_PARAMETERS - 1] = PointerGetDatum(parameters);
	values[COLUMN_CHANGED - 1] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	CatalogTupleInsert(table, heap_form_tuple(RelationGetDescr(table), values, nulls));
	table_close(table, NoLock);
	CommandCounterIncrement();
}

void
dps_delete_model(Name name)
{
	Relation	table;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	check_writable("dpsens.drop_model()");
	table = open_table(ShareUpdateExclusiveLock);
	scan = begin_scan(table, name, NULL, &key);
	tuple = systable_getnext(scan);
	check_model(table, tuple, name);
	CatalogTupleDelete(table, &tuple->t_self);
	systable_endscan(scan);
	table_close(table, NoLock);
	CommandCounterIncrement();
}

void
dps_update_model(Name name, ArrayType *parameters)
{
	Datum		values[COLUMN_COUNT] = {0};
	bool		nulls[COLUMN_COUNT] = {false};
	bool		replaced[COLUMN_COUNT] = {false};
	Relation	table;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	check_writable("dpsens.set_model_parameters()");
	table = open_table(ShareUpdateExclusiveLock);
	scan = begin_scan(table, name, NULL, &key);
	tuple = systable_getnext(scan);
	check_model(table, tuple, name);
	values[COLUMN_PARAMETERS - 1] = PointerGetDatum(parameters);
	values[COLUMN_CHANGED - 1] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	replaced[COLUMN_PARAMETERS - 1] = true;
	replaced[COLUMN_CHANGED - 1] = true;
	CatalogTupleUpdate(table, &tuple->t_self,
					   heap_modify_tuple(tuple, RelationGetDescr(table), values, nulls, replaced));
	systable_endscan(scan);
	table_close(table, NoLock);
	CommandCounterIncrement();
}
