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
 * place is an expression over the columns of the plan's rows.  Does it say where a row
 * is stored, and does the plan yield no stored row twice?  False if that cannot be seen
 * from the plan alone.
 */
extern bool dps_yields_places_once(const EState *estate, const Plan *plan, const Expr *place);

/* A place among several tables has two parts, the table and the place in it.  A function
 * makes one value of them, which differs if one of the parts does.  Returns the parts if
 * they are columns, or NIL. */
extern const List *dps_place_parts(const Expr *place);

/* Says in EXPLAIN that all rows count, since the plan yields none twice. */
extern void dps_explain_single_rows(ExplainState *es);

#endif							/* DPS_AGG_SCAN_SINGLE_ROWS_H */
