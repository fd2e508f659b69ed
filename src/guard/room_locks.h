/*
 * room_locks.h
 *		The locks of a clean room.
 */
#ifndef DPS_GUARD_ROOM_LOCKS_H
#define DPS_GUARD_ROOM_LOCKS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Locks a relation, so that it stays what it is; not what belongs to it. */
extern void dps_lock_in_room(Oid relation);

/* Locks whatever planning and running the query takes locks of, for the transaction. */
extern void dps_lock_all_in_room(Query *query);

#endif							/* DPS_GUARD_ROOM_LOCKS_H */
