/*
 * value_bounds.h
 *		Certified bounds of the values of a release, and the facts about privacy that
 *		follow.
 */
#ifndef DPS_GUARD_RELEASE_VALUE_BOUNDS_H
#define DPS_GUARD_RELEASE_VALUE_BOUNDS_H

#include "postgres.h"

#include "glue/import/import.h"
#include "guard/release/columns.h"
#include "guard/release/release_plan.h"

/*
 * Fills the plan's policy, its brackets and the facts about its values, for the adjacency in its facts, and
 * sets the domains of the import's columns, into which cells are clamped, to those that were bounded.
 * import: that of the values.  conditions: expanded, all true of every row that counts.  Raises an error at
 * this position if the values are not bounded.
 */
extern void dps_bound_values(DpsReleasePlan *plan, DpsImport *import, const List *conditions, int position);

#endif							/* DPS_GUARD_RELEASE_VALUE_BOUNDS_H */
