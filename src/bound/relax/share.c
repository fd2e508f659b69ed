/*
 * share.c
 *		Shares of a sum, with the numerator once.
 *
 * Dividing numerator and denominator by a term a > 0 of the denominator changes
 * neither the quotient nor where it is defined.
 */
#include "bound/relax/share.h"
#include "bound/rewriter.h"

/* Shared nodes are visited on every path to them where terms are sought. */
#define MAX_STEPS 1000

typedef struct Sharer
{
	DpsRewriter base;
	int			steps;			/* left */
} Sharer;

#define APPLY(op, x, y) dps_apply(s->base.graph, DPS_OP_##op, DPS_FLOAT8, x, y)

static bool
is_positive(const Sharer *s, const DpsNode *node)
{
	return dps_rewriter_is_positive(&s->base, node);
}

/* Is `term` one of the terms of the sum? */
static bool
has_term(Sharer *s, const DpsNode *sum, const DpsNode *term)
{
	if (sum == term)
		return true;
	return sum->op == DPS_OP_ADD && sum->type == DPS_FLOAT8 && s->steps-- > 0 &&
		(has_term(s, sum->arg[0], term) || has_term(s, sum->arg[1], term));
}

/* x / a, by the laws of powers and exponentials where these are of one kind. */
static const DpsNode *
quotient(Sharer *s, const DpsNode *x, const DpsNode *a)
{
	if (x == a)
		return dps_constant(s->base.graph, DPS_FLOAT8, 1);
	if (x->op == DPS_OP_MUL && x->type == DPS_FLOAT8 && x->arg[0]->variables == 0)
		return APPLY(MUL, x->arg[0], quotient(s, x->arg[1], a));
	if (x->variables == 0 && a->op == DPS_OP_EXP)
		return APPLY(MUL, x, APPLY(EXP, APPLY(NEG, a->arg[0], NULL), NULL));
	if (x->op == DPS_OP_EXP && a->op == DPS_OP_EXP)
		return APPLY(EXP, APPLY(SUB, x->arg[0], a->arg[0]), NULL);
	if (x->op == DPS_OP_POW && a->op == DPS_OP_POW && x->arg[1] == a->arg[1] && is_positive(s, x->arg[0]) &&
		is_positive(s, a->arg[0]))
		return APPLY(POW, APPLY(DIV, x->arg[0], a->arg[0]), x->arg[1]);
	return APPLY(DIV, x, a);
}

/* Each term of the sum, divided by a. */
static const DpsNode *
divide_terms(Sharer *s, const DpsNode *sum, const DpsNode *a)
{
	if (sum->op == DPS_OP_ADD && sum->type == DPS_FLOAT8 && s->steps-- > 0)
		return APPLY(ADD, divide_terms(s, sum->arg[0], a), divide_terms(s, sum->arg[1], a));
	return quotient(s, sum, a);
}

/* The factor of the product that is a term of the sum, and the rest of the product; NULL
 * if there is none. */
static const DpsNode *
common_factor(Sharer *s, const DpsNode *product, const DpsNode *sum, const DpsNode **rest)
{
	const DpsNode *found;
	int			i;

	if (product->type != DPS_FLOAT8 || product->variables == 0 || s->steps-- <= 0)
		return NULL;
	if (has_term(s, sum, product) && is_positive(s, product))
	{
		*rest = dps_constant(s->base.graph, DPS_FLOAT8, 1);
		return product;
	}
	for (i = 0; i < 2 && product->op == DPS_OP_MUL; i++)
	{
		found = common_factor(s, product->arg[i], sum, rest);
		if (found == NULL)
			continue;
		*rest = APPLY(MUL, *rest, product->arg[1 - i]);
		return found;
	}
	return NULL;
}

static const DpsNode *
share_node(DpsRewriter *r, const DpsNode *node)
{
	Sharer	   *s = (Sharer *) r;
	const DpsNode *rest = NULL;
	const DpsNode *a = NULL;

	if (node->op == DPS_OP_DIV && node->type == DPS_FLOAT8 && node->arg[1]->op == DPS_OP_ADD)
		a = common_factor(s, node->arg[0], node->arg[1], &rest);
	return a == NULL ? NULL : APPLY(DIV, rest, divide_terms(s, node->arg[1], a));
}

/* Is there a quotient by a sum? */
static bool
divides_by_sum(Sharer *s, const DpsNode *node)
{
	int			i;

	if (s->steps-- <= 0 || (node->op == DPS_OP_DIV && node->type == DPS_FLOAT8 && node->arg[1]->op == DPS_OP_ADD))
		return true;
	for (i = 0; i < node->nargs; i++)
		if (divides_by_sum(s, node->arg[i]))
			return true;
	return false;
}

DpsStatus
dps_shares(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsNode **result)
{
	Sharer		s = {.base = {.graph = graph, .rule = share_node}, .steps = MAX_STEPS};

	*result = node;
	if (node == NULL || !divides_by_sum(&s, node))
		return DPS_OK;
	s.steps = MAX_STEPS;
	return dps_rewrite(&s.base, node, box, result);
}
