/*
 * diff.c
 *		Symbolic derivatives by reverse mode.
 *
 * Each node's adjoint, the derivative of the result by that node, is built as
 * a graph in one pass from the result down to the leaves.  A condition stays
 * outside of every product: where a branch is not taken, its adjoint is 0 and
 * its local derivative may be undefined or NULL, and 0 times an undefined
 * value is not 0.
 *
 * So an adjoint is a tree of choices and sums with products as leaves, and a
 * leaf is reached only where SQL evaluates the node.  Conditions are nested as
 * in the expression: an inner condition may be undefined where the outer one
 * does not hold.  A tree that gets too large is put behind one condition, that
 * the node is evaluated at all; this makes it a leaf.
 */
#include <math.h>

#include "expr/derivative_cells.h"
#include "expr/tip.h"

typedef const DpsNode *(*DerivativeFn) (DpsGraph *g, const DpsNode *f, const DpsNode *x, const DpsNode *y);

#define F8(node) dps_as_float8(g, node)
#define UNARY(op, a) dps_apply(g, DPS_OP_##op, DPS_FLOAT8, F8(a), NULL)
#define BINARY(op, a, b) dps_apply(g, DPS_OP_##op, DPS_FLOAT8, F8(a), F8(b))

#define NUM(v) dps_constant(g, DPS_FLOAT8, v)
#define NONE NULL
#define GE(a, b) dps_apply(g, DPS_OP_GE, DPS_BOOL, a, b)
#define LE(a, b) dps_apply(g, DPS_OP_LE, DPS_BOOL, a, b)
#define OR(a, b) dps_apply(g, DPS_OP_OR, DPS_BOOL, a, b)
#define IS_NULL(a) is_null(g, a)
#define IF(c, a, b) dps_choose(g, c, a, b)

/* Neither 1 / ln 10 nor pi = arccos -1 is a double. */
#define LOG10_E DIV(NUM(1), LN(NUM(10)))
#define TWO_BY_SQRT_PI DIV(NUM(2), SQRT(UNARY(ACOS, NUM(-1))))

/* Deeper nodes are not looked into. */
#define MAX_SHALLOW 8

/* Has it a number wherever its columns have, but that an integer may overflow? */
static bool
is_number(const DpsNode *node)
{
	int			i;

	if (node->total)
		return true;
	if (node->depth > MAX_SHALLOW || (node->op != DPS_OP_CASE && node->op != DPS_OP_CAST && !(dps_ops[node->op].flags & DPS_TOTAL)))
		return false;
	for (i = 0; i < node->nargs; i++)
		if (!is_number(node->arg[i]))
			return false;
	return true;
}

/* Whatever overflows is compared beside this, and raises its error there. */
static const DpsNode *
is_null(DpsGraph *g, const DpsNode *node)
{
	if (node != NULL && !node->nullable && is_number(node))
		return dps_constant(g, DPS_BOOL, 0);
	return dps_apply(g, DPS_OP_IS_NULL, DPS_BOOL, node, NULL);
}

#define DPS_OP(id, arity, flags, sql, sb, latex, lb, builtins, domain, jumps, value, rounding, cost, dx, dy, \
			   course, curvature, third, enclosure) \
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

/* A tree with up to so many leaves is rebuilt with every factor. */
#define MAX_LEAVES 16

typedef struct Adjoint
{
	const DpsNode *value;		/* NULL if nothing depends on the node */
	const DpsNode *live;		/* condition under which SQL evaluates the
								 * node; NULL is always */
} Adjoint;

#define TRUTH(v) dps_constant(g, DPS_BOOL, v)

/* The condition under which a choice takes its second branch. */
static const DpsNode *
negate(DpsGraph *g, const DpsNode *condition)
{
	if (condition == NULL || !condition->nullable)
		return dps_apply(g, DPS_OP_NOT, DPS_BOOL, condition, NULL);
	return IF(condition, TRUTH(0), TRUTH(1));
}

/* Both conditions hold; the inner one need not be defined where the outer one
 * does not hold. */
static const DpsNode *
both(DpsGraph *g, const DpsNode *outer, const DpsNode *inner)
{
	if (outer == NULL || inner == NULL)
		return inner;
	if (inner->total)
		return dps_apply(g, DPS_OP_AND, DPS_BOOL, outer, inner);
	return IF(outer, inner, TRUTH(0));
}

static bool
is_sum(const DpsNode *node)
{
	return node->op == DPS_OP_ADD || node->op == DPS_OP_SUB;
}

/* The number of leaves of a tree of choices, with `sums` also of sums; stops
 * at `limit`. */
static int
count_leaves(const DpsNode *node, bool sums, int limit)
{
	int			first = 1;
	int			n;

	if (limit <= 0)
		return 0;
	if (node->op != DPS_OP_CASE && !(sums && is_sum(node)))
		return 1;
	if (node->op != DPS_OP_CASE)
		first = 0;
	n = count_leaves(node->arg[first], sums, limit);
	return n + count_leaves(node->arg[first + 1], sums, limit - n);
}

static bool
is_small(const DpsNode *tree, bool sums)
{
	return count_leaves(tree, sums, MAX_LEAVES + 1) <= MAX_LEAVES;
}

/* Every leaf of the adjoint times every leaf of the local derivative. */
static const DpsNode *
distribute(DpsGraph *g, const DpsNode *adjoint, const DpsNode *local, bool sums)
{
	if (adjoint == NULL || local == NULL)
		return NULL;
	if (dps_is_constant(adjoint, 0) || dps_is_constant(local, 0))
		return NUM(0);
	if (adjoint->op == DPS_OP_CASE)
		return IF(adjoint->arg[0], distribute(g, adjoint->arg[1], local, sums),
				  distribute(g, adjoint->arg[2], local, sums));
	if (sums && is_sum(adjoint))
		return dps_apply(g, adjoint->op, DPS_FLOAT8, distribute(g, adjoint->arg[0], local, sums),
						 distribute(g, adjoint->arg[1], local, sums));
	if (local->op == DPS_OP_CASE)
		return IF(local->arg[0], distribute(g, adjoint, local->arg[1], sums),
				  distribute(g, adjoint, local->arg[2], sums));
	return MUL(adjoint, local);
}

/* The adjoint's value times a local derivative. */
static const DpsNode *
scale(DpsGraph *g, const Adjoint *own, const DpsNode *local)
{
	bool		guarded = own->live != NULL;

	if (local == NULL)
		return NULL;
	if (is_small(own->value, guarded) && is_small(local, false))
		return distribute(g, own->value, local, guarded);
	return guarded ? IF(own->live, MUL(own->value, local), NUM(0)) : MUL(own->value, local);
}

/* The tree where the condition holds (or does not, if `taken` is false), and 0
 * elsewhere. */
static const DpsNode *
restrict_leaves(DpsGraph *g, const DpsNode *tree, const DpsNode *condition, bool taken)
{
	if (tree == NULL || dps_is_constant(tree, 0))
		return tree;
	if (tree->op == DPS_OP_CASE)
		return IF(tree->arg[0], restrict_leaves(g, tree->arg[1], condition, taken),
				  restrict_leaves(g, tree->arg[2], condition, taken));
	if (is_sum(tree) && !condition->total)
		return dps_apply(g, tree->op, DPS_FLOAT8, restrict_leaves(g, tree->arg[0], condition, taken),
						 restrict_leaves(g, tree->arg[1], condition, taken));
	return taken ? IF(condition, tree, NUM(0)) : IF(condition, NUM(0), tree);
}

/* The adjoint that a choice passes to one of its branches. */
static Adjoint
restrict_adjoint(DpsGraph *g, const Adjoint *own, const DpsNode *condition, bool taken)
{
	Adjoint		result;

	result.live = both(g, own->live, taken ? condition : negate(g, condition));
	if (own->live == NULL)
		result.value = taken ? IF(condition, own->value, NUM(0)) : IF(condition, NUM(0), own->value);
	else if (is_small(own->value, true))
		result.value = restrict_leaves(g, own->value, condition, taken);
	else
		result.value = IF(result.live, own->value, NUM(0));
	/* NULL would mean "always" */
	if (result.live == NULL)
		result.value = NULL;
	return result;
}

/* The sum of two trees; with the same condition, branch by branch. */
static const DpsNode *
add_trees(DpsGraph *g, const DpsNode *a, const DpsNode *b)
{
	if (a == NULL || b == NULL)
		return NULL;
	if (a->op == DPS_OP_CASE && b->op == DPS_OP_CASE && a->arg[0] == b->arg[0])
		return IF(a->arg[0], add_trees(g, a->arg[1], b->arg[1]), add_trees(g, a->arg[2], b->arg[2]));
	return ADD(a, b);
}

/* Fills in the nodes of the result by id; NULL where an id is not
 * reachable. */
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
accumulate(DpsGraph *g, Adjoint *adjoint, const DpsNode *node, Adjoint term)
{
	Adjoint    *sum = &adjoint[node->id];

	if (term.value == NULL)
		return DPS_NOMEM;
	if (node->variables == 0 || dps_is_constant(term.value, 0))
		return DPS_OK;
	if (sum->value == NULL)
	{
		*sum = term;
		return DPS_OK;
	}
	sum->value = add_trees(g, sum->value, term.value);
	if (sum->live == NULL || term.live == NULL || sum->live == negate(g, term.live) || term.live == negate(g, sum->live))
		sum->live = NULL;
	else if (sum->live != term.live)
	{
		sum->live = OR(sum->live, term.live);
		if (sum->live == NULL)
			return DPS_NOMEM;
	}
	return sum->value == NULL ? DPS_NOMEM : DPS_OK;
}

/* Passes an operation's adjoint on to one argument. */
static DpsStatus
propagate_factor(DpsGraph *g, Adjoint *adjoint, const Adjoint *own, const DpsNode *arg, const DpsNode *local)
{
	Adjoint		term = {NULL, own->live};

	if (local == NULL)
		return DPS_NOMEM;
	/* greatest, least and coalesce are choices, too */
	if (local->op == DPS_OP_CASE && dps_is_constant(local->arg[2], 0))
	{
		term = restrict_adjoint(g, own, local->arg[0], true);
		local = local->arg[1];
	}
	else if (local->op == DPS_OP_CASE && dps_is_constant(local->arg[1], 0))
	{
		term = restrict_adjoint(g, own, local->arg[0], false);
		local = local->arg[2];
	}
	else
		term.value = own->value;
	if (term.value == NULL)
		return DPS_NOMEM;
	term.value = scale(g, &term, local);
	return accumulate(g, adjoint, arg, term);
}

/* Passes the node's adjoint on to its arguments. */
static DpsStatus
propagate(DpsGraph *g, const DpsNode *node, Adjoint *adjoint)
{
	const Adjoint *own = &adjoint[node->id];
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (node->op == DPS_OP_CASE)
	{
		DPS_TRY(accumulate(g, adjoint, y, restrict_adjoint(g, own, x, true)));
		return accumulate(g, adjoint, node->arg[2], restrict_adjoint(g, own, x, false));
	}
	if (x->variables != 0)
		DPS_TRY(propagate_factor(g, adjoint, own, x, derivatives[node->op][0] (g, node, x, y)));
	if (node->nargs == 2 && y->variables != 0)
		DPS_TRY(propagate_factor(g, adjoint, own, y, derivatives[node->op][1] (g, node, x, y)));
	return DPS_OK;
}

/* The index of the tip whose root is the node; -1 if there is none. */
static int
tip_of(const DpsTip *tips, int ntips, const DpsNode *node)
{
	int			t;

	for (t = 0; t < ntips; t++)
		if (tips[t].root == node)
			return t;
	return -1;
}

static DpsStatus
differentiate(DpsGraph *g, const DpsNode *node, const DpsTip *tips, int ntips,
			  const DpsNode **gradient, const DpsNode **by_root)
{
	const DpsNode **reachable;
	Adjoint    *adjoint;
	uint32_t	n;
	int			i;
	int			t;

	if (node == NULL)
		return DPS_NOMEM;
	n = node->id + 1;
	reachable = dps_arena_alloc(g->arena, sizeof(DpsNode *) * n);
	adjoint = dps_arena_alloc(g->arena, sizeof(Adjoint) * n);
	if (reachable == NULL || adjoint == NULL)
		return DPS_NOMEM;
	for (i = 0; i < g->nvariables; i++)
	{
		gradient[i] = NUM(0);
		if (gradient[i] == NULL)
			return DPS_NOMEM;
	}
	for (t = 0; t < ntips; t++)
		by_root[t] = NUM(0);
	mark_reachable(node, reachable);
	adjoint[node->id].value = NUM(1);
	if (adjoint[node->id].value == NULL)
		return DPS_NOMEM;
	while (n-- > 0)
	{
		if (reachable[n] == NULL || adjoint[n].value == NULL)
			continue;
		if (reachable[n]->op == DPS_OP_VAR)
			gradient[reachable[n]->variable] = adjoint[n].value;
		else if ((t = tip_of(tips, ntips, reachable[n])) >= 0)
			by_root[t] = adjoint[n].value;
		else if (reachable[n]->nargs > 0)
			DPS_TRY(propagate(g, reachable[n], adjoint));
	}
	return DPS_OK;
}

DpsStatus
dps_gradient(DpsGraph *g, const DpsNode *node, const DpsNode **gradient)
{
	return dps_arena_status(g->arena, differentiate(g, node, NULL, 0, gradient, NULL));
}

DpsStatus
dps_gradient_beside(DpsGraph *g, const DpsNode *node, const DpsTip *tips, int ntips,
					const DpsNode **gradient, const DpsNode **by_root)
{
	return dps_arena_status(g->arena, differentiate(g, node, tips, ntips, gradient, by_root));
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

		if (!(mask & (UINT64_C(1) << j)))
			continue;
		if (entry == NULL)
			return NULL;
		if (dps_is_constant(entry, 0))
			continue;
		if (weights != NULL && weights[j] != 1)
			entry = DIV(entry, NUM(weights[j]));
		last = entry;
		sum = ADD(sum, SQR(entry));
		count++;
	}
	return count == 1 ? UNARY(ABS, last) : UNARY(SQRT, sum);
}
