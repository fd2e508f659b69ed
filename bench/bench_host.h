/*
 * bench_host.h
 *		What the core asks of a benchmark, and the clock of its process.
 */
#ifndef DPS_BENCH_HOST_H
#define DPS_BENCH_HOST_H

#include <stdlib.h>
#include <time.h>

#include "base/host.h"

static void *
allocate(void *context, size_t size)
{
	(void) context;
	return malloc(size);
}

static void
release(void *context, void *block)
{
	(void) context;
	free(block);
}

static bool
never_stop(void *context)
{
	(void) context;
	return false;
}

static const DpsHost host = {.allocate = allocate, .release = release, .should_stop = never_stop};

static double
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

#endif							/* DPS_BENCH_HOST_H */
