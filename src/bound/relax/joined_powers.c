/*
 * joined_powers.c
 *		Powers that the derivative lowered, written with what they are multiplied by.
 *
 * The derivative of (a / c)^n by c is n (a / c)^(n - 1) (-a / c^2).  The power beside it is another
 * one than the one that the expression has, and a and c occur once more: nothing shows that it is
 * -(n / c) (a / c)^n, which is a function of the power that was there, divided by c.
 *
 * Needs: a box, and products with factors (x^(z + s))^p, s = 1 or -1 and z any expression, where
 * x is a product or quotient of columns, defined, finite and positive on the whole box, and x^z
 * occurs in the expression.  (A sum x has nothing to be multiplied with, and is what an enclosure sees
 * twice then: bounds of 151 boxes take 272.)
 *
 * Promises: the same real function on the box.
 *
 * Proof.  x^(z + s) = x^z x^s for all x > 0.  The factors of x^(s p) are multiplied into the product,
 * where powers of one base are added: on different sides of a fraction only if the base is
 * defined, finite and positive on the whole box, too, so that it is nowhere a division by 0 that
 * is cancelled; what SQL computes is a guard nevertheless.  Its arithmetic may overflow where the
 * expression's does not, and the other way round.
 *
 * A product is written like this only if it has no more different factors than before: else
 * an enclosure would see what belongs together in more places, not in fewer.
 */
#include <stdlib.h>

#include "bound/relax/factor.h"
#include "bound/relax/share.h"
#include "bound/rewriter.h"
#include "bound/terms.h"

#define MAX_POWER 16

typedef struct Joiner
{
	DpsRewriter base;
	bool		joined;			/* in the present product */
} Joiner;

static bool
is_positive(const Joiner *j, const DpsNode *node)
{
	return dps_rewriter_is_positive(&j->base, node) && dps_rewriter_enclosure(&j->base, node)->nullness == DPS_NEVER_NULL;
}

/* Multiplies by base ^ power without taking the base apart; false if that is not possible. */
static bool
multiply_base(const Joiner *j, DpsPowers *product, const DpsNode *base, int power)
{
	int			i;

	for (i = 0; i < product->n && product->factor[i].base != base; i++)
		;
	if (i == DPS_MAX_POWERS)
		return false;
	if (i == product->n)
	{
		product->factor[product->n++] = (DpsPower) {base, power};
		return true;
	}
	if ((product->factor[i].power > 0) != (power > 0) && !is_positive(j, base))
		return false;
	product->factor[i].power += power;
	if (product->factor[i].power == 0)
		product->factor[i] = product->factor[--product->n];
	return true;
}

/* Is it made of products and quotients of columns alone? */
static bool
is_monomial(const DpsNode *node)
{
	const DpsNode *inner = dps_uncast(node);

	if (inner->variables == 0 || inner->op == DPS_OP_VAR)
		return true;
	return inner == node && (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV) &&
		is_monomial(node->arg[0]) && is_monomial(node->arg[1]);
}

/* z and s of a power x^(z + s); false if it is not to be written as x^z x^s. */
static bool
is_shifted(const Joiner *j, const DpsNode *node, const DpsNode **unshifted, int *s)
{
	const DpsNode *exponent = node->arg[1];

	if (node->nargs != 2 || (exponent->op != DPS_OP_SUB && exponent->op != DPS_OP_ADD) || exponent->type != DPS_FLOAT8 ||
		!dps_is_constant(exponent->arg[1], 1) || !is_monomial(node->arg[0]) || !is_positive(j, node->arg[0]))
		return false;
	*unshifted = dps_apply(j->base.graph, DPS_OP_POW, DPS_FLOAT8, node->arg[0], exponent->arg[0]);
	*s = exponent->op == DPS_OP_ADD ? 1 : -1;
	return *unshifted != NULL && dps_rewriter_enclosure(&j->base, *unshifted) != NULL;
}

static bool
multiply(Joiner *j, DpsPowers *product, const DpsNode *node, int power, bool joins)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *unshifted;
	int			s;

	if (abs(power) > MAX_POWER)
		return false;
	if (node->type != DPS_FLOAT8)
		return multiply_base(j, product, node, power);
	if (node->variables == 0)
		return dps_powers_multiply(product, node, power);
	switch (node->op)
	{
		case DPS_OP_NEG:
			product->negated = product->negated != (power % 2 != 0);
			return multiply(j, product, x, power, joins);
		case DPS_OP_MUL:
			return multiply(j, product, x, power, joins) && multiply(j, product, node->arg[1], power, joins);
		case DPS_OP_DIV:
			return multiply(j, product, x, power, joins) && multiply(j, product, node->arg[1], -power, joins);
		case DPS_OP_SQR:
			return multiply(j, product, x, 2 * power, joins);
		case DPS_OP_POW:
			if (!joins || !is_shifted(j, node, &unshifted, &s))
				break;
			j->joined = true;
			return multiply_base(j, product, unshifted, power) && multiply(j, product, x, s * power, joins);
		default:
			break;
	}
	return multiply_base(j, product, node, power);
}

/* The product as a node, its factors joined within themselves. */
static const DpsNode *
product_node(Joiner *j, const DpsPowers *product)
{
	const DpsNode *result = product->coefficient;
	int			i;

	if (product->negated)
		result = dps_apply(j->base.graph, DPS_OP_NEG, DPS_FLOAT8, result, NULL);
	for (i = 0; i < product->n; i++)
	{
		const DpsNode *base = dps_rewrite_part(&j->base, product->factor[i].base);
		int			power = product->factor[i].power;

		for (; power > 0; power--)
			result = dps_apply(j->base.graph, DPS_OP_MUL, DPS_FLOAT8, result, base);
		for (; power < 0; power++)
			result = dps_apply(j->base.graph, DPS_OP_DIV, DPS_FLOAT8, result, base);
	}
	return result;
}

/* The product with powers joined; NULL if there are none, or if it would have more factors. */
static const DpsNode *
join_product(Joiner *j, const DpsNode *node)
{
	DpsPowers	before = dps_powers_empty(j->base.graph, false);
	DpsPowers	after = before;

	j->joined = false;
	if (before.coefficient == NULL || !multiply(j, &before, node, 1, false) || !multiply(j, &after, node, 1, true) ||
		!j->joined || after.n > before.n)
		return NULL;
	return product_node(j, &after);
}

static bool
is_product(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && node->variables != 0 &&
		(node->op == DPS_OP_MUL || node->op == DPS_OP_DIV || node->op == DPS_OP_SQR || node->op == DPS_OP_NEG);
}

static const DpsNode *
join_node(DpsRewriter *r, const DpsNode *node)
{
	return is_product(node) ? join_product((Joiner *) r, node) : NULL;
}

/* Is there a power whose exponent may have been lowered or raised by 1? */
static bool
has_shifted(const DpsRewriter *r)
{
	const DpsProgram *program = r->program;
	uint32_t	i;

	for (i = 0; i < program->ninstructions; i++)
	{
		const DpsInstruction *power = &program->code[i];
		DpsOpcode	op;

		if (power->op != DPS_OP_POW || power->nargs != 2)
			continue;
		op = program->code[power->arg[1]].op;
		if (op == DPS_OP_ADD || op == DPS_OP_SUB)
			return true;
	}
	return false;
}

DpsStatus
dps_join_powers(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsNode **result)
{
	Joiner		j = {.base = {.graph = graph, .applies = has_shifted, .rule = join_node}};

	*result = node;
	return node == NULL ? DPS_OK : dps_rewrite(&j.base, node, box, result);
}
