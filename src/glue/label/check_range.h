/*
 * check_range.h
 *		Ranges and values that a table's own constraints imply.
 */
#ifndef DPS_GLUE_LABEL_CHECK_RANGE_H
#define DPS_GLUE_LABEL_CHECK_RANGE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/rel.h"

/* An end is infinite if no constraint implies one; dates and timestamps are in seconds
 * since 1970. */
typedef struct DpsCheckRange
{
	double		lo;
	double		hi;
	List	   *values;			/* of a list that the column is compared with, as its type
								 * writes them, of char *; not of dates and timestamps */
} DpsCheckRange;

/*
 * One range per column (column i at i - 1), palloc'd: the intersection of all
 * validated CHECK constraints of the table and of its columns' domains that
 * compare the column with a constant, or with a list of constants by IN, alone or
 * joined by AND.  Of several lists the first one's values.
 */
extern DpsCheckRange *dps_read_check_ranges(Relation relation);

/* An end of such a range as a label spells it for columns of this base type, palloc'd;
 * NULL if a label cannot express it. */
extern char *dps_spell_check_end(Oid base_type, double end);

#endif							/* DPS_GLUE_LABEL_CHECK_RANGE_H */
