/*
 * room_filter.h
 *		Conditions of a query by which a relation can be filtered before the query
 *		runs.
 */
#ifndef DPS_GUARD_ROOM_ROOM_FILTER_H
#define DPS_GUARD_ROOM_ROOM_FILTER_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Copies of conditions that depend on the range-table entry of this index alone, such that the query has
 * the same rows if it reads only those rows of the entry of which all these conditions are true.
 * Precondition: the query's parameters were replaced by constants.
 */
extern List *dps_conditions_on_entry(const Query *query, int index);

#endif							/* DPS_GUARD_ROOM_ROOM_FILTER_H */
