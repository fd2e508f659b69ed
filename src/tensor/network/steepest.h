/*
 * steepest.h
 *		A proved bound on the gradient norms of all possible examples.
 */
#ifndef DPS_TENSOR_NETWORK_STEEPEST_H
#define DPS_TENSOR_NETWORK_STEEPEST_H

#include "tensor/network/network.h"

typedef struct DpsSteepest DpsSteepest;

/* The ranges of examples and parameters; those of parameters may be infinite. */
typedef struct DpsExampleBox
{
	const double *feature_low;
	const double *feature_high;
	double		target_low;		/* of every number of the target; unused if */
	double		target_high;	/* target_is_class */
	bool		target_is_class;	/* one number of the target is 1, the others 0 */
	const double *parameter_low;
	const double *parameter_high;
} DpsExampleBox;

/* The bounds on the norm that a search found. */
typedef struct DpsSteepness
{
	double		lower;			/* some example in the box has at least this norm */
	double		upper;			/* no example has a greater norm; Infinity if
								 * nothing is proved */
	int			boxes;
} DpsSteepness;

/* Plans the search, in the network's arena; DPS_UNABLE if the network is too large
 * (DPS_MAX_RANGED). */
extern DPS_MUST_USE DpsStatus dps_steepest_init(DpsNetwork *network, DpsSteepest **steepest);

/*
 * Bounds the greatest norm of the gradient by all parameters.  The search ends at
 * max_boxes (1: no search), or when upper is at most 1 + tolerance times lower, up to
 * rounding.
 */
extern DPS_MUST_USE DpsStatus dps_steepest_find(DpsSteepest *steepest, const DpsExampleBox *box, int max_boxes,
												double tolerance, DpsSteepness *steepness);

#endif							/* DPS_TENSOR_NETWORK_STEEPEST_H */
