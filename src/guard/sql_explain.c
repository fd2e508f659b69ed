/*
 * sql_explain.c
 *		dpsens.explain: what a query would release and cost.
 *
 * All of it is derived from the query and the declarations.  No row is read and nothing is drawn.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "miscadmin.h"
#include "parser/analyze.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"

#include "account/amount.h"
#include "agg/proof.h"
#include "glue/analysis/analysis.h"
#include "glue/bounds.h"
#include "glue/compat.h"
#include "glue/import/parse.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "guard/column_costs.h"
#include "guard/entity_costs.h"
#include "guard/explain.h"
#include "guard/policy_notes.h"
#include "guard/restrict/internals.h"
#include "guard/rewrite/level.h"
#include "guard/rewrite/rewrite.h"
#include "guard/run/answer_weights.h"
#include "guard/run/statement_charge.h"

DPS_SQL_FUNCTION(dps_explain);

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

/* The aggregate's argument; NULL if it has none or several. */
static const DpsNode *
single_value(const DpsRequest *request)
{
	const DpsReleasePlan *plan = request->release;

	if (plan->graph == NULL || list_length(request->arguments) != 1)
		return NULL;
	return plan->values[request->finish != NULL ? request->finish->value[0] : 0];
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
	query = parse_analyze_fixedparams(linitial_node(RawStmt, raw), text, NULL, 0, NULL);
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

static double
written_epsilon(const DpsReleasePlan *plan)
{
	double		setting = plan->aggregate == &dps_aggregate_selection ? dps_setting_selection() : dps_setting_epsilon;

	if (plan->epsilon == NULL && setting == 0)
		return dps_unnamed_epsilon(plan->release, GetUserId());
	if (plan->epsilon == NULL)
		return setting;
	if (!IsA(plan->epsilon, Const))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a query with parameters cannot be explained"),
				 errhint("Write the values in place of the parameters.")));
	return DatumGetFloat8(((Const *) plan->epsilon)->constvalue);
}

/* The epsilon that the release would run with. */
double
dps_explain_epsilon(const DpsReleasePlan *plan)
{
	double		epsilon = written_epsilon(plan);

	if (plan->factor == 0)
		return epsilon;
	dps_check_epsilon(epsilon * plan->factor, false, 0);
	return epsilon * plan->factor;
}

/* "d/dage = ...; d/dweight = ..." for the private columns */
static void
put_derivatives(Row *row, const DpsRequest *request)
{
	const DpsReleasePlan *plan = request->release;
	DpsAnalysis analysis = {.graph = plan->graph, .node = single_value(request), .policy = plan->policy};
	DpsDerivatives derivatives;
	StringInfoData text;
	int			j;

	if (analysis.node == NULL || plan->aggregate->argument != DPS_VALUE_ARGUMENT)
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

/* The point with the largest absolute value of the argument; under metric, the point with the steepest
 * gradient. */
static void
put_witness(Row *row, const DpsRequest *request)
{
	const DpsReleasePlan *plan = request->release;
	DpsBracket	magnitude;

	if (plan->graph == NULL || single_value(request) != plan->value)
	{
		put_null(row);
		return;
	}
	dps_bracket_magnitude(&plan->infimum, &plan->supremum, &magnitude);
	put(row, JsonbPGetDatum(dps_point_to_jsonb(plan->graph,
											   plan->facts.adjacency == DPS_METRIC ? &plan->metric.witness :
											   &magnitude.witness)));
}

static void
put_bounds(Row *row, const DpsRequest *request)
{
	const DpsFacts *facts = &request->release->facts;
	bool		single = single_value(request) != NULL;
	int			k = request->finish != NULL ? request->finish->value[0] : 0;

	if (facts->counts_rows)
	{
		put_number(row, facts->inf);
		put_number(row, facts->sup);
	}
	else
	{
		put_number(row, single ? facts->value[k].inf : NAN);
		put_number(row, single ? facts->value[k].sup : NAN);
	}
	put_witness(row, request);
}

/* dp_avg over a public number of rows divides a noised sum by it. */
static double
divisor(const DpsReleasePlan *plan, double rows)
{
	return plan->release->divides_by_count && rows > 0 ? rows : 1;
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
	return isnan(loss) ? loss : dps_amount_shown_up(dps_amount_of_loss(loss, DPS_LOSS_BITS), DPS_LOSS_BITS);
}

/* The noise, explanation and loss of a release. */
typedef struct NoiseCost
{
	DpsNoisePlan plan;
	DpsExplanation explanation;
	DpsLoss		loss;			/* as charged, but with the delta that is promised: also that of a mechanism
								 * that needs one only to state its epsilon */
} NoiseCost;

static NoiseCost
find_cost(const DpsReleasePlan *plan, double rows)
{
	NoiseCost		cost = {0};

	if (dps_release_plan_noise(plan->release, dps_setting_mechanism(), dps_explain_epsilon(plan), dps_setting_delta, &cost.plan) != DPS_OK)
	{
		cost.plan.ncoordinates = 0;
		cost.explanation = (DpsExplanation) {INFINITY, INFINITY, NAN, "refused: epsilon is out of range for this mechanism and sensitivity"};
		cost.loss = (DpsLoss) {NAN, NAN, 0};
		return cost;
	}
	dps_release_explain(plan->release, &cost.plan, rows, &cost.explanation);
	cost.loss = cost.plan.loss;
	if (cost.plan.mechanism->uses_delta && cost.plan.ncoordinates > 0 && cost.loss.delta == 0)
		cost.loss.delta = cost.plan.delta;
	return cost;
}

/* Costs belong to the release.  They are in the row of the first aggregate that is computed from it, and 0
 * in the rows of the others. */
static void
put_costs(Row *row, const DpsLoss *loss, bool is_first)
{
	put_number(row, is_first ? charged(loss->epsilon) : 0);
	put_number(row, is_first ? charged(loss->rho) : 0);
	put_number(row, is_first ? loss->delta : 0);
}

/* The stated losses are those of one row more or less.  A person with rows in several arms loses by each
 * of them (join_union.c). */
static char *
append_arms(char *note, int arms, const DpsLoss *loss)
{
	/* no loss, or a release that is refused */
	if (arms == 1 || !(loss->rho > 0))
		return note;
	note = append_note(note, psprintf("a person who stands in several arms of UNION ALL loses more than one who stands in one: at most %d times epsilon, %d times rho",
									  arms, arms * arms));
	if (!(loss->delta > 0))
		return note;
	if (arms == 2)
		return psprintf("%s, 2 exp(epsilon) times delta", note);
	return psprintf("%s, %d exp(%d epsilon) times delta", note, arms, arms - 1);
}

/* Who is promised what is stated of neighbours, where that is not a unit by itself. */
static char *
append_group(char *note, const DpsRelease *release)
{
	if (release->group_size == 1 || dps_release_is_public(release))
		return note;
	return append_note(note, psprintf("noise and cost are for groups of up to %d units together", release->group_size));
}

/* What would be charged for a release; nothing for one that is refused. */
static List *
charged_items(const DpsReleasePlan *plan, const NoiseCost *cost)
{
	DpsTerms	terms = dps_present_terms();
	DpsChargeItem *item;

	if (cost->plan.ncoordinates == 0)
		return NIL;
	item = dps_charge_item(plan->release, &terms, &cost->plan);
	return lcons(item, dps_joined_items(plan->release, &cost->plan, item));
}

/* Adds what the items of a release cost columns and persons with budgets of this Renyi order. */
static List *
add_costs(List *costs, const List *items, double order)
{
	ListCell   *cell;

	foreach(cell, items)
		costs = dps_add_column_costs(costs, lfirst(cell), order);
	return dps_add_entity_costs(costs, items, order);
}

/* What the release costs columns and persons with budgets, and what is left of these, to a role that may see them. */
static char *
append_columns(char *note, const DpsReleasePlan *plan, const NoiseCost *cost)
{
	List	   *items = charged_items(plan, cost);
	List	   *costs = add_costs(NIL, items, 0);
	char	   *text;
	double	   *orders;
	int			n;
	int			i;

	if (costs == NIL)
		return note;
	orders = dps_visible_orders(&n);
	for (i = 1; i < n; i++)
		costs = add_costs(costs, items, orders[i]);
	text = dps_column_costs_text(costs);
	return text != NULL ? append_note(note, text) : note;
}

/* The policies that apply to a statement, and its refusal by them, which stands in its first row unless single
 * answers are refused there. */
typedef struct Refusals
{
	List	   *policies;
	char	   *of_statement;	/* NULL if there is none, or it is said */
} Refusals;

static Refusals
find_refusals(const List *releases)
{
	List	   *items = NIL;
	Refusals	refusals;
	ListCell   *cell;
	ListCell   *one;
	int			number = 0;

	foreach(cell, releases)
	{
		NoiseCost	cost = find_cost(lfirst(cell), 0);
		List	   *charged = charged_items(lfirst(cell), &cost);

		number++;
		foreach(one, charged)
			((DpsChargeItem *) lfirst(one))->release = number;
		items = list_concat(items, charged);
	}
	refusals.policies = dps_read_policies(items);
	refusals.of_statement = dps_policy_note(refusals.policies, items);
	return refusals;
}

static char *
append_refusal(char *note, const DpsReleasePlan *plan, const NoiseCost *cost, Refusals *refusals)
{
	char	   *text = dps_policy_note(refusals->policies, charged_items(plan, cost));

	if (text == NULL)
		text = refusals->of_statement;
	refusals->of_statement = NULL;
	return text != NULL ? append_note(note, text) : note;
}

/* Weights of columns, if the noise is larger for them. */
static char *
append_weights(char *note, const DpsRelease *release)
{
	double		least = release->weight;
	int			i;

	for (i = 0; i < release->nweighted; i++)
		least = Min(least, release->weighted[i].weight);
	if (least == 1.0 || dps_release_is_public(release))
		return note;
	if (release->nweighted > 0)
		return append_note(note, psprintf("each column loses at most its weight times epsilon, the least of these weights is %s",
										  dps_format_number(least)));
	return append_note(note, psprintf("noise is for %s times epsilon, by the least weight of the columns", dps_format_number(least)));
}

static char *
release_note(const DpsRequest *request, const DpsRequest *first, const NoiseCost *cost, double rows, Refusals *refusals)
{
	const DpsReleasePlan *plan = request->release;
	char	   *note = NULL;

	if (request->set != NULL)
		note = psprintf("of grouping set %s%s", request->set, request->is_fitted ? ", made to add up with the others" : "");
	if (plan->factor != 0)
		note = note == NULL ? psprintf("at %.2f times epsilon", plan->factor) : psprintf("%s, at %.2f times epsilon", note, plan->factor);
	if (first != request)
		note = append_note(note, psprintf("computed from the release of %s", dps_request_text(first)));
	if (cost->explanation.note != NULL)
		note = append_note(note, cost->explanation.note);
	if (plan->release->divides_by_count && !(rows > 0))
		note = append_note(note, "sensitivity and noise are those of the sum, which is divided by the number of rows");
	if (request->interval)
		note = append_note(note, "the interval is that of the noise");
	if (plan->facts.adjacency == DPS_METRIC)
		note = append_note(note, "the promise is epsilon times the distance");
	note = append_group(append_weights(note, plan->release), plan->release);
	/* what is about the release is stated where the costs are */
	if (first != request)
		return note;
	note = append_columns(append_arms(note, plan->arms, &cost->loss), plan, cost);
	return append_refusal(note, plan, cost, refusals);
}

static void
put_noise(Row *row, const NoiseCost *cost)
{
	put_text(row, dps_noise_plan_name(&cost->plan));
	put_number(row, cost->plan.asked);
	put_number(row, cost->plan.mechanism->uses_delta ? cost->plan.delta : NAN);
}

/* The columns about the release's noise and costs, and about the statistic that the request computes from
 * it. */
static void
put_plan(Row *row, const DpsRequest *request, const DpsRequest *first, double rows, Refusals *refusals)
{
	const DpsReleasePlan *plan = request->release;
	NoiseCost		cost = find_cost(plan, rows);

	if (plan->aggregate->explain_finish != NULL && request->finish != NULL && cost.plan.ncoordinates > 0)
		plan->aggregate->explain_finish(plan->release, request->finish, &cost.plan, rows, &cost.explanation);
	put_noise(row, &cost);
	put_number(row, cost.explanation.scale / divisor(plan, rows));
	put_number(row, cost.explanation.error_95);
	put_number(row, cost.explanation.error_95_per_row > 0 ? cost.explanation.error_95_per_row : NAN);
	put_costs(row, &cost.loss, first == request);
	put_text(row, release_note(request, first, &cost, rows, refusals));
}

static void
put_request(ReturnSetInfo *result, const DpsRequest *request, const DpsRequest *first, double rows, Refusals *refusals)
{
	const DpsReleasePlan *plan = request->release;
	Row			row = {.n = 0};

	put_text(&row, dps_request_text(request));
	put_text(&row, dps_request_values(request));
	put_derivatives(&row, request);
	put_bounds(&row, request);
	put_text(&row, dps_adjacency_name(plan->facts.adjacency));
	put_number(&row, dps_real_sensitivity(plan->release, dps_setting_mechanism()) / divisor(plan, rows));
	put_number(&row, ldexp(1.0, plan->release->grid));
	put_plan(&row, request, first, rows, refusals);
	Assert(row.n == EXPLAIN_COLUMNS);
	tuplestore_putvalues(result->setResult, result->setDesc, row.values, row.nulls);
}

/* The cost of selecting the groups to show. */
static void
put_selection(ReturnSetInfo *result, const DpsReleasePlan *plan, Refusals *refusals)
{
	NoiseCost		cost = find_cost(plan, 0);
	Row			row = {.n = 0};
	char	   *note;
	int			i;

	put_text(&row, dps_release_expression(plan->release));
	for (i = 0; i < 6; i++)
		put_null(&row);
	put_text(&row, dps_adjacency_name(plan->facts.adjacency));
	put_number(&row, plan->release->sensitivity);
	put_null(&row);
	put_noise(&row, &cost);
	put_number(&row, cost.explanation.scale);
	/* no error is stated, except infinity for a release that is refused */
	put_number(&row, isinf(cost.explanation.error_95) ? INFINITY : NAN);
	put_null(&row);
	put_costs(&row, &cost.loss, true);
	note = append_weights(cost.explanation.note != NULL ? pstrdup(cost.explanation.note) : NULL, plan->release);
	note = append_columns(append_arms(note, plan->arms, &cost.loss), plan, &cost);
	put_text(&row, append_refusal(note, plan, &cost, refusals));
	Assert(row.n == EXPLAIN_COLUMNS);
	tuplestore_putvalues(result->setResult, result->setDesc, row.values, row.nulls);
}

/* The first request that is computed from the release. */
static const DpsRequest *
first_request(const List *requests, const DpsReleasePlan *plan)
{
	ListCell   *cell;

	foreach(cell, requests)
	{
		const DpsRequest *request = lfirst(cell);

		if (request->release == plan)
			return request;
	}
	return NULL;
}

/* As what runs the statement does (run/found_releases.c). */
static void
note_factors(const DpsRewrite *rewrite)
{
	DpsTerms	terms = dps_present_terms();
	List	   *releases = NIL;
	bool		any_fitted = false;
	ListCell   *cell;

	foreach(cell, rewrite->releases)
		releases = lappend(releases, ((DpsReleasePlan *) lfirst(cell))->release);
	foreach(cell, rewrite->requests)
		any_fitted |= ((DpsRequest *) lfirst(cell))->is_fitted;
	dps_check_answer_weights(&terms.shares, releases, any_fitted);
	foreach(cell, rewrite->releases)
	{
		DpsReleasePlan *plan = lfirst(cell);
		double		factor = dps_answer_factor(&terms.shares, releases, plan->release);

		if (terms.share_sets && plan->factor != 0)
			factor *= plan->factor;
		plan->factor = factor != 1 ? factor : 0;
	}
}

/* Rewrites the statement without executing it.  An error if it has no dp aggregates. */
static void
rewrite_for_analysis(char *statement, DpsRewrite *rewrite)
{
	DpsSource	source;
	Query	   *query;

	*rewrite = (DpsRewrite) {.source_text = statement, .is_analysis = true};
	dps_source_enter(&source, statement);
	query = analyse_statement(statement);
	dps_refuse_internals(query, statement);
	dps_rewrite_statement(query, rewrite);
	dps_source_leave(&source);
	if (rewrite->releases == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the query has no dp aggregates")));
	note_factors(rewrite);
}

List *
dps_explain_releases(char *statement)
{
	DpsRewrite	rewrite;

	rewrite_for_analysis(statement, &rewrite);
	return rewrite.releases;
}

/* explain(query text, rows float8) */
Datum
dps_explain(PG_FUNCTION_ARGS)
{
	double		rows = PG_ARGISNULL(1) ? 0 : PG_GETARG_FLOAT8(1);
	DpsRewrite	rewrite;
	Refusals	refusals;
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
	rewrite_for_analysis(text_to_cstring(PG_GETARG_TEXT_PP(0)), &rewrite);
	refusals = find_refusals(rewrite.releases);
	foreach(cell, rewrite.requests)
	{
		const DpsRequest *request = lfirst(cell);

		put_request((ReturnSetInfo *) fcinfo->resultinfo, request,
					first_request(rewrite.requests, request->release), rows, &refusals);
	}
	foreach(cell, rewrite.selections)
		put_selection((ReturnSetInfo *) fcinfo->resultinfo, lfirst(cell), &refusals);
	return (Datum) 0;
}
