/*
 * removable.c
 *		Differences that lose all digits where a quotient has a limit.
 *
 *		CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1) / x END
 *		CASE WHEN x > 0 THEN (1 - exp(-x)) / x ELSE 1 END
 *		CASE WHEN x <> 0 THEN ln(1 + x) / x ELSE 1 END
 *
 * In doubles exp(x) - 1 is 0 for |x| < 2^-54 and 2^-52 for some x of half of that, so the first
 * would be anything from 0 to 2 near 0, where it is near 1.  The C library has exp(x) - 1 and
 * ln(1 + x) as functions, off by ulps; by them the quotient is that of real numbers, which is
 * what is bounded.  Where the condition keeps x from 0 it becomes a function without a gap (filled.c).
 *
 * Only where a quotient is by x or -x, and in a branch of a CASE whose condition looks at x:
 * elsewhere exp(x) - 1 is a sum, and what is known of sums is known of it.
 *
 * No value gets an error, and none is made of one (simplify.c): both forms have the same
 * arguments with values.  The other way around that is not so.  SQL divides by zero in
 * x / (exp(x) - 1) for small x, and so does this.
 */
#include "expr/intern.h"

/* Deeper formulas are left as they are. */
#define MAX_DEPTH 12

static bool
is_up_to_sign(const DpsNode *t, const DpsNode *x)
{
	return t == x || (t->op == DPS_OP_NEG && t->arg[0] == x) || (x->op == DPS_OP_NEG && x->arg[0] == t);
}

/* t if the node is exp(t), else NULL. */
static const DpsNode *
exponent_of(const DpsNode *node)
{
	return node->op == DPS_OP_EXP && node->type == DPS_FLOAT8 ? node->arg[0] : NULL;
}

/* t if the node is 1 + t, else NULL. */
static const DpsNode *
beyond_one(DpsGraph *graph, const DpsNode *node)
{
	if (node->op == DPS_OP_ADD)
		return dps_is_constant(node->arg[0], 1) ? node->arg[1] : dps_is_constant(node->arg[1], 1) ? node->arg[0] : NULL;
	if (node->op == DPS_OP_SUB && dps_is_constant(node->arg[0], 1))
		return dps_apply(graph, DPS_OP_NEG, node->type, node->arg[1], NULL);
	return NULL;
}

/* The numerator of a quotient by x as a function that is small where x is; itself if it is none. */
static const DpsNode *
small_numerator(DpsGraph *graph, const DpsNode *numerator, const DpsNode *x)
{
	bool		falls = numerator->op == DPS_OP_SUB && dps_is_constant(numerator->arg[0], 1);
	const DpsNode *t = NULL;

	if (numerator->op == DPS_OP_SUB && (falls || dps_is_constant(numerator->arg[1], 1)))
	{
		t = exponent_of(numerator->arg[falls]);
		if (t == NULL || !is_up_to_sign(t, x))
			return numerator;
		t = dps_apply(graph, DPS_OP_EXPM1, DPS_FLOAT8, t, NULL);
		return falls ? dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, t, NULL) : t;
	}
	if (numerator->op == DPS_OP_LN && numerator->type == DPS_FLOAT8 && numerator->arg[0]->type == DPS_FLOAT8)
		t = beyond_one(graph, numerator->arg[0]);
	return t != NULL && is_up_to_sign(t, x) ? dps_apply(graph, DPS_OP_LOG1P, DPS_FLOAT8, t, NULL) : numerator;
}

static bool
occurs(const DpsNode *part, const DpsNode *node, int depth)
{
	int			k;

	if (node == part)
		return true;
	for (k = 0; k < node->nargs && depth < MAX_DEPTH; k++)
		if (occurs(part, node->arg[k], depth + 1))
			return true;
	return false;
}

static const DpsNode *
rewrite(DpsGraph *graph, const DpsNode *condition, bool truth, const DpsNode *node, int depth)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	bool		changed = false;
	int			k;

	if (depth == MAX_DEPTH || node->op == DPS_OP_VAR || node->op == DPS_OP_CONST || (node->variables & condition->variables) == 0)
		return node;
	for (k = 0; k < node->nargs; k++)
	{
		arg[k] = rewrite(graph, condition, truth, node->arg[k], depth + 1);
		if (arg[k] == NULL)
			return NULL;
		changed = changed || arg[k] != node->arg[k];
	}
	if (node->op == DPS_OP_DIV && node->type == DPS_FLOAT8)
	{
		const DpsNode *filled = dps_fill_quotient(graph, condition, truth, arg[0], arg[1]);

		if (filled != NULL)
			return filled;
	}
	if (node->op == DPS_OP_DIV && node->type == DPS_FLOAT8 && occurs(arg[1], condition, 0))
	{
		const DpsNode *numerator = small_numerator(graph, arg[0], arg[1]);

		changed = changed || numerator != arg[0];
		arg[0] = numerator;
	}
	if (!changed)
		return node;
	return node->op == DPS_OP_CASE ? dps_choose(graph, arg[0], arg[1], arg[2]) : dps_apply(graph, node->op, node->type, arg[0], arg[1]);
}

const DpsNode *
dps_without_cancellation(DpsGraph *graph, const DpsNode *condition, bool truth, const DpsNode *branch)
{
	return rewrite(graph, condition, truth, branch, 0);
}
