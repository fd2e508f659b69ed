/*
 * tally.c
 *		How often each of a public number of points was met: a sparse count.
 *
 * A table with open addressing, at most three quarters full, that doubles; from
 * the size on at which it could hold every point, each has a place of its own.
 * Its memory is that of the tally itself.  The server's simplehash has no such limit: a
 * tally of all points would take twice the memory, and hash each row.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "agg/tally.h"

#define FIRST_CAPACITY 16
#define COUNT_LIMIT (INT64CONST(1) << 62)

static void
allocate(DpsTally *tally, uint32 capacity)
{
	tally->capacity = Min(capacity, tally->points);
	tally->entries = MemoryContextAllocZero(GetMemoryChunkContext(tally),
											sizeof(DpsTallyEntry) * tally->capacity);
}

DpsTally *
dps_tally_make(MemoryContext context, uint32 points)
{
	DpsTally   *tally = MemoryContextAllocZero(context, sizeof(DpsTally));

	tally->points = points;
	allocate(tally, FIRST_CAPACITY);
	return tally;
}

/* The place of a point: its own, or a free one. */
static DpsTallyEntry *
find_place(const DpsTally *tally, uint32 point)
{
	uint32		mask = tally->capacity - 1;
	uint32		place;

	if (tally->capacity == tally->points)
		return &tally->entries[point];
	place = murmurhash32(point) & mask;
	while (tally->entries[place].count != 0 && tally->entries[place].point != point)
		place = (place + 1) & mask;
	return &tally->entries[place];
}

static void
grow(DpsTally *tally)
{
	DpsTallyEntry *old = tally->entries;
	uint32		n = tally->capacity;
	uint32		i;

	allocate(tally, 2 * n);
	for (i = 0; i < n; i++)
	{
		if (old[i].count != 0)
			*find_place(tally, old[i].point) = old[i];
	}
	pfree(old);
}

void
dps_tally_add(DpsTally *tally, uint32 point, int64 count)
{
	DpsTallyEntry *entry = find_place(tally, point);

	if (entry->count == 0)
	{
		if (tally->capacity < tally->points && tally->used >= tally->capacity / 4 * 3)
		{
			grow(tally);
			entry = find_place(tally, point);
		}
		entry->point = point;
		tally->used++;
	}
	entry->count = Min(entry->count + count, COUNT_LIMIT);
}

static int
compare_points(const void *a, const void *b)
{
	uint32		x = ((const DpsTallyEntry *) a)->point;
	uint32		y = ((const DpsTallyEntry *) b)->point;

	return (x > y) - (x < y);
}

void
dps_tally_copy(const DpsTally *tally, DpsTallyEntry *entries)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < tally->capacity; i++)
	{
		if (tally->entries[i].count != 0)
			entries[n++] = tally->entries[i];
	}
	if (tally->capacity < tally->points)
		qsort(entries, n, sizeof(DpsTallyEntry), compare_points);
}
