/*
 * capped.h
 *		Budgets of answers of which each has a pure epsilon of at most a largest one (largest_answer of
 *		dpsens.set_budget and grant_budget).
 *
 * The largest epsilon is public and fixed when the budget is set.  An answer counts by the
 * quarters of it that its epsilon takes up, k of them as k (k + 1) / 2 parts: 1, 3, 6 and 10.
 * What has no pure epsilon, or a larger one, is not admitted.
 */
#ifndef DPS_ACCOUNT_CAPPED_H
#define DPS_ACCOUNT_CAPPED_H

#include "account/amount.h"
#include "base/arena.h"
#include "base/status.h"

#define DPS_CAPPED_LEVELS 4
#define DPS_CAPPED_PARTS (DPS_CAPPED_LEVELS * (DPS_CAPPED_LEVELS + 1) / 2)

/* A budget's epsilon is at most this many times its largest answer's, so that the search ends. */
#define DPS_CAPPED_RATIO 128
#define DPS_CAPPED_EPSILON_MAX 128.0

/* What an answer of this epsilon counts, in units of rho of the ledger: ten parts are about largest^2 / 2.
 * DPS_AMOUNT_UNBOUNDED if it is larger, or one of the two is no epsilon. */
extern DpsAmount dps_capped_cost(double largest, double epsilon);

/*
 * The most that answers may count together so that all of them, chosen adaptively, are
 * (epsilon, delta)-DP.  DPS_DOMAIN unless 0 < largest <= epsilon <= DPS_CAPPED_RATIO * largest,
 * epsilon <= DPS_CAPPED_EPSILON_MAX and 0 < delta < 1; DPS_NOMEM, DPS_CANCELLED.
 */
extern DPS_MUST_USE DpsStatus dps_capped_total(DpsArena *arena, double largest, double epsilon, double delta, DpsAmount *total);

#endif							/* DPS_ACCOUNT_CAPPED_H */
