/*
 * derived.h
 *		Numbers of definitions, section 3 that follow from gradient and Hessian.
 */
#ifndef DPS_GLUE_ANALYSIS_DERIVED_H
#define DPS_GLUE_ANALYSIS_DERIVED_H

#include "postgres.h"

/*
 * Columns with an entry for each row of a batch (at most DPS_BATCH), one column for each
 * private variable; entry (j, k) of the Hessian has the column j * n + k.  A number that
 * does not exist is NaN.
 */
typedef struct DpsDerived
{
	int			n;				/* private variables */
	const double *weights;		/* of each */
	double	   *const *gradient;
	double	   *const *hessian; /* a NULL column is 0 everywhere */
	double	   *norm;
	double	   *const *normalized;
	double	   *const *partial;
} DpsDerived;

/* The weighted norm and the normalized gradient, from the gradient. */
extern void dps_derive_norm(const DpsDerived *derived, int nrows);

/* The gradient of the norm, from the Hessian and the results of dps_derive_norm. */
extern void dps_derive_partial(const DpsDerived *derived, int nrows);

/* An array of ndims dimensions of n entries each, NULL where an entry is not
 * finite. */
extern Datum dps_float8_array(const double *values, int n, int ndims);

#endif							/* DPS_GLUE_ANALYSIS_DERIVED_H */
