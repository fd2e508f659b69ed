/*
 * value_bounds.h
 *		Certified bounds of the values of a release, and what they say about
 *		privacy.
 */
#ifndef DPS_GUARD_RELEASE_VALUE_BOUNDS_H
#define DPS_GUARD_RELEASE_VALUE_BOUNDS_H

#include "postgres.h"

#include "glue/import/import.h"
#include "guard/release/columns.h"
#include "guard/release/release_plan.h"

/*
 * Fills the plan's policy, its brackets and what its facts say of the values, for
 * the adjacency that they name, and sets the domains that the import's columns clamp
 * cells into to those that were bounded.  The import is that of the values;
 * conditions are expanded: all that must be true of a row that counts.  Raises an error at this
 * position if they are not bounded.
 */
extern void dps_bound_values(DpsReleasePlan *plan, DpsImport *import, const List *conditions, int position);

#endif							/* DPS_GUARD_RELEASE_VALUE_BOUNDS_H */
