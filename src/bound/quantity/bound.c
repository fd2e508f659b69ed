/*
 * bound.c
 *		The least and the greatest value of a row expression: the search at its
 *		simplest.
 */
#include "bound/dimension.h"
#include "bound/quantity/bound.h"
#include "bound/quantity/reduce.h"

static DpsStatus
maximise(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, bool partial,
		 const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective objective = {.node = node, .box = box, .ncolumns = dps_columns(graph), .floor = -INFINITY, .partial = partial};

	return dps_maximise(graph, &objective, options, bracket);
}

static DpsStatus
minimise(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, bool partial,
		 const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *negated = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, node, NULL);
	double		upper;

	DPS_TRY(maximise(graph, negated, box, partial, options, bracket));
	if (bracket->culprit == negated)
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
dps_supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
			 const DpsBoundOptions *options, DpsBracket *bracket)
{
	return maximise(graph, dps_as_float8(graph, node), box, false, options, bracket);
}

DpsStatus
dps_infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
			const DpsBoundOptions *options, DpsBracket *bracket)
{
	return minimise(graph, dps_as_float8(graph, node), box, false, options, bracket);
}

DpsStatus
dps_partial_supremum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
					 const DpsBoundOptions *options, DpsBracket *bracket)
{
	return maximise(graph, dps_as_float8(graph, node), box, true, options, bracket);
}

DpsStatus
dps_partial_infimum(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
					const DpsBoundOptions *options, DpsBracket *bracket)
{
	return minimise(graph, dps_as_float8(graph, node), box, true, options, bracket);
}
