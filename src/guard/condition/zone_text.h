/*
 * zone_text.h
 *		Time zones that a cell's text names.
 */
#ifndef DPS_GUARD_CONDITION_ZONE_TEXT_H
#define DPS_GUARD_CONDITION_ZONE_TEXT_H

#include "postgres.h"

/* Is it a date, a time or both, as whose text a zone is read?  No text is cast to an array
 * or a range of them. */
extern bool dps_reads_zones(Oid type);

/*
 * Are all zones that the text may name, where it is read as that of dates and times, of a
 * known few: abbreviations, zones of the server's files, hours from GMT or UTC?
 */
extern bool dps_names_known_zones(const char *text);

#endif							/* DPS_GUARD_CONDITION_ZONE_TEXT_H */
