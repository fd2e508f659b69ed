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

/*
 * Adds the loss of one integer with this sensitivity and noise of this scale.
 * Without a mechanism, without noise, or with numbers that are none, it is
 * without bound.
 */
extern void dps_add_loss(const DpsMechanism *mechanism, int64 sensitivity, int64 scale, DpsLoss *loss);

/* To be called when all n integers have been added: noise is calibrated to
 * epsilon rounded down, and what was asked for is charged. */
extern void dps_complete_loss(double epsilon, int n, DpsLoss *loss);

/* A cost as a bigint[] of epsilon, rho and delta. */
extern Datum dps_cost_array(const DpsCost *cost);

#endif							/* DPS_LEDGER_COST_H */
