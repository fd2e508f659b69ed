/*
 * sent_rows.c
 *		Rows that are sent between sessions and clean rooms.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/memutils.h"

#include "room/message.h"
#include "room/sent_rows.h"

void
dps_send_store(DpsVisit *visit, int number, Tuplestorestate *store, TupleDesc descriptor)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
	StringInfoData message;

	initStringInfo(&message);
	while (tuplestore_gettupleslot(store, true, false, slot))
	{
		bool		should_free;
		MinimalTuple row = ExecFetchSlotMinimalTuple(slot, &should_free);

		resetStringInfo(&message);
		dps_put(&message, number);
		dps_put_bytes(&message, row, row->t_len);
		if (!dps_visit_send(visit, DPS_ROOM_ROW, &message))
			break;
	}
	ExecDropSingleTupleTableSlot(slot);
	pfree(message.data);
}

void
dps_keep_row(StringInfo message, Tuplestorestate *store)
{
	/* a row is stored as it is, without reading its columns */
	static TupleTableSlot *slot = NULL;
	int			length = message->len - message->cursor;
	MinimalTuple row;

	if (length < (int) SizeofMinimalTupleHeader)
		elog(ERROR, "a row of a clean room is too short");
	if (slot == NULL)
	{
		MemoryContext previous = MemoryContextSwitchTo(TopMemoryContext);

		slot = MakeSingleTupleTableSlot(CreateTemplateTupleDesc(0), &TTSOpsMinimalTuple);
		MemoryContextSwitchTo(previous);
	}
	row = palloc(length);
	dps_get_bytes(message, row, length);
	/* the slot outlives an error, but the row does not */
	ExecStoreMinimalTuple(row, slot, false);
	tuplestore_puttupleslot(store, slot);
	ExecClearTuple(slot);
	pfree(row);
}
