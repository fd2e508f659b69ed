/*
 * room_locks.h
 *		The locks of a clean room.
 */
#ifndef DPS_GUARD_ROOM_ROOM_LOCKS_H
#define DPS_GUARD_ROOM_ROOM_LOCKS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Locks whatever planning and running the query takes locks of, for the transaction.  An
 * error if a relation that it names has been dropped. */
extern void dps_lock_all_in_room(Query *query);

#endif							/* DPS_GUARD_ROOM_ROOM_LOCKS_H */
