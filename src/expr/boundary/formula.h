/*
 * formula.h
 *		Polynomials in nodes, with coefficients that are intervals: equal terms
 *		cancel whatever the nodes' values are.
 *
 * A function returns false if the result has more terms, or factors, than there is
 * room for; the result is undefined then.
 */
#ifndef DPS_EXPR_BOUNDARY_FORMULA_H
#define DPS_EXPR_BOUNDARY_FORMULA_H

#include "expr/expr.h"

#define DPS_MAX_FORMULA 32
#define DPS_MAX_FORMULA_DEGREE 6

/* coefficient * product of the factors, which are in the order of their ids */
typedef struct DpsFormulaTerm
{
	DpsInterval coefficient;
	int			degree;
	const DpsNode *factor[DPS_MAX_FORMULA_DEGREE];
} DpsFormulaTerm;

typedef struct DpsFormula
{
	int			n;
	DpsFormulaTerm term[DPS_MAX_FORMULA];
} DpsFormula;

extern void dps_formula_set_constant(DpsFormula *formula, DpsInterval value);

/* The node as a single factor. */
extern void dps_formula_set_node(DpsFormula *formula, const DpsNode *node);

extern bool dps_formula_add_term(DpsFormula *formula, const DpsFormulaTerm *term);

/* formula += factor * other */
extern bool dps_formula_add(DpsFormula *formula, const DpsFormula *other, DpsInterval factor);

extern bool dps_formula_multiply(const DpsFormula *x, const DpsFormula *y, DpsFormula *product);

/* Divides the rest by g until no term is a multiple of g's leading term. */
extern bool dps_formula_divide(DpsFormula *rest, const DpsFormula *g, DpsFormula *quotient);

/* Is it constant, apart from terms that have cancelled?  And its value, if so. */
extern bool dps_formula_is_constant(const DpsFormula *formula);
extern DpsInterval dps_formula_constant(const DpsFormula *formula);
extern bool dps_formula_is_zero(const DpsFormula *formula);

/* Is it affine in the columns, and of columns only? */
extern bool dps_formula_is_affine(const DpsFormula *formula);

/* The degree in the columns; 0 if there are other factors. */
extern int	dps_formula_degree(const DpsFormula *g);

/* Is a = factor * b, for a factor of 1 or -1? */
extern bool dps_formula_is_multiple(const DpsFormula *a, const DpsFormula *b, double factor);

#endif							/* DPS_EXPR_BOUNDARY_FORMULA_H */
