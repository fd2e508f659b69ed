/*
 * rewrite.c
 *		The three-level query: exact states below, release in a materialized
 *		CTE, the user's query on top.
 *
 * For a level Q = SELECT tlist FROM t WHERE w GROUP BY k HAVING h ORDER BY o:
 *
 *	(a) states	 SELECT k, exact_state(summand, columns) FROM t WHERE w GROUP BY k
 *	(b) release	 SELECT keys.k, release(plan, (a).state)
 *				 FROM (VALUES ...) keys LEFT JOIN (a) ON keys.k = (a).k
 *				 ORDER BY keys.ordinal
 *	(c) Q		 WITH release AS MATERIALIZED (b)
 *				 SELECT tlist' FROM release WHERE h' ORDER BY o'
 *
 * where an aggregate in tlist', h' and o' is a column of the CTE or a statistic of one; several can be
 * computed from the same column.  Each of the three queries is built by a file of its own: level_states.c,
 * level_release.c, level_answers.c.
 *
 * Noise is drawn in (b), once per row of a CTE that the executor evaluates once.  So a value that (c) uses
 * twice is drawn once, and (a) may run in parallel workers, be rescanned or spill, since it draws nothing.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"

#include "agg/aggregate.h"
#include "glue/citus.h"
#include "glue/import/linked_operators.h"
#include "glue/import/import.h"
#include "glue/settings.h"
#include "guard/distributed/distributed_sql.h"
#include "guard/distributed/distributed_states.h"
#include "guard/query/dp_aggregates.h"
#include "guard/query/nulling.h"
#include "guard/query/range_table.h"
#include "guard/release/keys.h"
#include "guard/rewrite/authorise.h"
#include "guard/rewrite/column_changes.h"
#include "guard/rewrite/column_weights.h"
#include "guard/rewrite/grouping_sets.h"
#include "guard/rewrite/level.h"
#include "guard/rewrite/rewrite.h"
#include "guard/rewrite/beside.h"
#include "guard/trace/chain.h"
#include "guard/trace/join.h"
#include "guard/trace/trace.h"

/* The arguments of the exact states are evaluated on every row, so they must be total. */
static void
check_arguments(const DpsLevel *level)
{
	ListCell   *cell;
	ListCell   *argument;

	foreach(cell, level->releases)
	{
		foreach(argument, ((DpsReleasePlan *) lfirst(cell))->columns)
			dps_check_total(&level->source, lfirst(argument));
	}
}

/* All releases of the level, of DpsRelease *. */
static List *
all_releases(const DpsLevel *level)
{
	List	   *releases = NIL;
	ListCell   *cell;

	foreach(cell, level->releases)
		releases = lappend(releases, ((DpsReleasePlan *) lfirst(cell))->release);
	return level->groups == NULL ? releases : lappend(releases, level->groups->plan->release);
}

static void
note_changes(DpsLevel *level)
{
	ListCell   *cell;

	foreach(cell, level->releases)
		dps_note_value_changes(lfirst(cell), &level->source);
	foreach(cell, all_releases(level))
		dps_note_level_changes(&level->source, level->readings, level->keys, lfirst(cell));
}

static void
mark_releases(const DpsLevel *level, const DpsRewrite *rewrite)
{
	int			number = list_length(rewrite->releases);
	ListCell   *cell;

	foreach(cell, all_releases(level))
	{
		DpsRelease *release = lfirst(cell);

		dps_mark_release(release, level->source.is_restricted);
		release->number = ++number;
	}
	/* the annotations recorded are those that were read before, or an error */
	dps_check_labels(&level->source);
}

static bool
any_incomplete(const DpsLevel *level)
{
	ListCell   *cell;

	foreach(cell, level->releases)
	{
		if (((DpsReleasePlan *) lfirst(cell))->release->incomplete)
			return true;
	}
	return false;
}

static void
note_set(DpsLevel *level, const char *set)
{
	ListCell   *cell;

	foreach(cell, level->requests)
		((DpsRequest *) lfirst(cell))->set = set;
}

/* (b), or the query that reads its result from a clean room. */
static Query *
place_release(const DpsLevel *level, Query *release, DpsRewrite *rewrite)
{
	if (!level->source.is_restricted || rewrite->is_analysis || dps_setting_clean_rooms == 0)
		return release;
	return dps_from_room(release, rewrite->families, &rewrite->of_rooms);
}

static void
rewrite_level(Query *query, DpsRewrite *rewrite)
{
	DpsLevel		level = {0};
	const char *set = list_length(rewrite->enclosing) > 1 ? dps_grouping_set(lsecond_node(Query, rewrite->enclosing), query) : NULL;
	Query	   *states;

	level.readings = dps_column_readings(query);
	level.source.query = query;
	level.source.enclosing = rewrite->enclosing;
	level.source.source_text = rewrite->source_text;
	level.source.params = rewrite->params;
	level.source.is_analysis = rewrite->is_analysis;
	level.source.location = dps_first_location(query);
	dps_check_level_shape(&level, query);
	dps_trace_source(&level.source);
	level.keys = dps_collect_keys(&level.source, query);
	if (dps_any_key_is_undeclared(level.keys))
		level.groups = dps_plan_groups(&level.source, level.keys, dps_asks_for_rest(query),
									   list_length(rewrite->selections) + 1,
									   dps_weigh_columns(&level.source, level.readings, level.keys, NIL, NULL));
	if (set != NULL)
		rewrite->sets = lappend(rewrite->sets, dps_note_set_query(query, &level));
	dps_collect_requests(&level, query);
	dps_plan_requests(&level);
	note_changes(&level);
	mark_releases(&level, rewrite);
	rewrite->is_incomplete |= any_incomplete(&level);
	states = dps_build_states(&level, query);
	level.checks = list_concat(level.checks, dps_harden_chain(states, level.source.is_restricted));
	if (level.source.is_restricted)
	{
		check_arguments(&level);
		dps_note_beside(&level.source, states, all_releases(&level));
		dps_check_noted(&level.source, all_releases(&level));
		dps_admit_source(states);
		level.parameters = dps_add_parameters(level.parameters, states);
		level.parameters = list_concat(level.parameters, level.checks);
		rewrite->is_restricted = true;
	}
	if (dps_reads_distributed(states))
	{
		rewrite->distributed = list_concat_unique_oid(rewrite->distributed, dps_named_relations(states));
		states = dps_distribute_states(states, &level.source);
	}
	if (level.groups != NULL)
	{
		states = dps_shown_groups(level.groups, states, list_length(level.keys));
		rewrite->selections = lappend(rewrite->selections, level.groups->plan);
		rewrite->releases = lappend(rewrite->releases, level.groups->plan);
	}
	/* its references to enclosing queries are now two levels further */
	IncrementVarSublevelsUp((Node *) states, 2, 1);
	dps_put_on_top(&level, query, place_release(&level, dps_build_release(&level, states), rewrite));
	note_set(&level, set);
	if (set != NULL)
	{
		((DpsSetQuery *) llast(rewrite->sets))->requests = level.requests;
		((DpsSetQuery *) llast(rewrite->sets))->releases = level.releases;
	}
	rewrite->requests = list_concat(rewrite->requests, level.requests);
	rewrite->releases = list_concat(rewrite->releases, level.releases);
	rewrite->functions = list_concat_unique_oid(rewrite->functions, level.source.functions);
}

/* errposition() for a location in the statement. */
static int
statement_position(const DpsRewrite *rewrite, int location)
{
	return errposition(dps_text_position(rewrite->source_text, location));
}

static bool
rewrite_walker(Node *node, DpsRewrite *rewrite)
{
	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc) && dps_dp_aggregate(((WindowFunc *) node)->winfnoid) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates cannot be used as window functions"),
				 errhint("Compute the answers in a subquery and apply window functions to them."),
				 statement_position(rewrite, ((WindowFunc *) node)->location)));
	/* an answer that is read twice must be drawn once */
	if (IsA(node, CommonTableExpr) && dps_has_dp_aggregate(castNode(Query, ((CommonTableExpr *) node)->ctequery)))
	{
		if (((CommonTableExpr *) node)->cterecursive)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("dp aggregates are not supported in a recursive query"),
					 errhint("Keep the answers in a table first.")));
		((CommonTableExpr *) node)->ctematerialized = CTEMaterializeAlways;
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup > 0 &&
		dps_dp_aggregate(((Aggref *) node)->aggfnoid) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a dp aggregate cannot belong to an outer query"),
				 errhint("Compute it in the query whose columns it is of, and refer to the answer."),
				 statement_position(rewrite, ((Aggref *) node)->location)));
	if (IsA(node, Query))
	{
		List	   *outer = rewrite->enclosing;
		bool		has_sets = ((Query *) node)->groupingSets != NIL && dps_has_own_dp_aggregate((Query *) node);

		rewrite->enclosing = lcons(node, list_copy(outer));
		if (has_sets)
			dps_split_grouping_sets((Query *) node, dps_own_aggregates((Query *) node), rewrite->source_text);
		(void) query_tree_walker((Query *) node, rewrite_walker, (void *) rewrite, 0);
		if (dps_has_own_dp_aggregate((Query *) node))
			rewrite_level((Query *) node, rewrite);
		if (has_sets)
			dps_fit_grouping_sets((Query *) node, rewrite->sets);
		rewrite->enclosing = outer;
		return false;
	}
	return expression_tree_walker(node, rewrite_walker, (void *) rewrite);
}

/*
 * Refuses, at every level, statements in which the executor may evaluate rows again after another
 * transaction has changed them: a draw could be repeated.
 */
static bool
check_statement_walker(Node *node, void *context)
{
	Query	   *query = (Query *) node;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, check_statement_walker, context);
	if (query->commandType != CMD_SELECT && query->commandType != CMD_INSERT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates are supported in SELECT, CREATE TABLE AS and INSERT ... SELECT only"),
				 errhint("Keep the answers in a table first.")));
	if (query->rowMarks != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("FOR UPDATE and FOR SHARE are not supported together with dp aggregates"),
				 errhint("Keep the answers in a table first.")));
	foreach(cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_RELATION && !dps_citus_can_add_up(entry->relid))
			dps_citus_refuse_source(entry->relid);
	}
	return query_tree_walker(query, check_statement_walker, context, 0);
}

/* What answers are made of has been taken out: none of Citus's tables may be left, which its planner would
 * plan with the releases. */
static void
check_left(const Query *query)
{
	ListCell   *cell;

	foreach(cell, dps_named_relations(query))
		dps_citus_refuse_source(lfirst_oid(cell));
}

void
dps_rewrite_statement(Query *query, DpsRewrite *rewrite)
{
	dps_citus_refuse_worker();
	dps_refuse_foreign_operators((Node *) query, rewrite->source_text);
	(void) check_statement_walker((Node *) query, NULL);
	dps_plain_tree(query);
	(void) rewrite_walker((Node *) query, rewrite);
	if (rewrite->distributed != NIL)
		dps_drop_unread(query);
	check_left(query);
	*query = *dps_note_nulling(query);
}
