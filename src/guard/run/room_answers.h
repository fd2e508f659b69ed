/*
 * room_answers.h
 *		Answers of clean rooms, in the asking session.
 */
#ifndef DPS_GUARD_RUN_ROOM_ANSWERS_H
#define DPS_GUARD_RUN_ROOM_ANSWERS_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "guard/run/found_releases.h"
#include "ledger/ledger.h"

typedef struct DpsRoomVisit DpsRoomVisit;

/*
 * Sends the queries of a statement that is about to run, with the items to be charged and the permits to
 * draw, to a clean room, and waits until the room has prepared them.  Reads the rows of public relations,
 * which are sent later.  Errors that the room finds are raised here.
 */
extern DpsRoomVisit *dps_ask_room(QueryDesc *query, const DpsFoundReleases *found, List *items, const DpsPermit *permits, const DpsCatalogs *catalogs);

/* Sends the rows, and waits until the items are charged.  The room then runs the queries. */
extern DpsDecision dps_room_decision(DpsRoomVisit *asked);

/*
 * Waits until the charge that was decided is durable, and until all answers are there, and gives the
 * answers to the receipt's statement.  If the room fails, raises an error that says nothing about rows.
 */
extern void dps_take_answers(DpsRoomVisit *asked, const DpsFoundReleases *found, DpsReceipt *receipt, const DpsDecision *decision);

/* Ends the visit in whatever state.  *asked must not be used after that. */
extern void dps_leave_room(DpsRoomVisit *asked);

#endif							/* DPS_GUARD_RUN_ROOM_ANSWERS_H */
