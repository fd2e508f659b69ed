/*
 * import_tensor.c
 *		Operations on arrays in row expressions, written out element by element.
 *
 * An array is ARRAY[...] of expressions, a constant, or the result of another such
 * operation; its dimensions do not depend on rows.  The operation becomes a graph of
 * tensors, which is expanded into the expression's graph.  The result consists of
 * numbers, which can be differentiated and bounded like other expressions.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/glue.h"
#include "glue/import/import_tensor.h"
#include "glue/compat.h"
#include "num/whole.h"
#include "tensor/functions.h"

/* The most elements of an array that is written out. */
#define MAX_WRITTEN_OUT 4096

typedef struct ArrayValue
{
	DpsShape	shape;
	const DpsNode **element;
} ArrayValue;

static void read_array(DpsImport *import, Node *node, ArrayValue *value);

pg_noreturn static void
refuse_array(DpsImport *import, Node *node, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s is not supported in a row expression", what),
			 errhint("Arrays are written ARRAY[...], are constants, or come from functions like dpsens.matmul."),
			 dps_import_position(import, exprLocation(node))));
	pg_unreachable();
}

static void
check_size(DpsImport *import, Node *node, int64 size)
{
	if (size > MAX_WRITTEN_OUT)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("row expression is too complex"),
				 errdetail("An array of it has more than %d elements.", MAX_WRITTEN_OUT),
				 dps_import_position(import, exprLocation(node))));
}

/*
 * Functions
 */

/* The table entry of a function of arrays of this extension, or NULL. */
static const DpsTensorFunction *
find_function(HeapTuple tuple)
{
	Form_pg_proc proc = (Form_pg_proc) GETSTRUCT(tuple);
	bool		isnull;
	Datum		source;
	char	   *name;

	if (proc->prolang != ClanguageId || proc->pronamespace != dps_schema_oid())
		return NULL;
	source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	if (isnull)
		return NULL;
	name = TextDatumGetCString(source);
	if (strcmp(name, "dpsens_tensor_array") != 0 && strcmp(name, "dpsens_tensor_number") != 0)
		return NULL;
	return dps_find_tensor_function(NameStr(proc->proname));
}

/* Appends the numbers of an argument, which must be constants, to the n that there are;
 * returns the new n. */
static int
read_numbers(DpsImport *import, Node *argument, double *number, int n)
{
	ArrayValue	list = {.shape = DPS_VECTOR(1)};
	const DpsNode *single;
	int64		i;

	if (type_is_array(exprType(argument)))
		read_array(import, argument, &list);
	else
	{
		single = dps_import(import, argument);
		list.element = &single;
	}
	if (list.shape.rank != 1 || list.shape.extent[0] > DPS_MAX_FUNCTION_NUMBERS - n)
		refuse_array(import, argument, "a list of more than four dimensions");
	for (i = 0; i < list.shape.extent[0]; i++)
	{
		if (dps_iv_is_empty(list.element[i]->range))
			refuse_array(import, argument, "a size, axis or parameter that is not a constant");
		number[n++] = list.element[i]->value;
	}
	return n;
}

/* Makes the results NULL if an element of the argument is, as the function does, where the
 * expansion would ignore a NULL. */
static void
keep_nulls(DpsGraph *g, const ArrayValue *argument, int64 n, const DpsNode **result)
{
	const DpsNode *is_null = dps_constant(g, DPS_BOOL, 0);
	int64		i;

	for (i = 0; i < dps_shape_size(&argument->shape); i++)
		is_null = dps_apply(g, DPS_OP_OR, DPS_BOOL, is_null,
							dps_apply(g, DPS_OP_IS_NULL, DPS_BOOL, argument->element[i], NULL));
	for (i = 0; i < n; i++)
		result[i] = dps_choose(g, is_null, dps_constant(g, DPS_FLOAT8, NAN), result[i]);
}

static void
expand_call(DpsImport *import, Node *call, const DpsTensorFunction *function, List *arguments, ArrayValue *value)
{
	ArrayValue	array[DPS_MAX_FUNCTION_ARRAYS];
	double		number[DPS_MAX_FUNCTION_NUMBERS] = {0};
	const DpsTensor *input[DPS_MAX_FUNCTION_ARRAYS] = {NULL};
	const DpsNode *const *elements[DPS_MAX_FUNCTION_ARRAYS];
	const DpsTensor *node;
	DpsTensorGraph *g;
	DpsStatus	status;
	int			nnumbers = 0;
	int			k;

	dps_check_status(dps_tensor_graph_init(&g, import->graph->arena));
	for (k = 0; k < list_length(arguments); k++)
	{
		if (k >= function->narrays)
		{
			nnumbers = read_numbers(import, list_nth(arguments, k), number, nnumbers);
			continue;
		}
		read_array(import, list_nth(arguments, k), &array[k]);
		input[k] = dps_tensor_input(g, "x", array[k].shape);
		elements[k] = array[k].element;
	}
	node = function->build(g, input[0], input[1], number, nnumbers);
	if (node == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arguments of %s do not fit", function->name),
				 errhint("The comment on function dpsens.%s says which dimensions it takes.", function->name),
				 dps_import_position(import, exprLocation(call))));
	check_size(import, call, dps_tensor_size(node));
	value->shape = node->shape;
	value->element = palloc(sizeof(DpsNode *) * dps_tensor_size(node));
	status = dps_tensor_expand(g, &node, 1, import->graph, elements, value->element);
	if (status == DPS_UNABLE)
		check_size(import, call, PG_INT64_MAX);
	dps_check_status(status);
	for (k = 0; function->hides_null && k < function->narrays; k++)
		keep_nulls(import->graph, &array[k], dps_tensor_size(node), value->element);
	for (k = 0; k < dps_tensor_size(node); k++)
	{
		if (value->element[k] == NULL)
			dps_check_status(DPS_NOMEM);
	}
}

/* Expands a call; false if the function is not one of arrays. */
static bool
expand(DpsImport *import, Node *call, Oid function, List *arguments, ArrayValue *value)
{
	HeapTuple	tuple;
	const DpsTensorFunction *row;

	if (function < FirstNormalObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	row = find_function(tuple);
	/* fills in named arguments and defaults, as the planner does later */
	if (row != NULL)
		arguments = expand_function_arguments(arguments, false, exprType(call), tuple);
	ReleaseSysCache(tuple);
	if (row != NULL)
		expand_call(import, call, row, arguments, value);
	return row != NULL;
}

/*
 * Arrays
 */

static void
read_constant(DpsImport *import, Const *constant, ArrayValue *value)
{
	ArrayType  *array;
	Datum	   *datums;
	bool	   *nulls;
	Oid			type;
	int16		length;
	bool		byval;
	char		align;
	int			n;
	int			i;

	if (constant->constisnull)
		refuse_array(import, (Node *) constant, "a NULL array");
	array = DatumGetArrayTypeP(constant->constvalue);
	type = ARR_ELEMTYPE(array);
	if (ARR_NDIM(array) < 1 || ARR_NDIM(array) > DPS_MAX_RANK)
		refuse_array(import, (Node *) constant, "an array that has not 1 to 4 dimensions");
	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(array, type, length, byval, align, &datums, &nulls, &n);
	check_size(import, (Node *) constant, n);
	value->shape = DPS_SCALAR;
	for (i = 0; i < ARR_NDIM(array); i++)
		value->shape.extent[value->shape.rank++] = ARR_DIMS(array)[i];
	value->element = palloc(sizeof(DpsNode *) * n);
	for (i = 0; i < n; i++)
	{
		Const	   *element = makeConst(type, -1, InvalidOid, length, datums[i], nulls[i], byval);

		element->location = constant->location;
		value->element[i] = dps_as_float8(import->graph, dps_import(import, (Node *) element));
	}
}

/* ARRAY[...] of numbers, or of arrays of equal dimensions. */
static void
read_elements(DpsImport *import, ArrayExpr *array, ArrayValue *value)
{
	int			n = list_length(array->elements);
	ArrayValue	part = {.shape = DPS_SCALAR};
	int64		size = 1;
	int			i;

	if (n == 0)
		refuse_array(import, (Node *) array, "an empty array");
	check_size(import, (Node *) array, n);
	for (i = 0; i < n; i++)
	{
		Node	   *element = list_nth(array->elements, i);

		if (array->multidims)
		{
			DpsShape	before = part.shape;

			read_array(import, element, &part);
			if (part.shape.rank == DPS_MAX_RANK || (i > 0 && !dps_shape_equal(&before, &part.shape)))
				refuse_array(import, element, "an array of unequal arrays, or of more than four dimensions");
			size = dps_shape_size(&part.shape);
		}
		if (i == 0)
		{
			check_size(import, (Node *) array, n * size);
			value->element = palloc(sizeof(DpsNode *) * n * size);
		}
		if (array->multidims)
			memcpy(value->element + i * size, part.element, sizeof(DpsNode *) * size);
		else
			value->element[i] = dps_as_float8(import->graph, dps_import(import, element));
	}
	value->shape = DPS_VECTOR(n);
	value->shape.rank = part.shape.rank + 1;
	memcpy(&value->shape.extent[1], part.shape.extent, sizeof(part.shape.extent[0]) * part.shape.rank);
}

/* Does a cast of arrays change numbers only by the rounding to double precision that is
 * made anyway? */
static bool
keeps_numbers(ArrayCoerceExpr *cast)
{
	Oid			from = get_element_type(exprType((Node *) cast->arg));
	Oid			to = get_element_type(cast->resulttype);
	bool		from_integer = from == INT2OID || from == INT4OID || from == INT8OID;

	return to == FLOAT8OID || (to == NUMERICOID && from_integer && cast->resulttypmod < 0);
}

static void
read_array(DpsImport *import, Node *node, ArrayValue *value)
{
	check_stack_depth();
	if (IsA(node, ArrayExpr))
		read_elements(import, (ArrayExpr *) node, value);
	else if (IsA(node, Const))
		read_constant(import, (Const *) node, value);
	else if (IsA(node, RelabelType))
		read_array(import, (Node *) ((RelabelType *) node)->arg, value);
	else if (IsA(node, ArrayCoerceExpr) && keeps_numbers((ArrayCoerceExpr *) node))
		read_array(import, (Node *) ((ArrayCoerceExpr *) node)->arg, value);
	else if (!IsA(node, FuncExpr) ||
			 !expand(import, node, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args, value))
		refuse_array(import, node, "this array");
}

const DpsNode *
dps_import_tensor_call(DpsImport *import, Node *call, Oid function, List *arguments)
{
	ArrayValue	value;

	/* an array can only be an argument of another such function, or be subscripted */
	if (exprType(call) != FLOAT8OID || !expand(import, call, function, arguments, &value))
		return NULL;
	return value.element[0];
}

const DpsNode *
dps_import_tensor_element(DpsImport *import, Node *node)
{
	SubscriptingRef *subscript = (SubscriptingRef *) node;
	FuncExpr   *call = (FuncExpr *) subscript->refexpr;
	ArrayValue	value;
	int64		place = 0;
	int			i;

	if (!IsA(call, FuncExpr) || subscript->reflowerindexpr != NIL || subscript->refassgnexpr != NULL ||
		call->funcresulttype != FLOAT8ARRAYOID || !expand(import, (Node *) call, call->funcid, call->args, &value))
		return NULL;
	if (list_length(subscript->refupperindexpr) != value.shape.rank)
		refuse_array(import, node, "a part of an array");
	for (i = 0; i < value.shape.rank; i++)
	{
		double		index[DPS_MAX_FUNCTION_NUMBERS];

		(void) read_numbers(import, list_nth(subscript->refupperindexpr, i), index, 0);
		if (!(index[0] >= 1 && index[0] <= value.shape.extent[i]))
			refuse_array(import, node, "an element that is not there");
		place = place * value.shape.extent[i] + dps_to_int64(index[0]) - 1;
	}
	return value.element[place];
}
