/*
 * private_plan.h
 *		Plans for roles that must not look.
 */
#ifndef DPS_GUARD_RUN_PRIVATE_PLAN_H
#define DPS_GUARD_RUN_PRIVATE_PLAN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* From enter to leave, the planner plans the rewritten query.  Returns the value to be passed to leave. */
extern void *dps_private_plan_enter(Query *query);
extern void dps_private_plan_leave(void *before);

/* Sets the hooks and registers the nodes; called by dps_hooks_init. */
extern void dps_private_plan_init(void);

#endif							/* DPS_GUARD_RUN_PRIVATE_PLAN_H */
