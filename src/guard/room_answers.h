/*
 * room_answers.h
 *		Answers of clean rooms, on the side of whoever asks.
 */
#ifndef DPS_GUARD_ROOM_ANSWERS_H
#define DPS_GUARD_ROOM_ANSWERS_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "guard/found_releases.h"

typedef struct DpsRoomVisit DpsRoomVisit;

/*
 * Has a clean room prepare the queries of a statement that is about to run; what it
 * finds wrong is raised here.  NULL if there are none.  Relations that the
 * role may read are read now.
 */
extern DpsRoomVisit *dps_ask_room(QueryDesc *query, const DpsFoundReleases *found);

/*
 * Has them run, and waits until all answers are there for the receipt's statement.  To be called after the charge, of which last_release is the
 * last.  An error that says nothing of rows where it fails.
 */
extern void dps_take_answers(DpsRoomVisit *asked, const DpsFoundReleases *found, DpsReceipt *receipt, int64 last_release);

/* Lets the room go, whatever it does; not to be asked again.  Takes NULL. */
extern void dps_leave_room(DpsRoomVisit *asked);

#endif							/* DPS_GUARD_ROOM_ANSWERS_H */
