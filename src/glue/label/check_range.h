/*
 * check_range.h
 *		Ranges that a table's own constraints imply.
 */
#ifndef DPS_GLUE_LABEL_CHECK_RANGE_H
#define DPS_GLUE_LABEL_CHECK_RANGE_H

#include "postgres.h"

#include "utils/rel.h"

/* An end is infinite if no constraint implies one; dates and timestamps are in seconds
 * since 1970. */
typedef struct DpsCheckRange
{
	double		lo;
	double		hi;
} DpsCheckRange;

/*
 * One range per column (column i at i - 1), palloc'd: the intersection of all
 * validated CHECK constraints of the table and of its columns' domains that
 * compare the column with a constant, alone or joined by AND.
 */
extern DpsCheckRange *dps_read_check_ranges(Relation relation);

#endif							/* DPS_GLUE_LABEL_CHECK_RANGE_H */
