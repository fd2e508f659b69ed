/*
 * run_charge.h
 *		The cost of a run of training, and its charge.
 */
#ifndef DPS_MODEL_TRAIN_RUN_CHARGE_H
#define DPS_MODEL_TRAIN_RUN_CHARGE_H

#include "postgres.h"

#include "utils/snapshot.h"

#include "model/train/run.h"

/* The epsilon of all steps with noise of this scale, in units of the grid; Infinity if
 * none is proved. */
extern double dps_run_epsilon(const DpsTrainingRun *run, uint64 scale);

/* A scale that suffices for the run's epsilon, found by a search below `enough`, which must
 * suffice by zero-concentrated DP of steps on all rows. */
extern uint64 dps_run_scale(const DpsTrainingRun *run, uint64 enough);

/* The snapshot has seen all changes by transactions with a 64-bit number below this one. */
extern uint64 dps_oldest_change(Snapshot snapshot);

/* Charges all steps and returns the number of the release; raises the errors of
 * dps_ledger_charge.  The rows were read with the snapshot. */
extern int64 dps_run_charge(const DpsTrainingRun *run, Snapshot snapshot);

#endif							/* DPS_MODEL_TRAIN_RUN_CHARGE_H */
