/*
 * room_keys.h
 *		Keys of relations whose rows are brought into a clean room.
 */
#ifndef DPS_GUARD_ROOM_ROOM_KEYS_H
#define DPS_GUARD_ROOM_ROOM_KEYS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/*
 * The keys that the proofs (OIDs of indexes, of the relation or of others) say the
 * relation has: columns in which no two of its rows are equal.
 */
extern List *dps_proved_keys(Oid relation, const List *proofs);

/* Of one relation, for the request. */
extern void dps_write_keys(StringInfo request, const List *keys);
extern List *dps_read_keys(StringInfo request);

/* Tells the planner of a room where rows of a key meet no more than one; called by
 * dps_private_plan_init. */
extern void dps_room_keys_init(void);

#endif							/* DPS_GUARD_ROOM_ROOM_KEYS_H */
