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
 * What does not divide as a polynomial of the columns, since the comparison has quotients
 * or rounded products, may do so by the comparison's difference as it is written, with
 * that as a variable, and so may quotients of which the numerator does: CASE WHEN p > s
 * THEN (p - s)^2 / (p + t) ELSE 0 END is max(p - s, 0) times a quotient that is defined.
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

#include "expr/boundary/boundary_state.h"

#define MAX_COMPARISONS 64
#define MAX_STEPS 4096
#define MAX_EXPANSIONS 10000
#define UNKNOWN_SIDE 2

/* Sums within sums of quotients. */
#define MAX_FRACTIONS 8

/* Decimal constants are off by half an ulp each, and functions of constants by three ulps
 * to either side, as far as is known (num/interval_fn.def): a difference up to this part of
 * the terms counts as rounding. */
#define ROUNDING_PART (4 * DBL_EPSILON)

/* The term to solve for: the one that moves g most over the box; -1 if there
 * is none with a coefficient that is known not to be 0. */
static int
choose_solved(const DpsBoundary *b, const DpsFormula *g)
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
solve(DpsBoundary *b, const DpsFormula *g, double slack, bool *empty)
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
	range = dps_boundary_enclose(b, &b->solution);
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
narrow_term(DpsBoundary *b, const DpsFormulaTerm *term, double rest)
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
can_be_null(const DpsBoundary *b, const DpsNode *node)
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
narrow_to_choice(DpsBoundary *b, int choice)
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
		if (can_be_null(b, b->fold[i]) || !dps_fold_formula(b, b->fold[i], 0, &formula) ||
			!dps_formula_add(&signed_formula, &formula, first == (b->fold[i]->op != DPS_OP_LEAST) ? dps_iv(1, 1) : dps_iv(-1, -1)))
			continue;
		if (dps_boundary_enclose(b, &signed_formula).hi < 0)
			return false;
		for (k = 0; k < signed_formula.n; k++)
		{
			rest = signed_formula;
			rest.term[k] = rest.term[--rest.n];
			if (!narrow_term(b, &signed_formula.term[k], dps_boundary_enclose(b, &rest).hi))
				return false;
		}
	}
	return true;
}

/* Encloses all parts of the CASE over the boundary. */
static DpsStatus
enclose_branches(DpsBoundary *b, const DpsNode *node)
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
set_box(DpsBoundary *b, const DpsNode *comparison, const DpsNode *node, const DpsDomain *box)
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

/* The coefficient of the solved column. */
static DpsInterval
solved_coefficient(const DpsBoundary *b, const DpsFormula *g)
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
orientation(DpsBoundary *b, const DpsNode *comparison)
{
	int			solved = b->solved;
	DpsFormula	own;
	DpsFormula	there;
	int			sign;

	if (!dps_boundary_comparison(b, comparison, &there))
		return 0;
	if (b->curved)
		return dps_formula_is_multiple(&there, &b->g, 1) ? 1 : dps_formula_is_multiple(&there, &b->g, -1) ? -1 : 0;
	b->met = solved;
	b->solved = -1;
	b->choice = DPS_AS_THERE;
	if (!dps_boundary_comparison(b, comparison, &own) || !dps_formula_is_affine(&own))
		own.n = 0;
	b->choice = DPS_NO_CHOICE;
	b->solved = solved;
	if (own.n == 0)
		return 0;
	if (dps_formula_is_multiple(&own, &b->g, 1) || dps_formula_is_multiple(&own, &b->g, -1))
		return dps_formula_is_multiple(&own, &b->g, 1) ? 1 : -1;
	if (!dps_formula_is_zero(&there))
		return 0;
	sign = dps_sign_of(dps_iv_mul(solved_coefficient(b, &own), solved_coefficient(b, &b->g)));
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
comparison_truth(DpsBoundary *b, const DpsNode *node)
{
	const DpsEnclosure *x = dps_boundary_enclosure(b, node->arg[0]);
	const DpsEnclosure *y = dps_boundary_enclosure(b, node->arg[1]);
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
	sign = dps_sign_of(dps_iv_sub(x->value, y->value));
	if (sign != 1 && sign != -1 && dps_boundary_comparison(b, node, &difference))
		sign = dps_sign_of(dps_boundary_enclose(b, &difference));
	if (sign == 1 || sign == -1)
	{
		clear_other(&truth, dps_ops[node->op].value(sign, 0));
		truth.depends = false;
	}
	return truth;
}

static Truth
truth_of(DpsBoundary *b, const DpsNode *node)
{
	const DpsEnclosure *e = dps_boundary_enclosure(b, node);
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
has_values(const DpsBoundary *b, const DpsNode *node)
{
	const DpsEnclosure *e = dps_boundary_enclosure(b, node);

	return e != NULL && dps_has_values(e);
}

/* Bounds the difference of leaves, as a formula, where g is 0 or within the slack;
 * a rest up to `rounding` counts as rounding. */
static double
curved_difference(const DpsBoundary *b, DpsFormula *difference, double rounding)
{
	/* how often a segment can cross the boundary; 0 if unknown */
	int			meetings = dps_formula_degree(&b->g);
	double		rest;
	DpsFormula	quotient;

	if (!dps_formula_divide(difference, &b->g, &quotient))
		return INFINITY;
	rest = dps_iv_magnitude(dps_boundary_enclose(b, difference));
	if (!(rest <= rounding) || (rest > 0 && meetings == 0))
		return INFINITY;
	rest = dps_mul_up(rest, meetings);
	if (b->slack > 0)
		rest = dps_add_up(rest, dps_mul_up(dps_iv_magnitude(dps_boundary_enclose(b, &quotient)), b->slack));
	return rest;
}

/* A leaf as numerator and denominator, which is enclosed as `below`, without 0. */
typedef struct Fraction
{
	DpsFormula	numerator;
	DpsFormula	denominator;
	DpsInterval below;
} Fraction;

/* x + sign * y */
static bool
add_fractions(const Fraction *x, const Fraction *y, double sign, Fraction *sum)
{
	DpsFormula	other;

	sum->below = dps_iv_mul(x->below, y->below);
	return dps_formula_multiply(&x->numerator, &y->denominator, &sum->numerator) &&
		dps_formula_multiply(&y->numerator, &x->denominator, &other) &&
		dps_formula_add(&sum->numerator, &other, dps_iv(sign, sign)) &&
		dps_formula_multiply(&x->denominator, &y->denominator, &sum->denominator);
}

/* Sums of quotients have one denominator; false if that is too large, or may be 0. */
static bool
expand_fraction(DpsBoundary *b, const DpsNode *node, int depth, Fraction *f)
{
	const DpsEnclosure *e;
	Fraction	x;
	Fraction	y;

	node = strip_casts(node);
	if ((node->op == DPS_OP_ADD || node->op == DPS_OP_SUB) && node != b->written && node != b->opposite && depth < MAX_FRACTIONS)
		return expand_fraction(b, node->arg[0], depth + 1, &x) && expand_fraction(b, node->arg[1], depth + 1, &y) &&
			add_fractions(&x, &y, node->op == DPS_OP_ADD ? 1 : -1, f);
	f->below = dps_iv(1, 1);
	if (node->op != DPS_OP_DIV)
	{
		dps_boundary_expand(b, node, 0, &f->numerator);
		dps_formula_set_constant(&f->denominator, f->below);
		return true;
	}
	e = dps_boundary_enclosure(b, node->arg[1]);
	if (e == NULL || !dps_has_values(e) || dps_iv_contains(e->value, 0))
		return false;
	dps_boundary_expand(b, node->arg[0], 0, &f->numerator);
	dps_boundary_expand(b, node->arg[1], 0, &f->denominator);
	f->below = e->value;
	return true;
}

/* Bounds the difference of leaves where the comparison's sides differ by no more than the
 * slack, if it is a multiple of their difference as it is written; else Infinity. */
static double
written_difference(DpsBoundary *b, const DpsNode *x, const DpsNode *y)
{
	DpsFormula	g;
	DpsFormula	quotient;
	Fraction	left;
	Fraction	right;
	Fraction	difference;
	bool		known;

	b->atom = b->written;
	known = b->atom != NULL && expand_fraction(b, x, 0, &left) && expand_fraction(b, y, 0, &right) &&
		add_fractions(&left, &right, -1, &difference);
	b->atom = NULL;
	if (!known)
		return INFINITY;
	dps_formula_set_node(&g, b->written);
	if (!dps_formula_divide(&difference.numerator, &g, &quotient) || !dps_formula_is_zero(&difference.numerator))
		return INFINITY;
	if (b->slack == 0)
		return 0;
	return dps_mul_up(dps_iv_magnitude(dps_iv_div(dps_boundary_enclose(b, &quotient), difference.below)), b->slack);
}

static void
compare_leaves(DpsBoundary *b, const DpsNode *x, const DpsNode *y)
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
	difference = dps_iv_magnitude(dps_iv_sub(dps_boundary_enclosure(b, x)->value, dps_boundary_enclosure(b, y)->value));
	dps_boundary_expand(b, x, 0, &left);
	dps_boundary_expand(b, y, 0, &right);
	rounding = ROUNDING_PART * (dps_boundary_size(b, x) + dps_boundary_size(b, y));
	if (b->curved)
	{
		difference = dps_formula_add(&left, &right, dps_iv(-1, -1)) ? curved_difference(b, &left, rounding) : INFINITY;
		if (isinf(difference))
			difference = written_difference(b, x, y);
		b->difference = fmax(b->difference, difference);
		if (!isfinite(difference))
			b->excess = INFINITY;
		return;
	}
	if (dps_formula_add(&left, &right, dps_iv(-1, -1)))
		difference = fmin(difference, dps_iv_magnitude(dps_boundary_enclose(b, &left)));
	b->difference = fmax(b->difference, difference);
	if (!(difference <= rounding) || !isfinite(rounding))
		b->excess = INFINITY;
}

/* Compares x on one side with y on another. */
static void
compare(DpsBoundary *b, const DpsNode *x, int x_side, const DpsNode *y, int y_side)
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

/* The comparison's difference as a node, which the leaves may have. */
static DpsStatus
write_difference(DpsBoundary *b, const DpsNode *comparison)
{
	DpsGraph   *graph = b->graph;

	b->written = dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, dps_as_float8(graph, comparison->arg[0]),
						   dps_as_float8(graph, comparison->arg[1]));
	b->opposite = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, b->written, NULL);
	return b->written == NULL || b->opposite == NULL ? DPS_NOMEM : DPS_OK;
}

/*
 * Bounds the difference of the CASE's values on the sides of a comparison's
 * boundary; with a slack, the difference of any two leaves that rows within
 * the slack of the boundary may get.  b->excess says whether it is more than
 * rounding.
 */
static DpsStatus
bound_difference_there(DpsBoundary *b, const DpsNode *comparison, const DpsNode *node,
					   const DpsDomain *box, double slack, int choice)
{
	bool		empty;

	b->difference = b->excess = INFINITY;
	b->steps = MAX_STEPS;
	b->slack = slack;
	b->curved = !dps_formula_is_affine(&b->g);
	if (b->curved)
		DPS_TRY(write_difference(b, comparison));
	set_box(b, comparison, node, box);
	empty = dps_formula_is_constant(&b->g) && !dps_iv_contains(dps_iv_add(dps_formula_constant(&b->g), dps_iv(-slack, slack)), 0);
	if (!empty && !b->curved && !solve(b, &b->g, slack, &empty))
		return DPS_OK;
	if (choice != DPS_NO_CHOICE && !empty)
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
set_boundary(DpsBoundary *b, const DpsNode *comparison, int choice)
{
	bool		set;

	b->solved = -1;
	b->enclosure = NULL;
	b->nfolds = 0;
	*b->expansions = MAX_EXPANSIONS;
	b->choice = choice;
	set = dps_boundary_comparison(b, comparison, &b->g);
	b->choice = DPS_NO_CHOICE;
	return set;
}

/* The number of choices if the comparison has folds and g is affine by each of
 * them; else 0.  Which folds are met depends on choices for those before them. */
static int
count_choices(DpsBoundary *b, const DpsNode *comparison)
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
bound_difference(DpsBoundary *b, const DpsNode *comparison, const DpsNode *node,
				 const DpsDomain *box, double slack)
{
	int			choices = count_choices(b, comparison);
	double		difference = 0;
	double		excess = 0;
	int			choice = choices > 0 ? 0 : DPS_NO_CHOICE;

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
comparison_jump(DpsBoundary *b, const DpsNode *comparison, const DpsNode *node,
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
add_jumps(DpsBoundary *b, const DpsNode *node, const DpsDomain *box, const Comparisons *c,
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
	DpsBoundary   *b;
	DpsArena   *arena;
	DpsStatus	status;
	int		   *expansions;

	*jump = 0;
	collect_conditions(&comparisons, node);
	*continuous = !comparisons.other && !comparisons.full;
	DPS_TRY(dps_arena_init(&arena, dps_arena_host(graph->arena)));
	b = dps_arena_alloc(arena, sizeof(DpsBoundary));
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
