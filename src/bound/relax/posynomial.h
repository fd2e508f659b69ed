/*
 * posynomial.h
 *		Upper bounds of sums and quotients of products of powers, by the logarithms of
 *		their columns.
 */
#ifndef DPS_BOUND_RELAX_POSYNOMIAL_H
#define DPS_BOUND_RELAX_POSYNOMIAL_H

#include "expr/program.h"

/* The most columns, and of these the most that are no points on a box. */
#define DPS_MAX_POSYNOMIAL 8
#define DPS_MAX_CORNERS 6

typedef struct DpsPosynomial DpsPosynomial;

/* The form of a node over the n variables given, on boxes within root, which is by dimension; NULL
 * if it has none. */
extern DPS_MUST_USE DpsStatus dps_posynomial_init(DpsGraph *graph, DpsArena *arena, const DpsNode *node, int n, const int *variable,
												  const DpsDomain *root, const DpsPosynomial **form);

/*
 * An upper bound of the node's values on the box, where it is defined, continuous and never NULL;
 * Infinity if none is found.  Any centre will do, in the box or not; near the greatest value of the
 * box the bound is best.  `corner` becomes the one that the bound is of.  All are by dimension.
 */
extern double dps_posynomial_bound(const DpsPosynomial *form, const DpsDomain *box, const double *centre, double *corner);

/* Moves the centre this part of the way to the corner, on the logarithmic scale. */
extern void dps_posynomial_move(const DpsPosynomial *form, const DpsDomain *box, const double *corner, double part,
								double *centre);

#endif							/* DPS_BOUND_RELAX_POSYNOMIAL_H */
