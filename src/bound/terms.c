/*
 * terms.c
 *		Sums as lists of their terms.
 *
 * Nodes are functions of real numbers here, so the cast of a sum is the sum of casts, and
 * a constant times a sum is the sum of its multiples.
 */
#include <math.h>

#include "bound/terms.h"

/* What a sum within a sum is multiplied by and divided by; NULL for 1. */
typedef struct Scale
{
	const DpsNode *factor;
	const DpsNode *divisor;
} Scale;

static bool
is_number(const DpsNode *node)
{
	return node->variables == 0 && node->op == DPS_OP_CONST && isfinite(node->value) && node->value != 0;
}

static bool
is_integer(const DpsNode *node)
{
	return node->type == DPS_INT2 || node->type == DPS_INT4 || node->type == DPS_INT8;
}

static bool
is_exact(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 || node->type == DPS_NUMERIC || is_integer(node);
}

const DpsNode *
dps_uncast(const DpsNode *node)
{
	while (node->op == DPS_OP_CAST && ((is_integer(node->arg[0]) && is_exact(node)) ||
									   (node->arg[0]->type == DPS_NUMERIC && node->type == DPS_FLOAT8)))
		node = node->arg[0];
	return node;
}

bool
dps_adds(const DpsNode *node)
{
	return is_exact(node) && (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB || node->op == DPS_OP_NEG);
}

/* A multiple of a sum is one; its argument that is the sum, or -1. */
static int
scaled_sum(const DpsNode *node)
{
	int			i;

	if (!is_exact(node))
		return -1;
	if (node->op == DPS_OP_DIV)
		return !is_integer(node) && is_number(dps_uncast(node->arg[1])) && dps_adds(dps_uncast(node->arg[0])) ? 0 : -1;
	for (i = 0; node->op == DPS_OP_MUL && i < 2; i++)
		if (is_number(dps_uncast(node->arg[1 - i])) && dps_adds(dps_uncast(node->arg[i])))
			return i;
	return -1;
}

bool
dps_is_sum(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && (dps_adds(dps_uncast(node)) || scaled_sum(dps_uncast(node)) >= 0);
}

/* Adds to the term of the same column, if it has only one. */
static bool
add_to_list(DpsGraph *graph, DpsTermList *terms, const DpsNode *node, bool negated)
{
	bool		one = node->variables != 0 && (node->variables & (node->variables - 1)) == 0;
	int			i;

	for (i = 0; one && i < terms->n; i++)
	{
		if (terms->node[i]->variables != node->variables)
			continue;
		terms->node[i] = dps_add_term(graph, terms->node[i], node, negated != terms->negated[i]);
		return terms->node[i] != NULL;
	}
	if (terms->n == DPS_MAX_TERMS)
		return false;
	terms->node[terms->n] = node;
	terms->negated[terms->n++] = negated;
	return true;
}

static const DpsNode *
times(DpsGraph *graph, const DpsNode *node, const DpsNode *factor)
{
	return factor == NULL ? node : dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, factor, node);
}

static bool
collect(DpsGraph *graph, DpsTermList *terms, const DpsNode *node, bool negated, Scale scale)
{
	const DpsNode *number;
	int			i;

	node = dps_uncast(node);
	if (dps_adds(node) && node->op == DPS_OP_NEG)
		return collect(graph, terms, node->arg[0], !negated, scale);
	if (dps_adds(node))
		return collect(graph, terms, node->arg[0], negated, scale) &&
			collect(graph, terms, node->arg[1], negated != (node->op == DPS_OP_SUB), scale);
	i = scaled_sum(node);
	if (i >= 0)
	{
		number = dps_as_float8(graph, node->arg[1 - i]);
		if (node->op == DPS_OP_MUL)
			scale.factor = times(graph, number, scale.factor);
		else
			scale.divisor = times(graph, number, scale.divisor);
		return collect(graph, terms, node->arg[i], negated, scale);
	}
	node = times(graph, dps_as_float8(graph, node), scale.factor);
	if (scale.divisor != NULL)
		node = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, node, scale.divisor);
	return node != NULL && add_to_list(graph, terms, node, negated);
}

bool
dps_collect_terms(DpsGraph *graph, DpsTermList *terms, const DpsNode *sum)
{
	terms->n = 0;
	return collect(graph, terms, sum, false, (Scale) {NULL, NULL});
}

const DpsNode *
dps_add_term(DpsGraph *graph, const DpsNode *sum, const DpsNode *term, bool negated)
{
	return dps_apply(graph, negated ? DPS_OP_SUB : DPS_OP_ADD, DPS_FLOAT8, sum, term);
}
