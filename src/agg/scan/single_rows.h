/*
 * single_rows.h
 *		Plans that yield no stored row twice, whatever is stored.
 */
#ifndef DPS_AGG_SCAN_SINGLE_ROWS_H
#define DPS_AGG_SCAN_SINGLE_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/plannodes.h"

#include "glue/compat.h"

/*
 * Of an expression about the rows that the plan yields, whose columns it has by their
 * numbers: does it say where a row is stored, and does the plan yield no more than
 * one row of each that is stored?  False if that cannot be seen from the plan alone.
 */
extern bool dps_yields_places_once(const EState *estate, const Plan *plan, const Expr *place);

/* A place among several tables has two parts, the table and the place in it, of which a
 * function makes one value; values differ where one of the parts does.  These, if they
 * are columns, or NIL. */
extern const List *dps_place_parts(const Expr *place);

/* Says in EXPLAIN that rows are not counted for that reason. */
extern void dps_explain_single_rows(ExplainState *es);

#endif							/* DPS_AGG_SCAN_SINGLE_ROWS_H */
