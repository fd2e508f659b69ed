/*
 * matching.h
 *		How far an example's gradient is from a gradient that is given, and which way
 *		its features would have to go to come closer: what an attack descends that
 *		inverts a gradient.
 *
 * Zhu, Liu and Han 2019 take the squared distance, Geiping et al. 2020 the cosine.
 */
#ifndef DPS_TENSOR_NETWORK_MATCHING_H
#define DPS_TENSOR_NETWORK_MATCHING_H

#include "tensor/network/network.h"
#include "tensor/network/schedule.h"

/* A loss that says how far two gradients are apart, of which there is one tensor for each of n
 * tensors of parameters. */
typedef struct DpsMatchingKind
{
	const char *name;
	const DpsTensor *(*build) (DpsTensorGraph *g, const DpsTensor *const *gradient, const DpsTensor *const *given, int n);
} DpsMatchingKind;

#define DPS_MATCHING_KINDS 2

extern const DpsMatchingKind dps_matching_kinds[DPS_MATCHING_KINDS];

typedef struct DpsMatching
{
	const DpsNetwork *network;
	const DpsSchedule *schedule;
	double	   *workspace;
	const double **inputs;		/* by number of the input */
	const DpsTensor **given;	/* inputs, by tensor of parameters */
	double	   *outputs[2];
	int			nfeatures;
	/* Results; NaN where they do not exist. */
	double		loss;
	double	   *feature_gradient;	/* of the loss */
} DpsMatching;

/* Derives and plans it; memory comes from the network's arena. */
extern DPS_MUST_USE DpsStatus dps_matching_init(DpsNetwork *network, const DpsMatchingKind *kind, DpsMatching **matching);

/* Computes it for the gradient that is given, as many numbers as there are
 * parameters. */
extern DPS_MUST_USE DpsStatus dps_matching_run(DpsMatching *matching, const double *parameters, const double *features,
											   const double *target, const double *given);

#endif							/* DPS_TENSOR_NETWORK_MATCHING_H */
