/*
 * counted_states.h
 *		Rows of exact states on their way, counted.
 */
#ifndef DPS_GUARD_DISTRIBUTED_COUNTED_STATES_H
#define DPS_GUARD_DISTRIBUTED_COUNTED_STATES_H

#include "postgres.h"

#include "tcop/dest.h"

/* A receiver that hands rows on to another, and adds up in n how many states they have that are not NULL. */
typedef struct DpsCountedStates
{
	DestReceiver receiver;		/* first, since it is what the server knows of it */
	DestReceiver *other;
	uint64		n;
} DpsCountedStates;

extern DestReceiver *dps_count_states(DpsCountedStates *counted, DestReceiver *other);

/* Is it the type of a block of states, or of a single one? */
extern bool dps_is_states_type(Oid type);

#endif							/* DPS_GUARD_DISTRIBUTED_COUNTED_STATES_H */
