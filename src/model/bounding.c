/*
 * bounding.c
 *		Bounds on gradients that are proved instead of clips that are chosen.
 *
 * Each is the sup of the gradient norm over the examples that are declared
 * possible, never over those that there are, and over
 *		weights		the parameters' box, into which every step brings them back,
 *		iteration	the parameters of the step, which are public,
 *		lipschitz	the parameters' box, or all parameters there are; by the
 *					ranges that activations and their slopes have anywhere.
 * The gradient is clipped to it all the same, so privacy does not rest on the
 * proof (tensor/network/steepest.c): that decides that nothing is ever clipped.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "model/bounding.h"
#include "model/compiled.h"

/* How close the two ends of a bound are to get. */
#define TOLERANCE 0.01

static const struct
{
	const char *name;
	DpsBoundKind kind;
}			kinds[] =
{
	{"weights", DPS_BOUND_WEIGHTS},
	{"iteration", DPS_BOUND_ITERATION},
	{"lipschitz", DPS_BOUND_LIPSCHITZ},
};

DpsBoundKind
dps_bound_kind(const char *name)
{
	Size		k;

	if (name == NULL)
		return DPS_BOUND_NONE;
	for (k = 0; k < lengthof(kinds); k++)
	{
		if (strcmp(kinds[k].name, name) == 0)
			return kinds[k].kind;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized bound \"%s\"", name),
			 errhint("Bounds are weights, iteration and lipschitz.")));
	return DPS_BOUND_NONE;
}

const char *
dps_bound_name(DpsBoundKind kind)
{
	Size		k;

	for (k = 0; k < lengthof(kinds); k++)
	{
		if (kinds[k].kind == kind)
			return kinds[k].name;
	}
	return "";
}

static void
check_ends(double low, double high, const char *what)
{
	if (!(isfinite(low) && isfinite(high) && low <= high))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must have finite ends in order", what)));
}

void
dps_read_feature_range(ArrayType *array, int64 n, double **low, double **high)
{
	int64		length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const double *ends = dps_array_numbers(array, length, "feature_range");
	int64		i;

	if (ends == NULL || (length != 2 && length != 2 * n))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("feature_range must have 2 elements, or 2 for each of %lld features, and no nulls", (long long) n)));
	*low = palloc(sizeof(double) * n);
	*high = palloc(sizeof(double) * n);
	for (i = 0; i < n; i++)
	{
		(*low)[i] = ends[length == 2 ? 0 : 2 * i];
		(*high)[i] = ends[length == 2 ? 1 : 2 * i + 1];
		check_ends((*low)[i], (*high)[i], "feature_range");
	}
}

void
dps_read_target_range(ArrayType *array, double *low, double *high)
{
	const double *ends = dps_array_numbers(array, 2, "target_range");

	if (ends == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("target_range must not contain nulls")));
	*low = ends[0];
	*high = ends[1];
	check_ends(*low, *high, "target_range");
}

/* Of a column; false if none is declared, or it is one of arrays. */
static bool
declared_range(Oid relation, const char *column, double *low, double *high)
{
	AttrNumber	number = get_attnum(relation, column);
	DpsColumnAnnotation annotation;

	if (number <= 0 || OidIsValid(get_element_type(getBaseType(get_atttype(relation, number)))))
		return false;
	dps_get_column_annotation(relation, number, &annotation);
	*low = annotation.lo;
	*high = annotation.hi;
	return annotation.has_range && isfinite(*low) && isfinite(*high);
}

static void
refuse_undeclared(const char *column, const char *argument)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a bound on gradients needs the range of column \"%s\"", column),
			 errhint("Use dpsens.set_range on a column of numbers, or %s.", argument)));
}

void
dps_declared_feature_range(Oid relation, ArrayType *features, int64 n, double **low, double **high)
{
	Datum	   *names;
	int			ncolumns;
	int			k;

	deconstruct_array(features, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, NULL, &ncolumns);
	*low = palloc(sizeof(double) * Max(ncolumns, 1));
	*high = palloc(sizeof(double) * Max(ncolumns, 1));
	for (k = 0; k < ncolumns; k++)
	{
		const char *name = NameStr(*DatumGetName(names[k]));

		if (!declared_range(relation, name, &(*low)[k], &(*high)[k]))
			refuse_undeclared(name, "feature_range");
	}
	if (ncolumns != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the model has %lld features, not %d", (long long) n, ncolumns)));
}

void
dps_declared_target_range(Oid relation, const char *target, double *low, double *high)
{
	if (!declared_range(relation, target, low, high))
		refuse_undeclared(target, "target_range");
}

void
dps_bounding_init(DpsBounding *bounding, DpsNetwork *network, double parameter_bound)
{
	DpsStatus	status = dps_steepest_init(network, &bounding->steepest);
	double	   *low;
	double	   *high;
	int64		i;

	if (status == DPS_UNABLE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the model is too large for a bound on its gradients to be proved"),
				 errhint("Choose a clip.")));
	dps_check_status(status);
	bounding->nfeatures = dps_tensor_size(network->features);
	bounding->nparameters = network->size;
	low = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * network->size);
	high = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * network->size);
	for (i = 0; i < network->size; i++)
	{
		low[i] = -parameter_bound;
		high[i] = parameter_bound;
	}
	bounding->box.parameter_low = low;
	bounding->box.parameter_high = high;
}

void
dps_bounding_find(DpsBounding *bounding, const double *parameters, DpsSteepness *steepness)
{
	DpsExampleBox box = bounding->box;
	int			max_boxes = bounding->kind == DPS_BOUND_LIPSCHITZ ? 1 : bounding->max_boxes;

	if (bounding->kind == DPS_BOUND_ITERATION)
		box.parameter_low = box.parameter_high = parameters;
	dps_check_status(dps_steepest_find(bounding->steepest, &box, max_boxes, TOLERANCE, steepness));
}

void
dps_bounding_require(const DpsSteepness *steepness)
{
	if (!(steepness->upper < INFINITY))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gradients of the model have no bound"),
				 errhint("Use parameter_bound, activations with a bounded range, or a clip.")));
}

void
dps_bounding_clamp(const DpsBounding *bounding, double *examples, int64 n, int64 width)
{
	int64		row;
	int64		i;

	for (row = 0; row < n; row++)
	{
		double	   *example = examples + row * width;

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < bounding->nfeatures; i++)
			example[i] = Min(Max(example[i], bounding->box.feature_low[i]), bounding->box.feature_high[i]);
		for (; i < width && !bounding->box.target_is_class; i++)
			example[i] = Min(Max(example[i], bounding->box.target_low), bounding->box.target_high);
	}
}
