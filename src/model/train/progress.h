/*
 * progress.h
 *		How far the runs of training are that go on at this moment.
 */
#ifndef DPS_MODEL_TRAIN_PROGRESS_H
#define DPS_MODEL_TRAIN_PROGRESS_H

#include "postgres.h"

#include "model/train/run.h"

/* Shared memory; called from _PG_init while shared_preload_libraries are loaded. */
extern void dps_progress_init(void);

/* From now on this session trains.  Without shared memory, or without room in it,
 * nothing is shown. */
extern void dps_progress_begin(const DpsTrainingRun *run);

/* So many steps were taken. */
extern void dps_progress_step(int step);

/* The loss on data that are not protected, after so many steps that are over for good;
 * NaN if none is computed. */
extern void dps_progress_loss(double loss, int step);

/* The end; may be called more than once, and when the process ends. */
extern void dps_progress_end(void);

/* The epsilon of so many of the run's steps; 0 where nothing is charged. */
extern double dps_progress_epsilon(const DpsTrainingRun *run, int steps);

/* Seconds that the steps left will take, by those that were taken. */
extern double dps_progress_left(double elapsed, int taken, int left);

#endif							/* DPS_MODEL_TRAIN_PROGRESS_H */
