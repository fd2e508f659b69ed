/*
 * host.h
 *		What the core asks of the program around it: memory, randomness, and
 *		whether to go on.
 *
 * The server's host is glue/server_host.c; the unit tests bring their own.  No
 * callback may jump out (no ereport): the core would leak and its callers
 * would never see a status.
 */
#ifndef DPS_BASE_HOST_H
#define DPS_BASE_HOST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct DpsHost
{
	/* Uninitialised memory aligned for any scalar type, or NULL. */
	void	   *(*allocate) (void *context, size_t size);
	/* Gives one block back. */
	void		(*release) (void *context, void *block);
	/* Fills the buffer from a cryptographically strong source; false if it
	 * could not, and then the buffer must not be used. */
	bool		(*random_bytes) (void *context, void *buffer, size_t size);
	/* Asked every few milliseconds of work, at the least. */
	bool		(*should_stop) (void *context);
	/* Milliseconds on a clock that does not go back, or NULL: then there are no
	 * limits of time. */
	double		(*milliseconds) (void *context);
	void	   *context;
} DpsHost;

#endif							/* DPS_BASE_HOST_H */
