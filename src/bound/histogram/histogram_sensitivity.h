/*
 * histogram_sensitivity.h
 *		Sensitivity of functions of a histogram: the l_p norm of their forward
 *		differences, definitions, section 8.
 */
#ifndef DPS_BOUND_HISTOGRAM_HISTOGRAM_SENSITIVITY_H
#define DPS_BOUND_HISTOGRAM_HISTOGRAM_SENSITIVITY_H

#include "bound/quantity/bound.h"

#define DPS_MAX_CELLS 1000

/* Histograms of integers 0 <= n_i <= upper[i], and the limits of their
 * total. */
typedef struct DpsHistogramDomain
{
	int			ncells;
	const int  *upper;
	double		min_rows;
	double		max_rows;
} DpsHistogramDomain;

typedef enum DpsNeighbours
{
	DPS_ADD_REMOVE,				/* n and n + e_i */
	DPS_REPLACE					/* n + e_j and n + e_i */
} DpsNeighbours;

/*
 * lower <= sensitivity <= upper.  lower is attained between the witness, which
 * for DPS_REPLACE is n + e_j, and a second histogram: the witness with one row
 * more in cell `added` and one less in cell `removed` (-1 for DPS_ADD_REMOVE).
 *
 * status DPS_DOMAIN: the function is NULL, undefined or out of range at the
 * witness, which is a histogram of the domain; culprit says where.
 * DPS_UNABLE: it was not proved to have a value everywhere.  upper is Infinity
 * in both cases.
 */
typedef struct DpsDifference
{
	DpsStatus	status;
	double		lower;
	double		upper;
	bool		empty;			/* there are no neighbours */
	bool		exhausted;		/* max_boxes ended the search */
	bool		unattained;		/* upper may belong to counts of no
								 * histogram */
	uint64_t	boxes;
	const double *histogram;	/* by cell, or NULL */
	int			added;
	int			removed;
	const DpsNode *culprit;
} DpsDifference;

/*
 * The largest ||F(n) - F(n')||_p over neighbours inside the domain, p in [1,
 * Infinity].  The graph has a double precision variable for every cell, none of
 * which is NULL, and the outputs are double precision.  Both ends agree up to
 * rounding when the search can finish.  F is required to have a value at every
 * histogram of the domain, whether or not that has a neighbour.
 *
 * Returns DPS_OK, or NOMEM or CANCELLED; what was found is in the result.
 */
extern DPS_MUST_USE DpsStatus dps_difference(DpsGraph *graph, const DpsNode *const *outputs, int noutputs,
											 const DpsHistogramDomain *domain, DpsNeighbours neighbours, double p,
											 const DpsBoundOptions *options, DpsDifference *result);

#endif							/* DPS_BOUND_HISTOGRAM_HISTOGRAM_SENSITIVITY_H */
