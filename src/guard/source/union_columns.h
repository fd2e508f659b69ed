/*
 * union_columns.h
 *		The arms of a UNION ALL, and what is known of its columns.
 */
#ifndef DPS_GUARD_SOURCE_UNION_COLUMNS_H
#define DPS_GUARD_SOURCE_UNION_COLUMNS_H

#include "postgres.h"

#include "guard/public/values.h"
#include "guard/source/protected_source.h"

/* The number of arms in which a person can have rows that the source counts, including arms of a UNION ALL
 * inside of an arm; 1 without UNION ALL. */
extern int	dps_union_arms(const DpsProtectedSource *source);

/* An error if the expanded Var is a column of a UNION ALL that is computed or converted in one of the
 * arms. */
extern void dps_check_union_column(const DpsProtectedSource *source, const Var *var);

/* What is known of a column of the UNION ALL that is a column or constant in each arm. */
extern void dps_get_union_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation);

extern bool dps_union_column_is_not_null(const DpsPart *part, AttrNumber column);

/* The column of the first arm in which it is no constant, and its relation; with lacks_range, of the first
 * such arm in which it has no range.  NULL if it is a constant in all arms. */
extern const Var *dps_union_origin(const DpsPart *part, AttrNumber column, bool lacks_range, Oid *relation);

/* The values of a column that is a constant in each arm; NULL if it is none. */
extern const DpsValues *dps_union_constants(const DpsPart *part, AttrNumber column);

#endif							/* DPS_GUARD_SOURCE_UNION_COLUMNS_H */
