/*
 * run_losses.h
 *		The accounts of rows in a run of training: what they hold when it begins or is
 *		resumed, and what is stored of it.
 */
#ifndef DPS_MODEL_TRAIN_RUN_LOSSES_H
#define DPS_MODEL_TRAIN_RUN_LOSSES_H

#include "postgres.h"

#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "model/train/run.h"

/* Does the relation have row accounts?  An error if it has, and the run cannot be charged
 * to them. */
extern bool dps_run_check_accounts(const DpsTrainingRun *run);

/*
 * Sets run->training.losses for a run that was charged just now, or is resumed.  The
 * relation is open, and run->rows were read with the snapshot, which is active.  An error
 * if row accounts are not, or not any more, what the run began with.
 */
extern void dps_run_begin_losses(DpsTrainingRun *run, Relation relation, Snapshot snapshot);
extern void dps_run_resume_losses(DpsTrainingRun *run, Relation relation, Snapshot snapshot);

/*
 * For a run with row accounts, as part of the running transaction: stores what its units
 * have lost so far.  A run that is stored has entered them before its first step, and
 * dps_run_advance or dps_run_delete has succeeded in this transaction.  No step comes
 * after the last storing with is_over.
 */
extern void dps_run_enter_losses(const DpsTrainingRun *run);
extern void dps_run_store_losses(const DpsTrainingRun *run, bool is_over);

#endif							/* DPS_MODEL_TRAIN_RUN_LOSSES_H */
