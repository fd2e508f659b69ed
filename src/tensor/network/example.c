/*
 * example.c
 *		Quantities of one example, from the network's graph by differentiation.
 */
#include <math.h>
#include <string.h>

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>

#include "tensor/network/example.h"

/* Outputs of the schedule. */
enum
{
	PREDICTION,
	LOSS,
	NORM_SQUARED,
	AROUND_SQUARED,
	INPUT_GRADIENT,
	NORM_SQUARED_GRADIENT,
	FIRST_PARAMETER
};

typedef struct Outputs
{
	int			n;
	const DpsTensor **node;
	double	  **target;
} Outputs;

static void
add_output(Outputs *outputs, const DpsTensor *node, double *target)
{
	outputs->node[outputs->n] = node;
	outputs->target[outputs->n++] = target;
}

static double *
new_numbers(DpsNetwork *network, int64_t n)
{
	return dps_arena_alloc(network->graph->arena, sizeof(double) * (size_t) n);
}

static DpsStatus
add_loss_outputs(DpsNetwork *network, unsigned quantities, DpsExample *e, Outputs *outputs)
{
	if (quantities & DPS_EXAMPLE_PREDICTION)
	{
		e->prediction = new_numbers(network, e->noutputs);
		if (e->prediction == NULL)
			return DPS_NOMEM;
		add_output(outputs, network->prediction, e->prediction);
	}
	if (quantities & DPS_EXAMPLE_LOSS)
		add_output(outputs, network->loss, &e->loss);
	return DPS_OK;
}

/* Adds the gradient by features, and the squared norm of that by features and target. */
static DpsStatus
add_input_gradient(DpsNetwork *network, const DpsTensor *const *around, DpsExample *e, Outputs *outputs)
{
	e->input_gradient = new_numbers(network, e->nfeatures);
	if (e->input_gradient == NULL)
		return DPS_NOMEM;
	add_output(outputs, around[0], e->input_gradient);
	add_output(outputs, dps_tensor_norm_squared(network->graph, around, 2), &e->around_squared);
	return DPS_OK;
}

static DpsStatus
add_norm_gradient(DpsNetwork *network, const DpsTensor *squared, DpsExample *e, Outputs *outputs)
{
	const DpsTensor *slope;

	e->norm_squared_gradient = new_numbers(network, e->nfeatures);
	if (e->norm_squared_gradient == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_tensor_gradient(network->graph, squared, &network->features, 1, &slope));
	add_output(outputs, slope, e->norm_squared_gradient);
	return DPS_OK;
}

static DpsStatus
add_parameter_gradient(DpsNetwork *network, const DpsTensor *const *g, DpsExample *e, Outputs *outputs)
{
	int			k;

	e->parameter_gradient = new_numbers(network, network->size);
	if (e->parameter_gradient == NULL)
		return DPS_NOMEM;
	for (k = 0; k < network->nparameters; k++)
		add_output(outputs, g[k], e->parameter_gradient + network->parameters[k].offset);
	return DPS_OK;
}

/* One backward pass yields the gradients by parameters, features and target. */
static DpsStatus
add_gradient_outputs(DpsNetwork *network, unsigned quantities, DpsExample *e, Outputs *outputs)
{
	int			n = network->nparameters;
	const DpsTensor **by = dps_arena_alloc(network->graph->arena, sizeof(DpsTensor *) * (n + 2));
	const DpsTensor **gradient = dps_arena_alloc(network->graph->arena, sizeof(DpsTensor *) * (n + 2));
	const DpsTensor *squared;

	if (by == NULL || gradient == NULL)
		return DPS_NOMEM;
	memcpy(by, network->tensors, sizeof(DpsTensor *) * n);
	by[n] = network->features;
	by[n + 1] = network->target;
	DPS_TRY(dps_tensor_gradient(network->graph, network->loss, by,
								quantities & DPS_EXAMPLE_INPUT_GRADIENT ? n + 2 : n, gradient));
	squared = dps_tensor_norm_squared(network->graph, gradient, n);
	add_output(outputs, squared, &e->norm_squared);
	if (quantities & DPS_EXAMPLE_INPUT_GRADIENT)
		DPS_TRY(add_input_gradient(network, gradient + n, e, outputs));
	if (quantities & DPS_EXAMPLE_NORM_GRADIENT)
		DPS_TRY(add_norm_gradient(network, squared, e, outputs));
	if (quantities & DPS_EXAMPLE_PARAMETER_GRADIENT)
		DPS_TRY(add_parameter_gradient(network, gradient, e, outputs));
	return DPS_OK;
}

static DpsStatus
plan_example(DpsNetwork *network, unsigned quantities, DpsExample *e)
{
	DpsArena   *arena = network->graph->arena;
	int			most = FIRST_PARAMETER + network->nparameters;
	Outputs		outputs = {0, dps_arena_alloc(arena, sizeof(DpsTensor *) * most), dps_arena_alloc(arena, sizeof(double *) * most)};

	if (outputs.node == NULL || outputs.target == NULL)
		return DPS_NOMEM;
	DPS_TRY(add_loss_outputs(network, quantities, e, &outputs));
	if (quantities & ~(unsigned) (DPS_EXAMPLE_PREDICTION | DPS_EXAMPLE_LOSS))
		DPS_TRY(add_gradient_outputs(network, quantities, e, &outputs));
	e->outputs = outputs.target;
	DPS_TRY(dps_schedule_init(network->graph, outputs.node, outputs.n, &e->schedule));
	e->workspace = new_numbers(network, (int64_t) dps_schedule_workspace(e->schedule));
	e->inputs = dps_arena_alloc(arena, sizeof(double *) * network->graph->ninputs);
	return e->workspace == NULL || e->inputs == NULL ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_example_init(DpsNetwork *network, unsigned quantities, DpsExample **example)
{
	DpsArena   *arena = network->graph->arena;
	DpsExample *e = dps_arena_alloc(arena, sizeof(DpsExample));

	*example = e;
	if (e == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	e->network = network;
	e->noutputs = (int) dps_tensor_size(network->prediction);
	e->nfeatures = (int) dps_tensor_size(network->features);
	e->loss = e->norm_squared = e->norm = e->around_squared = e->full_norm = NAN;
	return dps_arena_status(arena, plan_example(network, quantities, e));
}

static void
bind_inputs(const DpsNetwork *network, const double **inputs, const double *parameters, const double *features,
			const double *target)
{
	int			k;

	inputs[network->features->input] = features;
	inputs[network->target->input] = target;
	for (k = 0; k < network->nparameters; k++)
		inputs[network->parameters[k].tensor->input] = parameters + network->parameters[k].offset;
}

DpsStatus
dps_example_run(DpsExample *e, const double *parameters, const double *features, const double *target)
{
	bind_inputs(e->network, e->inputs, parameters, features, target);
	DPS_TRY(dps_schedule_run(e->schedule, e->inputs, e->workspace, e->outputs));
	e->norm = sqrt(e->norm_squared);
	e->full_norm = sqrt(e->norm_squared + e->around_squared);
	return DPS_OK;
}

/*
 * Fisher information
 *
 * With a direction v in the space of features, J v is the gradient by the
 * parameters of the inner product of v and the loss's gradient by the features,
 * and J^T J v the gradient by v of half its square.
 */

static DpsStatus
plan_fisher(DpsNetwork *network, DpsFisher *fisher)
{
	DpsTensorGraph *g = network->graph;
	const DpsTensor *direction = dps_tensor_input(g, "direction", network->features->shape);
	const DpsTensor **moved = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * network->nparameters);
	const DpsTensor *slope;
	const DpsTensor *result;
	const DpsTensor *half_square;

	if (direction == NULL || moved == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_tensor_gradient(g, network->loss, &network->features, 1, &slope));
	DPS_TRY(dps_tensor_gradient(g, dps_tensor_dot(g, slope, direction), network->tensors, network->nparameters, moved));
	half_square = dps_tensor_map(g, DPS_OP_MUL, dps_tensor_constant(g, 0.5),
								 dps_tensor_norm_squared(g, moved, network->nparameters));
	DPS_TRY(dps_tensor_gradient(g, half_square, &direction, 1, &result));
	DPS_TRY(dps_schedule_init(g, &result, 1, &fisher->schedule));
	fisher->workspace = new_numbers(network, (int64_t) dps_schedule_workspace(fisher->schedule));
	fisher->direction = new_numbers(network, fisher->nfeatures);
	fisher->matrix = new_numbers(network, (int64_t) fisher->nfeatures * fisher->nfeatures);
	fisher->inputs = dps_arena_alloc(g->arena, sizeof(double *) * g->ninputs);
	if (fisher->workspace == NULL || fisher->direction == NULL || fisher->matrix == NULL || fisher->inputs == NULL)
		return DPS_NOMEM;
	fisher->inputs[direction->input] = fisher->direction;
	return DPS_OK;
}

DpsStatus
dps_fisher_init(DpsNetwork *network, DpsFisher **fisher)
{
	DpsArena   *arena = network->graph->arena;
	int64_t		nfeatures = dps_tensor_size(network->features);
	DpsFisher  *result;

	*fisher = NULL;
	if (nfeatures > DPS_MAX_FISHER_FEATURES)
		return DPS_UNABLE;
	result = dps_arena_alloc(arena, sizeof(DpsFisher));
	if (result == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	*fisher = result;
	result->network = network;
	result->nfeatures = (int) nfeatures;
	result->trace = result->root = NAN;
	return dps_arena_status(arena, plan_fisher(network, result));
}

/* The square root of the greatest eigenvalue.  The matrix must have entries of magnitude
 * at most 1, so that nothing overflows; it is overwritten. */
static DpsStatus
spectral_root(double *matrix, int n, double *root)
{
	gsl_matrix_view view = gsl_matrix_view_array(matrix, n, n);
	gsl_eigen_symm_workspace *workspace = gsl_eigen_symm_alloc(n);
	gsl_vector *eigenvalues = gsl_vector_alloc(n);
	DpsStatus	status = DPS_NOMEM;

	if (workspace != NULL && eigenvalues != NULL)
	{
		status = gsl_eigen_symm(&view.matrix, eigenvalues, workspace) == GSL_SUCCESS ? DPS_OK : DPS_UNABLE;
		*root = sqrt(fmax(gsl_vector_max(eigenvalues), 0));
	}
	if (eigenvalues != NULL)
		gsl_vector_free(eigenvalues);
	if (workspace != NULL)
		gsl_eigen_symm_free(workspace);
	return status;
}

static DpsStatus
find_root(DpsFisher *fisher, double greatest)
{
	int64_t		n = fisher->nfeatures;
	DpsArena   *scratch;
	double	   *copy;
	gsl_error_handler_t *handler;
	DpsStatus	status = DPS_NOMEM;
	int64_t		i;

	fisher->root = 0;
	if (greatest == 0)
		return DPS_OK;
	DPS_TRY(dps_arena_init(&scratch, dps_arena_host(fisher->network->graph->arena)));
	copy = dps_arena_alloc(scratch, sizeof(double) * (size_t) (n * n));
	if (copy != NULL)
	{
		for (i = 0; i < n * n; i++)
			copy[i] = fisher->matrix[i] / greatest;
		handler = gsl_set_error_handler_off();
		status = spectral_root(copy, (int) n, &fisher->root);
		gsl_set_error_handler(handler);
		fisher->root *= sqrt(greatest);
	}
	dps_arena_clear(scratch);
	return status;
}

DpsStatus
dps_fisher_run(DpsFisher *fisher, const double *parameters, const double *features, const double *target)
{
	int			n = fisher->nfeatures;
	double		magnitude = 0;
	double		greatest = 0;
	int			i;

	bind_inputs(fisher->network, fisher->inputs, parameters, features, target);
	fisher->trace = 0;
	fisher->root = NAN;
	for (i = 0; i < n; i++)
	{
		double	   *row = fisher->matrix + (size_t) i * n;
		int			j;

		memset(fisher->direction, 0, sizeof(double) * n);
		fisher->direction[i] = 1;
		DPS_TRY(dps_schedule_run(fisher->schedule, fisher->inputs, fisher->workspace, &row));
		fisher->trace += row[i];
		for (j = 0; j < n; j++)
		{
			magnitude += fabs(row[j]);
			greatest = fmax(greatest, fabs(row[j]));
		}
	}
	/* the eigenvalue algorithm may not terminate on NaN */
	return magnitude - magnitude == 0 ? find_root(fisher, greatest) : DPS_OK;
}
