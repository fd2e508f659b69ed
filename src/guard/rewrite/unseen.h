/*
 * unseen.h
 *		dp aggregates that the planner hook did not see.
 */
#ifndef DPS_GUARD_REWRITE_UNSEEN_H
#define DPS_GUARD_REWRITE_UNSEEN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * Raises an error with a hint if the plan contains any.  They would raise it themselves, but a role that
 * may not read the relation gets another error before.
 */
extern void dps_refuse_unseen(const PlannedStmt *statement);

#endif							/* DPS_GUARD_REWRITE_UNSEEN_H */
