/*
 * tally.h
 *		How often each of a public number of points was met: a sparse count.
 *
 * Takes memory for the points that were met, and never more than for all of
 * them; merges by addition.
 */
#ifndef DPS_AGG_TALLY_H
#define DPS_AGG_TALLY_H

#include "postgres.h"

/* Points of a tally at most: a state is then at most a megabyte. */
#define DPS_TALLY_POINTS 65536

/* One point that was met. */
typedef struct DpsTallyEntry
{
	int64		count;			/* 0: a free place of the table */
	uint32		point;
	uint32		unused;			/* 0 */
} DpsTallyEntry;

typedef struct DpsTally
{
	uint32		points;			/* they are 0 ... points - 1 */
	uint32		capacity;		/* places: a power of two, or all points, each in
								 * its own */
	uint32		used;
	DpsTallyEntry *entries;
} DpsTally;

/* An empty one, in this context. */
extern DpsTally *dps_tally_make(MemoryContext context, uint32 points);

/* Adds `count` > 0 to a point; what is beyond 2^62 is not counted. */
extern void dps_tally_add(DpsTally *tally, uint32 point, int64 count);

/* Copies the entries in use to `entries`, in the order of their points. */
extern void dps_tally_copy(const DpsTally *tally, DpsTallyEntry *entries);

#endif							/* DPS_AGG_TALLY_H */
