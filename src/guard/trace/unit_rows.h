/*
 * unit_rows.h
 *		Units of several rows: how many of them count.
 */
#ifndef DPS_GUARD_TRACE_UNIT_ROWS_H
#define DPS_GUARD_TRACE_UNIT_ROWS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "agg/aggregate.h"
#include "agg/state/units.h"
#include "guard/source/protected_source.h"

/*
 * Can a unit of the traced source have several rows, of which some may not count?  An error if the
 * declared limits do not bound their number in this query.
 */
extern bool dps_limits_unit(const DpsProtectedSource *source);

/* The factors by which the sensitivity of one row grows (definitions, section 2). */
extern void dps_unit_factors(const DpsProtectedSource *source, DpsFacts *facts);

/*
 * A query of exact states that counts, of the rows of the given query, those within the limits.
 *
 * - unit, place: the owner of a row (row_owner.h); place may be NULL
 * - number: the number of a row's group, an expression that is NULL for a row in no group; or NULL if
 *   groups are not numbered
 * - counts_units: the last state is replaced by the number of units
 */
extern Query *dps_limit_unit_rows(const DpsProtectedSource *source, Query *states, Expr *unit, Expr *place,
								  Expr *number, bool counts_units);

/* The limits, for an aggregate that chooses the rows itself.  False if it cannot handle them. */
extern bool dps_unit_bounds(const DpsProtectedSource *source, const Expr *unit, DpsUnitBounds *bounds);

#endif							/* DPS_GUARD_TRACE_UNIT_ROWS_H */
