/*
 * sql_closed_form.c
 *		dpsens.closed_form: what a model computes, as operations on tensors, or
 *		written out as SQL or LaTeX if it is small enough.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "glue/glue.h"
#include "model/compiled.h"

PG_FUNCTION_INFO_V1(dpsens_closed_form);

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

/*
 * Written out
 */

typedef struct Names
{
	DpsGraph   *graph;
	const DpsNetwork *network;
	const double *fixed;		/* values of the parameters, or NULL */
} Names;

/* "x3", "w1_2_3": places count from 1. */
static const char *
element_name(const char *prefix, const DpsShape *shape, int64 i)
{
	int64		place[DPS_MAX_RANK];
	char	   *name = pstrdup(prefix);
	int			axis;

	for (axis = shape->rank; axis-- > 0;)
	{
		place[axis] = i % shape->extent[axis] + 1;
		i /= shape->extent[axis];
	}
	for (axis = 0; axis < shape->rank; axis++)
		name = psprintf(axis > 0 ? "%s_%lld" : "%s%lld", name, (long long) place[axis]);
	return name;
}

static const DpsNode *
new_variable(const Names *names, const char *name)
{
	return dps_variable(names->graph, dps_graph_add_variable(names->graph, name, DPS_FLOAT8, false));
}

static const DpsNode **
name_elements(const Names *names, const char *prefix, DpsShape shape)
{
	int64		n = dps_shape_size(&shape);
	const DpsNode **elements = palloc(sizeof(DpsNode *) * n);
	int64		i;

	for (i = 0; i < n; i++)
		elements[i] = new_variable(names, element_name(prefix, &shape, i));
	return elements;
}

/* Weights are w of the layer and of their place, biases b. */
static const DpsNode **
parameter_elements(const Names *names, const DpsParameter *parameter)
{
	bool		is_weight = strstr(parameter->name, ".weights") != NULL;
	int64		n = dps_tensor_size(parameter->tensor);
	const DpsNode **elements;
	int64		i;

	if (names->fixed == NULL)
		return name_elements(names, psprintf("%c%d_", is_weight ? 'w' : 'b', parameter->layer + 1),
							 parameter->tensor->shape);
	elements = palloc(sizeof(DpsNode *) * n);
	for (i = 0; i < n; i++)
		elements[i] = dps_constant(names->graph, DPS_FLOAT8, names->fixed[parameter->offset + i]);
	return elements;
}

static const DpsNode *const *const *
name_inputs(const Names *names)
{
	const DpsNetwork *network = names->network;
	const DpsNode ***inputs = palloc0(sizeof(DpsNode **) * network->graph->ninputs);
	int64		ntargets = dps_tensor_size(network->target);
	int			k;

	inputs[network->features->input] = name_elements(names, "x", DPS_VECTOR((int32_t) dps_tensor_size(network->features)));
	inputs[network->target->input] = name_elements(names, "y", ntargets > 1 ? DPS_VECTOR((int32_t) ntargets) : DPS_SCALAR);
	for (k = 0; k < network->nparameters; k++)
		inputs[network->parameters[k].tensor->input] = parameter_elements(names, &network->parameters[k]);
	return (const DpsNode *const *const *) inputs;
}

static void
check_size(DpsStatus status, const char *quantity)
{
	if (status == DPS_UNABLE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s of this model is too large to be written out", quantity),
				 errhint("Use format => 'tensor'.")));
	dps_check_status(status);
}

static int64
count_entries(const Forms *forms)
{
	int64		n = 0;
	int			k;

	for (k = 0; k < forms->n; k++)
		n += dps_tensor_size(forms->node[k]);
	return n;
}

/* A number, or an array of them. */
static void
print_entries(const Names *names, const DpsNode *const *entries, int64 n, bool latex, const char *quantity,
			  DpsText *out)
{
	int64		i;

	if (n > 1)
		dps_text_append(out, latex ? "\\begin{pmatrix} " : "ARRAY[");
	for (i = 0; i < n; i++)
	{
		dps_text_append(out, i == 0 ? "" : latex ? " \\\\ " : ", ");
		check_size(latex ? dps_print_latex(names->graph, entries[i], out) : dps_print_sql(names->graph, entries[i], out),
				   quantity);
	}
	if (n > 1)
		dps_text_append(out, latex ? " \\end{pmatrix}" : "]");
}

static void
write_out(DpsModel *model, bool fixed, const Forms *forms, bool latex, const char *quantity, DpsText *out)
{
	DpsNetwork *network = model->network;
	Names		names = {.network = network};
	int64		n = count_entries(forms);
	int64		nvariables = dps_tensor_size(network->features) + dps_tensor_size(network->target) +
		(fixed ? 0 : network->size);
	const DpsNode **entries;

	if (n > DPS_MAX_EXPANDED || nvariables > DPS_MAX_EXPANDED)
		check_size(DPS_UNABLE, quantity);
	if (fixed)
		names.fixed = dps_array_numbers(model->stored.parameters, network->size, "parameters");
	dps_check_status(dps_graph_init_wide(&names.graph, network->graph->arena, (int) nvariables));
	entries = palloc(sizeof(DpsNode *) * n);
	check_size(dps_tensor_expand(network->graph, forms->node, forms->n, names.graph, name_inputs(&names), entries),
			   quantity);
	print_entries(&names, entries, n, latex, quantity, out);
}

static void
print_forms(DpsModel *model, const Forms *forms, const char *format, bool fixed, const char *quantity, DpsText *out)
{
	if (strcmp(format, "tensor") == 0)
		dps_check_status(dps_tensor_print(model->network->graph, forms->node, forms->name, forms->n, out));
	else if (strcmp(format, "sql") == 0 || strcmp(format, "latex") == 0)
		write_out(model, fixed, forms, strcmp(format, "latex") == 0, quantity, out);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized format \"%s\"", format),
				 errhint("Formats are tensor, sql and latex.")));
}

/* closed_form(name, quantity, format, fixed) */
Datum
dpsens_closed_form(PG_FUNCTION_ARGS)
{
	char	   *quantity = text_to_cstring(PG_GETARG_TEXT_PP(1));
	char	   *format = text_to_cstring(PG_GETARG_TEXT_PP(2));
	DpsModel	model;
	Forms		forms = {0};
	DpsText		out;
	int			most;

	dps_open_model(PG_GETARG_NAME(0), &model);
	most = Max(model.network->nparameters, 1);
	forms.node = palloc(sizeof(DpsTensor *) * most);
	forms.name = palloc(sizeof(char *) * most);
	find_forms(model.network, quantity, &forms);
	dps_text_init(&out, model.network->graph->arena);
	print_forms(&model, &forms, format, PG_GETARG_BOOL(3), quantity, &out);
	if (out.failed)
		dps_check_status(DPS_NOMEM);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, (int) out.length));
}
