/*
 * unseen.h
 *		dp aggregates that the planner hook did not see.
 */
#ifndef DPS_GUARD_REWRITE_UNSEEN_H
#define DPS_GUARD_REWRITE_UNSEEN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * An error that says what to do if there are any in the plan.  They would raise
 * it themselves, but a role that may not read the relation does not come that
 * far.
 */
extern void dps_refuse_unseen(const PlannedStmt *statement);

#endif							/* DPS_GUARD_REWRITE_UNSEEN_H */
