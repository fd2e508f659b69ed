/*
 * glue.h
 *		The border between core and server.
 */
#ifndef DPS_GLUE_GLUE_H
#define DPS_GLUE_GLUE_H

#include "postgres.h"

#include "fmgr.h"

#include "base/arena.h"
#include "base/host.h"
#include "base/status.h"

/* A host whose memory comes from CurrentMemoryContext as it is now, and whose
 * randomness is the server's strong source. */
extern DpsHost dps_server_host(void);

/* An arena in CurrentMemoryContext: an error frees it with the context. */
extern DpsArena *dps_server_arena(void);

/* Raises the error of a status that is not DPS_OK and has no better message:
 * out of memory, cancelled (through CHECK_FOR_INTERRUPTS), or internal. */
extern void dps_check_status(DpsStatus status);

/* Raises an error if this argument of an SQL function, of this name, is NULL. */
extern void dps_refuse_null(FunctionCallInfo fcinfo, int argument, const char *name);

#define DPS_EXTENSION_NAME "dpsens"

/* The schema dpsens, which holds what people call and the extension's tables, or
 * InvalidOid when the extension is not installed in this database. */
extern Oid	dps_schema_oid(void);

/* The schema of what only the library, the rewritten queries and the extension's own
 * views and functions name, or InvalidOid. */
#define DPS_INTERNAL_SCHEMA "dpsens_internal"
extern Oid	dps_internal_schema_oid(void);

/* Is it the schema dpsens or the internal one? */
extern bool dps_is_own_schema(Oid schema);

/* Is the function a member of the extension?  What is known is forgotten when
 * functions change, but not by ALTER EXTENSION ... ADD or DROP of one. */
extern bool dps_is_own_function(Oid function);

/* A function of the internal schema by name and argument types; an error if it is
 * missing. */
extern Oid	dps_internal_function(const char *name, int nargs, const Oid *argtypes);

/* The same, InvalidOid if there is none: an extension that was not updated has not all that the library knows. */
extern Oid	dps_internal_function_if_any(const char *name, int nargs, const Oid *argtypes);

/* A type of the internal schema by name. */
extern Oid	dps_internal_type(const char *name);

/* Counts how often one of these objects may have been replaced. */
extern uint64 dps_own_objects_changes(void);

/* Was the library loaded by shared_preload_libraries? */
extern bool dps_preloaded;

#endif							/* DPS_GLUE_GLUE_H */
