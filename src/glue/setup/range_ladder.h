/*
 * range_ladder.h
 *		What ranges of a column would clamp, and what noise they would add.
 */
#ifndef DPS_GLUE_SETUP_RANGE_LADDER_H
#define DPS_GLUE_SETUP_RANGE_LADDER_H

#include "postgres.h"

/* Numbers between two ends of the ladder, both included. */
typedef struct DpsRangeStep
{
	double		lo;
	double		hi;
	double		rows;			/* noised */
} DpsRangeStep;

/* A range, and what it would do to a sum of all rows. */
typedef struct DpsRangeChoice
{
	double		lo;
	double		hi;
	double		share_clamped;	/* of the rows that have a value */
	double		clamped;		/* by how much their values are changed, together */
	double		noise;			/* root of its mean square */
	double		error;			/* root of the sum of the squares of both */
	bool		is_best;
} DpsRangeChoice;

/* What the noise of a sum is in proportion to. */
typedef struct DpsRangeNoise
{
	bool		is_of_length;	/* hi - lo, else the larger magnitude of both */
	double		factor;
} DpsRangeNoise;

/* The steps of the ladder, in order, without gaps; of whole numbers, steps of those alone.  Public. */
extern DpsRangeStep *dps_range_ladder(bool is_whole, int *n);

/* The ranges between ends of steps that have rows, by lo and hi, of which the best is marked; scale is that of the noise of
 * the numbers of rows.  None if no step has more rows than noise may have made. */
extern DpsRangeChoice *dps_weigh_ranges(DpsRangeStep *steps, int n, double scale, const DpsRangeNoise *noise, int *nchoices);

#endif							/* DPS_GLUE_SETUP_RANGE_LADDER_H */
