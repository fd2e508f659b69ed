/*
 * matching.c
 *		How far an example's gradient is from one that is given, by differentiation of
 *		the gradient's own graph.
 */
#include <math.h>

#include "tensor/network/matching.h"

#define BINARY(op, x, y) dps_tensor_map(g, DPS_OP_##op, x, y)

/* The sum of the squares of all differences. */
static const DpsTensor *
squared_loss(DpsTensorGraph *g, const DpsTensor *const *gradient, const DpsTensor *const *given, int n)
{
	const DpsTensor *sum = dps_tensor_constant(g, 0);
	int			k;

	for (k = 0; k < n; k++)
	{
		const DpsTensor *difference = BINARY(SUB, gradient[k], given[k]);

		sum = BINARY(ADD, sum, dps_tensor_dot(g, difference, difference));
	}
	return sum;
}

/* One minus the cosine of the angle between the two. */
static const DpsTensor *
cosine_loss(DpsTensorGraph *g, const DpsTensor *const *gradient, const DpsTensor *const *given, int n)
{
	const DpsTensor *dot = dps_tensor_constant(g, 0);
	const DpsTensor *norms = BINARY(MUL, dps_tensor_norm(g, gradient, n), dps_tensor_norm(g, given, n));
	int			k;

	for (k = 0; k < n; k++)
		dot = BINARY(ADD, dot, dps_tensor_dot(g, gradient[k], given[k]));
	return BINARY(SUB, dps_tensor_constant(g, 1), BINARY(DIV, dot, norms));
}

const DpsMatchingKind dps_matching_kinds[DPS_MATCHING_KINDS] = {
	{"squared", squared_loss},
	{"cosine", cosine_loss},
};

/* The loss and its gradient by the features. */
static DpsStatus
derive_loss(DpsNetwork *network, const DpsMatchingKind *kind, DpsMatching *m, const DpsTensor **nodes)
{
	DpsTensorGraph *g = network->graph;
	int			n = network->nparameters;
	const DpsTensor **gradient = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * (n + 1));
	int			k;

	m->given = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * (n + 1));
	if (gradient == NULL || m->given == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_tensor_gradient(g, network->loss, network->tensors, n, gradient));
	for (k = 0; k < n; k++)
	{
		m->given[k] = dps_tensor_input(g, "given", network->tensors[k]->shape);
		if (m->given[k] == NULL)
			return DPS_NOMEM;
	}
	nodes[0] = kind->build(g, gradient, m->given, n);
	return dps_tensor_gradient(g, nodes[0], &network->features, 1, &nodes[1]);
}

static DpsStatus
plan_matching(DpsNetwork *network, const DpsMatchingKind *kind, DpsMatching *m)
{
	DpsTensorGraph *g = network->graph;
	const DpsTensor *nodes[2];

	DPS_TRY(derive_loss(network, kind, m, nodes));
	DPS_TRY(dps_schedule_init(g, nodes, 2, &m->schedule));
	m->feature_gradient = dps_arena_alloc(g->arena, sizeof(double) * (size_t) m->nfeatures);
	m->workspace = dps_arena_alloc(g->arena, sizeof(double) * dps_schedule_workspace(m->schedule));
	m->inputs = dps_arena_alloc(g->arena, sizeof(double *) * g->ninputs);
	m->outputs[0] = &m->loss;
	m->outputs[1] = m->feature_gradient;
	return m->feature_gradient == NULL || m->workspace == NULL || m->inputs == NULL ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_matching_init(DpsNetwork *network, const DpsMatchingKind *kind, DpsMatching **matching)
{
	DpsArena   *arena = network->graph->arena;
	DpsMatching *m = dps_arena_alloc(arena, sizeof(DpsMatching));

	*matching = m;
	if (m == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	m->network = network;
	m->nfeatures = (int) dps_tensor_size(network->features);
	m->loss = NAN;
	return dps_arena_status(arena, plan_matching(network, kind, m));
}

DpsStatus
dps_matching_run(DpsMatching *m, const double *parameters, const double *features, const double *target,
				 const double *given)
{
	const DpsNetwork *network = m->network;
	int			k;

	m->inputs[network->features->input] = features;
	m->inputs[network->target->input] = target;
	for (k = 0; k < network->nparameters; k++)
	{
		int64_t		offset = network->parameters[k].offset;

		m->inputs[network->parameters[k].tensor->input] = parameters + offset;
		m->inputs[m->given[k]->input] = given + offset;
	}
	return dps_schedule_run(m->schedule, m->inputs, m->workspace, m->outputs);
}
