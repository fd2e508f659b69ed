/*
 * row_owner.h
 *		The owner of a row of a join, at execution.
 */
#ifndef DPS_GUARD_TRACE_ROW_OWNER_H
#define DPS_GUARD_TRACE_ROW_OWNER_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* Are rows counted by owner when the statement runs, so that no owner exceeds its limits?  True if units
 * have several rows, and for joins. */
extern bool dps_counts_rows(const DpsProtectedSource *source);

/*
 * The owner over the columns of the query of exact states, before that is made.  It is equal in two rows
 * if and only if they are of one unit; or, if a unit has one row of what is counted, or a row has no unit,
 * if they are of one of those rows.
 *
 * In a join it is NULL only if *place is set, which is the case if equal values of the unit's type can
 * have different bytes.  Then the limits of a unit also apply to each place, whatever the unit, and rows
 * without a unit have no other limit.  It is NULL, too, of rows that are in no state (dps_has_short_unit).
 */
extern Expr *dps_row_owner(DpsProtectedSource *source, Expr **place);

/* Do comparisons of the type take copies that are longer than its values? */
extern bool dps_is_compared_by_copies(Oid type, Oid collation);

/*
 * Is the unit short enough to be compared?  True of every row, and NULL here, if its type compares values of all lengths
 * without copies.  Rows of which it is false are to be in no state: their owner is NULL.
 */
extern Expr *dps_has_short_unit(DpsProtectedSource *source);

/* For join_union.c: the last, additional column of an arm's query, which identifies the row of the arm. */
extern Expr *dps_arm_row(DpsProtectedSource *arm, int number);

#endif							/* DPS_GUARD_TRACE_ROW_OWNER_H */
