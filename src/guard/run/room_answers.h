/*
 * room_answers.h
 *		Answers of clean rooms, on the side of whoever asks.
 */
#ifndef DPS_GUARD_RUN_ROOM_ANSWERS_H
#define DPS_GUARD_RUN_ROOM_ANSWERS_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "guard/run/found_releases.h"
#include "ledger/ledger.h"

typedef struct DpsRoomVisit DpsRoomVisit;

/*
 * Has a clean room prepare the queries of a statement that is about to run, and then
 * charge the items, and draw by the permits; what it finds wrong is raised here.  Relations that the role may
 * read are read now.
 */
extern DpsRoomVisit *dps_ask_room(QueryDesc *query, const DpsFoundReleases *found, List *items, const DpsPermit *permits);

/* Waits until they are charged, and the queries begin to run. */
extern DpsDecision dps_room_decision(DpsRoomVisit *asked);

/*
 * Waits until all answers are there for the receipt's statement, and the charge, which
 * was decided before, is durable.  An error that says nothing of rows
 * where it fails.
 */
extern void dps_take_answers(DpsRoomVisit *asked, const DpsFoundReleases *found, DpsReceipt *receipt, const DpsDecision *decision);

/* Lets the room go, whatever it does; not to be asked again. */
extern void dps_leave_room(DpsRoomVisit *asked);

#endif							/* DPS_GUARD_RUN_ROOM_ANSWERS_H */
