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

/* Is the value NULL only where a NULL cell makes it so?  The claim of lattice.c needs it. */
extern DPS_MUST_USE DpsStatus dps_null_by_cells(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, bool *only);

/* The column + 1, of its type; NULL if memory ran out. */
extern const DpsNode *dps_next_integer(DpsGraph *graph, int column);

/* How far one step of an integer column moves a double precision value: f less f at the
 * next integer if `down`, else the negative; over the integers that have a next one. */
extern DPS_MUST_USE DpsStatus dps_step_reach(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, int column,
											 bool down, const DpsBoundOptions *options, DpsBracket *bracket);

/*
 * Joins brackets of parts, where the norm of the parts bounds the whole.  The whole begins
 * as all 0; parts are added one after the other, then the whole is closed.  The lower end
 * of a part, divided by its weight, is a lower end of the whole.
 */
extern void dps_norm_add_part(DpsBracket *whole, const DpsBracket *part, double weight, DpsGradientNorm norm);
extern void dps_norm_close(DpsBracket *whole, DpsGradientNorm norm);

#endif							/* DPS_BOUND_QUANTITY_LATTICE_H */
