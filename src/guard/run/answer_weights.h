/*
 * answer_weights.h
 *		Answers of a statement that share epsilon by weights (dpsens.weights).
 */
#ifndef DPS_GUARD_RUN_ANSWER_WEIGHTS_H
#define DPS_GUARD_RUN_ANSWER_WEIGHTS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "account/shares.h"
#include "agg/aggregate.h"

/* An error unless there is a weight for each of the releases (a list of DpsRelease *) that shares epsilon, and none of
 * the releases is made to add up with others; before anything is charged. */
extern void dps_check_answer_weights(const DpsShares *shares, const List *releases, bool any_fitted);

/* The factor of the setting's epsilon that one of the releases is asked with; 1 where it does not share. */
extern double dps_answer_factor(const DpsShares *shares, const List *releases, const DpsRelease *release);

#endif							/* DPS_GUARD_RUN_ANSWER_WEIGHTS_H */
