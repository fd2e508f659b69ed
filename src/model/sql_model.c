/*
 * sql_model.c
 *		Making models and looking at them: dpsens.create_model, drop_model,
 *		model_parameters, set_model_parameters, model_summary.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "model/compiled.h"

DPS_SQL_FUNCTION(dpsens_create_model);
DPS_SQL_FUNCTION(dpsens_drop_model);
DPS_SQL_FUNCTION(dpsens_model_parameters);
DPS_SQL_FUNCTION(dpsens_set_model_parameters);
DPS_SQL_FUNCTION(dpsens_model_summary);

/* create_model(name, definition) */
Datum
dpsens_create_model(PG_FUNCTION_ARGS)
{
	Name		name = PG_GETARG_NAME(0);
	Jsonb	   *json = PG_GETARG_JSONB_P(1);
	DpsDefinition definition;
	DpsNetwork *network;
	double	   *parameters;

	dps_read_definition(json, &definition);
	network = dps_build_network(&definition, dps_server_arena());
	parameters = palloc_extended(sizeof(double) * Max(network->size, 1), MCXT_ALLOC_HUGE);
	dps_network_initialise(network, definition.seed, parameters);
	dps_insert_model(name, json, dps_numbers_array(parameters, network->size));
	PG_RETURN_VOID();
}

/* drop_model(name) */
Datum
dpsens_drop_model(PG_FUNCTION_ARGS)
{
	dps_delete_model(PG_GETARG_NAME(0));
	PG_RETURN_VOID();
}

/* model_parameters(name) */
Datum
dpsens_model_parameters(PG_FUNCTION_ARGS)
{
	DpsStoredModel stored;

	(void) dps_read_model(PG_GETARG_NAME(0), NULL, &stored);
	PG_RETURN_ARRAYTYPE_P(stored.parameters);
}

/* set_model_parameters(name, parameters) */
Datum
dpsens_set_model_parameters(PG_FUNCTION_ARGS)
{
	Name		name = PG_GETARG_NAME(0);
	const double *parameters;
	DpsModel	model;
	int64		i;

	dps_open_model(name, &model);
	parameters = dps_array_numbers(PG_GETARG_ARRAYTYPE_P(1), model.network->size, "parameters");
	for (i = 0; i < model.network->size; i++)
	{
		if (parameters == NULL || !isfinite(parameters[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameters must be finite numbers")));
	}
	dps_update_model(name, dps_numbers_array(parameters, model.network->size));
	PG_RETURN_VOID();
}

/*
 * Summary
 */

static Datum
shape_array(const DpsShape *shape)
{
	Datum		extents[DPS_MAX_RANK];
	int			i;

	for (i = 0; i < shape->rank; i++)
		extents[i] = Int32GetDatum(shape->extent[i]);
	return PointerGetDatum(construct_array(extents, shape->rank, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

enum
{
	SUMMARY_LAYER,
	SUMMARY_TYPE,
	SUMMARY_ACTIVATION,
	SUMMARY_SHAPE,
	SUMMARY_WEIGHTS,
	SUMMARY_BIASES,
	SUMMARY_PARAMETERS,
	SUMMARY_FIRST,
	SUMMARY_COLUMNS
};

static void
summarise_parameters(const DpsNetwork *network, int layer, Datum *values, bool *nulls)
{
	int64		size = 0;
	int			k;

	for (k = network->nparameters - 1; k >= 0; k--)
	{
		const DpsNetworkParameter *parameter = &network->parameters[k];
		int			column = strstr(parameter->name, ".weights") != NULL ? SUMMARY_WEIGHTS : SUMMARY_BIASES;

		if (parameter->layer != layer)
			continue;
		size += dps_tensor_size(parameter->tensor);
		nulls[column] = false;
		values[column] = column == SUMMARY_WEIGHTS ? shape_array(&parameter->tensor->shape) :
			Int32GetDatum((int32) dps_tensor_size(parameter->tensor));
		/* arrays of parameters begin at 1 */
		nulls[SUMMARY_FIRST] = false;
		values[SUMMARY_FIRST] = Int64GetDatum(parameter->offset + 1);
	}
	nulls[SUMMARY_PARAMETERS] = false;
	values[SUMMARY_PARAMETERS] = Int64GetDatum(size);
}

/* model_summary(name) */
Datum
dpsens_model_summary(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsModel	model;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	dps_open_model(PG_GETARG_NAME(0), &model);
	for (i = 0; i < model.network->nlayers; i++)
	{
		const DpsLayer *layer = &model.definition.plan.layers[i];
		Datum		values[SUMMARY_COLUMNS] = {0};
		bool		nulls[SUMMARY_COLUMNS];

		memset(nulls, true, sizeof(nulls));
		nulls[SUMMARY_LAYER] = nulls[SUMMARY_TYPE] = nulls[SUMMARY_SHAPE] = false;
		values[SUMMARY_LAYER] = Int32GetDatum(i + 1);
		values[SUMMARY_TYPE] = CStringGetTextDatum(layer->kind->name);
		values[SUMMARY_SHAPE] = shape_array(&model.network->shapes[i]);
		if (layer->activation != NULL)
		{
			nulls[SUMMARY_ACTIVATION] = false;
			values[SUMMARY_ACTIVATION] = CStringGetTextDatum(layer->activation->name);
		}
		summarise_parameters(model.network, i, values, nulls);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
