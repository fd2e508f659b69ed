/*
 * training_loss.h
 *		What units lost by training, as the ledger stores it.
 *
 * A run of training is one release.  What a unit lost by it depends on the parameters of each step, so
 * that it cannot be computed again from the history.  It is stored: while the run goes on, as far as it
 * was committed; a unit pays the whole charge until the run is finished.
 */
#ifndef DPS_LEDGER_ROWS_TRAINING_LOSS_H
#define DPS_LEDGER_ROWS_TRAINING_LOSS_H

#include "postgres.h"

#include "account/amount.h"

typedef struct DpsTrainingLoss
{
	char	   *unit;
	int64		release;
	DpsAmount	rho;
	bool		left_out;		/* takes no further part in the run */
} DpsTrainingLoss;

typedef struct DpsTrainingLosses
{
	int64		n;
	DpsTrainingLoss *losses;	/* in the order of strcmp of units, then of releases */
} DpsTrainingLosses;

/* The columns that named units in the run of this release, palloc'd; NULL if it was begun without row accounts.
 * As committed now. */
extern char *dps_training_unit(int64 release);

/* What units lost by these releases, as committed now, in CurrentMemoryContext. */
extern DpsTrainingLosses *dps_training_losses_load(const int64 *releases, int n);

/* The first entry of the unit; the number of entries if there is none. */
extern int64 dps_training_losses_find(const DpsTrainingLosses *losses, const char *unit);

/* ---- writing, in the running transaction; the caller has checked privileges ---- */

/* Enters a run.  unit: the columns that identify units (dps_unit_key_columns). */
extern void dps_training_begin_accounts(int64 release, const char *unit);

/* Enters n units of a run. */
extern void dps_training_losses_insert(int64 release, const DpsTrainingLoss *losses, int64 n);

/* Replaces the losses of units that were entered. */
extern void dps_training_losses_update(int64 release, const DpsTrainingLoss *losses, int64 n);

/* From the commit of this transaction on, what units lost by the run is what is stored. */
extern void dps_training_finish_accounts(int64 release);

#endif							/* DPS_LEDGER_ROWS_TRAINING_LOSS_H */
