/*
 * simplify.c
 *		Constructors that simplify: constants folded, neutral elements dropped,
 *		products and sums brought to normal form.
 *
 * A rule may not make an undefined value defined (but an error beside a NULL
 * may become NULL: a / 0 / NULL is a / (0 * NULL)), may not lose a NULL, and
 * may not reorder operations whose type can overflow.
 */
#include <math.h>

#include "expr/intern.h"

static bool
all_constant(const DpsNode *x, const DpsNode *y)
{
	return x->op == DPS_OP_CONST && (y == NULL || y->op == DPS_OP_CONST);
}

static bool
is_null(const DpsNode *node)
{
	return node->op == DPS_OP_CONST && node->value != node->value;
}

/* Does a NULL argument make the result NULL? */
static bool
is_strict_null(const DpsOp *row, const DpsNode *x, const DpsNode *y)
{
	return (is_null(x) || is_null(y)) && !(row->flags & (DPS_NULL_IF_ALL | DPS_NULL_NEVER | DPS_NULL_LOGIC));
}

/* The value of an operation on constants, if there is one that fits the
 * type. */
static bool
fold(DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y, double *value)
{
	const DpsOp *row = &dps_ops[op];
	double		xv = x->value;
	double		yv = y == NULL ? 0 : y->value;
	bool		any_null = xv != xv || (y != NULL && yv != yv);

	if (is_strict_null(row, x, y == NULL ? x : y))
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

/*
 * Sums, products, quotients and powers of constants.  NULL for other operations,
 * and where no number can hold the result.
 */
static const DpsNode *
compute_exactly(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	const DpsNode *last = y == NULL ? x : y;
	DpsNumber	num;
	DpsNumber	den;
	DpsNumber	y_num;
	DpsNumber	y_den;

	if (!dps_is_real(type) || !dps_is_real(x->type) || !dps_is_real(last->type) || is_null(x) || is_null(last))
		return NULL;
	dps_constant_ratio(x, &num, &den);
	dps_constant_ratio(last, &y_num, &y_den);
	switch (op)
	{
		case DPS_OP_CAST:
			break;
		case DPS_OP_ABS:
			num.value = fabs(num.value);
			break;
		case DPS_OP_NEG:
			num = dps_negated(num);
			break;
		case DPS_OP_SUB:
		case DPS_OP_ADD:
			if (op == DPS_OP_SUB)
				y_num = dps_negated(y_num);
			num = dps_number_sum(graph, dps_number_product(graph, num, y_den), dps_number_product(graph, y_num, den));
			den = dps_number_product(graph, den, y_den);
			break;
		case DPS_OP_SQR:
		case DPS_OP_MUL:
			num = dps_number_product(graph, num, y_num);
			den = dps_number_product(graph, den, y_den);
			break;
		case DPS_OP_DIV:
			if (y->value == 0)
				return NULL;
			num = dps_number_product(graph, num, y_den);
			den = dps_number_product(graph, den, y_num);
			break;
		case DPS_OP_POW:
			if (!dps_number_is_integer(y_num) || !dps_number_is(y_den, 1) || (y->value <= 0 && x->value == 0))
				return NULL;
			num = dps_number_power(graph, num, fabs(y->value));
			den = dps_number_power(graph, den, fabs(y->value));
			if (y->value < 0)
				return isfinite(num.value) && isfinite(den.value) ? dps_ratio_node(graph, type, den, num) : NULL;
			break;
		default:
			return NULL;
	}
	return isfinite(num.value) && isfinite(den.value) ? dps_ratio_node(graph, type, num, den) : NULL;
}

/* An operation on constants if its value is known: exact, or the only one in its
 * enclosure.  Otherwise NULL. */
static const DpsNode *
fold_exactly(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	const DpsOp *row = &dps_ops[op];
	const DpsNode *last = y == NULL ? x : y;
	const DpsNode *result;
	DpsInterval range;
	double		value;

	if (all_constant(x, y))
	{
		result = compute_exactly(graph, op, type, x, y);
		if (result != NULL)
			return result;
		/* where SQL does not round either */
		if (is_strict_null(row, x, last) || (x->exact == NULL && last->exact == NULL && dps_op_is_exact(row)))
			return fold(op, type, x, y, &value) ? dps_constant(graph, type, value) : NULL;
	}
	if (dps_iv_is_empty(x->range) || dps_iv_is_empty(last->range) ||
		row->defined(x->range, last->range) != DPS_DEFINED)
		return NULL;
	range = row->enclosure(x->range, last->range, DPS_NEVER_NULL, DPS_NEVER_NULL);
	return dps_iv_is_point(range) && dps_iv_contains(dps_type_range(type), range.lo) ?
		dps_constant(graph, type, range.lo) : NULL;
}

/* Can the node be left out without a change of NULLs and errors? */
static bool
is_harmless(const DpsNode *node)
{
	return node->total && !node->nullable;
}

/* + - * / and powers of reals.  Returns NULL where no rule applies. */
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
			if (y->op != DPS_OP_CONST || y->exact != NULL || is_null(y))
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

/* Deeper sums are not looked into. */
#define MAX_LOOK 8

/* Is it never negative, nor -0, whatever its columns are: by what its operation is, or as a sum? */
static bool
has_no_sign(const DpsNode *node, int depth)
{
	const DpsOp *row = &dps_ops[node->op];

	if (node->op == DPS_OP_CASE || depth == MAX_LOOK)
		return false;
	if (node->op == DPS_OP_ADD)
		return has_no_sign(node->arg[0], depth + 1) && has_no_sign(node->arg[1], depth + 1);
	return node->nargs == 1 && row->enclosure(DPS_ENTIRE, DPS_ENTIRE, DPS_NEVER_NULL, DPS_NEVER_NULL).lo >= 0 &&
		!signbit(row->value(-0.0, -0.0));
}

/* Choices, steps and casts, of any type. */
static const DpsNode *
simplify_other(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	if (dps_ops[op].flags & DPS_ROUNDS)
		return x->integral && x->type == type ? x : NULL;
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
		case DPS_OP_ABS:
			return has_no_sign(x, 0) ? x : NULL;
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

/* A constant with another type or sign, where SQL rounds nothing. */
static const DpsNode *
retype_constant(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x)
{
	double		value;

	if (x->op != DPS_OP_CONST || !(op == DPS_OP_NEG || op == DPS_OP_CAST) || !fold(op, type, x, NULL, &value) ||
		(op == DPS_OP_CAST && type != DPS_FLOAT8 && !(value == rint(value) && fabs(value) < 1e15)))
		return NULL;
	return dps_constant(graph, type, value);
}

/* The operation without simplification. */
static const DpsNode *
keep(DpsGraph *graph, DpsOpcode op, DpsType type, int nargs, const DpsNode *x, const DpsNode *y)
{
	const DpsNode *result = nargs == 1 ? retype_constant(graph, op, type, x) : NULL;

	return result != NULL ? result : dps_intern(graph, op, type, nargs, x, y, NULL);
}

const DpsNode *
dps_apply(DpsGraph *graph, DpsOpcode op, DpsType type, const DpsNode *x, const DpsNode *y)
{
	int			nargs = dps_ops[op].arity;
	const DpsNode *result = NULL;

	if (x == NULL || (nargs == 2 && y == NULL))
		return NULL;
	if (nargs == 1)
		y = NULL;
	if (graph->plain)
		return keep(graph, op, type, nargs, x, y);
	if (x->variables == 0 && (y == NULL || y->variables == 0))
		result = fold_exactly(graph, op, type, x, y);
	if (result == NULL && all_constant(x, y) && !(dps_ops[op].flags & DPS_NULL_IF_ALL))
		return dps_intern(graph, op, type, nargs, x, y, NULL);
	if (result != NULL)
		return result;
	if (dps_is_real(type))
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
	const DpsNode *kept;
	const DpsNode *other;
	const DpsNode *filled;

	if (condition == NULL || yes == NULL || no == NULL)
		return NULL;
	if (graph->plain)
		return dps_intern(graph, DPS_OP_CASE, yes->type, 3, condition, yes, no);
	if (condition->op == DPS_OP_CONST)
		return condition->value == 1 ? yes : no;
	if (yes == no && condition->total)
		return yes;
	kept = dps_without_cancellation(graph, condition, true, yes);
	other = dps_without_cancellation(graph, condition, false, no);
	if (kept == NULL || other == NULL)
		return NULL;
	filled = kept != yes || other != no ? dps_fill_case(graph, condition, kept, other) : NULL;
	return filled != NULL ? filled : dps_intern(graph, DPS_OP_CASE, yes->type, 3, condition, kept, other);
}
