/*
 * narrow.c
 *		What a WHERE condition leaves of a box.
 *
 * The condition sees raw cells: any value of the column's type, infinities and
 * NaN included.  So the search for raw values that can make it true starts from
 * the types' ranges, not from the box; what it leaves of a column is clamped
 * into the column's range at the end.
 *
 * A forward pass encloses every node.  A backward pass asks which arguments are
 * consistent with a node's enclosure (Benhamou, Goualard, Granvilliers and
 * Puget, Revising hull and box consistency, 1999: HC4).  The server evaluates
 * the condition with rounding errors of its own, so a node's enclosure is
 * widened by more than these before it is inverted.
 *
 * A NaN, in a cell or from Infinity - Infinity for example, is greater than every
 * number in the server and equal to itself, so a comparison with a NaN may be true:
 *
 * - from x < y or x <= y nothing follows for x if y may be NaN, and nothing
 *	 follows for an argument in y if another argument beside it may be NaN;
 * - from x = y nothing follows if both may be NaN;
 * - if an operation may yield NaN from arguments that are no NaN, nothing
 *	 follows for these arguments.
 *
 * For every column it is known whether it may hold a NaN.  A NaN in a column that
 * cannot be NULL is replaced by the end of the column's range
 * (glue/import/cell.h), so this end is kept.
 *
 * No promise of privacy rests on what is concluded here
 * (guard/release/narrow_by_where.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/bound.h"

#define MAX_COLUMNS (DPS_MAX_VARIABLES + 1)
#define MAX_DEPTH 200
#define MAX_PASSES 4
#define LARGEST_WHOLE 0x1p52
#define MAX_ENCLOSED 1000

/* More than the relative errors of the server's float8 and numeric operations;
 * more than those of float4. */
#define SERVER_ERROR 0x1p-46
#define SERVER_ERROR_FLOAT4 0x1p-21

typedef struct Narrowing
{
	DpsGraph	graph;			/* with an arena of this narrowing alone */
	int			left;			/* nodes that may still be enclosed */
	DpsDomain	raw[MAX_COLUMNS];
	uint64_t	nans;			/* columns that may hold NaN */
} Narrowing;

static inline uint64_t
bit(int column)
{
	return UINT64_C(1) << column;
}

static DpsInterval
range_of(DpsType type)
{
	if (type == DPS_FLOAT4 || type == DPS_FLOAT8 || type == DPS_NUMERIC)
		return DPS_ENTIRE;
	/* a bigint beyond 2^53 has been rounded to a double */
	if (type == DPS_INT8)
		return dps_iv(-0x1p63, 0x1p63);
	return dps_type_range(type);
}

static DpsInterval
widen(DpsType type, DpsInterval x)
{
	double		error = type == DPS_FLOAT4 ? SERVER_ERROR_FLOAT4 : SERVER_ERROR;
	double		least = type == DPS_FLOAT4 ? 0x1p-149 : 0x1p-1070;

	if (dps_iv_is_empty(x))
		return x;
	return dps_iv(dps_sub_down(x.lo, fmax(least, isfinite(x.lo) ? fabs(x.lo) * error : 0)),
				  dps_add_up(x.hi, fmax(least, isfinite(x.hi) ? fabs(x.hi) * error : 0)));
}

/* The values of a node over the raw columns; entire if it is not enclosed. */
static DpsStatus
enclose_node(Narrowing *n, const DpsNode *node, DpsInterval *value)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;

	*value = DPS_ENTIRE;
	if (n->left-- <= 0)
		return DPS_OK;
	DPS_TRY(dps_compile(&n->graph, &node, 1, &program));
	enclosures = dps_arena_alloc(n->graph.arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	dps_enclose(program, n->raw, enclosures);
	*value = enclosures[dps_program_outputs(program)[0]].value;
	/* an overflow of the type is an error; an error yields no value */
	if (dps_iv_is_empty(*value))
		*value = DPS_ENTIRE;
	*value = widen(node->type, *value);
	return DPS_OK;
}

static bool
can_be_infinite(DpsInterval x)
{
	return isinf(x.lo) || isinf(x.hi);
}

/* May x op y be NaN though neither is? */
static bool
may_be_nan(DpsOpcode op, DpsInterval x, DpsInterval y)
{
	if (op == DPS_OP_MUL)
		return (can_be_infinite(x) && dps_iv_contains(y, 0)) || (can_be_infinite(y) && dps_iv_contains(x, 0));
	return can_be_infinite(x) && can_be_infinite(y);
}

/* May the node be NaN?  Where the server raises an error there is no value. */
static DpsStatus
node_may_be_nan(Narrowing *n, const DpsNode *node, int depth, bool *may)
{
	DpsInterval known[2] = {DPS_ENTIRE, DPS_ENTIRE};
	int			i;

	*may = false;
	if (node->op == DPS_OP_CONST || node->type == DPS_BOOL || dps_type_is_integer(node->type))
		return DPS_OK;
	*may = true;
	if (depth > MAX_DEPTH)
		return DPS_OK;
	if (node->op == DPS_OP_VAR)
	{
		*may = (n->nans & bit(node->variable)) != 0;
		return DPS_OK;
	}
	for (i = node->op == DPS_OP_CASE ? 1 : 0; i < node->nargs; i++)
	{
		DPS_TRY(node_may_be_nan(n, node->arg[i], depth + 1, may));
		if (*may)
			return DPS_OK;
	}
	if (node->nargs != 2 || (dps_ops[node->op].flags & DPS_NULL_IF_ALL))
		return DPS_OK;
	for (i = 0; i < 2; i++)
		DPS_TRY(enclose_node(n, node->arg[i], &known[i]));
	switch (node->op)
	{
		case DPS_OP_ADD:
		case DPS_OP_SUB:
		case DPS_OP_MUL:
		case DPS_OP_DIV:
			*may = may_be_nan(node->op, known[0], known[1]);
			break;
		default:
			*may = can_be_infinite(known[0]) || can_be_infinite(known[1]);
	}
	return DPS_OK;
}

/* The operation to invert: x * x and x ^ 2 are squares. */
static DpsOpcode
inverted(const DpsNode *node)
{
	if ((node->op == DPS_OP_MUL && node->arg[0] == node->arg[1]) ||
		(node->op == DPS_OP_POW && dps_is_constant(node->arg[1], 2)))
		return DPS_OP_SQR;
	return node->op;
}

/* Narrows the arguments x and y to what can make the operation yield a value
 * in z.  False if nothing follows: other operations are not inverted, and the
 * box stays as wide. */
static bool
invert(DpsOpcode op, DpsInterval z, DpsInterval *x, DpsInterval *y)
{
	DpsInterval root;

	switch (op)
	{
		case DPS_OP_ADD:
			if (may_be_nan(op, *x, *y))
				return false;
			root = dps_iv_sub(z, *y);
			*y = dps_iv_sub(z, *x);
			*x = root;
			return true;
		case DPS_OP_SUB:
			if (may_be_nan(op, *x, *y))
				return false;
			root = dps_iv_add(z, *y);
			*y = dps_iv_sub(*x, z);
			*x = root;
			return true;
		case DPS_OP_MUL:
			if (may_be_nan(op, *x, *y))
				return false;
			root = dps_iv_contains(*y, 0) ? *x : dps_iv_div(z, *y);
			*y = dps_iv_contains(*x, 0) ? *y : dps_iv_div(z, *x);
			*x = root;
			return true;
		case DPS_OP_DIV:
			if (may_be_nan(op, *x, *y))
				return false;
			/* x / Infinity is 0 for every x; y stays as it is */
			if (can_be_infinite(*y))
				return false;
			*x = dps_iv_mul(z, *y);
			return true;
		case DPS_OP_NEG:
			*x = dps_iv_neg(z);
			return true;
		case DPS_OP_CAST:
			*x = z;
			return true;
		case DPS_OP_ABS:
			*x = dps_iv(-z.hi, z.hi);
			return z.hi >= 0;
		case DPS_OP_SQR:
			if (!(z.hi >= 0))
				return false;
			root = dps_iv_sqrt(dps_iv(0, z.hi));
			*x = dps_iv(-root.hi, root.hi);
			return true;
		case DPS_OP_SQRT:
			if (!(z.hi >= 0))
				return false;
			*x = dps_iv_sqr(dps_iv(fmax(z.lo, 0), z.hi));
			/* the root of -0 is no error */
			return true;
		case DPS_OP_EXP:
			if (!(z.hi > 0))
				return false;
			/* the server raises an error on underflow, or yields 0 */
			*x = dps_iv_ln(dps_iv(fmax(z.lo, 0), z.hi));
			if (z.lo <= 0x1p-1000)
				x->lo = -INFINITY;
			return true;
		case DPS_OP_LN:
			*x = dps_iv_exp(z);
			return true;
		default:
			return false;
	}
}

/* Narrows a column to z.  z holds no NaN; a NaN is possible where
 * `nan_passes`. */
static void
narrow_column(Narrowing *n, int column, DpsInterval z, bool nan_passes, bool *empty)
{
	DpsDomain  *raw = &n->raw[column];
	DpsInterval left = dps_iv_intersect(dps_iv(raw->lo, raw->hi), z);

	if (!nan_passes)
		n->nans &= ~bit(column);
	if (!dps_iv_is_empty(left))
	{
		raw->lo = left.lo;
		raw->hi = left.hi;
	}
	else if (!(n->nans & bit(column)))
		*empty = true;
}

/*
 * Narrows the raw columns to what can make the node yield a value in z or,
 * where `nan_passes`, NaN.  `empty` if nothing can.
 */
static DpsStatus
narrow_value(Narrowing *n, const DpsNode *node, DpsInterval z, bool nan_passes, int depth, bool *empty)
{
	DpsInterval known[2] = {DPS_ENTIRE, DPS_ENTIRE};
	DpsInterval wanted[2];
	bool		beside[2] = {false, false};
	DpsOpcode	op;
	int			nargs;
	int			i;

	if (node->variables == 0 || node->type == DPS_BOOL || depth > MAX_DEPTH || dps_iv_is_empty(z))
		return DPS_OK;
	if (node->op == DPS_OP_VAR)
	{
		narrow_column(n, node->variable, z, nan_passes, empty);
		return DPS_OK;
	}
	op = inverted(node);
	nargs = op == DPS_OP_SQR ? 1 : node->nargs;
	/* integers are exact up to 2^53 */
	z = widen(node->type, z);
	for (i = 0; i < nargs && i < 2; i++)
	{
		if (node->arg[i]->type == DPS_BOOL)
			return DPS_OK;
		DPS_TRY(enclose_node(n, node->arg[i], &known[i]));
		if (nan_passes && nargs == 2)
			DPS_TRY(node_may_be_nan(n, node->arg[1 - i], 0, &beside[i]));
	}
	wanted[0] = known[0];
	wanted[1] = known[1];
	if (op == DPS_OP_CASE || !invert(op, z, &wanted[0], &wanted[1]))
		return DPS_OK;
	for (i = 0; i < nargs && !*empty; i++)
	{
		if (beside[i])
			continue;
		/* for the rounding of the inverse */
		wanted[i] = dps_iv_intersect(known[i], widen(node->arg[i]->type, wanted[i]));
		DPS_TRY(narrow_value(n, node->arg[i], wanted[i], nan_passes, depth + 1, empty));
	}
	return DPS_OK;
}

/* A NULL argument makes the comparison not true.  Only integers: the
 * evaluator's NULL is a NaN as well, and a comparison may be true for that. */
static void
exclude_nulls(Narrowing *n, const DpsNode *node)
{
	uint64_t	strict = dps_strict_variables(&n->graph, node);
	int			j;

	for (j = 0; j < dps_columns(&n->graph); j++)
		if ((strict & bit(j)) && dps_type_is_integer(n->graph.variables[j].type) &&
			n->raw[j].nullness == DPS_MAYBE_NULL)
			n->raw[j].nullness = DPS_NEVER_NULL;
}

static DpsOpcode
opposite(DpsOpcode op)
{
	switch (op)
	{
		case DPS_OP_LT:
			return DPS_OP_GE;
		case DPS_OP_LE:
			return DPS_OP_GT;
		case DPS_OP_GT:
			return DPS_OP_LE;
		case DPS_OP_GE:
			return DPS_OP_LT;
		case DPS_OP_EQ:
			return DPS_OP_NE;
		default:
			return DPS_OP_EQ;
	}
}

/* Narrows by x op y. */
static DpsStatus
narrow_comparison(Narrowing *n, const DpsNode *node, DpsOpcode op, bool *empty)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];
	bool		strict = x->integral && y->integral && (op == DPS_OP_LT || op == DPS_OP_GT);
	DpsInterval a;
	DpsInterval b;
	bool		x_may;
	bool		y_may;

	exclude_nulls(n, node);
	if (x->type == DPS_BOOL || op == DPS_OP_NE)
		return DPS_OK;
	if (op == DPS_OP_GT || op == DPS_OP_GE)
	{
		x = node->arg[1];
		y = node->arg[0];
	}
	DPS_TRY(enclose_node(n, x, &a));
	DPS_TRY(enclose_node(n, y, &b));
	/* the exact range of a constant */
	if (y->op == DPS_OP_CONST)
		b = y->range;
	if (x->op == DPS_OP_CONST)
		a = x->range;
	if (isnan(a.lo) || isnan(b.lo))
	{
		*empty = true;
		return DPS_OK;
	}
	DPS_TRY(node_may_be_nan(n, x, 0, &x_may));
	DPS_TRY(node_may_be_nan(n, y, 0, &y_may));
	if (op == DPS_OP_EQ)
	{
		if (x_may && y_may)
			return DPS_OK;
		DPS_TRY(narrow_value(n, x, b, false, 0, empty));
		return *empty ? DPS_OK : narrow_value(n, y, a, false, 0, empty);
	}
	/* of integers below 2^53 */
	if (strict && fabs(b.hi) < LARGEST_WHOLE)
		b.hi -= 1;
	if (strict && fabs(a.lo) < LARGEST_WHOLE)
		a.lo += 1;
	if (!y_may)
		DPS_TRY(narrow_value(n, x, dps_iv(-INFINITY, b.hi), false, 0, empty));
	return *empty ? DPS_OK : narrow_value(n, y, dps_iv(a.lo, INFINITY), true, 0, empty);
}

static DpsStatus narrow_condition(Narrowing *n, const DpsNode *node, bool truth, int depth, bool *empty);

/* Both arguments must have this truth value. */
static DpsStatus
narrow_both(Narrowing *n, const DpsNode *node, bool truth, int depth, bool *empty)
{
	DPS_TRY(narrow_condition(n, node->arg[0], truth, depth + 1, empty));
	return *empty ? DPS_OK : narrow_condition(n, node->arg[1], truth, depth + 1, empty);
}

/* One argument must have this truth value: the hull of both results. */
static DpsStatus
narrow_either(Narrowing *n, const DpsNode *node, bool truth, int depth, bool *empty)
{
	DpsDomain	before[MAX_COLUMNS];
	DpsDomain	first[MAX_COLUMNS];
	uint64_t	nans = n->nans;
	uint64_t	first_nans;
	bool		none = false;
	int			j;

	memcpy(before, n->raw, sizeof(before));
	DPS_TRY(narrow_condition(n, node->arg[0], truth, depth + 1, &none));
	memcpy(first, n->raw, sizeof(first));
	first_nans = n->nans;
	memcpy(n->raw, before, sizeof(before));
	n->nans = nans;
	DPS_TRY(narrow_condition(n, node->arg[1], truth, depth + 1, empty));
	if (none)
		return DPS_OK;
	if (*empty)
	{
		memcpy(n->raw, first, sizeof(first));
		n->nans = first_nans;
	}
	*empty = false;
	n->nans |= first_nans;
	for (j = 0; j < MAX_COLUMNS; j++)
	{
		n->raw[j].lo = fmin(n->raw[j].lo, first[j].lo);
		n->raw[j].hi = fmax(n->raw[j].hi, first[j].hi);
		if (n->raw[j].nullness != first[j].nullness)
			n->raw[j].nullness = DPS_MAYBE_NULL;
	}
	return DPS_OK;
}

/* Narrows to where the condition is `truth`, and not NULL. */
static DpsStatus
narrow_condition(Narrowing *n, const DpsNode *node, bool truth, int depth, bool *empty)
{
	if (depth > MAX_DEPTH)
		return DPS_OK;
	switch (node->op)
	{
		case DPS_OP_CONST:
			*empty = !(node->value == (truth ? 1 : 0));
			return DPS_OK;
		case DPS_OP_NOT:
			return narrow_condition(n, node->arg[0], !truth, depth + 1, empty);
		case DPS_OP_AND:
			return truth ? narrow_both(n, node, truth, depth, empty) : narrow_either(n, node, truth, depth, empty);
		case DPS_OP_OR:
			return truth ? narrow_either(n, node, truth, depth, empty) : narrow_both(n, node, truth, depth, empty);
		case DPS_OP_LT:
		case DPS_OP_LE:
		case DPS_OP_GT:
		case DPS_OP_GE:
		case DPS_OP_EQ:
		case DPS_OP_NE:
			return narrow_comparison(n, node, truth ? (DpsOpcode) node->op : opposite(node->op), empty);
		default:
			return DPS_OK;
	}
}

/* The clamp image of what is left of a column, and of NaN if the column may hold
 * one. */
static void
clamp_column(const DpsDomain *raw, bool nan, DpsDomain *column)
{
	double		image_of_nan = column->hi;
	double		lo = raw->lo;
	double		hi = raw->hi;
	double		nearest;

	/* a numeric cell and the constant that it was compared with both became
	 * the nearest doubles; rounding keeps their order */
	if (column->integral)
	{
		lo = ceil(lo);
		hi = floor(hi);
	}
	if (!(lo <= hi))
		return;
	nearest = fmax(column->lo, fmin(column->hi, lo));
	column->hi = fmax(column->lo, fmin(column->hi, hi));
	column->lo = nearest;
	if (nan && column->nullness == DPS_NEVER_NULL)
		column->hi = image_of_nan;
	if (column->nullness == DPS_MAYBE_NULL)
		column->nullness = raw->nullness;
}

static DpsStatus
narrow(Narrowing *n, const DpsNode *condition, uint64_t nans, DpsDomain *box, bool *empty)
{
	int			ncolumns = dps_columns(&n->graph);
	int			pass;
	int			j;

	for (j = 0; j < ncolumns; j++)
	{
		DpsInterval range = range_of(n->graph.variables[j].type);

		n->raw[j] = (DpsDomain) {range.lo, range.hi, box[j].nullness, box[j].integral};
		if (!dps_type_is_integer(n->graph.variables[j].type) && n->graph.variables[j].type != DPS_BOOL)
			n->nans |= bit(j) & nans;
	}
	/* one side of an AND narrows the other in the next pass */
	for (pass = 0; pass < MAX_PASSES && !*empty; pass++)
		DPS_TRY(narrow_condition(n, condition, true, 0, empty));
	for (j = 0; j < ncolumns && !*empty; j++)
		if (condition->variables & bit(j))
			clamp_column(&n->raw[j], (n->nans & bit(j)) != 0, &box[j]);
	return DPS_OK;
}

DpsStatus
dps_narrow(DpsGraph *graph, const DpsNode *condition, uint64_t nans, DpsDomain *box, bool *empty)
{
	Narrowing  *n;
	DpsArena   *arena;
	DpsStatus	status;

	*empty = false;
	if (condition == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	DPS_TRY(dps_arena_init(&arena, dps_arena_host(graph->arena)));
	n = dps_arena_alloc(arena, sizeof(Narrowing));
	if (n == NULL)
		status = DPS_NOMEM;
	else
	{
		n->graph = *graph;
		n->graph.arena = arena;
		n->left = MAX_ENCLOSED;
		status = narrow(n, condition, nans, box, empty);
	}
	status = dps_arena_status(graph->arena, dps_arena_status(arena, status));
	dps_arena_clear(arena);
	return status;
}
