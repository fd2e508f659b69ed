/*
 * sql_explain.c
 *		dpsens.explain: what a query would answer and cost, before it does.
 *
 * Everything it says is derived from the query and the declarations; no row is
 * read and nothing is drawn.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"

#include "account/amount.h"
#include "glue/analysis.h"
#include "glue/bounds.h"
#include "glue/compat.h"
#include "glue/parse.h"
#include "glue/settings.h"
#include "guard/explain.h"
#include "guard/rewrite.h"

PG_FUNCTION_INFO_V1(dps_explain);

#define EXPLAIN_COLUMNS 20

/* One row of the answer, filled from left to right. */
typedef struct Row
{
	Datum		values[EXPLAIN_COLUMNS];
	bool		nulls[EXPLAIN_COLUMNS];
	int			n;
} Row;

static void
put(Row *row, Datum value)
{
	row->values[row->n++] = value;
}

static void
put_null(Row *row)
{
	row->nulls[row->n++] = true;
}

static void
put_text(Row *row, const char *text)
{
	if (text == NULL)
		put_null(row);
	else
		put(row, CStringGetTextDatum(text));
}

static void
put_number(Row *row, double value)
{
	if (isnan(value))
		put_null(row);
	else
		put(row, Float8GetDatum(value + 0.0));	/* no negative zero */
}

/* The statement as the planner would see it. */
static Query *
analyse_statement(const char *text)
{
	List	   *raw = pg_parse_query(text);
	Query	   *query;
	List	   *rewritten;

	if (list_length(raw) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("dpsens.explain() takes one statement, not %d", list_length(raw))));
	query = dps_analyse_statement(linitial_node(RawStmt, raw), text);
	if (query->commandType == CMD_UTILITY)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dpsens.explain() takes a query"),
				 errhint("Pass the SELECT inside of it.")));
	rewritten = QueryRewrite(query);
	if (list_length(rewritten) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a statement with rewrite rules cannot be explained")));
	return linitial_node(Query, rewritten);
}

/* The epsilon that the release would run with. */
double
dps_explain_epsilon(const DpsReleasePlan *plan)
{
	if (plan->epsilon == NULL && dps_setting_epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("no epsilon is given"),
				 errhint("Give epsilon as the last argument of the aggregate, or set dpsens.epsilon.")));
	if (plan->epsilon == NULL)
		return dps_setting_epsilon;
	if (!IsA(plan->epsilon, Const))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a query with parameters cannot be explained"),
				 errhint("Write the values in place of the parameters.")));
	return DatumGetFloat8(((Const *) plan->epsilon)->constvalue);
}

/* "d/d age: ..., d/d weight: ..." for the private columns */
static void
put_derivatives(Row *row, const DpsReleasePlan *plan)
{
	DpsAnalysis analysis = {.graph = plan->graph, .node = plan->value, .policy = plan->policy};
	DpsDerivatives derivatives;
	StringInfoData text;
	int			j;

	if (plan->graph == NULL || plan->aggregate == &dps_aggregate_count)
	{
		put_null(row);
		put_null(row);
		return;
	}
	dps_derive(&analysis, &derivatives);
	initStringInfo(&text);
	for (j = 0; j < plan->graph->nvariables; j++)
	{
		if (plan->policy.private_variables & (UINT64_C(1) << j))
			appendStringInfo(&text, "%sd/d%s = %s", text.len > 0 ? "; " : "",
							 dps_variable_key(plan->graph, j),
							 dps_node_sql(plan->graph, derivatives.gradient[j]));
	}
	put_text(row, text.data);
	put_text(row, dps_node_sql(plan->graph, derivatives.norm));
}

/* Where the value is furthest from 0, and where the gradient is steepest under
 * metric. */
static void
put_bounds(Row *row, const DpsReleasePlan *plan)
{
	DpsBracket	magnitude;

	put_number(row, plan->facts.inf);
	put_number(row, plan->facts.sup);
	if (plan->graph == NULL)
	{
		put_null(row);
		return;
	}
	dps_bracket_magnitude(&plan->infimum, &plan->supremum, &magnitude);
	put(row, JsonbPGetDatum(dps_point_to_jsonb(plan->graph,
											   plan->facts.adjacency == DPS_METRIC ? &plan->metric.witness :
											   &magnitude.witness)));
}

/* dp_avg over a public number of rows divides a noised sum by it. */
static double
divisor(const DpsReleasePlan *plan, double rows)
{
	return plan->release->divides_by_count && rows > 0 ? rows : 1;
}

/* In the norm that the mechanism measures: they differ where a row can move
 * between groups, and for a pair of sums. */
static double
sensitivity(const DpsReleasePlan *plan, const DpsMechanism *mechanism)
{
	const DpsRelease *release = plan->release;

	if (mechanism->norm == 1 || release->l1 == release->l2)
		return release->sensitivity;
	return ldexp((double) release->l2, release->grid);
}

static char *
append_note(char *note, const char *more)
{
	return note == NULL ? pstrdup(more) : psprintf("%s; %s", note, more);
}

/* A loss as the ledger counts it. */
static double
charged(double loss)
{
	return isnan(loss) ? loss : dps_amount_up(dps_amount_of_loss(loss, DPS_LOSS_BITS), DPS_LOSS_BITS);
}

static void
put_forecast(Row *row, const DpsReleasePlan *plan, double rows)
{
	const DpsMechanism *mechanism = dps_setting_mechanism();
	double		epsilon = dps_explain_epsilon(plan);
	DpsForecast forecast;
	char	   *note = NULL;

	memset(&forecast, 0, sizeof(forecast));
	plan->aggregate->forecast(plan->release, mechanism, epsilon, dps_setting_delta, rows, &forecast);
	put_text(row, mechanism->name);
	put_number(row, epsilon);
	if (mechanism->uses_delta)
		put_number(row, dps_setting_delta);
	else
		put_null(row);
	put_number(row, forecast.scale / divisor(plan, rows));
	put_number(row, forecast.error_95);
	put_number(row, forecast.error_95_per_row > 0 ? forecast.error_95_per_row : NAN);
	put_number(row, charged(forecast.loss.epsilon));
	put_number(row, charged(forecast.loss.rho));
	put_number(row, forecast.loss.delta);
	if (forecast.note != NULL)
		note = pstrdup(forecast.note);
	if (plan->release->divides_by_count && !(rows > 0))
		note = append_note(note, "sensitivity and noise are those of the sum, which is divided by the number of rows");
	if (plan->facts.adjacency == DPS_METRIC)
		note = append_note(note, "the promise is epsilon times the distance");
	put_text(row, note);
}

static void
put_release(ReturnSetInfo *result, const DpsReleasePlan *plan, double rows)
{
	Row			row = {.n = 0};
	const char *expression = "*";

	if (plan->graph != NULL)
		expression = dps_node_sql(plan->graph, plan->value);
	if (expression == NULL)
		expression = "...";
	put_text(&row, dps_release_text(plan));
	put_text(&row, expression);
	put_derivatives(&row, plan);
	put_bounds(&row, plan);
	put_text(&row, dps_adjacency_name(plan->facts.adjacency));
	put_number(&row, sensitivity(plan, dps_setting_mechanism()) / divisor(plan, rows));
	put_number(&row, ldexp(1.0, plan->release->grid));
	put_forecast(&row, plan, rows);
	Assert(row.n == EXPLAIN_COLUMNS);
	tuplestore_putvalues(result->setResult, result->setDesc, row.values, row.nulls);
}

List *
dps_explain_releases(char *statement)
{
	DpsRewrite	rewrite = {.source_text = statement, .is_analysis = true};
	DpsSource	source;
	Query	   *query;

	dps_source_enter(&source, statement);
	query = analyse_statement(statement);
	dps_refuse_internals(query, statement);
	dps_rewrite_statement(query, &rewrite);
	dps_source_leave(&source);
	if (rewrite.releases == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the query has no dp aggregates")));
	return rewrite.releases;
}

/* explain(query text, rows float8) */
Datum
dps_explain(PG_FUNCTION_ARGS)
{
	double		rows = PG_ARGISNULL(1) ? 0 : PG_GETARG_FLOAT8(1);
	List	   *releases;
	ListCell   *cell;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the query must not be null")));
	if (!PG_ARGISNULL(1) && !(rows > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows must be greater than zero")));
	InitMaterializedSRF(fcinfo, 0);
	releases = dps_explain_releases(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	foreach(cell, releases)
		put_release((ReturnSetInfo *) fcinfo->resultinfo, lfirst(cell), rows);
	return (Datum) 0;
}
