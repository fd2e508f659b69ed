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

/* The number of the graph's columns: of its variables without the moving copy
 * that dps_attribute adds.  A box has an entry for each. */
extern int	dps_columns(const DpsGraph *graph);

/* A mask of the variables that each instruction depends on; masks has
 * ninstructions entries. */
extern void dps_instruction_variables(const DpsProgram *program, uint64_t *masks);

/* The middle of a dimension; an integer if the dimension is integral. */
extern double dps_middle(const DpsDomain *domain);

/*
 * Cuts a dimension into two parts that together hold all its points; false if
 * it is a point already or too narrow to cut.
 */
extern bool dps_cut(const DpsDomain *domain, DpsDomain *below, DpsDomain *above);

/* x on the scale on which widths of parts of this range are compared: linear, but
 * logarithmic over many orders of magnitude. */
extern double dps_width_scale(const DpsDomain *domain, double x);

/* Can the dimension be cut?  Not if it is always NULL. */
extern bool dps_can_cut(const DpsDomain *domain);

#endif							/* DPS_BOUND_DIMENSION_H */
