/*
 * run.h
 *		A run of training, and the state of it that is stored so that it can be
 *		resumed after a crash.
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
	bool		has_accounts;	/* its rows have */
	DpsExampleRows rows;		/* if they have: those that were read */
	DpsExamples tests;			/* of test_relation */
	DpsBounding bounding;
	double		epsilon;		/* the requested one, or that of the noise */
	double		delta;
	uint64		sensitivity;	/* D */
	double		rate;			/* of the samples; 1: full batches */
	int64		release;		/* in the ledger; 0: nothing was charged */
	int			checkpoint;		/* steps after which the state is stored; 0:
								 * never */
	int			step;			/* number of steps taken */
	double	   *parameters;
	double	   *states;			/* of the optimizer */
} DpsTrainingRun;

/*
 * The table of runs (run.c).  These functions are part of the running transaction.
 */

/* Stores a run of which no step was taken; removes any other run of the same model. */
extern void dps_run_insert(const DpsTrainingRun *run);

/* Stores the state after run->step steps.  Raises an error unless the stored state is that
 * after `before` steps. */
extern void dps_run_advance(const DpsTrainingRun *run, int before);

/* Removes the run; raises the error of dps_run_advance. */
extern void dps_run_delete(const DpsTrainingRun *run, int before);

/*
 * Reads the unfinished run of a model, for its network: everything but the examples, the
 * source's columns, the plan of the bounding, and the annotation, of which only
 * is_protected and adjacency are set.  Errors: there is no such run; it belongs to a role
 * that the current user is not a member of; it was charged in another database.
 */
extern void dps_run_read(Name model, DpsNetwork *network, DpsTrainingRun *run);

/* Takes the remaining steps and stores the result.  is_stored: the run is in the table,
 * so each part of it is committed (carry_out.c); then SPI must be connected as
 * SPI_OPT_NONATOMIC. */
extern void dps_run_carry_out(DpsTrainingRun *run, bool is_stored);

/* Commits the running transaction and begins another one, with an active snapshot.  The
 * caller has an active snapshot, which is popped. */
extern void dps_run_commit(void);

#endif							/* DPS_MODEL_TRAIN_RUN_H */
