/*
 * grouped.h
 *		Subqueries with GROUP BY below the aggregates.
 */
#ifndef DPS_GUARD_TRACE_GROUPED_H
#define DPS_GUARD_TRACE_GROUPED_H

#include "postgres.h"

#include "guard/source/grouped_part.h"

/* Does the query group or aggregate rows? */
extern bool dps_is_grouped_query(const Query *query);

/*
 * The part for an entry with such a subquery.  An error unless it is proved that each of its rows belongs
 * to one unit.
 */
extern DpsPart *dps_make_grouped_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* Finds the range of a grouped part's column; an error if it has none. */
extern void dps_find_grouped_range(const DpsProtectedSource *source, const Var *var);

/* The entry for the query that runs.  Adds calls that check patterns to *checks. */
extern RangeTblEntry *dps_grouped_entry(const DpsPart *part, List **checks);

/* ---- for the files of this part ---- */

#define DPS_GROUPED_HINT \
	"Group a protected relation by its unit, in a subquery of tables, joins, WHERE, GROUP BY and HAVING."

/* Finds the parts of the subquery and its unit.  An error unless the protected parts of every row belong
 * to one unit. */
extern void dps_trace_grouped(DpsProtectedSource *inner, Query *query);

/* The column for an aggregate of the subquery; an error if the aggregate is not admitted. */
extern DpsGroupedColumn *dps_make_grouped_call(DpsProtectedSource *inner, Query *query, const Aggref *original);

#endif							/* DPS_GUARD_TRACE_GROUPED_H */
