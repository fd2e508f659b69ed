/*
 * dimension.h
 *		The dimensions of boxes: which columns there are, middles, and cutting.
 */
#ifndef DPS_BOUND_DIMENSION_H
#define DPS_BOUND_DIMENSION_H

#include "expr/program.h"

/* The name of the copy of a column that dps_attribute moves, and its index; -1
 * if there is none. */
extern const char dps_moving_name[];
extern int	dps_moving_variable(const DpsGraph *graph);

/* The graph's columns: its variables but for the moving copy of one that
 * dps_attribute adds.  Boxes have so many entries. */
extern int	dps_columns(const DpsGraph *graph);

/* A mask of the variables that each instruction depends on; masks has
 * ninstructions entries. */
extern void dps_instruction_variables(const DpsProgram *program, uint64_t *masks);

/* The middle of a dimension: an integer of an integral one. */
extern double dps_middle(const DpsDomain *domain);

/*
 * Cuts a dimension in two that together hold every point of it; false if it
 * is a point already or too narrow to cut.
 */
extern bool dps_cut(const DpsDomain *domain, DpsDomain *below, DpsDomain *above);

/* Where x lies on the scale by which parts of this range are compared: linear, but
 * over many orders of magnitude logarithmic in x. */
extern double dps_width_scale(const DpsDomain *domain, double x);

/* Can it be cut?  What is always NULL need not be. */
extern bool dps_can_cut(const DpsDomain *domain);

#endif							/* DPS_BOUND_DIMENSION_H */
