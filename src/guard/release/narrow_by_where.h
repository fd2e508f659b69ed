/*
 * narrow_by_where.h
 *		Ranges of columns that follow from WHERE and FILTER.
 */
#ifndef DPS_GUARD_RELEASE_NARROW_BY_WHERE_H
#define DPS_GUARD_RELEASE_NARROW_BY_WHERE_H

#include "postgres.h"

#include "guard/release/columns.h"

/*
 * Narrows the box of the variables of an import, which dps_columns_prepare has prepared, to rows for which
 * all conditions can be true.  conditions: expanded expressions, all true of every row that counts; a
 * condition that cannot be used is skipped.  Precondition for privacy: the caller clamps cells into the box
 * that it bounds values on; privacy must not depend on the narrowing being right.
 */
extern void dps_narrow_by_conditions(DpsImport *import, const List *conditions, DpsDomain *box);

/* The conjunction of the conditions that relate several variables, for values on this box, as a node of the
 * import's graph; NULL if there are none. */
extern const DpsNode *dps_joint_condition(DpsImport *import, const List *conditions, const DpsDomain *box);

#endif							/* DPS_GUARD_RELEASE_NARROW_BY_WHERE_H */
