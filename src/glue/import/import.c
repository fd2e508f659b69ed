/*
 * import.c
 *		From PostgreSQL's analysed expressions to graphs.
 *
 * Every node tag is either handled or refused; a tag from a newer server falls
 * into the refusal.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "glue/glue.h"
#include "glue/import/import.h"
#include "glue/import/import_tensor.h"
#include "glue/import/import_time.h"
#include "glue/compat.h"
#include "num/whole.h"

#define RADIANS_PER_DEGREE 0.0174532925199432957692

static const DpsNode *import_node(DpsImport *import, Node *node);

int
dps_text_position(const char *text, int location)
{
	if (text == NULL || location < 0)
		return 0;
	return pg_mbstrlen_with_len(text, location) + 1;
}

int
dps_import_position(const DpsImport *import, int location)
{
	return errposition(dps_text_position(import->source_text, location));
}

/* The node, checked: NULL means out of memory, the only reason for a constructor to fail
 * here.  A graph that gets too deep is refused while it grows. */
static const DpsNode *
built(const DpsNode *node)
{
	if (node == NULL)
		dps_check_status(DPS_NOMEM);
	if (node->depth > DPS_MAX_DEPTH)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("row expression is too complex"),
				 errdetail("Its operations are nested more than %d deep.", DPS_MAX_DEPTH),
				 errhint("A long list of terms or of values counts as one level for each.")));
	return node;
}

pg_noreturn static void
refuse(DpsImport *import, Node *node, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported in a row expression", what),
			 errhint("The operations that can be differentiated and bounded are listed by dpsens.operations()."),
			 dps_import_position(import, exprLocation(node))));
	pg_unreachable();
}

pg_noreturn static void
refuse_subquery(DpsImport *import, Node *node)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a subquery is not supported in a row expression"),
			 errhint("Join its relation; or group by the privacy unit in a subquery in FROM, and join that."),
			 dps_import_position(import, exprLocation(node))));
	pg_unreachable();
}

static void
refuse_function(DpsImport *import, Node *node, Oid function)
{
	bool		is_own = function >= FirstNormalObjectId;

	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("function %s is not supported in a row expression", format_procedure(function)),
			 is_own ?
			 errhint("Write the expression out, or register it with dpsens.register().") :
			 errhint("The operations that can be differentiated and bounded are listed by dpsens.operations()."),
			 dps_import_position(import, exprLocation(node))));
}

static void
refuse_type(DpsImport *import, Node *node, Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("type %s is not supported in a row expression", format_type_be(type)),
			 dps_type_has_epoch(type) ?
			 errhint("Use extract(epoch from ...) to turn it into a number of seconds.") :
			 errhint("Row expressions use smallint, integer, bigint, numeric, real, double precision and boolean."),
			 dps_import_position(import, exprLocation(node))));
}

static DpsType
type_of(DpsImport *import, Node *node)
{
	Oid			oid = exprType(node);
	DpsType		type;

	/* imported as seconds */
	if (dps_is_time_type(oid))
		return DPS_NUMERIC;
	if (!dps_type_from_oid(oid, &type))
		refuse_type(import, node, oid);
	return type;
}

/* The node cast to a type that contains its own. */
static const DpsNode *
widen(DpsImport *import, const DpsNode *node, DpsType type)
{
	if (node->type == type)
		return node;
	return built(dps_apply(import->graph, DPS_OP_CAST, type, node, NULL));
}

static DpsType
wider_type(DpsType a, DpsType b)
{
	return a > b ? a : b;
}

static const DpsNode *
import_const(DpsImport *import, Const *constant)
{
	DpsType		type;
	double		value = 0;

	if (constant->consttype == UNKNOWNOID && constant->constisnull)
		return built(dps_constant(import->graph, DPS_FLOAT8, NAN));
	type = type_of(import, (Node *) constant);
	if (constant->constisnull)
		return built(dps_constant(import->graph, type, NAN));
	switch (type)
	{
		case DPS_BOOL:
			value = DatumGetBool(constant->constvalue) ? 1 : 0;
			break;
		case DPS_INT2:
			value = DatumGetInt16(constant->constvalue);
			break;
		case DPS_INT4:
			value = DatumGetInt32(constant->constvalue);
			break;
		case DPS_INT8:
			value = (double) DatumGetInt64(constant->constvalue);
			break;
		case DPS_NUMERIC:
			value = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
			break;
		case DPS_FLOAT4:
			value = DatumGetFloat4(constant->constvalue);
			break;
		case DPS_FLOAT8:
			value = DatumGetFloat8(constant->constvalue);
			break;
	}
	if (!dps_iv_contains(dps_type_range(type), value) ||
		(type == DPS_INT8 && (value >= 0x1p63 || dps_to_int64(value) != DatumGetInt64(constant->constvalue))))
		refuse(import, (Node *) constant, "a constant that is infinite, NaN or beyond 2^53 as a bigint is");
	return built(dps_constant(import->graph, type, value));
}

/* Is the operation exact on decimals? */
static bool
is_decimal(DpsOpcode op)
{
	return op == DPS_OP_ADD || op == DPS_OP_SUB || op == DPS_OP_MUL;
}

/* Sums and products of constants of type numeric are decimal: 0.1 * 3 is 0.3, as the
 * server computes it, and not three times the double 0.1. */
static const DpsNode *
import_decimal(DpsImport *import, Node *node, const DpsNode *binary)
{
	Node	   *decimal = eval_const_expressions(NULL, copyObject(node));

	return IsA(decimal, Const) ? import_const(import, (Const *) decimal) : binary;
}

/* The value of an argument that must be a constant. */
static double
constant_argument(DpsImport *import, Node *argument, const char *what)
{
	const DpsNode *node = import_node(import, argument);

	if (dps_iv_is_empty(node->range))
		refuse(import, argument, what);
	return node->value;
}

/*
 * width_bucket(x, low, high, count) with constant bounds: 0 below, count + 1
 * at or above, and the number of the bucket between.
 */
static const DpsNode *
import_width_bucket(DpsImport *import, List *args)
{
	const char *what = "width_bucket() with bounds that are not constants is";
	DpsGraph   *g = import->graph;
	const DpsNode *x = dps_as_float8(g, import_node(import, linitial(args)));
	double		low = constant_argument(import, lsecond(args), what);
	double		high = constant_argument(import, lthird(args), what);
	double		count = constant_argument(import, lfourth(args), what);
	bool		reversed = low > high;
	DpsOpcode	before = reversed ? DPS_OP_GT : DPS_OP_LT;
	DpsOpcode	after = reversed ? DPS_OP_LE : DPS_OP_GE;
	const DpsNode *low_node = dps_constant(g, DPS_FLOAT8, low);
	const DpsNode *high_node = dps_constant(g, DPS_FLOAT8, high);
	const DpsNode *share;
	const DpsNode *bucket;

	if (low == high)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION),
				 errmsg("lower bound cannot equal upper bound")));
	if (count < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION),
				 errmsg("count must be greater than zero")));
	/* servers differ there, too */
	if (!isfinite(high - low))
		refuse(import, lthird(args), "width_bucket() with bounds whose difference is out of range is");
	share = dps_apply(g, DPS_OP_DIV, DPS_FLOAT8,
					  dps_apply(g, DPS_OP_SUB, DPS_FLOAT8, x, low_node),
					  dps_constant(g, DPS_FLOAT8, high - low));
	bucket = dps_apply(g, DPS_OP_FLOOR, DPS_FLOAT8,
					   dps_apply(g, DPS_OP_MUL, DPS_FLOAT8, dps_constant(g, DPS_FLOAT8, count), share),
					   NULL);
	/* rounding must not move a value below the upper bound into bucket count + 1 */
	bucket = dps_apply(g, DPS_OP_LEAST, DPS_FLOAT8, bucket, dps_constant(g, DPS_FLOAT8, count - 1));
	bucket = dps_apply(g, DPS_OP_ADD, DPS_FLOAT8, bucket, dps_constant(g, DPS_FLOAT8, 1));
	bucket = dps_choose(g, dps_apply(g, DPS_OP_IS_NULL, DPS_BOOL, x, NULL),
						dps_constant(g, DPS_FLOAT8, NAN),
						dps_choose(g, dps_apply(g, before, DPS_BOOL, x, low_node),
								   dps_constant(g, DPS_FLOAT8, 0),
								   dps_choose(g, dps_apply(g, after, DPS_BOOL, x, high_node),
											  dps_constant(g, DPS_FLOAT8, count + 1), bucket)));
	return built(dps_apply(g, DPS_OP_CAST, DPS_INT4, bucket, NULL));
}

/* log(b, x) of numerics */
static const DpsNode *
import_log_base(DpsImport *import, List *args, DpsType type)
{
	DpsGraph   *g = import->graph;
	const DpsNode *base = widen(import, import_node(import, linitial(args)), type);
	const DpsNode *x = widen(import, import_node(import, lsecond(args)), type);

	return built(dps_apply(g, DPS_OP_DIV, type, dps_apply(g, DPS_OP_LN, type, x, NULL),
						   dps_apply(g, DPS_OP_LN, type, base, NULL)));
}

/* A variable for a condition that has no operation in the table; NULL if it cannot be
 * one. */
static const DpsNode *
import_condition(DpsImport *import, Node *node)
{
	int			index = -1;

	if (exprType(node) == BOOLOID && import->resolve_condition != NULL)
		index = import->resolve_condition(import, node);
	return index < 0 ? NULL : built(dps_variable(import->graph, index));
}

/* Does the expression contain a column of a type that cannot be imported? */
static bool
has_opaque_column(Node *node, void *context)
{
	DpsType		type;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return !dps_type_from_oid(exprType(node), &type) && !dps_type_has_epoch(exprType(node));
	return expression_tree_walker(node, has_opaque_column, context);
}

/* A call of an operation of the table. */
static const DpsNode *
import_operation(DpsImport *import, DpsOpcode op, List *args, DpsType type)
{
	DpsGraph   *g = import->graph;
	const DpsNode *x = import_node(import, linitial(args));
	const DpsNode *y = list_length(args) > 1 ? import_node(import, lsecond(args)) : NULL;
	DpsType		common = type;

	/* comparisons are made in the wider type of both arguments, others in the result's */
	if (type == DPS_BOOL && y != NULL)
		common = wider_type(x->type, y->type);
	x = widen(import, x, common);
	if (y != NULL && op != DPS_OP_ROUND_TO && op != DPS_OP_TRUNC_TO)
		y = widen(import, y, common);
	return built(dps_apply(g, op, type, x, y));
}

/* numeric(x, typmod): rounded to the declared number of digits after the point */
static const DpsNode *
import_numeric_typmod(DpsImport *import, List *args)
{
	double		typmod = constant_argument(import, lsecond(args), "numeric() with a variable precision is");
	int			scale;

	if (typmod < VARHDRSZ)
		return import_node(import, linitial(args));
	scale = (((dps_to_int32(typmod) - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	return built(dps_apply(import->graph, DPS_OP_ROUND_TO, DPS_NUMERIC,
						   widen(import, import_node(import, linitial(args)), DPS_NUMERIC),
						   dps_constant(import->graph, DPS_INT4, scale)));
}

static const DpsNode *
import_cast(DpsImport *import, Node *argument, DpsType type, DpsOpcode rounding)
{
	DpsGraph   *g = import->graph;
	const DpsNode *x = import_node(import, argument);

	/* RINT is an operation of double precision, ROUND one of numeric */
	if (rounding == DPS_OP_RINT)
		x = dps_as_float8(g, x);
	if (rounding != DPS_OP_COUNT)
		x = dps_apply(g, rounding, x->type, x, NULL);
	return built(dps_apply(g, DPS_OP_CAST, type, x, NULL));
}

/* Builtins that are not operations of the table; NULL for any other function. */
static const DpsNode *
import_special(DpsImport *import, const char *name, Node *node, List *args, DpsType type)
{
	DpsGraph   *g = import->graph;
	DpsOpcode	rounding;

	if (dps_find_cast(name, &rounding))
		return import_cast(import, linitial(args), type, rounding);
	if (strcmp(name, "int4_bool") == 0)
		return built(dps_apply(g, DPS_OP_NE, DPS_BOOL, import_node(import, linitial(args)),
							   dps_constant(g, DPS_INT4, 0)));
	if (strcmp(name, "numeric") == 0 && list_length(args) == 2)
		return import_numeric_typmod(import, args);
	if (strcmp(name, "dpi") == 0)
		return built(dps_constant(g, DPS_FLOAT8, M_PI));
	if (strcmp(name, "degrees") == 0 || strcmp(name, "radians") == 0)
		return built(dps_apply(g, name[0] == 'd' ? DPS_OP_DIV : DPS_OP_MUL, DPS_FLOAT8,
							   dps_as_float8(g, import_node(import, linitial(args))),
							   dps_constant(g, DPS_FLOAT8, RADIANS_PER_DEGREE)));
	if (strcmp(name, "numeric_log") == 0)
		return import_log_base(import, args, type);
	if (strncmp(name, "width_bucket_", 13) == 0 && list_length(args) == 4)
		return import_width_bucket(import, args);
	return dps_import_time_call(import, name, node, args, type);
}

static const DpsNode *
import_call(DpsImport *import, Node *node, Oid function, List *args)
{
	const char *name = dps_builtin_name(function);
	const DpsNode *result;
	DpsOpcode	op;
	DpsType		type;

	/* an SQL function, which casts to timestamp */
	if (function == F_DATE_PART_TEXT_DATE)
		name = "timestamp_part";
	if (name == NULL)
	{
		result = dps_import_tensor_call(import, node, function, args);
		if (result != NULL)
			return built(result);
		refuse_function(import, node, function);
	}
	if (!dps_type_from_oid(exprType(node), &type))
	{
		/* the error names the function, or the type if that alone is unsupported */
		if (dps_find_operation(name) == DPS_OP_COUNT)
			refuse_function(import, node, function);
		refuse_type(import, node, exprType(node));
	}
	/* such as length(name) > 3, whose arguments cannot be imported */
	if (type == DPS_BOOL && has_opaque_column((Node *) args, NULL))
	{
		result = import_condition(import, node);
		if (result != NULL)
			return result;
	}
	result = import_special(import, name, node, args, type);
	if (result != NULL)
		return result;
	op = dps_find_operation(name);
	if (op != DPS_OP_COUNT && list_length(args) == dps_ops[op].arity)
	{
		result = import_operation(import, op, args, type);
		return type == DPS_NUMERIC && is_decimal(op) && result->exact != NULL ? import_decimal(import, node, result) : result;
	}
	result = import_condition(import, node);
	if (result == NULL)
		refuse_function(import, node, function);
	return result;
}

static const DpsNode *
import_bool(DpsImport *import, BoolExpr *expr)
{
	DpsGraph   *g = import->graph;
	DpsOpcode	op = expr->boolop == AND_EXPR ? DPS_OP_AND : DPS_OP_OR;
	const DpsNode *result = import_node(import, linitial(expr->args));
	ListCell   *cell;

	if (expr->boolop == NOT_EXPR)
		return built(dps_apply(g, DPS_OP_NOT, DPS_BOOL, result, NULL));
	for_each_from(cell, expr->args, 1)
		result = built(dps_apply(g, op, DPS_BOOL, result, import_node(import, lfirst(cell))));
	return result;
}

/* Folds n arguments of one type with a binary operation, from the left. */
static const DpsNode *
import_fold(DpsImport *import, DpsOpcode op, List *args, DpsType type)
{
	const DpsNode *result = widen(import, import_node(import, linitial(args)), type);
	ListCell   *cell;

	for_each_from(cell, args, 1)
		result = built(dps_apply(import->graph, op, type, result,
								 widen(import, import_node(import, lfirst(cell)), type)));
	return result;
}

/* Replaces the placeholder for x in the conditions of CASE x WHEN ... */
static Node *
replace_case_test(Node *node, Node *replacement)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, CaseTestExpr))
		return replacement;
	if (IsA(node, CaseExpr))	/* an inner CASE has its own placeholders */
	{
		CaseExpr   *inner = copyObject((CaseExpr *) node);

		inner->arg = (Expr *) replace_case_test((Node *) inner->arg, replacement);
		return (Node *) inner;
	}
	return expression_tree_mutator(node, replace_case_test, (void *) replacement);
}

static const DpsNode *
import_case(DpsImport *import, CaseExpr *expr)
{
	DpsType		type = type_of(import, (Node *) expr);
	const DpsNode *result = expr->defresult == NULL ?
		dps_constant(import->graph, type, NAN) : import_node(import, (Node *) expr->defresult);
	int			i;

	result = widen(import, built(result), type);
	for (i = list_length(expr->args) - 1; i >= 0; i--)
	{
		CaseWhen   *when = lfirst_node(CaseWhen, list_nth_cell(expr->args, i));
		Node	   *condition = (Node *) when->expr;

		if (expr->arg != NULL)
			condition = replace_case_test(condition, (Node *) expr->arg);
		result = built(dps_choose(import->graph, import_node(import, condition),
								  widen(import, import_node(import, (Node *) when->result), type), result));
	}
	return result;
}

const DpsNode *
dps_import_choice(DpsImport *import, Node *node)
{
	DpsType		type = type_of(import, node);

	if (IsA(node, CaseExpr))
		return import_case(import, (CaseExpr *) node);
	if (IsA(node, CoalesceExpr))
		return import_fold(import, DPS_OP_COALESCE, ((CoalesceExpr *) node)->args, type);
	return import_fold(import, ((MinMaxExpr *) node)->op == IS_GREATEST ? DPS_OP_GREATEST : DPS_OP_LEAST,
					   castNode(MinMaxExpr, node)->args, type);
}

static const DpsNode *
import_null_test(DpsImport *import, NullTest *test)
{
	const DpsNode *result;
	DpsType		type;

	if (test->argisrow || !dps_type_from_oid(exprType((Node *) test->arg), &type))
	{
		result = import_condition(import, (Node *) test);
		if (result != NULL)
			return result;
	}
	if (test->argisrow)
		refuse(import, (Node *) test, "IS NULL of a row is");
	result = dps_apply(import->graph, DPS_OP_IS_NULL, DPS_BOOL, import_node(import, (Node *) test->arg), NULL);
	if (test->nulltesttype == IS_NOT_NULL)
		result = dps_apply(import->graph, DPS_OP_NOT, DPS_BOOL, result, NULL);
	return built(result);
}

/* x IS [NOT] TRUE, FALSE, UNKNOWN: never NULL */
static const DpsNode *
import_boolean_test(DpsImport *import, BooleanTest *test)
{
	DpsGraph   *g = import->graph;
	const DpsNode *x = import_node(import, (Node *) test->arg);
	const DpsNode *no = dps_constant(g, DPS_BOOL, 0);
	bool		negated = test->booltesttype == IS_NOT_TRUE || test->booltesttype == IS_NOT_FALSE ||
		test->booltesttype == IS_NOT_UNKNOWN;
	const DpsNode *result;

	switch (test->booltesttype)
	{
		case IS_TRUE:
		case IS_NOT_TRUE:
			result = dps_apply(g, DPS_OP_COALESCE, DPS_BOOL, x, no);
			break;
		case IS_FALSE:
		case IS_NOT_FALSE:
			result = dps_apply(g, DPS_OP_COALESCE, DPS_BOOL,
							   dps_apply(g, DPS_OP_NOT, DPS_BOOL, x, NULL), no);
			break;
		default:
			result = dps_apply(g, DPS_OP_IS_NULL, DPS_BOOL, x, NULL);
			break;
	}
	if (negated)
		result = dps_apply(g, DPS_OP_NOT, DPS_BOOL, result, NULL);
	return built(result);
}

static const DpsNode *
import_equal(DpsImport *import, List *args)
{
	return import_operation(import, DPS_OP_EQ, args, DPS_BOOL);
}

/* Refuses unless the operator of NULLIF or IS DISTINCT FROM is a builtin =. */
static void
require_equality(DpsImport *import, Node *node, Oid function, bool negated)
{
	const char *name = dps_builtin_name(function);

	if (name == NULL || dps_find_operation(name) != (negated ? DPS_OP_NE : DPS_OP_EQ))
		refuse_function(import, node, function);
}

static const DpsNode *
import_nullif(DpsImport *import, NullIfExpr *expr)
{
	DpsGraph   *g = import->graph;
	DpsType		type = type_of(import, (Node *) expr);

	set_opfuncid((OpExpr *) expr);
	require_equality(import, (Node *) expr, expr->opfuncid, false);
	return built(dps_choose(g, import_equal(import, expr->args), dps_constant(g, type, NAN),
							widen(import, import_node(import, linitial(expr->args)), type)));
}

/* x IS DISTINCT FROM y = CASE WHEN x IS NULL THEN y IS NOT NULL
 * ELSE coalesce(x <> y, TRUE) END */
static const DpsNode *
import_distinct(DpsImport *import, DistinctExpr *expr)
{
	DpsGraph   *g = import->graph;
	const DpsNode *x;
	const DpsNode *y;
	DpsType		type;

	set_opfuncid((OpExpr *) expr);
	if (!dps_type_from_oid(exprType(linitial(expr->args)), &type))
	{
		x = import_condition(import, (Node *) expr);
		if (x != NULL)
			return x;
	}
	x = import_node(import, linitial(expr->args));
	y = import_node(import, lsecond(expr->args));
	require_equality(import, (Node *) expr, expr->opfuncid, false);
	return built(dps_choose(g, dps_apply(g, DPS_OP_IS_NULL, DPS_BOOL, x, NULL),
							dps_apply(g, DPS_OP_NOT, DPS_BOOL, dps_apply(g, DPS_OP_IS_NULL, DPS_BOOL, y, NULL), NULL),
							dps_apply(g, DPS_OP_COALESCE, DPS_BOOL,
									  import_operation(import, DPS_OP_NE, expr->args, DPS_BOOL),
									  dps_constant(g, DPS_BOOL, 1))));
}

bool
dps_list_elements(Node *array, List **elements)
{
	Const	   *constant = (Const *) array;
	ArrayType  *value;
	Oid			type;
	int16		length;
	bool		byval;
	char		align;
	Datum	   *datums;
	bool	   *nulls;
	int			n;
	int			i;

	*elements = NIL;
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
	{
		*elements = ((ArrayExpr *) array)->elements;
		return true;
	}
	if (!IsA(array, Const) || constant->constisnull)
		return false;
	value = DatumGetArrayTypeP(constant->constvalue);
	type = ARR_ELEMTYPE(value);
	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(value, type, length, byval, align, &datums, &nulls, &n);
	for (i = 0; i < n; i++)
		*elements = lappend(*elements, makeConst(type, -1, InvalidOid, length, datums[i], nulls[i], byval));
	return true;
}

/* x op ANY (list), x op ALL (list) */
static const DpsNode *
import_array_operation(DpsImport *import, ScalarArrayOpExpr *expr)
{
	DpsGraph   *g = import->graph;
	List	   *elements;
	const DpsNode *result;
	ListCell   *cell;

	set_sa_opfuncid(expr);
	result = has_opaque_column(lsecond(expr->args), NULL) ? import_condition(import, (Node *) expr) : NULL;
	if (result != NULL)
		return result;
	if (!dps_list_elements(lsecond(expr->args), &elements))
		refuse(import, lsecond(expr->args), "IN or ANY of anything but a list is");
	result = dps_constant(g, DPS_BOOL, expr->useOr ? 0 : 1);
	foreach(cell, elements)
	{
		Expr	   *one = make_opclause(expr->opno, BOOLOID, false, linitial(expr->args), lfirst(cell),
										InvalidOid, expr->inputcollid);

		set_opfuncid((OpExpr *) one);
		((OpExpr *) one)->location = expr->location;
		result = built(dps_apply(g, expr->useOr ? DPS_OP_OR : DPS_OP_AND, DPS_BOOL, result,
								 import_node(import, (Node *) one)));
	}
	return result;
}

/* (a, b) < (c, d) */
static const DpsNode *
import_row_comparison(DpsImport *import, Node *comparison)
{
	const DpsNode *result = import_condition(import, comparison);

	if (result == NULL)
		refuse(import, comparison, "a comparison of rows is");
	return result;
}

static const DpsNode *
import_leaf(DpsImport *import, Node *leaf)
{
	return built(dps_variable(import->graph, import->resolve(import, leaf, false)));
}

/* Accepts a change of domain, but not of the base type. */
static const DpsNode *
import_relabel(DpsImport *import, RelabelType *relabel)
{
	if (getBaseType(exprType((Node *) relabel->arg)) != getBaseType(relabel->resulttype))
		refuse_type(import, (Node *) relabel, exprType((Node *) relabel->arg));
	return import_node(import, (Node *) relabel->arg);
}

static const DpsNode *
import_node(DpsImport *import, Node *node)
{
	const DpsNode *element;

	check_stack_depth();
	if (node == NULL)
		elog(ERROR, "no expression to import");
	if (dps_is_time_type(exprType(node)))
		return dps_import_seconds(import, node);
	switch (nodeTag(node))
	{
		case T_Const:
			return import_const(import, (Const *) node);
		case T_Var:
		case T_Param:
		case T_FieldSelect:
			return import_leaf(import, node);
		case T_FuncExpr:
			return import_call(import, node, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args);
		case T_OpExpr:
			set_opfuncid((OpExpr *) node);
			return import_call(import, node, ((OpExpr *) node)->opfuncid, ((OpExpr *) node)->args);
		case T_RelabelType:
			return import_relabel(import, (RelabelType *) node);
		case T_BoolExpr:
			return import_bool(import, (BoolExpr *) node);
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
			return dps_import_choice(import, node);
		case T_NullTest:
			return import_null_test(import, (NullTest *) node);
		case T_BooleanTest:
			return import_boolean_test(import, (BooleanTest *) node);
		case T_NullIfExpr:
			return import_nullif(import, (NullIfExpr *) node);
		case T_DistinctExpr:
			return import_distinct(import, (DistinctExpr *) node);
		case T_ScalarArrayOpExpr:
			return import_array_operation(import, (ScalarArrayOpExpr *) node);
		case T_RowCompareExpr:
			return import_row_comparison(import, node);
		case T_SubLink:
			refuse_subquery(import, node);
		case T_Aggref:
		case T_GroupingFunc:
			refuse(import, node, "an aggregate is");
		case T_WindowFunc:
			refuse(import, node, "a window function is");
		case T_CoerceToDomain:
			refuse(import, node, "a cast to a domain is");
		case T_CoerceViaIO:
			refuse(import, node, "a cast through text is");
		case T_SubscriptingRef:
			element = dps_import_tensor_element(import, node);
			if (element != NULL)
				return built(element);
			refuse(import, node, "an array is");
		case T_ArrayExpr:
			refuse(import, node, "an array is");
		case T_SQLValueFunction:
			refuse(import, node, "a value that depends on the session is");
		default:
			refuse(import, node, "this construct is");
	}
	return NULL;				/* keep the compiler quiet */
}

const DpsNode *
dps_import(DpsImport *import, Node *expression)
{
	if (expression != NULL && dps_is_time_type(exprType(expression)))
		refuse_type(import, expression, exprType(expression));
	return import_node(import, expression);
}

List *
dps_import_elements(DpsImport *import, Node *expression, int max)
{
	ArrayExpr  *array = (ArrayExpr *) expression;
	int			n;

	if (!IsA(expression, ArrayExpr))
		return NIL;
	n = list_length(array->elements);
	if (array->multidims)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an array of arrays is not supported as a vector"),
				 errhint("Write all entries in one ARRAY[...]."),
				 dps_import_position(import, array->location)));
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a vector must have at least one entry"),
				 dps_import_position(import, array->location)));
	if (n > max)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a vector can have at most %d entries", max),
				 errdetail("This one has %d.", n),
				 errhint("The norm of a longer one is at most the norm of the norms of its parts."),
				 dps_import_position(import, array->location)));
	return array->elements;
}
