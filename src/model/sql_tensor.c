/*
 * sql_tensor.c
 *		Operations on tensors as functions of arrays: dpsens.matmul, softmax,
 *		conv2d, huber_loss and so on.
 *
 * One row of the table for each; a function finds its row by its own name.  An
 * array of n dimensions is a tensor of that rank.  A graph of the operation is
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

#include "glue/glue.h"
#include "tensor/schedule.h"
#include "tensor/tensor.h"

PG_FUNCTION_INFO_V1(dpsens_tensor_array);
PG_FUNCTION_INFO_V1(dpsens_tensor_number);

#define MAX_ARRAYS 2
#define MAX_NUMBERS 3

typedef struct TensorFunction
{
	const char *name;
	int			narrays;		/* arguments; the numbers follow */
	int			nnumbers;
	const DpsTensor *(*build) (DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y, const double *number);
} TensorFunction;

#define LAST_AXIS(x) (1u << ((x)->shape.rank - 1))
#define ALL_AXES(x) ((1u << (x)->shape.rank) - 1)

#define BUILD(name, node) \
static const DpsTensor * \
build_##name(DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y, const double *number) \
{ \
	return node; \
}

/* An axis counted from 1, as a mask; 0 if there is none. */
static unsigned
axis_mask(const DpsTensor *x, double axis)
{
	return axis >= 1 && axis <= x->shape.rank ? 1u << ((int) axis - 1) : 0;
}

/* The reduced axis goes. */
static const DpsTensor *
without_axis(DpsTensorGraph *g, const DpsTensor *reduced, double axis)
{
	DpsShape	shape = DPS_SCALAR;
	int			i;

	if (reduced == NULL)
		return NULL;
	for (i = 0; i < reduced->shape.rank; i++)
	{
		if (i != (int) axis - 1)
			shape.extent[shape.rank++] = reduced->shape.extent[i];
	}
	return dps_tensor_reshape(g, reduced, shape.rank > 0 ? shape : DPS_VECTOR(1));
}

static const DpsTensor *
reduce_axis(DpsTensorGraph *g, int op, const DpsTensor *x, double axis)
{
	return axis_mask(x, axis) == 0 ? NULL : without_axis(g, dps_tensor_reduce(g, op, x, axis_mask(x, axis)), axis);
}

static const DpsTensor *
average_axis(DpsTensorGraph *g, const DpsTensor *x, double axis)
{
	return axis_mask(x, axis) == 0 ? NULL : without_axis(g, dps_tensor_mean(g, x, axis_mask(x, axis)), axis);
}

static DpsWindow
square_window(const double *number)
{
	return (DpsWindow) {(int32_t) number[0], (int32_t) number[0], (int32_t) number[1], (int32_t) number[2]};
}

/* An image may be (height, width), of one channel. */
static const DpsTensor *
as_image(DpsTensorGraph *g, const DpsTensor *x)
{
	return x->shape.rank != 2 ? x : dps_tensor_reshape(g, x, DPS_IMAGE(1, x->shape.extent[0], x->shape.extent[1]));
}

BUILD(sigmoid, dps_tensor_map(g, DPS_TENSOR_SIGMOID, x, NULL))
BUILD(tempered_sigmoid, dps_tensor_tempered_sigmoid(g, x, number[0], number[1], number[2]))
BUILD(tanh, dps_tensor_map(g, DPS_OP_TANH, x, NULL))
BUILD(relu, dps_tensor_map(g, DPS_TENSOR_RELU, x, NULL))
BUILD(softplus, dps_tensor_map(g, DPS_TENSOR_SOFTPLUS, x, NULL))
BUILD(gelu, dps_tensor_gelu(g, x))
BUILD(softmax, dps_tensor_softmax(g, x, LAST_AXIS(x)))
BUILD(log_sum_exp, dps_tensor_reshape(g, dps_tensor_reduce(g, DPS_TENSOR_LOG_SUM_EXP, x, ALL_AXES(x)), DPS_SCALAR))
BUILD(l2_norm, dps_tensor_norm(g, &x, 1))
BUILD(dot, dps_tensor_dot(g, x, y))
BUILD(outer_product, dps_tensor_outer(g, x, y))
BUILD(matmul, dps_tensor_matmul(g, x, y, false, false))
BUILD(transpose, x->shape.rank != 2 ? NULL : dps_tensor_permute(g, x, (int[]) {1, 0}))
BUILD(sum_over, reduce_axis(g, DPS_TENSOR_SUM, x, number[0]))
BUILD(max_over, reduce_axis(g, DPS_TENSOR_MAX, x, number[0]))
BUILD(mean_over, average_axis(g, x, number[0]))
BUILD(conv2d, dps_tensor_conv2d(g, as_image(g, x), y, (int32_t) number[0], (int32_t) number[1]))
BUILD(average_pool, dps_tensor_average_pool(g, as_image(g, x), square_window(number)))
BUILD(max_pool, dps_tensor_max_pool(g, as_image(g, x), square_window(number)))
BUILD(squared_loss, dps_tensor_squared_loss(g, x, y))
BUILD(huber_loss, number[0] > 0 ? dps_tensor_huber_loss(g, x, y, number[0]) : NULL)
BUILD(binary_cross_entropy, dps_tensor_binary_cross_entropy(g, x, y))
BUILD(categorical_cross_entropy, dps_tensor_cross_entropy(g, x, y))

static const TensorFunction functions[] = {
	{"sigmoid", 1, 0, build_sigmoid},
	{"tempered_sigmoid", 1, 3, build_tempered_sigmoid},
	{"tanh", 1, 0, build_tanh},
	{"relu", 1, 0, build_relu},
	{"softplus", 1, 0, build_softplus},
	{"gelu", 1, 0, build_gelu},
	{"softmax", 1, 0, build_softmax},
	{"log_sum_exp", 1, 0, build_log_sum_exp},
	{"l2_norm", 1, 0, build_l2_norm},
	{"dot", 2, 0, build_dot},
	{"outer_product", 2, 0, build_outer_product},
	{"matmul", 2, 0, build_matmul},
	{"transpose", 1, 0, build_transpose},
	{"sum_over", 1, 1, build_sum_over},
	{"max_over", 1, 1, build_max_over},
	{"mean_over", 1, 1, build_mean_over},
	{"conv2d", 2, 2, build_conv2d},
	{"average_pool", 1, 3, build_average_pool},
	{"max_pool", 1, 3, build_max_pool},
	{"squared_loss", 2, 0, build_squared_loss},
	{"huber_loss", 2, 1, build_huber_loss},
	{"binary_cross_entropy", 2, 0, build_binary_cross_entropy},
	{"categorical_cross_entropy", 2, 0, build_categorical_cross_entropy},
};

/* What a call site keeps. */
typedef struct Site
{
	const TensorFunction *function;
	MemoryContext context;		/* of what follows */
	bool		valid;
	DpsShape	shape[MAX_ARRAYS];
	double		number[MAX_NUMBERS];
	DpsShape	result;
	const DpsSchedule *schedule;
	double	   *workspace;
	double	   *elements;		/* of the result */
} Site;

static const TensorFunction *
find_function(Oid oid)
{
	char	   *name = get_func_name(oid);
	int			i;

	for (i = 0; name != NULL && i < (int) lengthof(functions); i++)
	{
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("there is no operation on tensors of this name")));
	return NULL;				/* keep the compiler quiet */
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
shape_of(const TensorFunction *function, const ArrayType *array)
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
is_planned(const Site *site, const DpsShape *shape, const double *number)
{
	int			k;

	if (!site->valid)
		return false;
	for (k = 0; k < site->function->narrays; k++)
	{
		if (!dps_shape_equal(&site->shape[k], &shape[k]))
			return false;
	}
	return memcmp(site->number, number, sizeof(double) * MAX_NUMBERS) == 0;
}

static void
plan_site(Site *site, const DpsShape *shape, const double *number)
{
	MemoryContext before = MemoryContextSwitchTo(site->context);
	DpsTensorGraph *g;
	const DpsTensor *argument[MAX_ARRAYS] = {NULL};
	const DpsTensor *node;
	int			k;

	site->valid = false;
	MemoryContextReset(site->context);
	dps_check_status(dps_tensor_graph_init(&g, dps_server_arena()));
	for (k = 0; k < site->function->narrays; k++)
		argument[k] = dps_tensor_input(g, "x", shape[k]);
	node = site->function->build(g, argument[0], argument[1], number);
	if (node == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arguments of %s do not fit", site->function->name),
				 errhint("The comment on function dpsens.%s says which dimensions it takes.", site->function->name)));
	dps_check_status(dps_schedule_init(g, &node, 1, &site->schedule));
	site->workspace = palloc_extended(sizeof(double) * Max(dps_schedule_workspace(site->schedule), 1), MCXT_ALLOC_HUGE);
	site->elements = palloc_extended(sizeof(double) * dps_tensor_size(node), MCXT_ALLOC_HUGE);
	site->result = node->shape;
	memcpy(site->shape, shape, sizeof(site->shape));
	memcpy(site->number, number, sizeof(site->number));
	site->valid = true;
	MemoryContextSwitchTo(before);
}

/* Computes; false if something is NULL or does not exist. */
static bool
run_site(FunctionCallInfo fcinfo, Site *site)
{
	DpsShape	shape[MAX_ARRAYS] = {{0, {0}}};
	double		number[MAX_NUMBERS] = {0};
	const double *inputs[MAX_ARRAYS];
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
	for (k = 0; k < site->function->nnumbers; k++)
		number[k] = get_fn_expr_argtype(fcinfo->flinfo, site->function->narrays + k) == INT4OID ?
			PG_GETARG_INT32(site->function->narrays + k) : PG_GETARG_FLOAT8(site->function->narrays + k);
	if (!is_planned(site, shape, number))
		plan_site(site, shape, number);
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
