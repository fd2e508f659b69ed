/*
 * example_batch.h
 *		What a network says about several examples at a time: losses, gradient
 *		norms, gradients, and their sum.
 *
 * The same numbers as those of tensor/network/example.h up to rounding: sums run in
 * another order.  What is said of one example is the same bits in every batch,
 * of any size and at any place; the order in which gradients are added up depends
 * on the network and the number of examples.
 */
#ifndef DPS_TENSOR_EXAMPLE_BATCH_H
#define DPS_TENSOR_EXAMPLE_BATCH_H

#include "tensor/network/network.h"
#include "tensor/network/schedule.h"

#define DPS_BATCH_LOSSES	0x1
#define DPS_BATCH_NORMS		0x2
#define DPS_BATCH_GRADIENTS	0x4
#define DPS_BATCH_SUM		0x8

typedef struct DpsExampleBatch
{
	const DpsNetwork *network;
	const DpsSchedule *schedule;
	double	   *workspace;
	const double **inputs;		/* by number of the input */
	int			noutputs;
	double	  **outputs;
	int64_t    *strides;
	int64_t		capacity;		/* examples at a time */
	/* For the caller to fill, one example after the other. */
	double	   *features;
	double	   *targets;
	/* Results, those that were asked for; the others are NULL. */
	double	   *losses;			/* by example */
	double	   *norms;			/* of the gradient by all parameters */
	double	   *gradients;		/* by all parameters, one example after the other */
	double	   *sum;			/* of the gradients */
} DpsExampleBatch;

/*
 * Derives and plans what is asked for; memory comes from the network's arena.  As
 * many examples at a time as a processor's cache is good for, and never more than
 * `most`.
 */
extern DPS_MUST_USE DpsStatus dps_example_batch_init(DpsNetwork *network, unsigned quantities, int64_t most,
													 DpsExampleBatch **batch);

/* Computes it of the first 1 to capacity examples. */
extern DPS_MUST_USE DpsStatus dps_example_batch_run(DpsExampleBatch *batch, const double *parameters,
													int64_t examples);

#endif							/* DPS_TENSOR_EXAMPLE_BATCH_H */
