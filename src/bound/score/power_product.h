/*
 * power_product.h
 *		Products of powers of columns, as one dimension.
 */
#ifndef DPS_BOUND_SCORE_POWER_PRODUCT_H
#define DPS_BOUND_SCORE_POWER_PRODUCT_H

#include "bound/score/score.h"

/*
 * Looks for a product of columns outside of the mask `taken` through which alone the objective
 * depends on them, and puts one of the columns in its place, whose range in the box becomes that of
 * the product.  Guards must not depend on the columns.  The memory of scratch is needed until then.
 */
extern DPS_MUST_USE DpsStatus dps_take_product(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box,
											   uint64_t taken, DpsScore *score, bool *found);

#endif							/* DPS_BOUND_SCORE_POWER_PRODUCT_H */
