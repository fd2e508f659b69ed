/*
 * bounding.h
 *		Bounds on gradients that are proved instead of clips that are chosen
 *		(definitions, section 7).
 */
#ifndef DPS_MODEL_BOUNDING_H
#define DPS_MODEL_BOUNDING_H

#include "postgres.h"

#include "utils/array.h"

#include "tensor/network/steepest.h"

typedef enum DpsBoundKind
{
	DPS_BOUND_NONE,
	DPS_BOUND_WEIGHTS,			/* over the box of the parameters, by a search */
	DPS_BOUND_ITERATION,		/* at the parameters of every step, by a search */
	DPS_BOUND_LIPSCHITZ			/* from the ranges of activations and weights, in
								 * advance, without a search */
} DpsBoundKind;

typedef struct DpsBounding
{
	DpsBoundKind kind;
	DpsSteepest *steepest;
	DpsExampleBox box;			/* examples are brought into it */
	int64		nfeatures;
	int64		nparameters;
	int			max_boxes;
} DpsBounding;

/* DPS_BOUND_NONE for NULL; an error for a name that is none. */
extern DpsBoundKind dps_bound_kind(const char *name);

/* Its name; "" for DPS_BOUND_NONE. */
extern const char *dps_bound_name(DpsBoundKind kind);

/* The ends of n features from {low, high}, or from a pair for each; an error if it is neither. */
extern void dps_read_feature_range(ArrayType *array, int64 n, double **low, double **high);

/* The ends of the target from {low, high}. */
extern void dps_read_target_range(ArrayType *array, double *low, double *high);

/* The same from the ranges that are declared for columns of numbers, which must be as
 * many as there are features; an error if one has none. */
extern void dps_declared_feature_range(Oid relation, ArrayType *features, int64 n, double **low, double **high);
extern void dps_declared_target_range(Oid relation, const char *target, double *low, double *high);

/* Plans searches for the network; the box has features and target, and parameters
 * within parameter_bound, which may be infinite. */
extern void dps_bounding_init(DpsBounding *bounding, DpsNetwork *network, double parameter_bound);

/* The bound, at these parameters if it is one of every step; it may be infinite. */
extern void dps_bounding_find(DpsBounding *bounding, const double *parameters, DpsSteepness *steepness);

/* An error if it is infinite. */
extern void dps_bounding_require(const DpsSteepness *steepness);

/* Brings examples into the box; a row of them has `width` numbers. */
extern void dps_bounding_clamp(const DpsBounding *bounding, double *examples, int64 n, int64 width);

#endif							/* DPS_MODEL_BOUNDING_H */
