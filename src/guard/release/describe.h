/*
 * describe.h
 *		What a row adds to a release, as the history keeps it.
 */
#ifndef DPS_GUARD_RELEASE_DESCRIBE_H
#define DPS_GUARD_RELEASE_DESCRIBE_H

#include "postgres.h"

#include "guard/release/columns.h"
#include "guard/release/release_plan.h"

/*
 * The contribution of a release whose sensitivity is derived, as JSON; NULL if it cannot be described.
 * conditions: expanded, all true of every row that counts.  unit: the columns that name units
 * (dps_unit_key_columns) if a limited number of rows of a unit counts, else NULL.
 */
extern char *dps_describe_contribution(const DpsReleasePlan *plan, const DpsRelease *release,
									   const DpsColumns *columns, const DpsProgram *program,
									   const List *conditions, const char *unit);

#endif							/* DPS_GUARD_RELEASE_DESCRIBE_H */
