/*
 * boundary.c
 *		Do the branches of a CASE meet where its condition changes?
 *
 * A condition is made of comparisons g <= 0 (or <, >, >=, =, <>) by AND, OR
 * and NOT.  Its value changes only where some g is 0.  If g is affine in the
 * columns that is a hyperplane, and a segment between two rows of the box
 * either stays in it or has at most one point in common with it.  Let J bound
 * |yes - no| on the hyperplane.  Along a segment of length d the value then
 * moves by at most K d and, for each hyperplane, by the effect on the whole
 * value of a change of this CASE by J.
 *
 * A g with absolute values of such expressions, as abs(y - m) - c, is 0 only where
 * it is with each abs(u) replaced by u or by -u; greatest and least likewise are one
 * of their arguments.  Each choice of replacements is a hyperplane (or none), and
 * all of them count.
 *
 * If g is not affine, a segment may cross the boundary often.  Then let the
 * branches differ by q g + r, by division of polynomials.  If r = 0 the value
 * has the form yes + q max(g, 0), which is as smooth as its parts; both
 * branches must then be defined on the whole box.  If g is a polynomial of the
 * columns of degree n, a segment that is not inside the boundary has at most n
 * points in common with it, so an r of a few ulps counts n times.
 *
 * Branches that are CASEs again belong to the question: WHEN x < 1 ... WHEN x
 * >= 1 AND x < 2 ... has a condition x >= 1 that never changes where it is
 * evaluated.  On a hyperplane, every comparison with g = 0 there has a known
 * outcome below the hyperplane, on it and above it; the leaves for these
 * outcomes must agree.
 *
 * J = 0 means that the CASE is continuous.  But 0.2 is no binary fraction: at
 * 50000 the branches 0.2 * (x - 10000) and 8000 + ... of an income tax differ
 * by 4e-13.  Such a J, of a few ulps of its terms, is accepted as continuous as
 * well, and dps_evaluation_error counts it, so that the promise |evaluated(a) -
 * evaluated(b)| <= K d + 2 eta covers it.  Both users call this file with the
 * same arguments, so they have the same J.
 *
 * Branches are compared in two ways, and the better bound counts: by their
 * enclosures, and as polynomials in nodes that are no sums or products, with
 * coefficients that are intervals, so that equal terms cancel whatever the
 * columns' ranges are.  Neither uses the constructors, which round.
 *
 * Where the sides of the comparison are rounded, too, a row closer to the
 * hyperplane than their errors may get the wrong branch.  Then J bounds |yes -
 * no| over the slab of such rows.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "expr/enclose.h"
#include "expr/formula.h"
#include "num/whole.h"

#define MAX_DEPTH 40
#define MAX_COMPARISONS 64
#define MAX_COLUMNS (DPS_MAX_VARIABLES + 1)
#define MAX_FOLDS 3

/* Decimal constants are off by half an ulp each, and the enclosures by little
 * more: a difference up to this part of the terms counts as rounding. */
#define ROUNDING_PART (2 * DBL_EPSILON)

typedef struct Boundary
{
	DpsGraph   *graph;
	DpsArena   *arena;			/* of this question alone */
	DpsDomain	box[MAX_COLUMNS];	/* narrowed to the boundary */
	int			solved;			/* column that the comparison determines, or -1 */
	DpsFormula	solution;		/* its value on the boundary */
	const DpsEnclosure **enclosure; /* by node id, of all branches */
	uint32_t	limit;			/* ids are below this */
	DpsFormula	g;				/* 0 on the boundary */
	const DpsNode *fold[MAX_FOLDS]; /* in the order in which they were met */
	int			nfolds;
	int			choice;			/* how folds are expanded: bit i is that of fold
								 * i; or one of the following */
	int			met;			/* column that is solved where choice is
								 * AS_THERE */
	bool		curved;			/* not a hyperplane: nothing is solved */
	double		slack;			/* the boundary is |g| <= slack */
	int			side;			/* -1, 0, 1: the sign of g; UNKNOWN_SIDE */
	int			steps;			/* comparisons of leaves left */
	int		   *expansions;		/* expansions of nodes into formulas left */
	double		difference;		/* greatest difference of leaves so far */
	double		excess;			/* 0 if differences are rounding, else
								 * Infinity */
} Boundary;

#define UNKNOWN_SIDE 2
#define NO_CHOICE (-1)			/* not at all */
#define AS_THERE (-2)			/* as what they are on the boundary */
#define MAX_STEPS 4096
#define MAX_EXPANSIONS 10000

static const DpsEnclosure *
enclosure_of(const Boundary *b, const DpsNode *node)
{
	return b->enclosure != NULL && node->id < b->limit ? b->enclosure[node->id] : NULL;
}

/*
 * Nodes as formulas
 */

static int	sign_of(DpsInterval x);
static DpsInterval enclose_formula(const Boundary *b, const DpsFormula *formula);
static bool	expand_known(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula);

/* The node as a formula; it always has one. */
static void
expand(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	/* a shared node is visited on every path to it */
	if (depth > MAX_DEPTH || --*b->expansions < 0 || !dps_arena_step(b->arena) ||
		!expand_known(b, node, depth, formula))
		dps_formula_set_node(formula, node);
}

static bool
expand_sum(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	DpsFormula	y;

	expand(b, node->arg[0], depth + 1, formula);
	expand(b, node->arg[1], depth + 1, &y);
	return dps_formula_add(formula, &y, node->op == DPS_OP_ADD ? dps_iv(1, 1) : dps_iv(-1, -1));
}

static bool
expand_negated(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	DpsFormula	x;

	expand(b, node->arg[0], depth + 1, &x);
	formula->n = 0;
	return dps_formula_add(formula, &x, dps_iv(-1, -1));
}

static bool
expand_product(Boundary *b, const DpsNode *x, const DpsNode *y, int depth, DpsFormula *formula)
{
	DpsFormula	left;
	DpsFormula	right;

	expand(b, x, depth + 1, &left);
	expand(b, y, depth + 1, &right);
	return dps_formula_multiply(&left, &right, formula);
}

/* A quotient whose denominator is not constant is known in two cases: the
 * numerator is constant, as 0 is for (x - y) / x where x = y; or it equals the
 * denominator. */
static bool
expand_quotient(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	const DpsEnclosure *denominator = enclosure_of(b, node->arg[1]);
	DpsFormula	y;
	DpsFormula	x;

	expand(b, node->arg[1], depth + 1, &y);
	if (dps_formula_is_constant(&y) && dps_iv_contains(dps_formula_constant(&y), 0))
		return false;
	expand(b, node->arg[0], depth + 1, &x);
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
expand_function(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	const DpsOp *op = &dps_ops[node->op];
	DpsInterval argument[2];
	DpsInterval value;
	int			k;

	if (op->enclosure == NULL || node->nargs < 1 || node->nargs > 2 || node->type == DPS_BOOL)
		return false;
	for (k = 0; k < node->nargs; k++)
	{
		expand(b, node->arg[k], depth + 1, formula);
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
expand_power(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	double		exponent = node->arg[1]->value;
	DpsFormula	base;
	DpsFormula	power;
	int			left;

	if (node->arg[1]->op != DPS_OP_CONST || node->arg[1]->exact != NULL || !(exponent >= 2 && exponent <= DPS_MAX_FORMULA_DEGREE) ||
		exponent != rint(exponent))
		return false;
	expand(b, node->arg[0], depth + 1, &base);
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
expand_choice(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	const DpsEnclosure *condition = enclosure_of(b, node->arg[0]);

	if (condition == NULL || condition->nullness != DPS_NEVER_NULL || !dps_iv_is_point(condition->value))
		return false;
	expand(b, node->arg[condition->value.lo == 1 ? 1 : 2], depth + 1, formula);
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
chosen_fold(Boundary *b, const DpsNode *node)
{
	int			i;

	for (i = 0; i < b->nfolds && b->fold[i] != node; i++)
		;
	if (i == MAX_FOLDS)
		return -1;
	if (i == b->nfolds)
		b->fold[b->nfolds++] = node;
	return b->choice >> i & 1;
}

/* The formula whose sign says which of its two sums a fold is: the first where it is
 * at least 0, but for least. */
static bool
fold_formula(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	DpsFormula	y;

	expand(b, node->arg[0], depth + 1, formula);
	if (node->op == DPS_OP_ABS)
		return true;
	expand(b, node->arg[1], depth + 1, &y);
	return dps_formula_add(formula, &y, dps_iv(-1, -1));
}

/* The bit of the sum that a fold is on the whole boundary, and near it; -1 if that is
 * not known. */
static int
fold_there(Boundary *b, const DpsNode *node, int depth)
{
	DpsFormula	formula;
	int			sign;

	b->choice = NO_CHOICE;
	b->solved = b->met;
	sign = fold_formula(b, node, depth, &formula) ? sign_of(enclose_formula(b, &formula)) : 0;
	b->choice = AS_THERE;
	b->solved = -1;
	if (sign != 1 && sign != -1)
		return -1;
	return (sign == 1) == (node->op != DPS_OP_LEAST) ? 0 : 1;
}

/* The same on the boundary itself, where both sums may be one. */
static int
fold_on(Boundary *b, const DpsNode *node, int depth)
{
	DpsFormula	formula;
	DpsInterval value;
	int			i;

	for (i = 0; i < node->nargs; i++)
	{
		const DpsEnclosure *e = enclosure_of(b, node->arg[i]);

		if (e == NULL || e->nullness != DPS_NEVER_NULL)
			return -1;
	}
	if (!fold_formula(b, node, depth, &formula))
		return -1;
	value = enclose_formula(b, &formula);
	if (value.lo < 0 && value.hi > 0)
		return -1;
	return (value.lo >= 0) == (node->op != DPS_OP_LEAST) ? 0 : 1;
}

/* One of the sums that a fold is. */
static bool
expand_fold(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
{
	int			second;

	if (b->choice == NO_CHOICE)
		second = fold_on(b, node, depth);
	else
		second = b->choice == AS_THERE ? fold_there(b, node, depth) : chosen_fold(b, node);
	if (second < 0)
		return false;
	if (node->op == DPS_OP_ABS)
	{
		if (second)
			return expand_negated(b, node, depth, formula);
		expand(b, node->arg[0], depth + 1, formula);
		return true;
	}
	expand(b, node->arg[second], depth + 1, formula);
	return true;
}

/* False if the node is no sum, product, choice or function of a constant, or a
 * sum or product that is too large. */
static bool
expand_known(Boundary *b, const DpsNode *node, int depth, DpsFormula *formula)
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
			expand(b, node->arg[0], depth + 1, formula);
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
enclose_term(const Boundary *b, const DpsFormulaTerm *term)
{
	DpsInterval value = term->coefficient;
	int			i;

	if (value.lo == 0 && value.hi == 0)
		return value;
	for (i = 0; i < term->degree; i++)
	{
		const DpsEnclosure *e = enclosure_of(b, term->factor[i]);

		if (term->factor[i]->op == DPS_OP_VAR)
			value = dps_iv_mul(value, dps_iv(b->box[term->factor[i]->variable].lo, b->box[term->factor[i]->variable].hi));
		else if (e == NULL || e->nullness != DPS_NEVER_NULL || dps_iv_is_empty(e->value))
			return DPS_ENTIRE;
		else
			value = dps_iv_mul(value, e->value);
	}
	return value;
}

static DpsInterval
enclose_formula(const Boundary *b, const DpsFormula *formula)
{
	DpsInterval sum = dps_iv(0, 0);
	int			i;

	for (i = 0; i < formula->n; i++)
		sum = dps_iv_add(sum, enclose_term(b, &formula->term[i]));
	return sum;
}

/* The sum of the magnitudes of a node's terms. */
static double
size_of_terms(Boundary *b, const DpsNode *node)
{
	int			solved = b->solved;
	double		sum = 0;
	DpsFormula	formula;
	int			i;

	/* with the solution substituted, terms would cancel */
	b->solved = -1;
	expand(b, node, 0, &formula);
	b->solved = solved;
	for (i = 0; i < formula.n; i++)
		sum += dps_iv_magnitude(enclose_term(b, &formula.term[i]));
	return sum;
}

/*
 * The boundary
 */

/* The term to solve for: the one that moves g most over the box; -1 if there
 * is none with a coefficient that is known not to be 0. */
static int
choose_solved(const Boundary *b, const DpsFormula *g)
{
	double		most = -1;
	int			best = -1;
	int			i;

	for (i = 0; i < g->n; i++)
	{
		const DpsFormulaTerm *term = &g->term[i];
		const DpsDomain *domain;
		double		reach;

		if (term->degree == 0 || dps_iv_contains(term->coefficient, 0))
			continue;
		domain = &b->box[term->factor[0]->variable];
		reach = dps_iv_magnitude(term->coefficient) * (domain->hi / 2 - domain->lo / 2);
		if (reach > most)
		{
			most = reach;
			best = i;
		}
	}
	return best;
}

/*
 * Solves |g| <= slack for a column and narrows its range; false if g is not
 * affine.  `empty` if the box does not meet the boundary.
 */
static bool
solve(Boundary *b, const DpsFormula *g, double slack, bool *empty)
{
	DpsFormulaTerm zero = {.coefficient = dps_iv(-slack, slack)};
	DpsInterval factor;
	DpsInterval range;
	int			k = choose_solved(b, g);
	int			i;

	*empty = false;
	if (k < 0 || !dps_formula_is_affine(g))
		return false;
	/* x = -(g - a x - slack) / a */
	factor = dps_iv_div(dps_iv(-1, -1), g->term[k].coefficient);
	b->solution.n = 0;
	b->solved = -1;
	if (slack > 0 && !dps_formula_add_term(&b->solution, &zero))
		return false;
	for (i = 0; i < g->n; i++)
		if (i != k && !dps_formula_add_term(&b->solution, &g->term[i]))
			return false;
	for (i = 0; i < b->solution.n; i++)
		b->solution.term[i].coefficient = dps_iv_mul(b->solution.term[i].coefficient, factor);
	range = enclose_formula(b, &b->solution);
	b->solved = g->term[k].factor[0]->variable;
	range = dps_iv_intersect(range, dps_iv(b->box[b->solved].lo, b->box[b->solved].hi));
	*empty = dps_iv_is_empty(range);
	b->box[b->solved].lo = range.lo;
	b->box[b->solved].hi = range.hi;
	return true;
}

/* Narrows the columns of a term to where the sum that it is a term of can be at least 0; the
 * rest of the sum is at most `rest`.  False if it cannot. */
static bool
narrow_term(Boundary *b, const DpsFormulaTerm *term, double rest)
{
	const DpsNode *factor = term->degree == 1 ? term->factor[0] : NULL;
	bool		folded = factor != NULL && factor->op == DPS_OP_ABS;
	DpsDomain  *domain;
	DpsInterval limit;

	if (folded)
		factor = factor->arg[0];
	if (factor == NULL || factor->op != DPS_OP_VAR || dps_iv_contains(term->coefficient, 0) || !isfinite(rest))
		return true;
	domain = &b->box[factor->variable];
	/* coefficient * x >= -rest */
	limit = dps_iv_div(dps_iv(-rest, -rest), term->coefficient);
	if (!folded && term->coefficient.lo > 0)
		domain->lo = fmax(domain->lo, limit.lo);
	else if (term->coefficient.hi < 0)
	{
		domain->hi = fmin(domain->hi, limit.hi);
		if (folded)
			domain->lo = fmax(domain->lo, -limit.hi);
	}
	return domain->lo <= domain->hi;
}

static bool
can_be_null(const Boundary *b, const DpsNode *node)
{
	int			j;

	for (j = 0; j < b->graph->nvariables; j++)
		if ((node->variables & (UINT64_C(1) << j)) && b->box[j].nullness != DPS_NEVER_NULL)
			return true;
	return false;
}

/* Narrows the box to where the folds are what the present choice has them be; false if they are
 * nowhere. */
static bool
narrow_to_choice(Boundary *b, int choice)
{
	DpsFormula	formula;
	DpsFormula	rest;
	int			i;
	int			k;

	for (i = 0; i < b->nfolds; i++)
	{
		bool		first = (choice >> i & 1) == 0;
		DpsFormula	signed_formula = {0};

		/* greatest and least pass over a NULL, wherever the other argument is */
		if (can_be_null(b, b->fold[i]) || !fold_formula(b, b->fold[i], 0, &formula) ||
			!dps_formula_add(&signed_formula, &formula, first == (b->fold[i]->op != DPS_OP_LEAST) ? dps_iv(1, 1) : dps_iv(-1, -1)))
			continue;
		if (enclose_formula(b, &signed_formula).hi < 0)
			return false;
		for (k = 0; k < signed_formula.n; k++)
		{
			rest = signed_formula;
			rest.term[k] = rest.term[--rest.n];
			if (!narrow_term(b, &signed_formula.term[k], enclose_formula(b, &rest).hi))
				return false;
		}
	}
	return true;
}

/* Encloses all parts of the CASE over the boundary. */
static DpsStatus
enclose_branches(Boundary *b, const DpsNode *node)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	uint32_t	i;

	DPS_TRY(dps_compile(b->graph, &node, 1, &program));
	b->limit = node->id + 1;
	enclosures = dps_arena_alloc(b->arena, sizeof(DpsEnclosure) * program->ninstructions);
	b->enclosure = dps_arena_alloc(b->arena, sizeof(DpsEnclosure *) * b->limit);
	if (enclosures == NULL || b->enclosure == NULL)
		return DPS_NOMEM;
	dps_enclose(program, b->box, enclosures);
	for (i = 0; i < program->ninstructions; i++)
		b->enclosure[program->code[i].node] = &enclosures[i];
	return DPS_OK;
}

/* The box in which rows move: columns relaxed to reals.  NULL is left out where it
 * makes the comparison or the value NULL, and where the row is not on this
 * hyperplane: one of greatest(a, b) and c is that of b and c where a is NULL. */
static void
set_box(Boundary *b, const DpsNode *comparison, const DpsNode *node, const DpsDomain *box)
{
	uint64_t	never = dps_strict_variables(b->graph, comparison) | dps_strict_variables(b->graph, node);
	int			j;

	for (j = 0; !b->curved && j < b->g.n; j++)
		if (b->g.term[j].degree > 0)
			never |= b->g.term[j].factor[0]->variables;
	memset(b->box, 0, sizeof(b->box));
	for (j = 0; j < b->graph->nvariables; j++)
	{
		if (!(node->variables & (UINT64_C(1) << j)))
			continue;
		b->box[j] = box[j];
		b->box[j].integral = false;
		if ((never & (UINT64_C(1) << j)) && box[j].nullness == DPS_MAYBE_NULL)
			b->box[j].nullness = DPS_NEVER_NULL;
	}
}

/*
 * Conditions on the boundary
 */

/* -1, 0, 1 by the sign, 2 if that is open. */
static int
sign_of(DpsInterval x)
{
	return x.lo > 0 ? 1 : x.hi < 0 ? -1 : x.lo == 0 && x.hi == 0 ? 0 : 2;
}

static bool
expand_comparison(Boundary *b, const DpsNode *comparison, DpsFormula *g)
{
	DpsFormula	right;

	expand(b, comparison->arg[0], 0, g);
	expand(b, comparison->arg[1], 0, &right);
	return dps_formula_add(g, &right, dps_iv(-1, -1));
}

/* The coefficient of the solved column. */
static DpsInterval
solved_coefficient(const Boundary *b, const DpsFormula *g)
{
	int			i;

	for (i = 0; i < g->n; i++)
		if (g->term[i].degree == 1 && g->term[i].factor[0]->op == DPS_OP_VAR &&
			g->term[i].factor[0]->variable == b->solved)
			return g->term[i].coefficient;
	return dps_iv(0, 0);
}

/* The sign of lambda if the comparison's difference is lambda times g; 0 if
 * that is not known. */
static int
orientation(Boundary *b, const DpsNode *comparison)
{
	int			solved = b->solved;
	DpsFormula	own;
	DpsFormula	there;
	int			sign;

	if (!expand_comparison(b, comparison, &there))
		return 0;
	if (b->curved)
		return dps_formula_is_multiple(&there, &b->g, 1) ? 1 : dps_formula_is_multiple(&there, &b->g, -1) ? -1 : 0;
	b->met = solved;
	b->solved = -1;
	b->choice = AS_THERE;
	if (!expand_comparison(b, comparison, &own) || !dps_formula_is_affine(&own))
		own.n = 0;
	b->choice = NO_CHOICE;
	b->solved = solved;
	if (own.n == 0)
		return 0;
	if (dps_formula_is_multiple(&own, &b->g, 1) || dps_formula_is_multiple(&own, &b->g, -1))
		return dps_formula_is_multiple(&own, &b->g, 1) ? 1 : -1;
	if (!dps_formula_is_zero(&there))
		return 0;
	sign = sign_of(dps_iv_mul(solved_coefficient(b, &own), solved_coefficient(b, &b->g)));
	return sign == 2 ? 0 : sign;
}

/* A condition's possible values on the side b->side. */
typedef struct Truth
{
	bool		may[2];			/* be false; be true */
	bool		depends;		/* on the side */
} Truth;

/* Keeps only this outcome. */
static void
clear_other(Truth *truth, double outcome)
{
	truth->may[outcome == 1 ? 0 : 1] = false;
}

/*
 * An outcome is settled only if the comparison's sides are apart: where they touch,
 * this hyperplane meets another one, and a segment may cross either of them first.
 */
static Truth
comparison_truth(Boundary *b, const DpsNode *node)
{
	const DpsEnclosure *x = enclosure_of(b, node->arg[0]);
	const DpsEnclosure *y = enclosure_of(b, node->arg[1]);
	Truth		truth = {{true, true}, false};
	int			sign = orientation(b, node);
	DpsFormula	difference;

	if (sign != 0)
	{
		truth.depends = true;
		if (b->side != UNKNOWN_SIDE)
			clear_other(&truth, dps_ops[node->op].value(sign * b->side, 0));
		return truth;
	}
	truth.depends = b->curved || (node->variables & (UINT64_C(1) << b->solved)) != 0;
	if (x == NULL || y == NULL || x->nullness != DPS_NEVER_NULL || y->nullness != DPS_NEVER_NULL)
		return truth;
	sign = sign_of(dps_iv_sub(x->value, y->value));
	if (sign != 1 && sign != -1 && expand_comparison(b, node, &difference))
		sign = sign_of(enclose_formula(b, &difference));
	if (sign == 1 || sign == -1)
	{
		clear_other(&truth, dps_ops[node->op].value(sign, 0));
		truth.depends = false;
	}
	return truth;
}

static Truth
truth_of(Boundary *b, const DpsNode *node)
{
	const DpsEnclosure *e = enclosure_of(b, node);
	Truth		x;
	Truth		y;
	int			absorbing = node->op == DPS_OP_OR;

	switch (node->op)
	{
		case DPS_OP_NOT:
			x = truth_of(b, node->arg[0]);
			return (Truth) {{x.may[1], x.may[0]}, x.depends};
		case DPS_OP_AND:
		case DPS_OP_OR:
			x = truth_of(b, node->arg[0]);
			y = truth_of(b, node->arg[1]);
			x.depends |= y.depends;
			x.may[absorbing] = x.may[absorbing] || y.may[absorbing];
			x.may[!absorbing] = x.may[!absorbing] && y.may[!absorbing];
			return x;
		case DPS_OP_LT:
		case DPS_OP_LE:
		case DPS_OP_GT:
		case DPS_OP_GE:
		case DPS_OP_EQ:
		case DPS_OP_NE:
			return comparison_truth(b, node);
		default:
			x = (Truth) {{true, true}, true};
			if (e != NULL && e->nullness == DPS_NEVER_NULL && dps_iv_is_point(e->value))
				clear_other(&x, e->value.lo);
			return x;
	}
}

/*
 * Leaves on the boundary
 */

static const DpsNode *
strip_casts(const DpsNode *node)
{
	while (node->op == DPS_OP_CAST)
		node = node->arg[0];
	return node;
}

static bool
has_values(const Boundary *b, const DpsNode *node)
{
	const DpsEnclosure *e = enclosure_of(b, node);

	return e != NULL && e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL &&
		!dps_iv_is_empty(e->value) && isfinite(e->value.lo) && isfinite(e->value.hi);
}

/* Bounds the difference of leaves, as a formula, where g is 0 or within the slack;
 * a rest up to `rounding` counts as rounding. */
static double
curved_difference(const Boundary *b, DpsFormula *difference, double rounding)
{
	/* how often a segment can cross the boundary; 0 if unknown */
	int			meetings = dps_formula_degree(&b->g);
	double		rest;
	DpsFormula	quotient;

	if (!dps_formula_divide(difference, &b->g, &quotient))
		return INFINITY;
	rest = dps_iv_magnitude(enclose_formula(b, difference));
	if (!(rest <= rounding) || (rest > 0 && meetings == 0))
		return INFINITY;
	rest = dps_mul_up(rest, meetings);
	if (b->slack > 0)
		rest = dps_add_up(rest, dps_mul_up(dps_iv_magnitude(enclose_formula(b, &quotient)), b->slack));
	return rest;
}

static void
compare_leaves(Boundary *b, const DpsNode *x, const DpsNode *y)
{
	double		difference;
	double		rounding;
	DpsFormula	left;
	DpsFormula	right;

	if (x == y)
		return;
	if (!has_values(b, x) || !has_values(b, y))
	{
		b->difference = b->excess = INFINITY;
		return;
	}
	difference = dps_iv_magnitude(dps_iv_sub(enclosure_of(b, x)->value, enclosure_of(b, y)->value));
	expand(b, x, 0, &left);
	expand(b, y, 0, &right);
	rounding = ROUNDING_PART * (size_of_terms(b, x) + size_of_terms(b, y));
	if (b->curved)
	{
		difference = dps_formula_add(&left, &right, dps_iv(-1, -1)) ? curved_difference(b, &left, rounding) : INFINITY;
		b->difference = fmax(b->difference, difference);
		if (!isfinite(difference))
			b->excess = INFINITY;
		return;
	}
	if (dps_formula_add(&left, &right, dps_iv(-1, -1)))
		difference = fmin(difference, dps_iv_magnitude(enclose_formula(b, &left)));
	b->difference = fmax(b->difference, difference);
	if (!(difference <= rounding) || !isfinite(rounding))
		b->excess = INFINITY;
}

/* Compares x on one side with y on another. */
static void
compare(Boundary *b, const DpsNode *x, int x_side, const DpsNode *y, int y_side)
{
	Truth		p = {{true, true}, true};
	Truth		q = {{true, true}, true};
	bool		x_forks = strip_casts(x)->op == DPS_OP_CASE;
	bool		y_forks = strip_casts(y)->op == DPS_OP_CASE;
	int			i;
	int			k;

	if (b->steps-- <= 0 || (!x_forks && !y_forks))
	{
		if (b->steps < 0)
			b->difference = b->excess = INFINITY;
		else
			compare_leaves(b, x, y);
		return;
	}
	x = strip_casts(x);
	y = strip_casts(y);
	b->side = x_side;
	if (x_forks)
		p = truth_of(b, x->arg[0]);
	b->side = y_side;
	if (y_forks)
		q = truth_of(b, y->arg[0]);
	for (i = 0; i < (x_forks ? 2 : 1); i++)
	{
		for (k = 0; k < (y_forks ? 2 : 1); k++)
		{
			/* the same condition has the same outcome if it does not depend on
			 * the side */
			if (x == y && !p.depends && !q.depends && i != k)
				continue;
			if (x_forks && !p.may[i])
				continue;
			if (y_forks && !q.may[k])
				continue;
			compare(b, x_forks ? x->arg[i == 1 ? 1 : 2] : x, x_side,
					y_forks ? y->arg[k == 1 ? 1 : 2] : y, y_side);
		}
	}
}

/*
 * Bounds the difference of the CASE's values on the sides of a comparison's
 * boundary; with a slack, the difference of any two leaves that rows within
 * the slack of the boundary may get.  b->excess says whether it is more than
 * rounding.
 */
static DpsStatus
bound_difference_there(Boundary *b, const DpsNode *comparison, const DpsNode *node,
					   const DpsDomain *box, double slack, int choice)
{
	bool		empty;

	b->difference = b->excess = INFINITY;
	b->steps = MAX_STEPS;
	b->slack = slack;
	b->curved = !dps_formula_is_affine(&b->g);
	set_box(b, comparison, node, box);
	empty = dps_formula_is_constant(&b->g) && !dps_iv_contains(dps_iv_add(dps_formula_constant(&b->g), dps_iv(-slack, slack)), 0);
	if (!empty && !b->curved && !solve(b, &b->g, slack, &empty))
		return DPS_OK;
	if (choice != NO_CHOICE && !empty)
		empty = !narrow_to_choice(b, choice);
	b->difference = b->excess = 0;
	if (empty)
		return DPS_OK;
	DPS_TRY(enclose_branches(b, node));
	if (slack > 0)
		compare(b, node, UNKNOWN_SIDE, node, UNKNOWN_SIDE);
	else
	{
		compare(b, node, -1, node, 0);
		compare(b, node, 0, node, 1);
		compare(b, node, -1, node, 1);
	}
	return DPS_OK;
}

/* Sets g: with the folds as b->choice has them, or as what is no sum.  False if g is
 * too large. */
static bool
set_boundary(Boundary *b, const DpsNode *comparison, int choice)
{
	bool		set;

	b->solved = -1;
	b->enclosure = NULL;
	b->nfolds = 0;
	*b->expansions = MAX_EXPANSIONS;
	b->choice = choice;
	set = expand_comparison(b, comparison, &b->g);
	b->choice = NO_CHOICE;
	return set;
}

/* The number of choices if the comparison has folds and g is affine by each of
 * them; else 0.  Which folds are met depends on choices for those before them. */
static int
count_choices(Boundary *b, const DpsNode *comparison)
{
	int			most = 0;
	int			choice;

	for (choice = 0; choice < 1 << most; choice++)
	{
		if (!set_boundary(b, comparison, choice) || !dps_formula_is_affine(&b->g))
			return 0;
		if (b->nfolds > most)
			most = b->nfolds;
	}
	return most > 0 ? 1 << most : 0;
}

/* The same for the comparison's boundary, which folds make several; differences on
 * each of them add up. */
static DpsStatus
bound_difference(Boundary *b, const DpsNode *comparison, const DpsNode *node,
				 const DpsDomain *box, double slack)
{
	int			choices = count_choices(b, comparison);
	double		difference = 0;
	double		excess = 0;
	int			choice = choices > 0 ? 0 : NO_CHOICE;

	do
	{
		b->difference = b->excess = INFINITY;
		if (set_boundary(b, comparison, choice))
			DPS_TRY(bound_difference_there(b, comparison, node, box, slack, choice));
		difference = dps_add_up(difference, b->difference);
		excess = fmax(excess, b->excess);
	} while (++choice < choices);
	b->difference = difference;
	b->excess = excess;
	return DPS_OK;
}

/*
 * What one comparison adds to the error of a CASE whose branches differ by J
 * at the boundary and by S over the slab of rows that may get the wrong
 * branch: a wrong branch is off by S at each end of a segment, and the segment
 * crosses the hyperplane once, so twice the error must be 2 S + J <= 4 S.
 */
static DpsStatus
comparison_jump(Boundary *b, const DpsNode *comparison, const DpsNode *node,
				const DpsDomain *box, const double *errors, bool *continuous, double *jump)
{
	double		slack = errors == NULL ? 0 :
		dps_add_up(errors[comparison->arg[0]->id], errors[comparison->arg[1]->id]);

	DPS_TRY(bound_difference(b, comparison, node, box, 0));
	if (b->excess > 0)
	{
		*continuous = false;
		*jump = slack > 0 ? INFINITY : 0;
		return DPS_OK;
	}
	*jump = isfinite(slack) ? b->difference : INFINITY;
	if (slack > 0 && isfinite(slack))
	{
		DPS_TRY(bound_difference(b, comparison, node, box, slack));
		*jump = 2 * b->difference;
	}
	return DPS_OK;
}

/* The comparisons of a condition. */
typedef struct Comparisons
{
	uint64_t	variables;		/* those that move */
	const DpsNode *node[MAX_COMPARISONS];
	int			n;				/* comparisons that depend on these */
	int			seen;			/* all comparisons */
	int			cases;
	bool		full;			/* there are more than the limit */
	bool		other;			/* a part is no comparison */
} Comparisons;

static void
collect_comparisons(Comparisons *c, const DpsNode *node)
{
	switch (node->op)
	{
		case DPS_OP_AND:
		case DPS_OP_OR:
			collect_comparisons(c, node->arg[0]);
			collect_comparisons(c, node->arg[1]);
			break;
		case DPS_OP_NOT:
			collect_comparisons(c, node->arg[0]);
			break;
		case DPS_OP_LT:
		case DPS_OP_LE:
		case DPS_OP_GT:
		case DPS_OP_GE:
		case DPS_OP_EQ:
		case DPS_OP_NE:
			if (c->seen++ >= MAX_COMPARISONS)
				c->full = true;
			else if (!(node->variables & c->variables))
				break;
			else if (node->arg[0]->type == DPS_BOOL)
				c->other = true;
			else
				c->node[c->n++] = node;
			break;
		case DPS_OP_IS_NULL:
			/* which columns are NULL does not change along a segment */
			if (node->arg[0]->op != DPS_OP_VAR && (node->variables & c->variables))
				c->other = true;
			break;
		default:
			if (node->variables & c->variables)
				c->other = true;
			break;
	}
}

/* Collects the comparisons of the CASE and of CASEs that are its branches. */
static void
collect_conditions(Comparisons *c, const DpsNode *node)
{
	node = strip_casts(node);
	if (node->op != DPS_OP_CASE || c->full)
		return;
	/* a CASE may be reached on many paths */
	c->full = c->cases++ == MAX_COMPARISONS;
	collect_comparisons(c, node->arg[0]);
	collect_conditions(c, node->arg[1]);
	collect_conditions(c, node->arg[2]);
}

static DpsStatus
add_jumps(Boundary *b, const DpsNode *node, const DpsDomain *box, const Comparisons *c,
		  const double *errors, bool *continuous, double *jump)
{
	int			i;

	for (i = 0; i < c->n; i++)
	{
		double		one;

		DPS_TRY(comparison_jump(b, c->node[i], node, box, errors, continuous, &one));
		*jump = dps_add_up(*jump, one);
	}
	return DPS_OK;
}

DpsStatus
dps_case_jump(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, uint64_t variables,
			  const double *errors, bool *continuous, double *jump)
{
	Comparisons comparisons = {.variables = variables};
	Boundary   *b;
	DpsArena   *arena;
	DpsStatus	status;
	int		   *expansions;

	*jump = 0;
	collect_conditions(&comparisons, node);
	*continuous = !comparisons.other && !comparisons.full;
	DPS_TRY(dps_arena_init(&arena, dps_arena_host(graph->arena)));
	b = dps_arena_alloc(arena, sizeof(Boundary));
	expansions = dps_arena_alloc(arena, sizeof(int));
	if (b == NULL || expansions == NULL)
		status = DPS_NOMEM;
	else
	{
		b->expansions = expansions;
		b->graph = graph;
		b->arena = arena;
		status = add_jumps(b, node, box, &comparisons, errors, continuous, jump);
	}
	/* formulas are incomplete after the host said no */
	if (status == DPS_OK && !dps_arena_step(arena))
		status = DPS_NOMEM;
	status = dps_arena_status(graph->arena, dps_arena_status(arena, status));
	dps_arena_clear(arena);
	return status;
}
