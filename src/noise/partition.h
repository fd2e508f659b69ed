/*
 * partition.h
 *		Which groups of undeclared keys may be shown, and their noisy sizes.
 *
 * A group is kept by a draw on its own size; what was prepared from public
 * figures serves any number of groups.
 */
#ifndef DPS_NOISE_PARTITION_H
#define DPS_NOISE_PARTITION_H

#include <stdbool.h>

#include "noise/mechanism.h"

typedef struct DpsPartition
{
	uint64_t	num;			/* epsilon of one group: num / den */
	uint64_t	den;
	int64_t		threshold;		/* a group is kept if its noisy size is above */
	uint64_t	groups;			/* the most groups of a unit */
	uint64_t	units;			/* that are protected together */
} DpsPartition;

/*
 * For units that are each in at most `groups` >= 1 groups and count once in each;
 * (epsilon, delta) is the cost of one query, all its groups together, for so many `units` at once.  A unit that
 * moves between groups under replace counts for twice as many.  The threshold is
 * the smallest up to rounding.  DPS_DOMAIN if epsilon is outside its range, a
 * group's share of it is below 2^-40, or delta is not in (0, 1); DPS_UNABLE if a
 * share of delta is too small to compute with (below 1e-280).
 */
extern DPS_MUST_USE DpsStatus dps_partition_init(DpsPartition *partition, double epsilon, double delta,
												 uint64_t groups, uint64_t units);

/*
 * For one group of `count` < 2^62 units (more count as that many): whether to keep
 * it, and if so its noisy size, which may be shown at no further cost.  A group of
 * none is never kept, so groups that have no rows need no draw.  DPS_UNABLE if the
 * random source failed; then nothing is set.
 */
extern DPS_MUST_USE DpsStatus dps_partition_draw(DpsRandom *random, const DpsPartition *partition,
												 uint64_t count, bool *keep, int64_t *size);

/* delta of one group, rounded up; at most what was asked for. */
extern double dps_partition_delta(const DpsPartition *partition);

/* P(a group of this size is kept), to a relative 1e-9: for people. */
extern double dps_partition_probability(const DpsPartition *partition, uint64_t count);

/* Loss of a query with all its groups. */
extern void dps_partition_loss(const DpsPartition *partition, DpsLoss *loss);

/*
 * The same for a ledger: everything that a draw reads, as two quotients from which the loss
 * function computes epsilon and rho, and delta.  The first is m * e / m * 2^-40, from which m
 * follows; the second is in units of 2^-62.  It adds no noise to integers, so its other functions
 * are missing, and it is not among dps_mechanisms.  DPS_UNABLE for 2^21 groups of a unit or more,
 * or an invalid threshold.
 */
#define DPS_PARTITION_DELTA_BITS 62

extern const DpsMechanism dps_partition;

extern DPS_MUST_USE DpsStatus dps_partition_coordinates(const DpsPartition *partition, uint64_t sensitivities[2],
														uint64_t scales[2]);

#endif							/* DPS_NOISE_PARTITION_H */
