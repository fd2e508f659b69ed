/*
 * zone_text.h
 *		Time zones that the text of a cell names.
 */
#ifndef DPS_GUARD_CONDITION_ZONE_TEXT_H
#define DPS_GUARD_CONDITION_ZONE_TEXT_H

#include "postgres.h"

/* Is the type date, time or timestamp, whose input may contain a time zone?  Casts of text to arrays or
 * ranges of them are not attempted. */
extern bool dps_reads_zones(Oid type);

/*
 * If the text is read as a date or time: are all zones that it may name among a bounded number, namely
 * abbreviations, zones of the server's files, and whole hours from GMT or UTC?
 */
extern bool dps_names_known_zones(const char *text);

#endif							/* DPS_GUARD_CONDITION_ZONE_TEXT_H */
