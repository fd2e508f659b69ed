/*
 * room_reading.h
 *		Reads the rows that are brought into a clean room.
 */
#ifndef DPS_GUARD_ROOM_ROOM_READING_H
#define DPS_GUARD_ROOM_ROOM_READING_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "utils/snapshot.h"

#include "guard/room/room_rows.h"

/*
 * Reads the range-table entry of this index with the rights of the current role, and adds its rows to
 * *brought: those that row-level security shows and that satisfy the query's conditions on this entry
 * alone.  The rows have all columns of the relation; columns that are not in the given set (of attribute
 * numbers) are NULL.  Returns the columns as a list of TargetEntry *.  An error if the limits of brought
 * rows are exceeded.
 */
extern List *dps_read_entry(Query *query, int index, const Bitmapset *columns, ParamListInfo params, Snapshot snapshot,
							DpsBroughtRows *brought);

#endif							/* DPS_GUARD_ROOM_ROOM_READING_H */
