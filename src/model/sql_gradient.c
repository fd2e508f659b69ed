/*
 * sql_gradient.c
 *		The gradient of one example's loss by a stored model's parameters, as it is and
 *		as DP-SGD releases it, and how well another example matches it: dpsens.gradient,
 *		private_gradient, gradient_matching.
 *
 * They are for roles that see the example anyway: it is an argument.  So
 * dpsens.private_gradient protects nobody and is charged to no budget; its noise is that of
 * training, from the same grid and by the same draws, so that what it shows is what an
 * attack on training would be given.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "glue/glue.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "model/compiled.h"
#include "model/example_arguments.h"
#include "model/noised.h"
#include "noise/sample.h"
#include "num/whole.h"
#include "tensor/network/descent.h"

DPS_SQL_FUNCTION(dpsens_model_gradient);
DPS_SQL_FUNCTION(dpsens_private_gradient);
DPS_SQL_FUNCTION(dpsens_gradient_matching);

/* gradient(model, features, target) */
Datum
dpsens_model_gradient(PG_FUNCTION_ARGS)
{
	const DpsCompiled *compiled;
	const DpsExample *example = dps_run_example(fcinfo, DPS_EXAMPLE_PARAMETER_GRADIENT, &compiled);
	Datum		array;

	if (example == NULL || !dps_multiplied_numbers(example->parameter_gradient, compiled->network->size, 1, &array))
		PG_RETURN_NULL();
	return array;
}

static void
read_clipping(double clip, int64 n, DpsClipping *clipping)
{
	if (!dps_clipping_init(clipping, clip, n))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("clip is too extreme for a model of %lld parameters", (long long) n)));
}

/* The scale of the noise, in units of the clipping's grid. */
static uint64
read_scale(double multiplier, const DpsClipping *clipping)
{
	double		scale = ceil(multiplier * (double) clipping->bound);

	if (!(scale < (double) DPS_SCALE_LIMIT / 2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("noise_multiplier %g is too large", multiplier)));
	return dps_setting_noise ? dps_to_uint64(scale) : 0;
}

static Datum
noised_array(const int64 *units, int64 n, uint64 scale, int grid)
{
	double	   *noised = palloc_extended(sizeof(double) * n, MCXT_ALLOC_HUGE);
	DpsHost		host = dps_server_host();
	DpsRandom	random;
	Datum		array;
	int64		i;

	dps_random_init(&random, &host);
	for (i = 0; i < n; i++)
		noised[i] = dps_noised_number(&random, units[i], scale, grid);
	dps_random_clear(&random);
	array = PointerGetDatum(dps_numbers_array(noised, n));
	pfree(noised);
	return array;
}

/* private_gradient(model, features, target, clip, noise_multiplier) */
Datum
dpsens_private_gradient(PG_FUNCTION_ARGS)
{
	double		clip = dps_positive_argument(fcinfo, 3, "clip");
	double		multiplier = dps_positive_argument(fcinfo, 4, "noise_multiplier");
	const DpsCompiled *compiled;
	const DpsExample *example = dps_run_example(fcinfo, DPS_EXAMPLE_PARAMETER_GRADIENT, &compiled);
	int64		n = compiled->network->size;
	DpsClipping clipping;
	uint64		scale;
	int64	   *units;

	read_clipping(clip, n, &clipping);
	scale = read_scale(multiplier, &clipping);
	units = palloc_extended(sizeof(int64) * n, MCXT_ALLOC_HUGE);
	if (example == NULL || !dps_clip_gradient(&clipping, example->parameter_gradient, n, units))
		PG_RETURN_NULL();
	return noised_array(units, n, scale, clipping.grid);
}

static int
find_kind(const char *name)
{
	int			k;

	for (k = 0; k < DPS_MATCHING_KINDS; k++)
	{
		if (strcmp(dps_matching_kinds[k].name, name) == 0)
			return k;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized kind \"%s\"", name),
			 errhint("Kinds are squared and cosine.")));
}

/* (loss, feature_gradient); what does not exist is NULL */
static Datum
matching_row(FunctionCallInfo fcinfo, const DpsMatching *matching)
{
	TupleDesc	descriptor;
	Datum		values[2] = {0};
	bool		nulls[2] = {true, true};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "dpsens.gradient_matching must return a row");
	if (matching != NULL && isfinite(matching->loss))
	{
		values[0] = Float8GetDatum(matching->loss);
		nulls[0] = false;
		nulls[1] = !dps_multiplied_numbers(matching->feature_gradient, matching->nfeatures, 1, &values[1]);
	}
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/* gradient_matching(model, features, target, gradient, kind) */
Datum
dpsens_gradient_matching(PG_FUNCTION_ARGS)
{
	int			kind = find_kind(text_to_cstring(PG_GETARG_TEXT_PP(4)));
	const DpsCompiled *compiled = dps_compiled_model(fcinfo, DPS_COMPILED_MATCHING << kind);
	const double *features = dps_features_argument(fcinfo, compiled->network);
	const double *target = dps_target_argument(fcinfo, compiled->network);
	const double *given = dps_array_numbers(PG_GETARG_ARRAYTYPE_P(3), compiled->network->size, "gradient");

	if (features == NULL || target == NULL || given == NULL)
		return matching_row(fcinfo, NULL);
	dps_check_status(dps_matching_run(compiled->matching, compiled->parameters, features, target, given));
	return matching_row(fcinfo, compiled->matching);
}
