/*
 * period_end.h
 *		When a period that began at a time ends.
 */
#ifndef DPS_GLUE_PERIOD_END_H
#define DPS_GLUE_PERIOD_END_H

#include "postgres.h"

#include "utils/timestamp.h"

/* The start and the interval, months and days by the calendar of the session's time zone.  DT_NOEND if that is beyond what
 * timestamps can be trusted to hold: such a period does not end.  Never an error. */
extern TimestampTz dps_period_end(TimestampTz start, const Interval *length);

#endif							/* DPS_GLUE_PERIOD_END_H */
