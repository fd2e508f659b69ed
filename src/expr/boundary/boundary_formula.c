/*
 * boundary_formula.c
 *		Nodes as formulas on a boundary: what is solved is substituted, absolute
 *		values and extremes are the sums that they are there, functions of what is
 *		constant there are constants.
 */
#include <math.h>

#include "expr/boundary/boundary_state.h"
#include "num/whole.h"

#define MAX_DEPTH 40

const DpsEnclosure *
dps_boundary_enclosure(const DpsBoundary *b, const DpsNode *node)
{
	return b->enclosure != NULL && node->id < b->limit ? b->enclosure[node->id] : NULL;
}

int
dps_sign_of(DpsInterval x)
{
	return x.lo > 0 ? 1 : x.hi < 0 ? -1 : x.lo == 0 && x.hi == 0 ? 0 : 2;
}

static bool	expand_known(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula);

void
dps_boundary_expand(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	if (b->atom != NULL && (node == b->written || node == b->opposite))
	{
		dps_formula_set_node(formula, b->written);
		if (node == b->opposite)
			formula->term[0].coefficient = dps_iv(-1, -1);
		return;
	}
	/* a shared node is visited on every path to it */
	if (depth > MAX_DEPTH || --*b->expansions < 0 || !dps_arena_step(b->arena) ||
		!expand_known(b, node, depth, formula))
		dps_formula_set_node(formula, node);
}

static bool
expand_sum(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	DpsFormula	y;

	dps_boundary_expand(b, node->arg[0], depth + 1, formula);
	dps_boundary_expand(b, node->arg[1], depth + 1, &y);
	return dps_formula_add(formula, &y, node->op == DPS_OP_ADD ? dps_iv(1, 1) : dps_iv(-1, -1));
}

static bool
expand_negated(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	DpsFormula	x;

	dps_boundary_expand(b, node->arg[0], depth + 1, &x);
	formula->n = 0;
	return dps_formula_add(formula, &x, dps_iv(-1, -1));
}

static bool
expand_product(DpsBoundary *b, const DpsNode *x, const DpsNode *y, int depth, DpsFormula *formula)
{
	DpsFormula	left;
	DpsFormula	right;

	dps_boundary_expand(b, x, depth + 1, &left);
	dps_boundary_expand(b, y, depth + 1, &right);
	return dps_formula_multiply(&left, &right, formula);
}

/* A quotient whose denominator is not constant is known in two cases: the
 * numerator is constant, as 0 is for (x - y) / x where x = y; or it equals the
 * denominator. */
static bool
expand_quotient(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	const DpsEnclosure *denominator = dps_boundary_enclosure(b, node->arg[1]);
	DpsFormula	y;
	DpsFormula	x;

	dps_boundary_expand(b, node->arg[1], depth + 1, &y);
	if (dps_formula_is_constant(&y) && dps_iv_contains(dps_formula_constant(&y), 0))
		return false;
	dps_boundary_expand(b, node->arg[0], depth + 1, &x);
	formula->n = 0;
	if (dps_formula_is_constant(&y))
		return dps_formula_add(formula, &x, dps_iv_div(dps_iv(1, 1), dps_formula_constant(&y)));
	if (denominator == NULL || dps_iv_is_empty(denominator->value) || dps_iv_contains(denominator->value, 0))
		return false;
	if (dps_formula_is_constant(&x))
		dps_formula_set_constant(formula, dps_iv_div(dps_formula_constant(&x), denominator->value));
	else if (dps_formula_is_multiple(&x, &y, 1))
		dps_formula_set_constant(formula, dps_iv(1, 1));
	else
		return false;
	return true;
}

/* A function of values that are constant on the boundary. */
static bool
expand_function(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	const DpsOp *op = &dps_ops[node->op];
	DpsInterval argument[2];
	DpsInterval value;
	int			k;

	if (op->enclosure == NULL || node->nargs < 1 || node->nargs > 2 || node->type == DPS_BOOL)
		return false;
	for (k = 0; k < node->nargs; k++)
	{
		dps_boundary_expand(b, node->arg[k], depth + 1, formula);
		if (!dps_formula_is_constant(formula))
			return false;
		argument[k] = dps_formula_constant(formula);
	}
	value = op->enclosure(argument[0], argument[node->nargs - 1], DPS_NEVER_NULL, DPS_NEVER_NULL);
	if (dps_iv_is_empty(value) || !isfinite(value.lo) || !isfinite(value.hi))
		return false;
	dps_formula_set_constant(formula, value);
	return true;
}

static bool
expand_power(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	double		exponent = node->arg[1]->value;
	DpsFormula	base;
	DpsFormula	power;
	int			left;

	if (node->arg[1]->op != DPS_OP_CONST || node->arg[1]->exact != NULL || !(exponent >= 2 && exponent <= DPS_MAX_FORMULA_DEGREE) ||
		exponent != rint(exponent))
		return false;
	dps_boundary_expand(b, node->arg[0], depth + 1, &base);
	for (*formula = base, left = dps_to_int32(exponent); left > 1; left--)
	{
		if (!dps_formula_multiply(formula, &base, &power))
			return false;
		*formula = power;
	}
	return true;
}

/* The branch that is taken on the whole boundary; false if that is open. */
static bool
expand_choice(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	const DpsEnclosure *condition = dps_boundary_enclosure(b, node->arg[0]);

	if (condition == NULL || condition->nullness != DPS_NEVER_NULL || !dps_iv_is_point(condition->value))
		return false;
	dps_boundary_expand(b, node->arg[condition->value.lo == 1 ? 1 : 2], depth + 1, formula);
	return true;
}

static bool
is_fold(const DpsNode *node)
{
	return node->op == DPS_OP_ABS || node->op == DPS_OP_GREATEST || node->op == DPS_OP_LEAST;
}

/* The bit of a fold, 0 for its argument or the first, 1 for the negated or second
 * one; -1 if there are too many. */
static int
chosen_fold(DpsBoundary *b, const DpsNode *node)
{
	int			i;

	for (i = 0; i < b->nfolds && b->fold[i] != node; i++)
		;
	if (i == DPS_BOUNDARY_FOLDS)
		return -1;
	if (i == b->nfolds)
		b->fold[b->nfolds++] = node;
	return b->choice >> i & 1;
}

bool
dps_fold_formula(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	DpsFormula	y;

	dps_boundary_expand(b, node->arg[0], depth + 1, formula);
	if (node->op == DPS_OP_ABS)
		return true;
	dps_boundary_expand(b, node->arg[1], depth + 1, &y);
	return dps_formula_add(formula, &y, dps_iv(-1, -1));
}

/* The bit of the sum that a fold is on the whole boundary, and near it; -1 if that is
 * not known. */
static int
fold_there(DpsBoundary *b, const DpsNode *node, int depth)
{
	DpsFormula	formula;
	int			sign;

	b->choice = DPS_NO_CHOICE;
	b->solved = b->met;
	sign = dps_fold_formula(b, node, depth, &formula) ? dps_sign_of(dps_boundary_enclose(b, &formula)) : 0;
	b->choice = DPS_AS_THERE;
	b->solved = -1;
	if (sign != 1 && sign != -1)
		return -1;
	return (sign == 1) == (node->op != DPS_OP_LEAST) ? 0 : 1;
}

/* The same on the boundary itself, where both sums may be one. */
static int
fold_on(DpsBoundary *b, const DpsNode *node, int depth)
{
	DpsFormula	formula;
	DpsInterval value;
	int			i;

	for (i = 0; i < node->nargs; i++)
	{
		const DpsEnclosure *e = dps_boundary_enclosure(b, node->arg[i]);

		if (e == NULL || e->nullness != DPS_NEVER_NULL)
			return -1;
	}
	if (!dps_fold_formula(b, node, depth, &formula))
		return -1;
	value = dps_boundary_enclose(b, &formula);
	if (value.lo < 0 && value.hi > 0)
		return -1;
	return (value.lo >= 0) == (node->op != DPS_OP_LEAST) ? 0 : 1;
}

/* One of the sums that a fold is. */
static bool
expand_fold(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	int			second;

	if (b->choice == DPS_NO_CHOICE)
		second = fold_on(b, node, depth);
	else
		second = b->choice == DPS_AS_THERE ? fold_there(b, node, depth) : chosen_fold(b, node);
	if (second < 0)
		return false;
	if (node->op == DPS_OP_ABS)
	{
		if (second)
			return expand_negated(b, node, depth, formula);
		dps_boundary_expand(b, node->arg[0], depth + 1, formula);
		return true;
	}
	dps_boundary_expand(b, node->arg[second], depth + 1, formula);
	return true;
}

/* False if the node is no sum, product, choice or function of a constant, or a
 * sum or product that is too large. */
static bool
expand_known(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	if (is_fold(node) && expand_fold(b, node, depth, formula))
		return true;
	switch (node->op)
	{
		case DPS_OP_CONST:
			dps_formula_set_constant(formula, node->range);
			return isfinite(node->value);
		case DPS_OP_VAR:
			if (node->variable != b->solved)
				return false;
			*formula = b->solution;
			return true;
		case DPS_OP_CAST:
			/* a cast keeps the value or has none */
			dps_boundary_expand(b, node->arg[0], depth + 1, formula);
			return true;
		case DPS_OP_NEG:
			return expand_negated(b, node, depth, formula);
		case DPS_OP_ADD:
		case DPS_OP_SUB:
			return expand_sum(b, node, depth, formula);
		case DPS_OP_MUL:
			return expand_product(b, node->arg[0], node->arg[1], depth, formula);
		case DPS_OP_SQR:
			return expand_product(b, node->arg[0], node->arg[0], depth, formula);
		case DPS_OP_DIV:
			return expand_quotient(b, node, depth, formula);
		case DPS_OP_POW:
			return expand_power(b, node, depth, formula) || expand_function(b, node, depth, formula);
		case DPS_OP_CASE:
			return expand_choice(b, node, depth, formula);
		default:
			return expand_function(b, node, depth, formula);
	}
}

/* The values of a term on the boundary; entire if a factor has none. */
static DpsInterval
enclose_term(const DpsBoundary *b, const DpsFormulaTerm *term)
{
	DpsInterval value = term->coefficient;
	int			i;

	if (value.lo == 0 && value.hi == 0)
		return value;
	for (i = 0; i < term->degree; i++)
	{
		const DpsEnclosure *e = dps_boundary_enclosure(b, term->factor[i]);

		if (term->factor[i]->op == DPS_OP_VAR)
			value = dps_iv_mul(value, dps_iv(b->box[term->factor[i]->variable].lo, b->box[term->factor[i]->variable].hi));
		else if (e == NULL || e->nullness != DPS_NEVER_NULL || dps_iv_is_empty(e->value))
			return DPS_ENTIRE;
		else
			value = dps_iv_mul(value, e->value);
	}
	return value;
}

DpsInterval
dps_boundary_enclose(const DpsBoundary *b, const DpsFormula *formula)
{
	DpsInterval sum = dps_iv(0, 0);
	int			i;

	for (i = 0; i < formula->n; i++)
		sum = dps_iv_add(sum, enclose_term(b, &formula->term[i]));
	return sum;
}

double
dps_boundary_size(DpsBoundary *b, const DpsNode *node)
{
	int			solved = b->solved;
	double		sum = 0;
	DpsFormula	formula;
	int			i;

	/* with the solution substituted, terms would cancel */
	b->solved = -1;
	dps_boundary_expand(b, node, 0, &formula);
	b->solved = solved;
	for (i = 0; i < formula.n; i++)
		sum += dps_iv_magnitude(enclose_term(b, &formula.term[i]));
	return sum;
}

bool
dps_boundary_comparison(DpsBoundary *b, const DpsNode *comparison, DpsFormula *g)
{
	DpsFormula	right;

	dps_boundary_expand(b, comparison->arg[0], 0, g);
	dps_boundary_expand(b, comparison->arg[1], 0, &right);
	return dps_formula_add(g, &right, dps_iv(-1, -1));
}
