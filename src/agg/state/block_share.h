/*
 * block_share.h
 *		Blocks of states on their way from a worker to its leader.
 *
 * A large block that goes through a queue of tuples is copied five times, through
 * a ring of 64 kB.  In memory that both processes have it is copied once, and its
 * name goes through the queue.
 */
#ifndef DPS_AGG_STATE_BLOCK_SHARE_H
#define DPS_AGG_STATE_BLOCK_SHARE_H

#include "postgres.h"

#include "utils/dsa.h"

#include "agg/state/groups.h"

/* What a part of a parallel plan yields for the node that adds parts up: a value
 * of type dpsens_internal.states, the block itself if it is small or the leader's, else its
 * name.  Area may be NULL. */
extern Datum dps_block_give(DpsBlock *block, dsa_area *area);

/* In the leader, the block that was given, checked. */
extern const DpsBlock *dps_block_take(Datum states, dsa_area *area);

/* Frees the block, which is not needed any more. */
extern void dps_block_drop(Datum states, dsa_area *area);

#endif							/* DPS_AGG_STATE_BLOCK_SHARE_H */
