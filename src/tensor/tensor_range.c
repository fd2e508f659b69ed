/*
 * tensor_range.c
 *		Ranges of tensors over boxes of inputs, rounded outward.
 *
 * Operations on elements have the enclosures of expr/ops.def.  What moves elements,
 * and what rises with each argument without rounding, is run on the lower and on
 * the upper ends.  Sums are made in doubles to the nearest: n terms with the sum S
 * of their magnitudes are added up with an error below n 2^-52 S in any order,
 * products of them have one of 2^-53 S more, and underflow adds 2^-1074 a term;
 * the ends are moved by a bound on all of that, larger than need be.
 *
 * An expression that repeats an argument is enclosed too widely by its parts, so
 * three of them, of which gradients of networks are made, are known as a whole:
 * x x, x (1 - x), and exp(x - ln sum exp(x)).
 */
#include <math.h>
#include <string.h>

#include "tensor/internal.h"
#include "tensor/tensor_range.h"

/* A node's elements, as ends. */
typedef struct Ends
{
	const DpsTensor *node;		/* NULL: not needed */
	double	   *low;
	double	   *high;
} Ends;

struct DpsRanges
{
	const DpsHost *host;
	uint32_t	limit;			/* ids are below this */
	Ends	   *ends;			/* by id */
	double	   *magnitude;		/* as many as the largest node has elements */
	double	   *sums;
	const DpsTensor *scalar;
};

static DpsInterval
element(const Ends *ends, int64_t i)
{
	return dps_iv(ends->low[i], ends->high[i]);
}

static void
set_element(const Ends *ends, int64_t i, DpsInterval x)
{
	/* no value at all: anything is true of it, and 0 stays finite */
	ends->low[i] = dps_iv_is_empty(x) ? 0 : x.lo;
	ends->high[i] = dps_iv_is_empty(x) ? 0 : x.hi;
}

/* A sum of n terms with the ends low and high as computed, of terms whose magnitudes add up
 * to about `magnitude`. */
static DpsInterval
widened(double low, double high, double magnitude, double n)
{
	double		error = (n + 4) * 0x1p-50 * magnitude + n * 0x1p-1070;

	if (!(error < INFINITY))
		return DPS_ENTIRE;
	return dps_iv(low == low ? dps_round_down(low - error) : -INFINITY,
				  high == high ? dps_round_up(high + error) : INFINITY);
}

/*
 * Operations on elements
 */

/* The same node, or 1 less it? */
static bool
is_complement(const DpsTensor *node, const DpsTensor *of)
{
	return node->op == DPS_OP_SUB && node->arg[1] == of && node->arg[0]->op == DPS_OP_CONST && node->arg[0]->value == 1;
}

/* x (1 - x) = 1/4 - (x - 1/2)^2 */
static DpsInterval
bump(DpsInterval x)
{
	DpsInterval from_middle = dps_iv_sub(x, dps_iv(0.5, 0.5));

	return dps_iv_sub(dps_iv(0.25, 0.25), dps_iv_sqr(from_middle));
}

static DpsInterval
sigmoid(DpsInterval x)
{
	return dps_iv_intersect(dps_iv(0, 1),
							dps_iv_div(dps_iv(1, 1), dps_iv_add(dps_iv(1, 1), dps_iv_exp(dps_iv_neg(x)))));
}

/* max(x, 0) + ln(1 + exp(-|x|)) rises with x. */
static DpsInterval
softplus(DpsInterval x)
{
	DpsInterval low = dps_iv_ln(dps_iv_add(dps_iv(1, 1), dps_iv_exp(dps_iv(-fabs(x.lo), -fabs(x.lo)))));
	DpsInterval high = dps_iv_ln(dps_iv_add(dps_iv(1, 1), dps_iv_exp(dps_iv(-fabs(x.hi), -fabs(x.hi)))));

	/* ln(1 + e^x) is not negative */
	return dps_iv(fmax(dps_add_down(fmax(x.lo, 0), low.lo), 0), dps_add_up(fmax(x.hi, 0), high.hi));
}

static DpsInterval
step_of(DpsInterval x)
{
	return dps_iv(x.lo > 0 ? 1 : 0, x.hi > 0 ? 1 : 0);
}

static DpsInterval
mapped(int op, DpsInterval x)
{
	switch (op)
	{
		case DPS_TENSOR_SIGMOID:
			return sigmoid(x);
		case DPS_TENSOR_SOFTPLUS:
			return softplus(x);
		case DPS_TENSOR_RELU:
			return dps_iv(fmax(x.lo, 0), fmax(x.hi, 0));
		case DPS_TENSOR_STEP:
			return step_of(x);
		default:
			return DPS_ENTIRE;
	}
}

/* Of the row of expr/ops.def, or of what it is part of. */
static DpsInterval
row_value(const DpsTensor *node, DpsInterval x, DpsInterval y)
{
	if (node->op == DPS_OP_MUL && node->arg[0] == node->arg[1])
		return dps_iv_sqr(x);
	if (node->op == DPS_OP_MUL && is_complement(node->arg[1], node->arg[0]))
		return bump(x);
	if (node->op == DPS_OP_MUL && is_complement(node->arg[0], node->arg[1]))
		return bump(y);
	return dps_ops[node->op].enclosure(x, y, DPS_NEVER_NULL, DPS_NEVER_NULL);
}

static void
range_elements(const DpsRanges *ranges, const Ends *result)
{
	const DpsTensor *node = result->node;
	const Ends *arg[2] = {&ranges->ends[node->arg[0]->id], &ranges->ends[node->arg[node->nargs - 1]->id]};
	int64_t		step[2] = {arg[0]->node->shape.rank > 0, arg[1]->node->shape.rank > 0};
	int64_t		n = dps_tensor_size(node);
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		DpsInterval x = element(arg[0], i * step[0]);
		DpsInterval y = element(arg[1], i * step[1]);

		set_element(result, i, dps_tensor_has_row(node->op) ? mapped(node->op, x) : row_value(node, x, y));
	}
}

static void
range_choice(const DpsRanges *ranges, const Ends *result)
{
	const DpsTensor *node = result->node;
	int64_t		n = dps_tensor_size(node);
	int64_t		i;
	int			k;

	for (i = 0; i < n; i++)
	{
		DpsInterval x[3];

		for (k = 0; k < 3; k++)
			x[k] = element(&ranges->ends[node->arg[k]->id], node->arg[k]->shape.rank > 0 ? i : 0);
		if (x[0].lo == 1 && x[0].hi == 1)
			set_element(result, i, x[1]);
		else if (!dps_iv_contains(x[0], 1))
			set_element(result, i, x[2]);
		else
			set_element(result, i, dps_iv_hull(x[1], x[2]));
	}
}

/*
 * Sums
 */

/* By the operation's own kernel: of the ends, and of the magnitudes. */
static void
range_sum(const DpsRanges *ranges, const Ends *result)
{
	const DpsTensor *node = result->node;
	const Ends *arg = &ranges->ends[node->arg[0]->id];
	int64_t		n = dps_tensor_size(node);
	int64_t		terms = dps_tensor_size(arg->node);
	int64_t		i;

	for (i = 0; i < terms; i++)
		ranges->magnitude[i] = fmax(fabs(arg->low[i]), fabs(arg->high[i]));
	dps_tensor_row(node->op)->run(&(DpsTensorCall) {.node = node, .arg = {arg->low}, .result = result->low});
	dps_tensor_row(node->op)->run(&(DpsTensorCall) {.node = node, .arg = {arg->high}, .result = result->high});
	dps_tensor_row(node->op)->run(&(DpsTensorCall) {.node = node, .arg = {ranges->magnitude}, .result = ranges->sums});
	/* each element is of as many terms as there are, at most */
	for (i = 0; i < n; i++)
		set_element(result, i, widened(result->low[i], result->high[i], ranges->sums[i], (double) terms));
}

/* Terms of a sum of products so far. */
typedef struct Products
{
	double		low;
	double		high;
	double		magnitude;
} Products;

static double
least(double a, double b, double c, double d)
{
	double		x = a < b ? a : b;
	double		y = c < d ? c : d;

	return x < y ? x : y;
}

static void
add_product(Products *sum, DpsInterval x, DpsInterval y)
{
	double		ll = x.lo * y.lo;
	double		lh = x.lo * y.hi;
	double		hl = x.hi * y.lo;
	double		hh = x.hi * y.hi;
	double		low = least(ll, lh, hl, hh);
	double		high = -least(-ll, -lh, -hl, -hh);

	/* infinity times 0 is NaN, which makes the sum of magnitudes one */
	sum->low += low;
	sum->high += high;
	sum->magnitude += fmax(fabs(low), fabs(high)) + 0 * (ll + lh + hl + hh);
}

static void
add_square(Products *sum, DpsInterval x)
{
	DpsInterval square = dps_iv_sqr(x);

	sum->low += square.lo;
	sum->high += square.hi;
	sum->magnitude += square.hi;
}

static void
range_dot(const DpsRanges *ranges, const Ends *result)
{
	const DpsTensor *node = result->node;
	const Ends *x = &ranges->ends[node->arg[0]->id];
	const Ends *y = &ranges->ends[node->arg[1]->id];
	int64_t		n = dps_tensor_size(x->node);
	Products	sum = {0, 0, 0};
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		if (x == y)
			add_square(&sum, element(x, i));
		else
			add_product(&sum, element(x, i), element(y, i));
	}
	set_element(result, 0, widened(sum.low, sum.high, sum.magnitude, (double) n));
	if (x == y && result->low[0] < 0)
		result->low[0] = 0;
}

static void
range_matmul(const DpsRanges *ranges, const Ends *result)
{
	const DpsTensor *node = result->node;
	const Ends *x = &ranges->ends[node->arg[0]->id];
	const Ends *y = &ranges->ends[node->arg[1]->id];
	bool		tx = node->attribute[0] != 0;
	bool		ty = node->attribute[1] != 0;
	int64_t		m = node->shape.extent[0];
	int64_t		n = node->shape.extent[1];
	int64_t		terms = x->node->shape.extent[tx ? 0 : 1];
	int64_t		i;
	int64_t		j;
	int64_t		p;

	for (i = 0; i < m; i++)
	{
		for (j = 0; j < n; j++)
		{
			Products	sum = {0, 0, 0};

			for (p = 0; p < terms; p++)
				add_product(&sum, element(x, tx ? p * m + i : i * terms + p), element(y, ty ? j * terms + p : p * n + j));
			set_element(result, i * n + j, widened(sum.low, sum.high, sum.magnitude, (double) terms));
		}
	}
}

/*
 * Along axes
 */

/* As many as lie before, along and after the axes. */
static DpsSpan
span_of(const DpsTensor *node)
{
	return dps_span(&node->arg[0]->shape, node->attribute[0], node->attribute[1]);
}

/* It rises with every element, and so does its computation but for rounding. */
static DpsInterval
log_sum_exp(const Ends *x, int64_t first, int64_t n, int64_t step)
{
	double		greatest[2] = {-INFINITY, -INFINITY};
	DpsInterval sum[2] = {{0, 0}, {0, 0}};
	DpsInterval result[2];
	int64_t		j;
	int			end;

	for (j = 0; j < n; j++)
	{
		greatest[0] = fmax(greatest[0], x->low[first + j * step]);
		greatest[1] = fmax(greatest[1], x->high[first + j * step]);
	}
	if (!(greatest[0] > -INFINITY && greatest[1] < INFINITY))
		return DPS_ENTIRE;
	for (end = 0; end < 2; end++)
	{
		DpsInterval shift = dps_iv(greatest[end], greatest[end]);

		for (j = 0; j < n; j++)
		{
			double		value = end == 0 ? x->low[first + j * step] : x->high[first + j * step];

			sum[end] = dps_iv_add(sum[end], dps_iv_exp(dps_iv_sub(dps_iv(value, value), shift)));
		}
		result[end] = dps_iv_add(shift, dps_iv_ln(sum[end]));
	}
	/* as computed from the greatest within the box */
	return widened(result[0].lo, result[1].hi, fabs(greatest[0]) + fabs(greatest[1]) + 1, (double) n);
}

static void
range_log_sum_exp(const DpsRanges *ranges, const Ends *result)
{
	DpsSpan		span = span_of(result->node);
	int64_t		i;
	int64_t		k;

	for (i = 0; i < span.outer; i++)
	{
		for (k = 0; k < span.inner; k++)
			set_element(result, i * span.inner + k,
						log_sum_exp(&ranges->ends[result->node->arg[0]->id], i * span.length * span.inner + k,
									span.length, span.inner));
	}
}

/* Certain where one is above all others, or below one of them. */
static void
range_first_max(const DpsRanges *ranges, const Ends *result)
{
	const Ends *x = &ranges->ends[result->node->arg[0]->id];
	DpsSpan		span = span_of(result->node);
	int64_t		i;
	int64_t		j;
	int64_t		k;

	for (i = 0; i < span.outer * span.inner; i++)
	{
		int64_t		first = i / span.inner * span.length * span.inner + i % span.inner;
		double		greatest = -INFINITY;

		for (j = 0; j < span.length; j++)
			greatest = fmax(greatest, x->low[first + j * span.inner]);
		for (j = 0; j < span.length; j++)
		{
			int64_t		at = first + j * span.inner;
			bool		above = true;

			for (k = 0; k < span.length && above; k++)
				above = k == j || x->low[at] > x->high[first + k * span.inner];
			result->low[at] = above ? 1 : 0;
			result->high[at] = x->high[at] >= greatest ? 1 : 0;
		}
	}
}

/* x of exp(x - ln sum exp(x)), or NULL. */
static const DpsTensor *
softmax_of(const DpsTensor *node, const DpsTensor **total)
{
	const DpsTensor *x;

	if (node->op != DPS_OP_EXP || node->arg[0]->op != DPS_OP_SUB)
		return NULL;
	x = node->arg[0]->arg[0];
	*total = node->arg[0]->arg[1];
	if ((*total)->op == DPS_TENSOR_BROADCAST)
		*total = (*total)->arg[0];
	/* more than one of them could stand elsewhere in another shape */
	if ((*total)->op == DPS_TENSOR_RESHAPE && dps_tensor_size(*total) == 1)
		*total = (*total)->arg[0];
	return (*total)->op == DPS_TENSOR_LOG_SUM_EXP && (*total)->arg[0] == x ? x : NULL;
}

/* 1 / (1 + sum over the others of exp(their x - this)), which falls as they rise. */
static DpsInterval
softmax_element(const Ends *x, int64_t first, int64_t n, int64_t step, int64_t j)
{
	DpsInterval others = dps_iv(0, 0);
	DpsInterval here = element(x, first + j * step);
	int64_t		k;

	for (k = 0; k < n; k++)
	{
		if (k != j)
			others = dps_iv_add(others, dps_iv_exp(dps_iv_sub(element(x, first + k * step), here)));
	}
	return dps_iv_intersect(dps_iv(0, 1), dps_iv_div(dps_iv(1, 1), dps_iv_add(dps_iv(1, 1), others)));
}

static void
narrow_softmax(const DpsRanges *ranges, const Ends *result, const DpsTensor *x, const DpsTensor *total)
{
	DpsSpan		span = span_of(total);
	int64_t		i;
	int64_t		j;

	for (i = 0; i < span.outer * span.inner; i++)
	{
		int64_t		first = i / span.inner * span.length * span.inner + i % span.inner;

		for (j = 0; j < span.length; j++)
		{
			DpsInterval known = softmax_element(&ranges->ends[x->id], first, span.length, span.inner, j);
			DpsInterval both = dps_iv_intersect(element(result, first + j * span.inner), known);

			set_element(result, first + j * span.inner, dps_iv_is_empty(both) ? known : both);
		}
	}
}

/*
 * All nodes
 */

static void
range_moved(const DpsRanges *ranges, const Ends *result)
{
	const DpsTensor *node = result->node;
	const Ends *arg = &ranges->ends[node->arg[0]->id];

	dps_tensor_row(node->op)->run(&(DpsTensorCall) {.node = node, .arg = {arg->low}, .result = result->low});
	dps_tensor_row(node->op)->run(&(DpsTensorCall) {.node = node, .arg = {arg->high}, .result = result->high});
}

static void
range_node(const DpsRanges *ranges, const Ends *result)
{
	const DpsTensor *total;
	const DpsTensor *x;

	switch (result->node->op)
	{
		case DPS_OP_CASE:
			range_choice(ranges, result);
			return;
		case DPS_TENSOR_MATMUL:
			range_matmul(ranges, result);
			return;
		case DPS_TENSOR_DOT:
			range_dot(ranges, result);
			return;
		case DPS_TENSOR_SUM:
		case DPS_TENSOR_FOLD:
			range_sum(ranges, result);
			return;
		case DPS_TENSOR_LOG_SUM_EXP:
			range_log_sum_exp(ranges, result);
			return;
		case DPS_TENSOR_FIRST_MAX:
			range_first_max(ranges, result);
			return;
		case DPS_TENSOR_PERMUTE:
		case DPS_TENSOR_BROADCAST:
		case DPS_TENSOR_MAX:
		case DPS_TENSOR_UNFOLD:
		case DPS_TENSOR_UNFOLD_MAX:
			range_moved(ranges, result);
			return;
		default:
			range_elements(ranges, result);
	}
	x = softmax_of(result->node, &total);
	if (x != NULL)
		narrow_softmax(ranges, result, x, total);
}

/* Is it where its argument is? */
static bool
is_alias(const DpsTensor *node)
{
	return dps_tensor_has_row(node->op) && dps_tensor_row(node->op)->run == NULL;
}

static void
bind_node(const DpsRanges *ranges, Ends *ends, const double *const *low, const double *const *high)
{
	const DpsTensor *node = ends->node;

	if (node->op == DPS_OP_VAR)
	{
		memcpy(ends->low, low[node->input], sizeof(double) * (size_t) dps_tensor_size(node));
		memcpy(ends->high, high[node->input], sizeof(double) * (size_t) dps_tensor_size(node));
	}
	else if (is_alias(node))
	{
		ends->low = ranges->ends[node->arg[0]->id].low;
		ends->high = ranges->ends[node->arg[0]->id].high;
	}
	else if (node->op != DPS_OP_CONST)
		range_node(ranges, ends);
}

DpsStatus
dps_ranges_run(DpsRanges *ranges, const double *const *low, const double *const *high, DpsInterval *range)
{
	uint32_t	id;

	for (id = 0; id < ranges->limit; id++)
	{
		if (ranges->ends[id].node == NULL)
			continue;
		bind_node(ranges, &ranges->ends[id], low, high);
		if (ranges->host->should_stop != NULL && ranges->host->should_stop(ranges->host->context))
			return DPS_CANCELLED;
	}
	*range = element(&ranges->ends[ranges->scalar->id], 0);
	return DPS_OK;
}

/* Room for a node's elements; a constant's are there for good. */
static DpsStatus
make_room(DpsArena *arena, Ends *ends)
{
	int64_t		n = dps_tensor_size(ends->node);

	if (is_alias(ends->node))
		return DPS_OK;
	ends->low = dps_arena_alloc(arena, sizeof(double) * (size_t) n);
	ends->high = dps_arena_alloc(arena, sizeof(double) * (size_t) n);
	if (ends->low == NULL || ends->high == NULL)
		return DPS_NOMEM;
	if (ends->node->op == DPS_OP_CONST)
		ends->low[0] = ends->high[0] = ends->node->value;
	return DPS_OK;
}

static DpsStatus
plan(DpsArena *arena, DpsRanges *ranges)
{
	int64_t		total = 0;
	int64_t		largest = 1;
	uint32_t	id;
	int			k;

	ranges->ends = dps_arena_alloc(arena, sizeof(Ends) * ranges->limit);
	if (ranges->ends == NULL)
		return DPS_NOMEM;
	ranges->ends[ranges->scalar->id].node = ranges->scalar;
	for (id = ranges->limit; id-- > 0;)
	{
		const DpsTensor *node = ranges->ends[id].node;

		if (node == NULL)
			continue;
		for (k = 0; k < node->nargs; k++)
			ranges->ends[node->arg[k]->id].node = node->arg[k];
		total += dps_tensor_size(node);
		largest = dps_tensor_size(node) > largest ? dps_tensor_size(node) : largest;
		if (total > DPS_MAX_RANGED)
			return DPS_UNABLE;
	}
	for (id = 0; id < ranges->limit; id++)
	{
		if (ranges->ends[id].node != NULL)
			DPS_TRY(make_room(arena, &ranges->ends[id]));
	}
	ranges->magnitude = dps_arena_alloc(arena, sizeof(double) * (size_t) largest);
	ranges->sums = dps_arena_alloc(arena, sizeof(double) * (size_t) largest);
	return ranges->magnitude == NULL || ranges->sums == NULL ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_ranges_init(const DpsTensorGraph *g, const DpsTensor *scalar, DpsRanges **ranges)
{
	DpsRanges  *result;

	*ranges = NULL;
	if (scalar == NULL)
		return dps_arena_status(g->arena, DPS_NOMEM);
	if (scalar->shape.rank != 0)
		return DPS_UNABLE;
	result = dps_arena_alloc(g->arena, sizeof(DpsRanges));
	if (result == NULL)
		return dps_arena_status(g->arena, DPS_NOMEM);
	result->host = dps_arena_host(g->arena);
	result->limit = scalar->id + 1;
	result->scalar = scalar;
	*ranges = result;
	return dps_arena_status(g->arena, plan(g->arena, result));
}
