/*
 * row_plan.h
 *		Plans of queries that read rows for another purpose than an answer.
 */
#ifndef DPS_GUARD_REWRITE_ROW_PLAN_H
#define DPS_GUARD_REWRITE_ROW_PLAN_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/*
 * Plans the query, which has been rewritten.  With `attempts`, calls that fail on a row are NULL there;
 * precondition: the query, and each subquery below it, reads one relation or subquery row by row, in any
 * order.
 */
extern PlannedStmt *dps_plan_rows(Query *query, const char *text, bool attempts);

/* For the planner's hook: the query, with attempts if dps_plan_rows asked for them. */
extern Query *dps_planned_rows(Query *query);

#endif							/* DPS_GUARD_REWRITE_ROW_PLAN_H */
