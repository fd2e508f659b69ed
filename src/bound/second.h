/*
 * second.h
 *		Upper bounds by second derivatives.
 */
#ifndef DPS_BOUND_SECOND_H
#define DPS_BOUND_SECOND_H

#include "expr/program.h"

/* Beyond so many dimensions a Hessian is not worth its price. */
#define DPS_MAX_CURVED 8

typedef struct DpsSecond
{
	int			n;
	int			variable[DPS_MAX_CURVED];
	const DpsProgram *program;	/* value, gradient, upper triangle of the
								 * Hessian by rows */
	DpsEnclosure *box;
	DpsEnclosure *point;
	DpsInterval hessian[DPS_MAX_CURVED][DPS_MAX_CURVED];
} DpsSecond;

/*
 * Prepares for an expression over these variables; n <= DPS_MAX_CURVED.
 * DPS_UNABLE if it has no second derivatives.
 */
extern DPS_MUST_USE DpsStatus dps_second_init(DpsSecond *second, DpsGraph *graph, DpsArena *arena, const DpsNode *node,
											  int n, const int *variable);

/*
 * An upper bound over the box, Infinity if the second derivatives do not give
 * one; the expression must be defined, finite, never NULL and continuous
 * there.  domain is indexed by variable and used for points in between.
 * centre, by dimension, is where the expansion is made: close to where the
 * expression is greatest in the box.
 */
extern double dps_second_bound(DpsSecond *second, DpsDomain *domain, double *centre);

#endif							/* DPS_BOUND_SECOND_H */
