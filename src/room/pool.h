/*
 * pool.h
 *		The clean rooms of a server: processes that read protected rows for sessions
 *		that must not see them.
 *
 * A room belongs to one database and serves one visit at a time.  Visits are numbered, so that a cancel of
 * one visit cannot end the next.
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

/* ---- the asking session ---- */

/*
 * Waits for this process's turn in the queue (room_queue.h) and for a room of this
 * database.  A room is started where an entry is free, or once an idle room of another
 * database has exited.  On return the room has the request.  Sets *number, and *started
 * to the handle of the process that was started, or NULL.  The caller must give up the
 * visit at its end, however it ends, also if this function fails.
 */
extern void dps_pool_visit(Oid role, dsm_handle request, DpsVisitNumber *number, BackgroundWorkerHandle **started);

/* The progress of a visit. */
typedef enum DpsRoomProgress
{
	DPS_ROOM_BEFORE,			/* the room has not begun with the visit */
	DPS_ROOM_IN,				/* the room has begun: it will send a message, or end */
	DPS_ROOM_WAITING			/* the room waits for a lock, and holds dps_pool_lock meanwhile */
} DpsRoomProgress;

/* Raises if the visit has ended before the room began with it. */
extern DpsRoomProgress dps_pool_progress(const DpsVisitNumber *number, BackgroundWorkerHandle *started);

/* Waits until the progress may have changed, or a message has come. */
extern void dps_pool_wait(void);

/* Ends the visit, or the wait for one, soon; does nothing if it has ended. */
extern void dps_pool_give_up(DpsVisitNumber *number);

/* The advisory lock that the room holds while it waits for a lock. */
extern LOCKTAG dps_pool_lock(const DpsVisitNumber *number);

/* Is the process with this number a clean room? */
extern bool dps_pool_has(pid_t pid);

/* Makes the rooms of a database exit: at once, or after their visit. */
extern void dps_pool_dismiss(Oid database);

/* ---- the room ---- */

/* Is this process the one that was started last for this entry?  If so, the entry belongs to it until it
 * exits. */
extern bool dps_pool_enter(int room, uint64 start);

/* Waits for the next visit and sets *number and *request; false if the process is to
 * exit. */
extern bool dps_pool_next(DpsVisitNumber *number, dsm_handle *request);

/* The room has joined the visit. */
extern void dps_pool_come(const DpsVisitNumber *number);

/* The room is about to wait for a lock (true), and then the asking session is woken, or has waited
 * (false). */
extern void dps_pool_wait_for_lock(bool waits);

/* Was the visit given up?  For signal handlers, too. */
extern bool dps_pool_is_given_up(const DpsVisitNumber *number);

/* The visit has ended; the room is free for the next visit, or exits. */
extern void dps_pool_finish(bool leaves);

#endif							/* DPS_ROOM_POOL_H */
