/*
 * columns.c
 *		The variables of a row expression: columns of the protected relation,
 *		and conditions on them that the server evaluates.
 *
 * The executor passes raw cells.  Of the expression it evaluates only conditions that cannot fail for any
 * value, or that are attempted.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

#include "glue/analysis/row.h"
#include "glue/import/relabel.h"
#include "guard/condition/safe.h"
#include "guard/condition/written.h"
#include "guard/release/columns.h"
#include "guard/source/range_by_key.h"
#include "guard/source/union_columns.h"
#include "guard/trace/expand.h"
#include "guard/trace/grouped.h"
#include "guard/source/join_list.h"

/* The annotation of a column of the rows that count. */
static void
get_annotation(const DpsColumns *context, const Var *var, DpsColumnAnnotation *annotation)
{
	dps_get_var_annotation(context->source, var, annotation);
	dps_choose_range(context->source, var, context->conditions, annotation);
}

/* A new variable and its entry, without a domain's ends. */
static int
add_variable(DpsImport *import, char *name, DpsType type, bool nullable, const Var *var)
{
	DpsColumns *context = import->context;
	DpsGraph   *graph = import->graph;
	DpsColumnAnnotation annotation;
	DpsColumn  *column;
	int			index;

	index = graph->nvariables < DPS_MAX_VARIABLES ?
		dps_graph_add_variable(graph, name, type, nullable) : -1;
	if (index < 0)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("a row expression can use at most %d columns", DPS_MAX_VARIABLES)));
	dps_get_var_annotation(context->source, var, &annotation);
	column = &context->column[index];
	column->number = var->varattno;
	column->part = var->varno;
	column->nullable = nullable;
	column->is_public = annotation.is_public;
	column->weight = annotation.weight;
	column->cell.domain.nullness = nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
	column->cell.domain.integral = type == DPS_BOOL || dps_type_is_integer(type);
	return index;
}

/* Makes the variable a truth value that the server computes from a condition. */
static void
set_condition(DpsColumn *column, Node *condition, Expr *argument)
{
	column->condition = condition;
	column->argument = argument;
	column->weight = 1;
	column->cell.type = BOOLOID;
	column->cell.domain.lo = 0;
	column->cell.domain.hi = 1;
}

static void
refuse_without_range(DpsProtectedSource *source, const Var *var)
{
	const DpsPart *part = dps_var_part(source, var);
	Oid			relation = dps_var_relation(source, var);
	AttrNumber	column = var->varattno;

	if (part != NULL && part->constants != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column %s has no finite range", dps_list_column_name(part, column)),
				 errdetail("It is the range of the constants that are listed."),
				 errposition(dps_query_position(source, var->location))));
	if (part != NULL && part->arms != NIL && dps_union_origin(part, column, true, &relation) != NULL)
		column = dps_union_origin(part, column, true, &relation)->varattno;
	dps_refuse_unannotated(relation, column, dps_query_position(source, var->location));
}

/* Refuses a generated column where columns move separately: it moves with the columns that it is computed
 * from. */
static void
refuse_generated(const DpsProtectedSource *source, const Var *var)
{
	Oid			relation = dps_var_relation(source, var);

	if ((source->annotation.adjacency != DPS_ATTRIBUTE && source->annotation.adjacency != DPS_METRIC) ||
		!OidIsValid(relation) || get_attgenerated(relation, var->varattno) == '\0')
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("generated column \"%s\" cannot be used under adjacency %s",
					get_attname(relation, var->varattno, false), dps_adjacency_name(source->annotation.adjacency)),
			 errdetail("It changes with the columns that it is computed from."),
			 errhint("Write its expression instead."),
			 errposition(dps_query_position(source, var->location))));
}

/* Adds a variable for the column, with the range of its annotation. */
static int
add_column(DpsImport *import, Var *var, bool epoch)
{
	DpsColumns *context = import->context;
	DpsProtectedSource  *source = context->source;
	Oid			base = getBaseType(var->vartype);
	DpsColumnAnnotation annotation;
	DpsType		type = DPS_NUMERIC;
	DpsColumn  *column;
	int			index;

	if (dps_var_part(source, var) != NULL && dps_var_part(source, var)->grouping != NULL)
		dps_find_grouped_range(source, var);
	get_annotation(context, var, &annotation);
	if (!annotation.has_range)
		refuse_without_range(source, var);
	refuse_generated(source, var);
	if (!epoch && !dps_type_from_oid(base, &type))
		elog(ERROR, "column of an unexpected type");
	index = add_variable(import, dps_var_name(source, var, epoch), type, !dps_var_is_not_null(source, var), var);
	column = &context->column[index];
	column->epoch = epoch;
	column->cell.domain.lo = annotation.lo;
	column->cell.domain.hi = annotation.hi;
	column->argument = (Expr *) dps_expose_var(source, var);
	column->cell.type = base;
	return index;
}

static int
resolve_column(DpsImport *import, Node *leaf, bool epoch)
{
	DpsColumns *context = import->context;
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
		if (context->column[i].number == var->varattno && context->column[i].part == (Index) var->varno &&
			context->column[i].epoch == epoch && context->column[i].condition == NULL)
			return i;
	}
	return add_column(import, var, epoch);
}

/* Is it a column, not a row, of a relation of the level? */
static bool
is_own_column(const Node *node)
{
	const Var  *var = (const Var *) node;

	return node != NULL && IsA(node, Var) && var->varlevelsup == 0 && var->varattno > 0;
}

/*
 * The only column of a condition that the server may evaluate on every row: IS NULL, or a comparison with
 * constants that is leakproof.  NULL if it is not such a condition.  A condition that fails for some values
 * although it is marked leakproof, as the overflowing area of a circle does, is attempted, and is NULL
 * then.
 */
static Var *
compared_column(Node *condition, bool *may_be_null)
{
	OpExpr	   *call = (OpExpr *) condition;
	Var		   *var = NULL;
	ListCell   *cell;

	*may_be_null = false;
	if (IsA(condition, NullTest))
	{
		Node	   *argument = dps_strip_relabel((Node *) ((NullTest *) condition)->arg);

		return is_own_column(argument) && !((NullTest *) condition)->argisrow ? (Var *) argument : NULL;
	}
	if (!IsA(condition, OpExpr) || !get_func_leakproof(call->opfuncid) || !func_strict(call->opfuncid) ||
		func_volatile(call->opfuncid) != PROVOLATILE_IMMUTABLE)
		return NULL;
	*may_be_null = !dps_never_fails(condition);
	foreach(cell, call->args)
	{
		Node	   *argument = dps_strip_relabel(lfirst(cell));

		if (IsA(argument, Const))
			*may_be_null |= ((Const *) argument)->constisnull;
		else if (IsA(argument, Var) && var == NULL)
			var = (Var *) argument;
		else
			return NULL;
	}
	return is_own_column((Node *) var) ? var : NULL;
}

typedef struct ColumnSearch
{
	List	   *columns;		/* of Var *, distinct, all of one entry */
	bool		others;			/* something else than columns of one entry of the level, or
								 * not immutable */
} ColumnSearch;

static bool
is_mutable(Oid function, void *context)
{
	return func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

static void
note_column(ColumnSearch *search, Var *var)
{
	if (search->columns != NIL && linitial_node(Var, search->columns)->varno != var->varno)
		search->others = true;
	else
		search->columns = list_append_unique(search->columns, var);
}

static bool
column_walker(Node *node, ColumnSearch *search)
{
	Var		   *var;

	if (node == NULL)
		return false;
	node = dps_written_out(node);
	var = (Var *) node;
	if (IsA(node, Var))
	{
		if (var->varlevelsup != 0 || var->varattno <= 0)
			search->others = true;
		else
			note_column(search, var);
	}
	search->others |= IsA(node, Param) || IsA(node, SubLink) || IsA(node, Query) || IsA(node, SQLValueFunction) ||
		check_functions_in_node(node, is_mutable, NULL);
	return search->others || expression_tree_walker(node, column_walker, search);
}

/*
 * The columns of any other condition whose value depends only on a row's cells: LIKE, a regular expression,
 * an order of enums, date arithmetic.  Parts that may fail for a cell are attempted (attempt.h).  NIL if it
 * is not such a condition.
 */
static List *
tested_columns(Node *condition)
{
	ColumnSearch search = {NIL, false};
	DpsUnsafe	unsafe;

	if (column_walker(condition, &search))
		return NIL;
	dps_find_unsafe(condition, &unsafe);
	return unsafe.what == NULL ? search.columns : NIL;
}

/*
 * The column whose properties the condition's variable gets; NULL if there is none.  A condition on several
 * columns has one only if neighbours differ in whole rows; otherwise it would matter which column moves.
 */
static Var *
condition_column(const DpsProtectedSource *source, List *columns)
{
	DpsAdjacency adjacency = source->annotation.adjacency;
	ListCell   *cell;

	if (list_length(columns) > 1 && adjacency != DPS_ADD_REMOVE && adjacency != DPS_REPLACE)
		return NULL;
	/* prefer a private column */
	foreach(cell, columns)
	{
		DpsColumnAnnotation annotation;

		dps_get_var_annotation(source, lfirst(cell), &annotation);
		if (!annotation.is_public)
			return lfirst(cell);
	}
	return columns == NIL ? NULL : linitial(columns);
}

/* The condition with Vars of the level in place of the relation's. */
static Node *
expose_mutator(Node *node, DpsProtectedSource *source)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) dps_expose_var(source, (Var *) node);
	return expression_tree_mutator(node, expose_mutator, source);
}

static Node *
replace_column(Node *node, AttrNumber *column)
{
	Var		   *var;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, replace_column, column);
	var = copyObject((Var *) node);
	var->varattno = *column;
	return (Node *) var;
}

/* A condition on one column, as text. */
static char *
condition_text(const DpsProtectedSource *source, Node *condition, const Var *var)
{
	Oid			relation;
	AttrNumber	column;
	const char *name;
	Node	   *alone = copyObject(condition);

	if (dps_var_part(source, var) != NULL &&
		(dps_var_part(source, var)->grouping != NULL || dps_var_part(source, var)->constants != NULL))
		return psprintf("(a condition on %s)", dps_var_name(source, var, false));
	dps_var_origin(source, var, &relation, &column);
	if (column == InvalidAttrNumber)
		return psprintf("(a condition on %s)", dps_var_name(source, var, false));
	name = var->varno == 1 ? get_rel_name(relation) : dps_var_part(source, var)->entry->eref->aliasname;
	ChangeVarNodes(alone, var->varno, 1, 0);
	if (column != var->varattno)
		alone = replace_column(alone, &column);
	return deparse_expression(alone, deparse_context_for(name, relation), var->varno != 1, false);
}

static int
resolve_condition(DpsImport *import, Node *condition)
{
	DpsColumns *context = import->context;
	DpsProtectedSource *source = context->source;
	bool		may_be_null;
	Var		   *var = compared_column(condition, &may_be_null);
	bool		is_test = var == NULL;
	int			index;

	if (is_test)
		var = condition_column(source, tested_columns(condition));
	if (var == NULL)
		return -1;
	refuse_generated(source, var);
	for (index = 0; index < import->graph->nvariables; index++)
	{
		if (equal(context->column[index].condition, condition))
			return index;
	}
	index = add_variable(import,
						 condition_text(source, condition, var), DPS_BOOL,
						 !IsA(condition, NullTest) && (is_test || may_be_null || !dps_var_is_not_null(source, var)), var);
	set_condition(&context->column[index], condition,
				  (Expr *) expose_mutator(condition, source));
	return index;
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
 * dp_count(column) needs only whether the column's cell is valid, so it works for every type; the test
 * itself is the exact aggregate's argument.
 */
const DpsNode *
dps_import_validity(DpsImport *import, Var *var)
{
	DpsColumns *context = import->context;
	DpsGraph   *graph = import->graph;
	Node	   *test = validity_test((Expr *) dps_expose_var(context->source, var));
	Node	   *condition = validity_test((Expr *) copyObject(var));
	int			index;

	index = add_variable(import, psprintf("(%s IS NOT NULL)", dps_var_name(context->source, var, false)),
						 DPS_BOOL, false, var);
	set_condition(&context->column[index], condition, (Expr *) test);
	return dps_choose(graph, dps_variable(graph, index), dps_constant(graph, DPS_FLOAT8, 1),
					  dps_constant(graph, DPS_FLOAT8, NAN));
}

/* Uses the equality operators of GROUP BY, which the server evaluates. */
const DpsNode *
dps_import_declared(DpsImport *import, Var *var, const DpsKey *key)
{
	DpsColumns *context = import->context;
	DpsColumn  *column;
	int			index;

	index = add_variable(import, dps_var_name(context->source, var, false), DPS_INT4, true, var);
	column = &context->column[index];
	set_condition(column, (Node *) dps_key_number(key, (Expr *) copyObject(var)),
				  dps_key_number(key, (Expr *) dps_expose_var(context->source, var)));
	column->cell.type = INT4OID;
	column->cell.domain.lo = 1;
	column->cell.domain.hi = key->values->n;
	return dps_variable(import->graph, index);
}

static bool
column_range(DpsImport *import, Node *leaf, double *lo, double *hi)
{
	DpsColumns *context = import->context;
	DpsColumnAnnotation annotation;

	if (!IsA(leaf, Var) || ((Var *) leaf)->varlevelsup != 0 || ((Var *) leaf)->varattno <= 0)
		return false;
	get_annotation(context, (Var *) leaf, &annotation);
	*lo = annotation.lo;
	*hi = annotation.hi;
	return annotation.has_range;
}

void
dps_columns_prepare(DpsImport *import, DpsColumns *columns, DpsProtectedSource *source, const List *conditions)
{
	columns->source = source;
	columns->conditions = conditions;
	import->resolve = resolve_column;
	import->resolve_condition = resolve_condition;
	import->range = column_range;
	import->context = columns;
	import->source_text = source->source_text;
}
