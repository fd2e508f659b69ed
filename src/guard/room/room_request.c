/*
 * room_request.c
 *		The request that is sent to a clean room.
 */
#include "postgres.h"

#include "nodes/nodes.h"
#include "storage/proc.h"
#include "utils/guc.h"

#include "guard/query/sent_tree.h"
#include "guard/restrict/run_settings.h"
#include "guard/room/room_request.h"
#include "room/message.h"

/* A mechanism is sent by its name: addresses of shared libraries may differ between processes. */
static void
write_noise(StringInfo message, const DpsRoomRequest *request)
{
	int			i;

	dps_put(message, request->nnoise);
	for (i = 0; i < request->nnoise; i++)
	{
		dps_put(message, request->noise[i]);
		dps_put_text(message, request->noise[i].plan.mechanism->name);
	}
}

static void
read_noise(StringInfo message, DpsRoomRequest *request)
{
	int			i;

	dps_get(message, &request->nnoise);
	request->noise = palloc(mul_size(request->nnoise, sizeof(DpsRoomNoise)));
	for (i = 0; i < request->nnoise; i++)
	{
		dps_get(message, &request->noise[i]);
		request->noise[i].plan.mechanism = dps_mechanism_find(dps_get_text(message));
	}
}

void
dps_write_room_request(StringInfo message, const DpsRoomRequest *request)
{
	dps_put(message, request->role);
	write_noise(message, request);
	dps_send_settings(message);
	dps_put(message, LockTimeout);
	dps_write_row_counts(message, &request->brought);
	dps_put(message, request->charge.len);
	dps_put_bytes(message, request->charge.data, request->charge.len);
	dps_put_text(message, nodeToString(request->families));
	dps_put_tree(message, request->queries);
}

static void
set_milliseconds(const char *name, int value)
{
	(void) set_config_option(name, psprintf("%d", value), PGC_SUSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
}

/*
 * Limits how long a room waits for locks that room_locks.c has not taken.  The limit is the asking
 * session's lock_timeout, and at most four deadlock timeouts.  The server's deadlock detector does not see
 * a process that waits for a room, so a cycle through the room may stay undetected.  The room checks for
 * deadlocks sooner than other processes, since other sessions need the room.
 */
static void
bound_waits(StringInfo message)
{
	int			bound = DeadlockTimeout < INT_MAX / 4 ? 4 * DeadlockTimeout : INT_MAX;
	int			asked;

	dps_get(message, &asked);
	if (asked > 0 && asked < bound)
		bound = asked;
	set_milliseconds("lock_timeout", bound);
	set_milliseconds("deadlock_timeout", Max(DeadlockTimeout / 10, 1));
}

static void
read_charge(StringInfo message, StringInfo charge)
{
	int			length;

	dps_get(message, &length);
	*charge = (StringInfoData) {.data = palloc(length), .len = length};
	dps_get_bytes(message, charge->data, length);
}

void
dps_read_room_request(StringInfo message, DpsRoomRequest *request)
{
	dps_get(message, &request->role);
	read_noise(message, request);
	dps_receive_settings(message);
	bound_waits(message);
	dps_read_row_counts(message);
	read_charge(message, &request->charge);
	request->families = stringToNode(dps_get_text(message));
	request->queries = dps_get_tree(message);
}
