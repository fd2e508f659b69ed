/*
 * written.c
 *		Conditions that abbreviate others, written out.
 *
 * Afterwards each operator in a condition is a node of its own, which is checked and attempted like any
 * other.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_language.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/import/parse.h"
#include "guard/condition/safe.h"
#include "guard/condition/written.h"

/* Longer lists stay lists. */
#define MAX_ELEMENTS 64

bool
dps_is_stable_builtin(Oid function, Oid language)
{
	HeapTuple	tuple;
	Form_pg_proc proc;
	bool		result;

	if (function >= FirstNormalObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	result = proc->prolang == language && proc->pronamespace == PG_CATALOG_NAMESPACE &&
		proc->prokind == PROKIND_FUNCTION && !proc->proretset && proc->provolatile != PROVOLATILE_VOLATILE &&
		proc->prorettype != INTERNALOID;
	ReleaseSysCache(tuple);
	return result;
}

/* ---- functions in SQL ---- */

static Node *
argument_mutator(Node *node, List *arguments)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
	{
		if (((Param *) node)->paramid < 1 || ((Param *) node)->paramid > list_length(arguments))
			elog(ERROR, "a parameter that the function has not");
		return copyObject(list_nth(arguments, ((Param *) node)->paramid - 1));
	}
	return expression_tree_mutator(node, argument_mutator, arguments);
}

static Node *
as_text(Node *node)
{
	return coerce_to_target_type(NULL, copyObject(node), exprType(node), TEXTOID, -1, COERCION_EXPLICIT,
								 COERCE_EXPLICIT_CAST, -1);
}

/* text || anything.  The server keeps the body of this function as a string, so it is written here. */
static Node *
write_out_concatenation(List *arguments)
{
	Node	   *left = as_text(linitial(arguments));
	Node	   *right = as_text(lsecond(arguments));

	if (left == NULL || right == NULL)
		return NULL;
	return (Node *) makeFuncExpr(F_TEXTCAT, TEXTOID, list_make2(left, right), DEFAULT_COLLATION_OID,
								 DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/* The function's body over these arguments, or NULL. */
static Node *
write_out_function(Oid function, List *arguments)
{
	Node	   *body;

	if (!dps_is_stable_builtin(function, SQLlanguageId))
		return NULL;
	if (function == F_TEXTANYCAT || function == F_ANYTEXTCAT)
		return write_out_concatenation(arguments);
	body = dps_find_expression_body(function);
	return body == NULL ? NULL : argument_mutator(body, arguments);
}

static Node *
joined(List *conditions, bool by_or)
{
	if (list_length(conditions) == 1)
		return linitial(conditions);
	return (Node *) (by_or ? make_orclause(conditions) : make_andclause(conditions));
}

/* ---- rows ---- */

/* One column's part of a comparison of rows. */
typedef struct RowColumn
{
	Oid			comparison;		/* as in the query */
	Oid			strict;			/* < for <=, > for >= */
	Oid			equality;
	Oid			collation;
	Expr	   *left;
	Expr	   *right;
} RowColumn;

static RowColumn
row_column(const RowCompareExpr *comparison, int i)
{
	RowColumn	column = {
		list_nth_oid(comparison->opnos, i), InvalidOid, InvalidOid, list_nth_oid(comparison->inputcollids, i),
		list_nth(comparison->largs, i), list_nth(comparison->rargs, i)
	};
	Oid			family = list_nth_oid(comparison->opfamilies, i);
	bool		ascends = dps_row_comparison(comparison) == ROWCOMPARE_LT || dps_row_comparison(comparison) == ROWCOMPARE_LE;
	int			strategy;
	Oid			left_type;
	Oid			right_type;

	get_op_opfamily_properties(column.comparison, family, false, &strategy, &left_type, &right_type);
	column.strict = get_opfamily_member(family, left_type, right_type,
										ascends ? BTLessStrategyNumber : BTGreaterStrategyNumber);
	column.equality = get_opfamily_member(family, left_type, right_type, BTEqualStrategyNumber);
	return column;
}

static Expr *
compare(const RowColumn *column, Oid operator)
{
	Expr	   *result = make_opclause(operator, BOOLOID, false, copyObject(column->left), copyObject(column->right),
									   InvalidOid, column->collation);

	((OpExpr *) result)->location = exprLocation((Node *) column->left);
	set_opfuncid((OpExpr *) result);
	return result;
}

/* (a, b) < (c, d) is a < c OR a = c AND b < d. */
static Node *
write_out_row_comparison(const RowCompareExpr *comparison)
{
	Expr	   *result = NULL;
	int			i;

	for (i = list_length(comparison->opnos) - 1; i >= 0; i--)
	{
		RowColumn	column = row_column(comparison, i);

		if (result == NULL)
			result = compare(&column, column.comparison);
		else if (!OidIsValid(column.strict) || !OidIsValid(column.equality))
			return NULL;
		else
			result = make_orclause(list_make2(compare(&column, column.strict),
											  make_andclause(list_make2(compare(&column, column.equality), result))));
	}
	return (Node *) result;
}

/* (a, b) IS NOT NULL is a IS NOT NULL AND b IS NOT NULL; the same without NOT. */
static Node *
write_out_row_test(const NullTest *test)
{
	List	   *tests = NIL;
	ListCell   *cell;

	if (!IsA(test->arg, RowExpr) || !test->argisrow)
		return NULL;
	foreach(cell, ((RowExpr *) test->arg)->args)
	{
		NullTest   *one = makeNode(NullTest);

		one->arg = copyObject(lfirst(cell));
		one->nulltesttype = test->nulltesttype;
		/* a row within the row is only tested for being NULL itself */
		one->argisrow = false;
		one->location = test->location;
		tests = lappend(tests, one);
	}
	return tests == NIL ? NULL : joined(tests, false);
}

/* ---- arrays ---- */

static List *
constant_elements(const Const *constant)
{
	ArrayType  *array = DatumGetArrayTypeP(constant->constvalue);
	Oid			type = ARR_ELEMTYPE(array);
	List	   *elements = NIL;
	Datum	   *values;
	bool	   *nulls;
	int16		length;
	bool		by_value;
	char		align;
	int			n;
	int			i;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &values, &nulls, &n);
	for (i = 0; i < n && i <= MAX_ELEMENTS; i++)
		elements = lappend(elements, makeConst(type, -1, constant->constcollid, length, values[i], nulls[i], by_value));
	return elements;
}

static Node *
element_mutator(Node *node, Node *element)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, CaseTestExpr))
		return copyObject(element);
	return expression_tree_mutator(node, element_mutator, element);
}

/* The element, cast as the array's elements are. */
static Node *
cast_element(const ArrayCoerceExpr *cast, Node *element)
{
	return element_mutator((Node *) cast->elemexpr, element);
}

bool
dps_array_elements(Node *array, List **elements)
{
	Oid			type = get_element_type(exprType(array));
	List	   *inner = NIL;
	ListCell   *cell;

	*elements = NIL;
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		*elements = copyObject(((ArrayExpr *) array)->elements);
	else if (IsA(array, Const) && !((Const *) array)->constisnull)
		*elements = constant_elements((Const *) array);
	else if (IsA(array, RelabelType) && dps_array_elements((Node *) ((RelabelType *) array)->arg, &inner))
	{
		foreach(cell, inner)
			*elements = lappend(*elements, makeRelabelType(lfirst(cell), type, -1, exprCollation(lfirst(cell)),
														   COERCE_IMPLICIT_CAST));
	}
	else if (IsA(array, ArrayCoerceExpr) && dps_array_elements((Node *) ((ArrayCoerceExpr *) array)->arg, &inner))
	{
		foreach(cell, inner)
			*elements = lappend(*elements, cast_element((ArrayCoerceExpr *) array, lfirst(cell)));
	}
	else
		return false;
	return OidIsValid(type) && list_length(*elements) <= MAX_ELEMENTS;
}

/* x = ANY (ARRAY[a, b]) is x = a OR x = b.  Left as it is if it cannot fail and its array has no columns. */
static Node *
write_out_membership(ScalarArrayOpExpr *membership)
{
	List	   *comparisons = NIL;
	List	   *elements;
	ListCell   *cell;

	if ((dps_never_fails((Node *) membership) && !contain_vars_of_level(lsecond(membership->args), 0)) ||
		!dps_array_elements(lsecond(membership->args), &elements))
		return NULL;
	foreach(cell, elements)
	{
		OpExpr	   *one = (OpExpr *) make_opclause(membership->opno, BOOLOID, false,
												   copyObject(linitial(membership->args)), lfirst(cell), InvalidOid,
												   membership->inputcollid);

		one->location = membership->location;
		set_opfuncid(one);
		comparisons = lappend(comparisons, one);
	}
	return comparisons == NIL ? makeBoolConst(!membership->useOr, false) : joined(comparisons, membership->useOr);
}

/* ---- all of them ---- */

Node *
dps_written_out(Node *node)
{
	Node	   *result = NULL;

	switch (nodeTag(node))
	{
		case T_FuncExpr:
			result = write_out_function(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args);
			break;
		case T_OpExpr:
			set_opfuncid((OpExpr *) node);
			result = write_out_function(((OpExpr *) node)->opfuncid, ((OpExpr *) node)->args);
			break;
		case T_RowCompareExpr:
			result = write_out_row_comparison((RowCompareExpr *) node);
			break;
		case T_NullTest:
			result = write_out_row_test((NullTest *) node);
			break;
		case T_ScalarArrayOpExpr:
			result = write_out_membership((ScalarArrayOpExpr *) node);
			break;
		default:
			break;
	}
	return result == NULL ? node : dps_written_out(result);
}
