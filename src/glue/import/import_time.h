/*
 * import_time.h
 *		Dates, timestamps and intervals in row expressions: numbers of seconds.
 */
#ifndef DPS_GLUE_IMPORT_IMPORT_TIME_H
#define DPS_GLUE_IMPORT_IMPORT_TIME_H

#include "postgres.h"

#include "glue/import/import.h"

/* Is it date, timestamp, timestamptz or interval (or a domain over one)? */
extern bool dps_is_time_type(Oid type);

/*
 * The seconds since 1970 of a leaf, constant or call of such a type, or the length of an
 * interval in seconds, as a node of type DPS_NUMERIC.  Raises an error for an expression
 * that depends on the session's time zone or on the length of months.
 */
extern const DpsNode *dps_import_seconds(DpsImport *import, Node *expression);

/*
 * A call that returns a number or boolean from such types: date - date, extract(),
 * comparisons.  NULL for any other call, and for a comparison of which a column has no
 * declared range.  name is that of the builtin, type that of its result.
 */
extern const DpsNode *dps_import_time_call(DpsImport *import, const char *name, Node *node, List *args, DpsType type);

/* Is it a comparison that dps_import_time_call accepts? */
extern bool dps_compares_times(Oid function);

#endif							/* DPS_GLUE_IMPORT_IMPORT_TIME_H */
