/*
 * range_by_key.h
 *		Ranges of columns that hold where another column has a declared value (glue/label/keyed_range.h).
 */
#ifndef DPS_GUARD_SOURCE_RANGE_BY_KEY_H
#define DPS_GUARD_SOURCE_RANGE_BY_KEY_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/*
 * Replaces the range in the annotation of the Var's column by the one that is declared for the rows that the conditions
 * select, if they say of the column's key that it has one of its values; by the least range that holds all of these, if
 * they say so of several.  conditions: expanded, all true of every row that counts.
 */
extern void dps_choose_range(const DpsProtectedSource *source, const Var *var, const List *conditions,
							 DpsColumnAnnotation *annotation);

#endif							/* DPS_GUARD_SOURCE_RANGE_BY_KEY_H */
