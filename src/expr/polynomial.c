/*
 * polynomial.c
 *		Sums and differences with like terms collected.
 *
 * Terms keep the order in which they were written.  A term that cancels
 * vanishes only if it is defined everywhere and never NULL.
 */
#include <math.h>
#include <string.h>

#include "expr/intern.h"

#define MAX_TERMS 64

typedef struct Term
{
	const DpsNode *monic;		/* NULL for the constant term */
	DpsNumber	num;
	DpsNumber	den;
} Term;

typedef struct Sum
{
	int			n;
	bool		overflow;
	Term		term[MAX_TERMS];
} Sum;

/* a/b + c/d, exactly where both are small integers */
static void
add_ratio(DpsGraph *graph, Term *term, DpsNumber num, DpsNumber den)
{
	if (dps_compare_numbers(term->den, den) == 0)
		term->num = dps_number_sum(graph, term->num, num);
	else
	{
		term->num = dps_number_sum(graph, dps_number_product(graph, term->num, den),
								   dps_number_product(graph, num, term->den));
		term->den = dps_number_product(graph, term->den, den);
	}
	dps_reduce_ratio(graph, &term->num, &term->den);
}

static bool
vanishes(const Term *term)
{
	return term->num.value == 0 && (term->monic == NULL || (term->monic->total && !term->monic->nullable));
}

/* Adds `other` to the term if their sum can replace both: terms that can be
 * NULL or undefined do not cancel, and no coefficient overflows. */
static bool
join_terms(DpsGraph *graph, Term *term, const Term *other)
{
	Term		joined = *term;

	if (joined.monic != other->monic)
		return false;
	add_ratio(graph, &joined, other->num, other->den);
	if (joined.monic == NULL && joined.num.value != joined.num.value)
		joined.den = dps_number(1); /* NULL stays NULL */
	else if (!isfinite(joined.num.value) || !isfinite(joined.den.value) ||
			 (joined.num.value == 0 && !vanishes(&joined)))
		return false;
	*term = joined;
	return true;
}

/* The sum of two terms may join a third that neither of them could. */
static void
join_again(DpsGraph *graph, Sum *sum, int i)
{
	int			j;

	for (j = 0; j < sum->n; j++)
	{
		int			first = i < j ? i : j;
		int			second = i < j ? j : i;

		if (i == j || !join_terms(graph, &sum->term[first], &sum->term[second]))
			continue;
		sum->n--;
		memmove(&sum->term[second], &sum->term[second + 1], sizeof(Term) * (sum->n - second));
		i = first;
		j = -1;
	}
}

static void
add_term(DpsGraph *graph, Sum *sum, Term term)
{
	int			i;

	for (i = 0; i < sum->n; i++)
	{
		if (join_terms(graph, &sum->term[i], &term))
		{
			join_again(graph, sum, i);
			return;
		}
	}
	if (sum->n == MAX_TERMS)
	{
		sum->overflow = true;
		return;
	}
	sum->term[sum->n++] = term;
}

/* False when memory ran out. */
static bool
collect(DpsGraph *graph, Sum *sum, const DpsNode *node, double sign)
{
	Term		term;

	/* a sum that is too long is left alone; it may have 2^40 paths */
	if (sum->overflow)
		return true;
	if (!dps_arena_step(graph->arena))
		return false;
	if (dps_is_real(node->type) && (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB))
		return collect(graph, sum, node->arg[0], sign) &&
			collect(graph, sum, node->arg[1], node->op == DPS_OP_ADD ? sign : -sign);
	if (dps_is_real(node->type) && node->op == DPS_OP_NEG &&
		(node->arg[0]->op == DPS_OP_ADD || node->arg[0]->op == DPS_OP_SUB))
		return collect(graph, sum, node->arg[0], -sign);
	if (node->op == DPS_OP_CONST)
	{
		term.monic = NULL;
		dps_constant_ratio(node, &term.num, &term.den);
	}
	else
	{
		term.monic = dps_split_coefficient(graph, node, &term.num, &term.den);
		if (term.monic == NULL)
			return false;
	}
	term.num.value *= sign;
	add_term(graph, sum, term);
	return true;
}

/* |coefficient| * monic */
static const DpsNode *
term_node(DpsGraph *graph, DpsType type, const Term *term, DpsNumber num)
{
	if (term->monic != NULL)
		return dps_join_coefficient(graph, num, term->den, term->monic);
	return dps_ratio_node(graph, type, num, term->den);
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
		bool		negative = term->num.value < 0;

		if (vanishes(term))
			continue;
		if (!any)
			result = term_node(graph, type, term, term->num);
		else
			result = dps_intern(graph, negative ? DPS_OP_SUB : DPS_OP_ADD, type, 2, result,
								term_node(graph, type, term, negative ? dps_negated(term->num) : term->num), NULL);
		any = true;
	}
	return any ? result : dps_constant(graph, type, 0);
}

/* Is it a multiple of a sum, with a coefficient that has become 1 or -1? */
static bool
is_bare_sum(const Term *term)
{
	return term->monic != NULL && (dps_number_is(term->num, 1) || dps_number_is(term->num, -1)) &&
		dps_number_is(term->den, 1) &&
		(term->monic->op == DPS_OP_ADD || term->monic->op == DPS_OP_SUB);
}

/* Replaces such sums by their terms; each round removes one level of
 * parentheses.  False when memory ran out. */
static bool
open_sums(DpsGraph *graph, Sum *sum)
{
	bool		again = true;
	int			i;

	while (again && !sum->overflow)
	{
		Sum			opened = {.n = 0};

		again = false;
		for (i = 0; i < sum->n; i++)
		{
			if (!is_bare_sum(&sum->term[i]))
				add_term(graph, &opened, sum->term[i]);
			else if (!collect(graph, &opened, sum->term[i].monic, sum->term[i].num.value))
				return false;
			again |= is_bare_sum(&sum->term[i]);
		}
		*sum = opened;
	}
	return true;
}

const DpsNode *
dps_polynomial(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	Sum			sum = {.n = 0};

	if (!collect(graph, &sum, x, 1) || !collect(graph, &sum, y, op == DPS_OP_ADD ? 1 : -1) ||
		!open_sums(graph, &sum))
		return NULL;
	if (sum.overflow)
		return dps_intern(graph, op, type, 2, x, y, NULL);
	return rebuild(graph, type, &sum);
}
