/*
 * example_arguments.c
 *		What functions of one example are given and return.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "glue/glue.h"
#include "model/example_arguments.h"
#include "num/whole.h"

const double *
dps_features_argument(FunctionCallInfo fcinfo, const DpsNetwork *network)
{
	return dps_array_numbers(PG_GETARG_ARRAYTYPE_P(1), dps_tensor_size(network->features), "features");
}

/* The probabilities of a class that is known, by its number from 0; NULL if it
 * is none. */
static const double *
class_target(double number, int64 n)
{
	double	   *target;

	if (!(number >= 0 && number < n && number == rint(number)))
		return NULL;
	target = palloc0(sizeof(double) * n);
	target[dps_to_int64(number)] = 1;
	return target;
}

const double *
dps_target_argument(FunctionCallInfo fcinfo, const DpsNetwork *network)
{
	int64		n = dps_tensor_size(network->target);
	const double *target;
	double	   *single;

	if (get_fn_expr_argtype(fcinfo->flinfo, 2) != FLOAT8OID)
	{
		target = dps_array_numbers(PG_GETARG_ARRAYTYPE_P(2), n, "target");
		return target;
	}
	if (network->loss_kind->distribution)
		return class_target(PG_GETARG_FLOAT8(2), n);
	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("target must have %lld elements, not a single number", (long long) n),
				 errhint("Pass an array.")));
	single = palloc(sizeof(double));
	*single = PG_GETARG_FLOAT8(2);
	return single;
}

const DpsExample *
dps_run_example(FunctionCallInfo fcinfo, unsigned quantities, const DpsCompiled **compiled)
{
	const DpsCompiled *model = dps_compiled_model(fcinfo, quantities);
	const double *features = dps_features_argument(fcinfo, model->network);
	const double *target = dps_target_argument(fcinfo, model->network);

	if (compiled != NULL)
		*compiled = model;
	if (features == NULL || target == NULL)
		return NULL;
	dps_check_status(dps_example_run(model->example, model->parameters, features, target));
	return model->example;
}

double
dps_positive_argument(FunctionCallInfo fcinfo, int k, const char *name)
{
	double		value = PG_GETARG_FLOAT8(k);

	if (!(value > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be greater than 0", name)));
	return value;
}

bool
dps_multiplied_numbers(const double *numbers, int64 n, double factor, Datum *array)
{
	ArrayType  *result = dps_numbers_array(numbers, n);
	double	   *element = (double *) ARR_DATA_PTR(result);
	int64		i;

	for (i = 0; i < n; i++)
	{
		/* no negative zeros */
		element[i] = element[i] * factor + 0.0;
		if (!isfinite(element[i]))
			return false;
	}
	*array = PointerGetDatum(result);
	return true;
}
