/*
 * tip.c
 *		Writes the argument of a square root as a sum of squares.
 *
 * A term that is a product of even powers is the square of a product; other
 * factors, for instance cos(a) cos(b) of a great circle, are put under a root
 * of their own.  Where that root is not defined, nothing is claimed.
 */
#include <math.h>

#include "expr/intern.h"
#include "expr/tip.h"

#define ROOT(a) dps_apply(graph, DPS_OP_SQRT, DPS_FLOAT8, a, NULL)

/* A node whose square is this node, wherever the former is defined. */
static const DpsNode *
leg_of(DpsGraph *graph, const DpsNode *node)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (node->type != DPS_FLOAT8)
		return ROOT(dps_as_float8(graph, node));
	switch (node->op)
	{
		case DPS_OP_SQR:
			return x;
		case DPS_OP_MUL:
		case DPS_OP_DIV:
			return dps_apply(graph, node->op, DPS_FLOAT8, leg_of(graph, x), leg_of(graph, y));
		case DPS_OP_POW:
			if (y->op == DPS_OP_CONST && y->exact == NULL && y->value > 0 && fmod(y->value, 2) == 0)
				return dps_apply(graph, DPS_OP_POW, DPS_FLOAT8, x, dps_constant(graph, DPS_FLOAT8, y->value / 2));
			return ROOT(node);
		default:
			return ROOT(node);
	}
}

/* The product; the scale is NULL for 1. */
static const DpsNode *
scaled(DpsGraph *graph, DpsOpcode op, const DpsNode *scale, const DpsNode *by)
{
	if (scale == NULL)
		scale = dps_constant(graph, DPS_FLOAT8, 1);
	return dps_apply(graph, op, DPS_FLOAT8, scale, by);
}

/* Adds the terms of scale * node, with sums multiplied out. */
static bool
add_legs(DpsGraph *graph, DpsTip *tip, const DpsNode *node, const DpsNode *scale)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];
	const DpsNode *leg;

	if (node->type != DPS_FLOAT8)
		return false;
	if (node->op == DPS_OP_ADD)
		return add_legs(graph, tip, x, scale) && add_legs(graph, tip, y, scale);
	if (node->op == DPS_OP_SUB || node->op == DPS_OP_NEG || tip->nlegs == DPS_MAX_LEGS)
		return false;
	if (node->op == DPS_OP_MUL && y->op == DPS_OP_ADD)
		return add_legs(graph, tip, y, scaled(graph, DPS_OP_MUL, scale, x));
	if (node->op == DPS_OP_MUL && x->op == DPS_OP_ADD)
		return add_legs(graph, tip, x, scaled(graph, DPS_OP_MUL, scale, y));
	if (node->op == DPS_OP_DIV && x->op == DPS_OP_ADD)
		return add_legs(graph, tip, x, scaled(graph, DPS_OP_DIV, scale, y));
	leg = leg_of(graph, node);
	if (scale != NULL && leg != NULL)
		leg = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, leg, leg_of(graph, scale));
	tip->leg[tip->nlegs++] = leg;
	return leg != NULL;
}

bool
dps_legs(DpsGraph *graph, const DpsNode *root, DpsTip *tip)
{
	tip->root = root;
	tip->nlegs = 0;
	return root->op == DPS_OP_SQRT && root->type == DPS_FLOAT8 &&
		add_legs(graph, tip, root->arg[0], NULL);
}
