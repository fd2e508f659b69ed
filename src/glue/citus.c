/*
 * citus.c
 *		What dpsens knows of Citus: its catalogue, by name.
 *
 * The catalogue's relations are looked for in pg_catalog and have to be members of the extension, so
 * that a relation of the same name that somebody made is none of them.  They are read like catalogs,
 * as committed now and as this transaction has changed them.  Nothing of them is remembered, since
 * the number of a node's group changes when the node is added to a cluster.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "optimizer/planner.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "glue/citus.h"
#include "glue/cluster_key.h"
#include "glue/compat.h"
#include "glue/glue.h"

#define EXTENSION "citus"
#define PARTS_PREFIX "citus_"	/* citus_columnar */

/* ---- the extension ---- */

typedef struct Presence
{
	bool		is_known;
	uint64		known_at;		/* by the count of changes of objects */
	Oid			extension;		/* citus, or InvalidOid */
	List	   *all;			/* it and its parts, in TopMemoryContext */
} Presence;

static Presence presence;

/* CREATE and DROP EXTENSION change functions, of which sessions are told. */
static void
read_presence(void)
{
	Relation	extensions = table_open(ExtensionRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(extensions, InvalidOid, false, NULL, 0, NULL);
	MemoryContext context;
	List	   *all = NIL;
	HeapTuple	tuple;

	presence.extension = InvalidOid;
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_extension form = (Form_pg_extension) GETSTRUCT(tuple);
		bool		is_citus = strcmp(NameStr(form->extname), EXTENSION) == 0;

		if (is_citus)
			presence.extension = form->oid;
		if (is_citus || strncmp(NameStr(form->extname), PARTS_PREFIX, strlen(PARTS_PREFIX)) == 0)
			all = lappend_oid(all, form->oid);
	}
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	context = MemoryContextSwitchTo(TopMemoryContext);
	list_free(presence.all);
	presence.all = list_copy(all);
	MemoryContextSwitchTo(context);
	list_free(all);
}

static const Presence *
know_presence(void)
{
	uint64		before = dps_own_objects_changes();

	if (presence.is_known && presence.known_at == before)
		return &presence;
	presence.is_known = false;
	read_presence();
	presence.is_known = true;
	/* the look-up may have met a change of what it had read before */
	presence.known_at = before;
	return &presence;
}

/* Is its library there, whichever databases have the extension?  It loads in no other way. */
static bool
is_loaded(void)
{
	return shared_preload_libraries_string != NULL && strstr(shared_preload_libraries_string, EXTENSION) != NULL;
}

static planner_hook_type planner_below;

void
dps_citus_init(void)
{
	planner_below = planner_hook;
}

PlannedStmt *
dps_plan_unseen(Query *query, ParamListInfo params)
{
	if (!is_loaded() || planner_below == NULL)
		return standard_planner(query, "", CURSOR_OPT_PARALLEL_OK, params);
	/* 0: others that are asked on the way do not count it */
	query->queryId = 0;
	return planner_below(query, "", CURSOR_OPT_PARALLEL_OK, params);
}

bool
dps_citus_is_present(void)
{
	return OidIsValid(know_presence()->extension);
}

typedef struct Member
{
	Oid			object[2];		/* the key: catalog and object */
	bool		is_citus;
} Member;

static HTAB *members;
static uint64 members_at;

static void
forget_members(void)
{
	HASHCTL		control = {.keysize = sizeof(Oid[2]), .entrysize = sizeof(Member), .hcxt = TopMemoryContext};

	if (members != NULL)
		hash_destroy(members);
	members = hash_create("dpsens members of Citus", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	members_at = dps_own_objects_changes();
}

/* Relations have types, so that of new ones sessions are told, too. */
bool
dps_citus_owns(Oid class, Oid object)
{
	Oid			key[2] = {class, object};
	Member	   *member;
	bool		is_citus;

	if (know_presence()->all == NIL)
		return false;
	if (members == NULL || members_at != dps_own_objects_changes())
		forget_members();
	member = hash_search(members, key, HASH_FIND, NULL);
	if (member != NULL)
		return member->is_citus;
	is_citus = list_member_oid(presence.all, getExtensionOfObject(class, object));
	/* the look-up may have met a change, after which what is kept is not looked at */
	member = hash_search(members, key, HASH_ENTER, NULL);
	member->is_citus = is_citus;
	return is_citus;
}

/* ---- its catalogue ---- */

/* The catalogue's relation, or an index of one; InvalidOid if there is none. */
static Oid
find_catalogue(const char *name)
{
	Oid			relation = get_relname_relid(name, PG_CATALOG_NAMESPACE);

	return OidIsValid(relation) && dps_citus_owns(RelationRelationId, relation) ? relation : InvalidOid;
}

List *
dps_citus_catalogue(void)
{
	static const char *const names[] = {
		"pg_dist_colocation", "pg_dist_local_group", "pg_dist_node", "pg_dist_partition", "pg_dist_placement", "pg_dist_poolinfo",
		"pg_dist_shard"
	};
	List	   *found = NIL;
	Size		i;

	if (!dps_citus_is_present())
		return NIL;
	for (i = 0; i < lengthof(names); i++)
	{
		Oid			table = find_catalogue(names[i]);

		if (OidIsValid(table))
			found = lappend_oid(found, table);
	}
	return found;
}

static Datum
column_value(HeapTuple tuple, Relation relation, const char *name, bool *isnull)
{
	AttrNumber	column = get_attnum(RelationGetRelid(relation), name);

	*isnull = true;
	return column == InvalidAttrNumber ? (Datum) 0 : heap_getattr(tuple, column, RelationGetDescr(relation), isnull);
}

/* Is the number of this node's group that of the coordinator, 0? */
static bool
is_coordinator(Oid groups_oid)
{
	Relation	groups = table_open(groups_oid, AccessShareLock);
	SysScanDesc scan = systable_beginscan(groups, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple = systable_getnext(scan);
	bool		isnull = true;
	bool		is = HeapTupleIsValid(tuple) && DatumGetInt32(column_value(tuple, groups, "groupid", &isnull)) == 0;

	systable_endscan(scan);
	table_close(groups, AccessShareLock);
	return is && !isnull;
}

bool
dps_citus_is_worker(void)
{
	Oid			groups;

	if (!dps_citus_is_present())
		return false;
	groups = find_catalogue("pg_dist_local_group");
	if (!OidIsValid(groups))
		/* its script has not come to it */
		return !creating_extension;
	return !is_coordinator(groups);
}

/* The columns of a row that are looked at. */
typedef struct CatalogueRow
{
	Oid			relation;		/* InvalidOid: there is no row */
	char		method;			/* how a table is distributed; '\0': not said */
	char		replication;	/* how shards are kept alike; '\0': not said */
	AttrNumber	column;			/* by which; InvalidAttrNumber: not said */
	int32		colocation;		/* tables of the same number have their shards together; 0: not said */
} CatalogueRow;

/* Of a reference to a column, as Citus keeps it. */
static AttrNumber
column_number(const char *reference)
{
	const Node *node = stringToNode(reference);

	return node != NULL && IsA(node, Var) ? ((const Var *) node)->varattno : InvalidAttrNumber;
}

/* The first row whose column, the first of the index, has the value. */
static CatalogueRow
find_row(const char *catalogue_name, const char *index_name, const char *column, RegProcedure equal, Datum value)
{
	Oid			catalogue_oid = find_catalogue(catalogue_name);
	Oid			index = get_relname_relid(index_name, PG_CATALOG_NAMESPACE);
	CatalogueRow found = {0};
	Datum		reference;
	Relation	catalogue;
	AttrNumber	number;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		isnull;

	if (!OidIsValid(catalogue_oid))
		return found;
	catalogue = table_open(catalogue_oid, AccessShareLock);
	number = get_attnum(catalogue_oid, column);
	if (number == InvalidAttrNumber)
		elog(ERROR, "relation \"%s\" of Citus has no column \"%s\"", catalogue_name, column);
	ScanKeyInit(&key, number, BTEqualStrategyNumber, equal, value);
	if (OidIsValid(index) && !list_member_oid(RelationGetIndexList(catalogue), index))
		index = InvalidOid;
	scan = systable_beginscan(catalogue, index, OidIsValid(index), NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		found.relation = DatumGetObjectId(column_value(tuple, catalogue, "logicalrelid", &isnull));
		found.method = DatumGetChar(column_value(tuple, catalogue, "partmethod", &isnull));
		found.replication = DatumGetChar(column_value(tuple, catalogue, "repmodel", &isnull));
		found.colocation = DatumGetInt32(column_value(tuple, catalogue, "colocationid", &isnull));
		reference = column_value(tuple, catalogue, "partkey", &isnull);
		found.column = isnull ? InvalidAttrNumber : column_number(TextDatumGetCString(reference));
	}
	systable_endscan(scan);
	table_close(catalogue, AccessShareLock);
	return found;
}

static CatalogueRow
find_table(Oid relation)
{
	return find_row("pg_dist_partition", "pg_dist_partition_logical_relid_index", "logicalrelid", F_OIDEQ, ObjectIdGetDatum(relation));
}

static bool
is_table(Oid relation)
{
	return OidIsValid(find_table(relation).relation);
}

/* The number at the end of a shard's name, or 0: names that were too long end in it, too. */
static int64
shard_number(const char *name)
{
	const char *at = strrchr(name, '_');
	int64		number = 0;

	if (at == NULL || at[1] == '\0')
		return 0;
	while (*++at != '\0')
	{
		if (*at < '0' || *at > '9' || number > (PG_INT64_MAX - 9) / 10)
			return 0;
		number = number * 10 + (*at - '0');
	}
	return number;
}

/* As Citus itself finds out: by the number, which no two shards have, and the schema.  A table that a
 * user has named so is taken for one, too. */
static bool
is_shard(Oid relation)
{
	char	   *name = get_rel_name(relation);
	int64		number = name == NULL ? 0 : shard_number(name);
	Oid			table;

	if (number == 0)
		return false;
	table = find_row("pg_dist_shard", "pg_dist_shard_shardid_index", "shardid", F_INT8EQ, Int64GetDatum(number)).relation;
	return OidIsValid(table) && table != relation &&
		(get_rel_namespace(table) == get_rel_namespace(relation) || !OidIsValid(get_rel_namespace(table)));
}

DpsCitusKind
dps_citus_kind(Oid relation)
{
	if (relation < FirstNormalObjectId || !dps_citus_is_present())
		return DPS_CITUS_NONE;
	if (is_table(relation))
		return DPS_CITUS_TABLE;
	return is_shard(relation) ? DPS_CITUS_SHARD : DPS_CITUS_NONE;
}

#define BY_HASH 'h'
#define NOT_SPREAD 'n'
#define ONE_PLACEMENT 's'
#define ON_ALL_NODES 't'

/* Is this a coordinator whose nodes may send it sums? */
static bool
may_add_up(void)
{
	return dps_has_cluster_key() && dps_citus_is_present() && !dps_citus_is_worker();
}

/* Of a shard with several placements Citus asks another one when one fails, which may have sent some rows
 * already; of a reference table, which has one shard, that is found out (guard/distributed/distributed_run.c). */
bool
dps_citus_is_spread(Oid relation)
{
	CatalogueRow table;

	if (relation < FirstNormalObjectId || !may_add_up())
		return false;
	table = find_table(relation);
	return table.method == BY_HASH && table.replication == ONE_PLACEMENT;
}

bool
dps_citus_is_reference(Oid relation)
{
	CatalogueRow table;

	if (relation < FirstNormalObjectId || !may_add_up())
		return false;
	table = find_table(relation);
	return table.method == NOT_SPREAD && table.replication == ON_ALL_NODES;
}

bool
dps_citus_can_add_up(Oid relation)
{
	return dps_citus_is_spread(relation) || dps_citus_is_reference(relation);
}

bool
dps_citus_are_together(Oid one, Oid other)
{
	return one == other || (find_table(one).colocation != 0 && find_table(one).colocation == find_table(other).colocation);
}

AttrNumber
dps_citus_column(Oid relation)
{
	return find_table(relation).column;
}

List *
dps_citus_tables(void)
{
	Oid			catalogue_oid = dps_citus_is_present() ? find_catalogue("pg_dist_partition") : InvalidOid;
	List	   *tables = NIL;
	Relation	catalogue;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!OidIsValid(catalogue_oid))
		return NIL;
	catalogue = table_open(catalogue_oid, AccessShareLock);
	scan = systable_beginscan(catalogue, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Oid			table = DatumGetObjectId(column_value(tuple, catalogue, "logicalrelid", &isnull));

		if (!isnull && SearchSysCacheExists1(RELOID, ObjectIdGetDatum(table)))
			tables = lappend_oid(tables, table);
	}
	systable_endscan(scan);
	table_close(catalogue, AccessShareLock);
	return tables;
}

/* The pages of a table without rows: one that is stored by columns, by the access method of Citus, has two before
 * those of its rows, one about itself and one that is left empty. */
static BlockNumber
pages_without_rows(Relation relation)
{
	return dps_citus_owns(AccessMethodRelationId, relation->rd_rel->relam) ? 2 : 0;
}

bool
dps_citus_keeps_rows(Oid relation_oid)
{
	Relation	relation = try_relation_open(relation_oid, AccessShareLock);
	bool		keeps;

	if (relation == NULL)
		return false;
	keeps = RELKIND_HAS_STORAGE(relation->rd_rel->relkind) && RelationGetNumberOfBlocks(relation) > pages_without_rows(relation);
	relation_close(relation, AccessShareLock);
	return keeps;
}

/* ---- where shards are ---- */

typedef void (*TakeRow) (HeapTuple tuple, Relation catalogue, void *context);

/* Calls it for the rows that the snapshot shows whose column, the first of the index, has the value. */
static void
read_rows(const char *catalogue_name, const char *index_name, const char *column, RegProcedure equal, Datum value, Snapshot snapshot,
		  TakeRow take, void *context)
{
	Oid			catalogue_oid = find_catalogue(catalogue_name);
	Oid			index = get_relname_relid(index_name, PG_CATALOG_NAMESPACE);
	Relation	catalogue;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!OidIsValid(catalogue_oid) || get_attnum(catalogue_oid, column) == InvalidAttrNumber)
		elog(ERROR, "\"%s\" of Citus has no column \"%s\"", catalogue_name, column);
	catalogue = table_open(catalogue_oid, AccessShareLock);
	if (OidIsValid(index) && !list_member_oid(RelationGetIndexList(catalogue), index))
		index = InvalidOid;
	ScanKeyInit(&key, get_attnum(catalogue_oid, column), BTEqualStrategyNumber, equal, value);
	scan = systable_beginscan(catalogue, index, OidIsValid(index), snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		take(tuple, catalogue, context);
	systable_endscan(scan);
	table_close(catalogue, AccessShareLock);
}

typedef struct Places
{
	Snapshot	snapshot;
	uint64		digest;			/* of all placements, in any order */
} Places;

typedef struct Placement
{
	int64		shard;
	int32		group;
	TransactionId version;		/* of the row: another one also where a shard has moved away and back */
} Placement;

static void
take_placement(HeapTuple tuple, Relation catalogue, void *context)
{
	bool		isnull;
	Placement	placement = {
		.shard = DatumGetInt64(column_value(tuple, catalogue, "shardid", &isnull)),
		.group = DatumGetInt32(column_value(tuple, catalogue, "groupid", &isnull)),
		.version = HeapTupleHeaderGetRawXmin(tuple->t_data)
	};

	((Places *) context)->digest += hash_bytes_extended((const unsigned char *) &placement, sizeof(placement), 0);
}

static void
take_shard(HeapTuple tuple, Relation catalogue, void *context)
{
	bool		isnull;
	Datum		shard = column_value(tuple, catalogue, "shardid", &isnull);

	read_rows("pg_dist_placement", "pg_dist_placement_shardid_index", "shardid", F_INT8EQ, shard, ((Places *) context)->snapshot,
			  take_placement, context);
}

static uint64
digest_places(Oid relation, Snapshot snapshot)
{
	Places		places = {snapshot, 0};

	read_rows("pg_dist_shard", "pg_dist_shard_logical_relid_index", "logicalrelid", F_OIDEQ, ObjectIdGetDatum(relation), snapshot,
			  take_shard, &places);
	return places.digest;
}

bool
dps_citus_has_moved(Oid relation, Snapshot since)
{
	uint64		before = digest_places(relation, since);
	Snapshot	now = RegisterSnapshot(GetLatestSnapshot());
	uint64		after = digest_places(relation, now);

	UnregisterSnapshot(now);
	return before != after;
}

/* ---- refusing ---- */

void
dps_citus_refuse_worker(void)
{
	if (!dps_citus_is_worker())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("dpsens does not work on a worker node of Citus"),
			 errdetail("A ledger of its own would be a budget of its own."),
			 errhint("Ask the coordinator, which has the budgets of the whole cluster.")));
}

/* Why there is no answer with a table of Citus, and what helps. */
static void
explain_refusal(Oid relation, const char **detail, const char **hint)
{
	if (dps_citus_can_add_up(relation))
	{
		*detail = "Nodes add up what dp aggregates are of; the rest of their statement is of tables of this server alone.";
		*hint = "Use two statements: keep the answers in a temporary table, or what is read of that table.";
	}
	else if (!dps_has_cluster_key())
	{
		*detail = "What they read, and what is read beside them, must be on this server, since the cluster has no key.";
		*hint = "Ask without that table.  Its owner can use undistribute_table(); with dpsens.cluster_key_file on all nodes, tables that are distributed by a column can be protected and answered about.";
	}
	else
	{
		*detail = "Nodes add up what is of tables that are distributed by a column, each shard in one place, and of reference tables.";
		*hint = "Ask without that table.  Its owner can use undistribute_table(), and create_distributed_table() with a column.";
	}
}

void
dps_citus_refuse_source(Oid relation)
{
	DpsCitusKind kind = dps_citus_kind(relation);
	const char *detail;
	const char *hint;

	if (kind == DPS_CITUS_TABLE)
	{
		explain_refusal(relation, &detail, &hint);
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates are not answered in a statement with table \"%s\", which Citus has distributed",
						get_rel_name(relation)),
				 errdetail_internal("%s", detail),
				 errhint("%s", hint)));
	}
	if (kind == DPS_CITUS_SHARD)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates are not answered in a statement with \"%s\", a shard of Citus", get_rel_name(relation)),
				 errdetail("A shard has no budget: it is a part of a table that is distributed."),
				 errhint("Ask about the table that it is a part of.")));
}

void
dps_citus_refuse_use(Oid relation, const char *what, const char *detail, const char *hint)
{
	if (dps_citus_kind(relation) != DPS_CITUS_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s table \"%s\", which Citus has distributed, are not supported", what, get_rel_name(relation)),
				 errdetail_internal("%s", detail),
				 errhint("%s", hint)));
}
