/*
 * room.h
 *		A clean room: a process that reads rows for sessions that may not read them.
 */
#ifndef DPS_ROOM_ROOM_H
#define DPS_ROOM_ROOM_H

#include "postgres.h"

#include "room/visit.h"

/*
 * The three steps of a visit: prepare, charge and carry_out.  They run in one transaction, which reads by
 * the asking session's snapshot and writes nothing.  Prepare may begin a transaction block (BeginTransactionBlock).  Before the charge the asking session may send rows,
 * which take_row receives.  An error of the first two steps is sent to the asking session.  An error of
 * the third step is counted (count_failure) and written to the server's log, and the asking session learns
 * only that there was one.
 */
typedef struct DpsRoomWork
{
	void	   *(*prepare) (StringInfo request);
	void		(*take_row) (StringInfo row);
	void		(*charge) (void *prepared, StringInfo decision);
	void		(*carry_out) (void *prepared, DpsVisit *visit);
	void		(*count_failure) (void *prepared);
} DpsRoomWork;

/*
 * Takes a lock for a visit that is being prepared, until its transaction ends.  Waits only if the asking
 * session holds this lock, too.  If it does not, and the lock is not free, raises an error: the visit
 * ends, and the asking session waits for the lock and asks again.
 */
extern void dps_room_lock(const DpsLock *lock);

/* In a room: has the asking session given up what is served?  Nothing else cancels it. */
extern bool dps_room_is_given_up(void);

/* Called while the server starts, preloaded. */
extern void dps_room_init(const DpsRoomWork *work);

extern PGDLLEXPORT void dps_room_main(Datum arg);

#endif							/* DPS_ROOM_ROOM_H */
