/*
 * session_values.c
 *		Replaces parts of a query that do not depend on rows by constants, and finds others that depend on the
 *		session.
 *
 * Postcondition: the copy has no external parameter.  Every call in it that is not immutable is volatile,
 * or has a column, an aggregate or a query among its arguments.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "glue/import/builtin.h"
#include "guard/query/session_values.h"

/* Can the node be replaced by a constant? */
static bool
is_scalar(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_Param:
			return ((const Param *) node)->paramkind == PARAM_EXTERN;
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_SQLValueFunction:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_ConvertRowtypeExpr:
		case T_CoerceToDomain:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_SubscriptingRef:
		case T_FieldSelect:
			return true;
		default:
			return false;
	}
}

static bool
row_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		case T_Var:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_SubLink:
		case T_CaseTestExpr:
		case T_CoerceToDomainValue:
		case T_Query:
			return true;
		default:
			return expression_tree_walker(node, row_walker, context);
	}
}

static bool
param_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, param_walker, context, 0);
	return expression_tree_walker(node, param_walker, context);
}

static bool
asks_session(Node *node)
{
	return param_walker(node, NULL) || contain_mutable_functions(node);
}

static Node *
value_of(Node *node, ParamListInfo params)
{
	Oid			type = exprType(node);
	ExprContext *context = CreateStandaloneExprContext();
	int16		length;
	bool		by_value;
	bool		isnull;
	Datum		value;

	context->ecxt_param_list_info = params;
	get_typlenbyval(type, &length, &by_value);
	value = ExecEvalExprSwitchContext(ExecInitExprWithParams(expression_planner(copyObject((Expr *) node)), params), context, &isnull);
	if (!isnull && length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	else if (!isnull)
		value = datumCopy(value, by_value, length);
	FreeExprContext(context, true);
	return (Node *) makeConst(type, exprTypmod(node), exprCollation(node), length, isnull ? (Datum) 0 : value, isnull, by_value);
}

static Node *
constants_mutator(Node *node, void *params)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, constants_mutator, params, 0);
	if (is_scalar(node))
	{
		if (!asks_session(node))
			return copyObject(node);
		if (!row_walker(node, NULL) && !contain_volatile_functions(node) && !expression_returns_set(node))
			return value_of(node, params);
	}
	return expression_tree_mutator(node, constants_mutator, params);
}

Query *
dps_with_constants(const Query *query, ParamListInfo params)
{
	return (Query *) constants_mutator((Node *) query, params);
}

static bool
is_mutable(Oid function, void *context)
{
	return func_volatile(function) != PROVOLATILE_IMMUTABLE || dps_reads_settings(function);
}

/* A type's input and output, and values such as current_date, are not called by a name. */
static bool
is_mutable_itself(Node *node)
{
	return check_functions_in_node(node, is_mutable, NULL) || IsA(node, SQLValueFunction);
}

static bool
session_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, session_walker, context, 0);
	/* becomes a constant */
	if (is_scalar(node) && !row_walker(node, NULL) && !contain_volatile_functions(node))
		return false;
	return is_mutable_itself(node) || expression_tree_walker(node, session_walker, context);
}

bool
dps_rows_meet_session(Query *query)
{
	return session_walker((Node *) query, NULL);
}
