/*
 * shape.c
 *		Which shapes go together, and what becomes of them.
 */
#include "tensor/internal.h"

bool
dps_shape_equal(const DpsShape *a, const DpsShape *b)
{
	int			i;

	if (a->rank != b->rank)
		return false;
	for (i = 0; i < a->rank; i++)
	{
		if (a->extent[i] != b->extent[i])
			return false;
	}
	return true;
}

bool
dps_shape_is_possible(const DpsShape *shape)
{
	int64_t		size = 1;
	int			i;

	if (shape->rank < 0 || shape->rank > DPS_MAX_RANK)
		return false;
	for (i = 0; i < shape->rank; i++)
	{
		if (shape->extent[i] < 1)
			return false;
		size *= shape->extent[i];
		if (size > DPS_MAX_ELEMENTS)
			return false;
	}
	return true;
}

DpsSpan
dps_span(const DpsShape *shape, int first, int count)
{
	DpsSpan		span = {1, 1, 1};
	int			i;

	for (i = 0; i < shape->rank; i++)
	{
		if (i < first)
			span.outer *= shape->extent[i];
		else if (i < first + count)
			span.length *= shape->extent[i];
		else
			span.inner *= shape->extent[i];
	}
	return span;
}

/* A scalar goes with any shape. */
bool
dps_shape_map(DpsTensor *node)
{
	int			i;

	node->shape = DPS_SCALAR;
	for (i = 0; i < node->nargs; i++)
	{
		const DpsShape *shape = &node->arg[i]->shape;

		if (shape->rank == 0)
			continue;
		if (node->shape.rank != 0 && !dps_shape_equal(&node->shape, shape))
			return false;
		node->shape = *shape;
	}
	return true;
}

bool
dps_shape_matmul(DpsTensor *node)
{
	const DpsShape *x = &node->arg[0]->shape;
	const DpsShape *y = &node->arg[1]->shape;
	int			tx = node->attribute[0];
	int			ty = node->attribute[1];

	if (x->rank != 2 || y->rank != 2 || x->extent[1 - tx] != y->extent[ty])
		return false;
	node->shape = DPS_MATRIX(x->extent[tx], y->extent[1 - ty]);
	return true;
}

bool
dps_shape_dot(DpsTensor *node)
{
	node->shape = DPS_SCALAR;
	return dps_shape_equal(&node->arg[0]->shape, &node->arg[1]->shape);
}

bool
dps_shape_reshape(DpsTensor *node)
{
	return dps_shape_is_possible(&node->shape) && dps_shape_size(&node->shape) == dps_tensor_size(node->arg[0]);
}

bool
dps_shape_permute(DpsTensor *node)
{
	const DpsShape *x = &node->arg[0]->shape;
	unsigned	seen = 0;
	int			i;

	node->shape.rank = x->rank;
	for (i = 0; i < x->rank; i++)
	{
		int			axis = node->attribute[i];

		if (axis < 0 || axis >= x->rank || (seen & (1u << axis)))
			return false;
		seen |= 1u << axis;
		node->shape.extent[i] = x->extent[axis];
	}
	return true;
}

static bool
has_axes(const DpsTensor *node, const DpsShape *shape)
{
	return node->attribute[0] >= 0 && node->attribute[1] >= 1 &&
		node->attribute[0] + node->attribute[1] <= shape->rank;
}

static DpsShape
reduced(const DpsTensor *node, const DpsShape *shape)
{
	DpsShape	result = *shape;
	int			i;

	for (i = 0; i < node->attribute[1]; i++)
		result.extent[node->attribute[0] + i] = 1;
	return result;
}

bool
dps_shape_broadcast(DpsTensor *node)
{
	DpsShape	before;

	if (!dps_shape_is_possible(&node->shape) || !has_axes(node, &node->shape))
		return false;
	before = reduced(node, &node->shape);
	return dps_shape_equal(&before, &node->arg[0]->shape);
}

bool
dps_shape_reduce(DpsTensor *node)
{
	const DpsShape *x = &node->arg[0]->shape;

	if (!has_axes(node, x))
		return false;
	node->shape = reduced(node, x);
	return true;
}

bool
dps_shape_same_axes(DpsTensor *node)
{
	node->shape = node->arg[0]->shape;
	return has_axes(node, &node->shape);
}

int64_t
dps_window_count(int32_t extent, int32_t window, int32_t stride, int32_t padding)
{
	int64_t		room = (int64_t) extent + 2 * (int64_t) padding - window;

	if (window < 1 || stride < 1 || padding < 0 || padding >= window || room < 0)
		return 0;
	return room / stride + 1;
}

/* The matrix of the windows of an image. */
static bool
windows_shape(const DpsShape *image, DpsWindow window, DpsShape *shape)
{
	int64_t		rows;
	int64_t		columns;
	int64_t		elements;

	if (image->rank != 3)
		return false;
	rows = dps_window_count(image->extent[1], window.height, window.stride, window.padding);
	columns = dps_window_count(image->extent[2], window.width, window.stride, window.padding);
	if (rows < 1 || columns < 1 || window.height > DPS_MAX_ELEMENTS / window.width)
		return false;
	elements = (int64_t) image->extent[0] * window.height * window.width;
	if (elements > DPS_MAX_ELEMENTS || rows > DPS_MAX_ELEMENTS / columns)
		return false;
	*shape = DPS_MATRIX((int32_t) elements, (int32_t) (rows * columns));
	return dps_shape_is_possible(shape);
}

bool
dps_shape_unfold(DpsTensor *node)
{
	return windows_shape(&node->arg[0]->shape, dps_window_of(node), &node->shape);
}

bool
dps_shape_fold(DpsTensor *node)
{
	DpsShape	columns;

	return dps_shape_is_possible(&node->shape) &&
		windows_shape(&node->shape, dps_window_of(node), &columns) &&
		dps_shape_equal(&columns, &node->arg[0]->shape);
}
