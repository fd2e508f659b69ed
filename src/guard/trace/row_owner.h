/*
 * row_owner.h
 *		Whose a row of a join is, when it runs.
 */
#ifndef DPS_GUARD_TRACE_ROW_OWNER_H
#define DPS_GUARD_TRACE_ROW_OWNER_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* Are rows that count looked at when the statement runs, so that no owner has more
 * than he may?  Where units have several, and where anything is joined. */
extern bool dps_counts_rows(const DpsProtectedSource *source);

/*
 * Over the columns of the query of exact states, before it is made: equal in two rows
 * if and only if they are of one unit, or, where a unit has one row of what is counted,
 * or a row has no unit, of one of those rows.
 *
 * In a join it is NULL only where *place is set, since the equal values of a unit's type
 * can differ: then no place may have more rows than a unit, whatever the unit, and rows
 * without one are not limited beside.
 */
extern Expr *dps_row_owner(DpsProtectedSource *source, Expr **place);

/* The entry of a UNION ALL part has a last column more, which says of which of its rows
 * a row is: for join_union.c, the column in the query of one of its arms. */
extern Expr *dps_arm_row(DpsProtectedSource *arm, int number);

#endif							/* DPS_GUARD_TRACE_ROW_OWNER_H */
