/*
 * room_rows.h
 *		Rows of public relations that the asking session brings into a clean room.
 *
 * A room reads protected relations only.  Any other relation of a query is read by the asking session,
 * with its own rights, before the room is requested: the columns that the query names, of the rows that
 * satisfy the query's conditions on this relation alone (room_reading.h).  In the query that is sent, a
 * function call takes the place of the relation, and the room scans the brought rows for it
 * (brought_scan.h).
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

/* Rows for all queries of a request, in the order of their numbers. */
typedef struct DpsBroughtRows
{
	List	   *stores;			/* of Tuplestorestate * */
	List	   *descriptors;	/* of TupleDesc */
	List	   *keys;			/* of List *: the keys of each relation (room_keys.h) */
	int64		rows;			/* number of rows of all relations */
	int64		bytes;			/* size of their values */
} DpsBroughtRows;

/* ---- the asking session ---- */

/*
 * Reads the rows of all public relations of the query, appends them to *brought, and replaces the
 * relations by function calls.  An error if the rows exceed the limits.  The proofs are OIDs of unique
 * indexes that were checked against the snapshot.
 */
extern void dps_bring_rows(Query *query, ParamListInfo params, Snapshot snapshot, const List *proofs, DpsBroughtRows *brought);

/* dps_write_row_counts writes the row counts and keys of each relation into the request.  dps_send_rows
 * sends the rows and frees their tuplestores. */
extern void dps_write_row_counts(StringInfo request, const DpsBroughtRows *brought);
extern void dps_send_rows(DpsVisit *visit, const DpsBroughtRows *brought);

/* ---- the room ---- */

/* Reads row counts and keys, and makes empty tuplestores.  dps_receive_row adds a row.  All rows must have
 * arrived before the queries run. */
extern void dps_read_row_counts(StringInfo request);
extern void dps_receive_row(StringInfo message);

/* The number of the brought rows that an entry of a query stands for, or -1; and the keys of these rows. */
extern int	dps_brought_number(const RangeTblEntry *entry);
extern List *dps_keys_of(const RangeTblEntry *entry);

/* The tuplestore of this number.  It belongs to the visit; each scan allocates a read pointer of its own. */
extern Tuplestorestate *dps_brought_store(int number);

/* Frees the rows.  Precondition: no plan that reads them is left. */
extern void dps_drop_rows(void);

#endif							/* DPS_GUARD_ROOM_ROOM_ROWS_H */
