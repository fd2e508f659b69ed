/*
 * room_locks.h
 *		The locks of a clean room.
 */
#ifndef DPS_GUARD_ROOM_ROOM_LOCKS_H
#define DPS_GUARD_ROOM_ROOM_LOCKS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Takes all locks that planning and executing the query will take, until the transaction ends.  An error
 * if a relation that the query names was dropped. */
extern void dps_lock_all_in_room(Query *query);

#endif							/* DPS_GUARD_ROOM_ROOM_LOCKS_H */
