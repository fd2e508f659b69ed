/*
 * norm_slopes.h
 *		Bounds of slopes where roots of sums of squares have none: at the singular
 *		points of Euclidean norms.
 */
#ifndef DPS_BOUND_QUANTITY_NORM_SLOPES_H
#define DPS_BOUND_QUANTITY_NORM_SLOPES_H

#include "expr/program.h"
#include "expr/tip.h"

/* The most roots with tips in one expression. */
#define DPS_MAX_TIPS 4

/* What bounds the slopes of an expression where roots have none (norm_slopes.c). */
typedef struct DpsCover
{
	DpsGraph   *graph;
	int			ncolumns;
	DpsTip		tip[DPS_MAX_TIPS];
	int			ntips;			/* 0: there is nothing to cover */
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1]; /* with the roots fixed */
	const DpsNode *by_root[DPS_MAX_TIPS];
	/* derivatives of the legs.  As in gradient, they are divided by the
	 * columns' weights, and 0 for columns that do not move */
	const DpsNode *slope[DPS_MAX_TIPS][DPS_MAX_LEGS][DPS_MAX_VARIABLES + 1];
} DpsCover;

/* Looks for roots that can be 0 in the box; weights NULL are 1. */
extern DPS_MUST_USE DpsStatus dps_cover_init(DpsCover *cover, DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
											 int ncolumns, uint64_t private_variables, const double *weights);

/* Bounds the derivative by one column, or its negative.  This and the two
 * functions below: NULL without tips, or if memory ran out. */
extern const DpsNode *dps_cover_entry(const DpsCover *cover, int column, bool negative);

/* Bounds the sum of the magnitudes of all derivatives. */
extern const DpsNode *dps_cover_norm1(const DpsCover *cover);

/* Bounds the sum of the squares of all derivatives. */
extern const DpsNode *dps_cover_norm2(const DpsCover *cover);

#endif							/* DPS_BOUND_QUANTITY_NORM_SLOPES_H */
