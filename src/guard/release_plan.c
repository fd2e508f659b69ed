/*
 * release_plan.c
 *		From one dp aggregate of a query to the constants that execute it.
 *
 * Everything here depends on the query, the declarations and nothing else:
 * never on data, never on epsilon.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "glue/bounds.h"
#include "glue/glue.h"
#include "glue/import.h"
#include "glue/settings.h"
#include "guard/allow.h"
#include "guard/release_plan.h"
#include "num/interval.h"

/* One variable of the expression being imported: a column, or a condition on
 * one that the server evaluates. */
typedef struct Column
{
	AttrNumber	number;
	bool		epoch;
	Node	   *condition;		/* over columns of the relation, or NULL */
	Expr	   *argument;		/* over the level's Vars */
	DpsCell		cell;
	bool		is_public;
	double		weight;
	bool		nullable;
} Column;

typedef struct ImportContext
{
	DpsProtectedSource  *source;
	Aggref	   *aggref;
	Column		column[DPS_MAX_VARIABLES];
} ImportContext;

int
dps_dp_aggregate(Oid function)
{
	char	   *name;
	int			row;

	if (function < FirstNormalObjectId)
		return -1;
	name = get_func_name(function);
	if (name == NULL || strncmp(name, "dp_", 3) != 0)
		return -1;
	row = dps_aggregate_find(name);
	if (row < 0 || getExtensionOfObject(ProcedureRelationId, function) != get_extension_oid("dpsens", true))
		return -1;
	return row;
}

/* The column has no range: say which statement gives it one. */
static void
refuse_unannotated(ImportContext *context, AttrNumber number, Oid type, int location)
{
	Oid			relation = context->source->relation;
	char	   *column = get_attname(relation, number, false);
	char	   *name = get_rel_name(relation);

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of relation \"%s\" has no declared range", column, name),
			 errdetail("The noise is derived from the ranges of the columns; the data themselves must not decide it."),
			 dps_type_has_epoch(type) ?
			 errhint("SELECT dpsens.set_range('%s', '%s', 'first', 'last');", name, column) :
			 errhint("SELECT dpsens.set_range('%s', '%s', lo, hi);", name, column),
			 errposition(dps_query_position(context->source, location))));
}

/* Is the column declared NOT NULL? */
static bool
is_not_null(Oid relation, AttrNumber number)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(number));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u", number, relation);
	result = ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return result;
}

static char *
variable_name(Oid relation, AttrNumber number, bool epoch)
{
	const char *name = quote_identifier(get_attname(relation, number, false));

	return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : pstrdup(name);
}

/* A new variable and its entry. */
static int
add_variable(DpsImport *import, char *name, DpsType type, bool nullable, AttrNumber number)
{
	ImportContext *context = import->context;
	DpsGraph   *graph = import->graph;
	DpsColumnAnnotation annotation;
	Column	   *column;
	int			index;

	index = graph->nvariables < DPS_MAX_VARIABLES ?
		dps_graph_add_variable(graph, name, type, nullable) : -1;
	if (index < 0)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("a row expression can use at most %d columns", DPS_MAX_VARIABLES)));
	dps_get_column_annotation(context->source->relation, number, &annotation);
	column = &context->column[index];
	column->number = number;
	column->nullable = nullable;
	column->is_public = annotation.is_public;
	column->weight = annotation.weight;
	column->cell.domain.lo = annotation.lo;
	column->cell.domain.hi = annotation.hi;
	column->cell.domain.nullness = nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
	column->cell.domain.integral = type == DPS_BOOL || dps_type_is_integer(type);
	return index;
}

/* Makes the variable a truth value that the server computes. */
static void
set_condition(Column *column, Node *condition, Expr *argument)
{
	column->condition = condition;
	column->argument = argument;
	column->weight = 1;
	column->cell.type = BOOLOID;
	column->cell.domain.lo = 0;
	column->cell.domain.hi = 1;
}

/* Fills the column's entry from its annotation; resolves the import's leaf. */
static int
add_column(DpsImport *import, Var *var, bool epoch)
{
	ImportContext *context = import->context;
	DpsProtectedSource  *source = context->source;
	Oid			base = getBaseType(var->vartype);
	DpsColumnAnnotation annotation;
	DpsType		type = DPS_NUMERIC;
	Column	   *column;
	int			index;

	dps_get_column_annotation(source->relation, var->varattno, &annotation);
	if (!annotation.has_range)
		refuse_unannotated(context, var->varattno, base, var->location);
	if (source->annotation.adjacency == DPS_ATTRIBUTE && get_attgenerated(source->relation, var->varattno) != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("generated column \"%s\" cannot be used under adjacency attribute",
						get_attname(source->relation, var->varattno, false)),
				 errdetail("It changes with the columns that it is computed from."),
				 errhint("Write its expression instead."),
				 errposition(dps_query_position(source, var->location))));
	if (!epoch && !dps_type_from_oid(base, &type))
		elog(ERROR, "column of an unexpected type");
	index = add_variable(import, variable_name(source->relation, var->varattno, epoch), type,
						 !is_not_null(source->relation, var->varattno), var->varattno);
	column = &context->column[index];
	column->epoch = epoch;
	column->argument = (Expr *) dps_expose_column(source, var->varattno);
	column->cell.type = base;
	return index;
}

static int
resolve_column(DpsImport *import, Node *leaf, bool epoch)
{
	ImportContext *context = import->context;
	Var		   *var = (Var *) leaf;
	int			i;

	if (!IsA(leaf, Var))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a parameter is not supported in a row expression"),
				 errhint("Bounds are proved when the query is planned: write the value itself."),
				 dps_import_position(import, exprLocation(leaf))));
	if (var->varlevelsup != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a dp aggregate cannot refer to a column of an outer query"),
				 dps_import_position(import, var->location)));
	if (var->varattno <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a row expression cannot use a system column or a whole row"),
				 dps_import_position(import, var->location)));
	for (i = 0; i < import->graph->nvariables; i++)
	{
		if (context->column[i].number == var->varattno && context->column[i].epoch == epoch &&
			context->column[i].condition == NULL)
			return i;
	}
	return add_column(import, var, epoch);
}

static Node *
strip_relabel(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/*
 * The only column of a condition that the server may evaluate on every row: IS
 * NULL, or a comparison with constants that is leakproof, so that no value
 * makes it fail.  NULL if it is not such a condition.
 */
static Var *
compared_column(Node *condition, bool *with_null)
{
	OpExpr	   *call = (OpExpr *) condition;
	Var		   *var = NULL;
	ListCell   *cell;

	*with_null = false;
	if (IsA(condition, NullTest))
	{
		Node	   *argument = strip_relabel((Node *) ((NullTest *) condition)->arg);

		return IsA(argument, Var) && ((Var *) argument)->varattno > 0 ? (Var *) argument : NULL;
	}
	if (!IsA(condition, OpExpr) || !get_func_leakproof(call->opfuncid) || !func_strict(call->opfuncid) ||
		func_volatile(call->opfuncid) != PROVOLATILE_IMMUTABLE)
		return NULL;
	foreach(cell, call->args)
	{
		Node	   *argument = strip_relabel(lfirst(cell));

		if (IsA(argument, Const))
			*with_null |= ((Const *) argument)->constisnull;
		else if (IsA(argument, Var) && var == NULL)
			var = (Var *) argument;
		else
			return NULL;
	}
	return var != NULL && var->varlevelsup == 0 && var->varattno > 0 ? var : NULL;
}

/* The condition over the level's Vars instead of the relation's. */
static Node *
expose_mutator(Node *node, DpsProtectedSource *source)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) dps_expose_column(source, ((Var *) node)->varattno);
	return expression_tree_mutator(node, expose_mutator, source);
}

static int
resolve_condition(DpsImport *import, Node *condition)
{
	ImportContext *context = import->context;
	DpsProtectedSource *source = context->source;
	bool		with_null;
	Var		   *var = compared_column(condition, &with_null);
	int			index;

	if (var == NULL)
		return -1;
	for (index = 0; index < import->graph->nvariables; index++)
	{
		if (equal(context->column[index].condition, condition))
			return index;
	}
	index = add_variable(import,
						 deparse_expression(condition, deparse_context_for(get_rel_name(source->relation),
																		   source->relation), false, false),
						 DPS_BOOL,
						 !IsA(condition, NullTest) &&
						 (with_null || !is_not_null(source->relation, var->varattno)), var->varattno);
	set_condition(&context->column[index], condition,
				  (Expr *) expose_mutator(condition, source));
	return index;
}

/* The user's epsilon: constants and parameters through builtins only. */
static bool
is_epsilon_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
		case T_List:
			break;
		case T_Param:
			if (((Param *) node)->paramkind != PARAM_EXTERN)
				return true;
			break;
		case T_RelabelType:
			break;
		case T_FuncExpr:
		case T_OpExpr:
			/* of its own function; the arguments come by themselves */
			if (dps_find_foreign_call(node) != NULL || contain_mutable_functions(node))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, is_epsilon_walker, context);
}

/* Folds constants, and parameters whose values this plan is made for. */
static Node *
fold_epsilon(DpsProtectedSource *source, Node *argument)
{
	PlannerGlobal *global = makeNode(PlannerGlobal);
	PlannerInfo *root = makeNode(PlannerInfo);

	global->boundParams = source->params;
	root->glob = global;
	return eval_const_expressions(root, copyObject(argument));
}

static Expr *
take_epsilon(DpsProtectedSource *source, Node *argument)
{
	int			location = exprLocation(argument);
	Node	   *folded;

	if (is_epsilon_walker(argument, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be a constant or a parameter"),
				 errdetail("What a release costs may not depend on the data."),
				 errposition(dps_query_position(source, location))));
	folded = fold_epsilon(source, argument);
	if (IsA(folded, Const))
	{
		Const	   *constant = (Const *) folded;

		dps_check_epsilon(constant->constisnull ? 0 : DatumGetFloat8(constant->constvalue),
						  constant->constisnull, dps_query_position(source, location));
	}
	return (Expr *) folded;
}

static void
check_aggregate(DpsProtectedSource *source, Aggref *aggref, const char *name)
{
	const char *what = NULL;

	if (aggref->aggdistinct != NIL)
		what = "DISTINCT";
	else if (aggref->aggorder != NIL)
		what = "ORDER BY";
	if (what != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s is not supported in %s", what, name),
				 errposition(dps_query_position(source, aggref->location))));
	if (aggref->agglevelsup != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot belong to an outer query", name),
				 errposition(dps_query_position(source, aggref->location))));
}

/* column <> 'NaN', or NULL for a type that has no such value. */
static Expr *
differs_from_nan(Expr *column)
{
	Oid			type = getBaseType(exprType((Node *) column));
	Oid			equal = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	Oid			input;
	Oid			param;
	int16		length;
	bool		byval;
	Const	   *nan;

	if (type != FLOAT4OID && type != FLOAT8OID && type != NUMERICOID)
		return NULL;
	getTypeInputInfo(type, &input, &param);
	get_typlenbyval(type, &length, &byval);
	nan = makeConst(type, -1, InvalidOid, length, OidInputFunctionCall(input, "NaN", param, -1), false, byval);
	return make_opclause(get_negator(equal), BOOLOID, false, column, (Expr *) nan, InvalidOid, InvalidOid);
}

/* Is the column's cell valid: neither NULL nor NaN? */
static Node *
validity_test(Expr *column)
{
	NullTest   *test = makeNode(NullTest);
	Expr	   *number = differs_from_nan(column);

	test->arg = column;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	if (number == NULL)
		return (Node *) test;
	return (Node *) make_andclause(list_make2(test, number));
}

/*
 * dp_count(column) needs to know of the column only whether its cell is valid,
 * so it works for every type; its argument is the test itself.
 */
static const DpsNode *
import_null_count(DpsImport *import, Var *var)
{
	ImportContext *context = import->context;
	DpsGraph   *graph = import->graph;
	Node	   *test = validity_test((Expr *) dps_expose_column(context->source, var->varattno));
	int			index;

	index = add_variable(import, psprintf("(%s IS NOT NULL)", variable_name(context->source->relation, var->varattno, false)),
						 DPS_BOOL, false, var->varattno);
	set_condition(&context->column[index], test, (Expr *) test);
	return dps_choose(graph, dps_variable(graph, index), dps_constant(graph, DPS_FLOAT8, 1),
					  dps_constant(graph, DPS_FLOAT8, NAN));
}

/* The value that each row adds, NULL where it adds nothing. */
static const DpsNode *
import_value(DpsImport *import, DpsProtectedSource *source, Node *argument, bool counts)
{
	DpsGraph   *graph = import->graph;
	Node	   *expanded = dps_expand_expression(source, argument);
	const DpsNode *value;

	if (counts && IsA(expanded, Var) && ((Var *) expanded)->varattno > 0 &&
		((Var *) expanded)->varlevelsup == 0)
		value = import_null_count(import, (Var *) expanded);
	else
	{
		value = dps_import(import, expanded);
		if (counts)
			value = dps_choose(graph, dps_apply(graph, DPS_OP_IS_NULL, DPS_BOOL, value, NULL),
							   dps_constant(graph, DPS_FLOAT8, NAN), dps_constant(graph, DPS_FLOAT8, 1));
		else
			value = dps_as_float8(graph, value);
	}
	if (value == NULL)
		dps_check_status(DPS_NOMEM);
	return value;
}

/* Is a row's validity a matter of a private column? */
static bool
validity_is_private(const DpsReleasePlan *plan, const ImportContext *context)
{
	int			i;

	if (!plan->value->nullable)
		return false;
	/* metric takes the pattern of NULLs as public */
	for (i = 0; i < plan->graph->nvariables && plan->facts.adjacency != DPS_METRIC; i++)
	{
		if ((plan->value->variables & (UINT64_C(1) << i)) && !context->column[i].is_public &&
			context->column[i].nullable)
			return true;
	}
	/* a NULL that the values themselves decide: CASE without ELSE, NULLIF */
	return (plan->value->variables & plan->policy.private_variables) != 0 &&
		dps_strict_variables(plan->graph, plan->value) != plan->value->variables;
}

/*
 * The furthest that the value moves when one column does.  A column that
 * stands for several variables moves them one after the other, each step
 * within the box.
 */
static double
bound_column(DpsReleasePlan *plan, const ImportContext *context, const DpsDomain *box,
			 int first, int nvariables, int position)
{
	DpsBoundOptions options = dps_setting_bound_options();
	double		sum = 0;
	int			i;

	for (i = first; i < nvariables; i++)
	{
		DpsBracket	bracket;

		if (context->column[i].number != context->column[first].number)
			continue;
		dps_check_status(dps_attribute(plan->graph, plan->value, box, i, &options, &bracket));
		dps_refuse_bracket(plan->graph, &bracket, "the expression", position);
		sum = dps_add_up(sum, bracket.upper);
	}
	return sum;
}

static void
bound_attribute(DpsReleasePlan *plan, const ImportContext *context, const DpsDomain *box, int position)
{
	/* the search adds a variable of its own */
	int			n = plan->graph->nvariables;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (plan->policy.private_variables & (UINT64_C(1) << i))
			plan->facts.attribute = Max(plan->facts.attribute,
										bound_column(plan, context, box, i, n, position));
	}
}

/*
 * A condition on a column is a step of the column: however small the distance
 * that a row moves, it can change.
 */
static void
refuse_metric_condition(const DpsReleasePlan *plan, const ImportContext *context, int position)
{
	uint64_t	used = plan->value->variables & plan->policy.private_variables;
	int			i;

	for (i = 0; i < plan->graph->nvariables; i++)
	{
		if ((used & (UINT64_C(1) << i)) && context->column[i].condition != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a condition on a private column is not possible under metric adjacency"),
					 errdetail("The value jumps where %s changes.", plan->graph->variables[i].name),
					 errposition(position)));
	}
}

/*
 * How far, in the distance of MATH section 2, a row moves when its cells become
 * doubles: integers, booleans, dates and floats not at all; a numeric is
 * rounded once and a timestamp twice, by half an ulp of the range's larger end
 * each time.
 */
static double
conversion_error(const DpsReleasePlan *plan, const ImportContext *context)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < plan->graph->nvariables; i++)
	{
		const Column *column = &context->column[i];
		double		move;

		if (!(plan->policy.private_variables & (UINT64_C(1) << i)) ||
			(column->cell.type != NUMERICOID && column->cell.type != TIMESTAMPOID &&
			 column->cell.type != TIMESTAMPTZOID))
			continue;
		move = dps_mul_up(Max(fabs(column->cell.domain.lo), fabs(column->cell.domain.hi)), DBL_EPSILON);
		sum = dps_add_up(sum, dps_mul_up(column->weight, move));
	}
	return sum;
}

/* What the adjacency needs beyond the range of the value. */
static void
bound_adjacency(DpsReleasePlan *plan, const ImportContext *context, const DpsDomain *box, int position)
{
	DpsBoundOptions options = dps_setting_bound_options();
	DpsFacts   *facts = &plan->facts;

	if (facts->adjacency == DPS_ATTRIBUTE)
		bound_attribute(plan, context, box, position);
	if (facts->adjacency == DPS_METRIC)
	{
		refuse_metric_condition(plan, context, position);
		dps_check_status(dps_lipschitz(plan->graph, plan->value, box, &plan->policy, DPS_NORM_2,
									   &options, &plan->metric));
		dps_refuse_bracket(plan->graph, &plan->metric,
						   "the expression, under adjacency metric,", position);
		facts->lipschitz = plan->metric.upper;
	}
	if (facts->adjacency == DPS_ATTRIBUTE || facts->adjacency == DPS_METRIC)
		dps_check_status(dps_evaluation_error(plan->graph, plan->value, box, &facts->evaluation_error));
	if (facts->adjacency == DPS_METRIC)
		facts->evaluation_error = dps_add_up(facts->evaluation_error,
											 dps_mul_up(facts->lipschitz, conversion_error(plan, context)));
}

/* Certified bounds of the value, and what they say about privacy. */
static void
bound_value(DpsReleasePlan *plan, const ImportContext *context, int position)
{
	DpsBoundOptions options = dps_setting_bound_options();
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	DpsFacts   *facts = &plan->facts;
	int			i;

	for (i = 0; i < plan->graph->nvariables; i++)
	{
		box[i] = context->column[i].cell.domain;
		plan->policy.weights[i] = context->column[i].weight;
		if (!context->column[i].is_public)
			plan->policy.private_variables |= UINT64_C(1) << i;
	}
	dps_check_status(dps_infimum(plan->graph, plan->value, box, &options, &plan->infimum));
	dps_refuse_bracket(plan->graph, &plan->infimum, "the expression", position);
	dps_check_status(dps_supremum(plan->graph, plan->value, box, &options, &plan->supremum));
	dps_refuse_bracket(plan->graph, &plan->supremum, "the expression", position);
	facts->inf = plan->infimum.lower;
	facts->sup = plan->supremum.upper;
	facts->value_is_private = (plan->value->variables & plan->policy.private_variables) != 0;
	facts->validity_is_private = validity_is_private(plan, context);
	bound_adjacency(plan, context, box, position);
}

/* Serialises the program and collects the arguments. */
static void
build_summand(DpsReleasePlan *plan, const DpsSummand *header, const ImportContext *context,
			  const DpsProgram *program)
{
	DpsCell		cells[DPS_MAX_VARIABLES];
	int			i;

	if (program == NULL)
	{
		plan->summand = dps_summand_build(header, NULL, 0, NULL);
		return;
	}
	for (i = 0; i < (int) program->nvariables; i++)
	{
		cells[i] = context->column[i].cell;
		plan->columns = lappend(plan->columns, context->column[i].argument);
	}
	plan->summand = dps_summand_build(header, cells, program->nvariables, program);
}

static void
derive_release(DpsReleasePlan *plan, int row, DpsSummand *header, int position)
{
	const char *why = NULL;
	DpsStatus	status;

	plan->release = palloc0(sizeof(DpsRelease));
	status = dps_aggregate_derive(row, &plan->facts, plan->release, header, &why);
	if (status == DPS_DOMAIN)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be answered under adjacency %s: %s", plan->aggregate->name,
						dps_adjacency_name(plan->facts.adjacency), why != NULL ? why : "its sensitivity is not bounded"),
				 errposition(position)));
	dps_check_status(status);
}

/* Does the aggregate's FILTER depend on a private column? */
static bool
filter_is_private(DpsProtectedSource *source, Aggref *aggref)
{
	if (aggref->aggfilter == NULL)
		return false;
	if (checkExprHasSubLink((Node *) aggref->aggfilter))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a subquery is not supported in FILTER of a dp aggregate"),
				 errhint("Write the condition in WHERE."),
				 errposition(dps_query_position(source, aggref->location))));
	return dps_is_private_condition(source, (Node *) aggref->aggfilter);
}

/* Is there nothing in dp_count's argument that could be NULL? */
static bool
never_null(DpsProtectedSource *source, Node *argument)
{
	Node	   *expanded = dps_expand_expression(source, argument);
	Var		   *var = (Var *) expanded;

	if (IsA(expanded, Const))
		return !((Const *) expanded)->constisnull;
	return IsA(expanded, Var) && var->varlevelsup == 0 && var->varattno > 0 &&
		is_not_null(source->relation, var->varattno);
}

DpsReleasePlan *
dps_plan_release(DpsProtectedSource *source, Aggref *aggref, bool grouped, bool key_is_private)
{
	DpsReleasePlan *plan = palloc0(sizeof(DpsReleasePlan));
	ImportContext *context = palloc0(sizeof(ImportContext));
	int			row = dps_dp_aggregate(aggref->aggfnoid);
	DpsSummand	header = {0};
	const DpsProgram *program = NULL;
	bool		counts;
	int			nargs = list_length(aggref->args);
	Node	   *argument = NULL;
	int			position;

	plan->aggref = aggref;
	plan->aggregate = dps_aggregates[row];
	counts = plan->aggregate == &dps_aggregate_count;
	check_aggregate(source, aggref, plan->aggregate->name);
	context->source = source;
	context->aggref = aggref;
	if (nargs > 0)
		argument = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	if (nargs > 1)
		plan->epsilon = take_epsilon(source, (Node *) lsecond_node(TargetEntry, aggref->args)->expr);
	position = argument == NULL ? 0 : dps_query_position(source, exprLocation(argument));
	plan->facts.adjacency = source->annotation.adjacency;
	plan->facts.selection_is_private = source->selection_is_private || filter_is_private(source, aggref);
	plan->facts.grouped = grouped;
	plan->facts.key_is_private = key_is_private;
	if (argument == NULL || (counts && never_null(source, argument)))
	{
		plan->facts.counts_rows = true;
		plan->facts.inf = plan->facts.sup = 1;
	}
	else
	{
		DpsImport	import = {.resolve = resolve_column, .resolve_condition = resolve_condition,
		.context = context, .source_text = source->source_text};

		dps_check_status(dps_graph_init(&import.graph, dps_server_arena()));
		plan->graph = import.graph;
		plan->value = import_value(&import, source, argument, counts);
		/* before the search adds a variable of its own */
		dps_check_status(dps_compile(plan->graph, &plan->value, 1, &program));
		bound_value(plan, context, position);
	}
	derive_release(plan, row, &header, position);
	build_summand(plan, &header, context, program);
	return plan;
}
