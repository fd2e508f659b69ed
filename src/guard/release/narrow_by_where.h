/*
 * narrow_by_where.h
 *		What WHERE and FILTER say of the columns of an expression.
 */
#ifndef DPS_GUARD_RELEASE_NARROW_BY_WHERE_H
#define DPS_GUARD_RELEASE_NARROW_BY_WHERE_H

#include "postgres.h"

#include "guard/release/columns.h"

/*
 * Narrows the box of the variables of an import that dps_columns_prepare has
 * prepared to the rows that the conditions
 * can let through.  conditions are expanded expressions, all of which must be
 * true of a row that counts; what cannot be used is passed over.  Whoever bounds
 * values on the box must clamp cells into it: no privacy may rest on the narrowing.
 */
extern void dps_narrow_by_conditions(DpsImport *import, const List *conditions, DpsDomain *box);

/* What they say of several variables at once, for values on this box, as a node of the
 * import's graph; NULL if that is nothing. */
extern const DpsNode *dps_joint_condition(DpsImport *import, const List *conditions, const DpsDomain *box);

#endif							/* DPS_GUARD_RELEASE_NARROW_BY_WHERE_H */
