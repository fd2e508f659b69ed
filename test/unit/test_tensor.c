/*
 * test_tensor.c
 *		Graphs of tensors: every operation against plain loops or identities, its
 *		first and second derivatives against central differences, refusals,
 *		failing allocations, cancellation.
 *
 * Files: tensor/product.c, tensor/tensor_kernel.c, tensor/tensor_ops.def.
 */
#include <math.h>
#include <string.h>

#include "expr/program.h"
#include "scarce.h"
#include "tap.h"
#include "tensor/network/schedule.h"
#include "tensor/tensor.h"

#define MAX_INPUTS 3
#define MAX_SIZE 400
#define STEP 1e-6

typedef struct Fixture
{
	DpsArena   *arena;
	DpsTensorGraph *g;
	const DpsTensor *x;
	const DpsTensor *y;
	const DpsTensor *z;
} Fixture;

/* Numbers without a pattern, none near 0, between -limit and limit. */
static uint64_t noise_state;

static double
any_number(double limit)
{
	double		unit;

	noise_state = noise_state * 6364136223846793005u + 1442695040888963407u;
	unit = (double) (noise_state >> 11) * 0x1p-53;
	return (unit < 0.5 ? -1 : 1) * limit * (0.1 + 0.9 * fabs(2 * unit - 1));
}

static void
set_up(Fixture *f)
{
	memset(f, 0, sizeof(*f));
	if (dps_arena_init(&f->arena, &tap_host) != DPS_OK || dps_tensor_graph_init(&f->g, f->arena) != DPS_OK)
		abort();
	noise_state = 20260101;
}

/* Computes nodes at these inputs; false on any status but DPS_OK. */
static bool
compute(const Fixture *f, const DpsTensor *const *nodes, int n, const double *const *inputs, double *const *outputs)
{
	const DpsSchedule *schedule;
	double	   *workspace;
	DpsStatus	status = dps_schedule_init(f->g, nodes, n, &schedule);

	if (status != DPS_OK)
		return false;
	workspace = malloc(sizeof(double) * (dps_schedule_workspace(schedule) + 1));
	/* what a step forgets to write shows */
	memset(workspace, 0xff, sizeof(double) * dps_schedule_workspace(schedule));
	status = dps_schedule_run(schedule, inputs, workspace, outputs);
	free(workspace);
	return status == DPS_OK;
}

static double
compute_scalar(const Fixture *f, const DpsTensor *node, const double *const *inputs)
{
	double		value = NAN;
	double	   *outputs[1] = {&value};

	return compute(f, &node, 1, inputs, outputs) ? value : (double) NAN;
}

/* The greater error; NaN is the greatest. */
static double
worse(double a, double b)
{
	return a <= b || b != b ? b : a;
}

/*
 * Derivatives
 */

/* The greatest error of a gradient by input k against differences of `scalar`. */
static double
gradient_error(const Fixture *f, const DpsTensor *scalar, const DpsTensor *gradient, int k, double *const *inputs)
{
	int			n = (int) dps_tensor_size(f->g->inputs[k]);
	double		analytic[MAX_SIZE];
	double	   *outputs[1] = {analytic};
	double		worst = 0;
	int			i;

	if (!dps_shape_equal(&gradient->shape, &f->g->inputs[k]->shape) ||
		!compute(f, &gradient, 1, (const double *const *) inputs, outputs))
		return INFINITY;
	for (i = 0; i < n; i++)
	{
		double		at = inputs[k][i];
		double		up;
		double		down;
		double		error;

		inputs[k][i] = at + STEP;
		up = compute_scalar(f, scalar, (const double *const *) inputs);
		inputs[k][i] = at - STEP;
		down = compute_scalar(f, scalar, (const double *const *) inputs);
		inputs[k][i] = at;
		error = fabs((up - down) / (2 * STEP) - analytic[i]) / (1 + fabs(analytic[i]));
		worst = worse(worst, error);
	}
	return worst;
}

/*
 * A scalar of which every element of the node is a part, with weights that tell
 * them apart and a square, so that second derivatives are not all 0.
 */
static const DpsTensor *
probe(Fixture *f, const DpsTensor *node)
{
	const DpsTensor *square;
	const DpsTensor *weights;
	int32_t		n;

	if (node == NULL)
		return NULL;
	n = (int32_t) dps_tensor_size(node);
	node = dps_tensor_reshape(f->g, node, DPS_MATRIX(1, n));
	weights = dps_tensor_input(f->g, "weights", DPS_MATRIX(1, n));
	square = dps_tensor_map(f->g, DPS_OP_MUL, node, node);
	return dps_tensor_map(f->g, DPS_OP_ADD, dps_tensor_dot(f->g, weights, node),
						  dps_tensor_map(f->g, DPS_OP_MUL, dps_tensor_constant(f->g, 0.25),
										 dps_tensor_dot(f->g, weights, square)));
}

typedef struct Inputs
{
	double		number[MAX_INPUTS + 1][MAX_SIZE];
	double	   *pointer[MAX_INPUTS + 1];
} Inputs;

static void
fill(const Fixture *f, Inputs *inputs, double limit, double shift)
{
	uint32_t	k;
	int			i;

	for (k = 0; k < f->g->ninputs; k++)
	{
		bool		weights = strcmp(f->g->names[k], "weights") == 0;

		inputs->pointer[k] = inputs->number[k];
		for (i = 0; i < MAX_SIZE; i++)
			inputs->number[k][i] = weights ? 1 / sqrt(i + 1.0) : any_number(limit) + shift;
	}
}

static double expansion_error(const Fixture *f, const DpsTensor *node, double *const *inputs);

/*
 * The node's derivatives by all inputs; and those of the norm of its gradient,
 * made by differentiating the gradient again.
 */
static void
check_derivatives(Fixture *f, const char *name, const DpsTensor *node, double limit, double shift)
{
	static Inputs inputs;
	int			ninputs = (int) f->g->ninputs;
	const DpsTensor *scalar = probe(f, node);
	const DpsTensor *gradient[MAX_INPUTS] = {NULL};
	const DpsTensor *second[MAX_INPUTS] = {NULL};
	const DpsTensor *norm;
	double		expanded = 0;
	double		first_error = 0;
	double		second_error = 0;
	int			k;

	if (!ok(scalar != NULL, "%s can be built", name))
		return;
	fill(f, &inputs, limit, shift);
	if (dps_tensor_gradient(f->g, scalar, f->g->inputs, ninputs, gradient) != DPS_OK)
	{
		ok(false, "%s can be differentiated", name);
		return;
	}
	norm = dps_tensor_norm(f->g, gradient, ninputs);
	if (dps_tensor_gradient(f->g, norm, f->g->inputs, ninputs, second) != DPS_OK)
	{
		ok(false, "%s can be differentiated twice", name);
		return;
	}
	ok(expansion_error(f, node, inputs.pointer) < 1e-9, "%s is the same as row expressions", name);
	for (k = 0; k < ninputs; k++)
	{
		expanded = worse(expanded, expansion_error(f, gradient[k], inputs.pointer));
		first_error = worse(first_error, gradient_error(f, scalar, gradient[k], k, inputs.pointer));
		second_error = worse(second_error, gradient_error(f, norm, second[k], k, inputs.pointer));
	}
	ok(expanded < 1e-9, "%s: so is its derivative, within %.1e", name, expanded);
	ok(first_error < 1e-7, "%s has the derivative of its differences, within %.1e", name, first_error);
	ok(second_error < 1e-6, "%s has the second derivative, within %.1e", name, second_error);
}

/*
 * Row expressions
 */

/* The elements of the inputs as variables, and their values as columns. */
static const DpsNode *const *const *
make_variables(const Fixture *f, DpsGraph *graph, double *const *numbers, const double **columns)
{
	const DpsNode ***inputs = dps_arena_alloc(f->arena, sizeof(DpsNode **) * f->g->ninputs);
	uint32_t	k;
	int			i;

	for (k = 0; k < f->g->ninputs; k++)
	{
		int			n = (int) dps_tensor_size(f->g->inputs[k]);

		inputs[k] = dps_arena_alloc(f->arena, sizeof(DpsNode *) * n);
		for (i = 0; i < n; i++)
		{
			int			variable = dps_graph_add_variable(graph, "v", DPS_FLOAT8, true);

			columns[variable] = &numbers[k][i];
			inputs[k][i] = dps_variable(graph, variable);
		}
	}
	return (const DpsNode *const *const *) inputs;
}

/* The greatest difference between a node and its elements as row expressions. */
static double
expansion_error(const Fixture *f, const DpsTensor *node, double *const *inputs)
{
	static double got[MAX_SIZE * 4];
	static double expected[MAX_SIZE * 4];
	const double *columns[(MAX_INPUTS + 1) * MAX_SIZE];
	const DpsNode *elements[MAX_SIZE * 4];
	double	   *outputs[MAX_SIZE * 4];
	double	   *whole[1] = {got};
	int			n = (int) dps_tensor_size(node);
	const DpsProgram *program;
	DpsGraph   *graph;
	double	   *scratch;
	double		worst = 0;
	int			i;

	if (dps_graph_init_wide(&graph, f->arena, (MAX_INPUTS + 1) * MAX_SIZE) != DPS_OK ||
		dps_tensor_expand(f->g, &node, 1, graph, make_variables(f, graph, inputs, columns), elements) != DPS_OK)
		return INFINITY;
	/* conditions are no numbers */
	for (i = 0; i < n; i++)
	{
		if (elements[i]->type == DPS_BOOL)
			elements[i] = dps_choose(graph, elements[i], dps_constant(graph, DPS_FLOAT8, 1), dps_constant(graph, DPS_FLOAT8, 0));
		outputs[i] = &expected[i];
	}
	if (dps_compile(graph, elements, n, &program) != DPS_OK ||
		!compute(f, &node, 1, (const double *const *) inputs, whole))
		return INFINITY;
	scratch = malloc(sizeof(double) * dps_scratch_size(program));
	dps_evaluate(program, columns, 1, scratch, outputs);
	free(scratch);
	for (i = 0; i < n; i++)
		worst = worse(worst, fabs(got[i] - expected[i]) / (1 + fabs(expected[i])));
	return worst;
}

/* Operations on elements, by table. */
static double
domain_shift(int op)
{
	switch (op)
	{
		case DPS_OP_POW:
		case DPS_OP_SQRT:
		case DPS_OP_LN:
		case DPS_OP_LOG10:
			return 1;
		case DPS_OP_ACOSH:
			return 2;
	}
	return 0;
}

/* Not operations on numbers: conditions, NULL and casts. */
static bool
is_number_operation(int op)
{
	return !(dps_ops[op].flags & (DPS_LOGICAL | DPS_NULL_IF_ALL | DPS_NULL_NEVER)) && op != DPS_OP_CAST;
}

static void
test_elementwise(void)
{
	int			op;

	for (op = DPS_OP_FIRST_ROW; op < DPS_TENSOR_OP_COUNT; op++)
	{
		Fixture		f;
		bool		binary = !dps_tensor_has_row(op) && dps_ops[op].arity == 2;
		double		shift = domain_shift(op);

		if (!dps_tensor_is_elementwise(op) || (!dps_tensor_has_row(op) && !is_number_operation(op)))
			continue;
		set_up(&f);
		f.x = dps_tensor_input(f.g, "x", DPS_MATRIX(2, 9));
		f.y = binary ? dps_tensor_input(f.g, "y", DPS_MATRIX(2, 9)) : NULL;
		check_derivatives(&f, dps_tensor_has_row(op) ? dps_tensor_row(op)->name : dps_ops[op].name,
						  dps_tensor_map(f.g, op, f.x, f.y), 0.9, shift);
		dps_arena_clear(f.arena);
		if (!binary)
			continue;
		set_up(&f);
		f.x = dps_tensor_input(f.g, "x", DPS_MATRIX(3, 100));
		f.y = dps_tensor_input(f.g, "y", DPS_SCALAR);
		check_derivatives(&f, "with a scalar", dps_tensor_map(f.g, op, f.x, f.y), 0.9, shift);
		dps_arena_clear(f.arena);
	}
}

typedef const DpsTensor *(*Build) (Fixture *f);

typedef struct Case
{
	const char *name;
	DpsShape	x;
	DpsShape	y;
	Build		build;
	double		shift;			/* of the numbers */
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

BUILD(matmul, dps_tensor_matmul(g, x, y, false, false))
BUILD(matmul_tn, dps_tensor_matmul(g, x, y, true, false))
BUILD(matmul_nt, dps_tensor_matmul(g, x, y, false, true))
BUILD(matmul_tt, dps_tensor_matmul(g, x, y, true, true))
BUILD(matmul_self, dps_tensor_matmul(g, x, x, true, false))
BUILD(dot, dps_tensor_dot(g, x, y))
BUILD(dot_self, dps_tensor_dot(g, x, x))
BUILD(outer, dps_tensor_outer(g, x, y))
BUILD(outer_norm, dps_tensor_dot(g, dps_tensor_outer(g, x, y), dps_tensor_outer(g, x, y)))
BUILD(outer_sums, dps_tensor_dot(g, dps_tensor_map(g, DPS_OP_SUB, dps_tensor_outer(g, x, y),
														 dps_tensor_map(g, DPS_OP_MUL, dps_tensor_dot(g, x, x), dps_tensor_outer(g, dps_tensor_map(g, DPS_OP_SIN, x, NULL), y))),
								 dps_tensor_map(g, DPS_OP_NEG, dps_tensor_outer(g, x, dps_tensor_map(g, DPS_OP_COS, y, NULL)), NULL)))
BUILD(reshape, dps_tensor_map(g, DPS_OP_MUL, dps_tensor_reshape(g, x, DPS_MATRIX(4, 3)), y))
BUILD(permute, dps_tensor_map(g, DPS_OP_MUL, dps_tensor_permute(g, x, (int[]) {2, 0, 3, 1}), y))
BUILD(broadcast, dps_tensor_map(g, DPS_OP_MUL, dps_tensor_broadcast(g, x, DPS_IMAGE(3, 4, 2)), y))
BUILD(sum_first, dps_tensor_reduce(g, DPS_TENSOR_SUM, x, 1))
BUILD(sum_middle, dps_tensor_reduce(g, DPS_TENSOR_SUM, x, 2))
BUILD(sum_ends, dps_tensor_reduce(g, DPS_TENSOR_SUM, x, 5))
BUILD(total, dps_tensor_total(g, x))
BUILD(mean, dps_tensor_mean(g, x, 6))
BUILD(max, dps_tensor_reduce(g, DPS_TENSOR_MAX, x, 2))
BUILD(log_sum_exp, dps_tensor_reduce(g, DPS_TENSOR_LOG_SUM_EXP, x, 4))
BUILD(softmax, dps_tensor_softmax(g, x, 4))
BUILD(unfold, dps_tensor_unfold(g, x, ((DpsWindow) {3, 2, 2, 1})))
BUILD(fold, dps_tensor_fold(g, x, ((DpsWindow) {2, 2, 1, 1}), DPS_IMAGE(2, 3, 3)))
BUILD(conv2d, dps_tensor_conv2d(g, x, y, 1, 0))
BUILD(conv2d_padded, dps_tensor_conv2d(g, x, y, 2, 1))
BUILD(depthwise, dps_tensor_depthwise_conv2d(g, x, y, 1, 1))
BUILD(average_pool, dps_tensor_average_pool(g, x, ((DpsWindow) {2, 2, 2, 0})))
BUILD(max_pool, dps_tensor_max_pool(g, x, ((DpsWindow) {2, 2, 2, 0})))
BUILD(max_pool_padded, dps_tensor_max_pool(g, x, ((DpsWindow) {3, 3, 1, 1})))
BUILD(choose, dps_tensor_choose(g, dps_tensor_map(g, DPS_OP_GT, x, y), dps_tensor_map(g, DPS_OP_MUL, x, y),
								dps_tensor_map(g, DPS_OP_EXP, y, NULL)))
BUILD(dead_branch, dps_tensor_choose(g, dps_tensor_map(g, DPS_OP_GT, x, dps_tensor_constant(g, 0)),
									 dps_tensor_map(g, DPS_OP_LN, x, NULL), dps_tensor_map(g, DPS_OP_SQR, x, NULL)))
BUILD(tempered, dps_tensor_tempered_sigmoid(g, x, 1.58, 3, 0.71))
BUILD(gelu, dps_tensor_gelu(g, x))
BUILD(norm, dps_tensor_norm(g, (const DpsTensor *[]) {x, y}, 2))
BUILD(squared, dps_tensor_squared_loss(g, x, y))
BUILD(huber, dps_tensor_huber_loss(g, x, y, 0.5))
BUILD(binary, dps_tensor_binary_cross_entropy(g, dps_tensor_map(g, DPS_TENSOR_SIGMOID, x, NULL), y))
BUILD(binary_logits, dps_tensor_binary_cross_entropy_logits(g, x, y))
BUILD(categorical, dps_tensor_cross_entropy(g, dps_tensor_softmax(g, x, 2), y))
BUILD(categorical_logits, dps_tensor_cross_entropy_logits(g, x, y))

static const Case cases[] = {
	{"matrix product", DPS_MATRIX(5, 11), DPS_MATRIX(11, 9), build_matmul, 0},
	{"matrix product, left transposed", DPS_MATRIX(11, 5), DPS_MATRIX(11, 9), build_matmul_tn, 0},
	{"matrix product, right transposed", DPS_MATRIX(5, 11), DPS_MATRIX(9, 11), build_matmul_nt, 0},
	{"matrix product, both transposed", DPS_MATRIX(11, 5), DPS_MATRIX(9, 11), build_matmul_tt, 0},
	{"matrix product of a vector", DPS_MATRIX(1, 11), DPS_MATRIX(11, 9), build_matmul, 0},
	{"matrix product with a vector, transposed", DPS_MATRIX(4, 11), DPS_MATRIX(1, 11), build_matmul_nt, 0},
	{"matrix product with itself", DPS_MATRIX(5, 4), {0, {0}}, build_matmul_self, 0},
	{"dot", DPS_MATRIX(3, 7), DPS_MATRIX(3, 7), build_dot, 0},
	{"dot with itself", DPS_VECTOR(13), {0, {0}}, build_dot_self, 0},
	{"outer", DPS_VECTOR(4), DPS_VECTOR(5), build_outer, 0},
	{"norm of an outer product", DPS_VECTOR(4), DPS_VECTOR(5), build_outer_norm, 0},
	{"dot of sums of outer products", DPS_VECTOR(4), DPS_VECTOR(5), build_outer_sums, 0},
	{"reshape", DPS_MATRIX(2, 6), DPS_MATRIX(4, 3), build_reshape, 0},
	{"transpose", {4, {2, 3, 2, 4}}, {4, {2, 2, 4, 3}}, build_permute, 0},
	{"broadcast", DPS_IMAGE(3, 1, 2), DPS_IMAGE(3, 4, 2), build_broadcast, 0},
	{"broadcast along both ends", DPS_IMAGE(1, 4, 1), DPS_IMAGE(3, 4, 2), build_broadcast, 0},
	{"sum over the first axis", DPS_IMAGE(3, 4, 5), {0, {0}}, build_sum_first, 0},
	{"sum over a middle axis", DPS_IMAGE(3, 4, 5), {0, {0}}, build_sum_middle, 0},
	{"sum over both ends", DPS_IMAGE(3, 4, 5), {0, {0}}, build_sum_ends, 0},
	{"sum of everything", DPS_IMAGE(3, 4, 5), {0, {0}}, build_total, 0},
	{"mean", DPS_IMAGE(3, 4, 5), {0, {0}}, build_mean, 0},
	{"max over an axis", DPS_IMAGE(3, 4, 5), {0, {0}}, build_max, 0},
	{"log-sum-exp", DPS_IMAGE(3, 4, 5), {0, {0}}, build_log_sum_exp, 0},
	{"softmax", DPS_IMAGE(3, 4, 5), {0, {0}}, build_softmax, 0},
	{"windows of an image", DPS_IMAGE(2, 5, 4), {0, {0}}, build_unfold, 0},
	{"windows added up", DPS_MATRIX(8, 16), {0, {0}}, build_fold, 0},
	{"conv2d", DPS_IMAGE(2, 5, 4), {4, {3, 2, 3, 3}}, build_conv2d, 0},
	{"conv2d with stride and padding", DPS_IMAGE(2, 5, 4), {4, {3, 2, 3, 2}}, build_conv2d_padded, 0},
	{"depthwise conv2d", DPS_IMAGE(2, 5, 4), DPS_IMAGE(2, 3, 3), build_depthwise, 0},
	{"average pooling", DPS_IMAGE(2, 4, 6), {0, {0}}, build_average_pool, 0},
	{"max pooling", DPS_IMAGE(2, 4, 6), {0, {0}}, build_max_pool, 0},
	{"max pooling with padding", DPS_IMAGE(2, 4, 4), {0, {0}}, build_max_pool_padded, -3},
	{"choose", DPS_VECTOR(9), DPS_VECTOR(9), build_choose, 0},
	{"a branch undefined where it is not taken", DPS_VECTOR(9), {0, {0}}, build_dead_branch, 0},
	{"tempered sigmoid", DPS_VECTOR(9), {0, {0}}, build_tempered, 0},
	{"gelu", DPS_VECTOR(9), {0, {0}}, build_gelu, 0},
	{"L2 norm of two tensors", DPS_VECTOR(9), DPS_MATRIX(2, 3), build_norm, 0},
	{"squared loss", DPS_VECTOR(9), DPS_VECTOR(9), build_squared, 0},
	{"Huber loss", DPS_VECTOR(9), DPS_VECTOR(9), build_huber, 0},
	{"binary cross-entropy", DPS_VECTOR(9), DPS_VECTOR(9), build_binary, 0},
	{"binary cross-entropy of logits", DPS_VECTOR(9), DPS_VECTOR(9), build_binary_logits, 0},
	{"categorical cross-entropy", DPS_MATRIX(1, 5), DPS_MATRIX(1, 5), build_categorical, 0},
	{"categorical cross-entropy of logits", DPS_MATRIX(1, 5), DPS_MATRIX(1, 5), build_categorical_logits, 0},
};

static void
set_up_case(Fixture *f, const Case *c)
{
	set_up(f);
	f->x = dps_tensor_input(f->g, "x", c->x);
	f->y = c->y.rank > 0 ? dps_tensor_input(f->g, "y", c->y) : NULL;
}

static void
test_cases(void)
{
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Fixture		f;

		set_up_case(&f, &cases[i]);
		check_derivatives(&f, cases[i].name, cases[i].build(&f), 1.3, cases[i].shift);
		dps_arena_clear(f.arena);
	}
}

/*
 * Values
 */

/* The greatest difference between a node and what a plain loop says. */
static double
value_error(Fixture *f, const DpsTensor *node, Inputs *inputs, const double *expected)
{
	static double got[MAX_SIZE * 4];
	double	   *outputs[1] = {got};
	double		worst = 0;
	int64_t		i;

	if (node == NULL || !compute(f, &node, 1, (const double *const *) inputs->pointer, outputs))
		return INFINITY;
	for (i = 0; i < dps_tensor_size(node); i++)
	{
		double		error = fabs(got[i] - expected[i]) / (1 + fabs(expected[i]));

		worst = worse(worst, error);
	}
	return worst;
}

/* All four products against the definition, at sizes on both sides of the
 * strides of the loops. */
static void
test_products(void)
{
	static const int sizes[][3] = {{1, 1, 1}, {1, 7, 9}, {4, 8, 16}, {5, 17, 13}, {7, 3, 19}, {9, 1, 9}, {8, 40, 1}};
	static Inputs inputs;
	double		expected[MAX_SIZE];
	size_t		s;
	int			t;

	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		for (t = 0; t < 4; t++)
		{
			int			m = sizes[s][0];
			int			k = sizes[s][1];
			int			n = sizes[s][2];
			bool		tx = t & 1;
			bool		ty = t & 2;
			Fixture		f;
			int			i;
			int			j;
			int			p;

			set_up(&f);
			f.x = dps_tensor_input(f.g, "x", tx ? DPS_MATRIX(k, m) : DPS_MATRIX(m, k));
			f.y = dps_tensor_input(f.g, "y", ty ? DPS_MATRIX(n, k) : DPS_MATRIX(k, n));
			fill(&f, &inputs, 2, 0);
			for (i = 0; i < m; i++)
			{
				for (j = 0; j < n; j++)
				{
					expected[i * n + j] = 0;
					for (p = 0; p < k; p++)
						expected[i * n + j] += inputs.number[0][tx ? p * m + i : i * k + p] *
							inputs.number[1][ty ? j * k + p : p * n + j];
				}
			}
			ok(value_error(&f, dps_tensor_matmul(f.g, f.x, f.y, tx, ty), &inputs, expected) < 1e-14,
			   "product of %d x %d and %d x %d%s%s", m, k, k, n, tx ? ", left transposed" : "",
			   ty ? ", right transposed" : "");
			dps_arena_clear(f.arena);
		}
	}
}

/* Over blocks of the product in all directions: the trace of (X Y) by another
 * route. */
static void
test_large_product(void)
{
	enum
	{
		M = 37,
		K = 150,
		N = 521
	};
	static double x[M * K];
	static double y[K * N];
	static double z[M * N];
	const double *inputs[2] = {x, y};
	double	   *outputs[1] = {z};
	const DpsTensor *product;
	Fixture		f;
	double		worst = 0;
	int			i;
	int			j;
	int			p;

	set_up(&f);
	f.x = dps_tensor_input(f.g, "x", DPS_MATRIX(M, K));
	f.y = dps_tensor_input(f.g, "y", DPS_MATRIX(K, N));
	for (i = 0; i < M * K; i++)
		x[i] = any_number(1);
	for (i = 0; i < K * N; i++)
		y[i] = any_number(1);
	product = dps_tensor_matmul(f.g, f.x, f.y, false, false);
	ok(compute(&f, &product, 1, inputs, outputs), "a product larger than a block");
	for (i = 0; i < M; i++)
	{
		for (j = 0; j < N; j++)
		{
			double		sum = 0;

			for (p = 0; p < K; p++)
				sum += x[i * K + p] * y[p * N + j];
			worst = fmax(worst, fabs(sum - z[i * N + j]));
		}
	}
	ok(worst < 1e-12, "has the right elements, within %.1e", worst);
	dps_arena_clear(f.arena);
}

static void
test_convolution(void)
{
	enum
	{
		C = 2,
		H = 5,
		W = 4,
		O = 3,
		KH = 3,
		KW = 2
	};
	static Inputs inputs;
	int			stride;
	int			padding;

	for (stride = 1; stride <= 2; stride++)
	{
		for (padding = 0; padding <= 1; padding++)
		{
			double		expected[MAX_SIZE];
			int			rows = (H + 2 * padding - KH) / stride + 1;
			int			columns = (W + 2 * padding - KW) / stride + 1;
			Fixture		f;
			int			o;
			int			r;
			int			q;
			int			c;
			int			u;
			int			v;

			set_up(&f);
			f.x = dps_tensor_input(f.g, "x", DPS_IMAGE(C, H, W));
			f.y = dps_tensor_input(f.g, "y", ((DpsShape) {4, {O, C, KH, KW}}));
			fill(&f, &inputs, 2, 0);
			for (o = 0; o < O; o++)
				for (r = 0; r < rows; r++)
					for (q = 0; q < columns; q++)
					{
						double		sum = 0;

						for (c = 0; c < C; c++)
							for (u = 0; u < KH; u++)
								for (v = 0; v < KW; v++)
								{
									int			i = r * stride + u - padding;
									int			j = q * stride + v - padding;

									if (i >= 0 && i < H && j >= 0 && j < W)
										sum += inputs.number[0][(c * H + i) * W + j] *
											inputs.number[1][((o * C + c) * KH + u) * KW + v];
								}
						expected[(o * rows + r) * columns + q] = sum;
					}
			ok(value_error(&f, dps_tensor_conv2d(f.g, f.x, f.y, stride, padding), &inputs, expected) < 1e-14,
			   "convolution with stride %d and padding %d", stride, padding);
			dps_arena_clear(f.arena);
		}
	}
}

static void
test_values(void)
{
	static Inputs inputs = {.number = {{1, -2, 3, 0.5, 800, -800}}};
	const double max_pool[] = {1, 3, 800};
	const double softplus[] = {1.3132616875182228, 0.1269280110429726, 3.0485873515737421, 0.97407698418010669, 800, 0};
	const double sigmoid[] = {0.73105857863000488, 0.11920292202211755, 0.95257412682243321, 0.62245933120185456, 1, 0};
	const double relu[] = {1, 0, 3, 0.5, 800, 0};
	const double gelu[] = {0.84134474606854295, -0.045500263896358417, 2.9959503059051100, 0.34573123063700656, 800, 0};
	const double log_sum_exp[] = {800};
	const double softmax[] = {0, 0, 0, 0, 1, 0};
	Fixture		f;
	const DpsTensor *image;

	set_up(&f);
	inputs.pointer[0] = inputs.number[0];
	f.x = dps_tensor_input(f.g, "x", DPS_VECTOR(6));
	image = dps_tensor_reshape(f.g, f.x, DPS_IMAGE(1, 1, 6));
	ok(value_error(&f, dps_tensor_max_pool(f.g, image, (DpsWindow) {1, 2, 2, 0}), &inputs, max_pool) == 0, "max pooling");
	ok(value_error(&f, dps_tensor_map(f.g, DPS_TENSOR_SOFTPLUS, f.x, NULL), &inputs, softplus) < 1e-15, "softplus does not overflow");
	ok(value_error(&f, dps_tensor_map(f.g, DPS_TENSOR_SIGMOID, f.x, NULL), &inputs, sigmoid) < 1e-15, "sigmoid does not overflow");
	ok(value_error(&f, dps_tensor_map(f.g, DPS_TENSOR_RELU, f.x, NULL), &inputs, relu) == 0, "relu");
	ok(value_error(&f, dps_tensor_gelu(f.g, f.x), &inputs, gelu) < 1e-15, "gelu");
	ok(value_error(&f, dps_tensor_reduce(f.g, DPS_TENSOR_LOG_SUM_EXP, f.x, 1), &inputs, log_sum_exp) < 1e-15,
	   "log-sum-exp does not overflow");
	ok(value_error(&f, dps_tensor_softmax(f.g, f.x, 1), &inputs, softmax) < 1e-15, "softmax does not overflow");
	ok(isnan(compute_scalar(&f, dps_tensor_total(f.g, dps_tensor_map(f.g, DPS_OP_EXP, f.x, NULL)),
							(const double *const *) inputs.pointer)), "an overflow is NaN, not infinity");
	inputs.number[0][1] = NAN;
	ok(isnan(compute_scalar(&f, dps_tensor_total(f.g, dps_tensor_map(f.g, DPS_TENSOR_RELU, f.x, NULL)),
							(const double *const *) inputs.pointer)), "relu does not hide NaN");
	ok(isnan(compute_scalar(&f, dps_tensor_total(f.g, dps_tensor_reduce(f.g, DPS_TENSOR_MAX, f.x, 1)),
							(const double *const *) inputs.pointer)), "neither does max");
	dps_arena_clear(f.arena);
}

/*
 * Structure
 */

static void
test_structure(void)
{
	Fixture		f;
	const DpsTensor *outer;
	const DpsTensor *gradient[2];
	const DpsTensor *moved;
	const DpsTensor *none;
	int			swap[] = {1, 0};

	set_up(&f);
	f.x = dps_tensor_input(f.g, "x", DPS_VECTOR(1000));
	f.y = dps_tensor_input(f.g, "y", DPS_VECTOR(2000));
	outer = dps_tensor_outer(f.g, f.x, f.y);
	ok(dps_tensor_outer(f.g, f.x, f.y) == outer, "equal nodes are one");
	none = dps_tensor_dot(f.g, outer, outer);
	{
		const DpsSchedule *schedule;

		ok(dps_schedule_init(f.g, &none, 1, &schedule) == DPS_OK && dps_schedule_workspace(schedule) < 100,
		   "the norm of an outer product is computed without it");
	}
	none = dps_tensor_map(f.g, DPS_OP_ADD, outer, dps_tensor_outer(f.g, dps_tensor_map(f.g, DPS_OP_EXP, f.x, NULL), f.y));
	none = dps_tensor_dot(f.g, none, none);
	{
		const DpsSchedule *schedule;

		ok(dps_schedule_init(f.g, &none, 1, &schedule) == DPS_OK && dps_schedule_workspace(schedule) < 2000,
		   "and that of a sum of two");
	}
	moved = dps_tensor_permute(f.g, dps_tensor_permute(f.g, outer, swap), swap);
	ok(moved == outer, "transposed twice is the same");
	ok(dps_tensor_gradient(f.g, dps_tensor_dot(f.g, f.x, f.x), &f.y, 1, gradient) == DPS_OK &&
	   gradient[0]->op == DPS_TENSOR_BROADCAST, "what does not matter has derivative 0");
	ok(dps_tensor_gradient(f.g, f.x, &f.x, 1, gradient) == DPS_UNABLE, "only scalars are differentiated");
	ok(dps_tensor_map(f.g, DPS_OP_ADD, f.x, f.y) == NULL, "a sum of unlike shapes is refused");
	ok(dps_tensor_matmul(f.g, outer, outer, false, false) == NULL, "a product of unlike shapes is refused");
	ok(dps_tensor_dot(f.g, f.x, f.y) == NULL, "a dot of unlike shapes is refused");
	ok(dps_tensor_reshape(f.g, f.x, DPS_VECTOR(999)) == NULL, "a shape of another size is refused");
	ok(dps_tensor_broadcast(f.g, f.x, DPS_VECTOR(1001)) == NULL, "a broadcast of what is not 1 is refused");
	ok(dps_tensor_broadcast(f.g, dps_tensor_constant(f.g, 1), DPS_MATRIX(1 << 20, 1 << 20)) == NULL,
	   "a tensor that is too large is refused");
	ok(dps_tensor_input(f.g, "z", DPS_VECTOR(0)) == NULL, "an empty tensor is refused");
	ok(dps_tensor_unfold(f.g, dps_tensor_reshape(f.g, f.x, DPS_IMAGE(1, 10, 100)), (DpsWindow) {11, 1, 1, 0}) == NULL,
	   "a window that does not fit is refused");
	ok(dps_tensor_unfold(f.g, dps_tensor_reshape(f.g, f.x, DPS_IMAGE(1, 10, 100)), (DpsWindow) {2, 2, 1, 2}) == NULL,
	   "padding as large as the window is refused");
	ok(dps_tensor_reduce(f.g, DPS_TENSOR_SUM, f.x, 2) == NULL, "an axis that is not there is refused");
	ok(dps_tensor_permute(f.g, outer, (int[]) {0, 2}) == NULL, "so it is in a transposition");
	dps_arena_clear(f.arena);
}

/* A chain of dense layers, its loss's gradient norm, and that one's gradient. */
static bool
build_chain(Fixture *f, int layers, int32_t width, uint32_t *nodes)
{
	const DpsTensor *weights[64];
	const DpsTensor *gradient[64];
	const DpsTensor *by_x;
	const DpsTensor *h;
	int			k;

	f->x = dps_tensor_input(f->g, "x", DPS_MATRIX(1, width));
	h = f->x;
	for (k = 0; k < layers; k++)
	{
		weights[k] = dps_tensor_input(f->g, "w", DPS_MATRIX(width, width));
		h = dps_tensor_map(f->g, DPS_OP_TANH, dps_tensor_matmul(f->g, h, weights[k], false, false), NULL);
	}
	if (dps_tensor_gradient(f->g, dps_tensor_dot(f->g, h, h), weights, layers, gradient) != DPS_OK ||
		dps_tensor_gradient(f->g, dps_tensor_norm(f->g, gradient, layers), &f->x, 1, &by_x) != DPS_OK)
		return false;
	*nodes = f->g->nnodes;
	return true;
}

static void
test_cost(void)
{
	uint32_t	nodes[4];
	static const int sizes[4][2] = {{10, 4}, {20, 4}, {40, 4}, {10, 10000}};
	int			k;

	for (k = 0; k < 4; k++)
	{
		Fixture		f;

		set_up(&f);
		if (!build_chain(&f, sizes[k][0], sizes[k][1], &nodes[k]))
			nodes[k] = 0;
		dps_arena_clear(f.arena);
	}
	ok(nodes[0] > 0 && nodes[3] == nodes[0], "a graph does not grow with the width of its layers");
	ok(nodes[2] - nodes[1] == 2 * (nodes[1] - nodes[0]), "it grows with their number in proportion: %u, %u, %u nodes",
	   nodes[0], nodes[1], nodes[2]);
}

static void
test_print(void)
{
	Fixture		f;
	DpsText		text;
	const DpsTensor *node;
	const char *name = "result";

	set_up(&f);
	f.x = dps_tensor_input(f.g, "x", DPS_MATRIX(1, 3));
	f.y = dps_tensor_input(f.g, "w", DPS_MATRIX(3, 2));
	node = dps_tensor_total(f.g, dps_tensor_map(f.g, DPS_OP_MUL, dps_tensor_constant(f.g, 2),
												dps_tensor_map(f.g, DPS_OP_TANH, dps_tensor_matmul(f.g, f.x, f.y, false, false), NULL)));
	dps_text_init(&text, f.arena);
	ok(dps_tensor_print(f.g, &node, &name, 1, &text) == DPS_OK &&
	   strcmp(text.data, "t2 (1, 2) = matmul(x, w; 0, 0)\n"
			  "t3 (1, 2) = tanh(t2)\n"
			  "t5 (1, 2) = mul(t3, 2)\n"
			  "t6 (1, 1) = sum(t5; 0, 2)\n"
			  "t7 = reshape(t6)\n"
			  "result = t7") == 0, "a graph is printed");
	dps_arena_clear(f.arena);
}

/*
 * Failing hosts
 */

static void
test_failing_memory(void)
{
	int			n;
	int			failures = 0;
	bool		wrong = false;
	bool		succeeded = false;

	for (n = 0; n < 200 && !succeeded; n++)
	{
		Scarce		scarce = {.left = n};
		DpsHost		host = scarce_host(&scarce);
		DpsArena   *arena;
		Fixture		f = {.arena = NULL};
		uint32_t	nodes;

		if (dps_arena_init(&arena, &host) != DPS_OK)
		{
			failures++;
			continue;
		}
		f.arena = arena;
		if (dps_tensor_graph_init(&f.g, arena) != DPS_OK)
			failures++;
		else if (!build_chain(&f, 20, 4, &nodes))
			failures++;
		else
		{
			const DpsSchedule *schedule;
			const DpsTensor *node = f.g->inputs[0];
			DpsStatus	status = dps_schedule_init(f.g, &node, 1, &schedule);

			succeeded = status == DPS_OK;
			failures += status == DPS_NOMEM;
			wrong |= status != DPS_OK && status != DPS_NOMEM;
		}
		dps_arena_clear(arena);
		wrong |= scarce.held != 0;
	}
	ok(succeeded && !wrong && failures > 5, "every failed allocation is a status (%d tried)", failures);
}

static void
test_cancel(void)
{
	DpsHost		host = tap_host;
	Fixture		f = {.arena = NULL};
	const DpsTensor *product;
	const DpsSchedule *schedule;
	DpsStatus	status = DPS_OK;
	double	   *workspace;
	double	   *x = calloc(300 * 300, sizeof(double));
	const double *inputs[1] = {x};
	double	   *outputs[1] = {NULL};

	if (dps_arena_init(&f.arena, &host) != DPS_OK || dps_tensor_graph_init(&f.g, f.arena) != DPS_OK)
		abort();
	f.x = dps_tensor_input(f.g, "x", DPS_MATRIX(300, 300));
	product = dps_tensor_matmul(f.g, f.x, f.x, false, false);
	if (dps_schedule_init(f.g, &product, 1, &schedule) != DPS_OK)
		abort();
	workspace = malloc(sizeof(double) * dps_schedule_workspace(schedule));
	status = dps_schedule_run(schedule, inputs, workspace, outputs);
	ok(status == DPS_OK && dps_schedule_reads(schedule, 0) && !dps_schedule_reads(schedule, 1), "a long computation");
	/* the arena keeps a copy of its host */
	((DpsHost *) dps_arena_host(f.arena))->should_stop = always_stop;
	status = dps_schedule_run(schedule, inputs, workspace, outputs);
	ok(status == DPS_CANCELLED, "can be stopped");
	free(workspace);
	free(x);
	dps_arena_clear(f.arena);
}

int
main(void)
{
	test_elementwise();
	test_cases();
	test_products();
	test_large_product();
	test_convolution();
	test_values();
	test_structure();
	test_cost();
	test_print();
	test_failing_memory();
	test_cancel();
	return done_testing();
}
