/*
 * example_batch.h
 *		Quantities of a network at several examples at a time: losses, gradient
 *		norms, gradients, and the sum of gradients.
 *
 * The numbers equal those of tensor/network/example.h up to rounding: sums are computed
 * in another order.  The quantities of one example have the same bits in every batch, of
 * any size and at any place: the sensitivity of a clipped sum depends on that
 * (model/train/run_charge.c).  The order in which gradients are added up depends on the
 * network and the number of examples.
 */
#ifndef DPS_TENSOR_NETWORK_EXAMPLE_BATCH_H
#define DPS_TENSOR_NETWORK_EXAMPLE_BATCH_H

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
	int64_t		capacity;		/* the most examples at a time */
	/* The caller fills these, one example after the other. */
	double	   *features;
	double	   *targets;
	/* The requested results; the others are NULL. */
	double	   *losses;			/* by example */
	double	   *norms;			/* of the gradient by all parameters */
	double	   *gradients;		/* by all parameters, one example after the other */
	double	   *sum;			/* of the gradients */
} DpsExampleBatch;

/*
 * Derives and plans the requested quantities, a mask of DPS_BATCH_*; memory comes from the
 * network's arena.  The capacity is chosen so that the workspace fits into a processor's
 * cache, and is at most `most`.
 */
extern DPS_MUST_USE DpsStatus dps_example_batch_init(DpsNetwork *network, unsigned quantities, int64_t most,
													 DpsExampleBatch **batch);

/* Computes the quantities of the first examples, 1 to capacity. */
extern DPS_MUST_USE DpsStatus dps_example_batch_run(DpsExampleBatch *batch, const double *parameters,
													int64_t examples);

#endif							/* DPS_TENSOR_NETWORK_EXAMPLE_BATCH_H */
