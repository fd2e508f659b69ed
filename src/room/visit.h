/*
 * visit.h
 *		One visit to a clean room: the messages between the asking session and the
 *		room.
 *
 * The asking session opens the visit, which waits for DPS_ROOM_READY.  If it brings rows, it sends them,
 * and DPS_ROOM_GO.  It awaits the charge, receives rows until DPS_ROOM_END, and closes the visit, also if
 * one of these steps fails.  An error, a cancel or the end of the session on either side ends the visit
 * for the other side.
 */
#ifndef DPS_ROOM_VISIT_H
#define DPS_ROOM_VISIT_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "storage/lock.h"
#include "utils/snapshot.h"

#include "room/pool.h"

typedef enum DpsRoomMessage
{
	DPS_ROOM_READY = 'R',		/* the room has locked, checked and planned everything */
	DPS_ROOM_REFUSED = 'E',		/* the room has found an error, which is in the message */
	DPS_ROOM_BLOCKED = 'B',		/* the room could not get a lock, the DpsLock in the message */
	DPS_ROOM_GO = 'G',			/* all rows that are brought have been sent */
	DPS_ROOM_CHARGED = 'H',		/* the charge was made and the queries begin to run; with the decision */
	DPS_ROOM_ROW = 'D',			/* int32: the number of the query; the row */
	DPS_ROOM_END = 'C',			/* all rows have been sent */
	DPS_ROOM_FAILED = 'F',		/* there are no rows, for an undisclosed reason */
	DPS_ROOM_GONE = 0			/* never sent: the other side has gone */
} DpsRoomMessage;

typedef struct DpsLock
{
	LOCKTAG		tag;
	LOCKMODE	mode;
} DpsLock;

typedef struct DpsVisit DpsVisit;

/*
 * Sends a request of a role to a room, and waits until the room is ready to carry it out, or only waits
 * for rows.  Errors that the room finds are raised here.  The room reads rows by the snapshot, as another
 * transaction, so it does not see changes of this one.  The visit belongs to the current memory context
 * and resource owner; the latter also owns the locks for which the session had to wait.
 */
extern DpsVisit *dps_visit_open(Oid role, const StringInfoData *request, bool brings, Snapshot snapshot);

/* Waits until the ledger has decided; raises its error.  Sets *decision to the contents of the message. */
extern void dps_visit_await_charge(DpsVisit *visit, StringInfo decision);

/* Sends a message; false if the other side has gone. */
extern bool dps_visit_send(DpsVisit *visit, DpsRoomMessage kind, const StringInfoData *contents);

/* Receives a message.  Its contents are valid until the next call. */
extern DpsRoomMessage dps_visit_receive(DpsVisit *visit, StringInfo contents);

extern void dps_visit_close(DpsVisit *visit);

/* ---- the room ---- */

/* Joins the visit of a request; NULL if the asking session has gone. */
extern DpsVisit *dps_visit_join(dsm_handle handle);

/* The request, with the cursor at its beginning.  It is in shared memory until the visit is closed. */
extern StringInfoData dps_visit_request(const DpsVisit *visit);

/* Will the asking session send rows before the charge? */
extern bool dps_visit_brings(const DpsVisit *visit);

/* Makes the snapshot that was sent the snapshot of the transaction, which must have none yet, and returns
 * it. */
extern Snapshot dps_visit_restore_snapshot(const DpsVisit *visit);

/* Does the asking session hold this lock? */
extern bool dps_visit_asker_holds(const DpsVisit *visit, const DpsLock *lock);

/* Sends the error that is being handled to the asking session. */
extern void dps_visit_refuse(DpsVisit *visit, const ErrorData *error);

#endif							/* DPS_ROOM_VISIT_H */
