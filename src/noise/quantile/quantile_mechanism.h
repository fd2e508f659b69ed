/*
 * quantile_mechanism.h
 *		One quantile by the exponential mechanism over a public grid.
 *
 * The grid is cut into cells, in order; a cell is a run of grid points and knows
 * how many values lie in it.  What the state of an aggregate has to be depends on
 * how the cells are made:
 *	- dps_quantile_values: the values themselves; exact on any grid.
 *	- dps_quantile_counts: one count for each point of a small grid; a state of
 *	  fixed size that merges by addition.
 *	- dps_quantile_distances, for a grid that is refined level by level, each
 *	  level counting the children of the cell chosen before: one pass over the
 *	  data and one loss for each level.
 * noise/tree.h answers any number of quantiles from one release.
 */
#ifndef DPS_NOISE_QUANTILE_QUANTILE_MECHANISM_H
#define DPS_NOISE_QUANTILE_QUANTILE_MECHANISM_H

#include <stdbool.h>

#include "base/arena.h"
#include "noise/exponential.h"

/* numerator / denominator in [0, 1]; 0 is the minimum, 1 the maximum. */
typedef struct DpsQuantile
{
	uint64_t	numerator;
	uint64_t	denominator;	/* 1 ... DPS_QUANTILE_LIMIT */
} DpsQuantile;

#define DPS_QUANTILE_LIMIT (UINT64_C(1) << 20)

/* The fraction of a small denominator near x, by less than 2^-20;
 * DPS_DOMAIN unless 0 <= x <= 1. */
extern DPS_MUST_USE DpsStatus dps_quantile_of_double(double x, DpsQuantile *q);

typedef struct DpsRun
{
	uint64_t	width;			/* grid points */
	uint64_t	count;			/* values in it */
} DpsRun;

/*
 * The range for dps_exponential_init when one value is added or removed, or (for
 * `replace`) one value becomes another.  For m values of one unit, m times that.
 * 0 if the quantile is not one.
 */
extern uint64_t dps_quantile_range(DpsQuantile q, bool replace);

/*
 * How far each cell is from the quantile, in ranks times the denominator, and its
 * width.  `before` and `after` values lie outside all cells.
 */
extern void dps_quantile_distances(DpsQuantile q, const DpsRun *cells, size_t n,
								   uint64_t before, uint64_t after, DpsCandidate *candidates);

/*
 * The same for the rank-th smallest or largest of the values, rank >= 1: distances
 * in ranks.  With fewer values than that, the end beyond the last of them is
 * nearest.
 */
#define DPS_RANK_RANGE 2

extern void dps_rank_distances(uint64_t rank, bool largest, const DpsRun *cells, size_t n,
							   DpsCandidate *candidates);

/*
 * The rank to ask for, to come near the minimum or maximum on a grid of so many
 * points: the first that a draw at this epsilon does not take for the empty part
 * of the grid beyond all values.
 */
extern uint64_t dps_extreme_rank(double epsilon, uint64_t points);

/* A draw from cells by distances that were computed: the number of a point, from
 * the beginning of the first cell. */
extern DPS_MUST_USE DpsStatus dps_quantile_draw(DpsRandom *random, const DpsExponential *law,
												const DpsRun *cells, const DpsCandidate *candidates, size_t n,
												uint64_t *point);

/*
 * One draw from the grid lo ... hi, which has 2^62 - 1 points at most (else
 * DPS_DOMAIN); values outside count as the nearer end.  Memory from the arena: up
 * to 80 bytes for each value.
 */
extern DPS_MUST_USE DpsStatus dps_quantile_values(DpsArena *arena, DpsRandom *random, const DpsExponential *law,
												  DpsQuantile q, const int64_t *values, size_t n,
												  int64_t lo, int64_t hi, int64_t *result);

/* One draw from the points 0 ... points - 1, the i-th with counts[i] values. */
extern DPS_MUST_USE DpsStatus dps_quantile_counts(DpsArena *arena, DpsRandom *random, const DpsExponential *law,
												  DpsQuantile q, const uint64_t *counts, size_t points,
												  size_t *result);

#endif							/* DPS_NOISE_QUANTILE_QUANTILE_MECHANISM_H */
