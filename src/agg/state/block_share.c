/*
 * block_share.c
 *		Blocks of states on their way from a worker to its leader.
 *
 * Precondition: the leader is attached to the area until it has taken all blocks,
 * as it is to that of a parallel plan while it reads from the Gather; then an area
 * keeps what a worker has put there, whether that still runs or not.
 */
#include "postgres.h"

#include "access/parallel.h"

#include "agg/state/block_share.h"
#include "glue/compat.h"

/* Stands where a block has its version. */
#define SHARED_VERSION 0x53484152

typedef struct SharedBlock
{
	int32		vl_len_;
	uint32		version;
	dsa_pointer block;
} SharedBlock;

/* More than a queue holds at a time. */
#define LEAST_SHARED 65536

Datum
dps_block_give(DpsBlock *block, dsa_area *area)
{
	Size		size = VARSIZE(block);
	SharedBlock *name;

	if (!IsParallelWorker() || area == NULL || size < LEAST_SHARED)
		return PointerGetDatum(block);
	name = palloc0(sizeof(SharedBlock));
	SET_VARSIZE(name, sizeof(SharedBlock));
	name->version = SHARED_VERSION;
	name->block = dsa_allocate_extended(area, size, DSA_ALLOC_HUGE);
	memcpy(dsa_get_address(area, name->block), block, size);
	return PointerGetDatum(name);
}

/* NULL if the value is the block itself. */
static const SharedBlock *
shared_block(const struct varlena *states)
{
	const SharedBlock *name = (const SharedBlock *) states;

	return VARSIZE(states) == sizeof(SharedBlock) && name->version == SHARED_VERSION ? name : NULL;
}

const DpsBlock *
dps_block_take(Datum states, dsa_area *area)
{
	const struct varlena *value = PG_DETOAST_DATUM(states);
	const SharedBlock *name = shared_block(value);
	const DpsBlock *block = (const DpsBlock *) value;

	if (name != NULL)
	{
		if (area == NULL)
			elog(ERROR, "there is no memory that is shared with workers");
		block = dsa_get_address(area, name->block);
	}
	dps_block_check(block);
	return block;
}

void
dps_block_drop(Datum states, dsa_area *area)
{
	const SharedBlock *name = shared_block(PG_DETOAST_DATUM(states));

	if (name != NULL)
		dsa_free(area, name->block);
}
