/*
 * sql_closed_form.c
 *		dpsens.closed_form: what a model computes, as operations on tensors, or
 *		written out as SQL or LaTeX if it is small enough.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "glue/glue.h"
#include "glue/version.h"
#include "model/compiled.h"
#include "model/known.h"

DPS_SQL_FUNCTION(dpsens_closed_form);

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
feature_gradient_norm(DpsNetwork *network)
{
	const DpsTensor *gradient = feature_gradient(network, network->loss);

	return dps_tensor_norm(network->graph, &gradient, 1);
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
	else if (strcmp(quantity, "feature_gradient_norm") == 0)
		add_form(forms, quantity, feature_gradient_norm(network));
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
				 errhint("Quantities are prediction, loss, gradient, gradient_norm, feature_gradient, feature_gradient_norm, partial_sensitivity and plis.")));
}

/*
 * Written out
 */

typedef struct Names
{
	DpsGraph   *graph;
	const DpsNetwork *network;
	const double *fixed;		/* values of the parameters, or NULL */
	DpsKnown	known;
	bool	   *is_free;		/* by feature */
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

/* A variable, or its value: what is known, else what is fixed. */
static const DpsNode *
name_element(Names *names, const char *name, const double *known, const double *fixed, int64 i)
{
	double		value;

	if (dps_known_value(&names->known, name, known, i, &value))
		return dps_constant(names->graph, DPS_FLOAT8, value);
	if (fixed != NULL)
		return dps_constant(names->graph, DPS_FLOAT8, fixed[i]);
	return dps_variable(names->graph, dps_graph_add_variable(names->graph, name, DPS_FLOAT8, false));
}

static const DpsNode **
name_elements(Names *names, const char *prefix, DpsShape shape, const double *known, const double *fixed)
{
	int64		n = dps_shape_size(&shape);
	const DpsNode **elements = palloc(sizeof(DpsNode *) * n);
	int64		i;

	for (i = 0; i < n; i++)
		elements[i] = name_element(names, element_name(prefix, &shape, i), known, fixed, i);
	return elements;
}

static const DpsNode **
name_features(Names *names)
{
	int64		n = dps_tensor_size(names->network->features);
	const DpsNode **elements = name_elements(names, "x", DPS_VECTOR((int32_t) n), names->known.features, NULL);
	int64		i;

	names->is_free = palloc(sizeof(bool) * n);
	for (i = 0; i < n; i++)
		names->is_free[i] = elements[i] == NULL || elements[i]->op == DPS_OP_VAR;
	return elements;
}

/* Weights are w of the layer and of their place, biases b. */
static const DpsNode **
parameter_elements(Names *names, const DpsNetworkParameter *parameter)
{
	bool		is_weight = strstr(parameter->name, ".weights") != NULL;

	return name_elements(names, psprintf("%c%d_", is_weight ? 'w' : 'b', parameter->layer + 1), parameter->tensor->shape,
						 NULL, names->fixed == NULL ? NULL : names->fixed + parameter->offset);
}

static const DpsNode *const *const *
name_inputs(Names *names)
{
	const DpsNetwork *network = names->network;
	const DpsNode ***inputs = palloc0(sizeof(DpsNode **) * network->graph->ninputs);
	int64		ntargets = dps_tensor_size(network->target);
	int			k;

	inputs[network->features->input] = name_features(names);
	inputs[network->target->input] = name_elements(names, "y", ntargets > 1 ? DPS_VECTOR((int32_t) ntargets) : DPS_SCALAR,
												   names->known.target, NULL);
	for (k = 0; k < network->nparameters; k++)
		inputs[network->parameters[k].tensor->input] = parameter_elements(names, &network->parameters[k]);
	dps_check_known(&names->known);
	return (const DpsNode *const *const *) inputs;
}

static void
check_size(DpsStatus status, const char *quantity)
{
	if (status == DPS_UNABLE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s of this model is too large to be written out", quantity),
				 errhint("Use format => 'sql_parts', 'latex_parts' or 'tensor', or give more inputs as known.")));
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

/* How entries are written. */
typedef struct Style
{
	bool		latex;
	bool		parts;			/* what is used more than once has a name */
} Style;

static bool
find_style(const char *format, Style *style)
{
	style->latex = strncmp(format, "latex", 5) == 0;
	style->parts = strcmp(format, "sql_parts") == 0 || strcmp(format, "latex_parts") == 0;
	return style->parts || strcmp(format, "sql") == 0 || strcmp(format, "latex") == 0;
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

/* A norm over the features that are free: made of the entries that are left. */
static bool
is_feature_norm(const char *quantity)
{
	return strcmp(quantity, "feature_gradient_norm") == 0;
}

/* Does the quantity have an entry for each feature? */
static bool
is_by_feature(const char *quantity)
{
	return strcmp(quantity, "feature_gradient") == 0 || strcmp(quantity, "partial_sensitivity") == 0 ||
		strcmp(quantity, "plis") == 0 || is_feature_norm(quantity);
}

/* The entries of a derivative that belong to free features; returns how many. */
static int64
keep_free(const Names *names, const char *quantity, const DpsNode **entries, int64 n)
{
	int64		kept = 0;
	int64		i;

	if (!is_by_feature(quantity))
		return n;
	for (i = 0; i < n; i++)
	{
		if (names->is_free[i])
			entries[kept++] = entries[i];
	}
	if (kept == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no feature is left to derive %s by", quantity)));
	return kept;
}

/* The entries' Euclidean norm. */
static const DpsNode *
norm_of_entries(const Names *names, const DpsNode *const *entries, int64 n)
{
	DpsGraph   *g = names->graph;
	const DpsNode *sum = NULL;
	int64		i;

	for (i = 0; i < n; i++)
	{
		const DpsNode *square = dps_apply(g, DPS_OP_SQR, DPS_FLOAT8, entries[i], NULL);

		sum = sum == NULL ? square : dps_apply(g, DPS_OP_ADD, DPS_FLOAT8, sum, square);
		if (sum == NULL)
			dps_check_status(DPS_NOMEM);
	}
	return dps_apply(g, DPS_OP_SQRT, DPS_FLOAT8, sum, NULL);
}

static void
write_out(DpsModel *model, bool fixed, Jsonb *known, Forms *forms, Style style, const char *quantity, DpsText *out)
{
	DpsNetwork *network = model->network;
	Names		names = {.network = network};
	int64		nvariables = dps_tensor_size(network->features) + dps_tensor_size(network->target) +
		(fixed ? 0 : network->size);
	const DpsNode **entries;
	int64		n;

	if (is_feature_norm(quantity))
		forms->node[0] = feature_gradient(network, network->loss);
	n = count_entries(forms);
	if (n > DPS_MAX_EXPANDED || nvariables > DPS_MAX_EXPANDED)
		check_size(DPS_UNABLE, quantity);
	if (fixed)
		names.fixed = dps_array_numbers(model->stored.parameters, network->size, "parameters");
	dps_read_known(known, network, &names.known);
	dps_check_status(dps_graph_init_wide(&names.graph, network->graph->arena, (int) nvariables));
	entries = palloc(sizeof(DpsNode *) * n);
	check_size(dps_tensor_expand(network->graph, forms->node, forms->n, names.graph, name_inputs(&names), entries),
			   quantity);
	n = keep_free(&names, quantity, entries, n);
	if (is_feature_norm(quantity))
	{
		entries[0] = norm_of_entries(&names, entries, n);
		n = 1;
	}
	if (style.parts)
		check_size(dps_print_parts(names.graph, entries, (int) n, style.latex, out), quantity);
	else
		print_entries(&names, entries, n, style.latex, quantity, out);
}

static void
print_forms(DpsModel *model, Forms *forms, const char *format, bool fixed, Jsonb *known, const char *quantity,
			DpsText *out)
{
	Style		style;

	if (strcmp(format, "tensor") == 0 && JB_ROOT_COUNT(known) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("single inputs are known only where every entry is written out"),
				 errhint("Use another format.")));
	else if (strcmp(format, "tensor") == 0)
		dps_check_status(dps_tensor_print(model->network->graph, forms->node, forms->name, forms->n, out));
	else if (find_style(format, &style))
		write_out(model, fixed, known, forms, style, quantity, out);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized format \"%s\"", format),
				 errhint("Formats are tensor, sql, latex, sql_parts and latex_parts.")));
}

/* closed_form(name, quantity, format, fixed, known) */
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
	print_forms(&model, &forms, format, PG_GETARG_BOOL(3), PG_GETARG_JSONB_P(4), quantity, &out);
	if (out.failed)
		dps_check_status(DPS_NOMEM);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, (int) out.length));
}
