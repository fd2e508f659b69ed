/*
 * trace.h
 *		From a level with dp aggregates down to the protected relations that it reads.
 *
 * The files of this folder call each other recursively, since queries are nested: a source may be a join
 * (join.c).  Parts of a join may be UNIONs of sources (join_union.c) or groups of the rows of a source
 * (grouped.c), and its conditions may contain subqueries with sources of their own (semijoin.c).
 * Functions that need no such recursion are in guard/source.
 */
#ifndef DPS_GUARD_TRACE_TRACE_H
#define DPS_GUARD_TRACE_TRACE_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * Finds the relation that the level reads and checks every step down to it.  The error, if any, names the
 * construct that is not supported.  Precondition: query, enclosing, source_text, location and is_analysis
 * are set.
 */
extern void dps_trace_source(DpsProtectedSource *source);

/* Replaces a reference to a WITH query of this level by the query itself. */
extern void dps_inline_with_query(Query *level, RangeTblEntry *entry);

/*
 * Does a condition of the level depend on a column that is not public?  An error if the condition may not
 * decide whether a row counts.
 */
extern bool dps_is_private_condition(DpsProtectedSource *source, Node *condition);

extern void dps_check_subquery(const DpsProtectedSource *source, Query *query);

extern void dps_check_entry(const DpsProtectedSource *source, RangeTblEntry *entry);

#endif							/* DPS_GUARD_TRACE_TRACE_H */
