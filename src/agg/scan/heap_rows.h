/*
 * heap_rows.h
 *		The visible rows of a heap, a page at a time.
 *
 * heap_getnext decides on the visibility of all rows of a page when it comes to
 * it, and then yields them one by one.  Here they are yielded together.
 */
#ifndef DPS_AGG_SCAN_HEAP_ROWS_H
#define DPS_AGG_SCAN_HEAP_ROWS_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"

typedef struct DpsHeapRows
{
	TableScanDesc scan;
	bool		by_page;		/* otherwise one at a time */
	int			n;
	HeapTupleHeader row[MaxHeapTuplesPerPage];
} DpsHeapRows;

/* For a scan that goes forward, has not begun, and yields its rows here alone. */
extern void dps_heap_rows_init(DpsHeapRows *rows, TableScanDesc scan);

/* The next page that has visible rows: they stay where they are until this is
 * called again.  False if there is none. */
extern bool dps_heap_rows_next(DpsHeapRows *rows);

/* One of them, as the executor wants it, and the buffer that it is in. */
extern void dps_heap_rows_tuple(const DpsHeapRows *rows, int number, HeapTuple tuple);
extern Buffer dps_heap_rows_buffer(const DpsHeapRows *rows);

/* The rows of a page that is pinned will be read soon. */
extern void dps_expect_rows(Buffer buffer);

/* Are the first n columns of the row stored, and not NULL?  Then each is where it
 * is in rows without NULLs. */
static inline bool
dps_has_columns(HeapTupleHeader row, int n)
{
	int			i;

	if (HeapTupleHeaderGetNatts(row) < n)
		return false;
	if (!(row->t_infomask & HEAP_HASNULL))
		return true;
	for (i = 0; i < n / BITS_PER_BYTE; i++)
	{
		if (row->t_bits[i] != 0xff)
			return false;
	}
	return n % BITS_PER_BYTE == 0 || (~row->t_bits[i] & ((1 << n % BITS_PER_BYTE) - 1)) == 0;
}

#endif							/* DPS_AGG_SCAN_HEAP_ROWS_H */
