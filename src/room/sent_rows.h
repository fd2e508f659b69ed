/*
 * sent_rows.h
 *		Rows that pass between whoever asks and a clean room.
 */
#ifndef DPS_ROOM_SENT_ROWS_H
#define DPS_ROOM_SENT_ROWS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

#include "room/visit.h"

/* Sends all rows of a store, each with its number, as long as somebody is there. */
extern void dps_send_store(DpsVisit *visit, int number, Tuplestorestate *store, TupleDesc descriptor);

/* Adds the row, which is the rest of the message, whatever its columns are. */
extern void dps_keep_row(StringInfo message, Tuplestorestate *store);

#endif							/* DPS_ROOM_SENT_ROWS_H */
