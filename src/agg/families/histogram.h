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

/* The noised counts, in units of 2^count_grid. */
extern DpsAnswer *dps_noised_counts(const DpsRelease *release, const DpsState *state, double epsilon, DpsReceipt *receipt);

extern void dps_forecast_counts(const DpsRelease *release, const DpsMechanism *mechanism, double epsilon, double delta,
								DpsForecast *forecast);

#endif							/* DPS_AGG_FAMILIES_HISTOGRAM_H */
