/*
 * training.c
 *		One epoch of gradient descent, and the norms of all examples' gradients, on
 *		the examples that training.py hands over.
 *
 * Reads the examples and the parameters from a file of doubles, so that both
 * sides compute the same; writes the parameters after one epoch and the norms to
 * another, and prints milliseconds.  training.py says what the numbers are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_host.h"
#include "tensor/network/descent.h"
#include "tensor/network/example_batch.h"

static void
fail(const char *what)
{
	fprintf(stderr, "training: %s\n", what);
	exit(1);
}

typedef struct Case
{
	DpsNetworkPlan plan;
	DpsLayer	layers[8];
} Case;

static DpsLayer *
add_layer(Case *c, const char *kind, int32_t size, const char *activation)
{
	DpsLayer   *layer = &c->layers[c->plan.nlayers++];

	layer->kind = dps_find_layer_kind(kind);
	layer->size = size;
	layer->activation = activation == NULL ? NULL : dps_find_activation(activation);
	return layer;
}

static void
set_case(Case *c, const char *name)
{
	memset(c, 0, sizeof(*c));
	c->plan.layers = c->layers;
	if (strcmp(name, "cnn") == 0)
	{
		c->plan.input = DPS_IMAGE(1, 28, 28);
		c->plan.loss = dps_find_loss("categorical_cross_entropy");
		add_layer(c, "conv2d", 16, "tanh")->window = (DpsWindow) {8, 8, 2, 3};
		add_layer(c, "max_pool", 0, NULL)->window = (DpsWindow) {2, 2, 1, 0};
		add_layer(c, "conv2d", 32, "tanh")->window = (DpsWindow) {4, 4, 2, 0};
		add_layer(c, "max_pool", 0, NULL)->window = (DpsWindow) {2, 2, 1, 0};
		add_layer(c, "dense", 32, "tanh");
		add_layer(c, "dense", 10, "softmax");
		return;
	}
	c->plan.input = DPS_VECTOR(25);
	c->plan.loss = dps_find_loss("binary_cross_entropy");
	add_layer(c, "dense", 8, "sigmoid");
	if (strcmp(name, "25-8-8-1") == 0)
		add_layer(c, "dense", 8, "sigmoid");
	add_layer(c, "dense", 1, "sigmoid");
}

typedef struct Data
{
	int64_t		n;
	int64_t		nfeatures;
	int64_t		ntargets;
	double	   *features;
	double	   *targets;
} Data;

static void
fill_batch(const Data *data, int64_t first, int64_t n, DpsExampleBatch *batch)
{
	memcpy(batch->features, data->features + first * data->nfeatures, sizeof(double) * (size_t) (n * data->nfeatures));
	memcpy(batch->targets, data->targets + first * data->ntargets, sizeof(double) * (size_t) (n * data->ntargets));
}

/* One step on `size` examples from `first`. */
static void
take_step(const Data *data, int64_t first, int64_t size, DpsExampleBatch *batch, double *parameters, double *gradient)
{
	const DpsOptimizer *optimizer = dps_find_optimizer("sgd");
	int64_t		p = batch->network->size;
	int64_t		at;
	int64_t		i;

	memset(gradient, 0, sizeof(double) * (size_t) p);
	for (at = 0; at < size; at += batch->capacity)
	{
		int64_t		n = size - at < batch->capacity ? size - at : batch->capacity;

		fill_batch(data, first + at, n, batch);
		if (dps_example_batch_run(batch, parameters, n) != DPS_OK)
			fail("no gradient");
		for (i = 0; i < p; i++)
			gradient[i] += batch->sum[i];
	}
	for (i = 0; i < p; i++)
		gradient[i] /= (double) size;
	optimizer->step(parameters, gradient, NULL, p, 0.1, 0, 1);
}

static void
find_norms(const Data *data, DpsExampleBatch *batch, const double *parameters, double *norms)
{
	int64_t		at;

	for (at = 0; at < data->n; at += batch->capacity)
	{
		int64_t		n = data->n - at < batch->capacity ? data->n - at : batch->capacity;

		fill_batch(data, at, n, batch);
		if (dps_example_batch_run(batch, parameters, n) != DPS_OK)
			fail("no norms");
		memcpy(norms + at, batch->norms, sizeof(double) * (size_t) n);
	}
}

static double *
read_numbers(FILE *file, int64_t n)
{
	double	   *numbers = malloc(sizeof(double) * (size_t) n);

	if (numbers == NULL || fread(numbers, sizeof(double), (size_t) n, file) != (size_t) n)
		fail("the examples are too short");
	return numbers;
}

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

#define MAX_TURNS 101

static double
median(double *times, int n)
{
	qsort(times, (size_t) n, sizeof(double), compare);
	return times[n / 2];
}

/* network, examples, batch, turns, in, out */
int
main(int argc, char **argv)
{
	Case		c;
	Data		data = {0};
	DpsArena   *arena;
	DpsNetwork *network;
	DpsFault	fault;
	DpsExampleBatch *sums;
	DpsExampleBatch *each;
	double	   *initial;
	double	   *parameters;
	double	   *gradient;
	double	   *norms;
	double		epoch_times[MAX_TURNS];
	double		norm_times[MAX_TURNS];
	int64_t		size;
	int			turns;
	int			turn;
	FILE	   *file;

	if (argc != 7 || (data.n = atol(argv[2])) < 1 || (size = atol(argv[3])) < 1 || (turns = atoi(argv[4])) < 1 ||
		turns > MAX_TURNS)
		fail("usage: training network examples batch turns in out");
	set_case(&c, argv[1]);
	if (dps_arena_init(&arena, &host) != DPS_OK || dps_network_init(&c.plan, arena, &network, &fault) != DPS_OK ||
		dps_example_batch_init(network, DPS_BATCH_SUM, size, &sums) != DPS_OK ||
		dps_example_batch_init(network, DPS_BATCH_NORMS, data.n, &each) != DPS_OK)
		fail("no network");
	data.nfeatures = dps_tensor_size(network->features);
	data.ntargets = dps_tensor_size(network->target);
	file = fopen(argv[5], "rb");
	if (file == NULL)
		fail(argv[5]);
	data.features = read_numbers(file, data.n * data.nfeatures);
	data.targets = read_numbers(file, data.n * data.ntargets);
	initial = read_numbers(file, network->size);
	fclose(file);
	parameters = malloc(sizeof(double) * (size_t) network->size);
	gradient = malloc(sizeof(double) * (size_t) network->size);
	norms = malloc(sizeof(double) * (size_t) data.n);
	for (turn = -1; turn < turns; turn++)
	{
		double		begin;
		int64_t		first;

		memcpy(parameters, initial, sizeof(double) * (size_t) network->size);
		begin = milliseconds();
		for (first = 0; first < data.n; first += size)
			take_step(&data, first, data.n - first < size ? data.n - first : size, sums, parameters, gradient);
		if (turn >= 0)
			epoch_times[turn] = milliseconds() - begin;
		begin = milliseconds();
		find_norms(&data, each, initial, norms);
		if (turn >= 0)
			norm_times[turn] = milliseconds() - begin;
	}
	file = fopen(argv[6], "wb");
	if (file == NULL || fwrite(parameters, sizeof(double), (size_t) network->size, file) != (size_t) network->size ||
		fwrite(norms, sizeof(double), (size_t) data.n, file) != (size_t) data.n)
		fail(argv[6]);
	fclose(file);
	printf("%.6f %.6f\n", median(epoch_times, turns), median(norm_times, turns));
	dps_arena_clear(arena);
	return 0;
}
