/*
 * test_steepest.c
 *		Bounds on gradient norms: no example exceeds them, and they are worth
 *		something.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tensor/network/example.h"
#include "tensor/network/steepest.h"
#include "tensor/tensor_range.h"

#define MAX_PARAMETERS 2000
#define MAX_SIDES 256

static uint64_t state = 20261121;

/* Uniform on [0, 1). */
static double
uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double) (state >> 11) * 0x1p-53;
}

static DpsLayer
layer_of(const char *kind, int32_t size, DpsWindow window, const char *activation, DpsBias bias)
{
	DpsLayer	layer = {.size = size, .window = window, .bias = bias};

	layer.kind = dps_find_layer_kind(kind);
	if (activation == NULL)
		return layer;
	layer.activation = dps_find_activation(activation);
	for (int k = 0; k < layer.activation->nnumbers; k++)
		layer.numbers[k] = layer.activation->numbers[k].value;
	return layer;
}

#define DENSE(units, activation) layer_of("dense", units, (DpsWindow) {0, 0, 0, 0}, activation, DPS_BIAS_BEFORE)

typedef struct Case
{
	const char *name;
	DpsShape	input;
	const char *loss;
	bool		classes;
	double		worst;			/* the bound at points is at most this many times
								 * what some example has */
	DpsLayer	layers[5];
	int			nlayers;
} Case;

static Case cases[12];
static int	ncases;

static void
add_case(const char *name, DpsShape input, const char *loss, bool classes, double worst, int nlayers, const DpsLayer *layers)
{
	Case	   *c = &cases[ncases++];

	c->name = name;
	c->input = input;
	c->loss = loss;
	c->classes = classes;
	c->worst = worst;
	c->nlayers = nlayers;
	memcpy(c->layers, layers, sizeof(DpsLayer) * (size_t) nlayers);
}

#define LAYERS(...) (int) (sizeof((DpsLayer[]) {__VA_ARGS__}) / sizeof(DpsLayer)), (DpsLayer[]) {__VA_ARGS__}

static void
make_cases(void)
{
	DpsWindow	three = {3, 3, 1, 1};
	DpsWindow	two = {2, 2, 2, 0};

	add_case("logistic", DPS_VECTOR(6), "binary_cross_entropy", false, 1.2, LAYERS(DENSE(1, "sigmoid")));
	add_case("line", DPS_VECTOR(3), "half_squared", false, 1.5, LAYERS(DENSE(1, "linear")));
	add_case("2-3-1", DPS_VECTOR(2), "binary_cross_entropy", false, 1.5, LAYERS(DENSE(3, "sigmoid"), DENSE(1, "sigmoid")));
	add_case("25-8-1", DPS_VECTOR(25), "binary_cross_entropy", false, 3, LAYERS(DENSE(8, "sigmoid"), DENSE(1, "sigmoid")));
	add_case("tanh", DPS_VECTOR(3), "huber", false, 3, LAYERS(DENSE(4, "tanh"), DENSE(2, "linear")));
	add_case("relu", DPS_VECTOR(3), "squared", false, 5, LAYERS(DENSE(5, "relu"), DENSE(2, "linear")));
	add_case("classes", DPS_VECTOR(4), "categorical_cross_entropy", true, 3, LAYERS(DENSE(5, "tempered_sigmoid"), DENSE(3, "softmax")));
	add_case("softplus and gelu", DPS_VECTOR(3), "squared", false, 20, LAYERS(DENSE(4, "softplus"), DENSE(3, "gelu"), DENSE(1, "tanh")));
	add_case("image", DPS_IMAGE(1, 6, 6), "categorical_cross_entropy", true, 6,
			 LAYERS(layer_of("conv2d", 2, three, "sigmoid", DPS_BIAS_BEFORE), layer_of("average_pool", 0, two, NULL, DPS_BIAS_NONE),
					DENSE(3, "softmax")));
	add_case("greatest of windows", DPS_IMAGE(2, 4, 4), "binary_cross_entropy", false, 12,
			 LAYERS(layer_of("depthwise_conv2d", 0, three, "tanh", DPS_BIAS_AFTER), layer_of("max_pool", 0, two, NULL, DPS_BIAS_NONE),
					DENSE(1, "sigmoid")));
	add_case("softmax inside", DPS_VECTOR(3), "half_squared", false, 30, LAYERS(DENSE(3, "softmax"), DENSE(1, "linear")));
}

typedef struct Trial
{
	const Case *c;
	DpsArena   *arena;
	DpsNetwork *network;
	DpsExample *example;
	DpsSteepest *steepest;
	double		parameters[MAX_PARAMETERS];
	double		parameter_low[MAX_PARAMETERS];
	double		parameter_high[MAX_PARAMETERS];
	double		low[MAX_SIDES];
	double		high[MAX_SIDES];
	DpsExampleBox box;
	double		greatest;		/* norm seen */
} Trial;

static bool
begin(Trial *t, const Case *c)
{
	DpsNetworkPlan plan = {.input = c->input, .nlayers = c->nlayers, .layers = (DpsLayer *) (uintptr_t) c->layers};
	DpsFault	fault;

	memset(t, 0, sizeof(*t));
	t->c = c;
	plan.loss = dps_find_loss(c->loss);
	if (plan.loss->nnumbers > 0)
		plan.numbers[0] = plan.loss->numbers[0].value;
	return dps_arena_init(&t->arena, &tap_host) == DPS_OK &&
		dps_network_init(&plan, t->arena, &t->network, &fault) == DPS_OK &&
		t->network->size <= MAX_PARAMETERS &&
		dps_example_init(t->network, DPS_EXAMPLE_NORM | DPS_EXAMPLE_NORM_GRADIENT, &t->example) == DPS_OK &&
		dps_steepest_init(t->network, &t->steepest) == DPS_OK;
}

/* An example's norm at parameters within the box. */
static double
norm_at(Trial *t, const double *features, const double *target)
{
	if (dps_example_run(t->example, t->parameters, features, target) != DPS_OK)
		return INFINITY;
	if (t->example->norm > t->greatest)
		t->greatest = t->example->norm;
	return t->example->norm;
}

static void
choose_parameters(Trial *t, bool extreme)
{
	for (int64_t i = 0; i < t->network->size; i++)
		t->parameters[i] = t->parameter_low[i] == t->parameter_high[i] ? t->parameter_low[i] :
			extreme ? (uniform() < 0.5 ? t->parameter_low[i] : t->parameter_high[i]) :
			t->parameter_low[i] + uniform() * (t->parameter_high[i] - t->parameter_low[i]);
}

static void
choose_target(Trial *t, bool extreme, double *target)
{
	int64_t		n = dps_tensor_size(t->network->target);
	int64_t		class = (int64_t) (uniform() * (double) n);

	for (int64_t i = 0; i < n; i++)
		target[i] = t->c->classes ? i == class :
			t->box.target_low + (extreme ? uniform() < 0.5 : uniform()) * (t->box.target_high - t->box.target_low);
}

/* Random examples, corners, and ascent along the norm's own gradient. */
static void
attack(Trial *t, int trials)
{
	int64_t		n = dps_tensor_size(t->network->features);
	double		features[MAX_SIDES];
	double		target[MAX_SIDES];

	for (int k = 0; k < trials; k++)
	{
		choose_parameters(t, k % 2);
		choose_target(t, k % 3 != 0, target);
		for (int64_t i = 0; i < n; i++)
			features[i] = t->low[i] + (k % 4 < 2 ? uniform() : uniform() < 0.5) * (t->high[i] - t->low[i]);
		for (int step = 0; step < 12; step++)
		{
			double		before = norm_at(t, features, target);

			for (int64_t i = 0; i < n; i++)
			{
				double		move = t->example->norm_squared_gradient[i] > 0 ? 1 : -1;

				features[i] = fmin(fmax(features[i] + move * (t->high[i] - t->low[i]) / (1 << (step / 2)), t->low[i]), t->high[i]);
			}
			if (!(before < INFINITY))
				break;
		}
		(void) norm_at(t, features, target);
	}
}

static DpsSteepness
find(Trial *t, int boxes, double tolerance)
{
	DpsSteepness steepness = {-1, -1, -1};

	if (dps_steepest_find(t->steepest, &t->box, boxes, tolerance, &steepness) != DPS_OK)
		steepness.upper = NAN;
	return steepness;
}

static void
test_case(const Case *c)
{
	Trial	   *t = malloc(sizeof(Trial));
	bool		below = true;
	bool		attained = true;
	bool		better = true;
	double		ratio = 0;

	if (!ok(begin(t, c), "%s: a network", c->name))
		return;
	for (int round = 0; round < 8; round++)
	{
		bool		points = round % 2 == 0;
		int64_t		n = dps_tensor_size(t->network->features);
		DpsSteepness quick;
		DpsSteepness searched;

		dps_network_initialise(t->network, (uint64_t) round + 1, t->parameters);
		for (int64_t i = 0; i < t->network->size; i++)
		{
			double		value = t->parameters[i] * (round < 4 ? 1 : 3);

			t->parameter_low[i] = points ? value : -1.0 - round;
			t->parameter_high[i] = points ? value : 1.0 + round;
		}
		for (int64_t i = 0; i < n; i++)
		{
			t->low[i] = round % 4 < 2 ? 0 : -2 * uniform();
			t->high[i] = t->low[i] + 0.1 + (round % 4 < 2 ? 0.9 : 2 * uniform());
		}
		t->box = (DpsExampleBox) {t->low, t->high, 0, 1, c->classes, t->parameter_low, t->parameter_high};
		t->greatest = 0;
		quick = find(t, 1, 0.01);
		searched = find(t, points ? 120 : 20, 0.01);
		attack(t, 60);
		below &= t->greatest <= searched.upper && t->greatest <= quick.upper;
		better &= searched.upper <= quick.upper;
		attained &= searched.lower <= searched.upper;
		if (points && round == 0)
			ratio = searched.upper / t->greatest;
	}
	ok(below, "%s: no example exceeds its bound", c->name);
	ok(better && attained, "%s: a search only improves it", c->name);
	ok(ratio >= 1 && ratio <= c->worst, "%s: it is %.3g times what an example has", c->name, ratio);
	dps_arena_clear(t->arena);
	free(t);
}

/* One layer, whatever its weights: |p - y| is at most 1, and a class is hit or not. */
static void
test_known(void)
{
	Trial	   *t = malloc(sizeof(Trial));
	double		middle;

	for (int k = 0; k < 2; k++)
	{
		Case		c = cases[0];
		double		most;

		if (k == 1)
		{
			c.loss = "categorical_cross_entropy";
			c.classes = true;
			c.layers[0] = DENSE(4, "softmax");
		}
		if (!begin(t, &c))
			abort();
		for (int i = 0; i < 6; i++)
			t->high[i] = 1;
		for (int64_t i = 0; i < t->network->size; i++)
		{
			t->parameter_low[i] = -INFINITY;
			t->parameter_high[i] = INFINITY;
		}
		t->box = (DpsExampleBox) {t->low, t->high, 0, 1, c.classes, t->parameter_low, t->parameter_high};
		most = k == 0 ? sqrt(7) : sqrt(7 * 4);
		middle = find(t, 1, 0.01).upper;
		if (!ok(fabs(middle / most - 1) < 1e-9, "known in advance, whatever the weights, %s", c.loss))
			diag("%.17g instead of %.17g", middle, most);
		dps_arena_clear(t->arena);
	}
	/* two layers need them */
	if (!begin(t, &cases[2]))
		abort();
	t->high[0] = t->high[1] = 1;
	for (int64_t i = 0; i < t->network->size; i++)
	{
		t->parameter_low[i] = -INFINITY;
		t->parameter_high[i] = INFINITY;
	}
	t->box = (DpsExampleBox) {t->low, t->high, 0, 1, false, t->parameter_low, t->parameter_high};
	ok(find(t, 1, 0.01).upper == INFINITY, "two layers with any weights have none");
	for (int64_t i = 0; i < t->network->size; i++)
	{
		t->parameter_low[i] = -2;
		t->parameter_high[i] = 2;
	}
	/* 2-3-1: the output layer sqrt(1 + 3), the first 3 units of 2 / 4 times sqrt(3) */
	middle = find(t, 1, 0.01).upper;
	if (!ok(fabs(middle / sqrt(1 + 3 + 3 * 3 * 0.25) - 1) < 0.003, "with weights up to 2 it is that of the activations"))
		diag("%.17g", middle);
	/* a tight search: one number in, one out */
	middle = find(t, 400, 0.01).upper;
	ok(middle < sqrt(1 + 3 + 3 * 3 * 0.25), "a search over weights improves it");
	dps_arena_clear(t->arena);
	free(t);
}

int
main(void)
{
	make_cases();
	for (int i = 0; i < ncases; i++)
		test_case(&cases[i]);
	test_known();
	return done_testing();
}
