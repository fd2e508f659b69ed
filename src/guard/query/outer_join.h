/*
 * outer_join.h
 *		Outer joins that are replaced by inner joins or NOT EXISTS.
 */
#ifndef DPS_GUARD_QUERY_OUTER_JOIN_H
#define DPS_GUARD_QUERY_OUTER_JOIN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Replaces outer joins of the level: by inner joins, if the level does not use null-extended rows; by NOT
 * EXISTS, if it uses only null-extended rows.  aggregates: the level's dp aggregates, NIL if it has none.
 */
extern void dps_simplify_outer_joins(Query *level, const List *aggregates);

#endif							/* DPS_GUARD_QUERY_OUTER_JOIN_H */
