/*
 * test_scale.c
 *		What it costs to derive and plan a network: as many nodes and steps as its
 *		layers need, whatever their width, each layer as many as the one before; and
 *		one of 2.5 million parameters, from nothing to its numbers, in less than 10
 *		seconds and 1 GiB.
 *
 * Counts, but for that limit of seconds, which is two orders of magnitude away.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "tap.h"
#include "tensor/network/example.h"
#include "tensor/network/example_batch.h"

#define QUANTITIES (DPS_EXAMPLE_LOSS | DPS_EXAMPLE_NORM | DPS_EXAMPLE_NORM_GRADIENT)
#define MAX_LAYERS 200

typedef struct Case
{
	DpsNetworkPlan plan;
	DpsLayer	layers[MAX_LAYERS];
} Case;

static void
begin(Case *c, DpsShape input, const char *loss)
{
	memset(c, 0, sizeof(*c));
	c->plan.input = input;
	c->plan.layers = c->layers;
	c->plan.loss = dps_find_loss(loss);
}

static void
add(Case *c, const char *kind, int32_t size, DpsWindow window, const char *activation)
{
	DpsLayer   *layer = &c->layers[c->plan.nlayers++];

	layer->kind = dps_find_layer_kind(kind);
	layer->size = size;
	layer->window = window;
	layer->activation = activation == NULL ? NULL : dps_find_activation(activation);
}

#define NONE ((DpsWindow) {0, 0, 0, 0})

/* Hidden layers of a width. */
static void
dense_case(Case *c, int layers, int32_t width)
{
	begin(c, DPS_VECTOR(25), "binary_cross_entropy");
	while (layers-- > 0)
		add(c, "dense", width, NONE, "tanh");
	add(c, "dense", 1, NONE, "sigmoid");
}

static void
convolutional_case(Case *c, int layers, int32_t width)
{
	begin(c, DPS_IMAGE(2, 8, 8), "categorical_cross_entropy");
	while (layers-- > 0)
		add(c, "conv2d", width, (DpsWindow) {3, 3, 1, 1}, "gelu");
	add(c, "dense", 10, NONE, "softmax");
}

static void
pooling_case(Case *c, int layers, int32_t width)
{
	begin(c, DPS_IMAGE(width, 8, 8), "categorical_cross_entropy");
	while (layers-- > 0)
	{
		add(c, "depthwise_conv2d", 0, (DpsWindow) {3, 3, 1, 1}, "relu");
		add(c, "max_pool", 0, (DpsWindow) {3, 3, 1, 1}, NULL);
	}
	add(c, "dense", 10, NONE, "softmax");
}

typedef struct Cost
{
	int			nodes;
	int			steps;
	int			batch_steps;
} Cost;

static Cost
cost_of(void (*make) (Case *c, int layers, int32_t width), int layers, int32_t width)
{
	static Case c;
	DpsArena   *arena;
	DpsNetwork *network;
	DpsExample *example;
	DpsExampleBatch *batch;
	DpsFault	fault;
	Cost		cost;

	make(&c, layers, width);
	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_network_init(&c.plan, arena, &network, &fault) != DPS_OK ||
		dps_example_init(network, QUANTITIES, &example) != DPS_OK)
		abort();
	cost.nodes = (int) network->graph->nnodes;
	cost.steps = (int) dps_schedule_steps(example->schedule);
	if (dps_example_batch_init(network, DPS_BATCH_SUM, 8, &batch) != DPS_OK)
		abort();
	cost.batch_steps = (int) dps_schedule_steps(batch->schedule);
	dps_arena_clear(arena);
	return cost;
}

static void
check_width(const char *name, void (*make) (Case *c, int layers, int32_t width))
{
	static const int32_t widths[] = {3, 17, 64, 129};
	Cost		least = cost_of(make, 3, 2);
	size_t		k;

	for (k = 0; k < sizeof(widths) / sizeof(widths[0]); k++)
	{
		Cost		cost = cost_of(make, 3, widths[k]);

		ok(cost.nodes == least.nodes && cost.steps == least.steps && cost.batch_steps == least.batch_steps,
		   "%s: %d nodes and %d steps at width %d as at 2", name, cost.nodes, cost.steps, widths[k]);
	}
}

/* As many more for every four layers. */
static void
check_depth(const char *name, void (*make) (Case *c, int layers, int32_t width))
{
	Cost		before = cost_of(make, 4, 4);
	Cost		more = cost_of(make, 8, 4);
	int			layers;

	ok(more.nodes > before.nodes && more.nodes - before.nodes < 400, "%s: %d nodes for four layers more", name,
	   more.nodes - before.nodes);
	for (layers = 12; layers <= 48; layers += 4)
	{
		Cost		cost = cost_of(make, layers, 4);

		ok(cost.nodes - more.nodes == more.nodes - before.nodes && cost.steps - more.steps == more.steps - before.steps &&
		   cost.batch_steps - more.batch_steps == more.batch_steps - before.batch_steps,
		   "%s: as many again with %d layers, %d nodes in all", name, layers, cost.nodes);
		before = more;
		more = cost;
	}
}

/*
 * Depthwise separable blocks as in MobileNet (Howard et al. 2017), a thousand
 * classes.
 */

typedef struct Counter
{
	size_t		bytes;
} Counter;

static void *
counting_allocate(void *context, size_t size)
{
	((Counter *) context)->bytes += size;
	return malloc(size);
}

static void
mobile_case(Case *c)
{
	static const int32_t filters[] = {48, 96, 96, 192, 192, 384, 384, 384, 384, 384, 384, 768, 768};
	static const int32_t strides[] = {1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1};
	size_t		k;

	begin(c, DPS_IMAGE(3, 64, 64), "categorical_cross_entropy");
	add(c, "conv2d", 24, (DpsWindow) {3, 3, 2, 1}, "relu");
	for (k = 0; k < sizeof(filters) / sizeof(filters[0]); k++)
	{
		add(c, "depthwise_conv2d", 0, (DpsWindow) {3, 3, strides[k], 1}, "relu");
		add(c, "conv2d", filters[k], (DpsWindow) {1, 1, 1, 0}, "relu");
	}
	add(c, "average_pool", 0, (DpsWindow) {2, 2, 1, 0}, NULL);
	add(c, "dense", 1000, NONE, "softmax");
}

static void
test_large(void)
{
	static Case c;
	Counter		counter = {0};
	DpsHost		host = {.allocate = counting_allocate, .release = tap_release, .should_stop = tap_should_stop,
	.context = &counter};
	clock_t		start = clock();
	DpsArena   *arena;
	DpsNetwork *network;
	DpsExample *example;
	DpsFault	fault;
	double	   *parameters;
	double	   *features;
	double	   *target;
	double		seconds;
	double		megabytes;
	double		largest = 0;
	int			i;

	mobile_case(&c);
	if (dps_arena_init(&arena, &host) != DPS_OK || dps_network_init(&c.plan, arena, &network, &fault) != DPS_OK ||
		dps_example_init(network, QUANTITIES, &example) != DPS_OK)
		abort();
	ok(network->size > 2500000, "%d parameters", (int) network->size);
	ok(network->graph->nnodes < 60 * (uint32_t) network->nlayers, "%d layers, %u nodes", network->nlayers,
	   (unsigned) network->graph->nnodes);
	parameters = malloc(sizeof(double) * (size_t) network->size);
	features = malloc(sizeof(double) * example->nfeatures);
	target = calloc(example->noutputs, sizeof(double));
	target[7] = 1;
	for (i = 0; i < example->nfeatures; i++)
		features[i] = 0.5 + 0.5 * sin(1.3 * i);
	dps_network_initialise(network, 1, parameters);
	if (dps_example_run(example, parameters, features, target) != DPS_OK)
		abort();
	for (i = 0; i < example->nfeatures; i++)
		largest = fmax(largest, fabs(example->norm_squared_gradient[i]));
	ok(example->loss > 0 && example->norm > 0 && largest > 0 && isfinite(largest), "loss %g, gradient norm %g, greatest PLIS %g",
	   example->loss, example->norm, largest);
	seconds = (double) (clock() - start) / CLOCKS_PER_SEC;
	megabytes = (double) (counter.bytes + sizeof(double) * (size_t) network->size) / 1048576;
	diag("in %.2f seconds", seconds);
	ok(megabytes < 1024, "with %.1f MB", megabytes);
	free(target);
	free(features);
	free(parameters);
	dps_arena_clear(arena);
}

int
main(void)
{
	check_width("dense", dense_case);
	check_width("convolutional", convolutional_case);
	check_width("pooling", pooling_case);
	check_depth("dense", dense_case);
	check_depth("convolutional", convolutional_case);
	check_depth("pooling", pooling_case);
	test_large();
	return done_testing();
}
