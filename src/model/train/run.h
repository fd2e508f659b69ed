/*
 * run.h
 *		A run of training: what it is to do, and what is kept of it so that it can
 *		go on after a crash.
 */
#ifndef DPS_MODEL_TRAIN_RUN_H
#define DPS_MODEL_TRAIN_RUN_H

#include "postgres.h"

#include "utils/array.h"

#include "glue/label/annotation.h"
#include "model/bounding.h"
#include "model/train/examples.h"
#include "model/train/train.h"

typedef struct DpsTrainingRun
{
	NameData	model;
	Oid			relation;
	DpsRowSource source;		/* of its rows */
	ArrayType  *features;		/* columns, of type name */
	NameData	target;
	Oid			test_relation;	/* or InvalidOid */
	DpsRelationAnnotation annotation;
	DpsTraining training;
	DpsExamples tests;			/* of test_relation */
	DpsBounding bounding;
	double		epsilon;		/* that is asked for, or that the noise makes */
	double		delta;
	uint64		sensitivity;	/* D */
	double		rate;			/* of the samples; 1: full batches */
	int64		release;		/* in the ledger; 0: nothing was charged */
	int			checkpoint;		/* steps after which the state is stored; 0:
								 * never */
	int			step;			/* steps that were taken */
	double	   *parameters;
	double	   *states;			/* of the optimizer */
} DpsTrainingRun;

/*
 * The table of runs (run.c).  Each of these is part of the running
 * transaction.
 */

/* Stores a run of which no step was taken; forgets one of the same model. */
extern void dps_run_insert(const DpsTrainingRun *run);

/* Stores its state after run->step steps.  An error unless the one stored is that after
 * `before`. */
extern void dps_run_advance(const DpsTrainingRun *run, int before);

/* Forgets it; an error as of dps_run_advance. */
extern void dps_run_delete(const DpsTrainingRun *run, int before);

/*
 * Reads the unfinished run of a model, for its network: everything but the annotation, examples
 * and what bounding is planned with.  Errors: there is none; it belongs to a role
 * that the current user is not a member of; the ledger was charged elsewhere.
 */
extern void dps_run_read(Name model, DpsNetwork *network, DpsTrainingRun *run);

/* Takes the steps that are left and stores the result; is_stored says whether
 * the run is in the table, so that there may be a transaction for every part of it
 * (carry_out.c).  Inside SPI that allows that. */
extern void dps_run_carry_out(DpsTrainingRun *run, bool is_stored);

/* Ends the running transaction and begins another, in which a snapshot is active. */
extern void dps_run_commit(void);

#endif							/* DPS_MODEL_TRAIN_RUN_H */
