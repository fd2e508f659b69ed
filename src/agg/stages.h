/*
 * stages.h
 *		Releases in two stages: a rough look at everything, then a measurement of
 *		what the answer turns on.
 */
#ifndef DPS_AGG_STAGES_H
#define DPS_AGG_STAGES_H

#include "postgres.h"

#include "agg/aggregate.h"

/*
 * Plans two coordinates for the sensitivity `l`, each of so many joint integers.  One of `shares`
 * equal shares of the loss is for the first stage; under a mechanism of the 2-norm a tenth,
 * whatever is asked for.  False, and nothing is planned, if the noise would be too large to be split.
 */
extern bool dps_plan_stages(const DpsRelease *release, uint64 l, int shares, int joined, DpsNoisePlan *plan);

/* Was the release planned in two stages, and does it get noise? */
static inline bool
dps_has_stages(const DpsDraw *draw)
{
	return !draw->plan->silent && draw->plan->ncoordinates == 2;
}

/*
 * The scale, in the second stage, of integers that one row changes by at most
 * `bound` in the mechanism's norm, if one row changes the first stage's by at most `base`, which is
 * to be no more than `bound`.  0 if there is no scale.
 */
extern uint64 dps_focused_scale(const DpsNoisePlan *plan, uint64 bound, uint64 base);

#endif							/* DPS_AGG_STAGES_H */
