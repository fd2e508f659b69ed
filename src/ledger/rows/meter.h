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

/*
 * Compiles a contribution into CurrentMemoryContext.  norm is that of the mechanism that was used.  limits
 * are the n sensitivities of the release, which bound those of each row.  NULL if the relation's columns
 * have changed, or the contribution does not fit the numbers.  May raise an error if the contribution
 * cannot be parsed any more.
 */
extern DpsMeter *dps_meter_make(const DpsContribution *contribution, DpsAdjacency adjacency, int norm,
								const uint64 *limits, int n, Oid relation);

/*
 * The sensitivity of each of the n released integers to the row in ecxt_scantuple, in its own units.  Does
 * not fail for any row.
 */
extern void dps_meter_read(DpsMeter *meter, ExprContext *context, uint64 *sensitivities);

#endif							/* DPS_LEDGER_ROWS_METER_H */
