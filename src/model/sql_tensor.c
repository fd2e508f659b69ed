/*
 * sql_tensor.c
 *		Operations on tensors as functions of arrays: dpsens.matmul, softmax,
 *		conv2d, huber_loss and so on.
 *
 * One row of the table in tensor/functions.c for each; a function finds its row
 * by its own name.  An array of n dimensions is a tensor of that rank; numbers
 * are single ones, or an array of integers.  A graph of the operation is
 * kept by each call site as long as the shapes stay the same.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "base/once.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "tensor/functions.h"
#include "tensor/network/schedule.h"

DPS_SQL_FUNCTION(dpsens_tensor_array);
DPS_SQL_FUNCTION(dpsens_tensor_number);

/* What a call site keeps. */
typedef struct Site
{
	const DpsTensorFunction *function;
	MemoryContext context;		/* of what follows */
	bool		valid;
	DpsShape	shape[DPS_MAX_FUNCTION_ARRAYS];
	int			nnumbers;
	double		number[DPS_MAX_FUNCTION_NUMBERS];
	DpsShape	result;
	const DpsSchedule *schedule;
	double	   *workspace;
	double	   *elements;		/* of the result */
} Site;

static const DpsTensorFunction *
find_function(Oid oid)
{
	char	   *name = get_func_name(oid);
	const DpsTensorFunction *function = name == NULL ? NULL : dps_find_tensor_function(name);

	if (function == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("there is no operation on tensors of this name")));
	return function;
}

static Site *
get_site(FunctionCallInfo fcinfo)
{
	Site	   *site = fcinfo->flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Site));
		site->function = find_function(fcinfo->flinfo->fn_oid);
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpsens tensor", ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = site;
	}
	return site;
}

static DpsShape
shape_of(const DpsTensorFunction *function, const ArrayType *array)
{
	DpsShape	shape = {0, {0}};
	int			i;

	if (ARR_NDIM(array) < 1 || ARR_NDIM(array) > DPS_MAX_RANK)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays given to %s must have 1 to %d dimensions", function->name, DPS_MAX_RANK)));
	shape.rank = (int8_t) ARR_NDIM(array);
	for (i = 0; i < ARR_NDIM(array); i++)
		shape.extent[i] = ARR_DIMS(array)[i];
	return shape;
}

/* Does the site hold the plan for these shapes and numbers? */
static bool
is_planned(const Site *site, const DpsShape *shape, const double *number, int nnumbers)
{
	int			k;

	if (!site->valid || site->nnumbers != nnumbers)
		return false;
	for (k = 0; k < site->function->narrays; k++)
	{
		if (!dps_shape_equal(&site->shape[k], &shape[k]))
			return false;
	}
	return memcmp(site->number, number, sizeof(site->number)) == 0;
}

static void
plan_site(Site *site, const DpsShape *shape, const double *number, int nnumbers)
{
	MemoryContext before = MemoryContextSwitchTo(site->context);
	DpsTensorGraph *g;
	const DpsTensor *argument[DPS_MAX_FUNCTION_ARRAYS] = {NULL};
	const DpsTensor *node;
	int			k;

	site->valid = false;
	MemoryContextReset(site->context);
	dps_check_status(dps_tensor_graph_init(&g, dps_server_arena()));
	for (k = 0; k < site->function->narrays; k++)
		argument[k] = dps_tensor_input(g, "x", shape[k]);
	node = site->function->build(g, argument[0], argument[1], number, nnumbers);
	if (node == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arguments of %s do not fit", site->function->name),
				 errhint("The comment on function dpsens.%s says which dimensions it takes.", site->function->name)));
	dps_check_status(dps_schedule_init(g, &node, 1, &site->schedule));
	site->workspace = palloc_extended(sizeof(double) * dps_max(dps_schedule_workspace(site->schedule), 1), MCXT_ALLOC_HUGE);
	site->elements = palloc_extended(sizeof(double) * dps_tensor_size(node), MCXT_ALLOC_HUGE);
	site->result = node->shape;
	memcpy(site->shape, shape, sizeof(site->shape));
	memcpy(site->number, number, sizeof(site->number));
	site->nnumbers = nnumbers;
	site->valid = true;
	MemoryContextSwitchTo(before);
}

/* An argument that is a number, or an array of a few integers; how many, or -1 if
 * one is NULL. */
static int
read_numbers(FunctionCallInfo fcinfo, const Site *site, int k, double *number, int n)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, k);
	ArrayType  *list;
	int			length;
	int			i;

	if (type == INT4OID)
		number[n++] = PG_GETARG_INT32(k);
	else if (type == FLOAT8OID)
		number[n++] = PG_GETARG_FLOAT8(k);
	else
	{
		list = PG_GETARG_ARRAYTYPE_P(k);
		length = ArrayGetNItems(ARR_NDIM(list), ARR_DIMS(list));
		if (array_contains_nulls(list))
			return -1;
		if (ARR_NDIM(list) != 1 || length > DPS_MAX_FUNCTION_NUMBERS - n)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("%s must be told 1 to %d dimensions", site->function->name, DPS_MAX_RANK)));
		for (i = 0; i < length; i++)
			number[n++] = ((const int32 *) ARR_DATA_PTR(list))[i];
	}
	return n;
}

/* Computes; false if something is NULL or does not exist. */
static bool
run_site(FunctionCallInfo fcinfo, Site *site)
{
	DpsShape	shape[DPS_MAX_FUNCTION_ARRAYS] = {{0, {0}}};
	double		number[DPS_MAX_FUNCTION_NUMBERS] = {0};
	const double *inputs[DPS_MAX_FUNCTION_ARRAYS];
	int			nnumbers = 0;
	int64		n;
	int64		i;
	int			k;

	for (k = 0; k < site->function->narrays; k++)
	{
		ArrayType  *array = PG_GETARG_ARRAYTYPE_P(k);

		if (array_contains_nulls(array))
			return false;
		shape[k] = shape_of(site->function, array);
		inputs[k] = (const double *) ARR_DATA_PTR(array);
	}
	for (; k < PG_NARGS(); k++)
	{
		nnumbers = read_numbers(fcinfo, site, k, number, nnumbers);
		if (nnumbers < 0)
			return false;
	}
	if (!is_planned(site, shape, number, nnumbers))
		plan_site(site, shape, number, nnumbers);
	dps_check_status(dps_schedule_run(site->schedule, inputs, site->workspace, &site->elements));
	n = dps_shape_size(&site->result);
	for (i = 0; i < n; i++)
	{
		if (!isfinite(site->elements[i]))
			return false;
	}
	return true;
}

Datum
dpsens_tensor_number(PG_FUNCTION_ARGS)
{
	Site	   *site = get_site(fcinfo);

	if (!run_site(fcinfo, site))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(site->elements[0]);
}

Datum
dpsens_tensor_array(PG_FUNCTION_ARGS)
{
	Site	   *site = get_site(fcinfo);
	int			extents[DPS_MAX_RANK];
	int			lower[DPS_MAX_RANK];
	int64		n;
	Datum	   *elements;
	int64		i;

	if (!run_site(fcinfo, site))
		PG_RETURN_NULL();
	n = dps_shape_size(&site->result);
	for (i = 0; i < site->result.rank; i++)
	{
		extents[i] = site->result.extent[i];
		lower[i] = 1;
	}
	elements = palloc(sizeof(Datum) * n);
	for (i = 0; i < n; i++)
		elements[i] = Float8GetDatum(site->elements[i]);
	PG_RETURN_ARRAYTYPE_P(construct_md_array(elements, NULL, site->result.rank, extents, lower, FLOAT8OID, sizeof(float8),
											 FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
