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
 * The keys of the relation that the proofs give: lists of columns in which no two of its rows are equal.
 * Proofs are OIDs of unique indexes, of this relation or of others.
 */
extern List *dps_proved_keys(Oid relation, const List *proofs);

/* Write and read the keys of one relation in a request. */
extern void dps_write_keys(StringInfo request, const List *keys);
extern List *dps_read_keys(StringInfo request);

/* Makes the planner of a room mark joins with these keys as inner-unique.  Called by
 * dps_private_plan_init. */
extern void dps_room_keys_init(void);

#endif							/* DPS_GUARD_ROOM_ROOM_KEYS_H */
