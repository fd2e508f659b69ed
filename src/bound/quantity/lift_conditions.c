/*
 * lift_conditions.c
 *		Conditions of derivatives, brought outside.
 *
 * The derivatives of greatest, least and CASE have the same condition in
 * several places.  An enclosure decides each place alone.  Where the condition
 * is open, it adds up branches that never occur together; around a kink that is
 * so in boxes of any size.  CASE WHEN c THEN (all with c true) ELSE (all with c
 * false) END is the same function and has the right enclosure.
 *
 * Two comparisons are one condition if their differences cancel or add up to
 * 0.  Then they can disagree where the difference is 0.  A Lipschitz constant
 * does not notice: where a difference that moves with the private columns is 0,
 * either branch of a kink has the same gradient almost everywhere (the
 * gradient of a Lipschitz function vanishes almost everywhere on its zeros;
 * Gilbarg and Trudinger, Elliptic Partial Differential Equations, Lemma 7.7).
 */
#include "bound/quantity/lift_conditions.h"

/* The most conditions brought outside; each may double the expression. */
#define MAX_CONDITIONS 4

/* A comparison as difference >= 0, or > 0 if strict. */
typedef struct Comparison
{
	const DpsNode *difference;
	bool		strict;
} Comparison;

/* What one pass substitutes for a condition. */
typedef struct Assumption
{
	DpsGraph   *graph;
	const DpsNode *condition;
	bool		truth;
	uint64_t	private_variables;
	const DpsNode **memo;
} Assumption;

typedef enum Relation
{
	UNRELATED,
	SAME,
	OPPOSITE
} Relation;

static bool
read_comparison(DpsGraph *graph, const DpsNode *condition, Comparison *comparison)
{
	const DpsNode *x = condition->arg[0];
	const DpsNode *y = condition->arg[1];

	switch (condition->op)
	{
		case DPS_OP_GE:
		case DPS_OP_GT:
			break;
		case DPS_OP_LE:
		case DPS_OP_LT:
			x = condition->arg[1];
			y = condition->arg[0];
			break;
		default:
			return false;
	}
	comparison->strict = condition->op == DPS_OP_GT || condition->op == DPS_OP_LT;
	comparison->difference = dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, dps_as_float8(graph, x),
									   dps_as_float8(graph, y));
	return comparison->difference != NULL;
}

static bool
is_zero(const DpsNode *node)
{
	return node != NULL && dps_is_constant(node, 0);
}

/* How the condition follows from the assumed one. */
static Relation
relate(const Assumption *a, const DpsNode *condition)
{
	Comparison	assumed;
	Comparison	asked;
	bool		ties_count;

	if (condition == a->condition)
		return SAME;
	/* where the condition is NULL, it and its opposite take the same branch */
	if (condition->nullable || a->condition->nullable ||
		condition->variables != a->condition->variables ||
		!read_comparison(a->graph, a->condition, &assumed) ||
		!read_comparison(a->graph, condition, &asked))
		return UNRELATED;
	ties_count = !(condition->variables & a->private_variables);
	if ((assumed.strict == asked.strict || !ties_count) &&
		is_zero(dps_apply(a->graph, DPS_OP_SUB, DPS_FLOAT8, assumed.difference, asked.difference)))
		return SAME;
	if ((assumed.strict != asked.strict || !ties_count) &&
		is_zero(dps_apply(a->graph, DPS_OP_ADD, DPS_FLOAT8, assumed.difference, asked.difference)))
		return OPPOSITE;
	return UNRELATED;
}

/* The node where the assumption holds; NULL if memory ran out. */
static const DpsNode *
assume(Assumption *a, const DpsNode *node)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	Relation	relation;
	int			i;

	if (node->nargs == 0)
		return node;
	if (a->memo[node->id] != NULL)
		return a->memo[node->id];
	relation = node->op == DPS_OP_CASE ? relate(a, node->arg[0]) : UNRELATED;
	if (relation != UNRELATED)
	{
		a->memo[node->id] = assume(a, node->arg[a->truth == (relation == SAME) ? 1 : 2]);
		return a->memo[node->id];
	}
	for (i = 0; i < node->nargs; i++)
	{
		arg[i] = assume(a, node->arg[i]);
		if (arg[i] == NULL)
			return NULL;
	}
	a->memo[node->id] = node->op == DPS_OP_CASE ? dps_choose(a->graph, arg[0], arg[1], arg[2]) :
		dps_apply(a->graph, node->op, node->type, arg[0], arg[1]);
	return a->memo[node->id];
}

/* An innermost condition below the node; NULL if there is none.  seen has an
 * entry for each node. */
static const DpsNode *
find_condition(const DpsNode *node, bool *seen)
{
	const DpsNode *found = NULL;
	int			i;

	if (seen[node->id])
		return NULL;
	seen[node->id] = true;
	for (i = 0; i < node->nargs && found == NULL; i++)
		found = find_condition(node->arg[i], seen);
	return found == NULL && node->op == DPS_OP_CASE ? node->arg[0] : found;
}

static const DpsNode *
assume_condition(DpsGraph *graph, const DpsNode *node, const DpsNode *condition, bool truth,
				 uint64_t private_variables)
{
	Assumption	a = {graph, condition, truth, private_variables, NULL};

	a.memo = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * (node->id + 1));
	return a.memo == NULL ? NULL : assume(&a, node);
}

static const DpsNode *
lift(DpsGraph *graph, const DpsNode *node, uint64_t private_variables, int left)
{
	bool	   *seen;
	const DpsNode *condition;
	const DpsNode *yes;
	const DpsNode *no;

	if (node == NULL || left == 0)
		return node;
	seen = dps_arena_alloc(graph->arena, sizeof(bool) * (node->id + 1));
	if (seen == NULL)
		return NULL;
	condition = find_condition(node, seen);
	if (condition == NULL)
		return node;
	yes = lift(graph, assume_condition(graph, node, condition, true, private_variables), private_variables, left - 1);
	no = lift(graph, assume_condition(graph, node, condition, false, private_variables), private_variables, left - 1);
	return yes == NULL || no == NULL ? NULL : dps_choose(graph, condition, yes, no);
}

const DpsNode *
dps_lift_conditions(DpsGraph *graph, const DpsNode *node, uint64_t private_variables)
{
	return lift(graph, node, private_variables, MAX_CONDITIONS);
}
