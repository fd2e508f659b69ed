/*
 * jump.h
 *		Can a value jump when private columns move?
 */
#ifndef DPS_BOUND_QUANTITY_JUMP_H
#define DPS_BOUND_QUANTITY_JUMP_H

#include "bound/quantity/bound.h"

/*
 * The box with private integers relaxed to reals, since rows move along straight
 * lines, and without the NULLs that make the value NULL.  Public columns do not
 * move.
 */
extern void dps_relax_box(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int ncolumns,
						  uint64_t private_variables, DpsDomain *relaxed);

/*
 * Refuses the bracket, as dps_lipschitz does, if the value may jump; otherwise
 * the bracket is DPS_OK without ends.  Counts boxes either way.  `relaxed` is
 * the result of dps_relax_box.
 */
extern DPS_MUST_USE DpsStatus dps_refuse_jumps(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
											   const DpsDomain *relaxed, int ncolumns, uint64_t private_variables,
											   DpsBracket *bracket);

/* By how much the branches of its CASEs, which meet but for the rounding of constants, are
 * apart in all, at most: 0 unless the value jumps by so little. */
extern DPS_MUST_USE DpsStatus dps_rounded_jumps(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
												uint64_t private_variables, double *jump);

#endif							/* DPS_BOUND_QUANTITY_JUMP_H */
