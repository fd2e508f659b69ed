/*
 * groups_plan.c
 *		One plan constant for all exact states of a query.
 *
 * Each state was planned by itself.  Their programs are read back into one
 * graph over the cells of all of them, where equal expressions are one node,
 * and compiled together.  A node is made again as it was, so every value has
 * the bits that it has by itself.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "agg/state/groups.h"
#include "expr/expr.h"
#include "glue/glue.h"
#include "glue/compat.h"
#include "num/whole.h"

/* ---- one program ---- */

typedef struct Merging
{
	DpsGraph   *graph;
	const DpsGroupsInput *inputs;
	int			ncells;
	int		   *variable;		/* of each cell and type, or -1 */
	List	   *outputs;		/* of const DpsNode * */
} Merging;

/* The variable that stands for a cell read as this type. */
static int
find_variable(Merging *m, int cell, DpsType type)
{
	int		   *variable = &m->variable[cell * (DPS_FLOAT8 + 1) + type];

	if (*variable < 0)
		*variable = dps_graph_add_variable(m->graph, psprintf("cell %d", cell), type, true);
	return *variable;
}

/* The program with its variables' numbers in the common graph; NULL if there are
 * too many. */
static DpsProgram *
renumber(Merging *m, const DpsProgram *program, const int *cells)
{
	DpsProgram *copy = memcpy(palloc(program->size), program, program->size);
	uint32		i;

	for (i = 0; i < copy->ninstructions; i++)
	{
		DpsInstruction *instruction = &copy->code[i];
		int			variable;

		if (instruction->op != DPS_OP_VAR)
			continue;
		variable = find_variable(m, cells[instruction->arg[0]], instruction->type);
		if (variable < 0)
			return NULL;
		instruction->arg[0] = variable;
	}
	return copy;
}

static bool
merge_program(Merging *m, const DpsProgram *program, const int *cells)
{
	const DpsNode *outputs[DPS_MAX_VALUES];
	DpsProgram *copy = renumber(m, program, cells);
	DpsStatus	status;
	uint32		i;

	if (copy == NULL)
		return false;
	status = dps_decompile(m->graph, copy, copy->size, outputs, copy->noutputs);
	pfree(copy);
	if (status == DPS_NOMEM)
		dps_check_status(status);
	if (status != DPS_OK)
		return false;
	for (i = 0; i < program->noutputs; i++)
		m->outputs = lappend(m->outputs, (void *) outputs[i]);
	return true;
}

/* Variables of the graph become the cells that they stand for. */
static void
name_cells(const Merging *m, DpsProgram *program)
{
	uint32		i;
	int			k;

	for (i = 0; i < program->ninstructions; i++)
	{
		if (program->code[i].op != DPS_OP_VAR)
			continue;
		for (k = 0; m->variable[k] != (int) program->code[i].arg[0]; k++)
			;
		program->code[i].arg[0] = k / (DPS_FLOAT8 + 1);
	}
	program->nvariables = m->ncells;
}

/* The program of all values of all states; NULL with *ok if there are none. */
static DpsProgram *
merge_programs(const DpsGroupsInput *inputs, int nstates, int ncells, bool *ok)
{
	Merging		m = {.inputs = inputs, .ncells = ncells};
	const DpsProgram *program;
	const DpsNode **nodes;
	DpsProgram *copy;
	int			n = 0;
	ListCell   *cell;
	int			i;

	m.variable = palloc(sizeof(int) * Max(ncells, 1) * (DPS_FLOAT8 + 1));
	memset(m.variable, 0xff, sizeof(int) * Max(ncells, 1) * (DPS_FLOAT8 + 1));
	dps_check_status(dps_graph_init(&m.graph, dps_server_arena()));
	*ok = false;
	for (i = 0; i < nstates; i++)
	{
		DpsSummandParts parts;

		dps_summand_parts(inputs[i].summand, &parts);
		if (parts.program != NULL && !merge_program(&m, parts.program, inputs[i].cells))
			return NULL;
	}
	*ok = true;
	if (m.outputs == NIL)
		return NULL;
	nodes = palloc(sizeof(DpsNode *) * list_length(m.outputs));
	foreach(cell, m.outputs)
		nodes[n++] = lfirst(cell);
	dps_check_status(dps_compile(m.graph, nodes, n, &program));
	copy = memcpy(palloc(program->size), program, program->size);
	name_cells(&m, copy);
	return copy;
}

/* ---- the bytes ---- */

static Size
keys_size(const List *keys)
{
	Size		size = 0;
	ListCell   *cell;

	foreach(cell, keys)
		size = add_size(size, ((const DpsGroupKey *) lfirst(cell))->size);
	return size;
}

static Size
member_size(const DpsSummandPlan *summand)
{
	return MAXALIGN(sizeof(DpsGroupsMember) + VARSIZE(summand));
}

static Size
members_size(const DpsGroupsInput *inputs, int nstates)
{
	Size		size = 0;
	int			i;

	for (i = 0; i < nstates; i++)
		size = add_size(size, member_size(inputs[i].summand));
	return size;
}

static void
write_members(char *to, const DpsGroupsInput *inputs, int nstates)
{
	int			i;

	for (i = 0; i < nstates; i++)
	{
		DpsGroupsMember *member = (DpsGroupsMember *) to;

		member->size = member_size(inputs[i].summand);
		member->filter = inputs[i].filter;
		memcpy(member + 1, inputs[i].summand, VARSIZE(inputs[i].summand));
		to += member->size;
	}
}

static int64
count_groups(const List *keys)
{
	double		n = 1;
	ListCell   *cell;

	foreach(cell, keys)
		n *= ((const DpsGroupKey *) lfirst(cell))->n;
	return n <= PG_INT32_MAX ? dps_to_int64(n) : -1;
}

DpsGroupsPlan *
dps_groups_build(const List *keys, const DpsGroupsInput *inputs, int nstates, const DpsCell *cells, int ncells,
				 int nfilters, const DpsUnitBounds *bounds)
{
	int64		ngroups = count_groups(keys);
	Size		states_at = MAXALIGN(sizeof(DpsGroupsPlan)) + keys_size(keys);
	Size		cells_at = add_size(states_at, members_size(inputs, nstates));
	Size		program_at = add_size(cells_at, ncells * sizeof(DpsCell));
	bool		ok;
	DpsProgram *program = merge_programs(inputs, nstates, ncells, &ok);
	Size		size = add_size(program_at, program != NULL ? program->size : 0);
	DpsGroupsPlan *plan;
	char	   *next;
	ListCell   *cell;

	if (!ok || ngroups < 1 || size > MaxAllocSize)
		return NULL;
	/* the keys are much, and leave no gap */
	plan = palloc(size);
	memset(plan, 0, MAXALIGN(sizeof(DpsGroupsPlan)));
	memset((char *) plan + states_at, 0, size - states_at);
	SET_VARSIZE(plan, size);
	plan->version = DPS_GROUPS_VERSION;
	plan->nkeys = list_length(keys);
	plan->nstates = nstates;
	plan->ncells = ncells;
	plan->nfilters = nfilters;
	plan->ngroups = plan->span = ngroups;
	if (bounds != NULL)
		plan->bounds = *bounds;
	plan->states_at = states_at;
	plan->cells_at = cells_at;
	plan->program_at = program_at;
	next = (char *) plan + MAXALIGN(sizeof(DpsGroupsPlan));
	foreach(cell, keys)
	{
		const DpsGroupKey *key = lfirst(cell);

		memcpy(next, key, key->size);
		next += key->size;
	}
	write_members((char *) plan + states_at, inputs, nstates);
	if (ncells > 0)
		memcpy((char *) plan + cells_at, cells, ncells * sizeof(DpsCell));
	if (program != NULL)
		memcpy((char *) plan + program_at, program, program->size);
	return plan;
}
