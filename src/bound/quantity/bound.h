/*
 * bound.h
 *		Certified bounds of row expressions over boxes, by interval branch and
 *		bound.
 *
 * What is bounded is the real function of the constants that are written, which
 * are doubles (DpsGraph).  The evaluator computes it up to dps_evaluation_error.
 */
#ifndef DPS_BOUND_QUANTITY_BOUND_H
#define DPS_BOUND_QUANTITY_BOUND_H

#include "bound/bracket.h"

/* Returns DPS_OK, or NOMEM or CANCELLED; what was found is in the bracket. */
extern DPS_MUST_USE DpsStatus dps_supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
										   const DpsBoundOptions *options, DpsBracket *bracket);

/* The infimum, as lower <= inf <= upper with upper attained at the witness. */
extern DPS_MUST_USE DpsStatus dps_infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
										  const DpsBoundOptions *options, DpsBracket *bracket);

/* The same of rows that have a value, where others have none: 1 / x is at least 1 on
 * [0, 1].  For people: a release refuses such an expression. */
extern DPS_MUST_USE DpsStatus dps_partial_supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
												   const DpsBoundOptions *options, DpsBracket *bracket);
extern DPS_MUST_USE DpsStatus dps_partial_infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
												  const DpsBoundOptions *options, DpsBracket *bracket);

/*
 * The role of the columns in the privacy of an expression.
 */
typedef struct DpsPolicy
{
	uint64_t	private_variables;	/* mask; the others are public */
	double		weights[DPS_MAX_VARIABLES + 1]; /* w_j of definitions, section 2, 1 by
												 * default */
} DpsPolicy;

/* sup |f| = max(sup f, -inf f): lower and witness are those of the greater
 * side. */
extern void dps_bracket_magnitude(const DpsBracket *infimum, const DpsBracket *supremum, DpsBracket *magnitude);

/* sup f - inf f, rounded up. */
extern void dps_bracket_length(const DpsBracket *infimum, const DpsBracket *supremum, DpsBracket *length);

typedef enum DpsGradientNorm
{
	DPS_NORM_1,
	DPS_NORM_2,
	DPS_NORM_INFINITY
} DpsGradientNorm;

/*
 * The Lipschitz constant K of definitions, section 2: sup of the weighted norm of the
 * gradient by the private variables, over the box with integer columns relaxed to real
 * intervals.  Where that has no bound, K is bounded by the steps of integers and the
 * gradient by the other columns (lattice.c); the lower end is then that of the greatest
 * of these parts.  status DPS_DOMAIN if the expression may jump inside the box even so:
 * culprit says where.  A CASE whose branches meet up to the rounding of constants is no
 * jump; the differences left between them are in the dps_evaluation_error of the same
 * node over the same box, and only both together bound what the evaluator yields.
 */
extern DPS_MUST_USE DpsStatus dps_lipschitz(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
											const DpsPolicy *policy, DpsGradientNorm norm,
											const DpsBoundOptions *options, DpsBracket *bracket);

/* sup |d_j f| over the box as it is (lattice points of integer columns); at kinks and
 * jumps by column j the derivatives of either side. */
extern DPS_MUST_USE DpsStatus dps_slope(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
										const DpsBoundOptions *options, DpsBracket *bracket);

/*
 * D_j of definitions, section 2: the furthest the value moves when column j alone
 * does, over non-NULL values.  witness is the row with the larger value and
 * witness.x[DPS_MAX_VARIABLES] the other value of column j.
 */
extern DPS_MUST_USE DpsStatus dps_attribute(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
											const DpsBoundOptions *options, DpsBracket *bracket);

/*
 * Narrows a box to what a WHERE condition can let through: for every row of
 * raw cells that makes it true, the cells clamped into the box's ranges are in
 * the narrowed box.  So income > 1000 narrows [0, 5000] to [1000, 5000] and
 * income > 9000 to [5000, 5000]; a box never becomes empty.  `empty` if no
 * row of raw cells makes the condition true; the box is as it was then.
 * A condition may be narrowed by in parts: each is to be one that must be true.
 * The condition must be what the server evaluates, operation by operation
 * (dps_graph_keep), on the columns of the graph, unclamped; box has an entry for
 * each.  Columns that it does not mention stay as they are.  An integer column that
 * it compares is no longer NULL.  Columns of other types hold NaN as well, if
 * they are in the mask; where NULL cannot occur NaN is the end of the range.
 */
extern DPS_MUST_USE DpsStatus dps_narrow(DpsGraph *graph, const DpsNode *condition, uint64_t nans,
										 DpsDomain *box, bool *empty);

#endif							/* DPS_BOUND_QUANTITY_BOUND_H */
