/*
 * factor.c
 *		Sums of squares or magnitudes, with common factors of the entries taken
 *		out.
 *
 * The gradient of a function of r = sqrt(x^2 + y^2) is (x, y) times a common
 * factor.  In the plain sum of squares, nothing shows that x^2 + y^2 also
 * occurs in the factor; an enclosure then treats the two as unrelated.  With
 * the factor taken out, c^2 sum of (rest_k)^2, they meet.
 *
 * If the expression has a product of columns and the entries have no common
 * factor, entries that are sums are written as products by common factors of
 * their terms.  Distances are excepted: their roots have infinite slopes,
 * which the sum hides and the product shows.
 *
 * The square equals that of the entry wherever the entry is defined: powers of
 * one base are joined only if they are on the same side of the fraction, and
 * the square of a root is its argument, where the root is defined.  Elsewhere
 * the entry is undefined, too; the caller guards by the expression that the
 * entries were derived from.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/relax/factor.h"
#include "num/whole.h"

#define MAX_ENTRIES 16
#define MAX_POWER 16

static int	common_power(const DpsPowers *products, int n, const DpsNode *base);
static const DpsNode *what_is_left(const DpsPowers *products, int n, int k);

DpsPowers
dps_powers_empty(DpsGraph *graph, bool in_sums)
{
	return (DpsPowers) {.graph = graph, .in_sums = in_sums, .coefficient = dps_constant(graph, DPS_FLOAT8, 1)};
}

/* Multiplies by base ^ power without taking the base apart; false if the base
 * is on the other side of the fraction already, or if there are too many
 * factors. */
static bool
multiply_base(DpsPowers *product, const DpsNode *base, int power)
{
	int			i;

	for (i = 0; i < product->n; i++)
	{
		if (product->factor[i].base != base)
			continue;
		if ((product->factor[i].power > 0) != (power > 0))
			return false;
		product->factor[i].power += power;
		return true;
	}
	if (product->n == DPS_MAX_POWERS)
		return false;
	product->factor[product->n++] = (DpsPower) {base, power};
	return true;
}

static bool
is_zero(const DpsNode *node)
{
	return node->op == DPS_OP_CONST && node->value == 0;
}

/* The branch of a CASE whose other branch is 0, or the node itself. */
static const DpsNode *
branch_of(const DpsNode *node)
{
	if (node->op != DPS_OP_CASE || node->type != DPS_FLOAT8)
		return node;
	return is_zero(node->arg[2]) ? node->arg[1] : is_zero(node->arg[1]) ? node->arg[2] : node;
}

/* The CASE with another node for that branch. */
static const DpsNode *
put_branch(DpsGraph *graph, const DpsNode *node, const DpsNode *branch)
{
	const DpsNode *zero = dps_constant(graph, DPS_FLOAT8, 0);

	if (branch == NULL || branch_of(node) == node)
		return branch;
	return branch_of(node) == node->arg[1] ? dps_choose(graph, node->arg[0], branch, zero) :
		dps_choose(graph, node->arg[0], zero, branch);
}

/*
 * Multiplies by (x + y) ^ power or (x - y) ^ power, written as the common factors
 * of x and y times the rest; false if x and y have none.  One of x and y may be 0 unless a
 * condition holds, and so is its rest then: the common factors are needed for the other.
 */
static bool
multiply_sum(DpsPowers *product, const DpsNode *node, int power)
{
	DpsPowers	one = dps_powers_empty(product->graph, true);
	DpsPowers	terms[2] = {one, one};
	const DpsNode *term[2] = {branch_of(node->arg[0]), branch_of(node->arg[1])};
	const DpsNode *left[2];
	bool		any = false;
	int			i;

	if (term[0] != node->arg[0] && term[1] != node->arg[1])
		return false;
	if (one.coefficient == NULL || !dps_powers_multiply(&terms[0], term[0], 1) || !dps_powers_multiply(&terms[1], term[1], 1))
		return false;
	for (i = 0; i < terms[0].n; i++)
	{
		const DpsNode *base = terms[0].factor[i].base;
		int			common = common_power(terms, 2, base);

		if (common != 0 && !multiply_base(product, base, common * power))
			return false;
		any = any || common != 0;
	}
	left[0] = put_branch(product->graph, node->arg[0], what_is_left(terms, 2, 0));
	left[1] = put_branch(product->graph, node->arg[1], what_is_left(terms, 2, 1));
	return any && left[0] != NULL && left[1] != NULL &&
		multiply_base(product, dps_apply(product->graph, node->op, DPS_FLOAT8, left[0], left[1]), power);
}

/* Is it a constant whose sign is known? */
static bool
is_coefficient(const DpsNode *node)
{
	return !dps_iv_is_empty(node->range) && !dps_iv_contains(node->range, 0) && isfinite(node->range.lo) &&
		isfinite(node->range.hi);
}

/* Multiplies by node ^ power for a constant, without rounding; false
 * if memory ran out. */
static bool
multiply_coefficient(DpsPowers *product, const DpsNode *node, int power)
{
	DpsGraph   *graph = product->graph;

	if (node->range.hi < 0)
	{
		product->negated = product->negated != (power % 2 != 0);
		node = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, node, NULL);
	}
	for (; power > 0; power--)
		product->coefficient = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, product->coefficient, node);
	for (; power < 0; power++)
		product->coefficient = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, product->coefficient, node);
	return product->coefficient != NULL;
}

bool
dps_powers_multiply(DpsPowers *product, const DpsNode *node, int power)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (power > MAX_POWER || power < -MAX_POWER)
		return false;
	if (node->type == DPS_FLOAT8 && is_coefficient(node))
		return multiply_coefficient(product, node, power);
	if (node->type == DPS_FLOAT8)
	{
		DpsPowers	before = *product;

		switch (node->op)
		{
			case DPS_OP_NEG:
				product->negated = product->negated != (power % 2 != 0);
				return dps_powers_multiply(product, x, power);
			case DPS_OP_MUL:
				return dps_powers_multiply(product, x, power) && dps_powers_multiply(product, y, power);
			case DPS_OP_DIV:
				return dps_powers_multiply(product, x, power) && dps_powers_multiply(product, y, -power);
			case DPS_OP_SQR:
				return dps_powers_multiply(product, x, 2 * power);
			case DPS_OP_POW:
				if (y->op == DPS_OP_CONST && y->exact == NULL && y->value == rint(y->value) && y->value > 0 &&
					y->value * abs(power) <= MAX_POWER)
					return dps_powers_multiply(product, x, dps_to_int32(y->value) * power);
				break;
			case DPS_OP_ADD:
			case DPS_OP_SUB:
				if (product->in_sums && multiply_sum(product, node, power))
					return true;
				*product = before;
				break;
			default:
				break;
		}
	}
	return multiply_base(product, node, power);
}

int
dps_powers_of(const DpsPowers *product, const DpsNode *base)
{
	int			i;

	for (i = 0; i < product->n; i++)
		if (product->factor[i].base == base)
			return product->factor[i].power;
	return 0;
}

/* The power of the base that all products have in common. */
static int
common_power(const DpsPowers *products, int n, const DpsNode *base)
{
	int			common = dps_powers_of(&products[0], base);
	int			k;

	for (k = 1; k < n && common != 0; k++)
	{
		int			power = dps_powers_of(&products[k], base);

		if ((power > 0) != (common > 0))
			return 0;
		if (power == 0)
			return 0;
		if (common > 0 ? power < common : power > common)
			common = power;
	}
	return common;
}

/* Product k without the common factors; sign and coefficient included. */
static const DpsNode *
what_is_left(const DpsPowers *products, int n, int k)
{
	const DpsPowers *product = &products[k];
	DpsGraph   *graph = product->graph;
	const DpsNode *result = product->negated ? dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, product->coefficient, NULL) : product->coefficient;
	int			i;

	for (i = 0; i < product->n; i++)
	{
		const DpsPower *factor = &product->factor[i];
		int			power = factor->power - common_power(products, n, factor->base);

		for (; power > 0; power--)
			result = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, result, factor->base);
		for (; power < 0; power++)
			result = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, result, factor->base);
	}
	return result;
}

/* result * base ^ (2 power) */
static const DpsNode *
times_square(DpsGraph *graph, const DpsNode *result, const DpsNode *base, int power)
{
	const DpsNode *square = base->op == DPS_OP_SQRT && base->type == DPS_FLOAT8 ? base->arg[0] :
		dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, base, NULL);
	int			i;

	for (i = 0; i < (power < 0 ? -power : power); i++)
		result = dps_apply(graph, power < 0 ? DPS_OP_DIV : DPS_OP_MUL, DPS_FLOAT8, result, square);
	return result;
}

/* Is the node known never to be negative?  Some functions are so for all
 * arguments, arithmetic only for some arguments. */
static bool
is_positive(const DpsNode *node)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	switch (node->op)
	{
		case DPS_OP_CONST:
			return node->value >= 0;
		case DPS_OP_VAR:
		case DPS_OP_CASE:
			return false;
		case DPS_OP_ADD:
		case DPS_OP_MUL:
		case DPS_OP_DIV:
			return is_positive(x) && is_positive(y);
		case DPS_OP_POW:
			return is_positive(x) || (y->op == DPS_OP_CONST && y->exact == NULL && fmod(y->value, 2) == 0);
		default:
			return dps_ops[node->op].enclosure(DPS_ENTIRE, DPS_ENTIRE, DPS_NEVER_NULL, DPS_NEVER_NULL).lo >= 0;
	}
}

/* result * |base| ^ power */
static const DpsNode *
times_magnitude(DpsGraph *graph, const DpsNode *result, const DpsNode *base, int power)
{
	int			i;

	if (power % 2 != 0 && !is_positive(base))
		base = dps_apply(graph, DPS_OP_ABS, DPS_FLOAT8, base, NULL);
	for (i = 0; i < (power < 0 ? -power : power); i++)
		result = dps_apply(graph, power < 0 ? DPS_OP_DIV : DPS_OP_MUL, DPS_FLOAT8, result, base);
	return result;
}

const DpsNode *
dps_factored(DpsGraph *graph, const DpsNode *node)
{
	DpsPowers	product = dps_powers_empty(graph, true);
	const DpsNode *result;
	int			i;

	if (product.coefficient == NULL || !dps_powers_multiply(&product, node, 1))
		return node;
	result = product.coefficient;
	if (product.negated)
		result = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, result, NULL);
	for (i = 0; i < product.n; i++)
	{
		int			power = product.factor[i].power;

		for (; power > 0; power--)
			result = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, result, product.factor[i].base);
		for (; power < 0; power++)
			result = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, result, product.factor[i].base);
	}
	return result;
}

/* The square of a product without the common factors. */
static const DpsNode *
square_of_rest(DpsGraph *graph, const DpsPowers *products, int n, int k, bool same_coefficient)
{
	const DpsPowers *product = &products[k];
	const DpsNode *result = dps_constant(graph, DPS_FLOAT8, 1);
	int			i;

	if (!same_coefficient)
		result = dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, product->coefficient, NULL);
	for (i = 0; i < product->n; i++)
	{
		const DpsPower *factor = &product->factor[i];

		result = times_square(graph, result, factor->base, factor->power - common_power(products, n, factor->base));
	}
	return result;
}

static bool
has_root(const DpsNode *node, bool *seen)
{
	int			i;

	if (seen[node->id])
		return false;
	seen[node->id] = true;
	for (i = 0; i < node->nargs; i++)
		if (has_root(node->arg[i], seen))
			return true;
	return node->op == DPS_OP_SQRT;
}

/* Does one of the entries contain a root? */
static bool
have_roots(DpsGraph *graph, const DpsNode *const *entries, int n)
{
	bool	   *seen = dps_arena_alloc(graph->arena, sizeof(bool) * graph->nnodes);
	int			k;

	for (k = 0; k < n && seen != NULL; k++)
		if (entries[k] == NULL || has_root(entries[k], seen))
			return true;
	return seen == NULL;
}

/* Writes the entries as products; false if one is no product, or if they have no
 * common factor. */
static bool
make_products(DpsGraph *graph, const DpsNode *const *entries, int n, bool in_sums, DpsPowers *products)
{
	bool		any = false;
	int			k;

	for (k = 0; k < n; k++)
	{
		products[k] = dps_powers_empty(graph, in_sums);
		if (entries[k] == NULL || products[k].coefficient == NULL || !dps_powers_multiply(&products[k], entries[k], 1))
			return false;
	}
	for (k = 0; k < products[0].n; k++)
		any = any || common_power(products, n, products[0].factor[k].base) != 0;
	return any;
}

/* The products of entries with a common factor; false if there is none. */
static bool
find_common(DpsGraph *graph, const DpsNode *const *entries, int n, DpsPowers *products)
{
	if (n < 2 || n > MAX_ENTRIES)
		return false;
	return make_products(graph, entries, n, false, products) ||
		(!have_roots(graph, entries, n) && make_products(graph, entries, n, true, products));
}

/* The magnitudes of entries, joined by + or greatest. */
static const DpsNode *
join_magnitudes(DpsGraph *graph, DpsOpcode join, const DpsNode *const *entries, int n)
{
	DpsPowers	products[MAX_ENTRIES];
	const DpsNode *sum = dps_constant(graph, DPS_FLOAT8, 0);
	int			k;

	if (!find_common(graph, entries, n, products))
		return NULL;
	for (k = 0; k < n; k++)
		sum = dps_apply(graph, join, DPS_FLOAT8, sum,
						dps_apply(graph, DPS_OP_ABS, DPS_FLOAT8, what_is_left(products, n, k), NULL));
	for (k = 0; k < products[0].n; k++)
		sum = times_magnitude(graph, sum, products[0].factor[k].base,
							  common_power(products, n, products[0].factor[k].base));
	return sum;
}

const DpsNode *
dps_factored_magnitudes(DpsGraph *graph, const DpsNode *const *entries, int n)
{
	return join_magnitudes(graph, DPS_OP_ADD, entries, n);
}

const DpsNode *
dps_factored_greatest(DpsGraph *graph, const DpsNode *const *entries, int n)
{
	return join_magnitudes(graph, DPS_OP_GREATEST, entries, n);
}

const DpsNode *
dps_factored_squares(DpsGraph *graph, const DpsNode *const *entries, int n)
{
	DpsPowers	products[MAX_ENTRIES];
	const DpsNode *sum = dps_constant(graph, DPS_FLOAT8, 0);
	const DpsNode *common;
	bool		same_coefficient = true;
	int			k;

	if (!find_common(graph, entries, n, products))
		return NULL;
	for (k = 0; k < n; k++)
		same_coefficient = same_coefficient && products[k].coefficient == products[0].coefficient;
	for (k = 0; k < n; k++)
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum, square_of_rest(graph, products, n, k, same_coefficient));
	common = sum;
	if (same_coefficient)
		common = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8,
						   dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, products[0].coefficient, NULL),
						   common);
	for (k = 0; k < products[0].n; k++)
		common = times_square(graph, common, products[0].factor[k].base,
							  common_power(products, n, products[0].factor[k].base));
	return common;
}
