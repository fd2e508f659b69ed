/*
 * sql_bound.c
 *		dpsens.gradient_bound: the bound by itself.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"

#include "glue/glue.h"
#include "glue/version.h"
#include "model/bounding.h"
#include "model/compiled.h"

DPS_SQL_FUNCTION(dpsens_gradient_bound);

#define MAX_BOXES 1000000

/* gradient_bound(model, feature_range, target_range, parameter_bound, max_boxes) */
Datum
dpsens_gradient_bound(PG_FUNCTION_ARGS)
{
	DpsModel	model;
	DpsBounding bounding = {.kind = PG_ARGISNULL(3) ? DPS_BOUND_ITERATION : DPS_BOUND_WEIGHTS};
	double		parameter_bound = PG_ARGISNULL(3) ? INFINITY : PG_GETARG_FLOAT8(3);
	DpsSteepness steepness;
	TupleDesc	descriptor;
	double	   *low;
	double	   *high;
	Datum		values[3];
	bool		nulls[3] = {false, false, false};
	const double *parameters;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	if (!(parameter_bound > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter_bound must be greater than 0")));
	bounding.max_boxes = PG_GETARG_INT32(4);
	if (bounding.max_boxes < 1 || bounding.max_boxes > MAX_BOXES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_boxes must be between 1 and %d", MAX_BOXES)));
	dps_open_model(PG_GETARG_NAME(0), &model);
	parameters = dps_array_numbers(model.stored.parameters, model.network->size, "parameters");
	dps_read_feature_range(PG_GETARG_ARRAYTYPE_P(1), dps_tensor_size(model.network->features), &low, &high);
	bounding.box.feature_low = low;
	bounding.box.feature_high = high;
	bounding.box.target_is_class = PG_ARGISNULL(2) && model.network->loss_kind->distribution;
	if (!PG_ARGISNULL(2))
		dps_read_target_range(PG_GETARG_ARRAYTYPE_P(2), &bounding.box.target_low, &bounding.box.target_high);
	else if (!bounding.box.target_is_class)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("target_range must not be null for a loss that is not of classes")));
	dps_bounding_init(&bounding, model.network, parameter_bound);
	dps_bounding_find(&bounding, parameters, &steepness);
	dps_bounding_require(&steepness);
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Float8GetDatum(steepness.lower);
	values[1] = Float8GetDatum(steepness.upper);
	values[2] = Int32GetDatum(steepness.boxes);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
