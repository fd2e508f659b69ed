/*
 * diff.c
 *		Symbolic derivatives by reverse mode.
 *
 * Each node's adjoint, the derivative of the result by that node, is built as
 * a graph: one pass from the result down to the leaves.  A condition stays
 * outside of every product: where a branch is not taken, its adjoint is 0 and
 * its local derivative may be undefined, and 0 times undefined is not 0.
 */
#include <math.h>

#include "expr/expr.h"

typedef const DpsNode *(*DerivativeFn) (DpsGraph *g, const DpsNode *f, const DpsNode *x, const DpsNode *y);

#define F8(node) dps_as_float8(g, node)
#define UNARY(op, a) dps_apply(g, DPS_OP_##op, DPS_FLOAT8, F8(a), NULL)
#define BINARY(op, a, b) dps_apply(g, DPS_OP_##op, DPS_FLOAT8, F8(a), F8(b))

#define NUM(v) dps_constant(g, DPS_FLOAT8, v)
#define NONE NULL
#define ADD(a, b) BINARY(ADD, a, b)
#define SUB(a, b) BINARY(SUB, a, b)
#define MUL(a, b) BINARY(MUL, a, b)
#define DIV(a, b) BINARY(DIV, a, b)
#define POW(a, b) BINARY(POW, a, b)
#define NEG(a) UNARY(NEG, a)
#define SQR(a) UNARY(SQR, a)
#define SQRT(a) UNARY(SQRT, a)
#define EXP(a) UNARY(EXP, a)
#define LN(a) UNARY(LN, a)
#define SIN(a) UNARY(SIN, a)
#define COS(a) UNARY(COS, a)
#define SINH(a) UNARY(SINH, a)
#define COSH(a) UNARY(COSH, a)
#define SIGN(a) UNARY(SIGN, a)
#define TRUNC(a) UNARY(TRUNC, a)
#define GE(a, b) dps_apply(g, DPS_OP_GE, DPS_BOOL, a, b)
#define LE(a, b) dps_apply(g, DPS_OP_LE, DPS_BOOL, a, b)
#define OR(a, b) dps_apply(g, DPS_OP_OR, DPS_BOOL, a, b)
#define IS_NULL(a) dps_apply(g, DPS_OP_IS_NULL, DPS_BOOL, a, NULL)
#define IF(c, a, b) dps_choose(g, c, a, b)

#define DPS_OP(id, arity, flags, sql, sb, latex, lb, builtins, domain, jumps, value, dx, dy, enclosure) \
static const DpsNode * \
derive_x_##id(DpsGraph *g, const DpsNode *f, const DpsNode *x, const DpsNode *y) \
{ \
	(void) g; (void) f; (void) x; (void) y; \
	return F8(dx); \
} \
static const DpsNode * \
derive_y_##id(DpsGraph *g, const DpsNode *f, const DpsNode *x, const DpsNode *y) \
{ \
	(void) g; (void) f; (void) x; (void) y; \
	return F8(dy); \
}
#include "expr/ops.def"
#undef DPS_OP

static const DerivativeFn derivatives[DPS_OP_COUNT][2] = {
#define DPS_OP(id, ...) [DPS_OP_##id] = {derive_x_##id, derive_y_##id},
#include "expr/ops.def"
#undef DPS_OP
};

/* An adjoint that is 0 on one side of a condition. */
static bool
is_guarded(const DpsNode *node)
{
	if (node->op == DPS_OP_CASE)
		return true;
	return (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB) &&
		(is_guarded(node->arg[0]) || is_guarded(node->arg[1]));
}

/* adjoint * local, with conditions kept outside. */
static const DpsNode *
scale(DpsGraph *g, const DpsNode *adjoint, const DpsNode *local)
{
	if (adjoint == NULL || local == NULL)
		return NULL;
	if (dps_is_constant(adjoint, 0) || dps_is_constant(local, 0))
		return NUM(0);
	if (adjoint->op == DPS_OP_CASE)
		return dps_choose(g, adjoint->arg[0], scale(g, adjoint->arg[1], local),
						  scale(g, adjoint->arg[2], local));
	if (local->op == DPS_OP_CASE)
		return dps_choose(g, local->arg[0], scale(g, adjoint, local->arg[1]),
						  scale(g, adjoint, local->arg[2]));
	if (!local->total && is_guarded(adjoint))
		return dps_apply(g, adjoint->op, DPS_FLOAT8, scale(g, adjoint->arg[0], local),
						 scale(g, adjoint->arg[1], local));
	return MUL(adjoint, local);
}

/* Nodes below the result by id; NULL where an id is not reachable. */
static void
mark_reachable(const DpsNode *node, const DpsNode **reachable)
{
	int			i;

	if (reachable[node->id] != NULL)
		return;
	reachable[node->id] = node;
	for (i = 0; i < node->nargs; i++)
		mark_reachable(node->arg[i], reachable);
}

static DpsStatus
accumulate(DpsGraph *g, const DpsNode **adjoint, const DpsNode *node, const DpsNode *term)
{
	if (term == NULL)
		return DPS_NOMEM;
	if (node->variables == 0 || dps_is_constant(term, 0))
		return DPS_OK;
	adjoint[node->id] = adjoint[node->id] == NULL ? term : ADD(adjoint[node->id], term);
	return adjoint[node->id] == NULL ? DPS_NOMEM : DPS_OK;
}

/* Hands the node's adjoint down to its arguments. */
static DpsStatus
propagate(DpsGraph *g, const DpsNode *node, const DpsNode **adjoint)
{
	const DpsNode *own = adjoint[node->id];
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (node->op == DPS_OP_CASE)
	{
		DPS_TRY(accumulate(g, adjoint, y, IF(x, own, NUM(0))));
		return accumulate(g, adjoint, node->arg[2], IF(x, NUM(0), own));
	}
	if (x->variables != 0)
		DPS_TRY(accumulate(g, adjoint, x, scale(g, own, derivatives[node->op][0] (g, node, x, y))));
	if (node->nargs == 2 && y->variables != 0)
		DPS_TRY(accumulate(g, adjoint, y, scale(g, own, derivatives[node->op][1] (g, node, x, y))));
	return DPS_OK;
}

DpsStatus
dps_gradient(DpsGraph *g, const DpsNode *node, const DpsNode **gradient)
{
	const DpsNode **reachable;
	const DpsNode **adjoint;
	uint32_t	n;
	int			i;

	if (node == NULL)
		return DPS_NOMEM;
	if (node->shape.rank != 0)
		return DPS_UNABLE;
	n = node->id + 1;
	reachable = dps_arena_alloc(g->arena, sizeof(DpsNode *) * n);
	adjoint = dps_arena_alloc(g->arena, sizeof(DpsNode *) * n);
	if (reachable == NULL || adjoint == NULL)
		return DPS_NOMEM;
	for (i = 0; i < g->nvariables; i++)
	{
		gradient[i] = NUM(0);
		if (gradient[i] == NULL)
			return DPS_NOMEM;
	}
	mark_reachable(node, reachable);
	adjoint[node->id] = NUM(1);
	if (adjoint[node->id] == NULL)
		return DPS_NOMEM;
	while (n-- > 0)
	{
		if (reachable[n] == NULL || adjoint[n] == NULL)
			continue;
		if (reachable[n]->op == DPS_OP_VAR)
			gradient[reachable[n]->variable] = adjoint[n];
		else if (reachable[n]->nargs > 0)
			DPS_TRY(propagate(g, reachable[n], adjoint));
	}
	return DPS_OK;
}

DpsStatus
dps_hessian(DpsGraph *g, const DpsNode *node, const DpsNode **hessian)
{
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	int			n = g->nvariables;
	int			i;

	DPS_TRY(dps_gradient(g, node, gradient));
	for (i = 0; i < n; i++)
		DPS_TRY(dps_gradient(g, gradient[i], hessian + (size_t) i * n));
	return DPS_OK;
}

const DpsNode *
dps_norm2(DpsGraph *g, const DpsNode *const *gradient, uint64_t mask, const double *weights)
{
	const DpsNode *sum = NUM(0);
	const DpsNode *last = NULL;
	int			count = 0;
	int			j;

	for (j = 0; j < g->nvariables; j++)
	{
		const DpsNode *entry = gradient[j];

		if (!(mask & (UINT64_C(1) << j)) || dps_is_constant(entry, 0))
			continue;
		if (weights != NULL && weights[j] != 1)
			entry = DIV(entry, NUM(weights[j]));
		last = entry;
		sum = ADD(sum, SQR(entry));
		count++;
	}
	return count == 1 ? UNARY(ABS, last) : UNARY(SQRT, sum);
}
