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
 * The seconds since 1970 of a leaf, constant or call of such a type, of an interval
 * the seconds that it lasts, as a node of type DPS_NUMERIC.  An error for one that
 * depends on the session's time zone, or on how long a month is.
 */
extern const DpsNode *dps_import_seconds(DpsImport *import, Node *expression);

/*
 * A call that makes a number or a truth value of them: date - date, extract(),
 * comparisons.  NULL if it is none, and for a comparison of what has no declared
 * range.  name: of the builtin; type: its result's.
 */
extern const DpsNode *dps_import_time_call(DpsImport *import, const char *name, Node *node, List *args, DpsType type);

/* Is it a comparison that dps_import_time_call takes? */
extern bool dps_compares_times(Oid function);

#endif							/* DPS_GLUE_IMPORT_IMPORT_TIME_H */
