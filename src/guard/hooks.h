/*
 * hooks.h
 *		The planner and executor hooks.
 */
#ifndef DPS_GUARD_HOOKS_H
#define DPS_GUARD_HOOKS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* Installs the hooks; called from _PG_init when the library is preloaded. */
extern void dps_hooks_init(void);

/*
 * Plans for reading rows, not through the planner hooks, so that no other extension sees what the rewriter
 * has added.  Where Citus is preloaded, through those that were there before ours: its hooks for relations
 * rely on what its planner hook sets up, and crash without.
 */
extern PlannedStmt *dps_plan_unseen(Query *query, ParamListInfo params);

#endif							/* DPS_GUARD_HOOKS_H */
