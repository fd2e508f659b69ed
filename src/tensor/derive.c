/*
 * derive.c
 *		Symbolic derivatives of scalars by reverse mode.
 *
 * One pass from the scalar down: each node's adjoint, the derivative of the
 * scalar by the node, is a node of its shape.  Rows of tensor/tensor_ops.def say what
 * an operation hands to its arguments; for operations on elements it is the
 * adjoint times the local derivative of expr/ops.def, whose cells are read here
 * as tensors.  A condition stays outside of the product, as in expr/diff.c: the
 * branch that is not taken may be undefined, and 0 times that is not 0.
 */
#include <math.h>

#include "expr/derivative_cells.h"
#include "tensor/internal.h"

typedef const DpsTensor *(*LocalFn) (DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *x, const DpsTensor *y);

#define UNARY(op, a) dps_tensor_map(g, DPS_OP_##op, a, NULL)
#define BINARY(op, a, b) dps_tensor_map(g, DPS_OP_##op, a, b)

#define NUM(v) dps_tensor_constant(g, v)
#define NONE NULL
#define GE(a, b) BINARY(GE, a, b)
#define LE(a, b) BINARY(LE, a, b)
#define OR(a, b) BINARY(OR, a, b)
#define IS_NULL(a) UNARY(IS_NULL, a)
#define IF(c, a, b) dps_tensor_choose(g, c, a, b)
#define LOG10_E NUM(0.43429448190325182765)
#define TWO_BY_SQRT_PI NUM(M_2_SQRTPI)

#define DPS_OP(id, arity, flags, sql, sb, latex, lb, builtins, domain, jumps, value, rounding, cost, dx, dy, \
			   course, curvature, third, enclosure) \
static const DpsTensor * \
local_x_##id(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *x, const DpsTensor *y) \
{ \
	(void) g; (void) f; (void) x; (void) y; \
	return dx; \
} \
static const DpsTensor * \
local_y_##id(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *x, const DpsTensor *y) \
{ \
	(void) g; (void) f; (void) x; (void) y; \
	return dy; \
}
#include "expr/ops.def"
#undef DPS_OP

static const LocalFn locals[DPS_OP_COUNT][2] = {
#define DPS_OP(id, ...) [DPS_OP_##id] = {local_x_##id, local_y_##id},
#include "expr/ops.def"
#undef DPS_OP
};

/* The work of one call; arrays are indexed by node id. */
typedef struct Pass
{
	DpsTensorGraph *g;
	const DpsTensor **node;		/* NULL: not below the scalar */
	bool	   *depends;		/* on what is differentiated by */
	const DpsTensor **adjoint;
} Pass;

/* Arguments have smaller ids. */
static void
mark_below(Pass *pass, const DpsTensor *scalar)
{
	uint32_t	id;
	int			k;

	pass->node[scalar->id] = scalar;
	for (id = scalar->id + 1; id-- > 0;)
	{
		for (k = 0; pass->node[id] != NULL && k < pass->node[id]->nargs; k++)
			pass->node[pass->node[id]->arg[k]->id] = pass->node[id]->arg[k];
	}
}

static void
mark_dependent(Pass *pass, uint32_t limit, const DpsTensor *const *by, int n)
{
	uint32_t	id;
	int			k;

	for (k = 0; k < n; k++)
	{
		if (by[k]->id < limit)
			pass->depends[by[k]->id] = true;
	}
	for (id = 0; id < limit; id++)
	{
		for (k = 0; pass->node[id] != NULL && k < pass->node[id]->nargs; k++)
			pass->depends[id] |= pass->depends[pass->node[id]->arg[k]->id];
	}
}

/* A scalar that entered an operation on larger tensors is used at every place. */
static const DpsTensor *
fit_to(DpsTensorGraph *g, const DpsTensor *adjoint, const DpsTensor *arg)
{
	if (adjoint == NULL)
		return NULL;
	if (arg->shape.rank == 0)
		return dps_tensor_total(g, adjoint);
	return dps_tensor_broadcast(g, adjoint, arg->shape);
}

static DpsStatus
hand_down(Pass *pass, const DpsTensor *arg, const DpsTensor *term)
{
	const DpsTensor **sum = &pass->adjoint[arg->id];

	term = fit_to(pass->g, term, arg);
	if (term == NULL)
		return DPS_NOMEM;
	*sum = *sum == NULL ? term : dps_tensor_map(pass->g, DPS_OP_ADD, *sum, term);
	return *sum == NULL ? DPS_NOMEM : DPS_OK;
}

/* The adjoint times a local derivative, which may choose. */
static const DpsTensor *
scale(DpsTensorGraph *g, const DpsTensor *adjoint, const DpsTensor *local)
{
	if (local != NULL && local->op == DPS_OP_CASE)
		return IF(local->arg[0], scale(g, adjoint, local->arg[1]), scale(g, adjoint, local->arg[2]));
	return MUL(adjoint, local);
}

/* An adjoint of full shape: the terms of a scalar are to be added up. */
static const DpsTensor *
full(DpsTensorGraph *g, const DpsTensor *adjoint, const DpsTensor *node)
{
	return adjoint == NULL ? NULL : dps_tensor_broadcast(g, adjoint, node->shape);
}

static const DpsTensor *
adjoint_of_argument(DpsTensorGraph *g, const DpsTensor *f, int k, const DpsTensor *a)
{
	const DpsTensor *x = f->arg[0];
	const DpsTensor *y = f->arg[1];

	if (f->op == DPS_OP_CASE)
		return full(g, k == 1 ? IF(x, a, NUM(0)) : IF(x, NUM(0), a), f);
	if (dps_tensor_has_row(f->op))
		return dps_tensor_row(f->op)->derive[k] (g, f, x, y, a);
	return full(g, scale(g, a, locals[f->op][k] (g, f, x, y)), f);
}

static DpsStatus
propagate(Pass *pass, const DpsTensor *f)
{
	const DpsTensor *adjoint = pass->adjoint[f->id];
	int			k;

	/* a condition moves by jumps only */
	for (k = f->op == DPS_OP_CASE ? 1 : 0; k < f->nargs; k++)
	{
		if (pass->depends[f->arg[k]->id])
			DPS_TRY(hand_down(pass, f->arg[k], adjoint_of_argument(pass->g, f, k, adjoint)));
	}
	return DPS_OK;
}

static DpsStatus
take_results(Pass *pass, uint32_t limit, const DpsTensor *const *by, int n, const DpsTensor **gradient)
{
	int			k;

	for (k = 0; k < n; k++)
	{
		gradient[k] = by[k]->id < limit ? pass->adjoint[by[k]->id] : NULL;
		if (gradient[k] == NULL)
			gradient[k] = dps_tensor_zeros(pass->g, by[k]->shape);
		if (gradient[k] == NULL)
			return DPS_NOMEM;
	}
	return DPS_OK;
}

static DpsStatus
differentiate(DpsTensorGraph *g, const DpsTensor *scalar, const DpsTensor *const *by, int n,
			  const DpsTensor **gradient)
{
	uint32_t	limit = scalar->id + 1;
	Pass		pass = {.g = g};
	uint32_t	id;

	pass.node = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * limit);
	pass.depends = dps_arena_alloc(g->arena, sizeof(bool) * limit);
	pass.adjoint = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * limit);
	if (pass.node == NULL || pass.depends == NULL || pass.adjoint == NULL)
		return DPS_NOMEM;
	mark_below(&pass, scalar);
	mark_dependent(&pass, limit, by, n);
	pass.adjoint[scalar->id] = NUM(1);
	if (pass.adjoint[scalar->id] == NULL)
		return DPS_NOMEM;
	for (id = limit; id-- > 0;)
	{
		if (pass.node[id] != NULL && pass.adjoint[id] != NULL && pass.depends[id])
			DPS_TRY(propagate(&pass, pass.node[id]));
	}
	return take_results(&pass, limit, by, n, gradient);
}

DpsStatus
dps_tensor_gradient(DpsTensorGraph *g, const DpsTensor *scalar, const DpsTensor *const *by, int n,
					const DpsTensor **gradient)
{
	int			k;

	if (scalar == NULL)
		return dps_arena_status(g->arena, DPS_NOMEM);
	if (scalar->shape.rank != 0)
		return DPS_UNABLE;
	for (k = 0; k < n; k++)
	{
		if (by[k] == NULL)
			return dps_arena_status(g->arena, DPS_NOMEM);
	}
	return dps_arena_status(g->arena, differentiate(g, scalar, by, n, gradient));
}
