/*
 * group_states.h
 *		The states of all declared groups, computed by one aggregate.
 *
 * A query of exact states
 *
 *		SELECT k, exact_state(plan, x), exact_state(plan, y) FILTER (WHERE f) FROM t GROUP BY k
 *
 * becomes
 *
 *		SELECT exact_groups(plan, k, x, y, f) FROM t
 *
 * and the release reads, instead of a join of the declared keys to the groups,
 *
 *		SELECT exact_key(values, g, 1), release(plan, exact_group(states, g, 0)), ...
 *		FROM (SELECT states, generate_series(0, groups - 1) AS g FROM ...)
 *
 * Whether this form is used depends on the declarations, the aggregates and the memory settings, not on the
 * rows.
 */
#ifndef DPS_GUARD_RELEASE_GROUP_STATES_H
#define DPS_GUARD_RELEASE_GROUP_STATES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/release/keys.h"

/*
 * Rewrites the query of states in place; its target entries are the keys (of DpsKey *), then the releases
 * (of DpsReleasePlan *).  Returns false, with the query unchanged, if this form is not possible.  unit: the
 * query's expression for the unit, if only some of a unit's rows count, else NULL; exact_units takes it
 * before the keys.
 */
extern bool dps_fold_groups(const DpsProtectedSource *source, Query *states, const List *keys, const List *releases,
							Expr *unit);

/* The number of a row's group, by the keys, which are the first target entries of a query of states; it is
 * NULL for a row in no group.  Returns NULL if groups cannot be numbered. */
extern Expr *dps_group_number(const List *keys, const Query *states);

/* The only FROM entry of a release over a folded query. */
extern RangeTblEntry *dps_groups_entry(Query *states, const List *keys);

/* Over that entry: the number of the group, from 0. */
extern Expr *dps_group_ordinal(const List *keys);

/* Over that entry: the value of the key of this number, and the state of the release of this number, both
 * from 0. */
extern Expr *dps_group_key(const List *keys, int number);
extern Expr *dps_group_state(const List *keys, int number);

#endif							/* DPS_GUARD_RELEASE_GROUP_STATES_H */
