/*
 * cost.h
 *		What a release costs, from its noise: the one place that decides it, for
 *		charging and for checking charges.
 */
#ifndef DPS_LEDGER_COST_H
#define DPS_LEDGER_COST_H

#include "postgres.h"

#include "account/filter.h"
#include "noise/mechanism.h"

/* How the history calls an answer without noise. */
#define DPS_NO_MECHANISM "none"

/* And steps of noise on samples. */
#define DPS_SUBSAMPLED "subsampled"

/*
 * Adds the loss of integers with this joint sensitivity and noise of this scale, of
 * which there are `joined`.  Draws of the exponential mechanism have no joint
 * sensitivity: each costs what it says, and their losses add up (basic
 * composition, and that of zCDP).
 * Without a mechanism, without noise, or with numbers that are none, it is
 * without bound.
 *
 * What is charged is what the noise costs, not the epsilon that was asked for:
 * noise is calibrated to that rounded down to a * 2^-40, which the loss does not
 * exceed, so ten answers at 0.1 fit a budget of 1.
 */
extern void dps_add_loss(const DpsMechanism *mechanism, int64 sensitivity, int64 scale, int64 joined, DpsLoss *loss);

/* The loss of so many steps of Gaussian noise on secret samples of this rate, for
 * a composition that may fail with probability delta (account/sampled.h); delta is
 * a whole number of units of the ledger.  Without noise, or with numbers that are
 * none, it is without bound. */
extern void dps_sampled_loss(double rate, int64 steps, int64 sensitivity, int64 scale, double delta, DpsLoss *loss);

/* A cost as a bigint[] of epsilon, rho and delta. */
extern Datum dps_cost_array(const DpsCost *cost);

#endif							/* DPS_LEDGER_COST_H */
