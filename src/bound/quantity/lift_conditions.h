/*
 * lift_conditions.h
 *		If-lifting: expressions with their conditions outermost.
 */
#ifndef DPS_BOUND_QUANTITY_LIFT_CONDITIONS_H
#define DPS_BOUND_QUANTITY_LIFT_CONDITIONS_H

#include "expr/expr.h"

/*
 * The expression with its conditions outermost: equal to it, if
 * private_variables is 0.  Otherwise it is a function of derivatives, and the
 * result may differ from it on a set that does not matter to a Lipschitz
 * constant in these variables, nor to the slopes by one on either side of a kink.  NULL if memory ran out.
 */
extern const DpsNode *dps_lift_conditions(DpsGraph *graph, const DpsNode *node, uint64_t private_variables);

#endif							/* DPS_BOUND_QUANTITY_LIFT_CONDITIONS_H */
