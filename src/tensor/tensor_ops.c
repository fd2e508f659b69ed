/*
 * tensor_ops.c
 *		The table of operations on tensors, expanded from tensor_ops.def.
 */
#include <math.h>

#include "tensor/internal.h"

#define MAP(op, x) dps_tensor_map(g, DPS_TENSOR_##op, x, NULL)
#define UNARY(op, x) dps_tensor_map(g, DPS_OP_##op, x, NULL)
#define BINARY(op, x, y) dps_tensor_map(g, DPS_OP_##op, x, y)

#define NUM(v) dps_tensor_constant(g, v)
#define NONE NULL
#define SUB(x, y) BINARY(SUB, x, y)
#define MUL(x, y) BINARY(MUL, x, y)
#define EXP(x) UNARY(EXP, x)

#define axes_of(f) dps_axes_of(f)
#define window_of(f) dps_window_of(f)
#define zeros(g, shape) dps_tensor_zeros(g, shape)

/*
 * f = x' y', where ' transposes or not: the adjoint of x' is a (y')^T, and that
 * of x is its transpose if x was transposed.
 */
static const DpsTensor *
derive_left_factor(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *y, const DpsTensor *a)
{
	bool		tx = f->attribute[0] != 0;
	bool		ty = f->attribute[1] != 0;

	return tx ? dps_tensor_matmul(g, y, a, ty, true) : dps_tensor_matmul(g, a, y, false, !ty);
}

static const DpsTensor *
derive_right_factor(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *x, const DpsTensor *a)
{
	bool		tx = f->attribute[0] != 0;
	bool		ty = f->attribute[1] != 0;

	return ty ? dps_tensor_matmul(g, a, x, true, tx) : dps_tensor_matmul(g, x, a, !tx, false);
}

static const DpsTensor *
derive_permute(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *a)
{
	int			inverse[DPS_MAX_RANK] = {0};
	int			i;

	for (i = 0; i < f->shape.rank; i++)
		inverse[f->attribute[i]] = i;
	return dps_tensor_permute(g, a, inverse);
}

/* An operation about the same axes. */
static const DpsTensor *
like(DpsTensorGraph *g, int op, const DpsTensor *f, const DpsTensor *x)
{
	DpsTensor	node = {.op = op, .nargs = 1};

	node.arg[0] = x;
	node.attribute[0] = f->attribute[0];
	node.attribute[1] = f->attribute[1];
	return dps_tensor_intern(g, &node);
}

/* As in expr/ops.c: eight at a time, so that the compiler can vectorise. */
#define STRIDE 8

#define MAP_ELEMENT(i, element) \
	do { \
		const double x = from[i]; \
		const double value = element; \
		to[i] = value - value == 0 ? value : NAN; \
	} while (0)

#define DPS_TENSOR_MAP(id, element, dx, expression) \
static void \
run_##id(const DpsTensorCall *call) \
{ \
	const double *restrict from = call->arg[0]; \
	double	   *restrict to = call->result; \
	int64_t		n = dps_tensor_size(call->node) * dps_call_examples(call); \
	int64_t		i = 0; \
	int			k; \
	for (; i + STRIDE <= n; i += STRIDE) \
	{ \
		for (k = 0; k < STRIDE; k++) \
			MAP_ELEMENT(i + k, element); \
	} \
	for (; i < n; i++) \
		MAP_ELEMENT(i, element); \
} \
static const DpsTensor * \
derive_x_##id(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *x, const DpsTensor *y, const DpsTensor *a) \
{ \
	(void) f; (void) x; (void) y; \
	return MUL(a, dx); \
}
#define DPS_TENSOR_OP(id, arity, attributes, shape, kernel, expansion, dx, dy) \
static const DpsTensor * \
derive_x_##id(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *x, const DpsTensor *y, const DpsTensor *a) \
{ \
	(void) g; (void) f; (void) x; (void) y; (void) a; \
	return dx; \
} \
static const DpsTensor * \
derive_y_##id(DpsTensorGraph *g, const DpsTensor *f, const DpsTensor *x, const DpsTensor *y, const DpsTensor *a) \
{ \
	(void) g; (void) f; (void) x; (void) y; (void) a; \
	return dy; \
}
#include "tensor/tensor_ops.def"
#undef DPS_TENSOR_OP
#undef DPS_TENSOR_MAP

static const DpsTensorRow rows[DPS_TENSOR_OP_COUNT - DPS_OP_COUNT] = {
#define DPS_TENSOR_MAP(id, element, dx, expression) \
	[DPS_TENSOR_##id - DPS_OP_COUNT] = { \
		.name = #id, .arity = 1, .elementwise = true, \
		.shape = dps_shape_map, .run = run_##id, .expand = dps_expand_map, .derive = {derive_x_##id} \
	},
#define DPS_TENSOR_OP(id, n, nattr, shape_rule, kernel, expansion, dx, dy) \
	[DPS_TENSOR_##id - DPS_OP_COUNT] = { \
		.name = #id, .arity = n, .nattributes = nattr, \
		.shape = shape_rule, .run = kernel, .expand = expansion, .derive = {derive_x_##id, derive_y_##id} \
	},
#include "tensor/tensor_ops.def"
#undef DPS_TENSOR_OP
#undef DPS_TENSOR_MAP
};

const DpsTensorRow *
dps_tensor_row(int op)
{
	return &rows[op - DPS_OP_COUNT];
}

bool
dps_tensor_is_elementwise(int op)
{
	return dps_tensor_has_row(op) ? dps_tensor_row(op)->elementwise : op > DPS_OP_VAR;
}
