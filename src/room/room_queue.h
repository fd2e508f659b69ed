/*
 * room_queue.h
 *		Who waits for a clean room, and who is next.
 *
 * Each process of the server has a place, so one that ends is missed by nobody.  All
 * of it is under the lock of the pool.
 *
 * Order.  Among those that wait, the role comes first that has the fewest visits in
 * rooms.  Of roles that have as many, turns decide: a role takes the turn after that
 * of its last visit that waits or is in a room, and else the one that is called now.
 * So roles alternate, whatever they have lined up, and a role that comes late is not
 * behind all that others have.  Of one role, and of one turn, it is first come, first
 * served.
 */
#ifndef DPS_ROOM_ROOM_QUEUE_H
#define DPS_ROOM_ROOM_QUEUE_H

#include "postgres.h"

#include "storage/dsm.h"
#include "storage/latch.h"

#include "room/pool.h"

/* What a process waits for, and what it was given. */
typedef struct DpsPlace
{
	bool		waits;
	bool		is_passed;		/* by dps_queue_next, until all are looked at anew */
	uint64		arrival;
	uint64		turn;
	Oid			role;
	Oid			database;
	dsm_handle	request;
	Latch	   *latch;
	bool		is_given;		/* and it has not taken note of it */
	DpsVisitNumber number;
	uint64		start;			/* of the process that it is to start, or 0 */
} DpsPlace;

/* Bytes of shared memory, and laying them out. */
extern Size dps_queue_size(void);
extern void dps_queue_init(void *memory, bool is_new);

/* The place of this process. */
extern DpsPlace *dps_my_place(void);

/* Lines up; last_turn is the role's greatest in a room, 0 if it has none there. */
extern void dps_queue_join(Oid role, dsm_handle request, uint64 last_turn);

/* Is given the visit: its turn is called. */
extern void dps_queue_serve(DpsPlace *place, const DpsVisitNumber *number, uint64 start);

/* Waits no more; no harm where it does not wait. */
extern void dps_queue_leave(DpsPlace *place);

/* All are looked at anew. */
extern void dps_queue_begin(void);

/* The next of those that were not passed, or NULL; visits says how many a role has in
 * rooms. */
extern DpsPlace *dps_queue_next(int (*visits) (Oid role));

#endif							/* DPS_ROOM_ROOM_QUEUE_H */
