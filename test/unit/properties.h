/*
 * properties.h
 *		What holds of an expression in both forms, see generate.h.
 */
#ifndef DPS_TEST_PROPERTIES_H
#define DPS_TEST_PROPERTIES_H

#include "generate.h"

/* Both enclosures hold the exact value, but for the rounding of folded
 * constants, so the evaluated values differ by no more than both are wide:
 * what cancels badly is wide. */
static inline bool
same_number(const GenOutcome *plain, const GenOutcome *simple)
{
	DpsInterval a = plain->enclosure.value;
	DpsInterval b = simple->enclosure.value;
	double		slack = 1e-9 * (fabs(plain->value) + fabs(simple->value)) + 1e-12;

	return a.lo - slack <= b.hi && b.lo - slack <= a.hi &&
		fabs(plain->value - simple->value) <= slack + (a.hi - a.lo) + (b.hi - b.lo);
}

/* Is the plain form's outcome certain: a finite value, or NULL? */
static inline bool
is_certain(const GenOutcome *o)
{
	DpsInterval v = o->enclosure.value;

	if (o->enclosure.defined != DPS_DEFINED || o->enclosure.nullness == DPS_MAYBE_NULL)
		return false;
	return o->enclosure.nullness == DPS_ALWAYS_NULL ||
		(fabs(v.lo) < 1e100 && fabs(v.hi) < 1e100 && o->value == o->value);
}

/* How many rows said what. */
typedef struct Tally
{
	int			numbers;
	int			nulls;
	int			undefined;
	int			tight;
	int			edges;
} Tally;

/* Has the simplified form the plain one's outcome, which is certain? */
static inline bool
agrees(const GenOutcome *plain, const GenOutcome *simple, Tally *tally)
{
	if (plain->enclosure.nullness == DPS_ALWAYS_NULL)
		return isnan(simple->value);
	if (simple->enclosure.defined == DPS_UNDEFINED || simple->enclosure.nullness == DPS_ALWAYS_NULL)
		return false;
	/* at the edge of a domain a rounding error decides, in a condition also
	 * what overflows */
	if (simple->enclosure.defined == DPS_PARTIAL)
	{
		tally->edges++;
		return true;
	}
	/* rearranged, it may overflow */
	if (!isfinite(simple->enclosure.value.lo) || !isfinite(simple->enclosure.value.hi))
		return true;
	return !isnan(simple->value) && same_number(plain, simple);
}

/* The graph of the same structure, node by node through the constructors. */
static inline const DpsNode *
rebuild(DpsGraph *graph, const DpsNode *node, const DpsNode **memo)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	int			i;

	if (memo[node->id] != NULL)
		return memo[node->id];
	for (i = 0; i < node->nargs; i++)
		arg[i] = rebuild(graph, node->arg[i], memo);
	if (node->op == DPS_OP_CONST)
		memo[node->id] = dps_copy_constant(graph, node);
	else if (node->op == DPS_OP_VAR)
		memo[node->id] = dps_variable(graph, node->variable);
	else if (node->op == DPS_OP_CASE)
		memo[node->id] = dps_choose(graph, arg[0], arg[1], arg[2]);
	else
		memo[node->id] = dps_apply(graph, node->op, node->type, arg[0], arg[1]);
	return memo[node->id];
}

/* The first node, arguments first, that is not what it was made of. */
static inline bool
is_stable(DpsGraph *graph, const DpsNode *node)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *fresh = gen_graph(arena);
	const DpsNode **memo = calloc(node->id + 1, sizeof(DpsNode *));
	const DpsNode *again = rebuild(graph, node, memo);
	const DpsNode *elsewhere;
	bool		good = again == node;

	if (!good)
	{
		gen_describe(graph, "was", node);
		gen_describe(graph, "became", again);
	}
	memset(memo, 0, sizeof(DpsNode *) * (node->id + 1));
	elsewhere = rebuild(fresh, node, memo);
	if (good && elsewhere->link.hash != node->link.hash)
	{
		gen_describe(graph, "was", node);
		gen_describe(fresh, "became in another graph", elsewhere);
		good = false;
	}
	free(memo);
	dps_arena_clear(arena);
	return good;
}

#endif							/* DPS_TEST_PROPERTIES_H */
