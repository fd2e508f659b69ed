/*
 * room_states.h
 *		Exact states of a distributed table, in a query that a clean room computes.
 *
 * In such a query (b) reads a call of exact_distributed in place of (a) (distributed_states.h).  The
 * asking session puts its values into (a), as it does in all that it sends; the room looks (a) up, as it
 * looks at all that it reads, before it has the statement charged.
 */
#ifndef DPS_GUARD_DISTRIBUTED_ROOM_STATES_H
#define DPS_GUARD_DISTRIBUTED_ROOM_STATES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Copies of all (a) in the query, as a list of Query *. */
extern List *dps_distributed_queries(Query *query);

/* Puts what the function makes of it in the place of each (a), whose parameters it has replaced by values. */
typedef Query *(*DpsChangeStates) (Query *states, void *context);
extern void dps_change_distributed(Query *query, DpsChangeStates change, void *context);

/*
 * In a room, before the charge, as the role that asks: raises an error if (a) may not be read for it
 * (lent_rights.h), or if Citus does not plan it, or a node that has shards of the table is not to be had.
 * The connections that it opens stay until the room's transaction ends.
 */
extern void dps_prepare_distributed(Query *states);

#endif							/* DPS_GUARD_DISTRIBUTED_ROOM_STATES_H */
