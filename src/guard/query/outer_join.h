/*
 * outer_join.h
 *		Outer joins that are something simpler.
 */
#ifndef DPS_GUARD_QUERY_OUTER_JOIN_H
#define DPS_GUARD_QUERY_OUTER_JOIN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Writes outer joins of the level as what they are: inner joins, where the level has
 * no use for rows that are padded; NOT EXISTS, where it has use for no others.
 * aggregates are the level's dp aggregates, NIL if it has none.
 */
extern void dps_simplify_outer_joins(Query *level, const List *aggregates);

#endif							/* DPS_GUARD_QUERY_OUTER_JOIN_H */
