/*
 * simplify.c
 *		Constructors that simplify: constants folded, neutral elements dropped,
 *		products and sums brought to normal form.
 *
 * A rule may not define what was undefined (but an error beside a NULL may
 * become NULL: a / 0 / NULL is a / (0 * NULL)), may not lose a NULL, and may
 * not reorder anything whose type can overflow.
 */
#include <math.h>

#include "expr/intern.h"

static bool
all_constant(const DpsNode *x, const DpsNode *y)
{
	return x->op == DPS_OP_CONST && (y == NULL || y->op == DPS_OP_CONST);
}

/* The value of an operation on constants, if it has one that the type holds. */
static bool
fold(DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y, double *value)
{
	const DpsOp *row = &dps_ops[op];
	double		xv = x->value;
	double		yv = y == NULL ? 0 : y->value;
	bool		any_null = xv != xv || (y != NULL && yv != yv);

	if (any_null && !(row->flags & (DPS_NULL_IF_ALL | DPS_NULL_NEVER | DPS_NULL_LOGIC)))
	{
		*value = (double) NAN;
		return true;
	}
	if (!any_null && row->defined(dps_iv(xv, xv), dps_iv(yv, yv)) != DPS_DEFINED)
		return false;
	*value = row->value(xv, yv);
	if (*value != *value)
		return any_null;
	return dps_iv_contains(dps_type_range(type), *value);
}

/* A value that may be left out without a trace. */
static bool
is_harmless(const DpsNode *node)
{
	return node->total && !node->nullable;
}

static bool
is_null(const DpsNode *node)
{
	return node->op == DPS_OP_CONST && node->value != node->value;
}

/* + - * / and powers of reals.  Returns NULL where no rule of its own applies. */
static const DpsNode *
simplify_real(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	switch (op)
	{
		case DPS_OP_ADD:
		case DPS_OP_SUB:
			return dps_polynomial(graph, op, type, x, y);
		case DPS_OP_NEG:
			if (x->op == DPS_OP_SUB && dps_is_real(x->type))
				return dps_apply(graph, DPS_OP_SUB, type, x->arg[1], x->arg[0]);
			return dps_monomial(graph, op, type, x, NULL);
		case DPS_OP_MUL:
			if ((dps_is_constant(x, 0) && is_harmless(y)) || (dps_is_constant(y, 0) && is_harmless(x)))
				return dps_constant(graph, type, 0);
			return dps_monomial(graph, op, type, x, y);
		case DPS_OP_DIV:
		case DPS_OP_SQR:
			return dps_monomial(graph, op, type, x, y);
		case DPS_OP_POW:
			if (y->op != DPS_OP_CONST || is_null(y))
				return NULL;
			if (y->value == 0 && is_harmless(x))
				return dps_constant(graph, type, 1);
			if (y->value == rint(y->value) && y->value != 0 && fabs(y->value) < 1e6)
				return dps_monomial(graph, op, type, x, y);
			return NULL;
		case DPS_OP_SQRT:
			if (x->op == DPS_OP_SQR)
				return dps_apply(graph, DPS_OP_ABS, type, x->arg[0], NULL);
			return NULL;
		default:
			return NULL;
	}
}

static const DpsNode *
simplify_logic(DpsGraph *graph, DpsOpcode op, const DpsNode *x, const DpsNode *y)
{
	double		neutral = op == DPS_OP_AND ? 1 : 0;

	switch (op)
	{
		case DPS_OP_AND:
		case DPS_OP_OR:
			if (x == y || dps_is_constant(y, neutral))
				return x;
			if (dps_is_constant(x, neutral))
				return y;
			if ((dps_is_constant(x, 1 - neutral) && y->total) ||
				(dps_is_constant(y, 1 - neutral) && x->total))
				return dps_constant(graph, DPS_BOOL, 1 - neutral);
			return NULL;
		case DPS_OP_NOT:
			return x->op == DPS_OP_NOT ? x->arg[0] : NULL;
		case DPS_OP_IS_NULL:
			if (is_harmless(x))
				return dps_constant(graph, DPS_BOOL, 0);
			return NULL;
		default:
			return NULL;
	}
}

/* Does every value of type `from` fit type `to` unchanged? */
static bool
widens(DpsType from, DpsType to)
{
	if (from == to)
		return true;
	if (from == DPS_BOOL || to == DPS_BOOL)
		return false;
	if (dps_type_is_integer(from) && dps_type_is_integer(to))
		return from < to;
	return from < to && to != DPS_FLOAT4;
}

/* Choices, steps and casts, of any type. */
static const DpsNode *
simplify_other(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	switch (op)
	{
		case DPS_OP_GREATEST:
		case DPS_OP_LEAST:
			if (x == y || is_null(y))
				return x;
			return is_null(x) ? y : NULL;
		case DPS_OP_COALESCE:
			if (!x->nullable || x == y || is_null(y))
				return x;
			return is_null(x) ? y : NULL;
		case DPS_OP_FLOOR:
		case DPS_OP_CEIL:
		case DPS_OP_RINT:
		case DPS_OP_ROUND:
		case DPS_OP_TRUNC:
			return x->integral && x->type == type ? x : NULL;
		case DPS_OP_ABS:
			return x->op == DPS_OP_ABS || x->op == DPS_OP_SQR ? x : NULL;
		case DPS_OP_CAST:
			if (x->type == type)
				return x;
			if (x->op == DPS_OP_CAST && widens(x->arg[0]->type, x->type) && widens(x->type, type))
				return dps_apply(graph, op, type, x->arg[0], NULL);
			return NULL;
		default:
			return NULL;
	}
}

const DpsNode *
dps_apply(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	int			nargs = dps_ops[op].arity;
	const DpsNode *result = NULL;
	double		value;

	if (x == NULL || (nargs == 2 && y == NULL))
		return NULL;
	if (nargs == 1)
		y = NULL;
	if (all_constant(x, y) && fold(op, type, x, y, &value))
		return dps_constant(graph, type, value);
	if (all_constant(x, y))
		return dps_intern(graph, op, type, nargs, x, y, NULL);
	if (dps_is_real(type) && x->shape.rank == 0 && (y == NULL || y->shape.rank == 0))
		result = simplify_real(graph, op, type, x, y);
	if (result == NULL && type == DPS_BOOL)
		result = simplify_logic(graph, op, x, y);
	if (result == NULL)
		result = simplify_other(graph, op, type, x, y);
	if (result == NULL)
		result = dps_intern(graph, op, type, nargs, x, y, NULL);
	return result;
}

const DpsNode *
dps_choose(DpsGraph *graph, const DpsNode *condition, const DpsNode *yes, const DpsNode *no)
{
	if (condition == NULL || yes == NULL || no == NULL)
		return NULL;
	if (condition->op == DPS_OP_CONST)
		return condition->value == 1 ? yes : no;
	if (yes == no && condition->total)
		return yes;
	return dps_intern(graph, DPS_OP_CASE, yes->type, 3, condition, yes, no);
}
