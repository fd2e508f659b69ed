/*
 * unit_store.h
 *		Rows of units, apart by their units' hash.
 *
 * Rows of a unit are in one partition, so that partitions can be looked at one
 * by one: what is looked at fits a processor's cache, and partitions can wait in
 * files, or be shared out among the processes of a parallel plan.
 *
 * A row is a record of 4-byte words; what they are is its owner's affair.  They
 * are few, as all rows are written and read once, and pages of memory cost more
 * than what is done with a row.
 */
#ifndef DPS_AGG_UNIT_UNIT_STORE_H
#define DPS_AGG_UNIT_UNIT_STORE_H

#include "postgres.h"

#include "storage/buffile.h"
#include "storage/dsm.h"
#include "utils/dsa.h"

#define DPS_MAX_PARTITIONS 256

/* Records one after the other. */
typedef struct DpsUnitChunk
{
	struct DpsUnitChunk *next;
	dsa_pointer self;			/* in shared memory; or invalid */
	dsa_pointer shared_next;	/* as next, for other processes */
	uint64		room;			/* for so many words */
	uint64		used;
	uint32		words[FLEXIBLE_ARRAY_MEMBER];	/* 8-aligned */
} DpsUnitChunk;

typedef struct DpsUnitPartition
{
	uint32	   *at;				/* where the next record goes */
	uint32	   *end;
	DpsUnitChunk *chunks;		/* the one that is filled comes first */
	Size		size;			/* of the chunks */
	BufFile    *file;			/* or NULL */
} DpsUnitPartition;

/* What the processes of a parallel plan know of each other's rows. */
typedef struct DpsSharedUnits DpsSharedUnits;

typedef struct DpsUnitStore
{
	MemoryContext memory;
	Size		memory_limit;	/* as it was made */
	Size		limit;			/* for chunks, now */
	Size		used;			/* by them */
	Size		chunk_size;		/* of the largest, but for records that are larger */
	int			skip;			/* bits of the hash that are the same in all rows */
	int			bits;			/* that tell the partition */
	bool		has_files;
	DpsSharedUnits *shared;		/* or NULL */
	dsa_area   *area;
	int			participant;
	DpsUnitPartition partition[DPS_MAX_PARTITIONS];
} DpsUnitStore;

/* A store without rows, for so much memory; in the current memory context.  The
 * first `skip` bits of all hashes are the same. */
extern DpsUnitStore *dps_unit_store_make(Size limit, int skip);

/* Forgets all rows, and that they were shared. */
extern void dps_unit_store_reset(DpsUnitStore *store);

/* Room for a record where there is none in the last chunk. */
extern uint32 *dps_unit_store_grow(DpsUnitStore *store, DpsUnitPartition *partition, Size words);

/* Room for a record of a unit with this hash, whose first bits come first. */
static inline uint32 *
dps_unit_store_add(DpsUnitStore *store, uint64 hash, Size words)
{
	DpsUnitPartition *partition = &store->partition[(hash << store->skip) >> (64 - store->bits)];
	uint32	   *record = partition->at;

	if ((Size) (partition->end - record) < words)
		return dps_unit_store_grow(store, partition, words);
	partition->at += words;
	return record;
}

/* Is there more than there should be in memory? */
static inline bool
dps_unit_store_is_full(const DpsUnitStore *store)
{
	return store->used > store->limit;
}

static inline int
dps_unit_store_partitions(const DpsUnitStore *store)
{
	return 1 << store->bits;
}

/* Takes the chunks of a partition, which then has none; frees one, or all from one on. */
extern DpsUnitChunk *dps_unit_store_take(DpsUnitStore *store, int partition);
extern void dps_unit_store_free(DpsUnitStore *store, DpsUnitChunk *chunk);
extern void dps_unit_store_free_all(DpsUnitStore *store, DpsUnitChunk *first);

/* Can the rows of a file be partitioned once more? */
extern bool dps_unit_store_may_spill(const DpsUnitStore *store);

/* Writes all chunks to files. */
extern void dps_unit_store_spill(DpsUnitStore *store);

/* The file of a partition, at its beginning, which then has none; NULL if there
 * is none.  Whoever takes it closes it. */
extern BufFile *dps_unit_store_take_file(DpsUnitStore *store, int partition);

/* The next chunk of a file, in memory that is freed as that of the store's; NULL
 * at the end. */
extern DpsUnitChunk *dps_unit_store_read(DpsUnitStore *store, BufFile *file);

/* ---- shared ---- */

extern Size dps_shared_units_size(int participants);

/* Initialises them in this segment, for stores like this one; attaches a worker. */
extern void dps_shared_units_init(DpsSharedUnits *shared, int participants, const DpsUnitStore *store,
								  dsm_segment *segment);
extern void dps_shared_units_attach(DpsSharedUnits *shared);

/* Prepares another execution; no process may take part any more. */
extern void dps_shared_units_reset(DpsSharedUnits *shared);

/* The store, which has no rows, becomes one of those that are shared, with memory
 * in the area.  False if all rows have been read, and none may be added. */
extern bool dps_unit_store_join(DpsUnitStore *store, DpsSharedUnits *shared, dsa_area *area);

/* Shows the rows to the others, and waits until all have shown theirs. */
extern void dps_unit_store_publish(DpsUnitStore *store);

/* A partition that nobody has taken yet, or -1: the store has left the others. */
extern int	dps_unit_store_next(DpsUnitStore *store);

/* The chunks of such a partition, of all; and the file of one participant, or
 * NULL, which is read and closed before the next is opened. */
extern DpsUnitChunk *dps_unit_store_take_shared(DpsUnitStore *store, int partition);
extern int	dps_unit_store_participants(const DpsUnitStore *store);
extern BufFile *dps_unit_store_open_shared(DpsUnitStore *store, int partition, int participant);

#endif							/* DPS_AGG_UNIT_UNIT_STORE_H */
