/*
 * iso_time.h
 *		Dates and timestamps as labels spell them: ISO 8601.
 */
#ifndef DPS_GLUE_IMPORT_ISO_TIME_H
#define DPS_GLUE_IMPORT_ISO_TIME_H

#include "postgres.h"

/*
 * A date, timestamp or timestamptz as a label spells it, in UTC; false for
 * infinity and for years that do not have one to four digits after Christ.
 */
extern bool dps_format_moment(Datum value, Oid base_type, char **text);

/* The moment in seconds since 1970; false if the text does not spell one. */
extern bool dps_parse_moment(const char *text, Oid base_type, bool needs_zone, double *seconds);

#endif							/* DPS_GLUE_IMPORT_ISO_TIME_H */
