/*
 * functions.c
 *		The table of operations on tensors as functions of arrays.
 *
 * A function's numbers are attributes: axes, extents, strides, or what an
 * activation or a loss has besides its argument.  Axes count from 1.
 */
#include <string.h>

#include "num/whole.h"
#include "tensor/functions.h"

#define LAST_AXIS(x) (1u << ((x)->shape.rank - 1))
#define ALL_AXES(x) ((1u << (x)->shape.rank) - 1)

#define BUILD(name, node) \
static const DpsTensor * \
build_##name(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y, const double *number, int n) \
{ \
	(void) y; \
	(void) number; \
	(void) n; \
	return node; \
}

#define UNARY(op, x) dps_tensor_map(g, DPS_OP_##op, x, NULL)
#define MAP(op, x) dps_tensor_map(g, DPS_TENSOR_##op, x, NULL)

/* Axes counted from 1, as a mask; 0 if one is none, or twice there. */
static unsigned
axes_mask(const DpsTensor *x, const double *axes, int n)
{
	unsigned	mask = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		unsigned	bit = axes[i] >= 1 && axes[i] <= x->shape.rank ? 1u << (dps_to_int32(axes[i]) - 1) : 0;

		if (bit == 0 || (mask & bit) != 0)
			return 0;
		mask |= bit;
	}
	return mask;
}

/* Reduced axes go; of all, an array of one number is left. */
static const DpsTensor *
without_axes(DpsTensorGraph *g, const DpsTensor *reduced, unsigned axes)
{
	DpsShape	shape = DPS_SCALAR;
	int			i;

	if (reduced == NULL)
		return NULL;
	for (i = 0; i < reduced->shape.rank; i++)
	{
		if (!(axes & (1u << i)))
			shape.extent[shape.rank++] = reduced->shape.extent[i];
	}
	return dps_tensor_reshape(g, reduced, shape.rank > 0 ? shape : DPS_VECTOR(1));
}

static const DpsTensor *
reduce_axes(DpsTensorGraph *g, int op, const DpsTensor *x, unsigned axes)
{
	return axes == 0 ? NULL : without_axes(g, dps_tensor_reduce(g, op, x, axes), axes);
}

static const DpsTensor *
average_axes(DpsTensorGraph *g, const DpsTensor *x, unsigned axes)
{
	return axes == 0 ? NULL : without_axes(g, dps_tensor_mean(g, x, axes), axes);
}

static bool
read_shape(const double *number, int n, DpsShape *shape)
{
	int			i;

	*shape = DPS_SCALAR;
	shape->rank = (int8_t) n;
	for (i = 0; i < n; i++)
	{
		if (!(number[i] >= 1 && number[i] <= DPS_MAX_ELEMENTS))
			return false;
		shape->extent[i] = dps_to_int32(number[i]);
	}
	return n > 0 && dps_shape_is_possible(shape);
}

static const DpsTensor *
reshape(DpsTensorGraph *g, const DpsTensor *x, const double *number, int n)
{
	DpsShape	shape;

	return read_shape(number, n, &shape) && dps_shape_size(&shape) == dps_tensor_size(x) ?
		dps_tensor_reshape(g, x, shape) : NULL;
}

/* x with axes of extent 1 before its own, up to a rank. */
static const DpsTensor *
with_rank(DpsTensorGraph *g, const DpsTensor *x, int rank)
{
	DpsShape	shape = {.rank = (int8_t) rank};
	int			more = rank - x->shape.rank;
	int			i;

	for (i = 0; i < rank; i++)
		shape.extent[i] = i < more ? 1 : x->shape.extent[i - more];
	return dps_tensor_reshape(g, x, shape);
}

static const DpsTensor *
broadcast_to(DpsTensorGraph *g, const DpsTensor *x, const double *number, int n)
{
	DpsShape	shape;

	if (!read_shape(number, n, &shape) || n < x->shape.rank)
		return NULL;
	return dps_tensor_broadcast(g, with_rank(g, x, n), shape);
}

/* Of two arrays whose axes, from the last one, are of equal extent or 1. */
static const DpsTensor *
broadcast_map(DpsTensorGraph *g, int op, const DpsTensor *x, const DpsTensor *y)
{
	int			rank = x->shape.rank > y->shape.rank ? x->shape.rank : y->shape.rank;
	DpsShape	shape = {.rank = (int8_t) rank};
	int			i;

	x = with_rank(g, x, rank);
	y = with_rank(g, y, rank);
	if (x == NULL || y == NULL)
		return NULL;
	for (i = 0; i < rank; i++)
		shape.extent[i] = x->shape.extent[i] > 1 ? x->shape.extent[i] : y->shape.extent[i];
	return dps_tensor_map(g, op, dps_tensor_broadcast(g, x, shape), dps_tensor_broadcast(g, y, shape));
}

/* Axis k of the result is the axis of x that is named k-th. */
static const DpsTensor *
transpose(DpsTensorGraph *g, const DpsTensor *x, const double *number, int n)
{
	int			permutation[DPS_MAX_RANK] = {1, 0};
	int			i;

	if (n == 0)
		return x->shape.rank == 2 ? dps_tensor_permute(g, x, permutation) : NULL;
	if (n != x->shape.rank || axes_mask(x, number, n) == 0)
		return NULL;
	for (i = 0; i < n; i++)
		permutation[i] = dps_to_int32(number[i]) - 1;
	return dps_tensor_permute(g, x, permutation);
}

static DpsWindow
square_window(const double *number)
{
	return (DpsWindow) {dps_to_int32(number[0]), dps_to_int32(number[0]), dps_to_int32(number[1]), dps_to_int32(number[2])};
}

/* An image may be (height, width), of one channel. */
static const DpsTensor *
as_image(DpsTensorGraph *g, const DpsTensor *x)
{
	return x->shape.rank != 2 ? x : dps_tensor_reshape(g, x, DPS_IMAGE(1, x->shape.extent[0], x->shape.extent[1]));
}

BUILD(add, broadcast_map(g, DPS_OP_ADD, x, y))
BUILD(subtract, broadcast_map(g, DPS_OP_SUB, x, y))
BUILD(multiply, broadcast_map(g, DPS_OP_MUL, x, y))
BUILD(divide, broadcast_map(g, DPS_OP_DIV, x, y))
BUILD(reshape, reshape(g, x, number, n))
BUILD(broadcast_to, broadcast_to(g, x, number, n))
BUILD(transpose, transpose(g, x, number, n))
BUILD(sum_over, reduce_axes(g, DPS_TENSOR_SUM, x, axes_mask(x, number, n)))
BUILD(max_over, reduce_axes(g, DPS_TENSOR_MAX, x, axes_mask(x, number, n)))
BUILD(mean_over, average_axes(g, x, axes_mask(x, number, n)))
BUILD(sigmoid, MAP(SIGMOID, x))
BUILD(tempered_sigmoid, dps_tensor_tempered_sigmoid(g, x, number[0], number[1], number[2]))
BUILD(tanh, UNARY(TANH, x))
BUILD(relu, MAP(RELU, x))
BUILD(softplus, MAP(SOFTPLUS, x))
BUILD(gelu, dps_tensor_gelu(g, x))
BUILD(softmax, dps_tensor_softmax(g, x, LAST_AXIS(x)))
BUILD(log_sum_exp, dps_tensor_reshape(g, dps_tensor_reduce(g, DPS_TENSOR_LOG_SUM_EXP, x, ALL_AXES(x)), DPS_SCALAR))
BUILD(l2_norm, dps_tensor_norm(g, &x, 1))
BUILD(dot, dps_tensor_dot(g, x, y))
BUILD(outer_product, dps_tensor_outer(g, x, y))
BUILD(matmul, dps_tensor_matmul(g, x, y, false, false))
BUILD(conv2d, dps_tensor_conv2d(g, as_image(g, x), y, dps_to_int32(number[0]), dps_to_int32(number[1])))
BUILD(depthwise_conv2d, dps_tensor_depthwise_conv2d(g, as_image(g, x), y, dps_to_int32(number[0]), dps_to_int32(number[1])))
BUILD(average_pool, dps_tensor_average_pool(g, as_image(g, x), square_window(number)))
BUILD(max_pool, dps_tensor_max_pool(g, as_image(g, x), square_window(number)))
BUILD(squared_loss, dps_tensor_squared_loss(g, x, y))
BUILD(huber_loss, number[0] > 0 ? dps_tensor_huber_loss(g, x, y, number[0]) : NULL)
BUILD(binary_cross_entropy, dps_tensor_binary_cross_entropy(g, x, y))
BUILD(categorical_cross_entropy, dps_tensor_cross_entropy(g, x, y))

static const DpsTensorFunction functions[] = {
	{"add", 2, build_add, false},
	{"subtract", 2, build_subtract, false},
	{"multiply", 2, build_multiply, false},
	{"divide", 2, build_divide, false},
	{"reshape", 1, build_reshape, false},
	{"broadcast_to", 1, build_broadcast_to, false},
	{"transpose", 1, build_transpose, false},
	{"sum_over", 1, build_sum_over, false},
	{"max_over", 1, build_max_over, true},
	{"mean_over", 1, build_mean_over, false},
	{"sigmoid", 1, build_sigmoid, false},
	{"tempered_sigmoid", 1, build_tempered_sigmoid, false},
	{"tanh", 1, build_tanh, false},
	{"relu", 1, build_relu, true},
	{"softplus", 1, build_softplus, false},
	{"gelu", 1, build_gelu, false},
	{"softmax", 1, build_softmax, false},
	{"log_sum_exp", 1, build_log_sum_exp, false},
	{"l2_norm", 1, build_l2_norm, false},
	{"dot", 2, build_dot, false},
	{"outer_product", 2, build_outer_product, false},
	{"matmul", 2, build_matmul, false},
	{"conv2d", 2, build_conv2d, false},
	{"depthwise_conv2d", 2, build_depthwise_conv2d, false},
	{"average_pool", 1, build_average_pool, false},
	{"max_pool", 1, build_max_pool, true},
	{"squared_loss", 2, build_squared_loss, false},
	{"huber_loss", 2, build_huber_loss, false},
	{"binary_cross_entropy", 2, build_binary_cross_entropy, false},
	{"categorical_cross_entropy", 2, build_categorical_cross_entropy, false},
};

const DpsTensorFunction *
dps_find_tensor_function(const char *name)
{
	size_t		i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
	{
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	}
	return NULL;
}
