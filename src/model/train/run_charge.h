/*
 * run_charge.h
 *		What a run of training costs, and its charge.
 */
#ifndef DPS_MODEL_TRAIN_RUN_CHARGE_H
#define DPS_MODEL_TRAIN_RUN_CHARGE_H

#include "postgres.h"

#include "utils/snapshot.h"

#include "model/train/run.h"

/* The epsilon of all steps with noise of this scale; Infinity if there is none. */
extern double dps_run_epsilon(const DpsTrainingRun *run, uint64 scale);

/* A scale that is enough for the run's epsilon on samples, given one that is. */
extern uint64 dps_run_sampled_scale(const DpsTrainingRun *run, uint64 enough);

/* Charges all steps and returns the number of the release; errors as of
 * dps_ledger_charge. */
extern int64 dps_run_charge(const DpsTrainingRun *run, Snapshot snapshot);

#endif							/* DPS_MODEL_TRAIN_RUN_CHARGE_H */
