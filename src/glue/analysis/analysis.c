/*
 * analysis.c
 *		Certified quantities of a row expression, by name.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "bound/dimension.h"
#include "bound/quantity/jump.h"
#include "glue/analysis/analysis.h"
#include "glue/analysis/bracket_cache.h"
#include "glue/bounds.h"
#include "glue/glue.h"

static const char *const quantity_names[] = {
	[DPS_INFIMUM] = "infimum",
	[DPS_SUPREMUM] = "supremum",
	[DPS_SUM_ADD_REMOVE] = "add_remove",
	[DPS_SUM_REPLACE] = "replace",
	[DPS_SUM_METRIC] = "metric",
	[DPS_SUM_METRIC_L1] = "metric_l1",
	[DPS_SUM_METRIC_LINF] = "metric_linf",
	[DPS_SUM_ATTRIBUTE] = "attribute",
	[DPS_SLOPE] = "slope",
	[DPS_EVALUATION_ERROR] = "evaluation_error"
};

static inline uint64_t
bit(int variable)
{
	return UINT64_C(1) << variable;
}

static inline bool
is_private(const DpsAnalysis *analysis, int variable)
{
	return (analysis->policy.private_variables & bit(variable)) != 0;
}

uint64_t
dps_null_deciding_variables(const DpsAnalysis *analysis)
{
	uint64_t	mask = 0;
	int			j;

	if (!analysis->node->nullable)
		return 0;
	for (j = 0; j < dps_columns(analysis->graph); j++)
	{
		if (analysis->box[j].nullness != DPS_NEVER_NULL)
			mask |= bit(j);
	}
	if (dps_values_decide_null(analysis->graph, analysis->node))
		mask = analysis->node->variables;
	return mask & analysis->node->variables & analysis->policy.private_variables;
}

static void
ask(const DpsAnalysis *a, DpsQuestionKind kind, int variable, DpsBracket *bracket)
{
	DpsQuestion question = {
		.kind = kind,
		.graph = a->graph,
		.node = a->node,
		.box = a->box,
		.variable = variable,
		.options = a->options
	};

	dps_ask(&question, a->record, bracket);
}

static const DpsBracket *
infimum(DpsAnalysis *a)
{
	if (!a->has_infimum)
		ask(a, DPS_ASK_INFIMUM, -1, &a->infimum);
	a->has_infimum = true;
	return &a->infimum;
}

static const DpsBracket *
supremum(DpsAnalysis *a)
{
	if (!a->has_supremum)
		ask(a, DPS_ASK_SUPREMUM, -1, &a->supremum);
	a->has_supremum = true;
	return &a->supremum;
}

static void
add_remove(DpsAnalysis *a, DpsBracket *bracket)
{
	dps_bracket_magnitude(infimum(a), supremum(a), bracket);
}

/*
 * Replaces a bracket by the other if that is longer, with its status.  A refused
 * bracket has an infinite upper end and so stays refused.
 */
static void
take_longer(DpsBracket *bracket, const DpsBracket *other)
{
	double		lower = Max(bracket->lower, other->lower);

	if (other->upper > bracket->upper ||
		(other->upper == bracket->upper && other->lower > bracket->lower))
		*bracket = *other;
	bracket->lower = lower;
}

/* The length of hull(H, 0) is the greater of the length of H and sup |f|: 0 lies
 * inside H or beyond one of its ends. */
static void
include_zero(DpsAnalysis *a, DpsBracket *bracket)
{
	DpsBracket	magnitude;

	add_remove(a, &magnitude);
	/* the other row of the pair has no value */
	magnitude.witness.x[DPS_MAX_VARIABLES] = NAN;
	take_longer(bracket, &magnitude);
}

static void
replace(DpsAnalysis *a, DpsBracket *bracket)
{
	dps_bracket_length(infimum(a), supremum(a), bracket);
	if (a->deciding_variables != 0)
		include_zero(a, bracket);
}

/* include_zero applies to each line along x_j.  A value without a bound is reported
 * by its own bracket, whose note is clearer than one of the difference. */
static void
attribute(DpsAnalysis *a, int variable, DpsBracket *bracket)
{
	add_remove(a, bracket);
	if (bracket->status != DPS_OK)
		return;
	ask(a, DPS_ASK_ATTRIBUTE, variable, bracket);
	if (a->deciding_variables & bit(variable))
		include_zero(a, bracket);
}

static void
lipschitz(DpsAnalysis *a, DpsQuestionKind norm, DpsBracket *bracket)
{
	DpsQuestion question = {
		.kind = norm,
		.graph = a->graph,
		.node = a->node,
		.box = a->box,
		.policy = &a->policy,
		.options = a->options
	};

	dps_ask(&question, a->record, bracket);
}

void
dps_quantity(DpsAnalysis *a, DpsQuantityKind kind, int variable, DpsBracket *bracket)
{
	switch (kind)
	{
		case DPS_INFIMUM:
			*bracket = *infimum(a);
			break;
		case DPS_SUPREMUM:
			*bracket = *supremum(a);
			break;
		case DPS_SUM_ADD_REMOVE:
			add_remove(a, bracket);
			break;
		case DPS_SUM_REPLACE:
			replace(a, bracket);
			break;
		case DPS_SUM_METRIC:
			lipschitz(a, DPS_ASK_LIPSCHITZ_2, bracket);
			break;
		case DPS_SUM_METRIC_L1:
			lipschitz(a, DPS_ASK_LIPSCHITZ_1, bracket);
			break;
		case DPS_SUM_METRIC_LINF:
			lipschitz(a, DPS_ASK_LIPSCHITZ_INFINITY, bracket);
			break;
		case DPS_SUM_ATTRIBUTE:
			attribute(a, variable, bracket);
			break;
		case DPS_SLOPE:
			ask(a, DPS_ASK_SLOPE, variable, bracket);
			break;
		case DPS_EVALUATION_ERROR:
			ask(a, DPS_ASK_EVALUATION_ERROR, -1, bracket);
			break;
	}
}

bool
dps_partial_quantity(DpsAnalysis *a, DpsQuantityKind kind, DpsBracket *bracket)
{
	if (kind != DPS_INFIMUM && kind != DPS_SUPREMUM)
		return false;
	ask(a, kind == DPS_INFIMUM ? DPS_ASK_PARTIAL_INFIMUM : DPS_ASK_PARTIAL_SUPREMUM, -1, bracket);
	return bracket->status == DPS_OK && !bracket->empty;
}

char *
dps_quantity_name(const DpsAnalysis *a, DpsQuantityKind kind, int variable)
{
	if (kind != DPS_SUM_ATTRIBUTE && kind != DPS_SLOPE)
		return pstrdup(quantity_names[kind]);
	return psprintf("%s:%s", quantity_names[kind], dps_variable_key(a->graph, variable));
}

/* Text of the other row of the witness's pair, which differs in one column. */
static char *
other_value(const DpsAnalysis *a, int variable, double value)
{
	const char *name = a->graph->variables[variable].name;

	if (isnan(value))
		return psprintf("against %s = NULL", name);
	if (a->graph->variables[variable].type == DPS_BOOL)
		return psprintf("against %s = %s", name, value == 0 ? "false" : "true");
	return psprintf("against %s = %s", name, float8out_internal(value));
}

/* Is the bracket's culprit a part of the gradient but not of the expression? */
static bool
blames_gradient(const DpsAnalysis *a, const DpsBracket *bracket)
{
	const DpsProgram *program;
	uint32_t	i;

	if (bracket->culprit == NULL || dps_compile(a->graph, &a->node, 1, &program) != DPS_OK)
		return false;
	for (i = 0; i < program->ninstructions; i++)
	{
		if (program->code[i].node == bracket->culprit->id)
			return false;
	}
	return true;
}

static bool
is_metric(DpsQuantityKind kind)
{
	return kind == DPS_SUM_METRIC || kind == DPS_SUM_METRIC_L1 || kind == DPS_SUM_METRIC_LINF;
}

/* The columns that move by whole steps; the lower end is that of one part then. */
static char *
steps_note(const DpsAnalysis *a, uint64_t steps)
{
	StringInfoData names;
	int			j;

	initStringInfo(&names);
	for (j = 0; j < a->graph->nvariables; j++)
		if (steps & (UINT64_C(1) << j))
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", a->graph->variables[j].name);
	return psprintf("by whole steps of %s; lower is that of the greatest part alone", names.data);
}

/* What is to be said of a Lipschitz constant. */
static char *
metric_note(const DpsAnalysis *a, const DpsBracket *bracket)
{
	uint64_t	lines = a->policy.private_variables & ~bracket->steps;
	double		jump;

	if (bracket->steps != 0)
		return steps_note(a, bracket->steps);
	dps_check_status(dps_rounded_jumps(a->graph, a->node, a->box, lines, &jump));
	if (jump > 0)
		return psprintf("branches that meet but for rounded constants are up to %.2g apart; the noise covers that", jump);
	return NULL;
}

char *
dps_quantity_note(const DpsAnalysis *a, DpsQuantityKind kind, int variable, const DpsBracket *bracket)
{
	char	   *note;

	if (bracket->status != DPS_OK && blames_gradient(a, bracket))
		return psprintf("in the gradient, %s", dps_bracket_note(a->graph, bracket));
	if (bracket->status != DPS_OK)
		return dps_bracket_note(a->graph, bracket);
	if (bracket->exhausted && bracket->full)
		return psprintf("the search ended after " UINT64_FORMAT " boxes, which took %zu MB of memory, with a gap of %.3g",
						bracket->boxes, DPS_MAX_SEARCH_BYTES / (1024 * 1024), bracket->upper - bracket->lower);
	if (bracket->exhausted)
		return psprintf("the search ended after " UINT64_FORMAT " boxes with a gap of %.3g; a larger %s may narrow the bracket",
						bracket->boxes, bracket->upper - bracket->lower,
						bracket->late ? "dpsens.max_ms" : "dpsens.max_boxes");
	if (is_metric(kind) && (note = metric_note(a, bracket)) != NULL)
		return note;
	if ((is_metric(kind) || kind == DPS_SLOPE || kind == DPS_SUM_ATTRIBUTE) &&
		bracket->upper - bracket->lower > 2 * a->options.tolerance * bracket->upper)
		return psprintf("a gap of %.3g is left where no box can be cut further", bracket->upper - bracket->lower);
	if (kind == DPS_SUM_ATTRIBUTE && !bracket->empty)
		return other_value(a, variable, bracket->witness.x[DPS_MAX_VARIABLES]);
	return NULL;
}

static char *
print_node(const DpsGraph *graph, const DpsNode *node,
		   DpsStatus (*print) (const DpsGraph *, const DpsNode *, DpsText *))
{
	DpsText		text;
	DpsStatus	status;

	dps_text_init(&text, graph->arena);
	status = print(graph, node, &text);
	if (status == DPS_UNABLE)
		return NULL;
	dps_check_status(text.failed ? DPS_NOMEM : status);
	return pstrdup(text.data);
}

char *
dps_node_sql(const DpsGraph *graph, const DpsNode *node)
{
	return print_node(graph, node, dps_print_sql);
}

char *
dps_node_latex(const DpsGraph *graph, const DpsNode *node)
{
	return print_node(graph, node, dps_print_latex);
}

static DpsStatus
print_sql_parts(const DpsGraph *graph, const DpsNode *node, DpsText *text)
{
	return dps_print_parts(graph, &node, 1, false, text);
}

static DpsStatus
print_latex_parts(const DpsGraph *graph, const DpsNode *node, DpsText *text)
{
	return dps_print_parts(graph, &node, 1, true, text);
}

char *
dps_formula_sql(const DpsGraph *graph, const DpsNode *node)
{
	char	   *text = dps_node_sql(graph, node);

	return text != NULL ? text : print_node(graph, node, print_sql_parts);
}

char *
dps_formula_latex(const DpsGraph *graph, const DpsNode *node)
{
	char	   *text = dps_node_latex(graph, node);

	return text != NULL ? text : print_node(graph, node, print_latex_parts);
}

static const DpsNode *
combine(DpsGraph *graph, DpsOpcode op, const DpsNode *x, const DpsNode *y)
{
	return dps_apply(graph, op, DPS_FLOAT8, x, y);
}

/* numerator / norm; 0 stays 0, although neither exists where the norm is 0 */
static const DpsNode *
divide_by_norm(const DpsAnalysis *a, const DpsNode *numerator, const DpsNode *norm)
{
	if (numerator != NULL && dps_is_constant(numerator, 0))
		return numerator;
	return combine(a->graph, DPS_OP_DIV, numerator, norm);
}

/* node / weight^power */
static const DpsNode *
weigh(const DpsAnalysis *a, const DpsNode *node, int variable, int power)
{
	double		weight = a->policy.weights[variable];

	if (weight == 1)
		return node;
	return combine(a->graph, DPS_OP_DIV, node,
				   dps_constant(a->graph, DPS_FLOAT8, power == 2 ? weight * weight : weight));
}

/* sum_k H_jk g_k / w_k^2 over the private variables, divided by the norm */
static const DpsNode *
partial_sensitivity(const DpsAnalysis *a, const DpsDerivatives *d, const DpsNode *const *hessian_row)
{
	DpsGraph   *graph = a->graph;
	const DpsNode *sum = dps_constant(graph, DPS_FLOAT8, 0);
	int			k;

	for (k = 0; k < dps_columns(graph); k++)
	{
		/* the product of 0 and a slope that is not defined everywhere is not folded to 0 */
		if (!is_private(a, k) || dps_is_constant(hessian_row[k], 0))
			continue;
		sum = combine(graph, DPS_OP_ADD, sum,
					  weigh(a, combine(graph, DPS_OP_MUL, hessian_row[k], d->gradient[k]), k, 2));
	}
	return divide_by_norm(a, sum, d->norm);
}

void
dps_derive(const DpsAnalysis *a, DpsDerivatives *d)
{
	DpsGraph   *graph = a->graph;
	int			n = graph->nvariables;	/* with the moving copy that
									 * dps_attribute adds */
	int			columns = dps_columns(graph);
	const DpsNode **hessian = palloc(sizeof(DpsNode *) * n * n);
	bool		complete;
	bool		constant;
	int			j;

	dps_check_status(dps_gradient(graph, a->node, d->gradient));
	dps_check_status(dps_hessian(graph, a->node, hessian));
	d->norm = dps_norm2(graph, d->gradient, a->policy.private_variables, a->policy.weights);
	complete = d->norm != NULL;
	constant = complete && dps_is_constant(d->norm, 0);
	for (j = 0; complete && j < columns; j++)
	{
		if (constant)
		{
			d->normalized[j] = d->partial[j] = dps_constant(graph, DPS_FLOAT8, NAN);
			complete = d->partial[j] != NULL;
			continue;
		}
		d->normalized[j] = divide_by_norm(a, weigh(a, d->gradient[j], j, 1), d->norm);
		d->partial[j] = partial_sensitivity(a, d, hessian + j * n);
		complete = d->normalized[j] != NULL && d->partial[j] != NULL;
	}
	if (!complete)
		dps_check_status(DPS_NOMEM);
}
