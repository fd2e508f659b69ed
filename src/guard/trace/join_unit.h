/*
 * join_unit.h
 *		The unit of the rows of a join.
 */
#ifndef DPS_GUARD_TRACE_JOIN_UNIT_H
#define DPS_GUARD_TRACE_JOIN_UNIT_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * Sets source->unit_vars: the columns with the unit of the first part's rows.  They are in another part if it is
 * reached through foreign keys; a part that the join lacks is added.  An error unless all protected parts
 * of a row of the join belong to the same unit.
 */
extern void dps_find_join_unit(DpsProtectedSource *source);

/*
 * Checks for one part after the first that it belongs to the unit of the others in every row of the join.
 * An error if that is not proved.
 */
extern void dps_check_same_unit(DpsProtectedSource *source, int number);

/* The columns with the unit of a part's rows, as a list of Var *, NIL if the join has none; and whether
 * conditions of the join equate two columns. */
extern List *dps_find_part_unit(DpsProtectedSource *source, int number);
extern bool dps_are_equal_columns(const DpsProtectedSource *source, Var *a, Var *b);

#endif							/* DPS_GUARD_TRACE_JOIN_UNIT_H */
