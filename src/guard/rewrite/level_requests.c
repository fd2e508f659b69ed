/*
 * level_requests.c
 *		The aggregates of a level, and the releases that they are computed from.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "base/once.h"
#include "guard/query/dp_aggregates.h"
#include "guard/release/keys.h"
#include "guard/release/public_keys.h"
#include "guard/rewrite/column_weights.h"
#include "guard/rewrite/level.h"

static bool
same_aggregate(Aggref *a, Aggref *b)
{
	return a->aggfnoid == b->aggfnoid && equal(a->args, b->args) && equal(a->aggfilter, b->aggfilter) &&
		(a->aggdistinct == NIL) == (b->aggdistinct == NIL) && (a->aggorder == NIL) == (b->aggorder == NIL);
}

DpsRequest *
dps_find_request(const DpsLevel *level, Aggref *aggref)
{
	ListCell   *cell;

	foreach(cell, level->requests)
	{
		if (same_aggregate(((DpsRequest *) lfirst(cell))->aggref, aggref))
			return lfirst(cell);
	}
	return NULL;
}

void
dps_collect_requests(DpsLevel *level, Query *query)
{
	ListCell   *cell;

	foreach(cell, dps_own_aggregates(query))
	{
		Aggref	   *aggref = lfirst_node(Aggref, cell);

		if (dps_dp_aggregate(aggref->aggfnoid) < 0)
			dps_refuse_level(level, psprintf("aggregate function %s is", get_func_name(aggref->aggfnoid)),
						 "Exact aggregates of a protected relation belong in a query of their own.",
						 aggref->location);
		if (aggref->agglevelsup == 0 && dps_find_request(level, aggref) != NULL)
			continue;
		level->requests = lappend(level->requests, dps_read_request(&level->source, aggref));
	}
}

static void
plan_request(DpsLevel *level, DpsRequest *request)
{
	ListCell   *cell;
	DpsReleasePlan *plan;

	foreach(cell, level->releases)
	{
		if (dps_share_release(request, lfirst(cell)))
			return;
	}
	plan = dps_plan_release(&level->source, request, dps_any_key_is_private(level->keys),
							level->groups != NULL && level->groups->has_rest,
							dps_weigh_columns(&level->source, level->readings, level->keys, request->arguments,
											  request->aggref->aggfilter));
	plan->release->reads_keys = dps_any_key_is_read(level->keys);
	if (level->groups == NULL)
		plan->release->rows = dps_key_combinations(level->keys);
	else
	{
		/* further draws are granted for each group that is shown */
		plan->release->rows = level->groups->has_rest ? 1 : 0;
		plan->release->selection = level->groups->plan->release->selection;
	}
	level->releases = lappend(level->releases, plan);
	request->release = plan;
	if (request->statistic >= 0 && !dps_share_release(request, plan))
		elog(ERROR, "a release does not have the values that it is made for");
}

/* Sets the text of a release for the history. */
static void
describe_release(const DpsLevel *level, DpsReleasePlan *plan)
{
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, level->requests)
	{
		const DpsRequest *request = lfirst(cell);

		if (request->release == plan)
			appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "", dps_request_text(request));
	}
	dps_describe_release(plan, text.data);
}

/* Sets the focus of a release from the statistics computed from it, unless one of them is an interval. */
static void
focus_release(const DpsLevel *level, DpsReleasePlan *plan)
{
	List	   *finishes = NIL;
	ListCell   *cell;

	if (plan->aggregate->focus == NULL)
		return;
	foreach(cell, level->requests)
	{
		const DpsRequest *request = lfirst(cell);

		if (request->release != plan)
			continue;
		if (request->interval)
			return;
		finishes = lappend(finishes, request->finish);
	}
	plan->aggregate->focus(plan->release, finishes);
}

/* Plans the broadest requests first, since others can be computed from their releases. */
void
dps_plan_requests(DpsLevel *level)
{
	int			breadth = 0;
	ListCell   *cell;

	foreach(cell, level->requests)
		breadth = dps_max(breadth, dps_request_breadth(lfirst(cell)));
	for (; breadth >= 0; breadth--)
	{
		foreach(cell, level->requests)
		{
			if (dps_request_breadth(lfirst(cell)) == breadth)
				plan_request(level, lfirst(cell));
		}
	}
	foreach(cell, level->releases)
	{
		focus_release(level, lfirst(cell));
		describe_release(level, lfirst(cell));
	}
}
