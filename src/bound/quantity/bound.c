/*
 * bound.c
 *		The least and the greatest value of a row expression: the search at its
 *		simplest.
 */
#include "bound/dimension.h"
#include "bound/quantity/bound.h"
#include "bound/quantity/reduce.h"

static DpsStatus
supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
		 const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective objective = {.box = box, .floor = -INFINITY};

	objective.node = dps_as_float8(graph, node);
	objective.ncolumns = dps_columns(graph);
	return dps_maximise(graph, &objective, options, bracket);
}

DpsStatus
dps_supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
			 const DpsBoundOptions *options, DpsBracket *bracket)
{
	bool		before = dps_graph_prove(graph, true);

	return dps_graph_proved(graph, before, supremum(graph, node, box, options, bracket));
}

static DpsStatus
infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
		const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective objective = {.box = box, .floor = -INFINITY};
	double		upper;

	objective.node = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, dps_as_float8(graph, node), NULL);
	objective.ncolumns = dps_columns(graph);
	DPS_TRY(dps_maximise(graph, &objective, options, bracket));
	if (bracket->culprit == objective.node)
		bracket->culprit = node;
	if (bracket->status != DPS_OK)
	{
		bracket->lower = -INFINITY;
		return DPS_OK;
	}
	upper = -bracket->lower;
	bracket->lower = -bracket->upper;
	bracket->upper = upper;
	return DPS_OK;
}

DpsStatus
dps_infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
			const DpsBoundOptions *options, DpsBracket *bracket)
{
	bool		before = dps_graph_prove(graph, true);

	return dps_graph_proved(graph, before, infimum(graph, node, box, options, bracket));
}
