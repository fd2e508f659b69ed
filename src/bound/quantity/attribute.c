/*
 * attribute.c
 *		How far a column alone moves a value: the supremum of its differences over
 *		the box and one more column, to which the first one moves.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/bound.h"
#include "bound/quantity/column_move.h"
#include "bound/quantity/lift_conditions.h"
#include "bound/quantity/reduce.h"
#include "bound/relax/share.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

#define EXTREMES_SHARE 8
#define BOXES_BEFORE_EXTREMES 500

/* The moving copy, cast to the column's type. */
static const DpsNode *
moving_node(DpsGraph *graph, DpsType type)
{
	int			moving = dps_moving_variable(graph);
	const DpsNode *node;

	if (moving < 0)
		moving = dps_graph_add_variable(graph, dps_moving_name, DPS_FLOAT8, true);
	if (moving < 0)
		return NULL;
	node = dps_variable(graph, moving);
	/* one copy serves columns of all types, so it has the widest type */
	return type == DPS_FLOAT8 ? node : dps_apply(graph, DPS_OP_CAST, type, node, NULL);
}

/* Raises the lower end: how far the column moves the value with the other
 * columns fixed. */
static DpsStatus
reach_along(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable, const DpsPoint *at,
			const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsDomain	line[MAX_DIMENSIONS];
	DpsBracket	infimum;
	DpsBracket	supremum;
	DpsBracket	length;
	int			j;

	for (j = 0; j < dps_columns(graph); j++)
	{
		line[j] = box[j];
		if (j == variable)
			continue;
		line[j].nullness = isnan(at->x[j]) ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		if (!isnan(at->x[j]))
			line[j].lo = line[j].hi = at->x[j];
	}
	DPS_TRY(dps_infimum(graph, node, line, options, &infimum));
	DPS_TRY(dps_supremum(graph, node, line, options, &supremum));
	dps_bracket_length(&infimum, &supremum, &length);
	bracket->boxes += infimum.boxes + supremum.boxes;
	if (length.status != DPS_OK || infimum.empty || supremum.empty || !(length.lower > bracket->lower))
		return DPS_OK;
	bracket->lower = length.lower;
	bracket->witness = supremum.witness;
	bracket->witness.x[DPS_MAX_VARIABLES] = infimum.witness.x[variable];
	return DPS_OK;
}

/*
 * A column moves the value by no more than the difference of the value's
 * supremum and infimum, and often by as much from one of these.  This helps
 * searches that a few boxes do not end, over ranges of many orders of
 * magnitude and where conditions compare columns.  Each search for an extreme
 * gets a part of the boxes.
 */
static DpsStatus
cut_by_extremes(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
				const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsBracket	infimum;
	DpsBracket	supremum;
	DpsBracket	length;
	DpsBoundOptions brief = *options;

	brief.max_boxes = options->max_boxes / EXTREMES_SHARE + 1;
	DPS_TRY(dps_infimum(graph, node, box, &brief, &infimum));
	DPS_TRY(dps_supremum(graph, node, box, &brief, &supremum));
	dps_bracket_length(&infimum, &supremum, &length);
	bracket->boxes += infimum.boxes + supremum.boxes;
	if (length.status != DPS_OK || infimum.empty || supremum.empty)
		return DPS_OK;
	bracket->upper = fmin(bracket->upper, length.upper);
	DPS_TRY(reach_along(graph, node, box, variable, &supremum.witness, &brief, bracket));
	return reach_along(graph, node, box, variable, &infimum.witness, &brief, bracket);
}

/* A search, of at most so many boxes, for moves beyond the bracket's lower
 * end. */
static DpsStatus
search_attribute(DpsGraph *graph, const DpsObjective *objective, uint64_t max_boxes, const DpsBoundOptions *options,
				 DpsBracket *bracket)
{
	DpsObjective beyond = *objective;
	DpsBoundOptions some = *options;
	DpsBracket	found;

	beyond.floor = bracket->lower > 0 ? bracket->lower : -INFINITY;
	if (some.max_boxes > max_boxes)
		some.max_boxes = max_boxes;
	DPS_TRY(dps_maximise(graph, &beyond, &some, &found));
	found.boxes += bracket->boxes;
	found.witness.x[DPS_MAX_VARIABLES] = found.witness.x[objective->ncolumns - 1];
	found.witness.x[objective->ncolumns - 1] = 0.0;
	found.upper = fmin(found.upper, bracket->upper);
	if (bracket->lower > 0 && found.status == DPS_OK && !(found.lower > bracket->lower))
	{
		found.lower = bracket->lower;
		found.witness = bracket->witness;
	}
	*bracket = found;
	return DPS_OK;
}

static bool
is_tight(const DpsBracket *bracket, const DpsBoundOptions *options)
{
	return bracket->upper - bracket->lower <= options->tolerance * bracket->upper;
}

DpsStatus
dps_attribute(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
			  const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *value = dps_as_float8(graph, node);
	const DpsNode *moving = moving_node(graph, graph->variables[variable].type);
	const DpsNode *shared;
	DpsDomain	both[MAX_DIMENSIONS];
	DpsObjective objective = {.nguards = 2, .box = both, .floor = -INFINITY};
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	int			ncolumns = dps_columns(graph);

	if (value == NULL || moving == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	memcpy(both, box, sizeof(DpsDomain) * ncolumns);
	both[ncolumns] = box[variable];
	DPS_TRY(dps_shares(graph, value, box, &shared));
	objective.node = dps_lift_conditions(graph, dps_column_move(graph, shared, variable, moving), 0);
	objective.guards[0] = value;
	objective.guards[1] = dps_substitute(graph, value, variable, moving);
	objective.ncolumns = ncolumns + 1;
	objective.shares = shared != value;
	memset(bracket, 0, sizeof(*bracket));
	bracket->upper = INFINITY;
	DPS_TRY(search_attribute(graph, &objective, BOXES_BEFORE_EXTREMES, &chosen, bracket));
	if (bracket->exhausted && !bracket->late && chosen.max_boxes > BOXES_BEFORE_EXTREMES)
	{
		/* if a few boxes did not prove it defined, more boxes may */
		if (bracket->status == DPS_OK)
			DPS_TRY(cut_by_extremes(graph, value, box, variable, &chosen, bracket));
		bracket->exhausted = bracket->status != DPS_OK || !is_tight(bracket, &chosen);
		if (bracket->exhausted)
			DPS_TRY(search_attribute(graph, &objective, chosen.max_boxes, &chosen, bracket));
	}
	bracket->lower = fmax(bracket->lower, 0.0);
	bracket->upper = fmax(bracket->upper, 0.0);
	return DPS_OK;
}
