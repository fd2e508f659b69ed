/*
 * row_losses.h
 *		The individual filter of a run of training.
 */
#ifndef DPS_MODEL_TRAIN_ROW_LOSSES_H
#define DPS_MODEL_TRAIN_ROW_LOSSES_H

#include "postgres.h"

#include "account/amount.h"
#include "ledger/rows/training_loss.h"

/* The accounts of the units that a run reads: one row each. */
typedef struct DpsRowLosses
{
	DpsAmount	cap;			/* of rho */
	int64		n;				/* units */
	DpsAmount  *before;			/* what each lost by the releases before the run */
	DpsTrainingLoss *losses;	/* what each lost by the run's steps */
	int64	   *units;			/* the unit of each example */
} DpsRowLosses;

/* Has the unit of this example been left out before? */
extern bool dps_row_is_out(const DpsRowLosses *losses, int64 example);

/* May the example's gradient, of this norm, be added in a step with noise of this scale?  If so, its unit
 * has lost that; else it is left out from now on. */
extern bool dps_row_pays(DpsRowLosses *losses, int64 example, uint64 scale, uint64 norm);

#endif							/* DPS_MODEL_TRAIN_ROW_LOSSES_H */
