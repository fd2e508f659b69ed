/*
 * tip.h
 *		Roots of sums of squares, which have no derivative where all squares
 *		are 0.
 */
#ifndef DPS_EXPR_TIP_H
#define DPS_EXPR_TIP_H

#include "expr/expr.h"

#define DPS_MAX_LEGS 8

/*
 * root = sqrt(leg_1^2 + ... + leg_n^2) wherever the legs are defined: the
 * Euclidean norm of the legs.
 */
typedef struct DpsTip
{
	const DpsNode *root;
	int			nlegs;
	const DpsNode *leg[DPS_MAX_LEGS];
} DpsTip;

/* Fills in the legs of a square root; false if its argument is no sum of terms
 * that can be written as squares. */
extern bool dps_legs(DpsGraph *graph, const DpsNode *root, DpsTip *tip);

/*
 * As dps_gradient, with the roots fixed: node = f(columns, roots), gradient has
 * the derivatives of f by the columns, by_root those by the roots.
 */
extern DPS_MUST_USE DpsStatus dps_gradient_beside(DpsGraph *graph, const DpsNode *node,
												  const DpsTip *tips, int ntips,
												  const DpsNode **gradient, const DpsNode **by_root);

#endif							/* DPS_EXPR_TIP_H */
