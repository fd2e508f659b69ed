/*
 * version.c
 *		The version of the library, and whether a database's objects are of it.
 *
 * A package replaces the library for all databases at once, and ALTER EXTENSION ...
 * UPDATE the objects of one.  Between the two this library could misread what the
 * objects hold, or be misread by them, so it does nothing there but say what helps.
 * Where the objects are the newer ones, the server still runs the library that it
 * loaded when it started.
 *
 * What is known of a database is asked for again when functions have changed, which
 * CREATE and DROP EXTENSION do, and each update script by replacing dpsens.version():
 * the catalog of extensions alone tells no session of its changes.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_version);

/* The extension in this database. */
typedef struct Installed
{
	Oid			extension;		/* or InvalidOid */
	int			order;			/* its version beside the library's: < 0 older, > 0 newer */
} Installed;

static Installed installed;
static bool is_known = false;
static uint64 known_at;			/* by the count of changes */

/* Numbers between dots, as these are; digits that are missing count as 0. */
static int
compare_versions(const char *one, const char *other)
{
	while (*one != '\0' || *other != '\0')
	{
		char	   *one_end;
		char	   *other_end;
		long		difference = strtol(one, &one_end, 10) - strtol(other, &other_end, 10);

		if (difference != 0)
			return difference < 0 ? -1 : 1;
		/* what is no version of ours is another one all the same */
		if ((*one_end != '.' && *one_end != '\0') || (*other_end != '.' && *other_end != '\0'))
			return strcmp(one_end, other_end);
		one = *one_end == '.' ? one_end + 1 : one_end;
		other = *other_end == '.' ? other_end + 1 : other_end;
	}
	return 0;
}

/* The extension's OID, with its version as text; InvalidOid if there is none. */
static Oid
read_extension(char **version)
{
	Relation	extensions = table_open(ExtensionRelationId, AccessShareLock);
	Oid			extension = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		isnull;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum(DPS_EXTENSION_NAME));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		extension = ((Form_pg_extension) GETSTRUCT(tuple))->oid;
		*version = TextDatumGetCString(heap_getattr(tuple, Anum_pg_extension_extversion, RelationGetDescr(extensions), &isnull));
	}
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return extension;
}

static const Installed *
know_installed(void)
{
	uint64		before = dps_own_objects_changes();
	char	   *version = NULL;

	if (is_known && known_at == before)
		return &installed;
	is_known = false;
	installed.extension = read_extension(&version);
	installed.order = OidIsValid(installed.extension) ? compare_versions(version, DPS_VERSION) : 0;
	is_known = true;
	/* the look-up may have met a change of what it had read before */
	known_at = before;
	return &installed;
}

bool
dps_find_version_conflict(DpsVersionConflict *conflict)
{
	const Installed *now;
	bool		is_script;
	char	   *version = NULL;

	if (IsBinaryUpgrade)
		return false;
	now = know_installed();
	if (now->order == 0)
		return false;
	is_script = creating_extension && CurrentExtensionObject == now->extension;
	if (is_script && now->order < 0)
		return false;
	(void) read_extension(&version);
	conflict->message = "extension \"" DPS_EXTENSION_NAME "\" is not of the version that this library expects";
	conflict->detail = psprintf("Its objects in this database are of version %s, the library is of version %s.", version, DPS_VERSION);
	conflict->hint = now->order < 0 ? "Use ALTER EXTENSION " DPS_EXTENSION_NAME " UPDATE." :
		"Restart the server, which then loads the library that is installed; it must be of the objects' version.";
	return true;
}

void
dps_require_version(void)
{
	DpsVersionConflict conflict;

	if (dps_find_version_conflict(&conflict))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg_internal("%s", conflict.message),
				 errdetail_internal("%s", conflict.detail),
				 errhint("%s", conflict.hint)));
}

const Pg_finfo_record *
dps_function_info(void)
{
	static const Pg_finfo_record info = {1};

	dps_require_version();
	return &info;
}

/* version(): it answers only if the objects are of this version. */
Datum
dps_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(DPS_VERSION));
}
