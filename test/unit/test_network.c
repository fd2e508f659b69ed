/*
 * test_network.c
 *		Networks and the quantities of one example: reference values, convolutional
 *		networks and losses that match gradients against central differences,
 *		refusals, failing allocations.
 */
#include <math.h>
#include <string.h>

#include "reference_networks.h"
#include "scarce.h"
#include "tap.h"
#include "tensor/network/example.h"
#include "tensor/network/matching.h"

#define TOLERANCE 1e-9
#define EVERYTHING (DPS_EXAMPLE_PREDICTION | DPS_EXAMPLE_LOSS | DPS_EXAMPLE_NORM | DPS_EXAMPLE_INPUT_GRADIENT | \
	DPS_EXAMPLE_NORM_GRADIENT | DPS_EXAMPLE_PARAMETER_GRADIENT)

static DpsLayer
dense(int32_t units, const char *activation, DpsBias bias)
{
	DpsLayer	layer = {.size = units, .bias = bias};

	layer.kind = dps_find_layer_kind("dense");
	layer.activation = dps_find_activation(activation);
	return layer;
}

static DpsLayer
windowed(const char *kind, int32_t filters, DpsWindow window, const char *activation)
{
	DpsLayer	layer = {.size = filters, .window = window};

	layer.kind = dps_find_layer_kind(kind);
	layer.activation = activation == NULL ? NULL : dps_find_activation(activation);
	return layer;
}

typedef struct Plan
{
	DpsNetworkPlan plan;
	DpsLayer	layers[8];
} Plan;

static void
set_plan(Plan *p, DpsShape input, const char *loss)
{
	memset(p, 0, sizeof(*p));
	p->plan.input = input;
	p->plan.layers = p->layers;
	p->plan.loss = dps_find_loss(loss);
	if (p->plan.loss->nnumbers > 0)
		p->plan.numbers[0] = p->plan.loss->numbers[0].value;
}

static void
add_layer(Plan *p, DpsLayer layer)
{
	int			k;

	for (k = 0; layer.activation != NULL && k < layer.activation->nnumbers; k++)
		layer.numbers[k] = layer.activation->numbers[k].value;
	p->layers[p->plan.nlayers++] = layer;
}

static void
set_reference_plan(Plan *p, ReferenceNetwork network, int nfeatures)
{
	set_plan(p, DPS_VECTOR(nfeatures), network == LINEAR ? "half_squared" : "binary_cross_entropy");
	if (network == NET_25_8_1)
		add_layer(p, dense(8, "sigmoid", DPS_BIAS_AFTER));
	if (network == NET_25_8_8_1)
	{
		add_layer(p, dense(8, "sigmoid", DPS_BIAS_BEFORE));
		add_layer(p, dense(8, "sigmoid", DPS_BIAS_BEFORE));
	}
	add_layer(p, dense(1, network == LINEAR ? "linear" : "sigmoid",
					   network == NET_25_8_1 ? DPS_BIAS_NONE : DPS_BIAS_BEFORE));
}

static double
relative_error(double got, double expected)
{
	return fabs(got - expected) / fmax(fabs(expected), 1e-12);
}

/* Of vectors, relative to the greatest entry. */
static double
vector_error(const double *got, const double *expected, int n, double factor)
{
	double		greatest = 0;
	double		worst = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		error = fabs(got[i] * factor - expected[i]);

		greatest = fmax(greatest, fabs(expected[i]));
		if (!(error <= worst))
			worst = error;
	}
	return worst / greatest;
}

static void
check_reference(const ReferenceExample *r)
{
	Plan		p;
	DpsArena   *arena;
	DpsNetwork *network;
	DpsFault	fault;
	DpsExample *e;
	DpsFisher  *fisher;
	int			n = r->nfeatures;

	set_reference_plan(&p, r->network, n);
	if (dps_arena_init(&arena, &tap_host) != DPS_OK ||
		!ok(dps_network_init(&p.plan, arena, &network, &fault) == DPS_OK, "%s: network", r->name) ||
		!ok(dps_example_init(network, EVERYTHING, &e) == DPS_OK && dps_fisher_init(network, &fisher) == DPS_OK &&
			dps_example_run(e, r->parameters, r->features, &r->target) == DPS_OK &&
			dps_fisher_run(fisher, r->parameters, r->features, &r->target) == DPS_OK, "%s: quantities", r->name))
		return;
	ok(relative_error(e->prediction[0], r->prediction) < TOLERANCE, "%s: prediction", r->name);
	ok(relative_error(e->loss, r->loss) < TOLERANCE, "%s: loss", r->name);
	ok(relative_error(e->norm_squared, r->norm_squared) < TOLERANCE, "%s: squared norm of the gradient", r->name);
	ok(relative_error(e->full_norm, r->full_norm) < TOLERANCE, "%s: norm of the gradient by everything", r->name);
	ok(vector_error(e->norm_squared_gradient, r->plis, n, 1) < TOLERANCE, "%s: PLIS", r->name);
	ok(vector_error(e->norm_squared_gradient, r->partial, n, 1 / (2 * e->norm)) < TOLERANCE, "%s: partial sensitivity", r->name);
	ok(vector_error(e->input_gradient, r->normalized, n, 1 / e->full_norm) < TOLERANCE, "%s: normalised gradient", r->name);
	ok(relative_error(fisher->trace, r->fisher_trace) < TOLERANCE, "%s: trace of the Fisher information", r->name);
	ok(relative_error(fisher->root, r->fisher_root) < TOLERANCE, "%s: Fisher information loss", r->name);
	{
		double		sum = 0;
		int64_t		i;

		for (i = 0; i < network->size; i++)
			sum += e->parameter_gradient[i] * e->parameter_gradient[i];
		ok(relative_error(sum, r->norm_squared) < TOLERANCE, "%s: gradient by the parameters", r->name);
	}
	dps_arena_clear(arena);
}

/*
 * Against central differences
 */

#define MAX_PARAMETERS 4000
#define MAX_FEATURES 128

typedef struct Trial
{
	DpsArena   *arena;
	DpsNetwork *network;
	DpsExample *example;
	double		parameters[MAX_PARAMETERS];
	double		features[MAX_FEATURES];
	double		target[MAX_FEATURES];
} Trial;

static double
loss_at(Trial *t, double *norm_squared)
{
	if (dps_example_run(t->example, t->parameters, t->features, t->target) != DPS_OK)
		return NAN;
	*norm_squared = t->example->norm_squared;
	return t->example->loss;
}

/* The errors of a derivative by one number of the loss, and of the squared
 * norm if it is a feature. */
static void
compare_differences(Trial *t, double *at, double by_loss, const double *by_norm, double *worst)
{
	const double step = 1e-5;
	double		middle = *at;
	double		norm[2];
	double		loss[2];
	double		error;

	*at = middle + step;
	loss[1] = loss_at(t, &norm[1]);
	*at = middle - step;
	loss[0] = loss_at(t, &norm[0]);
	*at = middle;
	error = fabs((loss[1] - loss[0]) / (2 * step) - by_loss) / (1 + fabs(by_loss));
	if (!(error <= worst[0]))
		worst[0] = error;
	if (by_norm == NULL)
		return;
	error = fabs((norm[1] - norm[0]) / (2 * step) - *by_norm) / (1 + fabs(*by_norm));
	if (!(error <= worst[1]))
		worst[1] = error;
}

static void
check_network(const char *name, const Plan *p)
{
	static Trial t;
	static double gradient[MAX_PARAMETERS];
	double		by_features[MAX_FEATURES];
	double		norm_by_features[MAX_FEATURES];
	double		worst[2] = {0, 0};
	DpsFault	fault;
	int			n;
	int			i;

	if (dps_arena_init(&t.arena, &tap_host) != DPS_OK ||
		!ok(dps_network_init(&p->plan, t.arena, &t.network, &fault) == DPS_OK &&
			dps_example_init(t.network, EVERYTHING, &t.example) == DPS_OK, "%s: network", name))
		return;
	n = t.example->nfeatures;
	dps_network_initialise(t.network, 7, t.parameters);
	for (i = 0; i < t.network->size; i++)
		t.parameters[i] += 0.05 * sin(3.0 * i);
	for (i = 0; i < n; i++)
		t.features[i] = 0.5 + 0.5 * sin(1.3 * i + 0.4);
	for (i = 0; i < t.example->noutputs; i++)
		t.target[i] = i == 1 || t.example->noutputs == 1;
	if (dps_example_run(t.example, t.parameters, t.features, t.target) != DPS_OK)
		abort();
	memcpy(gradient, t.example->parameter_gradient, sizeof(double) * (size_t) t.network->size);
	memcpy(by_features, t.example->input_gradient, sizeof(double) * n);
	memcpy(norm_by_features, t.example->norm_squared_gradient, sizeof(double) * n);
	for (i = 0; i < t.network->size; i++)
		compare_differences(&t, &t.parameters[i], gradient[i], NULL, worst);
	for (i = 0; i < n; i++)
		compare_differences(&t, &t.features[i], by_features[i], &norm_by_features[i], worst);
	ok(worst[0] < 1e-8, "%s: gradients by %d parameters and %d features, within %.1e", name, (int) t.network->size, n, worst[0]);
	ok(worst[1] < 1e-6, "%s: gradient of the squared norm, within %.1e", name, worst[1]);
	dps_arena_clear(t.arena);
}

static void
test_networks(void)
{
	static const char *const activations[] = {"linear", "sigmoid", "tempered_sigmoid", "tanh", "relu", "softplus", "gelu"};
	size_t		a;
	Plan		p;

	for (a = 0; a < sizeof(activations) / sizeof(activations[0]); a++)
	{
		set_plan(&p, DPS_IMAGE(2, 6, 6), "categorical_cross_entropy");
		add_layer(&p, windowed("conv2d", 3, (DpsWindow) {3, 3, 1, 1}, activations[a]));
		add_layer(&p, windowed("max_pool", 0, (DpsWindow) {2, 2, 2, 0}, NULL));
		add_layer(&p, windowed("depthwise_conv2d", 0, (DpsWindow) {2, 2, 1, 0}, activations[a]));
		add_layer(&p, windowed("average_pool", 0, (DpsWindow) {2, 2, 1, 0}, NULL));
		add_layer(&p, dense(4, activations[a], DPS_BIAS_AFTER));
		add_layer(&p, dense(3, "softmax", DPS_BIAS_BEFORE));
		check_network(activations[a], &p);
	}
	set_plan(&p, DPS_VECTOR(5), "huber");
	add_layer(&p, dense(4, "gelu", DPS_BIAS_NONE));
	add_layer(&p, dense(2, "linear", DPS_BIAS_BEFORE));
	check_network("huber", &p);
	set_plan(&p, DPS_VECTOR(5), "squared");
	add_layer(&p, dense(3, "softmax", DPS_BIAS_AFTER));
	check_network("squared", &p);
	set_plan(&p, DPS_VECTOR(5), "categorical_cross_entropy");
	add_layer(&p, dense(3, "sigmoid", DPS_BIAS_BEFORE));
	check_network("categorical cross-entropy of other activations", &p);
}

/*
 * Losses that match gradients
 */

static double
matching_at(Trial *t, DpsMatching *m, const double *given)
{
	return dps_matching_run(m, t->parameters, t->features, t->target, given) == DPS_OK ? m->loss : NAN;
}

/* The worst error of the gradient by the features, beside differences of the loss. */
static double
matching_error(Trial *t, DpsMatching *m, const double *given)
{
	const double step = 1e-5;
	double		gradient[MAX_FEATURES];
	double		worst = 0;
	int			i;

	(void) matching_at(t, m, given);
	memcpy(gradient, m->feature_gradient, sizeof(double) * m->nfeatures);
	for (i = 0; i < m->nfeatures; i++)
	{
		double		middle = t->features[i];
		double		above;
		double		error;

		t->features[i] = middle + step;
		above = matching_at(t, m, given);
		t->features[i] = middle - step;
		error = fabs((above - matching_at(t, m, given)) / (2 * step) - gradient[i]) / (1 + fabs(gradient[i]));
		t->features[i] = middle;
		if (!(error <= worst))
			worst = error;
	}
	return worst;
}

/* The loss from the two gradients themselves. */
static double
plain_matching(const char *kind, const double *gradient, const double *given, int64_t n)
{
	double		dot = 0;
	double		squares[2] = {0, 0};
	double		distance = 0;
	int64_t		i;

	for (i = 0; i < n; i++)
	{
		dot += gradient[i] * given[i];
		squares[0] += gradient[i] * gradient[i];
		squares[1] += given[i] * given[i];
		distance += (gradient[i] - given[i]) * (gradient[i] - given[i]);
	}
	return strcmp(kind, "squared") == 0 ? distance : 1 - dot / sqrt(squares[0] * squares[1]);
}

static void
check_matching(const char *name, const Plan *p, const DpsMatchingKind *kind)
{
	static Trial t;
	static double given[MAX_PARAMETERS];
	DpsMatching *m;
	DpsFault	fault;
	double		error;
	int			i;

	if (dps_arena_init(&t.arena, &tap_host) != DPS_OK ||
		!ok(dps_network_init(&p->plan, t.arena, &t.network, &fault) == DPS_OK &&
			dps_example_init(t.network, DPS_EXAMPLE_PARAMETER_GRADIENT, &t.example) == DPS_OK &&
			dps_matching_init(t.network, kind, &m) == DPS_OK, "%s, %s: network", name, kind->name))
		return;
	dps_network_initialise(t.network, 7, t.parameters);
	for (i = 0; i < m->nfeatures; i++)
		t.features[i] = 0.5 + 0.5 * sin(1.3 * i + 0.4);
	for (i = 0; i < t.example->noutputs; i++)
		t.target[i] = i == 1 || t.example->noutputs == 1;
	if (dps_example_run(t.example, t.parameters, t.features, t.target) != DPS_OK)
		abort();
	memcpy(given, t.example->parameter_gradient, sizeof(double) * (size_t) t.network->size);
	ok(fabs(matching_at(&t, m, given)) < 1e-12, "%s, %s: a gradient matches itself", name, kind->name);
	for (i = 0; i < t.network->size; i++)
		given[i] += 0.2 * cos(2.1 * i);
	error = fabs(matching_at(&t, m, given) - plain_matching(kind->name, t.example->parameter_gradient, given, t.network->size));
	ok(error < 1e-11, "%s, %s: the loss, within %.1e", name, kind->name, error);
	error = matching_error(&t, m, given);
	ok(error < 1e-6, "%s, %s: its gradient by %d features, within %.1e", name, kind->name, m->nfeatures, error);
	dps_arena_clear(t.arena);
}

static void
test_matching(void)
{
	Plan		p;
	int			k;

	for (k = 0; k < DPS_MATCHING_KINDS; k++)
	{
		set_plan(&p, DPS_IMAGE(1, 6, 6), "categorical_cross_entropy");
		add_layer(&p, windowed("conv2d", 3, (DpsWindow) {3, 3, 1, 1}, "gelu"));
		add_layer(&p, windowed("max_pool", 0, (DpsWindow) {2, 2, 2, 0}, NULL));
		add_layer(&p, dense(3, "softmax", DPS_BIAS_BEFORE));
		check_matching("a convolutional network", &p, &dps_matching_kinds[k]);
		set_plan(&p, DPS_VECTOR(5), "half_squared");
		add_layer(&p, dense(1, "linear", DPS_BIAS_BEFORE));
		check_matching("a linear model", &p, &dps_matching_kinds[k]);
		set_plan(&p, DPS_VECTOR(5), "squared");
		add_layer(&p, dense(4, "tanh", DPS_BIAS_AFTER));
		add_layer(&p, dense(2, "tempered_sigmoid", DPS_BIAS_NONE));
		check_matching("two layers", &p, &dps_matching_kinds[k]);
	}
}

/*
 * Refusals, names, initial values
 */

static void
check_refusal(const Plan *p, int layer, const char *reason)
{
	DpsArena   *arena;
	DpsNetwork *network;
	DpsFault	fault;
	DpsStatus	status;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		abort();
	status = dps_network_init(&p->plan, arena, &network, &fault);
	ok(status == DPS_DOMAIN && fault.layer == layer && strstr(fault.reason, reason) != NULL, "refused: %s", reason);
	if (status != DPS_DOMAIN || strstr(fault.reason, reason) == NULL)
		diag("%s, layer %d: %s", dps_status_name(status), fault.layer, status == DPS_DOMAIN ? fault.reason : "");
	dps_arena_clear(arena);
}

static void
test_refusals(void)
{
	Plan		p;

	set_plan(&p, DPS_VECTOR(5), "squared");
	add_layer(&p, dense(3, "relu", DPS_BIAS_BEFORE));
	add_layer(&p, windowed("conv2d", 3, (DpsWindow) {3, 3, 1, 1}, "relu"));
	check_refusal(&p, 1, "needs an image");
	set_plan(&p, DPS_IMAGE(1, 5, 5), "squared");
	add_layer(&p, windowed("conv2d", 3, (DpsWindow) {6, 3, 1, 0}, "relu"));
	check_refusal(&p, 0, "larger than the image");
	p.layers[0].window = (DpsWindow) {3, 3, 1, 3};
	check_refusal(&p, 0, "padding");
	set_plan(&p, DPS_VECTOR(100000), "squared");
	add_layer(&p, dense(100000, "relu", DPS_BIAS_BEFORE));
	check_refusal(&p, 0, "too many parameters");
	set_plan(&p, DPS_IMAGE(50000, 50000, 1), "squared");
	add_layer(&p, dense(1, "relu", DPS_BIAS_BEFORE));
	check_refusal(&p, -1, "input that is too large");
	set_plan(&p, DPS_IMAGE(1, 8000, 8000), "squared");
	add_layer(&p, windowed("conv2d", 100, (DpsWindow) {7, 7, 1, 3}, "relu"));
	check_refusal(&p, 0, "too large");
	set_plan(&p, DPS_VECTOR(5), "categorical_cross_entropy");
	add_layer(&p, dense(1, "sigmoid", DPS_BIAS_BEFORE));
	check_refusal(&p, -1, "one output");
	ok(dps_find_activation("swish") == NULL && dps_find_loss("") == NULL && dps_find_layer_kind("Dense") == NULL,
	   "unknown names are not found");
}

static void
test_initial_values(void)
{
	static double first[1000];
	static double second[1000];
	Plan		p;
	DpsArena   *arena;
	DpsNetwork *network;
	DpsFault	fault;
	double		limit = sqrt(6.0 / 33);
	bool		inside = true;
	double		squares = 0;
	int			i;

	set_reference_plan(&p, NET_25_8_8_1, 25);
	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_network_init(&p.plan, arena, &network, &fault) != DPS_OK)
		abort();
	ok(network->size == 25 * 8 + 8 + 8 * 8 + 8 + 8 + 1, "parameters are counted");
	ok(network->nparameters == 6 && strcmp(network->parameters[2].name, "layer2.weights") == 0 &&
	   network->parameters[2].offset == 208, "and named");
	dps_network_initialise(network, 1, first);
	dps_network_initialise(network, 1, second);
	ok(memcmp(first, second, sizeof(double) * (size_t) network->size) == 0, "a seed means the same values");
	dps_network_initialise(network, 2, second);
	ok(first[0] != second[0], "another seed means others");
	for (i = 0; i < 200; i++)
	{
		inside &= fabs(first[i]) <= limit;
		squares += first[i] * first[i] / 200;
	}
	ok(inside && squares > 0.25 * limit * limit && squares < 0.42 * limit * limit, "weights have Glorot's variance");
	for (i = 200; i < 208; i++)
		inside &= first[i] == 0;
	ok(inside, "biases begin at 0");
	dps_arena_clear(arena);
}

/* Where the gradient vanishes, and where numbers overflow. */
static void
test_edges(void)
{
	static const double zero[6] = {0};
	static const double x[5] = {1, 2, 3, 4, 5};
	static const double large[5] = {1e120, -2e120, 3e120, 0, 1};
	static const double far[5] = {1e200, 1e200, 0, 0, 0};
	static const double parameters[6] = {1, 1, 1, 1, 1, 0};
	const double y = 0;
	Plan		p;
	DpsArena   *arena;
	DpsNetwork *network;
	DpsFault	fault;
	DpsExample *e;
	DpsFisher  *fisher;

	set_reference_plan(&p, LINEAR, 5);
	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_network_init(&p.plan, arena, &network, &fault) != DPS_OK ||
		dps_example_init(network, EVERYTHING, &e) != DPS_OK || dps_fisher_init(network, &fisher) != DPS_OK)
		abort();
	ok(dps_example_run(e, zero, x, &y) == DPS_OK && e->norm == 0 && e->norm_squared_gradient[0] == 0,
	   "no error, no gradient, and no gradient of it");
	ok(dps_example_run(e, parameters, far, &y) == DPS_OK && isnan(e->loss) && isnan(e->norm), "overflow is NaN");
	ok(dps_fisher_run(fisher, parameters, far, &y) == DPS_OK && isnan(fisher->root), "also in the Fisher information");
	ok(dps_fisher_run(fisher, parameters, large, &y) == DPS_OK && fisher->root * fisher->root <= fisher->trace * (1 + 1e-12) &&
	   fisher->root * fisher->root >= fisher->trace / 5, "large numbers do not disturb it");
	ok(dps_fisher_run(fisher, zero, zero, &y) == DPS_OK && fisher->root == 0 && fisher->trace == 0, "nor does nothing at all");
	dps_arena_clear(arena);
	set_plan(&p, DPS_VECTOR(DPS_MAX_FISHER_FEATURES + 1), "squared");
	add_layer(&p, dense(1, "linear", DPS_BIAS_BEFORE));
	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_network_init(&p.plan, arena, &network, &fault) != DPS_OK)
		abort();
	ok(dps_fisher_init(network, &fisher) == DPS_UNABLE, "a Fisher information of too many features is refused");
	dps_arena_clear(arena);
}

static void
test_failing_memory(void)
{
	Plan		p;
	int			n;
	int			failures = 0;
	bool		wrong = false;
	bool		succeeded = false;

	set_plan(&p, DPS_IMAGE(1, 6, 6), "categorical_cross_entropy");
	add_layer(&p, windowed("conv2d", 3, (DpsWindow) {3, 3, 1, 1}, "gelu"));
	add_layer(&p, windowed("max_pool", 0, (DpsWindow) {2, 2, 2, 0}, NULL));
	add_layer(&p, dense(3, "softmax", DPS_BIAS_BEFORE));
	for (n = 0; n < 500 && !succeeded; n++)
	{
		Scarce		scarce = {.left = n};
		DpsHost		host = scarce_host(&scarce);
		DpsArena   *arena;
		DpsNetwork *network;
		DpsFault	fault;
		DpsExample *e;
		DpsFisher  *fisher;
		DpsMatching *matching;
		DpsStatus	status;

		if (dps_arena_init(&arena, &host) != DPS_OK)
			continue;
		status = dps_network_init(&p.plan, arena, &network, &fault);
		if (status == DPS_OK)
			status = dps_example_init(network, EVERYTHING, &e);
		if (status == DPS_OK)
			status = dps_fisher_init(network, &fisher);
		if (status == DPS_OK)
			status = dps_matching_init(network, &dps_matching_kinds[1], &matching);
		succeeded = status == DPS_OK;
		failures += status == DPS_NOMEM;
		wrong |= status != DPS_OK && status != DPS_NOMEM;
		dps_arena_clear(arena);
		wrong |= scarce.held != 0;
	}
	ok(succeeded && !wrong && failures > 10, "every failed allocation is a status (%d tried)", failures);
}

int
main(void)
{
	size_t		i;

	for (i = 0; i < sizeof(reference_examples) / sizeof(reference_examples[0]); i++)
		check_reference(&reference_examples[i]);
	test_networks();
	test_matching();
	test_refusals();
	test_initial_values();
	test_edges();
	test_failing_memory();
	return done_testing();
}
