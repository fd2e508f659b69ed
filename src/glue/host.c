/*
 * host.c
 *		The server as the core's host, and the extension's own objects.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "glue/glue.h"

#define EXTENSION_NAME "dpsens"
#define SCHEMA_NAME "dpsens"

static void *
host_allocate(void *context, size_t size)
{
	/* beyond this limit the server raises an error whatever the flags say */
	if (!AllocHugeSizeIsValid(size))
		return NULL;
	return MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
host_release(void *context, void *block)
{
	pfree(block);
}

static bool
host_random_bytes(void *context, void *buffer, size_t size)
{
	return pg_strong_random(buffer, size);
}

/* Only what CHECK_FOR_INTERRUPTS would turn into an error: the core must not
 * give up for a catch-up interrupt. */
static bool
host_should_stop(void *context)
{
	return InterruptPending && (QueryCancelPending || ProcDiePending);
}

static double
host_milliseconds(void *context)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	return INSTR_TIME_GET_MILLISEC(now);
}

DpsHost
dps_server_host(void)
{
	DpsHost		host = {
		.allocate = host_allocate,
		.release = host_release,
		.random_bytes = host_random_bytes,
		.should_stop = host_should_stop,
		.milliseconds = host_milliseconds,
		.context = CurrentMemoryContext
	};

	return host;
}

DpsArena *
dps_server_arena(void)
{
	DpsHost		host = dps_server_host();
	DpsArena   *arena;

	dps_check_status(dps_arena_init(&arena, &host));
	return arena;
}

void
dps_check_status(DpsStatus status)
{
	switch (status)
	{
		case DPS_OK:
			return;
		case DPS_NOMEM:
			/* once asked to stop, the core finds no memory, either */
			CHECK_FOR_INTERRUPTS();
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("out of memory")));
			break;
		case DPS_CANCELLED:
			CHECK_FOR_INTERRUPTS();
			/* interrupts are held off here, but the answer is incomplete */
			ereport(ERROR,
					(errcode(ERRCODE_QUERY_CANCELED),
					 errmsg("canceling statement due to user request")));
			break;
		case DPS_DOMAIN:
		case DPS_UNABLE:
			break;
	}
	elog(ERROR, "unexpected status \"%s\"", dps_status_name(status));
}

void
dps_refuse_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

/*
 * The extension's schema.  A schema that merely has the right name is
 * not ours: before CREATE EXTENSION anybody who may create schemas could make
 * one and fill it with functions.
 */
typedef struct ExtensionCache
{
	bool		registered;		/* for invalidations */
	bool		valid;
	uint64		invalidations;	/* seen so far */
	Oid			schema;
} ExtensionCache;

static ExtensionCache extension_cache;

/* CREATE and DROP EXTENSION make and drop the schema, so pg_namespace's
 * invalidations are all that is needed. */
static void
forget_extension(Datum arg, int cacheid, uint32 hashvalue)
{
	extension_cache.valid = false;
	extension_cache.invalidations++;
}

Oid
dps_schema_oid(void)
{
	uint64		invalidations = extension_cache.invalidations;
	Oid			extension;
	Oid			schema = InvalidOid;

	if (!extension_cache.registered)
	{
		CacheRegisterSyscacheCallback(NAMESPACEOID, forget_extension, (Datum) 0);
		extension_cache.registered = true;
	}
	if (extension_cache.valid)
		return extension_cache.schema;

	extension = get_extension_oid(EXTENSION_NAME, true);
	if (OidIsValid(extension))
		schema = get_namespace_oid(SCHEMA_NAME, true);
	if (OidIsValid(schema) &&
		getExtensionOfObject(NamespaceRelationId, schema) != extension)
		schema = InvalidOid;
	extension_cache.schema = schema;
	/* the look-ups may have met an invalidation of what they had read before */
	extension_cache.valid = invalidations == extension_cache.invalidations;
	return schema;
}

/* Of functions that were asked about: are they members? */
typedef struct Membership
{
	Oid			function;		/* the key */
	bool		is_own;
} Membership;

static HTAB *memberships;
static uint64 function_changes;

static void
forget_memberships(Datum arg, int cacheid, uint32 hashvalue)
{
	HASH_SEQ_STATUS scan;
	Membership *membership;

	function_changes++;
	hash_seq_init(&scan, memberships);
	while ((membership = hash_seq_search(&scan)) != NULL)
		(void) hash_search(memberships, &membership->function, HASH_REMOVE, NULL);
}

static void
init_memberships(void)
{
	HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(Membership)};

	if (memberships != NULL)
		return;
	control.hcxt = TopMemoryContext;
	memberships = hash_create("dpsens functions", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	CacheRegisterSyscacheCallback(PROCOID, forget_memberships, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget_memberships, (Datum) 0);
}

bool
dps_is_own_function(Oid function)
{
	Membership *membership;
	uint64		changes;
	Oid			extension;
	bool		is_own;

	init_memberships();
	membership = hash_search(memberships, &function, HASH_FIND, NULL);
	if (membership != NULL)
		return membership->is_own;
	changes = function_changes;
	extension = get_extension_oid(EXTENSION_NAME, true);
	is_own = OidIsValid(extension) && getExtensionOfObject(ProcedureRelationId, function) == extension;
	if (changes == function_changes)
	{
		membership = hash_search(memberships, &function, HASH_ENTER, NULL);
		membership->is_own = is_own;
	}
	return is_own;
}

static Oid
require_schema(void)
{
	Oid			schema = dps_schema_oid();

	if (!OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"%s\" is not installed in this database", EXTENSION_NAME),
				 errhint("Use CREATE EXTENSION %s.", EXTENSION_NAME)));
	return schema;
}

Oid
dps_internal_function(const char *name, int nargs, const Oid *argtypes)
{
	Oid			schema = require_schema();
	Oid			function;

	function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
							   CStringGetDatum(name),
							   PointerGetDatum(buildoidvector(argtypes, nargs)),
							   ObjectIdGetDatum(schema));
	if (!OidIsValid(function))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function %s.%s does not exist as this library expects it",
						SCHEMA_NAME, name),
				 errhint("Use ALTER EXTENSION %s UPDATE.", EXTENSION_NAME)));
	return function;
}

Oid
dps_internal_type(const char *name)
{
	Oid			schema = require_schema();
	Oid			type;

	type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum(name), ObjectIdGetDatum(schema));
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type %s.%s does not exist as this library expects it",
						SCHEMA_NAME, name),
				 errhint("Use ALTER EXTENSION %s UPDATE.", EXTENSION_NAME)));
	return type;
}
