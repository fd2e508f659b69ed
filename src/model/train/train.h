/*
 * train.h
 *		Training a network on rows in memory.
 */
#ifndef DPS_MODEL_TRAIN_TRAIN_H
#define DPS_MODEL_TRAIN_TRAIN_H

#include "postgres.h"

#include "model/bounding.h"
#include "model/train/row_losses.h"
#include "tensor/network/descent.h"
#include "tensor/network/network.h"

/* Examples one after the other: features, then the target. */
typedef struct DpsExamples
{
	int64		n;
	int64		width;			/* of features and target together */
	int64		nfeatures;
	double	   *numbers;
} DpsExamples;

/* Are all of them finite? */
extern bool dps_are_finite(const double *numbers, int64 n);

typedef struct DpsTraining
{
	DpsNetwork *network;
	DpsExamples examples;
	const DpsOptimizer *optimizer;
	int			steps;
	double		rate;
	double		momentum;
	double		parameter_bound;	/* on every parameter's magnitude; may be
									 * infinite */
	bool		is_sampled;
	uint64		rate_units;		/* of samples: the probability that a row takes
								 * part in a step (noise/poisson.h) */
	double		divisor;		/* of the summed gradients; public if the rows
								 * are private */
	bool		is_clipped;
	DpsClipping clipping;
	DpsBounding *bounding;		/* finds the clip of every step; NULL: clipping is
								 * that of all steps */
	uint64		scale;			/* of the noise on each coordinate of each step,
								 * in units of the grid; 0: none.  If the clip
								 * changes, the scale follows, so that it is not
								 * fewer clips than this one */
	DpsRowLosses *losses;		/* of the rows, if they have accounts; or NULL */
} DpsTraining;

typedef struct DpsDescent DpsDescent;

typedef enum DpsDescentOutcome
{
	DPS_DESCENT_DONE,
	DPS_DESCENT_DIVERGED,		/* a parameter is not finite */
	DPS_DESCENT_UNBOUNDED		/* no bound on gradients can be proved any more */
} DpsDescentOutcome;

/* The number of doubles that the optimizer keeps. */
extern int64 dps_descent_states(const DpsTraining *training);

/*
 * Begins the training of parameters in place.  states are the optimizer's, all 0 before
 * the first step.  The training, parameters and states must live until dps_descent_end.
 *
 * With clipping, a step releases the sum of the gradients of the examples that take part,
 * as vectors of integers of norm clipping.bound at most, plus discrete Gaussian noise of
 * the given scale on every coordinate; everything else is computed from that.  The
 * caller has charged the cost before.
 */
extern DpsDescent *dps_descent_begin(const DpsTraining *training, double *parameters, double *states);

/* Takes the steps after `from` up to `to`, and reports progress (progress.h). */
extern DpsDescentOutcome dps_descent_run(DpsDescent *descent, int from, int to);

/* Erases the state of the random generator. */
extern void dps_descent_end(DpsDescent *descent);

#endif							/* DPS_MODEL_TRAIN_TRAIN_H */
