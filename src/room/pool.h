/*
 * pool.h
 *		The clean rooms of a server: processes that read protected rows for sessions
 *		that must not look.
 *
 * A room belongs to one database and serves one visit at a time.  Visits have
 * numbers, so that what is meant for one, a cancel, cannot hit the next.
 */
#ifndef DPS_ROOM_POOL_H
#define DPS_ROOM_POOL_H

#include "postgres.h"

#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/lock.h"

/* Which room, and which visit to it. */
typedef struct DpsVisitNumber
{
	int			room;
	uint64		visit;
} DpsVisitNumber;

/* Called while the server starts, preloaded. */
extern void dps_pool_init(void);

/* ---- whoever asks ---- */

/*
 * Waits for its turn among all who wait (room_queue.h), and for a room of this database, which
 * is started where there is place, or when one of another database that has nothing to do
 * has left.  The room has been given the request on return.  Sets *number, and *started,
 * of the process that was started, or NULL.  The visit must be given up at the end,
 * however it ends, also where this fails.
 */
extern void dps_pool_visit(Oid role, dsm_handle request, DpsVisitNumber *number, BackgroundWorkerHandle **started);

/* How far the room is. */
typedef enum DpsRoomProgress
{
	DPS_ROOM_BEFORE,			/* the visit */
	DPS_ROOM_IN,				/* and will send a message, or end */
	DPS_ROOM_WAITING			/* for a lock: it holds dps_pool_lock */
} DpsRoomProgress;

/* Raises if the visit has ended before the room began with it. */
extern DpsRoomProgress dps_pool_progress(const DpsVisitNumber *number, BackgroundWorkerHandle *started);

/* Until something may have changed, or a message has come. */
extern void dps_pool_wait(void);

/* Whatever is done or waited for ends, soon; no harm where it has ended. */
extern void dps_pool_give_up(DpsVisitNumber *number);

/* What the room holds while it waits for a lock. */
extern LOCKTAG dps_pool_lock(const DpsVisitNumber *number);

/* Sends the rooms of a database away: at once, or when they have finished. */
extern void dps_pool_dismiss(Oid database);

/* ---- the room ---- */

/* Is this process the one that is wanted in that place?  Then it has it until it
 * exits. */
extern bool dps_pool_enter(int room, uint64 start);

/* The next visit, of which *request is set; false if it is to leave.  Waits. */
extern bool dps_pool_next(DpsVisitNumber *number, dsm_handle *request);

/* The room has joined the visit. */
extern void dps_pool_come(const DpsVisitNumber *number);

/* The room is about to wait for a lock, which whoever asks is told, or has waited. */
extern void dps_pool_wait_for_lock(bool waits);

/* Was the visit given up?  For signal handlers, too. */
extern bool dps_pool_is_given_up(const DpsVisitNumber *number);

/* The visit has ended; the room is free for the next, or leaves. */
extern void dps_pool_finish(bool leaves);

#endif							/* DPS_ROOM_POOL_H */
