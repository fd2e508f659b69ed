/*
 * certificate_score.c
 *		A linear score counts as one column.
 *
 * For a part P of E and G with E(x) = G(P(x), x), an enclosure U of P's values
 * gives
 *
 *		sup { E(x) : x } <= sup { G(u, x) : u in U, x }
 *
 * for any P, since (P(x), x) is among the points on the right.  The two sides
 * are close if P takes every value of U and G depends on P's columns through u
 * alone, so P is chosen affine with each column in it once.  Without this, a
 * function of a score is greatest on a whole hyperplane, which takes very many
 * boxes to cover.
 *
 * Where a column of the score also occurs elsewhere, or moves, P is the sum of
 * the other terms: a + b + c = u + c.  The terms of P are affine or functions of
 * one column each.
 */
#include <math.h>

#include "bound/affine_node.h"
#include "bound/proof/certificate_score.h"
#include "bound/terms.h"

typedef struct Scorer
{
	DpsGraph   *graph;
	const DpsClaim *claim;
	const DpsNode *top;
	bool	   *seen;			/* by node id */
	const DpsNode **memo;
	uint32_t	limit;			/* ids are below this */
} Scorer;

static bool
is_present(const void *context, const DpsNode *column)
{
	const Scorer *s = context;
	const DpsDomain *root = &s->claim->root[column->variable];

	return root->nullness == DPS_NEVER_NULL;
}

/* Is the node affine, with each column used once? */
static bool
is_score(const Scorer *s, const DpsNode *node)
{
	DpsAffineRule rule = {.columns = UINT64_MAX, .is_plain = true, .admits = is_present, .context = s};

	return dps_is_affine(&rule, node);
}

static void
forget_seen(Scorer *s)
{
	uint32_t	i;

	for (i = 0; i < s->limit; i++)
		s->seen[i] = false;
}

/* The columns of the part that occur in the node outside of the part. */
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
	return columns_outside(s, s->top, part) == 0;
}

/* The topmost score that stands alone; NULL if there is none. */
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

/* Computes U, rounded outward. */
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

static DpsStatus
scorer_init(Scorer *s, DpsGraph *graph, const DpsClaim *claim, const DpsNode *top)
{
	*s = (Scorer) {.graph = graph, .claim = claim, .top = top, .limit = graph->nnodes};
	s->seen = dps_arena_alloc(graph->arena, sizeof(bool) * s->limit);
	s->memo = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * s->limit);
	return s->seen == NULL || s->memo == NULL ? DPS_NOMEM : DPS_OK;
}

/* Adds the variable that stands for the part. */
static DpsStatus
add_score(DpsGraph *graph, DpsClaim *claim, const DpsNode *part, const DpsNode **score)
{
	int			n = claim->ndimensions;

	if (n == DPS_CLAIM_DIMENSIONS)
		return DPS_UNABLE;
	DPS_TRY(enclose_score(graph, part, claim->root, &claim->root[n]));
	DPS_TRY(dps_claim_variable(graph, n, part->type, score));
	claim->box[n] = claim->root[n];
	claim->score = part;
	claim->ndimensions = n + 1;
	return DPS_OK;
}

/*
 * Sums some of whose terms make a score
 */

/* Are its columns never NULL, and is it affine or of one column? */
static bool
is_term(const Scorer *s, const DpsNode *node)
{
	uint64_t	variables = node->variables;
	int			k;

	for (k = 0; k < s->claim->ndimensions; k++)
		if ((variables & (UINT64_C(1) << k)) && s->claim->root[k].nullness != DPS_NEVER_NULL)
			return false;
	return variables != 0 && ((variables & (variables - 1)) == 0 || is_score(s, node));
}

/* Splits a sum into a part of at least two columns, which occur nowhere else and
 * are not in the mask `but`, and the rest; false if there is no such part. */
static bool
split_sum(Scorer *s, const DpsNode *sum, uint64_t but, const DpsNode **part, const DpsNode **rest)
{
	DpsTermList	terms;
	uint64_t	columns = 0;
	uint64_t	outside;
	int			i;
	int			j;

	if (!dps_collect_terms(s->graph, &terms, sum))
		return false;
	forget_seen(s);
	outside = columns_outside(s, s->top, sum) | but;
	*part = *rest = dps_constant(s->graph, DPS_FLOAT8, 0);
	for (i = 0; i < terms.n; i++)
	{
		bool		own = is_term(s, terms.node[i]) && !(terms.node[i]->variables & outside);

		for (j = 0; j < terms.n; j++)
			own = own && (i == j || !(terms.node[i]->variables & terms.node[j]->variables));
		if (own)
		{
			columns |= terms.node[i]->variables;
			*part = dps_add_term(s->graph, *part, terms.node[i], terms.negated[i]);
		}
		else
			*rest = dps_add_term(s->graph, *rest, terms.node[i], terms.negated[i]);
	}
	return (columns & (columns - 1)) != 0;
}

/* The topmost sum that can be split; NULL if there is none. */
static const DpsNode *
find_sum(Scorer *s, const DpsNode *node, uint64_t but, bool *visited, const DpsNode **part, const DpsNode **rest)
{
	const DpsNode *found = NULL;
	int			i;

	if (!(node->variables & (node->variables - 1)) || visited[node->id])
		return NULL;
	visited[node->id] = true;
	if (dps_is_sum(node) && split_sum(s, node, but, part, rest))
		return node;
	for (i = 0; i < node->nargs && found == NULL; i++)
		found = find_sum(s, node->arg[i], but, visited, part, rest);
	return found;
}

static DpsStatus
score_terms(DpsGraph *graph, DpsClaim *claim)
{
	return dps_claim_score_but(graph, claim, claim->node, 0, &claim->node);
}

DpsStatus
dps_claim_score(DpsGraph *graph, DpsClaim *claim)
{
	Scorer		s;
	bool	   *visited;
	const DpsNode *part;
	const DpsNode *score;

	DPS_TRY(scorer_init(&s, graph, claim, claim->node));
	visited = dps_arena_alloc(graph->arena, sizeof(bool) * s.limit);
	if (visited == NULL)
		return DPS_NOMEM;
	part = find_score(&s, claim->node, visited);
	if (part == NULL)
		return score_terms(graph, claim);
	DPS_TRY(add_score(graph, claim, part, &score));
	claim->node = replace(&s, claim->node, part, score);
	return claim->node == NULL ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_claim_score_but(DpsGraph *graph, DpsClaim *claim, const DpsNode *node, uint64_t but, const DpsNode **scored)
{
	Scorer		s;
	bool	   *visited;
	const DpsNode *part;
	const DpsNode *rest;
	const DpsNode *score;
	const DpsNode *sum;

	DPS_TRY(scorer_init(&s, graph, claim, node));
	visited = dps_arena_alloc(graph->arena, sizeof(bool) * s.limit);
	if (visited == NULL)
		return DPS_NOMEM;
	sum = find_sum(&s, node, but, visited, &part, &rest);
	if (sum == NULL)
		return DPS_UNABLE;
	DPS_TRY(add_score(graph, claim, part, &score));
	*scored = replace(&s, node, sum, dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, score, rest));
	return *scored == NULL ? DPS_NOMEM : DPS_OK;
}
