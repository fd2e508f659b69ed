/*
 * intern.h
 *		Between the files of expr/: nodes as they are, without simplification.
 */
#ifndef DPS_EXPR_INTERN_H
#define DPS_EXPR_INTERN_H

#include "expr/expr.h"

/* The node of this operation, made if it is not there yet; NULL arguments
 * beyond nargs.  Commuting operations find either order. */
extern const DpsNode *dps_intern(DpsGraph *graph, DpsOpcode op, DpsType type, int nargs,
								 const DpsNode *x, const DpsNode *y, const DpsNode *z);

/*
 * A total order of nodes by structure: the same in every graph with the same
 * variables, whatever the order of construction.
 */
extern int	dps_compare_nodes(const DpsNode *a, const DpsNode *b);

/* Is it a number on which the field's laws may be used?  Integers and float4
 * are not: their overflow is part of their meaning. */
static inline bool
dps_is_real(DpsType type)
{
	return type == DPS_FLOAT8 || type == DPS_NUMERIC;
}

/* Products, quotients and constant powers in normal form (monomial.c); op is
 * MUL, DIV, NEG, SQR or POW with a constant exponent. */
extern const DpsNode *dps_monomial(DpsGraph *graph, DpsOpcode op, DpsType type,
								   const DpsNode *x, const DpsNode *y);

/* Sums and differences with like terms collected (polynomial.c). */
extern const DpsNode *dps_polynomial(DpsGraph *graph, DpsOpcode op, DpsType type,
									 const DpsNode *x, const DpsNode *y);

/* node = (num / den) * monic, without making nodes other than monic. */
extern const DpsNode *dps_split_coefficient(DpsGraph *graph, const DpsNode *node,
											double *num, double *den);

/* (num / den) * monic; the inverse of dps_split_coefficient. */
extern const DpsNode *dps_join_coefficient(DpsGraph *graph, double num, double den,
										   const DpsNode *monic);

/* Writes num/den in lowest terms where that is exact, den > 0. */
extern void dps_reduce_ratio(double *num, double *den);

#endif							/* DPS_EXPR_INTERN_H */
