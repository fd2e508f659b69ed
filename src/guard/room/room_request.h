/*
 * room_request.h
 *		What a clean room is sent: who asks, under which settings, what, and the noise of it.
 */
#ifndef DPS_GUARD_ROOM_ROOM_REQUEST_H
#define DPS_GUARD_ROOM_ROOM_REQUEST_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "guard/room/room_rows.h"
#include "noise/plan.h"

/* The noise that was planned for a release. */
typedef struct DpsRoomNoise
{
	int32		number;			/* of the release in the statement */
	DpsNoisePlan plan;
} DpsRoomNoise;

typedef struct DpsRoomRequest
{
	Oid			role;			/* who asks */
	int			nnoise;			/* releases of the statement, as many as the first items of the
								 * charge, in their order */
	DpsRoomNoise *noise;
	List	   *queries;		/* of Query *, without parameters */
	List	   *families;		/* of families.h: which tables they were proved for */
	DpsBroughtRows brought;		/* with them; of whoever asks */
	StringInfoData charge;		/* what is to be charged before they run, as the ledger reads it */
} DpsRoomRequest;

/* Writes it, and the session's settings. */
extern void dps_write_room_request(StringInfo message, const DpsRoomRequest *request);

/* Reads it, and takes the settings for the rest of the transaction. */
extern void dps_read_room_request(StringInfo message, DpsRoomRequest *request);

#endif							/* DPS_GUARD_ROOM_ROOM_REQUEST_H */
