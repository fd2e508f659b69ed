/*
 * cost.h
 *		What a release costs, for charging and for checking charges.  noise/plan.h
 *		has the cost of noise on integers, this file that of steps on samples, and of
 *		a change of one column.
 */
#ifndef DPS_LEDGER_COST_H
#define DPS_LEDGER_COST_H

#include "postgres.h"

#include "account/filter.h"
#include "ledger/ledger.h"
#include "noise/plan.h"

/* The history's name for an answer without noise. */
#define DPS_NO_MECHANISM "none"

/* The history's name for steps of noise on samples. */
#define DPS_SUBSAMPLED "subsampled"

/* The loss of a number of steps of Gaussian noise on secret samples of this rate, for a composition that
 * may fail with probability delta (account/sampled.h).  delta is a whole number of units of the ledger.
 * The loss is infinite without noise, and for numbers out of range. */
extern void dps_sampled_loss(double rate, int64 steps, int64 sensitivity, int64 scale, double delta, DpsLoss *loss);

/*
 * What a release costs if one private column of one row changes.  dps_moved_cost: if that moves the
 * integers of its coordinates, in units of 2^grid, by these sensitivities, 0 for not at all (cost.c).  dps_replaced_cost: if
 * nothing is known of that, from what the release is charged.
 */
extern DpsCost dps_moved_cost(const char *mechanism, int grid, int n, const uint64 *moves, const uint64 *scales, const uint64 *joined);
extern DpsCost dps_replaced_cost(const char *mechanism, const DpsCost *charge, DpsReplacement replacement);

/* The same of an item, by what it says of the column. */
extern DpsCost dps_column_cost(const DpsChargeItem *item, const char *column);

/* What the item's release costs a person who can have a row in each of its arms. */
extern DpsCost dps_person_cost(const DpsChargeItem *item);

/* A cost as a bigint[] of epsilon, rho and delta. */
extern Datum dps_cost_array(const DpsCost *cost);

#endif							/* DPS_LEDGER_COST_H */
