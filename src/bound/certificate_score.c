/*
 * certificate_score.c
 *		A linear score counts as one column.
 *
 * For a part P of E and G with E(x) = G(P(x), x), an enclosure U of P's values
 * gives
 *
 *		sup { E(x) : x } <= sup { G(u, x) : u in U, x }
 *
 * whatever P is, since (P(x), x) is among the points on the right.  The two are
 * close where P takes every value of U and G depends on P's columns by u alone,
 * and so P is chosen affine with each column in it once.  Without this, a
 * function of a score is greatest on a whole hyperplane, which takes very many
 * boxes to cover.
 */
#include <math.h>

#include "bound/certificate_score.h"

typedef struct Scorer
{
	DpsGraph   *graph;
	DpsClaim   *claim;
	bool	   *seen;			/* by node id */
	const DpsNode **memo;
	uint32_t	limit;			/* ids are below this */
} Scorer;

static bool
is_real_column(const Scorer *s, const DpsNode *node)
{
	const DpsDomain *root = &s->claim->root[node->variable];

	return !root->integral && root->nullness == DPS_NEVER_NULL;
}

/* Affine, each column used once. */
static bool
is_score(const Scorer *s, const DpsNode *node)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (node->op == DPS_OP_VAR)
		return is_real_column(s, node);
	if (node->variables == 0)
		return node->op == DPS_OP_CONST && isfinite(node->value);
	if (node->type != DPS_FLOAT8 && node->type != DPS_NUMERIC)
		return false;
	switch (node->op)
	{
		case DPS_OP_CAST:
		case DPS_OP_NEG:
			return is_score(s, x);
		case DPS_OP_ADD:
		case DPS_OP_SUB:
			return !(x->variables & y->variables) && is_score(s, x) && is_score(s, y);
		case DPS_OP_MUL:
			return (x->variables == 0 || y->variables == 0) && is_score(s, x) && is_score(s, y);
		case DPS_OP_DIV:
			return y->variables == 0 && y->value != 0 && is_score(s, x) && is_score(s, y);
		default:
			return false;
	}
}

static void
forget_seen(Scorer *s)
{
	uint32_t	i;

	for (i = 0; i < s->limit; i++)
		s->seen[i] = false;
}

/* The columns of the part that the node has outside of it. */
static uint64_t
columns_outside(Scorer *s, const DpsNode *node, const DpsNode *part)
{
	uint64_t	columns = 0;
	int			i;

	if (node == part || !(node->variables & part->variables) || s->seen[node->id])
		return 0;
	s->seen[node->id] = true;
	if (node->op == DPS_OP_VAR)
		return node->variables;
	for (i = 0; i < node->nargs; i++)
		columns |= columns_outside(s, node->arg[i], part);
	return columns & part->variables;
}

static bool
stands_alone(Scorer *s, const DpsNode *part)
{
	forget_seen(s);
	return columns_outside(s, s->claim->node, part) == 0;
}

/* The first part, from the top, that will do; NULL if there is none. */
static const DpsNode *
find_score(Scorer *s, const DpsNode *node, bool *visited)
{
	const DpsNode *found = NULL;
	bool		several = (node->variables & (node->variables - 1)) != 0;
	int			i;

	if (!several || visited[node->id])
		return NULL;
	visited[node->id] = true;
	if (is_score(s, node) && stands_alone(s, node))
		return node;
	for (i = 0; i < node->nargs && found == NULL; i++)
		found = find_score(s, node->arg[i], visited);
	return found;
}

static const DpsNode *
replace(Scorer *s, const DpsNode *node, const DpsNode *part, const DpsNode *replacement)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	int			i;

	if (node == part)
		return replacement;
	if (node->nargs == 0 || !(node->variables & part->variables))
		return node;
	if (s->memo[node->id] != NULL)
		return s->memo[node->id];
	for (i = 0; i < node->nargs; i++)
	{
		arg[i] = replace(s, node->arg[i], part, replacement);
		if (arg[i] == NULL)
			return NULL;
	}
	s->memo[node->id] = node->op == DPS_OP_CASE ? dps_choose(s->graph, arg[0], arg[1], arg[2]) :
		dps_apply(s->graph, node->op, node->type, arg[0], arg[1]);
	return s->memo[node->id];
}

/* U, rounded outward. */
static DpsStatus
enclose_score(DpsGraph *graph, const DpsNode *part, const DpsDomain *root, DpsDomain *range)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	const DpsEnclosure *e;

	DPS_TRY(dps_compile(graph, &part, 1, &program));
	enclosures = dps_arena_alloc(graph->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	dps_enclose(program, root, enclosures);
	e = &enclosures[dps_program_outputs(program)[0]];
	*range = (DpsDomain) {e->value.lo, e->value.hi, DPS_NEVER_NULL, false};
	return e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL && isfinite(e->value.lo) &&
		isfinite(e->value.hi) ? DPS_OK : DPS_UNABLE;
}

DpsStatus
dps_claim_score(DpsGraph *graph, DpsClaim *claim)
{
	Scorer		s = {.graph = graph, .claim = claim, .limit = graph->nnodes};
	bool	   *visited = dps_arena_alloc(graph->arena, sizeof(bool) * s.limit);
	int			n = claim->ndimensions;
	const DpsNode *part;
	const DpsNode *score;

	s.seen = dps_arena_alloc(graph->arena, sizeof(bool) * s.limit);
	s.memo = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * s.limit);
	if (visited == NULL || s.seen == NULL || s.memo == NULL)
		return DPS_NOMEM;
	part = find_score(&s, claim->node, visited);
	if (part == NULL)
		return DPS_UNABLE;
	DPS_TRY(enclose_score(graph, part, claim->root, &claim->root[n]));
	DPS_TRY(dps_claim_variable(graph, n, part->type, &score));
	claim->box[n] = claim->root[n];
	claim->node = replace(&s, claim->node, part, score);
	claim->score = part;
	claim->ndimensions = n + 1;
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}
