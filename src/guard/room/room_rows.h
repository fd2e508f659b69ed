/*
 * room_rows.h
 *		Rows of public relations that whoever asks brings into a clean room.
 *
 * A room reads protected relations only.  Any other relation of a query is read by
 * whoever asks, with its own rights and before the room is asked for: the columns that
 * are named, of the rows that conditions on it alone leave (room_reading.h).  In the query that is
 * sent a function stands in its place, which the room scans them for (brought_scan.h).
 */
#ifndef DPS_GUARD_ROOM_ROOM_ROWS_H
#define DPS_GUARD_ROOM_ROOM_ROWS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "utils/snapshot.h"
#include "utils/tuplestore.h"

#include "room/visit.h"

/* Of all queries of a request, in the order of their numbers. */
typedef struct DpsBroughtRows
{
	List	   *stores;			/* of Tuplestorestate * */
	List	   *descriptors;	/* of TupleDesc */
	List	   *keys;			/* of List *: those of each (room_keys.h) */
	int64		rows;			/* of all of them */
	int64		bytes;			/* of values */
} DpsBroughtRows;

/* ---- whoever asks ---- */

/*
 * Reads the rows of all public relations of the query, adds them to *brought, and puts
 * functions in their place.  An error if there are more than may be brought.  The proofs are
 * OIDs of indexes that were checked for the snapshot.
 */
extern void dps_bring_rows(Query *query, ParamListInfo params, Snapshot snapshot, const List *proofs, DpsBroughtRows *brought);

/* How many there are of each, and keys, for the request; then the rows themselves. */
extern void dps_write_row_counts(StringInfo request, const DpsBroughtRows *brought);
extern void dps_send_rows(DpsVisit *visit, const DpsBroughtRows *brought);

/* ---- the room ---- */

/* Reads the numbers; the rows are there when the queries run. */
extern void dps_read_row_counts(StringInfo request);
extern void dps_receive_row(StringInfo message);

/* The number of those that an entry of a query stands for, or -1; and their keys. */
extern int	dps_brought_number(const RangeTblEntry *entry);
extern List *dps_keys_of(const RangeTblEntry *entry);

/* Those of this number; each scan reads by a pointer of its own. */
extern Tuplestorestate *dps_brought_store(int number);

/* When no plan is left that reads them. */
extern void dps_drop_rows(void);

#endif							/* DPS_GUARD_ROOM_ROOM_ROWS_H */
