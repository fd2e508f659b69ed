/*
 * blind_plan.h
 *		Plans that read no statistics when they run.
 */
#ifndef DPS_GUARD_RESTRICT_BLIND_PLAN_H
#define DPS_GUARD_RESTRICT_BLIND_PLAN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Removes from the plan what makes its nodes read statistics when they run. */
extern void dps_blind_plan(PlannedStmt *statement);

#endif							/* DPS_GUARD_RESTRICT_BLIND_PLAN_H */
