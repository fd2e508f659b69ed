/*
 * join_union.h
 *		UNION ALL of protected relations.
 */
#ifndef DPS_GUARD_TRACE_JOIN_UNION_H
#define DPS_GUARD_TRACE_JOIN_UNION_H

#include "postgres.h"

#include "guard/public/values.h"
#include "guard/source/protected_source.h"

/*
 * A part for a subquery that is a UNION ALL: each of its arms reads a protected
 * relation, and none of them the rows of another.  An error if it is something
 * else.
 */
extern DpsPart *dps_make_union_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* The entry for a query of exact states; calls that look at patterns are added to
 * *checks (attempt.h). */
extern RangeTblEntry *dps_union_entry(Query *query, const DpsPart *part, List **checks);

#endif							/* DPS_GUARD_TRACE_JOIN_UNION_H */
