/*
 * weights.h
 *		Weights of columns under adjacency attribute.
 */
#ifndef DPS_AGG_WEIGHTS_H
#define DPS_AGG_WEIGHTS_H

#include "postgres.h"

#include "agg/aggregate.h"

/* The weight of the column of a row of the facts' attributes, beside the weight of the whole release. */
extern double dps_attribute_row_weight(const DpsFacts *facts, int row);

/* Sets weight and weighted of a release whose family has derived all else. */
extern void dps_weigh_release(const DpsFacts *facts, DpsRelease *release, const DpsSummand *summand);

/* The epsilon that noise for the whole release is calibrated to. */
extern double dps_weighted_epsilon(const DpsRelease *release, double epsilon);

/*
 * Plans one coordinate for the release's sensitivity in the mechanism's norm, or for that of the count
 * beside it, and for the columns that have weights of their own.  root: as dps_noise_plan_add.
 */
extern DPS_MUST_USE DpsStatus dps_plan_whole(const DpsRelease *release, DpsNoisePlan *plan, const DpsTarget *target, int joined);
extern DPS_MUST_USE DpsStatus dps_plan_part(const DpsRelease *release, DpsNoisePlan *plan, const DpsTarget *target, int root,
											bool is_count, int joined);

#endif							/* DPS_AGG_WEIGHTS_H */
