/*
 * example.h
 *		Quantities of a network at one example: prediction, loss, gradients and
 *		Fisher information (definitions, sections 3 and 7).
 *
 * g is the gradient of the loss by all parameters.  Quantities that do not exist,
 * because of an overflow for instance, are not finite.
 */
#ifndef DPS_TENSOR_NETWORK_EXAMPLE_H
#define DPS_TENSOR_NETWORK_EXAMPLE_H

#include "tensor/network/network.h"
#include "tensor/network/schedule.h"

#define DPS_EXAMPLE_PREDICTION			0x01
#define DPS_EXAMPLE_LOSS				0x02
#define DPS_EXAMPLE_NORM				0x04	/* norm */
#define DPS_EXAMPLE_INPUT_GRADIENT		0x08	/* input_gradient, full_norm */
#define DPS_EXAMPLE_NORM_GRADIENT		0x10	/* norm_squared_gradient */
#define DPS_EXAMPLE_PARAMETER_GRADIENT	0x20

typedef struct DpsExample
{
	const DpsNetwork *network;
	const DpsSchedule *schedule;
	double	   *workspace;
	const double **inputs;		/* by number of the input */
	double	  **outputs;
	/* The requested results; the others are NULL or NaN. */
	int			noutputs;		/* elements of the prediction */
	int			nfeatures;
	double	   *prediction;
	double		loss;
	double		norm_squared;	/* of g */
	double		norm;
	double		around_squared; /* of the gradient by features and target */
	double		full_norm;		/* of the gradient by features, target and
								 * parameters */
	double	   *input_gradient; /* of the loss, by features */
	double	   *norm_squared_gradient;	/* of the squared norm of g, by
										 * features; PLIS is this over sigma^2 */
	double	   *parameter_gradient;	/* g */
} DpsExample;

/* Derives and plans the requested quantities, a mask of DPS_EXAMPLE_*; memory comes from
 * the network's arena. */
extern DPS_MUST_USE DpsStatus dps_example_init(DpsNetwork *network, unsigned quantities, DpsExample **example);

/* Computes the quantities at these parameters, for these features and this target. */
extern DPS_MUST_USE DpsStatus dps_example_run(DpsExample *example, const double *parameters,
											  const double *features, const double *target);

/*
 * The Fisher information of one example in its gradient with noise of scale 1: J^T J with
 * J = dg/dx, a square matrix with a row for each feature.
 */
typedef struct DpsFisher
{
	const DpsNetwork *network;
	const DpsSchedule *schedule;
	double	   *workspace;
	const double **inputs;
	double	   *direction;
	int			nfeatures;
	double	   *matrix;			/* row by row */
	double		trace;
	double		root;			/* of the greatest eigenvalue: FIL */
} DpsFisher;

/* The most features of a matrix; DPS_UNABLE for more. */
#define DPS_MAX_FISHER_FEATURES 1024

extern DPS_MUST_USE DpsStatus dps_fisher_init(DpsNetwork *network, DpsFisher **fisher);
extern DPS_MUST_USE DpsStatus dps_fisher_run(DpsFisher *fisher, const double *parameters,
											 const double *features, const double *target);

#endif							/* DPS_TENSOR_NETWORK_EXAMPLE_H */
