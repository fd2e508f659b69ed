/*
 * room.h
 *		A clean room: a process that carries out what others may not do themselves.
 */
#ifndef DPS_ROOM_ROOM_H
#define DPS_ROOM_ROOM_H

#include "postgres.h"

#include "room/visit.h"

/*
 * What is done for a visit, in three steps, in a transaction of its own that reads by
 * the snapshot of whoever asks and writes nothing: it is prepared, for which whoever asks
 * may send rows, charged, and carried out.  An error of the first two is sent to whoever
 * asks; of one in the third nothing is said but that there is one, the server's log
 * has it, and it is counted first.
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
 * Takes a lock for a visit that is being prepared, until its transaction ends.  Waits for
 * nobody but those who wait for whoever asks: where another is in the way, it does not
 * return, and whoever asks waits instead, and asks again.
 */
extern void dps_room_lock(const DpsLock *lock);

/* Called while the server starts, preloaded. */
extern void dps_room_init(const DpsRoomWork *work);

extern PGDLLEXPORT void dps_room_main(Datum arg);

#endif							/* DPS_ROOM_ROOM_H */
