/*
 * room_filter.h
 *		Conditions of a query by which a relation can be read before the query runs.
 */
#ifndef DPS_GUARD_ROOM_ROOM_FILTER_H
#define DPS_GUARD_ROOM_ROOM_FILTER_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Conditions on the entry of this number alone, copied, such that the query has the
 * same rows if it reads those rows of the entry only of which all of them are true.
 * The query's parameters are constants already.
 */
extern List *dps_conditions_on_entry(const Query *query, int index);

#endif							/* DPS_GUARD_ROOM_ROOM_FILTER_H */
