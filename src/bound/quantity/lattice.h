/*
 * lattice.h
 *		Lipschitz constants where integers move by whole steps.
 */
#ifndef DPS_BOUND_LATTICE_H
#define DPS_BOUND_LATTICE_H

#include "bound/quantity/bound.h"

/* As dps_lipschitz, but with all private integers relaxed to reals (quantities.c): so
 * it refuses what jumps between two of them.  The graph is in a proof. */
extern DPS_MUST_USE DpsStatus dps_lipschitz_by_lines(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
													 const DpsPolicy *policy, DpsGradientNorm norm,
													 const DpsBoundOptions *options, DpsBracket *bracket);

/*
 * Brackets of parts of which the whole is at most the norm, one after the other into a
 * bracket that is all 0; a lower end of a part, divided by its weight, is one of the whole.
 * Then they are closed.
 */
extern void dps_norm_add_part(DpsBracket *whole, const DpsBracket *part, double weight, DpsGradientNorm norm);
extern void dps_norm_close(DpsBracket *whole, DpsGradientNorm norm);

#endif							/* DPS_BOUND_LATTICE_H */
