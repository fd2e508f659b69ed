/*
 * room_request.h
 *		The request that is sent to a clean room: the asking role, its settings, the
 *		queries and their noise.
 */
#ifndef DPS_GUARD_ROOM_ROOM_REQUEST_H
#define DPS_GUARD_ROOM_ROOM_REQUEST_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "guard/room/room_rows.h"
#include "noise/plan.h"

/* The planned noise of a release. */
typedef struct DpsRoomNoise
{
	int32		number;			/* number of the release in the statement */
	DpsNoisePlan plan;
} DpsRoomNoise;

typedef struct DpsRoomRequest
{
	Oid			role;			/* the asking role */
	int			nnoise;			/* number of releases; they belong to the first items of the charge, in the
								 * same order */
	DpsRoomNoise *noise;
	List	   *queries;		/* of Query *, without parameters */
	List	   *families;		/* of families.h: the tables that the proofs are about */
	DpsBroughtRows brought;		/* rows of public relations; set only in the asking session */
	StringInfoData charge;		/* the charge to be made before the queries run, as written by dps_ledger_draft */
} DpsRoomRequest;

/* Writes the request and the session's settings. */
extern void dps_write_room_request(StringInfo message, const DpsRoomRequest *request);

/* Reads the request, and sets the session's settings for the rest of the transaction. */
extern void dps_read_room_request(StringInfo message, DpsRoomRequest *request);

#endif							/* DPS_GUARD_ROOM_ROOM_REQUEST_H */
