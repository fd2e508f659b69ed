/*
 * group_states.h
 *		The states of all declared groups by one aggregate.
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
 * Neither the rows nor their number decide whether: only the declarations, the
 * aggregates and what memory there may be.
 */
#ifndef DPS_GUARD_RELEASE_GROUP_STATES_H
#define DPS_GUARD_RELEASE_GROUP_STATES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/release/keys.h"

/*
 * Rewrites the query of states in place, whose keys (of DpsKey *) and releases
 * (of DpsReleasePlan *) are its target entries in this order; false, and the
 * query is as it was, if it must stay that way.  unit, unless it is NULL, is the
 * expression of the query for the unit, not all of whose rows count; exact_units takes
 * it before the keys.
 */
extern bool dps_fold_groups(const DpsProtectedSource *source, Query *states, const List *keys, const List *releases,
							Expr *unit);

/* The number of a row's group, by keys of a query of states, which are its first target
 * entries; NULL of a row in none.  NULL if groups cannot be numbered. */
extern Expr *dps_group_number(const List *keys, const Query *states);

/* The FROM entry of a release over a folded query, which has no other. */
extern RangeTblEntry *dps_groups_entry(Query *states, const List *keys);

/* Over that entry: the value of the key of this number, and the state. */
extern Expr *dps_group_key(const List *keys, int number);
extern Expr *dps_group_state(const List *keys, int number);

#endif							/* DPS_GUARD_RELEASE_GROUP_STATES_H */
