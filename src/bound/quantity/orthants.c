/*
 * orthants.c
 *		Suprema, one sign of a column at a time where that says more.
 *
 * Where abs(x) is x, or -x, terms cancel that no enclosure of abs(x) and x apart
 * can relate: the derivatives of (x + y)/(1 + abs(x) + abs(y)) are positive, which
 * is seen in each orthant alone.  The supremum is the greatest of those of the
 * orthants.
 */
#include <math.h>
#include <string.h>

#include "bound/quantity/reduce.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* Most searches end before so many boxes, and need no orthants. */
#define BOXES_BEFORE_ORTHANTS 500

#define MAX_SIGNS 3

typedef struct Signs
{
	int			n;
	int			column[MAX_SIGNS];
	const DpsNode *magnitude[MAX_SIGNS];	/* abs of the column */
} Signs;

/* Notes the columns whose magnitudes the node contains, and that have both signs. */
static void
collect_signs(const DpsObjective *objective, const DpsNode *node, bool *seen, Signs *signs)
{
	const DpsNode *x = node->arg[0];
	int			i;

	if (seen[node->id])
		return;
	seen[node->id] = true;
	if (node->op == DPS_OP_ABS && x->op == DPS_OP_VAR && signs->n < MAX_SIGNS)
	{
		const DpsDomain *domain = &objective->box[x->variable];

		if (domain->nullness == DPS_NEVER_NULL && domain->lo < 0 && domain->hi > 0)
		{
			signs->column[signs->n] = x->variable;
			signs->magnitude[signs->n++] = node;
		}
	}
	for (i = 0; i < node->nargs; i++)
		collect_signs(objective, node->arg[i], seen, signs);
}

/* The node, of which there may be none, where the columns have these signs; bit i: column i
 * is not positive. */
static const DpsNode *
fix_signs(DpsGraph *graph, const DpsNode *node, const Signs *signs, int negative)
{
	int			i;

	for (i = 0; i < signs->n && node != NULL; i++)
	{
		const DpsNode *x = signs->magnitude[i]->arg[0];

		node = dps_replace(graph, node, signs->magnitude[i],
						   negative >> i & 1 ? dps_apply(graph, DPS_OP_NEG, x->type, x, NULL) : x);
	}
	return node;
}

static DpsStatus
maximise_orthant(DpsGraph *graph, const DpsObjective *objective, const Signs *signs, int negative, double floor,
				 const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective orthant = *objective;
	DpsDomain	box[MAX_DIMENSIONS];
	int			i;

	memcpy(box, objective->box, sizeof(DpsDomain) * objective->ncolumns);
	for (i = 0; i < signs->n; i++)
		*(negative >> i & 1 ? &box[signs->column[i]].hi : &box[signs->column[i]].lo) = 0;
	orthant.box = box;
	orthant.floor = floor;
	/* with these signs there may be others */
	orthant.shares = false;
	orthant.node = fix_signs(graph, objective->node, signs, negative);
	for (i = 0; i < objective->nguards; i++)
		orthant.guards[i] = fix_signs(graph, objective->guards[i], signs, negative);
	orthant.cover = fix_signs(graph, objective->cover, signs, negative);
	if (objective->cover != NULL && orthant.cover == NULL)
		return DPS_NOMEM;
	return dps_maximise_reduced(graph, &orthant, options, bracket);
}

/* Takes the greater supremum; a refusal is one for all orthants. */
static void
join(DpsBracket *whole, const DpsBracket *orthant, bool first)
{
	DpsBracket	joined = first || whole->empty || (!orthant->empty && orthant->lower > whole->lower) ? *orthant : *whole;

	if (orthant->status != DPS_OK)
		joined = *orthant;
	if (!first)
	{
		/* ends of an orthant without a value say nothing */
		joined.lower = whole->empty ? orthant->lower : orthant->empty ? whole->lower : fmax(whole->lower, orthant->lower);
		joined.upper = whole->empty ? orthant->upper : orthant->empty ? whole->upper : fmax(whole->upper, orthant->upper);
		joined.empty = whole->empty && orthant->empty;
		joined.exhausted = whole->exhausted || orthant->exhausted;
		joined.late = whole->late || orthant->late;
		joined.full = whole->full || orthant->full;
		joined.boxes = whole->boxes + orthant->boxes;
	}
	*whole = joined;
}

static DpsStatus
maximise_orthants(DpsGraph *graph, const DpsObjective *objective, const Signs *signs, const DpsBoundOptions *options,
				  DpsBracket *bracket)
{
	DpsBoundOptions each = *options;
	uint64_t	left = options->max_boxes;
	int			negative;

	for (negative = 0; negative < 1 << signs->n; negative++)
	{
		double		floor = negative == 0 || bracket->empty ? objective->floor : fmax(objective->floor, bracket->lower);
		DpsBracket	orthant;

		/* those that end early leave their boxes to others */
		each.max_boxes = left / ((1u << signs->n) - negative) + 1;
		DPS_TRY(maximise_orthant(graph, objective, signs, negative, floor, &each, &orthant));
		left -= orthant.boxes < left ? orthant.boxes : left;
		join(bracket, &orthant, negative == 0);
		if (bracket->status != DPS_OK)
			return DPS_OK;
	}
	return DPS_OK;
}

DpsStatus
dps_maximise(DpsGraph *graph, const DpsObjective *objective, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	DpsBoundOptions brief = chosen;
	DpsBracket	orthants;
	Signs		signs = {0};
	bool	   *seen;
	uint64_t	boxes;

	if (objective->node == NULL || objective->partial || chosen.max_boxes <= BOXES_BEFORE_ORTHANTS)
		return dps_maximise_reduced(graph, objective, &chosen, bracket);
	seen = dps_arena_alloc(graph->arena, sizeof(bool) * (objective->node->id + 1));
	if (seen == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	collect_signs(objective, objective->node, seen, &signs);
	if (signs.n == 0)
		return dps_maximise_reduced(graph, objective, &chosen, bracket);
	brief.max_boxes = BOXES_BEFORE_ORTHANTS;
	DPS_TRY(dps_maximise_reduced(graph, objective, &brief, bracket));
	if (!bracket->exhausted || bracket->late)
		return DPS_OK;
	boxes = bracket->boxes;
	chosen.max_boxes -= boxes < chosen.max_boxes ? boxes : chosen.max_boxes - 1;
	DPS_TRY(maximise_orthants(graph, objective, &signs, &chosen, &orthants));
	*bracket = orthants;
	bracket->boxes += boxes;
	return DPS_OK;
}
