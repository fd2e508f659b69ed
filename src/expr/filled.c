/*
 * filled.c
 *		Quotients with a gap at 0 become functions without one.
 *
 *		CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1) / x END
 *		CASE WHEN x <> 0 THEN 3 * sin(2 * x) / x ELSE 6 END
 *		CASE WHEN r > 0 THEN (1 - exp(-r * t)) / r ELSE t END
 *		CASE WHEN x = 0 THEN 0.5 ELSE (1 - cos(x)) / x ^ 2 END
 *
 * Precondition: a condition keeps x from 0, which SQL would divide by, or x is NULL.  There, with
 * t = r x and the means of exp and cos between 0 and t (num/mean.c),
 *
 *		(exp(t) - 1) / x = r mean_exp(t)            sin(t) / x = r mean_cos(t)
 *		ln(1 + t) / x = r / mean_exp(ln(1 + t))     (1 - cos(t)) / x = r t mean_cos(t / 2)^2 / 2
 *
 * of real numbers, by exp(u) - 1 = t for u = ln(1 + t) and 1 - cos(t) = 2 sin(t / 2)^2.  The right
 * sides have values, derivatives and enclosures at x = 0 as elsewhere, and the evaluator has them without
 * loss of digits.  No value gets an error, and none is made of one: what is on the right overflows
 * where exp(t) does and is defined where the logarithm is, and products of r overflow where quotients
 * by x do.
 *
 * If the other branch is what the function is at 0, the function is all: there is no condition then.
 */
#include "expr/intern.h"

/* Deeper formulas are left as they are. */
#define MAX_DEPTH 12

#define APPLY(op, x) dps_apply(graph, DPS_OP_##op, DPS_FLOAT8, x, NULL)
#define APPLY2(op, x, y) dps_apply(graph, DPS_OP_##op, DPS_FLOAT8, x, y)
#define NUMBER(v) dps_constant(graph, DPS_FLOAT8, v)

/*
 * Conditions
 */

/* Is the node not 0 if the other is not: a factor of it, but for signs and types? */
static bool
is_factor(const DpsNode *node, const DpsNode *product, int depth)
{
	if (node == product)
		return true;
	if (depth == MAX_DEPTH)
		return false;
	switch (product->op)
	{
		case DPS_OP_NEG:
		case DPS_OP_ABS:
		case DPS_OP_CAST:
		case DPS_OP_SQR:
		case DPS_OP_DIV:
			return is_factor(node, product->arg[0], depth + 1);
		case DPS_OP_MUL:
			return is_factor(node, product->arg[0], depth + 1) || is_factor(node, product->arg[1], depth + 1);
		default:
			return false;
	}
}

/* If what is compared is not 0, then neither is the divisor, which double precision holds as it is. */
static bool
tells_of(const DpsNode *compared, const DpsNode *divisor)
{
	while (!is_factor(divisor, compared, 0))
	{
		if (divisor->op != DPS_OP_NEG && divisor->op != DPS_OP_ABS && (divisor->op != DPS_OP_CAST || divisor->type != DPS_FLOAT8))
			return false;
		divisor = divisor->arg[0];
	}
	return true;
}

/* The comparison that holds if this one does not, and the one with its sides exchanged. */
static DpsOpcode
opposite(DpsOpcode op)
{
	static const DpsOpcode pairs[][2] = {{DPS_OP_EQ, DPS_OP_NE}, {DPS_OP_LT, DPS_OP_GE}, {DPS_OP_GT, DPS_OP_LE}};
	int			i;

	for (i = 0; i < 3; i++)
		if (op == pairs[i][0] || op == pairs[i][1])
			return op == pairs[i][0] ? pairs[i][1] : pairs[i][0];
	return DPS_OP_CONST;
}

static DpsOpcode
exchanged(DpsOpcode op)
{
	return op == DPS_OP_LT ? DPS_OP_GT : op == DPS_OP_GT ? DPS_OP_LT : op == DPS_OP_LE ? DPS_OP_GE : op == DPS_OP_GE ? DPS_OP_LE : op;
}

/* Is what compares so with the number never 0? */
static bool
excludes_zero(DpsOpcode op, double number)
{
	switch (op)
	{
		case DPS_OP_NE:
			return number == 0;
		case DPS_OP_EQ:
			return number != 0;
		case DPS_OP_GT:
			return number >= 0;
		case DPS_OP_LT:
			return number <= 0;
		case DPS_OP_GE:
			return number > 0;
		case DPS_OP_LE:
			return number < 0;
		default:
			return false;
	}
}

/* Is the divisor not 0, or NULL, where the condition is true, or else where it is not true? */
static bool
keeps_from_zero(const DpsNode *condition, bool truth, const DpsNode *divisor, int depth)
{
	const DpsNode *x = condition->nargs > 0 ? condition->arg[0] : NULL;
	const DpsNode *y = condition->nargs > 1 ? condition->arg[1] : NULL;
	DpsOpcode	op = truth ? condition->op : opposite(condition->op);

	if (depth == MAX_DEPTH || x == NULL)
		return false;
	if (condition->op == DPS_OP_NOT)
		return truth && keeps_from_zero(x, false, divisor, depth + 1);
	if (condition->op == (truth ? DPS_OP_AND : DPS_OP_OR))
		return keeps_from_zero(x, truth, divisor, depth + 1) || keeps_from_zero(y, truth, divisor, depth + 1);
	if (y == NULL)
		return false;
	if (y->op == DPS_OP_CONST && y->exact == NULL && tells_of(x, divisor))
		return excludes_zero(op, y->value);
	return x->op == DPS_OP_CONST && x->exact == NULL && tells_of(y, divisor) && excludes_zero(exchanged(op), x->value);
}

/*
 * Numerators
 */

/* The product without the factor x; NULL if it is not one. */
static const DpsNode *
without_factor(DpsGraph *graph, const DpsNode *product, const DpsNode *x, int depth)
{
	const DpsNode *rest;

	if (product == x)
		return NUMBER(1);
	if (depth == MAX_DEPTH || product->type != DPS_FLOAT8)
		return NULL;
	switch (product->op)
	{
		case DPS_OP_NEG:
			rest = without_factor(graph, product->arg[0], x, depth + 1);
			return rest == NULL ? NULL : APPLY(NEG, rest);
		case DPS_OP_MUL:
			rest = without_factor(graph, product->arg[0], x, depth + 1);
			if (rest != NULL)
				return APPLY2(MUL, rest, product->arg[1]);
			rest = without_factor(graph, product->arg[1], x, depth + 1);
			return rest == NULL ? NULL : APPLY2(MUL, product->arg[0], rest);
		case DPS_OP_DIV:
			rest = without_factor(graph, product->arg[0], x, depth + 1);
			return rest == NULL ? NULL : APPLY2(DIV, rest, product->arg[1]);
		default:
			return NULL;
	}
}

/* t if the node is 1 + t, else NULL. */
static const DpsNode *
beyond_one(DpsGraph *graph, const DpsNode *node)
{
	if (node->op == DPS_OP_ADD)
		return dps_is_constant(node->arg[0], 1) ? node->arg[1] : dps_is_constant(node->arg[1], 1) ? node->arg[0] : NULL;
	return node->op == DPS_OP_SUB && dps_is_constant(node->arg[0], 1) ? APPLY(NEG, node->arg[1]) : NULL;
}

/* exp(t) - 1 and 1 - cos(t) over x, or over x^2 if `twice`. */
static const DpsNode *
difference_over(DpsGraph *graph, const DpsNode *f, const DpsNode *x, bool twice)
{
	const DpsNode *t = f->arg[0];
	const DpsNode *rest = f->nargs == 1 && f->type == DPS_FLOAT8 ? without_factor(graph, t, x, 0) : NULL;

	if (rest == NULL)
		return NULL;
	if (f->op == DPS_OP_EXP && !twice)
		return APPLY2(MUL, rest, APPLY(MEAN_EXP, t));
	if (f->op != DPS_OP_COS)
		return NULL;
	return APPLY2(MUL, APPLY2(MUL, NUMBER(-0.5), APPLY2(MUL, rest, twice ? rest : t)),
				  APPLY(SQR, APPLY(MEAN_COS, APPLY2(MUL, NUMBER(0.5), t))));
}

/* sin(t) and ln(1 + t) over x. */
static const DpsNode *
function_over(DpsGraph *graph, const DpsNode *f, const DpsNode *x)
{
	const DpsNode *t = f->arg[0]->type != DPS_FLOAT8 ? NULL : f->op == DPS_OP_LN ? beyond_one(graph, f->arg[0]) : f->arg[0];
	const DpsNode *rest = t != NULL && (f->op == DPS_OP_SIN || f->op == DPS_OP_LN) ? without_factor(graph, t, x, 0) : NULL;

	if (rest == NULL)
		return NULL;
	return f->op == DPS_OP_SIN ? APPLY2(MUL, rest, APPLY(MEAN_COS, t)) : APPLY2(DIV, rest, APPLY(MEAN_EXP, APPLY(LOG1P, t)));
}

/* A numerator that is 0 where x is, over x, or over x^2 if `twice`; NULL if it is none. */
static const DpsNode *
over(DpsGraph *graph, const DpsNode *numerator, const DpsNode *x, bool twice, int depth)
{
	const DpsNode *a = numerator->nargs > 0 ? numerator->arg[0] : NULL;
	const DpsNode *b = numerator->nargs > 1 ? numerator->arg[1] : NULL;
	const DpsNode *result;

	if (depth == MAX_DEPTH || a == NULL || numerator->type != DPS_FLOAT8)
		return NULL;
	switch (numerator->op)
	{
		case DPS_OP_NEG:
			result = over(graph, a, x, twice, depth + 1);
			return result == NULL ? NULL : APPLY(NEG, result);
		case DPS_OP_MUL:
			result = over(graph, a, x, twice, depth + 1);
			if (result != NULL)
				return APPLY2(MUL, result, b);
			result = over(graph, b, x, twice, depth + 1);
			return result == NULL ? NULL : APPLY2(MUL, a, result);
		case DPS_OP_DIV:
			result = over(graph, a, x, twice, depth + 1);
			return result == NULL ? NULL : APPLY2(DIV, result, b);
		case DPS_OP_SUB:
			if (dps_is_constant(b, 1))
				return difference_over(graph, a, x, twice);
			result = dps_is_constant(a, 1) ? difference_over(graph, b, x, twice) : NULL;
			return result == NULL ? NULL : APPLY(NEG, result);
		default:
			return twice ? NULL : function_over(graph, numerator, x);
	}
}

/* The quotient by a divisor that has a factor which is kept from 0: by x, by x^2, or by one of them and more. */
static const DpsNode *
over_divisor(DpsGraph *graph, const DpsNode *condition, bool truth, const DpsNode *numerator, const DpsNode *divisor, int depth)
{
	const DpsNode *result = NULL;
	int			k;

	if (depth == MAX_DEPTH || divisor->type != DPS_FLOAT8)
		return NULL;
	if (divisor->op == DPS_OP_SQR && keeps_from_zero(condition, truth, divisor->arg[0], 0))
		return over(graph, numerator, divisor->arg[0], true, 0);
	if (divisor->op == DPS_OP_NEG)
	{
		result = over_divisor(graph, condition, truth, numerator, divisor->arg[0], depth + 1);
		return result == NULL ? NULL : APPLY(NEG, result);
	}
	if (keeps_from_zero(condition, truth, divisor, 0))
		result = over(graph, numerator, divisor, false, 0);
	for (k = 0; k < 2 && result == NULL && divisor->op == DPS_OP_MUL; k++)
	{
		const DpsNode *other = divisor->arg[1 - k];
		const DpsNode *rest;

		result = over_divisor(graph, condition, truth, numerator, divisor->arg[k], depth + 1);
		if (result == NULL)
			continue;
		rest = keeps_from_zero(condition, truth, other, 0) ? without_factor(graph, result, other, 0) : NULL;
		result = rest != NULL ? rest : APPLY2(DIV, result, other);
	}
	return result;
}

const DpsNode *
dps_fill_quotient(DpsGraph *graph, const DpsNode *condition, bool truth, const DpsNode *numerator, const DpsNode *divisor)
{
	return over_divisor(graph, condition, truth, numerator, divisor, 0);
}

/*
 * The condition.  Where x = 0, the function of x is the one with 0 in the place of x; if that is, node for
 * node, the branch that is taken there, both are the same everywhere.  A NULL takes the second branch.
 */
const DpsNode *
dps_fill_case(DpsGraph *graph, const DpsNode *condition, const DpsNode *yes, const DpsNode *no)
{
	bool		equal = condition->op == DPS_OP_EQ;
	const DpsNode *x;
	const DpsNode *at_zero;

	if (!(equal || (condition->op == DPS_OP_NE && !condition->nullable)))
		return NULL;
	x = condition->arg[dps_is_constant(condition->arg[0], 0) ? 1 : 0];
	if (!dps_is_constant(condition->arg[0], 0) && !dps_is_constant(condition->arg[1], 0))
		return NULL;
	at_zero = dps_replace(graph, equal ? no : yes, x, dps_constant(graph, x->type, 0));
	return at_zero == (equal ? yes : no) ? (equal ? no : yes) : NULL;
}
