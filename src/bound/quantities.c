/*
 * quantities.c
 *		What privacy asks of an expression, as brackets: its Lipschitz
 *		constant, its slope, how far one column moves it.
 *
 * Each is the supremum of an expression made for the purpose; search.c does the
 * rest.
 */
#include <math.h>
#include <string.h>

#include "bound/space.h"
#include "expr/enclose.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* Boxes to guess which of several suprema is the greatest. */
#define PROBE_BOXES 64

/* Boxes after which an undecided jump counts as one. */
#define JUMP_BOXES 4000
#define SMALLEST_PART 1e-12

/* The moving column of dps_attribute is recognised by this very pointer. */
static const char moving_name[] = "x'";

static int
moving_variable(const DpsGraph *graph)
{
	int			last = graph->nvariables - 1;

	return last >= 0 && graph->variables[last].name == moving_name ? last : -1;
}

int
dps_columns(const DpsGraph *graph)
{
	int			moving = moving_variable(graph);

	return moving >= 0 ? moving : graph->nvariables;
}

static DpsStatus
worse_status(DpsStatus a, DpsStatus b)
{
	if (a == DPS_DOMAIN || b == DPS_DOMAIN)
		return DPS_DOMAIN;
	return a != DPS_OK ? a : b;
}

/* What two brackets have in common: their status, culprit and witness if one
 * refuses, the boxes. */
static void
join_brackets(const DpsBracket *a, const DpsBracket *b, DpsBracket *joined)
{
	DpsBracket	result = *a;

	result.status = worse_status(a->status, b->status);
	if (a->status != result.status)
	{
		result.culprit = b->culprit;
		result.witness = b->witness;
	}
	result.boxes = a->boxes + b->boxes;
	result.exhausted = a->exhausted || b->exhausted;
	result.late = a->late || b->late;
	result.empty = a->empty && b->empty;
	*joined = result;
}

static void
refuse_bracket(DpsBracket *bracket, double lower)
{
	bracket->lower = lower;
	bracket->upper = INFINITY;
}

void
dps_bracket_magnitude(const DpsBracket *infimum, const DpsBracket *supremum, DpsBracket *magnitude)
{
	DpsBracket	result;

	join_brackets(infimum, supremum, &result);
	if (result.status != DPS_OK)
		refuse_bracket(&result, 0.0);
	else
	{
		result.lower = fmax(0.0, fmax(supremum->lower, -infimum->upper));
		result.upper = fmax(0.0, fmax(supremum->upper, -infimum->lower));
		result.witness = supremum->lower >= -infimum->upper ? supremum->witness : infimum->witness;
	}
	*magnitude = result;
}

void
dps_bracket_length(const DpsBracket *infimum, const DpsBracket *supremum, DpsBracket *length)
{
	DpsBracket	result;

	join_brackets(supremum, infimum, &result);
	if (result.status != DPS_OK)
		refuse_bracket(&result, 0.0);
	else
	{
		result.lower = fmax(0.0, dps_sub_down(supremum->lower, infimum->upper));
		result.upper = fmax(0.0, dps_sub_up(supremum->upper, infimum->lower));
	}
	*length = result;
}

/* Adds what a search for one of several expressions found. */
static void
take_greater(DpsBracket *bracket, const DpsBracket *part)
{
	double		lower = fmax(bracket->lower, part->lower);
	double		upper = fmax(bracket->upper, part->upper);

	if (part->lower > bracket->lower)
		bracket->witness = part->witness;
	join_brackets(bracket, part, bracket);
	bracket->lower = lower;
	bracket->upper = upper;
}

/* The expressions not yet searched to the end, and what is known of each. */
typedef struct Rivals
{
	const DpsNode **nodes;
	const DpsNode **covers;
	double		lower[2 * MAX_DIMENSIONS];
	bool		open[2 * MAX_DIMENSIONS];
	int			n;
} Rivals;

/* The open rival that is known to reach highest; -1 if none is open. */
static int
strongest(const Rivals *rivals)
{
	int			best = -1;
	int			k;

	for (k = 0; k < rivals->n; k++)
		if (rivals->open[k] && (best < 0 || rivals->lower[k] > rivals->lower[best]))
			best = k;
	return best;
}

/*
 * The greatest of several suprema, none below 0.  A short search of each tells
 * which is likely to win; that one is searched to the end first, since the
 * others then need not look below what it has reached.
 */
static DpsStatus
maximise_any(DpsGraph *graph, const DpsObjective *objective, Rivals *rivals,
			 const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsObjective rival = *objective;
	DpsBoundOptions brief = *options;
	DpsBoundOptions full = *options;
	DpsBracket	part;
	int			k;

	memset(bracket, 0, sizeof(*bracket));
	bracket->empty = true;
	if (brief.max_boxes > PROBE_BOXES)
		brief.max_boxes = PROBE_BOXES;
	for (k = 0; k < rivals->n; k++)
	{
		rival.node = rivals->nodes[k];
		rival.cover = rivals->covers[k];
		rival.floor = bracket->lower;
		DPS_TRY(dps_maximise(graph, &rival, &brief, &part));
		rivals->lower[k] = part.lower;
		rivals->open[k] = part.exhausted;
		if (rivals->open[k])
		{
			part.status = DPS_OK;
			part.upper = 0.0;
			part.exhausted = part.late = false;
		}
		if (k == 0)
			bracket->witness = part.witness;
		take_greater(bracket, &part);
	}
	while (bracket->status == DPS_OK && (k = strongest(rivals)) >= 0)
	{
		rivals->open[k] = false;
		rival.node = rivals->nodes[k];
		rival.cover = rivals->covers[k];
		rival.floor = bracket->lower;
		DPS_TRY(dps_maximise(graph, &rival, &full, &part));
		take_greater(bracket, &part);
		/* all together take at most twice as long as the first */
		if (part.exhausted && full.max_boxes / 2 >= PROBE_BOXES)
			full.max_boxes /= 2;
	}
	if (bracket->status != DPS_OK)
		refuse_bracket(bracket, bracket->lower);
	return DPS_OK;
}

/* sup max |entries|, by both signs of each; private_variables as in
 * dps_lift_conditions, columns are what the entries are derivatives by. */
static DpsStatus
maximise_magnitudes(DpsGraph *graph, const DpsObjective *objective, const DpsNode *const *entries,
					const int *columns, int nentries, const DpsCover *cover, uint64_t private_variables,
					const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *nodes[2 * MAX_DIMENSIONS];
	const DpsNode *covers[2 * MAX_DIMENSIONS];
	Rivals		rivals = {.nodes = nodes, .covers = covers};
	int			k;

	for (k = 0; k < nentries; k++)
	{
		const DpsNode *entry = dps_lift_conditions(graph, entries[k], private_variables);
		const DpsNode *opposite = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, entries[k], NULL);

		covers[rivals.n] = dps_cover_entry(cover, columns[k], false);
		nodes[rivals.n++] = entry;
		covers[rivals.n] = dps_cover_entry(cover, columns[k], true);
		nodes[rivals.n++] = dps_lift_conditions(graph, opposite, private_variables);
	}
	return maximise_any(graph, objective, &rivals, options, bracket);
}

/*
 * Jumps
 */

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
 * The first leaf below a CASE whose branches meet that may jump and shows: the
 * CASEs between are part of the proof.
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

/* The first argument of instruction i that may jump and shows; -1 if none. */
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
		/* a condition shows by its branches only */
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

/* The dimension of the mask to cut: first into NULL and not, then the widest
 * by the root's measure; -1 if all are too small. */
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

/* Boxes overlap in their faces, so an expression that is continuous on each is
 * continuous on all of them together. */
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
 * Marks each CASE whose branches meet.  The box is the one that
 * dps_evaluation_error is given, which counts what is left between them.
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

/* Refuses the bracket if the value may jump when private columns move; relaxed
 * is the box as relax_box has it. */
static DpsStatus
refuse_jumps(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsDomain *relaxed,
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

/*
 * Lipschitz constants
 */

/* The box with private integers relaxed to reals, since rows move along straight
 * lines, and without the NULLs that make the value NULL.  Public columns do not
 * move. */
static void
relax_box(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int ncolumns,
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

/* The entries of the weighted gradient that are not 0 everywhere. */
static DpsStatus
weighted_gradient(DpsGraph *graph, const DpsNode *node, const DpsPolicy *policy, int ncolumns,
				  const DpsNode **entries, int *columns, int *nentries)
{
	const DpsNode *gradient[MAX_DIMENSIONS];
	int			j;

	*nentries = 0;
	DPS_TRY(dps_gradient(graph, node, gradient));
	for (j = 0; j < ncolumns; j++)
	{
		const DpsNode *entry = gradient[j];

		if (!(policy->private_variables & (UINT64_C(1) << j)) || dps_is_constant(entry, 0))
			continue;
		if (policy->weights[j] != 1)
			entry = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, entry,
							  dps_constant(graph, DPS_FLOAT8, policy->weights[j]));
		if (entry == NULL)
			return DPS_NOMEM;
		columns[*nentries] = j;
		entries[(*nentries)++] = entry;
	}
	return DPS_OK;
}

/* The greatest magnitude in the enclosures of a program's outputs, at its least
 * or at its most. */
static double
greatest_magnitude(const DpsProgram *program, const DpsEnclosure *enclosures, bool least)
{
	double		greatest = 0.0;
	uint32_t	k;

	for (k = 0; k < program->noutputs; k++)
	{
		DpsInterval value = dps_iv_abs(enclosures[dps_program_outputs(program)[k]].value);

		if (!dps_iv_is_empty(value))
			greatest = fmax(greatest, least ? value.lo : value.hi);
	}
	return greatest;
}

/* The greatest magnitude seen at a few points: both ends, the middle, and the one
 * nearest to 0. */
static double
magnitude_seen(const DpsProgram *program, const DpsDomain *box, int ncolumns, DpsEnclosure *enclosures)
{
	DpsDomain	point[MAX_DIMENSIONS];
	double		seen = 0.0;
	int			place;
	int			j;

	for (place = 0; place < 4; place++)
	{
		for (j = 0; j < ncolumns; j++)
		{
			const DpsDomain *domain = &box[j];
			double		places[] = {domain->lo, domain->hi, dps_middle(domain), fmax(domain->lo, fmin(domain->hi, 0.0))};

			point[j] = *domain;
			point[j].lo = point[j].hi = places[place];
		}
		(void) dps_enclose_guarded(program, point, enclosures);
		seen = fmax(seen, greatest_magnitude(program, enclosures, true));
	}
	return seen;
}

/*
 * The exponent e such that entries times 2^-e can be squared without overflow
 * or underflow: 0 unless magnitudes are extreme.  They are not large just because
 * the enclosure over the whole box is.
 */
static DpsStatus
choose_scale(DpsGraph *graph, const DpsNode *const *entries, int nentries, const DpsDomain *box, int ncolumns, int *e)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	double		largest;

	DPS_TRY(dps_compile_partly(graph, entries, nentries, 0, 0, &program));
	enclosures = dps_arena_alloc(graph->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	(void) dps_enclose_guarded(program, box, enclosures);
	largest = greatest_magnitude(program, enclosures, false);
	*e = dps_scale_exponent(largest);
	if (*e > 0 || largest == INFINITY)
		*e = dps_scale_exponent(fmax(1.0, magnitude_seen(program, box, ncolumns, enclosures)));
	return DPS_OK;
}

static const DpsNode *
sum_of_squares(DpsGraph *graph, const DpsNode *const *entries, int nentries, int e)
{
	const DpsNode *sum = e == 0 ? dps_factored_squares(graph, entries, nentries) : NULL;
	int			k;

	if (sum != NULL)
		return sum;
	sum = dps_constant(graph, DPS_FLOAT8, 0.0);
	for (k = 0; k < nentries; k++)
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum,
						dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, dps_scale_node(graph, entries[k], e), NULL));
	return sum;
}

/* sup sqrt(sum of squares) as the root of sup of the sum: the root has no
 * derivative at 0.  Half the relative width of the square is the root's. */
static DpsStatus
maximise_norm2(DpsGraph *graph, DpsObjective *objective, const DpsNode *const *entries, int nentries,
			   const DpsCover *cover, uint64_t private_variables, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsBoundOptions doubled = *options;
	int			e;

	DPS_TRY(choose_scale(graph, entries, nentries, objective->box, objective->ncolumns, &e));
	objective->node = dps_lift_conditions(graph, sum_of_squares(graph, entries, nentries, e), private_variables);
	if (e == 0)
		objective->cover = dps_cover_norm2(cover);
	doubled.tolerance *= 2;
	DPS_TRY(dps_maximise(graph, objective, &doubled, bracket));
	bracket->lower = dps_root_down(bracket->lower, e);
	bracket->upper = dps_root_up(bracket->upper, e);
	if (bracket->status == DPS_OK && !isfinite(bracket->upper))
		bracket->status = DPS_UNABLE;
	return DPS_OK;
}

static const DpsNode *
sum_of_magnitudes(DpsGraph *graph, const DpsNode *const *entries, int nentries)
{
	const DpsNode *sum = dps_factored_magnitudes(graph, entries, nentries);
	int			k;

	if (sum != NULL)
		return sum;
	sum = dps_constant(graph, DPS_FLOAT8, 0.0);
	for (k = 0; k < nentries; k++)
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum,
						dps_apply(graph, DPS_OP_ABS, DPS_FLOAT8, entries[k], NULL));
	return sum;
}

static DpsStatus
maximise_norm1(DpsGraph *graph, DpsObjective *objective, const DpsNode *const *entries, int nentries,
			   const DpsCover *cover, uint64_t private_variables, const DpsBoundOptions *options, DpsBracket *bracket)
{
	objective->node = dps_lift_conditions(graph, sum_of_magnitudes(graph, entries, nentries), private_variables);
	objective->cover = dps_cover_norm1(cover);
	return dps_maximise(graph, objective, options, bracket);
}

static DpsStatus
maximise_norm(DpsGraph *graph, DpsObjective *objective, const DpsNode *const *entries, const int *columns,
			  int nentries, const DpsCover *cover, uint64_t private_variables, DpsGradientNorm norm,
			  const DpsBoundOptions *options, DpsBracket *bracket)
{
	if (nentries == 0)
	{
		objective->node = dps_constant(graph, DPS_FLOAT8, 0.0);
		return dps_maximise(graph, objective, options, bracket);
	}
	/* all norms of one entry are its magnitude, which is smooth by sign */
	if (nentries == 1 || norm == DPS_NORM_INFINITY)
		return maximise_magnitudes(graph, objective, entries, columns, nentries, cover, private_variables, options, bracket);
	if (norm == DPS_NORM_1)
		return maximise_norm1(graph, objective, entries, nentries, cover, private_variables, options, bracket);
	return maximise_norm2(graph, objective, entries, nentries, cover, private_variables, options, bracket);
}

static DpsStatus
lipschitz(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsPolicy *policy,
		  DpsGradientNorm norm, const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *entries[MAX_DIMENSIONS];
	DpsDomain	relaxed[MAX_DIMENSIONS];
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	DpsObjective objective = {.nguards = 1, .box = relaxed, .floor = -INFINITY};
	const DpsNode *value = dps_as_float8(graph, node);
	DpsStatus	status;
	DpsCover	cover;
	uint64_t	boxes;
	int			columns[MAX_DIMENSIONS];
	int			nentries;

	if (value == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	objective.guards[0] = value;
	objective.ncolumns = dps_columns(graph);
	relax_box(graph, value, box, objective.ncolumns, policy->private_variables, relaxed);
	DPS_TRY(refuse_jumps(graph, value, box, relaxed, objective.ncolumns, policy->private_variables, bracket));
	if (bracket->status != DPS_OK)
		return DPS_OK;
	boxes = bracket->boxes;
	status = weighted_gradient(graph, value, policy, objective.ncolumns, entries, columns, &nentries);
	DPS_TRY(dps_arena_status(graph->arena, status));
	status = dps_cover_init(&cover, graph, value, relaxed, objective.ncolumns, policy->private_variables, policy->weights);
	DPS_TRY(dps_arena_status(graph->arena, status));
	status = maximise_norm(graph, &objective, entries, columns, nentries, &cover, policy->private_variables, norm,
						   &chosen, bracket);
	bracket->boxes += boxes;
	return dps_arena_status(graph->arena, status);
}

DpsStatus
dps_lipschitz(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsPolicy *policy,
			  DpsGradientNorm norm, const DpsBoundOptions *options, DpsBracket *bracket)
{
	bool		before = dps_graph_prove(graph, true);
	DpsStatus	status = lipschitz(graph, node, box, policy, norm, options, bracket);

	(void) dps_graph_prove(graph, before);
	return status;
}

static DpsStatus
slope(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
	  const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *gradient[MAX_DIMENSIONS];
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	DpsObjective objective = {.nguards = 1, .box = box, .floor = -INFINITY};
	DpsStatus	status;
	DpsCover	cover;

	objective.guards[0] = dps_as_float8(graph, node);
	objective.ncolumns = dps_columns(graph);
	DPS_TRY(dps_gradient(graph, objective.guards[0], gradient));
	status = dps_cover_init(&cover, graph, objective.guards[0], box, objective.ncolumns, UINT64_MAX, NULL);
	DPS_TRY(dps_arena_status(graph->arena, status));
	return dps_arena_status(graph->arena,
							maximise_magnitudes(graph, &objective, &gradient[variable], &variable, 1, &cover, 0, &chosen,
												bracket));
}

DpsStatus
dps_slope(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
		  const DpsBoundOptions *options, DpsBracket *bracket)
{
	bool		before = dps_graph_prove(graph, true);
	DpsStatus	status = slope(graph, node, box, variable, options, bracket);

	(void) dps_graph_prove(graph, before);
	return status;
}

/*
 * Attributes
 */

/* The moving copy as the column's type has it. */
static const DpsNode *
moving_node(DpsGraph *graph, DpsType type)
{
	int			moving = moving_variable(graph);
	const DpsNode *node;

	if (moving < 0)
		moving = dps_graph_add_variable(graph, moving_name, DPS_FLOAT8, true);
	if (moving < 0)
		return NULL;
	node = dps_variable(graph, moving);
	/* it serves columns of all types, so it is of the widest */
	return type == DPS_FLOAT8 ? node : dps_apply(graph, DPS_OP_CAST, type, node, NULL);
}

#define EXTREMES_SHARE 8
#define BOXES_BEFORE_EXTREMES 500

/* What the differences below one attribute share. */
typedef struct Difference
{
	DpsGraph   *graph;
	uint64_t	column;			/* its bit */
	int			variable;
	const DpsNode *moving;
	int			steps;			/* left: a shared term is met once for each path
								 * to it, of which there may be many */
} Difference;

#define DIFFERENCE_STEPS 2000

/*
 * node minus the same with the column moved, with terms and factors that do
 * not depend on the column taken out, so that enclosures do not count them
 * twice.
 */
static const DpsNode *
difference(Difference *d, const DpsNode *node)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (!(node->variables & d->column))
		return dps_constant(d->graph, DPS_FLOAT8, 0.0);
	if (node->type == DPS_FLOAT8 && d->steps-- > 0)
	{
		if (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB)
			return dps_apply(d->graph, node->op, DPS_FLOAT8, difference(d, x), difference(d, y));
		if (node->op == DPS_OP_NEG)
			return dps_apply(d->graph, node->op, DPS_FLOAT8, difference(d, x), NULL);
		if (node->op == DPS_OP_MUL && !(x->variables & d->column))
			return dps_apply(d->graph, node->op, DPS_FLOAT8, dps_as_float8(d->graph, x), difference(d, y));
		if ((node->op == DPS_OP_MUL || node->op == DPS_OP_DIV) && !(y->variables & d->column))
			return dps_apply(d->graph, node->op, DPS_FLOAT8, difference(d, x), dps_as_float8(d->graph, y));
	}
	return dps_apply(d->graph, DPS_OP_SUB, DPS_FLOAT8, dps_as_float8(d->graph, node),
					 dps_as_float8(d->graph, dps_substitute(d->graph, node, d->variable, d->moving)));
}

/* How far the column moves the value where the others stay as they are. */
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
 * A column does not move the value further than from its infimum to its
 * supremum, and it often moves it as far from one of them.  For searches that
 * a few boxes do not end, as over ranges of many orders of magnitude and where
 * conditions compare columns; each end gets a part of the boxes.
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

/* A search of at most so many boxes for what beats the bracket's lower end. */
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

static DpsStatus
attribute(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
		  const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *value = dps_as_float8(graph, node);
	const DpsNode *moving = moving_node(graph, graph->variables[variable].type);
	DpsDomain	both[MAX_DIMENSIONS];
	DpsObjective objective = {.nguards = 2, .box = both, .floor = -INFINITY};
	Difference	d = {.graph = graph, .variable = variable, .moving = moving, .steps = DIFFERENCE_STEPS};
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	int			ncolumns = dps_columns(graph);

	if (value == NULL || moving == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	memcpy(both, box, sizeof(DpsDomain) * ncolumns);
	both[ncolumns] = box[variable];
	d.column = UINT64_C(1) << variable;
	objective.node = dps_lift_conditions(graph, difference(&d, value), 0);
	objective.guards[0] = value;
	objective.guards[1] = dps_substitute(graph, value, variable, moving);
	objective.ncolumns = ncolumns + 1;
	memset(bracket, 0, sizeof(*bracket));
	bracket->upper = INFINITY;
	DPS_TRY(search_attribute(graph, &objective, BOXES_BEFORE_EXTREMES, &chosen, bracket));
	if (bracket->exhausted && !bracket->late && chosen.max_boxes > BOXES_BEFORE_EXTREMES)
	{
		/* what a few boxes do not prove defined more of them may */
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

DpsStatus
dps_attribute(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, int variable,
			  const DpsBoundOptions *options, DpsBracket *bracket)
{
	bool		before = dps_graph_prove(graph, true);
	DpsStatus	status = attribute(graph, node, box, variable, options, bracket);

	(void) dps_graph_prove(graph, before);
	return status;
}
