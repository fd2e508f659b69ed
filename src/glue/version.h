/*
 * version.h
 *		The version of the library, and whether a database's objects are of it.
 */
#ifndef DPS_GLUE_VERSION_H
#define DPS_GLUE_VERSION_H

#include "postgres.h"

#include "fmgr.h"

/* Also in dpsens.control, META.json and CHANGELOG.md; test/structure.sh compares. */
#define DPS_VERSION "0.2.0"

/* What an error about versions says; its SQLSTATE is ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE. */
typedef struct DpsVersionConflict
{
	const char *message;
	const char *detail;
	const char *hint;
} DpsVersionConflict;

/*
 * Are the extension's objects in this database of another version than the library?
 * Not asked of a database without the extension, of scripts that make or update it to
 * a version that the library knows, nor while pg_upgrade makes the objects.
 */
extern bool dps_find_version_conflict(DpsVersionConflict *conflict);

/* Raises a version conflict as an error. */
extern void dps_require_version(void);

/* What PG_FUNCTION_INFO_V1 says, to whom it may be called. */
extern const Pg_finfo_record *dps_function_info(void);

/*
 * In the place of PG_FUNCTION_INFO_V1.  The server asks before it first calls a function in
 * a session, and again for a function that was replaced: so whatever calls one, be it a
 * statement, a trigger, CALL or a type's input, with this library preloaded or not, an
 * object of another version, whose arguments may be others, never reaches it; and a call
 * costs nothing.
 */
#define DPS_SQL_FUNCTION(function) \
	extern PGDLLEXPORT Datum function(PG_FUNCTION_ARGS); \
	extern PGDLLEXPORT const Pg_finfo_record *pg_finfo_##function(void); \
	const Pg_finfo_record * \
	pg_finfo_##function(void) \
	{ \
		return dps_function_info(); \
	} \
	extern int	no_such_variable

#endif							/* DPS_GLUE_VERSION_H */
