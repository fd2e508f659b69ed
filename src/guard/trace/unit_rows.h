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
 * Does a unit of the traced source have several rows, of which some may not
 * count?  An error if what is declared does not bound their number in this
 * query.
 */
extern bool dps_limits_unit(const DpsProtectedSource *source);

/* The factors by which the sensitivity of one row grows (definitions, section 2). */
extern void dps_unit_factors(const DpsProtectedSource *source, DpsFacts *facts);

/*
 * A query of exact states that counts, of the rows that the given one would,
 * those within the limits.  unit: whose a row of the given query is
 * (row_owner.h), with the place or NULL.  number: that of its group, NULL of a row in
 * none; NULL if they are not numbered.  counts_units: the last state is the number of
 * units, instead.
 */
extern Query *dps_limit_unit_rows(const DpsProtectedSource *source, Query *states, Expr *unit, Expr *place,
								  Expr *number, bool counts_units);

/* The limits, for an aggregate that chooses the rows by itself; false if it
 * cannot. */
extern bool dps_unit_bounds(const DpsProtectedSource *source, const Expr *unit, DpsUnitBounds *bounds);

#endif							/* DPS_GUARD_TRACE_UNIT_ROWS_H */
