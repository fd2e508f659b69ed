/*
 * arc.c
 *		The sides of triangles on a sphere.
 *
 * The elevation of the sun and the distance of two places are the asin and acos of
 *
 *		u = c sin a sin b + d cos a cos b cos h
 *
 * and move by no more than the angles do.  Their derivatives u_a / sqrt(1 - u^2) do not show
 * that to an enclosure, since numerator and denominator vanish together where u is 1, and there
 * they do not exist.
 *
 * Needs: u = A1 + A2, products of constants of magnitude at most 1 and of sines and cosines, each angle with
 * one factor in a product at most.  An angle with a sine in one product and a cosine in the other is a latitude; an
 * angle that occurs in one product only is a longitude; there are no others, and at least two
 * latitudes.  u may be within least(1, ...) and greatest(-1, ...), which change nothing since |u| <= 1.
 *
 * Promises: |u| <= 1, and along a segment on which the angles are differentiable r = asin(u) is
 * absolutely continuous with dr/dt = sum_k v_k (angle_k)' almost everywhere, where |v_a| <= 1 and, for c the
 * sine or cosine of a with which a longitude h is multiplied, v_a^2 + (v_h / c)^2 <= 1; v_h is 0 where c is.  So |v_h| is
 * at most the least |c| of all latitudes, and v_a^2 + (v_h / C)^2 <= 1 with C the greatest.  The
 * same of acos(u).
 *
 * Proof.  Let a be a latitude and b another.  With the other angles fixed u = p sin a + q cos a, where p and
 * q have sin b and cos b as factors, one each, and others of magnitude at most 1: p^2 + q^2 <=
 * sin^2 b + cos^2 b = 1.  So |u| <= 1, and u_a^2 = (p cos a - q sin a)^2 = p^2 + q^2 - u^2 <= 1 - u^2.
 * Where |u| < 1, v_a = u_a / sqrt(1 - u^2), or its negative for acos: |v_a| <= 1.
 *
 * Let h be a longitude, and say that it occurs with cos a (else put pi/2 - a for a): u = p sin a + s cos a f(h),
 * where f is sin or cos and q = s f(h); again p^2 + s^2 <= 1.  f'^2 = 1 - f^2, so
 *
 *		u_a^2 + (u_h / cos a)^2 = (p cos a - s f sin a)^2 + s^2 (1 - f^2)
 *								= (p^2 + s^2 f^2 - u^2) + s^2 - s^2 f^2  =  p^2 + s^2 - u^2  <=  1 - u^2
 *
 * It is left what happens where |u| = 1.  Along a segment of angles u(t) is analytic, so that |u| is 1 at
 * isolated places or everywhere on it.  In the latter case r is constant: v = 0.  In the former r is continuous,
 * and has elsewhere a derivative that is bounded: it is Lipschitz.  Other paths are limits of such segments,
 * and r, being Lipschitz in the angles, is absolutely continuous along them; where |u| is 1 and r has a
 * derivative along the path, that is 0, since r is at its greatest or least.
 */
#include <math.h>

#include "bound/quantity/arc.h"
#include "bound/terms.h"

/* The angles of one product. */
typedef struct Product
{
	int			n;
	const DpsNode *angle[DPS_MAX_ANGLES];
	const DpsNode *factor[DPS_MAX_ANGLES];	/* its sine or cosine */
	bool		sine[DPS_MAX_ANGLES];
} Product;

static bool
is_small_constant(const DpsNode *node)
{
	/* an exact constant rounds to 1 from either side */
	return node->exact == NULL ? fabs(node->value) <= 1 : fabs(node->value) < 1;
}

static bool
add_factor(Product *product, const DpsNode *factor)
{
	if (product->n == DPS_MAX_ANGLES)
		return false;
	product->angle[product->n] = factor->arg[0];
	product->factor[product->n] = factor;
	product->sine[product->n++] = factor->op == DPS_OP_SIN;
	return true;
}

/* Multiplies the product by the node; false if it is no such product. */
static bool
multiply(Product *product, const DpsNode *node)
{
	node = dps_uncast(node);
	if (node->op == DPS_OP_CONST)
		return is_small_constant(node);
	if (node->type != DPS_FLOAT8)
		return false;
	if (node->op == DPS_OP_NEG)
		return multiply(product, node->arg[0]);
	if (node->op == DPS_OP_MUL)
		return multiply(product, node->arg[0]) && multiply(product, node->arg[1]);
	return (node->op == DPS_OP_SIN || node->op == DPS_OP_COS) && add_factor(product, node);
}

static int
place_of(const Product *product, const DpsNode *angle, int from)
{
	int			i;

	for (i = from; i < product->n; i++)
		if (product->angle[i] == angle)
			return i;
	return -1;
}

static bool
add_angle(DpsGraph *graph, DpsArc *arc, const DpsNode *angle, bool longitude)
{
	if (arc->nangles == DPS_MAX_ANGLES)
		return false;
	arc->angle[arc->nangles] = angle;
	arc->least[arc->nangles] = arc->greatest[arc->nangles] = dps_constant(graph, DPS_FLOAT8, 1);
	arc->longitude[arc->nangles++] = longitude;
	return true;
}

/* Bounds the longitude that was added last by the latitudes of its product. */
static void
bound_longitude(DpsGraph *graph, DpsArc *arc, const Product *own, const Product *other)
{
	int			k = arc->nangles - 1;
	int			i;

	arc->greatest[k] = dps_constant(graph, DPS_FLOAT8, 0);
	for (i = 0; i < own->n; i++)
	{
		const DpsNode *size = dps_apply(graph, DPS_OP_ABS, DPS_FLOAT8, own->factor[i], NULL);

		if (place_of(other, own->angle[i], 0) < 0)
			continue;
		arc->least[k] = dps_apply(graph, DPS_OP_LEAST, DPS_FLOAT8, arc->least[k], size);
		arc->greatest[k] = dps_apply(graph, DPS_OP_GREATEST, DPS_FLOAT8, arc->greatest[k], size);
	}
}

/* Adds the angles of a product, beside the other; counts latitudes, which are added once. */
static bool
add_angles(DpsGraph *graph, DpsArc *arc, const Product *own, const Product *other, bool first, int *latitudes)
{
	int			i;

	for (i = 0; i < own->n; i++)
	{
		int			place = place_of(other, own->angle[i], 0);

		if (place_of(own, own->angle[i], i + 1) >= 0 || (place >= 0 && own->sine[i] == other->sine[place]))
			return false;
		if (place >= 0 && !first)
			continue;
		*latitudes += place >= 0;
		if (!add_angle(graph, arc, own->angle[i], place < 0))
			return false;
		if (place < 0)
			bound_longitude(graph, arc, own, other);
	}
	return true;
}

/* The argument without least(1, ...) and greatest(-1, ...). */
static const DpsNode *
unclamped(const DpsNode *node)
{
	int			i;

	node = dps_uncast(node);
	if (node->op != DPS_OP_LEAST && node->op != DPS_OP_GREATEST)
		return node;
	for (i = 0; i < 2; i++)
		if (dps_is_constant(dps_uncast(node->arg[i]), node->op == DPS_OP_LEAST ? 1 : -1))
			return unclamped(node->arg[1 - i]);
	return node;
}

/* Is the node such an arc? */
static bool
is_arc(DpsGraph *graph, const DpsNode *node, DpsArc *arc)
{
	Product		one = {0};
	Product		two = {0};
	const DpsNode *u;
	int			latitudes = 0;

	*arc = (DpsArc) {0};
	if ((node->op != DPS_OP_ASIN && node->op != DPS_OP_ACOS) || node->type != DPS_FLOAT8)
		return false;
	u = unclamped(node->arg[0]);
	if ((u->op != DPS_OP_ADD && u->op != DPS_OP_SUB) || u->type != DPS_FLOAT8 || !multiply(&one, u->arg[0]) || !multiply(&two, u->arg[1]))
		return false;
	if (!add_angles(graph, arc, &one, &two, true, &latitudes) || !add_angles(graph, arc, &two, &one, false, &latitudes) || latitudes < 2)
		return false;
	arc->root = node;
	return true;
}

static void
find_arc(DpsGraph *graph, const DpsNode *node, bool *seen, DpsArc *arc)
{
	DpsArc		own;
	int			i;

	if (seen[node->id] || arc->root != NULL)
		return;
	seen[node->id] = true;
	if (is_arc(graph, node, &own))
		*arc = own;
	for (i = 0; i < node->nargs; i++)
		find_arc(graph, node->arg[i], seen, arc);
}

DpsStatus
dps_find_arc(DpsGraph *graph, const DpsNode *node, DpsArc *arc)
{
	bool	   *seen = dps_arena_alloc(graph->arena, sizeof(bool) * (node->id + 1));

	*arc = (DpsArc) {0};
	if (seen == NULL)
		return DPS_NOMEM;
	find_arc(graph, node, seen, arc);
	return DPS_OK;
}
