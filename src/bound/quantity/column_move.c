/*
 * column_move.c
 *		How far one column moves an expression.
 *
 * In the difference of f and f with another value of the column, terms without
 * the column cancel, and factors without it can be taken out, of numerators and of
 * denominators:
 *
 *		(x + y) - (x' + y) = x - x'		x y / (z u) - x' y / (z' u) = y / u (x / z - x' / z')
 *
 * Where the two expressions are defined, so are the factors, and no denominator among them is 0:
 * a product of numbers is 0 only where one of them is.
 * An enclosure of the difference as written counts these terms and factors
 * twice.  Sums of integers and of numeric are sums of real numbers here: whether they
 * overflow is for the guards to say.
 */
#include "bound/quantity/column_move.h"
#include "bound/terms.h"

/* A shared term is visited once for each path to it, and there may be many
 * paths. */
#define MAX_STEPS 2000

typedef struct Mover
{
	DpsGraph   *graph;
	int			variable;
	const DpsNode *other;
	int			steps;			/* left */
} Mover;

static bool
depends(const Mover *m, const DpsNode *node)
{
	return (node->variables & (UINT64_C(1) << m->variable)) != 0;
}

static bool
is_product(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV);
}

/* Writes the node as a product of what is without the column, and of the rest. */
static void
split(Mover *m, const DpsNode *node, const DpsNode **without, const DpsNode **rest)
{
	const DpsNode *other[2];
	const DpsNode *left[2];
	int			i;

	*without = *rest = dps_constant(m->graph, DPS_FLOAT8, 1);
	if (!depends(m, node))
		*without = dps_as_float8(m->graph, node);
	else if (!is_product(node) || m->steps-- <= 0)
		*rest = dps_as_float8(m->graph, node);
	else
	{
		for (i = 0; i < 2; i++)
			split(m, node->arg[i], &other[i], &left[i]);
		*without = dps_apply(m->graph, node->op, DPS_FLOAT8, other[0], other[1]);
		*rest = dps_apply(m->graph, node->op, DPS_FLOAT8, left[0], left[1]);
	}
}

static const DpsNode *
move(Mover *m, const DpsNode *node)
{
	const DpsNode *inner = dps_uncast(node);
	const DpsNode *without;
	const DpsNode *rest;

	if (!depends(m, node))
		return dps_constant(m->graph, DPS_FLOAT8, 0);
	if (dps_adds(inner) && m->steps-- > 0)
		return dps_apply(m->graph, inner->op, DPS_FLOAT8, move(m, inner->arg[0]),
						 inner->op == DPS_OP_NEG ? NULL : move(m, inner->arg[1]));
	if (is_product(node) && m->steps-- > 0)
	{
		split(m, node, &without, &rest);
		if (without == NULL || rest == NULL)
			return NULL;
		if (!dps_is_constant(without, 1))
			return dps_apply(m->graph, DPS_OP_MUL, DPS_FLOAT8, without, move(m, rest));
	}
	return dps_apply(m->graph, DPS_OP_SUB, DPS_FLOAT8, dps_as_float8(m->graph, node),
					 dps_as_float8(m->graph, dps_substitute(m->graph, node, m->variable, m->other)));
}

const DpsNode *
dps_column_move(DpsGraph *graph, const DpsNode *f, int variable, const DpsNode *other)
{
	Mover		m = {.graph = graph, .variable = variable, .other = other, .steps = MAX_STEPS};

	return move(&m, f);
}
