/*
 * squares.c
 *		Roots of sums that are never negative, with their squares completed.
 *
 * sqrt(x^2 - x y + y^2) is defined everywhere, but an enclosure of x^2 - x y + y^2 is
 * negative at one end, and in doubles the sum may be negative, too, where it is almost 0.
 * (x - y / 2)^2 + 3/4 y^2 is the same function, and never negative in either.
 *
 * Precondition.  A sum of products, with coefficients that are numbers: T_1 + ... + T_n.
 * What is multiplied may be any expressions; two that are written alike are the same.
 *
 * Step.  Let c m^2 be one of the terms, c > 0 a number and m a product, and let t_1 ... t_k
 * be other terms that m divides, t_i = 2 c m r_i.  Then, whatever m and the r_i depend on,
 *
 *		c m^2 + sum_i t_i = c (m + sum_i r_i)^2 - c sum_i sum_j r_i r_j
 *
 * That is Lagrange's reduction of a quadratic form, with expressions for variables: it
 * needs no independence of m and r_i, since it is an identity.  It is exact: coefficients
 * are fractions.  In the end a term -k q^2 and a term c p^2 of which q^2 is a multiple are
 * written p^2 (c - k (q / p)^2), as in the law of cosines, a^2 + b^2 - 2 a b cos(g) =
 * (a - b cos(g))^2 + b^2 (1 - cos(g)^2): then an enclosure of the last factor decides.
 *
 * Postcondition.  The result is the same real function: defined, and NULL, exactly where
 * the node was, since every factor of a term that vanishes occurs in a square as well.  A
 * root is replaced only if enclosures prove it to be defined on the box afterwards, and
 * did not before.  Enclosures hold the values that are evaluated, so no row of the box is
 * without a value because of it.
 */
#include <math.h>
#include <string.h>

#include "bound/relax/squares.h"
#include "expr/intern.h"

#define MAX_FACTORS 10
#define MAX_PRODUCTS 40

/* Squares completed below one root, and roots in one expression. */
#define MAX_SQUARES 8
#define MAX_ROOTS 8

typedef struct Factor
{
	const DpsNode *base;
	int			exponent;		/* not 0 */
} Factor;

/* num / den * the product of all base ^ exponent, which are in the order of their ids */
typedef struct Product
{
	DpsNumber	num;
	DpsNumber	den;
	int			n;
	Factor		factor[MAX_FACTORS];
} Product;

typedef struct Sum
{
	DpsGraph   *graph;
	DpsType		type;
	bool		failed;			/* too large, or memory ran out */
	int			n;
	Product		term[MAX_PRODUCTS];
} Sum;

/* ---- products ---- */

static void
multiply_factor(Sum *s, Product *p, const DpsNode *base, int exponent)
{
	int			at = 0;

	while (at < p->n && p->factor[at].base->id < base->id)
		at++;
	if (at < p->n && p->factor[at].base == base)
	{
		p->factor[at].exponent += exponent;
		if (p->factor[at].exponent == 0)
			memmove(&p->factor[at], &p->factor[at + 1], sizeof(Factor) * (--p->n - at));
		return;
	}
	if (p->n == MAX_FACTORS)
	{
		s->failed = true;
		return;
	}
	memmove(&p->factor[at + 1], &p->factor[at], sizeof(Factor) * (p->n - at));
	p->factor[at] = (Factor) {base, exponent};
	p->n++;
}

static void
set_coefficient(Sum *s, Product *p, DpsNumber num, DpsNumber den)
{
	p->num = num;
	p->den = den;
	if (!isfinite(num.value) || !isfinite(den.value))
		s->failed = true;
	else
		dps_reduce_ratio(s->graph, &p->num, &p->den);
}

/* p * other ^ exponent, for an exponent of 1 or -1 */
static Product
multiply(Sum *s, const Product *p, const Product *other, int exponent)
{
	Product		result = *p;
	DpsNumber	num = exponent > 0 ? other->num : other->den;
	DpsNumber	den = exponent > 0 ? other->den : other->num;
	int			i;

	if (den.value < 0)
	{
		num = dps_negated(num);
		den = dps_negated(den);
	}
	set_coefficient(s, &result, dps_number_product(s->graph, p->num, num), dps_number_product(s->graph, p->den, den));
	for (i = 0; i < other->n; i++)
		multiply_factor(s, &result, other->factor[i].base, exponent * other->factor[i].exponent);
	return result;
}

static bool
same_factors(const Product *a, const Product *b)
{
	int			i;

	for (i = 0; i < a->n && a->n == b->n; i++)
		if (a->factor[i].base != b->factor[i].base || a->factor[i].exponent != b->factor[i].exponent)
			return false;
	return a->n == b->n;
}

/* Is it a square, but for its coefficient? */
static bool
is_square(const Product *p)
{
	int			i;

	for (i = 0; i < p->n; i++)
		if (p->factor[i].exponent % 2 != 0)
			return false;
	return p->n > 0;
}

/* The product of the square roots of a square's factors. */
static Product
root_of(const Product *square)
{
	Product		root = *square;
	int			i;

	root.num = root.den = dps_number(1);
	for (i = 0; i < root.n; i++)
		root.factor[i].exponent /= 2;
	return root;
}

/* Is every factor of m in p, as often? */
static bool
divides(const Product *m, const Product *p)
{
	int			i;
	int			k;

	for (i = 0; i < m->n; i++)
	{
		int			wanted = m->factor[i].exponent;

		for (k = 0; k < p->n && p->factor[k].base != m->factor[i].base; k++)
			;
		if (k == p->n || (wanted > 0 ? p->factor[k].exponent < wanted : p->factor[k].exponent > wanted))
			return false;
	}
	return true;
}

/* ---- sums ---- */

static void
remove_term(Sum *s, int i)
{
	s->term[i] = s->term[--s->n];
}

static void
add_product(Sum *s, const Product *p)
{
	int			i;

	for (i = 0; i < s->n && !same_factors(&s->term[i], p); i++)
		;
	if (i == s->n && s->n == MAX_PRODUCTS)
		s->failed = true;
	if (s->failed)
		return;
	if (i == s->n)
	{
		s->term[s->n++] = *p;
		return;
	}
	set_coefficient(s, &s->term[i],
					dps_number_sum(s->graph, dps_number_product(s->graph, s->term[i].num, p->den),
								   dps_number_product(s->graph, p->num, s->term[i].den)),
					dps_number_product(s->graph, s->term[i].den, p->den));
	if (s->term[i].num.value == 0)
		remove_term(s, i);
}

/* Multiplies by the node's factors to this power. */
static void
read_factors(Sum *s, Product *p, const DpsNode *node, int exponent)
{
	double		power = node->op == DPS_OP_POW && node->arg[1]->op == DPS_OP_CONST && node->arg[1]->exact == NULL ?
		node->arg[1]->value : 0;

	if (s->failed)
		return;
	if (node->type == s->type && (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV))
	{
		read_factors(s, p, node->arg[0], exponent);
		read_factors(s, p, node->arg[1], node->op == DPS_OP_MUL ? exponent : -exponent);
	}
	else if (node->type == s->type && node->op == DPS_OP_SQR)
		read_factors(s, p, node->arg[0], 2 * exponent);
	else if (node->type == s->type && (power == 3 || power == 4 || power == 6 || power == 8))
		multiply_factor(s, p, node->arg[0], (power == 3 ? 3 : power == 4 ? 4 : power == 6 ? 6 : 8) * exponent);
	else
		multiply_factor(s, p, node, exponent);
}

static bool
adds(const Sum *s, const DpsNode *node)
{
	return node->type == s->type && (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB);
}

static Product
negated(const Product *p)
{
	Product		result = *p;

	result.num = dps_negated(p->num);
	return result;
}

/* Adds a number times the node; a number times a sum is a sum. */
static void
read_sum(Sum *s, const DpsNode *node, const Product *times)
{
	Product		opposite = negated(times);
	Product		p = {.num = dps_number(1), .den = dps_number(1)};
	Product		factors;
	const DpsNode *monic = node;

	if (s->failed)
		return;
	if (adds(s, node))
	{
		read_sum(s, node->arg[0], times);
		read_sum(s, node->arg[1], node->op == DPS_OP_ADD ? times : &opposite);
		return;
	}
	if (node->op == DPS_OP_CONST)
		dps_constant_ratio(node, &p.num, &p.den);
	else
		monic = dps_split_coefficient(s->graph, node, &p.num, &p.den);
	if (monic == NULL || !isfinite(p.num.value) || !isfinite(p.den.value))
	{
		s->failed = true;
		return;
	}
	factors = p = multiply(s, &p, times, 1);
	if (monic->op != DPS_OP_CONST)
		read_factors(s, &factors, monic, 1);
	if (monic != node && adds(s, monic))
		read_sum(s, monic, &p);
	else
		add_product(s, &factors);
}

/* ---- nodes ---- */

/* NULL if memory ran out, as below. */
static const DpsNode *
product_node(const Sum *s, const Product *p)
{
	const DpsNode *node = NULL;
	int			i;

	for (i = 0; i < p->n; i++)
	{
		int			exponent = p->factor[i].exponent;
		const DpsNode *power = dps_apply(s->graph, DPS_OP_POW, s->type, p->factor[i].base,
										 dps_constant(s->graph, s->type, exponent));

		if (exponent == 1)
			power = p->factor[i].base;
		node = i == 0 ? power : dps_apply(s->graph, DPS_OP_MUL, s->type, node, power);
	}
	return p->n == 0 ? dps_ratio_node(s->graph, s->type, p->num, p->den) : dps_join_coefficient(s->graph, p->num, p->den, node);
}

/* sum + term; a sum of NULL is 0 */
static const DpsNode *
add_node(const Sum *s, const DpsNode *sum, const DpsNode *term)
{
	return sum == NULL || term == NULL ? term : dps_apply(s->graph, DPS_OP_ADD, s->type, sum, term);
}

/* ---- squares ---- */

/* Is term i one that completes a square of m? */
static bool
is_cross(const Sum *s, int i, const Product *m)
{
	return !is_square(&s->term[i]) && divides(m, &s->term[i]);
}

/* The square that most other terms belong to; -1 if there is none. */
static int
choose_square(const Sum *s)
{
	int			most = 0;
	int			best = -1;
	int			i;
	int			k;

	for (i = 0; i < s->n; i++)
	{
		Product		m = root_of(&s->term[i]);
		int			crosses = 0;

		if (!is_square(&s->term[i]) || !(s->term[i].num.value > 0))
			continue;
		for (k = 0; k < s->n; k++)
			crosses += is_cross(s, k, &m);
		if (crosses > most)
		{
			most = crosses;
			best = i;
		}
	}
	return best;
}

/* Takes a square and what belongs to it out of the sum; returns the square that it becomes, a
 * node, and leaves in the sum what that is too much. */
static const DpsNode *
complete_square(Sum *s, int chosen)
{
	Product		square = s->term[chosen];
	Product		m = root_of(&square);
	Product		twice = multiply(s, &square, &(Product) {.num = dps_number(2), .den = dps_number(1)}, 1);
	Product		part[MAX_PRODUCTS];
	const DpsNode *linear = product_node(s, &m);
	Product		c = {.num = square.num, .den = square.den};
	int			n = 0;
	int			i;
	int			k;

	for (i = 0; i < s->n; i++)
		if (is_cross(s, i, &m))
		{
			/* t / (2 c m) = t m / (2 c m^2) */
			Product		times = multiply(s, &s->term[i], &m, 1);

			part[n++] = multiply(s, &times, &twice, -1);
		}
	for (i = s->n - 1; i >= 0; i--)
		if (is_cross(s, i, &m) || i == chosen)
			remove_term(s, i);
	for (i = 0; i < n; i++)
	{
		linear = dps_apply(s->graph, DPS_OP_ADD, s->type, linear, product_node(s, &part[i]));
		for (k = 0; k < n; k++)
		{
			Product		both = multiply(s, &part[i], &part[k], 1);

			both = multiply(s, &both, &c, 1);
			both.num = dps_negated(both.num);
			add_product(s, &both);
		}
	}
	linear = dps_apply(s->graph, DPS_OP_SQR, s->type, linear, NULL);
	return dps_apply(s->graph, DPS_OP_MUL, s->type, product_node(s, &c), linear);
}

/* A square of the sum, times itself less what negative multiples of it are to be taken off. */
static const DpsNode *
square_with_multiples(Sum *s, int *chosen)
{
	Product		square = s->term[*chosen];
	Product		unit = {.num = square.num, .den = square.den};
	Product		plain = square;
	const DpsNode *factor = product_node(s, &unit);
	int			i;

	plain.num = plain.den = dps_number(1);
	remove_term(s, *chosen);
	for (i = s->n - 1; i >= 0; i--)
	{
		Product		quotient;

		if (!is_square(&s->term[i]) || s->term[i].num.value >= 0 || !divides(&plain, &s->term[i]))
			continue;
		quotient = multiply(s, &s->term[i], &plain, -1);
		factor = dps_apply(s->graph, DPS_OP_ADD, s->type, factor, product_node(s, &quotient));
		remove_term(s, i);
	}
	*chosen = 0;
	return dps_apply(s->graph, DPS_OP_MUL, s->type, factor, product_node(s, &plain));
}

/* The sum with squares completed; NULL if that failed, or there is nothing to complete. */
static const DpsNode *
complete(Sum *s)
{
	const DpsNode *sum = NULL;
	int			squares = 0;
	int			i;

	while (!s->failed && squares < MAX_SQUARES && (i = choose_square(s)) >= 0)
	{
		sum = add_node(s, sum, complete_square(s, i));
		squares++;
		if (sum == NULL)
			return NULL;
	}
	for (i = 0; i < s->n && !s->failed;)
	{
		const DpsNode *term = NULL;

		if (is_square(&s->term[i]) && s->term[i].num.value > 0)
			term = square_with_multiples(s, &i);
		else
		{
			i++;
			continue;
		}
		sum = add_node(s, sum, term);
		if (sum == NULL)
			return NULL;
	}
	for (i = 0; i < s->n && !s->failed && squares > 0; i++)
	{
		sum = add_node(s, sum, product_node(s, &s->term[i]));
		if (sum == NULL)
			return NULL;
	}
	return s->failed || squares == 0 ? NULL : sum;
}

/* ---- roots ---- */

typedef struct Completer
{
	DpsGraph   *graph;
	DpsArena   *scratch;
	const DpsDomain *box;
} Completer;

/* Encloses all parts of the node over the box. */
static DpsStatus
enclose(const Completer *c, const DpsNode *node, const DpsProgram **program, DpsEnclosure **enclosures)
{
	DPS_TRY(dps_compile(c->graph, &node, 1, program));
	*enclosures = dps_arena_alloc(c->scratch, sizeof(DpsEnclosure) * (*program)->ninstructions);
	if (*enclosures == NULL)
		return DPS_NOMEM;
	dps_enclose(*program, c->box, *enclosures);
	return DPS_OK;
}

/* The same root with its squares completed, if that shows it to be defined; else NULL. */
static DpsStatus
complete_root(const Completer *c, const DpsNode *root, const DpsNode **completed)
{
	const Product one = {.num = dps_number(1), .den = dps_number(1)};
	Sum		   *s = dps_arena_alloc(c->scratch, sizeof(Sum));
	const DpsNode *sum;
	const DpsProgram *program;
	DpsEnclosure *enclosures;

	*completed = NULL;
	if (s == NULL)
		return DPS_NOMEM;
	s->graph = c->graph;
	s->type = root->arg[0]->type;
	read_sum(s, root->arg[0], &one);
	sum = complete(s);
	if (sum == NULL)
		return dps_arena_status(c->graph->arena, DPS_OK);
	sum = dps_apply(c->graph, DPS_OP_SQRT, root->type, sum, NULL);
	if (sum == NULL)
		return DPS_NOMEM;
	DPS_TRY(enclose(c, sum, &program, &enclosures));
	if (enclosures[dps_program_outputs(program)[0]].defined == DPS_DEFINED)
		*completed = sum;
	return DPS_OK;
}

/* A root that is not shown to be defined, of a sum that is. */
static bool
is_doubtful(const DpsInstruction *root, const DpsEnclosure *enclosures)
{
	const DpsEnclosure *sum = &enclosures[root->arg[0]];

	return root->op == DPS_OP_SQRT && dps_is_real(root->type) && sum->defined == DPS_DEFINED &&
		!dps_iv_is_empty(sum->value) && sum->value.lo < 0;
}

/* Replaces the first root that it can, if there is one. */
static DpsStatus
replace_root(const Completer *c, const DpsNode **node, bool *replaced)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	uint32_t	i;

	*replaced = false;
	DPS_TRY(enclose(c, *node, &program, &enclosures));
	for (i = 0; i < program->ninstructions && !*replaced; i++)
	{
		const DpsNode *root;
		const DpsNode *completed;

		if (!is_doubtful(&program->code[i], enclosures))
			continue;
		root = dps_node_of(c->graph, program->code[i].node);
		DPS_TRY(complete_root(c, root, &completed));
		if (completed == NULL)
			continue;
		*node = dps_replace(c->graph, *node, root, completed);
		if (*node == NULL)
			return DPS_NOMEM;
		*replaced = true;
	}
	return DPS_OK;
}

DpsStatus
dps_complete_squares(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsNode **result)
{
	Completer	c = {.graph = graph, .box = box};
	DpsStatus	status = DPS_OK;
	bool		replaced = true;
	int			i;

	*result = node;
	if (node == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	DPS_TRY(dps_arena_init(&c.scratch, dps_arena_host(graph->arena)));
	for (i = 0; i < MAX_ROOTS && status == DPS_OK && replaced; i++)
		status = replace_root(&c, result, &replaced);
	status = dps_arena_status(graph->arena, dps_arena_status(c.scratch, status));
	dps_arena_clear(c.scratch);
	return status;
}
