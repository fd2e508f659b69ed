/*
 * covered.h
 *		Have all rows one of a column's declared values?
 */
#ifndef DPS_GUARD_SOURCE_COVERED_H
#define DPS_GUARD_SOURCE_COVERED_H

#include "postgres.h"

#include "guard/public/values.h"
#include "guard/source/protected_source.h"

/*
 * Has each row that the level counts one of these values in the column, which is expanded?  False where that is not
 * proved.  membership: column = ANY (values).
 */
extern bool dps_values_cover_rows(const DpsProtectedSource *source, const Var *column, const DpsValues *values,
								  const Expr *membership);

#endif							/* DPS_GUARD_SOURCE_COVERED_H */
