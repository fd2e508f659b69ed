/*
 * repeats.h
 *		A warning for tables whose persons may have several rows.
 */
#ifndef DPS_GLUE_LABEL_REPEATS_H
#define DPS_GLUE_LABEL_REPEATS_H

#include "postgres.h"

/*
 * Warns the owner of a table without a unit, who is the current user, if a
 * column that looks like somebody's number has values that repeat.
 */
extern void dps_warn_of_repeats(Oid relation);

#endif							/* DPS_GLUE_LABEL_REPEATS_H */
