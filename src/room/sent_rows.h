/*
 * sent_rows.h
 *		Rows that are sent between sessions and clean rooms.
 */
#ifndef DPS_ROOM_SENT_ROWS_H
#define DPS_ROOM_SENT_ROWS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

#include "room/visit.h"

/* Sends all rows of a store, each with the number of the query, until the other side
 * has gone. */
extern void dps_send_store(DpsVisit *visit, int number, Tuplestorestate *store, TupleDesc descriptor);

/* Appends the row, which is the rest of the message, to the store. */
extern void dps_keep_row(StringInfo message, Tuplestorestate *store);

#endif							/* DPS_ROOM_SENT_ROWS_H */
