/*
 * heap_rows.c
 *		The visible rows of a heap, a page at a time.
 *
 * A scan that is in page mode, as all are whose snapshot is an MVCC one, holds a
 * pin on the page that it is at, and the numbers of the visible rows there
 * (heapgetpage, heap_prepare_pagescan from 17 on).  Those that heap_getnext has not
 * come to yet are read by these numbers; then it is told that it has yielded the last
 * one.  What is relied on: rs_vistuples[0 .. rs_ntuples) are offsets of the page that
 * rs_cbuf pins, in the order in which they are yielded; the row that was yielded last
 * is number rs_cindex; the next one, going forward, is number rs_cindex + 1, or on
 * another page.  The types are compared when this is compiled, the rest with the row
 * that heap_getnext has yielded: if they differ, that row is read alone.
 */
#include "postgres.h"

#include "pgstat.h"
#include "storage/bufmgr.h"

#include "agg/scan/heap_rows.h"

/* What take_page reads, as 15 to 18 declare it. */
StaticAssertDecl(lengthof(((HeapScanDesc) NULL)->rs_vistuples) == MaxHeapTuplesPerPage &&
				 sizeof(((HeapScanDesc) NULL)->rs_vistuples[0]) == sizeof(OffsetNumber) &&
				 sizeof(((HeapScanDesc) NULL)->rs_cindex) == sizeof(int) &&
				 sizeof(((HeapScanDesc) NULL)->rs_ntuples) == sizeof(int),
				 "scans of heaps keep other numbers of visible rows than are read here");

void
dps_heap_rows_init(DpsHeapRows *rows, TableScanDesc scan)
{
	rows->scan = scan;
	rows->by_page = (scan->rs_flags & SO_ALLOW_PAGEMODE) != 0;
	rows->n = 0;
}

/* Is the row that was yielded the one that the scan's numbers name? */
static bool
is_numbered(HeapScanDesc heap, HeapTuple tuple)
{
	Page		page = BufferGetPage(heap->rs_cbuf);

	return (int) heap->rs_cindex >= 0 && heap->rs_cindex < heap->rs_ntuples && heap->rs_ntuples <= MaxHeapTuplesPerPage &&
		tuple->t_data == (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, heap->rs_vistuples[heap->rs_cindex]));
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
	if (rows->by_page && is_numbered((HeapScanDesc) rows->scan, tuple))
		take_page(rows, (HeapScanDesc) rows->scan);
	else
	{
		rows->by_page = false;
		rows->row[rows->n++] = tuple->t_data;
	}
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
