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
 * Two comparisons are one condition if their sides are the same or exchanged, or
 * their differences cancel or add up to 0.  Then they can disagree where the
 * difference is 0.  A Lipschitz constant does not notice: where a difference that moves with the private columns is 0,
 * either branch of a kink has the same gradient almost everywhere (the
 * gradient of a Lipschitz function vanishes almost everywhere on its zeros;
 * Gilbarg and Trudinger, Elliptic Partial Differential Equations, Lemma 7.7).
 * If the differences are apart by a constant, one may follow from the other, as
 * x >= 20 follows from x >= 30: of a tariff of many steps few combinations are
 * left.  An assumption also decides greatest and least of what it compares.
 */
#include <math.h>

#include "bound/quantity/lift_conditions.h"
#include "bound/terms.h"

/* The most conditions brought outside; each may double a part of the expression. */
#define MAX_CONDITIONS 15

/* Sums within sums that a comparison is read through. */
#define MAX_SUMS 20

/* A comparison as above - below = difference >= 0, or > 0 if strict. */
typedef struct Comparison
{
	const DpsNode *above;
	const DpsNode *below;
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
	HOLDS,
	FAILS
} Relation;

/* The number that the node is, of sums of doubles for sums of integers and of numeric: equal
 * wherever the node has a value. */
static const DpsNode *
as_real(DpsGraph *graph, const DpsNode *node, int depth)
{
	node = dps_uncast(node);
	if (!dps_adds(node) || node->type == DPS_FLOAT8 || depth == MAX_SUMS)
		return dps_as_float8(graph, node);
	if (node->op == DPS_OP_NEG)
		return dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, as_real(graph, node->arg[0], depth + 1), NULL);
	return dps_apply(graph, node->op, DPS_FLOAT8, as_real(graph, node->arg[0], depth + 1),
					 as_real(graph, node->arg[1], depth + 1));
}

/* Reads it as x >= y; false if memory ran out. */
static bool
read_sides(DpsGraph *graph, const DpsNode *x, const DpsNode *y, Comparison *comparison)
{
	comparison->above = as_real(graph, x, 0);
	comparison->below = as_real(graph, y, 0);
	comparison->difference = dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, comparison->above, comparison->below);
	return comparison->difference != NULL;
}

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
	return read_sides(graph, x, y, comparison);
}

/* Does the node have one value, exactly? */
static bool
is_number(const DpsNode *node, double *value)
{
	if (node == NULL || node->op != DPS_OP_CONST || isnan(node->value))
		return false;
	*value = node->value;
	return true;
}

static Relation
as_relation(bool truth)
{
	return truth ? HOLDS : FAILS;
}

/*
 * Are the differences of two comparisons apart by a constant?  Quotients do not cancel in a sum, since
 * they may have no value; but where the assumed comparison has one, so has each of its sides.
 */
static bool
are_apart(DpsGraph *graph, const Comparison *asked, const Comparison *assumed, double *c)
{
	*c = 0;
	return (asked->above == assumed->above && asked->below == assumed->below) ||
		is_number(dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, asked->difference, assumed->difference), c);
}

/* Do they add up to a constant? */
static bool
are_opposite(DpsGraph *graph, const Comparison *asked, const Comparison *assumed, double *c)
{
	*c = 0;
	return (asked->above == assumed->below && asked->below == assumed->above) ||
		is_number(dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, asked->difference, assumed->difference), c);
}

/*
 * Whether a comparison holds where the assumed one does, or does not.  If the
 * differences are d and d + c or c - d, and c is not 0, the second has a sign
 * wherever that follows from the first one's.  If c is 0, they are the same
 * condition or opposites, but for ties.
 */
static Relation
relate_differences(const Assumption *a, const Comparison *assumed, const Comparison *asked, bool ties_count)
{
	double		c;

	if (are_apart(a->graph, asked, assumed, &c))
	{
		if (c == 0 && (assumed->strict == asked->strict || !ties_count))
			return as_relation(a->truth);
		return (a->truth && c > 0) || (!a->truth && c < 0) ? as_relation(c > 0) : UNRELATED;
	}
	if (are_opposite(a->graph, asked, assumed, &c))
	{
		if (c == 0 && (assumed->strict != asked->strict || !ties_count))
			return as_relation(!a->truth);
		return (a->truth && c < 0) || (!a->truth && c > 0) ? as_relation(c > 0) : UNRELATED;
	}
	return UNRELATED;
}

/* How the condition follows from the assumed one. */
static Relation
relate(const Assumption *a, const DpsNode *condition)
{
	Comparison	assumed;
	Comparison	asked;

	if (condition == a->condition)
		return as_relation(a->truth);
	/* where the condition is NULL, it and its opposite take the same branch */
	if (condition->nullable || a->condition->nullable ||
		condition->variables != a->condition->variables ||
		!read_comparison(a->graph, a->condition, &assumed) ||
		!read_comparison(a->graph, condition, &asked))
		return UNRELATED;
	return relate_differences(a, &assumed, &asked, !(condition->variables & a->private_variables));
}

/* The argument that greatest or least is equal to; NULL if it does not follow.  At a tie it is
 * equal to both. */
static const DpsNode *
decided_extreme(const Assumption *a, const DpsNode *node)
{
	Comparison	assumed;
	Comparison	first = {.strict = false};
	Relation	relation;
	bool		greatest = node->op == DPS_OP_GREATEST;

	if ((!greatest && node->op != DPS_OP_LEAST) || node->arg[0]->nullable || node->arg[1]->nullable || a->condition->nullable ||
		node->variables != a->condition->variables || !read_comparison(a->graph, a->condition, &assumed))
		return NULL;
	if (!read_sides(a->graph, node->arg[!greatest], node->arg[greatest], &first))
		return NULL;
	relation = relate_differences(a, &assumed, &first, false);
	return relation == UNRELATED ? NULL : node->arg[relation == HOLDS ? 0 : 1];
}

/* The branch that a CASE takes; NULL if it does not follow. */
static const DpsNode *
decided_branch(const Assumption *a, const DpsNode *node)
{
	Relation	relation = relate(a, node->arg[0]);

	return relation == UNRELATED ? NULL : node->arg[relation == HOLDS ? 1 : 2];
}

/* The node where the assumption holds; NULL if memory ran out. */
static const DpsNode *
assume(Assumption *a, const DpsNode *node)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	const DpsNode *decided;
	int			i;

	if (node->nargs == 0)
		return node;
	if (a->memo[node->id] != NULL)
		return a->memo[node->id];
	decided = node->op == DPS_OP_CASE ? decided_branch(a, node) : decided_extreme(a, node);
	if (decided != NULL)
	{
		a->memo[node->id] = assume(a, decided);
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

/* A search decides conditions of booleans alone by itself, when it cuts them. */
static bool
is_of_booleans(const DpsGraph *graph, const DpsNode *condition)
{
	int			j;

	for (j = 0; j < graph->nvariables; j++)
		if ((condition->variables & (UINT64_C(1) << j)) && graph->variables[j].type != DPS_BOOL)
			return false;
	return true;
}

/* An innermost condition below the node; NULL if there is none.  seen has an
 * entry for each node. */
static const DpsNode *
find_condition(const DpsGraph *graph, const DpsNode *node, bool *seen)
{
	const DpsNode *found = NULL;
	int			i;

	if (seen[node->id])
		return NULL;
	seen[node->id] = true;
	for (i = 0; i < node->nargs && found == NULL; i++)
		found = find_condition(graph, node->arg[i], seen);
	if (found == NULL && node->op == DPS_OP_CASE && !is_of_booleans(graph, node->arg[0]))
		found = node->arg[0];
	return found;
}

static const DpsNode *
assume_condition(DpsGraph *graph, const DpsNode *node, const DpsNode *condition, bool truth,
				 uint64_t private_variables)
{
	Assumption	a = {graph, condition, truth, private_variables, NULL};

	a.memo = dps_arena_alloc(graph->arena, sizeof(DpsNode *) * (node->id + 1));
	return a.memo == NULL ? NULL : assume(&a, node);
}

/* Counts the conditions below the node, each once.  seen and counted have an entry for each
 * node. */
static int
count_conditions(const DpsGraph *graph, const DpsNode *node, bool *seen, bool *counted)
{
	int			n = 0;
	int			i;

	if (seen[node->id])
		return 0;
	seen[node->id] = true;
	if (node->op == DPS_OP_CASE && !counted[node->arg[0]->id] && !is_of_booleans(graph, node->arg[0]))
	{
		counted[node->arg[0]->id] = true;
		n = 1;
	}
	for (i = 0; i < node->nargs; i++)
		n += count_conditions(graph, node->arg[i], seen, counted);
	return n;
}

/* How many of `left` conditions are for the first branch, if each should have as many as it has
 * conditions.  -1 if memory ran out. */
static int
share_of(DpsGraph *graph, const DpsNode *first, const DpsNode *second, int left)
{
	const DpsNode *node[2] = {first, second};
	int			n[2];
	int			i;

	for (i = 0; i < 2; i++)
	{
		bool	   *seen = dps_arena_alloc(graph->arena, sizeof(bool) * (node[i]->id + 1));
		bool	   *counted = dps_arena_alloc(graph->arena, sizeof(bool) * (node[i]->id + 1));

		if (seen == NULL || counted == NULL)
			return -1;
		n[i] = count_conditions(graph, node[i], seen, counted);
	}
	if (n[0] + n[1] <= left)
		return left - n[1];
	return left * n[0] / (n[0] + n[1]);
}

/* *left conditions may be brought outside; those that one branch does not need are
 * the other's. */
static const DpsNode *
lift(DpsGraph *graph, const DpsNode *node, uint64_t private_variables, int *left)
{
	bool	   *seen;
	const DpsNode *condition;
	const DpsNode *yes;
	const DpsNode *no;
	int			share;

	if (node == NULL || *left == 0)
		return node;
	seen = dps_arena_alloc(graph->arena, sizeof(bool) * (node->id + 1));
	if (seen == NULL)
		return NULL;
	condition = find_condition(graph, node, seen);
	if (condition == NULL)
		return node;
	yes = assume_condition(graph, node, condition, true, private_variables);
	no = assume_condition(graph, node, condition, false, private_variables);
	if (yes == NULL || no == NULL)
		return NULL;
	share = share_of(graph, yes, no, *left - 1);
	if (share < 0)
		return NULL;
	*left -= 1 + share;
	yes = lift(graph, yes, private_variables, &share);
	*left += share;
	no = lift(graph, no, private_variables, left);
	return yes == NULL || no == NULL ? NULL : dps_choose(graph, condition, yes, no);
}

const DpsNode *
dps_lift_conditions(DpsGraph *graph, const DpsNode *node, uint64_t private_variables)
{
	int			left = MAX_CONDITIONS;

	return lift(graph, node, private_variables, &left);
}
