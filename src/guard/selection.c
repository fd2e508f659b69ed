/*
 * selection.c
 *		What WHERE and FILTER say of the columns of an expression.
 *
 * The executor selects rows by their raw cells; the expression is evaluated on
 * clamped ones, of selected rows only.  So its bounds are needed on the clamp
 * image of what the conditions admit (MATH section 1): ln(income) over rows
 * with income >= 1000 is bounded though income may be 0.
 *
 * A condition on several columns says more than what is left of each: of stays
 * with left >= arrived, left - arrived is at least 0.  So values are bounded where the
 * conditions are true of the clamped cells.  If they are true of raw ones only, because
 * a cell lies outside of its range, the value is clamped into these bounds.
 *
 * This is for narrower bounds, never for safety: cells are clamped into their
 * declared ranges and what a row adds into its bounds, whatever was selected.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/nodeFuncs.h"
#include "port/pg_bitutils.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "bound/bound.h"
#include "glue/cell.h"
#include "glue/glue.h"
#include "glue/import_time.h"
#include "guard/selection.h"

/* Longer lists of alternatives say little and cost much. */
#define MAX_ALTERNATIVES 64

/* Is the Var one of the expression's variables? */
static bool
is_variable(const Var *var, const DpsImport *import)
{
	const DpsColumns *columns = import->context;
	bool		epoch = dps_type_has_epoch(var->vartype);
	DpsType		type;
	int			i;

	if (var->varlevelsup != 0 || (!epoch && !dps_type_from_oid(var->vartype, &type)))
		return false;
	for (i = 0; i < import->graph->nvariables; i++)
	{
		if (columns->column[i].number == var->varattno && columns->column[i].part == (Index) var->varno &&
			columns->column[i].condition == NULL && columns->column[i].epoch == epoch)
			return true;
	}
	return false;
}

/* Does the graph have this constant? */
static bool
is_number(const Const *constant)
{
	DpsType		type;
	double		value = 0;

	if (dps_type_has_epoch(constant->consttype))
		return !constant->constisnull && isfinite(dps_read_cell(getBaseType(constant->consttype), constant->constvalue));
	if (!dps_type_from_oid(constant->consttype, &type) || constant->constisnull)
		return false;
	if (type == DPS_FLOAT8)
		value = DatumGetFloat8(constant->constvalue);
	else if (type == DPS_FLOAT4)
		value = DatumGetFloat4(constant->constvalue);
	else if (type == DPS_INT8)
		value = (double) DatumGetInt64(constant->constvalue);
	else if (type == DPS_NUMERIC)
		value = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
	return type == DPS_INT8 ? fabs(value) < 0x1p53 : isfinite(value);
}

static bool unusable_walker(Node *node, DpsImport *import);

/* x IN (1, 2): a list of so few numbers that it says something. */
static bool
is_unusable_list(ScalarArrayOpExpr *call, DpsImport *import)
{
	List	   *elements;

	set_sa_opfuncid(call);
	return (!dps_is_operation(call->opfuncid, 2) && !dps_compares_times(call->opfuncid)) ||
		!dps_list_elements(lsecond(call->args), &elements) || list_length(elements) > MAX_ALTERNATIVES ||
		unusable_walker((Node *) elements, import) || unusable_walker(linitial(call->args), import);
}

/* Finds what dps_import would refuse, or would need a new variable for. */
static bool
unusable_walker(Node *node, DpsImport *import)
{
	DpsType		type;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_List:
			break;
		case T_RelabelType:
			/* of a domain */
			if (!dps_type_from_oid(exprType(node), &type) && !dps_type_has_epoch(exprType(node)))
				return true;
			break;
		case T_ScalarArrayOpExpr:
			return is_unusable_list((ScalarArrayOpExpr *) node, import);
		case T_Var:
			return !is_variable((Var *) node, import);
		case T_Const:
			return !is_number((Const *) node);
		case T_BoolExpr:
			if (list_length(((BoolExpr *) node)->args) > MAX_ALTERNATIVES)
				return true;
			break;
		case T_OpExpr:
			set_opfuncid((OpExpr *) node);
			if (!dps_type_from_oid(exprType(node), &type) ||
				(!dps_is_operation(((OpExpr *) node)->opfuncid, list_length(((OpExpr *) node)->args)) &&
				 !dps_compares_times(((OpExpr *) node)->opfuncid)))
				return true;
			break;
		case T_FuncExpr:
			if (!dps_type_from_oid(exprType(node), &type) ||
				!dps_is_operation(((FuncExpr *) node)->funcid, list_length(((FuncExpr *) node)->args)))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, unusable_walker, import);
}

/* Each conjunct by itself, so that one that cannot be used does not spoil the
 * others. */
static void
narrow_by_condition(DpsImport *import, Node *condition, DpsDomain *box)
{
	ListCell   *cell;
	bool		empty;

	if (is_andclause(condition) || IsA(condition, List))
	{
		foreach(cell, IsA(condition, List) ? (List *) condition : ((BoolExpr *) condition)->args)
			narrow_by_condition(import, lfirst(cell), box);
		return;
	}
	if (unusable_walker(condition, import))
		return;
	/* a condition that no row meets leaves the box as it is */
	dps_check_status(dps_narrow(import->graph, dps_import(import, condition), box, &empty));
}

void
dps_narrow_by_conditions(DpsImport *import, const List *conditions, DpsDomain *box)
{
	ListCell   *cell;

	foreach(cell, conditions)
		narrow_by_condition(import, lfirst(cell), box);
}

/* The conjuncts about several columns, as one node; NULL if there are none. */
static const DpsNode *
joint_condition(DpsImport *import, Node *condition)
{
	const DpsNode *all = NULL;
	const DpsNode *one;
	ListCell   *cell;

	if (is_andclause(condition) || IsA(condition, List))
	{
		foreach(cell, IsA(condition, List) ? (List *) condition : ((BoolExpr *) condition)->args)
		{
			one = joint_condition(import, lfirst(cell));
			if (one != NULL)
				all = all == NULL ? one : dps_apply(import->graph, DPS_OP_AND, DPS_BOOL, all, one);
		}
		return all;
	}
	if (unusable_walker(condition, import))
		return NULL;
	one = dps_import(import, condition);
	return pg_popcount64(one->variables) > 1 ? one : NULL;
}

const DpsNode *
dps_joint_condition(DpsImport *import, const List *conditions)
{
	return conditions == NIL ? NULL : joint_condition(import, (Node *) conditions);
}
