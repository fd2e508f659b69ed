/*
 * column_move.c
 *		How far one column moves an expression.
 *
 * In the difference of f and f with another value of the column, terms without
 * the column cancel, and factors without it can be taken out:
 *
 *		(x + y) - (x' + y) = x - x'		x y - x' y = (x - x') y
 *
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

static const DpsNode *
move(Mover *m, const DpsNode *node)
{
	const DpsNode *inner = dps_uncast(node);
	const DpsNode *x = inner->arg[0];
	const DpsNode *y = inner->arg[1];

	if (!depends(m, node))
		return dps_constant(m->graph, DPS_FLOAT8, 0);
	if (dps_adds(inner) && m->steps-- > 0)
		return dps_apply(m->graph, inner->op, DPS_FLOAT8, move(m, x), inner->op == DPS_OP_NEG ? NULL : move(m, y));
	if (node->type == DPS_FLOAT8 && node == inner && m->steps-- > 0)
	{
		if (node->op == DPS_OP_MUL && !depends(m, x))
			return dps_apply(m->graph, node->op, DPS_FLOAT8, dps_as_float8(m->graph, x), move(m, y));
		if ((node->op == DPS_OP_MUL || node->op == DPS_OP_DIV) && !depends(m, y))
			return dps_apply(m->graph, node->op, DPS_FLOAT8, move(m, x), dps_as_float8(m->graph, y));
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
