/*
 * instructions.c
 *		Work whose instructions are counted: instructions NAME does one piece of
 *		it, without a name all are listed.
 *
 * What is prepared and what is counted are apart: only calls below work() are.
 * Nothing here depends on a clock, on chance or on an address.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classics.h"
#include "instructions.h"
#include "noise/mechanism.h"
#include "reference_fixture.h"
#include "tensor/network/example.h"

#define BATCHES 100
#define DRAWS 10000
#define SEARCHES 8
#define CELLS 3

static void
fail(const char *what)
{
	fprintf(stderr, "instructions: %s\n", what);
	exit(1);
}

/* A host whose random source is the same each time: a counter, mixed as splitmix.h
 * does it, and written out, since what it takes is counted, too. */
static bool
repeat_bytes(void *context, void *buffer, size_t size)
{
	static uint64_t counter = 0;
	size_t		i;

	(void) context;
	for (i = 0; i < size; i++)
	{
		uint64_t	x = (counter += UINT64_C(0x9e3779b97f4a7c15));

		x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
		((unsigned char *) buffer)[i] = (unsigned char) ((x ^ (x >> 31)) >> 56);
	}
	return true;
}

static DpsHost
repeatable_host(void)
{
	DpsHost		host = tap_host;

	host.random_bytes = repeat_bytes;
	return host;
}

/* Numbers between lo and hi, each with a NULL among a hundred. */
static double *
numbers(int n, double lo, double hi)
{
	double	   *x = malloc(sizeof(double) * (size_t) n);
	int			i;

	for (i = 0; x != NULL && i < n; i++)
		x[i] = i % 97 == 96 ? NAN : lo + (hi - lo) * (0.5 + 0.5 * sin(1.3 * i + lo));
	return x;
}

/* ---- row expressions ---- */

static const char *const expressions[] = {
	"a * b / (c / 100)^2", "a^2 + exp(2 * b / 100 - a / 50) + ln(c)", "CASE WHEN a > 50 THEN a * b ELSE sqrt(c) END + greatest(a, b)"
};

/* Over columns a, b and c. */
static const DpsNode *
read_expression(DpsArena *arena, const char *sql, DpsGraph **graph)
{
	static const char *const names[CELLS] = {"a", "b", "c"};
	const DpsNode *node;
	int			j;

	if (dps_graph_init(graph, arena) != DPS_OK)
		fail("no memory");
	for (j = 0; j < CELLS; j++)
		(void) dps_graph_add_variable(*graph, names[j], DPS_FLOAT8, true);
	node = parse_expression(*graph, sql);
	if (node == NULL)
		fail(sql);
	return node;
}

const DpsProgram *
dps_bench_program(const char *sql)
{
	const DpsProgram *program;
	const DpsNode *node;
	DpsGraph   *graph;
	DpsArena   *arena;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		fail("no memory");
	node = read_expression(arena, sql, &graph);
	if (dps_compile(graph, &node, 1, &program) != DPS_OK)
		fail(sql);
	return program;
}

void
dps_bench_cells(double **columns, int n)
{
	columns[0] = numbers(n, 18, 100);
	columns[1] = numbers(n, 20, 300);
	columns[2] = numbers(n, 100, 220);
}

typedef struct Evaluation
{
	const DpsProgram *program;
	double	   *columns[CELLS];
	double	   *scratch;
	double		output[DPS_BATCH];
} Evaluation;

static void *
prepare_evaluation(const Work *work)
{
	Evaluation *e = calloc(1, sizeof(*e));

	e->program = dps_bench_program(expressions[work->parameter]);
	dps_bench_cells(e->columns, DPS_BATCH);
	e->scratch = malloc(sizeof(double) * (dps_scratch_size(e->program) + 1));
	return e;
}

static void
evaluate(const Work *work, void *prepared)
{
	Evaluation *e = prepared;
	double	   *output = e->output;
	int			k;

	(void) work;
	for (k = 0; k < 10 * BATCHES; k++)
		dps_evaluate(e->program, (const double *const *) e->columns, DPS_BATCH, e->scratch, &output);
}

/* ---- bounds ---- */

static void
set_up(ReferenceFixture *fixture, const ReferenceCase *reference)
{
	if (!reference_set_up(fixture, reference))
		fail(reference->sql);
}

static void *
prepare_nothing(const Work *work)
{
	return (void *) (uintptr_t) work;
}

/* The upper end, and the norm of the gradient, of the first reference functions. */
static void
search(const Work *work, void *prepared)
{
	DpsBoundOptions options = DPS_BOUND_DEFAULTS;
	int			i;

	(void) work;
	(void) prepared;
	for (i = 0; i < SEARCHES; i++)
	{
		DpsBracket	bracket;
		ReferenceFixture fixture;

		set_up(&fixture, &reference_cases[i]);
		if (dps_supremum(fixture.graph, fixture.node, fixture.box, &options, &bracket) != DPS_OK ||
			dps_lipschitz(fixture.graph, fixture.node, fixture.box, &fixture.policy, DPS_NORM_2, &options, &bracket) != DPS_OK)
			fail(reference_cases[i].sql);
		dps_arena_clear(fixture.arena);
	}
}

/* Reading, simplifying, differentiating and compiling all of them. */
static void
differentiate(const Work *work, void *prepared)
{
	size_t		i;

	(void) work;
	(void) prepared;
	for (i = 0; i < sizeof(reference_cases) / sizeof(reference_cases[0]); i++)
	{
		const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
		const DpsNode *norm;
		const DpsProgram *program;
		ReferenceFixture fixture;

		set_up(&fixture, &reference_cases[i]);
		if (dps_gradient(fixture.graph, dps_as_float8(fixture.graph, fixture.node), gradient) != DPS_OK)
			fail(reference_cases[i].sql);
		norm = dps_norm2(fixture.graph, gradient, UINT64_MAX, NULL);
		if (norm == NULL || dps_compile(fixture.graph, &norm, 1, &program) != DPS_OK)
			fail(reference_cases[i].sql);
		dps_arena_clear(fixture.arena);
	}
}

/* ---- noise ---- */

static void
draw(const Work *work, void *prepared)
{
	const DpsMechanism *mechanism = dps_mechanisms[work->parameter];
	DpsHost		host = repeatable_host();
	DpsRandom	random;
	int			i;

	(void) prepared;
	dps_random_init(&random, &host);
	for (i = 0; i < DRAWS; i++)
	{
		__int128	noise;

		if (mechanism->draw(&random, UINT64_C(1) << (10 + i % 40), 1, &noise) != DPS_OK)
			fail("a draw failed");
	}
}

static void
calibrate(const Work *work, void *prepared)
{
	int			i;
	int			k;

	(void) work;
	(void) prepared;
	for (k = 0; dps_mechanisms[k] != NULL; k++)
	{
		for (i = 0; i < 20; i++)
		{
			DpsTarget	target = {ldexp(1.0, i % 10 - 6), 1e-6, 1 + i % 2, false};
			uint64_t	scale;
			DpsLoss		loss = {0, 0, 0};

			if (dps_mechanisms[k]->calibrate(&target, UINT64_C(1) << 30, &scale) != DPS_OK)
				fail("not calibrated");
			dps_mechanisms[k]->loss(scale, 1, UINT64_C(1) << 30, &loss);
		}
	}
}

/* ---- models ---- */

typedef struct Model
{
	DpsNetworkPlan plan;
	DpsLayer	layers[4];
	DpsArena   *arena;
	DpsExample *example;
	double	   *parameters;
	double	   *features;
	double	   *target;
} Model;

static void
derive_model(Model *model)
{
	DpsNetwork *network;
	DpsFault	fault;

	if (dps_arena_init(&model->arena, &tap_host) != DPS_OK ||
		dps_network_init(&model->plan, model->arena, &network, &fault) != DPS_OK ||
		dps_example_init(network, DPS_EXAMPLE_LOSS | DPS_EXAMPLE_NORM | DPS_EXAMPLE_NORM_GRADIENT, &model->example) != DPS_OK)
		fail("no model");
	model->parameters = realloc(model->parameters, sizeof(double) * (size_t) network->size);
	dps_network_initialise(network, 1, model->parameters);
}

/* A dense network of two hidden layers, and a convolution before them. */
static void *
prepare_model(const Work *work)
{
	Model	   *model = calloc(1, sizeof(*model));
	DpsLayer   *layer = model->layers;

	(void) work;
	*layer++ = (DpsLayer) {.kind = dps_find_layer_kind("conv2d"), .size = 4, .window = {3, 3, 1, 1},
		.activation = dps_find_activation("relu")};
	*layer++ = (DpsLayer) {.kind = dps_find_layer_kind("dense"), .size = 32, .activation = dps_find_activation("tanh")};
	*layer++ = (DpsLayer) {.kind = dps_find_layer_kind("dense"), .size = 16, .activation = dps_find_activation("sigmoid")};
	*layer++ = (DpsLayer) {.kind = dps_find_layer_kind("dense"), .size = 10, .activation = dps_find_activation("softmax")};
	model->plan = (DpsNetworkPlan) {.input = DPS_IMAGE(1, 16, 16), .layers = model->layers, .nlayers = 4,
		.loss = dps_find_loss("categorical_cross_entropy")};
	derive_model(model);
	model->features = numbers(256, 0, 1);
	model->features[96] = model->features[193] = 0.5;
	model->target = calloc(10, sizeof(double));
	model->target[1] = 1;
	return model;
}

static void
derive(const Work *work, void *prepared)
{
	Model	   *model = prepared;
	int			k;

	(void) work;
	for (k = 0; k < 10; k++)
	{
		dps_arena_clear(model->arena);
		derive_model(model);
	}
}

static void
run_model(const Work *work, void *prepared)
{
	Model	   *model = prepared;
	int			k;

	(void) work;
	for (k = 0; k < 20; k++)
		if (dps_example_run(model->example, model->parameters, model->features, model->target) != DPS_OK)
			fail("no example");
}

/* ---- all of it ---- */

static const Work all[] = {
	{"evaluate arithmetic", prepare_evaluation, evaluate, 0},
	{"evaluate functions", prepare_evaluation, evaluate, 1},
	{"evaluate branches", prepare_evaluation, evaluate, 2},
	{"sum one value", dps_bench_prepare_sums, dps_bench_sum, 1},
	{"sum one value of 1000 groups", dps_bench_prepare_sums, dps_bench_sum, 1000},
	{"bound 8 functions", prepare_nothing, search, 0},
	{"differentiate 62 functions", prepare_nothing, differentiate, 0},
	{"draw laplace", prepare_nothing, draw, 0},
	{"draw gaussian", prepare_nothing, draw, 1},
	{"calibrate", prepare_nothing, calibrate, 0},
	{"derive a model", prepare_model, derive, 0},
	{"run a model", prepare_model, run_model, 0}
};

/* What is counted: by its name, so it must have one. */
extern void counted_work(const Work *work, void *prepared);

__attribute__((noinline)) void
counted_work(const Work *work, void *prepared)
{
	work->run(work, prepared);
}

int
main(int argc, char **argv)
{
	size_t		i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
	{
		if (argc < 2)
			printf("%s\n", all[i].name);
		else if (strcmp(argv[1], all[i].name) == 0)
		{
			counted_work(&all[i], all[i].prepare(&all[i]));
			return 0;
		}
	}
	return argc < 2 ? 0 : 1;
}
