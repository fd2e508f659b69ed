/*
 * steepest.h
 *		A proved bound on the gradient norm of every example there can be.
 */
#ifndef DPS_TENSOR_STEEPEST_H
#define DPS_TENSOR_STEEPEST_H

#include "tensor/network/network.h"

typedef struct DpsSteepest DpsSteepest;

/* Where examples and parameters lie; a parameter's ends may be infinite. */
typedef struct DpsExampleBox
{
	const double *feature_low;
	const double *feature_high;
	double		target_low;		/* of every number of the target; if targets are */
	double		target_high;	/* classes, all of these are 1 once and 0 else */
	bool		target_is_class;
	const double *parameter_low;
	const double *parameter_high;
} DpsExampleBox;

/* The bounds on the norm that a search found. */
typedef struct DpsSteepness
{
	double		lower;			/* some example has this, or nearly */
	double		upper;			/* none has more; Infinity if nothing is proved */
	int			boxes;
} DpsSteepness;

/* Plans it, in the network's arena; DPS_UNABLE if the network is too large
 * (DPS_MAX_RANGED). */
extern DPS_MUST_USE DpsStatus dps_steepest_init(DpsNetwork *network, DpsSteepest **steepest);

/*
 * Searches for the greatest norm of the gradient by all parameters, with at most
 * so many boxes (1: no search) or until the bounds are within this part of each
 * other.
 */
extern DPS_MUST_USE DpsStatus dps_steepest_find(DpsSteepest *steepest, const DpsExampleBox *box, int max_boxes,
												double tolerance, DpsSteepness *steepness);

#endif							/* DPS_TENSOR_STEEPEST_H */
