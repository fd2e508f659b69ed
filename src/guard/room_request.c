/*
 * room_request.c
 *		What a clean room is sent.
 */
#include "postgres.h"

#include "nodes/nodes.h"
#include "storage/proc.h"

#include "guard/room_request.h"
#include "guard/run_settings.h"
#include "room/message.h"

void
dps_write_room_request(StringInfo message, const DpsRoomRequest *request)
{
	int			n = list_length(request->queries);
	ListCell   *cell;

	dps_put(message, request->role);
	dps_put(message, request->terms.epsilon);
	dps_put(message, request->terms.selection_epsilon);
	dps_put(message, request->terms.delta);
	dps_put_text(message, request->terms.mechanism->name);
	dps_send_settings(message);
	dps_put(message, LockTimeout);
	dps_write_row_counts(message, &request->brought);
	dps_put(message, n);
	foreach(cell, request->queries)
		dps_put_text(message, nodeToString(lfirst(cell)));
}

void
dps_read_room_request(StringInfo message, DpsRoomRequest *request)
{
	int			n;
	int			i;

	dps_get(message, &request->role);
	dps_get(message, &request->terms.epsilon);
	dps_get(message, &request->terms.selection_epsilon);
	dps_get(message, &request->terms.delta);
	request->terms.mechanism = dps_mechanism_find(dps_get_text(message));
	dps_receive_settings(message);
	/* for locks of relations, as if they were taken by whoever asks */
	dps_get(message, &LockTimeout);
	dps_read_row_counts(message);
	dps_get(message, &n);
	request->queries = NIL;
	for (i = 0; i < n; i++)
		request->queries = lappend(request->queries, stringToNode(dps_get_text(message)));
}
