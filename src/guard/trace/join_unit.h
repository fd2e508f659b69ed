/*
 * join_unit.h
 *		Whom the rows of a join belong to.
 */
#ifndef DPS_GUARD_TRACE_JOIN_UNIT_H
#define DPS_GUARD_TRACE_JOIN_UNIT_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * Sets source->unit: the column that says whose the rows of the first part are,
 * in another part if it is reached through foreign keys, which is added if the
 * join does not have it.  An error unless all protected parts of a row of the
 * join belong to the same unit.
 */
extern void dps_find_join_unit(DpsProtectedSource *source);

/*
 * The same for one part after the first: that it belongs to the unit of the others in
 * every row of the join.  An error if nothing says so.
 */
extern void dps_check_same_unit(DpsProtectedSource *source, int number);

/* The column that says whose the rows of a part are, NULL if none in the join does;
 * whether conditions of the join say that two columns are equal. */
extern Var *dps_find_part_unit(DpsProtectedSource *source, int number);
extern bool dps_are_equal_columns(const DpsProtectedSource *source, Var *a, Var *b);

#endif							/* DPS_GUARD_TRACE_JOIN_UNIT_H */
