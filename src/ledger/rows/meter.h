/*
 * meter.h
 *		The individual sensitivity of a row: how far it can move a past release.
 */
#ifndef DPS_LEDGER_ROWS_METER_H
#define DPS_LEDGER_ROWS_METER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "glue/label/annotation.h"
#include "ledger/rows/contribution.h"
#include "ledger/ledger.h"

typedef struct DpsMeter DpsMeter;

/* What the units of the relation are now. */
typedef struct DpsMeterUnits
{
	const char *columns;		/* that name them (dps_unit_key_columns); NULL: none do */
	bool		several_rows;	/* a unit can have several */
} DpsMeterUnits;

/*
 * Compiles a contribution into CurrentMemoryContext.  norm is that of the mechanism that was used.  limits
 * are the n sensitivities of the release, which bound those of each row.  with_slopes: for
 * dps_meter_susceptibility, too.  NULL if the relation's columns
 * or units have changed, or the contribution does not fit the numbers.  May raise an error if the contribution
 * cannot be parsed any more.
 */
extern DpsMeter *dps_meter_make(const DpsContribution *contribution, DpsAdjacency adjacency, int norm,
								const uint64 *limits, int n, bool with_slopes, const DpsMeterUnits *units,
								Oid relation);

/*
 * The sensitivity of each of the n released integers to the row in ecxt_scantuple, in its own units.  Does
 * not fail for any row.
 */
extern void dps_meter_read(DpsMeter *meter, ExprContext *context, uint64 *sensitivities);

/* Is it of units of several rows?  Then these are called in place of dps_meter_read: add_row for each row of
 * the unit, in ecxt_scantuple, and read_unit for all of them. */
extern bool dps_meter_is_of_units(const DpsMeter *meter);
extern void dps_meter_begin_unit(DpsMeter *meter);
extern void dps_meter_add_row(DpsMeter *meter, ExprContext *context);
extern void dps_meter_read_unit(DpsMeter *meter, uint64 *sensitivities);

/*
 * Half the norm of the gradient, by the private columns, of the square of what the row in ecxt_scantuple adds
 * to the release under add_remove, in units of the grid: |v| times the norm of the gradient of v (definitions,
 * section 3), v being the value, from the centre for a mean.  0 of a row that did not count, of a count, and
 * where there is no such number.  Does not fail for any row.
 */
extern double dps_meter_susceptibility(DpsMeter *meter, ExprContext *context);

#endif							/* DPS_LEDGER_ROWS_METER_H */
