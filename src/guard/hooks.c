/*
 * hooks.c
 *		Where dpsens enters the server: planner and executor hooks.
 *
 * The planner hook rewrites; the executor hooks give a rewritten statement its
 * receipt.  A plan with a release depends on the release function, so the
 * plan's own list of dependencies tells such plans from all others without a
 * look at their trees.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "agg/aggregate.h"
#include "agg/chosen_rows.h"
#include "agg/table_sums.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/parse.h"
#include "glue/receipt.h"
#include "glue/settings.h"
#include "glue/unique_proof.h"
#include "guard/analyst.h"
#include "guard/asker.h"
#include "guard/blind.h"
#include "guard/charge.h"
#include "guard/enum_cells.h"
#include "guard/expression_types.h"
#include "guard/families.h"
#include "guard/held_keys.h"
#include "guard/hidden.h"
#include "guard/hooks.h"
#include "guard/individual.h"
#include "guard/internals.h"
#include "guard/level.h"
#include "guard/pattern.h"
#include "guard/private_plan.h"
#include "guard/private_run.h"
#include "guard/public_keys.h"
#include "guard/release_plan.h"
#include "guard/rewrite.h"
#include "guard/row_plan.h"
#include "guard/run_settings.h"
#include "guard/session_caches.h"
#include "guard/unseen.h"
#include "guard/utility.h"
#include "guard/values.h"

static planner_hook_type previous_planner;
static ExecutorStart_hook_type previous_start;
static ExecutorRun_hook_type previous_run;
static ExecutorEnd_hook_type previous_end;

/* ---- planning ---- */

typedef struct Mentioned
{
	bool		extension;
	bool		hidden;			/* what is kept from some roles */
} Mentioned;

static bool
is_added(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

/* What could the tree have to do with the extension?  A look at OIDs only. */
static bool
mentions_walker(Node *node, Mentioned *mentioned)
{
	if (node == NULL)
		return false;
	mentioned->hidden = mentioned->hidden || dps_mentions_hidden(node);
	mentioned->extension = mentioned->extension || check_functions_in_node(node, is_added, NULL);
	if (mentioned->extension && mentioned->hidden)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, mentions_walker, mentioned, 0);
	return expression_tree_walker(node, mentions_walker, mentioned);
}

/* A registered expression that was written out: the plan depends on it. */
static void
add_function_dependencies(PlannedStmt *statement, List *functions)
{
	ListCell   *cell;

	foreach(cell, functions)
	{
		PlanInvalItem *item = makeNode(PlanInvalItem);

		item->cacheId = PROCOID;
		item->hashValue = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(lfirst_oid(cell)));
		statement->invalItems = lappend(statement->invalItems, item);
	}
}

static PlannedStmt *
plan_statement(Query *query, const char *text, int options, ParamListInfo params)
{
	if (previous_planner != NULL)
		return previous_planner(query, text, options, params);
	return standard_planner(query, text, options, params);
}

/*
 * Rewrites.  Positions refer to the statement's own text, which is not what the
 * client sent where it is executed as a prepared statement or in a function.
 */
static void
rewrite_statement(Query *query, DpsRewrite *rewrite)
{
	bool		foreign = rewrite->source_text != NULL &&
		(debug_query_string == NULL || strcmp(debug_query_string, rewrite->source_text) != 0);
	DpsSource	source;

	if (foreign)
		dps_source_enter(&source, rewrite->source_text);
	dps_rewrite_statement(query, rewrite);
	if (foreign)
		dps_source_leave(&source);
}

/* For a role that must not see what the planner sees. */
static PlannedStmt *
plan_blind(Query *query, const char *text, int options, ParamListInfo params)
{
	void	   *plan = dps_private_plan_enter(query);
	bool		before = dps_blind_enter();
	PlannedStmt *statement = NULL;

	PG_TRY();
	{
		statement = plan_statement(query, text, options, params);
	}
	PG_FINALLY();
	{
		dps_blind_leave(before);
		dps_private_plan_leave(plan);
	}
	PG_END_TRY();
	/* nobody keeps accounts of it: pg_stat_statements and its like */
	statement->queryId = 0;
	return statement;
}

/* The planner looks at the ends of indexes. */
static PlannedStmt *
plan_uncounted(Query *query, const char *text, int options, ParamListInfo params)
{
	int			paused;
	PlannedStmt *statement;

	dps_refuse_tracing();
	dps_require_stack();
	dps_silence_log();
	paused = dps_pause_counting(NULL);
	statement = plan_blind(query, text, options, params);
	dps_resume_counting(paused);
	return statement;
}

/* A statement without answers. */
static PlannedStmt *
plan_hiding(Query *query, const char *text, int options, ParamListInfo params, bool mentions_hidden)
{
	PlannedStmt *statement;

	if (mentions_hidden && dps_hides())
		query = dps_hide(query);
	statement = plan_statement(query, text, options, params);
	statement->dependsOnRole |= mentions_hidden;
	return statement;
}

/*
 * The plan cache makes a plan for all values of parameters, too, and compares it
 * with those for single ones.  One that depends on them must not be chosen: by its
 * cost, and for whoever insists by an error when it runs (begin_statement).
 */
#define INCOMPLETE_COST 1e200

static PlannedStmt *
dps_planner(Query *query, const char *text, int options, ParamListInfo params)
{
	DpsRewrite	rewrite = {.source_text = text, .params = params};
	Mentioned	mentioned = {0};
	PlannedStmt *statement;
	List	   *families;

	(void) mentions_walker((Node *) query, &mentioned);
	if ((!mentioned.extension && !mentioned.hidden) || !OidIsValid(dps_schema_oid()))
		return plan_statement(dps_planned_rows(query), text, options, params);
	if (mentioned.extension)
		dps_refuse_internals(query, text);
	if (!mentioned.extension || !dps_has_dp_aggregate(query))
		return plan_hiding(dps_planned_rows(query), text, options, params, mentioned.hidden);
	query = mentioned.hidden && dps_hides() ? dps_hide(query) : copyObject(query);
	dps_lock_types(dps_expression_types(query).types);
	families = dps_note_families(query);
	rewrite_statement(query, &rewrite);
	statement = rewrite.is_restricted ? plan_uncounted(query, text, options, params) :
		plan_statement(query, text, options, params);
	dps_check_families(families);
	add_function_dependencies(statement, rewrite.functions);
	if (rewrite.is_incomplete)
		statement->planTree->total_cost = INCOMPLETE_COST;
	/* the plan cache makes it anew for another role */
	statement->dependsOnRole = true;
	return statement;
}

/* ---- execution ---- */

typedef struct ReleaseSearch
{
	List	   *functions;		/* of Oid: those that release */
	List	   *calls;			/* of FuncExpr * */
	List	   *releases;		/* of const DpsRelease *, of each */
	List	   *parameters;		/* of Param *: outside of these calls */
	Oid			pattern_function;
	List	   *patterns;		/* of FuncExpr *: calls of that one */
} ReleaseSearch;

/* Does an aggregate before this one have its release function? */
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

/* Asked for at each execution: by a look at the catalogs for each function. */
static List *
find_release_functions(void)
{
	List	   *functions = NIL;
	int			i;

	for (i = 0; dps_aggregates[i] != NULL; i++)
	{
		if (!is_repeated(i))
			functions = lappend_oid(functions, dps_release_function(dps_aggregates[i]));
	}
	return functions;
}

/* Does the plan depend on a release function?  Hashes may collide, so yes is
 * only maybe. */
static bool
may_release(const PlannedStmt *statement)
{
	List	   *functions;
	ListCell   *cell;
	ListCell   *function;

	if (statement->invalItems == NIL || !OidIsValid(dps_schema_oid()))
		return false;
	functions = find_release_functions();
	foreach(cell, statement->invalItems)
	{
		PlanInvalItem *item = lfirst_node(PlanInvalItem, cell);

		foreach(function, functions)
		{
			if (item->cacheId == PROCOID &&
				item->hashValue == GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(lfirst_oid(function))))
				return true;
		}
	}
	return false;
}

/* An expression of constants and parameters, whose value is passed by value. */
static Datum
evaluate(QueryDesc *query, Expr *expression, bool *isnull)
{
	ExprContext *context;
	Datum		value;

	if (contain_var_clause((Node *) expression))
		elog(ERROR, "an argument of a release refers to rows");
	context = CreateStandaloneExprContext();
	context->ecxt_param_list_info = query->params;
	value = ExecEvalExprSwitchContext(ExecInitExprWithParams(expression, query->params), context, isnull);
	FreeExprContext(context, true);
	return value;
}

/* The epsilon of one release, before anything is read. */
static double
release_epsilon(QueryDesc *query, const DpsTerms *terms, const DpsRelease *release, Expr *argument)
{
	double		setting = dps_aggregates[release->aggregate] == &dps_aggregate_selection ? terms->selection_epsilon :
		terms->epsilon;
	double		epsilon;
	Datum		value;
	bool		isnull;

	if (IsA(argument, Const) && ((Const *) argument)->constisnull)
	{
		if (setting == 0)
			dps_refuse_no_epsilon(release);
		return setting;
	}
	/* what the rewriter put around a parameter, so that NULL is told from no
	 * epsilon at all */
	if (IsA(argument, CoalesceExpr))
		argument = linitial(((CoalesceExpr *) argument)->args);
	value = evaluate(query, argument, &isnull);
	epsilon = isnull ? 0 : DatumGetFloat8(value);
	dps_check_epsilon(epsilon, isnull, 0);
	return epsilon;
}

/* A call that the rewriter did not make has no plan. */
static const DpsRelease *
release_plan(Node *argument)
{
	if (!IsA(argument, Const) || ((Const *) argument)->constisnull)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("release functions can only be called by dpsens"),
				 errhint("Use the dp_* aggregates.")));
	return dps_release_of_datum(((Const *) argument)->constvalue);
}

static bool
release_call_walker(Node *node, ReleaseSearch *search)
{
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) node;

		if (list_member_oid(search->functions, call->funcid))
		{
			search->calls = lappend(search->calls, call);
			search->releases = lappend(search->releases, (void *) release_plan(linitial(call->args)));
			return false;
		}
		if (call->funcid == search->pattern_function)
		{
			search->patterns = lappend(search->patterns, call);
			return false;
		}
	}
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		search->parameters = lappend(search->parameters, node);
	return expression_tree_walker(node, release_call_walker, search);
}

static bool
release_plan_walker(PlanState *state, ReleaseSearch *search)
{
	if (state == NULL)
		return false;
	(void) release_call_walker((Node *) state->plan->targetlist, search);
	return planstate_tree_walker(state, release_plan_walker, search);
}

static void
find_releases(QueryDesc *query, ReleaseSearch *search)
{
	memset(search, 0, sizeof(*search));
	search->functions = find_release_functions();
	search->pattern_function = dps_pattern_check_function();
	(void) release_plan_walker(query->planstate, search);
}

/* What the releases cost, and in *permits, one for each, what that allows. */
static List *
charge_items(QueryDesc *query, const ReleaseSearch *search, DpsPermit **permits)
{
	const DpsTerms *terms = dps_asker_terms(query->estate);
	List	   *items = NIL;
	List	   *joined = NIL;
	ListCell   *call;
	ListCell   *release;

	*permits = palloc(sizeof(DpsPermit) * list_length(search->releases));
	forboth(call, search->calls, release, search->releases)
	{
		const DpsRelease *one = lfirst(release);
		double		epsilon = release_epsilon(query, terms, one, (Expr *) lthird(lfirst_node(FuncExpr, call)->args));
		bool		is_selection = dps_aggregates[one->aggregate] == &dps_aggregate_selection;

		(*permits)[list_length(items)] = (DpsPermit) {.release = one, .draws = one->rows,
			.selection = is_selection ? 0 : one->selection};
		items = lappend(items, dps_charge_item(one, terms, epsilon));
		joined = list_concat(joined, dps_joined_items(one, llast(items)));
	}
	return list_concat(items, joined);
}

/* Has the parameter a value, of the type that the plan is made for? */
static void
check_parameter(ParamListInfo params, const Param *param)
{
	ParamExternData workspace;
	const ParamExternData *value = NULL;

	if (params != NULL && param->paramid > 0 && param->paramid <= params->numParams)
		value = params->paramFetch == NULL ? &params->params[param->paramid - 1] :
			params->paramFetch(params, param->paramid, false, &workspace);
	if (value == NULL || !OidIsValid(value->ptype))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("no value found for parameter %d", param->paramid)));
	if (value->ptype != param->paramtype)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type of parameter %d (%s) does not match that when preparing the plan (%s)",
						param->paramid, format_type_be(value->ptype), format_type_be(param->paramtype))));
}

static void
check_parameters(ParamListInfo params, const List *parameters)
{
	ListCell   *cell;

	foreach(cell, parameters)
		check_parameter(params, lfirst_node(Param, cell));
}

/* The calls raise an error if they find something. */
static void
check_patterns(QueryDesc *query, const List *patterns)
{
	ListCell   *cell;

	foreach(cell, patterns)
		(void) evaluate(query, lfirst(cell), &(bool) {false});
}

static void
refuse_incomplete(const List *releases)
{
	ListCell   *cell;

	foreach(cell, releases)
	{
		if (((const DpsRelease *) lfirst(cell))->incomplete)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("quantiles, buckets and levels that are parameters need a plan of their own"),
					 errhint("Set plan_cache_mode to auto or force_custom_plan.")));
	}
}

/* Is what was proved of joins true of what the statement sees? */
static void
check_proofs(const QueryDesc *query, const List *releases)
{
	ListCell   *cell;

	foreach(cell, releases)
	{
		const DpsRelease *release = lfirst(cell);
		int			i;

		for (i = 0; i < release->nproofs; i++)
			dps_check_unique_proof(release->proofs[i], query->snapshot);
	}
}

/* A statement that runs for the first time: checks what it would spend, and
 * spends it. */
static void
begin_statement(QueryDesc *query)
{
	ReleaseSearch search;
	List	   *items;
	DpsPermit  *permits;
	DpsReceipt *receipt;
	int64		last_release;

	find_releases(query, &search);
	if (search.releases == NIL)
		return;
	if (dps_is_explaining() && dps_setting_noise)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("EXPLAIN ANALYZE of a private answer is not supported"),
				 errdetail("It would spend privacy budget for an answer that nobody sees."),
				 errhint("Use EXPLAIN without ANALYZE, or dpsens.explain().")));
	refuse_incomplete(search.releases);
	dps_authorise(search.releases, dps_asker_role(query->estate));
	if (dps_any_restricted(search.releases))
	{
		dps_refuse_tracing();
		dps_require_stack();
		dps_silence_log();
		check_parameters(query->params, search.parameters);
		check_patterns(query, search.patterns);
	}
	dps_individual_check(search.releases);
	check_proofs(query, search.releases);
	dps_forget_public_keys(search.releases);
	items = charge_items(query, &search, &permits);
	last_release = dps_charge_statement(query, items);
	receipt = dps_receipt_push(query->estate, dps_asker_terms(query->estate), permits, list_length(search.releases));
	receipt->is_restricted = dps_any_restricted(search.releases);
	dps_individual_begin(receipt, search.releases, last_release);
}

/*
 * A plan from the cache may be shown without having been made here.  Whether it
 * may run is checked when it does, since a cursor may wait.
 */
static void
dps_executor_start(QueryDesc *queryDesc, int eflags)
{
	ReleaseSearch search;
	bool		releases = !IsParallelWorker() && may_release(queryDesc->plannedstmt);
	int			taken = 0;

	if (!IsParallelWorker() && OidIsValid(dps_schema_oid()))
		dps_refuse_unseen(queryDesc->plannedstmt);
	/* which calls are counted is decided here */
	if (releases)
		taken = dps_take_call_settings();
	if (previous_start != NULL)
		previous_start(queryDesc, eflags);
	else
		standard_ExecutorStart(queryDesc, eflags);
	if (!releases)
		return;
	dps_give_back_settings(taken);
	dps_asker_note(queryDesc->estate);
	if (!(eflags & EXEC_FLAG_EXPLAIN_ONLY))
		dps_hold_keys(queryDesc);
	find_releases(queryDesc, &search);
	if (dps_any_restricted(search.releases))
		dps_refuse_tracing();
}

static bool
runs_for_restricted(void)
{
	return dps_receipt_current() != NULL && dps_receipt_current()->is_restricted;
}

static void
dps_executor_run(DPS_EXECUTOR_RUN_PARAMETERS)
{
	void	   *outer = dps_receipt_enter(queryDesc->estate);
	DpsUsage	usage = dps_usage_now();
	volatile bool counted = true;
	volatile bool done = false;

	PG_TRY();
	{
		if (!IsParallelWorker() && dps_receipt_current() == NULL && may_release(queryDesc->plannedstmt))
		{
			begin_statement(queryDesc);
			/* what units have spent is read, too */
			if (runs_for_restricted())
				dps_usage_restore(&usage);
		}
		counted = !runs_for_restricted();
		if (!counted)
			dps_require_stack();
		if (previous_run != NULL)
			previous_run(DPS_EXECUTOR_RUN_ARGUMENTS);
		else
			standard_ExecutorRun(DPS_EXECUTOR_RUN_ARGUMENTS);
		done = true;
	}
	PG_FINALLY();
	{
		/* how far it came before it was cancelled, and by which cells it asked
		 * the catalogs */
		if (!counted && !done)
		{
			dps_forget_catalogs();
			dps_usage_restore(&usage);
		}
		dps_receipt_leave(outer);
	}
	PG_END_TRY();
}

/* The size of temporary files is counted when they are removed. */
static void
dps_executor_end(QueryDesc *queryDesc)
{
	void	   *outer = dps_receipt_enter(queryDesc->estate);
	bool		counted = !runs_for_restricted();
	int			paused = 0;

	dps_receipt_leave(outer);
	dps_receipt_drop(queryDesc->estate);
	if (!counted)
		paused = dps_take_steering_settings();
	if (previous_end != NULL)
		previous_end(queryDesc);
	else
		standard_ExecutorEnd(queryDesc);
	if (!counted)
		dps_give_back_settings(paused);
}

void
dps_hooks_init(void)
{
	dps_utility_init();
	dps_values_init();
	dps_table_sums_init();
	dps_chosen_rows_init();
	previous_planner = planner_hook;
	planner_hook = dps_planner;
	dps_analyst_init();
	dps_run_settings_init();
	dps_hidden_init();
	dps_blind_init();
	dps_private_plan_init();
	previous_start = ExecutorStart_hook;
	ExecutorStart_hook = dps_executor_start;
	previous_run = ExecutorRun_hook;
	ExecutorRun_hook = dps_executor_run;
	previous_end = ExecutorEnd_hook;
	ExecutorEnd_hook = dps_executor_end;
}
