/*
 * polynomial.c
 *		Sums and differences with like terms collected.
 *
 * Terms keep the order in which they were written.  A term that cancels
 * vanishes only if it is defined everywhere and never NULL.
 */
#include <math.h>

#include "expr/intern.h"

#define MAX_TERMS 64

typedef struct Term
{
	const DpsNode *monic;		/* NULL for the constant term */
	double		num;
	double		den;
} Term;

typedef struct Sum
{
	int			n;
	bool		overflow;
	Term		term[MAX_TERMS];
} Sum;

/* a/b + c/d, exactly where both are small integers */
static void
add_ratio(Term *term, double num, double den)
{
	if (term->den == den)
		term->num += num;
	else
	{
		term->num = term->num * den + num * term->den;
		term->den *= den;
	}
	dps_reduce_ratio(&term->num, &term->den);
}

static bool
vanishes(const Term *term)
{
	return term->num == 0 && (term->monic == NULL || (term->monic->total && !term->monic->nullable));
}

static void
add_term(Sum *sum, const DpsNode *monic, double num, double den)
{
	int			i;

	for (i = 0; i < sum->n; i++)
	{
		Term		joined = sum->term[i];

		if (joined.monic != monic)
			continue;
		add_ratio(&joined, num, den);
		if (!isfinite(joined.num) || !isfinite(joined.den) || (joined.num == 0 && !vanishes(&joined)))
			continue;
		sum->term[i] = joined;
		return;
	}
	if (sum->n == MAX_TERMS)
	{
		sum->overflow = true;
		return;
	}
	sum->term[sum->n++] = (Term) {monic, num, den};
}

/* False when memory ran out. */
static bool
collect(DpsGraph *graph, Sum *sum, const DpsNode *node, double sign)
{
	const DpsNode *monic;
	double		num;
	double		den;

	if (dps_is_real(node->type) && (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB))
		return collect(graph, sum, node->arg[0], sign) &&
			collect(graph, sum, node->arg[1], node->op == DPS_OP_ADD ? sign : -sign);
	if (dps_is_real(node->type) && node->op == DPS_OP_NEG &&
		(node->arg[0]->op == DPS_OP_ADD || node->arg[0]->op == DPS_OP_SUB))
		return collect(graph, sum, node->arg[0], -sign);
	if (node->op == DPS_OP_CONST)
	{
		add_term(sum, NULL, sign * node->value, 1);
		return true;
	}
	monic = dps_split_coefficient(graph, node, &num, &den);
	if (monic == NULL)
		return false;
	add_term(sum, monic, sign * num, den);
	return true;
}

/* |coefficient| * monic */
static const DpsNode *
term_node(DpsGraph *graph, DpsType type, const Term *term, double num)
{
	if (term->monic != NULL)
		return dps_join_coefficient(graph, num, term->den, term->monic);
	if (term->den == 1)
		return dps_constant(graph, type, num);
	return dps_intern(graph, DPS_OP_DIV, type, 2, dps_constant(graph, type, num),
					  dps_constant(graph, type, term->den), NULL);
}

static const DpsNode *
rebuild(DpsGraph *graph, DpsType type, const Sum *sum)
{
	const DpsNode *result = NULL;
	bool		any = false;
	int			i;

	for (i = 0; i < sum->n; i++)
	{
		const Term *term = &sum->term[i];
		bool		negative = term->num < 0;

		if (vanishes(term))
			continue;
		if (!any)
			result = term_node(graph, type, term, term->num);
		else
			result = dps_intern(graph, negative ? DPS_OP_SUB : DPS_OP_ADD, type, 2, result,
								term_node(graph, type, term, fabs(term->num)), NULL);
		any = true;
	}
	return any ? result : dps_constant(graph, type, 0);
}

const DpsNode *
dps_polynomial(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	Sum			sum = {.n = 0};

	if (!collect(graph, &sum, x, 1) || !collect(graph, &sum, y, op == DPS_OP_ADD ? 1 : -1))
		return NULL;
	if (sum.overflow)
		return dps_intern(graph, op, type, 2, x, y, NULL);
	return rebuild(graph, type, &sum);
}
