/*
 * tensor_kernel.c
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

/*
 * An argument of an operation on elements.  One that is the same for all
 * examples, and shorter than a chunk, is repeated to the end of the chunk.
 */
typedef struct Operand
{
	const double *from;
	bool		repeats;
	double		repeated[CHUNK];
} Operand;

/* After how many elements the argument begins again; 0 if it never does. */
static int64_t
period_of(const DpsTensorCall *call, int k)
{
	int64_t		size = dps_tensor_size(call->node->arg[k]);

	if (dps_call_examples(call) == 1)
		return size < dps_tensor_size(call->node) ? size : 0;
	return call->each[k] ? 0 : size;
}

/* A scalar for each example of something larger. */
static bool
is_scalar_of_example(const DpsTensorCall *call, int k)
{
	return call->each[k] && dps_tensor_size(call->node->arg[k]) < dps_tensor_size(call->node);
}

static void
prepare_operand(const DpsTensorCall *call, int k, Operand *operand, int64_t chunk)
{
	int64_t		period = period_of(call, k);
	int64_t		i;

	operand->from = call->arg[k];
	operand->repeats = period > 0;
	for (i = 0; operand->repeats && i < chunk; i++)
		operand->repeated[i] = operand->from[i % period];
}

/* n elements; arguments that repeat do so in every chunk. */
static void
run_chunks(const DpsTensorCall *call, int64_t n, int64_t chunk)
{
	const DpsOp *op = &dps_ops[call->node->op];
	Operand		operand[2];
	int			last = call->node->nargs - 1;
	int64_t		at;
	int			k;

	for (k = 0; k <= last; k++)
		prepare_operand(call, k, &operand[k], chunk);
	for (at = 0; at < n; at += chunk)
	{
		const double *x = operand[0].repeats ? operand[0].repeated : operand[0].from + at;
		const double *y = operand[last].repeats ? operand[last].repeated : operand[last].from + at;

		op->batch(call->result + at, x, y, (int) (n - at < chunk ? n - at : chunk));
	}
}

/* One example after the other. */
static void
run_each(const DpsTensorCall *call, void (*run) (const DpsTensorCall *call))
{
	DpsTensorCall one = *call;
	int64_t		i;
	int			k;

	one.others = 0;
	for (k = 0; k < 3; k++)
		one.each[k] = false;
	for (i = 0; i < dps_call_examples(call); i++)
	{
		run(&one);
		one.result += dps_tensor_size(call->node);
		for (k = 0; k < call->node->nargs; k++)
			one.arg[k] += call->each[k] ? dps_tensor_size(call->node->arg[k]) : 0;
	}
}

void
dps_run_scalar_row(const DpsTensorCall *call)
{
	int64_t		size = dps_tensor_size(call->node);
	int64_t		chunk = CHUNK;
	bool		one_by_one = false;
	int			k;

	for (k = 0; k < call->node->nargs; k++)
	{
		int64_t		period = period_of(call, k);

		one_by_one |= period > CHUNK || is_scalar_of_example(call, k);
		/* a whole number of examples */
		if (period > 1 && period <= CHUNK)
			chunk = CHUNK / size * size;
	}
	if (one_by_one && dps_call_examples(call) > 1)
		run_each(call, dps_run_scalar_row);
	else
		run_chunks(call, size * dps_call_examples(call), chunk);
}

static void
choose(const DpsTensorCall *call)
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

void
dps_run_choose(const DpsTensorCall *call)
{
	run_each(call, choose);
}

/*
 * Moving elements
 */

static void
permute(const DpsTensorCall *call)
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

void
dps_run_permute(const DpsTensorCall *call)
{
	run_each(call, permute);
}

/* Of all examples: these are one more axis before the others. */
static DpsSpan
span_of(const DpsTensorCall *call, const DpsShape *shape)
{
	DpsSpan		span = dps_span(shape, call->node->attribute[0], call->node->attribute[1]);

	span.outer *= dps_call_examples(call);
	return span;
}

void
dps_run_broadcast(const DpsTensorCall *call)
{
	DpsSpan		span = span_of(call, &call->node->shape);
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
	DpsSpan		span = span_of(call, &call->node->arg[0]->shape);
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
	DpsSpan		span = span_of(call, &call->node->arg[0]->shape);
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
	DpsSpan		span = span_of(call, &call->node->shape);
	int64_t		i;
	int64_t		k;

	memset(call->result, 0, sizeof(double) * (size_t) (dps_tensor_size(call->node) * dps_call_examples(call)));
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
	DpsSpan		span = span_of(call, &call->node->arg[0]->shape);
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

/* Of all examples: channels do not see each other, so these are more channels. */
static Windows
windows_of(const DpsTensorCall *call, const DpsShape *image)
{
	Windows		w = {.window = dps_window_of(call->node)};

	w.height = image->extent[1];
	w.width = image->extent[2];
	w.nplaces = dps_call_examples(call) * image->extent[0] * w.window.height * w.window.width;
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

/* The windows whose place lies inside, along an extent: from *begin up to *end. */
static void
windows_inside(int64_t count, int64_t stride, int64_t offset, int64_t extent, int64_t *begin, int64_t *end)
{
	/* 0 <= i * stride + offset < extent */
	*begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
	*end = extent <= offset ? 0 : (extent - 1 - offset) / stride + 1;
	*begin = *begin < count ? *begin : count;
	*end = *end < count ? *end : count;
	*end = *end > *begin ? *end : *begin;
}

static void
fill(double *to, double value, int64_t n)
{
	int64_t		i;

	for (i = 0; i < n; i++)
		to[i] = value;
}

static void
unfold(const DpsTensorCall *call, double outside)
{
	Windows		w = windows_of(call, &call->node->arg[0]->shape);
	int64_t		stride = w.window.stride;
	double	   *to = call->result;
	int64_t		place;
	int64_t		r;
	int64_t		c;

	for (place = 0; place < w.nplaces; place++)
	{
		WindowRow	row = window_row(&w, place);
		int64_t		top;
		int64_t		bottom;
		int64_t		left;
		int64_t		right;

		windows_inside(w.rows, stride, row.down, w.height, &top, &bottom);
		windows_inside(w.columns, stride, row.across, w.width, &left, &right);
		fill(to, outside, top * w.columns);
		for (r = top; r < bottom; r++)
		{
			int64_t		first = row.first + (r * stride + row.down) * w.width + row.across;
			double	   *line = to + r * w.columns;

			fill(line, outside, left);
			for (c = left; c < right; c++)
				line[c] = call->arg[0][first + c * stride];
			fill(line + right, outside, w.columns - right);
		}
		fill(to + bottom * w.columns, outside, (w.rows - bottom) * w.columns);
		to += w.rows * w.columns;
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
	Windows		w = windows_of(call, &call->node->shape);
	int64_t		stride = w.window.stride;
	const double *from = call->arg[0];
	int64_t		place;
	int64_t		r;
	int64_t		c;

	memset(call->result, 0, sizeof(double) * (size_t) (dps_tensor_size(call->node) * dps_call_examples(call)));
	for (place = 0; place < w.nplaces; place++)
	{
		WindowRow	row = window_row(&w, place);
		int64_t		top;
		int64_t		bottom;
		int64_t		left;
		int64_t		right;

		windows_inside(w.rows, stride, row.down, w.height, &top, &bottom);
		windows_inside(w.columns, stride, row.across, w.width, &left, &right);
		for (r = top; r < bottom; r++)
		{
			int64_t		first = row.first + (r * stride + row.down) * w.width + row.across;
			const double *line = from + r * w.columns;

			for (c = left; c < right; c++)
				call->result[first + c * stride] += line[c];
		}
		from += w.rows * w.columns;
	}
}
