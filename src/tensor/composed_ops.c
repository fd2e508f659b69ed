/*
 * composed_ops.c
 *		Activations, losses, convolutions and pooling, made of the operations of
 *		the tables; their derivatives follow.
 */
#include <math.h>

#include "tensor/internal.h"

#define UNARY(op, x) dps_tensor_map(g, DPS_OP_##op, x, NULL)
#define BINARY(op, x, y) dps_tensor_map(g, DPS_OP_##op, x, y)
#define MAP(op, x) dps_tensor_map(g, DPS_TENSOR_##op, x, NULL)
#define NUM(v) dps_tensor_constant(g, v)
#define ADD(x, y) BINARY(ADD, x, y)
#define SUB(x, y) BINARY(SUB, x, y)
#define MUL(x, y) BINARY(MUL, x, y)
#define DIV(x, y) BINARY(DIV, x, y)
#define NEG(x) UNARY(NEG, x)
#define TOTAL(x) dps_tensor_total(g, x)

const DpsTensor *
dps_tensor_mean(DpsTensorGraph *g, const DpsTensor *x, unsigned axes)
{
	double		count = 1;
	int			i;

	if (x == NULL)
		return NULL;
	for (i = 0; i < x->shape.rank; i++)
		count *= axes & (1u << i) ? x->shape.extent[i] : 1;
	return DIV(dps_tensor_reduce(g, DPS_TENSOR_SUM, x, axes), NUM(count));
}

const DpsTensor *
dps_tensor_tempered_sigmoid(DpsTensorGraph *g, const DpsTensor *x, double scale, double temperature, double offset)
{
	return SUB(MUL(NUM(scale), MAP(SIGMOID, MUL(NUM(temperature), x))), NUM(offset));
}

/* x times the standard normal distribution function, which is erfc(-x / sqrt 2) / 2 */
const DpsTensor *
dps_tensor_gelu(DpsTensorGraph *g, const DpsTensor *x)
{
	return MUL(MUL(NUM(0.5), x), UNARY(ERFC, MUL(NUM(-M_SQRT1_2), x)));
}

const DpsTensor *
dps_tensor_softmax(DpsTensorGraph *g, const DpsTensor *x, unsigned axes)
{
	const DpsTensor *total = dps_tensor_reduce(g, DPS_TENSOR_LOG_SUM_EXP, x, axes);

	return total == NULL ? NULL : UNARY(EXP, SUB(x, dps_tensor_broadcast(g, total, x->shape)));
}

const DpsTensor *
dps_tensor_outer(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y)
{
	if (x == NULL || y == NULL || x->shape.rank != 1 || y->shape.rank != 1)
		return NULL;
	return dps_tensor_matmul(g, dps_tensor_reshape(g, x, DPS_MATRIX(x->shape.extent[0], 1)),
							 dps_tensor_reshape(g, y, DPS_MATRIX(1, y->shape.extent[0])), false, false);
}

const DpsTensor *
dps_tensor_norm_squared(DpsTensorGraph *g, const DpsTensor *const *x, int n)
{
	const DpsTensor *sum = NUM(0);
	int			k;

	for (k = 0; k < n; k++)
		sum = ADD(sum, dps_tensor_dot(g, x[k], x[k]));
	return sum;
}

const DpsTensor *
dps_tensor_norm(DpsTensorGraph *g, const DpsTensor *const *x, int n)
{
	return UNARY(SQRT, dps_tensor_norm_squared(g, x, n));
}

/*
 * Images
 */

/* The windows of each channel: (channels, places in a window, windows). */
static const DpsTensor *
channel_windows(DpsTensorGraph *g, const DpsTensor *columns, DpsWindow window)
{
	int32_t		places = window.height * window.width;

	if (columns == NULL)
		return NULL;
	return dps_tensor_reshape(g, columns, DPS_IMAGE(columns->shape.extent[0] / places, places, columns->shape.extent[1]));
}

/* One number for each channel and window, as an image. */
static const DpsTensor *
as_image(DpsTensorGraph *g, const DpsTensor *values, int32_t channels, const DpsTensor *image, DpsWindow window)
{
	int64_t		rows = dps_window_count(image->shape.extent[1], window.height, window.stride, window.padding);
	int64_t		columns = dps_window_count(image->shape.extent[2], window.width, window.stride, window.padding);

	return dps_tensor_reshape(g, values, DPS_IMAGE(channels, (int32_t) rows, (int32_t) columns));
}

const DpsTensor *
dps_tensor_conv2d(DpsTensorGraph *g, const DpsTensor *image, const DpsTensor *filters, int32_t stride, int32_t padding)
{
	DpsWindow	window;
	const DpsTensor *columns;
	const DpsTensor *weights;

	if (image == NULL || filters == NULL || image->shape.rank != 3 || filters->shape.rank != 4 ||
		filters->shape.extent[1] != image->shape.extent[0])
		return NULL;
	window = (DpsWindow) {filters->shape.extent[2], filters->shape.extent[3], stride, padding};
	columns = dps_tensor_unfold(g, image, window);
	if (columns == NULL)
		return NULL;
	weights = dps_tensor_reshape(g, filters, DPS_MATRIX(filters->shape.extent[0], columns->shape.extent[0]));
	return as_image(g, dps_tensor_matmul(g, weights, columns, false, false), filters->shape.extent[0], image, window);
}

const DpsTensor *
dps_tensor_depthwise_conv2d(DpsTensorGraph *g, const DpsTensor *image, const DpsTensor *filters, int32_t stride,
							int32_t padding)
{
	DpsWindow	window;
	const DpsTensor *windows;
	const DpsTensor *weights;

	if (image == NULL || filters == NULL || image->shape.rank != 3 || filters->shape.rank != 3 ||
		filters->shape.extent[0] != image->shape.extent[0])
		return NULL;
	window = (DpsWindow) {filters->shape.extent[1], filters->shape.extent[2], stride, padding};
	windows = channel_windows(g, dps_tensor_unfold(g, image, window), window);
	if (windows == NULL)
		return NULL;
	weights = dps_tensor_reshape(g, filters, DPS_IMAGE(filters->shape.extent[0], windows->shape.extent[1], 1));
	weights = dps_tensor_broadcast(g, weights, windows->shape);
	return as_image(g, dps_tensor_reduce(g, DPS_TENSOR_SUM, MUL(weights, windows), 2), filters->shape.extent[0],
					image, window);
}

const DpsTensor *
dps_tensor_average_pool(DpsTensorGraph *g, const DpsTensor *image, DpsWindow window)
{
	const DpsTensor *windows = channel_windows(g, dps_tensor_unfold(g, image, window), window);

	return windows == NULL ? NULL : as_image(g, dps_tensor_mean(g, windows, 2), image->shape.extent[0], image, window);
}

const DpsTensor *
dps_tensor_max_pool(DpsTensorGraph *g, const DpsTensor *image, DpsWindow window)
{
	DpsTensor	node = {.op = DPS_TENSOR_UNFOLD_MAX, .nargs = 1, .arg = {image}};
	const DpsTensor *windows;

	node.attribute[0] = window.height;
	node.attribute[1] = window.width;
	node.attribute[2] = window.stride;
	node.attribute[3] = window.padding;
	windows = channel_windows(g, dps_tensor_intern(g, &node), window);
	if (windows == NULL)
		return NULL;
	return as_image(g, dps_tensor_reduce(g, DPS_TENSOR_MAX, windows, 2), image->shape.extent[0], image, window);
}

/*
 * Losses
 */

const DpsTensor *
dps_tensor_squared_loss(DpsTensorGraph *g, const DpsTensor *prediction, const DpsTensor *target)
{
	const DpsTensor *error = SUB(prediction, target);

	return dps_tensor_dot(g, error, error);
}

/*
 * e^2 / 2 up to |e| = delta, from there on delta (|e| - delta / 2): with c the
 * number in [-delta, delta] that is nearest to e that is c (e - c / 2), in which
 * nothing jumps.
 */
const DpsTensor *
dps_tensor_huber_loss(DpsTensorGraph *g, const DpsTensor *prediction, const DpsTensor *target, double delta)
{
	const DpsTensor *error = SUB(prediction, target);
	const DpsTensor *near = BINARY(GREATEST, NUM(-delta), BINARY(LEAST, NUM(delta), error));

	return TOTAL(MUL(near, SUB(error, MUL(NUM(0.5), near))));
}

/* - y ln p - (1 - y) ln(1 - p) */
const DpsTensor *
dps_tensor_binary_cross_entropy(DpsTensorGraph *g, const DpsTensor *probability, const DpsTensor *target)
{
	const DpsTensor *yes = MUL(target, UNARY(LN, probability));
	const DpsTensor *no = MUL(SUB(NUM(1), target), UNARY(LN, SUB(NUM(1), probability)));

	return NEG(TOTAL(ADD(yes, no)));
}

/* With p = sigmoid(z): -ln p = softplus(z) - z and -ln(1 - p) = softplus(z). */
const DpsTensor *
dps_tensor_binary_cross_entropy_logits(DpsTensorGraph *g, const DpsTensor *logit, const DpsTensor *target)
{
	return TOTAL(SUB(MAP(SOFTPLUS, logit), MUL(target, logit)));
}

const DpsTensor *
dps_tensor_cross_entropy(DpsTensorGraph *g, const DpsTensor *probability, const DpsTensor *target)
{
	return NEG(dps_tensor_dot(g, target, UNARY(LN, probability)));
}

/* With p = softmax(z): -ln p = log_sum_exp(z) - z. */
const DpsTensor *
dps_tensor_cross_entropy_logits(DpsTensorGraph *g, const DpsTensor *logit, const DpsTensor *target)
{
	const DpsTensor *total;

	if (logit == NULL || logit->shape.rank == 0)
		return NULL;
	total = dps_tensor_reduce(g, DPS_TENSOR_LOG_SUM_EXP, logit, (1u << logit->shape.rank) - 1);
	return SUB(MUL(TOTAL(total), TOTAL(target)), dps_tensor_dot(g, target, logit));
}
