/*
 * release_plan.c
 *		From one dp aggregate of a query to the constants that execute it.
 *
 * Everything here depends on the query, the declarations and nothing else:
 * never on data, never on epsilon.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/analysis.h"
#include "glue/bounds.h"
#include "glue/bracket_cache.h"
#include "glue/glue.h"
#include "glue/import.h"
#include "glue/row.h"
#include "glue/settings.h"
#include "guard/columns.h"
#include "guard/describe.h"
#include "guard/join.h"
#include "guard/parameter.h"
#include "guard/release_plan.h"
#include "guard/unit_rows.h"
#include "guard/selection.h"
#include "guard/written.h"
#include "num/interval.h"

/* Is it a member of the extension? */
static char *
own_name(Oid function)
{
	char	   *name = function < FirstNormalObjectId ? NULL : get_func_name(function);

	return name != NULL && strncmp(name, "dp_", 3) == 0 && dps_is_own_function(function) ? name : NULL;
}

static bool
has_array(Oid function)
{
	Oid		   *types;
	int			n;
	int			i;

	(void) get_func_signature(function, &types, &n);
	for (i = 0; i < n; i++)
	{
		if (types[i] == FLOAT8ARRAYOID)
			return true;
	}
	return false;
}

static int
family_row(const DpsAggregate *family)
{
	int			row = 0;

	while (dps_aggregates[row] != family)
		row++;
	return row;
}

int
dps_dp_aggregate(Oid function)
{
	char	   *name = own_name(function);
	bool		interval;
	int			statistic;

	if (name == NULL)
		return -1;
	statistic = dps_statistic_find(name, has_array(function), &interval);
	return statistic >= 0 ? family_row(dps_statistics[statistic].family) :
		dps_aggregate_find_variant(name, get_func_rettype(function), false);
}

bool
dps_release_takes_keys(const DpsAggregate *aggregate)
{
	return aggregate->argument == DPS_DECLARED_ARGUMENT && aggregate->release_function != NULL;
}

Oid
dps_release_function(const DpsAggregate *aggregate)
{
	Oid			argtypes[4] = {dps_internal_type("plan"), dps_internal_type("state"), FLOAT8OID, ANYARRAYOID};
	Oid			groups[4] = {argtypes[0], INT8OID, FLOAT8OID, INT8OID};
	const char *name = aggregate->release_function != NULL ? aggregate->release_function : "release_answer";

	if (aggregate->argument == DPS_GROUP_ARGUMENT)
		return dps_internal_function(name, 4, groups);
	return dps_internal_function(name, dps_release_takes_keys(aggregate) ? 4 : 3, argtypes);
}

static void
check_aggregate(DpsProtectedSource *source, Aggref *aggref, const DpsAggregate *aggregate, const char *name)
{
	const char *what = NULL;

	if (aggref->aggdistinct != NIL && !aggregate->is_distinct)
		what = "DISTINCT";
	else if (aggref->aggorder != NIL)
		what = "ORDER BY";
	if (what != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s is not supported in %s", what, name),
				 errposition(dps_query_position(source, aggref->location))));
	if (aggref->agglevelsup != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot belong to an outer query", name),
				 errposition(dps_query_position(source, aggref->location))));
}

/* The declared values, if the aggregate is over such; an error if it needs some. */
static DpsKey *
find_declared(DpsProtectedSource *source, const DpsAggregate *aggregate, Node *argument)
{
	DpsKey	   *key = NULL;

	if (aggregate->argument == DPS_DECLARED_ARGUMENT || aggregate->argument == DPS_POINT_ARGUMENT)
		key = dps_declared_key(source, argument);
	if (key == NULL && aggregate->argument == DPS_DECLARED_ARGUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s needs a column whose values are declared", aggregate->name),
				 errdetail("A value that is chosen from the data would reveal the row that holds it."),
				 errhint("Declare them with dpsens.set_values()."),
				 errposition(dps_query_position(source, exprLocation(argument)))));
	if (key != NULL)
		dps_sort_key(key);
	return key;
}

/* Persons are counted, not listed. */
static void
refuse_units(DpsProtectedSource *source, Node *argument, Node *expanded)
{
	DpsColumnAnnotation annotation = {0};

	if (IsA(expanded, Var) && ((Var *) expanded)->varlevelsup == 0 && ((Var *) expanded)->varattno > 0)
		dps_get_var_annotation(source, (Var *) expanded, &annotation);
	if (!annotation.is_unit || annotation.has_range)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("DISTINCT of the privacy unit is not supported in dp_count"),
			 errdetail("Its values are not declared."),
			 errhint("Count units in a query of their own: SELECT dp_count(*) FROM (SELECT DISTINCT %s FROM ...) s.",
					 dps_var_name(source, (Var *) expanded, false)),
			 errposition(dps_query_position(source, exprLocation(argument)))));
}

/* A whole number, whose values can be counted one by one. */
static const DpsNode *
import_point(DpsImport *import, DpsProtectedSource *source, Node *argument, Node *expanded)
{
	DpsType		type;
	const DpsNode *value = NULL;

	refuse_units(source, argument, expanded);
	if (dps_type_from_oid(exprType(argument), &type))
		value = dps_import(import, expanded);
	if (value == NULL || !value->integral)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("DISTINCT needs a column whose values are declared, or integers of a bounded range"),
				 errdetail("The state of other values has no bound."),
				 errhint("Declare the column's values with dpsens.set_values()."),
				 errposition(dps_query_position(source, exprLocation(argument)))));
	return value;
}

/* The value that each row adds, NULL where it adds nothing. */
static const DpsNode *
import_value(DpsImport *import, DpsProtectedSource *source, Node *argument, const DpsReleasePlan *plan)
{
	DpsGraph   *graph = import->graph;
	Node	   *expanded = dps_expand_expression(source, argument);
	bool		counts = plan->aggregate->argument == DPS_VALID_ARGUMENT;
	const DpsNode *value;

	if (plan->declared != NULL)
		value = dps_import_declared(import, (Var *) expanded, plan->declared);
	else if (plan->aggregate->argument == DPS_POINT_ARGUMENT)
		value = import_point(import, source, argument, expanded);
	else if (counts && IsA(expanded, Var) && ((Var *) expanded)->varattno > 0 &&
		((Var *) expanded)->varlevelsup == 0)
		value = dps_import_validity(import, (Var *) expanded);
	else
	{
		value = dps_import(import, expanded);
		if (counts)
			value = dps_choose(graph, dps_apply(graph, DPS_OP_IS_NULL, DPS_BOOL, value, NULL),
							   dps_constant(graph, DPS_FLOAT8, NAN), dps_constant(graph, DPS_FLOAT8, 1));
		else
			value = dps_as_float8(graph, value);
	}
	if (value == NULL)
		dps_check_status(DPS_NOMEM);
	return value;
}

/* Is it a matter of a private column whether the value is NULL? */
static bool
validity_is_private(const DpsReleasePlan *plan, const DpsNode *value, const DpsColumns *columns)
{
	int			i;

	if (!value->nullable)
		return false;
	/* metric takes the pattern of NULLs as public */
	for (i = 0; i < plan->graph->nvariables && plan->facts.adjacency != DPS_METRIC; i++)
	{
		if ((value->variables & (UINT64_C(1) << i)) && !columns->column[i].is_public &&
			columns->column[i].nullable)
			return true;
	}
	/* a NULL that the values themselves decide: CASE without ELSE, NULLIF */
	return (value->variables & plan->policy.private_variables) != 0 &&
		dps_strict_variables(plan->graph, value) != value->variables;
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
 * The furthest that a value moves when one column does.  A column that stands for
 * several variables moves them one after the other, each step within the box.
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

static void
bound_attributes(DpsReleasePlan *plan, const DpsColumns *columns, const DpsDomain *box, int position)
{
	DpsFacts   *facts = &plan->facts;

	/* the search adds a variable of its own */
	int			n = plan->graph->nvariables;
	int			i;
	int			k;

	facts->attributes = palloc0(sizeof(*facts->attributes) * Max(n, 1));
	for (i = 0; i < n; i++)
	{
		double	   *moves = facts->attributes[facts->nattributes];

		if (!(plan->policy.private_variables & (UINT64_C(1) << i)))
			continue;
		for (k = 0; k < facts->nvalues; k++)
			moves[k] = bound_column(plan, plan->values[k], columns, box, i, n, position);
		facts->attribute = Max(facts->attribute, moves[0]);
		facts->nattributes++;
	}
}

/*
 * A condition on a column is a step of the column: however small the distance
 * that a row moves, it can change.
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
 * How far, in the distance of MATH section 2, a row moves when its cells become
 * doubles: integers, booleans, dates and floats not at all; a numeric is
 * rounded once, a timestamp or an interval twice, by half an ulp of the range's larger end
 * each time.
 */
static double
conversion_error(const DpsReleasePlan *plan, const DpsColumns *columns)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < plan->graph->nvariables; i++)
	{
		const DpsColumn *column = &columns->column[i];
		double		move;

		if (!(plan->policy.private_variables & (UINT64_C(1) << i)) ||
			(column->cell.type != NUMERICOID && column->cell.type != TIMESTAMPOID &&
			 column->cell.type != TIMESTAMPTZOID && column->cell.type != INTERVALOID))
			continue;
		move = dps_mul_up(Max(fabs(column->cell.domain.lo), fabs(column->cell.domain.hi)), DBL_EPSILON);
		sum = dps_add_up(sum, dps_mul_up(column->weight, move));
	}
	return sum;
}

/* What the adjacency needs beyond the range of a value. */
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

/* Bounds where a condition on several columns is true (selection.h), if they are
 * narrower. */
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

/* The values as one vector: in src/bound/joint.h's words, f or f - c. */
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

/* Bounds of the values, and what they say about privacy. */
static void
bound_values(DpsReleasePlan *plan, DpsImport *import, const List *conditions, int position)
{
	const DpsColumns *columns = import->context;
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
	/* values outside of bounds that these adjacencies rest on are clamped into them */
	if ((facts->adjacency == DPS_ADD_REMOVE || facts->adjacency == DPS_REPLACE) && plan->aggregate->is_centred == NULL)
		condition = dps_joint_condition(import, conditions);
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

/* Serialises the program and collects the arguments. */
static void
build_summand(DpsReleasePlan *plan, const DpsSummand *summand, const DpsColumns *columns,
			  const DpsProgram *program)
{
	DpsCell		cells[DPS_MAX_VARIABLES];
	int			i;

	if (program == NULL)
	{
		plan->summand = dps_summand_build(summand, NULL, 0, NULL);
		return;
	}
	for (i = 0; i < (int) program->nvariables; i++)
	{
		cells[i] = columns->column[i].cell;
		plan->columns = lappend(plan->columns, columns->column[i].argument);
	}
	plan->summand = dps_summand_build(summand, cells, program->nvariables, program);
}

/* The simplified expression of one of a release's values. */
static const char *
value_text(const DpsReleasePlan *plan, int k)
{
	const char *text = dps_node_sql(plan->graph, plan->values[k]);

	return text != NULL ? text : "...";
}

char *
dps_request_values(const DpsRequest *request)
{
	const DpsReleasePlan *plan = request->release;
	StringInfoData text;
	int			n = list_length(request->arguments);
	int			scalars = n;
	int			k;

	if (plan->graph == NULL)
		return pstrdup("*");
	if (request->statistic >= 0 && dps_statistics[request->statistic].ends_with_array)
		scalars = dps_statistics[request->statistic].nvalues - 1;
	initStringInfo(&text);
	for (k = 0; k < n; k++)
	{
		appendStringInfoString(&text, k > 0 ? ", " : "");
		appendStringInfoString(&text, k == scalars ? "ARRAY[" : "");
		appendStringInfoString(&text, value_text(plan, request->finish != NULL ? request->finish->value[k] : k));
	}
	appendStringInfoString(&text, scalars < n ? "]" : "");
	return text.data;
}

static const char *
parameter_text(const DpsRequest *request)
{
	const Const *parameter = request->parameter_value;
	Oid			output;
	bool		is_varlena;

	if (parameter == NULL)
		return "";
	getTypeOutputInfo(parameter->consttype, &output, &is_varlena);
	return psprintf(type_is_array(parameter->consttype) ? ", '%s'" : ", %s",
					OidOutputFunctionCall(output, parameter->constvalue));
}

char *
dps_request_text(const DpsRequest *request)
{
	bool		hides = request->release->graph != NULL &&
		request->release->aggregate->argument == DPS_VALID_ARGUMENT;

	return psprintf("%s(%s%s%s)%s", get_func_name(request->aggref->aggfnoid),
					request->aggref->aggdistinct != NIL ? "DISTINCT " : "",
					hides ? "..." : dps_request_values(request), parameter_text(request),
					request->aggref->aggfilter != NULL ? " FILTER (...)" : "");
}

static void
derive_release(DpsReleasePlan *plan, int row, DpsRelease *release, DpsSummand *summand, int position)
{
	const char *why = NULL;
	DpsStatus	status;

	status = dps_aggregate_derive(row, &plan->facts, release, summand, &why);
	if (status == DPS_DOMAIN)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be answered under adjacency %s: %s", get_func_name(plan->aggref->aggfnoid),
						dps_adjacency_name(plan->facts.adjacency), why != NULL ? why : "its sensitivity is not bounded"),
				 plan->aggregate->release_function != NULL && plan->facts.adjacency == DPS_METRIC ?
				 errhint("Sums and means of continuous expressions can be answered.") : 0,
				 errposition(position)));
	dps_check_status(status);
}

/* Does the aggregate's FILTER depend on a private column? */
static bool
filter_is_private(DpsProtectedSource *source, Aggref *aggref)
{
	if (aggref->aggfilter == NULL)
		return false;
	if (checkExprHasSubLink((Node *) aggref->aggfilter))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a subquery is not supported in FILTER of a dp aggregate"),
				 errhint("Write the condition in WHERE."),
				 errposition(dps_query_position(source, aggref->location))));
	return dps_is_private_condition(source, (Node *) aggref->aggfilter);
}

/* Everything that must be true of a row that the aggregate counts. */
static List *
row_conditions(DpsProtectedSource *source, Aggref *aggref)
{
	List	   *conditions = list_copy(source->conditions);

	if (aggref->aggfilter != NULL)
		conditions = lappend(conditions, dps_expand_expression(source, (Node *) aggref->aggfilter));
	return conditions;
}

/* Is there nothing in dp_count's argument that could be NULL? */
static bool
never_null(DpsProtectedSource *source, Node *argument)
{
	Node	   *expanded = dps_expand_expression(source, argument);
	Var		   *var = (Var *) expanded;

	if (IsA(expanded, Const))
		return !((Const *) expanded)->constisnull;
	return IsA(expanded, Var) && var->varlevelsup == 0 && var->varattno > 0 &&
		dps_var_is_not_null(source, var);
}

/* Is it ARRAY[...], perhaps of another type of numbers? */
static bool
is_written_array(Node *argument)
{
	if (IsA(argument, ArrayCoerceExpr))
		return is_written_array((Node *) ((ArrayCoerceExpr *) argument)->arg);
	return IsA(argument, ArrayExpr);
}

/* The entries of an array that is written out. */
static List *
take_entries(DpsProtectedSource *source, Node *argument, const char *name)
{
	List	   *entries;

	if (!is_written_array(argument) || !dps_array_elements(argument, &entries) || entries == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the array argument of %s must be written as ARRAY[...]", name),
				 errdetail("Each entry is a row expression that is bounded by itself."),
				 errposition(dps_query_position(source, exprLocation(argument)))));
	return entries;
}

static void
check_number_of_values(DpsProtectedSource *source, const DpsRequest *request, const char *name)
{
	if (list_length(request->arguments) > DPS_MAX_VALUES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s has more than %d values", name, DPS_MAX_VALUES),
				 errposition(dps_query_position(source, request->aggref->location))));
}

/* DISTINCT makes it another family, if there is one. */
static void
choose_variant(DpsRequest *request, const char *name)
{
	int			row = -1;

	if (request->aggref->aggdistinct == NIL)
		return;
	if (request->interval)
	{
		row = dps_statistic_find_distinct(name);
		if (row < 0)
			return;
		request->statistic = row;
		request->family = family_row(dps_statistics[row].family);
		return;
	}
	row = dps_aggregate_find_variant(name, get_func_rettype(request->aggref->aggfnoid), true);
	if (row < 0)
		return;
	request->family = row;
	request->statistic = -1;
}

/* What is asked for beside values, epsilon and level; the number of arguments
 * that say it. */
static int
take_parameter(DpsProtectedSource *source, DpsRequest *request)
{
	const DpsAggregate *aggregate = dps_aggregates[request->family];
	Node	   *argument;

	if (aggregate->level.denominator > 0)
	{
		request->parameter = palloc0(sizeof(DpsParameter));
		request->parameter->nlevels = 1;
		request->parameter->level[0] = aggregate->level;
	}
	if (aggregate->parameter == DPS_NO_PARAMETER)
		return 0;
	argument = (Node *) lsecond_node(TargetEntry, request->aggref->args)->expr;
	request->parameter = palloc0(sizeof(DpsParameter));
	request->parameter_value = dps_take_parameter(source, aggregate->parameter, argument, request->parameter);
	return 1;
}

/* The level of an interval that is drawn decides what is drawn. */
static void
take_confidence(DpsRequest *request)
{
	if (!dps_aggregates[request->family]->draws_interval)
		return;
	request->parameter->confidence = DPS_DEFAULT_LEVEL;
	if (request->level == NULL)
		return;
	request->level_is_unknown = !IsA(request->level, Const);
	if (!request->level_is_unknown)
		request->parameter->confidence = DatumGetFloat8(((Const *) request->level)->constvalue);
}

DpsRequest *
dps_read_request(DpsProtectedSource *source, Aggref *aggref)
{
	DpsRequest *request = palloc0(sizeof(DpsRequest));
	char	   *name = get_func_name(aggref->aggfnoid);
	int			nvalues = 1;
	int			fixed;
	int			i = 0;
	ListCell   *cell;

	request->aggref = aggref;
	request->family = dps_dp_aggregate(aggref->aggfnoid);
	request->statistic = dps_statistic_find(name, has_array(aggref->aggfnoid), &request->interval);
	choose_variant(request, name);
	check_aggregate(source, aggref, dps_aggregates[request->family], name);
	if (request->statistic >= 0)
		nvalues = dps_statistics[request->statistic].nvalues;
	fixed = nvalues + take_parameter(source, request);
	foreach(cell, aggref->args)
	{
		Node	   *argument = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (i == nvalues && fixed > nvalues)
			;					/* taken */
		else if (i == fixed)
			request->epsilon = dps_take_epsilon(source, argument);
		else if (i > fixed)
			request->level = dps_take_level(source, argument);
		else if (i == nvalues - 1 && request->statistic >= 0 && dps_statistics[request->statistic].ends_with_array)
			request->arguments = list_concat(request->arguments, take_entries(source, argument, name));
		else
			request->arguments = lappend(request->arguments, argument);
		i++;
	}
	take_confidence(request);
	check_number_of_values(source, request, name);
	return request;
}

/* ---- sharing a release ---- */

/* The place of an argument among those of a release, or -1. */
static int
find_argument(const List *arguments, const Node *argument)
{
	ListCell   *cell;
	int			i = 0;

	foreach(cell, arguments)
	{
		if (equal(lfirst(cell), argument))
			return i;
		i++;
	}
	return -1;
}

/* Which of a release's values are the request's; NULL if some are not. */
static DpsFinish *
make_finish(const DpsRequest *request, const DpsReleasePlan *plan)
{
	DpsFinish  *finish = palloc0(sizeof(DpsFinish));
	ListCell   *cell;

	SET_VARSIZE(finish, sizeof(DpsFinish));
	finish->version = DPS_FINISH_VERSION;
	finish->statistic = request->statistic;
	foreach(cell, request->arguments)
	{
		int			place = find_argument(plan->arguments, lfirst(cell));

		if (place < 0)
			return NULL;
		finish->value[finish->nvalues++] = (int16) place;
	}
	return finish;
}

/* Would a row count in the release that does not count in a release for the
 * request alone, or the reverse? */
static bool
counts_the_same_rows(const DpsFinish *finish, const DpsReleasePlan *plan)
{
	int			k;
	int			i;

	for (k = 0; k < plan->facts.nvalues; k++)
	{
		/* an argument that is written twice is one place of the finish */
		for (i = 0; i < finish->nvalues; i++)
		{
			if (equal(list_nth(plan->arguments, finish->value[i]), list_nth(plan->arguments, k)))
				break;
		}
		if (i == finish->nvalues && plan->values[k]->nullable)
			return false;
	}
	return true;
}

int
dps_request_breadth(const DpsRequest *request)
{
	if (request->statistic < 0 || dps_statistics[request->statistic].moments == 0)
		return 0;
	return dps_statistics[request->statistic].moments * (DPS_MAX_VALUES + 1) + list_length(request->arguments);
}

/* Is the same asked of the same values?  Of what is not known yet only by the request
 * that the release is for. */
static bool
same_parameter(const DpsRequest *request, const DpsReleasePlan *plan)
{
	const DpsAggregate *family = plan->aggregate;

	if (request->aggref == plan->aggref)
		return true;
	if (family->draws_interval && (request->level_is_unknown || !equal(request->level, plan->level)))
		return false;
	return family->parameter == DPS_NO_PARAMETER ||
		(request->parameter_value != NULL && equal(request->parameter_value, plan->parameter_value));
}

bool
dps_share_release(DpsRequest *request, DpsReleasePlan *plan)
{
	const DpsStatistic *statistic;
	DpsFinish  *finish;

	if (request->statistic < 0 || dps_aggregates[request->family] != plan->aggregate ||
		!equal(request->epsilon, plan->epsilon) || !equal(request->aggref->aggfilter, plan->aggref->aggfilter) ||
		!same_parameter(request, plan))
		return false;
	statistic = &dps_statistics[request->statistic];
	if ((statistic->moments & ~plan->facts.moments) != 0)
		return false;
	finish = make_finish(request, plan);
	if (finish == NULL)
		return false;
	if (statistic->moments == 0 && list_length(request->arguments) != list_length(plan->arguments))
		return false;
	if (plan->graph != NULL && !counts_the_same_rows(finish, plan))
		return false;
	request->finish = finish;
	request->release = plan;
	return true;
}

/* ---- a release ---- */

void
dps_describe_release(DpsReleasePlan *plan, const char *text)
{
	plan->release = dps_release_describe(plan->release, dps_release_design(plan->release), text, plan->contribution);
}

/* Imports the values and bounds them. */
static const DpsProgram *
analyse_values(DpsReleasePlan *plan, DpsProtectedSource *source, DpsColumns *columns, const List *conditions,
			   int position)
{
	DpsImport	import = {0};
	const DpsProgram *program;
	ListCell   *cell;
	int			k = 0;

	dps_columns_prepare(&import, columns, source);
	dps_check_status(dps_graph_init(&import.graph, dps_server_arena()));
	plan->graph = import.graph;
	plan->declared = find_declared(source, plan->aggregate, linitial(plan->arguments));
	foreach(cell, plan->arguments)
		plan->values[k++] = import_value(&import, source, lfirst(cell), plan);
	plan->value = plan->values[0];
	plan->facts.nvalues = k;
	/* before the search adds a variable of its own */
	dps_check_status(dps_compile(plan->graph, plan->values, k, &program));
	bound_values(plan, &import, conditions, position);
	return program;
}

static void
set_row_facts(DpsReleasePlan *plan, DpsProtectedSource *source, bool key_is_private, bool has_rest)
{
	DpsFacts   *facts = &plan->facts;

	facts->adjacency = dps_row_adjacency(source);
	/* the filter is checked there, so it comes first */
	facts->selection_is_private = filter_is_private(source, plan->aggref) || source->selection_is_private;
	/* then it depends on private values which rows are left out */
	if (source->is_individual && source->annotation.adjacency != DPS_ADD_REMOVE)
		facts->selection_is_private = true;
	facts->key_is_private = key_is_private;
	dps_unit_factors(source, facts);
	/* all of them can be in the rest */
	if (has_rest)
		facts->unit_l2 = facts->unit_l1;
}

DpsReleasePlan *
dps_plan_release(DpsProtectedSource *source, const DpsRequest *request, bool key_is_private, bool has_rest)
{
	DpsReleasePlan *plan = palloc0(sizeof(DpsReleasePlan));
	DpsColumns *columns = palloc0(sizeof(DpsColumns));
	Node	   *first = request->arguments == NIL ? NULL : linitial(request->arguments);
	int			position = first == NULL ? 0 : dps_query_position(source, exprLocation(first));
	List	   *conditions;
	DpsRelease	release;
	DpsSummand	summand;
	const DpsProgram *program = NULL;

	plan->aggref = request->aggref;
	plan->aggregate = dps_aggregates[request->family];
	plan->arguments = request->arguments;
	plan->epsilon = request->epsilon;
	plan->parameter_value = request->parameter_value;
	plan->level = request->level;
	if (request->statistic >= 0)
		plan->facts.moments = dps_statistics[request->statistic].moments;
	if (request->parameter != NULL)
		plan->facts.parameter = *request->parameter;
	set_row_facts(plan, source, key_is_private, has_rest);
	conditions = row_conditions(source, plan->aggref);
	if (first == NULL || (plan->aggregate->argument == DPS_VALID_ARGUMENT && never_null(source, first)))
	{
		plan->facts.counts_rows = true;
		plan->facts.inf = plan->facts.sup = 1;
	}
	else
		program = analyse_values(plan, source, columns, conditions, position);
	if (plan->facts.parameter.nbuckets > 0 && plan->facts.parameter.edges == NULL)
		plan->facts.parameter.edges = dps_equal_edges(plan->facts.inf, plan->facts.sup, plan->facts.parameter.nbuckets);
	derive_release(plan, request->family, &release, &summand, position);
	release.relation = source->relation;
	dps_note_join(source, &release);
	release.individual = source->is_individual;
	release.incomplete = dps_aggregates[request->family]->parameter != DPS_NO_PARAMETER &&
		request->parameter_value == NULL;
	release.incomplete |= request->level_is_unknown;
	/* of a join: it cannot be told from a row of one relation */
	plan->contribution = source->parts != NIL ? NULL :
		dps_describe_contribution(plan, &release, columns, program, conditions);
	plan->release = dps_release_describe(&release, summand.design, "", plan->contribution);
	build_summand(plan, &summand, columns, program);
	return plan;
}
