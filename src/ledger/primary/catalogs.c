/*
 * catalogs.c
 *		What a statement was planned from, as a digest that a standby and its primary can compare.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_description.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_largeobject.h"
#include "catalog/pg_largeobject_metadata.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_replication_origin.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_sequence.h"
#include "catalog/pg_shdepend.h"
#include "catalog/pg_shdescription.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
#include "catalog/pg_subscription.h"
#include "catalog/pg_subscription_rel.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "storage/sinval.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "glue/citus.h"
#include "glue/glue.h"
#include "ledger/primary/catalogs.h"

/* Catalogs that no statement means anything by. */
static const Oid left_out[] = {
	StatisticRelationId, StatisticExtDataRelationId, LargeObjectRelationId, LargeObjectMetadataRelationId,
	DescriptionRelationId, SharedDescriptionRelationId, SharedDependRelationId, SubscriptionRelationId,
	SubscriptionRelRelationId, ReplicationOriginRelationId
};

/* Columns that say which relation, temporary or not, a row of a catalog is about. */
static const struct
{
	Oid			catalog;
	AttrNumber	column;
}			about[] = {
	{AttributeRelationId, Anum_pg_attribute_attrelid},
	{AttrDefaultRelationId, Anum_pg_attrdef_adrelid},
	{ConstraintRelationId, Anum_pg_constraint_conrelid},
	{IndexRelationId, Anum_pg_index_indexrelid},
	{InheritsRelationId, Anum_pg_inherits_inhrelid},
	{SequenceRelationId, Anum_pg_sequence_seqrelid},
	{RewriteRelationId, Anum_pg_rewrite_ev_class},
	{TriggerRelationId, Anum_pg_trigger_tgrelid},
	{PolicyRelationId, Anum_pg_policy_polrelid},
};

typedef struct CatalogScan
{
	Snapshot	snapshot;
	HTAB	   *temporary;		/* relations */
	HTAB	   *their_types;	/* and their row types */
	pg_cryptohash_ctx *hash;
} CatalogScan;

/* That of the catalogs at the last look, and how many invalidations had come by then. */
static DpsCatalogs remembered;
static uint64 remembered_at = 0;
static bool remembers = false;

bool
dps_catalogs_same(const DpsCatalogs *a, const DpsCatalogs *b)
{
	return memcmp(a->digest, b->digest, DPS_CATALOGS_SIZE) == 0;
}

/* ---- hashing ---- */

static pg_cryptohash_ctx *
begin_hash(void)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);

	if (hash == NULL || pg_cryptohash_init(hash) < 0)
		elog(ERROR, "could not begin a digest");
	return hash;
}

static void
add(pg_cryptohash_ctx *hash, const void *bytes, Size length)
{
	if (pg_cryptohash_update(hash, bytes, length) < 0)
		elog(ERROR, "could not compute a digest");
}

static DpsCatalogs
end_hash(pg_cryptohash_ctx *hash)
{
	DpsCatalogs result;

	StaticAssertStmt(DPS_CATALOGS_SIZE == PG_SHA256_DIGEST_LENGTH, "a digest has another length");
	if (pg_cryptohash_final(hash, result.digest, sizeof(result.digest)) < 0)
		elog(ERROR, "could not end a digest");
	return result;
}

/* Where a row version is, and who inserted it. */
typedef struct Version
{
	BlockNumber block;
	TransactionId inserted;
	uint32		item;
} Version;

static void
add_version(const CatalogScan *scan, HeapTuple tuple)
{
	Version		version = {
		ItemPointerGetBlockNumber(&tuple->t_self), HeapTupleHeaderGetRawXmin(tuple->t_data),
		ItemPointerGetOffsetNumber(&tuple->t_self)
	};

	add(scan->hash, &version, sizeof(version));
}

/* ---- rows that are left out ---- */

static HTAB *
make_oids(const char *name)
{
	HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(Oid), .hcxt = CurrentMemoryContext};

	return hash_create(name, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static bool
has_oid(HTAB *oids, Oid oid)
{
	return hash_search(oids, &oid, HASH_FIND, NULL) != NULL;
}

static Oid
oid_of(HeapTuple tuple, AttrNumber column, TupleDesc columns)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, column, columns, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(value);
}

static bool
is_temporary_schema(const char *name)
{
	return strncmp(name, "pg_temp_", 8) == 0 || strncmp(name, "pg_toast_temp_", 14) == 0;
}

/* The row type of a temporary relation, or the array of it. */
static bool
is_temporary_type(const CatalogScan *scan, const FormData_pg_type *type)
{
	return (OidIsValid(type->typrelid) && has_oid(scan->temporary, type->typrelid)) ||
		(OidIsValid(type->typelem) && has_oid(scan->their_types, type->typelem));
}

static bool
is_left_out(const CatalogScan *scan, Oid catalog, HeapTuple tuple, TupleDesc columns)
{
	Size		i;

	if (catalog == RelationRelationId)
		return ((Form_pg_class) GETSTRUCT(tuple))->relpersistence == RELPERSISTENCE_TEMP;
	if (catalog == TypeRelationId)
		return is_temporary_type(scan, (Form_pg_type) GETSTRUCT(tuple));
	if (catalog == NamespaceRelationId)
		return is_temporary_schema(NameStr(((Form_pg_namespace) GETSTRUCT(tuple))->nspname));
	if (catalog == DependRelationId)
		return ((Form_pg_depend) GETSTRUCT(tuple))->deptype != DEPENDENCY_EXTENSION;
	for (i = 0; i < lengthof(about); i++)
	{
		if (about[i].catalog == catalog)
			return has_oid(scan->temporary, oid_of(tuple, about[i].column, columns));
	}
	return false;
}

/* ---- scanning ---- */

static void
add_table(const CatalogScan *scan, Oid oid)
{
	Relation	table = table_open(oid, AccessShareLock);
	SysScanDesc rows = systable_beginscan(table, InvalidOid, false, scan->snapshot, 0, NULL);
	HeapTuple	tuple;

	add(scan->hash, &oid, sizeof(oid));
	while (HeapTupleIsValid(tuple = systable_getnext(rows)))
	{
		if (!is_left_out(scan, oid, tuple, RelationGetDescr(table)))
			add_version(scan, tuple);
	}
	systable_endscan(rows);
	table_close(table, AccessShareLock);
}

static bool
is_covered(const FormData_pg_class *class)
{
	Size		i;

	if (class->relnamespace != PG_CATALOG_NAMESPACE || class->relkind != RELKIND_RELATION || class->oid >= FirstNormalObjectId)
		return false;
	for (i = 0; i < lengthof(left_out); i++)
	{
		if (left_out[i] == class->oid)
			return false;
	}
	return true;
}

/* The catalogs in a fixed order.  Notes temporary relations. */
static List *
list_catalogs(const CatalogScan *scan)
{
	Relation	table = table_open(RelationRelationId, AccessShareLock);
	SysScanDesc rows = systable_beginscan(table, InvalidOid, false, scan->snapshot, 0, NULL);
	List	   *catalogs = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(rows)))
	{
		const FormData_pg_class *class = (Form_pg_class) GETSTRUCT(tuple);

		if (is_covered(class))
			catalogs = lappend_oid(catalogs, class->oid);
		if (class->relpersistence != RELPERSISTENCE_TEMP)
			continue;
		(void) hash_search(scan->temporary, &class->oid, HASH_ENTER, NULL);
		if (OidIsValid(class->reltype))
			(void) hash_search(scan->their_types, &class->reltype, HASH_ENTER, NULL);
	}
	systable_endscan(rows);
	table_close(table, AccessShareLock);
	list_sort(catalogs, list_oid_cmp);
	return catalogs;
}

static void
add_catalogs(const CatalogScan *scan)
{
	List	   *catalogs = list_catalogs(scan);
	ListCell   *cell;

	foreach(cell, catalogs)
		add_table(scan, lfirst_oid(cell));
	list_free(catalogs);
}

/* The extension's own tables that plans are made from. */
static void
add_own_tables(const CatalogScan *scan)
{
	static const char *const names[] = {"budget", "row_account"};
	Size		i;

	for (i = 0; i < lengthof(names); i++)
	{
		Oid			table = get_relname_relid(names[i], dps_schema_oid());

		if (OidIsValid(table))
			add_table(scan, table);
	}
}

/* Of changes of these no session is told by the server itself, so that they are read each time. */
static void
add_distribution(const CatalogScan *scan)
{
	List	   *catalogue = dps_citus_catalogue();
	ListCell   *cell;

	foreach(cell, catalogue)
		add_table(scan, lfirst_oid(cell));
	list_free(catalogue);
}

static void
add_read_each_time(const CatalogScan *scan)
{
	add_own_tables(scan);
	add_distribution(scan);
}

/* One snapshot, since a state of several catalogs is meant. */
static DpsCatalogs
compute(void (*add_all) (const CatalogScan *scan))
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpsens catalogs", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	CatalogScan scan = {.snapshot = RegisterSnapshot(GetLatestSnapshot())};
	DpsCatalogs result;

	scan.temporary = make_oids("dpsens temporary relations");
	scan.their_types = make_oids("dpsens temporary types");
	scan.hash = begin_hash();
	PG_TRY();
	{
		add_all(&scan);
		result = end_hash(scan.hash);
	}
	PG_FINALLY();
	{
		pg_cryptohash_free(scan.hash);
	}
	PG_END_TRY();
	UnregisterSnapshot(scan.snapshot);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return result;
}

DpsCatalogs
dps_catalogs_now(void)
{
	DpsCatalogs both[2];
	pg_cryptohash_ctx *hash;

	AcceptInvalidationMessages();
	if (!remembers || remembered_at != SharedInvalidMessageCounter)
	{
		uint64		before = SharedInvalidMessageCounter;

		remembers = false;
		remembered = compute(add_catalogs);
		/* of a change during the scan an invalidation is yet to come, or has: then it is computed again */
		remembered_at = before;
		remembers = true;
	}
	both[0] = remembered;
	both[1] = compute(add_read_each_time);
	hash = begin_hash();
	add(hash, both, sizeof(both));
	both[0] = end_hash(hash);
	pg_cryptohash_free(hash);
	return both[0];
}
