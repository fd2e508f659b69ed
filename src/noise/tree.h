/*
 * tree.h
 *		Noisy counts of the buckets of a public grid and of their unions, from
 *		which any number of quantiles follow.
 *
 * Buckets 0 ... fanout^height - 1 are the leaves of a tree; every node but the
 * root is a noisy count.  The state behind it, one count for each bucket, has a
 * fixed size and merges by addition.
 */
#ifndef DPS_NOISE_TREE_H
#define DPS_NOISE_TREE_H

#include <stdbool.h>

#include "base/arena.h"
#include "noise/mechanism.h"

/* At most this many buckets. */
#define DPS_TREE_BUCKETS (UINT64_C(1) << 24)

/* Noise is drawn in units of 2^-DPS_TREE_UNIT_BITS of a row (definitions, section 5), coarser
 * ones where a unit has several rows. */
#define DPS_TREE_UNIT_BITS 40

typedef struct DpsTreePlan
{
	const DpsMechanism *mechanism;
	int			fanout;			/* >= 2 */
	int			height;			/* levels below the root, >= 1 */
	int			unit_bits;		/* units are 2^-unit_bits of a row */
	uint64_t	buckets;		/* fanout^height */
	uint64_t	sensitivity;	/* of all counts together, in units */
	uint64_t	scale;			/* of the noise of each, in units */
	uint64_t	step;			/* of that noise: a row, or 1 if the mechanism has
								 * none in steps */
	DpsLoss		loss;
} DpsTreePlan;

typedef struct DpsTree
{
	int			fanout;
	int			height;
	double	  **mass;			/* mass[level][node], level 0 the root: estimated
								 * counts, never negative; children add up to
								 * their parent */
} DpsTree;

/*
 * For units that have `rows` values each; `replace` as for dps_quantile_range.
 * The target's shares and vector are not used.  DPS_DOMAIN if an argument is
 * outside its range; DPS_UNABLE if no scale will do.
 */
extern DPS_MUST_USE DpsStatus dps_tree_plan(DpsTreePlan *plan, const DpsMechanism *mechanism,
											const DpsTarget *target, int fanout, int height,
											uint64_t rows, bool replace);

/* Draws one tree from counts[0 ... buckets - 1], each below 2^62 (more count as
 * that many). */
extern DPS_MUST_USE DpsStatus dps_tree_draw(DpsArena *arena, DpsRandom *random, const DpsTreePlan *plan,
											const uint64_t *counts, DpsTree **tree);

/*
 * Where the estimated distribution reaches a quantile, in buckets: 2.25 is a
 * quarter into bucket 2.  Never falls as the quantile grows.  Costs nothing.
 */
extern double dps_tree_quantile(const DpsTree *tree, double q);

#endif							/* DPS_NOISE_TREE_H */
