/*
 * session_caches.c
 *		Caches that rows could fill late: filled before the first row; those of catalogs
 *		are emptied after the last.
 *
 * The server opens relations and reads catalogs when it first needs them.  The pages are read at that time
 * and not later, so EXPLAIN (ANALYZE, BUFFERS) shows whether an earlier statement needed them.  Rows can
 * cause the opening of the relation that stores their long cells, the order of an enum's labels,
 * collations, the search path, and the catalogs themselves.
 *
 * Entries of the catalog caches, some found by a cell's own text, are forgotten.  Cached relations, types
 * and collations are kept, so those are always opened.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_cast.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_range.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "guard/restrict/session_caches.h"

/* The catalogs that the server's functions and operators read when they are called. */
static const Oid catalogs[] = {
	AccessMethodOperatorRelationId, AccessMethodProcedureRelationId, CastRelationId, CollationRelationId,
	EnumRelationId, NamespaceRelationId, OperatorClassRelationId, OperatorRelationId, ProcedureRelationId, RangeRelationId,
	TypeRelationId
};

/* The first page of an index is read at its first search, and its content cached as long as the index is. */
static void
open_index(Oid oid, LOCKMODE unlock)
{
	Relation	index = index_open(oid, AccessShareLock);

	if (index->rd_rel->relam == BTREE_AM_OID)
		(void) _bt_getrootheight(index);
	index_close(index, unlock);
}

/* Opens a relation with its indexes. */
static void
open_relation(Oid oid, LOCKMODE unlock)
{
	Relation	relation = table_open(oid, AccessShareLock);
	List	   *indexes = RelationGetIndexList(relation);
	ListCell   *cell;

	foreach(cell, indexes)
		open_index(lfirst_oid(cell), unlock);
	list_free(indexes);
	table_close(relation, unlock);
}

/* Opens the relation that stores its long cells. */
static void
open_long_cells(const Relation relation, LOCKMODE unlock)
{
	if (OidIsValid(relation->rd_rel->reltoastrelid))
		open_relation(relation->rd_rel->reltoastrelid, unlock);
}

/* The order of labels is read when two are first compared, and again for a label that is not cached: each
 * is compared once. */
static void
open_labels(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC);
	CatCList   *labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	Oid			first = InvalidOid;
	int			i;

	for (i = 0; i < labels->n_members; i++)
	{
		Oid			label = ((Form_pg_enum) GETSTRUCT(&labels->members[i]->tuple))->oid;

		if (i == 0)
			first = label;
		else
			(void) compare_values_of_enum(entry, first, label);
	}
	ReleaseSysCacheList(labels);
}

/* Loads how cells are sorted: a sort of a group's cells starts only if there is a group. */
static void
open_order(Oid less)
{
	Oid			family;
	Oid			type;
	DpsOrdering ordering;

	if (OidIsValid(less) && get_ordering_op_properties(less, &family, &type, &ordering))
		(void) get_opfamily_proc(family, type, type, BTSORTSUPPORT_PROC);
}

static void
open_type(Oid type)
{
	char		kind = get_typtype(type);
	TypeCacheEntry *entry;

	if (kind == TYPTYPE_PSEUDO || kind == '\0')
		return;
	entry = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_CMP_PROC_FINFO | TYPECACHE_LT_OPR |
							  TYPECACHE_GT_OPR | TYPECACHE_HASH_PROC_FINFO | TYPECACHE_HASH_EXTENDED_PROC_FINFO |
							  TYPECACHE_BTREE_OPFAMILY | TYPECACHE_HASH_OPFAMILY);
	open_order(entry->lt_opr);
	if (kind == TYPTYPE_ENUM)
		open_labels(type);
}

void
dps_open_caches(const EState *estate, const List *types, const List *collations, bool keeps_locks)
{
	LOCKMODE	unlock = keeps_locks ? NoLock : AccessShareLock;
	ListCell   *cell;
	Index		i;

	/* an error that names a type reads the search path */
	list_free(fetch_search_path(false));
	for (i = 0; i < lengthof(catalogs); i++)
		open_relation(catalogs[i], unlock);
	/* a cell may be the name of a setting that is shown only to members of this role */
	(void) has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_SETTINGS);
	for (i = 0; i < estate->es_range_table_size; i++)
	{
		if (estate->es_relations[i] != NULL)
			open_long_cells(estate->es_relations[i], unlock);
	}
	foreach(cell, types)
		open_type(lfirst_oid(cell));
	foreach(cell, collations)
		dps_open_collation(lfirst_oid(cell));
}

/*
 * The server's functions of these types read no catalog by the value of a cell, as others do by the label
 * of an enum, the name or number of an object, the type of a composite value.  They read catalogs only for
 * types, operators and collations of the query.
 */
static const Oid plain_types[] = {
	BOOLOID, INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID, FLOAT8ARRAYOID, NUMERICOID, TEXTOID, TEXTARRAYOID,
	VARCHAROID, BPCHAROID, DATEOID, TIMEOID, TIMETZOID, TIMESTAMPOID, TIMESTAMPTZOID, INTERVALOID, UUIDOID
};

/* Is it a type of the extension (states, plans, answers)?  Its values contain only types that the query
 * names. */
static bool
is_own(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	bool		is;

	if (!HeapTupleIsValid(tuple))
		return false;
	is = dps_is_own_schema(((Form_pg_type) GETSTRUCT(tuple))->typnamespace);
	ReleaseSysCache(tuple);
	return is;
}

static bool
is_plain(Oid type)
{
	size_t		i;

	for (i = 0; i < lengthof(plain_types); i++)
	{
		if (type == plain_types[i])
			return true;
	}
	return is_own(type);
}

bool
dps_cells_ask_catalogs(const List *types)
{
	ListCell   *cell;

	foreach(cell, types)
	{
		if (!is_plain(lfirst_oid(cell)))
			return true;
	}
	return false;
}

void
dps_forget_catalogs(void)
{
	ResetCatalogCaches();
}
