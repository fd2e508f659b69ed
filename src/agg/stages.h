/*
 * stages.h
 *		Releases in two stages: a rough look at everything, then a measurement of
 *		what the answer turns on.
 */
#ifndef DPS_AGG_STAGES_H
#define DPS_AGG_STAGES_H

#include "postgres.h"

#include "agg/aggregate.h"

/* The scales of a release whose sensitivity is `l` in both stages; 0: it has one
 * stage. */
typedef struct DpsStages
{
	uint64		first;
	uint64		second;
} DpsStages;

/*
 * One of `shares` equal shares of the loss is for the first stage; under a mechanism of the
 * 2-norm a tenth, whatever is asked for.  Of a release without noise, or whose
 * noise would be too large to be split, both scales are 0.
 */
extern DpsStages dps_stages(DpsReceipt *receipt, const DpsRelease *release, uint64 l, int shares, double epsilon);

/*
 * The scale, in the second stage, of integers that one row changes by at most
 * `bound` in the mechanism's norm, where one row changes what `second` is for by at most `base`.  0 if
 * there is none.
 */
extern uint64 dps_focused_scale(const DpsStages *stages, uint64 bound, uint64 base);

/*
 * Adds both stages to a forecast, each of so many joint integers; sets *tail to
 * the 95 % tail of the second.  False, and nothing is added, if there is one stage.
 */
extern bool dps_forecast_stages(const DpsRelease *release, const DpsMechanism *mechanism, const DpsTarget *target,
								uint64 l, int shares, int joined, double *tail, DpsForecast *forecast);

#endif							/* DPS_AGG_STAGES_H */
