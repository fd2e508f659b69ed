/*
 * counted_states.c
 *		Rows of exact states on their way, counted.
 */
#include "postgres.h"

#include "executor/tuptable.h"

#include "glue/glue.h"
#include "guard/distributed/counted_states.h"

bool
dps_is_states_type(Oid type)
{
	return type == dps_internal_type("states") || type == dps_internal_type("state");
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	DpsCountedStates *counted = (DpsCountedStates *) self;
	int			i;

	slot_getallattrs(slot);
	for (i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		counted->n += !slot->tts_isnull[i] && dps_is_states_type(TupleDescAttr(slot->tts_tupleDescriptor, i)->atttypid);
	return counted->other->receiveSlot(slot, counted->other);
}

static void
start(DestReceiver *self, int operation, TupleDesc columns)
{
	DestReceiver *other = ((DpsCountedStates *) self)->other;

	other->rStartup(other, operation, columns);
}

static void
stop(DestReceiver *self)
{
	DestReceiver *other = ((DpsCountedStates *) self)->other;

	other->rShutdown(other);
}

/* The other is destroyed by whoever made it. */
static void
destroy(DestReceiver *self)
{
}

DestReceiver *
dps_count_states(DpsCountedStates *counted, DestReceiver *other)
{
	*counted = (DpsCountedStates) {
		.receiver = {.receiveSlot = receive, .rStartup = start, .rShutdown = stop, .rDestroy = destroy, .mydest = other->mydest},
		.other = other
	};
	return &counted->receiver;
}
