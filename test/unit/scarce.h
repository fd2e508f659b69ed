/*
 * scarce.h
 *		A host whose memory runs out, for tests of what happens then.
 */
#ifndef DPS_TEST_SCARCE_H
#define DPS_TEST_SCARCE_H

#include "tap.h"

typedef struct Scarce
{
	long		left;			/* allocations before one fails */
	bool		once;			/* only that one; else all that follow, too */
	long		held;			/* blocks, of which none must be left in the end */
} Scarce;

static inline void *
scarce_allocate(void *context, size_t size)
{
	Scarce	   *scarce = context;
	long		left = scarce->left--;
	void	   *block;

	if (left == 0 || (left < 0 && !scarce->once))
		return NULL;
	block = malloc(size);
	scarce->held += block != NULL;
	return block;
}

static inline void
scarce_release(void *context, void *block)
{
	((Scarce *) context)->held--;
	free(block);
}

/* Of memory that may change while the host is used. */
static inline DpsHost
scarce_host(Scarce *scarce)
{
	DpsHost		host = tap_host;

	host.allocate = scarce_allocate;
	host.release = scarce_release;
	host.context = scarce;
	return host;
}

/* Of hosts that want to stop. */
static inline bool
always_stop(void *context)
{
	(void) context;
	return true;
}

#endif							/* DPS_TEST_SCARCE_H */
