/*
 * norm_slopes.h
 *		Bounds of slopes where roots of sums of squares have none: at the singular
 *		points of Euclidean norms, and of distances on a sphere.
 */
#ifndef DPS_BOUND_QUANTITY_NORM_SLOPES_H
#define DPS_BOUND_QUANTITY_NORM_SLOPES_H

#include "bound/quantity/arc.h"
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
	int			ntips;
	DpsArc		arc;			/* without tips; its root counts as one, by_root[0] */
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1]; /* with the roots fixed */
	const DpsNode *by_root[DPS_MAX_TIPS];
	/* derivatives of the legs.  As in gradient, they are divided by the
	 * columns' weights, and 0 for columns that do not move */
	const DpsNode *slope[DPS_MAX_TIPS][DPS_MAX_LEGS][DPS_MAX_VARIABLES + 1];
	const DpsNode *turn[DPS_MAX_ANGLES][DPS_MAX_VARIABLES + 1];	/* those of the arc's angles, likewise */
} DpsCover;

/* Is there something to cover? */
static inline bool
dps_covers(const DpsCover *cover)
{
	return cover->ntips > 0 || cover->arc.root != NULL;
}

/* Looks for roots that can be 0 in the box, and if there are none for an arc; weights NULL are 1. */
extern DPS_MUST_USE DpsStatus dps_cover_init(DpsCover *cover, DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
											 int ncolumns, uint64_t private_variables, const double *weights);

/* Bounds the derivative by one column, or its negative.  This and the two
 * functions below: NULL if there is nothing to cover, or if memory ran out. */
extern const DpsNode *dps_cover_entry(const DpsCover *cover, int column, bool negative);

/* Bounds the sum of the magnitudes of all derivatives. */
extern const DpsNode *dps_cover_norm1(const DpsCover *cover);

/* Bounds the sum of the squares of all derivatives. */
extern const DpsNode *dps_cover_norm2(const DpsCover *cover);

#endif							/* DPS_BOUND_QUANTITY_NORM_SLOPES_H */
