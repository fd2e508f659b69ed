/*
 * group_size.h
 *		Groups of units that are protected together.
 */
#ifndef DPS_GUARD_SOURCE_GROUP_SIZE_H
#define DPS_GUARD_SOURCE_GROUP_SIZE_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* How many units the source protects together: the most that is declared of any of its protected relations; 1: each unit by
 * itself. */
extern int	dps_group_size(const DpsProtectedSource *source);

/*
 * Turns what the facts say of one unit into what they say of all units of a group at once.  An error if rows have accounts of
 * their own, or if there are too many rows.
 */
extern void dps_group_factors(const DpsProtectedSource *source, DpsFacts *facts);

#endif							/* DPS_GUARD_SOURCE_GROUP_SIZE_H */
