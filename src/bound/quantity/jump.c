/*
 * jump.c
 *		Can a value jump when private columns move?
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/jump.h"
#include "expr/enclose.h"

/* Boxes after which an undecided jump counts as one. */
#define JUMP_BOXES 4000
#define SMALLEST_PART 1e-12

/* The search for a jump of an expression in its private columns. */
typedef struct JumpSearch
{
	const DpsGraph *graph;
	DpsArena   *arena;			/* of this search alone */
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	uint64_t   *variables;		/* of each instruction */
	bool	   *jumps;			/* whether each instruction may jump */
	bool	   *meets;			/* whether a CASE's branches meet */
	uint64_t	private_variables;
	const DpsDomain *root;
	int			ncolumns;
	DpsBracket *bracket;
} JumpSearch;

typedef struct JumpBox
{
	struct JumpBox *below;
	DpsDomain	domain[];
} JumpBox;

/* Can the value of instruction i jump where its arguments do not?  Whether a
 * column is NULL is public, and so is what depends on public columns alone. */
static bool
jumps_itself(const JumpSearch *s, uint32_t i)
{
	const DpsInstruction *instruction = &s->program->code[i];
	const DpsEnclosure *e = s->enclosures;

	if (instruction->nargs == 0 || dps_enclosure_is_constant(&e[i]))
		return false;
	if (instruction->op == DPS_OP_CASE)
		return (s->variables[instruction->arg[0]] & s->private_variables) && !s->meets[i] &&
			(dps_evaluated_arguments(instruction, e) & 6) == 6;
	return (s->variables[i] & s->private_variables) && !dps_iv_is_empty(e[i].value) &&
		dps_ops[instruction->op].jumps(e[instruction->arg[0]].value,
									   e[instruction->arg[instruction->nargs - 1]].value, e[i].value);
}

/*
 * The first leaf that may jump below a CASE whose branches meet: the CASEs in
 * between were part of the proof that the branches meet.
 */
static int
jumping_leaf(const JumpSearch *s, uint32_t i)
{
	const DpsInstruction *instruction = &s->program->code[i];
	unsigned	evaluated;
	int			found = -1;
	int			a;

	if (instruction->op == DPS_OP_CAST)
		return jumping_leaf(s, instruction->arg[0]);
	if (instruction->op != DPS_OP_CASE)
		return s->jumps[i] ? (int) i : -1;
	evaluated = dps_evaluated_arguments(instruction, s->enclosures);
	for (a = 1; a < 3 && found < 0; a++)
		if (evaluated & 1u << a)
			found = jumping_leaf(s, instruction->arg[a]);
	return found;
}

/* The first argument through which instruction i may jump; -1 if none. */
static int
jumping_argument(const JumpSearch *s, uint32_t i)
{
	const DpsInstruction *instruction = &s->program->code[i];
	unsigned	evaluated = dps_evaluated_arguments(instruction, s->enclosures);
	int			a;

	if (instruction->nargs == 0 || dps_enclosure_is_constant(&s->enclosures[i]))
		return -1;
	if (instruction->op == DPS_OP_CASE && s->meets[i])
		return jumping_leaf(s, i);
	for (a = 0; a < instruction->nargs; a++)
	{
		/* a jump of the condition matters in jumps_itself only */
		if (instruction->op == DPS_OP_CASE && a == 0)
			continue;
		if ((evaluated & 1u << a) && s->jumps[instruction->arg[a]])
			return instruction->arg[a];
	}
	return -1;
}

/* The innermost instruction by which the value may jump on the box; -1 if it
 * cannot. */
static int
find_jump(JumpSearch *s, const DpsDomain *box)
{
	uint32_t	i;
	int			jump = -1;
	int			next;

	s->bracket->boxes++;
	(void) dps_enclose_guarded(s->program, box, s->enclosures);
	for (i = 0; i < s->program->ninstructions; i++)
		s->jumps[i] = jumps_itself(s, i) || jumping_argument(s, i) >= 0;
	next = dps_program_outputs(s->program)[0];
	while (next >= 0 && s->jumps[next])
	{
		jump = next;
		next = jumping_argument(s, jump);
	}
	return jump;
}

/* The dimension of the mask to cut: first between NULL and the rest, then the
 * widest relative to the root; -1 if all are too small. */
static int
choose_jump_cut(const JumpSearch *s, const DpsDomain *box, uint64_t mask)
{
	double		most = SMALLEST_PART;
	int			best = -1;
	int			j;

	for (j = 0; j < s->ncolumns; j++)
	{
		double		part = box[j].hi / 2 - box[j].lo / 2;
		double		whole = s->root[j].hi / 2 - s->root[j].lo / 2;
		DpsDomain	below;
		DpsDomain	above;

		if (!(mask & (UINT64_C(1) << j)) || box[j].nullness == DPS_ALWAYS_NULL)
			continue;
		if (box[j].nullness == DPS_MAYBE_NULL)
			return j;
		/* a half of [0, 1] would hold one truth value only, and hide the jump */
		if (s->graph->variables[j].type == DPS_BOOL && (s->private_variables & (UINT64_C(1) << j)))
			continue;
		if (whole > 0 && part / whole > most && dps_cut(&box[j], &below, &above))
		{
			most = part / whole;
			best = j;
		}
	}
	return best;
}

static DpsStatus
push_jump_box(JumpSearch *s, JumpBox **stack, const DpsDomain *domain, int j, const DpsDomain *part)
{
	size_t		size = sizeof(DpsDomain) * s->ncolumns;
	JumpBox    *box = dps_arena_alloc(s->arena, sizeof(JumpBox) + size);

	if (box == NULL)
		return DPS_NOMEM;
	memcpy(box->domain, domain, size);
	box->domain[j] = *part;
	box->below = *stack;
	*stack = box;
	return DPS_OK;
}

static DpsStatus
push_jump_halves(JumpSearch *s, JumpBox **stack, const DpsDomain *domain, int j)
{
	DpsDomain	below;
	DpsDomain	above;

	if (domain[j].nullness == DPS_MAYBE_NULL)
	{
		below = above = domain[j];
		below.nullness = DPS_NEVER_NULL;
		above.nullness = DPS_ALWAYS_NULL;
	}
	else
		(void) dps_cut(&domain[j], &below, &above);
	DPS_TRY(push_jump_box(s, stack, domain, j, &below));
	return push_jump_box(s, stack, domain, j, &above);
}

static void
refuse_jump(JumpSearch *s, const DpsDomain *box, int jump)
{
	DpsBracket *bracket = s->bracket;
	int			j;

	bracket->status = DPS_DOMAIN;
	bracket->upper = INFINITY;
	bracket->culprit = dps_node_of(s->graph, s->program->code[jump].node);
	for (j = 0; j < s->ncolumns; j++)
		bracket->witness.x[j] = box[j].nullness == DPS_ALWAYS_NULL ? (double) NAN : dps_middle(&box[j]);
}

/* Boxes share their faces, so an expression that is continuous on each box is
 * continuous on their union. */
static DpsStatus
search_jumps(JumpSearch *s)
{
	JumpBox    *stack = NULL;

	if (s->ncolumns == 0)
		return DPS_OK;
	DPS_TRY(push_jump_box(s, &stack, s->root, 0, &s->root[0]));
	while (stack != NULL)
	{
		const DpsDomain *box = stack->domain;
		int			jump;
		int			j;

		stack = stack->below;
		jump = find_jump(s, box);
		if (jump < 0)
			continue;
		j = choose_jump_cut(s, box, s->variables[jump]);
		if (j < 0 || s->bracket->boxes >= JUMP_BOXES)
		{
			refuse_jump(s, box, jump);
			return DPS_OK;
		}
		if (!dps_arena_work(s->arena, s->program->ninstructions))
			return DPS_CANCELLED;
		DPS_TRY(push_jump_halves(s, &stack, box, j));
	}
	return DPS_OK;
}

/*
 * Marks each CASE whose branches meet.  The box is that of
 * dps_evaluation_error, which counts the differences that are left between the
 * branches.
 */
static DpsStatus
find_meeting_branches(DpsGraph *graph, JumpSearch *s, const DpsDomain *box)
{
	double		counted;
	uint32_t	i;

	for (i = 0; i < s->program->ninstructions; i++)
	{
		const DpsInstruction *instruction = &s->program->code[i];

		if (instruction->op == DPS_OP_CASE)
			DPS_TRY(dps_case_jump(graph, dps_node_of(graph, instruction->node), box, s->private_variables,
								  NULL, &s->meets[i], &counted));
	}
	return DPS_OK;
}

static DpsStatus
prepare_jumps(DpsGraph *graph, JumpSearch *s, const DpsDomain *box)
{
	uint32_t	n = s->program->ninstructions;

	s->enclosures = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * n);
	s->variables = dps_arena_alloc(s->arena, sizeof(uint64_t) * n);
	s->jumps = dps_arena_alloc(s->arena, sizeof(bool) * n);
	s->meets = dps_arena_alloc(s->arena, sizeof(bool) * n);
	if (s->enclosures == NULL || s->variables == NULL || s->jumps == NULL || s->meets == NULL)
		return DPS_NOMEM;
	dps_instruction_variables(s->program, s->variables);
	return find_meeting_branches(graph, s, box);
}

void
dps_relax_box(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int ncolumns,
			  uint64_t private_variables, DpsDomain *relaxed)
{
	uint64_t	strict = dps_strict_variables(graph, node);
	int			j;

	for (j = 0; j < ncolumns; j++)
	{
		relaxed[j] = box[j];
		relaxed[j].integral = box[j].integral && !(private_variables & (UINT64_C(1) << j));
		if ((strict & (UINT64_C(1) << j)) && box[j].nullness == DPS_MAYBE_NULL)
			relaxed[j].nullness = DPS_NEVER_NULL;
	}
}

DpsStatus
dps_refuse_jumps(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsDomain *relaxed,
				 int ncolumns, uint64_t private_variables, DpsBracket *bracket)
{
	JumpSearch	s = {.graph = graph, .private_variables = private_variables, .root = relaxed,
	.ncolumns = ncolumns, .bracket = bracket};
	DpsStatus	status;

	memset(bracket, 0, sizeof(*bracket));
	DPS_TRY(dps_compile(graph, &node, 1, &s.program));
	DPS_TRY(dps_arena_init(&s.arena, dps_arena_host(graph->arena)));
	status = prepare_jumps(graph, &s, box);
	if (status == DPS_OK)
		status = search_jumps(&s);
	status = dps_arena_status(graph->arena, dps_arena_status(s.arena, status));
	dps_arena_clear(s.arena);
	return status;
}

DpsStatus
dps_rounded_jumps(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, uint64_t private_variables, double *jump)
{
	const DpsProgram *program;
	uint32_t	i;

	*jump = 0;
	DPS_TRY(dps_compile(graph, &node, 1, &program));
	for (i = 0; i < program->ninstructions; i++)
	{
		double		counted;
		bool		meets;

		if (program->code[i].op != DPS_OP_CASE)
			continue;
		DPS_TRY(dps_case_jump(graph, dps_node_of(graph, program->code[i].node), box, private_variables, NULL, &meets, &counted));
		if (meets)
			*jump = dps_add_up(*jump, counted);
	}
	return DPS_OK;
}
