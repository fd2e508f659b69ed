/*
 * repeats.h
 *		A warning for tables in which a person may have several rows.
 */
#ifndef DPS_GLUE_LABEL_REPEATS_H
#define DPS_GLUE_LABEL_REPEATS_H

#include "postgres.h"

/*
 * Raises a warning for a table without a unit if a column that looks like the key of a
 * person has repeated values.  Reads rows as the current user, who is the owner; does
 * nothing without SELECT on the table.
 */
extern void dps_warn_of_repeats(Oid relation);

#endif							/* DPS_GLUE_LABEL_REPEATS_H */
