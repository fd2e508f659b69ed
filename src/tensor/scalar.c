/*
 * scalar.c
 *		Tensors as row expressions, one for each element: what a small network
 *		computes, written out.
 *
 * Operations that only move elements are expanded by their own kernels: these
 * move the numbers of the elements.
 */
#include <math.h>
#include <string.h>

#include "num/whole.h"
#include "tensor/internal.h"

#define UNARY(op, x) dps_apply(g, DPS_OP_##op, DPS_FLOAT8, x, NULL)
#define BINARY(op, x, y) dps_apply(g, DPS_OP_##op, DPS_FLOAT8, x, y)
#define NUM(v) dps_constant(g, DPS_FLOAT8, v)
#define ADD(x, y) BINARY(ADD, x, y)
#define SUB(x, y) BINARY(SUB, x, y)
#define MUL(x, y) BINARY(MUL, x, y)
#define DIV(x, y) BINARY(DIV, x, y)
#define NEG(x) UNARY(NEG, x)
#define EXP(x) UNARY(EXP, x)
#define LN(x) UNARY(LN, x)
#define GT(x, y) dps_apply(g, DPS_OP_GT, DPS_BOOL, x, y)
#define GE(x, y) dps_apply(g, DPS_OP_GE, DPS_BOOL, x, y)
#define AND(x, y) dps_apply(g, DPS_OP_AND, DPS_BOOL, x, y)
#define IF(c, x, y) dps_choose(g, c, x, y)

/*
 * Operations on elements
 */

#define DPS_TENSOR_MAP(id, value, dx, expression) \
static const DpsNode * \
express_##id(DpsGraph *g, const DpsNode *x) \
{ \
	return expression; \
}
#define DPS_TENSOR_OP(...)
#include "tensor/tensor_ops.def"
#undef DPS_TENSOR_OP
#undef DPS_TENSOR_MAP

typedef const DpsNode *(*ExpressFn) (DpsGraph *g, const DpsNode *x);

static const ExpressFn express[DPS_TENSOR_OP_COUNT - DPS_OP_COUNT] = {
#define DPS_TENSOR_MAP(id, ...) [DPS_TENSOR_##id - DPS_OP_COUNT] = express_##id,
#define DPS_TENSOR_OP(...)
#include "tensor/tensor_ops.def"
#undef DPS_TENSOR_OP
#undef DPS_TENSOR_MAP
};

DpsStatus
dps_expand_map(const DpsTensorExpansion *e)
{
	int64_t		n = dps_tensor_size(e->node);
	int64_t		i;

	for (i = 0; i < n; i++)
		e->result[i] = express[e->node->op - DPS_OP_COUNT] (e->graph, e->arg[0][i]);
	return DPS_OK;
}

/* The element of an argument at a place; a scalar is at every place. */
static const DpsNode *
element(const DpsTensorExpansion *e, int k, int64_t i)
{
	return e->arg[k][e->node->arg[k]->shape.rank == 0 ? 0 : i];
}

/* As row expressions have them: numbers where numbers are used. */
static const DpsNode *
condition(DpsGraph *g, const DpsNode *x)
{
	return x == NULL || x->type == DPS_BOOL ? x : dps_apply(g, DPS_OP_EQ, DPS_BOOL, x, NUM(1));
}

static const DpsNode *
number(DpsGraph *g, const DpsNode *x)
{
	return x == NULL || x->type != DPS_BOOL ? x : IF(x, NUM(1), NUM(0));
}

static const DpsNode *
expand_row(DpsGraph *g, int op, const DpsNode *x, const DpsNode *y)
{
	bool		logical = (dps_ops[op].flags & DPS_LOGICAL) != 0;
	bool		connects = op == DPS_OP_AND || op == DPS_OP_OR || op == DPS_OP_NOT;
	bool		binary = dps_ops[op].arity == 2;

	x = connects ? condition(g, x) : number(g, x);
	if (binary)
		y = connects ? condition(g, y) : number(g, y);
	return dps_apply(g, op, logical ? DPS_BOOL : DPS_FLOAT8, x, binary ? y : NULL);
}

static DpsStatus
expand_elements(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;
	int64_t		n = dps_tensor_size(e->node);
	int			op = e->node->op;
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		if (op == DPS_OP_CASE)
			e->result[i] = IF(condition(g, element(e, 0, i)), number(g, element(e, 1, i)), number(g, element(e, 2, i)));
		else
			e->result[i] = expand_row(g, op, element(e, 0, i), e->node->nargs == 2 ? element(e, 1, i) : NULL);
	}
	return DPS_OK;
}

/*
 * Products and sums
 */

/* A sum whose constants are added up by themselves: where most of what is added
 * is known, what is left is short. */
typedef struct Sum
{
	const DpsNode *constant;	/* NULL: nothing yet */
	const DpsNode *rest;		/* NULL: nothing yet */
	bool		failed;
} Sum;

static void
add_to_sum(DpsGraph *g, Sum *sum, const DpsNode *x)
{
	if (x == NULL)
		sum->failed = true;
	else
	{
		const DpsNode **part = x->op == DPS_OP_CONST && x->type == DPS_FLOAT8 ? &sum->constant : &sum->rest;

		*part = *part == NULL ? x : ADD(*part, x);
		sum->failed |= *part == NULL;
	}
}

static const DpsNode *
finish_sum(DpsGraph *g, const Sum *sum)
{
	if (sum->failed)
		return NULL;
	if (sum->rest == NULL)
		return sum->constant == NULL ? NUM(0) : sum->constant;
	return sum->constant == NULL ? sum->rest : ADD(sum->rest, sum->constant);
}

DpsStatus
dps_expand_matmul(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;
	bool		tx = e->node->attribute[0] != 0;
	bool		ty = e->node->attribute[1] != 0;
	int64_t		m = e->node->shape.extent[0];
	int64_t		n = e->node->shape.extent[1];
	int64_t		depth = e->node->arg[0]->shape.extent[tx ? 0 : 1];
	int64_t		i;
	int64_t		p;

	for (i = 0; i < m * n; i++)
	{
		Sum			sum = {0};

		for (p = 0; p < depth; p++)
			add_to_sum(g, &sum, MUL(e->arg[0][tx ? p * m + i / n : i / n * depth + p],
									e->arg[1][ty ? i % n * depth + p : p * n + i % n]));
		e->result[i] = finish_sum(g, &sum);
	}
	return DPS_OK;
}

DpsStatus
dps_expand_dot(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;
	Sum			sum = {0};
	int64_t		n = dps_tensor_size(e->node->arg[0]);
	int64_t		i;

	for (i = 0; i < n; i++)
		add_to_sum(g, &sum, MUL(e->arg[0][i], e->arg[1][i]));
	e->result[0] = finish_sum(g, &sum);
	return DPS_OK;
}

/* Reductions combine the elements along the axes one by one. */
typedef const DpsNode *(*CombineFn) (DpsGraph *g, const DpsNode *so_far, const DpsNode *x);

static const DpsNode *
combine_max(DpsGraph *g, const DpsNode *so_far, const DpsNode *x)
{
	return BINARY(GREATEST, so_far, x);
}

static const DpsNode *
combine_exp(DpsGraph *g, const DpsNode *so_far, const DpsNode *x)
{
	return ADD(so_far, EXP(x));
}

static DpsSpan
span_of(const DpsTensorExpansion *e)
{
	return dps_span(&e->node->arg[0]->shape, e->node->attribute[0], e->node->attribute[1]);
}

/* first, if not NULL, is what the combination begins with instead of the first
 * element. */
static void
reduce(const DpsTensorExpansion *e, const DpsNode *first, CombineFn combine)
{
	DpsSpan		span = span_of(e);
	int64_t		i;
	int64_t		j;

	for (i = 0; i < span.outer * span.inner; i++)
	{
		const DpsNode *const *x = e->arg[0] + i / span.inner * span.length * span.inner + i % span.inner;
		const DpsNode *so_far = first != NULL ? first : x[0];

		for (j = first != NULL ? 0 : 1; j < span.length; j++)
			so_far = combine(e->graph, so_far, x[j * span.inner]);
		e->result[i] = so_far;
	}
}

DpsStatus
dps_expand_sum(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;
	DpsSpan		span = span_of(e);
	int64_t		i;
	int64_t		j;

	for (i = 0; i < span.outer * span.inner; i++)
	{
		const DpsNode *const *x = e->arg[0] + i / span.inner * span.length * span.inner + i % span.inner;
		Sum			sum = {0};

		for (j = 0; j < span.length; j++)
			add_to_sum(g, &sum, x[j * span.inner]);
		e->result[i] = finish_sum(g, &sum);
	}
	return DPS_OK;
}

DpsStatus
dps_expand_max(const DpsTensorExpansion *e)
{
	reduce(e, NULL, combine_max);
	return DPS_OK;
}

DpsStatus
dps_expand_log_sum_exp(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;
	DpsSpan		span = span_of(e);
	const DpsNode *zero = NUM(0);
	int64_t		i;

	if (zero == NULL)
		return DPS_NOMEM;
	reduce(e, zero, combine_exp);
	for (i = 0; i < span.outer * span.inner; i++)
		e->result[i] = LN(e->result[i]);
	return DPS_OK;
}

/* Is it what surrounds an image? */
static bool
is_outside(const DpsNode *x)
{
	return x->op == DPS_OP_CONST && x->value != x->value;
}

/* Is element j of these, `step` apart, the first of the greatest: greater than
 * those before it and not less than those after it? */
static const DpsNode *
is_first_max(DpsGraph *g, const DpsNode *const *x, int64_t n, int64_t step, int64_t j)
{
	const DpsNode *first = dps_constant(g, DPS_BOOL, 1);
	int64_t		k;

	if (is_outside(x[j * step]))
		return dps_constant(g, DPS_BOOL, 0);
	for (k = 0; k < n; k++)
	{
		if (k == j || is_outside(x[k * step]))
			continue;
		first = AND(first, k < j ? GT(x[j * step], x[k * step]) : GE(x[j * step], x[k * step]));
	}
	return first;
}

DpsStatus
dps_expand_first_max(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;
	DpsSpan		span = span_of(e);
	int64_t		n = span.outer * span.length * span.inner;
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		int64_t		j = i / span.inner % span.length;

		e->result[i] = IF(is_first_max(g, e->arg[0] + i - j * span.inner, span.length, span.inner, j), NUM(1), NUM(0));
	}
	return DPS_OK;
}

/*
 * Moved elements
 */

/*
 * Where each element of the result of an operation comes from, counted from 1;
 * not positive if from nowhere.  `like` says which operation, `from` on what
 * shape.
 */
static DpsStatus
trace_elements(const DpsTensor *like, const DpsTensor *from, DpsArena *arena, double **places)
{
	int64_t		n = dps_tensor_size(from);
	double	   *numbers = dps_arena_alloc(arena, sizeof(double) * (size_t) n);
	DpsTensorCall call = {.node = like, .arg = {numbers}};
	int64_t		i;

	*places = dps_arena_alloc(arena, sizeof(double) * (size_t) dps_tensor_size(like));
	if (numbers == NULL || *places == NULL)
		return DPS_NOMEM;
	for (i = 0; i < n; i++)
		numbers[i] = (double) (i + 1);
	call.result = *places;
	dps_tensor_row(like->op)->run(&call);
	return DPS_OK;
}

static DpsStatus
expand_traced(const DpsTensorExpansion *e, const DpsNode *elsewhere)
{
	double	   *places;
	int64_t		n = dps_tensor_size(e->node);
	int64_t		i;

	DPS_TRY(trace_elements(e->node, e->node->arg[0], e->graph->arena, &places));
	for (i = 0; i < n; i++)
		e->result[i] = places[i] > 0 ? e->arg[0][dps_to_int64(places[i]) - 1] : elsewhere;
	return DPS_OK;
}

DpsStatus
dps_expand_moved(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;

	return expand_traced(e, NUM(0));
}

/* NULL is what greatest() passes over. */
DpsStatus
dps_expand_unfold_max(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;

	return expand_traced(e, NUM(NAN));
}

DpsStatus
dps_expand_reshape(const DpsTensorExpansion *e)
{
	memcpy(e->result, e->arg[0], sizeof(DpsNode *) * (size_t) dps_tensor_size(e->node));
	return DPS_OK;
}

/* Elements are added where the transposed operation takes them from. */
DpsStatus
dps_expand_fold(const DpsTensorExpansion *e)
{
	DpsGraph   *g = e->graph;
	const DpsTensor *columns = e->node->arg[0];
	DpsTensor	unfold = *columns;
	DpsTensor	image = *e->node;
	double	   *places;
	int64_t		n = dps_tensor_size(e->node);
	int64_t		i;

	unfold.op = DPS_TENSOR_UNFOLD;
	unfold.arg[0] = &image;
	memcpy(unfold.attribute, e->node->attribute, sizeof(unfold.attribute));
	DPS_TRY(trace_elements(&unfold, &image, g->arena, &places));
	for (i = 0; i < n; i++)
		e->result[i] = NUM(0);
	for (i = 0; i < dps_tensor_size(columns); i++)
	{
		if (places[i] > 0)
			e->result[dps_to_int64(places[i]) - 1] = ADD(e->result[dps_to_int64(places[i]) - 1], e->arg[0][i]);
	}
	return DPS_OK;
}

/*
 * Graphs
 */

typedef struct Expander
{
	const DpsTensorGraph *g;
	DpsGraph   *graph;
	const DpsNode *const *const *inputs;
	const DpsTensor **node;		/* by id; NULL if not needed */
	const DpsNode **constant;	/* by id, of constants */
	const DpsNode *const **elements;	/* by id */
} Expander;

static DpsStatus
expand_leaf(Expander *x, const DpsTensor *node)
{
	if (node->op == DPS_OP_VAR)
	{
		x->elements[node->id] = x->inputs[node->input];
		return DPS_OK;
	}
	x->constant[node->id] = dps_constant(x->graph, DPS_FLOAT8, node->value);
	x->elements[node->id] = &x->constant[node->id];
	return x->constant[node->id] == NULL ? DPS_NOMEM : DPS_OK;
}

static DpsStatus
expand_node(Expander *x, const DpsTensor *node)
{
	DpsTensorExpansion e = {.node = node, .graph = x->graph};
	int64_t		n = dps_tensor_size(node);
	int64_t		i;
	int			k;

	if (node->nargs == 0)
		return expand_leaf(x, node);
	e.result = dps_arena_alloc(x->graph->arena, sizeof(DpsNode *) * (size_t) n);
	if (e.result == NULL)
		return DPS_NOMEM;
	for (k = 0; k < node->nargs; k++)
		e.arg[k] = x->elements[node->arg[k]->id];
	DPS_TRY(dps_tensor_has_row(node->op) ? dps_tensor_row(node->op)->expand(&e) : expand_elements(&e));
	for (i = 0; i < n; i++)
	{
		if (e.result[i] == NULL)
			return DPS_NOMEM;
		/* deeper ones would be too much for what recurses over them */
		if (e.result[i]->depth > DPS_MAX_DEPTH)
			return DPS_UNABLE;
	}
	x->elements[node->id] = e.result;
	return DPS_OK;
}

static int64_t
count_below(Expander *x, uint32_t limit)
{
	int64_t		count = 0;
	uint32_t	id;
	int			k;

	for (id = limit; id-- > 0;)
	{
		if (x->node[id] == NULL)
			continue;
		count += dps_tensor_size(x->node[id]);
		for (k = 0; k < x->node[id]->nargs; k++)
			x->node[x->node[id]->arg[k]->id] = x->node[id]->arg[k];
	}
	return count;
}

static DpsStatus
expand_all(Expander *x, const DpsTensor *const *nodes, int n, uint32_t limit, const DpsNode **results)
{
	uint32_t	id;
	int			k;

	for (k = 0; k < n; k++)
		x->node[nodes[k]->id] = nodes[k];
	if (count_below(x, limit) > DPS_MAX_EXPANDED)
		return DPS_UNABLE;
	for (id = 0; id < limit; id++)
	{
		if (x->node[id] != NULL)
			DPS_TRY(expand_node(x, x->node[id]));
	}
	for (k = 0; k < n; k++)
	{
		size_t		size = (size_t) dps_tensor_size(nodes[k]);

		memcpy(results, x->elements[nodes[k]->id], sizeof(DpsNode *) * size);
		results += size;
	}
	return DPS_OK;
}

DpsStatus
dps_tensor_expand(const DpsTensorGraph *g, const DpsTensor *const *nodes, int n, DpsGraph *graph,
				  const DpsNode *const *const *inputs, const DpsNode **results)
{
	Expander	x = {.g = g, .graph = graph, .inputs = inputs};
	uint32_t	limit = 0;
	int			k;

	for (k = 0; k < n; k++)
	{
		if (nodes[k] == NULL)
			return dps_arena_status(g->arena, DPS_NOMEM);
		limit = nodes[k]->id >= limit ? nodes[k]->id + 1 : limit;
	}
	x.node = dps_arena_alloc(graph->arena, sizeof(DpsTensor *) * limit);
	x.constant = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * limit);
	x.elements = dps_arena_alloc(graph->arena, sizeof(DpsNode **) * limit);
	if (x.node == NULL || x.constant == NULL || x.elements == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	return dps_arena_status(graph->arena, expand_all(&x, nodes, n, limit, results));
}
