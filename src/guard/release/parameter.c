/*
 * parameter.c
 *		Arguments of dp aggregates that do not depend on rows: epsilon, quantiles,
 *		buckets.
 *
 * They decide what is released and with how much noise, so they must be public: they contain no column.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"

#include "guard/condition/allow.h"
#include "guard/release/parameter.h"

/* Does the expression contain anything but constants, parameters and builtins over them? */
static bool
varies_walker(Node *node, void *context)
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
		case T_ArrayExpr:
		case T_ArrayCoerceExpr:
		case T_CaseTestExpr:
			break;
		case T_FuncExpr:
		case T_OpExpr:
			/* checks this call; its arguments are visited afterwards */
			if (dps_find_foreign_call(node) != NULL || contain_mutable_functions(node))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, varies_walker, context);
}

/* Folds constants, and parameters whose values this plan is made for. */
static Node *
fold(DpsProtectedSource *source, Node *argument)
{
	PlannerGlobal *global = makeNode(PlannerGlobal);
	PlannerInfo *root = makeNode(PlannerInfo);

	global->boundParams = source->params;
	root->glob = global;
	return eval_const_expressions(root, copyObject(argument));
}

Expr *
dps_take_epsilon(DpsProtectedSource *source, Node *argument)
{
	int			location = exprLocation(argument);
	Node	   *folded;

	if (varies_walker(argument, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be a constant or a parameter"),
				 errdetail("What a release costs may not depend on the data."),
				 errposition(dps_query_position(source, location))));
	folded = fold(source, argument);
	if (IsA(folded, Const))
	{
		Const	   *constant = (Const *) folded;

		dps_check_epsilon(constant->constisnull ? 0 : DatumGetFloat8(constant->constvalue),
						  constant->constisnull, dps_query_position(source, location));
	}
	return (Expr *) folded;
}

Expr *
dps_take_level(DpsProtectedSource *source, Node *argument)
{
	int			position = dps_query_position(source, exprLocation(argument));
	Node	   *folded;

	if (varies_walker(argument, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the level of an interval must be a constant or a parameter"),
				 errposition(position)));
	folded = fold(source, argument);
	if (IsA(folded, Const))
		dps_check_level(((Const *) folded)->constisnull ? 0 : DatumGetFloat8(((Const *) folded)->constvalue),
						((Const *) folded)->constisnull, position);
	return (Expr *) folded;
}

/* ---- what is asked for ---- */

static void
refuse(const DpsProtectedSource *source, Node *argument, const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 hint == NULL ? 0 : errhint("%s", hint),
			 errposition(dps_query_position(source, exprLocation(argument)))));
}

/* The elements of a float8[] without NULLs. */
static const float8 *
array_elements(const DpsProtectedSource *source, Node *argument, const Const *constant, int *n)
{
	ArrayType  *array = DatumGetArrayTypePCopy(constant->constvalue);

	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		refuse(source, argument, "the array must have one dimension and no nulls", NULL);
	return (const float8 *) ARR_DATA_PTR(array);
}

static void
take_levels(const DpsProtectedSource *source, Node *argument, const Const *constant, DpsParameter *parameter)
{
	float8		one = constant->consttype == FLOAT8OID ? DatumGetFloat8(constant->constvalue) : 0;
	const float8 *levels = &one;
	int			n = 1;
	int			i;

	if (constant->consttype == FLOAT8ARRAYOID)
		levels = array_elements(source, argument, constant, &n);
	if (n < 1 || n > DPS_MAX_LEVELS)
		refuse(source, argument, psprintf("there must be 1 to %d quantiles, not %d", DPS_MAX_LEVELS, n), NULL);
	parameter->nlevels = n;
	for (i = 0; i < n; i++)
	{
		if (dps_quantile_of_double(levels[i], &parameter->level[i]) != DPS_OK)
			refuse(source, argument, psprintf("quantile %g is not between 0 and 1", levels[i]), NULL);
	}
}

static void
take_edges(const DpsProtectedSource *source, Node *argument, const Const *constant, DpsParameter *parameter)
{
	int			n;
	int			i;

	parameter->edges = array_elements(source, argument, constant, &n);
	if (n < 2 || n > DPS_MAX_BUCKETS + 1)
		refuse(source, argument,
			   psprintf("there must be 2 to %d edges of buckets, not %d", DPS_MAX_BUCKETS + 1, n), NULL);
	for (i = 0; i < n; i++)
	{
		if (!isfinite(parameter->edges[i]) || (i > 0 && !(parameter->edges[i] > parameter->edges[i - 1])))
			refuse(source, argument, "edges of buckets must be finite and ascending", NULL);
	}
	parameter->nbuckets = n - 1;
}

static void
take_buckets(const DpsProtectedSource *source, Node *argument, const Const *constant, DpsParameter *parameter)
{
	if (constant->consttype == FLOAT8ARRAYOID)
	{
		take_edges(source, argument, constant, parameter);
		return;
	}
	parameter->nbuckets = DatumGetInt32(constant->constvalue);
	if (parameter->nbuckets < 1 || parameter->nbuckets > DPS_MAX_BUCKETS)
		refuse(source, argument,
			   psprintf("there must be 1 to %d buckets, not %d", DPS_MAX_BUCKETS, parameter->nbuckets), NULL);
}

static void
take_number(const DpsProtectedSource *source, Node *argument, const Const *constant, DpsParameter *parameter)
{
	parameter->nlevels = DatumGetInt32(constant->constvalue);
	if (parameter->nlevels < 1 || parameter->nlevels > DPS_MAX_LEVELS)
		refuse(source, argument,
			   psprintf("there must be 1 to %d values, not %d", DPS_MAX_LEVELS, parameter->nlevels), NULL);
}

Const *
dps_take_parameter(DpsProtectedSource *source, DpsParameterKind kind, Node *argument, DpsParameter *parameter)
{
	const char *what = kind == DPS_LEVELS ? "quantile" : kind == DPS_BUCKETS ? "buckets" : "number of values";
	Const	   *constant;

	if (varies_walker(argument, NULL))
		refuse(source, argument, psprintf("the %s must be a constant or a parameter", what),
			   "What is asked for may not depend on the data.");
	constant = (Const *) fold(source, argument);
	if (!IsA(constant, Const))
	{
		parameter->nlevels = kind == DPS_BUCKETS ? 0 : 1;
		parameter->level[0] = (DpsQuantile) {1, 2};
		parameter->nbuckets = kind == DPS_BUCKETS ? 1 : 0;
		return NULL;
	}
	if (constant->constisnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the %s must not be null", what),
				 errposition(dps_query_position(source, exprLocation(argument)))));
	if (kind == DPS_LEVELS)
		take_levels(source, argument, constant, parameter);
	else if (kind == DPS_ANSWERS)
		take_number(source, argument, constant, parameter);
	else
		take_buckets(source, argument, constant, parameter);
	return constant;
}

double *
dps_equal_edges(double lo, double hi, int n)
{
	double	   *edges = palloc(sizeof(double) * (n + 1));
	int			i;

	/* both summands are finite and of one sign, or smaller than either end */
	for (i = 0; i <= n; i++)
		edges[i] = lo * ((double) (n - i) / n) + hi * ((double) i / n);
	edges[0] = lo;
	edges[n] = hi;
	/* rounding must not reverse their order */
	for (i = 1; i < n; i++)
		edges[i] = Min(Max(edges[i], edges[i - 1]), hi);
	return edges;
}
