/*
 * affine_node.c
 *		Expressions that are affine as they are written.
 */
#include <math.h>

#include "bound/affine_node.h"

bool
dps_is_number(const DpsNode *node)
{
	if (node->op == DPS_OP_CONST)
		return isfinite(node->value);
	return node->variables == 0 && !node->nullable && !dps_iv_is_empty(node->range) && dps_iv_is_finite(node->range);
}

bool
dps_is_affine(const DpsAffineRule *rule, const DpsNode *node)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (!(node->variables & rule->columns))
		return !rule->is_plain || dps_is_number(node);
	if (node->op == DPS_OP_VAR)
		return rule->admits == NULL || rule->admits(rule->context, node);
	if (node->type != DPS_FLOAT8 && node->type != DPS_NUMERIC)
		return false;
	switch (node->op)
	{
		case DPS_OP_CAST:
		case DPS_OP_NEG:
			return dps_is_affine(rule, x);
		case DPS_OP_ADD:
		case DPS_OP_SUB:
			return !(rule->is_plain && (x->variables & y->variables)) && dps_is_affine(rule, x) && dps_is_affine(rule, y);
		case DPS_OP_MUL:
			return (dps_is_number(x) && dps_is_affine(rule, y)) || (dps_is_number(y) && dps_is_affine(rule, x));
		case DPS_OP_DIV:
			return dps_is_number(y) && !dps_iv_contains(y->range, 0) && dps_is_affine(rule, x);
		default:
			return false;
	}
}
