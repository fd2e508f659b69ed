/*
 * score.c
 *		Sums of terms of one column each, as one dimension.
 *
 * Let u be the sum of terms t_j(x_j) of different columns, and let an objective be G(u, y),
 * where y has other columns only.  If U is an interval that contains all values of u on the
 * box, then
 *
 *		sup { G(u(x), y) : x, y } <= sup { G(u, y) : u in U, y }
 *
 * because every u(x) is in U.  So the bound holds for any choice of terms.  It is as tight if
 * u takes every value of U, and that is so if each term rises or falls in its column, is
 * continuous in it if this is real, and no step of an integer moves the sum by more than
 * the real columns together can: the values for fixed integers are an interval, and
 * intervals of neighbours overlap.
 *
 * The sum need not be one node: s = a + b + c and s' = a + b + c', of which one is the other
 * after a column has moved, have a + b in common.  So sums are lists of terms here, and
 * a score is a list that is part of some of them, all or none, with the same or with
 * opposite signs, and whose columns occur nowhere else.
 */
#include <math.h>

#include "bound/quantity/score.h"
#include "bound/terms.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)
#define MAX_SUMS 24

typedef struct Sum
{
	const DpsNode *node;
	DpsTermList	terms;
} Sum;

typedef struct Scorer
{
	DpsGraph   *graph;
	DpsArena   *arena;
	const DpsObjective *objective;
	const DpsDomain *box;
	uint64_t	taken;
	Sum		   *sum;
	int			nsums;
	int16_t    *index;			/* of a node's sum, by node id; -1 if it has none */
	bool	   *seen;
	bool	   *seen_within;
	const DpsNode *stand_in;	/* what takes the score's place */
	const DpsNode **memo;		/* with that, by node id */
	uint32_t	limit;			/* ids are below this */
} Scorer;

static inline uint64_t
bit(int k)
{
	return UINT64_C(1) << k;
}

static bool
has_one(uint64_t mask)
{
	return mask != 0 && (mask & (mask - 1)) == 0;
}

/* ---- sums ---- */

/* A sum within a sum is a part of the terms of that one. */
static void
collect_sums(Scorer *s, const DpsNode *node, bool within)
{
	bool		sum = dps_is_sum(node);
	bool	   *seen = within && sum ? &s->seen_within[node->id] : &s->seen[node->id];
	int			i;

	if (*seen || node->variables == 0)
		return;
	*seen = true;
	if (sum && !within && s->nsums < MAX_SUMS)
	{
		Sum		   *added = &s->sum[s->nsums];

		added->node = node;
		if (dps_collect_terms(s->graph, &added->terms, node) && added->terms.n > 1)
			s->index[node->id] = s->nsums++;
	}
	for (i = 0; i < node->nargs; i++)
		collect_sums(s, node->arg[i], sum);
}

/* ---- groups of terms ---- */

/* Is the column one that may be part of a score? */
static bool
is_admitted(const Scorer *s, int j)
{
	return j < s->objective->ncolumns && s->box[j].nullness == DPS_NEVER_NULL && s->box[j].lo < s->box[j].hi && !(s->taken & bit(j));
}

static bool
is_term(const Scorer *s, const DpsNode *node)
{
	return has_one(node->variables) && is_admitted(s, __builtin_ctzll(node->variables));
}

/* Where a term is in a list; -1 if it is not. */
static int
find_term(const DpsTermList *terms, const DpsNode *node)
{
	int			i;

	for (i = 0; i < terms->n; i++)
		if (terms->node[i] == node)
			return i;
	return -1;
}

static void
remove_term(DpsTermList *terms, int i)
{
	terms->n--;
	terms->node[i] = terms->node[terms->n];
	terms->negated[i] = terms->negated[terms->n];
}

/* The terms of the group that are in the sum, with the signs of the first of them. */
static DpsTermList
common_terms(const DpsTermList *group, const DpsTermList *sum, bool *opposite)
{
	DpsTermList	common = {0};
	int			i;

	*opposite = false;
	for (i = 0; i < group->n; i++)
	{
		int			k = find_term(sum, group->node[i]);
		bool		turned;

		if (k < 0)
			continue;
		turned = sum->negated[k] != group->negated[i];
		if (common.n == 0)
			*opposite = turned;
		if (turned != *opposite)
			continue;
		common.node[common.n] = group->node[i];
		common.negated[common.n++] = group->negated[i];
	}
	return common;
}

static uint64_t
columns_of(const DpsTermList *terms)
{
	uint64_t	columns = 0;
	int			i;

	for (i = 0; i < terms->n; i++)
		columns |= terms->node[i]->variables;
	return columns;
}

static uint64_t columns_outside(Scorer *s, const DpsNode *node, const DpsTermList *group);

/* The same of a sum that has all of the group or nothing of it.  What one column adds may be
 * a node that is the sum itself, so that it is not looked into. */
static uint64_t
terms_outside(Scorer *s, const DpsTermList *terms, const DpsTermList *group)
{
	bool		opposite;
	bool		whole = common_terms(group, terms, &opposite).n == group->n;
	uint64_t	columns = 0;
	int			i;

	for (i = 0; i < terms->n; i++)
	{
		const DpsNode *term = terms->node[i];

		if (whole && find_term(group, term) >= 0)
			continue;
		columns |= has_one(term->variables) ? term->variables : columns_outside(s, term, group);
	}
	return columns;
}

/* The columns of the node that occur outside of the group, where the whole group is a part of
 * a sum. */
static uint64_t
columns_outside(Scorer *s, const DpsNode *node, const DpsTermList *group)
{
	uint64_t	columns = 0;
	int			i;

	if (node == NULL || s->seen[node->id] || node->variables == 0)
		return 0;
	s->seen[node->id] = true;
	if (node->op == DPS_OP_VAR)
		return node->variables;
	if (s->index[node->id] >= 0)
		return terms_outside(s, &s->sum[s->index[node->id]].terms, group);
	for (i = 0; i < node->nargs; i++)
		columns |= columns_outside(s, node->arg[i], group);
	return columns;
}

static uint64_t
outside_of(Scorer *s, const DpsTermList *group)
{
	uint64_t	columns;
	uint32_t	i;
	int			k;

	for (i = 0; i < s->limit; i++)
		s->seen[i] = false;
	columns = columns_outside(s, s->objective->node, group) | columns_outside(s, s->objective->cover, group);
	for (k = 0; k < s->objective->nguards; k++)
		columns |= columns_outside(s, s->objective->guards[k], group);
	return columns;
}

/* Leaves out what some sum lacks of the terms that it shares with the group. */
static void
narrow_group(const Scorer *s, DpsTermList *group)
{
	int			k;

	for (k = 0; k < s->nsums; k++)
	{
		bool		opposite;
		DpsTermList	common = common_terms(group, &s->sum[k].terms, &opposite);

		if (common.n > 0)
			*group = common;
	}
}

/* The terms of the sum, as a group that stands alone; false if there is none of two columns. */
static bool
choose_group(Scorer *s, const Sum *sum, DpsTermList *group)
{
	uint64_t	outside;
	int			n;
	int			i;

	*group = (DpsTermList) {0};
	for (i = 0; i < sum->terms.n; i++)
	{
		if (!is_term(s, sum->terms.node[i]))
			continue;
		group->node[group->n] = sum->terms.node[i];
		group->negated[group->n++] = sum->terms.negated[i];
	}
	do
	{
		n = group->n;
		narrow_group(s, group);
		outside = group->n < 2 ? 0 : outside_of(s, group);
		for (i = group->n - 1; i >= 0; i--)
			if (group->node[i]->variables & outside)
				remove_term(group, i);
	} while (group->n < n && group->n >= 2);
	return group->n >= 2 && __builtin_popcountll(columns_of(group)) == group->n;
}

/* ---- what is known of a group ---- */

/* Encloses a term and its derivative on the box, in which its column may be at an end. */
static DpsStatus
enclose_term(const Scorer *s, const DpsNode *term, int j, double lo, double hi, DpsEnclosure *value, DpsEnclosure *slope)
{
	const DpsNode *nodes[MAX_DIMENSIONS];
	const DpsNode *both[2] = {term, NULL};
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	DpsDomain	at[MAX_DIMENSIONS];
	int			k;

	for (k = 0; k < MAX_DIMENSIONS; k++)
		at[k] = (DpsDomain) {lo, hi, DPS_NEVER_NULL, s->box[j].integral};
	DPS_TRY(dps_gradient(s->graph, term, nodes));
	both[1] = nodes[j];
	DPS_TRY(dps_compile(s->graph, both, 2, &program));
	enclosures = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	dps_enclose(program, at, enclosures);
	*value = enclosures[dps_program_outputs(program)[0]];
	*slope = enclosures[dps_program_outputs(program)[1]];
	return DPS_OK;
}

/* What a term adds to the score: its range, whether it falls, and how far the reals move the
 * score, or the furthest step of an integer, which its greatest slope bounds. */
static DpsStatus
measure_term(const Scorer *s, const DpsNode *term, bool negated, DpsScore *score, double *reach, double *step, bool *known)
{
	int			j = __builtin_ctzll(term->variables);
	const DpsDomain *domain = &s->box[j];
	DpsEnclosure whole;
	DpsEnclosure slope;
	DpsEnclosure low;
	DpsEnclosure high;
	DpsEnclosure unused;
	DpsInterval range;
	bool		two = domain->integral && domain->hi - domain->lo == 1;
	bool		falls;

	DPS_TRY(enclose_term(s, term, j, domain->lo, domain->hi, &whole, &slope));
	DPS_TRY(enclose_term(s, term, j, domain->lo, domain->lo, &low, &unused));
	DPS_TRY(enclose_term(s, term, j, domain->hi, domain->hi, &high, &unused));
	*known = dps_has_values(&whole) && dps_has_values(&low) && dps_has_values(&high) &&
		(two || (whole.continuous && dps_has_values(&slope) && (slope.value.lo >= 0 || slope.value.hi <= 0)));
	if (!*known)
		return DPS_OK;
	falls = two ? low.value.lo > high.value.lo : slope.value.lo < 0;
	range = dps_iv_hull(low.value, high.value);
	score->range = negated ? dps_iv_sub(score->range, range) : dps_iv_add(score->range, range);
	score->columns |= bit(j);
	if (falls != negated)
		score->falling |= bit(j);
	if (!domain->integral)
		*reach += range.hi - range.lo;
	else
	{
		score->steps |= bit(j);
		*step = fmax(*step, two ? range.hi - range.lo : fmax(fabs(slope.value.lo), fabs(slope.value.hi)));
	}
	return DPS_OK;
}

static DpsStatus
measure_group(const Scorer *s, const DpsTermList *group, DpsScore *score, bool *known)
{
	double		reach = 0;
	double		step = 0;
	int			i;

	*score = (DpsScore) {.range = dps_iv(0, 0), .column = -1, .part = dps_constant(s->graph, DPS_FLOAT8, 0)};
	*known = true;
	for (i = 0; i < group->n && *known; i++)
	{
		int			j = __builtin_ctzll(group->node[i]->variables);

		DPS_TRY(measure_term(s, group->node[i], group->negated[i], score, &reach, &step, known));
		score->part = dps_add_term(s->graph, score->part, group->node[i], group->negated[i]);
		if (!s->box[j].integral && (score->column < 0 || s->graph->variables[j].type == DPS_FLOAT8))
			score->column = j;
	}
	*known = *known && score->column >= 0 && step <= reach && isfinite(score->range.lo) && isfinite(score->range.hi);
	return score->part == NULL ? DPS_NOMEM : DPS_OK;
}

/* ---- the objective with the score as a column ---- */

static const DpsNode *replace(Scorer *s, const DpsNode *node, const DpsTermList *group, const DpsScore *score);

static const DpsNode *
replace_sum(Scorer *s, const Sum *sum, const DpsTermList *group, const DpsScore *score)
{
	const DpsNode *result = s->stand_in;
	bool		opposite;
	int			i;

	(void) common_terms(group, &sum->terms, &opposite);
	if (opposite)
		result = dps_apply(s->graph, DPS_OP_NEG, DPS_FLOAT8, result, NULL);
	for (i = 0; i < sum->terms.n && result != NULL; i++)
	{
		const DpsNode *term;

		if (find_term(group, sum->terms.node[i]) >= 0)
			continue;
		term = replace(s, sum->terms.node[i], group, score);
		result = term == NULL ? NULL : dps_add_term(s->graph, result, term, sum->terms.negated[i]);
	}
	return result;
}

/* NULL if memory ran out. */
static const DpsNode *
replace(Scorer *s, const DpsNode *node, const DpsTermList *group, const DpsScore *score)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	const DpsNode *result;
	bool		opposite;
	int			i;

	if (node->nargs == 0 || !(node->variables & score->columns))
		return node;
	if (s->memo[node->id] != NULL)
		return s->memo[node->id];
	if (s->index[node->id] >= 0 && common_terms(group, &s->sum[s->index[node->id]].terms, &opposite).n > 0)
		result = replace_sum(s, &s->sum[s->index[node->id]], group, score);
	else
	{
		for (i = 0; i < node->nargs; i++)
		{
			arg[i] = replace(s, node->arg[i], group, score);
			if (arg[i] == NULL)
				return NULL;
		}
		result = node->op == DPS_OP_CASE ? dps_choose(s->graph, arg[0], arg[1], arg[2]) :
			dps_apply(s->graph, node->op, node->type, arg[0], arg[1]);
	}
	s->memo[node->id] = result;
	return result;
}

/* The objective with the stand-in in the score's place. */
static DpsStatus
put_in_place(Scorer *s, const DpsNode *stand_in, const DpsTermList *group, const DpsScore *score, DpsObjective *objective)
{
	uint32_t	i;
	int			k;

	if (stand_in == NULL)
		return DPS_NOMEM;
	s->stand_in = stand_in;
	for (i = 0; i < s->limit; i++)
		s->memo[i] = NULL;
	objective->node = replace(s, objective->node, group, score);
	if (objective->node == NULL)
		return DPS_NOMEM;
	for (k = 0; k < objective->nguards; k++)
	{
		objective->guards[k] = replace(s, objective->guards[k], group, score);
		if (objective->guards[k] == NULL)
			return DPS_NOMEM;
	}
	if (objective->cover != NULL)
	{
		objective->cover = replace(s, objective->cover, group, score);
		if (objective->cover == NULL)
			return DPS_NOMEM;
	}
	return DPS_OK;
}

static uint64_t
columns_left(const DpsObjective *objective)
{
	uint64_t	columns = objective->node->variables;
	int			k;

	for (k = 0; k < objective->nguards; k++)
		columns |= objective->guards[k]->variables;
	return objective->cover == NULL ? columns : columns | objective->cover->variables;
}

/* With a number in the score's place nothing may be left of its columns.  The number is one
 * by which no term vanishes.  Whatever chose the terms, this proves that G has no other way
 * to depend on them. */
static DpsStatus
apply_score(Scorer *s, DpsObjective *objective, DpsDomain *box, const DpsTermList *group, const DpsScore *score, bool *applied)
{
	DpsObjective without = *objective;

	DPS_TRY(put_in_place(s, dps_constant(s->graph, DPS_FLOAT8, 0.7310585786), group, score, &without));
	*applied = !(columns_left(&without) & score->columns);
	if (!*applied)
		return DPS_OK;
	DPS_TRY(put_in_place(s, dps_as_float8(s->graph, dps_variable(s->graph, score->column)), group, score, objective));
	box[score->column].lo = score->range.lo;
	box[score->column].hi = score->range.hi;
	return DPS_OK;
}

/* ---- together ---- */

/* Room for what is known of each node that there is now. */
static DpsStatus
make_room(Scorer *s)
{
	uint32_t	known = s->limit;
	const int16_t *before = s->index;
	uint32_t	i;

	s->limit = s->graph->nnodes;
	s->index = dps_arena_alloc(s->arena, sizeof(int16_t) * s->limit);
	s->seen = dps_arena_alloc(s->arena, sizeof(bool) * s->limit);
	s->seen_within = dps_arena_alloc(s->arena, sizeof(bool) * s->limit);
	s->memo = dps_arena_alloc(s->arena, sizeof(DpsNode *) * s->limit);
	if (s->index == NULL || s->seen == NULL || s->seen_within == NULL || s->memo == NULL)
		return DPS_NOMEM;
	for (i = 0; i < s->limit; i++)
		s->index[i] = i < known ? before[i] : -1;
	return DPS_OK;
}

/* Terms may be new nodes. */
static DpsStatus
scorer_init(Scorer *s)
{
	int			i;

	s->sum = dps_arena_alloc(s->arena, sizeof(Sum) * MAX_SUMS);
	if (s->sum == NULL)
		return DPS_NOMEM;
	DPS_TRY(make_room(s));
	collect_sums(s, s->objective->node, false);
	for (i = 0; i < s->objective->nguards; i++)
		collect_sums(s, s->objective->guards[i], false);
	if (s->objective->cover != NULL)
		collect_sums(s, s->objective->cover, false);
	return make_room(s);
}

DpsStatus
dps_take_score(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box, uint64_t taken,
			   DpsScore *score, bool *found)
{
	Scorer		s = {.graph = graph, .arena = scratch, .objective = objective, .box = box, .taken = taken};
	DpsTermList	group;
	int			i;

	*found = false;
	DPS_TRY(scorer_init(&s));
	for (i = 0; i < s.nsums && !*found; i++)
	{
		if (!choose_group(&s, &s.sum[i], &group))
			continue;
		DPS_TRY(measure_group(&s, &group, score, found));
		if (*found)
			DPS_TRY(apply_score(&s, objective, box, &group, score, found));
	}
	return DPS_OK;
}
