/*
 * graph.c
 *		The graph: interning, leaves, and constructors that simplify.
 *
 * Most rules keep derivatives as small as those written by hand: factors 1,
 * terms 0, scalars before sums.  Two rules matter to the cost of networks.  A
 * tensor with the same value everywhere enters an operation as a scalar.  And
 * the inner product of two outer products, (u v^T) . (p q^T) = (u . p)(v . q),
 * or of sums of a few of them, is computed without forming them.  The squared
 * norm of the gradient by the weights of a dense layer, for one example, is such
 * a product, and so is that of the gradient's derivative.
 */
#include <math.h>
#include <string.h>

#include "tensor/internal.h"

#define INITIAL_INPUTS 16

DpsStatus
dps_tensor_graph_init(DpsTensorGraph **graph, DpsArena *arena)
{
	DpsTensorGraph *result = dps_arena_alloc(arena, sizeof(DpsTensorGraph));

	*graph = result;
	if (result == NULL)
		return DPS_NOMEM;
	result->arena = arena;
	return dps_chains_init(&result->nodes, arena);
}

/*
 * Interning
 */

static uint64_t
node_hash(const DpsTensor *node)
{
	uint64_t	hash = dps_hash_word(node->op, dps_double_word(node->value));
	int			i;

	hash = dps_hash_word(hash, (uint64_t) node->input);
	hash = dps_hash_word(hash, (uint64_t) node->shape.rank);
	for (i = 0; i < node->shape.rank; i++)
		hash = dps_hash_word(hash, (uint64_t) node->shape.extent[i]);
	for (i = 0; i < DPS_MAX_ATTRIBUTES; i++)
		hash = dps_hash_word(hash, (uint64_t) node->attribute[i]);
	for (i = 0; i < node->nargs; i++)
		hash = dps_hash_word(hash, node->arg[i]->link.hash);
	return hash;
}

static bool
same_node(const DpsTensor *a, const DpsTensor *b)
{
	return a->link.hash == b->link.hash && a->op == b->op && a->nargs == b->nargs &&
		a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2] &&
		a->input == b->input && dps_double_word(a->value) == dps_double_word(b->value) &&
		memcmp(a->attribute, b->attribute, sizeof(a->attribute)) == 0 &&
		dps_shape_equal(&a->shape, &b->shape);
}

static const DpsTensor *
find_node(const DpsTensorGraph *g, const DpsTensor *wanted)
{
	const DpsLink *link = dps_chain_of(&g->nodes, wanted->link.hash);

	while (link != NULL && !same_node((const DpsTensor *) link, wanted))
		link = link->next;
	return (const DpsTensor *) link;
}

static const DpsTensor *
add_node(DpsTensorGraph *g, DpsTensor *wanted)
{
	const DpsTensor *found;
	DpsTensor  *node;

	if (!dps_arena_step(g->arena))
		return NULL;
	wanted->link.hash = node_hash(wanted);
	found = find_node(g, wanted);
	if (found != NULL)
		return found;
	node = dps_arena_alloc(g->arena, sizeof(DpsTensor));
	if (node == NULL)
		return NULL;
	*node = *wanted;
	node->id = g->nnodes++;
	dps_chains_add(&g->nodes, &node->link);
	return node;
}

static bool
commutes(const DpsTensor *node)
{
	if (node->op == DPS_TENSOR_DOT)
		return true;
	return !dps_tensor_has_row(node->op) && node->op > DPS_OP_CASE && (dps_ops[node->op].flags & DPS_COMMUTES);
}

const DpsTensor *
dps_tensor_intern(DpsTensorGraph *g, DpsTensor *wanted)
{
	int			i;

	for (i = 0; i < wanted->nargs; i++)
	{
		if (wanted->arg[i] == NULL)
			return NULL;
	}
	if (!(dps_tensor_has_row(wanted->op) ? dps_tensor_row(wanted->op)->shape(wanted) : dps_shape_map(wanted)))
		return NULL;
	if (!dps_shape_is_possible(&wanted->shape))
		return NULL;
	if (commutes(wanted) && wanted->arg[0]->id > wanted->arg[1]->id)
	{
		const DpsTensor *x = wanted->arg[0];

		wanted->arg[0] = wanted->arg[1];
		wanted->arg[1] = x;
	}
	return add_node(g, wanted);
}

/*
 * Leaves
 */

static bool
grow_inputs(DpsTensorGraph *g)
{
	uint32_t	n = g->max_inputs > 0 ? g->max_inputs * 2 : INITIAL_INPUTS;
	const char **names = dps_arena_alloc(g->arena, sizeof(char *) * n);
	const DpsTensor **inputs = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * n);

	if (names == NULL || inputs == NULL)
		return false;
	if (g->ninputs > 0)
	{
		memcpy(names, g->names, sizeof(char *) * g->ninputs);
		memcpy(inputs, g->inputs, sizeof(DpsTensor *) * g->ninputs);
	}
	g->names = names;
	g->inputs = inputs;
	g->max_inputs = n;
	return true;
}

const DpsTensor *
dps_tensor_input(DpsTensorGraph *g, const char *name, DpsShape shape)
{
	DpsTensor	node = {.op = DPS_OP_VAR, .shape = shape};
	const DpsTensor *result;

	if (!dps_shape_is_possible(&shape) || (g->ninputs == g->max_inputs && !grow_inputs(g)))
		return NULL;
	node.input = (int32_t) g->ninputs;
	result = add_node(g, &node);
	if (result != NULL)
	{
		g->names[g->ninputs] = name;
		g->inputs[g->ninputs++] = result;
	}
	return result;
}

const DpsTensor *
dps_tensor_constant(DpsTensorGraph *g, double value)
{
	DpsTensor	node = {.op = DPS_OP_CONST, .shape = DPS_SCALAR};

	node.value = value - value == 0 ? value : (double) NAN;
	return add_node(g, &node);
}

const DpsTensor *
dps_tensor_zeros(DpsTensorGraph *g, DpsShape shape)
{
	return dps_tensor_broadcast(g, dps_tensor_constant(g, 0), shape);
}

/*
 * Simplification
 */

static bool
is_constant(const DpsTensor *x, double value)
{
	return x->op == DPS_OP_CONST && x->value == value;
}

/* The scalar that every element is, or NULL. */
static const DpsTensor *
uniform_value(DpsTensorGraph *g, const DpsTensor *x)
{
	while (x->op == DPS_TENSOR_BROADCAST || x->op == DPS_TENSOR_RESHAPE)
	{
		if (x->op == DPS_TENSOR_BROADCAST && dps_tensor_size(x->arg[0]) > 1)
			return NULL;
		x = x->arg[0];
	}
	return dps_tensor_size(x) == 1 ? dps_tensor_reshape(g, x, DPS_SCALAR) : NULL;
}

static const DpsTensor *
map_node(DpsTensorGraph *g, int op, const DpsTensor *x, const DpsTensor *y)
{
	DpsTensor	node = {.op = op, .nargs = y == NULL ? 1 : 2};

	node.arg[0] = x;
	node.arg[1] = y;
	return dps_tensor_intern(g, &node);
}

static const DpsTensor *
map_constants(DpsTensorGraph *g, int op, const DpsTensor *x, const DpsTensor *y)
{
	double		result;

	if (!dps_tensor_has_row(op))
		return dps_tensor_constant(g, dps_ops[op].value(x->value, y != NULL ? y->value : 0));
	{
		DpsTensor	node = {.op = op, .nargs = 1, .shape = DPS_SCALAR};
		DpsTensorCall call = {.node = &node, .arg = {&x->value}, .result = &result};

		dps_tensor_row(op)->run(&call);
	}
	return dps_tensor_constant(g, result);
}

/* x and y are neither uniform nor two constants; NULL if no rule applies. */
static const DpsTensor *
simplify_binary(DpsTensorGraph *g, int op, const DpsTensor *x, const DpsTensor *y, DpsShape shape)
{
	switch (op)
	{
		case DPS_OP_ADD:
			if (is_constant(x, 0))
				return dps_tensor_broadcast(g, y, shape);
			if (is_constant(y, 0))
				return dps_tensor_broadcast(g, x, shape);
			if (x == y)
				return dps_tensor_map(g, DPS_OP_MUL, dps_tensor_constant(g, 2), x);
			return NULL;
		case DPS_OP_SUB:
			if (is_constant(y, 0))
				return dps_tensor_broadcast(g, x, shape);
			if (is_constant(x, 0))
				return dps_tensor_map(g, DPS_OP_NEG, y, NULL);
			return NULL;
		case DPS_OP_MUL:
			if (is_constant(x, 0) || is_constant(y, 0))
				return dps_tensor_zeros(g, shape);
			if (is_constant(x, 1))
				return dps_tensor_broadcast(g, y, shape);
			if (is_constant(y, 1))
				return dps_tensor_broadcast(g, x, shape);
			if (is_constant(x, -1))
				return dps_tensor_map(g, DPS_OP_NEG, y, NULL);
			if (is_constant(y, -1))
				return dps_tensor_map(g, DPS_OP_NEG, x, NULL);
			if (x == y)
				return dps_tensor_map(g, DPS_OP_SQR, x, NULL);
			return NULL;
		case DPS_OP_DIV:
			return is_constant(y, 1) ? dps_tensor_broadcast(g, x, shape) : NULL;
	}
	return NULL;
}

static const DpsTensor *
map_binary(DpsTensorGraph *g, int op, const DpsTensor *x, const DpsTensor *y)
{
	DpsTensor	node = {.op = op, .nargs = 2, .arg = {x, y}};
	DpsShape	shape;
	const DpsTensor *u;
	const DpsTensor *v;
	const DpsTensor *result;

	if (!dps_shape_map(&node))
		return NULL;
	shape = node.shape;
	u = uniform_value(g, x);
	v = uniform_value(g, y);
	/* one value throughout, whatever the shape */
	if (u != NULL && v != NULL && shape.rank > 0)
		return dps_tensor_broadcast(g, dps_tensor_map(g, op, u, v), shape);
	if (u != NULL)
		x = u;
	if (v != NULL)
		y = v;
	if (x->op == DPS_OP_CONST && y->op == DPS_OP_CONST)
		return map_constants(g, op, x, y);
	result = simplify_binary(g, op, x, y, shape);
	return result != NULL ? result : map_node(g, op, x, y);
}

const DpsTensor *
dps_tensor_map(DpsTensorGraph *g, int op, const DpsTensor *x, const DpsTensor *y)
{
	bool		binary = !dps_tensor_has_row(op) && dps_ops[op].arity == 2;
	const DpsTensor *u;

	if (x == NULL || (binary && y == NULL) || !dps_tensor_is_elementwise(op))
		return NULL;
	if (binary)
		return map_binary(g, op, x, y);
	u = uniform_value(g, x);
	if (u != NULL && x->shape.rank > 0)
		return dps_tensor_broadcast(g, dps_tensor_map(g, op, u, NULL), x->shape);
	if (x->op == DPS_OP_CONST)
		return map_constants(g, op, x, NULL);
	if (op == DPS_OP_NEG && x->op == DPS_OP_NEG)
		return x->arg[0];
	return map_node(g, op, x, NULL);
}

const DpsTensor *
dps_tensor_choose(DpsTensorGraph *g, const DpsTensor *condition, const DpsTensor *yes, const DpsTensor *no)
{
	DpsTensor	node = {.op = DPS_OP_CASE, .nargs = 3, .arg = {condition, yes, no}};

	if (condition == NULL || yes == NULL || no == NULL || !dps_shape_map(&node))
		return NULL;
	if (condition->op == DPS_OP_CONST)
		return dps_tensor_broadcast(g, condition->value == 1 ? yes : no, node.shape);
	if (yes == no)
		return dps_tensor_broadcast(g, yes, node.shape);
	return dps_tensor_intern(g, &node);
}

/*
 * Operations on whole tensors
 */

const DpsTensor *
dps_tensor_matmul(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y, bool transpose_x, bool transpose_y)
{
	DpsTensor	node = {.op = DPS_TENSOR_MATMUL, .nargs = 2, .arg = {x, y}};
	const DpsTensor *u;
	const DpsTensor *v;

	node.attribute[0] = transpose_x;
	node.attribute[1] = transpose_y;
	if (x == NULL || y == NULL || x->shape.rank != 2 || y->shape.rank != 2)
		return NULL;
	u = uniform_value(g, x);
	v = uniform_value(g, y);
	if (dps_shape_matmul(&node) && ((u != NULL && is_constant(u, 0)) || (v != NULL && is_constant(v, 0))))
		return dps_tensor_zeros(g, node.shape);
	/* a single row or column is its own transpose, as memory goes */
	if (transpose_x && (x->shape.extent[0] == 1 || x->shape.extent[1] == 1))
	{
		node.arg[0] = dps_tensor_reshape(g, x, DPS_MATRIX(x->shape.extent[1], x->shape.extent[0]));
		node.attribute[0] = 0;
	}
	if (transpose_y && (y->shape.extent[0] == 1 || y->shape.extent[1] == 1))
	{
		node.arg[1] = dps_tensor_reshape(g, y, DPS_MATRIX(y->shape.extent[1], y->shape.extent[0]));
		node.attribute[1] = 0;
	}
	return dps_tensor_intern(g, &node);
}

/* u v^T with vectors u and v, whatever their shapes. */
static bool
is_outer_product(const DpsTensor *x)
{
	return x->op == DPS_TENSOR_MATMUL && x->arg[0]->shape.extent[1 - x->attribute[0]] == 1;
}

/* A few outer products, added up with factors. */
#define MAX_TERMS 4

typedef struct Term
{
	const DpsTensor *product;
	const DpsTensor *factor;	/* scalar; NULL is 1 */
	bool		negative;
} Term;

static const DpsTensor *scalar_factor(const DpsTensor **x);

/* Appends the terms of x to the n that there are; -1 if it is no such sum. */
static int
collect_terms(const DpsTensor *x, bool negative, Term *terms, int n)
{
	const DpsTensor *factor = scalar_factor(&x);

	if (n < 0)
		return -1;
	if (is_outer_product(x) && n < MAX_TERMS)
	{
		terms[n] = (Term) {x, factor, negative};
		return n + 1;
	}
	if (factor != NULL)
		return -1;
	if (x->op == DPS_OP_NEG)
		return collect_terms(x->arg[0], !negative, terms, n);
	if (x->op == DPS_OP_ADD || x->op == DPS_OP_SUB)
		return collect_terms(x->arg[1], negative != (x->op == DPS_OP_SUB), terms,
							 collect_terms(x->arg[0], negative, terms, n));
	return -1;
}

static const DpsTensor *
flat(DpsTensorGraph *g, const DpsTensor *x)
{
	return x == NULL ? NULL : dps_tensor_reshape(g, x, DPS_VECTOR((int32_t) dps_tensor_size(x)));
}

/* A scalar factor of x, which is then the rest; NULL if there is none. */
static const DpsTensor *
scalar_factor(const DpsTensor **x)
{
	const DpsTensor *product = *x;
	int			k;

	if (product->op != DPS_OP_MUL || product->shape.rank == 0)
		return NULL;
	for (k = 0; k < 2; k++)
	{
		if (product->arg[k]->shape.rank == 0)
		{
			*x = product->arg[1 - k];
			return product->arg[k];
		}
	}
	return NULL;
}

/* The inner product of two terms. */
static const DpsTensor *
dot_terms(DpsTensorGraph *g, const Term *a, const Term *b)
{
	const DpsTensor *x = a->product;
	const DpsTensor *y = b->product;
	const DpsTensor *dot = dps_tensor_map(g, DPS_OP_MUL,
										  dps_tensor_dot(g, flat(g, x->arg[0]), flat(g, y->arg[0])),
										  dps_tensor_dot(g, flat(g, x->arg[1]), flat(g, y->arg[1])));

	if (a->factor != NULL)
		dot = dps_tensor_map(g, DPS_OP_MUL, a->factor, dot);
	if (b->factor != NULL)
		dot = dps_tensor_map(g, DPS_OP_MUL, b->factor, dot);
	return a->negative != b->negative ? dps_tensor_map(g, DPS_OP_NEG, dot, NULL) : dot;
}

static const DpsTensor *
dot_sums(DpsTensorGraph *g, const Term *a, int n, const Term *b, int m)
{
	const DpsTensor *sum = dps_tensor_constant(g, 0);
	int			i;
	int			j;

	for (i = 0; i < n; i++)
	{
		for (j = 0; j < m; j++)
			sum = dps_tensor_map(g, DPS_OP_ADD, sum, dot_terms(g, &a[i], &b[j]));
	}
	return sum;
}

const DpsTensor *
dps_tensor_dot(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y)
{
	DpsTensor	node = {.op = DPS_TENSOR_DOT, .nargs = 2};
	const DpsTensor *factor;
	Term		terms[2][MAX_TERMS];
	int			nx;
	int			ny;

	if (x == NULL || y == NULL || !dps_shape_equal(&x->shape, &y->shape))
		return NULL;
	if (x->shape.rank == 0)
		return dps_tensor_map(g, DPS_OP_MUL, x, y);
	if ((factor = scalar_factor(&x)) != NULL || (factor = scalar_factor(&y)) != NULL)
		return dps_tensor_map(g, DPS_OP_MUL, factor, dps_tensor_dot(g, x, y));
	if (x->op == DPS_OP_NEG && y->op == DPS_OP_NEG)
		return dps_tensor_dot(g, x->arg[0], y->arg[0]);
	if (x->op == DPS_TENSOR_RESHAPE && y->op == DPS_TENSOR_RESHAPE &&
		dps_shape_equal(&x->arg[0]->shape, &y->arg[0]->shape))
		return dps_tensor_dot(g, x->arg[0], y->arg[0]);
	nx = collect_terms(x, false, terms[0], 0);
	ny = collect_terms(y, false, terms[1], 0);
	if (nx > 0 && ny > 0)
		return dot_sums(g, terms[0], nx, terms[1], ny);
	if (uniform_value(g, x) != NULL)
		return dps_tensor_map(g, DPS_OP_MUL, uniform_value(g, x), dps_tensor_total(g, y));
	if (uniform_value(g, y) != NULL)
		return dps_tensor_map(g, DPS_OP_MUL, uniform_value(g, y), dps_tensor_total(g, x));
	node.arg[0] = x;
	node.arg[1] = y;
	return dps_tensor_intern(g, &node);
}

const DpsTensor *
dps_tensor_reshape(DpsTensorGraph *g, const DpsTensor *x, DpsShape shape)
{
	DpsTensor	node = {.op = DPS_TENSOR_RESHAPE, .nargs = 1, .shape = shape};

	if (x == NULL)
		return NULL;
	while (x->op == DPS_TENSOR_RESHAPE)
		x = x->arg[0];
	if (dps_shape_equal(&x->shape, &shape))
		return x;
	node.arg[0] = x;
	return dps_tensor_intern(g, &node);
}

const DpsTensor *
dps_tensor_permute(DpsTensorGraph *g, const DpsTensor *x, const int *permutation)
{
	DpsTensor	node = {.op = DPS_TENSOR_PERMUTE, .nargs = 1};
	bool		identity = true;
	int			i;

	if (x == NULL)
		return NULL;
	for (i = 0; i < x->shape.rank; i++)
	{
		int			axis = permutation[i];

		if (axis < 0 || axis >= x->shape.rank)
			return NULL;
		node.attribute[i] = x->op == DPS_TENSOR_PERMUTE ? x->attribute[axis] : axis;
		identity &= node.attribute[i] == i;
	}
	if (x->op == DPS_TENSOR_PERMUTE)
		x = x->arg[0];
	if (identity)
		return x;
	node.arg[0] = x;
	return dps_tensor_intern(g, &node);
}

/* The first run of set bits: axes that are neighbours. */
static void
first_run(unsigned axes, int *first, int *count)
{
	*first = __builtin_ctz(axes);
	*count = __builtin_ctz(~(axes >> *first));
}

const DpsTensor *
dps_tensor_broadcast(DpsTensorGraph *g, const DpsTensor *x, DpsShape shape)
{
	unsigned	axes = 0;
	int			i;

	if (x == NULL || !dps_shape_is_possible(&shape))
		return NULL;
	if (x->shape.rank == 0 && shape.rank > 0)
	{
		DpsShape	ones = shape;

		for (i = 0; i < ones.rank; i++)
			ones.extent[i] = 1;
		x = dps_tensor_reshape(g, x, ones);
	}
	if (x == NULL || x->shape.rank != shape.rank)
		return NULL;
	for (i = 0; i < shape.rank; i++)
	{
		if (x->shape.extent[i] != shape.extent[i] && x->shape.extent[i] != 1)
			return NULL;
		if (x->shape.extent[i] != shape.extent[i])
			axes |= 1u << i;
	}
	/* axes that are not neighbours are repeated one after the other */
	while (axes != 0 && x != NULL)
	{
		DpsTensor	node = {.op = DPS_TENSOR_BROADCAST, .nargs = 1, .shape = x->shape};
		int			first;
		int			count;

		first_run(axes, &first, &count);
		for (i = first; i < first + count; i++)
			node.shape.extent[i] = shape.extent[i];
		axes &= ~(((1u << count) - 1) << first);
		node.arg[0] = x;
		node.attribute[0] = first;
		node.attribute[1] = count;
		x = dps_tensor_intern(g, &node);
	}
	return x;
}

/* What a reduction of one value, repeated `count` times, is. */
static const DpsTensor *
reduce_uniform(DpsTensorGraph *g, int op, const DpsTensor *value, double count)
{
	if (op == DPS_TENSOR_SUM)
		return dps_tensor_map(g, DPS_OP_MUL, dps_tensor_constant(g, count), value);
	if (op == DPS_TENSOR_LOG_SUM_EXP)
		return dps_tensor_map(g, DPS_OP_ADD, dps_tensor_constant(g, log(count)), value);
	return value;
}

static const DpsTensor *
reduce_run(DpsTensorGraph *g, int op, const DpsTensor *x, int first, int count)
{
	DpsTensor	node = {.op = op, .nargs = 1};
	const DpsTensor *value = uniform_value(g, x);
	DpsSpan		span = dps_span(&x->shape, first, count);

	node.arg[0] = x;
	node.attribute[0] = first;
	node.attribute[1] = count;
	if (value != NULL)
	{
		if (!dps_shape_reduce(&node))
			return NULL;
		return dps_tensor_broadcast(g, reduce_uniform(g, op, value, (double) span.length), node.shape);
	}
	/* of one element each, the same in another shape */
	if (span.length == 1)
		return x;
	return dps_tensor_intern(g, &node);
}

const DpsTensor *
dps_tensor_reduce(DpsTensorGraph *g, int op, const DpsTensor *x, unsigned axes)
{
	int			first;
	int			count;

	if (x == NULL || axes >> x->shape.rank != 0)
		return NULL;
	while (axes != 0 && x != NULL)
	{
		first_run(axes, &first, &count);
		axes &= ~(((1u << count) - 1) << first);
		x = reduce_run(g, op, x, first, count);
	}
	return x;
}

const DpsTensor *
dps_tensor_total(DpsTensorGraph *g, const DpsTensor *x)
{
	if (x == NULL || x->shape.rank == 0)
		return x;
	return dps_tensor_reshape(g, dps_tensor_reduce(g, DPS_TENSOR_SUM, x, (1u << x->shape.rank) - 1), DPS_SCALAR);
}

static void
set_window(DpsTensor *node, DpsWindow window)
{
	node->attribute[0] = window.height;
	node->attribute[1] = window.width;
	node->attribute[2] = window.stride;
	node->attribute[3] = window.padding;
}

const DpsTensor *
dps_tensor_unfold(DpsTensorGraph *g, const DpsTensor *image, DpsWindow window)
{
	DpsTensor	node = {.op = DPS_TENSOR_UNFOLD, .nargs = 1, .arg = {image}};

	set_window(&node, window);
	return dps_tensor_intern(g, &node);
}

const DpsTensor *
dps_tensor_fold(DpsTensorGraph *g, const DpsTensor *columns, DpsWindow window, DpsShape image)
{
	DpsTensor	node = {.op = DPS_TENSOR_FOLD, .nargs = 1, .shape = image, .arg = {columns}};

	set_window(&node, window);
	return dps_tensor_intern(g, &node);
}
