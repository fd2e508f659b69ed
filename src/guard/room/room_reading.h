/*
 * room_reading.h
 *		How the rows that are brought into a clean room are read.
 */
#ifndef DPS_GUARD_ROOM_ROOM_READING_H
#define DPS_GUARD_ROOM_ROOM_READING_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "utils/snapshot.h"

#include "guard/room/room_rows.h"

/*
 * Reads the entry of this number with the rights of whoever asks, and adds its rows to
 * *brought: those that row-level security shows, and of which conditions of the query on
 * this entry alone are true.  They have all columns of the relation, but values of
 * those that are given only; returns these columns, of TargetEntry *.
 */
extern List *dps_read_entry(Query *query, int index, const Bitmapset *columns, ParamListInfo params, Snapshot snapshot,
							DpsBroughtRows *brought);

#endif							/* DPS_GUARD_ROOM_ROOM_READING_H */
