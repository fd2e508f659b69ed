/*
 * semijoin.h
 *		EXISTS and IN in conditions of a level with joins.
 */
#ifndef DPS_GUARD_TRACE_SEMIJOIN_H
#define DPS_GUARD_TRACE_SEMIJOIN_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * A condition of the level, expanded, with EXISTS in place of IN.  Its subqueries are added to
 * source->semijoins.  The condition and source->semijoins share the trees of the subqueries, so that
 * renumbering parts in one renumbers them in the other.  nullable: the condition belongs to the optional
 * side of an outer join, where no subquery is allowed.
 */
extern Node *dps_expand_condition(DpsProtectedSource *source, Query *level, Node *condition, bool nullable);

/* The expanded condition with TRUE in place of its subqueries. */
extern Node *dps_without_subqueries(Node *condition);

/*
 * Checks what the subqueries of a traced level read, and sets swaps_rows.  An error unless it is proved
 * that they depend on the row's own unit only.  To be called after the unit is found and before parts are
 * marked as private.
 */
extern void dps_check_semijoins(DpsProtectedSource *source);

/*
 * The join of the level with a subquery, for proofs only: it is not executed.  The parts of the
 * subquery come after the others.
 */
extern DpsProtectedSource dps_join_with(const DpsProtectedSource *outer, const DpsProtectedSource *inner);

/* The condition with its subqueries as executable queries, for the query that reads the parts. */
extern Node *dps_build_subqueries(const DpsProtectedSource *source, Node *condition, List **checks);

/* Does a condition of a chain need the proof for levels with joins?  Of a distributed table it does, whatever
 * the condition reads, since nodes evaluate it. */
extern bool dps_needs_semijoin(const DpsProtectedSource *source, Node *condition, List *ancestors);

#endif							/* DPS_GUARD_TRACE_SEMIJOIN_H */
