/*
 * sql_cells.c
 *		dpsens_internal.audit_support: the planner's support function of functions of a
 *		row.
 *
 * Making a value of a table's row takes longer than evaluating it.  So
 * value_of(expression, row) and its like become cells_number(question,
 * expression, parameter, place, columns, cell, ...), of the columns that the
 * expression uses, where the expression is a constant and the row is that of
 * the expression's table.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/planmain.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "audit/row_call.h"
#include "expr/expr.h"
#include "glue/glue.h"
#include "glue/import/parse.h"
#include "glue/label/annotation.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_audit_support);

/* The question of a function; DPS_ROW_QUESTIONS if it is no function of a row. */
static DpsRowQuestion
find_question(Oid function)
{
	char	   *name = get_func_name(function);
	bool		is_array = get_func_rettype(function) == FLOAT8ARRAYOID;
	int			i;

	for (i = 0; i < DPS_ROW_QUESTIONS && name != NULL; i++)
	{
		if (dps_row_functions[i].is_array == is_array && strcmp(name, dps_row_functions[i].name) == 0)
			return (DpsRowQuestion) i;
	}
	return DPS_ROW_QUESTIONS;
}

/* Is there an outer join?  Rows of its nullable side can be missing as a whole, which
 * cells do not show. */
static bool
has_outer_join(const Query *query)
{
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);

		if (entry->rtekind == RTE_JOIN && IS_OUTER_JOIN(entry->jointype))
			return true;
	}
	return false;
}

/* Is it the row of the relation, wherever in this query it is scanned? */
static bool
is_row_of(const Query *query, const Node *node, Oid relation)
{
	const Var  *var = (const Var *) node;
	RangeTblEntry *entry;

	if (!IsA(node, Var) || var->varattno != InvalidAttrNumber || var->varlevelsup != 0 ||
		(int) var->varno < 1 || (int) var->varno > list_length(query->rtable))
		return false;
	entry = rt_fetch(var->varno, query->rtable);
	return entry->rtekind == RTE_RELATION && entry->relid == relation &&
		var->vartype == get_rel_type_id(relation) && !has_outer_join(query);
}

static bool
collect_columns(Node *node, Bitmapset **columns)
{
	AttrNumber	column;

	if (node == NULL)
		return false;
	column = dps_body_column(node);
	if (column != InvalidAttrNumber)
	{
		*columns = bms_add_member(*columns, column);
		return false;
	}
	return expression_tree_walker(node, collect_columns, columns);
}

static Node *
make_cell(Oid relation, int varno, AttrNumber column)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
	return (Node *) makeVar(varno, column, type, typmod, collation, 0);
}

static Node *
make_columns(const Datum *columns, int n)
{
	ArrayType  *array = construct_array((Datum *) columns, n, INT2OID, sizeof(int16), true, TYPALIGN_SHORT);

	return (Node *) makeConst(INT2ARRAYOID, -1, InvalidOid, -1, PointerGetDatum(array), false, false);
}

static Node *
make_integer(int32 value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true);
}

static Node *
make_parameter(const DpsRowFunction *of, const FuncExpr *call)
{
	if (of->has_parameter)
		return lthird(call->args);
	return (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0), false, FLOAT8PASSBYVAL);
}

static Node *
make_call(DpsRowQuestion question, const FuncExpr *call, Oid relation, Bitmapset *columns)
{
	static const Oid types[] = {INT4OID, REGPROCEDUREOID, FLOAT8OID, INT4OID, INT2ARRAYOID, ANYOID};
	const DpsRowFunction *of = &dps_row_functions[question];
	int			varno = (int) ((Var *) lsecond(call->args))->varno;
	Datum		numbers[DPS_MAX_VARIABLES];
	List	   *cells = NIL;
	List	   *arguments;
	int			n = 0;
	int			column = -1;
	Oid			function = dps_internal_function(of->is_array ? "cells_array" : "cells_number", lengthof(types), types);

	while ((column = bms_next_member(columns, column)) >= 0)
	{
		numbers[n++] = Int16GetDatum(column);
		cells = lappend(cells, make_cell(relation, varno, (AttrNumber) column));
	}
	arguments = list_make5(make_integer(question), linitial(call->args), make_parameter(of, call),
						   of->has_place ? llast(call->args) : make_integer(0), make_columns(numbers, n));
	return (Node *) makeFuncExpr(function, of->is_array ? FLOAT8ARRAYOID : FLOAT8OID, list_concat(arguments, cells),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

static Node *
simplify(PlannerInfo *root, const FuncExpr *call)
{
	DpsRowQuestion question = find_question(call->funcid);
	Const	   *expression;
	Oid			function;
	Oid			relation;
	Bitmapset  *columns = NULL;

	if (root == NULL || question == DPS_ROW_QUESTIONS || list_length(call->args) < 2)
		return NULL;
	expression = linitial(call->args);
	if (!IsA(expression, Const) || expression->constisnull)
		return NULL;
	function = DatumGetObjectId(expression->constvalue);
	if (get_func_name(function) == NULL || !dps_is_registered_expression(function))
		return NULL;
	relation = dps_expression_relation(function);
	if (!OidIsValid(relation) || !is_row_of(root->parse, lsecond(call->args), relation))
		return NULL;
	(void) collect_columns(dps_expression_body(function), &columns);
	/* a sum of columns has as many arguments as it names; one without any needs
	 * no row, but a variadic function needs an argument */
	if (bms_num_members(columns) < 1 || bms_num_members(columns) > DPS_MAX_VARIABLES)
		return NULL;
	record_plan_function_dependency(root, function);
	return make_call(question, call, relation, columns);
}

/* audit_support(request) */
Datum
dpsens_audit_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *result = NULL;

	if (IsA(request, SupportRequestSimplify))
		result = simplify(((SupportRequestSimplify *) request)->root, ((SupportRequestSimplify *) request)->fcall);
	PG_RETURN_POINTER(result);
}
