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
 * Waits for its turn among all who wait (queue.h), and for a room of this database, which
 * is started where there is place, or when one of another database that has nothing to do
 * has left.  The room is given the request, and has begun with it on return.  Sets *number.
 * The visit must be given up at the end, however it ends, also where this fails.
 */
extern void dps_pool_visit(Oid role, dsm_handle request, DpsVisitNumber *number);

/* Whatever is done or waited for ends, soon; no harm where it has ended. */
extern void dps_pool_give_up(DpsVisitNumber *number);

/* What the room holds from before it has begun until it has all locks that it needs. */
extern LOCKTAG dps_pool_lock(const DpsVisitNumber *number);

/* Sends the rooms of a database away: at once, or when they have finished. */
extern void dps_pool_dismiss(Oid database);

/* ---- the room ---- */

/* Is this process the one that is wanted in that place?  Then it has it until it
 * exits. */
extern bool dps_pool_enter(int room, uint64 start);

/* The next visit, of which *request is set; false if it is to leave.  Waits. */
extern bool dps_pool_next(DpsVisitNumber *number, dsm_handle *request);

/* Tells whoever asks that the room has come to the visit. */
extern void dps_pool_come(const DpsVisitNumber *number);

/* Was the visit given up?  For signal handlers, too. */
extern bool dps_pool_is_given_up(const DpsVisitNumber *number);

/* The visit has ended; the room is free for the next, or leaves. */
extern void dps_pool_finish(bool leaves);

#endif							/* DPS_ROOM_POOL_H */
