/*
 * test_batch.c
 *		Several examples at a time: every operation, for every choice of arguments
 *		that are the same for all, against one example after the other; networks;
 *		matrix products of all sizes against plain loops.
 */
#include <math.h>
#include <string.h>

#include "scarce.h"
#include "tap.h"
#include "tensor/network/example.h"
#include "tensor/network/example_batch.h"

#define EXAMPLES 5
#define MAX_SIZE 8192

typedef struct Fixture
{
	DpsArena   *arena;
	DpsTensorGraph *g;
	const DpsTensor *x;
	const DpsTensor *y;
} Fixture;

static uint64_t noise_state = 20260402;

static double
any_number(void)
{
	noise_state = noise_state * 6364136223846793005u + 1442695040888963407u;
	return (double) (noise_state >> 11) * 0x1p-52 - 1;
}

static double numbers[2][EXAMPLES * MAX_SIZE];

static void
set_up(Fixture *f, DpsShape x, DpsShape y)
{
	if (dps_arena_init(&f->arena, &tap_host) != DPS_OK || dps_tensor_graph_init(&f->g, f->arena) != DPS_OK)
		abort();
	f->x = dps_tensor_input(f->g, "x", x);
	f->y = dps_tensor_input(f->g, "y", y);
}

/* The nodes of one example, by a plan for one. */
static void
run_one(const DpsSchedule *schedule, const Fixture *f, const bool *each, int example, double *result)
{
	const double *inputs[2] = {
		numbers[0] + (each[0] ? example * dps_tensor_size(f->x) : 0),
		numbers[1] + (each[1] ? example * dps_tensor_size(f->y) : 0)
	};
	double	   *workspace = malloc(sizeof(double) * (dps_schedule_workspace(schedule) + 1));

	memset(workspace, 0xff, sizeof(double) * dps_schedule_workspace(schedule));
	if (dps_schedule_run(schedule, inputs, workspace, &result) != DPS_OK)
		abort();
	free(workspace);
}

static bool
same_number(double a, double b)
{
	return a == b || (a != a && b != b) || fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

/* A node of all examples, and its sum, against the examples one by one. */
static void
compare(const char *name, const Fixture *f, const DpsTensor *node, const bool *each)
{
	static double got[EXAMPLES * MAX_SIZE];
	static double sum[MAX_SIZE];
	static double expected[EXAMPLES][MAX_SIZE];
	const DpsTensor *nodes[2] = {node, node};
	static const bool totals[2] = {false, true};
	static const bool total[1] = {true};
	const double *inputs[2] = {numbers[0], numbers[1]};
	double	   *outputs[2] = {got, sum};
	double	   *alone[1] = {sum};
	const DpsSchedule *one;
	const DpsSchedule *all;
	const DpsSchedule *only;
	double	   *workspace;
	int			size = (int) dps_tensor_size(node);
	int			wrong = 0;
	int			turn;
	int			e;
	int			i;

	if (!ok(dps_schedule_init(f->g, &node, 1, &one) == DPS_OK &&
			dps_schedule_init_examples(f->g, nodes, totals, 2, each, EXAMPLES, &all) == DPS_OK &&
			dps_schedule_init_examples(f->g, &node, total, 1, each, EXAMPLES, &only) == DPS_OK, "%s is planned", name))
		return;
	for (e = 0; e < EXAMPLES; e++)
		run_one(one, f, each, e, expected[e]);
	for (turn = 0; turn < 2; turn++)
	{
		const DpsSchedule *schedule = turn == 0 ? all : only;

		workspace = malloc(sizeof(double) * (dps_schedule_workspace(schedule) + 1));
		memset(workspace, 0xff, sizeof(double) * dps_schedule_workspace(schedule));
		if (dps_schedule_run_examples(schedule, EXAMPLES, inputs, workspace, turn == 0 ? outputs : alone, NULL) != DPS_OK)
			abort();
		free(workspace);
		for (i = 0; i < size; i++)
		{
			double		total_of_it = 0;

			for (e = 0; e < EXAMPLES; e++)
			{
				total_of_it += expected[e][i];
				wrong += turn == 0 && !same_number(got[e * size + i], expected[e][i]);
			}
			wrong += !same_number(sum[i], total_of_it);
		}
	}
	ok(wrong == 0, "%s of %d examples%s%s: %d differences", name, EXAMPLES, each[0] ? ", x of each" : "",
	   each[1] ? ", y of each" : "", wrong);
}

typedef const DpsTensor *(*Build) (Fixture *f);

typedef struct Case
{
	const char *name;
	DpsShape	x;
	DpsShape	y;
	Build		build;
} Case;

#define BUILD(name, node) \
static const DpsTensor * \
build_##name(Fixture *f) \
{ \
	DpsTensorGraph *g = f->g; \
	const DpsTensor *x = f->x; \
	const DpsTensor *y = f->y; \
	(void) y; \
	return node; \
}

BUILD(map, dps_tensor_map(g, DPS_OP_MUL, x, y))
BUILD(minus, dps_tensor_map(g, DPS_OP_SUB, x, y))
BUILD(sigmoid, dps_tensor_map(g, DPS_TENSOR_SIGMOID, x, NULL))
BUILD(shared, dps_tensor_map(g, DPS_OP_ADD, dps_tensor_map(g, DPS_OP_EXP, y, NULL), dps_tensor_map(g, DPS_TENSOR_RELU, x, NULL)))
BUILD(choose, dps_tensor_choose(g, dps_tensor_map(g, DPS_OP_GT, x, y), dps_tensor_map(g, DPS_OP_MUL, x, y), y))
BUILD(choose_scalar, dps_tensor_choose(g, dps_tensor_map(g, DPS_OP_GT, x, y), dps_tensor_constant(g, 2), y))
BUILD(matmul, dps_tensor_matmul(g, x, y, false, false))
BUILD(matmul_tn, dps_tensor_matmul(g, x, y, true, false))
BUILD(matmul_nt, dps_tensor_matmul(g, x, y, false, true))
BUILD(matmul_tt, dps_tensor_matmul(g, x, y, true, true))
BUILD(outer, dps_tensor_outer(g, x, y))
BUILD(dot, dps_tensor_dot(g, x, y))
BUILD(permute, dps_tensor_permute(g, x, (int[]) {2, 0, 1}))
BUILD(broadcast, dps_tensor_map(g, DPS_OP_ADD, dps_tensor_broadcast(g, x, DPS_IMAGE(3, 4, 2)), y))
BUILD(sum, dps_tensor_reduce(g, DPS_TENSOR_SUM, x, 2))
BUILD(sum_ends, dps_tensor_reduce(g, DPS_TENSOR_SUM, x, 5))
BUILD(total, dps_tensor_total(g, x))
BUILD(max, dps_tensor_reduce(g, DPS_TENSOR_MAX, x, 2))
BUILD(softmax, dps_tensor_softmax(g, x, 4))
BUILD(conv2d, dps_tensor_conv2d(g, x, y, 1, 0))
BUILD(conv2d_padded, dps_tensor_conv2d(g, x, y, 2, 1))
BUILD(depthwise, dps_tensor_depthwise_conv2d(g, x, y, 1, 1))
BUILD(fold, dps_tensor_fold(g, x, ((DpsWindow) {2, 2, 1, 1}), DPS_IMAGE(2, 3, 3)))
BUILD(average_pool, dps_tensor_average_pool(g, x, ((DpsWindow) {3, 2, 2, 1})))
BUILD(max_pool, dps_tensor_max_pool(g, x, ((DpsWindow) {3, 3, 2, 1})))
BUILD(reshaped_product, dps_tensor_reshape(g, dps_tensor_matmul(g, x, y, false, true), DPS_VECTOR(15)))

static const Case cases[] = {
	{"a product", DPS_MATRIX(3, 7), DPS_MATRIX(3, 7), build_map},
	{"a product of many", DPS_VECTOR(300), DPS_VECTOR(300), build_map},
	{"a product of one", DPS_VECTOR(1), DPS_VECTOR(1), build_map},
	{"a difference from a scalar", DPS_MATRIX(3, 7), {0, {0}}, build_minus},
	{"a scalar times many", {0, {0}}, DPS_VECTOR(300), build_map},
	{"a scalar and one", {0, {0}}, DPS_MATRIX(1, 1), build_minus},
	{"sigmoid", DPS_MATRIX(3, 7), {0, {0}}, build_sigmoid},
	{"what is the same for all", DPS_VECTOR(17), DPS_VECTOR(17), build_shared},
	{"a choice", DPS_MATRIX(3, 7), DPS_MATRIX(3, 7), build_choose},
	{"a choice of a scalar", DPS_MATRIX(3, 7), DPS_MATRIX(3, 7), build_choose_scalar},
	{"matrix product", DPS_MATRIX(5, 11), DPS_MATRIX(11, 9), build_matmul},
	{"matrix product, left transposed", DPS_MATRIX(11, 5), DPS_MATRIX(11, 9), build_matmul_tn},
	{"matrix product, right transposed", DPS_MATRIX(5, 11), DPS_MATRIX(9, 11), build_matmul_nt},
	{"matrix product, both transposed", DPS_MATRIX(11, 5), DPS_MATRIX(9, 11), build_matmul_tt},
	{"product of a row", DPS_MATRIX(1, 11), DPS_MATRIX(11, 9), build_matmul},
	{"product of a row with a column", DPS_MATRIX(1, 11), DPS_MATRIX(11, 1), build_matmul},
	{"product in another shape", DPS_MATRIX(3, 4), DPS_MATRIX(5, 4), build_reshaped_product},
	{"outer", DPS_VECTOR(25), DPS_VECTOR(8), build_outer},
	{"dot", DPS_MATRIX(3, 7), DPS_MATRIX(3, 7), build_dot},
	{"transpose", DPS_IMAGE(2, 3, 4), {0, {0}}, build_permute},
	{"broadcast", DPS_IMAGE(3, 1, 2), DPS_IMAGE(3, 4, 2), build_broadcast},
	{"sum over a middle axis", DPS_IMAGE(3, 4, 5), {0, {0}}, build_sum},
	{"sum over both ends", DPS_IMAGE(3, 4, 5), {0, {0}}, build_sum_ends},
	{"sum of everything", DPS_IMAGE(3, 4, 5), {0, {0}}, build_total},
	{"max", DPS_IMAGE(3, 4, 5), {0, {0}}, build_max},
	{"softmax", DPS_IMAGE(3, 4, 5), {0, {0}}, build_softmax},
	{"convolution", DPS_IMAGE(2, 5, 6), {4, {3, 2, 2, 3}}, build_conv2d},
	{"padded convolution", DPS_IMAGE(2, 5, 6), {4, {3, 2, 3, 3}}, build_conv2d_padded},
	{"depthwise convolution", DPS_IMAGE(2, 5, 6), DPS_IMAGE(2, 3, 2), build_depthwise},
	{"windows put back", DPS_MATRIX(8, 16), {0, {0}}, build_fold},
	{"average pooling", DPS_IMAGE(2, 6, 7), {0, {0}}, build_average_pool},
	{"max pooling", DPS_IMAGE(2, 6, 7), {0, {0}}, build_max_pool},
};

static void
fill(void)
{
	int			k;
	int			i;

	for (k = 0; k < 2; k++)
	{
		for (i = 0; i < EXAMPLES * MAX_SIZE; i++)
			numbers[k][i] = any_number();
	}
}

static void
test_operations(void)
{
	size_t		k;
	int			which;

	for (k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
	{
		for (which = 0; which < 4; which++)
		{
			bool		each[2] = {(which & 1) != 0, (which & 2) != 0};
			Fixture		f;
			const DpsTensor *node;

			set_up(&f, cases[k].x, cases[k].y);
			node = cases[k].build(&f);
			if (ok(node != NULL, "%s is built", cases[k].name))
				compare(cases[k].name, &f, node, each);
			dps_arena_clear(f.arena);
		}
	}
}

/* Sizes around those of tiles, strips and stretches. */
static void
test_products(void)
{
	static const int sizes[] = {1, 3, 4, 5, 8, 9, 63, 64, 65, 80};
	int			n = (int) (sizeof(sizes) / sizeof(sizes[0]));
	int			wrong = 0;
	int			products = 0;
	int			which;

	for (which = 0; which < n * n * n * 4; which++)
	{
		static double got[MAX_SIZE];
		double	   *outputs[1] = {got};
		const double *inputs[2] = {numbers[0], numbers[1]};
		int			m = sizes[which / 4 % n];
		int			k = sizes[which / 4 / n % n];
		int			w = sizes[which / 4 / n / n];
		bool		tx = which & 1;
		bool		ty = which & 2;
		Fixture		f;
		const DpsTensor *node;
		const DpsSchedule *schedule;
		double	   *workspace;
		int			i;
		int			j;
		int			p;

		set_up(&f, tx ? DPS_MATRIX(k, m) : DPS_MATRIX(m, k), ty ? DPS_MATRIX(w, k) : DPS_MATRIX(k, w));
		node = dps_tensor_matmul(f.g, f.x, f.y, tx, ty);
		if (dps_schedule_init(f.g, &node, 1, &schedule) != DPS_OK)
			abort();
		workspace = malloc(sizeof(double) * dps_schedule_workspace(schedule));
		if (dps_schedule_run(schedule, inputs, workspace, outputs) != DPS_OK)
			abort();
		for (i = 0; i < m; i++)
		{
			for (j = 0; j < w; j++)
			{
				double		sum = 0;

				for (p = 0; p < k; p++)
					sum += numbers[0][tx ? p * m + i : i * k + p] * numbers[1][ty ? j * k + p : p * w + j];
				wrong += !same_number(got[i * w + j], sum);
			}
		}
		products++;
		free(workspace);
		dps_arena_clear(f.arena);
	}
	ok(wrong == 0, "%d matrix products, %d elements wrong", products, wrong);
}

/*
 * Networks
 */

static DpsLayer
layer(const char *kind, int32_t size, DpsWindow window, const char *activation, DpsBias bias)
{
	DpsLayer	result = {.size = size, .window = window, .bias = bias};
	int			k;

	result.kind = dps_find_layer_kind(kind);
	result.activation = activation == NULL ? NULL : dps_find_activation(activation);
	for (k = 0; result.activation != NULL && k < result.activation->nnumbers; k++)
		result.numbers[k] = result.activation->numbers[k].value;
	return result;
}

#define NO_WINDOW ((DpsWindow) {0, 0, 0, 0})
#define EVERYTHING (DPS_BATCH_LOSSES | DPS_BATCH_NORMS | DPS_BATCH_GRADIENTS | DPS_BATCH_SUM)

static double
vector_error(const double *got, const double *expected, int64_t n)
{
	double		greatest = 1e-300;
	double		worst = 0;
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		greatest = fmax(greatest, fabs(expected[i]));
		if (!(fabs(got[i] - expected[i]) <= worst))
			worst = fabs(got[i] - expected[i]);
	}
	return worst / greatest;
}

static double
worse(double a, double b)
{
	return a <= b || b != b ? b : a;
}

/* All examples of a batch, and a part of them, against one by one. */
static void
check_network(const char *name, DpsNetworkPlan *plan, unsigned quantities)
{
	DpsArena   *arena;
	DpsNetwork *network;
	DpsExampleBatch *batch;
	DpsExample *example;
	DpsFault	fault;
	double	   *parameters;
	double	   *sum;
	double		worst = 0;
	int64_t		n;
	int64_t		e;
	int64_t		i;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK ||
		!ok(dps_network_init(plan, arena, &network, &fault) == DPS_OK &&
			dps_example_batch_init(network, quantities, EXAMPLES, &batch) == DPS_OK &&
			dps_example_init(network, DPS_EXAMPLE_LOSS | DPS_EXAMPLE_NORM | DPS_EXAMPLE_PARAMETER_GRADIENT, &example) == DPS_OK,
			"%s is planned for %d examples", name, EXAMPLES))
		return;
	parameters = malloc(sizeof(double) * (size_t) network->size);
	sum = malloc(sizeof(double) * (size_t) network->size);
	dps_network_initialise(network, 3, parameters);
	ok(batch->capacity == EXAMPLES, "%s: as many as asked for", name);
	for (i = 0; i < EXAMPLES * dps_tensor_size(network->features); i++)
		batch->features[i] = any_number();
	for (i = 0; i < EXAMPLES * dps_tensor_size(network->target); i++)
		batch->targets[i] = 0.5 + 0.5 * any_number();
	for (n = EXAMPLES; n > 0; n -= 3)
	{
		memset(sum, 0, sizeof(double) * (size_t) network->size);
		if (dps_example_batch_run(batch, parameters, n) != DPS_OK)
			abort();
		for (e = 0; e < n; e++)
		{
			if (dps_example_run(example, parameters, batch->features + e * dps_tensor_size(network->features),
								batch->targets + e * dps_tensor_size(network->target)) != DPS_OK)
				abort();
			for (i = 0; i < network->size; i++)
				sum[i] += example->parameter_gradient[i];
			if (batch->losses != NULL)
				worst = worse(worst, vector_error(&batch->losses[e], &example->loss, 1));
			if (batch->norms != NULL)
				worst = worse(worst, vector_error(&batch->norms[e], &example->norm, 1));
			if (batch->gradients != NULL)
				worst = worse(worst, vector_error(batch->gradients + e * network->size, example->parameter_gradient, network->size));
		}
		if (batch->sum != NULL)
			worst = worse(worst, vector_error(batch->sum, sum, network->size));
	}
	ok(worst < 1e-12, "%s: losses, norms, gradients and their sum, within %.1e", name, worst);
	if (batch->sum != NULL)
	{
		memcpy(sum, batch->sum, sizeof(double) * (size_t) network->size);
		ok(dps_example_batch_run(batch, parameters, n + 3) == DPS_OK &&
		   memcmp(sum, batch->sum, sizeof(double) * (size_t) network->size) == 0, "%s: the same bits again", name);
	}
	ok(dps_example_batch_run(batch, parameters, EXAMPLES + 1) == DPS_UNABLE &&
	   dps_example_batch_run(batch, parameters, 0) == DPS_UNABLE, "%s: no more than there is room for, and not none", name);
	free(sum);
	free(parameters);
	dps_arena_clear(arena);
}

#define NEIGHBOURS 37

/*
 * What noise is for rests on this: the gradient of an example is the same bits
 * whatever other examples there are, how many, and where it stands among them.
 */
static void
check_independence(const char *name, DpsNetworkPlan *plan)
{
	DpsArena   *arena;
	DpsNetwork *network;
	DpsExampleBatch *batch;
	DpsFault	fault;
	double	   *parameters;
	double	   *alone;
	double	   *features;
	double	   *targets;
	int64_t		nfeatures;
	int64_t		ntargets;
	int64_t		n;
	int64_t		e;
	int			wrong = 0;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK ||
		!ok(dps_network_init(plan, arena, &network, &fault) == DPS_OK &&
			dps_example_batch_init(network, DPS_BATCH_GRADIENTS, NEIGHBOURS, &batch) == DPS_OK && batch->capacity > 1,
			"%s is planned for neighbours", name))
		return;
	nfeatures = dps_tensor_size(network->features);
	ntargets = dps_tensor_size(network->target);
	parameters = malloc(sizeof(double) * (size_t) network->size);
	alone = malloc(sizeof(double) * (size_t) network->size);
	features = malloc(sizeof(double) * (size_t) nfeatures);
	targets = malloc(sizeof(double) * (size_t) ntargets);
	dps_network_initialise(network, 5, parameters);
	for (e = 0; e < nfeatures; e++)
		features[e] = any_number();
	for (e = 0; e < ntargets; e++)
		targets[e] = 0.5 + 0.5 * any_number();
	memcpy(batch->features, features, sizeof(double) * (size_t) nfeatures);
	memcpy(batch->targets, targets, sizeof(double) * (size_t) ntargets);
	if (dps_example_batch_run(batch, parameters, 1) != DPS_OK)
		abort();
	memcpy(alone, batch->gradients, sizeof(double) * (size_t) network->size);
	for (n = 1; n <= batch->capacity; n++)
	{
		int64_t		at = (n * 7) % n + (n > 2 ? (n * 5) % (n - 1) : 0);

		for (e = 0; e < n * nfeatures; e++)
			batch->features[e] = any_number() * (e % 5 == 0 ? 1e6 : 1);
		for (e = 0; e < n * ntargets; e++)
			batch->targets[e] = 0.5 + 0.5 * any_number();
		memcpy(batch->features + at * nfeatures, features, sizeof(double) * (size_t) nfeatures);
		memcpy(batch->targets + at * ntargets, targets, sizeof(double) * (size_t) ntargets);
		if (dps_example_batch_run(batch, parameters, n) != DPS_OK)
			abort();
		wrong += memcmp(alone, batch->gradients + at * network->size, sizeof(double) * (size_t) network->size) != 0;
	}
	ok(wrong == 0, "%s: an example's gradient is the same bits beside up to %d others (%d are not)", name,
	   (int) batch->capacity - 1, wrong);
	free(features);
	free(targets);
	free(alone);
	free(parameters);
	dps_arena_clear(arena);
}

static uint64_t
any_of(uint64_t n)
{
	(void) any_number();
	return (noise_state >> 33) % n;
}

/*
 * Numbers whose sums depend on their order as much as they can: of all sizes, and
 * with the same number of the other sign among them.
 */
static void
fill_adversarially(double *x, int64_t n)
{
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		if (i > 0 && any_of(3) == 0)
			x[i] = -x[any_of((uint64_t) i)];
		else
			x[i] = ldexp(any_number(), (int) any_of(4) == 0 ? (int) any_of(60) - 10 : 0);
	}
}

/* Random networks, of dense layers or with a convolution before them. */
static void
make_network(DpsNetworkPlan *plan, DpsLayer *layers)
{
	static const char *const inner[] = {"linear", "linear", "relu", "softplus", "tanh"};
	bool		is_image = any_of(3) == 0;
	int			k;

	plan->input = is_image ? DPS_IMAGE(1 + (int) any_of(3), 4, 5) : DPS_VECTOR(1 + (int) any_of(70));
	plan->loss = dps_find_loss("huber");
	plan->numbers[0] = 1;
	plan->nlayers = 1 + (int) any_of(3);
	for (k = 0; k < plan->nlayers; k++)
		layers[k] = layer("dense", 1 + (int) any_of(any_of(2) ? 3 : 70), NO_WINDOW, inner[any_of(5)], (DpsBias) any_of(3));
	if (is_image)
		layers[0] = layer("conv2d", 1 + (int) any_of(5), (DpsWindow) {2, 3, 1, (int) any_of(2)}, inner[any_of(5)], (DpsBias) any_of(3));
}

/* NaN is no gradient, whichever it is. */
static bool
same_bits(const double *a, const double *b, int64_t n)
{
	int64_t		i;

	if (memcmp(a, b, sizeof(double) * (size_t) n) == 0)
		return true;
	for (i = 0; i < n; i++)
	{
		if (memcmp(&a[i], &b[i], sizeof(double)) != 0 && !(isnan(a[i]) && isnan(b[i])))
			return false;
	}
	return true;
}

#define RANDOM_NETWORKS 400

/* In how many batches is an example's gradient, norm or loss not the one that
 * it has alone?  *finite: in how many it is a number. */
static int
dependent_batches(DpsNetwork *network, DpsExampleBatch *batch, int *finite)
{
	int64_t		nfeatures = dps_tensor_size(network->features);
	int64_t		ntargets = dps_tensor_size(network->target);
	size_t		size = (size_t) network->size;
	double	   *parameters = malloc(sizeof(double) * size);
	double	   *alone = malloc(sizeof(double) * size);
	double	   *features = malloc(sizeof(double) * (size_t) nfeatures);
	double	   *targets = malloc(sizeof(double) * (size_t) ntargets);
	double		loss;
	double		norm;
	int			wrong = 0;
	int64_t		n;

	fill_adversarially(parameters, network->size);
	fill_adversarially(features, nfeatures);
	fill_adversarially(targets, ntargets);
	memcpy(batch->features, features, sizeof(double) * (size_t) nfeatures);
	memcpy(batch->targets, targets, sizeof(double) * (size_t) ntargets);
	if (dps_example_batch_run(batch, parameters, 1) != DPS_OK)
		abort();
	memcpy(alone, batch->gradients, sizeof(double) * size);
	loss = batch->losses[0];
	norm = batch->norms[0];
	*finite += isfinite(norm) && norm > 0;
	for (n = 1; n <= batch->capacity; n++)
	{
		int64_t		at = (int64_t) any_of((uint64_t) n);

		fill_adversarially(batch->features, n * nfeatures);
		fill_adversarially(batch->targets, n * ntargets);
		memcpy(batch->features + at * nfeatures, features, sizeof(double) * (size_t) nfeatures);
		memcpy(batch->targets + at * ntargets, targets, sizeof(double) * (size_t) ntargets);
		if (dps_example_batch_run(batch, parameters, n) != DPS_OK)
			abort();
		wrong += !same_bits(alone, batch->gradients + at * network->size, network->size) ||
			!same_bits(&loss, &batch->losses[at], 1) || !same_bits(&norm, &batch->norms[at], 1);
	}
	free(targets);
	free(features);
	free(alone);
	free(parameters);
	return wrong;
}

static void
test_random_networks(void)
{
	int			networks = 0;
	int			finite = 0;
	int			wrong = 0;
	int			k;

	for (k = 0; k < RANDOM_NETWORKS; k++)
	{
		uint64_t	seed = noise_state;
		DpsLayer	layers[4];
		DpsNetworkPlan plan = {.layers = layers};
		DpsArena   *arena;
		DpsNetwork *network;
		DpsExampleBatch *batch;
		DpsFault	fault;
		int			found;

		make_network(&plan, layers);
		if (dps_arena_init(&arena, &tap_host) != DPS_OK)
			abort();
		if (dps_network_init(&plan, arena, &network, &fault) == DPS_OK)
		{
			if (dps_example_batch_init(network, DPS_BATCH_GRADIENTS | DPS_BATCH_NORMS | DPS_BATCH_LOSSES, 13, &batch) != DPS_OK)
				abort();
			found = dependent_batches(network, batch, &finite);
			if (found > 0 && wrong == 0)
				diag("the first: %d layers, state %llu", plan.nlayers, (unsigned long long) seed);
			wrong += found;
			networks++;
		}
		dps_arena_clear(arena);
	}
	ok(networks > RANDOM_NETWORKS / 2 && finite > networks / 2, "%d random networks, %d with a gradient", networks, finite);
	ok(wrong == 0, "the gradient of an example is the same bits in every batch (%d batches in which it is not)", wrong);
}

static void
test_networks(void)
{
	static const char *const activations[] = {"linear", "sigmoid", "tempered_sigmoid", "tanh", "relu", "softplus", "gelu"};
	static const unsigned quantities[] = {EVERYTHING, DPS_BATCH_SUM, DPS_BATCH_NORMS, DPS_BATCH_GRADIENTS, DPS_BATCH_LOSSES};
	DpsLayer	layers[8];
	DpsNetworkPlan plan = {.layers = layers};
	size_t		k;

	for (k = 0; k < sizeof(activations) / sizeof(activations[0]); k++)
	{
		const char *a = activations[k];

		plan.input = DPS_IMAGE(2, 6, 6);
		plan.loss = dps_find_loss("categorical_cross_entropy");
		plan.nlayers = 6;
		layers[0] = layer("conv2d", 3, (DpsWindow) {3, 3, 1, 1}, a, DPS_BIAS_BEFORE);
		layers[1] = layer("max_pool", 0, (DpsWindow) {2, 2, 2, 0}, NULL, DPS_BIAS_NONE);
		layers[2] = layer("depthwise_conv2d", 0, (DpsWindow) {2, 2, 1, 0}, a, DPS_BIAS_BEFORE);
		layers[3] = layer("average_pool", 0, (DpsWindow) {2, 2, 1, 0}, NULL, DPS_BIAS_NONE);
		layers[4] = layer("dense", 4, NO_WINDOW, a, DPS_BIAS_AFTER);
		layers[5] = layer("dense", 3, NO_WINDOW, "softmax", DPS_BIAS_BEFORE);
		check_network(a, &plan, EVERYTHING);
		check_independence(a, &plan);
	}
	for (k = 0; k < sizeof(quantities) / sizeof(quantities[0]); k++)
	{
		plan.input = DPS_VECTOR(25);
		plan.loss = dps_find_loss("binary_cross_entropy");
		plan.nlayers = 2;
		layers[0] = layer("dense", 8, NO_WINDOW, "sigmoid", DPS_BIAS_BEFORE);
		layers[1] = layer("dense", 1, NO_WINDOW, "sigmoid", DPS_BIAS_BEFORE);
		check_network("25-8-1", &plan, quantities[k]);
	}
	check_independence("25-8-1", &plan);
	plan.loss = dps_find_loss("huber");
	plan.numbers[0] = 1;
	plan.nlayers = 1;
	layers[0] = layer("dense", 2, NO_WINDOW, "linear", DPS_BIAS_NONE);
	check_network("linear", &plan, EVERYTHING);
	check_independence("linear", &plan);
}

static void
test_failing_memory(void)
{
	DpsLayer	layers[2];
	DpsNetworkPlan plan = {.input = DPS_IMAGE(1, 9, 9), .nlayers = 2, .layers = layers};
	bool		succeeded = false;
	bool		wrong = false;
	int			failures = 0;
	int			n;

	plan.loss = dps_find_loss("categorical_cross_entropy");
	layers[0] = layer("conv2d", 3, (DpsWindow) {3, 3, 1, 1}, "gelu", DPS_BIAS_BEFORE);
	layers[1] = layer("dense", 30, NO_WINDOW, "softmax", DPS_BIAS_BEFORE);
	for (n = 0; n < 500 && !succeeded; n++)
	{
		Scarce		scarce = {.left = n};
		DpsHost		host = scarce_host(&scarce);
		DpsArena   *arena;
		DpsNetwork *network;
		DpsFault	fault;
		DpsExampleBatch *batch;
		DpsStatus	status;

		if (dps_arena_init(&arena, &host) != DPS_OK)
			continue;
		status = dps_network_init(&plan, arena, &network, &fault);
		if (status == DPS_OK)
			status = dps_example_batch_init(network, EVERYTHING, 100, &batch);
		succeeded = status == DPS_OK;
		failures += status == DPS_NOMEM;
		wrong |= status != DPS_OK && status != DPS_NOMEM;
		dps_arena_clear(arena);
		wrong |= scarce.held != 0;
	}
	ok(succeeded && !wrong && failures > 5, "every failed allocation is a status (%d tried)", failures);
}

int
main(void)
{
	fill();
	test_operations();
	test_products();
	test_networks();
	test_random_networks();
	test_failing_memory();
	return done_testing();
}
