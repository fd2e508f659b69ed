/*
 * example_batch.c
 *		Losses and gradients of several examples at a time.
 */
#include <math.h>
#include <string.h>

#include "tensor/network/example_batch.h"

/* The intended workspace of a batch, in doubles, and the most examples of a batch, beyond
 * which it does not get faster. */
#define WORTH (INT64_C(1) << 15)
#define CAPACITY 256

typedef struct Outputs
{
	int			n;
	const DpsTensor **node;
	bool	   *total;
} Outputs;

static void
add_output(DpsExampleBatch *batch, Outputs *outputs, const DpsTensor *node, bool total, double *to, int64_t stride)
{
	outputs->node[outputs->n] = node;
	outputs->total[outputs->n] = total;
	batch->outputs[outputs->n] = to;
	batch->strides[outputs->n++] = stride;
}

static double *
new_numbers(DpsNetwork *network, int64_t n)
{
	return dps_arena_alloc(network->graph->arena, sizeof(double) * (size_t) n);
}

static void
add_gradient(DpsExampleBatch *batch, Outputs *outputs, const DpsTensor *const *gradient, bool total, double *to)
{
	const DpsNetwork *network = batch->network;
	int			k;

	for (k = 0; k < network->nparameters; k++)
		add_output(batch, outputs, gradient[k], total, to == NULL ? NULL : to + network->parameters[k].offset,
				   network->size);
}

static DpsStatus
add_outputs(DpsNetwork *network, unsigned quantities, DpsExampleBatch *batch, Outputs *outputs)
{
	DpsTensorGraph *g = network->graph;
	const DpsTensor **gradient = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * network->nparameters);

	if (gradient == NULL)
		return DPS_NOMEM;
	if (quantities & DPS_BATCH_LOSSES)
		add_output(batch, outputs, network->loss, false, batch->losses, 1);
	if (quantities & ~(unsigned) DPS_BATCH_LOSSES)
		DPS_TRY(dps_tensor_gradient(g, network->loss, network->tensors, network->nparameters, gradient));
	if (quantities & DPS_BATCH_NORMS)
		add_output(batch, outputs, dps_tensor_norm(g, gradient, network->nparameters), false, batch->norms, 1);
	if (quantities & DPS_BATCH_GRADIENTS)
		add_gradient(batch, outputs, gradient, false, batch->gradients);
	if (quantities & DPS_BATCH_SUM)
		add_gradient(batch, outputs, gradient, true, batch->sum);
	return DPS_OK;
}

/* Allocates inputs and results for the batch's capacity. */
static DpsStatus
allocate_results(DpsNetwork *network, unsigned quantities, DpsExampleBatch *batch)
{
	int64_t		n = batch->capacity;

	batch->features = new_numbers(network, n * dps_tensor_size(network->features));
	batch->targets = new_numbers(network, n * dps_tensor_size(network->target));
	batch->losses = quantities & DPS_BATCH_LOSSES ? new_numbers(network, n) : NULL;
	batch->norms = quantities & DPS_BATCH_NORMS ? new_numbers(network, n) : NULL;
	batch->gradients = quantities & DPS_BATCH_GRADIENTS ? new_numbers(network, n * network->size) : NULL;
	batch->sum = quantities & DPS_BATCH_SUM ? new_numbers(network, network->size) : NULL;
	if (batch->features == NULL || batch->targets == NULL ||
		((quantities & DPS_BATCH_LOSSES) && batch->losses == NULL) ||
		((quantities & DPS_BATCH_NORMS) && batch->norms == NULL) ||
		((quantities & DPS_BATCH_GRADIENTS) && batch->gradients == NULL) ||
		((quantities & DPS_BATCH_SUM) && batch->sum == NULL))
		return DPS_NOMEM;
	return DPS_OK;
}

/* The capacity for the intended workspace, given the workspace of one example. */
static int64_t
good_capacity(const DpsNetwork *network, unsigned quantities, size_t workspace, int64_t most)
{
	int64_t		one = (int64_t) workspace + dps_tensor_size(network->features) + 1;
	int64_t		capacity;

	if (quantities & DPS_BATCH_GRADIENTS)
		one += network->size;
	capacity = WORTH / one;
	capacity = capacity < 1 ? 1 : capacity > CAPACITY ? CAPACITY : capacity;
	return capacity < most ? capacity : most;
}

static DpsStatus
plan_batch(DpsNetwork *network, unsigned quantities, int64_t most, DpsExampleBatch *batch)
{
	DpsArena   *arena = network->graph->arena;
	size_t		noutputs = 2 + 2 * (size_t) network->nparameters;
	Outputs		outputs = {0, dps_arena_alloc(arena, sizeof(DpsTensor *) * noutputs), dps_arena_alloc(arena, noutputs)};
	bool	   *each;

	batch->outputs = dps_arena_alloc(arena, sizeof(double *) * noutputs);
	batch->strides = dps_arena_alloc(arena, sizeof(int64_t) * noutputs);
	if (outputs.node == NULL || outputs.total == NULL || batch->outputs == NULL || batch->strides == NULL)
		return DPS_NOMEM;
	/* planned once for one example, to find its workspace */
	DPS_TRY(add_outputs(network, quantities, batch, &outputs));
	each = dps_arena_alloc(arena, network->graph->ninputs);
	batch->inputs = dps_arena_alloc(arena, sizeof(double *) * network->graph->ninputs);
	if (each == NULL || batch->inputs == NULL)
		return DPS_NOMEM;
	each[network->features->input] = true;
	each[network->target->input] = true;
	DPS_TRY(dps_schedule_init_examples(network->graph, outputs.node, outputs.total, outputs.n, each, 1, &batch->schedule));
	batch->capacity = good_capacity(network, quantities, dps_schedule_workspace(batch->schedule), most);
	DPS_TRY(allocate_results(network, quantities, batch));
	outputs.n = 0;
	DPS_TRY(add_outputs(network, quantities, batch, &outputs));
	batch->noutputs = outputs.n;
	DPS_TRY(dps_schedule_init_examples(network->graph, outputs.node, outputs.total, outputs.n, each, batch->capacity,
									   &batch->schedule));
	batch->workspace = new_numbers(network, (int64_t) dps_schedule_workspace(batch->schedule));
	return batch->workspace == NULL ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_example_batch_init(DpsNetwork *network, unsigned quantities, int64_t most, DpsExampleBatch **batch)
{
	DpsArena   *arena = network->graph->arena;
	DpsExampleBatch *result = dps_arena_alloc(arena, sizeof(DpsExampleBatch));

	*batch = result;
	if (result == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	result->network = network;
	return dps_arena_status(arena, plan_batch(network, quantities, most < 1 ? 1 : most, result));
}

DpsStatus
dps_example_batch_run(DpsExampleBatch *batch, const double *parameters, int64_t examples)
{
	const DpsNetwork *network = batch->network;
	int			k;

	batch->inputs[network->features->input] = batch->features;
	batch->inputs[network->target->input] = batch->targets;
	for (k = 0; k < network->nparameters; k++)
		batch->inputs[network->parameters[k].tensor->input] = parameters + network->parameters[k].offset;
	return dps_schedule_run_examples(batch->schedule, examples, batch->inputs, batch->workspace, batch->outputs,
									 batch->strides);
}
