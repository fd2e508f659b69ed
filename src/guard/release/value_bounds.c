/*
 * value_bounds.c
 *		Certified bounds of the values of a release, and the facts about privacy that
 *		follow.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"

#include "base/once.h"
#include "glue/analysis/bracket_cache.h"
#include "glue/bounds.h"
#include "glue/glue.h"
#include "glue/settings.h"
#include "guard/release/narrow_by_where.h"
#include "guard/release/value_bounds.h"
#include "num/interval.h"

/* Does a private column decide whether the value is NULL? */
static bool
validity_is_private(const DpsReleasePlan *plan, const DpsNode *value, const DpsColumns *columns)
{
	int			i;

	if (!value->nullable)
		return false;
	/* under metric the pattern of NULLs is public */
	for (i = 0; i < plan->graph->nvariables && plan->facts.adjacency != DPS_METRIC; i++)
	{
		if ((value->variables & (UINT64_C(1) << i)) && !columns->column[i].is_public &&
			columns->column[i].nullable)
			return true;
	}
	return (value->variables & plan->policy.private_variables) != 0 && dps_values_decide_null(plan->graph, value);
}

static void
ask(const DpsReleasePlan *plan, const DpsNode *value, const DpsDomain *box, DpsQuestionKind kind, int variable,
	DpsBracket *bracket)
{
	DpsQuestion question = {
		.kind = kind,
		.graph = plan->graph,
		.node = value,
		.box = box,
		.policy = kind == DPS_ASK_LIPSCHITZ_2 ? &plan->policy : NULL,
		.variable = variable,
		.options = dps_setting_bound_options()
	};

	dps_ask(&question, NULL, bracket);
}

/*
 * An upper bound of how far a value moves when one column does.  A column with several variables moves them
 * one after the other, each step within the box.
 */
static double
bound_column(const DpsReleasePlan *plan, const DpsNode *value, const DpsColumns *columns, const DpsDomain *box,
			 int first, int nvariables, int position)
{
	double		sum = 0;
	int			i;

	for (i = first; i < nvariables; i++)
	{
		DpsBracket	bracket;

		if (columns->column[i].number != columns->column[first].number ||
			columns->column[i].part != columns->column[first].part)
			continue;
		ask(plan, value, box, DPS_ASK_ATTRIBUTE, i, &bracket);
		dps_refuse_bracket(plan->graph, &bracket, "the expression", position);
		sum = dps_add_up(sum, bracket.upper);
	}
	return sum;
}

/* Notes which row of the attributes is the column's, if it has several variables that of the first, which
 * has the moves of all. */
static void
note_attribute(const DpsFacts *facts, AttrNumber column)
{
	int			i;

	for (i = 0; facts->weights != NULL && i < facts->weights->ncolumns; i++)
	{
		DpsWeightedColumn *weighted = &facts->weights->column[i];

		if (weighted->column == column && weighted->attribute < 0)
			weighted->attribute = facts->nattributes;
	}
}

static void
bound_attributes(DpsReleasePlan *plan, const DpsColumns *columns, const DpsDomain *box, int position)
{
	DpsFacts   *facts = &plan->facts;

	/* the search for bounds adds a variable of its own */
	int			n = plan->graph->nvariables;
	int			i;
	int			k;

	facts->attributes = palloc0(sizeof(*facts->attributes) * Max(n, 1));
	facts->attribute_columns = palloc0(sizeof(AttrNumber) * Max(n, 1));
	for (i = 0; i < n; i++)
	{
		double	   *moves = facts->attributes[facts->nattributes];

		if (!(plan->policy.private_variables & (UINT64_C(1) << i)))
			continue;
		for (k = 0; k < facts->nvalues; k++)
			moves[k] = bound_column(plan, plan->values[k], columns, box, i, n, position);
		facts->attribute = Max(facts->attribute, moves[0]);
		note_attribute(facts, columns->column[i].number);
		facts->attribute_columns[facts->nattributes] = columns->column[i].number;
		facts->nattributes++;
	}
}

/*
 * A condition is a step function of its column: it can change however small the distance is that a row
 * moves.
 */
static void
refuse_metric_condition(const DpsReleasePlan *plan, const DpsColumns *columns, int position)
{
	uint64_t	used = 0;
	int			i;

	for (i = 0; i < plan->facts.nvalues; i++)
		used |= plan->values[i]->variables & plan->policy.private_variables;
	for (i = 0; i < plan->graph->nvariables; i++)
	{
		if ((used & (UINT64_C(1) << i)) && columns->column[i].condition != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a condition on a private column is not possible under metric adjacency"),
					 errdetail("The value jumps where %s changes.", plan->graph->variables[i].name),
					 errposition(position)));
	}
}

/*
 * An upper bound of the sum of the numbers that are rounded when a cell of the range becomes a double: a
 * numeric is rounded once; a timestamp as seconds since 2000 and since 1970; of an interval the fraction of
 * a second, and the whole; other types are not rounded.
 */
static double
rounded_numbers(const DpsCell *cell)
{
	double		since = (double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
	double		end = dps_max(fabs(cell->domain.lo), fabs(cell->domain.hi));

	switch (cell->type)
	{
		case NUMERICOID:
			return end;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return dps_add_up(end, dps_max(fabs(dps_sub_down(cell->domain.lo, since)), fabs(dps_sub_up(cell->domain.hi, since))));
		case INTERVALOID:
			return dps_add_up(end, 1);
		default:
			return 0;
	}
}

/*
 * An upper bound of how far, in the distance of definitions, section 2, a row moves when its cells become
 * doubles: each rounding is at most half an ulp.
 */
static double
conversion_error(const DpsReleasePlan *plan, const DpsColumns *columns)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < plan->graph->nvariables; i++)
	{
		const DpsColumn *column = &columns->column[i];

		if (plan->policy.private_variables & (UINT64_C(1) << i))
			sum = dps_add_up(sum, dps_mul_up(column->weight, dps_mul_up(rounded_numbers(&column->cell), DBL_EPSILON / 2)));
	}
	return sum;
}

/* The bounds of a value that the adjacency needs beside its range. */
static void
bound_move(DpsReleasePlan *plan, int k, const DpsColumns *columns, const DpsDomain *box, int position)
{
	DpsValueFacts *value = &plan->facts.value[k];
	DpsBracket	metric;
	DpsBracket	error;

	if (plan->facts.adjacency == DPS_METRIC)
	{
		ask(plan, plan->values[k], box, DPS_ASK_LIPSCHITZ_2, -1, &metric);
		dps_refuse_bracket(plan->graph, &metric, "the expression, under adjacency metric,", position);
		value->lipschitz = metric.upper;
		if (k == 0)
			plan->metric = metric;
	}
	if (plan->facts.adjacency == DPS_ATTRIBUTE || plan->facts.adjacency == DPS_METRIC ||
		plan->aggregate->is_centred != NULL)
	{
		ask(plan, plan->values[k], box, DPS_ASK_EVALUATION_ERROR, -1, &error);
		value->evaluation_error = error.upper;
	}
	if (plan->facts.adjacency == DPS_METRIC)
		value->evaluation_error = dps_add_up(value->evaluation_error,
											 dps_mul_up(value->lipschitz, conversion_error(plan, columns)));
}

/* Replaces the range by bounds where a condition on several columns is true (narrow_by_where.h), if they
 * are narrower. */
static void
narrow_range(DpsReleasePlan *plan, int k, const DpsNode *condition, const DpsDomain *box)
{
	DpsValueFacts *value = &plan->facts.value[k];
	const DpsNode *guarded;
	DpsBracket	infimum;
	DpsBracket	supremum;

	if (condition == NULL || (condition->variables & plan->values[k]->variables) == 0)
		return;
	guarded = dps_choose(plan->graph, condition, plan->values[k],
						 dps_constant(plan->graph, plan->values[k]->type, NAN));
	if (guarded == NULL)
		dps_check_status(DPS_NOMEM);
	ask(plan, guarded, box, DPS_ASK_INFIMUM, -1, &infimum);
	ask(plan, guarded, box, DPS_ASK_SUPREMUM, -1, &supremum);
	if (infimum.status != DPS_OK || supremum.status != DPS_OK || infimum.empty || supremum.empty ||
		!(infimum.lower <= supremum.upper))
		return;
	if (infimum.lower > value->inf)
		value->inf = infimum.lower;
	else
		infimum = plan->infimum;
	if (supremum.upper < value->sup)
		value->sup = supremum.upper;
	else
		supremum = plan->supremum;
	if (k == 0)
	{
		plan->infimum = infimum;
		plan->supremum = supremum;
	}
}

/* Certified bounds of a value. */
static void
bound_range(DpsReleasePlan *plan, int k, const DpsNode *condition, const DpsDomain *box, int position)
{
	DpsBracket	infimum;
	DpsBracket	supremum;

	ask(plan, plan->values[k], box, DPS_ASK_INFIMUM, -1, &infimum);
	dps_refuse_bracket(plan->graph, &infimum, "the expression", position);
	ask(plan, plan->values[k], box, DPS_ASK_SUPREMUM, -1, &supremum);
	dps_refuse_bracket(plan->graph, &supremum, "the expression", position);
	plan->facts.value[k].inf = infimum.lower;
	plan->facts.value[k].sup = supremum.upper;
	if (k == 0)
	{
		plan->infimum = infimum;
		plan->supremum = supremum;
	}
	narrow_range(plan, k, condition, box);
}

static double
joint_upper(const DpsReleasePlan *plan, const DpsJointBracket *joint, int position)
{
	if (joint->bracket.status != DPS_OK && joint->bracket.culprit == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the norm of the vector is not bounded"),
				 errhint("Narrow the ranges of its columns."),
				 errposition(position)));
	dps_refuse_bracket(plan->graph, &joint->bracket, "the vector", position);
	return joint->bracket.upper;
}

/* Starts the search over the values as one vector: f or f - c of src/bound/vector/joint.h. */
static void
start_joint(DpsReleasePlan *plan, const DpsDomain *box, DpsJoint *joint)
{
	const DpsFacts *facts = &plan->facts;
	DpsBoundOptions options = dps_setting_bound_options();
	const DpsNode *entries[DPS_MAX_VALUES];
	int			i;

	for (i = 0; i < facts->nvalues; i++)
	{
		double		middle = facts->value[i].inf / 2.0 + facts->value[i].sup / 2.0;

		entries[i] = plan->values[i];
		if (plan->aggregate->is_centred(facts))
			entries[i] = dps_apply(plan->graph, DPS_OP_SUB, DPS_FLOAT8, entries[i],
								   dps_constant(plan->graph, DPS_FLOAT8, middle));
		if (entries[i] == NULL)
			dps_check_status(DPS_NOMEM);
	}
	dps_check_status(dps_joint_init(joint, plan->graph, entries, facts->nvalues, box, &plan->policy, &options));
}

static void
bound_joint(DpsReleasePlan *plan, const DpsDomain *box, int position)
{
	static const DpsGradientNorm norms[2] = {DPS_NORM_1, DPS_NORM_2};
	DpsFacts   *facts = &plan->facts;
	DpsJoint	joint;
	DpsJointBracket bracket;
	int			k;

	start_joint(plan, box, &joint);
	for (k = 0; k < 2; k++)
	{
		dps_check_status(dps_joint_magnitude(&joint, norms[k], &bracket));
		facts->joint[k].magnitude = joint_upper(plan, &bracket, position);
		if (facts->adjacency == DPS_REPLACE || facts->adjacency == DPS_ATTRIBUTE)
		{
			dps_check_status(dps_joint_diameter(&joint, norms[k], &bracket));
			facts->joint[k].distance = joint_upper(plan, &bracket, position);
		}
		if (facts->adjacency == DPS_METRIC)
		{
			dps_check_status(dps_joint_lipschitz(&joint, norms[k], &bracket));
			facts->joint[k].lipschitz = joint_upper(plan, &bracket, position);
		}
	}
}

void
dps_bound_values(DpsReleasePlan *plan, DpsImport *import, const List *conditions, int position)
{
	DpsColumns *columns = import->context;
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	DpsFacts   *facts = &plan->facts;
	const DpsNode *condition = NULL;
	int			i;

	for (i = 0; i < plan->graph->nvariables; i++)
	{
		box[i] = columns->column[i].cell.domain;
		plan->policy.weights[i] = columns->column[i].weight;
		if (!columns->column[i].is_public)
			plan->policy.private_variables |= UINT64_C(1) << i;
	}
	dps_narrow_by_conditions(import, conditions, box);
	/* cells are clamped into the same box that is bounded */
	for (i = 0; i < plan->graph->nvariables; i++)
		columns->column[i].cell.domain = box[i];
	/* under these adjacencies values are clamped into the bounds that the sensitivity is derived from */
	if ((facts->adjacency == DPS_ADD_REMOVE || facts->adjacency == DPS_REPLACE) && plan->aggregate->is_centred == NULL)
		condition = dps_joint_condition(import, conditions, box);
	facts->integral = plan->values[0]->integral;
	for (i = 0; i < facts->nvalues; i++)
	{
		bound_range(plan, i, condition, box, position);
		facts->value_is_private |= (plan->values[i]->variables & plan->policy.private_variables) != 0;
		facts->validity_is_private |= validity_is_private(plan, plan->values[i], columns);
	}
	if (facts->adjacency == DPS_METRIC)
		refuse_metric_condition(plan, columns, position);
	if (facts->adjacency == DPS_ATTRIBUTE)
		bound_attributes(plan, columns, box, position);
	for (i = 0; i < facts->nvalues; i++)
		bound_move(plan, i, columns, box, position);
	if (plan->aggregate->is_centred != NULL)
		bound_joint(plan, box, position);
	facts->inf = facts->value[0].inf;
	facts->sup = facts->value[0].sup;
	facts->lipschitz = facts->value[0].lipschitz;
	facts->evaluation_error = facts->value[0].evaluation_error;
}
