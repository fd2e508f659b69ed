/*
 * posynomial.c
 *		Upper bounds of sums and quotients of products of powers, by the logarithms of
 *		their columns.
 *
 * Needs: columns that are not negative on the box; a node that is, written out, a sum of terms with
 * signs, each a product of powers of columns, of powers of sums of such terms without signs, and of
 * exponentials of sums of such terms.  Its values at points with a column 0 are limits of those
 * nearby, since it is continuous on the box.
 *
 * Promises: an upper bound of its values on the box.
 *
 * Proof.  Let y_j = ln x_j.  The logarithm of a product of powers is affine in y.  The logarithm of a
 * sum of terms whose logarithms are convex is convex, and so is the exponential of a convex
 * function (Boyd, Kim, Vandenberghe and Hassibi 2007, section 3).  So the logarithm of a term is
 *
 *		L(y) = affine + sum of e_i A_i(y),		A_i convex.
 *
 * Where e_i > 0 the summand is convex.  Where e_i < 0, A_i is at least an affine function: a sum of
 * terms p_k is at least the product of (p_k / w_k)^(w_k) for positive weights with the sum 1, by
 * the inequality of the arithmetic and the geometric mean, and terms that are left out only make
 * the sum less; and exp(z) >= exp(t) (1 + z - t) for every t.  Weights and t are those of the
 * centre, as doubles: the inequalities hold for any, and all else is computed with intervals.  So L
 * is at most a convex function of y, and so is the sum of the terms with the sign +.  A
 * term with the sign - is at least an affine function, by the same inequalities (or at least 0).  So
 * the node is at most a convex function of y, which is greatest in a corner of the box: it is
 * computed there, upward.  On a range that begins at 0, y goes to -Infinity, where a convex function
 * that is bounded along the way is no greater than its limit there or its value at the other end.
 * Where a column is 0 all over the box, the form is bounded on a range that begins at 0 and is
 * tiny: the value at 0 is the limit of the form's values there, since each of its operations is
 * continuous where it is defined.
 *
 * The bound is exact where L is affine, and at the centre; so a quotient by a sum, whose logarithm is
 * concave, is bounded exactly by one box if the centre is where it is greatest.
 */
#include <math.h>
#include <string.h>

#include "bound/affine_node.h"
#include "bound/relax/factor.h"
#include "bound/relax/posynomial.h"
#include "bound/terms.h"
#include "num/interval_fn.h"

#define MAX_TERMS 96
#define MAX_ATOMS 40
#define MAX_FACTORS 8
#define MAX_TOP 24
#define MAX_BUILT 600

/* Weights below this part of a sum are left out. */
#define LEAST_WEIGHT 1e-30

/* Centres are not closer to 0, in parts of a range. */
#define LEAST_PART 1e-6

/* A column that is 0 has the range up to here. */
#define SMALLEST_END 0x1p-1000

/* An A_i with its e_i. */
typedef struct Factor
{
	int			atom;
	DpsInterval exponent;
} Factor;

/* L(y). */
typedef struct Term
{
	DpsInterval constant;
	DpsInterval power[DPS_MAX_POSYNOMIAL];
	int			nfactors;
	Factor		factor[MAX_FACTORS];
	int			next;			/* term of the same sum; -1 for none */
} Term;

typedef struct Atom
{
	const DpsNode *node;		/* of a sum */
	bool		is_sum;			/* ln of the sum of terms; else exp of one */
	int			first;
} Atom;

struct DpsPosynomial
{
	DpsGraph   *graph;
	int			n;
	int			dimension[DPS_MAX_VARIABLES + 1];	/* of a variable, or -1 */
	uint64_t	used;			/* dimensions, as bits */
	int			nterms;
	int			natoms;
	int			ntop;
	Term		term[MAX_TERMS];
	Atom		atom[MAX_ATOMS];
	int			top[MAX_TOP];
	bool		negative[MAX_TOP];
	int			built;			/* nodes looked at so far */
};

/*
 * Reading a node
 */

static void
make_one(Term *term)
{
	memset(term, 0, sizeof(*term));
	term->next = -1;
}

/* term += exponent * other; false if there is no room. */
static bool
add_scaled(const DpsPosynomial *p, Term *term, const Term *other, DpsInterval exponent)
{
	int			i;
	int			k;

	term->constant = dps_iv_add(term->constant, dps_iv_mul(other->constant, exponent));
	for (k = 0; k < p->n; k++)
		term->power[k] = dps_iv_add(term->power[k], dps_iv_mul(other->power[k], exponent));
	for (i = 0; i < other->nfactors; i++)
	{
		DpsInterval more = dps_iv_mul(other->factor[i].exponent, exponent);

		for (k = 0; k < term->nfactors && term->factor[k].atom != other->factor[i].atom; k++)
			;
		if (k == MAX_FACTORS)
			return false;
		if (k == term->nfactors)
			term->factor[term->nfactors++] = (Factor) {other->factor[i].atom, more};
		else
			term->factor[k].exponent = dps_iv_add(term->factor[k].exponent, more);
		/* one that cancels */
		if (term->factor[k].exponent.lo == 0 && term->factor[k].exponent.hi == 0)
			term->factor[k] = term->factor[--term->nfactors];
	}
	return true;
}

static bool
add_factor(Term *term, int atom, double exponent)
{
	if (term->nfactors == MAX_FACTORS)
		return false;
	term->factor[term->nfactors++] = (Factor) {atom, dps_iv_point(exponent)};
	return true;
}

/* Keeps a term; -1 if there is no room. */
static int
keep_term(DpsPosynomial *p, const Term *term, int next)
{
	if (p->nterms == MAX_TERMS)
		return -1;
	p->term[p->nterms] = *term;
	p->term[p->nterms].next = next;
	return p->nterms++;
}

static int
keep_atom(DpsPosynomial *p, const DpsNode *node, bool is_sum, int first)
{
	if (p->natoms == MAX_ATOMS || first < 0)
		return -1;
	p->atom[p->natoms] = (Atom) {node, is_sum, first};
	return p->natoms++;
}

static bool read_term(DpsPosynomial *p, const DpsNode *node, Term *term, bool *negative);

/* Adds the terms of a sum to a list, all of one sign. */
static bool
read_terms(DpsPosynomial *p, const DpsNode *node, bool negated, int *first, bool *negative)
{
	const DpsNode *own = dps_uncast(node);
	bool		sign;
	Term		term;

	if (own->op == DPS_OP_ADD || own->op == DPS_OP_SUB)
		return read_terms(p, own->arg[0], negated, first, negative) &&
			read_terms(p, own->arg[1], negated ^ (own->op == DPS_OP_SUB), first, negative);
	if (own->op == DPS_OP_NEG)
		return read_terms(p, own->arg[0], !negated, first, negative);
	if (dps_is_constant(own, 0))
		return true;
	if (!read_term(p, own, &term, &sign))
		return false;
	sign ^= negated;
	if (*first >= 0 && sign != *negative)
		return false;
	*negative = sign;
	*first = keep_term(p, &term, *first);
	return *first >= 0;
}

/* A sum of both signs may have one over one denominator: 1 - a / (a + b). */
static bool
read_together(DpsPosynomial *p, const DpsNode *node, Term *term, bool *negative)
{
	const DpsNode *together = dps_together(p->graph, dps_as_float8(p->graph, node));

	return together != NULL && dps_uncast(together) != node && !dps_adds(dps_uncast(together)) &&
		read_term(p, together, term, negative);
}

static bool
read_sum(DpsPosynomial *p, const DpsNode *node, Term *term, bool *negative)
{
	int			first = -1;
	int			atom;

	for (atom = 0; atom < p->natoms; atom++)
		if (p->atom[atom].node == node)
			break;
	if (atom == p->natoms)
	{
		int			nterms = p->nterms;
		int			natoms = p->natoms;

		if (!read_terms(p, node, false, &first, negative) || *negative)
		{
			p->nterms = nterms;
			p->natoms = natoms;
			return read_together(p, node, term, negative);
		}
		atom = keep_atom(p, node, true, first);
	}
	*negative = false;
	return atom >= 0 && add_factor(term, atom, 1);
}

/* The exponent z of exp(z), as a term: constants, and exponentials of logarithms. */
static bool
read_exponent(DpsPosynomial *p, const DpsNode *node, bool negated, Term *term)
{
	const DpsNode *own = dps_uncast(node);
	bool		negative;
	Term		part;
	int			atom;

	if (own->op == DPS_OP_ADD || own->op == DPS_OP_SUB)
		return read_exponent(p, own->arg[0], negated, term) &&
			read_exponent(p, own->arg[1], negated ^ (own->op == DPS_OP_SUB), term);
	if (own->op == DPS_OP_NEG)
		return read_exponent(p, own->arg[0], !negated, term);
	if (dps_is_number(own))
	{
		term->constant = dps_iv_add(term->constant, negated ? dps_iv_neg(own->range) : own->range);
		return true;
	}
	if (!read_term(p, own, &part, &negative))
		return false;
	atom = keep_atom(p, NULL, false, keep_term(p, &part, -1));
	return atom >= 0 && add_factor(term, atom, negative ^ negated ? -1 : 1);
}

/* term += exponent * ln |node| */
static bool
multiply(DpsPosynomial *p, const DpsNode *node, double exponent, Term *term, bool *negative)
{
	bool		sign;
	Term		own;

	if (!read_term(p, node, &own, &sign))
		return false;
	*negative ^= sign;
	return add_scaled(p, term, &own, dps_iv_point(exponent));
}

static bool
read_power(DpsPosynomial *p, const DpsNode *node, Term *term)
{
	const DpsNode *exponent = dps_uncast(node->arg[1]);
	bool		negative;
	Term		own;

	return dps_is_number(exponent) && read_term(p, node->arg[0], &own, &negative) && !negative &&
		add_scaled(p, term, &own, exponent->range);
}

/* The logarithm of the node's magnitude, and its sign; false if it has no such form. */
static bool
read_term(DpsPosynomial *p, const DpsNode *node, Term *term, bool *negative)
{
	const DpsNode *own = dps_uncast(node);
	bool		ignored = false;

	make_one(term);
	*negative = false;
	if (++p->built > MAX_BUILT || own->type == DPS_FLOAT4)
		return false;
	if (dps_is_number(own))
	{
		*negative = own->range.hi < 0;
		term->constant = dps_iv_ln(dps_iv_abs(own->range));
		return !dps_iv_contains(own->range, 0);
	}
	if (own->op == DPS_OP_EXP)
		return read_exponent(p, own->arg[0], false, term);
	switch (own->op)
	{
		case DPS_OP_VAR:
			if (p->dimension[own->variable] < 0)
				return false;
			term->power[p->dimension[own->variable]] = dps_iv_point(1);
			p->used |= UINT64_C(1) << p->dimension[own->variable];
			return true;
		case DPS_OP_ADD:
		case DPS_OP_SUB:
			return read_sum(p, own, term, negative);
		case DPS_OP_NEG:
			*negative = true;
			return multiply(p, own->arg[0], 1, term, negative);
		case DPS_OP_MUL:
			return multiply(p, own->arg[0], 1, term, negative) && multiply(p, own->arg[1], 1, term, negative);
		case DPS_OP_DIV:
			return multiply(p, own->arg[0], 1, term, negative) && multiply(p, own->arg[1], -1, term, negative);
		case DPS_OP_SQR:
			return multiply(p, own->arg[0], 2, term, &ignored);
		case DPS_OP_ABS:
			return multiply(p, own->arg[0], 1, term, &ignored);
		case DPS_OP_SQRT:
			return multiply(p, own->arg[0], 0.5, term, negative) && !*negative;
		case DPS_OP_POW:
			return own->nargs == 2 && read_power(p, own, term);
		default:
			return false;
	}
}

/* Forgets what was read in vain. */
static bool
try_term(DpsPosynomial *p, const DpsNode *node, Term *term, bool *negative)
{
	int			nterms = p->nterms;
	int			natoms = p->natoms;

	if (read_term(p, node, term, negative))
		return true;
	p->nterms = nterms;
	p->natoms = natoms;
	return false;
}

static bool
add_top(DpsPosynomial *p, const Term *term, bool negative)
{
	int			kept = p->ntop == MAX_TOP ? -1 : keep_term(p, term, -1);

	if (kept < 0)
		return false;
	p->negative[p->ntop] = negative;
	p->top[p->ntop++] = kept;
	return true;
}

/* Adds the node times what has been taken out of it. */
static bool
read_top(DpsPosynomial *p, const DpsNode *node, const Term *scale, bool negated)
{
	const DpsNode *own = dps_uncast(node);
	bool		negative;
	Term		term;
	int			k;

	if (dps_is_constant(own, 0))
		return true;
	if (own->op == DPS_OP_ADD || own->op == DPS_OP_SUB)
		return read_top(p, own->arg[0], scale, negated) &&
			read_top(p, own->arg[1], scale, negated ^ (own->op == DPS_OP_SUB));
	if (own->op == DPS_OP_NEG)
		return read_top(p, own->arg[0], scale, !negated);
	if (try_term(p, own, &term, &negative))
		return add_scaled(p, &term, scale, dps_iv_point(1)) && add_top(p, &term, negative ^ negated);
	for (k = 0; k < 2 && (own->op == DPS_OP_MUL || (own->op == DPS_OP_DIV && k == 0)); k++)
		if (try_term(p, own->arg[1 - k], &term, &negative))
		{
			Term		taken = *scale;

			return add_scaled(p, &taken, &term, dps_iv_point(own->op == DPS_OP_DIV ? -1 : 1)) &&
				read_top(p, own->arg[k], &taken, negated ^ negative);
		}
	return false;
}

DpsStatus
dps_posynomial_init(DpsGraph *graph, DpsArena *arena, const DpsNode *node, int n, const int *variable,
					const DpsDomain *root, const DpsPosynomial **form)
{
	DpsPosynomial *p;
	Term		one;
	int			k;

	*form = NULL;
	if (n > DPS_MAX_POSYNOMIAL)
		return DPS_OK;
	p = dps_arena_alloc(arena, sizeof(DpsPosynomial));
	if (p == NULL)
		return DPS_NOMEM;
	p->graph = graph;
	p->n = n;
	for (k = 0; k <= DPS_MAX_VARIABLES; k++)
		p->dimension[k] = -1;
	for (k = 0; k < n; k++)
		if (root[k].nullness == DPS_NEVER_NULL && root[k].lo >= 0 && root[k].hi > 0)
			p->dimension[variable[k]] = k;
	make_one(&one);
	if (read_top(p, node, &one, false) && p->ntop > 0)
		*form = p;
	return DPS_OK;
}

/*
 * Bounds on one box
 */

/* An affine function of y. */
typedef struct Affine
{
	DpsInterval constant;
	DpsInterval power[DPS_MAX_POSYNOMIAL];
} Affine;

typedef struct Look
{
	const DpsPosynomial *p;
	double		y[DPS_MAX_POSYNOMIAL];	/* of the centre */
	DpsInterval all[DPS_MAX_POSYNOMIAL];	/* of the box */
	DpsInterval corner[DPS_MAX_POSYNOMIAL];
	bool		valued[MAX_ATOMS];
	bool		ranged[MAX_ATOMS];
	bool		lowered[MAX_ATOMS];
	double		value[MAX_ATOMS];	/* at the centre */
	DpsInterval range[MAX_ATOMS];
	Affine		low[MAX_ATOMS];
	Affine		high[MAX_TERMS];	/* the affine part of a term's convex bound */
	bool		flat;			/* sums are at least their terms that do not vanish where
								 * a column is 0 */
	bool		failed;
} Look;

static double value_of_atom(Look *l, int a);

/* L at the centre, up to rounding. */
static double
value_of_term(Look *l, const Term *term)
{
	double		value = term->constant.lo;
	int			i;

	for (i = 0; i < l->p->n; i++)
		if (term->power[i].lo != 0)
			value += term->power[i].lo * l->y[i];
	for (i = 0; i < term->nfactors; i++)
		value += term->factor[i].exponent.lo * value_of_atom(l, term->factor[i].atom);
	return value;
}

static double
value_of_atom(Look *l, int a)
{
	const Atom *atom = &l->p->atom[a];
	double		sum = 0;
	int			k;

	if (l->valued[a])
		return l->value[a];
	l->valued[a] = true;
	for (k = atom->first; k >= 0; k = l->p->term[k].next)
		sum += exp(value_of_term(l, &l->p->term[k]));
	l->value[a] = atom->is_sum ? log(sum) : sum;
	return l->value[a];
}

static DpsInterval range_of_atom(Look *l, int a);

/* 0 times Infinity is 0 here: a power that a term does not have. */
static DpsInterval
times(DpsInterval power, DpsInterval y)
{
	return power.lo == 0 && power.hi == 0 ? dps_iv_point(0) : dps_iv_mul(power, y);
}

/* Encloses L over the box. */
static DpsInterval
range_of_term(Look *l, const Term *term)
{
	DpsInterval range = term->constant;
	int			i;

	for (i = 0; i < l->p->n; i++)
		range = dps_iv_add(range, times(term->power[i], l->all[i]));
	for (i = 0; i < term->nfactors; i++)
		range = dps_iv_add(range, times(term->factor[i].exponent, range_of_atom(l, term->factor[i].atom)));
	return range;
}

static DpsInterval
range_of_atom(Look *l, int a)
{
	const Atom *atom = &l->p->atom[a];
	DpsInterval sum = dps_iv_point(0);
	int			k;

	if (l->ranged[a])
		return l->range[a];
	l->ranged[a] = true;
	for (k = atom->first; k >= 0; k = l->p->term[k].next)
		sum = dps_iv_add(sum, dps_iv_exp(range_of_term(l, &l->p->term[k])));
	l->range[a] = atom->is_sum ? dps_iv_ln(sum) : sum;
	return l->range[a];
}

static void
add_affine(const Look *l, Affine *sum, const Affine *other, DpsInterval factor)
{
	int			i;

	sum->constant = dps_iv_add(sum->constant, dps_iv_mul(other->constant, factor));
	for (i = 0; i < l->p->n; i++)
		sum->power[i] = dps_iv_add(sum->power[i], times(other->power[i], factor));
}

static const Affine *low_of_atom(Look *l, int a);

/* An affine function that L is nowhere below.  Where an exponent is negative, its sum is at
 * most the greatest over the box. */
static void
low_of_term(Look *l, const Term *term, Affine *low)
{
	int			i;

	low->constant = term->constant;
	memcpy(low->power, term->power, sizeof(low->power));
	for (i = 0; i < term->nfactors; i++)
	{
		const Factor *factor = &term->factor[i];

		if (factor->exponent.lo > 0)
			add_affine(l, low, low_of_atom(l, factor->atom), factor->exponent);
		else
			low->constant = dps_iv_add(low->constant, dps_iv_mul(factor->exponent, dps_iv_point(range_of_atom(l, factor->atom).hi)));
		l->failed = l->failed || (factor->exponent.lo <= 0 && factor->exponent.hi >= 0);
	}
}

/* exp(L) >= exp(t) (1 + L - t) */
static void
low_of_exponential(Look *l, const Term *term, Affine *low)
{
	DpsInterval t = dps_iv_point(value_of_term(l, term));
	Affine		inner;

	memset(low, 0, sizeof(*low));
	low_of_term(l, term, &inner);
	inner.constant = dps_iv_add(inner.constant, dps_iv_sub(dps_iv_point(1), t));
	add_affine(l, low, &inner, dps_iv_exp(t));
}

/* Is the term 0 where a column of the box is? */
static bool
vanishes(const Look *l, const Term *term)
{
	int			i;

	for (i = 0; i < l->p->n; i++)
		if (l->all[i].lo == -INFINITY && term->power[i].lo > 0)
			return true;
	return false;
}

/* The product of (p_k / w_k)^(w_k) */
static void
low_of_sum(Look *l, const Atom *atom, Affine *low)
{
	double		weight[MAX_TERMS];
	DpsInterval sum = dps_iv_point(0);
	int			n = 0;
	int			k;

	memset(low, 0, sizeof(*low));
	for (k = atom->first; k >= 0; k = l->p->term[k].next, n++)
	{
		weight[n] = exp(value_of_term(l, &l->p->term[k]) - value_of_atom(l, (int) (atom - l->p->atom)));
		if (!(weight[n] > LEAST_WEIGHT) || (l->flat && vanishes(l, &l->p->term[k])))
			weight[n] = 0;
		sum = dps_iv_add(sum, dps_iv_point(weight[n]));
	}
	l->failed = l->failed || !(sum.lo > 0) || !dps_iv_is_finite(sum);
	for (k = atom->first, n = 0; k >= 0 && !l->failed; k = l->p->term[k].next, n++)
	{
		DpsInterval own = dps_iv_div(dps_iv_point(weight[n]), sum);
		Affine		term;

		if (weight[n] == 0)
			continue;
		low_of_term(l, &l->p->term[k], &term);
		term.constant = dps_iv_sub(term.constant, dps_iv_ln(own));
		add_affine(l, low, &term, own);
	}
}

static const Affine *
low_of_atom(Look *l, int a)
{
	const Atom *atom = &l->p->atom[a];

	if (l->lowered[a])
		return &l->low[a];
	if (atom->is_sum)
		low_of_sum(l, atom, &l->low[a]);
	else
		low_of_exponential(l, &l->p->term[atom->first], &l->low[a]);
	l->lowered[a] = true;
	return &l->low[a];
}

/* The affine part of the convex function that a term is nowhere above: the term without what is
 * convex. */
static void
prepare_term(Look *l, int k)
{
	const Term *term = &l->p->term[k];
	Affine	   *high = &l->high[k];
	int			i;

	high->constant = term->constant;
	memcpy(high->power, term->power, sizeof(high->power));
	for (i = 0; i < term->nfactors; i++)
	{
		DpsInterval exponent = term->factor[i].exponent;

		l->failed = l->failed || (exponent.lo <= 0 && exponent.hi >= 0);
		if (exponent.hi < 0)
			add_affine(l, high, low_of_atom(l, term->factor[i].atom), exponent);
	}
}

/* An affine function's greatest value at the corner; Infinity if it has none there. */
static double
affine_at_corner(const Look *l, const Affine *affine)
{
	double		value = affine->constant.hi;
	bool		nothing = false;
	int			i;

	for (i = 0; i < l->p->n; i++)
	{
		DpsInterval power = affine->power[i];

		if (power.lo == 0 && power.hi == 0)
			continue;
		if (l->corner[i].lo > -INFINITY)
			value = dps_add_up(value, dps_iv_mul(power, l->corner[i]).hi);
		else if (power.lo > 0)
			nothing = true;
		else
			return INFINITY;
	}
	return nothing && value < INFINITY ? (double) -INFINITY : value;
}

/* The convex function at the corner. */
static double
high_at_corner(Look *l, int k)
{
	const Term *term = &l->p->term[k];
	double		value = affine_at_corner(l, &l->high[k]);
	bool		nothing = value == -INFINITY;
	int			i;

	for (i = 0; i < term->nfactors && value < INFINITY; i++)
	{
		const Atom *atom = &l->p->atom[term->factor[i].atom];
		DpsInterval exponent = term->factor[i].exponent;
		double		sum = 0;
		int			part;

		if (!(exponent.lo > 0))
			continue;
		for (part = atom->first; part >= 0; part = l->p->term[part].next)
			sum = dps_add_up(sum, dps_iv_exp(dps_iv_point(high_at_corner(l, part))).hi);
		/* 0 times Infinity is not known */
		if (!(sum < INFINITY))
			return INFINITY;
		if (atom->is_sum)
			sum = sum > 0 ? dps_iv_ln(dps_iv_point(sum)).hi : (double) -INFINITY;
		nothing = nothing || sum == -INFINITY;
		if (!nothing)
			value = dps_add_up(value, dps_iv_mul(exponent, dps_iv_point(sum)).hi);
	}
	return nothing && value < INFINITY ? (double) -INFINITY : value;
}

/* Is the affine function known wherever y is? */
static bool
is_bounded(const Look *l, const Affine *affine)
{
	int			i;

	if (!dps_iv_is_finite(affine->constant))
		return false;
	for (i = 0; i < l->p->n; i++)
		if ((affine->power[i].lo != 0 || affine->power[i].hi != 0) &&
			(l->all[i].lo == -INFINITY || !dps_iv_is_finite(affine->power[i])))
			return false;
	return true;
}

/* The bound at the corner, of the terms with the sign + less the others' affine functions. */
static double
value_at_corner(Look *l, const Affine *lows, const bool *subtracted)
{
	double		value = 0;
	int			i;

	for (i = 0; i < l->p->ntop; i++)
	{
		int			j;
		Affine		opposite;

		if (!l->p->negative[i])
		{
			value = dps_add_up(value, dps_iv_exp(dps_iv_point(high_at_corner(l, l->p->top[i]))).hi);
			continue;
		}
		if (!subtracted[i])
			continue;
		opposite.constant = dps_iv_neg(lows[i].constant);
		for (j = 0; j < l->p->n; j++)
			opposite.power[j] = dps_iv_neg(lows[i].power[j]);
		value = dps_add_up(value, affine_at_corner(l, &opposite));
	}
	return value;
}

static bool
set_box(Look *l, const DpsDomain *box, const double *centre, int *free, int *nfree)
{
	int			k;

	*nfree = 0;
	for (k = 0; k < l->p->n; k++)
	{
		double		lo = box[k].lo;
		double		hi = fmax(box[k].hi, SMALLEST_END);

		if (!(l->p->used & UINT64_C(1) << k))
			continue;
		if (!(lo >= 0) || box[k].nullness != DPS_NEVER_NULL)
			return false;
		l->all[k] = dps_iv(lo > 0 ? dps_iv_ln(dps_iv_point(lo)).lo : (double) -INFINITY, dps_iv_ln(dps_iv_point(hi)).hi);
		l->corner[k] = dps_iv_ln(dps_iv_point(hi));
		l->y[k] = log(fmax(centre[k], hi * LEAST_PART));
		if (lo < hi)
		{
			if (*nfree == DPS_MAX_CORNERS)
				return false;
			free[(*nfree)++] = k;
		}
	}
	return true;
}

static double
bound_box(const DpsPosynomial *form, const DpsDomain *box, const double *centre, bool flat, double *top)
{
	Look		look;
	Look	   *l = &look;
	Affine		lows[MAX_TOP];
	bool		subtracted[MAX_TOP] = {false};
	int			free[DPS_MAX_CORNERS];
	double		bound = -INFINITY;
	unsigned	corner;
	int			nfree;
	int			k;

	memset(l, 0, sizeof(*l));
	l->p = form;
	l->flat = flat;
	if (!set_box(l, box, centre, free, &nfree))
		return INFINITY;
	for (k = 0; k < form->nterms && !l->failed; k++)
		prepare_term(l, k);
	for (k = 0; k < form->ntop && !l->failed; k++)
	{
		if (!form->negative[k])
			continue;
		low_of_exponential(l, &form->term[form->top[k]], &lows[k]);
		subtracted[k] = is_bounded(l, &lows[k]);
	}
	if (l->failed)
		return INFINITY;
	for (corner = 0; corner < 1u << nfree; corner++)
	{
		double		value;

		for (k = 0; k < nfree; k++)
		{
			const DpsDomain *domain = &box[free[k]];
			double		end = corner & 1u << k ? domain->lo : fmax(domain->hi, SMALLEST_END);

			l->corner[free[k]] = end > 0 ? dps_iv_ln(dps_iv_point(end)) : dps_iv(-INFINITY, -INFINITY);
		}
		value = value_at_corner(l, lows, subtracted);
		if (!(value < INFINITY))
			return INFINITY;
		if (!(value > bound))
			continue;
		bound = value;
		for (k = 0; k < form->n; k++)
			top[k] = box[k].hi;
		for (k = 0; k < nfree; k++)
			top[free[k]] = corner & 1u << k ? box[free[k]].lo : box[free[k]].hi;
	}
	return bound;
}

double
dps_posynomial_bound(const DpsPosynomial *form, const DpsDomain *box, const double *centre, double *corner)
{
	double		bound = bound_box(form, box, centre, false, corner);

	/* weights of what vanishes may rise without end where a column goes to 0 */
	return bound < INFINITY ? bound : bound_box(form, box, centre, true, corner);
}

void
dps_posynomial_move(const DpsPosynomial *form, const DpsDomain *box, const double *corner, double part, double *centre)
{
	int			k;

	for (k = 0; k < form->n; k++)
	{
		double		least = box[k].hi * LEAST_PART;

		if (form->used & UINT64_C(1) << k)
			centre[k] = pow(fmax(centre[k], least), 1 - part) * pow(fmax(corner[k], least), part);
	}
}
