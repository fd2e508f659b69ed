/*
 * own_objects.c
 *		The extension's own objects: its schemas, its functions and its types.
 *
 * Plans name them by OID and rewriting by name, so what was looked up is kept: catalogs
 * are forgotten after each private run (session_caches.c), and would be read for all of
 * them anew.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "glue/glue.h"

#define SCHEMA_NAME "dpsens"

/*
 * The extension's schemas: what people call, and what only the library and the
 * extension's own views and functions do.  A schema that merely has the right name
 * is not ours: before CREATE EXTENSION anybody who may create schemas could make
 * one and fill it with functions.
 */
typedef struct ExtensionCache
{
	bool		registered;		/* for invalidations */
	bool		valid;
	uint64		invalidations;	/* seen so far */
	Oid			schema;
	Oid			internal_schema;
} ExtensionCache;

static ExtensionCache extension_cache;

/* CREATE and DROP EXTENSION make and drop the schemas, so pg_namespace's
 * invalidations are all that is needed. */
static void
forget_extension(Datum arg, int cacheid, uint32 hashvalue)
{
	extension_cache.valid = false;
	extension_cache.invalidations++;
}

static Oid
find_schema(const char *name, Oid extension)
{
	Oid			schema = OidIsValid(extension) ? get_namespace_oid(name, true) : InvalidOid;

	return OidIsValid(schema) && getExtensionOfObject(NamespaceRelationId, schema) == extension ? schema : InvalidOid;
}

static void
know_schemas(void)
{
	uint64		invalidations = extension_cache.invalidations;
	Oid			extension;

	if (!extension_cache.registered)
	{
		CacheRegisterSyscacheCallback(NAMESPACEOID, forget_extension, (Datum) 0);
		extension_cache.registered = true;
	}
	if (extension_cache.valid)
		return;

	extension = get_extension_oid(DPS_EXTENSION_NAME, true);
	extension_cache.schema = find_schema(SCHEMA_NAME, extension);
	extension_cache.internal_schema = find_schema(DPS_INTERNAL_SCHEMA, extension);
	/* the look-ups may have met an invalidation of what they had read before */
	extension_cache.valid = invalidations == extension_cache.invalidations;
}

Oid
dps_schema_oid(void)
{
	know_schemas();
	return extension_cache.schema;
}

Oid
dps_internal_schema_oid(void)
{
	know_schemas();
	return extension_cache.internal_schema;
}

bool
dps_is_own_schema(Oid schema)
{
	return OidIsValid(schema) && (schema == dps_schema_oid() || schema == dps_internal_schema_oid());
}

/* ---- caches ---- */

/* Is a function that was asked about a member of the extension? */
typedef struct Membership
{
	Oid			function;		/* the key */
	bool		is_own;
} Membership;

/* No function of ours has more, but for aggregates. */
#define MOST_ARGUMENTS 8

/* A function by its arguments, or a type, of which there are -1. */
typedef struct OwnName
{
	NameData	name;
	int			nargs;
	Oid			argtypes[MOST_ARGUMENTS];
} OwnName;

typedef struct Named
{
	OwnName		name;			/* the key */
	Oid			object;
} Named;

static HTAB *memberships;
static HTAB *names;
static uint64 changes;

static void
forget_all(HTAB *table)
{
	HASH_SEQ_STATUS scan;
	void	   *entry;

	hash_seq_init(&scan, table);
	while ((entry = hash_seq_search(&scan)) != NULL)
		(void) hash_search(table, entry, HASH_REMOVE, NULL);
}

static void
forget_objects(Datum arg, int cacheid, uint32 hashvalue)
{
	changes++;
	forget_all(memberships);
	forget_all(names);
}

static HTAB *
make_table(const char *name, Size key, Size entry)
{
	HASHCTL		control = {.keysize = key, .entrysize = entry, .hcxt = TopMemoryContext};

	return hash_create(name, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
init_tables(void)
{
	if (names != NULL)
		return;
	memberships = make_table("dpsens functions", sizeof(Oid), sizeof(Membership));
	names = make_table("dpsens names", sizeof(OwnName), sizeof(Named));
	CacheRegisterSyscacheCallback(PROCOID, forget_objects, (Datum) 0);
	CacheRegisterSyscacheCallback(TYPEOID, forget_objects, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget_objects, (Datum) 0);
}

bool
dps_is_own_function(Oid function)
{
	Membership *membership;
	uint64		before;
	Oid			extension;
	bool		is_own;

	init_tables();
	membership = hash_search(memberships, &function, HASH_FIND, NULL);
	if (membership != NULL)
		return membership->is_own;
	before = changes;
	extension = get_extension_oid(DPS_EXTENSION_NAME, true);
	is_own = OidIsValid(extension) && getExtensionOfObject(ProcedureRelationId, function) == extension;
	if (before == changes)
	{
		membership = hash_search(memberships, &function, HASH_ENTER, NULL);
		membership->is_own = is_own;
	}
	return is_own;
}

/* ---- by name ---- */

/* Or InvalidOid, where there is nothing. */
static Oid
require_internal_schema(void)
{
	if (!OidIsValid(dps_schema_oid()))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"%s\" is not installed in this database", DPS_EXTENSION_NAME),
				 errhint("Use CREATE EXTENSION %s.", DPS_EXTENSION_NAME)));
	return dps_internal_schema_oid();
}

static Oid
look_up(const OwnName *name, Oid schema)
{
	if (name->nargs < 0)
		return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(NameStr(name->name)), ObjectIdGetDatum(schema));
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(NameStr(name->name)),
						   PointerGetDatum(buildoidvector(name->argtypes, name->nargs)), ObjectIdGetDatum(schema));
}

static void
refuse_missing(const OwnName *name)
{
	ereport(ERROR,
			(errcode(name->nargs < 0 ? ERRCODE_UNDEFINED_OBJECT : ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("extension \"%s\" is not of the version that this library expects", DPS_EXTENSION_NAME),
			 errdetail_internal("There is no %s %s.%s as it would have.",
								name->nargs < 0 ? "type" : "function", DPS_INTERNAL_SCHEMA, NameStr(name->name)),
			 errhint("Use ALTER EXTENSION %s UPDATE.", DPS_EXTENSION_NAME)));
}

static Oid
find_object(const OwnName *name)
{
	Oid			schema = require_internal_schema();
	Named	   *named;
	uint64		before;
	Oid			object;

	init_tables();
	named = hash_search(names, name, HASH_FIND, NULL);
	if (named != NULL)
		return named->object;
	before = changes;
	object = look_up(name, schema);
	if (!OidIsValid(object))
		refuse_missing(name);
	/* the look-up may have met an invalidation of what it had read before */
	if (before == changes)
	{
		named = hash_search(names, name, HASH_ENTER, NULL);
		named->object = object;
	}
	return object;
}

static OwnName
name_function(const char *name, int nargs, const Oid *argtypes)
{
	OwnName		key = {.nargs = nargs};

	if (nargs > MOST_ARGUMENTS)
		elog(ERROR, "function %s.%s has %d arguments", DPS_INTERNAL_SCHEMA, name, nargs);
	namestrcpy(&key.name, name);
	memcpy(key.argtypes, argtypes, sizeof(Oid) * nargs);
	return key;
}

Oid
dps_internal_function(const char *name, int nargs, const Oid *argtypes)
{
	OwnName		key = name_function(name, nargs, argtypes);

	return find_object(&key);
}

Oid
dps_internal_function_if_any(const char *name, int nargs, const Oid *argtypes)
{
	OwnName		key = name_function(name, nargs, argtypes);

	return look_up(&key, require_internal_schema());
}

Oid
dps_internal_type(const char *name)
{
	OwnName		key = {.nargs = -1};

	namestrcpy(&key.name, name);
	return find_object(&key);
}

uint64
dps_own_objects_changes(void)
{
	init_tables();
	return changes;
}
