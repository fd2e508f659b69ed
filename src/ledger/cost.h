/*
 * cost.h
 *		What a release costs, for charging and for checking charges.  noise/plan.h
 *		has the cost of noise on integers, this file that of steps on samples.
 */
#ifndef DPS_LEDGER_COST_H
#define DPS_LEDGER_COST_H

#include "postgres.h"

#include "account/filter.h"
#include "noise/plan.h"

/* The history's name for an answer without noise. */
#define DPS_NO_MECHANISM "none"

/* The history's name for steps of noise on samples. */
#define DPS_SUBSAMPLED "subsampled"

/* The loss of a number of steps of Gaussian noise on secret samples of this rate, for a composition that
 * may fail with probability delta (account/sampled.h).  delta is a whole number of units of the ledger.
 * The loss is infinite without noise, and for numbers out of range. */
extern void dps_sampled_loss(double rate, int64 steps, int64 sensitivity, int64 scale, double delta, DpsLoss *loss);

/* A cost as a bigint[] of epsilon, rho and delta. */
extern Datum dps_cost_array(const DpsCost *cost);

#endif							/* DPS_LEDGER_COST_H */
