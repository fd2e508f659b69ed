/*
 * sql_model.c
 *		Making models and looking at them: dpsens.create_model, drop_model,
 *		model_parameters, set_model_parameters, model_summary, closed_form.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "model/compiled.h"
#include "model/definition.h"
#include "model/store.h"

PG_FUNCTION_INFO_V1(dpsens_create_model);
PG_FUNCTION_INFO_V1(dpsens_drop_model);
PG_FUNCTION_INFO_V1(dpsens_model_parameters);
PG_FUNCTION_INFO_V1(dpsens_set_model_parameters);
PG_FUNCTION_INFO_V1(dpsens_model_summary);
PG_FUNCTION_INFO_V1(dpsens_closed_form);

typedef struct Model
{
	DpsStoredModel stored;
	DpsDefinition definition;
	DpsNetwork *network;
} Model;

static void
read_model(Name name, Model *model)
{
	(void) dps_read_model(name, NULL, &model->stored);
	dps_read_definition(model->stored.definition, &model->definition);
	model->network = dps_build_network(&model->definition, dps_server_arena());
}

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
	Model		model;
	int64		i;

	read_model(name, &model);
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
		const DpsParameter *parameter = &network->parameters[k];
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
	Model		model;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	read_model(PG_GETARG_NAME(0), &model);
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

/*
 * Closed forms
 */

typedef struct Forms
{
	int			n;
	const DpsTensor **node;
	const char **name;
} Forms;

static void
add_form(Forms *forms, const char *name, const DpsTensor *node)
{
	forms->name[forms->n] = name;
	forms->node[forms->n++] = node;
}

/* The gradient of a scalar by all parameters. */
static const DpsTensor **
parameter_gradient(DpsNetwork *network)
{
	const DpsTensor **gradient = palloc(sizeof(DpsTensor *) * Max(network->nparameters, 1));

	dps_check_status(dps_tensor_gradient(network->graph, network->loss, network->tensors, network->nparameters,
										 gradient));
	return gradient;
}

static void
add_gradient(DpsNetwork *network, Forms *forms)
{
	const DpsTensor **gradient = parameter_gradient(network);
	int			k;

	for (k = 0; k < network->nparameters; k++)
		add_form(forms, psprintf("gradient by %s", network->parameters[k].name), gradient[k]);
}

static const DpsTensor *
feature_gradient(DpsNetwork *network, const DpsTensor *scalar)
{
	const DpsTensor *result;

	dps_check_status(dps_tensor_gradient(network->graph, scalar, &network->features, 1, &result));
	return result;
}

static const DpsTensor *
gradient_norm(DpsNetwork *network)
{
	return dps_tensor_norm(network->graph, parameter_gradient(network), network->nparameters);
}

static const DpsTensor *
squared_gradient_norm(DpsNetwork *network)
{
	return dps_tensor_norm_squared(network->graph, parameter_gradient(network), network->nparameters);
}

static void
find_forms(DpsNetwork *network, const char *quantity, Forms *forms)
{
	if (strcmp(quantity, "prediction") == 0)
		add_form(forms, quantity, network->prediction);
	else if (strcmp(quantity, "loss") == 0)
		add_form(forms, quantity, network->loss);
	else if (strcmp(quantity, "gradient") == 0)
		add_gradient(network, forms);
	else if (strcmp(quantity, "feature_gradient") == 0)
		add_form(forms, quantity, feature_gradient(network, network->loss));
	else if (strcmp(quantity, "gradient_norm") == 0)
		add_form(forms, quantity, gradient_norm(network));
	else if (strcmp(quantity, "partial_sensitivity") == 0)
		add_form(forms, quantity, feature_gradient(network, gradient_norm(network)));
	else if (strcmp(quantity, "plis") == 0)
		add_form(forms, quantity, feature_gradient(network, squared_gradient_norm(network)));
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized quantity \"%s\"", quantity),
				 errhint("Quantities are prediction, loss, gradient, feature_gradient, gradient_norm, partial_sensitivity and plis.")));
}

/* closed_form(name, quantity) */
Datum
dpsens_closed_form(PG_FUNCTION_ARGS)
{
	Model		model;
	Forms		forms = {0};
	DpsText		lines;
	int			most;

	read_model(PG_GETARG_NAME(0), &model);
	most = Max(model.network->nparameters, 1);
	forms.node = palloc(sizeof(DpsTensor *) * most);
	forms.name = palloc(sizeof(char *) * most);
	find_forms(model.network, text_to_cstring(PG_GETARG_TEXT_PP(1)), &forms);
	dps_text_init(&lines, model.network->graph->arena);
	dps_check_status(dps_tensor_print(model.network->graph, forms.node, forms.name, forms.n, &lines));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(lines.data, (int) lines.length));
}
