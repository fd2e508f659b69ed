/*
 * aggregate_request.c
 *		What one dp aggregate of a query asks for, and whether a release answers it.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "glue/analysis/analysis.h"
#include "glue/glue.h"
#include "glue/compat.h"
#include "guard/condition/written.h"
#include "guard/query/dp_aggregates.h"
#include "guard/release/aggregate_request.h"
#include "guard/release/parameter.h"
#include "guard/release/release_plan.h"
#include "moment/moment.h"

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

/* Is the argument ARRAY[...], possibly cast to another type of numbers? */
static bool
is_written_array(Node *argument)
{
	if (IsA(argument, ArrayCoerceExpr))
		return is_written_array((Node *) ((ArrayCoerceExpr *) argument)->arg);
	return IsA(argument, ArrayExpr);
}

/* The entries of an array that is written as ARRAY[...]. */
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

/* With DISTINCT the request is of another family, if there is one. */
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
		request->family = dps_family_row(dps_statistics[row].family);
		return;
	}
	row = dps_aggregate_find_variant(name, get_func_rettype(request->aggref->aggfnoid), true);
	if (row < 0)
		return;
	request->family = row;
	request->statistic = -1;
}

/* Reads the request's parameter: quantiles or buckets.  Returns the number of arguments that specify it. */
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

/* Sets the level of an interval that is drawn, since the draw depends on it. */
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
	request->statistic = dps_statistic_find(name, dps_takes_array(aggref->aggfnoid), &request->interval);
	choose_variant(request, name);
	check_aggregate(source, aggref, dps_aggregates[request->family], name);
	if (request->statistic >= 0)
		nvalues = dps_statistics[request->statistic].nvalues;
	fixed = nvalues + take_parameter(source, request);
	foreach(cell, aggref->args)
	{
		Node	   *argument = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (i == nvalues && fixed > nvalues)
			;					/* read by take_parameter() */
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

/* The position of an argument among those of a release, or -1. */
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

/* The finish that computes the request from the release's values; NULL if one of the request's values is
 * missing. */
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

/* Do the release and a release for the request alone count the same rows? */
static bool
counts_the_same_rows(const DpsFinish *finish, const DpsReleasePlan *plan)
{
	int			k;
	int			i;

	for (k = 0; k < plan->facts.nvalues; k++)
	{
		/* an argument that occurs twice has one position in the finish */
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
dps_request_moments(const DpsRequest *request)
{
	int			moments = dps_statistics[request->statistic].moments;

	/* the product of a value with itself is its square */
	if (moments == DPS_MOMENT_CROSS && equal(linitial(request->arguments), llast(request->arguments)))
		return DPS_MOMENT_ALL;
	return moments;
}

int
dps_request_breadth(const DpsRequest *request)
{
	if (request->statistic < 0 || dps_statistics[request->statistic].moments == 0)
		return 0;
	return dps_request_moments(request) * (DPS_MAX_VALUES + 1) + list_length(request->arguments);
}

/* Do the request and the release have the same parameter and level?  If they are not known yet, only for
 * the request that the release was planned for. */
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
	if ((dps_request_moments(request) & ~plan->facts.moments) != 0)
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

/* ---- in words ---- */

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
