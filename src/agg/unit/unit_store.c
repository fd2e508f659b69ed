/*
 * unit_store.c
 *		Rows of units, apart by their units' hash.
 *
 * In a parallel plan each process fills a store of its own with the rows that it
 * reads, in memory or files that the others can read, too.  When all have read
 * their rows, a process that is free takes the next partition, of all stores.  A
 * process may come late, or never: those that have come wait for each other
 * once, before any has yielded a row to the plan above it, so that none waits
 * for a process whose rows nobody reads.
 */
#include "postgres.h"

#include <fcntl.h>

#include "commands/tablespace.h"
#include "port/atomics.h"
#include "storage/barrier.h"
#include "storage/sharedfileset.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "agg/unit/unit_store.h"
#include "base/once.h"
#include "glue/compat.h"

/* Bits for partitions. */
#define MIN_BITS 2
#define MAX_BITS 8
/* A partition begins with a small chunk, then has chunks that are a quarter of it
 * and multiples of this, so that little memory is left empty. */
#define FIRST_CHUNK 2048
#define CHUNK_UNIT 4096
#define LEAST_CHUNK 1024
#define GREATEST_CHUNK 65536

#define PHASE_READ 0

/* A partition of one participant. */
typedef struct SharedPartition
{
	dsa_pointer chunks;
	bool		has_file;
} SharedPartition;

struct DpsSharedUnits
{
	Barrier		barrier;		/* of those that read rows */
	pg_atomic_uint32 participants;	/* so many have come */
	pg_atomic_uint32 partition; /* the next one */
	int			room;			/* for participants */
	int			bits;			/* of all stores, which tell partitions */
	dsm_handle	segment;
	SharedFileSet files;
	SharedPartition part[FLEXIBLE_ARRAY_MEMBER];	/* of each participant,
													 * DPS_MAX_PARTITIONS */
};

/* ---- chunks ---- */

static Size
chunk_size(Size words)
{
	return offsetof(DpsUnitChunk, words) + sizeof(uint32) * words;
}

static Size
chunk_words(Size size)
{
	return (size - offsetof(DpsUnitChunk, words)) / sizeof(uint32);
}

static DpsUnitChunk *
make_chunk(DpsUnitStore *store, Size words)
{
	Size		size = chunk_size(words);
	dsa_pointer self = InvalidDsaPointer;
	DpsUnitChunk *chunk;

	if (store->shared != NULL)
	{
		self = dsa_allocate_extended(store->area, size, DSA_ALLOC_HUGE);
		chunk = dsa_get_address(store->area, self);
	}
	else
		chunk = MemoryContextAllocHuge(store->memory, size);
	chunk->next = NULL;
	chunk->self = self;
	chunk->shared_next = InvalidDsaPointer;
	chunk->room = words;
	chunk->used = 0;
	store->used += size;
	return chunk;
}

void
dps_unit_store_free(DpsUnitStore *store, DpsUnitChunk *chunk)
{
	Size		size = chunk_size(chunk->room);

	/* what others have made was never counted here */
	store->used -= Min(store->used, size);
	if (DsaPointerIsValid(chunk->self))
		dsa_free(store->area, chunk->self);
	else
		pfree(chunk);
}

/* Notes how far the chunk that is being filled is. */
static void
seal(DpsUnitPartition *partition)
{
	if (partition->chunks != NULL)
		partition->chunks->used = partition->at - partition->chunks->words;
}

uint32 *
dps_unit_store_grow(DpsUnitStore *store, DpsUnitPartition *partition, Size words)
{
	DpsUnitChunk *last = partition->chunks;
	Size		size = last == NULL ? FIRST_CHUNK : TYPEALIGN(CHUNK_UNIT, partition->size / 4);
	DpsUnitChunk *chunk = make_chunk(store, dps_max(chunk_words(dps_min(size, store->chunk_size)), words));

	seal(partition);
	partition->size += chunk_size(chunk->room);
	chunk->next = last;
	chunk->shared_next = last != NULL ? last->self : InvalidDsaPointer;
	partition->chunks = chunk;
	partition->at = chunk->words + words;
	partition->end = chunk->words + chunk->room;
	return chunk->words;
}

DpsUnitChunk *
dps_unit_store_take(DpsUnitStore *store, int partition)
{
	DpsUnitPartition *from = &store->partition[partition];
	DpsUnitChunk *chunks = from->chunks;

	seal(from);
	from->chunks = NULL;
	from->size = 0;
	from->at = from->end = NULL;
	return chunks;
}

void
dps_unit_store_free_all(DpsUnitStore *store, DpsUnitChunk *chunk)
{
	while (chunk != NULL)
	{
		DpsUnitChunk *next = chunk->next;

		dps_unit_store_free(store, chunk);
		chunk = next;
	}
}

/* ---- stores ---- */

/* The number of partitions whose files' buffers take a quarter of the memory. */
static int
choose_bits(Size limit)
{
	int			bits = MIN_BITS;

	while (bits < MAX_BITS && ((Size) BLCKSZ << (bits + 1)) <= limit / 4)
		bits++;
	return bits;
}

static void
set_limit(DpsUnitStore *store, Size limit)
{
	store->limit = limit;
	store->chunk_size = Min(Max(limit >> (store->bits + 3), LEAST_CHUNK), GREATEST_CHUNK);
}

DpsUnitStore *
dps_unit_store_make(Size limit, int skip)
{
	DpsUnitStore *store = palloc0(sizeof(DpsUnitStore));

	StaticAssertStmt(1 << MAX_BITS == DPS_MAX_PARTITIONS, "partitions must have a place");
	store->memory = CurrentMemoryContext;
	store->memory_limit = limit;
	store->skip = skip;
	store->bits = dps_min(choose_bits(limit), 64 - skip);
	set_limit(store, limit);
	return store;
}

void
dps_unit_store_reset(DpsUnitStore *store)
{
	int			i;

	for (i = 0; i < dps_unit_store_partitions(store); i++)
	{
		DpsUnitChunk *chunks = dps_unit_store_take(store, i);

		/* a shared area goes as a whole */
		if (store->shared == NULL)
			dps_unit_store_free_all(store, chunks);
		if (store->partition[i].file != NULL)
			BufFileClose(store->partition[i].file);
		store->partition[i].file = NULL;
	}
	store->used = 0;
	store->has_files = false;
	store->shared = NULL;
	store->area = NULL;
	set_limit(store, store->memory_limit);
}

/* ---- files ---- */

bool
dps_unit_store_may_spill(const DpsUnitStore *store)
{
	return store->skip + store->bits < 64;
}

static void
name_file(char *name, Size size, int participant, int partition)
{
	snprintf(name, size, "units.%d.%d", participant, partition);
}

static BufFile *
make_file(DpsUnitStore *store, int partition)
{
	MemoryContext previous = MemoryContextSwitchTo(store->memory);
	char		name[64];
	BufFile    *file;

	name_file(name, sizeof(name), store->participant, partition);
	if (store->shared != NULL)
		file = BufFileCreateFileSet(&store->shared->files.fs, name);
	else
	{
		PrepareTempTablespaces();
		file = BufFileCreateTemp(false);
	}
	MemoryContextSwitchTo(previous);
	return file;
}

static void
write_chunk(BufFile *file, DpsUnitChunk *chunk)
{
	if (chunk->used == 0)
		return;
	BufFileWrite(file, &chunk->used, sizeof(chunk->used));
	BufFileWrite(file, chunk->words, sizeof(uint32) * chunk->used);
}

static void
spill_partition(DpsUnitStore *store, int number)
{
	DpsUnitPartition *partition = &store->partition[number];
	DpsUnitChunk *chunks = dps_unit_store_take(store, number);
	DpsUnitChunk *chunk;

	if (chunks == NULL)
		return;
	if (partition->file == NULL)
		partition->file = make_file(store, number);
	for (chunk = chunks; chunk != NULL; chunk = chunk->next)
		write_chunk(partition->file, chunk);
	dps_unit_store_free_all(store, chunks);
}

void
dps_unit_store_spill(DpsUnitStore *store)
{
	int			i;

	for (i = 0; i < dps_unit_store_partitions(store); i++)
		spill_partition(store, i);
	/* files have buffers, too */
	if (!store->has_files)
		store->limit -= Min(store->limit / 2, (Size) BLCKSZ << store->bits);
	store->has_files = true;
}

BufFile *
dps_unit_store_take_file(DpsUnitStore *store, int partition)
{
	BufFile    *file = store->partition[partition].file;

	store->partition[partition].file = NULL;
	if (file != NULL && BufFileSeek(file, 0, 0L, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file")));
	return file;
}

/* False at the end. */
static bool
read_bytes(BufFile *file, void *bytes, Size size)
{
	Size		n = BufFileRead(file, bytes, size);

	if (n != 0 && n != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
	return n == size;
}

DpsUnitChunk *
dps_unit_store_read(DpsUnitStore *store, BufFile *file)
{
	uint64		words;
	DpsUnitChunk *chunk;

	if (!read_bytes(file, &words, sizeof(words)))
		return NULL;
	chunk = MemoryContextAllocHuge(store->memory, chunk_size(words));
	memset(chunk, 0, offsetof(DpsUnitChunk, words));
	chunk->room = chunk->used = words;
	chunk->self = chunk->shared_next = InvalidDsaPointer;
	if (!read_bytes(file, chunk->words, sizeof(uint32) * words))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
	store->used += chunk_size(words);
	return chunk;
}

/* ---- shared ---- */

static SharedPartition *
shared_partition(DpsSharedUnits *shared, int participant, int partition)
{
	return &shared->part[participant * DPS_MAX_PARTITIONS + partition];
}

Size
dps_shared_units_size(int participants)
{
	return add_size(offsetof(DpsSharedUnits, part),
					mul_size(sizeof(SharedPartition), mul_size(participants, DPS_MAX_PARTITIONS)));
}

static void
start(DpsSharedUnits *shared)
{
	int			i;

	BarrierInit(&shared->barrier, 0);
	pg_atomic_write_u32(&shared->participants, 0);
	pg_atomic_write_u32(&shared->partition, 0);
	for (i = 0; i < shared->room * DPS_MAX_PARTITIONS; i++)
	{
		shared->part[i].chunks = InvalidDsaPointer;
		shared->part[i].has_file = false;
	}
}

void
dps_shared_units_init(DpsSharedUnits *shared, int participants, const DpsUnitStore *store, dsm_segment *segment)
{
	memset(shared, 0, dps_shared_units_size(participants));
	pg_atomic_init_u32(&shared->participants, 0);
	pg_atomic_init_u32(&shared->partition, 0);
	shared->room = participants;
	shared->bits = store->bits;
	shared->segment = dsm_segment_handle(segment);
	SharedFileSetInit(&shared->files, segment);
	start(shared);
}

void
dps_shared_units_attach(DpsSharedUnits *shared)
{
	SharedFileSetAttach(&shared->files, dsm_find_mapping(shared->segment));
}

void
dps_shared_units_reset(DpsSharedUnits *shared)
{
	SharedFileSetDeleteAll(&shared->files);
	start(shared);
}

bool
dps_unit_store_join(DpsUnitStore *store, DpsSharedUnits *shared, dsa_area *area)
{
	bool		reads = BarrierAttach(&shared->barrier) == PHASE_READ;

	store->shared = shared;
	store->area = area;
	store->participant = (int) pg_atomic_fetch_add_u32(&shared->participants, 1);
	if (store->participant >= shared->room)
		elog(ERROR, "more processes than were planned for");
	store->bits = shared->bits;
	/* the other half is for the partition that is looked at */
	set_limit(store, store->memory_limit / 2);
	return reads;
}

static void
publish_partition(DpsUnitStore *store, int number)
{
	DpsUnitPartition *partition = &store->partition[number];
	SharedPartition *part = shared_partition(store->shared, store->participant, number);
	DpsUnitChunk *chunks = dps_unit_store_take(store, number);

	part->chunks = chunks != NULL ? chunks->self : InvalidDsaPointer;
	part->has_file = partition->file != NULL;
	if (part->has_file)
	{
		BufFileExportFileSet(partition->file);
		BufFileClose(partition->file);
		partition->file = NULL;
	}
}

void
dps_unit_store_publish(DpsUnitStore *store)
{
	int			i;

	if (store->has_files)
		dps_unit_store_spill(store);
	for (i = 0; i < dps_unit_store_partitions(store); i++)
		publish_partition(store, i);
	(void) BarrierArriveAndWait(&store->shared->barrier, PG_WAIT_EXTENSION);
}

int
dps_unit_store_next(DpsUnitStore *store)
{
	int			partition = (int) pg_atomic_fetch_add_u32(&store->shared->partition, 1);

	if (partition < dps_unit_store_partitions(store))
		return partition;
	(void) BarrierDetach(&store->shared->barrier);
	dps_unit_store_reset(store);
	return -1;
}

int
dps_unit_store_participants(const DpsUnitStore *store)
{
	return dps_min((int) pg_atomic_read_u32(&store->shared->participants), store->shared->room);
}

DpsUnitChunk *
dps_unit_store_take_shared(DpsUnitStore *store, int partition)
{
	DpsUnitChunk *all = NULL;
	int			i;

	for (i = 0; i < dps_unit_store_participants(store); i++)
	{
		dsa_pointer pointer = shared_partition(store->shared, i, partition)->chunks;

		while (DsaPointerIsValid(pointer))
		{
			DpsUnitChunk *chunk = dsa_get_address(store->area, pointer);

			/* the pointer is one of another process: replace it by ours */
			pointer = chunk->shared_next;
			chunk->next = all;
			all = chunk;
		}
	}
	return all;
}

BufFile *
dps_unit_store_open_shared(DpsUnitStore *store, int partition, int participant)
{
	char		name[64];

	if (!shared_partition(store->shared, participant, partition)->has_file)
		return NULL;
	name_file(name, sizeof(name), participant, partition);
	return BufFileOpenFileSet(&store->shared->files.fs, name, O_RDONLY, false);
}
