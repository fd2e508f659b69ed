/*
 * visit.h
 *		One visit to a clean room: what is sent between whoever asks and the room.
 *
 * Whoever asks: open, which waits for DPS_ROOM_READY, send rows and DPS_ROOM_GO if it
 * brings any, await the charge, receive rows until DPS_ROOM_END, close, also where one of
 * these fails.  An error, a cancel or the end of
 * the session on either side ends the visit for the other.
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
	DPS_ROOM_READY = 'R',		/* all is locked, checked and planned */
	DPS_ROOM_REFUSED = 'E',		/* it is not; with an error */
	DPS_ROOM_BLOCKED = 'B',		/* it is not; with the DpsLock that was not to be had */
	DPS_ROOM_GO = 'G',			/* all rows that are brought have been sent */
	DPS_ROOM_CHARGED = 'H',		/* and the queries begin to run; with the decision */
	DPS_ROOM_ROW = 'D',			/* int32: the number of the query; the row */
	DPS_ROOM_END = 'C',			/* all rows have been sent */
	DPS_ROOM_FAILED = 'F',		/* there are none, and nothing is said of why */
	DPS_ROOM_GONE = 0			/* is not sent: nobody is there any more */
} DpsRoomMessage;

typedef struct DpsLock
{
	LOCKTAG		tag;
	LOCKMODE	mode;
} DpsLock;

typedef struct DpsVisit DpsVisit;

/*
 * Sends a request of a role to a room and waits until the room is ready to carry it
 * out, or only waits for rows; an error that the room has found is raised here.  The snapshot is what the room
 * reads rows by, as another transaction: what this one has done is not seen.  Lives in
 * the current memory context and resource owner, of which the latter has the locks that
 * had to be waited for.
 */
extern DpsVisit *dps_visit_open(Oid role, const StringInfoData *request, bool brings, Snapshot snapshot);

/* Until the ledger has decided, of which an error is raised here. */
extern void dps_visit_await_charge(DpsVisit *visit, StringInfo decision);

/* False if the other side has gone. */
extern bool dps_visit_send(DpsVisit *visit, DpsRoomMessage kind, const StringInfoData *contents);

/* The contents are valid until the next call. */
extern DpsRoomMessage dps_visit_receive(DpsVisit *visit, StringInfo contents);

extern void dps_visit_close(DpsVisit *visit);

/* ---- the room ---- */

/* NULL if whoever asked has gone. */
extern DpsVisit *dps_visit_join(dsm_handle handle);

/* To be read from its beginning; in shared memory until the visit is closed. */
extern StringInfoData dps_visit_request(const DpsVisit *visit);

/* Are rows to come before it can be charged? */
extern bool dps_visit_brings(const DpsVisit *visit);

/* Makes the snapshot that was sent that of the transaction, which must have none, and
 * returns it. */
extern Snapshot dps_visit_restore_snapshot(const DpsVisit *visit);

/* Does whoever asks hold this lock? */
extern bool dps_visit_asker_holds(const DpsVisit *visit, const DpsLock *lock);

/* Sends the error that is being handled; frees nothing. */
extern void dps_visit_refuse(DpsVisit *visit, const ErrorData *error);

#endif							/* DPS_ROOM_VISIT_H */
