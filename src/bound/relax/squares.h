/*
 * squares.h
 *		Roots of sums that are never negative, as roots of sums of squares.
 */
#ifndef DPS_BOUND_RELAX_SQUARES_H
#define DPS_BOUND_RELAX_SQUARES_H

#include "expr/program.h"

/*
 * The node with squares completed below each root that an enclosure over the box does
 * not show to be defined, where it does so afterwards; the same node if there is none.
 * It is the same real function, and what the evaluator computes below these roots is
 * never negative, so what is bounded is to be what is evaluated: this comes before both.
 */
extern DPS_MUST_USE DpsStatus dps_complete_squares(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
												   const DpsNode **result);

#endif							/* DPS_BOUND_RELAX_SQUARES_H */
