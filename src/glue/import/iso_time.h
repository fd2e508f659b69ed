/*
 * iso_time.h
 *		Dates and timestamps as they are written in labels: ISO 8601.
 */
#ifndef DPS_GLUE_IMPORT_ISO_TIME_H
#define DPS_GLUE_IMPORT_ISO_TIME_H

#include "postgres.h"

/*
 * Formats a date, timestamp or timestamptz as in a label, in UTC, palloc'd; false for
 * infinity and for years outside of 1 to 9999.
 */
extern bool dps_format_moment(Datum value, Oid base_type, char **text);

/*
 * The moment in seconds since 1970; false if the text is none of the type.  Without a
 * zone a timestamptz is in UTC, or an error if needs_zone is set.
 */
extern bool dps_parse_moment(const char *text, Oid base_type, bool needs_zone, double *seconds);

#endif							/* DPS_GLUE_IMPORT_ISO_TIME_H */
