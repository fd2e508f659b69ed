/*
 * join_union.h
 *		UNION ALL of protected relations.
 */
#ifndef DPS_GUARD_SOURCE_JOIN_UNION_H
#define DPS_GUARD_SOURCE_JOIN_UNION_H

#include "postgres.h"

#include "guard/public/values.h"
#include "guard/source/domains.h"

/*
 * A part for a subquery that is a UNION ALL: each of its arms reads a protected
 * relation, and none of them the rows of another.  An error if it is something
 * else.
 */
extern DpsPart *dps_make_union_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* In how many arms a person can stand whose rows the source counts, those of a UNION
 * ALL within an arm for themselves; 1 without one. */
extern int	dps_union_arms(const DpsProtectedSource *source);

/* Refuses an expanded Var that is not a column of each arm. */
extern void dps_check_union_column(const DpsProtectedSource *source, const Var *var);

/* What is known of a column of it that is one of each arm. */
extern void dps_get_union_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation);
extern bool dps_union_column_is_not_null(const DpsPart *part, AttrNumber column);

/* The column of the first arm's relation where it is none of constants; with
 * lacks_range, of the first whose column has no range.  NULL if all are constants. */
extern const Var *dps_union_origin(const DpsPart *part, AttrNumber column, bool lacks_range, Oid *relation);

/* The values of a column that is a constant in each arm; NULL if it is none. */
extern const DpsValues *dps_union_constants(const DpsPart *part, AttrNumber column);

/* The entry for a query of exact states; calls that look at patterns are added to
 * *checks (attempt.h). */
extern RangeTblEntry *dps_union_entry(Query *query, const DpsPart *part, List **checks);

#endif							/* DPS_GUARD_SOURCE_JOIN_UNION_H */
