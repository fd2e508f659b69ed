/*
 * trace.h
 *		From a level with dp aggregates down to the protected relations that it reads.
 *
 * The files of this folder call each other in a circle, as queries are nested: a source
 * may be a join (join.c), parts of which are UNIONs of sources (join_union.c) or groups of
 * the rows of a source (grouped.c), and conditions of which hold subqueries with sources
 * of their own (semijoin.c).  What they know in common, and need no such descent for, lies
 * below, in guard/source.
 */
#ifndef DPS_GUARD_TRACE_TRACE_H
#define DPS_GUARD_TRACE_TRACE_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * Finds the relation that the level reads and checks every step down to it;
 * an error says which construct cannot be used.  query, enclosing, source_text,
 * location and is_analysis are set.
 */
extern void dps_trace_source(DpsProtectedSource *source);

/* An entry that reads a WITH query of this level reads the query itself: there
 * is no difference where rows only pass. */
extern void dps_inline_with_query(Query *level, RangeTblEntry *entry);

/*
 * Does a condition of the level depend on a column that is not public?  An
 * error if the executor may not decide by it whether a row counts.
 */
extern bool dps_is_private_condition(DpsProtectedSource *source, Node *condition);

extern void dps_check_subquery(const DpsProtectedSource *source, Query *query);

extern void dps_check_entry(const DpsProtectedSource *source, RangeTblEntry *entry);

#endif							/* DPS_GUARD_TRACE_TRACE_H */
