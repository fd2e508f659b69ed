/*
 * split.h
 *		Several quantiles of the same values: one is drawn, the others are quantiles of the
 *		values below it or of those above.
 *
 * A draw chooses a cut of the sorted values.  Cuts lie at the points of the grid where there are no
 * values, and within a point that has some, where they give a part of its values to
 * either side.
 */
#ifndef DPS_NOISE_QUANTILE_SPLIT_H
#define DPS_NOISE_QUANTILE_SPLIT_H

#include "noise/quantile/quantile_mechanism.h"

/* A level, and what it divides. */
typedef struct DpsSplitNode
{
	DpsQuantile level;			/* of the values of its part */
	int			which;			/* of the levels that were given */
	int			depth;			/* 1 for the first, whose part is everything */
	int			lower;			/* the nodes of the values below its cut and above it, or -1; of a
								 * minimum or maximum `upper` alone, which has its whole part */
	int			upper;
} DpsSplitNode;

/*
 * Which of n levels, in ascending order and all different, divides what.  There is room for as many nodes, of which
 * the first is the root.  Returns the depth, which is the number of draws that any value takes part in.
 */
extern int	dps_split_plan(const DpsQuantile *levels, int n, DpsSplitNode *nodes);

/* Points have this many cuts, and one more. */
#define DPS_SPLIT_CUTS (UINT64_C(1) << 16)

/* Where values were cut. */
typedef struct DpsCut
{
	size_t		cell;
	uint64_t	within;			/* of the cell, a point */
	uint64_t	below;			/* values of the cell that are below the cut */
} DpsCut;

/* The range for dps_exponential_init of a node's draw when one value is added or removed; if one becomes another, twice that
 * below the root, and dps_quantile_range at the root. */
extern uint64_t dps_split_range(DpsQuantile level);

/* Draws a cut.  Cells that have values have one point each. */
extern DPS_MUST_USE DpsStatus dps_split_draw(DpsArena *arena, DpsRandom *random, const DpsExponential *law, DpsQuantile level,
											 const DpsRun *cells, size_t n, DpsCut *cut);

/* The two parts of a cell that was cut. */
extern DpsRun dps_cut_lower(const DpsCut *cut);
extern DpsRun dps_cut_upper(DpsRun cell, const DpsCut *cut);

#endif							/* DPS_NOISE_QUANTILE_SPLIT_H */
