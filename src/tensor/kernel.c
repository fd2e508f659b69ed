/*
 * kernel.c
 *		How operations on tensors are computed; products are in product.c.
 *
 * Reductions and broadcasts are about axes that are neighbours, so each is three
 * loops: what is before the axes, along them, and what is after them.
 */
#include <math.h>
#include <string.h>

#include "tensor/internal.h"

/* Elements for which a scalar argument is written out at a time. */
#define CHUNK 256

/*
 * Operations on elements
 */

/* A chunk of an argument; a scalar stands in every place of `repeated`. */
static const double *
chunk_of(const DpsTensorCall *call, int k, int64_t at, double *repeated)
{
	const DpsTensor *arg = call->node->arg[k];

	return arg->shape.rank == 0 && call->node->shape.rank > 0 ? repeated : call->arg[k] + at;
}

static void
repeat_scalar(const DpsTensorCall *call, int k, double *repeated)
{
	int			i;

	for (i = 0; i < CHUNK; i++)
		repeated[i] = call->arg[k][0];
}

void
dps_run_scalar_row(const DpsTensorCall *call)
{
	const DpsTensor *node = call->node;
	const DpsOp *op = &dps_ops[node->op];
	int64_t		n = dps_tensor_size(node);
	double		repeated[2][CHUNK];
	int			last = node->nargs - 1;
	int64_t		at;
	int			k;

	for (k = 0; k < node->nargs; k++)
	{
		if (node->arg[k]->shape.rank == 0 && node->shape.rank > 0)
			repeat_scalar(call, k, repeated[k]);
	}
	for (at = 0; at < n; at += CHUNK)
		op->batch(call->result + at, chunk_of(call, 0, at, repeated[0]), chunk_of(call, last, at, repeated[last]),
				  (int) (n - at < CHUNK ? n - at : CHUNK));
}

void
dps_run_choose(const DpsTensorCall *call)
{
	const DpsTensor *node = call->node;
	int64_t		n = dps_tensor_size(node);
	int64_t		step[3];
	int64_t		i;
	int			k;

	for (k = 0; k < 3; k++)
		step[k] = node->arg[k]->shape.rank == 0 ? 0 : 1;
	for (i = 0; i < n; i++)
		call->result[i] = call->arg[0][i * step[0]] == 1 ? call->arg[1][i * step[1]] : call->arg[2][i * step[2]];
}

/*
 * Moving elements
 */

void
dps_run_permute(const DpsTensorCall *call)
{
	const DpsShape *x = &call->node->arg[0]->shape;
	const DpsShape *shape = &call->node->shape;
	int64_t		stride[DPS_MAX_RANK];	/* in x, by axis of the result */
	int64_t		of_axis[DPS_MAX_RANK] = {0};
	int32_t		index[DPS_MAX_RANK] = {0};
	int64_t		n = dps_shape_size(shape);
	int64_t		from = 0;
	int64_t		size = 1;
	int64_t		i;
	int			axis;

	for (axis = x->rank; axis-- > 0;)
	{
		of_axis[axis] = size;
		size *= x->extent[axis];
	}
	for (axis = 0; axis < shape->rank; axis++)
		stride[axis] = of_axis[call->node->attribute[axis]];
	for (i = 0; i < n; i++)
	{
		call->result[i] = call->arg[0][from];
		/* the next place, in the order of the result */
		for (axis = shape->rank; axis-- > 0;)
		{
			from += stride[axis];
			if (++index[axis] < shape->extent[axis])
				break;
			from -= stride[axis] * index[axis];
			index[axis] = 0;
		}
	}
}

static DpsSpan
span_of(const DpsTensor *node, const DpsShape *shape)
{
	return dps_span(shape, node->attribute[0], node->attribute[1]);
}

void
dps_run_broadcast(const DpsTensorCall *call)
{
	DpsSpan		span = span_of(call->node, &call->node->shape);
	const double *from = call->arg[0];
	double	   *to = call->result;
	int64_t		i;
	int64_t		j;
	int64_t		k;

	for (i = 0; i < span.outer; i++)
	{
		for (j = 0; j < span.length; j++)
		{
			for (k = 0; k < span.inner; k++)
				to[k] = from[k];
			to += span.inner;
		}
		from += span.inner;
	}
}

/*
 * Reductions
 */

static double
sum_of(const double *x, int64_t n)
{
	double		lane[8] = {0};
	double		sum;
	int64_t		i = 0;
	int			k;

	for (; i + 8 <= n; i += 8)
	{
		for (k = 0; k < 8; k++)
			lane[k] += x[i + k];
	}
	sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

void
dps_run_sum(const DpsTensorCall *call)
{
	DpsSpan		span = span_of(call->node, &call->node->arg[0]->shape);
	const double *from = call->arg[0];
	double	   *to = call->result;
	int64_t		i;
	int64_t		j;
	int64_t		k;

	for (i = 0; i < span.outer; i++, to += span.inner)
	{
		if (span.inner == 1)
		{
			to[0] = sum_of(from, span.length);
			from += span.length;
			continue;
		}
		memset(to, 0, sizeof(double) * (size_t) span.inner);
		for (j = 0; j < span.length; j++, from += span.inner)
		{
			for (k = 0; k < span.inner; k++)
				to[k] += from[k];
		}
	}
}

/* Where the greatest of n numbers `step` apart is; NaN is greater than any. */
static int64_t
find_max(const double *x, int64_t n, int64_t step)
{
	int64_t		best = 0;
	int64_t		j;

	for (j = 1; j < n && x[best * step] == x[best * step]; j++)
	{
		if (!(x[j * step] <= x[best * step]))
			best = j;
	}
	return best;
}

void
dps_run_max(const DpsTensorCall *call)
{
	DpsSpan		span = span_of(call->node, &call->node->arg[0]->shape);
	int64_t		i;
	int64_t		k;

	for (i = 0; i < span.outer; i++)
	{
		const double *from = call->arg[0] + i * span.length * span.inner;

		for (k = 0; k < span.inner; k++)
			call->result[i * span.inner + k] = from[find_max(from + k, span.length, span.inner) * span.inner + k];
	}
}

void
dps_run_first_max(const DpsTensorCall *call)
{
	DpsSpan		span = span_of(call->node, &call->node->shape);
	int64_t		i;
	int64_t		k;

	memset(call->result, 0, sizeof(double) * (size_t) dps_tensor_size(call->node));
	for (i = 0; i < span.outer; i++)
	{
		int64_t		first = i * span.length * span.inner;

		for (k = 0; k < span.inner; k++)
			call->result[first + find_max(call->arg[0] + first + k, span.length, span.inner) * span.inner + k] = 1;
	}
}

/* Relative to the greatest, so that no exponential overflows. */
static double
log_sum_exp(const double *x, int64_t n, int64_t step)
{
	double		greatest = x[find_max(x, n, step) * step];
	double		sum = 0;
	int64_t		j;

	for (j = 0; j < n; j++)
		sum += exp(x[j * step] - greatest);
	return greatest + log(sum);
}

void
dps_run_log_sum_exp(const DpsTensorCall *call)
{
	DpsSpan		span = span_of(call->node, &call->node->arg[0]->shape);
	int64_t		i;
	int64_t		k;

	for (i = 0; i < span.outer; i++)
	{
		for (k = 0; k < span.inner; k++)
			call->result[i * span.inner + k] =
				log_sum_exp(call->arg[0] + i * span.length * span.inner + k, span.length, span.inner);
	}
}

/*
 * Windows of images
 */

/* A row of the matrix of windows: one place of the window in one channel. */
typedef struct WindowRow
{
	int64_t		first;			/* of the channel, in the image */
	int64_t		down;			/* of the place in the window, less the padding */
	int64_t		across;
} WindowRow;

typedef struct Windows
{
	DpsWindow	window;
	int64_t		height;			/* of the image */
	int64_t		width;
	int64_t		nplaces;		/* rows of the matrix */
	int64_t		rows;			/* of windows */
	int64_t		columns;
} Windows;

static Windows
windows_of(const DpsTensor *node, const DpsShape *image)
{
	Windows		w = {.window = dps_window_of(node)};

	w.height = image->extent[1];
	w.width = image->extent[2];
	w.nplaces = (int64_t) image->extent[0] * w.window.height * w.window.width;
	w.rows = dps_window_count(image->extent[1], w.window.height, w.window.stride, w.window.padding);
	w.columns = dps_window_count(image->extent[2], w.window.width, w.window.stride, w.window.padding);
	return w;
}

static WindowRow
window_row(const Windows *w, int64_t place)
{
	int64_t		in_window = place % (w->window.height * w->window.width);
	WindowRow	row;

	row.first = place / (w->window.height * w->window.width) * w->height * w->width;
	row.down = in_window / w->window.width - w->window.padding;
	row.across = in_window % w->window.width - w->window.padding;
	return row;
}

/* Where a window's place lies in the image, or -1 outside of it. */
static int64_t
place_in_image(const Windows *w, const WindowRow *row, int64_t r, int64_t c)
{
	int64_t		y = r * w->window.stride + row->down;
	int64_t		x = c * w->window.stride + row->across;

	return y < 0 || y >= w->height || x < 0 || x >= w->width ? -1 : row->first + y * w->width + x;
}

static void
unfold(const DpsTensorCall *call, double outside)
{
	Windows		w = windows_of(call->node, &call->node->arg[0]->shape);
	double	   *to = call->result;
	int64_t		place;
	int64_t		r;
	int64_t		c;

	for (place = 0; place < w.nplaces; place++)
	{
		WindowRow	row = window_row(&w, place);

		for (r = 0; r < w.rows; r++)
		{
			for (c = 0; c < w.columns; c++)
			{
				int64_t		at = place_in_image(&w, &row, r, c);

				*to++ = at < 0 ? outside : call->arg[0][at];
			}
		}
	}
}

void
dps_run_unfold(const DpsTensorCall *call)
{
	unfold(call, 0);
}

void
dps_run_unfold_max(const DpsTensorCall *call)
{
	unfold(call, -INFINITY);
}

void
dps_run_fold(const DpsTensorCall *call)
{
	Windows		w = windows_of(call->node, &call->node->shape);
	const double *from = call->arg[0];
	int64_t		place;
	int64_t		r;
	int64_t		c;

	memset(call->result, 0, sizeof(double) * (size_t) dps_tensor_size(call->node));
	for (place = 0; place < w.nplaces; place++)
	{
		WindowRow	row = window_row(&w, place);

		for (r = 0; r < w.rows; r++)
		{
			for (c = 0; c < w.columns; c++, from++)
			{
				int64_t		at = place_in_image(&w, &row, r, c);

				if (at >= 0)
					call->result[at] += *from;
			}
		}
	}
}
