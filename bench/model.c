/*
 * model.c
 *		What it costs to derive, plan and evaluate loss, gradient norm and PLIS of
 *		one example, from a thousand parameters to ten million.
 *
 * Dense networks of three hidden layers, and a convolutional network of
 * depthwise separable blocks as in MobileNet (Howard et al. 2017) on a colour
 * image.  Prints a table, and JSON to the file that is named.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench_host.h"
#include "tensor/network/example.h"

#define QUANTITIES (DPS_EXAMPLE_LOSS | DPS_EXAMPLE_NORM | DPS_EXAMPLE_NORM_GRADIENT)
#define MAX_BLOCKS 16

/* What a network of 2.5 million parameters may take, from nothing to its
 * numbers, and the whole process for it. */
#define TIME_LIMIT 10000.0
#define LARGE 3000000
#define MEMORY_LIMIT 1024.0

typedef struct Case
{
	const char *name;
	DpsNetworkPlan plan;
	DpsLayer	layers[2 * MAX_BLOCKS + 4];
} Case;

static DpsLayer *
next_layer(Case *c, const char *kind, const char *activation)
{
	DpsLayer   *layer = &c->layers[c->plan.nlayers++];

	layer->kind = dps_find_layer_kind(kind);
	layer->activation = activation == NULL ? NULL : dps_find_activation(activation);
	return layer;
}

static void
begin_case(Case *c, const char *name, DpsShape input)
{
	memset(c, 0, sizeof(*c));
	c->name = name;
	c->plan.input = input;
	c->plan.layers = c->layers;
	c->plan.loss = dps_find_loss("categorical_cross_entropy");
}

static void
dense_case(Case *c, int32_t features, int32_t width)
{
	int			k;

	begin_case(c, "dense", DPS_VECTOR(features));
	for (k = 0; k < 3; k++)
		next_layer(c, "dense", "tanh")->size = width;
	next_layer(c, "dense", "softmax")->size = 10;
}

static void
add_block(Case *c, int32_t filters, int32_t stride)
{
	next_layer(c, "depthwise_conv2d", "relu")->window = (DpsWindow) {3, 3, stride, 1};
	*next_layer(c, "conv2d", "relu") = (DpsLayer) {.kind = dps_find_layer_kind("conv2d"), .size = filters,
		.window = {1, 1, 1, 0}, .activation = dps_find_activation("relu")};
}

/* A network of blocks on images of side x side. */
static void
convolutional_case(Case *c, const char *name, int32_t side)
{
	static const int32_t filters[] = {48, 96, 96, 192, 192, 384, 384, 384, 384, 384, 384, 768, 768};
	static const int32_t strides[] = {1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1};
	DpsLayer   *first;
	size_t		k;

	begin_case(c, name, DPS_IMAGE(3, side, side));
	first = next_layer(c, "conv2d", "relu");
	first->size = 24;
	first->window = (DpsWindow) {3, 3, 2, 1};
	for (k = 0; k < sizeof(filters) / sizeof(filters[0]); k++)
		add_block(c, filters[k], strides[k]);
	next_layer(c, "average_pool", NULL)->window = (DpsWindow) {side / 32, side / 32, 1, 0};
	next_layer(c, "dense", "softmax")->size = 1000;
}

static double *
numbers(int64_t n)
{
	double	   *x = malloc(sizeof(double) * (size_t) n);
	int64_t		i;

	for (i = 0; x != NULL && i < n; i++)
		x[i] = 0.5 + 0.5 * sin(1.3 * (double) i);
	return x;
}

static void
fail(const char *what, DpsStatus status)
{
	fprintf(stderr, "%s: %s\n", what, dps_status_name(status));
	exit(1);
}

/* The median of an odd number of runs. */
static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static void
run_case(const Case *c, FILE *json, bool last)
{
	DpsArena   *arena;
	DpsNetwork *network;
	DpsFault	fault;
	DpsExample *e;
	DpsStatus	status;
	double		begin = milliseconds();
	double		derived;
	double		run[5];
	double	   *parameters;
	double	   *features;
	double	   *target;
	int			runs;
	int			k;
	struct rusage usage;

	if (dps_arena_init(&arena, &host) != DPS_OK)
		fail("arena", DPS_NOMEM);
	status = dps_network_init(&c->plan, arena, &network, &fault);
	if (status == DPS_OK)
		status = dps_example_init(network, QUANTITIES, &e);
	if (status != DPS_OK)
		fail(status == DPS_DOMAIN ? fault.reason : c->name, status);
	derived = milliseconds() - begin;
	parameters = numbers(network->size);
	features = numbers(dps_tensor_size(network->features));
	target = numbers(dps_tensor_size(network->target));
	dps_network_initialise(network, 1, parameters);
	for (k = 0; k < dps_tensor_size(network->target); k++)
		target[k] = k == 1;
	runs = network->size > 1000000 ? 1 : 5;
	for (k = 0; k < runs; k++)
	{
		begin = milliseconds();
		status = dps_example_run(e, parameters, features, target);
		if (status != DPS_OK)
			fail(c->name, status);
		run[k] = milliseconds() - begin;
	}
	qsort(run, runs, sizeof(double), compare);
	getrusage(RUSAGE_SELF, &usage);
	printf("%-17s %10lld %7d %7u %12.2f %12.3f %12.1f %10.1f\n", c->name, (long long) network->size, network->nlayers,
		   (unsigned) network->graph->nnodes, derived, run[runs / 2],
		   dps_schedule_workspace(e->schedule) * 8.0 / 1048576, usage.ru_maxrss / 1024.0);
	fflush(stdout);
	if (json != NULL)
		fprintf(json, "  {\"network\": \"%s\", \"parameters\": %lld, \"layers\": %d, \"nodes\": %u, \"derive_ms\": %.3f, "
				"\"evaluate_ms\": %.3f, \"workspace_mb\": %.2f, \"peak_mb\": %.1f, \"loss\": %.17g, \"norm\": %.17g}%s\n",
				c->name, (long long) network->size, network->nlayers, (unsigned) network->graph->nnodes, derived,
				run[runs / 2], dps_schedule_workspace(e->schedule) * 8.0 / 1048576, usage.ru_maxrss / 1024.0, e->loss,
				e->norm, last ? "" : ",");
	if (network->size < LARGE && derived + run[runs - 1] >= TIME_LIMIT)
		fail("too slow", DPS_UNABLE);
	if (network->size < LARGE && usage.ru_maxrss / 1024.0 >= MEMORY_LIMIT)
		fail("too much memory", DPS_UNABLE);
	free(parameters);
	free(features);
	free(target);
	dps_arena_clear(arena);
}

int
main(int argc, char **argv)
{
	static const int32_t dense_sizes[][2] = {{25, 18}, {100, 64}, {784, 105}, {784, 580}, {784, 940}, {1024, 2000}};
	FILE	   *json = argc > 1 ? fopen(argv[1], "w") : NULL;
	size_t		n = sizeof(dense_sizes) / sizeof(dense_sizes[0]);
	Case		c;
	size_t		k;

	if (argc > 1 && json == NULL)
		fail(argv[1], DPS_UNABLE);
	printf("%-17s %10s %7s %7s %12s %12s %12s %10s\n", "network", "parameters", "layers", "nodes", "derive (ms)",
		   "evaluate (ms)", "workspace MB", "peak MB");
	if (json != NULL)
		fprintf(json, "[\n");
	for (k = 0; k < n; k++)
	{
		dense_case(&c, dense_sizes[k][0], dense_sizes[k][1]);
		run_case(&c, json, false);
	}
	convolutional_case(&c, "convolutional 64", 64);
	run_case(&c, json, false);
	convolutional_case(&c, "convolutional 128", 128);
	run_case(&c, json, false);
	convolutional_case(&c, "convolutional 224", 224);
	run_case(&c, json, true);
	if (json != NULL)
	{
		fprintf(json, "]\n");
		fclose(json);
	}
	return 0;
}
