/*
 * narrow_by_where.c
 *		Ranges of columns that follow from WHERE and FILTER.
 *
 * The executor selects rows by their raw cells; the expression is evaluated on clamped cells of selected
 * rows.  So its bounds are needed only on the clamp image of the cells that the conditions admit
 * (definitions, section 1): ln(income) over rows with income >= 1000 is bounded although income may be 0.
 *
 * A condition on several columns restricts more than the range of each column: for stays with left >=
 * arrived, left - arrived is at least 0.  So values are bounded where the conditions are true of the
 * clamped cells.  If a condition is true only of the raw cells, because a cell lies outside of its range,
 * the value is clamped into these bounds.
 *
 * Privacy does not depend on the narrowing
 *
 * Precondition: B is the box of the declared ranges, B' the box that dps_narrow_by_conditions leaves, right
 * or wrong: B' is a non-empty box with ends in B.  Every bound of the release's values (sup |f|, its ends,
 * D_j, K, eta, joint norms) is proved of f on B', and f is defined, finite and not NULL there, except for
 * the NULLs of cells that B' admits and those that dps_values_decide_null reports.
 *
 * Postcondition: the bounds hold of what the exact stage computes of any row, even if its cells are NaN,
 * infinite or outside of every range, and whether or not the conditions are true of it.
 *
 * Argument.  The cells of the plan have the domains of B' (dps_bound_values writes
 * them back), and each cell is clamped into its domain before the program reads it
 * (dps_clamp_cells): to an end of the domain, to NULL where B' admits it, and where it
 * does not, NaN to the end as well.  So the program is evaluated on the image of the
 * row under p: R^n -> B', and f o p takes values of f on B' alone.  p moves each
 * coordinate by itself and no further than the cell was moved.  Hence
 *
 * - add_remove, replace: |f(p(x))| and f(p(x)) - f(p(y)) are bounded as on B';
 * - attribute: if x and y differ in column j, so do p(x) and p(y), by which D_j holds;
 * - metric: d(p(x), p(y)) <= d(x, y), and |f(p(x)) - f(p(y))| <= K d(p(x), p(y)).
 *
 * If the narrowing is right, p is the clamp into the declared ranges for every row that the conditions
 * select, since the clamp images of these rows are in B'.  If it is wrong, rows are clamped further than
 * they should be: the value is wrong, but the bounds hold.
 *
 * A condition on several columns narrows no cells, only the ends of the values.  It is used only where the
 * sensitivity is derived from the values' integers, clamped into these ends (add_remove and replace without
 * joint norms), so the same argument holds for it.
 *
 * A row whose value is NULL adds nothing, and 0 is counted among the values wherever private columns may
 * decide whether it is NULL: by the conditions (selection_is_private, which depends on whether private
 * columns are mentioned, not on the narrowing), by NULL cells as declared, not as narrowed, or by a NULL
 * that values decide (validity_is_private, value_bounds.c).
 *
 * The box is narrowed by the conditions as they are written, operation by operation, because the server
 * rounds in each operation: (b + 1e20) - 1e20 <= 0 is true of every small b, and NaN <= b - b is true of b
 * = Infinity.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "port/pg_bitutils.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "bound/quantity/bound.h"
#include "glue/glue.h"
#include "glue/import/cell.h"
#include "glue/import/import_time.h"
#include "guard/release/narrow_by_where.h"

/* Longer lists of alternatives are skipped: they narrow little and cost much. */
#define MAX_ALTERNATIVES 64

/* The largest admitted rounding error of a comparison's difference, relative to the largest magnitude of
 * the difference. */
#define MOST_ROUNDING 1e-9

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

/* Can the constant be represented in the graph? */
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

/* Can x IN (1, 2) not be used, because of its operator, its length or its elements? */
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
			/* a domain over an unknown type */
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

/* The variables whose cells may be NaN. */
static uint64_t
nan_variables(const DpsImport *import)
{
	const DpsColumns *columns = import->context;
	uint64_t	mask = 0;
	int			i;

	for (i = 0; i < import->graph->nvariables; i++)
	{
		Oid			type = columns->column[i].cell.type;

		if (type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID)
			mask |= UINT64_C(1) << i;
	}
	return mask;
}

/* A graph with the same variables, for conditions without simplification. */
static DpsGraph *
copy_variables(const DpsGraph *graph)
{
	DpsGraph   *copy;
	int			i;

	dps_check_status(dps_graph_init(&copy, graph->arena));
	dps_graph_keep(copy);
	for (i = 0; i < graph->nvariables; i++)
	{
		const DpsVariable *variable = &graph->variables[i];

		if (dps_graph_add_variable(copy, variable->name, variable->type, variable->nullable) != i)
			dps_check_status(DPS_NOMEM);
	}
	return copy;
}

/* Uses each conjunct by itself, so that one that cannot be used does not affect the others. */
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
	dps_check_status(dps_narrow(import->graph, dps_import(import, condition), nan_variables(import), box, &empty));
}

void
dps_narrow_by_conditions(DpsImport *import, const List *conditions, DpsDomain *box)
{
	DpsImport	written = *import;
	ListCell   *cell;

	if (conditions == NIL)
		return;
	written.graph = copy_variables(import->graph);
	foreach(cell, conditions)
		narrow_by_condition(&written, lfirst(cell), box);
}

/*
 * Does rounding matter in a condition as it is written, as in (b + 1e20) - 1e20 <= c?  The values' ends are
 * derived in real numbers, so such a condition must not be used.  Where no bound of the rounding is known,
 * the answer is no.
 */
static bool
is_rounded(DpsGraph *graph, const DpsNode *condition, const DpsDomain *box)
{
	const DpsNode *difference;
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	DpsInterval value;
	double		error;

	switch (condition->op)
	{
		case DPS_OP_NOT:
			return is_rounded(graph, condition->arg[0], box);
		case DPS_OP_AND:
		case DPS_OP_OR:
			return is_rounded(graph, condition->arg[0], box) || is_rounded(graph, condition->arg[1], box);
		case DPS_OP_LT:
		case DPS_OP_LE:
		case DPS_OP_GT:
		case DPS_OP_GE:
		case DPS_OP_EQ:
		case DPS_OP_NE:
			break;
		default:
			return false;
	}
	if (condition->arg[0]->type == DPS_BOOL)
		return false;
	difference = dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, condition->arg[0], condition->arg[1]);
	if (difference == NULL)
		dps_check_status(DPS_NOMEM);
	dps_check_status(dps_evaluation_error(graph, difference, box, &error));
	dps_check_status(dps_compile(graph, &difference, 1, &program));
	enclosures = palloc(sizeof(DpsEnclosure) * program->ninstructions);
	dps_enclose(program, box, enclosures);
	value = enclosures[dps_program_outputs(program)[0]].value;
	return isfinite(error) && !(error <= MOST_ROUNDING * fmax(fabs(value.lo), fabs(value.hi)));
}

/* The conjunction of the conjuncts that relate several columns; NULL if there are none. */
static const DpsNode *
joint_condition(DpsImport *import, DpsImport *written, Node *condition, const DpsDomain *box)
{
	const DpsNode *all = NULL;
	const DpsNode *one;
	ListCell   *cell;

	if (is_andclause(condition) || IsA(condition, List))
	{
		foreach(cell, IsA(condition, List) ? (List *) condition : ((BoolExpr *) condition)->args)
		{
			one = joint_condition(import, written, lfirst(cell), box);
			if (one != NULL)
				all = all == NULL ? one : dps_apply(import->graph, DPS_OP_AND, DPS_BOOL, all, one);
		}
		return all;
	}
	if (unusable_walker(condition, import))
		return NULL;
	one = dps_import(import, condition);
	return pg_popcount64(one->variables) > 1 && !is_rounded(written->graph, dps_import(written, condition), box) ?
		one : NULL;
}

const DpsNode *
dps_joint_condition(DpsImport *import, const List *conditions, const DpsDomain *box)
{
	DpsImport	written = *import;

	if (conditions == NIL)
		return NULL;
	written.graph = copy_variables(import->graph);
	return joint_condition(import, &written, (Node *) conditions, box);
}
