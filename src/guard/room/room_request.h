/*
 * room_request.h
 *		What a clean room is sent: who asks, under which terms and settings, and what.
 */
#ifndef DPS_GUARD_ROOM_ROOM_REQUEST_H
#define DPS_GUARD_ROOM_ROOM_REQUEST_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "glue/receipt.h"
#include "guard/room/room_rows.h"

typedef struct DpsRoomRequest
{
	Oid			role;			/* who asks */
	DpsTerms	terms;
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
