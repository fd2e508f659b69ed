/*
 * fraction.c
 *		Sums of fractions over one denominator.
 *
 * The derivative of t / (1 + t) is 1 / (1 + t) - t / (1 + t)^2.  An enclosure
 * takes the two terms for unrelated and does not even know the sign for large
 * t.  Over one denominator the numerator is (1 + t) - t, which is 1.  The same
 * holds for roots: the derivative of x / sqrt(1 + x^2) has the numerator (1 +
 * x^2) - x^2.
 *
 * A term is only multiplied by a denominator that already divides another term, so the
 * result is defined where the sum is.  It may be defined, or not NULL, where the sum is
 * not, by terms that cancel: it is for derivatives, which count only where the
 * differentiated expression has a value.  x sign(x) is |x| at every x; so it is in a
 * derivative, where sign(0) stands for all slopes between -1 and 1.
 */
#include <math.h>

#include "bound/relax/factor.h"
#include "expr/intern.h"

#define MAX_TERMS 16
#define MAX_RAISED 2

typedef struct Fraction
{
	DpsGraph   *graph;
	int			n;
	DpsPowers	term[MAX_TERMS];
	int			joined;			/* terms that were added to another term */
} Fraction;

static bool
is_sum(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB);
}

static bool add_terms(Fraction *f, const DpsPowers *factors, const DpsNode *node);

/* Adds a product, with the sums among its factors multiplied out. */
static bool
add_product(Fraction *f, const DpsPowers *product)
{
	int			i;

	for (i = 0; i < product->n; i++)
	{
		DpsPowers	others = *product;
		const DpsNode *sum = product->factor[i].base;

		if (product->factor[i].power != 1 || !is_sum(sum))
			continue;
		others.factor[i] = others.factor[--others.n];
		return add_terms(f, &others, sum);
	}
	if (f->n == MAX_TERMS)
		return false;
	f->term[f->n++] = *product;
	return true;
}

/* Adds the terms of a sum times some factors; false if there are too many, or
 * if one is no product. */
static bool
add_terms(Fraction *f, const DpsPowers *factors, const DpsNode *node)
{
	DpsPowers	product = *factors;

	if (is_sum(node))
	{
		if (!add_terms(f, factors, node->arg[0]))
			return false;
		product.negated = product.negated != (node->op == DPS_OP_SUB);
		return add_terms(f, &product, node->arg[1]);
	}
	return dps_powers_multiply(&product, node, 1) && add_product(f, &product);
}

/* The least and the greatest power of the base among the terms. */
static void
find_powers(const Fraction *f, const DpsNode *base, int *least, int *greatest)
{
	int			k;

	*least = *greatest = dps_powers_of(&f->term[0], base);
	for (k = 1; k < f->n; k++)
	{
		int			power = dps_powers_of(&f->term[k], base);

		*least = power < *least ? power : *least;
		*greatest = power > *greatest ? power : *greatest;
	}
}

/* The sum by which a denominator is multiplied out: the base itself, or its
 * argument if the base is a root; NULL if it is neither. */
static const DpsNode *
sum_of(const DpsNode *base)
{
	if (base->op == DPS_OP_SQRT && base->type == DPS_FLOAT8 && is_sum(base->arg[0]))
		return base->arg[0];
	return is_sum(base) ? base : NULL;
}

/* The power of the base that equals its sum. */
static int
power_of_sum(const DpsNode *base)
{
	return base->op == DPS_OP_SQRT ? 2 : 1;
}

/* The number of times that a term must at most be multiplied by the base's sum, so
 * that all terms have one denominator; 0 if that is not possible. */
static int
raised(const Fraction *f, const DpsNode *base)
{
	int			least;
	int			greatest;
	int			k;

	find_powers(f, base, &least, &greatest);
	for (k = 0; k < f->n; k++)
		if ((dps_powers_of(&f->term[k], base) - least) % power_of_sum(base) != 0)
			return 0;
	return (greatest - least) / power_of_sum(base);
}

/* A sum, or the root of a sum, that divides some terms more often than others;
 * NULL if there is none. */
static const DpsNode *
find_denominator(const Fraction *f)
{
	int			k;
	int			i;

	for (k = 0; k < f->n; k++)
		for (i = 0; i < f->term[k].n; i++)
		{
			const DpsPower *factor = &f->term[k].factor[i];

			/* the base must divide a term */
			if (factor->power < 0 && sum_of(factor->base) != NULL && raised(f, factor->base) >= 1 &&
				raised(f, factor->base) <= MAX_RAISED)
				return factor->base;
		}
	return NULL;
}

/* Multiplies by base ^ power, one factor at a time, as the constructors do. */
static const DpsNode *
times(DpsGraph *graph, const DpsNode *node, const DpsNode *base, int power)
{
	for (; power > 0; power--)
		node = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, node, base);
	for (; power < 0; power++)
		node = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, node, base);
	return node;
}

/* A factor sign(x) beside a factor x, or NULL. */
static const DpsNode *
magnitude_in(const DpsPowers *term)
{
	int			i;

	for (i = 0; i < term->n; i++)
		if (term->factor[i].base->op == DPS_OP_SIGN && term->factor[i].power == 1 &&
			dps_powers_of(term, term->factor[i].base->arg[0]) > 0)
			return term->factor[i].base;
	return NULL;
}

/* Writes a factor sign(x) beside x as |x|; false if there are too many factors. */
static bool
join_sign(DpsPowers *term)
{
	const DpsNode *sign = magnitude_in(term);
	DpsPowers	others = *term;
	int			i;

	if (sign == NULL)
		return true;
	others.n = 0;
	for (i = 0; i < term->n; i++)
	{
		DpsPower	factor = term->factor[i];

		factor.power -= factor.base == sign || factor.base == sign->arg[0];
		if (factor.power != 0)
			others.factor[others.n++] = factor;
	}
	*term = others;
	return dps_powers_multiply(term, dps_apply(term->graph, DPS_OP_ABS, DPS_FLOAT8, sign->arg[0], NULL), 1);
}

/* Do the terms have the same powers? */
static bool
are_alike(const DpsPowers *x, const DpsPowers *y)
{
	int			i;

	for (i = 0; i < x->n; i++)
		if (dps_powers_of(y, x->factor[i].base) != x->factor[i].power)
			return false;
	return x->n == y->n;
}

static const DpsNode *
signed_coefficient(const DpsPowers *term)
{
	if (!term->negated)
		return term->coefficient;
	return dps_apply(term->graph, DPS_OP_NEG, DPS_FLOAT8, term->coefficient, NULL);
}

/* Adds a term to a term of the numerator with the same powers, or as a new
 * term; false if there are too many, or if memory ran out. */
static bool
add_to_numerator(Fraction *numerator, DpsPowers term)
{
	int			k;

	if (!join_sign(&term))
		return false;
	for (k = 0; k < numerator->n; k++)
	{
		DpsPowers  *other = &numerator->term[k];
		const DpsNode *sum;

		if (!are_alike(other, &term))
			continue;
		sum = dps_apply(term.graph, DPS_OP_ADD, DPS_FLOAT8, signed_coefficient(other), signed_coefficient(&term));
		if (sum == NULL)
			return false;
		if (sum->op != DPS_OP_CONST)
			continue;
		numerator->joined++;
		other->coefficient = sum;
		other->negated = false;
		if (dps_is_constant(sum, 0))
			numerator->term[k] = numerator->term[--numerator->n];
		return true;
	}
	if (numerator->n == MAX_TERMS)
		return false;
	numerator->term[numerator->n++] = term;
	return true;
}

/* Adds term * sum ^ power, with the sum's own terms multiplied out. */
static bool
add_expanded(Fraction *numerator, const DpsPowers *term, const DpsNode *sum, int power)
{
	const DpsNode *rest = sum;

	if (power == 0)
		return add_to_numerator(numerator, *term);
	for (;;)
	{
		DpsPowers	product = *term;
		const DpsNode *last = is_sum(rest) ? rest->arg[1] : rest;

		product.negated = product.negated != (rest->op == DPS_OP_SUB && is_sum(rest));
		if (!dps_powers_multiply(&product, last, 1) || !add_expanded(numerator, &product, sum, power - 1))
			return false;
		if (!is_sum(rest))
			return true;
		rest = rest->arg[0];
	}
}

/* The term as a node. */
static const DpsNode *
term_node(const DpsPowers *term)
{
	const DpsNode *result = signed_coefficient(term);
	int			i;

	for (i = 0; i < term->n; i++)
		result = times(term->graph, result, term->factor[i].base, term->factor[i].power);
	return result;
}

/* Removes a factor from a term. */
static void
take_out(DpsPowers *term, const DpsNode *base)
{
	int			i;

	for (i = 0; i < term->n; i++)
		if (term->factor[i].base == base)
			term->factor[i--] = term->factor[--term->n];
}

/* A sum over one denominator. */
static const DpsNode *
join_fractions(DpsGraph *graph, const DpsNode *node)
{
	Fraction	f = {.graph = graph};
	Fraction	numerator = {.graph = graph};
	DpsPowers	one = dps_powers_empty(graph, false);
	const DpsNode *base;
	const DpsNode *result = dps_constant(graph, DPS_FLOAT8, 0);
	int			least;
	int			greatest;
	int			k;

	if (one.coefficient == NULL)
		return NULL;
	if (!add_terms(&f, &one, node))
		return node;
	base = find_denominator(&f);
	if (base == NULL)
		return node;
	find_powers(&f, base, &least, &greatest);
	for (k = 0; k < f.n; k++)
	{
		int			power = dps_powers_of(&f.term[k], base);

		take_out(&f.term[k], base);
		if (!add_expanded(&numerator, &f.term[k], sum_of(base), (power - least) / power_of_sum(base)))
			return node;
	}
	if (numerator.joined == 0)
		return node;
	for (k = 0; k < numerator.n; k++)
		result = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, result, term_node(&numerator.term[k]));
	/* one by one: a power of the denominator may overflow where single factors
	 * do not */
	for (; least < 0; least++)
		result = dps_intern(graph, DPS_OP_DIV, DPS_FLOAT8, 2, result, base, NULL);
	return result;
}

const DpsNode *
dps_together(DpsGraph *graph, const DpsNode *node)
{
	const DpsNode *x;
	const DpsNode *y;

	if (node == NULL || node->type != DPS_FLOAT8)
		return node;
	if (is_sum(node))
		return join_fractions(graph, node);
	if (node->op != DPS_OP_MUL && node->op != DPS_OP_DIV && node->op != DPS_OP_NEG)
		return node;
	x = dps_together(graph, node->arg[0]);
	y = node->op == DPS_OP_NEG ? NULL : dps_together(graph, node->arg[1]);
	if (x == node->arg[0] && (node->op == DPS_OP_NEG || y == node->arg[1]))
		return node;
	return dps_apply(graph, node->op, DPS_FLOAT8, x, y);
}
