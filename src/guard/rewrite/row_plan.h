/*
 * row_plan.h
 *		Plans of queries that read rows for something else than an answer.
 */
#ifndef DPS_GUARD_REWRITE_ROW_PLAN_H
#define DPS_GUARD_REWRITE_ROW_PLAN_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/*
 * The plan of this very query, which was rewritten.  With `attempts`, calls that fail
 * on a row are NULL there; the query, and each subquery below it, then reads one relation
 * or subquery row by row, in any order.
 */
extern PlannedStmt *dps_plan_rows(Query *query, const char *text, bool attempts);

/* For the planner's hook: the query, or what is planned in its place. */
extern Query *dps_planned_rows(Query *query);

#endif							/* DPS_GUARD_REWRITE_ROW_PLAN_H */
