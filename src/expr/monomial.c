/*
 * monomial.c
 *		Products, quotients and constant powers in one normal form.
 *
 * A monomial is (num / den) * prod_i base_i ^ e_i.  Merging the powers of one
 * base must not change where the expression is defined: exponents of one sign
 * add freely, and opposite signs cancel only while the base stays in the
 * denominator (h / h^3 = 1 / h^2, but h^3 / h keeps its hole at 0).  A power
 * that is not an integer keeps its domain x >= 0 only while it stays one.
 */
#include <math.h>

#include "expr/intern.h"

#define MAX_FACTORS 48

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

	if (!is_integer(a) || !is_integer(b))
		return sum != 0 && !is_integer(sum);
	return (a > 0) == (b > 0) || sum < 0;
}

static void
add_factor(Monomial *m, const DpsNode *base, double exponent)
{
	int			i;

	for (i = 0; i < m->n; i++)
	{
		if (m->factor[i].base == base && may_merge(m->factor[i].exponent, exponent))
		{
			m->factor[i].exponent += exponent;
			return;
		}
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

/* Multiplies m by the constant c ^ exponent. */
static bool
multiply_constant(Monomial *m, double c, double exponent)
{
	double		power;

	if (!is_integer(exponent) || c == 0 || !isfinite(c))
		return false;
	power = pow(c, fabs(exponent));
	if (!isfinite(power) || power == 0)
		return false;
	if (exponent > 0)
		m->num *= power;
	else
		m->den *= power;
	return true;
}

/* (base ^ inner) ^ outer = base ^ (inner * outer) without a change of domain */
static bool
may_compose(double inner, double outer)
{
	if (!is_integer(outer))
		return false;
	return is_integer(inner) || !is_integer(inner * outer);
}

/* Multiplies m by node ^ exponent, taking the node apart as far as it goes. */
static void
collect(Monomial *m, const DpsNode *node, double exponent)
{
	bool		whole = is_integer(exponent);
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (node->op == DPS_OP_CONST && multiply_constant(m, node->value, exponent))
		return;
	if (whole && dps_is_real(node->type))
	{
		if (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV)
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
		if (node->op == DPS_OP_ABS && fmod(exponent, 2) == 0)
		{
			collect(m, x, exponent);
			return;
		}
	}
	if (node->op == DPS_OP_POW && y->op == DPS_OP_CONST &&
		may_compose(y->value, exponent) && fabs(y->value * exponent) < 1e6)
	{
		if (is_integer(y->value))
			collect(m, x, y->value * exponent);
		else
			add_factor(m, x, y->value * exponent);
		return;
	}
	add_factor(m, node, exponent);
}

static void
sort_factors(Monomial *m)
{
	int			i,
				j;

	for (i = 1; i < m->n; i++)
	{
		Factor		moving = m->factor[i];

		for (j = i; j > 0 && dps_compare_nodes(moving.base, m->factor[j - 1].base) < 0; j--)
			m->factor[j] = m->factor[j - 1];
		m->factor[j] = moving;
	}
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
		bool		is_below = exponent < 0 && is_integer(exponent);
		const DpsNode *power;

		if (is_below != below)
			continue;
		power = power_node(graph, type, m->factor[i].base, is_below ? -exponent : exponent);
		product = any ? dps_intern(graph, DPS_OP_MUL, type, 2, product, power, NULL) : power;
		any = true;
	}
	*empty = !any;
	return product;
}

static const DpsNode *
rebuild(DpsGraph *graph, DpsType type, Monomial *m)
{
	const DpsNode *above;
	const DpsNode *below;
	bool		none_above;
	bool		none_below;
	bool		negated = false;

	dps_reduce_ratio(&m->num, &m->den);
	sort_factors(m);
	above = side_node(graph, type, m, false, m->num, &none_above);
	below = side_node(graph, type, m, true, m->den, &none_below);
	if (none_above)
		above = dps_constant(graph, type, m->num);
	else if (m->num == -1)
		negated = true;
	if (!none_below)
		above = dps_intern(graph, DPS_OP_DIV, type, 2, above, below, NULL);
	if (negated)
		above = dps_intern(graph, DPS_OP_NEG, type, 1, above, NULL, NULL);
	return above;
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
	if (m.overflow || !isfinite(m.num) || !isfinite(m.den) || m.num == 0 || m.den == 0)
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
	if (m.overflow || !isfinite(m.num) || !isfinite(m.den) || m.n == 0)
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
	return rebuild(graph, monic->type, &m);
}
