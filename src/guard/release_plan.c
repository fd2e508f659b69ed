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
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
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
#include "guard/allow.h"
#include "guard/columns.h"
#include "guard/describe.h"
#include "guard/release_plan.h"
#include "guard/unit_rows.h"
#include "guard/selection.h"
#include "num/interval.h"

int
dps_dp_aggregate(Oid function)
{
	char	   *name;
	int			row;

	if (function < FirstNormalObjectId)
		return -1;
	name = get_func_name(function);
	if (name == NULL || strncmp(name, "dp_", 3) != 0)
		return -1;
	row = dps_aggregate_find(name);
	if (row < 0 || getExtensionOfObject(ProcedureRelationId, function) != get_extension_oid("dpsens", true))
		return -1;
	return row;
}

/* The user's epsilon: constants and parameters through builtins only. */
static bool
is_epsilon_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
		case T_List:
			break;
		case T_Param:
			if (((Param *) node)->paramkind != PARAM_EXTERN)
				return true;
			break;
		case T_RelabelType:
			break;
		case T_FuncExpr:
		case T_OpExpr:
			/* of its own function; the arguments come by themselves */
			if (dps_find_foreign_call(node) != NULL || contain_mutable_functions(node))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, is_epsilon_walker, context);
}

/* Folds constants, and parameters whose values this plan is made for. */
static Node *
fold_epsilon(DpsProtectedSource *source, Node *argument)
{
	PlannerGlobal *global = makeNode(PlannerGlobal);
	PlannerInfo *root = makeNode(PlannerInfo);

	global->boundParams = source->params;
	root->glob = global;
	return eval_const_expressions(root, copyObject(argument));
}

static Expr *
take_epsilon(DpsProtectedSource *source, Node *argument)
{
	int			location = exprLocation(argument);
	Node	   *folded;

	if (is_epsilon_walker(argument, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be a constant or a parameter"),
				 errdetail("What a release costs may not depend on the data."),
				 errposition(dps_query_position(source, location))));
	folded = fold_epsilon(source, argument);
	if (IsA(folded, Const))
	{
		Const	   *constant = (Const *) folded;

		dps_check_epsilon(constant->constisnull ? 0 : DatumGetFloat8(constant->constvalue),
						  constant->constisnull, dps_query_position(source, location));
	}
	return (Expr *) folded;
}

static void
check_aggregate(DpsProtectedSource *source, Aggref *aggref, const char *name)
{
	const char *what = NULL;

	if (aggref->aggdistinct != NIL)
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

/* The value that each row adds, NULL where it adds nothing. */
static const DpsNode *
import_value(DpsImport *import, DpsProtectedSource *source, Node *argument, bool counts)
{
	DpsGraph   *graph = import->graph;
	Node	   *expanded = dps_expand_expression(source, argument);
	const DpsNode *value;

	if (counts && IsA(expanded, Var) && ((Var *) expanded)->varattno > 0 &&
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

/* Is a row's validity a matter of a private column? */
static bool
validity_is_private(const DpsReleasePlan *plan, const DpsColumns *columns)
{
	int			i;

	if (!plan->value->nullable)
		return false;
	/* metric takes the pattern of NULLs as public */
	for (i = 0; i < plan->graph->nvariables && plan->facts.adjacency != DPS_METRIC; i++)
	{
		if ((plan->value->variables & (UINT64_C(1) << i)) && !columns->column[i].is_public &&
			columns->column[i].nullable)
			return true;
	}
	/* a NULL that the values themselves decide: CASE without ELSE, NULLIF */
	return (plan->value->variables & plan->policy.private_variables) != 0 &&
		dps_strict_variables(plan->graph, plan->value) != plan->value->variables;
}

static void
ask(const DpsReleasePlan *plan, const DpsDomain *box, DpsQuestionKind kind, int variable, DpsBracket *bracket)
{
	DpsQuestion question = {
		.kind = kind,
		.graph = plan->graph,
		.node = plan->value,
		.box = box,
		.policy = kind == DPS_ASK_LIPSCHITZ_2 ? &plan->policy : NULL,
		.variable = variable,
		.options = dps_setting_bound_options()
	};

	dps_ask(&question, NULL, bracket);
}

/*
 * The furthest that the value moves when one column does.  A column that
 * stands for several variables moves them one after the other, each step
 * within the box.
 */
static double
bound_column(DpsReleasePlan *plan, const DpsColumns *columns, const DpsDomain *box,
			 int first, int nvariables, int position)
{
	double		sum = 0;
	int			i;

	for (i = first; i < nvariables; i++)
	{
		DpsBracket	bracket;

		if (columns->column[i].number != columns->column[first].number)
			continue;
		ask(plan, box, DPS_ASK_ATTRIBUTE, i, &bracket);
		dps_refuse_bracket(plan->graph, &bracket, "the expression", position);
		sum = dps_add_up(sum, bracket.upper);
	}
	return sum;
}

static void
bound_attribute(DpsReleasePlan *plan, const DpsColumns *columns, const DpsDomain *box, int position)
{
	/* the search adds a variable of its own */
	int			n = plan->graph->nvariables;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (plan->policy.private_variables & (UINT64_C(1) << i))
			plan->facts.attribute = Max(plan->facts.attribute,
										bound_column(plan, columns, box, i, n, position));
	}
}

/*
 * A condition on a column is a step of the column: however small the distance
 * that a row moves, it can change.
 */
static void
refuse_metric_condition(const DpsReleasePlan *plan, const DpsColumns *columns, int position)
{
	uint64_t	used = plan->value->variables & plan->policy.private_variables;
	int			i;

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
 * rounded once and a timestamp twice, by half an ulp of the range's larger end
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
			 column->cell.type != TIMESTAMPTZOID))
			continue;
		move = dps_mul_up(Max(fabs(column->cell.domain.lo), fabs(column->cell.domain.hi)), DBL_EPSILON);
		sum = dps_add_up(sum, dps_mul_up(column->weight, move));
	}
	return sum;
}

/* What the adjacency needs beyond the range of the value. */
static void
bound_adjacency(DpsReleasePlan *plan, const DpsColumns *columns, const DpsDomain *box, int position)
{
	DpsFacts   *facts = &plan->facts;
	DpsBracket	error;

	if (facts->adjacency == DPS_ATTRIBUTE)
		bound_attribute(plan, columns, box, position);
	if (facts->adjacency == DPS_METRIC)
	{
		refuse_metric_condition(plan, columns, position);
		ask(plan, box, DPS_ASK_LIPSCHITZ_2, -1, &plan->metric);
		dps_refuse_bracket(plan->graph, &plan->metric,
						   "the expression, under adjacency metric,", position);
		facts->lipschitz = plan->metric.upper;
	}
	if (facts->adjacency == DPS_ATTRIBUTE || facts->adjacency == DPS_METRIC)
	{
		ask(plan, box, DPS_ASK_EVALUATION_ERROR, -1, &error);
		facts->evaluation_error = error.upper;
	}
	if (facts->adjacency == DPS_METRIC)
		facts->evaluation_error = dps_add_up(facts->evaluation_error,
											 dps_mul_up(facts->lipschitz, conversion_error(plan, columns)));
}

/* Certified bounds of the value, and what they say about privacy. */
static void
bound_value(DpsReleasePlan *plan, DpsImport *import, const List *conditions, int position)
{
	const DpsColumns *columns = import->context;
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	DpsFacts   *facts = &plan->facts;
	int			i;

	for (i = 0; i < plan->graph->nvariables; i++)
	{
		box[i] = columns->column[i].cell.domain;
		plan->policy.weights[i] = columns->column[i].weight;
		if (!columns->column[i].is_public)
			plan->policy.private_variables |= UINT64_C(1) << i;
	}
	dps_narrow_by_conditions(import, conditions, box);
	ask(plan, box, DPS_ASK_INFIMUM, -1, &plan->infimum);
	dps_refuse_bracket(plan->graph, &plan->infimum, "the expression", position);
	ask(plan, box, DPS_ASK_SUPREMUM, -1, &plan->supremum);
	dps_refuse_bracket(plan->graph, &plan->supremum, "the expression", position);
	facts->inf = plan->infimum.lower;
	facts->sup = plan->supremum.upper;
	facts->value_is_private = (plan->value->variables & plan->policy.private_variables) != 0;
	facts->validity_is_private = validity_is_private(plan, columns);
	bound_adjacency(plan, columns, box, position);
}

/* Serialises the program and collects the arguments. */
static void
build_summand(DpsReleasePlan *plan, const DpsSummand *header, const DpsColumns *columns,
			  const DpsProgram *program)
{
	DpsCell		cells[DPS_MAX_VARIABLES];
	int			i;

	if (program == NULL)
	{
		plan->summand = dps_summand_build(header, NULL, 0, NULL);
		return;
	}
	for (i = 0; i < (int) program->nvariables; i++)
	{
		cells[i] = columns->column[i].cell;
		plan->columns = lappend(plan->columns, columns->column[i].argument);
	}
	plan->summand = dps_summand_build(header, cells, program->nvariables, program);
}

char *
dps_release_text(const DpsReleasePlan *plan)
{
	const char *expression = "*";

	if (plan->graph != NULL && plan->aggregate == &dps_aggregate_count)
		expression = "...";
	else if (plan->graph != NULL)
		expression = dps_node_sql(plan->graph, plan->value);
	return psprintf("%s(%s)%s", plan->aggregate->name, expression != NULL ? expression : "...",
					plan->aggref->aggfilter != NULL ? " FILTER (...)" : "");
}

static void
derive_release(DpsReleasePlan *plan, int row, DpsRelease *release, DpsSummand *header, int position)
{
	const char *why = NULL;
	DpsStatus	status;

	status = dps_aggregate_derive(row, &plan->facts, release, header, &why);
	if (status == DPS_DOMAIN)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be answered under adjacency %s: %s", plan->aggregate->name,
						dps_adjacency_name(plan->facts.adjacency), why != NULL ? why : "its sensitivity is not bounded"),
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
		dps_column_is_not_null(source->relation, var->varattno);
}

DpsReleasePlan *
dps_plan_release(DpsProtectedSource *source, Aggref *aggref, bool key_is_private)
{
	DpsReleasePlan *plan = palloc0(sizeof(DpsReleasePlan));
	DpsColumns *columns = palloc0(sizeof(DpsColumns));
	int			row = dps_dp_aggregate(aggref->aggfnoid);
	List	   *conditions;
	DpsRelease	release;
	DpsSummand	header = {0};
	const DpsProgram *program = NULL;
	bool		counts;
	int			nargs = list_length(aggref->args);
	Node	   *argument = NULL;
	int			position;

	plan->aggref = aggref;
	plan->aggregate = dps_aggregates[row];
	counts = plan->aggregate == &dps_aggregate_count;
	check_aggregate(source, aggref, plan->aggregate->name);
	if (nargs > 0)
		argument = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	if (nargs > 1)
		plan->epsilon = take_epsilon(source, (Node *) lsecond_node(TargetEntry, aggref->args)->expr);
	position = argument == NULL ? 0 : dps_query_position(source, exprLocation(argument));
	plan->facts.adjacency = source->annotation.adjacency;
	/* the filter is checked there, so it comes first */
	plan->facts.selection_is_private = filter_is_private(source, aggref) || source->selection_is_private;
	/* then it depends on private values which rows are left out */
	if (source->is_individual && source->annotation.adjacency != DPS_ADD_REMOVE)
		plan->facts.selection_is_private = true;
	plan->facts.key_is_private = key_is_private;
	dps_unit_factors(source, &plan->facts);
	conditions = row_conditions(source, aggref);
	if (argument == NULL || (counts && never_null(source, argument)))
	{
		plan->facts.counts_rows = true;
		plan->facts.inf = plan->facts.sup = 1;
	}
	else
	{
		DpsImport	import = {0};

		dps_columns_prepare(&import, columns, source);
		dps_check_status(dps_graph_init(&import.graph, dps_server_arena()));
		plan->graph = import.graph;
		plan->value = import_value(&import, source, argument, counts);
		/* before the search adds a variable of its own */
		dps_check_status(dps_compile(plan->graph, &plan->value, 1, &program));
		bound_value(plan, &import, conditions, position);
	}
	derive_release(plan, row, &release, &header, position);
	release.relation = source->relation;
	release.individual = source->is_individual;
	plan->release = dps_release_describe(&release, dps_release_text(plan),
										 dps_describe_contribution(plan, &release, columns, program, conditions));
	build_summand(plan, &header, columns, program);
	return plan;
}
