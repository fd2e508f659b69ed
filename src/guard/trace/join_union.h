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
 * The part for a subquery that is a UNION ALL whose arms each read a protected relation, no two of them
 * the rows of the same one.  An error if it is anything else.
 */
extern DpsPart *dps_make_union_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* The entry for a query of exact states.  Adds calls that check patterns to *checks (attempt.h). */
extern RangeTblEntry *dps_union_entry(Query *query, const DpsPart *part, List **checks);

#endif							/* DPS_GUARD_TRACE_JOIN_UNION_H */
