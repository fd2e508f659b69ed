/*
 * quantile.h
 *		What quantiles share with the intervals of quantiles.
 */
#ifndef DPS_AGG_FAMILIES_QUANTILE_H
#define DPS_AGG_FAMILIES_QUANTILE_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "noise/exponential.h"

/* Runs of points: those that were met, each by itself, and the gaps. */
typedef struct DpsCells
{
	DpsRun	   *cell;
	DpsCandidate *candidates;
	size_t		n;				/* there is room for two more */
} DpsCells;

/* Is it a minimum or a maximum, which is asked for by rank? */
static inline bool
dps_level_is_extreme(DpsQuantile level)
{
	return level.numerator == 0 || level.numerator == level.denominator;
}

/* The range of a level's distances, and the rank that is asked for in place of an
 * extreme one. */
extern uint64 dps_level_range(const DpsRelease *release, DpsQuantile level);
extern uint64 dps_release_extreme_rank(const DpsRelease *release, double epsilon);

/* How many levels are below the i-th, or equal to it and before. */
extern int	dps_level_order(const DpsQuantile *levels, int n, int i);

extern DpsCells dps_cells_make(const DpsRelease *release, const DpsState *state);
extern void dps_cells_free(DpsCells *cells);
/* The point of the first value that is the quantile; the only point if there is
 * but one. */
extern uint64 dps_cells_exact_point(DpsCells *cells, DpsQuantile level);

extern DpsStatus dps_quantile_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why);

/* Plans so many draws of the exponential mechanism, whichever level each is of. */
extern DPS_MUST_USE DpsStatus dps_plan_levels(const DpsRelease *release, int draws, DpsNoisePlan *plan);

/* Draws a point; rank: of an extreme level. */
extern uint64 dps_draw_point(const DpsDraw *draw, DpsCells *cells, DpsQuantile level, uint64 rank);

/* The share of the plan's epsilon that one draw has. */
extern double dps_draw_share(const DpsNoisePlan *plan);

/* With probability 0.95 n draws at shares of epsilon are no further off, in ranks. */
extern double dps_choice_error(const DpsRelease *release, const DpsQuantile *levels, int n, double epsilon);

#endif							/* DPS_AGG_FAMILIES_QUANTILE_H */
