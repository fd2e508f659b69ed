/*
 * row_plan.c
 *		Plans of queries that read rows for another purpose than an answer.
 *
 * Users may not write calls of attempts, so the rewriting adds them after the statement was checked: in the
 * planner's hook.
 */
#include "postgres.h"

#include "tcop/tcopprot.h"

#include "guard/rewrite/row_plan.h"
#include "guard/trace/chain.h"

/* Must the next query that is planned attempt its calls? */
static bool is_entered = false;

PlannedStmt *
dps_plan_rows(Query *query, const char *text, bool attempts)
{
	PlannedStmt *statement = NULL;

	PG_TRY();
	{
		is_entered = attempts;
		statement = pg_plan_query(query, text, 0, NULL);
	}
	PG_FINALLY();
	{
		is_entered = false;
	}
	PG_END_TRY();
	return statement;
}

Query *
dps_planned_rows(Query *query)
{
	if (!is_entered)
		return query;
	/* queries that functions plan meanwhile are not affected */
	is_entered = false;
	(void) dps_harden_chain(query, false);
	return query;
}
