/*
 * monomial.c
 *		Products, quotients and constant powers in one normal form.
 *
 * A monomial is (num / den) * prod_i base_i ^ e_i.  Merging the powers of one
 * base must not change where the expression is defined: exponents of one sign
 * are added, and opposite signs cancel only while the base stays in the
 * denominator (h / h^3 = 1 / h^2, but h^3 / h keeps its hole at 0).  For the
 * same reason a quotient in the denominator stays as it is: a / (b / c) is not
 * defined for c = 0, and c may be 0 on more than points (floor, an integer).
 * A power that is not an integer keeps its domain x >= 0 only while it stays
 * one.
 */
#include <math.h>

#include "expr/intern.h"

#define MAX_FACTORS 48

/* Powers with greater exponents are not taken apart. */
#define MAX_EXPONENT 1e6

typedef struct Factor
{
	const DpsNode *base;
	DpsNumber	exponent;
} Factor;

typedef struct Monomial
{
	DpsGraph   *graph;
	DpsNumber	num;
	DpsNumber	den;
	int			n;
	bool		overflow;		/* more than MAX_FACTORS: leave the node
								 * alone */
	Factor		factor[MAX_FACTORS];
} Monomial;

/* A product without factors. */
static void
init_monomial(Monomial *m, DpsGraph *graph, DpsNumber num, DpsNumber den)
{
	m->graph = graph;
	m->num = num;
	m->den = den;
	m->n = 0;
	m->overflow = false;
}

/* May base^a * base^b become base^(a + b)? */
static bool
may_merge(DpsNumber a, DpsNumber b, DpsNumber sum)
{
	if ((a.value > 0) != (b.value > 0) && sum.value >= 0)
		return false;
	if (!(fabs(sum.value) < MAX_EXPONENT))
		return false;
	return (dps_number_is_integer(a) && dps_number_is_integer(b)) || !dps_number_is_integer(sum);
}

static void collect(Monomial *m, const DpsNode *node, DpsNumber exponent);

/* A sum of exponents may merge with a factor that neither of its parts could
 * merge with, so the search for such a factor starts again. */
static void
add_factor(Monomial *m, const DpsNode *base, DpsNumber exponent)
{
	int			i = 0;

	while (i < m->n)
	{
		DpsNumber	own = m->factor[i].exponent;
		DpsNumber	sum = exponent;

		if (m->factor[i].base == base)
			sum = dps_number_sum(m->graph, own, exponent);
		if (m->factor[i].base == base && may_merge(own, exponent, sum))
		{
			exponent = sum;
			m->factor[i] = m->factor[--m->n];
			i = 0;
		}
		else
			i++;
	}
	if (base->op == DPS_OP_ABS && dps_number_is_even(exponent))
	{
		collect(m, base->arg[0], exponent);
		return;
	}
	if (m->n == MAX_FACTORS)
	{
		m->overflow = true;
		return;
	}
	m->factor[m->n].base = base;
	m->factor[m->n].exponent = exponent;
	m->n++;
}

/* Multiplies m by a constant's power; the exponent is an integer. */
static void
multiply_constant(Monomial *m, const DpsNode *node, DpsNumber exponent)
{
	DpsNumber	num;
	DpsNumber	den;
	bool		inverse = exponent.value < 0;
	int			i;

	/* 0 and NULL are not part of the coefficient */
	if (node->value == 0 || node->value != node->value)
	{
		exponent = dps_number(inverse && node->value == 0 ? -1 : 1);
		for (i = 0; i < m->n; i++)
		{
			if (m->factor[i].base == node && dps_number_is(m->factor[i].exponent, exponent.value))
				return;
		}
		add_factor(m, node, exponent);
		return;
	}
	dps_constant_ratio(node, &num, &den);
	num = dps_number_power(m->graph, num, fabs(exponent.value));
	den = dps_number_power(m->graph, den, fabs(exponent.value));
	if (!isnormal(num.value) || !isnormal(den.value))
	{
		m->overflow = true;
		return;
	}
	m->num = dps_number_product(m->graph, m->num, inverse ? den : num);
	m->den = dps_number_product(m->graph, m->den, inverse ? num : den);
}

/* (base ^ inner) ^ outer = base ^ (inner * outer) without a change of domain */
static bool
may_compose(DpsNumber inner, DpsNumber outer, DpsNumber product)
{
	if (!dps_number_is_integer(outer) || inner.value == 0 || (inner.value < 0 && outer.value < 0) ||
		!(fabs(product.value) < MAX_EXPONENT))
		return false;
	return dps_number_is_integer(inner) || !dps_number_is_integer(product);
}

/* May (x / y) ^ exponent be taken apart? */
static bool
may_divide(const DpsNode *y, DpsNumber exponent)
{
	return exponent.value > 0 || (y->op == DPS_OP_CONST && y->value != 0);
}

/* Multiplies m by (base ^ power) ^ exponent if the power is a number whose
 * product with the exponent is the same power of the base; false if not. */
static bool
collect_power(Monomial *m, const DpsNode *base, const DpsNode *power, DpsNumber exponent)
{
	DpsNumber	inner;
	DpsNumber	den;
	DpsNumber	product;

	if (power->op != DPS_OP_CONST || base->op == DPS_OP_CONST)
		return false;
	dps_constant_ratio(power, &inner, &den);
	product = dps_number_product(m->graph, inner, exponent);
	if (!dps_number_is(den, 1) || !may_compose(inner, exponent, product))
		return false;
	if (dps_number_is_integer(inner))
		collect(m, base, product);
	else
		add_factor(m, base, product);
	return true;
}

/* Multiplies m by node ^ exponent, taking the node apart as far as
 * possible. */
static void
collect(Monomial *m, const DpsNode *node, DpsNumber exponent)
{
	bool		whole = dps_number_is_integer(exponent);
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	/* a product that is too long is left alone; it may have 2^40 paths */
	if (m->overflow)
		return;
	if (node->op == DPS_OP_CONST)
	{
		multiply_constant(m, node, exponent);
		return;
	}
	if (whole && dps_is_real(node->type))
	{
		if (node->op == DPS_OP_MUL || (node->op == DPS_OP_DIV && may_divide(y, exponent)))
		{
			collect(m, x, exponent);
			collect(m, y, node->op == DPS_OP_MUL ? exponent : dps_negated(exponent));
			return;
		}
		if (node->op == DPS_OP_NEG)
		{
			if (!dps_number_is_even(exponent))
				m->num = dps_negated(m->num);
			collect(m, x, exponent);
			return;
		}
		if (node->op == DPS_OP_SQR)
		{
			collect(m, x, dps_number(2 * exponent.value));
			return;
		}
	}
	if (node->op == DPS_OP_POW && collect_power(m, x, y, exponent))
		return;
	add_factor(m, node, exponent);
}

static bool
comes_before(const Factor *a, const Factor *b)
{
	int			order = dps_compare_nodes(a->base, b->base);

	return order < 0 || (order == 0 && dps_compare_numbers(a->exponent, b->exponent) < 0);
}

static void
sort_factors(Monomial *m)
{
	int			i,
				j;

	for (i = 1; i < m->n; i++)
	{
		Factor		moving = m->factor[i];

		for (j = i; j > 0 && comes_before(&moving, &m->factor[j - 1]); j--)
			m->factor[j] = m->factor[j - 1];
		m->factor[j] = moving;
	}
}

static bool
absorbs(const DpsNode *x, const DpsNode *y)
{
	return dps_is_constant(x, 0) && y->total && !y->nullable;
}

/* Constants that are not in the coefficient, such as 0, are treated as if the
 * same operation were applied again. */
static const DpsNode *
combine(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	if (x == NULL || y == NULL)
		return NULL;
	if ((x->op == DPS_OP_CONST && y->op == DPS_OP_CONST) ||
		(op == DPS_OP_MUL && (absorbs(x, y) || absorbs(y, x))))
		return dps_apply(graph, op, type, x, y);
	return dps_intern(graph, op, type, 2, x, y, NULL);
}

/* base ^ exponent, exponent > 0 or not an integer */
static const DpsNode *
power_node(DpsGraph *graph, DpsType type, const DpsNode *base, DpsNumber exponent)
{
	if (dps_number_is(exponent, 1))
		return base;
	if (dps_number_is(exponent, 2))
		return dps_intern(graph, DPS_OP_SQR, type, 1, base, NULL, NULL);
	return dps_intern(graph, DPS_OP_POW, type, 2, base, dps_number_node(graph, type, exponent), NULL);
}

static bool
is_below(const Factor *factor)
{
	return factor->exponent.value < 0 && dps_number_is_integer(factor->exponent);
}

static bool
is_unit(DpsNumber x)
{
	return dps_number_is(x, 1) || dps_number_is(x, -1);
}

/* c * product of the factors of one side; NULL factors mean the empty product */
static const DpsNode *
side_node(DpsGraph *graph, DpsType type, const Monomial *m, bool below, DpsNumber c, bool *empty)
{
	const DpsNode *product = is_unit(c) ? NULL : dps_number_node(graph, type, c);
	bool		any = product != NULL;
	int			i;

	for (i = 0; i < m->n; i++)
	{
		DpsNumber	exponent = m->factor[i].exponent;
		const DpsNode *power;

		if (is_below(&m->factor[i]) != below)
			continue;
		power = power_node(graph, type, m->factor[i].base, below ? dps_negated(exponent) : exponent);
		product = any ? combine(graph, DPS_OP_MUL, type, product, power) : power;
		any = true;
	}
	*empty = !any;
	return product;
}

/* Did everything fit, and was no digit of the coefficient lost? */
static bool
is_faithful(const Monomial *m)
{
	return !m->overflow && isnormal(m->num.value) && isnormal(m->den.value);
}

/* Is it a quotient or root, which collect leaves whole only in the
 * denominator? */
static bool
is_nested(const DpsNode *base)
{
	return base->op == DPS_OP_DIV || (base->op == DPS_OP_POW && base->arg[1]->op == DPS_OP_CONST);
}

/*
 * If a quotient is in the denominator, the whole denominator is one factor: as
 * a product by itself it would have normal form, too.  Its coefficient joins
 * that of the monomial, except for its own denominator, which stays in the
 * factor.
 */
static bool
gather_below(Monomial *m, Monomial *below)
{
	bool		nested = false;
	DpsNumber	num;
	DpsNumber	den;
	int			i;

	for (i = 0; i < m->n; i++)
		nested |= is_below(&m->factor[i]) && is_nested(m->factor[i].base);
	if (!nested)
		return false;
	init_monomial(below, m->graph, dps_number(1), dps_number(1));
	for (i = 0; i < m->n; i++)
		if (is_below(&m->factor[i]))
			collect(below, m->factor[i].base, dps_negated(m->factor[i].exponent));
	num = dps_number_product(m->graph, m->num, below->den);
	den = dps_number_product(m->graph, m->den, below->num);
	if (!is_faithful(below) || !isnormal(num.value) || !isnormal(den.value))
		return false;
	dps_reduce_ratio(m->graph, &num, &den);
	m->num = num;
	below->num = m->den = den;
	below->den = dps_number(1);
	return true;
}

static const DpsNode *
rebuild(DpsGraph *graph, DpsType type, Monomial *m)
{
	const DpsNode *above;
	const DpsNode *below;
	Monomial	divisor;
	bool		none_above;
	bool		none_below = false;
	bool		negated = false;

	dps_reduce_ratio(graph, &m->num, &m->den);
	sort_factors(m);
	if (gather_below(m, &divisor))
		below = rebuild(graph, type, &divisor);
	else
		below = side_node(graph, type, m, true, m->den, &none_below);
	above = side_node(graph, type, m, false, m->num, &none_above);
	if (none_above)
		above = dps_number_node(graph, type, m->num);
	else if (dps_number_is(m->num, -1))
		negated = true;
	if (!none_below)
		above = combine(graph, DPS_OP_DIV, type, above, below);
	if (!negated || above == NULL)
		return above;
	if (above->op == DPS_OP_SUB || above->op == DPS_OP_CONST)
		return dps_apply(graph, DPS_OP_NEG, type, above, NULL);
	return dps_intern(graph, DPS_OP_NEG, type, 1, above, NULL, NULL);
}

const DpsNode *
dps_monomial(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	int			nargs = dps_ops[op].arity;
	Monomial	m;

	init_monomial(&m, graph, dps_number(op == DPS_OP_NEG ? -1 : 1), dps_number(1));
	switch (op)
	{
		case DPS_OP_MUL:
			collect(&m, x, dps_number(1));
			collect(&m, y, dps_number(1));
			break;
		case DPS_OP_DIV:
			collect(&m, x, dps_number(1));
			collect(&m, y, dps_number(-1));
			break;
		case DPS_OP_NEG:
			collect(&m, x, dps_number(1));
			break;
		case DPS_OP_SQR:
			collect(&m, x, dps_number(2));
			break;
		default:				/* POW with a constant, integral exponent */
			collect(&m, x, dps_number(y->value));
			break;
	}
	if (!is_faithful(&m))
		return dps_intern(graph, op, type, nargs, x, nargs == 2 ? y : NULL, NULL);
	return rebuild(graph, type, &m);
}

const DpsNode *
dps_split_coefficient(DpsGraph *graph, const DpsNode *node, DpsNumber *num, DpsNumber *den)
{
	Monomial	m;

	*num = *den = dps_number(1);
	if (node->op != DPS_OP_MUL && node->op != DPS_OP_DIV && node->op != DPS_OP_NEG)
		return node;
	init_monomial(&m, graph, dps_number(1), dps_number(1));
	collect(&m, node, dps_number(1));
	if (!is_faithful(&m) || m.n == 0)
		return node;
	*num = m.num;
	*den = m.den;
	dps_reduce_ratio(graph, num, den);
	m.num = m.den = dps_number(1);
	return rebuild(graph, node->type, &m);
}

const DpsNode *
dps_join_coefficient(DpsGraph *graph, DpsNumber num, DpsNumber den, const DpsNode *monic)
{
	Monomial	m;

	if (monic == NULL || (dps_number_is(num, 1) && dps_number_is(den, 1)))
		return monic;
	init_monomial(&m, graph, num, den);
	collect(&m, monic, dps_number(1));
	if (is_faithful(&m))
		return rebuild(graph, monic->type, &m);
	/* a product that is too long to be taken apart */
	if (!dps_number_is(num, 1))
		monic = dps_intern(graph, DPS_OP_MUL, monic->type, 2, dps_number_node(graph, monic->type, num), monic, NULL);
	if (!dps_number_is(den, 1) && monic != NULL)
		monic = dps_intern(graph, DPS_OP_DIV, monic->type, 2, monic, dps_number_node(graph, monic->type, den), NULL);
	return monic;
}
