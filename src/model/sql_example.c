/*
 * sql_example.c
 *		What a stored model says about one example: dpsens.predict, loss,
 *		gradient_norm, partial_sensitivity, normalized_gradient, privacy_loss,
 *		plis, fil, fim, fim_trace.
 *
 * They are for roles that see the example anyway: it is an argument.  Numbers in
 * it never raise an error; what does not exist is NULL.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "glue/glue.h"
#include "glue/version.h"
#include "model/compiled.h"
#include "model/example_arguments.h"

DPS_SQL_FUNCTION(dpsens_predict);
DPS_SQL_FUNCTION(dpsens_loss);
DPS_SQL_FUNCTION(dpsens_gradient_norm);
DPS_SQL_FUNCTION(dpsens_partial_sensitivity);
DPS_SQL_FUNCTION(dpsens_normalized_gradient);
DPS_SQL_FUNCTION(dpsens_privacy_loss);
DPS_SQL_FUNCTION(dpsens_plis);
DPS_SQL_FUNCTION(dpsens_fil);
DPS_SQL_FUNCTION(dpsens_fim);
DPS_SQL_FUNCTION(dpsens_fim_trace);

static const DpsFisher *
run_fisher(FunctionCallInfo fcinfo)
{
	const DpsCompiled *compiled = dps_compiled_model(fcinfo, DPS_COMPILED_FISHER);
	const double *features = dps_features_argument(fcinfo, compiled->network);
	const double *target = dps_target_argument(fcinfo, compiled->network);

	if (features == NULL || target == NULL)
		return NULL;
	dps_check_status(dps_fisher_run(compiled->fisher, compiled->parameters, features, target));
	return compiled->fisher;
}

static Datum
return_number(FunctionCallInfo fcinfo, double number)
{
	if (!isfinite(number))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(number);
}

/* Each number times the factor; NULL if one does not exist. */
static Datum
return_numbers(FunctionCallInfo fcinfo, const double *numbers, int64 n, double factor)
{
	Datum		array;

	if (!dps_multiplied_numbers(numbers, n, factor, &array))
		PG_RETURN_NULL();
	return array;
}

/* predict(model, features) */
Datum
dpsens_predict(PG_FUNCTION_ARGS)
{
	const DpsCompiled *compiled = dps_compiled_model(fcinfo, DPS_EXAMPLE_PREDICTION);
	const double *features = dps_features_argument(fcinfo, compiled->network);

	if (features == NULL)
		PG_RETURN_NULL();
	/* the prediction does not read the target */
	dps_check_status(dps_example_run(compiled->example, compiled->parameters, features, NULL));
	return return_numbers(fcinfo, compiled->example->prediction, compiled->example->noutputs, 1);
}

/* loss(model, features, target) */
Datum
dpsens_loss(PG_FUNCTION_ARGS)
{
	const DpsExample *e = dps_run_example(fcinfo, DPS_EXAMPLE_LOSS, NULL);

	return return_number(fcinfo, e == NULL ? NAN : e->loss);
}

/* gradient_norm(model, features, target) */
Datum
dpsens_gradient_norm(PG_FUNCTION_ARGS)
{
	const DpsExample *e = dps_run_example(fcinfo, DPS_EXAMPLE_NORM, NULL);

	return return_number(fcinfo, e == NULL ? NAN : e->norm);
}

/* partial_sensitivity(model, features, target): the gradient of the norm */
Datum
dpsens_partial_sensitivity(PG_FUNCTION_ARGS)
{
	const DpsExample *e = dps_run_example(fcinfo, DPS_EXAMPLE_NORM | DPS_EXAMPLE_NORM_GRADIENT, NULL);

	if (e == NULL || !(e->norm > 0))
		PG_RETURN_NULL();
	return return_numbers(fcinfo, e->norm_squared_gradient, e->nfeatures, 1 / (2 * e->norm));
}

/* normalized_gradient(model, features, target): the gradient over its norm */
Datum
dpsens_normalized_gradient(PG_FUNCTION_ARGS)
{
	const DpsExample *e = dps_run_example(fcinfo, DPS_EXAMPLE_NORM | DPS_EXAMPLE_INPUT_GRADIENT, NULL);

	if (e == NULL || !(e->full_norm > 0))
		PG_RETURN_NULL();
	return return_numbers(fcinfo, e->input_gradient, e->nfeatures, 1 / e->full_norm);
}

/* privacy_loss(model, features, target, sigma, clip) */
Datum
dpsens_privacy_loss(PG_FUNCTION_ARGS)
{
	double		sigma = dps_positive_argument(fcinfo, 3, "sigma");
	double		clip = dps_positive_argument(fcinfo, 4, "clip");
	const DpsExample *e = dps_run_example(fcinfo, DPS_EXAMPLE_NORM, NULL);
	double		ratio;

	if (e == NULL || isnan(e->norm))
		PG_RETURN_NULL();
	ratio = fmin(e->norm, clip) / sigma;
	return return_number(fcinfo, ratio * ratio);
}

/* plis(model, features, target, sigma, clip) */
Datum
dpsens_plis(PG_FUNCTION_ARGS)
{
	double		sigma = dps_positive_argument(fcinfo, 3, "sigma");
	double		clip = dps_positive_argument(fcinfo, 4, "clip");
	const DpsExample *e = dps_run_example(fcinfo, DPS_EXAMPLE_NORM | DPS_EXAMPLE_NORM_GRADIENT, NULL);

	if (e == NULL || isnan(e->norm))
		PG_RETURN_NULL();
	/* a gradient that is clipped keeps its norm when the example moves */
	return return_numbers(fcinfo, e->norm_squared_gradient, e->nfeatures, e->norm > clip ? 0 : 1 / (sigma * sigma));
}

/* fil(model, features, target, sigma) */
Datum
dpsens_fil(PG_FUNCTION_ARGS)
{
	double		sigma = dps_positive_argument(fcinfo, 3, "sigma");
	const DpsFisher *fisher = run_fisher(fcinfo);

	return return_number(fcinfo, fisher == NULL ? NAN : fisher->root / sigma);
}

/* fim(model, features, target, sigma) */
Datum
dpsens_fim(PG_FUNCTION_ARGS)
{
	double		sigma = dps_positive_argument(fcinfo, 3, "sigma");
	const DpsFisher *fisher = run_fisher(fcinfo);
	Datum	   *elements;
	int			extents[2];
	int			lower[2] = {1, 1};
	int			n;
	int			i;

	/* a matrix that is not finite has no root */
	if (fisher == NULL || !isfinite(fisher->root))
		PG_RETURN_NULL();
	n = fisher->nfeatures;
	extents[0] = extents[1] = n;
	elements = palloc(sizeof(Datum) * n * n);
	for (i = 0; i < n * n; i++)
		elements[i] = Float8GetDatum(fisher->matrix[i] / (sigma * sigma));
	PG_RETURN_ARRAYTYPE_P(construct_md_array(elements, NULL, 2, extents, lower, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
											 TYPALIGN_DOUBLE));
}

/* fim_trace(model, features, target, sigma) */
Datum
dpsens_fim_trace(PG_FUNCTION_ARGS)
{
	double		sigma = dps_positive_argument(fcinfo, 3, "sigma");
	const DpsFisher *fisher = run_fisher(fcinfo);

	return return_number(fcinfo, fisher == NULL ? NAN : fisher->trace / (sigma * sigma));
}
