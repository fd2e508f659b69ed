/*
 * network.c
 *		Tables of layers, activations and losses, and the construction of
 *		networks.
 *
 * Vectors are matrices of one row.  A dense layer reads an image channel by channel, and
 * a channel row by row.  Weights of a dense layer have the shape (in, out), filters of a
 * convolution (out, in, height, width), both in row-major order.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "tensor/internal.h"
#include "tensor/network/network.h"

#define UNARY(op, x) dps_tensor_map(g, DPS_OP_##op, x, NULL)
#define MAP(op, x) dps_tensor_map(g, DPS_TENSOR_##op, x, NULL)
#define LAST_AXIS(x) (1u << ((x)->shape.rank - 1))
#define lengthof(array) ((int) (sizeof(array) / sizeof((array)[0])))

/*
 * Activations
 */

#define ACTIVATION(name, node) \
static const DpsTensor * \
activate_##name(DpsTensorGraph *g, const DpsTensor *x, const double *numbers) \
{ \
	(void) g; \
	(void) numbers; \
	return node; \
}

ACTIVATION(linear, x)
ACTIVATION(sigmoid, MAP(SIGMOID, x))
ACTIVATION(tempered_sigmoid, dps_tensor_tempered_sigmoid(g, x, numbers[0], numbers[1], numbers[2]))
ACTIVATION(tanh, UNARY(TANH, x))
ACTIVATION(relu, MAP(RELU, x))
ACTIVATION(softplus, MAP(SOFTPLUS, x))
ACTIVATION(gelu, dps_tensor_gelu(g, x))
ACTIVATION(softmax, dps_tensor_softmax(g, x, LAST_AXIS(x)))

static const DpsActivation activations[] = {
	{.name = "linear", .build = activate_linear},
	{.name = "sigmoid", .build = activate_sigmoid},
	{
		.name = "tempered_sigmoid", .nnumbers = 3, .build = activate_tempered_sigmoid,
		.numbers = {{"scale", 2, 0}, {"temperature", 2, 0}, {"offset", 1, -INFINITY}}
	},
	{.name = "tanh", .build = activate_tanh},
	{.name = "relu", .build = activate_relu, .rectifies = true},
	{.name = "softplus", .build = activate_softplus, .rectifies = true},
	{.name = "gelu", .build = activate_gelu, .rectifies = true},
	{.name = "softmax", .build = activate_softmax},
};

/*
 * Losses
 */

#define LOSS(name, node) \
static const DpsTensor * \
lose_##name(DpsTensorGraph *g, const DpsTensor *prediction, const DpsTensor *target, const double *numbers) \
{ \
	(void) numbers; \
	return node; \
}

LOSS(squared, dps_tensor_squared_loss(g, prediction, target))
LOSS(half_squared, dps_tensor_map(g, DPS_OP_MUL, dps_tensor_constant(g, 0.5),
								  dps_tensor_squared_loss(g, prediction, target)))
LOSS(huber, dps_tensor_huber_loss(g, prediction, target, numbers[0]))
LOSS(binary, dps_tensor_binary_cross_entropy(g, prediction, target))
LOSS(categorical, dps_tensor_cross_entropy(g, prediction, target))

static const DpsNetworkLoss losses[] = {
	{.name = "squared", .build = lose_squared},
	{.name = "half_squared", .build = lose_half_squared},
	{.name = "huber", .nnumbers = 1, .numbers = {{"delta", 1, 0}}, .build = lose_huber},
	{
		.name = "binary_cross_entropy", .build = lose_binary,
		.activation = "sigmoid", .build_inner = dps_tensor_binary_cross_entropy_logits
	},
	{
		.name = "categorical_cross_entropy", .distribution = true, .build = lose_categorical,
		.activation = "softmax", .build_inner = dps_tensor_cross_entropy_logits
	},
};

/*
 * Building
 */

struct DpsBuilder
{
	DpsTensorGraph *g;
	DpsNetwork *network;
	int			layer;			/* the one that is being built; -1: the network */
	DpsFault   *fault;
	const DpsTensor *inner;		/* the argument of the last activation, if its value
								 * is the layer's result; else NULL */
};

static const DpsTensor *
refuse(DpsBuilder *b, const char *reason)
{
	b->fault->layer = b->layer;
	b->fault->reason = reason;
	return NULL;
}

static const DpsTensor *
add_parameter(DpsBuilder *b, const char *what, DpsShape shape, double spread)
{
	DpsNetwork *network = b->network;
	DpsNetworkParameter *parameter = &network->parameters[network->nparameters];
	DpsText		name;

	if (!dps_shape_is_possible(&shape) || network->size > DPS_MAX_ELEMENTS - dps_shape_size(&shape))
		return refuse(b, "would have too many parameters");
	dps_text_init(&name, b->g->arena);
	dps_text_printf(&name, "layer%d.%s", b->layer + 1, what);
	if (name.failed)
		return NULL;
	parameter->name = name.data;
	parameter->layer = b->layer;
	parameter->tensor = dps_tensor_input(b->g, name.data, shape);
	parameter->offset = network->size;
	parameter->spread = spread;
	network->tensors[network->nparameters++] = parameter->tensor;
	network->size += dps_shape_size(&shape);
	return parameter->tensor;
}

/*
 * The spread with which signals and gradients keep their variance (Glorot and Bengio
 * 2010), or signals with a rectifier, which cuts off half of them (He et al. 2015).
 */
static double
initial_spread(const DpsLayer *layer, double fan_in, double fan_out)
{
	return layer->activation->rectifies ? sqrt(6 / fan_in) : sqrt(6 / (fan_in + fan_out));
}

static const DpsTensor *
add_bias(DpsBuilder *b, const DpsTensor *x, DpsShape shape)
{
	const DpsTensor *bias = add_parameter(b, "biases", DPS_VECTOR((int32_t) dps_shape_size(&shape)), 0);

	bias = dps_tensor_reshape(b->g, bias, shape);
	return x == NULL || bias == NULL ? NULL : dps_tensor_map(b->g, DPS_OP_ADD, x, dps_tensor_broadcast(b->g, bias, x->shape));
}

/* Adds bias and activation; `bias` is the bias's shape. */
static const DpsTensor *
finish_layer(DpsBuilder *b, const DpsLayer *layer, const DpsTensor *x, DpsShape bias)
{
	if (x != NULL && layer->bias == DPS_BIAS_BEFORE)
		x = add_bias(b, x, bias);
	b->inner = layer->bias == DPS_BIAS_AFTER ? NULL : x;
	if (x != NULL)
		x = layer->activation->build(b->g, x, layer->numbers);
	if (x != NULL && layer->bias == DPS_BIAS_AFTER)
		x = add_bias(b, x, bias);
	return x;
}

static const DpsTensor *
as_row(DpsTensorGraph *g, const DpsTensor *x)
{
	return x == NULL ? NULL : dps_tensor_reshape(g, x, DPS_MATRIX(1, (int32_t) dps_tensor_size(x)));
}

static const DpsTensor *
build_dense(DpsBuilder *b, const DpsLayer *layer, const DpsTensor *x)
{
	int32_t		width = (int32_t) dps_tensor_size(x);
	const DpsTensor *weights = add_parameter(b, "weights", DPS_MATRIX(width, layer->size),
											 initial_spread(layer, width, layer->size));

	return finish_layer(b, layer, dps_tensor_matmul(b->g, as_row(b->g, x), weights, false, false),
						DPS_MATRIX(1, layer->size));
}

/* Is x an image that the window fits?  If not, sets the fault. */
static bool
fits(DpsBuilder *b, const DpsLayer *layer, const DpsTensor *x)
{
	const DpsWindow *w = &layer->window;

	if (x->shape.rank != 3)
		(void) refuse(b, "needs an image: an input of (channels, height, width), and no dense layer before it");
	else if (w->padding >= w->height || w->padding >= w->width)
		(void) refuse(b, "has padding that is not smaller than its kernel");
	else if (dps_window_count(x->shape.extent[1], w->height, w->stride, w->padding) < 1 ||
			 dps_window_count(x->shape.extent[2], w->width, w->stride, w->padding) < 1)
		(void) refuse(b, "has a kernel that is larger than the image");
	else
		return true;
	return false;
}

static const DpsTensor *
build_conv2d(DpsBuilder *b, const DpsLayer *layer, const DpsTensor *x)
{
	const DpsWindow *w = &layer->window;
	double		area = (double) w->height * w->width;
	const DpsTensor *filters;

	if (!fits(b, layer, x))
		return NULL;
	filters = add_parameter(b, "weights", (DpsShape) {4, {layer->size, x->shape.extent[0], w->height, w->width}},
							initial_spread(layer, area * x->shape.extent[0], area * layer->size));
	return finish_layer(b, layer, dps_tensor_conv2d(b->g, x, filters, w->stride, w->padding),
						DPS_IMAGE(layer->size, 1, 1));
}

static const DpsTensor *
build_depthwise(DpsBuilder *b, const DpsLayer *layer, const DpsTensor *x)
{
	const DpsWindow *w = &layer->window;
	double		area = (double) w->height * w->width;
	const DpsTensor *filters;

	if (!fits(b, layer, x))
		return NULL;
	filters = add_parameter(b, "weights", DPS_IMAGE(x->shape.extent[0], w->height, w->width),
							initial_spread(layer, area, area));
	return finish_layer(b, layer, dps_tensor_depthwise_conv2d(b->g, x, filters, w->stride, w->padding),
						DPS_IMAGE(x->shape.extent[0], 1, 1));
}

static const DpsTensor *
build_average_pool(DpsBuilder *b, const DpsLayer *layer, const DpsTensor *x)
{
	b->inner = NULL;
	return fits(b, layer, x) ? dps_tensor_average_pool(b->g, x, layer->window) : NULL;
}

static const DpsTensor *
build_max_pool(DpsBuilder *b, const DpsLayer *layer, const DpsTensor *x)
{
	b->inner = NULL;
	return fits(b, layer, x) ? dps_tensor_max_pool(b->g, x, layer->window) : NULL;
}

static const DpsLayerKind layer_kinds[] = {
	{"dense", "units", DPS_LAYER_SIZE | DPS_LAYER_WEIGHTS, build_dense},
	{"conv2d", "filters", DPS_LAYER_SIZE | DPS_LAYER_WINDOW | DPS_LAYER_WEIGHTS, build_conv2d},
	{"depthwise_conv2d", NULL, DPS_LAYER_WINDOW | DPS_LAYER_WEIGHTS, build_depthwise},
	{"average_pool", NULL, DPS_LAYER_WINDOW, build_average_pool},
	{"max_pool", NULL, DPS_LAYER_WINDOW, build_max_pool},
};

#define FIND(table) \
	do { \
		int			i; \
		for (i = 0; i < lengthof(table); i++) \
		{ \
			if (strcmp(table[i].name, name) == 0) \
				return &table[i]; \
		} \
		return NULL; \
	} while (0)

const DpsActivation *
dps_find_activation(const char *name)
{
	FIND(activations);
}

const DpsNetworkLoss *
dps_find_loss(const char *name)
{
	FIND(losses);
}

const DpsLayerKind *
dps_find_layer_kind(const char *name)
{
	FIND(layer_kinds);
}

#define LIST(table) \
	do { \
		int			i; \
		for (i = 0; i < lengthof(table); i++) \
			dps_text_printf(text, "%s%s", i > 0 ? ", " : "", table[i].name); \
	} while (0)

void
dps_list_activations(DpsText *text)
{
	LIST(activations);
}

void
dps_list_losses(DpsText *text)
{
	LIST(losses);
}

void
dps_list_layer_kinds(DpsText *text)
{
	LIST(layer_kinds);
}

static const DpsTensor *
build_loss(DpsBuilder *b, const DpsNetworkPlan *plan)
{
	const DpsNetworkLoss *loss = plan->loss;
	const DpsNetwork *network = b->network;
	const DpsLayer *last = &plan->layers[plan->nlayers - 1];

	if (loss->distribution && dps_tensor_size(network->prediction) < 2)
		return refuse(b, "has one output, and this loss is about two classes or more");
	if (loss->activation != NULL && b->inner != NULL && last->activation != NULL &&
		strcmp(loss->activation, last->activation->name) == 0)
		return loss->build_inner(b->g, as_row(b->g, b->inner), network->target);
	return loss->build(b->g, network->prediction, network->target, plan->numbers);
}

static DpsStatus
build(DpsBuilder *b, const DpsNetworkPlan *plan)
{
	DpsNetwork *network = b->network;
	const DpsTensor *x;

	if (!dps_shape_is_possible(&plan->input))
	{
		b->layer = -1;
		(void) refuse(b, "has an input that is too large");
		return DPS_DOMAIN;
	}
	network->features = dps_tensor_input(b->g, "features", plan->input);
	x = network->features;
	for (b->layer = 0; b->layer < plan->nlayers && x != NULL; b->layer++)
	{
		const DpsLayer *layer = &plan->layers[b->layer];

		x = layer->kind->build(b, layer, x);
		if (x == NULL)
			break;
		network->shapes[b->layer] = x->shape.rank == 2 ? DPS_VECTOR((int32_t) dps_tensor_size(x)) : x->shape;
	}
	if (x == NULL)
		return b->fault->reason != NULL ? DPS_DOMAIN : DPS_NOMEM;
	b->layer = -1;
	network->prediction = as_row(b->g, x);
	network->target = network->prediction == NULL ? NULL :
		dps_tensor_input(b->g, "target", network->prediction->shape);
	if (network->target == NULL)
		return DPS_NOMEM;
	network->loss = build_loss(b, plan);
	if (network->loss == NULL)
		return b->fault->reason != NULL ? DPS_DOMAIN : DPS_NOMEM;
	return DPS_OK;
}

DpsStatus
dps_network_init(const DpsNetworkPlan *plan, DpsArena *arena, DpsNetwork **network, DpsFault *fault)
{
	DpsBuilder	builder = {.fault = fault};
	DpsNetwork *result = dps_arena_alloc(arena, sizeof(DpsNetwork));
	DpsStatus	status;

	*network = result;
	*fault = (DpsFault) {-1, NULL};
	if (result == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	result->nlayers = plan->nlayers;
	result->loss_kind = plan->loss;
	result->shapes = dps_arena_alloc(arena, sizeof(DpsShape) * plan->nlayers);
	result->parameters = dps_arena_alloc(arena, sizeof(DpsNetworkParameter) * 2 * plan->nlayers);
	result->tensors = dps_arena_alloc(arena, sizeof(DpsTensor *) * 2 * plan->nlayers);
	if (result->shapes == NULL || result->parameters == NULL || result->tensors == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	status = dps_tensor_graph_init(&result->graph, arena);
	builder.g = result->graph;
	builder.network = result;
	if (status == DPS_OK)
		status = build(&builder, plan);
	/* there is memory, so a tensor could not be made for another reason */
	if (status == DPS_NOMEM && fault->reason == NULL && dps_arena_alloc(arena, 1) != NULL)
	{
		*fault = (DpsFault) {builder.layer, "is too large"};
		status = DPS_DOMAIN;
	}
	return dps_arena_status(arena, status);
}

/* splitmix64, uniform in [-1, 1) */
static double
next_uniform(uint64_t *state)
{
	*state += DPS_GOLDEN;
	return (double) (dps_mix(*state) >> 11) * 0x1p-52 - 1;
}

void
dps_network_initialise(const DpsNetwork *network, uint64_t seed, double *parameters)
{
	int			k;
	int64_t		i;

	for (k = 0; k < network->nparameters; k++)
	{
		const DpsNetworkParameter *parameter = &network->parameters[k];

		for (i = 0; i < dps_tensor_size(parameter->tensor); i++)
			parameters[parameter->offset + i] = parameter->spread > 0 ? parameter->spread * next_uniform(&seed) : 0;
	}
}
