/*
 * lattice.h
 *		Lipschitz constants where integers move by whole steps.
 */
#ifndef DPS_BOUND_QUANTITY_LATTICE_H
#define DPS_BOUND_QUANTITY_LATTICE_H

#include "bound/quantity/bound.h"

/* As dps_lipschitz, but with all private integers relaxed to reals (quantities.c), so
 * it refuses jumps between two integers. */
extern DPS_MUST_USE DpsStatus dps_lipschitz_by_lines(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
													 const DpsPolicy *policy, DpsGradientNorm norm,
													 const DpsBoundOptions *options, DpsBracket *bracket);

/*
 * Joins brackets of parts, where the norm of the parts bounds the whole.  The whole begins
 * as all 0; parts are added one after the other, then the whole is closed.  The lower end
 * of a part, divided by its weight, is a lower end of the whole.
 */
extern void dps_norm_add_part(DpsBracket *whole, const DpsBracket *part, double weight, DpsGradientNorm norm);
extern void dps_norm_close(DpsBracket *whole, DpsGradientNorm norm);

#endif							/* DPS_BOUND_QUANTITY_LATTICE_H */
