/*
 * affine_node.h
 *		Expressions that are affine as they are written: constants, columns times
 *		constants, and sums of these.
 */
#ifndef DPS_BOUND_AFFINE_NODE_H
#define DPS_BOUND_AFFINE_NODE_H

#include "expr/expr.h"

typedef struct DpsAffineRule
{
	uint64_t	columns;		/* the expression must be affine in these */
	bool		is_plain;		/* each column occurs once, and all other leaves are finite
								 * constants; if false, parts without these columns may be
								 * anything */
	bool		(*admits) (const void *context, const DpsNode *column); /* NULL: all columns */
	const void *context;
} DpsAffineRule;

/* Is the node a finite number: a constant, or an operation on constants? */
extern bool dps_is_number(const DpsNode *node);

extern bool dps_is_affine(const DpsAffineRule *rule, const DpsNode *node);

#endif							/* DPS_BOUND_AFFINE_NODE_H */
