/*
 * unit_vars.h
 *		The unit of a source's rows as columns of its parts.
 *
 * A unit is a list of Var *, in the order of its declaration (glue/constraint/unit_columns.h); NIL is none.
 */
#ifndef DPS_GUARD_SOURCE_UNIT_VARS_H
#define DPS_GUARD_SOURCE_UNIT_VARS_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* The columns of the part of this number, which is a relation. */
extern List *dps_part_columns(const DpsProtectedSource *source, int number, const DpsUnitColumns *columns);

/* Is none of the columns NULL in a row of the source? */
extern bool dps_vars_are_not_null(const DpsProtectedSource *source, const List *vars);

/* A test that one of the columns is NULL, so that the row has no unit. */
extern Expr *dps_any_is_null(const List *vars);

/* The forms of the columns of a unit of several, whose images are equal if and only if the units are.  An error if a
 * column is of a type that has none. */
extern List *dps_unit_forms(const DpsProtectedSource *source, const List *vars);

#endif							/* DPS_GUARD_SOURCE_UNIT_VARS_H */
