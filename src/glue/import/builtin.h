/*
 * builtin.h
 *		The server's types and functions, and their counterparts in a graph.
 */
#ifndef DPS_GLUE_IMPORT_BUILTIN_H
#define DPS_GLUE_IMPORT_BUILTIN_H

#include "postgres.h"

#include "expr/expr.h"

/* The graph type of an SQL type (of the base type of a domain); false if it
 * has none. */
extern bool dps_type_from_oid(Oid type, DpsType *result);

/* The SQL type of a graph type. */
extern Oid	dps_type_to_oid(DpsType type);

/* Is it date, timestamp or timestamptz (or a domain over one)? */
extern bool dps_type_has_epoch(Oid type);

/*
 * The pg_proc.prosrc of one of the server's own internal functions, or of the
 * alias under which the operation table knows an SQL-language builtin; NULL
 * for any other function.
 */
extern const char *dps_builtin_name(Oid function);

/* Does the function read settings of its session, although the server says that it is immutable? */
extern bool dps_reads_settings(Oid function);

/* Is the name in the list, which ends with NULL?  A NULL name is not. */
extern bool dps_is_listed(const char *name, const char *const *list);

/* The operation that a builtin of this name stands for, or DPS_OP_COUNT. */
extern DpsOpcode dps_find_operation(const char *builtin);

/* Is it a cast between numbers and booleans?  Sets the operation that rounds before the
 * cast, or DPS_OP_COUNT for none. */
extern bool dps_find_cast(const char *builtin, DpsOpcode *rounding);

/* Is it a builtin that dps_import accepts with this many arguments, whichever they
 * are? */
extern bool dps_is_operation(Oid function, int nargs);

#endif							/* DPS_GLUE_IMPORT_BUILTIN_H */
