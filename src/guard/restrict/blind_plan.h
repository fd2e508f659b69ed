/*
 * blind_plan.h
 *		Plans that look at no statistics when they run.
 */
#ifndef DPS_GUARD_RESTRICT_BLIND_PLAN_H
#define DPS_GUARD_RESTRICT_BLIND_PLAN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Takes out of the plan what its nodes would ask statistics for. */
extern void dps_blind_plan(PlannedStmt *statement);

#endif							/* DPS_GUARD_RESTRICT_BLIND_PLAN_H */
