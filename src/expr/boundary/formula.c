/*
 * formula.c
 *		Polynomials in nodes, with coefficients that are intervals.
 */
#include <math.h>
#include <string.h>

#include "expr/boundary/formula.h"

static bool
same_factors(const DpsFormulaTerm *a, const DpsFormulaTerm *b)
{
	return a->degree == b->degree &&
		memcmp(a->factor, b->factor, sizeof(a->factor[0]) * a->degree) == 0;
}

bool
dps_formula_add_term(DpsFormula *formula, const DpsFormulaTerm *term)
{
	int			i;

	for (i = 0; i < formula->n; i++)
	{
		if (!same_factors(&formula->term[i], term))
			continue;
		formula->term[i].coefficient = dps_iv_add(formula->term[i].coefficient, term->coefficient);
		return true;
	}
	if (formula->n == DPS_MAX_FORMULA)
		return false;
	formula->term[formula->n++] = *term;
	return true;
}

bool
dps_formula_add(DpsFormula *formula, const DpsFormula *other, DpsInterval factor)
{
	int			i;

	for (i = 0; i < other->n; i++)
	{
		DpsFormulaTerm term = other->term[i];

		term.coefficient = dps_iv_mul(term.coefficient, factor);
		if (!dps_formula_add_term(formula, &term))
			return false;
	}
	return true;
}

static bool
multiply_terms(const DpsFormulaTerm *x, const DpsFormulaTerm *y, DpsFormulaTerm *product)
{
	int			i = 0;
	int			j = 0;

	product->coefficient = dps_iv_mul(x->coefficient, y->coefficient);
	product->degree = x->degree + y->degree;
	if (product->degree > DPS_MAX_FORMULA_DEGREE)
		return false;
	while (i + j < product->degree)
	{
		const DpsNode **next = &product->factor[i + j];

		if (j == y->degree || (i < x->degree && x->factor[i]->id <= y->factor[j]->id))
			*next = x->factor[i++];
		else
			*next = y->factor[j++];
	}
	return true;
}

bool
dps_formula_multiply(const DpsFormula *x, const DpsFormula *y, DpsFormula *product)
{
	DpsFormulaTerm term;
	int			i;
	int			j;

	product->n = 0;
	for (i = 0; i < x->n; i++)
		for (j = 0; j < y->n; j++)
			if (!multiply_terms(&x->term[i], &y->term[j], &term) || !dps_formula_add_term(product, &term))
				return false;
	return true;
}

void
dps_formula_set_constant(DpsFormula *formula, DpsInterval value)
{
	formula->n = 1;
	formula->term[0] = (DpsFormulaTerm) {.coefficient = value};
}

void
dps_formula_set_node(DpsFormula *formula, const DpsNode *node)
{
	dps_formula_set_constant(formula, dps_iv(1, 1));
	formula->term[0].degree = 1;
	formula->term[0].factor[0] = node;
}

bool
dps_formula_is_constant(const DpsFormula *formula)
{
	int			i;

	for (i = 0; i < formula->n; i++)
		if (formula->term[i].degree > 0 && !(formula->term[i].coefficient.lo == 0 && formula->term[i].coefficient.hi == 0))
			return false;
	return true;
}

DpsInterval
dps_formula_constant(const DpsFormula *formula)
{
	int			i;

	for (i = 0; i < formula->n; i++)
		if (formula->term[i].degree == 0)
			return formula->term[i].coefficient;
	return dps_iv(0, 0);
}

bool
dps_formula_is_affine(const DpsFormula *formula)
{
	int			i;

	for (i = 0; i < formula->n; i++)
	{
		const DpsFormulaTerm *term = &formula->term[i];

		if (term->degree > 1 || (term->degree == 1 && term->factor[0]->op != DPS_OP_VAR) ||
			!isfinite(term->coefficient.lo) || !isfinite(term->coefficient.hi))
			return false;
	}
	return true;
}

bool
dps_formula_is_zero(const DpsFormula *formula)
{
	int			i;

	for (i = 0; i < formula->n; i++)
		if (formula->term[i].coefficient.lo != 0 || formula->term[i].coefficient.hi != 0)
			return false;
	return true;
}

/* By degree, then by the factors: products keep this order. */
static bool
is_greater(const DpsFormulaTerm *a, const DpsFormulaTerm *b)
{
	int			i;

	if (a->degree != b->degree)
		return a->degree > b->degree;
	for (i = 0; i < a->degree; i++)
		if (a->factor[i] != b->factor[i])
			return a->factor[i]->id < b->factor[i]->id;
	return false;
}

static const DpsFormulaTerm *
leading_term(const DpsFormula *formula)
{
	const DpsFormulaTerm *lead = &formula->term[0];
	int			i;

	for (i = 1; i < formula->n; i++)
		if (is_greater(&formula->term[i], lead))
			lead = &formula->term[i];
	return lead;
}

/* The term divided by another; false if it is no multiple. */
static bool
divide_terms(const DpsFormulaTerm *x, const DpsFormulaTerm *y, DpsFormulaTerm *quotient)
{
	int			i;
	int			j = 0;

	*quotient = (DpsFormulaTerm) {.coefficient = dps_iv_div(x->coefficient, y->coefficient)};
	for (i = 0; i < x->degree; i++)
	{
		if (j < y->degree && x->factor[i] == y->factor[j])
			j++;
		else
			quotient->factor[quotient->degree++] = x->factor[i];
	}
	return j == y->degree;
}

/* rest -= quotient * g; terms that are then exactly 0 are left out. */
static bool
subtract_multiple(DpsFormula *rest, const DpsFormula *g, const DpsFormulaTerm *quotient)
{
	int			n = 0;
	int			i;

	for (i = 0; i < g->n; i++)
	{
		DpsFormulaTerm product;

		if (!multiply_terms(quotient, &g->term[i], &product))
			return false;
		product.coefficient = dps_iv_neg(product.coefficient);
		if (!dps_formula_add_term(rest, &product))
			return false;
	}
	for (i = 0; i < rest->n; i++)
		if (rest->term[i].coefficient.lo != 0 || rest->term[i].coefficient.hi != 0)
			rest->term[n++] = rest->term[i];
	rest->n = n;
	return true;
}

bool
dps_formula_divide(DpsFormula *rest, const DpsFormula *g, DpsFormula *quotient)
{
	const DpsFormulaTerm *lead = leading_term(g);
	int			step;
	int			i;

	quotient->n = 0;
	if (g->n == 0 || lead->degree == 0 || dps_iv_contains(lead->coefficient, 0))
		return false;
	for (step = 0; step < DPS_MAX_FORMULA; step++)
	{
		DpsFormula	others = *g;
		DpsFormulaTerm part;

		for (i = 0; i < rest->n && !divide_terms(&rest->term[i], lead, &part); i++)
			;
		if (i == rest->n)
			return true;
		/* this term less its part of the quotient times g's leading term is
		 * 0 */
		rest->term[i] = rest->term[--rest->n];
		others.term[lead - g->term] = others.term[--others.n];
		if (!dps_formula_add_term(quotient, &part) || !subtract_multiple(rest, &others, &part))
			return false;
	}
	return false;
}

int
dps_formula_degree(const DpsFormula *g)
{
	int			most = 0;
	int			i;
	int			k;

	for (i = 0; i < g->n; i++)
	{
		for (k = 0; k < g->term[i].degree; k++)
			if (g->term[i].factor[k]->op != DPS_OP_VAR)
				return 0;
		if (g->term[i].degree > most)
			most = g->term[i].degree;
	}
	return most;
}

bool
dps_formula_is_multiple(const DpsFormula *a, const DpsFormula *b, double factor)
{
	DpsFormula	sum = *a;
	int			i;

	for (i = 0; i < a->n; i++)
		if (!dps_iv_is_point(a->term[i].coefficient))
			return false;
	return dps_formula_add(&sum, b, dps_iv(-factor, -factor)) && dps_formula_is_zero(&sum);
}
