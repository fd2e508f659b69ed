/*
 * hooks.c
 *		The planner and executor hooks.
 *
 * The planner hook rewrites.  The executor hooks give a rewritten statement its receipt.  A plan with a
 * release depends on the release function, so the plan's list of dependencies distinguishes such plans
 * from all others without a walk over their trees.
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
#include "agg/scan/chosen_rows.h"
#include "agg/scan/table_sums.h"
#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/parse.h"
#include "glue/constraint/unique_proof.h"
#include "glue/receipt.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "guard/condition/enum_cells.h"
#include "guard/condition/pattern.h"
#include "guard/distributed/distributed_states.h"
#include "guard/hooks.h"
#include "guard/public/values.h"
#include "guard/query/dp_aggregates.h"
#include "guard/query/expression_types.h"
#include "guard/release/individual.h"
#include "guard/release/public_keys.h"
#include "guard/release/release_plan.h"
#include "guard/restrict/asker.h"
#include "guard/restrict/blind.h"
#include "guard/restrict/blind_plan.h"
#include "guard/restrict/distributed.h"
#include "guard/restrict/hidden.h"
#include "guard/restrict/internals.h"
#include "guard/restrict/quiet_run.h"
#include "guard/restrict/run_settings.h"
#include "guard/restrict/session_caches.h"
#include "guard/restrict/utility.h"
#include "guard/rewrite/authorise.h"
#include "guard/rewrite/level.h"
#include "guard/rewrite/rewrite.h"
#include "guard/rewrite/room_query.h"
#include "guard/rewrite/row_plan.h"
#include "guard/rewrite/unseen.h"
#include "guard/room/function_wall.h"
#include "guard/run/families.h"
#include "guard/run/found_releases.h"
#include "guard/run/held_keys.h"
#include "guard/run/private_plan.h"
#include "guard/run/private_run.h"
#include "guard/run/refused.h"
#include "guard/run/room_answers.h"
#include "guard/run/room_work.h"
#include "guard/run/statement_charge.h"
#include "room/room.h"

static planner_hook_type previous_planner;
static ExecutorStart_hook_type previous_start;
static ExecutorRun_hook_type previous_run;
static ExecutorEnd_hook_type previous_end;

/* ---- planning ---- */

typedef struct Mentioned
{
	bool		extension;
	bool		hidden;			/* relations or functions hidden from some roles */
} Mentioned;

static bool
is_added(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

/* Notes whether the tree mentions the extension or hidden objects.  Looks at OIDs only. */
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

/* Registered expressions were inlined: the plan depends on their functions. */
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
 * Rewrites the query.  Error positions refer to the statement's own text.  For a prepared statement and
 * inside a function this is not the text that the client sent.
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

/* The same of a copy, which it returns.  What it refuses to analysts is logged. */
static Query *
rewrite_copy(const Query *asked, Query *query, DpsRewrite *rewrite)
{
	DpsRefusable refusable = dps_refusable_query(asked, rewrite->source_text);

	query = copyObject(query);
	PG_TRY();
	{
		dps_lock_types(dps_expression_types(query).types);
		rewrite->families = dps_note_families(query);
		rewrite_statement(query, rewrite);
	}
	PG_CATCH();
	{
		dps_refuse_again(&refusable);
	}
	PG_END_TRY();
	return query;
}

/* Refuses internal functions; logged, too. */
static void
refuse_internals(Query *query, const char *text)
{
	DpsRefusable refusable = dps_refusable_query(query, text);

	PG_TRY();
	{
		dps_refuse_internals(query, text);
	}
	PG_CATCH();
	{
		dps_refuse_again(&refusable);
	}
	PG_END_TRY();
}

/* Plans for a role that must not learn what the planner reads of the data. */
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
	dps_blind_plan(statement);
	/* 0: pg_stat_statements and similar modules do not count the statement */
	statement->queryId = 0;
	return statement;
}

/* Plans while statistics counters are paused, since the planner reads the ends of indexes. */
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

static Query *
hide_from_role(Query *query)
{
	DpsHidden	hidden = dps_hides();

	return hidden != DPS_HIDDEN_NOTHING ? dps_hide(query, hidden) : query;
}

/* Plans a statement without dp aggregates. */
static PlannedStmt *
plan_hiding(Query *query, const char *text, int options, ParamListInfo params, bool mentions_hidden)
{
	PlannedStmt *statement;

	if (mentions_hidden)
		query = hide_from_role(query);
	statement = plan_statement(query, text, options, params);
	statement->dependsOnRole |= mentions_hidden;
	return statement;
}

/*
 * The plan cache also makes a generic plan and compares its cost with those of custom plans.  If releases
 * depend on parameters, the generic plan must not be chosen.  Its cost prevents that.  If it is forced,
 * the statement is refused when it runs (begin_statement).
 */
#define INCOMPLETE_COST 1e200

static PlannedStmt *
dps_planner(Query *query, const char *text, int options, ParamListInfo params)
{
	DpsRewrite	rewrite = {.source_text = text, .params = params};
	Mentioned	mentioned = {0};
	PlannedStmt *statement;

	(void) mentions_walker((Node *) query, &mentioned);
	if (!mentioned.extension && !mentioned.hidden)
		return plan_statement(dps_planned_rows(query), text, options, params);
	/* the server's counters are hidden in every database, also where the extension is not installed */
	if (!OidIsValid(dps_schema_oid()))
		return plan_hiding(dps_planned_rows(query), text, options, params, mentioned.hidden);
	if (mentioned.extension && dps_calls_internals(query))
		refuse_internals(query, text);
	if (!mentioned.extension || !dps_has_dp_aggregate(query))
		return plan_hiding(dps_planned_rows(query), text, options, params, mentioned.hidden);
	dps_require_version();
	dps_ledger_note_catalogs();
	query = rewrite_copy(query, mentioned.hidden ? hide_from_role(query) : query, &rewrite);
	statement = rewrite.is_restricted ? plan_uncounted(query, text, options, params) :
		plan_statement(query, text, options, params);
	dps_check_families(rewrite.families);
	add_function_dependencies(statement, rewrite.functions);
	dps_add_room_dependencies(statement, &rewrite.of_rooms);
	dps_depend_on_distributed(statement, rewrite.distributed);
	if (rewrite.is_incomplete)
		statement->planTree->total_cost = INCOMPLETE_COST;
	/* the plan cache plans it again for another role */
	statement->dependsOnRole = true;
	return statement;
}

/* ---- execution ---- */

static void
check_distributed(const List *calls, ParamListInfo params)
{
	ListCell   *cell;

	foreach(cell, calls)
		dps_check_distributed(lfirst_node(FuncExpr, cell), params);
}

/* Raises an error if the statement may not run, or if declarations have changed since it was planned. */
static void
check_statement(QueryDesc *query, const DpsFoundReleases *found)
{
	if (dps_is_explaining() && dps_setting_noise)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("EXPLAIN ANALYZE of a private answer is not supported"),
				 errdetail("It would spend privacy budget for an answer that nobody sees."),
				 errhint("Use EXPLAIN without ANALYZE, or dpsens.explain().")));
	dps_require_version();
	dps_refuse_incomplete(found->releases);
	dps_authorise(found->releases, dps_asker_role(query->estate));
	if (dps_any_restricted(found->releases))
	{
		dps_refuse_tracing();
		dps_require_stack();
		dps_silence_log();
		dps_check_parameters(query, found);
	}
	dps_individual_check(found->releases);
	check_distributed(found->distributed, query->params);
	dps_check_proofs(query, found->releases);
	dps_forget_public_keys(found->releases);
}

/* What a statement spends. */
typedef struct Price
{
	DpsPermit  *permits;
	List	   *items;
	DpsCatalogs catalogs;		/* those that all of it follows from */
} Price;

/* Gives the charged statement its receipt. */
static DpsReceipt *
permit(QueryDesc *query, const DpsFoundReleases *found, const Price *price, int64 last_release)
{
	DpsReceipt *receipt = dps_receipt_push(query->estate, price->permits, list_length(found->releases));

	receipt->is_restricted = dps_any_restricted(found->releases);
	/* the losses of units are read by the process that reads their rows */
	dps_individual_begin(receipt, found->drawn_here, last_release);
	return receipt;
}

/*
 * The room charges when it has all that it needs.  While the room is taken, this session computes nothing
 * of its own.  It only waits: for the ledger, no longer than dpsens.ledger_timeout, and for the answers.
 */
static void
begin_in_room(QueryDesc *query, const DpsFoundReleases *found, const Price *price)
{
	DpsRoomVisit *room = dps_ask_room(query, found, price->items, price->permits, &price->catalogs);

	PG_TRY();
	{
		DpsDecision decision = dps_room_decision(room);

		dps_take_answers(room, found, permit(query, found, price, decision.last_release), &decision);
	}
	PG_FINALLY();
	{
		dps_leave_room(room);
	}
	PG_END_TRY();
}

/* A statement that runs for the first time. */
static void
begin_statement(QueryDesc *query)
{
	DpsFoundReleases found;
	DpsRefusable refusable;
	Price		price;

	dps_find_releases(query, &found);
	if (found.releases == NIL)
		return;
	price.catalogs = dps_ledger_noted_catalogs();
	refusable = dps_refusable_run(query);
	PG_TRY();
	{
		check_statement(query, &found);
		price.items = dps_charge_items(query, &found, &price.permits);
	}
	PG_CATCH();
	{
		dps_refuse_again(&refusable);
	}
	PG_END_TRY();
	if (found.rooms != NIL)
		begin_in_room(query, &found, &price);
	else
		(void) permit(query, &found, &price, dps_charge_statement(query, price.items, &price.catalogs));
}

/*
 * EXPLAIN may show a cached plan that another statement made.  Whether a plan may run is checked at its
 * first execution and not here, since a cursor may run later.
 */
static void
dps_executor_start(QueryDesc *queryDesc, int eflags)
{
	bool		releases = !IsParallelWorker() && dps_may_release(queryDesc->plannedstmt);
	int			taken = 0;

	if (!IsParallelWorker() && OidIsValid(dps_schema_oid()))
		dps_refuse_unseen(queryDesc->plannedstmt);
	/* ExecutorStart decides which function calls are counted */
	if (releases)
	{
		taken = dps_take_call_settings();
		/* auto_explain would show the row count of each node if it was preloaded after dpsens */
		if (!dps_is_explaining())
			queryDesc->instrument_options = 0;
	}
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
	if (dps_releases_unread(queryDesc))
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
		if (!IsParallelWorker() && dps_receipt_current() == NULL && dps_may_release(queryDesc->plannedstmt))
		{
			begin_statement(queryDesc);
			/* reading the losses of units has changed the counters, too */
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
		/* hides how far the statement got before it was cancelled, and for which cells it read the
		 * catalogs */
		if (!done && (!counted || runs_for_restricted()))
		{
			dps_forget_catalogs();
			dps_usage_restore(&usage);
		}
		dps_receipt_leave(outer);
	}
	PG_END_TRY();
}

/* Removing temporary files counts and logs their sizes, so the settings for that are taken here, too. */
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
	if (dps_setting_clean_rooms > 0)
		dps_room_init(&dps_room_work);
	dps_utility_init();
	dps_values_init();
	dps_table_sums_init();
	dps_chosen_rows_init();
	dps_citus_init();
	previous_planner = planner_hook;
	planner_hook = dps_planner;
	dps_quiet_run_init();
	dps_run_settings_init();
	dps_hidden_init();
	dps_distributed_init();
	dps_blind_init();
	dps_function_wall_init();
	dps_private_plan_init();
	dps_blind_end_init();
	previous_start = ExecutorStart_hook;
	ExecutorStart_hook = dps_executor_start;
	previous_run = ExecutorRun_hook;
	ExecutorRun_hook = dps_executor_run;
	previous_end = ExecutorEnd_hook;
	ExecutorEnd_hook = dps_executor_end;
}
