/*
 * progress.h
 *		The progress of running trainings.
 */
#ifndef DPS_MODEL_TRAIN_PROGRESS_H
#define DPS_MODEL_TRAIN_PROGRESS_H

#include "postgres.h"

#include "model/train/run.h"

/* Requests shared memory; called from _PG_init while shared_preload_libraries are
 * loaded. */
extern void dps_progress_init(void);

/* Shows this session's run from now on, if there is shared memory with a free slot. */
extern void dps_progress_begin(const DpsTrainingRun *run);

/* Sets the number of steps taken. */
extern void dps_progress_step(int step);

/* Sets the loss on data that are not protected, after this number of steps, which will
 * not be taken again; NaN if none is computed. */
extern void dps_progress_loss(double loss, int step);

/* Shows the run no longer; may be called more than once, and at the end of the process. */
extern void dps_progress_end(void);

/* The epsilon of this number of the run's steps; 0 without noise, Infinity if none is
 * proved. */
extern double dps_progress_epsilon(const DpsTrainingRun *run, int steps);

/* The estimated seconds for `left` steps if `taken` steps took `elapsed`; NaN if none was
 * taken. */
extern double dps_progress_left(double elapsed, int taken, int left);

#endif							/* DPS_MODEL_TRAIN_PROGRESS_H */
