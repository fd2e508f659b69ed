/*
 * histogram.h
 *		Counts of all points of a tally, each with noise.
 */
#ifndef DPS_AGG_FAMILIES_HISTOGRAM_H
#define DPS_AGG_FAMILIES_HISTOGRAM_H

#include "postgres.h"

#include "agg/aggregate.h"

/* Sets the sensitivity of all counts together; the release knows its points and what a
 * neighbour can do to them. */
extern void dps_set_counts(DpsRelease *release);

/* Plans one coordinate for all counts. */
extern DPS_MUST_USE DpsStatus dps_plan_counts(const DpsRelease *release, DpsNoisePlan *plan);

/* The noised counts, in units of 2^count_grid. */
extern DpsAnswer *dps_noised_counts(const DpsDraw *draw, const DpsState *state);

#endif							/* DPS_AGG_FAMILIES_HISTOGRAM_H */
