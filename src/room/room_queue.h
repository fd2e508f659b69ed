/*
 * room_queue.h
 *		The queue of processes that wait for a clean room.
 *
 * Each process of the server has a place of its own, so the end of one affects no
 * other.  The lock of the pool protects the whole queue.
 *
 * Order.  The role with the fewest visits in rooms comes first.  Between roles with
 * equally many, the lower turn decides.  The turn of a new visit is one more than that
 * of the role's last visit that waits or is in a room, and at least the turn that was
 * assigned last.  So roles alternate, however many visits each has waiting, and a late
 * role does not wait for all visits of the others.  Visits of equal turn are served in
 * the order of arrival.
 */
#ifndef DPS_ROOM_ROOM_QUEUE_H
#define DPS_ROOM_ROOM_QUEUE_H

#include "postgres.h"

#include "storage/dsm.h"
#include "storage/latch.h"

#include "room/pool.h"

/* The visit that a process waits for, and the room that it was assigned. */
typedef struct DpsPlace
{
	bool		waits;
	bool		is_passed;		/* skipped by dps_queue_next until dps_queue_begin */
	uint64		arrival;
	uint64		turn;
	Oid			role;
	Oid			database;
	dsm_handle	request;
	Latch	   *latch;
	bool		is_given;		/* a room was assigned, and the process has not seen it
								 * yet */
	DpsVisitNumber number;
	uint64		start;			/* number of the room's start that the process is to
								 * make, or 0 */
} DpsPlace;

/* Size and initialisation of the queue in shared memory. */
extern Size dps_queue_size(void);
extern void dps_queue_init(void *memory, bool is_new);

/* The place of this process. */
extern DpsPlace *dps_my_place(void);

/* Joins the queue; last_turn is the role's greatest turn in a room, 0 if it has no
 * visit there. */
extern void dps_queue_join(Oid role, dsm_handle request, uint64 last_turn);

/* Assigns the visit to the place and removes it from the queue. */
extern void dps_queue_serve(DpsPlace *place, const DpsVisitNumber *number, uint64 start);

/* Leaves the queue; does nothing if the place does not wait. */
extern void dps_queue_leave(DpsPlace *place);

/* Makes dps_queue_next consider all places again. */
extern void dps_queue_begin(void);

/* The next waiting place that was not passed, or NULL; visits() is a role's number of
 * visits in rooms. */
extern DpsPlace *dps_queue_next(int (*visits) (Oid role));

#endif							/* DPS_ROOM_ROOM_QUEUE_H */
