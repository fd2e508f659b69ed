/*
 * monomial.c
 *		Products, quotients and constant powers in one normal form.
 *
 * A monomial is (num / den) * prod_i base_i ^ e_i.  Merging the powers of one
 * base must not change where the expression is defined: exponents of one sign
 * add freely, and opposite signs cancel only while the base stays in the
 * denominator (h / h^3 = 1 / h^2, but h^3 / h keeps its hole at 0).  For the
 * same reason a quotient below the line stays as it is: a / (b / c) is not
 * defined for c = 0, and c may be 0 on more than points (floor, an integer).
 * A power that is not an integer keeps its domain x >= 0 only while it stays
 * one.
 */
#include <math.h>

#include "expr/intern.h"

#define MAX_FACTORS 48

/* Powers from here on are not taken apart. */
#define MAX_EXPONENT 1e6

typedef struct Factor
{
	const DpsNode *base;
	double		exponent;
} Factor;

typedef struct Monomial
{
	double		num;
	double		den;
	int			n;
	bool		overflow;		/* more than MAX_FACTORS: leave it alone */
	Factor		factor[MAX_FACTORS];
} Monomial;

static bool
is_integer(double x)
{
	return x == rint(x);
}

static double
common_divisor(double a, double b)
{
	while (b != 0)
	{
		double		r = fmod(a, b);

		a = b;
		b = r;
	}
	return a;
}

void
dps_reduce_ratio(double *num, double *den)
{
	double		quotient;

	if (*den < 0)
	{
		*num = -*num;
		*den = -*den;
	}
	if (*den == 1 || !isfinite(*num) || !isfinite(*den))
		return;
	quotient = *num / *den;
	if (isfinite(quotient) && fma(quotient, *den, -*num) == 0 && fabs(*num) > 1e-280)
	{
		*num = quotient;
		*den = 1;
	}
	else if (is_integer(*num) && is_integer(*den) && fabs(*num) < 0x1p53 && *den < 0x1p53)
	{
		double		divisor = common_divisor(fabs(*num), *den);

		*num /= divisor;
		*den /= divisor;
	}
}

/* May base^a * base^b become base^(a + b)? */
static bool
may_merge(double a, double b)
{
	double		sum = a + b;

	if ((a > 0) != (b > 0) && sum >= 0)
		return false;
	if (fabs(sum) >= MAX_EXPONENT)
		return false;
	return (is_integer(a) && is_integer(b)) || !is_integer(sum);
}

static void collect(Monomial *m, const DpsNode *node, double exponent);

/* A sum of exponents may merge with a factor that neither of them could merge
 * with, so it looks for one again. */
static void
add_factor(Monomial *m, const DpsNode *base, double exponent)
{
	int			i = 0;

	while (i < m->n)
	{
		if (m->factor[i].base == base && may_merge(m->factor[i].exponent, exponent))
		{
			exponent += m->factor[i].exponent;
			m->factor[i] = m->factor[--m->n];
			i = 0;
		}
		else
			i++;
	}
	if (base->op == DPS_OP_ABS && fmod(exponent, 2) == 0)
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
multiply_constant(Monomial *m, const DpsNode *node, double exponent)
{
	double		power = pow(node->value, fabs(exponent));
	int			i;

	/* 0 and NULL are their own powers, and no part of the coefficient */
	if (node->value == 0 || node->value != node->value)
	{
		exponent = exponent > 0 || node->value != 0 ? 1 : -1;
		for (i = 0; i < m->n; i++)
		{
			if (m->factor[i].base == node && m->factor[i].exponent == exponent)
				return;
		}
		add_factor(m, node, exponent);
	}
	else if (!isnormal(power))
		m->overflow = true;
	else if (exponent > 0)
		m->num *= power;
	else
		m->den *= power;
}

/* (base ^ inner) ^ outer = base ^ (inner * outer) without a change of domain */
static bool
may_compose(double inner, double outer)
{
	if (!is_integer(outer) || inner == 0 || (inner < 0 && outer < 0))
		return false;
	return is_integer(inner) || !is_integer(inner * outer);
}

/* May (x / y) ^ exponent be taken apart? */
static bool
may_divide(const DpsNode *y, double exponent)
{
	return exponent > 0 || (y->op == DPS_OP_CONST && y->value != 0);
}

/* Multiplies m by node ^ exponent, taking the node apart as far as it goes. */
static void
collect(Monomial *m, const DpsNode *node, double exponent)
{
	bool		whole = is_integer(exponent);
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	/* once it is too long there is nothing to find, perhaps on 2^40 paths */
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
			collect(m, y, node->op == DPS_OP_MUL ? exponent : -exponent);
			return;
		}
		if (node->op == DPS_OP_NEG)
		{
			if (fmod(exponent, 2) != 0)
				m->num = -m->num;
			collect(m, x, exponent);
			return;
		}
		if (node->op == DPS_OP_SQR)
		{
			collect(m, x, 2 * exponent);
			return;
		}
	}
	if (node->op == DPS_OP_POW && y->op == DPS_OP_CONST && x->op != DPS_OP_CONST &&
		may_compose(y->value, exponent) && fabs(y->value * exponent) < MAX_EXPONENT)
	{
		if (is_integer(y->value))
			collect(m, x, y->value * exponent);
		else
			add_factor(m, x, y->value * exponent);
		return;
	}
	add_factor(m, node, exponent);
}

static bool
comes_before(const Factor *a, const Factor *b)
{
	int			order = dps_compare_nodes(a->base, b->base);

	return order < 0 || (order == 0 && a->exponent < b->exponent);
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

/* Constants that a coefficient does not take, such as 0, are treated as they
 * would be if the same operation were applied again. */
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
power_node(DpsGraph *graph, DpsType type, const DpsNode *base, double exponent)
{
	if (exponent == 1)
		return base;
	if (exponent == 2)
		return dps_intern(graph, DPS_OP_SQR, type, 1, base, NULL, NULL);
	return dps_intern(graph, DPS_OP_POW, type, 2, base, dps_constant(graph, type, exponent), NULL);
}

static bool
is_below(const Factor *factor)
{
	return factor->exponent < 0 && is_integer(factor->exponent);
}

/* c * product of the factors of one side; NULL factors mean the empty product */
static const DpsNode *
side_node(DpsGraph *graph, DpsType type, const Monomial *m, bool below, double c, bool *empty)
{
	const DpsNode *product = c == 1 || c == -1 ? NULL : dps_constant(graph, type, c);
	bool		any = product != NULL;
	int			i;

	for (i = 0; i < m->n; i++)
	{
		double		exponent = m->factor[i].exponent;
		const DpsNode *power;

		if (is_below(&m->factor[i]) != below)
			continue;
		power = power_node(graph, type, m->factor[i].base, below ? -exponent : exponent);
		product = any ? combine(graph, DPS_OP_MUL, type, product, power) : power;
		any = true;
	}
	*empty = !any;
	return product;
}

/* Did everything fit, without loss of the coefficient's digits? */
static bool
is_faithful(const Monomial *m)
{
	return !m->overflow && isnormal(m->num) && isnormal(m->den);
}

/* Is it a quotient or root that collect leaves whole only below the line? */
static bool
is_nested(const DpsNode *base)
{
	return base->op == DPS_OP_DIV || (base->op == DPS_OP_POW && base->arg[1]->op == DPS_OP_CONST);
}

/*
 * With a quotient below the line all that is below is one: as a product by
 * itself it would have been brought to normal form, too.  Its coefficient joins
 * that of the whole, but for the denominator, which stays in it.
 */
static bool
gather_below(Monomial *m, Monomial *below)
{
	bool		nested = false;
	Monomial	whole = {.num = m->num, .den = m->den};
	int			i;

	*below = (Monomial) {.num = 1, .den = 1};
	for (i = 0; i < m->n; i++)
	{
		if (!is_below(&m->factor[i]))
			continue;
		nested |= is_nested(m->factor[i].base);
		collect(below, m->factor[i].base, -m->factor[i].exponent);
	}
	if (!nested || !is_faithful(below))
		return false;
	whole.num *= below->den;
	whole.den *= below->num;
	if (!is_faithful(&whole))
		return false;
	dps_reduce_ratio(&whole.num, &whole.den);
	m->num = whole.num;
	below->num = m->den = whole.den;
	below->den = 1;
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

	dps_reduce_ratio(&m->num, &m->den);
	sort_factors(m);
	if (gather_below(m, &divisor))
		below = rebuild(graph, type, &divisor);
	else
		below = side_node(graph, type, m, true, m->den, &none_below);
	above = side_node(graph, type, m, false, m->num, &none_above);
	if (none_above)
		above = dps_constant(graph, type, m->num);
	else if (m->num == -1)
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
	Monomial	m = {.num = 1, .den = 1};
	int			nargs = dps_ops[op].arity;

	switch (op)
	{
		case DPS_OP_MUL:
			collect(&m, x, 1);
			collect(&m, y, 1);
			break;
		case DPS_OP_DIV:
			collect(&m, x, 1);
			collect(&m, y, -1);
			break;
		case DPS_OP_NEG:
			m.num = -1;
			collect(&m, x, 1);
			break;
		case DPS_OP_SQR:
			collect(&m, x, 2);
			break;
		default:				/* POW with a constant, integral exponent */
			collect(&m, x, y->value);
			break;
	}
	if (!is_faithful(&m))
		return dps_intern(graph, op, type, nargs, x, nargs == 2 ? y : NULL, NULL);
	return rebuild(graph, type, &m);
}

const DpsNode *
dps_split_coefficient(DpsGraph *graph, const DpsNode *node, double *num, double *den)
{
	Monomial	m = {.num = 1, .den = 1};

	*num = *den = 1;
	if (node->op != DPS_OP_MUL && node->op != DPS_OP_DIV && node->op != DPS_OP_NEG)
		return node;
	collect(&m, node, 1);
	if (!is_faithful(&m) || m.n == 0)
		return node;
	*num = m.num;
	*den = m.den;
	dps_reduce_ratio(num, den);
	m.num = m.den = 1;
	return rebuild(graph, node->type, &m);
}

const DpsNode *
dps_join_coefficient(DpsGraph *graph, double num, double den, const DpsNode *monic)
{
	Monomial	m = {.num = num, .den = den};

	if (monic == NULL || (num == 1 && den == 1))
		return monic;
	collect(&m, monic, 1);
	if (is_faithful(&m))
		return rebuild(graph, monic->type, &m);
	/* a product too long to be taken apart */
	if (num != 1)
		monic = dps_intern(graph, DPS_OP_MUL, monic->type, 2, dps_constant(graph, monic->type, num), monic, NULL);
	if (den != 1 && monic != NULL)
		monic = dps_intern(graph, DPS_OP_DIV, monic->type, 2, monic, dps_constant(graph, monic->type, den), NULL);
	return monic;
}
