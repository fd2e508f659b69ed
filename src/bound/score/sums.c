/*
 * sums.c
 *		The sums of an objective, and groups of their terms as one dimension.
 *
 * The sum need not be one node: s = a + b + c and s' = a + b + c', of which one is the other
 * after a column has moved, have a + b in common.  So sums are lists of terms here, and
 * a group is a list that is part of some of them, all or none, with the same or with
 * opposite signs.
 */
#include "bound/score/sums.h"

#define MAX_SUMS 24

/* ---- sums ---- */

/* A sum within a sum is a part of the terms of that one. */
static void
collect_sums(DpsScorer *s, const DpsNode *node, bool within)
{
	bool		sum = dps_is_sum(node);
	bool	   *seen = within && sum ? &s->seen_within[node->id] : &s->seen[node->id];
	int			i;

	if (*seen || node->variables == 0)
		return;
	*seen = true;
	if (sum && !within && s->nsums < MAX_SUMS)
	{
		DpsScoreSum		   *added = &s->sum[s->nsums];

		added->node = node;
		if (dps_collect_terms(s->graph, &added->terms, node) && added->terms.n > 1)
			s->index[node->id] = s->nsums++;
	}
	for (i = 0; i < node->nargs; i++)
		collect_sums(s, node->arg[i], sum);
}

/* ---- groups of terms ---- */

/* Is the column one that may be part of a score? */
bool
dps_may_score(const DpsScorer *s, int j)
{
	return j < s->objective->ncolumns && s->box[j].nullness == DPS_NEVER_NULL && s->box[j].lo < s->box[j].hi && !(s->taken & dps_bit(j));
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

void
dps_remove_term(DpsTermList *terms, int i)
{
	terms->n--;
	terms->node[i] = terms->node[terms->n];
	terms->negated[i] = terms->negated[terms->n];
}

/* The terms of the group that are in the sum, with the signs of the first of them. */
static DpsTermList
dps_common_terms(const DpsTermList *group, const DpsTermList *sum, bool *opposite)
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

uint64_t
dps_term_columns(const DpsTermList *terms)
{
	uint64_t	columns = 0;
	int			i;

	for (i = 0; i < terms->n; i++)
		columns |= terms->node[i]->variables;
	return columns;
}

static uint64_t columns_outside(DpsScorer *s, const DpsNode *node, const DpsTermList *group);

/* The same of a sum that has all of the group or nothing of it.  What one column adds may be
 * a node that is the sum itself, so that it is not looked into. */
static uint64_t
terms_outside(DpsScorer *s, const DpsTermList *terms, const DpsTermList *group)
{
	bool		opposite;
	bool		whole = dps_common_terms(group, terms, &opposite).n == group->n;
	uint64_t	columns = 0;
	int			i;

	for (i = 0; i < terms->n; i++)
	{
		const DpsNode *term = terms->node[i];

		if (whole && find_term(group, term) >= 0)
			continue;
		columns |= dps_has_one(term->variables) ? term->variables : columns_outside(s, term, group);
	}
	return columns;
}

/* The columns of the node that occur outside of the group, where the whole group is a part of
 * a sum. */
static uint64_t
columns_outside(DpsScorer *s, const DpsNode *node, const DpsTermList *group)
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

uint64_t
dps_columns_outside(DpsScorer *s, const DpsTermList *group)
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
void
dps_narrow_group(const DpsScorer *s, DpsTermList *group)
{
	int			k;

	for (k = 0; k < s->nsums; k++)
	{
		bool		opposite;
		DpsTermList	common = dps_common_terms(group, &s->sum[k].terms, &opposite);

		if (common.n > 0)
			*group = common;
	}
}

/* ---- the objective with the score as a column ---- */

static const DpsNode *replace(DpsScorer *s, const DpsNode *node, const DpsTermList *group, const DpsScore *score);

static const DpsNode *
replace_sum(DpsScorer *s, const DpsScoreSum *sum, const DpsTermList *group, const DpsScore *score)
{
	const DpsNode *result = s->stand_in;
	bool		opposite;
	int			i;

	(void) dps_common_terms(group, &sum->terms, &opposite);
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
replace(DpsScorer *s, const DpsNode *node, const DpsTermList *group, const DpsScore *score)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	const DpsNode *result;
	bool		opposite;
	int			i;

	if (node->nargs == 0 || !(node->variables & score->columns))
		return node;
	if (s->memo[node->id] != NULL)
		return s->memo[node->id];
	if (s->index[node->id] >= 0 && dps_common_terms(group, &s->sum[s->index[node->id]].terms, &opposite).n > 0)
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
put_in_place(DpsScorer *s, const DpsNode *stand_in, const DpsTermList *group, const DpsScore *score, DpsObjective *objective)
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
DpsStatus
dps_apply_score(DpsScorer *s, DpsObjective *objective, const DpsTermList *group, const DpsScore *score,
				const DpsNode *stand_in, bool *applied)
{
	DpsObjective without = *objective;

	DPS_TRY(put_in_place(s, dps_constant(s->graph, DPS_FLOAT8, 0.7310585786), group, score, &without));
	*applied = !(columns_left(&without) & score->columns);
	return *applied ? put_in_place(s, stand_in, group, score, objective) : DPS_OK;
}

/* ---- together ---- */

/* Room for what is known of each node that there is now. */
static DpsStatus
make_room(DpsScorer *s)
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
DpsStatus
dps_scorer_init(DpsScorer *s)
{
	int			i;

	s->sum = dps_arena_alloc(s->arena, sizeof(DpsScoreSum) * MAX_SUMS);
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

/* ---- enclosures ---- */

DpsStatus
dps_enclose_with_slope(DpsGraph *graph, DpsArena *arena, const DpsNode *node, int j, const DpsDomain *box,
					   DpsEnclosure *value, DpsEnclosure *slope)
{
	const DpsNode *gradient[DPS_SCORE_DIMENSIONS];
	const DpsNode *nodes[2] = {node, NULL};
	const DpsProgram *program;
	DpsEnclosure *e;

	DPS_TRY(dps_gradient(graph, node, gradient));
	nodes[1] = gradient[j];
	DPS_TRY(dps_compile(graph, nodes, 2, &program));
	e = dps_arena_alloc(arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (e == NULL)
		return DPS_NOMEM;
	dps_enclose(program, box, e);
	*value = e[dps_program_outputs(program)[0]];
	*slope = e[dps_program_outputs(program)[1]];
	return DPS_OK;
}

DpsStatus
dps_enclose_term(const DpsScorer *s, const DpsNode *term, int j, DpsDomain there, DpsEnclosure *value, DpsEnclosure *slope)
{
	DpsDomain	box[DPS_SCORE_DIMENSIONS];
	int			k;

	for (k = 0; k < DPS_SCORE_DIMENSIONS; k++)
		box[k] = there;
	return dps_enclose_with_slope(s->graph, s->arena, term, j, box, value, slope);
}

DpsStatus
dps_has_values_on(DpsGraph *graph, DpsArena *arena, const DpsNode *node, const DpsDomain *box, bool *has)
{
	const DpsProgram *program;
	DpsEnclosure *e;

	DPS_TRY(dps_compile(graph, &node, 1, &program));
	e = dps_arena_alloc(arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (e == NULL)
		return DPS_NOMEM;
	dps_enclose(program, box, e);
	*has = dps_has_values(&e[dps_program_outputs(program)[0]]);
	return DPS_OK;
}
