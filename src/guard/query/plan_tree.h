/*
 * plan_tree.h
 *		All nodes of a finished plan.
 */
#ifndef DPS_GUARD_QUERY_PLAN_TREE_H
#define DPS_GUARD_QUERY_PLAN_TREE_H

#include "postgres.h"

#include "nodes/plannodes.h"

typedef bool (*DpsPlanTest) (Plan *plan);

/*
 * Is the test true of a node of the statement, subplans included?  It is called for one node after the
 * other until it is true, and may change the node.
 */
extern bool dps_any_plan(const PlannedStmt *statement, DpsPlanTest test);

#endif							/* DPS_GUARD_QUERY_PLAN_TREE_H */
