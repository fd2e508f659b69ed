/*
 * vector_bounds.c
 *		Certified quantities of vectors of row expressions, by name.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "bound/dimension.h"
#include "glue/analysis/vector_bounds.h"
#include "glue/bounds.h"
#include "glue/glue.h"

static const char *const norm_names[] = {
	[DPS_NORM_1] = "l1",
	[DPS_NORM_2] = "l2",
	[DPS_NORM_INFINITY] = "linf"
};

void
dps_prepare_vector(DpsVectorAnalysis *vector)
{
	DpsAnalysis *analysis = &vector->analysis;
	uint64_t	deciding = 0;
	int			i;

	for (i = vector->n - 1; i >= 0; i--)
	{
		analysis->node = vector->entry[i];
		deciding |= dps_null_deciding_variables(analysis);
	}
	analysis->deciding_variables = deciding;
	dps_check_status(dps_joint_init(&vector->joint, analysis->graph, vector->entry, vector->n, analysis->box,
									&analysis->policy, &analysis->options));
}

/*
 * If one of the two rows may have no vector, their distance may be as large as the
 * norm of the other's.
 */
static void
include_zero(DpsVectorAnalysis *vector, DpsGradientNorm norm, DpsJointBracket *result)
{
	DpsJointBracket magnitude;
	double		lower;
	int			j;

	dps_check_status(dps_joint_magnitude(&vector->joint, norm, &magnitude));
	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		magnitude.other.x[j] = NAN;
	lower = Max(magnitude.bracket.lower, result->bracket.lower);
	if (magnitude.bracket.upper > result->bracket.upper ||
		(magnitude.bracket.upper == result->bracket.upper && magnitude.bracket.lower > result->bracket.lower))
		*result = magnitude;
	result->bracket.lower = lower;
}

void
dps_vector_quantity(DpsVectorAnalysis *vector, DpsQuantityKind kind, DpsGradientNorm norm, int variable,
					DpsJointBracket *result)
{
	uint64_t	deciding = vector->analysis.deciding_variables;

	switch (kind)
	{
		case DPS_SUM_ADD_REMOVE:
			dps_check_status(dps_joint_magnitude(&vector->joint, norm, result));
			break;
		case DPS_SUM_REPLACE:
			dps_check_status(dps_joint_diameter(&vector->joint, norm, result));
			if (deciding != 0)
				include_zero(vector, norm, result);
			break;
		case DPS_SUM_METRIC:
			dps_check_status(dps_joint_lipschitz(&vector->joint, norm, result));
			break;
		case DPS_SUM_ATTRIBUTE:
			dps_check_status(dps_joint_attribute(&vector->joint, variable, norm, result));
			if (deciding & (UINT64_C(1) << variable))
				include_zero(vector, norm, result);
			break;
		default:
			elog(ERROR, "quantity %d is not one of vectors", (int) kind);
	}
}

char *
dps_vector_quantity_name(const DpsVectorAnalysis *vector, DpsQuantityKind kind, DpsGradientNorm norm, int variable)
{
	const char *name = kind == DPS_SUM_ADD_REMOVE ? "add_remove" : kind == DPS_SUM_REPLACE ? "replace" :
		kind == DPS_SUM_METRIC ? "metric" : "attribute";

	if (kind != DPS_SUM_ATTRIBUTE)
		return psprintf("%s_%s", name, norm_names[norm]);
	return psprintf("%s_%s:%s", name, norm_names[norm], dps_variable_key(vector->analysis.graph, variable));
}

/* Is the culprit a part of a gradient but not of an entry? */
static bool
blames_gradient(const DpsVectorAnalysis *vector, const DpsBracket *bracket)
{
	const DpsProgram *program;
	uint32_t	i;

	dps_check_status(dps_compile(vector->analysis.graph, vector->entry, vector->n, &program));
	for (i = 0; i < program->ninstructions; i++)
	{
		if (program->code[i].node == bracket->culprit->id)
			return false;
	}
	return true;
}

static char *
refusal_note(const DpsVectorAnalysis *vector, const DpsBracket *bracket)
{
	char	   *note;

	if (bracket->culprit == NULL)
		return pstrdup("no proof that the norm of the entries together is a finite double precision number");
	note = dps_bracket_note(vector->analysis.graph, bracket);
	return blames_gradient(vector, bracket) ? psprintf("in the gradient, %s", note) : note;
}

/* The other row of the pair, in the columns in which it may differ. */
static char *
other_row(const DpsVectorAnalysis *vector, DpsQuantityKind kind, int variable, const DpsJointBracket *result)
{
	const DpsGraph *graph = vector->analysis.graph;
	uint64_t	shown = 0;
	StringInfoData text;
	int			i;
	int			j;

	for (i = 0; i < vector->n; i++)
		shown |= vector->entry[i]->variables;
	if (kind == DPS_SUM_ATTRIBUTE)
		shown = UINT64_C(1) << variable;
	initStringInfo(&text);
	for (j = 0; j < dps_columns(graph); j++)
	{
		double		value = result->other.x[j];

		if (!(shown & (UINT64_C(1) << j)))
			continue;
		appendStringInfo(&text, "%s%s = ", text.len == 0 ? "against " : ", ", graph->variables[j].name);
		if (isnan(value))
			appendStringInfoString(&text, "NULL");
		else if (graph->variables[j].type == DPS_BOOL)
			appendStringInfoString(&text, value == 0 ? "false" : "true");
		else
			appendStringInfoString(&text, float8out_internal(value));
	}
	return text.len > 0 ? text.data : NULL;
}

char *
dps_vector_quantity_note(const DpsVectorAnalysis *vector, DpsQuantityKind kind, int variable,
						 const DpsJointBracket *result)
{
	const DpsBracket *bracket = &result->bracket;

	if (bracket->status != DPS_OK)
		return refusal_note(vector, bracket);
	if (bracket->exhausted)
		return psprintf("the search ended after " UINT64_FORMAT " boxes; a larger dpsens.max_boxes may narrow the bracket",
						bracket->boxes);
	if (result->loose)
		return pstrdup("certified, but wider than the tolerance: no closer bound is known for so many entries and columns");
	if (kind == DPS_SUM_REPLACE && isnan(result->other.x[DPS_MAX_VARIABLES]))
		return pstrdup("against a row that has no value");
	if ((kind == DPS_SUM_REPLACE || kind == DPS_SUM_ATTRIBUTE) && !bracket->empty)
		return other_row(vector, kind, variable, result);
	return NULL;
}
