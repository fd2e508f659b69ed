/*
 * search_setup.c
 *		Preparation of a search before its first box: dimensions, programs,
 *		climbs, and the most work.
 */
#include "bound/relax/factor.h"
#include "bound/search/search_state.h"

/*
 * With so few columns, a box stands for at most so many operations, so that
 * the default number of boxes takes a second: an operation takes 20 to 35 ns.
 */
#define FEW_COLUMNS 3
#define WORK_OF_BOX 110

static void
choose_dimensions(DpsSearch *s)
{
	const DpsObjective *objective = s->objective;
	uint64_t	used = objective->node->variables;
	uint64_t	strict = dps_strict_variables(s->graph, objective->node);
	int			i;
	int			j;

	for (i = 0; i < objective->nguards; i++)
	{
		used |= objective->guards[i]->variables;
		strict |= dps_strict_variables(s->graph, objective->guards[i]);
	}
	for (j = 0; j < objective->ncolumns; j++)
	{
		DpsDomain	domain = objective->box[j];

		if (!(used & (UINT64_C(1) << j)))
			continue;
		/* a NULL here makes the row's value NULL, and such rows do not
		 * count */
		if ((strict & (UINT64_C(1) << j)) && domain.nullness == DPS_MAYBE_NULL)
			domain.nullness = DPS_NEVER_NULL;
		s->root[s->n] = domain;
		s->variable[s->n++] = j;
	}
}

/* Slopes that have a second form, as a fraction, are enclosed in both
 * forms. */
static DpsStatus
add_alternatives(DpsSearch *s)
{
	int			k;

	for (k = 0; k < s->n; k++)
	{
		const DpsNode *slope = s->outputs[s->nvalues + k];
		const DpsNode *other = dps_together(s->graph, slope);

		if (other == NULL)
			return DPS_NOMEM;
		if (other == slope)
			continue;
		s->other_of[s->nothers] = k;
		s->outputs[s->nvalues + s->n + s->nothers++] = other;
	}
	return DPS_OK;
}

static DpsStatus
compile_outputs(DpsSearch *s)
{
	const DpsObjective *objective = s->objective;
	const DpsNode *gradient[DPS_MAX_DIMENSIONS];
	int			first = objective->nguards > 0 || objective->real ? 1 : 0;
	int			i;

	s->outputs[0] = objective->node;
	for (i = 0; i < objective->nguards; i++)
		s->outputs[1 + i] = objective->guards[i];
	s->nvalues = 1 + objective->nguards;
	DPS_TRY(dps_compile_partly(s->graph, s->outputs, s->nvalues, first, s->nvalues - first, &s->at_points));
	DPS_TRY(dps_gradient(s->graph, objective->node, gradient));
	for (i = 0; i < s->n; i++)
		s->outputs[s->nvalues + i] = gradient[s->variable[i]];
	DPS_TRY(add_alternatives(s));
	return dps_compile_partly(s->graph, s->outputs, s->nvalues + s->n + s->nothers, first,
							  s->nvalues - first, &s->on_boxes);
}

static DpsStatus
set_up_climbs(DpsSearch *s)
{
	DpsClimb   *climb = &s->climb;

	climb->program = s->on_boxes;
	climb->arena = s->arena;
	climb->slope = s->nvalues;
	climb->point = dps_arena_alloc(s->arena, sizeof(double) * DPS_MAX_DIMENSIONS);
	climb->work = dps_arena_alloc(s->arena, sizeof(double) * DPS_MAX_DIMENSIONS);
	climb->outputs = dps_arena_alloc(s->arena, sizeof(double) * s->on_boxes->noutputs);
	climb->scratch = dps_arena_alloc(s->arena, sizeof(double) * dps_scratch_size(s->on_boxes));
	return climb->point == NULL || climb->work == NULL || climb->outputs == NULL ||
		climb->scratch == NULL ? DPS_NOMEM : DPS_OK;
}

static bool
is_kink(const DpsInstruction *instruction)
{
	switch (instruction->op)
	{
		case DPS_OP_CONST:
		case DPS_OP_VAR:
			return false;
		case DPS_OP_CASE:
			return true;
		case DPS_OP_CAST:
			/* a cast that rounds, or to integers */
			return instruction->type != DPS_FLOAT8 && instruction->type != DPS_NUMERIC;
		default:
			return !dps_ops[instruction->op].smooth;
	}
}

/* Is there an operation that is not differentiable all over its domain? */
static bool
has_kinks(const DpsProgram *program)
{
	uint32_t	i;

	for (i = 0; i < program->ninstructions; i++)
		if (is_kink(&program->code[i]))
			return true;
	return false;
}

static DpsStatus
set_up_cover(DpsSearch *s)
{
	if (s->objective->cover == NULL)
		return DPS_OK;
	DPS_TRY(dps_compile_partly(s->graph, &s->objective->cover, 1, 0, 0, &s->cover));
	s->covered = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->cover->ninstructions);
	return s->covered == NULL ? DPS_NOMEM : DPS_OK;
}

/* The cost of a choice between branches. */
#define COST_OF_CASE 6

static uint32_t
cost_of(const DpsInstruction *instruction)
{
	switch (instruction->op)
	{
		case DPS_OP_CONST:
		case DPS_OP_VAR:
			return 1;
		case DPS_OP_CASE:
			return COST_OF_CASE;
		default:
			return dps_ops[instruction->op].cost;
	}
}

/* The cost of a program, in sums. */
static uint32_t
work_of(const DpsProgram *program)
{
	uint32_t	work = 0;
	uint32_t	i;

	for (i = 0; i < program->ninstructions; i++)
		work += cost_of(&program->code[i]);
	return work;
}

/* The most work of a search.  The moving copy that dps_attribute adds is not
 * counted as a column; columns that others stand for are. */
static uint64_t
most_work(const DpsSearch *s)
{
	int			given = __builtin_popcountll(s->objective->given);
	int			ncolumns = (given > s->n ? given : s->n) - (s->objective->ncolumns > dps_columns(s->graph));

	if (ncolumns > FEW_COLUMNS || s->options->max_boxes > UINT64_MAX / WORK_OF_BOX)
		return UINT64_MAX;
	return s->options->max_boxes * WORK_OF_BOX;
}

DpsStatus
dps_set_up_search(DpsSearch *s)
{
	choose_dimensions(s);
	DPS_TRY(compile_outputs(s));
	DPS_TRY(set_up_climbs(s));
	s->point = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->at_points->ninstructions);
	s->halves = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->at_points->ninstructions);
	s->box = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->on_boxes->ninstructions);
	s->point_variables = dps_arena_alloc(s->arena, sizeof(uint64_t) * s->at_points->ninstructions);
	s->box_variables = dps_arena_alloc(s->arena, sizeof(uint64_t) * s->on_boxes->ninstructions);
	s->box_jumps = dps_arena_alloc(s->arena, sizeof(uint64_t) * s->on_boxes->ninstructions);
	if (s->point == NULL || s->halves == NULL || s->box == NULL || s->point_variables == NULL || s->box_variables == NULL || s->box_jumps == NULL)
		return DPS_NOMEM;
	DPS_TRY(set_up_cover(s));
	dps_instruction_variables(s->at_points, s->point_variables);
	dps_instruction_variables(s->on_boxes, s->box_variables);
	s->kinked = has_kinks(s->on_boxes);
	s->queue = (DpsBoxQueue) {.arena = s->arena, .ndimensions = s->n + DPS_MAX_SLABS};
	s->lower = s->objective->floor;
	s->settled = -INFINITY;
	s->greatest = -INFINITY;
	s->least = INFINITY;
	s->bottom = INFINITY;
	s->point_work = work_of(s->at_points);
	s->box_work = work_of(s->on_boxes);
	s->most_work = most_work(s);
	return DPS_OK;
}
