/*
 * release_plan.c
 *		From one dp aggregate of a query to the constants that execute it.
 *
 * Plans depend on the query and the declarations only, not on data, and not on the value of epsilon.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "bound/relax/squares.h"
#include "glue/glue.h"
#include "glue/import/import.h"
#include "glue/owner_hint.h"
#include "guard/release/columns.h"
#include "guard/release/describe.h"
#include "guard/release/parameter.h"
#include "guard/release/release_plan.h"
#include "guard/release/value_bounds.h"
#include "guard/source/union_columns.h"
#include "guard/trace/expand.h"
#include "guard/source/group_size.h"
#include "guard/trace/join.h"
#include "guard/trace/trace.h"
#include "guard/trace/unit_rows.h"
#include "ledger/rows/unit.h"

bool
dps_release_takes_keys(const DpsAggregate *aggregate)
{
	return aggregate->argument == DPS_DECLARED_ARGUMENT && aggregate->release_function != NULL;
}

/* look_up: dps_internal_function, or dps_internal_function_if_any. */
static Oid
release_function(const DpsAggregate *aggregate, Oid (*look_up) (const char *name, int nargs, const Oid *argtypes))
{
	Oid			argtypes[3] = {dps_internal_type("plan"), dps_internal_type("state"), ANYARRAYOID};
	Oid			groups[3] = {argtypes[0], INT8OID, INT8OID};
	const char *name = aggregate->release_function != NULL ? aggregate->release_function : "release_answer";

	if (aggregate->argument == DPS_GROUP_ARGUMENT)
		return look_up(name, 3, groups);
	return look_up(name, dps_release_takes_keys(aggregate) ? 3 : 2, argtypes);
}

Oid
dps_release_function(const DpsAggregate *aggregate)
{
	return release_function(aggregate, dps_internal_function);
}

Oid
dps_epsilon_function(void)
{
	Oid			argtypes[2] = {INT4OID, FLOAT8OID};

	return dps_internal_function("exact_epsilon", 2, argtypes);
}

/* Does an earlier row of the table have the same release function? */
static bool
is_repeated(int row)
{
	const char *name = dps_aggregates[row]->release_function;
	int			i;

	for (i = 0; i < row; i++)
	{
		const char *other = dps_aggregates[i]->release_function;

		if (name == NULL || other == NULL ? name == other : strcmp(name, other) == 0)
			return true;
	}
	return false;
}

static List *
find_release_functions(void)
{
	List	   *functions = NIL;
	int			i;

	for (i = 0; dps_aggregates[i] != NULL; i++)
	{
		/* what is not there, before the extension is updated, is in no plan */
		Oid			function = is_repeated(i) ? InvalidOid : release_function(dps_aggregates[i], dps_internal_function_if_any);

		if (OidIsValid(function))
			functions = lappend_oid(functions, function);
	}
	return functions;
}

/* Called at each execution, so the list is cached until the extension's objects change. */
const List *
dps_release_functions(void)
{
	static List *functions = NIL;
	static uint64 known_at;
	uint64		now = dps_own_objects_changes();
	List	   *found;
	MemoryContext previous;

	if (functions != NIL && known_at == now)
		return functions;
	found = find_release_functions();
	previous = MemoryContextSwitchTo(TopMemoryContext);
	found = list_copy(found);
	MemoryContextSwitchTo(previous);
	list_free(functions);
	functions = found;
	known_at = now;
	return functions;
}

/* The declared values of the argument, if the aggregate uses them; an error if it requires them and there
 * are none. */
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
				 dps_hint_owner(source->relation, "Declare them with dpsens.set_values()."),
				 errposition(dps_query_position(source, exprLocation(argument)))));
	if (key != NULL)
		dps_sort_key(key);
	return key;
}

/* Refuses dp_count(DISTINCT unit) without a declared range: the values of the unit must not be listed. */
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

/* The argument as an integer expression, whose values can be tallied. */
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
				 dps_hint_owner(source->relation, "Declare the column's values with dpsens.set_values()."),
				 errposition(dps_query_position(source, exprLocation(argument)))));
	return value;
}

/* The value that each row adds; NULL if it adds nothing. */
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

/* Sets the plan's summand and its arguments. */
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

/* The conditions, expanded, that are true of every row that the aggregate counts. */
static List *
row_conditions(DpsProtectedSource *source, Aggref *aggref)
{
	List	   *conditions = list_copy(source->conditions);

	if (aggref->aggfilter != NULL)
		conditions = lappend(conditions, dps_expand_expression(source, (Node *) aggref->aggfilter));
	return conditions;
}

/* Is the argument of dp_count never NULL? */
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
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	const DpsProgram *program;
	ListCell   *cell;
	int			k = 0;
	int			i;

	dps_columns_prepare(&import, columns, source, conditions);
	dps_check_status(dps_graph_init(&import.graph, dps_server_arena()));
	plan->graph = import.graph;
	plan->declared = find_declared(source, plan->aggregate, linitial(plan->arguments));
	foreach(cell, plan->arguments)
		plan->values[k++] = import_value(&import, source, lfirst(cell), plan);
	for (i = 0; i < import.graph->nvariables; i++)
		box[i] = columns->column[i].cell.domain;
	for (i = 0; i < k; i++)
		dps_check_status(dps_complete_squares(import.graph, plan->values[i], box, &plan->values[i]));
	plan->value = plan->values[0];
	plan->facts.nvalues = k;
	/* before the search for bounds adds a variable of its own */
	dps_check_status(dps_compile(plan->graph, plan->values, k, &program));
	dps_bound_values(plan, &import, conditions, position);
	return program;
}

static void
set_row_facts(DpsReleasePlan *plan, DpsProtectedSource *source, bool key_is_private, bool has_rest)
{
	DpsFacts   *facts = &plan->facts;

	facts->adjacency = dps_row_adjacency(source);
	/* filter_is_private() also checks the filter, so it must be called */
	facts->selection_is_private = filter_is_private(source, plan->aggref) || source->selection_is_private;
	/* then private values decide which rows are left out */
	if (source->is_individual && source->annotation.adjacency != DPS_ADD_REMOVE)
		facts->selection_is_private = true;
	facts->key_is_private = key_is_private;
	dps_unit_factors(source, facts);
	/* all groups of a unit can be in the rest */
	if (has_rest)
		facts->unit_l2 = facts->unit_l1;
	dps_group_factors(source, facts);
}

/* Epsilon as stored in a release: 0 for the setting, NaN if it is not known yet. */
static double
known_epsilon(const Expr *epsilon)
{
	if (epsilon == NULL)
		return 0;
	return IsA(epsilon, Const) ? DatumGetFloat8(((const Const *) epsilon)->constvalue) : NAN;
}

/* The columns that name units, if a limited number of rows of each counts. */
static const char *
limited_unit(const DpsProtectedSource *source)
{
	return source->limits_unit ? dps_unit_key_columns(source->relation, dps_unit_key(source->relation)) : NULL;
}

DpsReleasePlan *
dps_plan_release(DpsProtectedSource *source, const DpsRequest *request, bool key_is_private, bool has_rest,
				 DpsWeights *weights)
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
	plan->arms = dps_union_arms(source);
	if (request->statistic >= 0)
		plan->facts.moments = dps_request_moments(request);
	if (request->parameter != NULL)
		plan->facts.parameter = *request->parameter;
	set_row_facts(plan, source, key_is_private, has_rest);
	plan->facts.weights = weights;
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
	release.arms = plan->arms;
	dps_note_join(source, &release);
	release.individual = source->is_individual;
	release.incomplete = dps_aggregates[request->family]->parameter != DPS_NO_PARAMETER &&
		request->parameter_value == NULL;
	release.incomplete |= request->level_is_unknown;
	release.epsilon = known_epsilon(request->epsilon);
	plan->conditions = conditions;
	plan->cells = columns;
	plan->variables = program == NULL ? 0 : (int) program->nvariables;
	/* the contribution of a join cannot be computed from a row of one relation */
	plan->contribution = source->parts != NIL ? NULL :
		dps_describe_contribution(plan, &release, columns, program, conditions, limited_unit(source));
	plan->release = dps_release_describe(&release, summand.design, "", plan->contribution);
	build_summand(plan, &summand, columns, program);
	return plan;
}
