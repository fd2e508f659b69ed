/*
 * heap_rows.c
 *		The visible rows of a heap, a page at a time.
 *
 * A scan that is in page mode, as all are whose snapshot is an MVCC one, holds a
 * pin on the page that it is at, and the numbers of the visible rows there
 * (heapgetpage).  Those that heap_getnext has not come to yet are read by
 * these numbers; then it is told that it has yielded the last one.
 */
#include "postgres.h"

#include "pgstat.h"
#include "storage/bufmgr.h"

#include "agg/scan/heap_rows.h"

void
dps_heap_rows_init(DpsHeapRows *rows, TableScanDesc scan)
{
	rows->scan = scan;
	rows->by_page = (scan->rs_flags & SO_ALLOW_PAGEMODE) != 0;
	rows->n = 0;
}

static void
take_page(DpsHeapRows *rows, HeapScanDesc heap)
{
	Page		page = BufferGetPage(heap->rs_cbuf);
	int			first = (int) heap->rs_cindex;
	int			n = (int) heap->rs_ntuples - first;
	int			i;

	for (i = 0; i < n; i++)
	{
		rows->row[i] = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, heap->rs_vistuples[first + i]));
		/* memory is slow, and all rows can be asked for before one is needed */
		__builtin_prefetch(rows->row[i]);
	}
	/* the first one was counted by heap_getnext */
	for (i = 1; i < n; i++)
		pgstat_count_heap_getnext(rows->scan->rs_rd);
	rows->n = n;
	heap->rs_cindex = heap->rs_ntuples - 1;
}

bool
dps_heap_rows_next(DpsHeapRows *rows)
{
	HeapTuple	tuple = heap_getnext(rows->scan, ForwardScanDirection);

	rows->n = 0;
	if (tuple == NULL)
		return false;
	if (rows->by_page)
		take_page(rows, (HeapScanDesc) rows->scan);
	else
		rows->row[rows->n++] = tuple->t_data;
	return true;
}

void
dps_heap_rows_tuple(const DpsHeapRows *rows, int number, HeapTuple tuple)
{
	const HeapScanDesc heap = (HeapScanDesc) rows->scan;
	OffsetNumber offset;

	*tuple = heap->rs_ctup;
	if (!rows->by_page)
		return;
	/* the page ends with the row that the scan is said to be at */
	offset = heap->rs_vistuples[heap->rs_ntuples - rows->n + number];
	tuple->t_data = rows->row[number];
	tuple->t_len = ItemIdGetLength(PageGetItemId(BufferGetPage(heap->rs_cbuf), offset));
	ItemPointerSetOffsetNumber(&tuple->t_self, offset);
}

Buffer
dps_heap_rows_buffer(const DpsHeapRows *rows)
{
	return ((HeapScanDesc) rows->scan)->rs_cbuf;
}

/* Memory is slow, and all rows can be asked for before one is needed.  While the
 * page is pinned none of them moves, but others may come. */
void
dps_expect_rows(Buffer buffer)
{
	Page		page = BufferGetPage(buffer);
	OffsetNumber last = PageGetMaxOffsetNumber(page);
	OffsetNumber i;

	for (i = FirstOffsetNumber; i <= last; i++)
		__builtin_prefetch((const char *) page + ItemIdGetOffset(PageGetItemId(page, i)));
}
